//! The table of blind scores: each page once, before anybody has seen it. Lines are added and never changed.

use super::PageScore;
use crate::model::ParserMark;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The first line of the table.
const HEAD: &str = "date\tpage\tkind\tparser\tfingerprint\twanted\tgot\tgiven\tright\tprecision\trecall\tf1\tnames\tnumbers\tduplicates\tsiblings";

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The page: `de/hotel-krone`.
    pub page: String,
    /// Its precision.
    pub precision: f64,
    /// Its F1.
    pub f1: f64,
    /// Of so many proper names of the page, so many were found.
    pub names: (usize, usize),
    /// Of so many numbers of the page, so many were found.
    pub numbers: (usize, usize),
    /// Facts that stood in the answer more than once, and facts between members of one enumeration.
    pub doubtful: usize,
    /// Whether the page is of another domain and should give nothing.
    pub is_foreign: bool,
}

/// Adds the score of a page, unless it has one: then the page has been seen, and nothing is added.
///
/// # Errors
/// If the table cannot be read or written.
pub fn append(table: &Path, date: &str, parser: &ParserMark, score: &PageScore) -> Result<bool, String> {
    let known = rows(table)?;
    if known.iter().any(|row| row.page == score.page.path) {
        return Ok(false);
    }
    let wrong = |error: std::io::Error| format!("cannot write {}: {error}", table.display());
    let mut file = OpenOptions::new().create(true).append(true).open(table).map_err(wrong)?;
    let is_new = file.metadata().map_err(wrong)?.len() == 0;
    let head = if is_new { format!("{HEAD}\n") } else { String::new() };
    file.write_all(format!("{head}{}\n", line(date, parser, score)).as_bytes()).map_err(wrong)?;
    Ok(true)
}

fn line(date: &str, parser: &ParserMark, score: &PageScore) -> String {
    let strict = score.strict;
    let of = |(wanted, found): (usize, usize)| format!("{found}/{wanted}");
    [
        date.to_owned(),
        score.page.path.clone(),
        score.page.kind.clone(),
        format!("{}/{}", parser.name, parser.version),
        parser.fingerprint.clone(),
        strict.wanted.to_string(),
        strict.got.to_string(),
        strict.given.to_string(),
        strict.right.to_string(),
        format!("{:.3}", strict.precision()),
        format!("{:.3}", strict.recall()),
        format!("{:.3}", strict.f1()),
        of(score.names),
        of(score.numbers),
        score.duplicates.to_string(),
        score.siblings.to_string(),
    ]
    .join("\t")
}

/// The lines of the table, the oldest first. No table is an empty one.
///
/// # Errors
/// If it cannot be read, or a line is none of ours.
pub fn rows(table: &Path) -> Result<Vec<Row>, String> {
    let text = match std::fs::read_to_string(table) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("cannot read {}: {error}", table.display())),
    };
    let columns: Vec<_> = HEAD.split('\t').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name).unwrap_or(0);
    let row = |(number, line): (usize, &str)| {
        let parts: Vec<_> = line.split('\t').collect();
        let wrong = || format!("{}:{}: no line of this table", table.display(), number + 1);
        let share = |name: &str| parts.get(place(name)).and_then(|part| part.parse().ok()).ok_or_else(wrong);
        let page = parts.get(place("page")).map(|page| (*page).to_owned()).ok_or_else(wrong)?;
        let of = |name: &str| {
            let (found, wanted) = parts.get(place(name))?.split_once('/')?;
            Some((wanted.parse().ok()?, found.parse().ok()?))
        };
        let count = |name: &str| parts.get(place(name)).and_then(|part| part.parse::<usize>().ok()).ok_or_else(wrong);
        Ok(Row {
            page,
            precision: share("precision")?,
            f1: share("f1")?,
            names: of("names").ok_or_else(wrong)?,
            numbers: of("numbers").ok_or_else(wrong)?,
            doubtful: count("duplicates")? + count("siblings")?,
            is_foreign: parts.get(place("kind")) == Some(&"foreign"),
        })
    };
    let is_row = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#') && *line != HEAD;
    text.lines().enumerate().filter(is_row).map(row).collect()
}

/// How good a parser was on the last pages of a language that it had never seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// The mean of the pages' precisions.
    pub precision: f64,
    /// The mean of the pages' F1.
    pub f1: f64,
    /// The share of proper names that were found.
    pub names: f64,
    /// The share of numbers that were found.
    pub numbers: f64,
}

/// The means over the last pages of a language; nothing if there are none.
#[expect(clippy::cast_precision_loss, reason = "there are not so many pages")]
pub fn last_means(rows: &[Row], language: &str, count: usize) -> Option<Means> {
    let of_language = rows.iter().rev().filter(|row| row.page.split('/').next() == Some(language));
    let last: Vec<_> = of_language.take(count).collect();
    let mean = |of: fn(&Row) -> f64| last.iter().map(|row| of(row)).sum::<f64>() / last.len() as f64;
    let share = |of: fn(&Row) -> (usize, usize)| {
        let (wanted, found) = last.iter().map(|row| of(row)).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        if wanted == 0 { 1.0 } else { found as f64 / wanted as f64 }
    };
    (!last.is_empty()).then(|| Means {
        precision: mean(|row| row.precision),
        f1: mean(|row| row.f1),
        names: share(|row| row.names),
        numbers: share(|row| row.numbers),
    })
}
