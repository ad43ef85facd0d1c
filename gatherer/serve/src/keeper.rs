//! The gatherer behind the ports, as people ask about it: what it does now and why, and what it shall do next.

use gatherer_pipeline::report::Report;
use gatherer_pipeline::{Failure, UnixTime};
use url::Url;

/// Whoever runs the gatherer whose records are served.
pub trait Keeper: Send + Sync {
    /// What is going on at this moment.
    fn now(&self) -> Now;

    /// Everything known of a URL: lines of what each is about and what it says. Nothing for whom its root node is not
    /// there, and no word of such root nodes.
    ///
    /// # Errors
    /// When the store fails.
    fn explain(&self, url: &Url, is_hidden: &dyn Fn(&str) -> bool) -> Result<Option<Vec<(String, String)>>, Failure>;

    /// Asks for a run. Says what will come of that, or why nothing will.
    ///
    /// # Errors
    /// A sentence for whoever asked.
    fn run(&self, wish: &RunWish) -> Result<String, String>;

    /// Takes up the config as it is now. Says what is different, a line each.
    ///
    /// # Errors
    /// All that is wrong with the new one; the old one stays in force.
    fn reload(&self) -> Result<Vec<String>, String>;
}

/// What is going on.
#[derive(Debug, Clone, Default)]
pub struct Now {
    /// The time there.
    pub time: UnixTime,
    /// The run under way.
    pub running: Option<Running>,
    /// When each root node and source is gathered next.
    pub plans: Vec<Plan>,
    /// Hosts with something queued, those that wait longest first, and as many as are worth showing.
    pub hosts: Vec<Waiting>,
    /// What someone should look at now, such as a run that does not come on.
    pub warnings: Vec<String>,
}

/// A run under way.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// What it has come to.
    pub report: Report,
    /// Candidates queued.
    pub queued: u64,
    /// Visits under way, the oldest first.
    pub in_hand: Vec<String>,
    /// Why nothing is under way, if nothing is.
    pub waits: Option<String>,
    /// About how many more visits there will be, from how many references the levels up to now have given.
    pub remaining: Option<u64>,
}

/// When something is gathered next.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The root node, or the other gatherer.
    pub root: String,
    /// By which rule, in words.
    pub rule: String,
    /// When.
    pub next: Option<UnixTime>,
    /// Why not before, or not at all.
    pub because: String,
}

/// A host with something queued.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Its name.
    pub host: String,
    /// How much.
    pub queued: u64,
    /// What it waits for,
    pub because: String,
    /// and until when.
    pub until: Option<UnixTime>,
}

/// Which run is wanted.
#[derive(Debug, Clone, Default)]
pub struct RunWish {
    /// These root nodes only; none named means all.
    pub roots: Vec<String>,
    /// Everything known there, due or not.
    pub everything: bool,
    /// Deletions pass that the brake would hold back.
    pub allow_deletions: bool,
}
