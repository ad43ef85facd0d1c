//! The head of an RFC: two columns with what it is and who wrote it, then its title.

use super::compile;
use crate::text::{Lines, dates};
use gatherer_pipeline::Draft;
use regex::Regex;
use std::sync::LazyLock;

/// Most lines that the head may have.
const LINES: usize = 60;
/// Most authors.
const AUTHORS: usize = 50;

/// Names in the left column, and the attributes they become.
const NAMES: &[(&str, &str)] = &[
    ("request for comments", "RFC"),
    ("rfc", "RFC"),
    ("fyi", "FYI"),
    ("bcp", "BCP"),
    ("std", "STD"),
    ("category", "Category"),
    ("intended status", "Category"),
    ("status", "Category"),
    ("obsoletes", "Obsoletes"),
    ("updates", "Updates"),
    ("issn", "ISSN"),
    ("expires", "Expires"),
];

/// A person: an initial or two and a name.
static PERSON: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?x)^(?: (?:\p{Lu}\.[\ -]?)+ \s* \p{L}[\p{L}'.\ -]+
            | \p{Lu}\p{L}+ (?:\s+\p{Lu}\.?)+ \s+ \p{Lu}\p{L}+ ) (?:,\ (?:Ed|Editor|Jr)\.?)?$",
    )
});
/// A month and a year, with or without a day.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?xi)^(?:\d{1,2}\s+)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+
            (?:\d{1,2},?\s+)? (?:19|20)\d\d$",
    )
});
static GAP: LazyLock<Regex> = LazyLock::new(|| compile(r"[ \t]{2,}"));

/// Writes what the head says.
pub(super) fn write(text: &str, draft: &mut Draft) {
    let mut lines = text.lines().take(LINES).skip_while(|line| line.is_empty()).peekable();
    let (mut authors, mut created) = (Lines::new(AUTHORS), None);
    let mut goes_on = None;
    while let Some(line) = lines.next_if(|line| !line.is_empty()) {
        let indented = line.starts_with(' ');
        let mut cells = GAP.split(line.trim()).peekable();
        // A list may go on in the next line of its column.
        let more = goes_on.is_some() && cells.peek().is_some_and(|cell| cell.starts_with(|c: char| c.is_ascii_digit()));
        if (!indented || more)
            && let Some(left) = cells.next()
        {
            goes_on = left_cell(left, goes_on, draft);
        }
        for cell in cells {
            if DATE.is_match(cell) {
                created = dates::date(cell);
            } else if PERSON.is_match(cell) {
                authors.push(cell);
            }
        }
    }
    while lines.next_if(|line| line.is_empty()).is_some() {}
    let title: Vec<_> = std::iter::from_fn(|| lines.next_if(|line| !line.is_empty())).map(str::trim).collect();
    draft.add("Title", &title_of(&title));
    draft.add("Author", &authors.into_text());
    draft.add("Created", &created.unwrap_or_default());
}

/// `Obsoletes: 2068` and its like. Gives back the attribute that the next line may go on with.
fn left_cell(cell: &str, before: Option<&'static str>, draft: &mut Draft) -> Option<&'static str> {
    let Some((name, value)) = cell.split_once(':') else {
        // Only numbers go on.
        let list = cell.starts_with(|c: char| c.is_ascii_digit()).then_some(before).flatten();
        list.into_iter().for_each(|name| add(name, cell, draft));
        return list.filter(|_| cell.ends_with(','));
    };
    let name = name.trim().to_ascii_lowercase();
    let (_, attribute) = NAMES.iter().find(|(known, _)| *known == name)?;
    let value = value.trim();
    add(attribute, value, draft);
    value.ends_with(',').then_some(*attribute)
}

/// Several numbers become several lines.
fn add(name: &str, value: &str, draft: &mut Draft) {
    let is_list = matches!(name, "Obsoletes" | "Updates");
    value.split(|c| is_list && c == ',').for_each(|part| draft.add(name, part));
}

/// Without the name of the file that drafts have under their title.
fn title_of(lines: &[&str]) -> String {
    let words = lines.iter().filter(|line| !(line.starts_with("draft-") || line.starts_with("<draft-")));
    words.copied().collect::<Vec<_>>().join(" ")
}
