//! Hosts in trouble: each failure makes the pause longer, and after a few in a row the host is left alone for the rest
//! of the run, so that one dead host holds nobody up.

use gatherer_pipeline::Departure;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// After so many failures in a row a host is left alone.
const PATIENCE: u32 = 5;
/// The first pause of a host that is in trouble and does not say how long it wants; doubled with each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// A host that asks for more is left alone for the rest of the run instead.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// Failures in a row, by host. Forgotten with the run.
#[derive(Default)]
pub(crate) struct Troubled(Mutex<HashMap<String, u32>>);

impl Troubled {
    /// A new run: everybody gets another chance.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether a host is still worth asking.
    pub(crate) fn check(&self, host: &str) -> Result<(), Departure> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied().unwrap_or(0);
        if failures < PATIENCE {
            return Ok(());
        }
        let reason = format!("{host} failed {PATIENCE} times in a row and is left alone for the rest of this run");
        Err(Departure::Unreachable { reason })
    }

    /// A host has answered properly.
    pub(crate) fn answered(&self, host: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(host);
    }

    /// The extra pause that a departure earns its host.
    pub(crate) fn pause_after(&self, host: &str, departure: &Departure) -> Duration {
        let asked = match departure {
            Departure::ServerTrouble { retry_after, status: 429 | 503 } => retry_after.map(Duration::from_secs),
            Departure::ServerTrouble { status: 502 | 504, .. }
            | Departure::TooSlow { .. }
            | Departure::Unreachable { .. } => None,
            // An answer, if a bad one: any other trouble is the page's own.
            Departure::Missing { .. }
            | Departure::Refused { .. }
            | Departure::Moved { .. }
            | Departure::ServerTrouble { .. }
            | Departure::Unchanged(_) => {
                self.answered(host);
                return Duration::ZERO;
            }
            // Nothing was asked of the host.
            _ => return Duration::ZERO,
        };
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failures = hosts.entry(host.to_owned()).or_default();
        *failures += 1;
        if asked.is_some_and(|asked| asked > LONGEST_PAUSE) {
            *failures = PATIENCE;
        }
        if *failures >= PATIENCE {
            return Duration::ZERO;
        }
        match departure {
            Departure::ServerTrouble { status: 429 | 503, .. } => {
                asked.unwrap_or(FIRST_PAUSE * 2_u32.pow(*failures - 1))
            }
            _ => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_trouble_is_asked_ever_more_rarely_and_then_no_more() {
        let hosts = Troubled::default();
        let trouble = Departure::ServerTrouble { status: 503, retry_after: None };
        let pauses: Vec<_> = (0..5).map(|_| hosts.pause_after("a", &trouble).as_secs()).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 0]);
        assert!(hosts.check("a").is_err() && hosts.check("b").is_ok());
        hosts.forget();
        assert!(hosts.check("a").is_ok());
    }

    #[test]
    fn what_a_host_asks_for_is_kept() {
        let hosts = Troubled::default();
        let ask = |seconds| Departure::ServerTrouble { status: 429, retry_after: Some(seconds) };
        assert_eq!(hosts.pause_after("a", &ask(30)), Duration::from_secs(30));
        hosts.pause_after("a", &ask(9_000));
        assert!(hosts.check("a").is_err(), "too long to wait for");
    }

    #[test]
    fn one_proper_answer_makes_good() {
        let hosts = Troubled::default();
        for _ in 0..20 {
            hosts.pause_after("a", &Departure::TooSlow { seconds: 1 });
            hosts.pause_after("a", &Departure::ServerTrouble { status: 500, retry_after: None });
        }
        assert!(hosts.check("a").is_ok());
    }
}
