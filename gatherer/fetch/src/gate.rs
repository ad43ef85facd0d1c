//! The one gate through which every request to a host passes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep_until};

/// One request at a time to a host, and a pause between the end of one answer and the next request.
#[derive(Default)]
pub struct Gate {
    hosts: Mutex<HashMap<String, Arc<AsyncMutex<Option<Instant>>>>>,
}

/// The right to make one request. Give it back by dropping it when the answer is complete.
pub struct Pass {
    last_end: OwnedMutexGuard<Option<Instant>>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        *self.last_end = Some(Instant::now());
    }
}

impl Gate {
    /// Hosts remembered before those that have long been quiet are forgotten.
    const REMEMBERED: usize = 10_000;
    /// A longer delay counts as this one, so a host quiet for longer may be forgotten.
    const LONG: Duration = Duration::from_hours(1);

    /// Waits until a request to `host` may be made, `delay` after the end of the one before.
    pub async fn enter(&self, host: &str, delay: Duration) -> Pass {
        let last_end = self.host(host).lock_owned().await;
        // A timer that is already due still takes a millisecond.
        let next = last_end.map(|end| end + delay.min(Self::LONG)).filter(|next| *next > Instant::now());
        if let Some(next) = next {
            sleep_until(next).await;
        }
        Pass { last_end }
    }

    /// When the next request to `host` may be made.
    pub fn ready_at(&self, host: &str, delay: Duration) -> Instant {
        let (now, delay) = (Instant::now(), delay.min(Self::LONG));
        match self.host(host).try_lock() {
            Ok(last_end) => last_end.map_or(now, |end| end + delay),
            // A request is under way.
            Err(_) => now + delay,
        }
    }

    fn host(&self, host: &str) -> Arc<AsyncMutex<Option<Instant>>> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= Self::REMEMBERED && !hosts.contains_key(host) {
            let now = Instant::now();
            hosts.retain(|_, last_end| {
                let quiet = |end: Option<Instant>| end.is_none_or(|end| now.duration_since(end) > Self::LONG);
                Arc::strong_count(last_end) > 1 || !last_end.try_lock().is_ok_and(|end| quiet(*end))
            });
        }
        hosts.entry(host.to_owned()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_pause_counts_from_the_end_of_the_last_answer() {
        let gate = Gate::default();
        let start = Instant::now();
        let pass = gate.enter("a", Duration::from_secs(2)).await;
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(pass);
        let _pass = gate.enter("a", Duration::from_secs(2)).await;
        assert_eq!(start.elapsed().as_secs(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_do_not_wait_for_each_other() {
        let gate = Gate::default();
        let start = Instant::now();
        let _a = gate.enter("a", Duration::from_secs(2)).await;
        let _b = gate.enter("b", Duration::from_secs(2)).await;
        assert!(start.elapsed().is_zero());
    }

    #[tokio::test(start_paused = true)]
    async fn only_one_request_at_a_time_reaches_a_host() {
        let gate = Arc::new(Gate::default());
        let pass = gate.enter("a", Duration::ZERO).await;
        let second = tokio::spawn({
            let gate = gate.clone();
            async move { drop(gate.enter("a", Duration::ZERO).await) }
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        drop(pass);
        second.await.expect("the second request goes through");
    }
}
