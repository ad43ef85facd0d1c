//! Why: everything the gatherer knows of a URL, without asking anybody.

use crate::Engine;
use gatherer_pipeline::{Access, Candidate, Entry, Failure, Kind, Role, Stop, UnixTime, host_name, server_name};
use gatherer_prepare::canonical_url;
use gatherer_store::{Alias, Deletion, Record};
use std::time::Duration;
use url::Url;

/// Most other addresses that are told.
const ALIASES: usize = 20;

/// What one root node says of a URL.
#[derive(Debug, Clone)]
pub struct RootVerdict {
    /// The root node.
    pub root: String,
    /// The rule that lets it in, or the reason against it.
    pub verdict: Result<String, String>,
}

/// Everything known of a URL.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The URL in its one form.
    pub url: Url,
    /// The URL asked about, if that is another.
    pub asked: Option<Url>,
    /// What each root node says.
    pub scope: Vec<RootVerdict>,
    /// What the robots rules at hand say, and of when they are, if they are anybody's; nothing if the site was never asked.
    pub robots: Option<(Result<String, String>, Option<UnixTime>)>,
    /// The pause between two requests to its site: the operator's or the site's own.
    pub pause: Duration,
    /// What its host is waiting for, if anything.
    pub waiting: Option<String>,
    /// Time between two visits at present, if its root node is known.
    pub pace: Option<Duration>,
    /// Other addresses that lead here.
    pub aliases: Vec<Alias>,
    /// What was found inside of it.
    pub members: Vec<Entry>,
    /// What its URL and name say of its kind.
    pub kind_before: Vec<String>,
    /// Who summarizes documents of its kind, in order.
    pub summarizers: Vec<String>,
    /// What the ledger says.
    pub entry: Option<Entry>,
    /// Its record.
    pub record: Option<Record>,
    /// The deletion that was put down for its record and has not been carried out: the brake holds it, or the run is not at its
    /// end.
    pub deletion: Option<Deletion>,
    /// Other URLs with the same content.
    pub same_content: Vec<Url>,
    /// What a run at this moment would do.
    pub next: String,
}

impl Engine {
    /// What may be told of a URL to somebody for whom some root nodes are not there; nothing if it is theirs.
    ///
    /// # Errors
    /// When the store fails.
    pub fn explain_without(&self, url: &Url, is_hidden: &dyn Fn(&str) -> bool) -> Result<Option<Explanation>, Failure> {
        let mut found = self.explain(url)?;
        let is_theirs = match &found.entry {
            Some(entry) => is_hidden(&entry.root),
            // Where one of theirs would take it, even what is known of its host says too much.
            None => found.scope.iter().any(|root| root.verdict.is_ok() && is_hidden(&root.root)),
        };
        let is_theirs = is_theirs || found.record.as_ref().is_some_and(|record| is_hidden(&record.head.root));
        if is_theirs {
            return Ok(None);
        }
        let is_seen = |url: &Url| {
            let root = self.store.entry(url).ok().flatten().map(|entry| entry.root);
            root.is_none_or(|root| !is_hidden(&root))
        };
        found.scope.retain(|root| !is_hidden(&root.root));
        found.aliases.retain(|alias| is_seen(&alias.url));
        found.same_content.retain(|twin| is_seen(twin));
        Ok(Some(found))
    }

    /// Who summarizes what this is, or what it seems to be.
    fn summarizers_for(&self, url: &Url, record: Option<&Record>) -> Vec<String> {
        let desk = self.desk();
        let known = record.map(|record| Kind::new(record.head.kind.as_str()));
        let kind = known.or_else(|| desk.before_fetch(url).first().map(|vote| vote.kind.clone()));
        kind.map(|kind| desk.summarizers_of(&kind)).unwrap_or_default()
    }

