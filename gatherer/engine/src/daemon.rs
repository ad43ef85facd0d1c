//! A gatherer that stays: it runs when it is time, serves, takes up new settings, and hears what people want of it.

use crate::abstracts::all_ontologies;
use crate::serve::Doors;
use crate::{Engine, Report, RunOptions};
use gatherer_abstracts::ontology::Ontology;
use gatherer_pipeline::{AccessRule, Failure, UnixTime, events};
use gatherer_serve::{HttpRights, Keeper, Live, Now, RunWish};
use gatherer_settings::{Setting, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

/// Between two looks at the timetable.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// How long a run that could not go on is waited for.
const TROUBLED_WAIT: Duration = Duration::from_mins(5);

/// Settings that count from the next start on: they are built into what is open and running.
const AT_START: [&str; 17] = [
    "gatherer.name",
    "gatherer.host",
    "gatherer.data-directory",
    "broker.listen",
    "broker.certificate",
    "broker.key",
    "broker.clients",
    "broker.requests-per-minute",
    "broker.idle-limit",
    "broker.session-limit",
    "broker.shutdown-limit",
    "broker.ready-made",
    "http.listen",
    "http.certificate",
    "http.key",
    "store.block-cache",
    "store.write-buffers",
];

/// Reads the config anew; what is wrong with it comes as text for people.
pub type Load = Box<dyn Fn() -> Result<Settings, String> + Send + Sync>;

/// A gatherer at work.
pub struct Daemon {
    engine: Live<Arc<Engine>>,
    load: Load,
    /// One change of the settings at a time.
    changing: Mutex<()>,
    /// Moves with each change of the settings.
    changes: watch::Sender<u64>,
    /// Whether it gathers, or only serves.
    gathers: bool,
    pub(crate) rules: DoorRules,
    /// Root nodes that were private at any time.
    pub(crate) once_private: Live<BTreeSet<String>>,
    /// Those that abstracts may be written with.
    ontologies: Live<Vec<Arc<Ontology>>>,
}

/// Who may come in, and what for.
pub(crate) struct DoorRules {
    pub(crate) brokers: Live<Vec<AccessRule>>,
    pub(crate) http: Live<Vec<AccessRule>>,
    pub(crate) rights: Live<HttpRights>,
}

impl Daemon {
    /// A daemon around an engine; `load` gives the settings when they are to be taken up anew.
    pub fn new(engine: Arc<Engine>, gathers: bool, load: Load) -> Arc<Self> {
        let rules = DoorRules {
            brokers: engine.settings.brokering.port.access.clone().into(),
            http: engine.settings.web.port.access.clone().into(),
            rights: rights(&engine.settings).into(),
        };
        Arc::new(Self {
            ontologies: all_ontologies(&engine.settings).into(),
            engine: engine.into(),
            load,
            changing: Mutex::default(),
            changes: watch::Sender::new(0),
            gathers,
            rules,
            once_private: BTreeSet::new().into(),
        })
    }

    /// The engine under the present settings.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine.get())
    }

    /// Gathers whenever it is time, until `stopped`. `tell` hears how each run ended. A run that breaks off is tried again
    /// later: brokers are served all the same.
    pub async fn gather(&self, tell: impl Fn(&Report), stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            let engine = self.engine();
            let mut changes = self.changes.subscribe();
            let end = async {
                tokio::select! {
                    () = until(stopped.clone()) => {}
                    // The run goes on under the new settings.
                    _ = changes.changed() => {}
                }
            };
            let wait = match engine.run(RunOptions::default(), end).await {
                Ok(report) => {
                    tell(&report);
                    report.stopped_because.iter().for_each(|why| events::run_stopped(why));
                    let next = report.next_due.map_or(LONGEST_WAIT, |due| UnixTime(due).since(engine.clock.now()));
                    if report.stopped_because.is_some() { TROUBLED_WAIT } else { next }
                }
                Err(failure) => {
                    events::broken(&failure);
                    TROUBLED_WAIT
                }
            };
            if changes.has_changed().unwrap_or(false) || !Arc::ptr_eq(&engine, &self.engine()) {
                continue;
            }
            tokio::select! {
                () = tokio::time::sleep(wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)) => {}
                () = engine.wishes.came() => {}
                _ = changes.changed() => {}
                () = until(stopped.clone()) => {}
            }
        }
    }

    /// Collects from other gatherers, as often as the settings want it, until `stopped`.
    pub async fn follow_sources(&self, stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            let mut changes = self.changes.subscribe();
            let engine = self.engine();
            let end = async {
                tokio::select! {
                    () = until(stopped.clone()) => {}
                    _ = changes.changed() => {}
                }
            };
            engine.follow_sources(end).await;
        }
    }

    pub(crate) fn ontology(&self, hash: &str) -> Option<Arc<Ontology>> {
        self.ontologies.get().iter().find(|one| one.hash() == hash).cloned()
    }

    /// Asks for a run; gives what is to be said to that, and the wish's number.
    ///
    /// # Errors
    /// Why there will be none.
    pub fn wish(&self, wish: &RunWish) -> Result<(String, u64), String> {
        if !self.gathers {
            return Err(
                "the gatherer on this store only serves\nstop it first, or start it without --no-run".to_owned()
            );
        }
        let engine = self.engine();
        let known: Vec<_> = engine.roots.all().into_iter().map(|root| root.node.name.clone()).collect();
        let is_former = |root: &String| wish.allow_deletions && engine.store.holding(root).records > 0;
        if let Some(unknown) = wish.roots.iter().find(|root| !known.contains(root) && !is_former(root)) {
            return Err(format!("there is no root node {unknown:?}; there are {}", known.join(", ")));
        }
        let (is_running, _) = engine.progress.state();
        let what = if wish.everything { "everything known" } else { "what is due" };
        let whose = if wish.roots.is_empty() { "all root nodes".to_owned() } else { wish.roots.join(", ") };
        let number = engine.wishes.add(wish.clone());
        events::run_wished("somebody", &whose, wish.everything);
        let how = if is_running { "the run under way takes it up" } else { "a run begins" };
        Ok((format!("{what} of {whose} is visited now; {how}"), number))
    }

    fn take_up(&self, settings: Settings) -> Result<Vec<String>, Failure> {
        let before = self.engine();
        let mut changes = difference(before.settings.report(), settings.report());
        // Secrets, plugins and tables may be others under the same names.
        Doors::check(&settings)?;
        let engine = before.under(settings)?;
        let sooner = |(root, count): (String, u64)| {
            format!("{root}: {count} document{} due sooner by the new times", if count == 1 { " is" } else { "s are" })
        };
        changes.extend(engine.hasten()?.into_iter().map(sooner));
        self.rules.brokers.set(engine.settings.brokering.port.access.clone());
        self.rules.http.set(engine.settings.web.port.access.clone());
        self.rules.rights.set(rights(&engine.settings));
        self.ontologies.set(all_ontologies(&engine.settings));
        self.engine.set(engine.clone());
        // After the ports know: whoever begins anew because of this must see by the new rules.
        self.note_private(&engine)?;
        self.changes.send_modify(|count| *count += 1);
        Ok(changes)
    }
}

