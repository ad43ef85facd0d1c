//! The life of an object: one machine, written down once.
//!
//! | state          | means                                                              | a record? |
//! |----------------|--------------------------------------------------------------------|-----------|
//! | new            | found, never yet fetched with success                              | no        |
//! | due            | was current, its refresh time has come                             | yes       |
//! | current        | stored at the last visit                                           | yes       |
//! | unchanged      | found the same at the last visit                                   | yes       |
//! | failing        | the last visits failed for reasons that prove nothing              | perhaps   |
//! | gone-candidate | the server said "not there", not yet often or long enough          | perhaps   |
//! | gone           | confirmed; the record is deleted                                   | no        |
//! | out-of-scope   | the operator's rules leave it out now; the record is deleted       | no        |
//! | expired        | no successful visit within its time-to-live; the record is deleted | no        |
//!
//! Two rules carry the rest: only *definite* news deletes (a confirmed 404 or 410, the operator's own rules, the
//! end of the time-to-live), and any success makes everything good again.

use crate::{Departure, Times, UnixTime};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Where an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Found, never yet fetched with success.
    New,
    /// Its refresh time has come.
    Due,
    /// Stored at the last visit.
    Current,
    /// The same at the last visit.
    Unchanged,
    /// Visits fail for reasons that prove nothing about the resource.
    Failing {
        /// First failure in a row.
        since: UnixTime,
        /// Failures in a row.
        count: u32,
    },
    /// The server says that it is not there; not yet confirmed.
    GoneCandidate {
        /// First such answer in a row.
        since: UnixTime,
        /// Such answers in a row.
        count: u32,
    },
    /// Confirmed as not there.
    Gone,
    /// Left out by the operator's rules.
    OutOfScope,
    /// Time-to-live over.
    Expired,
}

impl State {
    /// Name for people and machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Due => "due",
            Self::Current => "current",
            Self::Unchanged => "unchanged",
            Self::Failing { .. } => "failing",
            Self::GoneCandidate { .. } => "gone-candidate",
            Self::Gone => "gone",
            Self::OutOfScope => "out-of-scope",
            Self::Expired => "expired",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failing { count, .. } | Self::GoneCandidate { count, .. } => {
                write!(f, "{} ({count} in a row)", self.name())
            }
            _ => f.write_str(self.name()),
        }
    }
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Taken up for a visit in this run.
    TakenUp,
    /// Fetched and summarized.
    Stored,
    /// Fetched and read for what it names; there is no record of it.
    Enumerated,
    /// Found the same.
    Same,
    /// The visit failed and proves nothing: time-out, 5xx, DNS, robots.txt unreachable.
    Failed,
    /// 404 or 410, or it has moved elsewhere.
    Missing,
    /// Not visited because something stands in the way that is no news about the resource (robots rules, a full
    /// root node).
    Barred,
    /// The operator's rules leave it out.
    Excluded,
    /// Time-to-live over.
    LifeOver,
}

impl From<&Departure> for Event {
    fn from(departure: &Departure) -> Self {
        match departure {
            Departure::Unchanged(_) => Self::Same,
            // A site under repair may redirect everything for a day: moved counts only when confirmed, like 404.
            Departure::Missing { .. }
            | Departure::Moved { .. }
            | Departure::SoftMissing { .. }
            | Departure::Canonical { .. }
            // A page in the place of an archive may be gone tomorrow, and a language is often only a guess.
            | Departure::Closed
            | Departure::Language { .. } => Self::Missing,
            Departure::Expired => Self::LifeOver,
            Departure::OutOfScope { .. }
            | Departure::TooDeep { .. }
            | Departure::Scheme { .. }
            | Departure::NotSelected { .. }
            | Departure::RuledOut { .. }
            | Departure::NoIndex { .. }
            | Departure::RootGone { .. }
            | Departure::Size { .. }
            // The container itself was read to its end: this is no rumour.
            | Departure::TakenOut
            // Whoever visits it has confirmed it.
            | Departure::Withdrawn { .. } => Self::Excluded,
            Departure::Robots { .. }
            | Departure::Full { .. }
            | Departure::PrivateAddress { .. }
            | Departure::Trap { .. } => Self::Barred,
            Departure::RobotsUnreachable { .. }
            | Departure::Refused { .. }
            | Departure::ServerTrouble { .. }
            | Departure::Unreachable { .. }
            | Departure::TooSlow { .. }
            | Departure::Tls { .. }
            | Departure::Redirect { .. }
            | Departure::Packed { .. }
            | Departure::Stumbled { .. } => Self::Failed,
        }
    }
}

