//! Dates as people write them for robots: RFC 822 and 850, ISO 8601, and what lies between.

use gatherer_pipeline::UnixTime;
use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::Offset;
use jiff::{Span, Timestamp};

/// Longest date read, in bytes.
const DATE_LIMIT: usize = 60;

/// Names of zones and their hours east of Greenwich. RFC 822 knows those of North America; Europe's are the ones that
/// people add.
const ZONES: &[(&str, i8)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("UT", 0),
    ("Z", 0),
    ("EST", -5),
    ("EDT", -4),
    ("CST", -6),
    ("CDT", -5),
    ("MST", -7),
    ("MDT", -6),
    ("PST", -8),
    ("PDT", -7),
    ("WET", 0),
    ("WEST", 1),
    ("BST", 1),
    ("CET", 1),
    ("CEST", 2),
    ("EET", 2),
    ("EEST", 3),
];

/// Forms without weekday and zone. Years of two digits first, since `%Y` would take them for the first century.
const FORMS: &[&str] = &[
    "%d-%b-%y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S",
    "%d %b %Y %H:%M:%S",
    "%d-%b-%Y %H:%M",
    "%d %b %Y %H:%M",
    "%d-%b-%y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d %B %Y",
];

/// The moment that a date names. Without a zone it is taken in UTC; without a time of day it lasts until its end.
pub(super) fn moment(text: &str) -> Option<UnixTime> {
    let text = text.trim();
    if text.len() > DATE_LIMIT {
        return None;
    }
    let timestamp = in_named_zone(text).or_else(|| text.parse().ok()).or_else(|| by_rfc_2822(text));
    let timestamp = timestamp.or_else(|| without_zone(text, Offset::UTC))?;
    // What is before 1970 is over, whenever it was.
    Some(UnixTime(u64::try_from(timestamp.as_second()).unwrap_or(0)))
}

fn in_named_zone(text: &str) -> Option<Timestamp> {
    let (date, zone) = text.rsplit_once(' ')?;
    let (_, hours) = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(zone))?;
    without_zone(date.trim_end(), Offset::from_hours(*hours).ok()?)
}

fn by_rfc_2822(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok()
}

fn without_zone(text: &str, offset: Offset) -> Option<Timestamp> {
    // The weekday says nothing that the date does not.
    let date = text.split_once(',').map_or(text, |(_, date)| date.trim_start());
    let by_form = |form: &&str| {
        strtime::parse(form, date).ok().and_then(|parsed| {
            let midnight = || parsed.to_date().map(|date| date.to_datetime(jiff::civil::Time::midnight()));
            parsed.to_datetime().or_else(|_| midnight()).ok()
        })
    };
    let read = date.parse::<DateTime>().ok().or_else(|| FORMS.iter().find_map(by_form))?;
    let has_time = date.contains(':');
    let read = if has_time { read } else { read.checked_add(Span::new().days(1)).ok()? };
    offset.to_timestamp(read).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let found = moment(text).and_then(|time| Timestamp::from_second(i64::try_from(time.0).ok()?).ok());
        assert_eq!(found.map(|time| time.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn common_forms_are_read() {
        check("25 Jun 2010 15:00:00 PST", Some("2010-06-25T23:00:00Z"));
        check("Friday, 25-Jun-10 15:00:00 GMT", Some("2010-06-25T15:00:00Z"));
        check("Fri, 25 Jun 2010 15:00:00 +0200", Some("2010-06-25T13:00:00Z"));
        check("Mon, 25 Jun 2010 15:00:00 GMT", Some("2010-06-25T15:00:00Z"));
        check("25-Aug-2007 15:00:00 EST", Some("2007-08-25T20:00:00Z"));
        check("25-aug-2007 15:00:00 cest", Some("2007-08-25T13:00:00Z"));
        check("25 Jun 2010 15:00 CET", Some("2010-06-25T14:00:00Z"));
        check("2010-06-25T15:00:00+02:00", Some("2010-06-25T13:00:00Z"));
        check("2010-06-25T15:00:00Z", Some("2010-06-25T15:00:00Z"));
        check("2010-06-25 15:00:00 PST", Some("2010-06-25T23:00:00Z"));
        check("2010-06-25 15:00", Some("2010-06-25T15:00:00Z"));
        check("1969-01-01", Some("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn a_day_lasts_until_its_end() {
        check("2010-06-25", Some("2010-06-26T00:00:00Z"));
        check(" 25 Jun 2010 ", Some("2010-06-26T00:00:00Z"));
        check("25-Jun-2010", Some("2010-06-26T00:00:00Z"));
        check("31 December 2010", Some("2011-01-01T00:00:00Z"));
        check("25 Jun 2010 EST", Some("2010-06-26T05:00:00Z"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in ["", "soon", "31 Feb 2010", "2010-13-01", "25/06/2010", "GMT", "12:00", "Fri,", "9999-12-31"] {
            check(text, None);
        }
        check(&format!("25 Jun 2010{}", " ".repeat(80)), Some("2010-06-26T00:00:00Z"));
        check(&format!("25 Jun{}2010", " ".repeat(80)), None);
    }
}
