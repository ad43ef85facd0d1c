//! What a parser is known to miss and to get wrong on pages that it has seen. The table may only become shorter: a fact that was
//! found once is never lost again.
//!
//! A line is `page<TAB>wrong<TAB>COUNT`, or `page<TAB>missed<TAB>FACT`. What does not stand in it was found.

use super::PageScore;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

const HEAD: &str =
    "# What is still missed and how much is wrong, page by page; made by `gatherer-parser score tests/gold --keep`.";

/// What is known of each page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    pages: BTreeMap<String, Known>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    wrong: usize,
    missed: BTreeSet<String>,
}

/// What became worse, and what became better, in sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Facts that were lost, and pages with more that is wrong.
    pub worse: Vec<String>,
    /// Lines of the table that hold no longer.
    pub better: Vec<String>,
}

impl Kept {
    /// Reads the table; no table is an empty one.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none of ours.
    pub fn read(table: &Path) -> Result<Self, String> {
        let text = match std::fs::read_to_string(table) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("cannot read {}: {error}", table.display())),
        };
        let mut kept = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("{}:{}: no line of this table", table.display(), number + 1);
            let mut parts = line.splitn(3, '\t');
            let (Some(page), Some(what), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
                return Err(wrong());
            };
            let known = kept.pages.entry(page.to_owned()).or_default();
            match what {
                "wrong" => known.wrong = rest.parse().map_err(|_| wrong())?,
                "missed" => drop(known.missed.insert(rest.to_owned())),
                _ => return Err(wrong()),
            }
        }
        Ok(kept)
    }

    /// Holds the score of a page against what is known of it. A page that is not known yet cannot be worse.
    pub fn compare(&self, score: &PageScore) -> Change {
        let mut change = Change::default();
        let path = &score.page.path;
        let Some(known) = self.pages.get(path) else { return change };
        let now = Known::of(score);
        change.worse.extend(now.missed.difference(&known.missed).map(|fact| format!("{path}: lost {fact}")));
        change.better.extend(known.missed.difference(&now.missed).map(|fact| format!("{path}: found {fact}")));
        let count = format!("{path}: {} wrong facts instead of {}", now.wrong, known.wrong);
        match now.wrong.cmp(&known.wrong) {
            std::cmp::Ordering::Greater => change.worse.push(count),
            std::cmp::Ordering::Less => change.better.push(count),
            std::cmp::Ordering::Equal => {}
        }
        change
    }

    /// Takes over the score of a page.
    pub fn put(&mut self, score: &PageScore) {
        self.pages.insert(score.page.path.clone(), Known::of(score));
    }

    /// Whether a page stands in it.
    pub fn knows(&self, page: &str) -> bool {
        self.pages.contains_key(page)
    }

    /// The table as it is written.
    pub fn text(&self) -> String {
        let mut lines = vec![HEAD.to_owned()];
        for (page, known) in &self.pages {
            lines.push(format!("{page}\twrong\t{}", known.wrong));
            lines.extend(known.missed.iter().map(|fact| format!("{page}\tmissed\t{fact}")));
        }
        lines.join("\n") + "\n"
    }
}

impl Known {
    fn of(score: &PageScore) -> Self {
        let missed = score.missed.iter().cloned().collect();
        Self { wrong: score.strict.given - score.strict.right, missed }
    }
}
