//! A host in trouble: each failure makes the pause longer, and after a few in a row the host is set aside for hours,
//! so that one dead host holds nobody up and nobody hammers it. Remembered in the store: a restart forgives nothing.

use crate::Departure;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a visit says of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostNews {
    /// Nothing was asked of it.
    Nothing,
    /// It has answered, well or badly: any trouble is the page's own.
    Answered,
    /// It asks for a pause, and may say how long.
    Busy(Option<Duration>),
    /// No answer, or one from somebody in front of it.
    Down,
}

impl From<&Departure> for HostNews {
    fn from(departure: &Departure) -> Self {
        match departure {
            Departure::ServerTrouble { status: 429 | 503, retry_after } => {
                Self::Busy(retry_after.map(Duration::from_secs))
            }
            Departure::ServerTrouble { status: 502 | 504, .. }
            | Departure::TooSlow { .. }
            | Departure::Tls { .. }
            | Departure::Unreachable { .. } => Self::Down,
            Departure::Missing { .. }
            | Departure::Refused { .. }
            | Departure::Moved { .. }
            | Departure::ServerTrouble { .. }
            | Departure::NotSelected { .. }
            | Departure::SoftMissing { .. }
            | Departure::Canonical { .. }
            | Departure::NoIndex { .. }
            | Departure::Unchanged(_) => Self::Answered,
            _ => Self::Nothing,
        }
    }
}

/// What is remembered of a host's troubles. A host without any is not remembered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostState {
    /// Failures in a row.
    pub failures: u32,
    /// It is left alone until then, in Unix milliseconds,
    pub rests_until: u64,
    /// because of this.
    pub reason: String,
    /// It asked for that itself.
    pub asked: bool,
}

impl HostState {
    /// After so many failures in a row a host is set aside.
    pub const PATIENCE: u32 = 5;
    /// First pause of a host that is busy and does not say how long; doubled with each further failure.
    const BUSY: Duration = Duration::from_secs(2);
    /// The same for one that does not answer at all.
    const DOWN: Duration = Duration::from_millis(100);
    /// No pause is longer, whoever asks for it.
    const LONGEST: Duration = Duration::from_hours(24);

    /// Takes in what a visit says. `set_aside` is the first rest of a host that has used up our patience; `jitter`,
    /// from 0 to 1,000, makes pauses up to half as long again, so that hosts do not come back in step.
    pub fn meet(&mut self, news: HostNews, reason: &str, now: u64, set_aside: Duration, jitter: u32) {
        let pause = match news {
            HostNews::Nothing => return,
            // An answer on another line does not take back what the host has asked for.
            HostNews::Answered if self.asked && !self.rest(now).is_zero() => {
                self.failures = 0;
                return;
            }
            HostNews::Answered => {
                *self = Self::default();
                return;
            }
            HostNews::Busy(asked) => asked.unwrap_or_else(|| doubled(Self::BUSY, self.failures)),
            HostNews::Down => doubled(Self::DOWN, self.failures),
        };
        let asked_until = if self.asked && !self.rest(now).is_zero() { self.rests_until } else { 0 };
        self.failures = self.failures.saturating_add(1);
        self.asked = matches!(news, HostNews::Busy(Some(_))) || now < asked_until;
        reason.clone_into(&mut self.reason);
        let pause = match self.failures.checked_sub(Self::PATIENCE) {
            Some(further) => pause.max(doubled(set_aside, further)),
            None => pause,
        };
        let pause = pause.min(Self::LONGEST);
        let pause = if self.asked { pause } else { pause + pause * jitter.min(1_000) / 2_000 };
        let until = now.saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
        self.rests_until = until.max(asked_until);
    }

    /// Why it is left alone.
    pub fn in_words(&self) -> String {
        let Self { failures, reason, asked, .. } = self;
        let times = if *failures == 1 { "one failure".to_owned() } else { format!("{failures} failures in a row") };
        match (asked, *failures >= Self::PATIENCE) {
            (true, _) => format!("it asked to be left alone: {reason}"),
            (false, true) => format!("set aside after {times}: {reason}"),
            (false, false) => format!("backing off after {times}: {reason}"),
        }
    }

