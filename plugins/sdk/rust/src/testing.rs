//! Tests of a plugin on its author's machine: plain `cargo test`, without a gatherer.
//!
//! ```
//! use gatherer_sdk::{Call, Draft, Plugin, Summarizer, Trouble, testing};
//!
//! struct Lines;
//!
//! impl Plugin for Lines {
//!     const NAME: &str = "lines";
//!     const VERSION: &str = "1.0.0";
//!     const KINDS: &[&str] = &["Text"];
//! }
//!
//! impl Summarizer for Lines {
//!     fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
//!         let mut draft = Draft::new();
//!         draft.attribute("Lines", call.content.split(|byte| *byte == b'\n').count().to_string());
//!         Ok(draft)
//!     }
//! }
//!
//! let draft = testing::summarize::<Lines>("http://example.org/a.txt", "Text", "one\ntwo")?;
//! testing::expect(&draft, "Lines: 2");
//! testing::endure::<Lines>("Text", "one\ntwo");
//! # Ok::<(), Trouble>(())
//! ```

mod manifest;

use crate::call::Gatherer;
use crate::{
    Attribute, Call, Correction, Document, Draft, Guess, Level, Pair, RootCall, RootNode, SummaryCall, Trouble,
};
use crate::{Enumerator, Plugin, PostSummarizer, Recognizer, Summarizer};
pub use manifest::manifest;
use std::cell::RefCell;
use std::time::Duration;

/// So many bytes of a body come with the call.
const BEGINNING: usize = 1 << 20;
/// In so many places a document is cut to see what happens.
const CUTS: usize = 64;
/// Longest name of an attribute, in bytes.
const NAME_MOST: usize = 200;

/// Summarizes a document with all options at their defaults.
///
/// # Errors
/// What the summarizer says.
pub fn summarize<P: Summarizer>(url: &str, kind: &str, body: impl Into<Vec<u8>>) -> Result<Draft, Trouble> {
    Sample::new(url, kind, body).summarize::<P>()
}

/// Recognizes a document with all options at their defaults.
///
/// # Errors
/// What the recognizer says.
pub fn recognize<P: Recognizer>(url: &str, kind: &str, body: impl Into<Vec<u8>>) -> Result<Vec<Guess>, Trouble> {
    Sample::new(url, kind, body).recognize::<P>()
}

/// Expands a root node. Options that are not named have their defaults.
///
/// # Errors
/// What the enumerator says.
pub fn enumerate<P: Enumerator>(urls: &[&str], options: &[(&str, &str)]) -> Result<Vec<String>, Trouble> {
    let mut root = RootNode { name: "test".into(), url_max: u64::MAX, ..RootNode::default() };
    root.urls = urls.iter().copied().map(str::to_owned).collect();
    root.options = options.iter().map(|(name, value)| pair(name, value)).collect();
    fill_in::<P>(&mut root.options);
    P::enumerate(&RootCall::new(&root, &Made::default()))
}

/// Corrects a summary with all options at their defaults.
///
/// # Errors
/// What the post-summarizer says.
pub fn correct<P: PostSummarizer>(attributes: &[(&str, &str)]) -> Result<Correction, Trouble> {
    Sample::new("http://example.org/", "Text", "").correct::<P>(attributes)
}

/// A document for a test.
pub struct Sample {
    /// What the plugin is told of it.
    pub document: Document,
    made: Made,
}

impl Sample {
    /// A document of which nothing is known but this.
    pub fn new(url: &str, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let made = Made { body: body.into(), logged: RefCell::default() };
        let size = made.body.len() as u64;
        Self { document: Document { url: url.into(), kind: kind.into(), size, ..Document::default() }, made }
    }

