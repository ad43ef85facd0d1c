//! A record in production, in two halves: the head moves at each renewal, the body only when the resource changes.

use gatherer_pipeline::{Md5, Summary, Times, UnixTime};
use gatherer_soif::{Object, Reader};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::io::Write;
use url::Url;

/// The small half of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Where it stands.
    pub url: Url,
    /// The resource it was made of: another URL if a rule has given the record one.
    pub origin: Url,
    /// SOIF template type.
    pub template: String,
    /// The root node it belongs to.
    pub root: String,
    /// What it is.
    pub kind: String,
    /// Digest of the body it was made from.
    pub md5: Md5,
    /// Last successful visit: made or found unchanged.
    pub updated: UnixTime,
    /// Its refresh rate and time-to-live.
    pub times: Times,
    /// Number of the change that brought its present content,
    pub update: u64,
    /// and of the latest one, which may be a later refresh.
    pub change: u64,
    /// Number of its large half.
    pub body: u64,
    /// Root nodes it belonged to before, if brokers heard of it under them: who could see it there has to hear what became of it.
    pub former_roots: Vec<String>,
}

impl Head {
    /// Notes under which root nodes brokers heard of it, its present one aside.
    pub(crate) fn note_former(&mut self, roots: impl IntoIterator<Item = String>) {
        self.former_roots.extend(roots);
        self.former_roots.sort();
        self.former_roots.dedup();
        let Self { root, former_roots, .. } = self;
        former_roots.retain(|former| former != root);
    }

    /// The attributes that move at each renewal.
    pub fn timing(&self) -> [(&'static str, u64); 3] {
        timing(self.updated, self.times)
    }
}

fn timing(updated: UnixTime, times: Times) -> [(&'static str, u64); 3] {
    [
        ("Update-Time", updated.0),
        ("Time-to-Live", times.time_to_live.as_secs()),
        ("Refresh-Rate", times.refresh_rate.as_secs()),
    ]
}

fn write_soif(out: &mut Vec<u8>, (template, url): (&str, &str), timing: [(&str, u64); 3], attributes: &[u8]) {
    // Writing to memory cannot fail.
    let _ = writeln!(out, "@{template} {{ {url}");
    for (name, number) in timing {
        let digits = number.checked_ilog10().unwrap_or(0) + 1;
        let _ = writeln!(out, "{name}{{{digits}}}:\t{number}");
    }
    out.extend_from_slice(attributes);
    out.extend_from_slice(b"}\n");
}

fn parsed(soif: &[u8]) -> Option<Object> {
    Reader::new(soif).next_object().ok().flatten()
}

/// The large half of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Who made each attribute.
    pub provenance: Vec<(String, String)>,
    /// The attributes, ready to be sent.
    #[serde(with = "serde_bytes")]
    pub soif: Vec<u8>,
}

/// A record as brokers get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What moves.
    pub head: Head,
    /// What stays.
    pub body: Body,
}

impl Record {
    /// A record of a summary of the resource `origin`, not yet folded.
    pub fn new(summary: &Summary, origin: &Url, root: &str) -> Self {
        let (mut soif, mut provenance) = (Vec::new(), Vec::new());
        for attribute in summary.attributes() {
            let line = gatherer_soif::Attribute::new(&*attribute.name, attribute.value.as_bytes());
            // A name that SOIF cannot carry would damage the whole object; `Summary` has let none through.
            if gatherer_soif::write_attributes(&mut soif, [&line]).is_ok() {
                provenance.push((attribute.name.clone(), attribute.by.clone()));
            }
        }
        let head = Head {
            url: summary.url().clone(),
            origin: origin.clone(),
            template: summary.template().to_owned(),
            root: root.to_owned(),
            kind: summary.kind().name().to_owned(),
            md5: summary.md5(),
            updated: summary.made,
            times: summary.times,
            update: 0,
            change: 0,
            body: 0,
            former_roots: Vec::new(),
        };
        Self { head, body: Body { provenance, soif } }
    }

    /// Whether it says the same of the same resource, whenever it was made.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let said = |head: &Head| {
            let Head { url, origin, template, root, kind, md5, times, .. } = head.clone();
            (url, origin, template, root, kind, md5, times)
        };
        said(&self.head) == said(&other.head) && self.body == other.body
    }

    /// The whole SOIF object, byte for byte as it is sent.
    pub fn write_soif(&self, out: &mut Vec<u8>) {
        let head = &self.head;
        write_soif(out, (&head.template, head.url.as_str()), head.timing(), &self.body.soif);
    }

    /// The record as an object, for other forms than SOIF.
    pub fn object(&self) -> Object {
        let mut text = Vec::new();
        self.write_soif(&mut text);
        parsed(&text).unwrap_or_else(|| Object::new(self.head.template.clone(), self.head.url.as_str()))
    }
}

/// What happened to a record, as brokers follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeKind {
    /// New, or new content.
    Update,
    /// Same content, renewed times.
    Refresh,
    /// Deleted.
    Delete,
}

/// A record as it lies in the store, read in place: what a transfer of very many of them can do without is not copied.
#[derive(Debug)]
pub struct Raw<'a> {
    /// What moves.
    pub head: RawHead<'a>,
    /// Its attributes, ready to be sent.
    pub soif: &'a [u8],
}

/// The small half of a record, read in place. Its fields are those of [`Head`], in the same order.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "see Head")]
pub struct RawHead<'a> {
    pub url: &'a str,
    pub origin: &'a str,
    pub template: &'a str,
    pub root: &'a str,
    pub kind: &'a str,
    pub md5: Md5,
    pub updated: UnixTime,
    pub times: Times,
    pub update: u64,
    pub change: u64,
    pub body: u64,
}

impl Raw<'_> {
    /// The whole SOIF object, byte for byte as it is sent.
    pub fn write_soif(&self, out: &mut Vec<u8>) {
        let head = &self.head;
        write_soif(out, (head.template, head.url), timing(head.updated, head.times), self.soif);
    }

    /// The record as an object, for other forms than SOIF.
    pub fn object(&self) -> Object {
        let mut text = Vec::with_capacity(self.soif.len() + 512);
        self.write_soif(&mut text);
        parsed(&text).unwrap_or_else(|| Object::new(self.head.template, self.head.url))
    }
}

/// The large half of a record, read in place.
#[derive(Debug, Deserialize)]
pub(crate) struct RawBody<'a> {
    _provenance: Skipped,
    #[serde(borrow, with = "serde_bytes")]
    pub(crate) soif: &'a [u8],
}

/// A list of pairs of texts that nobody wants to see.
#[derive(Debug)]
struct Skipped;

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Skip;
        impl<'de> Visitor<'de> for Skip {
            type Value = Skipped;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of pairs of texts")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut pairs: A) -> Result<Skipped, A::Error> {
                while pairs.next_element::<(&str, &str)>()?.is_some() {}
                Ok(Skipped)
            }
        }
        source.deserialize_seq(Skip)
    }
}

/// One line of the change log. The log holds for each URL the change that brought its present content (or removed
/// it), and the latest refresh after that: enough for a broker to catch up from any number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its number; later changes have greater ones.
    pub number: u64,
    /// What happened.
    pub kind: ChangeKind,
    /// To what.
    pub url: Url,
    /// When it was folded; never less than that of the change before.
    pub at: UnixTime,
    /// The root node of the record, also of one that is gone,
    pub root: String,
    /// and what it was of.
    pub of_kind: String,
    /// Root nodes it belonged to before: who could see it there has to hear of it.
    pub former_roots: Vec<String>,
}
