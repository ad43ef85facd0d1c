//! What a run did, for people and for machines.

use crate::{ParserReport, SourceReport};
use gatherer_fold::Held;
use gatherer_pipeline::{Candidate, Departure, Outcome, UnixTime};
use gatherer_plugin::Deeds;
use gatherer_store::{Folding, Holding, Run};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// A count with a few examples, so that every number can be looked into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first few different ones, with their reasons.
    pub examples: Vec<String>,
}

impl Tally {
    const EXAMPLES: usize = 3;

    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < Self::EXAMPLES {
            let example = example();
            if !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }
}

/// What a run did under one root node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RootReport {
    /// Resources visited in this run.
    pub visited: u64,
    /// Records in production after it.
    pub records: u64,
    /// URLs known and alive after it.
    pub urls: u64,
    /// Why it gave nothing, if it has no record at all.
    pub nothing_because: Option<String>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// The run's number.
    pub run: u64,
    /// Whether it went on with a run that had been cut short.
    pub resumed: bool,
    /// Whether it was asked to stop before its end; the next run goes on from there.
    pub interrupted: bool,
    /// Unix time of its beginning
    pub started: u64,
    /// and of its end.
    pub ended: u64,
    /// Resources visited.
    pub visited: u64,
    /// Records written to production.
    pub updated: u64,
    /// Records renewed because nothing had changed.
    pub refreshed: u64,
    /// Records deleted.
    pub deleted: u64,
    /// Bytes of bodies read.
    pub bytes: u64,
    /// Visits by how they ended.
    pub outcomes: BTreeMap<String, Tally>,
    /// What was found inside of resources, by what became of it.
    pub members: BTreeMap<String, Tally>,
    /// References not taken up, by reason.
    pub refused: BTreeMap<String, Tally>,
    /// Records written, by kind.
    pub kinds: BTreeMap<String, u64>,
    /// By root node.
    pub roots: BTreeMap<String, RootReport>,
    /// What was taken over from other gatherers.
    pub sources: BTreeMap<String, SourceReport>,
    /// Hosts left alone because of their troubles, with something still queued.
    pub set_aside: BTreeMap<String, Aside>,
    /// Patterns of URLs that look endless and are stopped: the host or domain, and what gave them away.
    pub traps: Vec<(String, String)>,
    /// Deletions that the brake held back.
    pub held: Vec<HeldReport>,
    /// What plugins have done.
    pub plugins: Vec<PluginReport>,
    /// What parsers have done.
    pub parsers: BTreeMap<String, ParserReport>,
    /// Things that someone should look at.
    pub warnings: Vec<String>,
    /// Unix time at which the next resource is due.
    pub next_due: Option<u64>,
}

/// What one plugin has done in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginReport {
    /// Name and version.
    pub name: String,
    /// Questions.
    pub asked: u64,
    /// Documents that were not for it.
    pub refused: u64,
    /// Questions over which it failed.
    pub failed: u64,
    /// Time it took over all of them.
    pub milliseconds: u64,
    /// Why it was set aside, if it was.
    pub set_aside: Option<String>,
}

impl From<Deeds> for PluginReport {
    fn from(deeds: Deeds) -> Self {
        Self {
            name: deeds.label,
            asked: deeds.asked,
            refused: deeds.refused,
            failed: deeds.failed,
            milliseconds: u64::try_from(deeds.time.as_millis()).unwrap_or(u64::MAX),
            set_aside: deeds.aside,
        }
    }
}

/// Why a host is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Aside {
    /// What it did.
    pub reason: String,
    /// Unix time until which it is left alone.
    pub until: u64,
}

/// Deletions held back under one root node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldReport {
    /// The root node.
    pub root: String,
    /// Deletions held.
    pub deletions: u64,
    /// Records it has.
    pub records: u64,
    /// One of them, with its reason.
    pub example: String,
}

impl From<Held> for HeldReport {
    fn from(held: Held) -> Self {
        Self { root: held.root, deletions: held.deletions, records: held.records, example: held.example }
    }
}

/// Counts of the run that is going on. Cheap to look at from elsewhere.
#[derive(Default)]
pub struct Progress {
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    report: Report,
    queued: u64,
    /// Visits under way, the oldest first.
    in_hand: Vec<String>,
    /// Nothing is under way until then, because every host wants its pause.
    waiting: Option<Instant>,
}

impl Progress {
    /// Visits made, candidates still queued, and what is being waited for.
    pub fn now(&self) -> (u64, u64, String) {
        let counts = self.counts();
        let pause = counts.waiting.map(|until| until.saturating_duration_since(Instant::now()).as_secs());
        let doing = match (pause, counts.in_hand.first()) {
            (Some(seconds), _) if seconds > 0 => format!("pausing between requests, {seconds} s left"),
            (_, Some(url)) => url.clone(),
            _ => String::new(),
        };
        (counts.report.visited, counts.queued, doing)
    }

    pub(crate) fn start(&self, url: &url::Url) {
        self.counts().in_hand.push(url.to_string());
    }

    pub(crate) fn wait(&self, until: Option<Instant>) {
        self.counts().waiting = until;
    }

    pub(crate) fn begin(&self, run: &Run, resumed: bool, queued: u64) {
        let report = Report { run: run.number, resumed, started: run.started.0, ..Report::default() };
        *self.counts() = Counts { report, queued, ..Counts::default() };
    }

    pub(crate) fn count(&self, candidate: &Candidate, outcome: &Outcome) {
        let mut counts = self.counts();
        counts.queued = counts.queued.saturating_sub(1);
        counts.in_hand.retain(|url| url != candidate.url().as_str());
        let report = &mut counts.report;
        report.visited += 1;
        report.roots.entry(candidate.root().to_owned()).or_default().visited += 1;
        let tally = report.outcomes.entry(outcome.code().to_owned()).or_default();
        tally.add(|| format!("{}: {outcome}", candidate.url()));
        if let Outcome::Stored { kind, .. } = outcome {
            *report.kinds.entry(kind.clone()).or_default() += 1;
        }
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
        self.counts().in_hand.retain(|known| known != url.as_str());
    }

    pub(crate) fn set_aside(&self, host: &str, reason: String, until: u64) {
        self.counts().report.set_aside.insert(host.to_owned(), Aside { reason, until });
    }

    /// Whether this run goes on with one that was cut short.
    pub(crate) fn is_resumed(&self) -> bool {
        self.counts().report.resumed
    }

    pub(crate) fn warn(&self, warning: String) {
        self.counts().report.warnings.push(warning);
    }

    pub(crate) fn collected(&self, source: &str, report: SourceReport) {
        self.counts().report.sources.insert(source.to_owned(), report);
    }

    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.counts().report.bytes += bytes as u64;
    }

    pub(crate) fn add_queued(&self, queued: usize) {
        self.counts().queued += queued as u64;
    }

    pub(crate) fn add_folding(&self, folding: Folding) {
        let mut counts = self.counts();
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
        for (root, holding, nothing_because) in holdings {
            let root = report.roots.entry(root).or_default();
            root.records = holding.records;
            root.urls = holding.urls;
            root.nothing_because = nothing_because.filter(|_| holding.records == 0);
        }
        report
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
