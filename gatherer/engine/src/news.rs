//! What of a document worked over is news for the store, and for brokers.

use crate::Engine;
use crate::nest::{Inside, Made, Member};
use gatherer_pipeline::{Candidate, Departure, Outcome, Summary, Unchanged, Vote};
use gatherer_store::{Opened, Reading, Record, Within};

/// What was made anew, and came to the same.
pub(crate) const SAME: Outcome = Outcome::Left(Departure::Unchanged(Unchanged::EqualDigest));

impl Engine {
    /// Whether a record is there already, word for word, of the same bytes. A store that cannot tell has another one.
    pub(crate) fn is_there(&self, made: &Record) -> bool {
        let entry = self.store.entry(&made.head.origin).ok().flatten();
        let is_of_these_bytes = entry.is_some_and(|entry| entry.md5 == Some(made.head.md5) && entry.expires.is_some());
        let known = is_of_these_bytes.then(|| self.store.view().record(&made.head.url).ok().flatten()).flatten();
        known.is_some_and(|known| made.says_the_same_as(&known))
    }

    /// What was found inside of a resource, as the store takes it.
    pub(crate) fn opened(&self, candidate: &Candidate, Inside { members, is_opened, troubles }: Inside) -> Opened {
        let reading = match (is_opened, troubles.is_empty()) {
            (true, true) => Reading::Whole,
            (_, false) => Reading::Partial,
            (false, true) => Reading::None,
        };
        let within = |Member { url, fate }: Member| {
            let (outcome, record) = match fate {
                Ok(made) => {
                    let Made { summary, votes, by, refused, .. } = *made;
                    let made_with = (!refused).then(|| self.desk().mark(summary.kind().name()));
                    let record = Record::new(&summary, &url, candidate.root());
                    if refused && self.is_there(&record) {
                        (SAME, None)
                    } else {
                        (stored(&summary, &votes, &by), Some((record, made_with)))
                    }
                }
                Err(departure) => (Outcome::Left(departure), None),
            };
            self.progress.count_member(&url, &outcome);
            Within { url, outcome, record }
        };
        Opened { members: members.into_iter().map(within).collect(), reading }
    }
}

/// How a visit ends that brings a record.
pub(crate) fn stored(summary: &Summary, votes: &[Vote], by: &str) -> Outcome {
    Outcome::Stored {
        kind: summary.kind().to_string(),
        votes: votes.iter().map(ToString::to_string).collect(),
        summarizer: by.to_owned(),
    }
}
