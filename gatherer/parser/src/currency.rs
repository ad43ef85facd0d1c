//! What money the numbers of a table are, by its head, a heading or a caption over it, or the page.

use crate::layout::{Line, Role};
use crate::literals::Finder;
use crate::mentions::{Mention, Reader, What};
use std::collections::HashMap;

/// Whether a line ends with a number such as `13,90` or `58,-`.
fn ends_with_amount(text: &str) -> bool {
    let bytes = text.trim_end().as_bytes();
    let are_digits = |digits: &[&u8]| digits.iter().all(|digit| digit.is_ascii_digit());
    matches!(bytes, [.., whole, b',' | b'.', ten, one] if are_digits(&[whole, ten, one]))
        || matches!(bytes, [.., whole, b',', b'-'] if are_digits(&[whole]))
}

/// Whether a text has numbers that are no years.
fn has_amount(text: &str) -> bool {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.any(|number| number.len() != 4 || !(number.starts_with("19") || number.starts_with("20")))
}

/// A heading or a caption that names a currency has so many words at most.
const HEAD_WORDS: usize = 8;

/// Words, or parts of them, by which a heading stands over prices.
const PRICES: [&str; 10] =
    ["preis", "price", "tariff", "tarif", "rate", "charge", "cost", "kosten", "gebühr", "eintritt"];
/// And by which a column holds other numbers.
const NUMBERS: [&str; 8] = ["anzahl", "betten", "person", "zimmer", "größe", "beds", "sleeps", "size"];

/// What the head of a table says of its cells.
#[derive(Default)]
pub(crate) struct Table {
    /// Table and row that named a currency, and which.
    named: Option<(u32, u32, String)>,
    /// What a heading or a caption has named, for the table behind it.
    over: Option<String>,
    page_currency: Option<String>,
    /// The only currency whose sign stands beside numbers of the page.
    sole: Option<String>,
    /// Heads of columns, in small letters, by table and column.
    heads: HashMap<(u32, u32), String>,
}

impl Table {
    /// Of a page that asks for this money, if it asks for one alone, and has these lines.
    pub(crate) fn new<'t>(
        page_currency: Option<String>,
        texts: impl Iterator<Item = &'t str>,
        finder: &Finder,
    ) -> Self {
        let mut named: Vec<_> =
            texts.filter(|text| has_amount(text)).filter_map(|text| finder.currency(text)).collect();
        named.dedup();
        let sole = named.pop().filter(|_| named.is_empty());
        Self { page_currency, sole, ..Self::default() }
    }

    /// Takes notice of a line, in the order of the page.
    pub(crate) fn see(&mut self, line: &Line, text: &str, finder: &Finder) {
        let has_digit = has_amount(text);
        let Some(cell) = line.cell else {
            // "Preise 2006 in CHF"
            let words = text.split_whitespace().count();
            let is_head = matches!(line.role, Role::Heading(_)) || words <= HEAD_WORDS;
            let lower = text.to_lowercase();
            let is_price = PRICES.iter().any(|word| lower.contains(word));
            let code = finder.currency(text).filter(|_| is_head && is_price && !has_digit);
            if code.is_some() || matches!(line.role, Role::Heading(_)) || words > HEAD_WORDS {
                self.over = code;
            }
            return;
        };
        if let Some(code) = self.over.take() {
            self.named = Some((cell.table, 0, code));
        }
        // "Blessing by Fr. Martin Furlong" names no francs.
        let is_short = text.split_whitespace().count() <= 4 || text.contains("CHF");
        if let Some(code) = finder.currency(text).filter(|code| !has_digit && (is_short || code != "CHF")) {
            self.named = Some((cell.table, cell.row, code));
        }
        if (cell.is_head || cell.row == 1) && !has_digit {
            self.heads.entry((cell.table, cell.column)).or_insert_with(|| text.to_lowercase());
        }
    }

    fn head(&self, line: &Line) -> &str {
        let head = line.cell.filter(|cell| cell.row > 1).and_then(|cell| self.heads.get(&(cell.table, cell.column)));
        head.map_or("", String::as_str)
    }

    /// The currency of a bare number in this line.
    pub(crate) fn currency(&self, line: &Line, text: &str) -> Option<&str> {
        let cell = line.cell.filter(|cell| cell.column > 1);
        let named = self
            .named
            .as_ref()
            .filter(|(table, row, _)| cell.is_some_and(|cell| cell.table == *table && cell.row > *row))
            .filter(|(_, row, _)| *row > 0 || self.is_amount(line, text));
        let is_price = ["preis", "price"].iter().any(|word| self.head(line).contains(word));
        // In a line that tells more, numbers are also those of houses and telephones.
        let is_short = line.cell.is_some() || text.split_whitespace().count() <= HEAD_WORDS;
        let ends = ends_with_amount(text) && is_short;
        let of_page = self.page_currency.as_deref().filter(|_| ends || is_price && cell.is_some());
        named.map(|(_, _, code)| code.as_str()).or(of_page)
    }

    /// The currency of the page.
    pub(crate) fn of_page(&self) -> Option<&str> {
        self.page_currency.as_deref().or(self.sole.as_deref())
    }

    /// A number alone, in a column that says of no other numbers that it has them.
    fn is_amount(&self, line: &Line, text: &str) -> bool {
        let is_number = text.chars().all(|letter| letter.is_ascii_digit() || " .,'’-–—".contains(letter));
        is_number && !NUMBERS.iter().any(|word| self.head(line).contains(word))
    }

    /// Whether a line stands in a column of addresses.
    pub(crate) fn is_address(&self, line: &Line) -> bool {
        ["anschrift", "adresse", "address", "straße"].iter().any(|word| self.head(line).contains(word))
    }
}

impl Reader<'_> {
    /// "Preise in DM", "Prices per week in Euro", anywhere on the page.
    pub(crate) fn page_currency(&self) -> Option<String> {
        let texts = self.page.lines.iter().map(|line| self.page.line(line));
        let mut named = texts.filter_map(|text| {
            let is_said = ["reise in ", "rices in ", "reise (in "].iter().any(|words| text.contains(words));
            let is_far = text.len() < 60
                && ["rices ", "ates ", "ariff ", "reise ", "reis "].iter().any(|words| text.contains(words));
            let behind = text.find(" in ").filter(|_| is_far).map(|place| &text[place + 4..]);
            is_said.then(|| self.finder.currency(text)).flatten().or_else(|| {
                behind.filter(|behind| behind.split(' ').next().is_some_and(|word| word.len() < 9)).and_then(|behind| {
                    self.finder.currency(behind.split([' ', ',', '.', ')', ':']).next().unwrap_or_default())
                })
            })
        });
        named.next()
    }

    /// "Preise in Franken": that is money, and no region.
    pub(crate) fn currencies(&self, all: &mut Vec<Mention>) {
        let is_money = |mention: &Mention| {
            let text = &self.page.text[mention.span.clone()];
            let start = self.tokens.lines[mention.line].start;
            let before = self.tokens.all[start..mention.tokens.start].iter().rev().take(6);
            let is_place = matches!(mention.what, What::Place(_)) && self.finder.currency(text).is_some();
            is_place && before.into_iter().any(|token| token.lower.contains("preis") || token.lower.contains("tarif"))
        };
        all.retain(|mention| !is_money(mention));
    }
}
