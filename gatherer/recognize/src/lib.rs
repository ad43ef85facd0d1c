//! Names the kind of a leaf: by URL and name before the fetch, by header and content after it.
//!
//! Every recognizer has one vote, and all votes are kept with their reasons. The operator's rules come
//! first, and the first that matches decides. Without one, the content decides, because it cannot lie; a
//! URL, name or header may only make a general answer more exact (`Text` under the name of `corn.md` is
//! `Markdown`, a `Zip` called `corn.docx` is `MSWord`). What may become what stands in `config/kinds.toml`
//! with all the other tables; the program carries that file inside itself.
//!
//! Lines of languages, magic numbers and members of containers are in the tables too. What lines tell is a
//! guess: a name or header that says something else of a text is believed, unless the text bears no trace of it.
//! Whose summarizer refuses a leaf asks [`alternatives`] what else it might be.
//!
//! What it is not for: opening what is nested, and leaving kinds out.
//!
//! ```
//! use gatherer_recognize::{OperatorRule, Recognizer, Voter};
//! use regex::Regex;
//! use url::Url;
//!
//! let home = OperatorRule { voter: Voter::Url, pattern: Regex::new("^http:.*/$")?, kind: "HomeHTML".to_owned() };
//! let recognizer = Recognizer::new(vec![home])?;
//!
//! let url = Url::parse("http://example.org/corn.txt")?;
//! let (kind, votes) = recognizer.votes(&url, Some("text/plain"), b"<!DOCTYPE html><title>Corn</title>");
//! assert_eq!(kind.name(), "HTML");
//! assert_eq!(votes[0].to_string(), "name=Text (extension .txt)");
//! assert_eq!(votes[1].to_string(), "header=Text (Content-Type text/plain)");
//! assert_eq!(votes[2].to_string(), "content=HTML (begins with <!doctype html)");
//!
//! let (kind, _) = recognizer.votes(&Url::parse("http://example.org/")?, None, b"<p>Welcome");
//! assert_eq!(kind.name(), "HomeHTML");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alternatives;
mod content;
mod harvest;
mod operator;
mod tables;

pub use alternatives::alternatives;
pub use harvest::{Complaint, read_harvest_table};
pub use operator::{OperatorRule, Voter};
pub use tables::TableError;

use content::Finding;
use gatherer_pipeline::{Fetched, Kind, Recognized, Vote};
use std::sync::LazyLock;
use tables::Tables;
use url::Url;

/// The tables of the program and the rules of its operator.
pub struct Recognizer {
    operator: Vec<OperatorRule>,
    tables: Tables,
}

impl Recognizer {
    /// Reads the built-in tables and puts the operator's rules before them.
    ///
    /// # Errors
    /// The built-in tables are broken (which a test rules out), or a rule of the operator names no kind.
    pub fn new(operator: Vec<OperatorRule>) -> Result<Self, TableError> {
        if let Some(rule) = operator.iter().find(|rule| !rule.names_a_kind()) {
            return Err(TableError::Kind { pattern: rule.pattern.as_str().to_owned(), kind: rule.kind.clone() });
        }
        Ok(Self { operator, tables: Tables::builtin()? })
    }

    /// What can be said of a URL without fetching it. Where nothing can be said, nothing is.
    pub fn before_fetch(&self, url: &Url) -> Vec<Vote> {
        let mut votes = self.by_operator(Voter::Url, url.as_str());
        votes.extend(self.tables.by_url(url));
        if let Some(name) = file_name(url) {
            votes.extend(self.by_operator(Voter::Name, name));
            votes.extend(self.tables.by_name(name));
        }
        votes
    }

    /// The kind of a leaf, and every vote in the order in which recognizers are asked.
    pub fn votes(&self, url: &Url, content_type: Option<&str>, body: &[u8]) -> (Kind, Vec<Vote>) {
        let mut votes = self.before_fetch(url);
        votes.extend(content_type.and_then(|media_type| self.tables.by_header(media_type)));
        let declared = votes.len();
        let head = content::head(body);
        votes.extend(self.by_operator(Voter::Content, &head));
        let finding = content::look(&self.tables, &head, body);
        votes.extend(finding.iter().flat_map(Finding::votes));
        let by_operator = self.operators_choice(url, &head);
        let kind = by_operator.unwrap_or_else(|| self.decide(&votes[..declared], finding));
        (kind, votes)
    }

    /// Names the kind of what was fetched.
    pub fn recognize(&self, fetched: Fetched) -> Recognized {
        let (kind, votes) = self.votes(fetched.url(), fetched.content_type.as_deref(), &fetched.body);
        Recognized::new(fetched, kind, votes)
    }

    /// The votes of the operator's rules that look at this.
    fn by_operator(&self, voter: Voter, text: &str) -> Vec<Vote> {
        let rules = self.operator.iter().filter(|rule| rule.voter == voter);
        rules.filter(|rule| rule.pattern.is_match(text)).map(OperatorRule::vote).collect()
    }

    /// The first of the operator's rules that matches, whatever it looks at.
    fn operators_choice(&self, url: &Url, head: &str) -> Option<Kind> {
        let matching = self.operator.iter().find(|rule| match rule.voter {
            Voter::Url => rule.pattern.is_match(url.as_str()),
            Voter::Name => file_name(url).is_some_and(|name| rule.pattern.is_match(name)),
            Voter::Content => rule.pattern.is_match(head),
        });
        matching.map(|rule| Kind::new(rule.kind.as_str()))
    }

    /// The content's word, made more exact where somebody can. Nothing in it: the first word of anybody.
    fn decide(&self, declared: &[Vote], finding: Option<Finding>) -> Kind {
        let Some(finding) = finding else {
            return declared.first().map_or(Kind::TEXT, |vote| vote.kind.clone());
        };
        let exact = declared.iter().map(|vote| &vote.kind).find(|kind| self.tables.refines(&finding, kind));
        // A name that says text is not overruled by lines that look like something else: prose quotes programs.
        let is_named_text = declared.iter().any(|vote| vote.voter == "name" && vote.kind == Kind::TEXT);
        match exact {
            Some(exact) => exact.clone(),
            None if is_named_text && finding.guess.is_some() => Kind::TEXT,
            None => finding.kind,
        }
    }
}

/// The name of every kind in the built-in tables, sorted. Operators' rules may give others.
pub fn known_kinds() -> Vec<&'static str> {
    static KINDS: LazyLock<Vec<String>> = LazyLock::new(|| Tables::builtin_kinds().into_iter().collect());
    KINDS.iter().map(String::as_str).collect()
}

/// The last part of the path; none for a directory.
fn file_name(url: &Url) -> Option<&str> {
    url.path_segments()?.next_back().filter(|name| !name.is_empty())
}
