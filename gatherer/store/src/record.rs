//! A record in production, in two halves: the head moves at each renewal, the body only when the resource changes.

use gatherer_pipeline::{Md5, Summary, Times, UnixTime};
use gatherer_soif::{Object, Reader};
use serde::{Deserialize, Serialize};
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
}

impl Head {
    /// The attributes that move at each renewal.
    pub fn timing(&self) -> [(&'static str, u64); 3] {
        [
            ("Update-Time", self.updated.0),
            ("Time-to-Live", self.times.time_to_live.as_secs()),
            ("Refresh-Rate", self.times.refresh_rate.as_secs()),
        ]
    }
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        };
        Self { head, body: Body { provenance, soif } }
    }

    /// The whole SOIF object, byte for byte as it is sent.
    pub fn write_soif(&self, out: &mut Vec<u8>) {
        let head = &self.head;
        out.extend_from_slice(format!("@{} {{ {}\n", head.template, head.url).as_bytes());
        for (name, number) in head.timing() {
            let digits = number.to_string();
            out.extend_from_slice(format!("{name}{{{}}}:\t{digits}\n", digits.len()).as_bytes());
        }
        out.extend_from_slice(&self.body.soif);
        out.extend_from_slice(b"}\n");
    }

    /// The record as an object, for other forms than SOIF.
    pub fn object(&self) -> Object {
        let mut text = Vec::new();
        self.write_soif(&mut text);
        let parsed = Reader::new(text.as_slice()).next_object();
        parsed.ok().flatten().unwrap_or_else(|| Object::new(self.head.template.clone(), self.head.url.as_str()))
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
}
