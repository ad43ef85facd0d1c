//! The ledger: what became of each URL, and why.

use crate::life::{Effect, Event, Patience};
use crate::{Candidate, Departure, Md5, Role, State, Times, UnixTime, Validators};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use url::Url;

/// How one visit (or the lack of one) ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Summarized and stored.
    Stored {
        /// Its kind.
        kind: String,
        /// The votes for it, in words.
        votes: Vec<String>,
        /// Who summarized it.
        summarizer: String,
    },
    /// Left the line.
    Left(Departure),
    /// Read for what it names.
    Enumerated {
        /// How many URLs it names.
        named: u64,
        /// What was wrong with it, if anything.
        complaint: Option<String>,
    },
}

impl Outcome {
    /// Short stable name for reports and machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stored { .. } => "stored",
            Self::Left(departure) => departure.code(),
            Self::Enumerated { .. } => "enumerated",
        }
    }

    /// Whether its content came, or was found to be the same.
    pub fn is_success(&self) -> bool {
        matches!(self.event(), Event::Stored | Event::Same | Event::Enumerated)
    }

    /// What it means for the life of the object.
    pub fn event(&self) -> Event {
        match self {
            Self::Stored { .. } => Event::Stored,
            Self::Left(departure) => departure.into(),
            Self::Enumerated { .. } => Event::Enumerated,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored { kind, summarizer, .. } => write!(f, "stored as {kind} by {summarizer}"),
            Self::Left(departure) => departure.fmt(f),
            Self::Enumerated { named, complaint } => {
                write!(f, "names {named} URL{}", if *named == 1 { "" } else { "s" })?;
                complaint.iter().try_for_each(|complaint| write!(f, "; {complaint}"))
            }
        }
    }
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fate {
    /// When.
    pub at: UnixTime,
    /// In which run.
    pub run: u64,
    /// What.
    pub outcome: Outcome,
}

/// Everything the gatherer remembers of one URL, apart from its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The last run that took it up. What a [`Glance`] needs stands first, so that it can stop there.
    pub run: u64,
    /// Earliest next visit.
    pub due: UnixTime,
    /// Where it stands.
    pub state: State,
    /// Whether it stands in a queue.
    pub queued: bool,
    /// Since when it is in its state,
    pub since: UnixTime,
    /// and since when it is known, under this address or one that has moved here.
    pub met: UnixTime,
    /// The URL.
    pub url: Url,
    /// The root node it belongs to.
    pub root: String,
    /// Levels below the root node.
    pub depth: u32,
    /// Where it was found first.
    pub found_on: Option<Url>,
    /// What it is gathered for.
    pub role: Role,
    /// Redirects in a row that led to it.
    pub hops: u32,
    /// End of its record's life, if it has a record.
    pub expires: Option<UnixTime>,
    /// For conditional requests.
    pub validators: Validators,
    /// Digest of the body behind the present record.
    pub md5: Option<Md5>,
    /// Digest of the tables, rules and summarizers that made the present record; another one makes it anew.
    pub made_with: Option<Md5>,
    /// Times that a rule gave it instead of its root node's.
    pub ruled: Option<Times>,
    /// The URL of its record, if a rule gave it another than its own.
    pub record: Option<Url>,
    /// How many members it had when it was last opened.
    pub members: u32,
    /// The pace of visits that its changes have brought about, if it differs from the refresh rate.
    pub interval: Option<Duration>,
    /// The last fates, newest last.
    pub fates: Vec<Fate>,
}

/// The beginning of an entry: all that must be known of the many references that lead to what is in hand or not due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// The last run that took it up.
    pub run: u64,
    /// Earliest next visit.
    pub due: UnixTime,
    /// Where it stands.
    pub state: State,
    /// Whether it stands in a queue.
    pub queued: bool,
}

impl Entry {
    /// How many fates are kept.
    pub const FATES_KEPT: usize = 8;

    /// A URL met for the first time.
    pub fn new(candidate: &Candidate, now: UnixTime) -> Self {
        Self {
            run: 0,
            due: now,
            state: State::New,
            queued: false,
            since: now,
            met: now,
            url: candidate.url().clone(),
            root: candidate.root().to_owned(),
            depth: candidate.depth(),
            found_on: candidate.found_on().cloned(),
            role: candidate.role(),
            hops: candidate.hops(),
            expires: None,
            validators: Validators::default(),
            md5: None,
            made_with: None,
            ruled: None,
            record: None,
            members: 0,
            interval: candidate.hint().interval,
            fates: Vec::new(),
        }
    }

