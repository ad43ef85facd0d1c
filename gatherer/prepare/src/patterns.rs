//! Endless URL spaces, as they show by what they yield.

use crate::shape::is_plain;
use gatherer_pipeline::Departure;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Most shapes remembered of one host.
const SHAPE_MOST: usize = 500;
/// Visits that every shape has free.
const TRIAL: u64 = 50;
/// Further visits that one new document earns.
const EARNED: u64 = 4;
/// From so many visits without a new document on, a shape is closed if new ones are rare.
const STALE_MOST: u64 = 20;
/// Most combinations of parameters that are told apart at one path.
const COMBINATION_MOST: usize = 30;

/// What the [shapes](crate::shape()) of one host have yielded so far, and so whether more of the same is worth a visit.
///
/// A shape that goes on yielding new documents is never stopped; one that yields only what is known already, or
/// nothing, stops after about 50 visits. It is to be asked right before a visit: URLs that only wait cannot have
/// yielded anything yet.
///
/// Bounded: beyond 500 shapes the least used is forgotten, and a path with more than 30 combinations of parameters
/// counts as one shape, `/path?*`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Patterns {
    tallies: BTreeMap<String, Tally>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Tally {
    taken: u64,
    fresh: u64,
    stale: u64,
}

impl Patterns {
    /// Lets one more URL of this shape, or host of this [domain](domain_key), be visited and counts it. Shapes that
    /// stand for one URL only are always let in and not remembered.
    ///
    /// # Errors
    /// [`Departure::Trap`] if the shape has not earned it.
    pub fn admit(&mut self, shape: &str) -> Result<(), Departure> {
        if !is_counted(shape) {
            return Ok(());
        }
        if !self.tallies.contains_key(&*self.key(shape)) {
            self.make_room(shape);
        }
        let key = self.key(shape).into_owned();
        let tally = self.tallies.entry(key.clone()).or_default();
        if tally.is_closed() {
            return Err(Departure::Trap { pattern: words(&key, tally) });
        }
        tally.taken += 1;
        Ok(())
    }

    /// Notes what a visit has given: a new document, or one that is known already, or none.
    pub fn yielded(&mut self, shape: &str, fresh: bool) {
        let key = self.key(shape).into_owned();
        if let Some(tally) = self.tallies.get_mut(&key) {
            *(if fresh { &mut tally.fresh } else { &mut tally.stale }) += 1;
        }
    }

    /// The shapes that are stopped at present and why, in words, for reports.
    pub fn closed(&self) -> Vec<String> {
        let closed = self.tallies.iter().filter(|(_, tally)| tally.is_closed());
        closed.map(|(shape, tally)| words(shape, tally)).collect()
    }

    /// What a shape is counted under: itself, or all combinations of parameters at its path together.
    fn key<'a>(&self, shape: &'a str) -> Cow<'a, str> {
        let together = path_of(shape).map(all_combinations);
        together.filter(|key| self.tallies.contains_key(key)).map_or(Cow::Borrowed(shape), Cow::Owned)
    }

    /// Makes room for a new shape.
    fn make_room(&mut self, shape: &str) {
        if let Some(path) = path_of(shape) {
            self.bound_combinations(path);
        }
        if self.tallies.len() >= SHAPE_MOST {
            let least = self.tallies.iter().min_by_key(|(_, tally)| tally.taken).map(|(shape, _)| shape.clone());
            least.and_then(|shape| self.tallies.remove(&shape));
        }
    }

    /// Counts all combinations of parameters at a path as one shape, if one more would be too many.
    fn bound_combinations(&mut self, path: &str) {
        let beginning = format!("{path}?");
        let at_path = self.tallies.range(beginning.clone()..).take_while(|(shape, _)| shape.starts_with(&beginning));
        let shapes: Vec<_> = at_path.map(|(shape, _)| shape.clone()).collect();
        if shapes.len() < COMBINATION_MOST {
            return;
        }
        let tallies = shapes.iter().filter_map(|shape| self.tallies.remove(shape));
        let together = tallies.fold(Tally::default(), Tally::and);
        self.tallies.insert(all_combinations(path), together);
    }
}

impl Tally {
    fn is_closed(&self) -> bool {
        let is_spent = self.taken >= TRIAL + EARNED * self.fresh;
        let is_stale = self.stale > STALE_MOST && self.stale > EARNED * self.fresh;
        is_spent || (self.taken >= TRIAL && is_stale)
    }

    fn and(self, other: Self) -> Self {
        Self { taken: self.taken + other.taken, fresh: self.fresh + other.fresh, stale: self.stale + other.stale }
    }
}

/// `*.example.co.uk` for a host below its registrable domain, to be counted among the [`Patterns`] of that domain:
/// whoever makes up subdomains without end has as many hosts as he likes.
pub fn domain_key(host: &str) -> Option<String> {
    let host = host.trim_end_matches('.');
    if host.starts_with('[') || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    let domain = psl::domain_str(host)?;
    (domain.len() < host.len()).then(|| format!("*.{domain}"))
}

/// Whether there can be more than one URL or host of this shape.
fn is_counted(shape: &str) -> bool {
    !is_plain(shape) || shape.starts_with("*.")
}