    /// Sets an option.
    #[must_use]
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.document.options.push(pair(name, value));
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.document.headers.push(pair(name, value));
        self
    }

    /// Summarizes it.
    ///
    /// # Errors
    /// What the summarizer says.
    pub fn summarize<P: Summarizer>(&self) -> Result<Draft, Trouble> {
        P::summarize(&Call::new(&self.told::<P>(), self.beginning(), &self.made))
    }

    /// Recognizes it.
    ///
    /// # Errors
    /// What the recognizer says.
    pub fn recognize<P: Recognizer>(&self) -> Result<Vec<Guess>, Trouble> {
        P::recognize(&Call::new(&self.told::<P>(), self.beginning(), &self.made))
    }

    /// Corrects its summary.
    ///
    /// # Errors
    /// What the post-summarizer says.
    pub fn correct<P: PostSummarizer>(&self, attributes: &[(&str, &str)]) -> Result<Correction, Trouble> {
        let attributes = attributes.iter().map(|(name, value)| Attribute::new(*name, *value)).collect();
        P::correct(&SummaryCall::new(&self.told::<P>(), &self.made), attributes)
    }

    /// What plugins have said to the operator so far.
    pub fn logged(&self) -> Vec<(Level, String)> {
        self.made.logged.borrow().clone()
    }

    fn told<P: Plugin>(&self) -> Document {
        let mut document = self.document.clone();
        fill_in::<P>(&mut document.options);
        document
    }

    fn beginning(&self) -> &[u8] {
        &self.made.body[..self.made.body.len().min(BEGINNING)]
    }
}

/// Holds a draft against lines of the form `Attribute-Name: value`. The first line of a value suffices.
///
/// # Panics
/// If something is different, naming all of it.
#[track_caller]
pub fn expect(draft: &Draft, lines: &str) {
    let mut complaints = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let (name, expected) = line.split_once(':').unwrap_or((line, ""));
        let value = draft.value(name.trim());
        let first = value.as_deref().unwrap_or("nothing").lines().next().unwrap_or_default().trim();
        if value.is_none() || first != expected.trim() {
            complaints.push(format!("{}: {} is expected, {first} is there", name.trim(), expected.trim()));
        }
    }
    assert!(complaints.is_empty(), "the draft is different:\n  {}\n", complaints.join("\n  "));
}

/// Holds a summarizer to what the gatherer asks of all of them: empty, cut, garbled and foreign documents give a draft
/// or a refusal, the same bytes give the same draft, and names of attributes are well formed.
///
/// # Panics
/// If the summarizer does not keep to that.
#[track_caller]
pub fn endure<P: Summarizer>(kind: &str, body: impl Into<Vec<u8>>) {
    let body = body.into();
    let try_out = |body: &[u8]| {
        let answer = || summarize::<P>("http://example.org/sample", kind, body);
        let draft = answer();
        assert!(!matches!(draft, Err(Trouble::Failed(_))), "{draft:?}: a document is never the plugin's own trouble");
        assert_eq!(draft, answer(), "the same bytes give another draft");
        draft.iter().flat_map(|draft| &draft.attributes).for_each(check_name);
    };
    try_out(&body);
    try_out(&vec![b'<'; 2 * BEGINNING]);
    try_out(&(0..=255).cycle().take(4096).collect::<Vec<u8>>());
    (0..CUTS).for_each(|cut| try_out(&body[..body.len() * cut / CUTS]));
    for place in (0..CUTS).map(|cut| body.len() * cut / CUTS).filter(|place| *place < body.len()) {
        let mut garbled = body.clone();
        garbled[place] ^= 0x55;
        try_out(&garbled);
    }
}

#[track_caller]
fn check_name(attribute: &Attribute) {
    let name = &attribute.name;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_well_formed = !name.is_empty() && name.len() <= NAME_MOST && name.bytes().all(is_allowed);
    assert!(is_well_formed, "{name:?} is no name for an attribute: letters, digits, `-` and `_`, 200 at most");
}

/// A gatherer that is made up.
#[derive(Default)]
struct Made {
    body: Vec<u8>,
    logged: RefCell<Vec<(Level, String)>>,
}

impl Gatherer for Made {
    fn log(&self, level: Level, text: &str) {
        self.logged.borrow_mut().push((level, text.to_owned()));
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.body.get(offset..)).unwrap_or_default();
        rest[..rest.len().min(length as usize)].to_vec()
    }

    fn left(&self) -> Option<Duration> {
        Some(Duration::from_secs(10))
    }
}

fn pair(name: &str, value: &str) -> Pair {
    Pair { name: name.into(), value: value.into() }
}

/// Adds the defaults of options that are not set.
fn fill_in<P: Plugin>(options: &mut Vec<Pair>) {
    for setting in P::OPTIONS {
        let is_set = options.iter().any(|option| option.name == setting.name);
        options.extend(setting.default.filter(|_| !is_set).map(|default| pair(setting.name, default)));
    }
}

#[cfg(test)]
mod tests;
