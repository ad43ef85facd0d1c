//! Which host may be visited next. Queues are on disk; this knows some hosts' names, when each may be asked again, and
//! what of each is in hand. Root nodes take turns, and so do the hosts of one root node.

use gatherer_store::{Lane, Ticket};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;
use tokio::time::Instant;

/// Hosts with something to do, by their next allowed access.
#[derive(Default)]
pub(crate) struct Hosts {
    known: HashMap<Arc<str>, Host>,
    /// Those that have to wait, the earliest first.
    waiting: BinaryHeap<Reverse<(Instant, Arc<str>)>>,
    /// Those that may be visited, by the root node whose turn it is there.
    ready: BTreeMap<Lane, VecDeque<Arc<str>>>,
    /// The root node that had its turn last.
    last: Option<Lane>,
    /// Those that are left alone for long, until when. The run does not wait for them, but goes on with them if it lasts.
    aside: HashMap<Arc<str>, Instant>,
    /// There was no room for somebody: the disk has to be looked through again.
    more: bool,
}

#[derive(Default)]
struct Host {
    in_hand: Vec<Ticket>,
    place: Place,
}

/// Where a host stands.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nowhere: it is busy, or has nothing to do.
    #[default]
    Nowhere,
    /// Among those that wait or are ready.
    InLine,
}

/// Who is next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This host, now.
    Now(Arc<str>),
    /// Somebody, then.
    At(Instant),
    /// Nobody.
    Nobody,
}

impl Hosts {
    /// Hosts known at once. Others wait on disk until there is room.
    pub(crate) const MOST: usize = 50_000;

    /// A host has got something to do.
    pub(crate) fn wake(&mut self, host: &str) {
        if self.aside.get(host).is_some_and(|until| *until > Instant::now()) {
            return;
        }
        self.aside.remove(host);
        match self.known.get(host) {
            Some(known) if known.place != Place::Nowhere || !known.in_hand.is_empty() => {}
            None if self.is_full() => self.more = true,
            _ => self.wait(host, Instant::now()),
        }
    }

    /// The host may be visited from then on.
    pub(crate) fn wait(&mut self, host: &str, at: Instant) {
        let name: Arc<str> = self.known.get_key_value(host).map_or_else(|| host.into(), |(name, _)| Arc::clone(name));
        let known = self.known.entry(Arc::clone(&name)).or_default();
        if known.place == Place::Nowhere {
            known.place = Place::InLine;
            self.waiting.push(Reverse((at, name)));
        }
    }

    /// A visit begins; with fewer in hand than the host has lines, the next may follow at once.
    pub(crate) fn begin(&mut self, host: &str, ticket: Ticket, lines: u32) {
        let Some(known) = self.known.get_mut(host) else { return };
        known.in_hand.push(ticket);
        if known.in_hand.len() < lines as usize {
            self.wait(host, Instant::now());
        }
    }

    /// A visit is over; the next may begin at `at`.
    pub(crate) fn end(&mut self, host: &str, ticket: &Ticket, at: Instant) {
        let Some(known) = self.known.get_mut(host) else { return };
        known.in_hand.retain(|other| other != ticket);
        self.wait(host, at);
    }

    /// What of a host is in hand.
    pub(crate) fn in_hand(&self, host: &str) -> &[Ticket] {
        self.known.get(host).map_or(&[], |known| &known.in_hand)
    }

    /// A host has nothing more to do.
    pub(crate) fn rest(&mut self, host: &str) {
        if self.known.get(host).is_some_and(|known| known.in_hand.is_empty() && known.place == Place::Nowhere) {
            self.known.remove(host);
        }
    }

    /// A host is left alone for long; its queue stays.
    pub(crate) fn set_aside(&mut self, host: &str, until: Instant) {
        self.rest(host);
        self.aside.insert(host.into(), until);
    }

    /// Nobody is left alone any more without another look at why.
    pub(crate) fn recall(&mut self) {
        self.aside.clear();
    }

    /// Somebody on disk may still be waiting for room.
    pub(crate) fn ask_for_more(&mut self) {
        self.more = true;
    }

    /// Whether hosts on disk are to be looked for, whatever room there is.
    pub(crate) fn take_more(&mut self) -> bool {
        std::mem::take(&mut self.more)
    }

    /// Wakes those whose long rest is over.
    pub(crate) fn wake_rested(&mut self) {
        let now = Instant::now();
        let rested: Vec<_> =
            self.aside.iter().filter(|(_, until)| **until <= now).map(|(host, _)| host.clone()).collect();
        rested.iter().for_each(|host| self.wake(host));
    }

    /// Whether there is no room for another host.
    pub(crate) fn is_full(&self) -> bool {
        self.known.len() >= Self::MOST
    }

    /// Whether hosts on disk are to be looked for, because there is room again.
    pub(crate) fn wants_more(&mut self) -> bool {
        let has_room = self.known.len() < Self::MOST / 2;
        has_room && std::mem::take(&mut self.more)
    }

