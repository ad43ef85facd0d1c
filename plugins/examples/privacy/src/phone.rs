//! Where phone numbers are.

use std::ops::Range;

/// No phone number has more digits (E.164).
const DIGITS_MOST: usize = 15;
/// Most signs between two groups of digits: ` (0) `.
const GAP_MOST: usize = 3;
/// How far a word may be from the number that it announces, in bytes.
const WORD_AWAY: usize = 24;

/// Words that announce a number.
const WORDS: &[&str] = &[
    "tel",
    "telefon",
    "telephone",
    "téléphone",
    "teléfono",
    "telefono",
    "telefoon",
    "phone",
    "fon",
    "fax",
    "telefax",
    "mobil",
    "mobile",
    "handy",
    "cell",
    "call",
    "whatsapp",
];

/// The places of all phone numbers.
pub(crate) fn places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut place = 0;
    while let Some(found) = text[place..].find(|next: char| next.is_ascii_digit() || matches!(next, '+' | '(')) {
        let start = place + found;
        let number = Number::read(text, start);
        let length = number.length_of_phone(&text[..start]);
        match length {
            Some(length) => {
                place = start + length;
                // `(+49 30 123456)` is a number in brackets, `(+49) 30 123456` one with brackets.
                let is_around = text[start..].starts_with('(') && !text[start..place].contains(')');
                places.push(start + usize::from(is_around)..place);
            }
            None => place = start + number.first_run.max(1),
        }
    }
    places
}

/// Digits in groups, from some place on.
#[derive(Debug)]
struct Number<'a> {
    text: &'a str,
    /// What stands in front of the first digit: nothing, `+`, `(` or `(+`.
    sign: &'a str,
    groups: Vec<Group<'a>>,
    /// How many bytes there are to the end of the first group.
    first_run: usize,
}

#[derive(Debug)]
struct Group<'a> {
    digits: &'a str,
    /// What stands behind it, if another group comes.
    gap: &'a str,
    /// Where it ends, counted from the beginning of the number.
    end: usize,
}

impl<'a> Number<'a> {
    fn read(text: &'a str, start: usize) -> Self {
        let text = &text[start..];
        let sign_end = text.find(|next: char| !matches!(next, '+' | '(')).unwrap_or(text.len());
        let sign = &text[..sign_end];
        let mut groups = Vec::new();
        let mut end = sign_end;
        let mut count = 0;
        let mut first_run = sign_end;
        loop {
            let length = text[end..].bytes().take_while(u8::is_ascii_digit).count();
            if groups.is_empty() {
                first_run = end + length;
            }
            count += length;
            if length == 0 || count > DIGITS_MOST {
                break;
            }
            let digits = &text[end..end + length];
            end += length;
            let gap = gap(&text[end..]);
            groups.push(Group { digits, gap, end });
            end += gap.len();
            if gap.is_empty() {
                break;
            }
        }
        Self { text, sign, groups, first_run }
    }

    /// How many bytes are a phone number. As many groups as possible belong to it.
    fn length_of_phone(&self, before: &str) -> Option<usize> {
        if !is_free(before) || self.is_date() {
            return None;
        }
        let is_announced = is_announced(before);
        let groups = (1..=self.groups.len()).rev().map(|count| &self.groups[..count]);
        let found = groups.into_iter().find(|groups| self.is_phone(groups, is_announced))?;
        let end = found.last()?.end;
        let is_whole =
            !self.text[end..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '@' | '%' | '_'));
        is_whole.then_some(end)
    }

    fn is_phone(&self, groups: &[Group<'_>], is_announced: bool) -> bool {
        let lengths: Vec<_> = groups.iter().map(|group| group.digits.len()).collect();
        let count: usize = lengths.iter().sum();
        let first = groups[0].digits;
        if self.sign.contains('+') {
            return (8..=DIGITS_MOST).contains(&count) && !first.starts_with('0');
        }
        if is_announced && count >= 5 {
            return true;
        }
        if first.starts_with("00") {
            return count >= 10 && groups.len() > 1;
        }
        // Numbers with a decimal point have two groups.
        let gaps = || groups[..groups.len() - 1].iter().map(|group| group.gap);
        let is_decimal = groups.len() == 2 && groups[0].gap == ".";
        if first.starts_with('0') {
            return first.len() > 1 && count >= 7 && groups.len() > 1 && !is_decimal;
        }
        let area = lengths.len().saturating_sub(3);
        let is_american = lengths[area..] == [3, 3, 4] && (area == 0 || area == 1 && first == "1");
        let is_local = |group: &Group<'_>| group.digits.starts_with(|first: char| first > '1');
        is_american
            && groups[area..area + 2].iter().all(is_local)
            && (self.sign.contains('(') || gaps().any(|gap| gap.trim() != ""))
    }

    /// `01.02.2024`, `2024-02-01`, `1/2/24`: nothing that goes on in the same way.
    fn is_date(&self) -> bool {
        let [first, second, third, ..] = self.groups.as_slice() else { return false };
        let lengths = [first, second, third].map(|group| group.digits.len());
        let is_even = first.gap == second.gap && matches!(first.gap, "." | "-" | "/" | ". ");
        let goes_on = third.gap == first.gap;
        let is_form = matches!(lengths, [1..=2, 1..=2, 2 | 4] | [4, 1..=2, 1..=2]);
        self.sign.is_empty() && is_even && is_form && !goes_on
    }
}

