//! What the run that is going on has come to.

use gatherer_fold::Held;
use gatherer_pipeline::report::{Aside, HeldReport, PluginReport, Report, SourceReport};
use gatherer_pipeline::{Candidate, Departure, Outcome, UnixTime};
use gatherer_plugin::Deeds;
use gatherer_store::{Folding, Holding, Run};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

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
