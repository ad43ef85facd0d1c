//! Sitemaps: candidates like any other, fetched through the same line, read for what they name.

use crate::gather::Learnt;
use crate::{Engine, Root};
use gatherer_pipeline::{Access, Candidate, Fetched, Hint, Md5, Outcome, Role, Step};
use gatherer_prepare::{Robots, SitemapReading, read_sitemap};
use gatherer_store::{Run, Work};

/// Maps within maps are read so deep. The standard knows one level.
const NESTING: u32 = 3;
/// Most maps taken from one robots.txt.
const MAPS: usize = 1_000;
/// Most entries read from one map. The standard allows no more, and a root node's own limit bounds what is taken.
const ENTRIES: usize = 50_000;

impl Engine {
    /// Reads a sitemap for what it names, and puts that down as candidates with the map's hints.
    pub(crate) fn read_map(&self, run: &Run, work: &Work, fetched: &Fetched, learnt: &Learnt) -> Step<Vec<String>> {
        let map = &work.candidate;
        let reading = read_sitemap(&fetched.body, map.url(), ENTRIES);
        let complaint = complaint(&reading, fetched.cut_from.is_some());
        let named = reading.found.len() as u64;
        let mut found = Vec::with_capacity(reading.found.len());
        for entry in reading.found {
            let hint = Hint { modified: entry.modified, interval: entry.interval, points: points(entry.priority) };
            let role = if entry.is_map { Role::Map } else { Role::Page };
            // An index may name maps of its own site only, and not for ever; pages are judged by the scope.
            if role == Role::Page || (entry.url.host() == map.url().host() && map.depth() < NESTING) {
                found.push(map.mapped(entry.url, role, hint));
            }
        }
        self.put_down_map(run, work, fetched, Outcome::Enumerated { named, complaint }, found, learnt)
    }

    /// The sitemaps that a robots.txt names, as candidates of the root node that asked for it.
    pub(crate) fn maps_of(&self, robots: &Robots, candidate: &Candidate) -> Vec<Candidate> {
        // A node of single documents wants these, and not all that their site has; and a sitemap that lies on another
        // host does not bring that host's sitemaps along.
        let is_page = candidate.role() != Role::Map;
        let is_wanted = |root: &Root| is_page && root.node.robots_sitemaps && !root.node.start.is_empty();
        let wanted = self.root(candidate).is_ok_and(|root| is_wanted(&root));
        let named = robots.sitemaps().iter().take(MAPS).filter(|_| wanted).filter_map(|url| url::Url::parse(url).ok());
        let web = named.filter(|url| Access::of(url) == Some(Access::Http));
        let robots_txt = candidate.url().join("/robots.txt").unwrap_or_else(|_| candidate.url().clone());
        web.map(|url| Candidate::map(url, candidate.root()).found_at(robots_txt.clone())).collect()
    }

    /// A digest of what decides what a map's entries become: with another scope it is read again.
    pub(crate) fn map_mark(&self, candidate: &Candidate) -> Md5 {
        self.root(candidate).map_or(Md5([0; 16]), |root| crate::enumerate::scope_mark(&root.node))
    }
}

fn complaint(reading: &SitemapReading, is_cut: bool) -> Option<String> {
    let cut = is_cut.then(|| "it was cut at the size limit".to_owned());
    let long = reading.cut.then(|| format!("only its first {ENTRIES} entries were read"));
    let all: Vec<_> = cut.into_iter().chain(long).chain(reading.complaints.iter().take(3).cloned()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// A sitemap's priority, from 0 to 1, as points from -5 to 5.
fn points(priority: Option<f32>) -> i8 {
    #[expect(clippy::cast_possible_truncation, reason = "clamped before")]
    priority.map_or(0, |priority| ((priority - 0.5) * 10.0).round().clamp(-5.0, 5.0) as i8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_become_points() {
        let of = |priority| points(Some(priority));
        assert_eq!([of(0.0), of(0.5), of(0.8), of(1.0), of(99.0), of(f32::NAN)], [-5, 0, 3, 5, 5, 0]);
        assert_eq!(points(None), 0);
    }
}
