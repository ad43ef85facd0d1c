//! The simple types of the schema: how a number, a name, a time is written. Each function gives the value, or says what
//! would have been one.

use super::{Confidence, Span};

/// Longest word, in characters.
const WORD_LIMIT: usize = 200;

/// White space as XML Schema collapses it.
pub(super) fn collapse(text: &str) -> String {
    text.split([' ', '\t', '\n', '\r']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(super) fn word(text: &str) -> Result<String, &'static str> {
    let text = collapse(text);
    match text.chars().count() {
        1..=WORD_LIMIT => Ok(text),
        _ => Err("1 to 200 characters"),
    }
}

pub(super) fn filled(text: &str) -> Result<String, &'static str> {
    if text.is_empty() { Err("some text") } else { Ok(text.to_owned()) }
}

pub(super) fn quote(text: &str) -> Result<String, &'static str> {
    match text.chars().count() {
        1..=500 => Ok(text.to_owned()),
        _ => Err("1 to 500 characters"),
    }
}

/// `xsd:anyURI` lets nearly everything pass, and the web is full of what it does not (`?a[]=1`). So everything passes, in the
/// form in which we would write it; what a URL must be is checked where it is used.
#[expect(clippy::unnecessary_wraps, reason = "all simple types are read alike")]
pub(super) fn uri(text: &str) -> Result<String, &'static str> {
    Ok(written_uri(&collapse(text)))
}

/// A URL as `xsd:anyURI` has it: brackets in path and query, stray percent signs and further number signs are encoded.
pub(crate) fn written_uri(url: &str) -> String {
    let host_end = url.find("://[").and_then(|place| url[place..].find(']').map(|end| place + end)).unwrap_or(0);
    let mut has_fragment = false;
    let mut out = String::with_capacity(url.len());
    for (place, one) in url.char_indices() {
        let is_encoded = || {
            let digits = url.as_bytes().get(place + 1..place + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        let keep = match one {
            '[' | ']' => place <= host_end,
            '%' => is_encoded(),
            '#' => !std::mem::replace(&mut has_fragment, true),
            _ => !one.is_whitespace(),
        };
        if keep {
            out.push(one);
        } else {
            out.extend(one.to_string().bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    out
}

pub(super) fn language(text: &str) -> Result<String, &'static str> {
    let text = collapse(text);
    let is_part = |(place, part): (usize, &str)| {
        (1..=8).contains(&part.len())
            && part.bytes().all(|one| one.is_ascii_alphabetic() || (place > 0 && one.is_ascii_digit()))
    };
    if text.split('-').enumerate().all(is_part) { Ok(text) } else { Err("a language, such as de or en-GB") }
}

pub(super) fn hexadecimal(text: &str, digits: usize) -> Result<String, &'static str> {
    let text = collapse(text);
    let is_digit = |one: u8| one.is_ascii_digit() || (b'a'..=b'f').contains(&one);
    if text.len() == digits && text.bytes().all(is_digit) {
        return Ok(text);
    }
    Err(if digits == 32 { "32 hexadecimal digits in lower case" } else { "64 hexadecimal digits in lower case" })
}

/// A whole number from 0 on. `+7` and `-0` are such in XML Schema.
pub(super) fn whole(text: &str) -> Result<u64, &'static str> {
    let expected = "a whole number from 0 on";
    let text = collapse(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|one| one.is_ascii_digit()) {
        return Err(expected);
    }
    let number: u64 = digits.parse().map_err(|_| "a number that is not so large")?;
    if text.starts_with('-') && number > 0 { Err(expected) } else { Ok(number) }
}

pub(super) fn offset(text: &str) -> Result<usize, &'static str> {
    usize::try_from(whole(text)?).map_err(|_| "a number that is not so large")
}

pub(super) fn positive(text: &str) -> Result<usize, &'static str> {
    let number = offset(text).map_err(|_| "a whole number from 1 on")?;
    if number == 0 { Err("a whole number from 1 on") } else { Ok(number) }
}

pub(super) fn port(text: &str) -> Result<u16, &'static str> {
    // The unsigned types have no sign at all.
    if collapse(text).starts_with(['+', '-']) {
        return Err("a number up to 65535");
    }
    u16::try_from(whole(text)?).map_err(|_| "a number up to 65535")
}

/// A decimal from 0 to 1.
pub(super) fn share(text: &str) -> Result<Confidence, &'static str> {
    let expected = "a decimal number from 0 to 1";
    let text = collapse(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let is_decimal = digits.bytes().all(|one| one.is_ascii_digit() || one == b'.')
        && digits.bytes().filter(|one| *one == b'.').count() <= 1
        && digits.bytes().any(|one| one.is_ascii_digit());
    let number: f64 = text.parse().map_err(|_| expected)?;
    if !is_decimal || !(0.0..=1.0).contains(&number) {
        return Err(expected);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies from 0 to 1000")]
    let thousandths = (number * 1_000.0).round() as u16;
    Ok(Confidence::thousandths(thousandths))
}

/// A confidence as it is written: as short as it can be.
pub(super) fn written(confidence: Confidence) -> String {
    confidence.share().to_string()
}

/// A name without a colon, as in Namespaces in XML.
pub(super) fn name(text: &str) -> Result<String, &'static str> {
    let text = collapse(text);
    let mut characters = text.chars();
    if characters.next().is_some_and(begins_name) && characters.all(goes_on_in_name) {
        return Ok(text);
    }
    Err("a name of XML without a colon")
}

fn begins_name(one: char) -> bool {
    matches!(one, 'A'..='Z' | '_' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
        | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}'
        | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

fn goes_on_in_name(one: char) -> bool {
    begins_name(one)
        || matches!(one, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}')
}

/// Names with white space between them, at least one.
pub(super) fn names(text: &str) -> Result<Vec<String>, &'static str> {
    let names: Result<Vec<_>, _> = collapse(text).split(' ').map(name).collect();
    names.map_err(|_| "names of XML with white space between them")
}

