//! The desk on which one document is worked over between fetch and fold: recognized, selected, opened, summarized,
//! corrected.
//! The engine does it to every resource, `gatherer summarize` to one, without a store.

use crate::abstracts::Abstracts;
use crate::nest::{Inside, Member, Opening, Patience};
use crate::setup::{self, Unnesting};
use crate::tables::{self, RulePrograms};
use gatherer_fetch::{Fetcher, Pace, host_and_port};
use gatherer_pipeline::{
    Admission, Attribute, Candidate, Clock, Departure, Draft, Facts, Failure, Fetched, Kind, Known, Leaf, Md5,
    Prepared, Recognized, Stop, Summary, Times, UnixTime, guarded,
};
use gatherer_plugin::Shelf;
use gatherer_post_summarize::Rules;
use gatherer_prepare::{PageRules, says_missing};
use gatherer_recognize::Recognizer;
use gatherer_settings::{Complaints, Identity, Selecting, Settings};
use gatherer_summarize::{Summarized, Summarizers};
use gatherer_unnest::Budget;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// Kinds that hold one document of another kind.
const WRAPPINGS: [&str; 6] = ["GNUCompressed", "Bzip2", "Xz", "Zstd", "Compressed", "Uuencoded"];

fn names(kinds: &[String], kind: &Kind) -> bool {
    kinds.iter().any(|name| name.eq_ignore_ascii_case(kind.name()))
}

fn language_is(name: &str, language: &str) -> bool {
    gatherer_summarize::language_code(name).is_some_and(|code| code == language)
}

/// What a summarizer or another plugin sees of a resource.
pub(crate) fn leaf_of(leaf: &Recognized) -> Leaf<'_> {
    let fetched = &leaf.fetched;
    let facts = Facts {
        fetched: Some(fetched.at),
        modified: fetched.modified,
        last_modified: fetched.validators.last_modified.as_deref(),
        etag: fetched.validators.etag.as_deref(),
        robots_tag: &fetched.robots_tag,
        previous: fetched.prepared.known().md5,
    };
    Leaf {
        url: fetched.url(),
        kind: leaf.kind(),
        votes: leaf.votes(),
        content_type: fetched.content_type.as_deref(),
        body: &fetched.body,
        cut: fetched.cut_from.is_some(),
        facts,
    }
}

/// Works documents over.
pub struct Desk {
    pub(crate) common_mark: Md5,
    agent: String,
    pub(crate) shelf: Shelf,
    pub(crate) recognizer: Recognizer,
    pub(crate) summarizers: Summarizers,
    rules: Rules,
    programs: RulePrograms,
    selecting: Selecting,
    opening: Unnesting,
    identity: Identity,
    port: String,
    pub(crate) abstracts: Arc<Abstracts>,
}

/// A leaf with its draft, and who made it.
pub(crate) struct Drafted {
    pub(crate) leaf: Recognized,
    pub(crate) draft: Draft,
    /// What its words gave beside.
    pub(crate) drawn: Vec<Attribute>,
    /// What a web page says to robots, where its summarizer does not tell.
    pub(crate) metas: Vec<String>,
    pub(crate) by: String,
    /// Somebody refused it on the way.
    pub(crate) refused: bool,
}

/// A document worked over, with all that is inside of it.
pub(crate) struct Worked {
    pub(crate) drafted: Drafted,
    /// Its summary under the operator's rules, or why it gets none.
    pub(crate) summary: Result<Summary, Departure>,
    pub(crate) inside: Inside,
    /// How long parsers have taken over all of it.
    pub(crate) parsing: Duration,
}

/// A document that gets a record, with what it refers to.
pub(crate) struct Judged {
    pub(crate) drafted: Drafted,
    pub(crate) summary: Summary,
    pub(crate) inside: Inside,
    /// What it leads to, as far as it may be followed.
    pub(crate) found: Vec<Candidate>,
}

impl Drafted {
    /// The words with which a web page says that nothing is there.
    pub(crate) fn says_missing(&self) -> Option<String> {
        if !matches!(self.leaf.kind().name(), "HTML" | "HomeHTML") {
            return None;
        }
        let get = |name| self.draft.get(name).unwrap_or_default();
        // Without any text there is only the page itself to go by.
        let length = if self.draft.text().is_empty() { self.leaf.fetched.body.len() } else { self.draft.text().len() };
        says_missing(get("Title"), get("Headings"), length)
    }
}