    /// The candidate that a new visit starts from.
    pub fn candidate(&self) -> Candidate {
        Candidate::again(self)
    }

    /// Marks it as taken up by a run, where and how the candidate was found.
    pub fn take_up(&mut self, candidate: &Candidate, run: u64, now: UnixTime, patience: &Patience) {
        self.run = run;
        candidate.root().clone_into(&mut self.root);
        self.depth = candidate.depth();
        self.found_on = candidate.found_on().cloned();
        self.role = candidate.role();
        self.hops = candidate.hops();
        self.queued = true;
        let (state, _) = self.state.next(Event::TakenUp, now, patience);
        self.enter(state, now);
    }

    /// Writes a fate down, moves the state, sets the next visit. Says what this does to the record.
    pub fn meet(&mut self, fate: Fate, times: Times, patience: &Patience) -> Effect {
        self.meet_content(fate, times, patience, true)
    }

    /// The same, when what was stored may have been made anew of content that has not changed.
    pub fn meet_content(&mut self, fate: Fate, times: Times, patience: &Patience, has_changed: bool) -> Effect {
        let (now, event) = (fate.at, fate.outcome.event());
        let (state, effect) = self.state.next(event, now, patience);
        self.enter(state, now);
        self.queued = false;
        if has_changed || event != Event::Stored {
            self.adapt(event, times, now);
        }
        let pace = Times { refresh_rate: self.pace(times), ..times };
        self.due = state.due(event, now, pace, patience);
        match effect {
            // There is no record whose life could end.
            Effect::Write | Effect::Renew if self.role == Role::Map => {}
            Effect::Write | Effect::Renew => self.expires = Some(now.after(times.time_to_live)),
            Effect::Delete => {
                self.expires = None;
                if self.role == Role::Map {
                    self.forget_content();
                }
            }
            Effect::Keep => {}
        }
        self.note(fate);
        effect
    }

    /// Lets nothing be "unchanged" any more: of what its last content gave, something is no longer there.
    pub fn forget_content(&mut self) {
        (self.validators, self.md5) = (Validators::default(), None);
    }

    /// Notes that its record was made anew without a visit: nothing is known of it that was not known before.
    pub fn remake(&mut self, fate: Fate, times: Times) -> Effect {
        self.expires = Some(fate.at.after(times.time_to_live));
        self.note(fate);
        Effect::Write
    }

    /// Only the last fates are kept.
    fn note(&mut self, fate: Fate) {
        self.fates.push(fate);
        let surplus = self.fates.len().saturating_sub(Self::FATES_KEPT);
        self.fates.drain(..surplus);
    }

    /// The pace of visits follows the pace of changes: half the wait after a change, half as much again after none. Who
    /// looks again at once learns nothing from finding it the same.
    fn adapt(&mut self, event: Event, times: Times, now: UnixTime) {
        let wait = self.pace(times);
        let is_soon = self.last_success().is_some_and(|last| now.since(last) < wait / 2);
        let wait = match event {
            // The first content is no change.
            Event::Stored | Event::Enumerated if self.fates.iter().any(|fate| fate.outcome.is_success()) => wait / 2,
            Event::Same if !is_soon => wait + wait / 2,
            _ => return,
        };
        let wait = times.within_range(wait);
        self.interval = (wait != times.refresh_rate).then_some(wait);
    }

    /// Time between two visits as its changes would have it, within the bounds of its root node.
    pub fn pace(&self, times: Times) -> Duration {
        self.interval.map_or(times.refresh_rate, |interval| times.within_range(interval))
    }

    /// Whether nothing was ever asked for: all visits ended before.
    pub fn was_never_asked(&self) -> bool {
        let is_before = |fate: &Fate| {
            matches!(
                fate.outcome,
                Outcome::Left(
                    Departure::Trap { .. }
                        | Departure::Robots { .. }
                        | Departure::RobotsUnreachable { .. }
                        | Departure::PrivateAddress { .. }
                        | Departure::Full { .. }
                )
            )
        };
        self.expires.is_none() && self.fates.iter().all(is_before)
    }

    /// The last visit that brought its content, or found it the same.
    pub fn last_success(&self) -> Option<UnixTime> {
        self.fates.iter().rev().find(|fate| fate.outcome.is_success()).map(|fate| fate.at)
    }

