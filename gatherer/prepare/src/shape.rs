//! The pattern that a URL belongs to: what is left when numbers and values are taken out.

use std::collections::BTreeSet;
use url::Url;

/// Longest shape, in bytes.
pub(crate) const SHAPE_LIMIT: usize = 200;

/// Stands for a number.
const NUMBER: char = 'N';
/// Stands for a digest, a UUID or another token without a meaning.
const TOKEN: char = 'H';
/// Stands for a date.
const DATE: char = 'D';

/// The shape of a URL, at most 200 bytes: `/archive/2024-05-12/page-12.html?view=list&day=3` has
/// `/archive/D/page-N.html?day=&view=`.
///
/// The host is left out. Everything that stays is in lower case, so capitals stand for what was taken out: `N` for
/// numbers, `H` for tokens, `D` for dates.
pub fn shape(url: &Url) -> String {
    let segments: Vec<_> = url.path().split('/').map(segment_shape).collect();
    let mut shape = segments.join("/");
    if let Some(query) = url.query() {
        let names = query.split('&').filter(|parameter| !parameter.is_empty());
        let names: BTreeSet<_> = names.map(|parameter| without_numbers(before(parameter, '='))).collect();
        shape.push('?');
        shape.push_str(&names.into_iter().map(|name| name + "=").collect::<Vec<_>>().join("&"));
    }
    shape.truncate(shape.floor_char_boundary(SHAPE_LIMIT));
    shape
}

/// Whether a shape stands for one URL only: nothing was taken out of it.
pub(crate) fn is_plain(shape: &str) -> bool {
    // What was cut off may have held anything.
    shape.len() < SHAPE_LIMIT && !shape.contains(['?', NUMBER, TOKEN, DATE])
}

/// Year, and what stands behind, of a text that begins with `2031-07` or `2031-07-15`.
pub(crate) fn leading_date(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = leading_digits(text);
    let (month, rest) = leading_digits(rest.strip_prefix('-')?);
    if year.len() != 4 || month.len() != 2 || !is_month(month) {
        return None;
    }
    let day = rest.strip_prefix('-').map(leading_digits).filter(|(day, _)| day.len() == 2 && is_day(day));
    Some((year.parse().ok()?, day.map_or(rest, |(_, rest)| rest)))
}

/// One or two digits that can be a month.
pub(crate) fn is_month(text: &str) -> bool {
    text.len() <= 2 && is_number(text) && matches!(text.parse(), Ok(1..=12))
}

/// One or two digits that can be a day of a month.
pub(crate) fn is_day(text: &str) -> bool {
    text.len() <= 2 && is_number(text) && matches!(text.parse(), Ok(1..=31))
}

/// Digits and nothing else.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn segment_shape(segment: &str) -> String {
    // A file's name and its extension: a digest is one whatever is made of it.
    let stem = before(segment, '.');
    let rest = &segment[stem.len()..];
    let whole = match leading_date(stem) {
        Some((_, "")) => DATE,
        _ if is_number(stem) => NUMBER,
        _ if is_token(stem) => TOKEN,
        _ => return without_numbers(segment),
    };
    format!("{whole}{}", without_numbers(rest))
}

/// A digest or UUID, or a long medley of letters and digits. Words with a number or two (`windows2000`,
/// `top-10-of-2024`) are none.
fn is_token(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let is_hex = || text.bytes().any(is_digit) && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_medley = || {
        let numbers = text.split(|character: char| !character.is_ascii_digit()).filter(|run| !run.is_empty()).count();
        numbers >= 3 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    (text.len() >= 8 && is_hex()) || (text.len() >= 16 && is_medley())
}

/// Lower case, with each number as one `N`. Escapes are characters, not numbers.
fn without_numbers(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (digits, behind) = leading_digits(rest);
        let taken = match first {
            _ if !digits.is_empty() => rest.len() - behind.len(),
            '%' => rest.floor_char_boundary(3),
            _ => first.len_utf8(),
        };
        if digits.is_empty() {
            shape.push_str(&rest[..taken].to_ascii_lowercase());
        } else {
            shape.push(NUMBER);
        }
        rest = &rest[taken..];
    }
    shape
}

fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// What stands before the first such character, or all.
fn before(text: &str, end: char) -> &str {
    text.split(end).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(path: &str, expected: &str) {
        let url = Url::parse("http://www.example.org").and_then(|base| base.join(path)).expect("a URL");
        assert_eq!(shape(&url), expected, "{path}");
        assert_eq!(is_plain(&shape(&url)), !expected.contains(['N', 'H', 'D', '?']), "{path}");
    }

    #[test]
    fn plain_paths_are_their_own_shape() {
        check("/", "/");
        check("/News/Home.html", "/news/home.html");
        check("/%C3%A4%20b", "/%c3%a4%20b");
        check("/facade/", "/facade/");
        check("/a//b", "/a//b");
    }

    #[test]
    fn numbers_tokens_and_dates_are_taken_out() {
        check("/article/4711", "/article/N");
        check("/page-12.html", "/page-N.html");
        check("/12.html", "/N.html");
        check("/2024/05/12/title", "/N/N/N/title");
        check("/archive/2024-05-12/", "/archive/D/");
        check("/2024-05.html", "/D.html");
        check("/2024-05-12-title", "/N-N-N-title");
        check("/2024-13", "/N-N");
        check("/img/d41d8cd98f00b204.png", "/img/H.png");
        check("/123e4567-e89b-12d3-a456-426614174000", "/H");
        check("/20240512", "/N");
        check("/dQw4w9WgXcQ7abc_1", "/H");
        check("/windows2000server64", "/windowsNserverN");
        check("/v1.2.3/%41-7", "/vN.N.N/%41-N");
    }

    #[test]
    fn queries_are_their_names_in_order() {
        check("/cal?view=list&date=2031-07-01", "/cal?date=&view=");
        check("/cal?a[]=1&a[]=2&&b", "/cal?a[]=&b=");
        check("/cal?ID=4&f12=x&f13=y", "/cal?fN=&id=");
        check("/cal?4711", "/cal?N=");
        check("/cal?", "/cal?");
    }

    #[test]
    fn what_is_cut_off_is_not_taken_for_plain() {
        let url = Url::parse(&format!("http://example.org/{}/4711", "a".repeat(300))).expect("a URL");
        assert_eq!(shape(&url).len(), SHAPE_LIMIT);
        assert!(!is_plain(&shape(&url)));
    }

    proptest! {
        #[test]
        fn every_url_has_a_bounded_shape(rest in "[a-fA-F0-9%/?&=.ä-]{0,300}") {
            let url = Url::parse(&format!("http://example.org/{rest}")).expect("a URL");
            prop_assert!(shape(&url).len() <= SHAPE_LIMIT);
        }
    }
}
