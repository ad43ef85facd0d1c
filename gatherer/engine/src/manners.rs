//! Pauses and troubles of hosts, as they are kept between visits, runs and processes.

use crate::gather::Learnt;
use crate::{Engine, Stop};
use gatherer_fetch::Pace;
use gatherer_pipeline::{Access, Candidate, Failure, HostNews, HostState, host_name, server_name};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Hosts whose troubles are in memory at once; the store has them all.
const REMEMBERED: usize = 50_000;

/// Hosts in trouble, as the store has them.
#[derive(Default)]
pub(crate) struct Troubles(Mutex<HashMap<String, HostState>>);

impl Troubles {
    fn map(&self) -> MutexGuard<'_, HashMap<String, HostState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// A host's troubles.
    pub(crate) fn host_state(&self, host: &str) -> Result<HostState, Failure> {
        if let Some(state) = self.troubles.map().get(host) {
            return Ok(state.clone());
        }
        let state = self.store.host_state(host)?;
        let mut map = self.troubles.map();
        if map.len() >= REMEMBERED {
            map.clear();
        }
        map.insert(host.to_owned(), state.clone());
        Ok(state)
    }

    /// A person wants everything tried again: only what hosts have asked for themselves still counts.
    pub(crate) fn forgive(&self, host: &str) -> Result<HostState, Failure> {
        let state = self.host_state(host)?;
        if state.asked || state == HostState::default() {
            return Ok(state);
        }
        let state = HostState { rests_until: 0, ..state };
        self.troubles.map().insert(host.to_owned(), state.clone());
        Ok(state)
    }

    /// Takes in what a visit says of its host; gives what is to be written down, if anything has changed.
    pub(crate) fn hear_of_host(
        &self,
        host: &str,
        news: HostNews,
        reason: &str,
    ) -> Result<Option<(String, HostState)>, Failure> {
        let before = self.host_state(host)?;
        let mut state = before.clone();
        state.meet(news, reason, self.clock.now_millis(), self.patience().retry, fastrand::u32(0..=1_000));
        if state == before {
            return Ok(None);
        }
        self.troubles.map().insert(host.to_owned(), state.clone());
        Ok(Some((host.to_owned(), state)))
    }

    /// A visit has brought an answer, if anybody was asked.
    pub(crate) fn hear_answer(
        &self,
        candidate: &Candidate,
        learnt: &Learnt,
    ) -> Result<Option<(String, HostState)>, Failure> {
        let news = if learnt.doors.is_empty() { HostNews::Nothing } else { HostNews::Answered };
        self.hear_of_host(&server_name(candidate.url()), news, "")
    }

    /// How fast a candidate's host may be asked: as the operator or as the site itself wants it, whoever wants less.
    pub(crate) fn pace(&self, candidate: &Candidate) -> Pace {
        let Ok(root) = self.root(candidate) else {
            return Pace { delay: Duration::ZERO, shared: Duration::ZERO, lines: 1 };
        };
        if Access::of(candidate.url()) == Some(Access::File) {
            return Pace { delay: Duration::ZERO, shared: Duration::ZERO, lines: root.node.connections };
        }
        let asked = self.robots.delay(candidate.url());
        let lines = if asked.is_zero() { root.node.connections } else { 1 };
        Pace { delay: root.node.delay.max(asked), shared: root.node.delay, lines }
    }

    /// The doors that a request for this candidate has to pass: its host's and, if names share addresses, its
    /// address's. A door that this process has not used yet is kept shut for as long as an earlier process knew it had
    /// to be.
    pub(crate) async fn doors(&self, candidate: &Candidate, learnt: &mut Learnt) -> Result<Vec<String>, Stop> {
        let doors = match self.fetcher.doors(candidate.url(), candidate.root()).await {
            Ok(doors) => doors,
            Err(departure) => {
                // A name that leads nowhere is news of its host, too.
                learnt.doors = vec![host_name(candidate.url()).to_owned()];
                return Err(departure.into());
            }
        };
        let gate = self.fetcher.gate();
        for door in doors.iter().filter(|door| !gate.knows(door)) {
            let wait = self.wait_from_before(door, candidate)?;
            if !wait.is_zero() {
                gate.hold(door, wait);
            }
        }
        Ok(doors)
    }

    fn wait_from_before(&self, door: &str, candidate: &Candidate) -> Result<Duration, Failure> {
        let delay = self.pace(candidate).delay;
        if delay.is_zero() {
            return Ok(delay);
        }
        // A process that died may have asked anybody a moment ago.
        if self.progress.is_resumed() {
            return Ok(delay);
        }
        let next = self.store.next_access(door)?.unwrap_or(0);
        // A clock that was set back makes no pause longer than it is.
        Ok(Duration::from_millis(next.saturating_sub(self.clock.now_millis())).min(delay))
    }

    /// Who was asked, and when each may be asked again.
    pub(crate) fn asked(&self, candidate: &Candidate, learnt: &Learnt) -> Vec<(String, u64)> {
        let delay = self.pace(candidate).delay;
        if delay.is_zero() || Access::of(candidate.url()) == Some(Access::File) {
            return Vec::new();
        }
        let next = self.clock.now_millis().saturating_add(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        learnt.doors.iter().map(|door| (door.clone(), next)).collect()
    }
}