    /// The host to visit now, or when the next one may be. `lane_of` says whose turn it is at a host.
    pub(crate) fn next(&mut self, lane_of: impl Fn(&str) -> Lane) -> Next {
        let now = Instant::now();
        while let Some(Reverse((at, _))) = self.waiting.peek() {
            if *at > now {
                break;
            }
            let Some(Reverse((_, host))) = self.waiting.pop() else { break };
            self.ready.entry(lane_of(&host)).or_default().push_back(host);
        }
        if let Some(host) = self.take_ready() {
            return Next::Now(host);
        }
        self.waiting.peek().map_or(Next::Nobody, |Reverse((at, _))| Next::At(*at))
    }

    /// The first of the root node whose turn it is.
    fn take_ready(&mut self) -> Option<Arc<str>> {
        let behind = self.last.map_or(0, |last| last.saturating_add(1));
        let lane = *self.ready.range(behind..).next().or_else(|| self.ready.iter().next())?.0;
        self.last = Some(lane);
        let hosts = self.ready.get_mut(&lane)?;
        let host = hosts.pop_front();
        if hosts.is_empty() {
            self.ready.remove(&lane);
        }
        let host = host?;
        if let Some(known) = self.known.get_mut(&host) {
            known.place = Place::Nowhere;
        }
        Some(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn one_lane(_: &str) -> Lane {
        1
    }

    fn now(host: &str) -> Next {
        Next::Now(host.into())
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_take_turns_by_their_next_allowed_access() {
        let mut hosts = Hosts::default();
        let ticket = vec![1];
        hosts.wake("a");
        hosts.wake("a");
        hosts.wake("b");
        for host in ["a", "b"] {
            assert_eq!(hosts.next(one_lane), now(host));
            hosts.begin(host, ticket.clone(), 1);
        }
        hosts.wake("a");
        assert_eq!(hosts.next(one_lane), Next::Nobody, "both are busy");
        let start = Instant::now();
        hosts.end("a", &ticket, start + Duration::from_secs(5));
        hosts.end("b", &ticket, start + Duration::from_secs(2));
        assert_eq!(hosts.next(one_lane), Next::At(start + Duration::from_secs(2)));
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(hosts.next(one_lane), now("b"));
        hosts.rest("b");
        assert_eq!(hosts.next(one_lane), Next::At(start + Duration::from_secs(5)));
        hosts.wake("b");
        assert_eq!(hosts.next(one_lane), now("b"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_root_node_with_one_host_does_not_wait_for_one_with_a_hundred() {
        let mut hosts = Hosts::default();
        (0..100).for_each(|number| hosts.wake(&format!("big{number:02}")));
        hosts.wake("small");
        let lane = |host: &str| if host == "small" { 7 } else { 3 };
        let first: Vec<_> = (0..3).map(|_| hosts.next(lane)).collect();
        assert_eq!(first, [now("big00"), now("small"), now("big01")]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_with_two_lines_has_two_in_hand() {
        let mut hosts = Hosts::default();
        hosts.wake("a");
        assert_eq!(hosts.next(one_lane), now("a"));
        hosts.begin("a", vec![1], 2);
        assert_eq!(hosts.next(one_lane), now("a"));
        hosts.begin("a", vec![2], 2);
        assert_eq!(hosts.next(one_lane), Next::Nobody);
        assert_eq!(hosts.in_hand("a"), [vec![1], vec![2]]);
        hosts.end("a", &vec![1], Instant::now());
        assert_eq!(hosts.next(one_lane), now("a"));
        hosts.rest("a");
        assert_eq!(hosts.in_hand("a"), [vec![2]], "not forgotten while something is in hand");
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded_and_nobody_is_forgotten() {
        let mut hosts = Hosts::default();
        (0..=Hosts::MOST).for_each(|number| hosts.wake(&number.to_string()));
        assert_eq!(hosts.known.len(), Hosts::MOST);
        assert!(!hosts.wants_more(), "no room yet");
        for _ in 0..Hosts::MOST {
            let Next::Now(host) = hosts.next(one_lane) else { panic!("somebody is ready") };
            hosts.rest(&host);
        }
        assert!(hosts.wants_more() && !hosts.wants_more(), "once");
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_set_aside_is_not_woken() {
        let mut hosts = Hosts::default();
        hosts.wake("a");
        assert_eq!(hosts.next(one_lane), now("a"));
        hosts.set_aside("a", Instant::now() + Duration::from_secs(60));
        hosts.wake("a");
        hosts.wake_rested();
        assert_eq!(hosts.next(one_lane), Next::Nobody);
        tokio::time::advance(Duration::from_secs(61)).await;
        hosts.wake_rested();
        assert_eq!(hosts.next(one_lane), now("a"), "until its time has come");
    }
}
