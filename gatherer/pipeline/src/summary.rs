//! A summary fit for the store and for brokers.

use crate::{Draft, Kind, Md5, Recognized, Reference, UnixTime, summarizer::is_well_formed};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// One attribute and who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value; UTF-8, LF between lines.
    pub value: String,
    /// The summarizer or rule that made it.
    pub by: String,
}

/// The spans that bound a record's life. A rule may change them for one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Earliest time between two visits.
    pub refresh_rate: Duration,
    /// Life after the last successful visit.
    pub time_to_live: Duration,
    /// How many times shorter or longer than the refresh rate the wait may become, by how often the resource changes.
    pub range: u32,
}

impl Times {
    /// A wait within the range, and short enough that a record is looked at again well before its life is over.
    pub fn within_range(self, wait: Duration) -> Duration {
        let range = self.range.max(1);
        let longest = self.refresh_rate.saturating_mul(range).min(self.time_to_live / 4 * 3);
        wait.min(longest.max(self.refresh_rate)).max(self.refresh_rate / range)
    }
}

/// A draft with its metadata, under the operator's rules, valid for its template type.
#[derive(Debug, Clone)]
pub struct Summary {
    url: Url,
    template: String,
    kind: Kind,
    md5: Md5,
    attributes: Vec<Attribute>,
    references: Vec<Reference>,
    /// When it was made.
    pub made: UnixTime,
    /// How long it lives.
    pub times: Times,
}

impl Summary {
    /// Joins what a summarizer said with what the gatherer itself knows of the resource. The gatherer's own
    /// attributes come first and cannot be overwritten by a summarizer.
    pub fn new(leaf: &Recognized, draft: &Draft, summarizer: &str, times: Times) -> Self {
        let fetched = &leaf.fetched;
        let mut summary = Self {
            url: fetched.url().clone(),
            template: "FILE".to_owned(),
            kind: leaf.kind().clone(),
            md5: fetched.md5(),
            attributes: Vec::with_capacity(draft.attributes().len() + 6),
            references: draft.references().to_vec(),
            made: fetched.at,
            times,
        };
        let modified = fetched.modified.unwrap_or_default();
        let own = [
            ("Type", summary.kind.to_string()),
            ("File-Size", fetched.size().to_string()),
            ("MD5", summary.md5.to_string()),
            ("Last-Modification-Time", modified.to_string()),
        ];
        for (name, value) in own {
            summary.set(name, &value, "gatherer");
        }
        if fetched.cut_from.is_some() {
            summary.set("Cut-At", &fetched.body.len().to_string(), "gatherer");
        }
        for (name, value) in draft.attributes() {
            if summary.get(name).is_none() {
                summary.set(name, value, summarizer);
            }
        }
        summary.set("Complaints", &draft.complaints().join("\n"), summarizer);
        summary.write_references(summarizer);
        summary
    }

    /// `URL-References`, one a line as in Harvest, and beside it what the leaf calls each of them.
    fn write_references(&mut self, by: &str) {
        let urls: Vec<_> = self.references.iter().map(|reference| reference.url.as_str()).collect();
        let texts: Vec<_> = self.references.iter().map(|reference| reference.text.as_str()).collect();
        let (urls, texts) = (urls.join("\n"), texts.join("\n"));
        self.set("URL-References", &urls, by);
        if !texts.trim().is_empty() {
            self.set("Reference-Texts", &texts, by);
        }
    }

    /// Attributes that the store writes by itself, because they move without the summary; [`Summary::times`] sets them.
    pub const MOVING: [&str; 3] = ["Update-Time", "Time-to-Live", "Refresh-Rate"];

    /// Sets an attribute; an empty value removes it. An ill-formed name, or one of the moving ones, is passed over.
    pub fn set(&mut self, name: &str, value: &str, by: &str) {
        if !is_well_formed(name) || Self::MOVING.iter().any(|moving| moving.eq_ignore_ascii_case(name)) {
            return;
        }
        if value.is_empty() {
            return self.remove(name);
        }
        let attribute = Attribute { name: name.to_owned(), value: value.to_owned(), by: by.to_owned() };
        match self.attributes.iter_mut().find(|known| known.name.eq_ignore_ascii_case(name)) {
            Some(known) => *known = attribute,
            None => self.attributes.push(attribute),
        }
    }

    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) {
        self.attributes.retain(|known| !known.name.eq_ignore_ascii_case(name));
    }

    /// The value under a name, whatever its case. `URL` is the summary's URL.
    pub fn get(&self, name: &str) -> Option<&str> {
        if name.eq_ignore_ascii_case("url") {
            return Some(self.url.as_str());
        }
        self.attributes.iter().find(|known| known.name.eq_ignore_ascii_case(name)).map(|known| known.value.as_str())
    }

    /// The resource it summarizes.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Its SOIF template type.
    pub fn template(&self) -> &str {
        &self.template
    }

    /// What the resource is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Digest of the body it was made from.
    pub fn md5(&self) -> Md5 {
        self.md5
    }

    /// All attributes, the gatherer's own first.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// References found in the resource.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }
}

/// A summary written to WORKING, from where the next fold takes it.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The resource.
    pub url: Url,
    /// Its kind, for the run's report.
    pub kind: Kind,
    /// New candidates taken up from it.
    pub found: usize,
}
