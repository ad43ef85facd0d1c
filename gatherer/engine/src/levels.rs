//! How much of a site there is still to come, told from how many new references each level has given up to now.

/// What is known of each level below the root nodes.
#[derive(Debug, Default)]
pub(crate) struct Levels(Vec<Level>);

#[derive(Debug, Default, Clone, Copy)]
struct Level {
    queued: u64,
    visited: u64,
}

/// Levels that are told apart; what lies deeper counts for the last.
const DEEPEST: usize = 200;
/// Visits before anything is said: the first few pages of a site tell nothing.
const ENOUGH: u64 = 20;
/// Sites grow thinner with each level: where nothing is known of a level, it gives so much of what the one above it gave.
const THINNING: f64 = 0.5;

impl Levels {
    fn level(&mut self, depth: u32) -> &mut Level {
        let depth = (depth as usize).min(DEEPEST);
        if self.0.len() <= depth {
            self.0.resize(depth + 1, Level::default());
        }
        &mut self.0[depth]
    }

    pub(crate) fn queue(&mut self, depth: u32) {
        self.level(depth).queued += 1;
    }

    pub(crate) fn visit(&mut self, depth: u32) {
        self.level(depth).visited += 1;
    }

    /// What is queued, and what those are expected to lead to.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess")]
    pub(crate) fn remaining(&self, queued: u64) -> Option<u64> {
        let visited: u64 = self.0.iter().map(|level| level.visited).sum();
        if visited < ENOUGH {
            return None;
        }
        let (mut expected, mut coming, mut last_yield) = (0.0, 0.0_f64, 0.0_f64);
        for depth in 0..=DEEPEST {
            let level = self.0.get(depth).copied().unwrap_or_default();
            let below = self.0.get(depth + 1).copied().unwrap_or_default();
            let waiting = level.queued.saturating_sub(level.visited) as f64 + coming;
            last_yield = if level.visited >= ENOUGH {
                below.queued as f64 / level.visited as f64
            } else if level.visited > 0 {
                // Few have been seen: they count as much as what the level above leads one to expect.
                last_yield.mul_add(THINNING, below.queued as f64 / level.visited as f64) / 2.0
            } else {
                last_yield * THINNING
            };
            coming = waiting * last_yield;
            expected += coming;
            if waiting < 0.5 && depth > self.0.len() {
                break;
            }
        }
        // A site that grows with every level has no end that could be told.
        let most = (visited + queued) as f64 * 20.0;
        Some(queued + expected.min(most) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(counts: &[(u64, u64)]) -> Levels {
        Levels(counts.iter().map(|(queued, visited)| Level { queued: *queued, visited: *visited }).collect())
    }

    #[test]
    fn nothing_is_said_of_what_has_hardly_begun() {
        assert_eq!(levels(&[(1, 1), (30, 3)]).remaining(27), None);
    }

    #[test]
    fn a_site_that_is_through_has_nothing_left() {
        assert_eq!(levels(&[(1, 1), (30, 30), (200, 200), (0, 0)]).remaining(0), Some(0));
    }

    #[test]
    fn what_waits_leads_to_as_much_as_what_was_visited() {
        // A hundred pages of the second level have led to two each; a hundred wait, and what they lead to is thinner.
        let remaining = levels(&[(1, 1), (200, 100), (200, 0)]).remaining(300).expect("enough was seen");
        assert!((500..1_500).contains(&remaining), "{remaining}");
    }

    #[test]
    fn an_endless_site_gives_a_bounded_guess() {
        let endless = levels(&[(1, 1), (100, 100), (10_000, 100), (100_000, 0)]);
        assert!(endless.remaining(109_900).is_some_and(|remaining| remaining < 3_000_000));
    }
}
