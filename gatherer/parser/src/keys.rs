//! Names as they are written, and what two spellings of one name have in common.

use crate::words::WordSet;
use std::sync::LazyLock;

/// A name without quotes and stars around it.
pub(crate) fn clean(name: &str) -> String {
    let trimmed = name.trim_matches(|letter: char| {
        matches!(
            letter,
            '"' | '„'
                | '“'
                | '”'
                | '»'
                | '«'
                | '*'
                | '★'
                | ','
                | '\''
                | '-'
                | '–'
                | '|'
                | ':'
                | '‚'
                | '‘'
                | '~'
                | '='
                | '•'
                | '·'
                | '_'
                | '#'
                | '+'
                | '<'
                | '>'
                | '/'
                | '\\'
                | '…'
        ) || letter.is_whitespace()
    });
    trimmed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What two spellings of one name have in common.
pub(crate) fn key(name: &str) -> String {
    let mut key = String::new();
    // "Tinsmith's Cottage" is that of the tinsmiths, as some write it.
    let name = name.to_lowercase().replace(['\'', '’', '‘', '`', '´'], "");
    for word in name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if key.is_empty() && matches!(word, "the" | "das" | "der" | "die" | "dem" | "den" | "im" | "zum") {
            continue;
        }
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
        // "in der Alten Schleuse"
        let stem = ["en", "er", "es", "em"].iter().find_map(|ending| word.strip_suffix(ending));
        if stem.is_some_and(|stem| ADJECTIVES.contains(stem)) {
            key.truncate(key.len() - 1);
        }
    }
    key
}

/// Adjectives with which names begin, and which are bent in sentences.
static ADJECTIVES: LazyLock<WordSet> =
    LazyLock::new(|| include_str!("../languages/adjectives.txt").lines().map(str::to_owned).collect());
