//! The one gate through which every request passes: page, robots.txt, sitemap, redirect hop, retry.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How fast a host may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Pause between the end of one answer and the next request on the same line.
    pub delay: Duration,
    /// The same between requests to one address under different names: what a site asks for itself is not asked for its
    /// neighbours.
    pub shared: Duration,
    /// Requests at once; at least one.
    pub lines: u32,
}

impl Pace {
    /// The pace at a door: the first is the host's, any further one its address's.
    fn at(self, door: usize) -> Self {
        if door == 0 { self } else { Self { delay: self.shared, ..self } }
    }
}

/// One door for each host name and one for each address. A request goes through the doors of its name and of its
/// address together, so that many names on one machine are one host to it.
#[derive(Default)]
pub struct Gate {
    doors: Mutex<HashMap<String, Door>>,
    /// At so many doors those that have long been quiet are forgotten.
    full: AtomicUsize,
}

#[derive(Default)]
struct Door {
    /// Requests under way.
    busy: u32,
    /// Ends of the last answers, one for each line that is idle now.
    ends: Vec<Instant>,
    /// Nobody passes before, whatever the lines say: known from an earlier process.
    held: Option<Instant>,
    /// The next place in the row of those who were turned away here.
    row: Option<Instant>,
}

/// The right to make one request. Give it back by dropping it when the answer is complete.
pub struct Pass {
    gate: Arc<Gate>,
    keys: Vec<String>,
}

impl Drop for Pass {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut doors = self.gate.doors();
        for key in &self.keys {
            if let Some(door) = doors.get_mut(key) {
                door.busy = door.busy.saturating_sub(1);
                door.ends.push(now);
            }
        }
    }
}

impl Gate {
    /// Doors remembered before those that have long been quiet are forgotten.
    const REMEMBERED: usize = 10_000;
    /// A longer delay counts as this one, so a door quiet for longer may be forgotten.
    const LONG: Duration = Duration::from_hours(1);
    /// Ends remembered of one door; who gives a host more lines than that does not care for pauses.
    const LINES: usize = 256;
    /// Who is turned away at a door in use comes back after this at the earliest.
    const SHORT: Duration = Duration::from_millis(20);

    /// Passes all these doors, or says how long to wait before the next try.
    ///
    /// # Errors
    /// The wait.
    pub fn try_enter(self: &Arc<Self>, keys: &[String], pace: Pace) -> Result<Pass, Duration> {
        let now = Instant::now();
        let mut doors = self.doors();
        self.forget_quiet(&mut doors, now);
        let opens = |(place, key): (usize, &String)| doors.entry(key.clone()).or_default().opens(now, pace.at(place));
        let closed = keys.iter().enumerate().map(opens).max().flatten();
        if let Some(opens) = closed {
            // Who shares an address gets a place in its row: a thousand names must not all come back at once.
            let row = keys.iter().skip(1).filter_map(|key| Some(doors.get_mut(key)?.queue(opens, pace.at(1)))).max();
            return Err(row.unwrap_or(opens).saturating_duration_since(now).max(Self::SHORT));
        }
        for key in keys {
            if let Some(door) = doors.get_mut(key) {
                door.enter(now, pace);
            }
        }
        Ok(Pass { gate: Arc::clone(self), keys: keys.to_vec() })
    }

    /// Waits until all these doors are open, and passes.
    pub async fn enter(self: &Arc<Self>, keys: &[String], pace: Pace) -> Pass {
        loop {
            match self.try_enter(keys, pace) {
                Ok(pass) => return pass,
                Err(wait) => sleep(wait).await,
            }
        }
    }

    /// How long until a request may pass, as far as can be told now.
    pub fn wait(&self, keys: &[String], pace: Pace) -> Duration {
        let now = Instant::now();
        let doors = self.doors();
        let opens = keys.iter().enumerate().filter_map(|(place, key)| doors.get(key)?.opens(now, pace.at(place))).max();
        opens.map_or(Duration::ZERO, |opens| opens.saturating_duration_since(now))
    }

    /// Keeps a door shut for a while, unless it is in use already: what an earlier process knew.
    pub fn hold(&self, key: &str, wait: Duration) {
        self.doors()
            .entry(key.to_owned())
            .or_insert_with(|| Door { held: Instant::now().checked_add(wait.min(Self::LONG)), ..Door::default() });
    }

    /// Whether a door was ever asked for.
    pub fn knows(&self, key: &str) -> bool {
        self.doors().contains_key(key)
    }

    fn forget_quiet(&self, doors: &mut HashMap<String, Door>, now: Instant) {
        if doors.len() >= Self::REMEMBERED.max(self.full.load(Ordering::Relaxed)) {
            doors.retain(|_, door| !door.is_quiet(now));
            // Not at every request if all of them are in use.
            self.full.store(2 * doors.len(), Ordering::Relaxed);
        }
    }

    fn doors(&self) -> MutexGuard<'_, HashMap<String, Door>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// When it opens, if it is shut.
    fn opens(&self, now: Instant, pace: Pace) -> Option<Instant> {
        let delay = pace.delay.min(Gate::LONG);
        let idle = pace.lines.max(1).saturating_sub(self.busy) as usize;
        let line = match idle.checked_sub(1) {
            None => Some(now + delay.max(Gate::SHORT)),
            // Of the lines that count, the one that has been idle longest. Fewer ends than lines: one is still fresh.
            Some(place) => {
                let mut ends = self.ends.clone();
                ends.sort_unstable_by(|a, b| b.cmp(a));
                ends.get(place).map(|end| *end + delay)
            }
        };
        line.max(self.held).filter(|opens| *opens > now)
    }