    /// How long it is still left alone. A rest that is longer than the longest was begun by a clock that has been set back since:
    /// nobody knows how much of it is left, and it must not last until the clock is there again.
    pub fn rest(&self, now: u64) -> Duration {
        let rest = Duration::from_millis(self.rests_until.saturating_sub(now));
        if rest > Self::LONGEST * 3 / 2 { Duration::ZERO } else { rest }
    }
}

/// `first`, doubled with each failure before.
fn doubled(first: Duration, failures: u32) -> Duration {
    first.saturating_mul(1 << failures.min(20))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn each_trouble_has_its_word() {
        let state = |failures, asked| HostState { failures, asked, reason: "503".to_owned(), ..HostState::default() };
        for (state, expected) in [
            (state(1, true), "it asked to be left alone: 503"),
            (state(1, false), "backing off after one failure: 503"),
            (state(3, false), "backing off after 3 failures in a row: 503"),
            (state(5, false), "set aside after 5 failures in a row: 503"),
        ] {
            assert_eq!(state.in_words(), expected);
        }
    }

    fn rests(news: &[HostNews]) -> Vec<u64> {
        let mut host = HostState::default();
        let rest = |news: &HostNews| {
            host.meet(*news, "trouble", 1_000, HOUR, 0);
            u64::try_from(host.rest(1_000).as_millis()).unwrap_or(u64::MAX)
        };
        news.iter().map(rest).collect()
    }

    #[test]
    fn a_host_in_trouble_is_asked_ever_more_rarely_and_then_set_aside() {
        assert_eq!(rests(&[HostNews::Down; 7]), [100, 200, 400, 800, 3_600_000, 7_200_000, 14_400_000]);
        assert_eq!(rests(&[HostNews::Busy(None); 5]), [2_000, 4_000, 8_000, 16_000, 3_600_000]);
        assert_eq!(rests(&[HostNews::Down; 30])[29], 24 * 3_600_000);
    }

    #[test]
    fn what_a_host_asks_for_is_kept() {
        let ask = |seconds| HostNews::Busy(Some(Duration::from_secs(seconds)));
        assert_eq!(rests(&[ask(30), ask(9_000), ask(999_999)]), [30_000, 9_000_000, 24 * 3_600_000]);
        assert_eq!(
            rests(&[ask(30), HostNews::Answered, HostNews::Busy(None)]),
            [30_000, 30_000, 30_000],
            "on other lines"
        );
        let mut host = HostState::default();
        host.meet(ask(30), "trouble", 0, HOUR, 1_000);
        assert_eq!((host.rests_until, host.asked), (30_000, true), "to the second");
    }

    #[test]
    fn one_answer_makes_good_and_what_was_not_asked_is_no_news() {
        assert_eq!(rests(&[HostNews::Down, HostNews::Answered, HostNews::Down]), [100, 0, 100]);
        assert_eq!(rests(&[HostNews::Down, HostNews::Nothing, HostNews::Down]), [100, 100, 200]);
    }

    #[test]
    fn jitter_only_lengthens() {
        let mut host = HostState::default();
        host.meet(HostNews::Down, "trouble", 0, HOUR, 1_000);
        assert_eq!(host.rests_until, 150);
        assert_eq!(HostState { rests_until: u64::MAX, ..host }.rest(0), Duration::ZERO, "a clock set back");
    }

    #[test]
    fn each_departure_says_something_of_its_host() {
        let check = |departure: Departure, expected| assert_eq!(HostNews::from(&departure), expected, "{departure}");
        let trouble = |status, retry_after| Departure::ServerTrouble { status, retry_after };
        check(trouble(503, Some(7)), HostNews::Busy(Some(Duration::from_secs(7))));
        check(trouble(429, None), HostNews::Busy(None));
        check(trouble(500, None), HostNews::Answered);
        check(trouble(504, None), HostNews::Down);
        check(Departure::TooSlow { seconds: 1 }, HostNews::Down);
        check(Departure::RobotsUnreachable { reason: "status 500".into() }, HostNews::Nothing);
        check(Departure::Missing { status: 404 }, HostNews::Answered);
        check(Departure::TooDeep { limit: 1 }, HostNews::Nothing);
    }
}
