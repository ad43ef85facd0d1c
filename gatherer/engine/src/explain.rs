//! Why: everything the gatherer knows of a URL, without asking anybody.

use crate::Engine;
use gatherer_pipeline::{Access, Candidate, Entry, Failure, UnixTime};
use gatherer_prepare::canonical_url;
use gatherer_store::Record;
use std::time::Duration;
use url::Url;

/// What one root node says of a URL.
#[derive(Debug, Clone)]
pub struct RootVerdict {
    /// The root node.
    pub root: String,
    /// The rule that lets it in, or the reason against it.
    pub verdict: Result<String, String>,
}

/// Everything known of a URL.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The URL in its one form.
    pub url: Url,
    /// What each root node says.
    pub scope: Vec<RootVerdict>,
    /// What the robots rules at hand say, and of when they are; nothing if the site was never asked.
    pub robots: Option<(Result<String, String>, UnixTime)>,
    /// The pause between two requests to its site: the operator's or the site's own.
    pub pause: Duration,
    /// What its URL and name say of its kind.
    pub kind_before: Vec<String>,
    /// What the ledger says.
    pub entry: Option<Entry>,
    /// Its record.
    pub record: Option<Record>,
    /// Other URLs with the same content.
    pub same_content: Vec<Url>,
    /// What a run at this moment would do.
    pub next: String,
}

impl Engine {
    /// Everything known of a URL, without asking anybody.
    ///
    /// # Errors
    /// When the store fails.
    pub fn explain(&self, url: &Url) -> Result<Explanation, Failure> {
        let url = canonical_url(url.clone()).url;
        let entry = self.store.entry(&url)?;
        let view = self.store.view();
        let record = view.record(&url)?;
        let twins = record.as_ref().map(|record| view.same_content(record.head.md5)).transpose()?.unwrap_or_default();
        let scope = self.verdicts(&url, entry.as_ref());
        let rules = self.robots_at_hand(&url);
        let asked = rules.as_ref().and_then(|(rules, _)| rules.crawl_delay()).unwrap_or_default();
        let root = entry.as_ref().and_then(|entry| self.roots.get(&entry.root));
        let is_web = Access::of(&url) == Some(Access::Http);
        let own = root.filter(|_| is_web).map_or(Duration::ZERO, |root| root.node.delay);
        let robots = rules.map(|(robots, at)| (robots.judge(&url).map_err(|d| d.to_string()), at));
        let next = self.next_step(entry.as_ref(), &scope, robots.as_ref().map(|(verdict, _)| verdict));
        Ok(Explanation {
            kind_before: self.desk.before_fetch(&url).iter().map(ToString::to_string).collect(),
            same_content: twins.into_iter().filter(|twin| *twin != url).collect(),
            url,
            scope,
            robots,
            pause: own.max(asked),
            entry,
            record,
            next,
        })
    }

    fn verdicts(&self, url: &Url, entry: Option<&Entry>) -> Vec<RootVerdict> {
        let verdict = |node: &gatherer_pipeline::RootNode| {
            let candidate = match entry.filter(|entry| entry.root == node.name) {
                Some(entry) => entry.candidate(),
                None => Candidate::start(url.clone(), &node.name),
            };
            let judged = self.root(&candidate).and_then(|root| root.scope.admit(&candidate));
            RootVerdict { root: node.name.clone(), verdict: judged.map_err(|departure| departure.to_string()) }
        };
        self.settings.root_nodes.iter().map(verdict).collect()
    }

    fn next_step(
        &self,
        entry: Option<&Entry>,
        scope: &[RootVerdict],
        robots: Option<&Result<String, String>>,
    ) -> String {
        let now = self.clock.now();
        let in_scope = scope.iter().any(|root| root.verdict.is_ok());
        match (entry, robots) {
            (Some(entry), _) if !in_scope && entry.expires.is_some() => {
                "delete its record: no root node has it in scope any more".to_owned()
            }
            (_, _) if !in_scope => "leave it alone: no root node has it in scope".to_owned(),
            (_, Some(Err(rule))) => format!("leave it alone: {rule}"),
            (None, _) => "fetch it as soon as a reference to it is found".to_owned(),
            (Some(entry), _) if entry.is_due(now) => "fetch it: it is due".to_owned(),
            (Some(entry), _) => format!("leave it alone: not due for another {}", span(entry.due.since(now))),
        }
    }
}

/// A span in its largest unit, for people.
fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
