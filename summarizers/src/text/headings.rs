//! Headings of plain text: underlined, with number signs before them, in capitals, or questions of a FAQ.

use super::Lines;

/// Most headings of a text.
const LIMIT: usize = 2_000;
/// Longest line, in bytes, that may be a heading.
const LENGTH: usize = 120;

/// All headings in order. Capitals, number signs and numbered questions count only in a `loose` text: elsewhere
/// they are comments, shouting or lists.
pub(super) fn headings(text: &str, loose: bool) -> Lines {
    let mut found = Lines::new(LIMIT);
    let mut before = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let words = line.trim();
        let free = before.trim().is_empty() || is_rule(before);
        let short = line.len() <= LENGTH && words.contains(char::is_alphabetic);
        if short && free && lines.peek().is_some_and(|below| underlines(below, words)) {
            found.push(words);
        } else if short && loose && is_loose(line, words, free) {
            found.push(words.trim_matches('#'));
        }
        before = line;
    }
    found
}

/// One mark again and again, as under or over a heading.
fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    let mut marks = line.chars();
    let first = marks.next();
    first.is_some_and(|mark| "=-~^*+#\"'`:.".contains(mark)) && line.len() >= 3 && marks.all(|mark| Some(mark) == first)
}

fn underlines(below: &str, words: &str) -> bool {
    is_rule(below.trim()) && below.trim().len() >= words.chars().count() * 2 / 3
}

fn is_loose(line: &str, words: &str, free: bool) -> bool {
    let numbered = words.starts_with(|c: char| c.is_ascii_digit()) || words.starts_with("Q:");
    let shouted = words.chars().filter(|c| c.is_uppercase()).count() >= 3 && !words.contains(char::is_lowercase);
    line.starts_with("# ")
        || line.starts_with("## ")
        || line.starts_with("### ")
        || (numbered && words.ends_with('?'))
        || (free && shouted && line.starts_with(words))
}
