//! Records whose pages are not there any more, or cannot be had until their lives end, told apart from links that lead nowhere and
//! never led anywhere.

use crate::Engine;
use gatherer_pipeline::life::Event;
use gatherer_pipeline::{Candidate, Failure, Outcome};

/// Trouble is told when a record's life ends before so many more visits.
const LAST_VISITS: u32 = 2;

impl Engine {
    /// Counts a visit that brought nothing, and the record that may be lost by it.
    pub(crate) fn count_loss(&self, candidate: &Candidate, outcome: &Outcome) -> Result<(), Failure> {
        self.progress.count(candidate, outcome);
        if !matches!(outcome.event(), Event::Missing | Event::Failed) {
            return Ok(());
        }
        let Some(entry) = self.store.entry(candidate.url())? else { return Ok(()) };
        let Some(end) = entry.expires else { return Ok(()) };
        let visits = self.roots.get(&entry.root).map(|root| entry.pace(root.times()) * LAST_VISITS);
        if outcome.event() == Event::Missing {
            self.progress.endanger(candidate, outcome);
        } else if visits.is_some_and(|visits| end.since(self.clock.now()) < visits) {
            let reason = format!("its record's life ends on {}; {outcome}", end.moment());
            self.progress.endanger(candidate, reason);
        }
        Ok(())
    }
}
