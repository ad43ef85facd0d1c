//! How a table is written: what parts its columns, and what may stand around a value.

use csv::{Reader, ReaderBuilder, StringRecord};

/// Most bytes and rows that a guess looks at.
const SAMPLE: usize = 64 << 10;
const SAMPLE_ROWS: usize = 200;

/// Delimiters with their names. Of two that fit equally well the earlier one is taken: commas stand in numbers
/// and in texts, tabs hardly anywhere.
const DELIMITERS: &[(u8, &str)] = &[(b'\t', "tab"), (b';', "semicolon"), (b'|', "pipe"), (b',', "comma")];

/// A table and how it is written.
pub(super) struct Dialect<'a> {
    pub(super) delimiter: u8,
    /// How many fields most rows have.
    pub(super) columns: usize,
    quote: Option<u8>,
    text: &'a str,
}

impl<'a> Dialect<'a> {
    /// The dialect in which most rows have the same number of fields.
    pub(super) fn guess(text: &'a str) -> Self {
        let (told, text) = told(text);
        let sample = sample(text);
        let mut best = Self { delimiter: told.unwrap_or(b','), columns: 1, quote: Some(b'"'), text };
        let mut best_score = 0;
        let has_single_quotes = sample.split(['\n', '\t', ';', '|', ',']).any(|field| field.starts_with('\''));
        for (delimiter, _) in DELIMITERS.iter().filter(|(delimiter, _)| told.is_none_or(|told| told == *delimiter)) {
            for quote in [Some(b'"'), Some(b'\''), None] {
                if quote == Some(b'\'') && !has_single_quotes {
                    continue;
                }
                let tried = Self { delimiter: *delimiter, columns: 1, quote, text: sample };
                let (score, columns) = tried.score();
                if score > best_score {
                    best_score = score;
                    best = Self { columns, text, ..tried };
                }
            }
        }
        best
    }

    /// What parts the columns, in words.
    pub(super) fn name(&self) -> &'static str {
        DELIMITERS.iter().find(|(delimiter, _)| *delimiter == self.delimiter).map_or("", |(_, name)| name)
    }

    pub(super) fn reader(&self) -> Reader<&'a [u8]> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(self.delimiter);
        match self.quote {
            Some(quote) => builder.quote(quote),
            None => builder.quoting(false),
        };
        builder.from_reader(self.text.as_bytes())
    }

    /// Thousandths of rows with the most frequent number of fields, and this number.
    fn score(&self) -> (usize, usize) {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let mut record = StringRecord::new();
        let mut reader = self.reader();
        let mut rows = 0;
        while rows < SAMPLE_ROWS && reader.read_record(&mut record).is_ok_and(|more| more) {
            rows += 1;
            match counts.iter_mut().find(|(fields, _)| *fields == record.len()) {
                Some((_, count)) => *count += 1,
                None => counts.push((record.len(), 1)),
            }
        }
        let most = counts.into_iter().filter(|(fields, _)| *fields > 1).max_by_key(|(fields, count)| (*count, *fields));
        most.map_or((0, 1), |(fields, count)| (count * 1000 / rows.max(1), fields))
    }
}

/// What spreadsheets write into a first line of its own: `sep=;`.
fn told(text: &str) -> (Option<u8>, &str) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end_matches('\r').trim_matches('"');
    let sign = first.strip_prefix("sep=").filter(|sign| sign.len() == 1).map(|sign| sign.as_bytes()[0]);
    match sign.filter(|sign| DELIMITERS.iter().any(|(known, _)| known == sign)) {
        Some(sign) => (Some(sign), rest),
        None => (None, text),
    }
}

/// The beginning of the table, in whole lines if it has lines.
fn sample(text: &str) -> &str {
    let start = &text[..text.floor_char_boundary(SAMPLE)];
    if start.len() == text.len() { text } else { start.rfind('\n').map_or(start, |end| &start[..=end]) }
}
