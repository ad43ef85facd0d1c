//! JSON, JSON Lines, and JSON with comments: one pass without recursion.
//!
//! A reader that builds a tree would be ended by the first mistake, by a cut body or by deep nesting. This one
//! needs no stack of its own: a string before a colon is a key, all else is a value.

use super::shape::{Shape, Sort};
use std::borrow::Cow;

/// Tells the shape what the text holds. Gives what is wrong with it, if anything is.
pub(super) fn read(text: &str, shape: &mut Shape) -> Option<String> {
    let mut scan = Scan { text, at: 0 };
    loop {
        scan.skip_blank();
        let start = scan.at;
        let fits = match scan.next() {
            None if shape.is_open() => return Some("the data break off".to_owned()),
            None => return shape.is_empty().then(|| "it is empty".to_owned()),
            Some(sign @ (b'{' | b'[' | b'}' | b']' | b',')) => scan.sign(sign, shape),
            Some(b'"') => scan.string(shape),
            Some(_) => scan.literal(shape),
        };
        if !fits {
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            return Some(format!("no JSON from line {line} on"));
        }
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Passes over blanks, over what parts records, and over comments.
    fn skip_blank(&mut self) {
        loop {
            let blank =
                self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x1E)).count();
            self.at += blank;
            let end = match self.rest() {
                [b'/', b'/', ..] => "\n",
                [b'/', b'*', ..] => "*/",
                _ => return,
            };
            let comment = &self.text[self.at + 2..];
            self.at += 2 + comment.find(end).map_or(comment.len(), |found| found + end.len());
        }
    }

    fn sign(&mut self, sign: u8, shape: &mut Shape) -> bool {
        self.at += 1;
        match sign {
            b'{' | b'[' => shape.open(sign == b'['),
            b',' => {}
            _ => return shape.close(),
        }
        true
    }

    /// A string: a key if a colon follows.
    fn string(&mut self, shape: &mut Shape) -> bool {
        let inner = &self.text[self.at + 1..];
        let Some(end) = closing(inner.as_bytes()) else {
            // Cut within: what is there counts as a value, and the end is seen by the caller.
            shape.value(&unescaped(inner), Sort::Text);
            self.at = self.text.len();
            return true;
        };
        self.at += end + 2;
        let string = unescaped(&inner[..end]);
        self.skip_blank();
        if self.next() == Some(b':') {
            self.at += 1;
            shape.key(&string);
        } else {
            shape.value(&string, Sort::Text);
        }
        true
    }

    /// A number, or one of the three words.
    fn literal(&mut self, shape: &mut Shape) -> bool {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",:]}[{\"/".contains(byte);
        let length = self.rest().iter().position(is_end).unwrap_or(self.rest().len());
        let Some(literal) = self.text.get(self.at..self.at + length) else { return false };
        let sort = match literal {
            "true" | "false" | "null" => Sort::Word,
            number if number.len() <= 400 && is_number(number) => Sort::Number,
            // A number or a word that is cut is the end of the data.
            _ if self.at + length == self.text.len() && shape.is_open() && length < 6 => Sort::Word,
            _ => return false,
        };
        self.at += length;
        shape.value(literal, sort);
        length > 0
    }
}

fn is_number(literal: &str) -> bool {
    literal.starts_with(|c: char| c.is_ascii_digit() || c == '-') && literal.parse::<f64>().is_ok()
}

/// Where the quotation mark is that ends a string.
fn closing(inner: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += inner.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if inner.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The string that is meant. Escapes that nobody knows stand for themselves.
fn unescaped(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return inner.into();
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(place) = rest.find('\\') {
        text.push_str(&rest[..place]);
        rest = &rest[place + 1..];
        let Some(sign) = rest.chars().next() else { break };
        rest = &rest[sign.len_utf8()..];
        match sign {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' | 'f' => text.push(' '),
            'u' => rest = push_unit(rest, &mut text),
            other => text.push(other),
        }
    }
    text.push_str(rest);
    text.into()
}

/// Four hexadecimal digits, or twice four for one character of two halves.
fn push_unit<'a>(rest: &'a str, text: &mut String) -> &'a str {
    let unit = |digits: &str| digits.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let Some(first) = unit(rest) else {
        text.push('\u{fffd}');
        return rest;
    };
    let mut rest = &rest[4..];
    let mut units = vec![first];
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = rest.strip_prefix("\\u").and_then(unit).filter(|unit| (0xDC00..0xE000).contains(unit))
    {
        units.push(second);
        rest = &rest[6..];
    }
    text.extend(char::decode_utf16(units).map(|character| character.unwrap_or('\u{fffd}')));
    rest
}
