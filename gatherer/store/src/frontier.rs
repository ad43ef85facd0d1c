//! What has still to be visited, queued on disk: by host and port, within that by root node, within that by rank. Only where
//! each queue begins is ever in memory.

use crate::disk::{Batch, Family};
use crate::{Store, StoreError, keys};
use gatherer_pipeline::Candidate;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place in a queue. It is given up in the same batch that writes down how the visit ended, so a run that dies
/// in between visits the resource again.
pub type Ticket = Vec<u8>;

/// The part of a host's queue that belongs to one root node. Lanes of a host take turns.
pub type Lane = u32;

/// A candidate at the head of a queue.
#[derive(Debug, Clone)]
pub struct Work {
    /// Its place.
    pub ticket: Ticket,
    /// What to visit.
    pub candidate: Candidate,
}

/// Where queues begin by now. Before that lie only the remains of what was visited, and reading over them again and
/// again would make a long run slower and slower.
#[derive(Default)]
pub(crate) struct Heads(Mutex<HashMap<String, Lanes>>);

#[derive(Default, Clone)]
struct Lanes {
    /// The first place that may be taken, by lane.
    heads: BTreeMap<Lane, Ticket>,
    /// Whose turn it was last.
    last: Option<Lane>,
    /// How often something was queued here: who has looked before that does not know.
    queued: u64,
}

impl Lanes {
    /// The lanes in the order of their turns.
    fn in_turn(&self) -> Vec<(Lane, Ticket)> {
        let is_behind = |(lane, _): &(&Lane, &Ticket)| self.last.is_none_or(|last| **lane > last);
        let (behind, before): (Vec<_>, Vec<_>) = self.heads.iter().partition(is_behind);
        behind.into_iter().chain(before).map(|(lane, head)| (*lane, head.clone())).collect()
    }
}

impl Heads {
    /// Hosts remembered before all are forgotten, which costs one slow look each.
    const REMEMBERED: usize = 100_000;

    fn map(&self) -> MutexGuard<'_, HashMap<String, Lanes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These places are taken from now on. A host that is not in memory will be read from disk when it is asked for.
    fn queued(&self, places: Vec<Ticket>) {
        let mut map = self.map();
        for place in places {
            let Some(lanes) = map.get_mut(keys::host_of(&place)) else { continue };
            lanes.queued += 1;
            let head = lanes.heads.entry(keys::lane_of(&place)).or_insert_with(|| place.clone());
            if place < *head {
                *head = place;
            }
        }
    }
}

impl Store {
    /// Writes a batch and makes known what it has queued.
    pub(crate) fn commit_queued(&self, mut batch: Batch<'_>) -> Result<(), StoreError> {
        let (places, in_hand) = (std::mem::take(&mut batch.queued), std::mem::take(&mut batch.in_hand));
        batch.commit()?;
        self.recent.remember(in_hand);
        self.heads.queued(places);
        Ok(())
    }

    /// Up to `most` hosts with something queued, in order, those behind `after` only.
    ///
    /// # Errors
    /// When the store fails.
    pub fn waiting_hosts(&self, after: Option<&str>, most: usize) -> Result<Vec<String>, StoreError> {
        let mut hosts = Vec::new();
        let mut from = after.map(|host| keys::behind(&keys::queue(host))).unwrap_or_default();
        while hosts.len() < most {
            let Some(pair) = self.disk.scan(Family::Frontier, &from, &[]).next() else { break };
            let host = keys::host_of(&pair?.0).to_owned();
            from = keys::behind(&keys::queue(&host));
            hosts.push(host);
        }
        Ok(hosts)
    }