fn path_of(shape: &str) -> Option<&str> {
    shape.split_once('?').map(|(path, _)| path)
}

/// No shape of a URL is like this; there every name ends in `=`.
fn all_combinations(path: &str) -> String {
    format!("{path}?*")
}

fn words(shape: &str, tally: &Tally) -> String {
    format!("{shape} has given {} new documents of {} visited", tally.fresh, tally.taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits `times` URLs of a shape, every `fresh`-th of which gives something new; how many were let in.
    fn visit(patterns: &mut Patterns, shape: &str, times: usize, fresh: Option<usize>) -> usize {
        let mut taken = 0;
        for _ in 0..times {
            if patterns.admit(shape).is_ok() {
                taken += 1;
                patterns.yielded(shape, fresh.is_some_and(|every| taken % every == 0));
            }
        }
        taken
    }

    fn check(shape: &str, times: usize, fresh: Option<usize>, expected: usize) {
        assert_eq!(visit(&mut Patterns::default(), shape, times, fresh), expected, "{shape}, {fresh:?}");
    }

    #[test]
    fn what_yields_new_documents_is_never_stopped() {
        check("/article/N", 5_000, Some(1), 5_000);
        check("/article/N", 5_000, Some(4), 5_000);
        check("/list?page=", 5_000, Some(2), 5_000);
    }

    #[test]
    fn what_yields_nothing_new_is_stopped_after_its_trial() {
        check("/calendar/D", 5_000, None, 50);
        check("/calendar?day=", 5_000, None, 50);
        check("*.example.org", 5_000, None, 50);
        check("/calendar/D", 5_000, Some(40), 50);
        check("/calendar/D", 5_000, Some(10), 50);
    }

    #[test]
    fn plain_paths_are_always_let_in_and_not_remembered() {
        let mut patterns = Patterns::default();
        assert_eq!(visit(&mut patterns, "/news/", 5_000, None), 5_000);
        assert_eq!(patterns, Patterns::default());
    }

    #[test]
    fn a_shape_that_dries_up_is_closed_and_says_so() {
        let mut patterns = Patterns::default();
        assert_eq!(visit(&mut patterns, "/tag/N", 40, Some(1)), 40);
        let more = visit(&mut patterns, "/tag/N", 5_000, None);
        assert!((150..=170).contains(&more), "{more}");
        let words = format!("/tag/N has given 40 new documents of {} visited", 40 + more);
        assert_eq!(patterns.admit("/tag/N"), Err(Departure::Trap { pattern: words.clone() }));
        assert_eq!(patterns.closed(), [words]);
        patterns.yielded("/tag/N", true);
        assert_eq!((patterns.admit("/tag/N"), patterns.closed()), (Ok(()), Vec::new()), "late yields count");
    }

    #[test]
    fn too_many_combinations_of_parameters_count_as_one_shape() {
        let mut patterns = Patterns::default();
        let shape = |number: usize| format!("/shop?{}=", "f".repeat(number + 1));
        let taken: usize = (0..190).map(|number| visit(&mut patterns, &shape(number), 10, None)).sum();
        assert_eq!(taken, 300, "thirty combinations are told apart, then together they are closed");
        assert_eq!(patterns.closed(), ["/shop?* has given 0 new documents of 300 visited"]);
        assert!(patterns.admit(&shape(0)).is_err(), "whichever of them it is");
        assert!(patterns.admit("/shop/N?f=").is_ok(), "another path is another matter");

        let mut honest = Patterns::default();
        let taken: usize = (0..190).map(|number| visit(&mut honest, &shape(number), 10, Some(1))).sum();
        assert_eq!(taken, 1_900);
        assert_eq!(honest.tallies.len(), 1);
    }

    #[test]
    fn memory_is_bounded_and_the_much_used_is_kept() {
        let mut patterns = Patterns::default();
        visit(&mut patterns, "/calendar/D", 60, None);
        for number in 0..20_000 {
            assert_eq!(patterns.admit(&format!("/{number}/N")), Ok(()));
        }
        assert_eq!(patterns.tallies.len(), SHAPE_MOST);
        assert!(patterns.admit("/calendar/D").is_err());
        patterns.yielded("/forgotten/N", false);
        assert_eq!(patterns.tallies.len(), SHAPE_MOST);
    }

    #[test]
    fn what_was_learnt_can_be_stored() {
        let mut patterns = Patterns::default();
        visit(&mut patterns, "/calendar/D", 60, Some(7));
        let bytes = postcard::to_stdvec(&patterns).expect("plain data");
        assert_eq!(postcard::from_bytes::<Patterns>(&bytes), Ok(patterns));
    }

    #[test]
    fn hosts_below_a_registrable_domain_are_counted_by_it() {
        for (host, expected) in [
            ("www.example.co.uk", Some("*.example.co.uk")),
            ("a.b.example.org.", Some("*.example.org")),
            ("example.org", None),
            ("ann.github.io", None),
            ("www.ann.github.io", Some("*.ann.github.io")),
            ("co.uk", None),
            ("localhost", None),
            ("", None),
            ("127.0.0.1", None),
            ("[::1]", None),
        ] {
            assert_eq!(domain_key(host).as_deref(), expected, "{host}");
        }
    }
}
