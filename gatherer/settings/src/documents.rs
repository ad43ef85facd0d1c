//! What becomes of documents once they are here: `[selection]`, `[unnest]`, `[summaries]`, `[keywords]`, `[recognition]`.

use crate::complaint::{Complaint, Place};
use crate::rules::RuleFile;
use crate::section::Section;
use crate::shape::Shape;
use crate::value::{self, Checked, Item, fault};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// Which documents get a record: `[selection]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selecting {
    /// Kinds left out.
    pub stop_kinds: Vec<String>,
    /// If there are any: the only kinds taken.
    pub allow_kinds: Vec<String>,
    /// Bytes that a document has at least,
    pub smallest: u64,
    /// and at most.
    pub largest: Option<u64>,
    /// Languages left out.
    pub stop_languages: Vec<String>,
    /// If there are any: the only languages taken.
    pub allow_languages: Vec<String>,
}

impl Selecting {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            stop_kinds: section.get("stop-kinds", value::texts),
            allow_kinds: section.get("allow-kinds", value::texts),
            smallest: section.get("smallest", no_or_size).unwrap_or(0),
            largest: section.get("largest", no_or_size),
            stop_languages: section.get("stop-languages", languages),
            allow_languages: section.get("allow-languages", languages),
        }
    }
}

/// What goes into a summary: `[summaries]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summarizing {
    /// How much of the text.
    pub text: TextPart,
    /// Bytes of text that [`TextPart::Partial`] keeps.
    pub partial_limit: usize,
    /// The longest a program may take over one document.
    pub program_limit: Duration,
    /// Bytes that a program may print about one document.
    pub program_output_limit: usize,
    /// What HTML pages give, in the manner of Harvest's tables, if not what the built-in summarizer does.
    pub html_table: Vec<(String, Vec<String>)>,
    /// Where that stands.
    pub html_table_place: Option<Place>,
    /// The same as a file of Harvest's.
    pub html_table_file: Option<RuleFile>,
    /// A file of Harvest's with patterns for lines that become attributes.
    pub quick_sum_file: Option<RuleFile>,
    /// The program that runs as a worker for those built-in summarizers that are better run apart; said by the program
    /// itself, not by the config.
    pub worker: Option<PathBuf>,
}

/// How much of a resource's text its summary keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPart {
    /// All.
    Full,
    /// The beginning.
    Partial,
    /// None: attributes only.
    None,
}

impl Summarizing {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        let parts = [("full", TextPart::Full), ("partial", TextPart::Partial), ("none", TextPart::None)];
        Self {
            text: section.get("text", value::choice(&parts)),
            partial_limit: section.get("partial-limit", value::size),
            program_limit: section.get("program-limit", value::limit),
            program_output_limit: section.get("program-output-limit", value::size),
            html_table: section.get("html-table", lists),
            html_table_place: section.place("html-table"),
            html_table_file: file(section, "html-table-file"),
            quick_sum_file: file(section, "quick-sum-file"),
            worker: None,
        }
    }
}

/// What is opened, and how far: `[unnest]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Opening {
    /// Whether anything is.
    pub archives: bool,
    /// Mailboxes into messages.
    pub mailboxes: bool,
    /// Attachments of mail.
    pub attachments: bool,
    /// Feeds into entries.
    pub feeds: bool,
    /// Elements at which XML is split.
    pub xml_elements: Vec<String>,
    /// Levels.
    pub depth: u32,
    /// Members of one document, on all levels.
    pub members: u32,
    /// Bytes that come out of one document, on all levels.
    pub bytes: usize,
    /// How many times larger than the document that may be.
    pub ratio: u32,
    /// How long the work on all of it may take.
    pub time_limit: Duration,
}

impl Opening {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            archives: section.get("archives", value::flag),
            mailboxes: section.get("mailboxes", value::flag),
            attachments: section.get("attachments", value::flag),
            feeds: section.get("feeds", value::flag),
            xml_elements: section.get("xml-elements", value::texts),
            depth: section.get("depth", value::count(1)),
            members: section.get("members", value::count(1)),
            bytes: section.get("bytes", value::size),
            ratio: section.get("ratio", value::count(2)),
            time_limit: section.get("time-limit", value::limit),
        }
    }
}

/// How much a word counts by where it stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordWeights {
    /// In the title.
    pub title: f64,
    /// In a heading.
    pub headings: f64,
    /// In the text of a reference.
    pub anchors: f64,
    /// In the text.
    pub body: f64,
}

