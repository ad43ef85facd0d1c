//! The desk on which one document is worked over between fetch and fold: recognized, selected, summarized, corrected.
//! The engine does it to every resource, `gatherer summarize` to one, without a store.

use crate::setup;
use gatherer_fetch::{Fetcher, Pace, host_and_port};
use gatherer_pipeline::{
    Admission, Candidate, Clock, Departure, Draft, Failure, Fetched, Kind, Known, Leaf, Md5, Prepared, Recognized,
    Stop, Summary, Times, UnixTime,
};
use gatherer_post_summarize::Rules;
use gatherer_prepare::{PageRules, says_missing};
use gatherer_recognize::Recognizer;
use gatherer_settings::{Identity, Selecting, Settings};
use gatherer_summarize::Summarizers;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Works documents over.
pub struct Desk {
    mark: Md5,
    agent: String,
    recognizer: Recognizer,
    summarizers: Summarizers,
    rules: Rules,
    selecting: Selecting,
    identity: Identity,
    port: String,
}

/// A leaf with its draft, and who made it.
pub(crate) struct Drafted {
    pub(crate) leaf: Recognized,
    pub(crate) draft: Draft,
    pub(crate) by: String,
    /// Somebody refused it on the way.
    pub(crate) refused: bool,
}

impl Drafted {
    /// The words with which a web page says that nothing is there.
    pub(crate) fn says_missing(&self) -> Option<String> {
        if !matches!(self.leaf.kind().name(), "HTML" | "HomeHTML") {
            return None;
        }
        let get = |name| self.draft.get(name).unwrap_or_default();
        let length = get("Full-Text").len().max(get("Partial-Text").len());
        // Without any text in the record there is only the page itself to go by.
        let length = if length == 0 { self.leaf.fetched.body.len() } else { length };
        says_missing(get("Title"), get("Headings"), length)
    }
}

impl Desk {
    /// A desk by the operator's tables and rules.
    ///
    /// # Errors
    /// When a rule does not compile.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        let rules = setup::rules(settings).map_err(|complaints| Failure::plain(complaints.to_string()))?;
        // Port 0 means "any that is free", which nobody can connect to.
        let port = settings.brokering.listen.rsplit(':').next().filter(|port| *port != "0").unwrap_or_default();
        Ok(Self {
            mark: setup::desk_mark(settings),
            agent: settings.fetching.agent.clone(),
            recognizer: setup::recognizer(settings)?,
            summarizers: setup::summarizers(settings),
            rules,
            selecting: settings.selecting.clone(),
            identity: settings.identity.clone(),
            port: port.to_owned(),
        })
    }

    /// A digest of all that decides what a record looks like: tables, rules, summarizers, release.
    pub(crate) fn mark(&self) -> Md5 {
        self.mark
    }

    /// What the page itself says to robots.
    pub(crate) fn page_rules(&self, drafted: &Drafted, now: UnixTime) -> PageRules {
        let metas = ["robots", self.agent.as_str()].into_iter().filter_map(|name| drafted.draft.get(name));
        PageRules::read(metas, &drafted.leaf.fetched.robots_tag, &self.agent, now)
    }

    /// What a URL and its name say of the kind, before anything is fetched.
    pub(crate) fn before_fetch(&self, url: &Url) -> Vec<gatherer_pipeline::Vote> {
        self.recognizer.before_fetch(url)
    }

    /// Says what a fetched resource is.
    pub fn recognize(&self, fetched: Fetched) -> Recognized {
        self.recognizer.recognize(fetched)
    }

    /// Whether the operator wants this kind.
    ///
    /// # Errors
    /// [`Departure::NotSelected`].
    pub fn select(&self, kind: &Kind) -> Result<(), Departure> {
        let named = |kinds: &[String]| kinds.iter().any(|name| name.eq_ignore_ascii_case(kind.name()));
        let (stop, allow) = (&self.selecting.stop_kinds, &self.selecting.allow_kinds);
        if named(stop) || (!allow.is_empty() && !named(allow)) {
            return Err(Departure::NotSelected { kind: kind.to_string() });
        }
        Ok(())
    }

    pub(crate) fn draft(&self, leaf: Recognized) -> Drafted {
        let fetched = &leaf.fetched;
        let summarized = self.summarizers.summarize(&Leaf {
            url: fetched.url(),
            kind: leaf.kind(),
            votes: leaf.votes(),
            content_type: fetched.content_type.as_deref(),
            body: &fetched.body,
            cut: fetched.cut_from.is_some(),
        });
        Drafted { draft: summarized.draft, by: summarized.by, refused: summarized.refused, leaf }
    }

    pub(crate) fn correct(&self, drafted: &Drafted, times: Times) -> Result<Summary, Departure> {
        let mut summary = Summary::new(&drafted.leaf, &drafted.draft, &drafted.by, times);
        for (name, value) in [
            ("Gatherer-Name", self.identity.name.as_str()),
            ("Gatherer-Host", self.identity.host.as_str()),
            ("Gatherer-Port", self.port.as_str()),
            ("Gatherer-Version", setup::VERSION),
        ] {
            summary.set(name, value, "gatherer");
        }
        self.rules.apply(summary)
    }

    /// Recognizes, summarizes and corrects one resource; nothing is stored.
    ///
    /// # Errors
    /// When a rule or the selection leaves it out.
    pub fn summarize(&self, fetched: Fetched) -> Result<(Summary, Vec<String>), Departure> {
        let leaf = self.recognize(fetched);
        self.select(leaf.kind())?;
        let votes = leaf.votes().iter().map(ToString::to_string).collect();
        let times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::ZERO, range: 1 };
        Ok((self.correct(&self.draft(leaf), times)?, votes))
    }
}

/// Fetches one document because a person asks for it: no scope, no robots rules, no store.
///
/// # Errors
/// Why it could not be had.
pub async fn fetch_one(settings: &Settings, url: &Url, clock: Arc<dyn Clock>) -> Result<Fetched, Stop> {
    const ROOT: &str = "asked for";
    let mut manners = setup::manners(settings);
    manners.named_hosts.entry(ROOT.to_owned()).or_default().extend(host_and_port(url));
    manners.named_directories.extend(url.to_file_path().ok());
    let fetcher = Fetcher::new(manners, clock).map_err(|error| Failure::new(error.to_string(), error))?;
    let admission = Admission { scope: ROOT.to_owned(), robots: "not asked".to_owned() };
    let prepared = Prepared::new(Candidate::leaf(url.clone(), ROOT), admission, Known::default());
    let doors = fetcher.doors(url, ROOT).await?;
    fetcher
        .fetch(prepared, &doors, Pace { delay: Duration::ZERO, shared: Duration::ZERO, lines: 1 }, &mut Vec::new())
        .await
}
