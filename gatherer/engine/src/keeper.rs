//! What people ask about the gatherer through its HTTP port: what goes on, and why.

use crate::{Engine, span};
use gatherer_pipeline::{Candidate, UnixTime, host_name};
use gatherer_serve::{Now, Waiting};
use gatherer_store::StoreError;
use std::time::Duration;

/// So many hosts with something queued are looked at,
const LOOKED_AT: usize = 500;
/// so many of them are shown,
const SHOWN: usize = 50;
/// and so far is counted what is queued for each.
const COUNTED: usize = 1_000;

impl Engine {
    /// What is going on at this moment.
    pub(crate) fn going_on(&self) -> Now {
        let running = self.progress.running();
        let (_, stalled) = self.progress.state();
        let broken = self.progress.broken().map(|why| format!("the last run broke off: {why}"));
        let mut warnings: Vec<_> = stalled.into_iter().chain(self.lacks_space()).chain(broken).collect();
        let hosts = self.waiting_now(running.is_some()).unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Vec::new()
        });
        Now { time: self.clock.now(), running, plans: self.plans(), hosts, warnings }
    }

    /// Hosts with something queued that have to wait, and what for, the longest wait first; for who watches a run.
    pub fn waits(&self) -> Vec<Waiting> {
        // Who only watches is not told of a store in trouble: the run itself is.
        let mut hosts = self.looked_at(true).unwrap_or_default();
        hosts.retain(|host| host.until.is_some());
        hosts
    }

    /// Hosts with something queued and what each waits for, the longest wait first.
    fn waiting_now(&self, is_running: bool) -> Result<Vec<Waiting>, StoreError> {
        let mut hosts = self.looked_at(is_running)?;
        hosts.truncate(SHOWN);
        for host in &mut hosts {
            host.queued = self.store.queued_at(&host.host, COUNTED)?;
        }
        Ok(hosts)
    }

    fn looked_at(&self, is_running: bool) -> Result<Vec<Waiting>, StoreError> {
        let mut hosts = Vec::new();
        for host in self.store.waiting_hosts(None, LOOKED_AT)? {
            let (because, until) = self.reason_to_wait(&host, is_running)?;
            hosts.push(Waiting { host, queued: 0, because, until });
        }
        hosts.sort_by_key(|host| std::cmp::Reverse(host.until));
        Ok(hosts)
    }

    fn reason_to_wait(&self, host: &str, is_running: bool) -> Result<(String, Option<UnixTime>), StoreError> {
        let now = self.clock.now_millis();
        let state = self.store.host_state(host)?;
        if !state.rest(now).is_zero() {
            return Ok((state.in_words(), Some(UnixTime(state.rests_until.div_ceil(1_000)))));
        }
        let first = self.store.first_queued(host)?;
        if let Some((until, hours)) = first.as_ref().and_then(|first| self.quiet_until(first)) {
            return Ok((format!("quiet hours ({hours})"), Some(until)));
        }
        if let Some((because, left)) = first.map(|first| self.pause_at(&first)).transpose()?.flatten() {
            let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
            return Ok((because, Some(UnixTime(now.saturating_add(left).div_ceil(1_000)))));
        }
        Ok((if is_running { "its turn" } else { "the next run" }.to_owned(), None))
    }

    /// How long the pause between two requests still lasts at a candidate's host, and whose wish that is.
    fn pause_at(&self, candidate: &Candidate) -> Result<Option<(String, Duration)>, StoreError> {
        let (door, pace) = (host_name(candidate.url()).to_owned(), self.pace(candidate));
        let gate = self.fetcher.gate();
        let left = if gate.knows(&door) {
            gate.wait(&[door], pace)
        } else {
            let next = self.store.next_access(&door)?.unwrap_or(0);
            Duration::from_millis(next.saturating_sub(self.clock.now_millis()))
        };
        let because = if pace.delay > pace.shared {
            format!("its Crawl-delay of {}", span(pace.delay))
        } else {
            "its pause between two requests".to_owned()
        };
        Ok((!left.is_zero()).then_some((because, left)))
    }
}
