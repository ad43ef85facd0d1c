//! Time as the store and the brokers see it: whole seconds since 1970.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since the beginning of 1970, as in SOIF's `Update-Time`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct UnixTime(pub u64);

impl UnixTime {
    /// The time `span` after this one; stops at the end of time instead of wrapping.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.as_secs()))
    }

    /// The time for people: `2026-11-16 03:04:05 UTC`.
    pub fn moment(self) -> String {
        let timestamp = i64::try_from(self.0).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        timestamp.map_or_else(|| self.to_string(), |timestamp| timestamp.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
    }

    /// How long ago `earlier` was; nothing if it lies ahead (a clock set back).
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_secs(self.0.saturating_sub(earlier.0))
    }
}

impl From<SystemTime> for UnixTime {
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).map_or(0, |span| span.as_secs()))
    }
}

impl fmt::Display for UnixTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The run's clock. Stages ask it instead of the machine, so that tests own the time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> UnixTime;

    /// The present moment in milliseconds: pauses between requests are counted in these.
    fn now_millis(&self) -> u64 {
        self.now().0.saturating_mul(1_000)
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
    fn now(&self) -> UnixTime {
        SystemTime::now().into()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
    fn now_millis(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// A clock that moves only when told to.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that stands at `time`.
    pub fn at(time: UnixTime) -> Self {
        Self(AtomicU64::new(time.0))
    }

    /// Moves the clock forward.
    pub fn advance(&self, span: Duration) {
        self.0.fetch_add(span.as_secs(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixTime {
        UnixTime(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_well() {
        assert_eq!(UnixTime(781_478_043).moment(), "1994-10-06 21:14:03 UTC");
        assert_eq!(UnixTime(u64::MAX).moment(), u64::MAX.to_string());
    }

    #[test]
    fn a_clock_set_back_gives_no_negative_span() {
        assert_eq!(UnixTime(10).since(UnixTime(20)), Duration::ZERO);
        assert_eq!(UnixTime(u64::MAX).after(Duration::from_secs(5)), UnixTime(u64::MAX));
    }
}
