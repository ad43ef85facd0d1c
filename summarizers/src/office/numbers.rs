//! Dates in spreadsheets: numbers whose format says that they are dates.

use super::package::Package;
use super::xml::{Token, attribute};
use jiff::{Span, civil};
use std::collections::HashSet;

/// Which styles of cells show dates.
#[derive(Debug, Default)]
pub(super) struct Formats(Vec<bool>);

impl Formats {
    pub(super) fn read(package: &mut Package<'_>, part: &str) -> Self {
        let (mut dates, mut styles, mut in_cells) = (HashSet::new(), Vec::new(), false);
        package.visit(part, |token| {
            match token {
                Token::Start(tag) => match tag.local_name().as_ref() {
                    "numFmt" if attribute(&tag, "formatCode").is_some_and(|code| shows_date(&code)) => {
                        dates.extend(attribute(&tag, "numFmtId"));
                    }
                    "cellXfs" => in_cells = true,
                    "xf" if in_cells => {
                        let format = attribute(&tag, "numFmtId").unwrap_or_default();
                        styles.push(is_known_date(&format) || dates.contains(&format));
                    }
                    _ => {}
                },
                Token::End(tag) => in_cells &= tag.local_name().as_ref() != "cellXfs",
                Token::Text(_) => {}
            }
            true
        });
        Self(styles)
    }

    pub(super) fn is_date(&self, style: usize) -> bool {
        self.0.get(style).copied().unwrap_or_default()
    }
}

/// The formats of dates and times that every workbook has without saying so.
fn is_known_date(format: &str) -> bool {
    format.parse::<u32>().is_ok_and(|format| matches!(format, 14..=22 | 27..=36 | 45..=47 | 50..=58))
}

/// Whether a format has letters of days, months, years, hours or seconds outside of quotes and brackets.
fn shows_date(code: &str) -> bool {
    let (mut end, mut is_escaped) = (None, false);
    for character in code.chars() {
        match (character, end) {
            _ if is_escaped => is_escaped = false,
            (character, Some(close)) if character == close => end = None,
            ('"', None) => end = Some('"'),
            ('[', None) => end = Some(']'),
            ('\\' | '_' | '*', None) => is_escaped = true,
            ('d' | 'm' | 'y' | 'h' | 's' | 'D' | 'M' | 'Y' | 'H' | 'S', None) => return true,
            _ => {}
        }
    }
    false
}

/// The date that a number of days stands for, with the time if there is one.
pub(super) fn shown(number: &str, since_1904: bool) -> Option<String> {
    let (days, fraction) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let days: i64 = days.parse().ok().filter(|days| *days >= 0)?;
    let digits: String = fraction.chars().take(9).collect();
    let part: u64 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let whole = 10_u64.pow(u32::try_from(digits.len()).ok()?);
    let seconds = (part * 86_400 + whole / 2) / whole;
    let start = if since_1904 { civil::date(1904, 1, 1) } else { civil::date(1899, 12, 30) };
    let span = Span::new().try_days(days).ok()?.try_seconds(i64::try_from(seconds).ok()?).ok()?;
    let moment = start.at(0, 0, 0, 0).checked_add(span).ok()?;
    Some(match (days, seconds) {
        (0, _) => moment.time().to_string(),
        (_, 0) => moment.date().to_string(),
        _ => moment.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_dates() {
        let check = |number, expected: Option<&str>| assert_eq!(shown(number, false).as_deref(), expected, "{number}");
        check("45565", Some("2024-09-30"));
        check("45565.5", Some("2024-09-30T12:00:00"));
        check("0.25", Some("06:00:00"));
        check("45565.9999999999", Some("2024-10-01T00:00:00"));
        check("-1", None);
        check("1E3", None);
        check("99999999999999999999", None);
        check("9999999999", None);
        assert_eq!(shown("0.5", true).as_deref(), Some("12:00:00"));
        assert_eq!(shown("1", true).as_deref(), Some("1904-01-02"));
    }

    #[test]
    fn formats_of_dates_are_told_from_others() {
        assert!(shows_date("yyyy\\-mm\\-dd") && shows_date("[$-409]h:mm") && shows_date("[Red]d"));
        assert!(!shows_date("0.00\" days\"") && !shows_date("[Red]0") && !shows_date("0_d") && !shows_date("General"));
    }
}
