//! Tables: CSV and its like.

mod dialect;
#[cfg(test)]
mod tests;

use crate::charset::{self, Hint};
use crate::fold::Folded;
use csv::StringRecord;
use dialect::Dialect;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::collections::HashSet;

pub(crate) const KINDS: &[&str] = &["CSV"];

/// Most bytes of rows that become the text.
const TEXT_LIMIT: usize = 64 << 10;
/// Most columns that are told of.
const COLUMNS: usize = 5_000;
/// Longest name of a column.
const NAME_LIMIT: usize = 200;
/// Rows that decide whether the first one is a header.
const SAMPLE: usize = 100;

/// Columns, their types, and the first rows of a table.
pub(crate) struct Table;

impl Summarizer for Table {
    fn name(&self) -> &'static str {
        concat!("table ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::text(leaf.url));
        let mut draft = Draft::new();
        decoded.tell(&mut draft);
        let mut text = decoded.text.as_ref();
        if leaf.cut {
            draft.complain("the table breaks off");
            // The last row is half a row.
            text = text.rfind('\n').map_or(text, |end| &text[..=end]);
        }
        let dialect = Dialect::guess(text);
        draft.add("Format", dialect.name());
        Rows::read(&dialect).write(&mut draft);
        Ok(draft)
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Empty,
    Integer,
    Number,
    Date,
    Text,
}

impl Type {
    /// The type of one value. A comma is a decimal sign where it parts no columns.
    fn of(value: &str, has_commas: bool) -> Self {
        let value = value.trim();
        if value.is_empty() {
            return Self::Empty;
        }
        let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
        if digits.len() <= 40 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::Integer;
        }
        if is_number(digits, has_commas) {
            return Self::Number;
        }
        if is_date(value) { Self::Date } else { Self::Text }
    }

    /// The type that both have.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Empty, one) | (one, Self::Empty) => one,
            (Self::Integer, Self::Number) | (Self::Number, Self::Integer) => Self::Number,
            _ => Self::Text,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Date => "date",
            Self::Text => "text",
        }
    }
}

/// Whether it is a number by its looks; words such as `inf` are words.
fn is_number(digits: &str, has_commas: bool) -> bool {
    let begins = digits.len() <= 40 && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    begins && if has_commas { digits.parse::<f64>().is_ok() } else { digits.replace(',', ".").parse::<f64>().is_ok() }
}

/// Whether it is a date: `2024-05-01`, `1.5.2024` or `5/1/2024`, with or without a time behind it.
fn is_date(value: &str) -> bool {
    let date = value.split(['T', ' ']).next().unwrap_or_default();
    let separator = date.chars().find(|c| !c.is_ascii_digit()).filter(|c| matches!(c, '-' | '.' | '/'));
    let Some(separator) = separator else { return false };
    let parts: Vec<_> = date.split(separator).take(4).collect();
    let all_digits = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let years = parts.iter().filter(|part| part.len() == 4).count();
    value.len() <= 40 && parts.len() == 3 && all_digits && years == 1 && parts[1].len() <= 2
}

/// The rows of a table, read once from its beginning to its end.
#[derive(Default)]
struct Rows {
    header: Vec<String>,
    types: Vec<Type>,
    count: usize,
    ragged: usize,
    columns: usize,
    text: String,
}

impl Rows {
    fn read(dialect: &Dialect<'_>) -> Self {
        let mut rows = Self { columns: dialect.columns, ..Self::default() };
        let mut sample = Vec::new();
        let mut record = StringRecord::new();
        let mut reader = dialect.reader();
        let mut deciding = true;
        // The text is UTF-8 and rows may differ, so nothing is left that the reader could object to.
        while reader.read_record(&mut record).is_ok_and(|more| more) {
            if deciding {
                sample.push(record.clone());
                if sample.len() > SAMPLE {
                    rows.take_sample(&mut sample, dialect);
                    deciding = false;
                }
            } else {
                rows.take(&record, dialect);
            }
        }
        rows.take_sample(&mut sample, dialect);
        rows
    }

    /// What stands before the first whole row is a caption; the first whole row may be a header.
    fn take_sample(&mut self, sample: &mut Vec<StringRecord>, dialect: &Dialect<'_>) {
        let whole = sample.iter().position(|row| row.len() == self.columns).unwrap_or(0);
        for caption in sample.drain(..whole) {
            self.tell(&caption);
        }
        let has_header = sample.split_first().is_some_and(|(first, rest)| is_header(first, rest, dialect));
        for (place, row) in sample.drain(..).enumerate() {
            if place == 0 && has_header {
                self.header = row.iter().take(COLUMNS).map(|name| Folded::line(name, NAME_LIMIT)).collect();
                self.tell(&row);
            } else {
                self.take(&row, dialect);
            }
        }
    }

    fn take(&mut self, row: &StringRecord, dialect: &Dialect<'_>) {
        self.count += 1;
        self.ragged += usize::from(row.len() != self.columns);
        let columns = self.columns.min(COLUMNS);
        self.types.resize(columns, Type::Empty);
        for (known, value) in self.types.iter_mut().zip(row.iter()) {
            if *known != Type::Text {
                *known = known.and(Type::of(value, dialect.delimiter == b','));
            }
        }
        self.tell(row);
    }

    fn tell(&mut self, row: &StringRecord) {
        if self.text.len() >= TEXT_LIMIT {
            return;
        }
        for (place, value) in row.iter().enumerate() {
            if place > 0 {
                self.text.push('\t');
            }
            self.text.push_str(&Folded::line(value, TEXT_LIMIT.saturating_sub(self.text.len())));
        }
        self.text.push('\n');
    }

    fn write(self, draft: &mut Draft) {
        draft.add("Rows", &self.count.to_string());
        let nameless = |name: &String| if name.is_empty() { "-".to_owned() } else { name.clone() };
        draft.add("Columns", &self.header.iter().map(nameless).collect::<Vec<_>>().join("\n"));
        draft.add("Column-Types", &self.types.iter().map(|known| known.name()).collect::<Vec<_>>().join("\n"));
        if self.ragged > 0 {
            draft.complain(format!("{} rows have more or fewer than {} fields", self.ragged, self.columns));
        }
        if self.columns > COLUMNS {
            draft.complain(format!("more than {COLUMNS} columns"));
        }
        draft.set_text(&self.text);
    }
}

/// Whether the first row names the columns: words, each once, that are not values of their columns.
fn is_header(first: &StringRecord, rest: &[StringRecord], dialect: &Dialect<'_>) -> bool {
    let has_commas = dialect.delimiter == b',';
    let names: HashSet<_> = first.iter().map(str::trim).filter(|name| !name.is_empty()).collect();
    let blank = first.iter().filter(|name| name.trim().is_empty()).count();
    let are_words = names.iter().all(|name| Type::of(name, has_commas) == Type::Text && name.len() <= NAME_LIMIT);
    if names.is_empty() || !are_words || names.len() + blank != first.len() || blank > names.len() {
        return false;
    }
    let repeats = first.iter().enumerate().any(|(column, name)| {
        !name.trim().is_empty()
            && rest.iter().any(|row| row.get(column).is_some_and(|value| value.trim() == name.trim()))
    });
    !repeats
}