/// What a change of state does to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A new record goes to WORKING.
    Write,
    /// Its times are renewed through REFRESH.
    Renew,
    /// It stays as it is.
    Keep,
    /// It is put down for deletion, which the brake may still hold back.
    Delete,
}

/// The operator's patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// First wait after a failure; doubled with each further one, up to the refresh rate.
    pub retry: Duration,
    /// How many "not there" answers in a row confirm it,
    pub gone_count: u32,
    /// and how far the first and the last must be apart.
    pub gone_apart: Duration,
}

impl State {
    /// The next state and what it does to the record. The whole machine is this function.
    #[must_use]
    pub fn next(self, event: Event, now: UnixTime, patience: &Patience) -> (Self, Effect) {
        match (self, event) {
            (_, Event::Stored) => (Self::Current, Effect::Write),
            (_, Event::Same) => (Self::Unchanged, Effect::Renew),
            (_, Event::Enumerated) => (Self::Current, Effect::Keep),
            (_, Event::Excluded) => (Self::OutOfScope, Effect::Delete),
            (_, Event::LifeOver) => (Self::Expired, Effect::Delete),

            (Self::Current | Self::Unchanged, Event::TakenUp) => (Self::Due, Effect::Keep),
            (Self::Gone | Self::OutOfScope | Self::Expired, Event::TakenUp) => (Self::New, Effect::Keep),
            (state, Event::TakenUp | Event::Barred) => (state, Effect::Keep),

            (Self::Failing { since, count }, Event::Failed) => {
                (Self::Failing { since, count: count.saturating_add(1) }, Effect::Keep)
            }
            (_, Event::Failed) => (Self::Failing { since: now, count: 1 }, Effect::Keep),

            (Self::New | Self::Gone, Event::Missing) => (Self::Gone, Effect::Delete),
            (Self::GoneCandidate { since, count }, Event::Missing) => {
                missing(since, count.saturating_add(1), now, patience)
            }
            (_, Event::Missing) => missing(now, 1, now, patience),
        }
    }

    /// When the object is to be visited again after `event` brought it here.
    pub fn due(self, event: Event, now: UnixTime, times: Times, patience: &Patience) -> UnixTime {
        match (self, event) {
            (_, Event::Barred) => now.after(times.refresh_rate),
            (Self::Failing { count, .. }, _) => now.after(back_off(patience.retry, count).min(times.refresh_rate)),
            (Self::GoneCandidate { .. }, _) => now.after(patience.gone_apart.min(times.refresh_rate)),
            (Self::New | Self::Due, _) => now,
            _ => now.after(times.refresh_rate),
        }
    }
}

fn missing(since: UnixTime, count: u32, now: UnixTime, patience: &Patience) -> (State, Effect) {
    if count >= patience.gone_count && now.since(since) >= patience.gone_apart {
        (State::Gone, Effect::Delete)
    } else {
        (State::GoneCandidate { since, count }, Effect::Keep)
    }
}

