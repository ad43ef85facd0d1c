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
    /// The resource it was made from.
    origin: Url,
    template: String,
    kind: Kind,
    md5: Md5,
    attributes: Vec<Attribute>,
    /// Whether the resource leads on to others, whatever became of the attribute.
    has_references: bool,
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
            origin: fetched.url().clone(),
            template: "FILE".to_owned(),
            kind: leaf.kind().clone(),
            md5: fetched.md5(),
            attributes: Vec::with_capacity(draft.attributes().len() + 6),
            has_references: !draft.references().is_empty(),
            made: fetched.at,
            times,
        };
        let modified = fetched.modified.unwrap_or_default();
        let own = [
            ("Type", summary.kind.to_string()),
            ("File-Size", fetched.known_size().map_or_else(String::new, |size| size.to_string())),
            ("MD5", summary.md5.to_string()),
            ("Last-Modification-Time", modified.to_string()),
        ];
        for (name, value) in own {
            summary.set(name, &value, "gatherer");
        }
        if fetched.cut_from.is_some() {
            summary.set("Cut-At", &fetched.length().to_string(), "gatherer");
        }
        if let Some(packed) = &fetched.packed {
            summary.set("Unpacked-From", packed.kind.name(), "gatherer");
        }
        for (name, value) in draft.attributes() {
            if summary.get(name).is_none() {
                summary.set(name, value, summarizer);
            }
        }
        summary.set("Complaints", &draft.complaints().join("\n"), summarizer);
        summary.write_references(draft.references(), summarizer);
        summary
    }

    /// `URL-References`, one a line as in Harvest, and beside it what the leaf calls each of them.
    fn write_references(&mut self, references: &[Reference], by: &str) {
        let urls: Vec<_> = references.iter().map(|reference| reference.url.as_str()).collect();
        let texts: Vec<_> = references.iter().map(|reference| reference.text.as_str()).collect();
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
        self.put(Attribute { name: name.to_owned(), value: value.to_owned(), by: by.to_owned() });
    }

    /// The same, of an attribute that is there already.
    pub fn put(&mut self, attribute: Attribute) {
        let name = &attribute.name;
        if !is_well_formed(name) || Self::MOVING.iter().any(|moving| moving.eq_ignore_ascii_case(name)) {
            return;
        }
        if attribute.value.is_empty() {
            return self.remove(name);
        }
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

    /// Adds a line to `Complaints`. Said twice, it is kept once; there are no more than a hundred.
    pub fn complain(&mut self, complaint: &str, by: &str) {
        let words: Vec<_> = complaint.split_whitespace().collect();
        let mut line: String = words.join(" ").chars().filter(|character| !character.is_control()).collect();
        line.truncate(line.floor_char_boundary(1_000));
        let Some(known) = self.attributes.iter_mut().find(|known| known.name.eq_ignore_ascii_case("Complaints")) else {
            return self.set("Complaints", &line, by);
        };
        if !line.is_empty() && known.value.lines().count() < 100 && known.value.lines().all(|known| known != line) {
            known.value.push('\n');
            known.value.push_str(&line);
        }
    }

    /// The URL under which the record stands: the resource's own, unless a rule has changed it.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Puts the record under another URL. Brokers get it under that alone; visits, the ledger and the references go on
    /// by the URL of the resource, which [`Self::origin`] keeps.
    pub fn set_url(&mut self, url: Url) {
        self.url = url;
    }

    /// The URL of the resource it was made from.
    pub fn origin(&self) -> &Url {
        &self.origin
    }

    /// Its SOIF template type.
    pub fn template(&self) -> &str {
        &self.template
    }

    /// Changes the SOIF template type. One that is not well formed ([`Self::is_template`]) is passed over.
    pub fn set_template(&mut self, template: &str) {
        if Self::is_template(template) {
            template.clone_into(&mut self.template);
        }
    }

    /// Whether this can be a template type: one word of letters, digits, `-` and `_`, and none of those that part a
    /// stream of objects.
    pub fn is_template(template: &str) -> bool {
        const WRAPPERS: [&str; 3] = ["DELETE", "REFRESH", "UPDATE"];
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_wrapper = WRAPPERS.iter().any(|wrapper| wrapper.eq_ignore_ascii_case(template));
        !template.is_empty() && template.len() <= Draft::NAME_LIMIT && template.bytes().all(legal) && !is_wrapper
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

    /// Whether the resource leads on to others.
    pub fn has_references(&self) -> bool {
        self.has_references
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Admission, Candidate, Fetched, Known, Prepared, Validators};

    fn summary() -> Summary {
        summary_of(Vec::new(), None)
    }

    fn summary_of(body: Vec<u8>, cut_from: Option<u64>) -> Summary {
        let url = Url::parse("http://example.org/corn").expect("a URL");
        let admission = Admission { scope: String::new(), robots: String::new() };
        let fetched = Fetched {
            prepared: Prepared::new(Candidate::start(url, "docs"), admission, Known::default()),
            content_type: None,
            body,
            cut_from,
            robots_tag: String::new(),
            canonical: None,
            validators: Validators::default(),
            modified: None,
            at: UnixTime(0),
            packed: None,
        };
        let times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::ZERO, range: 1 };
        Summary::new(&Recognized::new(fetched, Kind::HTML, Vec::new()), &Draft::new(), "html 1", times)
    }

    #[test]
    fn the_size_of_what_was_cut_is_what_the_server_said_or_nothing() {
        let size = |cut_from| summary_of(vec![b'a'; 10], cut_from).get("File-Size").map(str::to_owned);
        assert_eq!((size(None), size(Some(50)), size(Some(11))), (Some("10".to_owned()), Some("50".to_owned()), None));
    }

    #[test]
    fn a_record_under_another_url_knows_where_it_came_from() {
        let mut summary = summary();
        summary.set_url(Url::parse("https://www.example.org/maize").expect("a URL"));
        assert_eq!(summary.get("URL"), Some("https://www.example.org/maize"));
        assert_eq!((summary.url().path(), summary.origin().as_str()), ("/maize", "http://example.org/corn"));
    }

    #[test]
    fn a_template_type_is_one_word_and_no_wrapper() {
        let mut summary = summary();
        for (template, expected) in
            [("USER", "USER"), ("a b", "USER"), ("", "USER"), ("x{", "USER"), ("delete", "USER")]
        {
            summary.set_template(template);
            assert_eq!(summary.template(), expected, "{template:?}");
        }
        summary.set_template(&"x".repeat(Draft::NAME_LIMIT + 1));
        assert_eq!(summary.template(), "USER");
    }

    #[test]
    fn complaints_are_lines_said_once() {
        let mut summary = summary();
        for complaint in [" no\n such\u{1b} font ", "too slow", "no such font", ""] {
            summary.complain(complaint, "rule 1");
        }
        assert_eq!(summary.get("complaints"), Some("no such font\ntoo slow"));
        for number in 0..1_000 {
            summary.complain(&number.to_string(), "rule 1");
        }
        assert_eq!(summary.get("complaints").map(|lines| lines.lines().count()), Some(100));
    }
}