    fn enter(&mut self, now: Instant, pace: Pace) {
        let idle = pace.lines.max(1).saturating_sub(self.busy) as usize;
        self.busy += 1;
        self.held = None;
        self.row = self.row.filter(|place| *place > now);
        // One line is taken: a fresh one if there is any, else the one that has been idle longest.
        self.ends.sort_unstable_by(|a, b| b.cmp(a));
        if self.ends.len() >= idle {
            self.ends.pop();
        }
        self.ends.truncate(Gate::LINES);
    }

    fn queue(&mut self, opens: Instant, pace: Pace) -> Instant {
        let place = self.row.map_or(opens, |place| place.max(opens));
        self.row = Some(place + pace.delay.clamp(Gate::SHORT, Gate::LONG));
        place
    }

    fn is_quiet(&self, now: Instant) -> bool {
        let long_ago = |end: &Instant| now.saturating_duration_since(*end) > Gate::LONG;
        self.busy == 0 && self.ends.iter().all(long_ago) && self.held.is_none_or(|held| held < now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Pace = Pace { delay: Duration::from_secs(2), shared: Duration::from_secs(2), lines: 1 };

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_pause_counts_from_the_end_of_the_last_answer() {
        let gate = Arc::new(Gate::default());
        let start = Instant::now();
        let pass = gate.enter(&keys(&["a"]), SLOW).await;
        tokio::time::advance(Duration::from_secs(5)).await;
        drop(pass);
        assert_eq!(gate.wait(&keys(&["a"]), SLOW).as_secs(), 2);
        let _pass = gate.enter(&keys(&["a"]), SLOW).await;
        assert_eq!(start.elapsed().as_secs(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_do_not_wait_for_each_other() {
        let gate = Arc::new(Gate::default());
        let _a = gate.try_enter(&keys(&["a"]), SLOW).expect("open");
        let _b = gate.try_enter(&keys(&["b"]), SLOW).expect("open");
    }

    #[tokio::test(start_paused = true)]
    async fn names_on_one_address_are_one_host() {
        let gate = Arc::new(Gate::default());
        let start = Instant::now();
        drop(gate.enter(&keys(&["a", "192.0.2.1"]), SLOW).await);
        assert!(gate.try_enter(&keys(&["c", "192.0.2.2"]), SLOW).is_ok(), "another address");
        let waits: Vec<_> = (0..3).map(|_| gate.try_enter(&keys(&["b", "192.0.2.1"]), SLOW).err()).collect();
        let seconds: Vec<_> = waits.iter().flatten().map(Duration::as_secs).collect();
        assert_eq!(seconds, [2, 4, 6], "who is turned away gets a place in the row");
        drop(gate.enter(&keys(&["d", "192.0.2.1"]), SLOW).await);
        assert!(start.elapsed().as_secs() >= 2);
    }

    #[tokio::test(start_paused = true)]
    async fn each_line_has_its_own_pause() {
        let gate = Arc::new(Gate::default());
        let two = Pace { lines: 2, ..SLOW };
        let enter = || gate.try_enter(&keys(&["a"]), two);
        let (first, second) = (enter().expect("open"), enter().expect("open"));
        assert!(enter().is_err(), "both lines are busy");
        drop(first);
        tokio::time::advance(Duration::from_secs(1)).await;
        drop(second);
        assert_eq!(enter().err().map(|wait| wait.as_secs()), Some(1), "the first line's pause");
        tokio::time::advance(Duration::from_secs(1)).await;
        let third = enter().expect("the first line is free again");
        assert_eq!(enter().err().map(|wait| wait.as_secs()), Some(1), "the second line's pause");
        drop(third);
        assert_eq!(gate.wait(&keys(&["a"]), SLOW).as_secs(), 2, "with one line the last answer counts");
    }

    #[tokio::test(start_paused = true)]
    async fn what_an_earlier_process_knew_is_kept() {
        let gate = Arc::new(Gate::default());
        assert!(!gate.knows("a"));
        gate.hold("a", Duration::from_secs(3));
        assert!(gate.knows("a"));
        assert_eq!(gate.wait(&keys(&["a"]), SLOW).as_secs(), 3);
        drop(gate.enter(&keys(&["a"]), SLOW).await);
        gate.hold("a", Duration::from_secs(60));
        assert_eq!(gate.wait(&keys(&["a"]), SLOW).as_secs(), 2, "what this process knows is newer");
    }

    #[tokio::test(start_paused = true)]
    async fn doors_are_forgotten_only_when_quiet() {
        let gate = Arc::new(Gate::default());
        let _busy = gate.enter(&keys(&["busy"]), SLOW).await;
        for number in 0..20_000 {
            drop(gate.enter(&keys(&[&number.to_string()]), SLOW).await);
            if number == 10_000 {
                tokio::time::advance(Gate::LONG * 2).await;
            }
        }
        assert!(gate.doors().len() < 17_000 && gate.knows("busy"), "{}", gate.doors().len());
    }
}
