//! What people ask about the gatherer through its HTTP port: what goes on, and why.

use crate::Engine;
use gatherer_pipeline::{HostState, UnixTime};
use gatherer_serve::{Now, Waiting};
use gatherer_store::StoreError;

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

    /// Hosts with something queued and what each waits for, the longest wait first.
    fn waiting_now(&self, is_running: bool) -> Result<Vec<Waiting>, StoreError> {
        let now = self.clock.now_millis();
        let mut hosts = Vec::new();
        for host in self.store.waiting_hosts(None, LOOKED_AT)? {
            let (because, until) = self.reason_to_wait(&host, now, is_running)?;
            hosts.push(Waiting { host, queued: 0, because, until });
        }
        hosts.sort_by_key(|host| std::cmp::Reverse(host.until));
        hosts.truncate(SHOWN);
        for host in &mut hosts {
            host.queued = self.store.queued_at(&host.host, COUNTED)?;
        }
        Ok(hosts)
    }

    fn reason_to_wait(&self, host: &str, now: u64, is_running: bool) -> Result<(String, Option<UnixTime>), StoreError> {
        let state = self.store.host_state(host)?;
        if !state.rest(now).is_zero() {
            return Ok((trouble(&state), Some(UnixTime(state.rests_until.div_ceil(1_000)))));
        }
        let next = self.store.next_access(host)?.filter(|next| *next > now);
        Ok(match (next, is_running) {
            (Some(next), _) => ("its pause between two requests".to_owned(), Some(UnixTime(next.div_ceil(1_000)))),
            (None, true) => ("its turn".to_owned(), None),
            (None, false) => ("the next run".to_owned(), None),
        })
    }
}

/// Why a host is left alone.
fn trouble(state: &HostState) -> String {
    let HostState { failures, reason, asked, .. } = state;
    let times = if *failures == 1 { "one failure".to_owned() } else { format!("{failures} failures in a row") };
    match (asked, *failures >= HostState::PATIENCE) {
        (true, _) => format!("it asked to be left alone: {reason}"),
        (false, true) => format!("set aside after {times}: {reason}"),
        (false, false) => format!("backing off after {times}: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_has_its_word() {
        let state = |failures, asked| HostState { failures, asked, reason: "503".to_owned(), ..HostState::default() };
        for (state, expected) in [
            (state(1, true), "it asked to be left alone: 503"),
            (state(1, false), "backing off after one failure: 503"),
            (state(3, false), "backing off after 3 failures in a row: 503"),
            (state(5, false), "set aside after 5 failures in a row: 503"),
        ] {
            assert_eq!(trouble(&state), expected);
        }
    }
}