    /// Everything known of a URL, without asking anybody.
    ///
    /// # Errors
    /// When the store fails.
    pub fn explain(&self, url: &Url) -> Result<Explanation, Failure> {
        let wanted = url.clone();
        let url = self.one_form(url)?;
        let entry = self.store.entry(&url)?;
        let view = self.store.view();
        let stands = entry.as_ref().map_or(&url, Entry::record_url);
        let record = view.record(stands)?;
        let deletion = self.store.deletion(stands)?;
        let twins = record.as_ref().map(|record| view.same_content(record.head.md5)).transpose()?.unwrap_or_default();
        let scope = self.verdicts(&url, entry.as_ref());
        let rules = self.robots_at_hand(&url);
        let asked = rules.as_ref().and_then(|(rules, _)| rules.crawl_delay()).unwrap_or_default();
        let root = entry.as_ref().and_then(|entry| self.roots.get(&entry.root));
        let is_remote = Access::of(&url).is_some_and(|access| access != Access::File);
        let own = root.as_ref().filter(|_| is_remote).map_or(Duration::ZERO, |root| root.node.delay);
        let robots = rules.map(|(robots, at)| (robots.judge(&url).map_err(|d| d.to_string()), at));
        let waiting = self.waiting(&url, entry.as_ref())?;
        let verdict = robots.as_ref().map(|(verdict, _)| verdict);
        let next = self.next_step(&url, (entry.as_ref(), record.is_some()), &scope, verdict)?;
        Ok(Explanation {
            waiting,
            asked: (wanted != url).then_some(wanted),
            pace: root.as_ref().zip(entry.as_ref()).map(|(root, entry)| entry.pace(root.times())),
            aliases: self.store.aliases(&url, ALIASES)?,
            members: entry.as_ref().map(|entry| self.store.members(entry)).transpose()?.unwrap_or_default(),
            // Of a member nothing is known before its container is here.
            summarizers: self.summarizers_for(&url, record.as_ref()),
            kind_before: match url.fragment() {
                None => self.desk().before_fetch(&url).iter().map(ToString::to_string).collect(),
                Some(_) => Vec::new(),
            },
            same_content: twins
                .into_iter()
                .filter(|twin| Some(twin) != record.as_ref().map(|one| &one.head.url))
                .collect(),
            url,
            scope,
            robots,
            pause: own.max(asked),
            entry,
            record,
            deletion,
            next,
        })
    }

    /// The form under which a root node that has it in scope would keep a URL; else the one that all URLs share.
    ///
    /// # Errors
    /// When the store fails.
    pub fn one_form(&self, url: &Url) -> Result<Url, Failure> {
        let plain = canonical_url(url.clone()).url;
        // What is behind a `#` is no part of a URL, unless it names a member.
        let mut member = plain.clone();
        member.set_fragment(url.fragment());
        for known in [member, plain.clone()] {
            if self.store.entry(&known)?.is_some() {
                return Ok(known);
            }
        }
        let form = |root: &crate::Root| {
            let own = root.form.apply(url.clone()).ok()?;
            let candidate = Candidate::start(own.clone(), &root.node.name);
            root.scope.admit(&candidate).is_ok().then_some(own)
        };
        Ok(self.roots.all().iter().find_map(|root| form(root)).unwrap_or(plain))
    }

