//! What a look at the whole store has found.

use std::path::Path;

/// Findings that are told one by one in each part; of the rest there is a count.
const TOLD: usize = 50;

/// What is in a store, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// Records.
    pub records: u64,
    /// URLs in the ledger.
    pub urls: u64,
    /// Places in queues.
    pub queued: u64,
    /// Bodies kept.
    pub bodies: u64,
    /// Changes in the log.
    pub changes: u64,
    /// Values read, all in all.
    pub values: u64,
    /// What is wrong, up to fifty a part.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub untold: u64,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// In which part of the store.
    pub part: &'static str,
    /// What, with its culprit.
    pub what: String,
    /// The next step.
    pub next: &'static str,
    /// Whether bytes are not what was written, and not only apart from others.
    pub is_damage: bool,
}

/// Bytes on the disk are not what was written.
pub(super) const DAMAGED: &str =
    "restore a backup (`gatherer store restore`), or save what can be saved: `gatherer store repair`";
/// Parts do not fit together.
pub(super) const APART: &str = "stop the gatherer and run `gatherer store repair`, which puts the parts in step again";

/// What was never waited for is lost.
const CUT_SHORT: &str = "nothing that brokers were told of is missing; the next run does again what is";

impl Inspection {
    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.findings.is_empty()
    }

    /// How much is wrong, all in all.
    pub fn count(&self) -> u64 {
        self.findings.len() as u64 + self.untold
    }

    pub(super) fn damaged(&mut self, part: &'static str, what: String) {
        self.note(part, what, DAMAGED);
    }

    pub(super) fn apart(&mut self, part: &'static str, what: String) {
        self.note(part, what, APART);
    }

    /// The log of writes ends before its end.
    pub(super) fn cut_short(&mut self, what: String) {
        let is_worse = self.findings.iter().any(|finding| finding.is_damage);
        self.note("log of writes", what, if is_worse { DAMAGED } else { CUT_SHORT });
    }

    fn note(&mut self, part: &'static str, what: String, next: &'static str) {
        let told = self.findings.iter().filter(|finding| finding.part == part).count();
        if told < TOLD {
            self.findings.push(Finding { part, what, next, is_damage: next == DAMAGED });
        } else {
            self.untold += 1;
        }
    }

    /// Files are told by the names that the operator knows.
    pub(super) fn rename(&mut self, held: &Path, shown: &Path) {
        let (held, shown) = (held.display().to_string(), shown.display().to_string());
        self.findings.iter_mut().for_each(|finding| finding.what = finding.what.replace(&held, &shown));
    }
}
