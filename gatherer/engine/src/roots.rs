//! Root nodes at work: those of the config, and those that enumeration programs have named.

use gatherer_pipeline::{Candidate, Departure, FilterRule, Order, Role, RootNode, Times, Verdict};
use gatherer_prepare::{Scope, UrlForm};
use gatherer_settings::Settings;
use gatherer_store::{DerivedNode, Terms};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use url::Position;

/// A root node with its scope worked out.
pub(crate) struct Root {
    pub(crate) node: RootNode,
    pub(crate) scope: Scope,
    /// The one form of its URLs.
    pub(crate) form: UrlForm,
}

impl Root {
    fn new(mut node: RootNode) -> Self {
        // A node that only an enumeration program fills names no host itself: there the program's word counts.
        let is_enumerated = node.enumeration.is_some() && node.start.is_empty() && node.leaves.is_empty();
        if is_enumerated && node.host_filter.is_empty() {
            let everything = Regex::new("").expect("the empty pattern is right");
            node.host_filter.push(FilterRule { verdict: Verdict::Allow, pattern: everything });
        }
        Self { scope: Scope::new(&node), form: UrlForm::new(&node.url_rules), node }
    }

    pub(crate) fn times(&self) -> Times {
        Times {
            refresh_rate: self.node.refresh_rate,
            time_to_live: self.node.time_to_live,
            range: self.node.refresh_range,
        }
    }

    pub(crate) fn terms(&self, candidate: &Candidate) -> Terms {
        let rank = match self.node.order {
            Order::Breadth => candidate.depth(),
            Order::Depth => u32::MAX - candidate.depth(),
            Order::Best => best_rank(self.points(candidate), candidate.depth()),
        };
        // A sitemap may lie on a host of its own, such as one for files.
        let hosts = if candidate.role() == Role::Map { u64::MAX } else { self.node.host_max };
        Terms { urls: self.node.url_max, hosts, rank, now: false, again: false }
    }

    /// The operator's points for a URL, and those that a sitemap gave it.
    fn points(&self, candidate: &Candidate) -> i32 {
        let path = &candidate.url()[Position::BeforePath..Position::AfterQuery];
        let rule = self.node.priority.iter().find(|rule| rule.pattern.is_match(path));
        rule.map_or(0, |rule| i32::from(rule.points)) + i32::from(candidate.hint().points)
    }
}

/// More points go before fewer, and among equals the nearer before the farther.
fn best_rank(points: i32, depth: u32) -> u32 {
    const LEVELS: u32 = 10_000;
    let behind = u32::try_from(100 - points.clamp(-100, 100)).unwrap_or(0);
    behind * LEVELS + depth.min(LEVELS - 1)
}

/// All root nodes by name.
pub(crate) struct Roots {
    nodes: RwLock<BTreeMap<String, Arc<Root>>>,
    /// Those that a program has named and that cannot be read now, with the reason: nothing of theirs is touched.
    broken: BTreeMap<String, String>,
}

impl Roots {
    /// The root nodes of the config, and those that their enumeration programs have named up to now.
    pub(crate) fn new(settings: &Settings, derived: Vec<DerivedNode>) -> Self {
        let configured = settings.root_nodes.iter().map(|node| (node.name.clone(), Arc::new(Root::new(node.clone()))));
        let mut roots = Self { nodes: RwLock::new(configured.collect()), broken: BTreeMap::new() };
        for DerivedNode { name, parent, line } in derived {
            let known = roots.get(&parent).filter(|parent| parent.node.enumeration.is_some());
            match known.map(|parent| crate::enumerate::nine_fields(&parent.node, &line)) {
                Some(Ok(node)) => roots.add(node),
                Some(Err(why)) => drop(roots.broken.insert(name, why)),
                None => {}
            }
        }
        roots
    }

    /// A root node, or why there is none.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<Root>, Departure> {
        self.get(name).ok_or_else(|| match self.broken.get(name) {
            Some(why) => Departure::Stumbled { what: format!("root node {name}: {why}") },
            None => Departure::RootGone { root: name.to_owned() },
        })
    }

    /// Root nodes that cannot be read now, and why.
    pub(crate) fn broken(&self) -> impl Iterator<Item = (&String, &String)> {
        self.broken.iter()
    }

    pub(crate) fn add(&self, node: RootNode) {
        let mut roots = self.nodes.write().unwrap_or_else(PoisonError::into_inner);
        roots.insert(node.name.clone(), Arc::new(Root::new(node)));
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Root>> {
        self.nodes.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Root>> {
        self.nodes.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_before_levels() {
        let mut order = [(0, 1), (5, 9), (-5, 0), (0, 0), (7, 99_999)].map(|(points, depth)| best_rank(points, depth));
        let expected = [order[4], order[1], order[3], order[0], order[2]];
        order.sort_unstable();
        assert_eq!(order, expected);
    }
}
