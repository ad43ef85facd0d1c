//! What the run that is going on has come to.

use crate::levels::Levels;
use crate::{Engine, RunOptions, span};
use gatherer_fold::Held;
use gatherer_pipeline::life::Event;
use gatherer_pipeline::report::{Aside, HeldReport, HostReport, PluginReport, Report, SourceReport};
use gatherer_pipeline::{Candidate, Departure, Failure, Outcome, UnixTime, parent_name, server_name};
use gatherer_plugin::Deeds;
use gatherer_serve::Running;
use gatherer_store::{Folding, Holding, Run};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Counts of the run that is going on. Cheap to look at from elsewhere.
#[derive(Default)]
pub struct Progress {
    counts: Mutex<Counts>,
    listener: OnceLock<Listener>,
}

/// Whoever wants to hear of everything when it happens.
pub(crate) type Listener = Box<dyn Fn(&Happening<'_>) + Send + Sync>;

/// What happens in a run, for machines.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Happening<'a> {
    /// It begins, or goes on.
    Started {
        /// Its number.
        run: u64,
        /// Whether it goes on with one that was cut short.
        resumed: bool,
        /// What is queued from before.
        queued: u64,
    },
    /// A visit is over.
    Visited {
        /// What was visited,
        url: &'a str,
        /// for which root node,
        root: &'a str,
        /// how that ended, in one word,
        outcome: &'a str,
        /// and in a sentence.
        reason: String,
    },
    /// Records have reached production.
    Folded {
        /// New or changed.
        updated: u64,
        /// Renewed.
        refreshed: u64,
        /// Deleted.
        deleted: u64,
    },
    /// A host is left alone.
    LeftAlone {
        /// Which.
        host: &'a str,
        /// Why.
        reason: &'a str,
        /// Until when, as Unix time.
        until: u64,
    },
    /// Something to look at.
    Warning {
        /// What.
        text: &'a str,
    },
}

/// A run at one moment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Glimpse {
    /// Visits made,
    pub visited: u64,
    /// records written,
    pub stored: u64,
    /// visits that failed because of trouble.
    pub failed: u64,
    /// Candidates queued,
    pub queued: u64,
    /// and about how many visits there are still to come.
    pub remaining: Option<u64>,
    /// Records written by kind, the most frequent first.
    pub kinds: Vec<(String, u64)>,
    /// What is being waited for.
    pub doing: String,
}

struct Counts {
    report: Report,
    queued: u64,
    /// Visits under way, the oldest first, and when each began.
    in_hand: Vec<(String, Instant)>,
    /// Nothing is under way until then, because every host wants its pause.
    waiting: Option<Instant>,
    /// When something last came to an end.
    moved: Instant,
    /// Levels below the root nodes.
    levels: Levels,
    /// Whether a run is going on,
    is_running: bool,
    /// and what somebody should look at meanwhile.
    stalled: Option<String>,
    /// Why the last run broke off, if it did.
    broken: Option<String>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            report: Report::default(),
            queued: 0,
            in_hand: Vec::new(),
            waiting: None,
            moved: Instant::now(),
            levels: Levels::default(),
            is_running: false,
            stalled: None,
            broken: None,
        }
    }
}

/// Why a run does not come on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standstill {
    /// Everything waits for something that will come.
    Idle(String),
    /// Something does not come to its end.
    Hung(String),
}

