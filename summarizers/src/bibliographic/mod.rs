//! Bibliographies: BibTeX, RIS, and the form of refer and of its followers.

mod bibtex;
mod tagged;
#[cfg(test)]
mod tests;

use crate::fold::{Folded, Gap};
use crate::links::Links;
use crate::text::{self, Lines, dates};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::collections::BTreeSet;

pub(crate) const KINDS: &[&str] = &["Bibliographic"];

/// Most entries of one file.
const ENTRIES: usize = 100_000;
/// Most bytes of one field.
const FIELD: usize = 20_000;
/// Most lines of one attribute.
const LINES: usize = 2_000;
/// Most authors of one entry, and most of its addresses.
const MANY: usize = 1_000;

/// Titles, authors, years and keywords of all entries; the text has a line for each.
pub(crate) struct Bibliographic;

impl Summarizer for Bibliographic {
    fn name(&self) -> &'static str {
        concat!("bibliographic ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        let (format, entries) = read(&text, &mut draft);
        if entries.is_empty() {
            draft.complain("no entry was found in the bibliography");
        }
        draft.add("Format", format);
        draft.add("Entries", &entries.len().to_string());
        write(&entries, &mut draft);
        let mut links = Links::default();
        for entry in &entries {
            entry.refer(&mut links);
        }
        links.write(leaf.url, &mut draft);
        draft.set_text(&text_of(&entries));
        Ok(draft)
    }
}

fn read(text: &str, draft: &mut Draft) -> (&'static str, Vec<Entry>) {
    let has = |starts: &[&str]| text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)));
    if has(&["TY  - "]) {
        return ("RIS", tagged::ris(text, ENTRIES));
    }
    let (entries, broken) = bibtex::read(text, ENTRIES);
    if entries.is_empty() && has(&["%T ", "%A ", "%0 "]) {
        return ("Refer", tagged::refer(text, ENTRIES));
    }
    if broken > 0 {
        draft.complain(format!("{broken} entries of the bibliography are broken"));
    }
    ("BibTeX", entries)
}

fn write(entries: &[Entry], draft: &mut Draft) {
    let (mut titles, mut authors, mut keywords) = (Lines::new(LINES), Lines::new(LINES), Lines::new(LINES));
    let mut years = BTreeSet::new();
    for entry in entries {
        titles.push(&entry.title);
        entry.authors.iter().for_each(|author| authors.push(author));
        entry.keywords.iter().for_each(|keyword| keywords.push(keyword));
        years.extend(entry.year());
    }
    let years: Vec<_> = years.into_iter().take(LINES).collect();
    // A single entry is a document's own description.
    let [title, year] = if entries.len() == 1 { ["Title", "Created"] } else { ["Titles", "Years"] };
    draft.add(title, &titles.into_text());
    draft.add("Author", &authors.into_text());
    draft.add(year, &years.join("\n"));
    draft.add("Keywords", &keywords.into_text());
}

/// One line for each entry: who, when, what and where.
fn text_of(entries: &[Entry]) -> String {
    let mut text = Folded::new(Draft::VALUE_LIMIT);
    for entry in entries {
        text.gap(Gap::Line);
        let year = entry.year().map(|year| format!("({year})")).unwrap_or_default();
        let who = format!("{} {year}", entry.authors.join(", "));
        let parts = [who.trim(), &entry.title, &entry.container].into_iter().filter(|part| !part.is_empty());
        text.push(&parts.collect::<Vec<_>>().join(". "));
    }
    text.into_text()
}

/// One entry, as far as it matters to us.
#[derive(Debug, Default)]
struct Entry {
    key: String,
    title: String,
    authors: Vec<String>,
    date: String,
    container: String,
    keywords: Vec<String>,
    doi: String,
    urls: Vec<String>,
}

impl Entry {
    fn is_empty(&self) -> bool {
        self.title.is_empty() && self.authors.is_empty() && self.container.is_empty() && self.urls.is_empty()
    }

    /// Sets a field; of those that can stand only once the first counts.
    fn set(&mut self, field: &str, value: &str) {
        let value = Folded::line(value, FIELD);
        let once = match field {
            "author" => {
                let names = value.split(" and ").map(name).filter(|name| !name.is_empty());
                self.authors.extend(names.take(MANY.saturating_sub(self.authors.len())));
                return;
            }
            "keywords" => {
                let words = value.split([',', ';']).map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
                self.keywords.extend(words.take(MANY.saturating_sub(self.keywords.len())));
                return;
            }
            "url" if self.urls.len() < MANY => return self.urls.push(value),
            "title" => &mut self.title,
            "year" => &mut self.date,
            "container" => &mut self.container,
            "doi" => &mut self.doi,
            "key" => &mut self.key,
            _ => return,
        };
        if once.is_empty() {
            *once = value;
        }
    }

    /// A value goes on in the next line.
    fn go_on(&mut self, field: &str, value: &str) {
        if field == "title" && self.title.len() < FIELD {
            self.title.push(' ');
            self.title.push_str(&value[..value.floor_char_boundary(FIELD)]);
        }
    }

    fn year(&self) -> Option<String> {
        dates::date(&self.date).map(|date| date[..4].to_owned())
    }

    /// Its addresses, called by its title.
    fn refer(&self, links: &mut Links) {
        let doi = self.doi.trim_start_matches("doi:").trim();
        if doi.starts_with("10.") {
            links.refer(&format!("https://doi.org/{doi}"), &self.title);
        }
        for url in self.urls.iter().chain(Some(&self.doi)) {
            // Some write the command of LaTeX around it.
            let url = url.trim_start_matches("\\url{").trim_end_matches('}').replace("\\_", "_").replace("\\&", "&");
            if ["http://", "https://", "ftp://"].iter().any(|scheme| url.starts_with(scheme)) {
                links.refer(&url, &self.title);
            }
        }
    }
}

/// `Roe, Ann` in the order in which people are called.
fn name(written: &str) -> String {
    match written.split_once(',') {
        Some((family, given)) if !given.contains(',') => {
            format!("{} {}", given.trim(), family.trim()).trim().to_owned()
        }
        _ => written.trim().to_owned(),
    }
}
