//! The operator's tables: `[[summarizer]]`, `[[kind]]` and `[[rule]]`.

use crate::complaint::{Complaint, Place};
use crate::root_node::complain_of_short_life;
use crate::section::Section;
use crate::value;
use regex::Regex;
use std::path::PathBuf;
use std::time::Duration;

/// What a kind rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voter {
    /// The whole URL.
    Url,
    /// The file name.
    Name,
    /// The body.
    Content,
}

/// The operator's word on what a resource is; tried before the built-in tables.
#[derive(Debug, Clone)]
pub struct KindRule {
    /// What the pattern is tried on.
    pub voter: Voter,
    /// What it looks for.
    pub pattern: Regex,
    /// The kind that a match means.
    pub kind: String,
}

impl KindRule {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, _: usize) -> Option<Self> {
        let voters = [("url", Voter::Url), ("name", Voter::Name), ("content", Voter::Content)];
        let voter = section.must("voter", value::choice(&voters));
        let pattern = section.must("pattern", value::regex);
        let kind = section.must("kind", value::some_text);
        if kind
            .as_ref()
            .is_some_and(|kind| !kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)))
        {
            section.complain_of("kind", Complaint::new("a kind is one word of letters, digits, `-`, `_` and `.`"));
        }
        Some(Self { voter: voter?, pattern: pattern?, kind: kind? })
    }
}

/// A program that summarizes documents in the manner of Harvest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramText {
    /// As written into records.
    pub name: String,
    /// The kinds it takes.
    pub kinds: Vec<String>,
    /// The program,
    pub program: PathBuf,
    /// and its first arguments.
    pub arguments: Vec<String>,
    /// The longest it may take, if not what `[summaries]` says.
    pub limit: Option<Duration>,
    /// The most it may print, if not what `[summaries]` says.
    pub output_limit: Option<usize>,
    /// Where the program is named.
    pub place: Place,
}

impl ProgramText {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, number: usize) -> Option<Self> {
        let words = section.must("program", value::texts);
        let program = words.and_then(|words| section.program("program", words));
        let file_name = program.as_ref().and_then(|(program, _)| Some(program.file_name()?.to_str()?.to_owned()));
        let name = section.name(file_name.unwrap_or_else(|| format!("summarizer {number}")), "its program");
        let kinds = section.must("kinds", value::texts);
        let (limit, output_limit) = (section.maybe("limit", value::limit), section.maybe("output-limit", value::size));
        let place = section.place("program").expect("a [[summarizer]] stands in a file");
        let (program, arguments) = program?;
        Some(Self { name, kinds: kinds?, program, arguments, limit, output_limit, place })
    }
}

/// A rule over summaries as the operator wrote it; whoever understands conditions compiles it, and complains at its
/// place with [`Settings::complain`](crate::Settings::complain).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// For reports: the operator's name for it, or `rule N`.
    pub name: String,
    /// The condition.
    pub when: String,
    /// Attributes to write, in the operator's order.
    pub set: Vec<(String, String)>,
    /// Attributes to take away.
    pub remove: Vec<String>,
    /// Whether the resource is left out.
    pub delete: bool,
    /// Another life for its record.
    pub time_to_live: Option<Duration>,
    /// Another pace of visits.
    pub refresh_rate: Option<Duration>,
    /// Where the condition stands.
    pub place: Place,
}

impl RuleText {
    pub(crate) fn read(section: &mut Section<'_, '_>, number: usize) -> Self {
        let rule = Self {
            name: section.name(format!("rule {number}"), "its number"),
            when: section.must("when", value::some_text).unwrap_or_default(),
            set: section.maybe("set", value::pairs).unwrap_or_default(),
            remove: section.maybe("remove", value::texts).unwrap_or_default(),
            delete: section.maybe("delete", value::flag).unwrap_or_default(),
            time_to_live: section.maybe("time-to-live", value::duration),
            refresh_rate: section.maybe("refresh-rate", value::duration),
            place: section.place("when").expect("a [[rule]] stands in a file"),
        };
        rule.check(section);
        rule
    }

    fn check(&self, section: &mut Section<'_, '_>) {
        if !["set", "remove", "delete", "time-to-live", "refresh-rate"].into_iter().any(|key| section.says(key)) {
            let complaint = Complaint::new("this rule does nothing");
            section.complain(complaint.label("expected `set`, `remove`, `delete`, `time-to-live` or `refresh-rate`"));
        }
        if self.time_to_live.zip(self.refresh_rate).is_some_and(|(life, rate)| life < rate) {
            complain_of_short_life(section);
        }
    }
}