    /// When it is visited even if no reference leads to it. What has no record any more is looked at four times as
    /// rarely as the rest: it may come back under a page that does not change and so does not lead to it again.
    pub fn visit_by(&self) -> UnixTime {
        match self.state {
            State::Gone | State::OutOfScope | State::Expired => self.due.after(self.due.since(self.since) * 3),
            _ => self.due,
        }
    }

    /// Leaves it alone until `time`, however rarely it is looked at.
    pub fn put_off(&mut self, time: UnixTime) {
        self.due = match self.state {
            State::Gone | State::OutOfScope | State::Expired => self.since.after(time.since(self.since) / 4),
            _ => time,
        };
    }

    /// The URL under which its record stands.
    pub fn record_url(&self) -> &Url {
        self.record.as_ref().unwrap_or(&self.url)
    }

    /// Whether a visit is due.
    pub fn is_due(&self, now: UnixTime) -> bool {
        self.due <= now
    }

    fn enter(&mut self, state: State, now: UnixTime) {
        if state.name() != self.state.name() {
            self.since = now;
        }
        self.state = state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times =
        Times { refresh_rate: Duration::from_secs(100), time_to_live: Duration::from_secs(400), range: 1 };
    const PATIENCE: Patience =
        Patience { retry: Duration::from_secs(10), gone_count: 2, gone_apart: Duration::from_secs(50) };

    fn entry() -> Entry {
        let url = Url::parse("http://example.org/").expect("a literal URL");
        Entry::new(&Candidate::start(url, "docs"), UnixTime(0))
    }

    fn left(at: u64, departure: Departure) -> Fate {
        Fate { at: UnixTime(at), run: 1, outcome: Outcome::Left(departure) }
    }

    fn stored(at: u64) -> Fate {
        Fate {
            at: UnixTime(at),
            run: 1,
            outcome: Outcome::Stored { kind: "HTML".into(), votes: vec![], summarizer: "html".into() },
        }
    }

    #[test]
    fn a_record_survives_failures_until_its_time_is_over() {
        let mut entry = entry();
        assert_eq!(entry.meet(stored(10), TIMES, &PATIENCE), Effect::Write);
        for at in [110, 120, 140] {
            let failed = left(at, Departure::ServerTrouble { status: 503, retry_after: None });
            assert_eq!(entry.meet(failed, TIMES, &PATIENCE), Effect::Keep);
            assert_eq!(entry.expires, Some(UnixTime(410)));
        }
        assert_eq!(entry.since, UnixTime(110), "the row of failures began with the first");
        assert_eq!(entry.meet(left(500, Departure::Expired), TIMES, &PATIENCE), Effect::Delete);
        assert_eq!(entry.expires, None);
    }

    #[test]
    fn equal_digest_renews_the_life_of_the_record() {
        let mut entry = entry();
        entry.meet(stored(10), TIMES, &PATIENCE);
        let same = left(300, Departure::Unchanged(crate::Unchanged::EqualDigest));
        assert_eq!(entry.meet(same, TIMES, &PATIENCE), Effect::Renew);
        assert_eq!(entry.expires, Some(UnixTime(700)));
        assert_eq!(entry.due, UnixTime(400));
    }

    #[test]
    fn the_pace_of_visits_follows_the_pace_of_changes() {
        let mut entry = entry();
        let times = Times { range: 4, ..TIMES };
        let same = |at| left(at, Departure::Unchanged(crate::Unchanged::NotModified));
        let mut wait = |fate: Fate| {
            let at = fate.at;
            entry.meet(fate, times, &PATIENCE);
            entry.due.since(at).as_secs()
        };
        assert_eq!(wait(stored(0)), 100, "nothing is known yet");
        assert_eq!(wait(same(1)), 100, "too soon to tell");
        assert_eq!([100, 250, 500, 900].map(|at| wait(same(at))), [150, 225, 300, 300], "and no more");
        assert_eq!([901, 902, 903, 904].map(|at| wait(stored(at))), [150, 75, 37, 25], "nor less");
        assert_eq!(wait(left(905, Departure::Missing { status: 404 })), 25, "no news about its changes");
    }

    #[test]
    fn only_the_last_fates_are_kept() {
        let mut entry = entry();
        for at in 0..50 {
            entry.meet(stored(at), TIMES, &PATIENCE);
        }
        assert_eq!(entry.fates.len(), Entry::FATES_KEPT);
        assert_eq!(entry.fates.last().map(|fate| fate.at), Some(UnixTime(49)));
    }
}