    /// The first of a host's queue that is not in hand already; root nodes take turns. It keeps its place until its
    /// visit is finished.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_of(&self, host: &str, in_hand: &[Ticket]) -> Result<Option<Work>, StoreError> {
        self.next_wanted(host, in_hand, &|_| true)
    }

    /// The same, of root nodes that are wanted only.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_wanted(
        &self,
        host: &str,
        in_hand: &[Ticket],
        wants: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Work>, StoreError> {
        let lanes = self.lanes(host)?;
        'lanes: for (lane, head) in lanes.in_turn() {
            let end = keys::behind(&keys::lane(host, lane));
            let mut first = None;
            for pair in self.disk.scan(Family::Frontier, &head, &end) {
                let (ticket, candidate) = pair?;
                let ticket = ticket.into_vec();
                // What is in hand may come back to its place, so the queue still begins there.
                first.get_or_insert_with(|| ticket.clone());
                if !in_hand.contains(&ticket) {
                    let candidate: Candidate = self.disk.decode(Family::Frontier, &candidate)?;
                    // All of a lane is of one root node.
                    let is_wanted = wants(candidate.root());
                    self.move_head(host, lane, &lanes, first.take(), is_wanted);
                    if !is_wanted {
                        continue 'lanes;
                    }
                    return Ok(Some(Work { ticket, candidate }));
                }
            }
            self.move_head(host, lane, &lanes, first, false);
        }
        Ok(None)
    }

    /// The lane that has its turn next at a host, as far as that is in memory.
    pub fn next_lane(&self, host: &str) -> Option<Lane> {
        self.heads.map().get(host).and_then(|lanes| lanes.in_turn().first().map(|(lane, _)| *lane))
    }

    /// How many candidates are queued for a host, counted no further than `most`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn queued_at(&self, host: &str, most: usize) -> Result<u64, StoreError> {
        let queue = keys::queue(host);
        let mut count = 0;
        for pair in self.disk.scan(Family::Frontier, &queue, &keys::behind(&queue)).take(most) {
            pair?;
            count += 1;
        }
        Ok(count)
    }

    /// What stands first in a host's queue, whoever's turn it is.
    ///
    /// # Errors
    /// When the store fails.
    pub fn first_queued(&self, host: &str) -> Result<Option<Candidate>, StoreError> {
        let queue = keys::queue(host);
        let first = self.disk.scan(Family::Frontier, &queue, &keys::behind(&queue)).next().transpose()?;
        first.map(|(_, candidate)| self.disk.decode(Family::Frontier, &candidate)).transpose()
    }

    /// How many candidates are queued, about.
    pub fn queued(&self) -> u64 {
        self.disk.about(Family::Frontier)
    }

    /// A host's lanes: from memory, or by a look at each on disk.
    fn lanes(&self, host: &str) -> Result<Lanes, StoreError> {
        if let Some(lanes) = self.heads.map().get(host) {
            return Ok(lanes.clone());
        }
        let mut lanes = Lanes::default();
        let (mut from, end) = (keys::queue(host), keys::behind(&keys::queue(host)));
        // Present before the look, so that what is queued meanwhile is not missed.
        self.remember(host, lanes.clone());
        while let Some(pair) = self.disk.scan(Family::Frontier, &from, &end).next() {
            let ticket = pair?.0.into_vec();
            let lane = keys::lane_of(&ticket);
            from = keys::behind(&keys::lane(host, lane));
            lanes.heads.insert(lane, ticket);
        }
        let mut map = self.heads.map();
        let known = map.entry(host.to_owned()).or_default();
        for (lane, head) in lanes.heads {
            let place = known.heads.entry(lane).or_insert_with(|| head.clone());
            if head < *place {
                *place = head;
            }
        }
        Ok(known.clone())
    }

    fn remember(&self, host: &str, lanes: Lanes) {
        let mut map = self.heads.map();
        if map.len() >= Heads::REMEMBERED {
            map.clear();
        }
        map.insert(host.to_owned(), lanes);
    }

    /// A look at a lane found it to begin at `first`, or to be empty. If something was queued meanwhile, the look knows
    /// too little to say.
    fn move_head(&self, host: &str, lane: Lane, seen: &Lanes, first: Option<Ticket>, had_its_turn: bool) {
        let mut map = self.heads.map();
        let Some(lanes) = map.get_mut(host) else { return };
        if had_its_turn {
            lanes.last = Some(lane);
        }
        if lanes.queued == seen.queued {
            match first {
                Some(first) => drop(lanes.heads.insert(lane, first)),
                None => drop(lanes.heads.remove(&lane)),
            }
        }
        if lanes.heads.is_empty() {
            map.remove(host);
        }
    }
}
