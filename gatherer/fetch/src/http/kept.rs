//! Which connections stay open for the next request. Each takes some fifty kilobytes, and a run may go round among thousands of
//! servers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a connection is kept for the next request. A server that floods one that nobody reads is heard for so long.
pub(super) const FOR: Duration = Duration::from_secs(15);
/// To so many servers at once.
pub(super) const MOST: usize = 256;

/// Servers to which connections may be open, and when each was last asked.
#[derive(Default)]
pub(super) struct Kept(Mutex<HashMap<String, Instant>>);

impl Kept {
    /// Whether the connection to a server that is asked now may stay open.
    pub(super) fn may_stay(&self, server: &str, now: Instant) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = kept.get_mut(server) {
            *asked = now;
            return true;
        }
        if kept.len() >= MOST {
            kept.retain(|_, asked| now.duration_since(*asked) < FOR);
        }
        let has_room = kept.len() < MOST;
        if has_room {
            kept.insert(server.to_owned(), now);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_stay_and_old_ones_give_way() {
        let (kept, start) = (Kept::default(), Instant::now());
        for number in 0..MOST {
            assert!(kept.may_stay(&format!("www{number}.example:80"), start));
        }
        assert!(!kept.may_stay("late.example:80", start));
        let later = start + FOR;
        assert!(kept.may_stay("www0.example:80", later), "who is asked again and again stays");
        assert!(kept.may_stay("late.example:80", later), "the others' connections are closed by now");
        assert!(kept.may_stay("www0.example:80", later));
    }
}