fn rights(settings: &Settings) -> HttpRights {
    let web = &settings.web;
    HttpRights { anonymous: web.anonymous.clone(), local: web.local.clone(), tokens: settings.tokens.clone() }
}

/// What is different, a line each.
fn difference(before: &[Setting], after: &[Setting]) -> Vec<String> {
    let table = |settings: &[Setting]| {
        settings.iter().map(|one| (one.key.clone(), one.value.clone())).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (table(before), table(after));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let line = |key: &String| {
        let late = if AT_START.iter().any(|late| key.starts_with(late)) { " (at the next start)" } else { "" };
        match (before.get(key), after.get(key)) {
            (Some(old), Some(new)) if old == new => None,
            (Some(old), Some(new)) => Some(format!("{key} = {new}, was {old}{late}")),
            (None, Some(new)) => Some(format!("{key} = {new}, new{late}")),
            (Some(old), None) => Some(format!("{key} is gone, was {old}{late}")),
            (None, None) => None,
        }
    };
    keys.into_iter().filter_map(line).collect()
}

impl Keeper for Daemon {
    fn now(&self) -> Now {
        self.engine().going_on()
    }

    fn explain(&self, url: &Url, is_hidden: &dyn Fn(&str) -> bool) -> Result<Option<Vec<(String, String)>>, Failure> {
        let found = self.engine().explain_without(url, is_hidden)?;
        let owned = |(about, says): (&str, String)| (about.to_owned(), says);
        Ok(found.map(|found| found.lines().into_iter().map(owned).collect()))
    }

    fn run(&self, wish: &RunWish) -> Result<String, String> {
        self.wish(wish).map(|(said, _)| said)
    }

    fn reload(&self) -> Result<Vec<String>, String> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = (self.load)().and_then(|settings| self.take_up(settings).map_err(|failure| failure.to_string()));
        match &changed {
            Ok(changes) => changes.iter().for_each(|change| events::config_changed(change)),
            Err(why) => events::config_unusable(why),
        }
        changed
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // The sender lives as long as the program.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