/// `first`, doubled with each further failure.
fn back_off(first: Duration, failures: u32) -> Duration {
    first.saturating_mul(1 << failures.saturating_sub(1).min(20))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixTime = UnixTime(1_000_000);
    const EARLIER: UnixTime = UnixTime(900_000);
    const PATIENCE: Patience =
        Patience { retry: Duration::from_secs(60), gone_count: 3, gone_apart: Duration::from_secs(86_400) };
    const FAILING: State = State::Failing { since: EARLIER, count: 4 };
    const SUSPECT: State = State::GoneCandidate { since: EARLIER, count: 1 };
    const EVERY_STATE: [State; 9] = [
        State::New,
        State::Due,
        State::Current,
        State::Unchanged,
        FAILING,
        SUSPECT,
        State::Gone,
        State::OutOfScope,
        State::Expired,
    ];

    fn check(state: State, event: Event, expected: State, effect: Effect) {
        assert_eq!(state.next(event, NOW, &PATIENCE), (expected, effect), "{state:?} + {event:?}");
    }

    #[test]
    fn success_makes_everything_good_again() {
        for state in EVERY_STATE {
            check(state, Event::Stored, State::Current, Effect::Write);
            check(state, Event::Same, State::Unchanged, Effect::Renew);
        }
    }

    #[test]
    fn what_only_names_others_leaves_no_record_and_deletes_none() {
        for state in EVERY_STATE {
            check(state, Event::Enumerated, State::Current, Effect::Keep);
        }
    }

    #[test]
    fn a_failure_never_deletes() {
        let first = State::Failing { since: NOW, count: 1 };
        for state in EVERY_STATE.into_iter().filter(|state| *state != FAILING) {
            check(state, Event::Failed, first, Effect::Keep);
        }
        check(FAILING, Event::Failed, State::Failing { since: EARLIER, count: 5 }, Effect::Keep);
    }

    #[test]
    fn what_stands_in_the_way_is_no_news() {
        for state in EVERY_STATE {
            check(state, Event::Barred, state, Effect::Keep);
        }
    }

    #[test]
    fn the_operators_word_and_the_end_of_life_delete() {
        for state in EVERY_STATE {
            check(state, Event::Excluded, State::OutOfScope, Effect::Delete);
            check(state, Event::LifeOver, State::Expired, Effect::Delete);
        }
    }

    #[test]
    fn taken_up_makes_due_what_has_a_record_and_new_what_had_lost_it() {
        for (state, expected) in [
            (State::New, State::New),
            (State::Due, State::Due),
            (State::Current, State::Due),
            (State::Unchanged, State::Due),
            (FAILING, FAILING),
            (SUSPECT, SUSPECT),
            (State::Gone, State::New),
            (State::OutOfScope, State::New),
            (State::Expired, State::New),
        ] {
            check(state, Event::TakenUp, expected, Effect::Keep);
        }
    }

    #[test]
    fn not_there_must_be_confirmed_by_count_and_by_time() {
        let first = State::GoneCandidate { since: NOW, count: 1 };
        for state in [State::Due, State::Current, State::Unchanged, FAILING, State::OutOfScope, State::Expired] {
            check(state, Event::Missing, first, Effect::Keep);
        }
        check(State::New, Event::Missing, State::Gone, Effect::Delete);
        check(State::Gone, Event::Missing, State::Gone, Effect::Delete);
        let gone_candidate = |since, count| State::GoneCandidate { since, count };
        check(gone_candidate(EARLIER, 1), Event::Missing, gone_candidate(EARLIER, 2), Effect::Keep);
        check(gone_candidate(EARLIER, 2), Event::Missing, State::Gone, Effect::Delete);
        check(gone_candidate(NOW, 9), Event::Missing, gone_candidate(NOW, 10), Effect::Keep);
    }

    #[test]
    fn waits_double_up_to_the_refresh_rate() {
        let times =
            Times { refresh_rate: Duration::from_secs(200), time_to_live: Duration::from_secs(1_000), range: 1 };
        let wait = |count| {
            let state = State::Failing { since: EARLIER, count };
            state.due(Event::Failed, NOW, times, &PATIENCE).since(NOW).as_secs()
        };
        assert_eq!([wait(1), wait(2), wait(3), wait(400)], [60, 120, 200, 200]);
        assert_eq!(State::Current.due(Event::Stored, NOW, times, &PATIENCE).since(NOW).as_secs(), 200);
    }
}
