//! META elements: attributes under names that the page itself chooses.

use crate::fold::Folded;
use crate::html_table::is_well_formed;
use gatherer_pipeline::Draft;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most different names of one page; pages have a dozen.
const NAMES: usize = 500;
/// Most names told of that cannot be those of attributes, and how much of each is shown.
const ILL_FORMED: usize = 20;
const SHOWN: usize = 100;

/// For browsers only, or different at every visit.
const PASSED_OVER: &[&str] = &["viewport", "csrf-token", "csrf-param"];

/// Names that are the gatherer's or this summarizer's own: a page cannot speak under them.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "charset", "charset-by", "complaints", "container", "cut-at", "declared-charset", "file-size", "final-url",
    "full-text", "gatherer-host", "gatherer-name", "gatherer-port", "gatherer-version", "generation-time", "headings",
    "image-texts", "images", "last-modification-time", "mail-addresses", "md5", "nested-filename",
    "nofollow-references", "partial-text", "reference-texts", "refresh-rate", "structured-types", "time-to-live",
    "type", "unpacked-from", "update-time", "url", "url-references",
];

/// Names that count only where the page does not say the same by its markup.
const INSTEAD: &[&str] = &["title", "language"];

/// Names with a spelling of their own.
#[rustfmt::skip]
const SPELLED: &[&str] = &[
    "Abstract", "Address", "Author", "Copyright", "Description", "Generator", "Keywords", "Publisher",
];

/// The META elements of a page.
#[derive(Debug, Default)]
pub(super) struct Meta {
    /// Name as first spelled, and values in order.
    values: Vec<(String, Vec<String>)>,
    places: HashMap<String, usize>,
    seen: HashSet<(usize, String)>,
    instead: HashMap<String, String>,
    /// The beginnings of names that cannot be those of attributes.
    ill_formed: Vec<String>,
    refused: bool,
}

impl Meta {
    /// Takes one `<meta name=.. content=..>`.
    pub(super) fn add(&mut self, name: &str, content: &str) {
        let (name, content) = (name.trim(), Folded::line(content, Draft::VALUE_LIMIT));
        let key = name.to_ascii_lowercase();
        if name.is_empty() || content.is_empty() || PASSED_OVER.contains(&key.as_str()) || is_own(&key) {
            return;
        }
        if INSTEAD.contains(&key.as_str()) {
            self.instead.entry(key).or_insert(content);
            return;
        }
        if !is_well_formed(name) {
            if self.ill_formed.len() < ILL_FORMED {
                self.ill_formed.push(Folded::line(name, SHOWN));
            }
            return;
        }
        let Some(place) = self.place(name, key) else {
            self.refused = true;
            return;
        };
        if self.seen.insert((place, content.clone())) {
            self.values[place].1.push(content);
        }
    }

    /// All values of a name, whatever its case.
    pub(super) fn get(&self, key: &str) -> Option<&[String]> {
        self.places.get(key).and_then(|place| self.values.get(*place)).map(|(_, values)| values.as_slice())
    }

    /// What META says in place of the page's own markup.
    pub(super) fn instead(&mut self, name: &str) -> Option<String> {
        self.instead.remove(name)
    }

    /// Writes all values, several of one name as several lines.
    pub(super) fn write(&self, draft: &mut Draft) {
        for (name, values) in &self.values {
            match name.as_str() {
                "Keywords" => draft.add(name, &keywords(values)),
                _ => draft.add(name, &values.join("\n")),
            }
        }
        for name in &self.ill_formed {
            draft.complain(format!("{name:?} cannot be the name of an attribute"));
        }
        if self.refused {
            draft.complain(format!("more than {NAMES} META names"));
        }
    }

    fn place(&mut self, name: &str, key: String) -> Option<usize> {
        if let Some(place) = self.places.get(&key) {
            return Some(*place);
        }
        if self.values.len() >= NAMES {
            return None;
        }
        let spelled = SPELLED.iter().find(|known| known.eq_ignore_ascii_case(name)).map_or(name, |known| known);
        self.values.push((spelled.to_owned(), Vec::new()));
        self.places.insert(key, self.values.len() - 1);
        Some(self.values.len() - 1)
    }
}

/// Whether a name is the gatherer's own.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// One keyword a line, sorted, each once whatever its case: the list that Harvest makes.
pub(crate) fn keywords(values: &[String]) -> String {
    let words = values.iter().flat_map(|value| value.split([',', '\n'])).map(str::trim).filter(|word| !word.is_empty());
    let mut sorted = BTreeMap::new();
    for word in words {
        sorted.entry(word.to_lowercase()).or_insert(word);
    }
    sorted.into_values().collect::<Vec<_>>().join("\n")
}

/// Where `<meta http-equiv=refresh content="5; url=..">` leads, by the rules of the HTML standard.
pub(super) fn refresh(content: &str) -> Option<&str> {
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let target = match rest.get(..3) {
        Some(url) if url.eq_ignore_ascii_case("url") => {
            rest[3..].trim_start().strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    };
    Some(target.trim()).filter(|target| !target.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_unique_and_sorted() {
        let values = ["maize, Corn ,, corn".to_owned(), "Apple".to_owned()];
        assert_eq!(keywords(&values), "Apple\nCorn\nmaize");
    }

    #[test]
    fn refresh_leads_somewhere() {
        let check = |content, expected| assert_eq!(refresh(content), expected, "{content:?}");
        check("5; url=a.html", Some("a.html"));
        check("0;URL = 'a b.html' x", Some("a b.html"));
        check(" .5 , url=\"a.html", Some("a.html"));
        check("0;a.html", Some("a.html"));
        check("0 url.html", Some("url.html"));
        check("0; urübt", Some("urübt"));
        check("30", None);
        check("", None);
        check("0;url=", None);
    }

    #[test]
    fn a_page_cannot_flood_with_names() {
        let mut meta = Meta::default();
        for number in 0..NAMES + 5 {
            meta.add(&format!("n{number}"), "x");
        }
        let mut draft = Draft::new();
        meta.write(&mut draft);
        assert_eq!(draft.attributes().len(), NAMES);
        assert_eq!(draft.complaints(), ["more than 500 META names"]);
    }
}