impl Progress {
    /// Tells `listener` of everything that happens from now on; the first who asks is heard.
    pub fn listen(&self, listener: Box<dyn Fn(&Happening<'_>) + Send + Sync>) {
        // There is one such switch on the command line.
        let _ = self.listener.set(listener);
    }

    fn tell(&self, happening: &Happening<'_>) {
        self.listener.get().into_iter().for_each(|listener| listener(happening));
    }

    /// The run at this moment.
    pub fn glimpse(&self) -> Glimpse {
        let remaining = self.remaining();
        let counts = self.counts();
        let report = &counts.report;
        let pause = counts.waiting.map(|until| until.saturating_duration_since(Instant::now()).as_secs());
        let doing = match (pause, counts.in_hand.first()) {
            (Some(seconds), _) if seconds > 0 => format!("pausing between requests, {seconds} s left"),
            (_, Some((url, _))) => url.clone(),
            _ => String::new(),
        };
        let mut kinds: Vec<_> = report.kinds.iter().map(|(kind, count)| (kind.clone(), *count)).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Glimpse {
            visited: report.visited,
            stored: report.kinds.values().sum(),
            failed: report.hosts.values().map(|host| host.failed).sum(),
            queued: counts.queued,
            remaining,
            kinds,
            doing,
        }
    }

    pub(crate) fn start(&self, url: &url::Url) {
        self.counts().in_hand.push((url.to_string(), Instant::now()));
    }

    pub(crate) fn wait(&self, until: Option<Instant>) {
        self.counts().waiting = until;
    }

    pub(crate) fn begin(&self, run: &Run, resumed: bool, queued: u64) {
        self.tell(&Happening::Started { run: run.number, resumed, queued });
        let report = Report { run: run.number, resumed, started: run.started.0, ..Report::default() };
        *self.counts() = Counts { report, queued, is_running: true, ..Counts::default() };
    }

    pub(crate) fn count(&self, candidate: &Candidate, outcome: &Outcome) {
        if self.listener.get().is_some() {
            let (url, root, reason) = (candidate.url().as_str(), candidate.root(), outcome.to_string());
            self.tell(&Happening::Visited { url, root, outcome: outcome.code(), reason });
        }
        let mut counts = self.counts();
        counts.queued = counts.queued.saturating_sub(1);
        counts.end(candidate.url());
        counts.levels.visit(candidate.depth());
        let report = &mut counts.report;
        report.visited += 1;
        if let Some(host) = host(report, &server_name(candidate.url())) {
            host.visited += 1;
            host.failed += u64::from(outcome.event() == Event::Failed);
        }
        let root = report.roots.entry(candidate.root().to_owned()).or_default();
        root.visited += 1;
        if outcome.event() == Event::Failed {
            root.failed += 1;
            root.trouble = Some(format!("{}: {outcome}", candidate.url()));
        }
        let tally = report.outcomes.entry(outcome.code().to_owned()).or_default();
        tally.add(|| format!("{}: {outcome}", candidate.url()));
        if let Outcome::Stored { kind, .. } = outcome {
            *report.kinds.entry(kind.clone()).or_default() += 1;
        }
    }

    /// A record may be lost.
    pub(crate) fn endanger(&self, candidate: &Candidate, reason: impl std::fmt::Display) {
        self.counts().report.endangered.add(|| format!("{}: {reason}", candidate.url()));
    }

    pub(crate) fn count_member(&self, url: &url::Url, outcome: &Outcome) {
        let mut counts = self.counts();
        let tally = counts.report.members.entry(outcome.code().to_owned()).or_default();
        tally.add(|| format!("{url}: {outcome}"));
        if let Outcome::Stored { kind, .. } = outcome {
            *counts.report.kinds.entry(kind.clone()).or_default() += 1;
        }
    }

    pub(crate) fn refuse(&self, candidate: &Candidate, departure: &Departure) {
        let mut counts = self.counts();
        let tally = counts.report.refused.entry(departure.code().to_owned()).or_default();
        tally.add(|| format!("{}: {departure}", candidate.url()));
    }

    /// A visit was put off; nothing came of it.
    pub(crate) fn put_off(&self, url: &url::Url) {
        self.counts().end(url);
    }

    pub(crate) fn set_aside(&self, host: &str, reason: String, until: u64) {
        self.tell(&Happening::LeftAlone { host, reason: &reason, until });
        self.counts().report.set_aside.insert(host.to_owned(), Aside { reason, until });
    }

    /// Whether this run goes on with one that was cut short.
    pub(crate) fn is_resumed(&self) -> bool {
        self.counts().report.resumed
    }

    pub(crate) fn warn(&self, warning: String) {
        self.tell(&Happening::Warning { text: &warning });
        self.counts().report.warnings.push(warning);
    }

    pub(crate) fn collected(&self, source: &str, report: SourceReport) {
        self.counts().report.sources.insert(source.to_owned(), report);
    }

    /// A host has answered, or has not, after a while.
    pub(crate) fn answered(&self, name: &str, bytes: usize, took: Duration) {
        let report = &mut self.counts().report;
        report.bytes += bytes as u64;
        if let Some(host) = host(report, name) {
            host.bytes += bytes as u64;
            host.milliseconds += u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        }
    }

    /// A document has been worked over.
    pub(crate) fn summarized(&self, by: &str, took: Duration) {
        let mut counts = self.counts();
        let summarizer = counts.report.summarizers.entry(by.to_owned()).or_default();
        summarizer.documents += 1;
        summarizer.microseconds += u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    }

    pub(crate) fn queue(&self, candidate: &Candidate) {
        let mut counts = self.counts();
        counts.queued += 1;
        counts.levels.queue(candidate.depth());
    }

    /// About how many more visits there will be; nothing while there is nothing to tell it from.
    pub fn remaining(&self) -> Option<u64> {
        let counts = self.counts();
        counts.is_running.then(|| counts.levels.remaining(counts.queued))?
    }

    /// The run that is going on, if one is.
    pub(crate) fn running(&self) -> Option<Running> {
        let remaining = self.remaining();
        let counts = self.counts();
        let pause = counts.waiting.map(|until| until.saturating_duration_since(Instant::now()).as_secs() + 1);
        let pause = pause.filter(|_| counts.in_hand.is_empty());
        counts.is_running.then(|| Running {
            report: counts.report.clone(),
            queued: counts.queued,
            in_hand: counts.in_hand.iter().map(|(url, _)| url.clone()).collect(),
            waits: pause.map(|seconds| format!("every host wants its pause, {seconds} s left")),
            remaining,
        })
    }

    /// Why the last run broke off, if it did.
    pub(crate) fn broken(&self) -> Option<String> {
        self.counts().broken.clone()
    }

    /// The run cannot go on.
    pub(crate) fn break_off(&self, why: String) {
        self.counts().broken = Some(why);
    }

    /// Whether a run is going on, and what somebody should look at meanwhile.
    pub fn state(&self) -> (bool, Option<String>) {
        let counts = self.counts();
        (counts.is_running, counts.stalled.clone())
    }

    /// Why nothing has come to an end for at least this long.
    pub(crate) fn standstill(&self, patience: Duration) -> Option<Standstill> {
        let mut counts = self.counts();
        counts.stalled = None;
        if !counts.is_running || counts.moved.elapsed() < patience {
            return None;
        }
        let still = span(counts.moved.elapsed());
        let standstill = match (counts.in_hand.first(), counts.waiting) {
            (Some((url, begun)), _) => Standstill::Hung(format!(
                "nothing has come to an end for {still}: {} visits are under way, {url} since {}",
                counts.in_hand.len(),
                span(begun.elapsed())
            )),
            (None, Some(until)) => Standstill::Idle(format!(
                "every host wants its pause; the next may be asked in {}",
                span(until.saturating_duration_since(Instant::now()))
            )),
            (None, None) => Standstill::Hung(format!("no visit is under way, and the store has been busy for {still}")),
        };
        if let Standstill::Hung(why) = &standstill {
            counts.stalled = Some(why.clone());
        }
        Some(standstill)
    }

    /// The run is over.
    pub(crate) fn end(&self) {
        let mut counts = self.counts();
        (counts.is_running, counts.stalled, counts.waiting) = (false, None, None);
        counts.in_hand.clear();
    }

    pub(crate) fn add_folding(&self, folding: Folding) {
        let Folding { updated, refreshed, deleted, .. } = folding;
        if updated + refreshed + deleted > 0 {
            self.tell(&Happening::Folded { updated, refreshed, deleted });
        }
        let mut counts = self.counts();
        counts.moved = Instant::now();
        counts.report.updated += folding.updated;
        counts.report.refreshed += folding.refreshed;
        counts.report.deleted += folding.deleted;
    }

    /// What the run has come to up to now; after its end, what it came to.
    pub(crate) fn so_far(&self) -> Report {
        self.counts().report.clone()
    }

    /// The report at the end of a run, with what each configured root node holds now.
    pub(crate) fn report(&self, ended: UnixTime, holdings: Vec<(String, Holding, Option<String>)>) -> Report {
        let mut report = self.counts().report.clone();
        report.ended = ended.0;
        report.peak_memory = peak_memory();
        for (root, holding, nothing_because) in holdings {
            let root = report.roots.entry(root).or_default();
            root.records = holding.records;
            root.urls = holding.urls;
            root.nothing_because = nothing_because.filter(|_| holding.records == 0);
        }
        for root in report.roots.values_mut() {
            root.trouble = root.trouble.take().filter(|_| root.failed == root.visited);
        }
        report
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Where nobody was visited this time, what was wrong is still wrong.
    pub(crate) fn recall_troubles(&self, report: &mut Report) -> Result<(), Failure> {
        let Some(before) = self.store.reports(None, 1)?.into_iter().next() else { return Ok(()) };
        for (name, root) in report.roots.iter_mut().filter(|(_, root)| root.visited == 0) {
            root.trouble = before.roots.get(name).and_then(|root| root.trouble.clone());
        }
        Ok(())
    }

    /// What each configured root node holds, and for one that might hold nothing, what became of its start.
    pub(crate) fn holdings(
        &self,
        options: &RunOptions,
    ) -> Result<Vec<(String, gatherer_store::Holding, Option<String>)>, Failure> {
        let mut holdings = Vec::new();
        for root in self.roots.all() {
            let node = &root.node;
            let mut because = None;
            for url in node.start.iter().chain(&node.leaves).chain(&node.sitemaps).take(1) {
                let entry = root.form.apply(url.clone()).ok().map(|url| self.store.entry(&url)).transpose()?.flatten();
                let fate = entry.and_then(|entry| entry.fates.last().map(|fate| fate.outcome.to_string()));
                because = Some(format!("{url}: {}", fate.as_deref().unwrap_or("not visited yet")));
            }
            let because =
                because.unwrap_or_else(|| "its enumeration program named nothing that could be gathered".to_owned());
            let holding = self.store.holding(&node.name);
            // What its program has named in nine fields counts for it.
            let heirs = self.store.holdings();
            let has_heirs = heirs.iter().any(|(name, heir)| heir.records > 0 && parent_name(name) == Some(&node.name));
            // Whoever was not meant to be visited yet need not have given anything.
            let waits = node.schedule.is_some() && options.keeps_schedule() && holding.urls == 0;
            let owes = !has_heirs && !waits && options.wants(&node.name);
            holdings.push((node.name.clone(), holding, Some(because).filter(|_| owes)));
        }
        Ok(holdings)
    }
}

impl Counts {
    /// A visit is over, or put off.
    fn end(&mut self, url: &url::Url) {
        self.in_hand.retain(|(known, _)| known != url.as_str());
        self.moved = Instant::now();
    }
}

/// Hosts that a report tells of one by one.
const HOSTS: usize = 10_000;

fn host<'a>(report: &'a mut Report, name: &str) -> Option<&'a mut HostReport> {
    let has_room = report.hosts.len() < HOSTS || report.hosts.contains_key(name);
    has_room.then(|| report.hosts.entry(name.to_owned()).or_default())
}

pub(crate) fn held(held: Held) -> HeldReport {
    HeldReport { root: held.root, deletions: held.deletions, records: held.records, example: held.example }
}

pub(crate) fn plugin(deeds: Deeds) -> PluginReport {
    PluginReport {
        name: deeds.label,
        asked: deeds.asked,
        refused: deeds.refused,
        failed: deeds.failed,
        milliseconds: u64::try_from(deeds.time.as_millis()).unwrap_or(u64::MAX),
        set_aside: deeds.aside,
    }
}

/// The most memory this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok());
    Some(peak? * 1_024)
}