/// `12-17 40-44`
pub(super) fn spans(text: &str) -> Result<Vec<Span>, &'static str> {
    let expected = "spans such as 12-17 with white space between them";
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|one| one.is_ascii_digit());
    let span = |text: &str| {
        let (start, end) = text.split_once('-').filter(|(start, end)| is_digits(start) && is_digits(end))?;
        Some(Span { start: start.parse().ok()?, end: end.parse().ok()? })
    };
    collapse(text).split(' ').map(|one| span(one).ok_or(expected)).collect()
}

/// A time as in XML Schema, with a time zone or without one.
pub(super) fn date_time(text: &str) -> Result<String, &'static str> {
    let text = collapse(text);
    if is_date_time(&text) { Ok(text) } else { Err("a time such as 2026-11-17T07:00:00Z") }
}

fn is_date_time(text: &str) -> bool {
    let number = |text: &str, digits: usize| {
        let is_plain = text.len() == digits && text.bytes().all(|one| one.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_plain)
    };
    let Some((date, time)) = text.split_once('T') else { return false };
    let mut parts = date.strip_prefix('-').unwrap_or(date).splitn(3, '-');
    let [Some(year), Some(month), Some(day)] = [parts.next(), parts.next(), parts.next()] else { return false };
    let year_fits = year.len() == 4 || (year.len() > 4 && !year.starts_with('0'));
    let Some(year) = number(year, year.len()).filter(|year| year_fits && *year > 0) else { return false };
    let Some(month) = number(month, 2) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let day_fits = number(day, 2).is_some_and(|day| (1..=days).contains(&day));
    let zone_at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let of_clock = |text: &str| {
        let (hours, minutes) = text.split_once(':')?;
        Some((number(hours, 2)?, number(minutes, 2).filter(|minutes| *minutes < 60)?))
    };
    let zone_fits = match zone {
        "" | "Z" => true,
        _ => of_clock(&zone[1..]).is_some_and(|(hours, minutes)| hours < 14 || (hours, minutes) == (14, 0)),
    };
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let fraction_fits = !fraction.is_empty() && fraction.bytes().all(|one| one.is_ascii_digit());
    let clock_fits = whole.rsplit_once(':').is_some_and(|(minutes, seconds)| {
        let seconds = number(seconds, 2).filter(|seconds| *seconds < 60);
        of_clock(minutes).zip(seconds).is_some_and(|((hours, minutes), seconds)| {
            hours < 24 || (hours, minutes, seconds, fraction.trim_end_matches('0')) == (24, 0, 0, "")
        })
    });
    day_fits && zone_fits && fraction_fits && clock_fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_text() {
        for (text, expected) in [
            ("2026-11-17T07:00:00Z", true),
            (" 2026-11-17T07:00:00.25+01:00\n", true),
            ("2024-02-29T24:00:00", true),
            ("12026-11-17T07:00:00-14:00", true),
            ("2023-02-29T00:00:00", false),
            ("2026-11-31T00:00:00", false),
            ("2026-13-01T00:00:00", false),
            ("2026-11-17", false),
            ("2026-11-17 07:00:00", false),
            ("2026-11-17T7:00:00", false),
            ("2026-11-17T07:00:60", false),
            ("2026-11-17T07:00", false),
            ("2026-11-17T07:00:00.Z", false),
            ("2026-11-17T07:00:00+15:00", false),
            ("26-11-17T07:00:00", false),
        ] {
            assert_eq!(date_time(text).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_xml_schema() {
        for (text, expected) in
            [("7", Some(7)), (" +07 ", Some(7)), ("-0", Some(0)), ("-1", None), ("1.0", None), ("", None)]
        {
            assert_eq!(whole(text).ok(), expected, "{text}");
        }
        for (text, expected) in [
            ("0", Some("0")),
            ("1.0", Some("1")),
            (".85", Some("0.85")),
            ("+0.9996", Some("1")),
            ("1.01", None),
            ("1e-1", None),
            ("", None),
            (".", None),
            ("NaN", None),
        ] {
            assert_eq!(share(text).ok().map(written).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_are_those_of_xml() {
        for (text, expected) in
            [("hat_Größe", true), (" A-1.x ", true), ("1A", false), ("a:b", false), ("a b", false), ("", false)]
        {
            assert_eq!(name(text).is_ok(), expected, "{text}");
        }
        assert_eq!(names(" a\n b ").ok(), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert!(names(" ").is_err());
        assert_eq!(spans("1-2 3-4").map(|spans| spans.len()), Ok(2));
        assert!(spans("1-").is_err() && spans("").is_err() && spans("1-2,3-4").is_err());
    }

    #[test]
    fn urls_of_the_web_become_urls_of_xml() {
        for (url, expected) in [
            ("http://a.example/?a[]=1", "http://a.example/?a%5B%5D=1"),
            ("http://[::1]:80/[x]", "http://[::1]:80/%5Bx%5D"),
            ("http://a.example/100%#a#b", "http://a.example/100%25#a%23b"),
            ("http://a.example/%C3%A4 b", "http://a.example/%C3%A4%20b"),
            ("http://a.example/ä|^", "http://a.example/ä|^"),
        ] {
            assert_eq!(written_uri(url), expected);
        }
    }

    #[test]
    fn languages_are_tags() {
        for (text, expected) in
            [("de", true), ("en-GB", true), ("x-klingon1", true), ("de_DE", false), ("1e", false), ("", false)]
        {
            assert_eq!(language(text).is_ok(), expected, "{text}");
        }
    }
}