impl Desk {
    /// A desk by the operator's tables and rules.
    ///
    /// # Errors
    /// When a rule does not compile.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        Self::with(settings, tables::shelf(settings), Arc::new(Abstracts::new(settings)?))
    }

    /// A desk with these plugins and parsers.
    pub(crate) fn with(settings: &Settings, shelf: Shelf, abstracts: Arc<Abstracts>) -> Result<Self, Failure> {
        let broken = |complaints: Complaints| Failure::plain(complaints.to_string());
        let rules = tables::rules(settings).map_err(broken)?;
        // Port 0 means "any that is free", which nobody can connect to.
        let port = settings.brokering.port.listen.rsplit(':').next().filter(|port| *port != "0").unwrap_or_default();
        Ok(Self {
            common_mark: tables::mark(settings, &shelf),
            agent: settings.fetching.agent.clone(),
            recognizer: tables::recognizer(settings, &shelf)?,
            summarizers: tables::summarizers(settings, &shelf).map_err(broken)?,
            shelf,
            rules,
            programs: RulePrograms::new(settings),
            selecting: settings.selecting.clone(),
            opening: setup::unnesting(settings),
            identity: settings.identity.clone(),
            port: port.to_owned(),
            abstracts,
        })
    }

    /// What the page itself says to robots.
    pub(crate) fn page_rules(&self, drafted: &Drafted, now: UnixTime) -> PageRules {
        let metas = ["robots", self.agent.as_str()].into_iter().filter_map(|name| drafted.draft.get(name));
        let metas = metas.chain(drafted.metas.iter().map(String::as_str));
        PageRules::read(metas, &drafted.leaf.fetched.robots_tag, &self.agent, now)
    }

    /// What a URL and its name say of the kind, before anything is fetched.
    pub(crate) fn before_fetch(&self, url: &Url) -> Vec<gatherer_pipeline::Vote> {
        self.recognizer.before_fetch(url)
    }

    pub(crate) fn recognizer(&self) -> &Recognizer {
        &self.recognizer
    }

    /// What is opened beside archives and compression.
    pub(crate) fn unnesting(&self) -> &gatherer_unnest::Rules {
        &self.opening.rules
    }

    /// Whether anything is opened at all.
    pub(crate) fn opens(&self) -> bool {
        self.opening.opens
    }

    /// Whether the operator wants this kind at all.
    ///
    /// # Errors
    /// [`Departure::NotSelected`].
    pub(crate) fn select_kind(&self, kind: &Kind) -> Result<(), Departure> {
        // What counts is what is in the wrapping, which nobody knows yet; unless the wrapping itself is not wanted.
        let is_wrapping = self.opens() && WRAPPINGS.contains(&kind.name());
        if is_wrapping && !names(&self.selecting.stop_kinds, kind) { Ok(()) } else { self.select_unwrapped(kind) }
    }

    fn select_unwrapped(&self, kind: &Kind) -> Result<(), Departure> {
        let (stop, allow) = (&self.selecting.stop_kinds, &self.selecting.allow_kinds);
        if names(stop, kind) || (!allow.is_empty() && !names(allow, kind)) {
            return Err(Departure::NotSelected { kind: kind.to_string() });
        }
        Ok(())
    }

    /// Whether the operator wants a document of this kind and size.
    ///
    /// # Errors
    /// [`Departure::NotSelected`], [`Departure::Size`].
    pub(crate) fn select(&self, kind: &Kind, size: u64) -> Result<(), Departure> {
        self.select_unwrapped(kind)?;
        let Selecting { smallest, largest, .. } = self.selecting;
        if size < smallest {
            return Err(Departure::Size { size, than: format!("less than the {smallest} that are wanted") });
        }
        match largest {
            Some(largest) if size > largest => {
                Err(Departure::Size { size, than: format!("more than the {largest} that are wanted") })
            }
            _ => Ok(()),
        }
    }

    /// Whether the operator wants documents in its language. One that is not known is as good as any.
    pub(crate) fn select_language(&self, summary: &Summary) -> Result<(), Departure> {
        let declared = summary.get("Language").and_then(|text| text.split_whitespace().next());
        let Some(language) = declared.and_then(gatherer_summarize::language_code) else { return Ok(()) };
        let named = |list: &[String]| list.iter().any(|name| language_is(name, &language));
        let (stop, allow) = (&self.selecting.stop_languages, &self.selecting.allow_languages);
        if named(stop) || (!allow.is_empty() && !named(allow)) {
            return Err(Departure::Language { language });
        }
        Ok(())
    }

    /// Opens, summarizes and corrects a document. `known` gives the digest behind the present record of a member.
    pub(crate) fn work(
        &self,
        leaf: Recognized,
        times: Times,
        now: UnixTime,
        known: &dyn Fn(&Url) -> Option<Md5>,
    ) -> Worked {
        let Unnesting { limits, time_limit, .. } = &self.opening;
        let budget = Budget::new(*limits, leaf.fetched.body.len());
        let (leaf, trouble) = self.unwrap(leaf, 0, &budget);
        let patience = &Patience::new(*time_limit, limits.bytes);
        let opening = Opening { outer: &leaf.fetched, times, now, known, budget: &budget, patience };
        let mut inside = self.open(&leaf, &opening);
        let selected = self.select(leaf.kind(), leaf.fetched.size());
        let kind = leaf.kind().clone();
        let mut drafted = self.draft(leaf);
        inside.troubles.extend(self.unheard(&kind, &drafted));
        let children = drafted.draft.take_children();
        let opening = Opening { outer: &drafted.leaf.fetched, times, now, known, budget: &budget, patience };
        self.take_in(children, &opening, &mut inside);
        if let Some(trouble) = trouble {
            drafted.draft.complain(trouble.clone());
            // What is in there cannot be told to have gone.
            inside.troubles.push(trouble);
        }
        for trouble in &inside.troubles {
            drafted.draft.complain(format!("not opened to its end: {trouble}"));
        }
        let summary = selected.and_then(|()| self.correct(&mut drafted, None, times, patience)).and_then(|summary| {
            // The words of a container are names and subjects.
            if !inside.is_opened {
                self.select_language(&summary)?;
            }
            Ok(summary)
        });
        Worked { drafted, summary, inside, parsing: patience.parsing() }
    }

    pub(crate) fn draft(&self, mut leaf: Recognized) -> Drafted {
        let alternatives = gatherer_recognize::alternatives(leaf.kind(), leaf.votes());
        let summarized = self.summarizers.summarize(&leaf_of(&leaf), &alternatives);
        let Summarized { by, is_builtin, kind, draft, drawn, refused } = summarized;
        leaf.settle(kind);
        let metas = if is_builtin { Vec::new() } else { self.metas(&leaf) };
        let refused = refused || leaf.is_doubtful();
        Drafted { leaf, draft, drawn, metas, by, refused }
    }

    /// What a web page says to robots, read by ourselves where others have summarized it: nobody's plugin cancels that.
    fn metas(&self, leaf: &Recognized) -> Vec<String> {
        let is_page = |kind: &Kind| matches!(kind.name(), "HTML" | "HomeHTML");
        // A recognizer may have given it a name of its own.
        if !is_page(leaf.kind()) && !leaf.votes().iter().any(|vote| is_page(&vote.kind)) {
            return Vec::new();
        }
        let page = Leaf { kind: &Kind::HTML, ..leaf_of(leaf) };
        let draft = guarded(gatherer_summarizers::of(&Kind::HTML), &page).unwrap_or_default();
        ["robots", self.agent.as_str()].into_iter().filter_map(|name| draft.get(name)).map(str::to_owned).collect()
    }

    /// The summary of a draft, under the operator's rules. A member has its URL, its container and its path there.
    pub(crate) fn correct(
        &self,
        drafted: &mut Drafted,
        member: Option<(&Url, &Url, &str)>,
        times: Times,
        patience: &Patience,
    ) -> Result<Summary, Departure> {
        let mut summary = Summary::new(&drafted.leaf, &drafted.draft, &drafted.by, times);
        for drawn in std::mem::take(&mut drafted.drawn) {
            let is_own = |known: &Attribute| known.by == "gatherer" && known.name.eq_ignore_ascii_case(&drawn.name);
            if !summary.attributes().iter().any(is_own) {
                summary.put(drawn);
            }
        }
        for (name, value) in [
            ("Gatherer-Name", self.identity.name.as_str()),
            ("Gatherer-Host", self.identity.host.as_str()),
            ("Gatherer-Port", self.port.as_str()),
            ("Gatherer-Version", setup::VERSION),
        ] {
            summary.set(name, value, "gatherer");
        }
        if let Some((url, container, path)) = member {
            summary.set_url(url.clone());
            summary.set("Container", container.as_str(), "gatherer");
            summary.set("Nested-Filename", path, "gatherer");
        }
        let asked = Instant::now();
        drafted.refused |= self.abstracts.add(drafted, &mut summary);
        patience.note_parsing(asked.elapsed());
        self.correct_by_plugins(drafted, &mut summary)?;
        self.rules.apply(summary, &self.programs)
    }

    /// Recognizes, summarizes and corrects one resource and all that is inside of it; nothing is stored.
    ///
    /// # Errors
    /// When a rule or the selection leaves it out.
    pub fn summarize(&self, fetched: Fetched) -> Result<Summaries, Departure> {
        let leaf = self.recognize(fetched);
        self.select_kind(leaf.kind())?;
        let votes = leaf.votes().iter().map(ToString::to_string).collect();
        let times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::ZERO, range: 1 };
        let worked = self.work(leaf, times, UnixTime(0), &|_| None);
        let member = |member: Member| (member.url, member.fate.map(|made| made.summary));
        let members = worked.inside.members.into_iter().map(member).collect();
        Ok(Summaries { summary: worked.summary?, votes, members })
    }
}

/// The summary of one document, and those of all that is inside of it.
pub struct Summaries {
    /// Its own.
    pub summary: Summary,
    /// The votes on its kind, in words.
    pub votes: Vec<String>,
    /// Its members', or why they have none.
    pub members: Vec<(Url, Result<Summary, Departure>)>,
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
