//! Files of RCS and CVS: who changed what and when, in their own words, and the newest text.

use crate::text::Lines;
use gatherer_pipeline::{Draft, Refusal};

/// Most authors, and most names of revisions.
const NAMES: usize = 2_000;

/// Writes what the file tells of its revisions.
pub(super) fn write(text: &str, draft: &mut Draft) -> Result<(), Refusal> {
    let mut words = Words { text, place: 0 };
    let head = (words.next() == Some(Word::Bare("head"))).then(|| words.next());
    let Some(Some(Word::Bare(head))) = head else {
        return Err(Refusal::Cannot("no RCS file: it does not begin with its head revision".to_owned()));
    };
    draft.add("Revision", head);
    let mut file =
        File { authors: Lines::new(NAMES), symbols: Lines::new(NAMES), dates: Vec::new(), text: String::new() };
    let (mut revision, mut before) = ("", "");
    while let Some(word) = words.next() {
        match (before, word) {
            ("desc", Word::Quoted(value)) => draft.add("Description", &plain(value)),
            ("log", Word::Quoted(value)) => file.log(revision, &plain(value)),
            // Only the newest revision is there as a whole; the others are changes to it.
            ("text", Word::Quoted(value)) if revision == head => file.text += &(plain(value) + "\n"),
            ("date", Word::Bare(value)) => file.dates.push(date(value)),
            ("author", Word::Bare(value)) => file.authors.push(value),
            ("symbols" | ":", Word::Bare(name)) if name.contains(':') => file.symbols.push(name),
            (_, Word::Bare(number)) if number.starts_with(|c: char| c.is_ascii_digit()) => revision = number,
            _ => {}
        }
        before = match (before, word) {
            // A list of names goes on up to its semicolon.
            ("symbols" | ":", Word::Bare(name)) if name != ";" => ":",
            (_, Word::Bare(name)) => name,
            (_, Word::Quoted(_)) => "",
        };
    }
    file.dates.sort_unstable();
    draft.add("Author", &file.authors.into_text());
    draft.add("Created", file.dates.first().map_or("", String::as_str));
    draft.add("Modified", file.dates.last().map_or("", String::as_str));
    draft.add("Symbols", &file.symbols.into_text());
    draft.set_text(&file.text);
    Ok(())
}

struct File {
    authors: Lines,
    symbols: Lines,
    dates: Vec<String>,
    text: String,
}

impl File {
    fn log(&mut self, revision: &str, log: &str) {
        self.text.extend([revision, ": ", log.trim(), "\n"]);
    }
}

/// A word of the grammar: names, numbers and signs, or a string between `@`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Word<'a> {
    Bare(&'a str),
    Quoted(&'a str),
}

struct Words<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        let all = self.text.get(self.place..)?;
        let rest = all.trim_start();
        let start = self.place + all.len() - rest.len();
        let first = rest.chars().next()?;
        let length = match first {
            '@' => return Some(self.quoted(start + 1)),
            ';' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '@')).unwrap_or(rest.len()),
        };
        self.place = start + length;
        Some(Word::Bare(&rest[..length]))
    }

    /// A string up to its `@`; two of them stand for one.
    fn quoted(&mut self, start: usize) -> Word<'a> {
        let mut end = start;
        loop {
            let Some(length) = self.text[end..].find('@') else {
                self.place = self.text.len();
                return Word::Quoted(&self.text[start..]);
            };
            end += length + 1;
            if !self.text[end..].starts_with('@') {
                self.place = end;
                return Word::Quoted(&self.text[start..end - 1]);
            }
            end += 1;
        }
    }
}

fn plain(quoted: &str) -> String {
    quoted.replace("@@", "@")
}

/// `94.05.01.12.00.00` or `2024.05.01.12.00.00`, both of them in UTC.
fn date(written: &str) -> String {
    let parts: Vec<_> = written.split('.').take(7).collect();
    let sound = parts.iter().all(|part| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()));
    match parts.as_slice() {
        [year, month, day, hour, minute, second] if sound => {
            let century = if year.len() == 2 { "19" } else { "" };
            format!("{century}{year}-{month}-{day}T{hour}:{minute}:{second}Z")
        }
        _ => String::new(),
    }
}
