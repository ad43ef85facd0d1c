//! What a visit leaves behind.

use crate::{KeptBody, Opened, Record, Terms};
use gatherer_pipeline::ledger::Fate;
use gatherer_pipeline::schedule::Schedule;
use gatherer_pipeline::{Candidate, HostState, Md5, Times, Validators};

/// A visit that is over: everything it leaves behind, written in one batch.
pub struct Visit<'a> {
    /// What was visited.
    pub candidate: &'a Candidate,
    /// How it ended.
    pub fate: Fate,
    /// The root node's spans for the record and the next visit,
    pub times: Times,
    /// and the moments that it keeps to.
    pub schedule: Option<&'a Schedule>,
    /// What the server wants to hear at the next visit, if it said.
    pub validators: Option<Validators>,
    /// Digest of a resource that gets no record, and of how it was read.
    pub seen: Option<(Md5, Md5)>,
    /// The new record, if there is one, and the digest of what it was made with.
    pub record: Option<(Record, Option<Md5>)>,
    /// What is inside of it, if it was opened.
    pub opened: Option<Opened>,
    /// What was fetched, if it is to be kept.
    pub body: Option<&'a KeptBody>,
    /// Whether nobody was asked: the record is made anew of what was kept.
    pub is_remake: bool,
    /// Candidates found, each with the limits of its root node.
    pub found: Vec<(Candidate, Terms)>,
    /// The host and the address asked, and when each may be asked again, in Unix milliseconds.
    pub asked: Vec<(String, u64)>,
    /// Its host's troubles, if they have changed.
    pub host: Option<(String, HostState)>,
}

impl<'a> Visit<'a> {
    /// A visit that leaves its fate behind, and nothing else.
    pub fn new(candidate: &'a Candidate, fate: Fate, times: Times) -> Self {
        Self {
            candidate,
            fate,
            times,
            schedule: None,
            validators: None,
            seen: None,
            record: None,
            opened: None,
            body: None,
            is_remake: false,
            found: Vec::new(),
            asked: Vec::new(),
            host: None,
        }
    }
}
