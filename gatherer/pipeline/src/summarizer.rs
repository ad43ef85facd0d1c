//! The one contract of all summarizers.

use crate::{Kind, Md5, UnixTime, Vote};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use url::Url;

/// What a summarizer is given: the bytes of one leaf and what is known of them.
#[derive(Debug, Clone, Copy)]
pub struct Leaf<'a> {
    /// Where the leaf is; references are resolved against it.
    pub url: &'a Url,
    /// What it is.
    pub kind: &'a Kind,
    /// Who said so.
    pub votes: &'a [Vote],
    /// The media type and charset the server claims.
    pub content_type: Option<&'a str>,
    /// The bytes.
    pub body: &'a [u8],
    /// The body was cut at the size limit.
    pub cut: bool,
    /// What else is known of it.
    pub facts: Facts<'a>,
}

impl<'a> Leaf<'a> {
    /// A whole leaf of which nothing else is known.
    pub fn new(url: &'a Url, kind: &'a Kind, body: &'a [u8]) -> Self {
        Self { url, kind, votes: &[], content_type: None, body, cut: false, facts: Facts::default() }
    }
}

/// What is known of a leaf beside its bytes, as far as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// When it was fetched.
    pub fetched: Option<UnixTime>,
    /// When it last changed, by the word of its server or its container.
    pub modified: Option<UnixTime>,
    /// The `Last-Modified` header, as it came.
    pub last_modified: Option<&'a str>,
    /// The `ETag` header, as it came.
    pub etag: Option<&'a str>,
    /// `X-Robots-Tag` headers, one a line.
    pub robots_tag: &'a str,
    /// The digest of the body behind the record that is there now.
    pub previous: Option<Md5>,
}

/// Turns the bytes of one leaf into attributes. Built-in summarizers, WASM components, dynamic
/// libraries and programs all stand behind this trait; the engine cannot tell them apart.
pub trait Summarizer: Send + Sync {
    /// Name and version as written into the summary and the ledger, such as `html 0.1.0`.
    fn name(&self) -> &str;

    /// Bytes in, attributes out. The same bytes give the same draft.
    ///
    /// # Errors
    /// A [`Refusal`] concerns this leaf only: it keeps its metadata, and the reason stands under `Complaints`.
    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal>;
}

/// A summarizer did not summarize this leaf.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// It could not: the leaf is damaged, encrypted, or of another kind than was thought.
    #[error("{0}")]
    Cannot(String),
    /// It broke over it: crashed, hung, flooded or lied. That says little of the leaf.
    #[error("{0}")]
    Failed(String),
    /// The leaf is none of those that it is for. Nothing is wrong with either of them.
    #[error("{0}")]
    NotMine(String),
}

/// Runs a summarizer so that its panic costs one document.
pub fn guarded(summarizer: &dyn Summarizer, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    let panicked = |panic: Box<dyn Any + Send>| {
        let message =
            panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Refusal::Failed(format!("it panicked ({})", message.unwrap_or("without a message")))
    };
    catch_unwind(AssertUnwindSafe(|| summarizer.summarize(leaf))).unwrap_or_else(|panic| Err(panicked(panic)))
}

/// A reference found in a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Where it leads, absolute.
    pub url: Url,
    /// What the leaf calls it.
    pub text: String,
    /// Whether it may lead to new candidates. Those that the leaf does not vouch for stand in the record only.
    pub follow: bool,
}

/// Something inside of a leaf that is to have a record of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// Its path within the leaf, as its summarizer wrote it.
    pub name: String,
    /// What it is, if that is known.
    pub kind: Option<Kind>,
    /// Its media type, if that is claimed.
    pub media_type: Option<String>,
    /// When it last changed.
    pub modified: Option<UnixTime>,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Attributes and references as a summarizer found them, before the operator's rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    attributes: Vec<(String, String)>,
    text: String,
    references: Vec<Reference>,
    canonical: Option<Url>,
    children: Vec<Child>,
    weights: Vec<(String, f32)>,
    complaints: Vec<String>,
}

impl Draft {
    /// Longest name of an attribute.
    pub const NAME_LIMIT: usize = 200;
    /// Most bytes of one value; the rest is cut and complained of.
    pub const VALUE_LIMIT: usize = 8 << 20;
    /// Most attributes of one leaf.
    pub const ATTRIBUTE_LIMIT: usize = 1_000;
    /// Most references of one leaf.
    pub const REFERENCE_LIMIT: usize = 50_000;

