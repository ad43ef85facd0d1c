//! Reads BibTeX entry by entry: a broken one costs itself, and not the others.

use super::{Entry, FIELD};
use crate::tex;
use std::collections::HashMap;

/// Most abbreviations of a file.
const ABBREVIATIONS: usize = 10_000;

/// All entries, and how many could not be read whole.
pub(super) fn read(text: &str, limit: usize) -> (Vec<Entry>, usize) {
    let mut reader = Reader { text, place: 0, abbreviations: HashMap::new() };
    let (mut entries, mut broken) = (Vec::new(), 0);
    while entries.len() < limit && reader.next_entry() {
        let mut entry = Entry::default();
        let kind = reader.word().to_ascii_lowercase();
        let whole = reader.entry(&kind, &mut entry);
        broken += usize::from(whole.is_none());
        if !entry.is_empty() {
            entries.push(entry);
        }
    }
    (entries, broken)
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    abbreviations: HashMap<String, String>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.place..]
    }

    /// Goes behind the next `@` that a letter follows.
    fn next_entry(&mut self) -> bool {
        while let Some(place) = self.rest().find('@') {
            self.place += place + 1;
            if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) {
                return true;
            }
        }
        false
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.place += rest.len() - rest.trim_start().len();
    }

    /// A name, as far as it goes.
    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | ',' | '=' | '"' | '#' | '@');
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.place += word.len();
        word
    }

    /// Passes over a sign, if it stands here.
    fn sign(&mut self, signs: &[char]) -> Option<()> {
        self.skip_space();
        let found = self.rest().starts_with(signs);
        self.place += usize::from(found);
        found.then_some(())
    }

    /// One entry behind its kind; nothing if it is broken.
    fn entry(&mut self, kind: &str, entry: &mut Entry) -> Option<()> {
        if kind == "comment" {
            return Some(());
        }
        self.sign(&['{', '('])?;
        match kind {
            "preamble" => drop(self.value()?),
            "string" => {
                let name = self.word().to_ascii_lowercase();
                self.sign(&['='])?;
                let value = self.value()?;
                if self.abbreviations.len() < ABBREVIATIONS {
                    self.abbreviations.insert(name, value);
                }
            }
            _ => {
                self.skip_space();
                let rest = self.rest();
                let key = &rest[..rest.find([',', '}', ')', '\n', '=', '@']).unwrap_or(rest.len())];
                key.trim().clone_into(&mut entry.key);
                self.place += key.len();
                self.fields(entry)?;
            }
        }
        self.sign(&['}', ')'])
    }

    fn fields(&mut self, entry: &mut Entry) -> Option<()> {
        while self.sign(&[',']).is_some() {
            let name = self.word().to_ascii_lowercase();
            // A comma may stand behind the last field, too.
            if name.is_empty() {
                return Some(());
            }
            self.sign(&['='])?;
            let value = self.value()?;
            let plain = if matches!(name.as_str(), "url" | "doi") { value } else { tex::plain(&value) };
            entry.set(field_of(&name), &plain);
        }
        Some(())
    }

    /// Pieces joined by `#`.
    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        loop {
            self.skip_space();
            let piece = match self.rest().bytes().next()? {
                b'{' => self.delimited('}')?,
                b'"' => self.delimited('"')?,
                _ => {
                    let word = self.word();
                    let known = self.abbreviations.get(&word.to_ascii_lowercase());
                    // An unknown abbreviation is better than nothing, and a number stands for itself.
                    known.cloned().or_else(|| (!word.is_empty()).then(|| word.to_owned()))?
                }
            };
            let room = FIELD.saturating_sub(value.len());
            value.push_str(&piece[..piece.floor_char_boundary(room)]);
            if self.sign(&['#']).is_none() {
                return Some(value);
            }
        }
    }

    /// What stands between braces or quotes. It ends at the latest where the next entry seems to begin.
    fn delimited(&mut self, end: char) -> Option<String> {
        let body = &self.rest()[1..];
        let (mut depth, mut escaped) = (0_usize, false);
        for (place, character) in body.char_indices() {
            let next = &body[place + character.len_utf8()..];
            match character {
                '\n' if begins_entry(next) => {
                    self.place += 1 + place;
                    return None;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                other if other == end && depth == 0 => {
                    self.place += place + 2;
                    return Some(body[..place].to_owned());
                }
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.place = self.text.len();
        None
    }
}

fn begins_entry(text: &str) -> bool {
    let letters = text.strip_prefix('@').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    letters.is_some_and(|rest| rest.len() + 1 < text.len() && rest.starts_with(['{', '(']))
}

fn field_of(name: &str) -> &str {
    match name {
        "journal" | "journaltitle" | "booktitle" | "publisher" | "school" | "institution" | "howpublished" => {
            "container"
        }
        "date" => "year",
        "keyword" => "keywords",
        "editor" => "author",
        other => other,
    }
}
