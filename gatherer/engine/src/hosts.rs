//! Which host may be visited next. Queues are on disk; this knows only their names and when each may be asked again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use tokio::time::Instant;

/// Hosts with something to do, sorted by their next allowed access.
#[derive(Default)]
pub(crate) struct Hosts {
    ready: BinaryHeap<Reverse<(Instant, String)>>,
    /// Those in the heap, and those with a visit under way.
    known: HashSet<String>,
}

impl Hosts {
    /// A host has got something to do.
    pub(crate) fn wake(&mut self, host: &str) {
        if !self.known.contains(host) {
            self.wait(host.to_owned(), Instant::now());
        }
    }

    /// The visit of a host is over; the next may begin at `at`.
    pub(crate) fn free(&mut self, host: String, at: Instant) {
        self.wait(host, at);
    }

    /// A host's queue turned out to be empty.
    pub(crate) fn rest(&mut self, host: &str) {
        self.known.remove(host);
    }

    /// The host to visit now, or when the next one may be.
    pub(crate) fn next(&mut self) -> Next {
        match self.ready.peek() {
            None => Next::Nobody,
            Some(Reverse((at, _))) if *at > Instant::now() => Next::At(*at),
            Some(_) => {
                let Some(Reverse((_, host))) = self.ready.pop() else { return Next::Nobody };
                Next::Now(host)
            }
        }
    }

    fn wait(&mut self, host: String, at: Instant) {
        self.known.insert(host.clone());
        self.ready.push(Reverse((at, host)));
    }
}

/// Who is next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This host, now.
    Now(String),
    /// Somebody, then.
    At(Instant),
    /// Nobody.
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn hosts_take_turns_by_their_next_allowed_access() {
        let mut hosts = Hosts::default();
        hosts.wake("a");
        hosts.wake("a");
        hosts.wake("b");
        assert_eq!(hosts.next(), Next::Now("a".into()));
        assert_eq!(hosts.next(), Next::Now("b".into()));
        assert_eq!(hosts.next(), Next::Nobody, "both are busy");
        let now = Instant::now();
        hosts.free("a".into(), now + Duration::from_secs(5));
        hosts.free("b".into(), now + Duration::from_secs(2));
        assert_eq!(hosts.next(), Next::At(now + Duration::from_secs(2)));
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(hosts.next(), Next::Now("b".into()));
        hosts.rest("b");
        assert_eq!(hosts.next(), Next::At(now + Duration::from_secs(5)));
        hosts.wake("b");
        assert_eq!(hosts.next(), Next::Now("b".into()));
    }
}
