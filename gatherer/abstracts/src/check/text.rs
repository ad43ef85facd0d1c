//! The document as it was given to the parser, and whether something really stands in it.

use super::Reason;
use crate::model::{Offsets, Place};
use std::borrow::Cow;
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

/// The byte of every so-many-th character is noted.
const STEP: usize = 256;

/// A document, decoded.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    is_markup: bool,
    length: usize,
    /// The bytes at which characters 0, `STEP`, 2 `STEP` ... begin.
    marks: Vec<usize>,
    /// All of it in the form in which words are compared, when somebody asks.
    plain: OnceLock<String>,
}

impl<'a> Document<'a> {
    /// A document without its byte order mark. In markup, tags and character references are seen through.
    pub fn new(text: &'a str, is_markup: bool) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut length = 0;
        let mut marks = Vec::new();
        for (byte, _) in text.char_indices() {
            if length % STEP == 0 {
                marks.push(byte);
            }
            length += 1;
        }
        Self { text, is_markup, length, marks, plain: OnceLock::new() }
    }

    /// How many characters it has.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The characters from one place to another; nothing if there are none.
    pub(super) fn between(&self, start: usize, end: usize) -> Option<&'a str> {
        (start < end && end <= self.length).then(|| &self.text[self.byte_of(start)..self.byte_of(end)])
    }

    fn byte_of(&self, character: usize) -> usize {
        let Some(mark) = self.marks.get(character / STEP) else { return self.text.len() };
        let rest = self.text[*mark..].char_indices().nth(character % STEP);
        rest.map_or(self.text.len(), |(byte, _)| mark + byte)
    }

    /// Whether the quote stands at its place; with offsets into a text that only the parser knows, whether it stands anywhere.
    pub(super) fn holds(&self, place: &Place, offsets: Option<Offsets>) -> Result<(), Reason> {
        let quote = compared(&place.quote);
        if offsets == Some(Offsets::Text) {
            let stands = place.start < place.end && !quote.is_empty() && self.plain().contains(&quote);
            let as_numbers = || with_plain_numbers(self.plain()).contains(&with_plain_numbers(&quote));
            return if place.start >= place.end {
                Err(Reason::Offset)
            } else if stands || (!quote.is_empty() && as_numbers()) {
                Ok(())
            } else {
                Err(Reason::Quote)
            };
        }
        let passage = self.between(place.start, place.end).ok_or(Reason::Offset)?;
        let passage = compared(&self.seen_through(passage));
        // A quote that had to be cut is the beginning of what stands there.
        let is_cut = place.quote.chars().count() >= Place::QUOTE_LIMIT;
        let stands = passage == quote || (is_cut && passage.starts_with(&quote));
        let stands = stands || with_plain_numbers(&passage) == with_plain_numbers(&quote);
        if stands && !quote.is_empty() { Ok(()) } else { Err(Reason::Quote) }
    }

    /// Whether all words stand in the quote, or together in the document.
    pub(super) fn has_words(&self, words: &str, quote: &str) -> bool {
        let words = compared(words);
        !words.is_empty() && (compared(quote).contains(&words) || self.plain().contains(&words))
    }

    fn plain(&self) -> &str {
        self.plain.get_or_init(|| compared(&self.seen_through(self.text)))
    }

    /// The text behind the markup.
    pub(super) fn seen_through<'b>(&self, part: &'b str) -> Cow<'b, str> {
        if !self.is_markup || !part.contains(['<', '&']) {
            return Cow::Borrowed(part);
        }
        Cow::Owned(htmlize::unescape(without_tags(part)).into_owned())
    }
}

/// Takes out tags and comments. A `<` that begins neither is text.
fn without_tags(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(place) = rest.find('<') {
        let (before, tag) = rest.split_at(place);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        let end =
            if tag.starts_with("<!--") { tag.find("-->").map(|end| end + 3) } else { tag.find('>').map(|end| end + 1) };
        match end.filter(|_| is_tag) {
            Some(end) => rest = &tag[end..],
            // What has no end goes on behind the part.
            None if is_tag => return out,
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The form in which words are compared: one form for equal characters, no case, no white space, no soft hyphens.
pub(super) fn compared(text: &str) -> String {
    let is_seen = |one: &char| !one.is_whitespace() && !matches!(one, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}');
    text.nfkc().flat_map(char::to_lowercase).filter(is_seen).collect()
}

/// All numbers in one spelling: `1.250,00` and `1250` are the same.
fn with_plain_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(|one: char| one.is_ascii_digit()) {
        let (before, number) = rest.split_at(place);
        let is_part = |one: char| one.is_ascii_digit() || matches!(one, '.' | ',' | '\'');
        let end = number.find(|one: char| !is_part(one)).unwrap_or(number.len());
        let digits = number[..end].trim_end_matches(['.', ',', '\'']);
        out.push_str(before);
        out.push_str(&super::numbers::plain(digits));
        rest = &number[digits.len()..];
    }
    out.push_str(rest);
    out
}