/// What stands between two groups of digits; nothing if no digit follows.
fn gap(text: &str) -> &str {
    let is_gap = |next: char| matches!(next, ' ' | '\u{a0}' | '\u{2011}' | '–' | '-' | '/' | '.' | '(' | ')');
    let end: usize = text.chars().take(GAP_MOST).take_while(|next| is_gap(*next)).map(char::len_utf8).sum();
    if text[end..].starts_with(|next: char| next.is_ascii_digit()) { &text[..end] } else { "" }
}

/// Whether a number can begin behind this: it is not part of a word, an address, an amount or another number.
fn is_free(before: &str) -> bool {
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    match last {
        None => true,
        // `tel:030`, but not `12:030`; `Tel.030`, but not `1.030`.
        Some(':' | '.') => second.is_none_or(|second| !second.is_numeric()),
        Some(last) => !last.is_alphanumeric() && !"+,/=#_-–%&@~$€£\\".contains(last),
    }
}

/// Whether the last word before this announces a phone number.
fn is_announced(before: &str) -> bool {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(WORD_AWAY))..];
    let near = near.trim_end_matches([' ', '.', ':', '\u{a0}', '-']);
    let word = near.rsplit(|next: char| !next.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    WORDS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = places(text).into_iter().map(|place| &text[place]).collect();
        assert_eq!(found, expected, "{text}");
    }

    /// The text is one number and nothing else.
    fn all(text: &str) {
        check(text, &[text]);
        check(&format!("call us at {text}, any day"), &[text]);
    }

    #[test]
    fn numbers_with_their_country() {
        for text in [
            "+49 30 1234567",
            "+1-555-867-5309",
            "+49 (0)30/12 34 56",
            "(+44) 20 7946 0958",
            "+4930123456",
            "0049 30 123456",
        ] {
            all(text);
        }
        check("tel:+4930123456", &["+4930123456"]);
        check("(+49 30 123456)", &["+49 30 123456"]);
    }

    #[test]
    fn numbers_of_one_country() {
        for text in ["030 1234567", "(030) 123 45 67", "0171/1234567", "01 23 45 67 89", "01.12.45.67.89", "089–123456"]
        {
            all(text);
        }
        for text in ["(555) 867-5309", "555-867-5309", "1-555-867-5309", "555.867.5309"] {
            all(text);
        }
    }

    #[test]
    fn numbers_that_a_word_announces() {
        check("Tel.: 12345-67", &["12345-67"]);
        check("Telefon 0301234567", &["0301234567"]);
        check("Fax:12345", &["12345"]);
        check("Hotel 12345", &[]);
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "2024-05-01",
            "01.02.2024",
            "01.02.2024 10:30",
            "01/02/2024 - 03/04/2024",
            "1. 2. 2024",
            "ISBN 0-306-40615-2",
            "ISBN 978-0-306-40615-7",
            "0306406152",
            "0.1234567",
            "047.123456",
            "192.168.100.200",
            "1794804053",
            "1 000 000 000",
            "$1,234,567.89",
            "+5 %",
            "0-1000000",
            "http://example.org/030-1234567/",
            "id=030-1234567",
            "0123456789abcdef0123456789abcdef",
            "d41d8cd98f00b204e9800998ecf8427e",
            "555 867 5309",
            "123-456-7890",
            "08:00-18:00",
            "(2024)",
            "12345678901234567890",
            "",
            "+",
            "((((",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn several_in_one_text() {
        check("030 1234567 oder +49 30 7654321", &["030 1234567", "+49 30 7654321"]);
        check("030 1234567\n030 7654321", &["030 1234567", "030 7654321"]);
        check("2024-05-01: 030 1234567", &["030 1234567"]);
    }

    #[test]
    fn a_number_ends_before_what_is_too_much() {
        check("+49 30 1234567 2024 1234", &["+49 30 1234567 2024"]);
    }
}