    /// An empty draft.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an attribute. Control characters are dropped, line breaks made LF, blank values left out; a second
    /// value under the same name becomes a further line of the first, as in Harvest.
    pub fn add(&mut self, name: &str, value: &str) {
        if !is_well_formed(name) {
            return self.complain(format!("attribute name {name:?} is not well formed"));
        }
        let mut value = clean(value);
        if value.is_empty() {
            return;
        }
        if truncate(&mut value, Self::VALUE_LIMIT) {
            self.complain(format!("{name} cut at {} bytes", Self::VALUE_LIMIT));
        }
        let full = self.attributes.len() >= Self::ATTRIBUTE_LIMIT;
        match self.attributes.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, known)) if known.len() + value.len() < Self::VALUE_LIMIT => {
                known.push('\n');
                known.push_str(&value);
            }
            Some(_) => self.complain(format!("{name} cut at {} bytes", Self::VALUE_LIMIT)),
            None if full => self.complain(format!("more than {} attributes", Self::ATTRIBUTE_LIMIT)),
            None => self.attributes.push((name.to_owned(), value)),
        }
    }

    /// Gives the leaf's text, as a person would read it: lines parted by LF, paragraphs by an empty line or not. How
    /// much of it gets into the record, and what else is drawn from it (language, keywords, a description where there is
    /// none), is decided behind the summarizer.
    pub fn set_text(&mut self, text: &str) {
        self.text = clean(&text[..text.floor_char_boundary(Self::VALUE_LIMIT)]);
        if text.len() > Self::VALUE_LIMIT {
            self.complain(format!("text cut at {} bytes", Self::VALUE_LIMIT));
        }
    }

    /// Adds a reference that is to be followed.
    pub fn refer(&mut self, url: Url, text: &str) {
        self.add_reference(url, text, true);
    }

    /// Adds a reference for the record only. It takes nothing back: the same URL under [`Self::refer`] is followed.
    pub fn refer_only(&mut self, url: Url, text: &str) {
        self.add_reference(url, text, false);
    }

    fn add_reference(&mut self, url: Url, text: &str, follow: bool) {
        if self.references.len() < Self::REFERENCE_LIMIT {
            self.references.push(Reference { url, text: one_line(text), follow });
        } else {
            self.complain(format!("more than {} references", Self::REFERENCE_LIMIT));
        }
    }

    /// Says under which URL the leaf itself wants to be known.
    pub fn set_canonical(&mut self, url: Url) {
        self.canonical = Some(url);
    }

    /// Adds something inside of the leaf that is to have a record of its own.
    pub fn contain(&mut self, child: Child) {
        self.children.push(child);
    }

    /// Says how much the words of an attribute, which is there, count as keywords; those of the text count 1. The first word
    /// counts.
    pub fn weigh(&mut self, name: &str, weight: f32) {
        let is_known = |(known, _): &(String, f32)| known.eq_ignore_ascii_case(name);
        if weight.is_finite() && weight > 0.0 && self.get(name).is_some() && !self.weights.iter().any(is_known) {
            self.weights.push((name.to_owned(), weight));
        }
    }

    /// Notes something that a reader of the record should know. Said twice, it is kept once.
    pub fn complain(&mut self, complaint: impl Into<String>) {
        let complaint = complaint.into();
        if self.complaints.len() < 100 && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Names and values, in the order of first mention.
    pub fn attributes(&self) -> &[(String, String)] {
        &self.attributes
    }

    /// The value under a name, whatever its case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// References, in order.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// References, to be changed in their places.
    pub fn references_mut(&mut self) -> impl Iterator<Item = &mut Reference> {
        self.references.iter_mut()
    }

    /// The URL under which the leaf wants to be known, if it says so; it may be its own.
    pub fn canonical(&self) -> Option<&Url> {
        self.canonical.as_ref()
    }

    /// What is inside of the leaf, in order.
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// Takes what is inside of the leaf out of the draft.
    pub fn take_children(&mut self) -> Vec<Child> {
        std::mem::take(&mut self.children)
    }

    /// Names of attributes whose words count as keywords, and how much.
    pub fn weights(&self) -> &[(String, f32)] {
        &self.weights
    }

    /// Complaints, in order.
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }
}

