//! What a run did, for people and for machines. The store keeps the last ones, so they read what older releases wrote.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A count with a few examples, so that every number can be looked into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first few different ones, with their reasons.
    pub examples: Vec<String>,
}

impl Tally {
    const EXAMPLES: usize = 3;

    /// Counts one; the example is made only while examples are wanted.
    pub fn add(&mut self, example: impl FnOnce() -> String) {
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RootReport {
    /// Resources visited in this run,
    pub visited: u64,
    /// and visits that brought nothing because of trouble at its hosts.
    pub failed: u64,
    /// What is wrong at its hosts if all its visits failed, the last time there were some.
    pub trouble: Option<String>,
    /// Records in production after it.
    pub records: u64,
    /// URLs known and alive after it.
    pub urls: u64,
    /// Why it gave nothing, if it has no record at all.
    pub nothing_because: Option<String>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The run's number.
    pub run: u64,
    /// Whether it went on with a run that had been cut short.
    pub resumed: bool,
    /// Whether it was asked to stop before its end; the next run goes on from there.
    pub interrupted: bool,
    /// Why it stopped by itself before its end; the next run goes on from there when that is mended.
    pub stopped_because: Option<String>,
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
    /// Records whose resources were not there, or have moved, which is not confirmed yet. A reference that leads nowhere, and
    /// never led anywhere, is no record in danger.
    pub endangered: Tally,
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
    /// By host; of very many, those met first.
    pub hosts: BTreeMap<String, HostReport>,
    /// By summarizer.
    pub summarizers: BTreeMap<String, SummarizerReport>,
    /// Most memory that the process had resident, in bytes; nothing where the system does not say.
    pub peak_memory: Option<u64>,
    /// What plugins have done.
    pub plugins: Vec<PluginReport>,
    /// What parsers have done.
    pub parsers: BTreeMap<String, ParserReport>,
    /// Things that someone should look at.
    pub warnings: Vec<String>,
    /// Unix time at which the next resource is due.
    pub next_due: Option<u64>,
}

impl Report {
    /// Most hosts of a report that is kept, and most of each list of things to look at.
    const KEPT: usize = 100;
    /// Most bytes of one example that is kept.
    const KEPT_TEXT: usize = 2_000;

    /// Whether there was nothing to do, and nothing to say of it.
    pub fn is_idle(&self) -> bool {
        let nothing_done = self.visited + self.updated + self.refreshed + self.deleted == 0;
        let is_source_idle = |source: &SourceReport| source.taken + source.renewed + source.gone == 0;
        let nothing_taken = self.sources.values().all(|one| is_source_idle(one) && one.trouble.is_none());
        nothing_done && nothing_taken && self.held.is_empty() && self.warnings.is_empty() && !self.interrupted
    }

    /// The report as it is kept for later: of hosts those that failed, that took long and that had most visits; of long
    /// lists their beginning.
    #[must_use]
    pub fn for_keeping(mut self) -> Self {
        let mut hosts: Vec<_> = std::mem::take(&mut self.hosts).into_iter().collect();
        let ranks: [fn(&HostReport) -> u64; 3] = [|host| host.visited, |host| host.milliseconds, |host| host.failed];
        for rank in ranks {
            // Each sorting keeps the order of the one before among equals.
            hosts.sort_by_key(|(_, host)| std::cmp::Reverse(rank(host)));
        }
        self.hosts = hosts.into_iter().take(Self::KEPT).collect();
        while self.set_aside.len() > Self::KEPT {
            self.set_aside.pop_last();
        }
        self.traps.truncate(Self::KEPT);
        self.held.truncate(Self::KEPT);
        self.warnings.truncate(Self::KEPT);
        let tallies = [&mut self.outcomes, &mut self.members, &mut self.refused];
        for tally in tallies.into_iter().flat_map(BTreeMap::values_mut).chain([&mut self.endangered]) {
            tally.examples.iter_mut().for_each(cut);
        }
        self.warnings.iter_mut().for_each(cut);
        self
    }
}

fn cut(text: &mut String) {
    if text.len() > Report::KEPT_TEXT {
        let end = (0..=Report::KEPT_TEXT).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
}

/// What one plugin has done in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Why a host is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    /// What it did.
    pub reason: String,
    /// Unix time until which it is left alone.
    pub until: u64,
}

/// Deletions held back under one root node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// What a run had to do with one host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostReport {
    /// Visits made there,
    pub visited: u64,
    /// and those that brought nothing because of trouble there.
    pub failed: u64,
    /// Bytes of bodies read.
    pub bytes: u64,
    /// Time its answers took, all of them together.
    pub milliseconds: u64,
}

/// How long one summarizer took in a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SummarizerReport {
    /// Documents it had,
    pub documents: u64,
    /// and the time it took over all of them.
    pub microseconds: u64,
}

/// What was taken over from one source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceReport {
    /// Records taken over.
    pub taken: u64,
    /// Renewed.
    pub renewed: u64,
    /// Put down for deletion.
    pub gone: u64,
    /// Left, because they are ours or another source's.
    pub left: u64,
    /// Not understood, or damaged on the way.
    pub strange: u64,
    /// Deletions that the brake holds back.
    pub held: u64,
    /// Why nothing, or not everything, came.
    pub trouble: Option<String>,
}

/// What one parser has done in a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParserReport {
    /// Abstracts made, those that say nothing among them.
    pub made: u64,
    /// Abstracts that say nothing.
    pub empty: u64,
    /// Abstracts known from before.
    pub known: u64,
    /// Documents that were not for it.
    pub not_for_it: u64,
    /// Documents that get theirs later.
    pub later: u64,
    /// Facts that were not believed, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Time it took over all of them.
    pub milliseconds: u64,
    /// Why a document got none; if some get theirs later, why the last of them.
    pub trouble: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_small_and_the_worst_of_it() {
        let host = |number: u64| {
            let failed = u64::from(number == 777);
            (format!("h{number:04}"), HostReport { visited: number, failed, ..HostReport::default() })
        };
        let mut report = Report { hosts: (0..1_000).map(host).collect(), ..Report::default() };
        let tally = report.outcomes.entry("missing".to_owned()).or_default();
        tally.add(|| format!("http://a/{}: \u{e4}", "\u{e4}".repeat(5_000)));
        report.warnings = vec!["look".to_owned(); 500];
        let kept = report.for_keeping();
        assert_eq!((kept.hosts.len(), kept.warnings.len()), (100, 100));
        assert!(kept.hosts.contains_key("h0777") && kept.hosts.contains_key("h0999"));
        assert!(kept.outcomes["missing"].examples[0].len() < 2_010);
    }

    #[test]
    fn a_run_without_anything_to_do_is_idle() {
        assert!(Report { run: 7, started: 1, ended: 2, ..Report::default() }.is_idle());
        assert!(!Report { visited: 1, ..Report::default() }.is_idle());
        assert!(!Report { warnings: vec!["look".to_owned()], ..Report::default() }.is_idle());
        let trouble = SourceReport { trouble: Some("down".to_owned()), ..SourceReport::default() };
        assert!(!Report { sources: [("a".to_owned(), trouble)].into(), ..Report::default() }.is_idle());
    }
}
