//! The abstract in memory, just as `schemas/abstract/README.md` describes it, and its written forms.
//!
//! | form | written | read |
//! |---|---|---|
//! | XML | [`Abstract::to_xml`] | [`Abstract::from_xml`], as strict as the schema |
//! | JSON | [`Abstract::to_json`] | [`Abstract::from_json`], no less strict |
//! | Turtle, JSON-LD | [`Abstract::to_turtle`], [`Abstract::to_json_ld`] | - |
//! | the historic list | [`list::write`] | [`list::read`] |
//!
//! Whoever finds facts puts them into a [`Builder`]: it knows each fact only once, whoever found it and however often.

mod builder;
mod flat;
mod json;
pub(crate) mod lexical;
pub mod list;
mod meta;
mod rdf;
#[cfg(test)]
mod tests;
mod xml;
mod xml_source;
mod xml_writer;

pub use builder::{Builder, Handle};
pub use meta::{Coverage, GathererMark, Item, Meta, OntologyMark, ParserMark};
pub use rdf::Told;
pub use xml::Limits;

use crate::ontology::Ontology;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The namespace of the XML form.
pub const NAMESPACE: &str = "https://gatherer.invalid/abstract/1";

/// What one document says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Abstract {
    /// The language of most of the document; `und` if nobody knows.
    pub lang: String,
    /// What offsets count in; the source if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Offsets>,
    /// Who, what, when.
    pub meta: Meta,
    /// What it speaks of; each holds what belongs to it.
    #[serde(default)]
    pub instances: Vec<Instance>,
}

/// What offsets count in; always characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offsets {
    /// The decoded document, markup and all.
    Source,
    /// The text that the parser made of it.
    Text,
}

/// One thing that the document speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Instance {
    /// Its name within this abstract.
    pub id: String,
    /// Its classes; the first is the one that it is called by.
    #[serde(rename = "type")]
    pub types: Vec<String>,
    /// The word for it, if it has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lemma: Option<String>,
    /// Its proper name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Its facts that end in values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// Its facts that lead to other instances.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<Slot>,
}

impl Instance {
    /// What it is known by: its name, else its lemma, else the value of its key.
    pub fn called(&self, ontology: &Ontology) -> Option<&str> {
        let is_key = |value: &&Value| ontology.slot(&value.name).is_some_and(|slot| ontology.slot_at(slot).is_key());
        let key = || self.values.iter().find(is_key).map(|value| value.text.as_str());
        let name = self.name.as_ref().map(|name| name.text.as_str());
        name.or(self.lemma.as_deref()).or_else(key)
    }
}

/// A proper name, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
}

/// A fact that ends in a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Value {
    /// The slot.
    pub name: String,
    /// The value in its written form, with its unit.
    #[serde(rename = "value")]
    pub text: String,
    /// Why it is believed.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// A fact that leads to another instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Slot {
    /// The slot.
    pub name: String,
    /// The other instance.
    #[serde(flatten)]
    pub filler: Filler,
    /// Why it is believed.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// Another instance, here or elsewhere in the abstract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filler {
    /// Here.
    Instance(Box<Instance>),
    /// Elsewhere, under this id.
    Ref(String),
}

impl Filler {
    /// The id of the instance.
    pub fn id(&self) -> &str {
        match self {
            Self::Instance(instance) => &instance.id,
            Self::Ref(id) => id,
        }
    }
}

/// Why a fact is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Evidence {
    /// The heuristics that found it.
    #[serde(rename = "evidence")]
    pub heuristics: Vec<String>,
    /// How sure they are.
    pub confidence: Confidence,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// Where else it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Span>,
}

impl Evidence {
    /// Evidence of one heuristic at one place.
    pub fn new(heuristic: &str, confidence: Confidence, place: Place) -> Self {
        Self { heuristics: vec![heuristic.to_owned()], confidence, place, also: Vec::new() }
    }

    /// Takes in further evidence of the same fact. The surer place stays, the earlier one among equals.
    pub fn merge(&mut self, other: Self) {
        let rank = |one: &Self| (std::cmp::Reverse(one.confidence), one.place.start, one.place.end);
        let mut other = other;
        if rank(&other) < rank(self) {
            std::mem::swap(self, &mut other);
            // The order of the heuristics is that in which they came.
            std::mem::swap(&mut self.heuristics, &mut other.heuristics);
        }
        for heuristic in other.heuristics {
            if !self.heuristics.contains(&heuristic) {
                self.heuristics.push(heuristic);
            }
        }
        let own = self.place.span();
        self.also.extend(other.also);
        self.also.push(other.place.span());
        self.also.retain(|span| *span != own);
        self.also.sort_unstable();
        self.also.dedup();
    }
}

/// From 0 to 1, in thousandths: so that equal is equal on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    /// So many thousandths; more than all of them is all.
    pub fn thousandths(count: u16) -> Self {
        Self(count.min(1_000))
    }

    /// From a number from 0 to 1.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
    pub fn of_share(share: f32) -> Self {
        Self((share.clamp(0.0, 1.0) * 1_000.0) as u16)
    }

    /// As a number from 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }
}

/// A place in the text, and the words there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    /// The first character,
    pub start: usize,
    /// and the one behind the last.
    pub end: usize,
    /// The words.
    pub quote: String,
}

impl Place {
    /// Most characters of a quote.
    pub const QUOTE_LIMIT: usize = 500;

    /// A place; a quote that is too long is cut.
    pub fn new(start: usize, end: usize, quote: &str) -> Self {
        Self { start, end, quote: quote.chars().take(Self::QUOTE_LIMIT).collect() }
    }

    /// From where to where.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

/// From one character to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct Span {
    /// The first character,
    pub start: usize,
    /// and the one behind the last.
    pub end: usize,
}

impl From<(usize, usize)> for Span {
    fn from((start, end): (usize, usize)) -> Self {
        Self { start, end }
    }
}

impl From<Span> for (usize, usize) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

/// Why a text is no abstract.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is larger or deeper than allowed.
    #[error("line {line}: {what} passes the limit of {limit}")]
    TooLarge {
        /// Where.
        line: usize,
        /// What is too large.
        what: String,
        /// How large it may be.
        limit: usize,
    },
    /// It is no XML or JSON at all, or of a kind that is not read: with a document type, with entities, in another encoding.
    #[error("line {line}: {problem}")]
    Malformed {
        /// Where.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// It is another document than the schema allows.
    #[error("line {line}: <{element}> {problem}")]
    Invalid {
        /// Where.
        line: usize,
        /// In which element.
        element: String,
        /// What is wrong.
        problem: String,
    },
}

/// Walks over instances with all that is nested in them.
pub fn walk<'a>(instances: &'a [Instance], visit: &mut dyn FnMut(&'a Instance)) {
    for instance in instances {
        visit(instance);
        for slot in &instance.slots {
            if let Filler::Instance(inner) = &slot.filler {
                walk(std::slice::from_ref(inner), visit);
            }
        }
    }
}