/// Whether a name can stand in a SOIF object and be read back by every known reader.
pub(crate) fn is_well_formed(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= Draft::NAME_LIMIT
        && name.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}' | b'@'))
}

/// Trimmed, composed (NFC), without control characters, LF between lines.
fn clean(value: &str) -> String {
    let value = value.trim();
    // Most are: letters of Europe and the marks that go with them have one form only.
    let is_clean =
        |letter| matches!(letter, ' '..='~' | '\n' | '\t' | '\u{a0}'..='\u{2ff}' | '\u{2010}'..='\u{2027}' | '€');
    if value.chars().all(is_clean) {
        return value.to_owned();
    }
    match is_nfc_quick(value.chars()) {
        IsNormalized::Yes => without_controls(value.chars()),
        IsNormalized::No | IsNormalized::Maybe => without_controls(value.nfc()),
    }
}

fn without_controls(characters: impl Iterator<Item = char>) -> String {
    let mut clean = String::new();
    let mut characters = characters.peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => clean.push('\n'),
            '\n' | '\t' => clean.push(character),
            control if control.is_control() => {}
            other => clean.push(other),
        }
    }
    clean
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(256));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|character| !character.is_control()));
        if line.len() > 1_000 {
            truncate(&mut line, 1_000);
            break;
        }
    }
    line
}

/// Cuts at a character boundary; says whether anything was cut.
fn truncate(text: &mut String, limit: usize) -> bool {
    let cut = text.len() > limit;
    text.truncate(text.floor_char_boundary(limit));
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[(&str, &str)], expected: &[(&str, &str)]) {
        let mut draft = Draft::new();
        for (name, value) in values {
            draft.add(name, value);
        }
        let found: Vec<_> = draft.attributes().iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(found, expected);
    }

    struct Panics;

    impl Summarizer for Panics {
        fn name(&self) -> &'static str {
            "panics 1"
        }

        fn summarize(&self, _: &Leaf<'_>) -> Result<Draft, Refusal> {
            panic!("on purpose")
        }
    }

    #[test]
    fn a_panic_is_a_refusal_of_one_leaf() {
        let url = Url::parse("http://example.org/").expect("a literal URL");
        let leaf = Leaf::new(&url, &Kind::TEXT, b"");
        assert_eq!(guarded(&Panics, &leaf), Err(Refusal::Failed("it panicked (on purpose)".to_owned())));
    }

    #[test]
    fn a_second_value_is_a_further_line() {
        check(&[("Title", "one"), ("title", "two")], &[("Title", "one\ntwo")]);
    }

    #[test]
    fn blank_values_and_bad_names_are_left_out() {
        check(&[("Title", " \u{0}\n "), ("a{b", "x"), ("", "x"), ("two words", "x")], &[]);
    }

    #[test]
    fn control_characters_go_and_line_breaks_become_lf() {
        check(&[("Title", "a\r\nb\rc\u{1}d\u{9f}")], &[("Title", "a\nb\ncd")]);
    }

    #[test]
    fn characters_are_composed() {
        check(&[("Title", "Mu\u{308}nchen")], &[("Title", "M\u{fc}nchen")]);
    }

    #[test]
    fn the_text_is_cleaned_and_cut() {
        let mut draft = Draft::new();
        draft.set_text(" a\u{0}\r\nb ");
        assert_eq!((draft.text(), draft.complaints()), ("a\nb", [].as_slice()));
        draft.set_text(&"u".repeat(Draft::VALUE_LIMIT + 1));
        assert_eq!((draft.text().len(), draft.complaints().len()), (Draft::VALUE_LIMIT, 1));
    }

    #[test]
    fn a_reference_is_followed_unless_it_is_for_the_record_only() {
        let mut draft = Draft::new();
        let url = Url::parse("http://example.org/").expect("a URL");
        draft.refer(url.clone(), " a\n b");
        draft.refer_only(url.clone(), "c");
        let found: Vec<_> = draft.references().iter().map(|found| (found.text.as_str(), found.follow)).collect();
        assert_eq!(found, [("a b", true), ("c", false)]);
    }

    #[test]
    fn a_huge_value_is_cut_at_a_character_and_complained_of() {
        let mut draft = Draft::new();
        draft.add("Body", &"ü".repeat(Draft::VALUE_LIMIT));
        assert_eq!(draft.get("body").map(str::len), Some(Draft::VALUE_LIMIT));
        assert_eq!(draft.complaints().len(), 1);
    }
}