    /// What stands between a URL and its next visit, beside the calendar.
    fn waiting(&self, url: &Url, entry: Option<&Entry>) -> Result<Option<String>, Failure> {
        let (host, now) = (server_name(url), self.clock.now_millis());
        let queued = if entry.is_some_and(|entry| entry.queued) { "queued; " } else { "" };
        let state = self.store.host_state(&host)?;
        let rest = state.rest(now);
        if !rest.is_zero() {
            let times =
                if state.failures == 1 { "once".to_owned() } else { format!("{} times in a row", state.failures) };
            let why = if state.asked { "it asked for that" } else { "it is in trouble" };
            let reason = &state.reason;
            return Ok(Some(format!(
                "{queued}{host} is left alone for another {}: {why}, {times} ({reason})",
                span(rest)
            )));
        }
        let quiet = entry.map(Entry::candidate).and_then(|candidate| self.quiet_until(&candidate));
        if let Some((until, hours)) = quiet {
            let left = span(until.since(self.clock.now()));
            return Ok(Some(format!("{queued}{host} is left alone in its quiet hours ({hours}), for another {left}")));
        }
        let pause = Duration::from_millis(self.store.next_access(host_name(url))?.unwrap_or(0).saturating_sub(now));
        if !pause.is_zero() {
            return Ok(Some(format!("{queued}{host} was asked a moment ago; its pause ends in {}", span(pause))));
        }
        Ok((!queued.is_empty()).then(|| format!("queued for {host}; a run will come to it")))
    }

    fn verdicts(&self, url: &Url, entry: Option<&Entry>) -> Vec<RootVerdict> {
        let verdict = |root: std::sync::Arc<crate::Root>| {
            let name = &root.node.name;
            let candidate = match entry.filter(|entry| entry.root == *name) {
                Some(entry) => entry.candidate(),
                None => Candidate::start(url.clone(), name),
            };
            let judged = match candidate.role() {
                Role::Map => Ok("a sitemap of this root node".to_owned()),
                Role::Page | Role::Leaf | Role::Member | Role::Collected => {
                    root.form.apply(url.clone()).and_then(|own| root.scope.admit(&candidate.at(own)))
                }
            };
            let judged = judged.map_err(Stop::from).and_then(|rule| {
                let found = candidate.child(url.clone());
                let is_new = entry.is_none_or(Entry::was_never_asked);
                if is_new { self.would_earn_visit(&found).map(|()| rule) } else { Ok(rule) }
            });
            RootVerdict { root: name.clone(), verdict: judged.map_err(|stop| stop.to_string()) }
        };
        self.roots.all().into_iter().map(verdict).collect()
    }

    fn next_step(
        &self,
        url: &Url,
        (entry, has_record): (Option<&Entry>, bool),
        scope: &[RootVerdict],
        robots: Option<&Result<String, String>>,
    ) -> Result<String, Failure> {
        let now = self.clock.now();
        let in_scope = scope.iter().any(|root| root.verdict.is_ok());
        let rest = self.store.host_state(&server_name(url))?.rest(self.clock.now_millis());
        let is_named =
            self.roots.all().iter().any(|root| root.node.start.contains(url) || root.node.leaves.contains(url));
        match entry.map(|entry| entry.role) {
            Some(Role::Member) => return Ok("do with it as with its container".to_owned()),
            Some(Role::Collected) => return Ok("ask the gatherer it was collected from, who visits it".to_owned()),
            _ => {}
        }
        Ok(match (entry, robots) {
            (Some(entry), _) if !in_scope && entry.expires.is_some() => {
                "delete its record: no root node has it in scope any more".to_owned()
            }
            (_, _) if !in_scope => "not visit it: no root node wants it".to_owned(),
            (_, Some(Err(rule))) => format!("not visit it: {rule}"),
            (_, _) if !rest.is_zero() => format!("leave its host alone for another {}", span(rest)),
            (Some(entry), _) if entry.queued => "fetch it: it is queued".to_owned(),
            (None, _) if is_named => "fetch it: the config names it".to_owned(),
            (None, _) => "fetch it if it reads a page that leads to it, and not visit it otherwise".to_owned(),
            (Some(entry), _) if entry.is_due(now) => "fetch it: it is due".to_owned(),
            (Some(_), _) if is_named && !has_record => {
                "fetch it if a person starts it: it is named in the config and has no record yet".to_owned()
            }
            (Some(entry), _) => format!(
                "not visit it: it is due in {}; `gatherer run --now` does not wait for that",
                span(entry.due.since(now))
            ),
        })
    }
}

/// A span in its largest unit, for people.
pub fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
