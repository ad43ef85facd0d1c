//! Records whose pages are not there any more, told apart from links that lead nowhere and never led anywhere.

use crate::Engine;
use gatherer_pipeline::life::Event;
use gatherer_pipeline::{Candidate, Failure, Outcome};

impl Engine {
    /// Counts a visit that brought nothing, and the record that may be lost by it.
    pub(crate) fn count_loss(&self, candidate: &Candidate, outcome: &Outcome) -> Result<(), Failure> {
        self.progress.count(candidate, outcome);
        if outcome.event() == Event::Missing {
            let entry = self.store.entry(candidate.url())?;
            if entry.is_some_and(|entry| entry.expires.is_some()) {
                self.progress.endanger(candidate, outcome);
            }
        }
        Ok(())
    }
}