/// Which words become keywords: `[keywords]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// How many.
    pub count: usize,
    /// What they weigh.
    pub weights: WordWeights,
    /// Stop words by language, in small letters.
    pub stop_words: BTreeMap<String, Vec<String>>,
}

impl Wording {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            count: section.get("count", value::count(0)),
            weights: WordWeights {
                title: section.get("title", value::weight),
                headings: section.get("headings", value::weight),
                anchors: section.get("anchors", value::weight),
                body: section.get("body", value::weight),
            },
            stop_words: stop_words(section),
        }
    }
}

/// Other weights for some kinds: `[[weights]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct KindWeights {
    /// The kinds.
    pub kinds: Vec<String>,
    /// What words weigh in them, if not what `[keywords]` says.
    pub title: Option<f64>,
    /// In a heading.
    pub headings: Option<f64>,
    /// In the text of a reference.
    pub anchors: Option<f64>,
    /// In the text.
    pub body: Option<f64>,
}

impl KindWeights {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, _: usize) -> Option<Self> {
        let kinds = section.must("kinds", value::texts);
        let weights = ["title", "headings", "anchors", "body"].map(|key| section.maybe(key, value::weight));
        let [title, headings, anchors, body] = weights;
        Some(Self { kinds: kinds?, title, headings, anchors, body })
    }
}

/// Harvest's own tables of kinds: `[recognition]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindFiles {
    /// `byurl.cf`.
    pub by_url: Option<RuleFile>,
    /// `byname.cf`.
    pub by_name: Option<RuleFile>,
    /// `bycontent.cf`.
    pub by_content: Option<RuleFile>,
}

impl KindFiles {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            by_url: file(section, "by-url-file"),
            by_name: file(section, "by-name-file"),
            by_content: file(section, "by-content-file"),
        }
    }
}

/// A file that must be there; empty text is none.
fn file(section: &mut Section<'_, '_>, key: &'static str) -> Option<RuleFile> {
    let name = section.get(key, value::text);
    if name.is_empty() {
        return None;
    }
    let read = RuleFile::read(&section.resolved(key, &name));
    read.map_err(|complaint| section.complain_of(key, complaint)).ok()
}

/// A size; empty text is none.
fn no_or_size(item: &Item<'_>) -> Checked<Option<u64>> {
    match item.get_ref().as_str() {
        Some("") => Ok(None),
        _ => value::wanting(value::size(item), || Shape::Size.or_none()).map(|size| Some(size as u64)),
    }
}

fn languages(item: &Item<'_>) -> Checked<Vec<String>> {
    value::list(item, "a list of languages, such as [\"de\", \"en\"]", |item| {
        let code = value::text_as(item, "a language such as \"de\"")?;
        if is_language(code) {
            Ok(code.to_ascii_lowercase())
        } else {
            fault(item, "expected a code such as \"de\"", "no language")
        }
    })
}

fn is_language(code: &str) -> bool {
    (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// A table of lists, in the order in which they were written.
fn lists(item: &Item<'_>) -> Checked<Vec<(String, Vec<String>)>> {
    let Some(table) = item.get_ref().as_table() else {
        let fault = fault(item, "expected a table, such as { \"<TITLE>\" = [\"title\"] }", "no table");
        return value::wanting(fault, || Shape::Table(Box::new(Shape::of(value::texts))));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start); // A TOML table sorts by name.
    value::all(entries.into_iter().map(|(key, list)| Ok((key.get_ref().to_string(), value::texts(list)?))))
}

/// Reads the lists of stop words: one word a line.
fn stop_words(section: &mut Section<'_, '_>) -> BTreeMap<String, Vec<String>> {
    let mut lists = BTreeMap::new();
    for (language, name) in section.get("stop-words", value::pairs) {
        let language = language.to_ascii_lowercase();
        if language != "*" && !is_language(&language) {
            let complaint =
                Complaint::new(format!("`{language}` is no language")).label("expected a code such as de, or *");
            section.complain_of("stop-words", complaint);
        }
        let path = section.resolved("stop-words", &name);
        match fs::read_to_string(&path) {
            Ok(text) => {
                let words = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_lowercase());
                lists.insert(language, words.filter(|word| !word.is_empty()).collect());
            }
            Err(error) => {
                let complaint = Complaint::new(format!("cannot read the stop words at {}: {error}", path.display()));
                section.complain_of("stop-words", complaint);
            }
        }
    }
    lists
}
