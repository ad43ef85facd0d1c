//! What the present run has still to visit, queued on disk by host. Only the heads of queues are ever in memory.

use crate::disk::{Batch, Family};
use crate::{Store, StoreError, keys};
use gatherer_pipeline::Candidate;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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

/// Where each host's queue begins by now. Behind that lie only the remains of what was visited, and reading over them
/// again and again would make a long run slower and slower.
#[derive(Default)]
pub(crate) struct Heads(Mutex<HashMap<String, Head>>);

#[derive(Default, Clone, PartialEq, Eq)]
struct Head {
    /// First place that may be taken.
    place: Ticket,
    /// How often something was queued here: who has looked before that does not know.
    queued: u64,
}

impl Heads {
    fn get(&self, host: &str) -> Head {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned().unwrap_or_default()
    }

    /// A look from `seen` on found `place` to be the first.
    fn advance(&self, host: &str, seen: &Head, place: &[u8]) {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let head = heads.entry(host.to_owned()).or_default();
        if *head == *seen {
            head.place = place.to_vec();
        }
    }

    /// These places are taken from now on.
    fn queued(&self, places: Vec<Ticket>) {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for place in places {
            let head = heads.entry(keys::host_of(&place).to_owned()).or_default();
            head.queued += 1;
            if place < head.place {
                head.place = place;
            }
        }
    }
}

impl Store {
    /// Writes a batch and makes known what it has queued.
    pub(crate) fn commit_queued(&self, mut batch: Batch<'_>) -> Result<(), StoreError> {
        let places = std::mem::take(&mut batch.queued);
        batch.commit()?;
        self.heads.queued(places);
        Ok(())
    }

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

    /// The first of a host's queue. It stays the first until its visit is finished.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_of(&self, host: &str) -> Result<Option<Work>, StoreError> {
        let queue = keys::queue(host);
        let head = self.heads.get(host);
        let mut queue = self.disk.scan(Family::Frontier, (&head.place).max(&queue), &keys::behind(&queue));
        let Some((ticket, candidate)) = queue.next().transpose()? else { return Ok(None) };
        self.heads.advance(host, &head, &ticket);
        let candidate = self.disk.decode(Family::Frontier, &candidate)?;
        Ok(Some(Work { ticket: ticket.into_vec(), candidate }))
    }

    /// How many candidates are queued.
    ///
    /// # Errors
    /// When the store fails.
    pub fn queued(&self) -> Result<u64, StoreError> {
        self.disk.scan(Family::Frontier, &[], &[]).try_fold(0, |count, pair| pair.map(|_| count + 1))
    }
}
