//! The circuit breaker: a parser that fails again and again is left alone for a while, then tried with one document.

use std::time::{Duration, Instant};

/// No pause is longer, however often it fails.
const LONGEST: Duration = Duration::from_secs(600);

/// Counts failures in a row.
#[derive(Debug)]
pub(super) struct Breaker {
    /// So many in a row open it.
    limit: u32,
    /// The first pause.
    rest: Duration,
    failures: u32,
    pause: Duration,
    state: State,
    last: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed,
    Open(Instant),
    /// One document is on its way to see whether all is well again.
    Probing,
}

impl Breaker {
    pub(super) fn new(limit: u32, rest: Duration) -> Self {
        Self { limit, rest, failures: 0, pause: rest, state: State::Closed, last: String::new() }
    }

    /// Whether the parser may be asked now; else how long not, and why.
    pub(super) fn permit(&mut self, now: Instant) -> Result<(), (Duration, String)> {
        match self.state {
            State::Closed => Ok(()),
            State::Open(until) if now >= until => {
                self.state = State::Probing;
                Ok(())
            }
            State::Open(until) => Err((until - now, self.last.clone())),
            State::Probing => Err((self.pause, self.last.clone())),
        }
    }

    /// It has answered.
    pub(super) fn succeeded(&mut self) {
        (self.failures, self.pause, self.state) = (0, self.rest, State::Closed);
    }

    /// It has neither answered nor failed: who had permission gives it back.
    pub(super) fn undecided(&mut self, now: Instant) {
        if self.state == State::Probing {
            self.state = State::Open(now);
        }
    }

    /// It has failed.
    pub(super) fn failed(&mut self, now: Instant, why: &str) {
        self.failures += 1;
        why.clone_into(&mut self.last);
        if self.state == State::Probing {
            self.pause = (self.pause * 2).min(LONGEST);
            self.state = State::Open(now + self.pause);
        } else if self.failures >= self.limit {
            self.state = State::Open(now + self.pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_probes_and_closes() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut breaker = Breaker::new(3, Duration::from_secs(10));
        breaker.failed(at(0), "one");
        breaker.failed(at(0), "two");
        breaker.succeeded();
        for _ in 0..3 {
            assert_eq!(breaker.permit(at(1)), Ok(()));
            breaker.failed(at(1), "down");
        }
        assert_eq!(breaker.permit(at(5)), Err((Duration::from_secs(6), "down".to_owned())));
        assert_eq!(breaker.permit(at(11)), Ok(()), "one may try");
        assert!(breaker.permit(at(11)).is_err(), "and no second");
        breaker.failed(at(12), "still down");
        assert_eq!(breaker.permit(at(13)), Err((Duration::from_secs(19), "still down".to_owned())), "twice as long");
        assert_eq!(breaker.permit(at(32)), Ok(()));
        breaker.undecided(at(32));
        assert_eq!(breaker.permit(at(32)), Ok(()));
        breaker.succeeded();
        assert_eq!((breaker.permit(at(33)), breaker.permit(at(33))), (Ok(()), Ok(())));
        for _ in 0..3 {
            breaker.failed(at(40), "again");
        }
        assert_eq!(
            breaker.permit(at(41)).map_err(|(pause, _)| pause),
            Err(Duration::from_secs(9)),
            "as short as at first"
        );
    }
}
