//! What the present run has still to visit, queued on disk by host. Only the heads of queues are ever in memory.

use crate::disk::Family;
use crate::{Store, StoreError, keys};
use gatherer_pipeline::Candidate;
use std::collections::HashSet;

/// A place in a queue. It is given up in the same batch that writes down how the visit ended, so a run that dies
/// in between visits the resource again.
pub type Ticket = Vec<u8>;

/// A candidate at the head of its host's queue.
#[derive(Debug, Clone)]
pub struct Work {
    /// Its place.
    pub ticket: Ticket,
    /// What to visit.
    pub candidate: Candidate,
}

impl Store {
    /// The hosts with something queued.
    ///
    /// # Errors
    /// When the store fails.
    pub fn waiting_hosts(&self) -> Result<Vec<String>, StoreError> {
        let mut hosts = Vec::new();
        let mut from = Vec::new();
        while let Some(pair) = self.disk.scan(Family::Frontier, &from, &[]).next() {
            let (key, _) = pair?;
            let host = keys::host_of(&key).to_owned();
            from = keys::behind(&keys::queue(&host));
            hosts.push(host);
        }
        Ok(hosts)
    }

    /// The first of a host's queue that nobody has in hand.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_of(&self, host: &str, in_hand: &HashSet<Ticket>) -> Result<Option<Work>, StoreError> {
        let queue = keys::queue(host);
        for pair in self.disk.scan(Family::Frontier, &queue, &keys::behind(&queue)) {
            let (key, value) = pair?;
            if !in_hand.contains(&*key) {
                let candidate = self.disk.decode(Family::Frontier, &value)?;
                return Ok(Some(Work { ticket: key.into_vec(), candidate }));
            }
        }
        Ok(None)
    }

    /// How many candidates are queued.
    ///
    /// # Errors
    /// When the store fails.
    pub fn queued(&self) -> Result<u64, StoreError> {
        self.disk.scan(Family::Frontier, &[], &[]).try_fold(0, |count, pair| pair.map(|_| count + 1))
    }
}
