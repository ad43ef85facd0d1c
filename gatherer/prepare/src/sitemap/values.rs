//! What the values of an entry mean.

use gatherer_pipeline::UnixTime;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// The words of `<changefreq>`. `always` means each time one looks, and no polite visitor looks more often than
/// hourly; `never` is told of archives, which may still move once in ten years.
const FREQUENCIES: &[(&str, Duration)] = &[
    ("always", Duration::from_hours(1)),
    ("hourly", Duration::from_hours(1)),
    ("daily", DAY),
    ("weekly", DAY.saturating_mul(7)),
    ("monthly", DAY.saturating_mul(30)),
    ("yearly", DAY.saturating_mul(365)),
    ("never", DAY.saturating_mul(3_650)),
];

/// How often something changes.
pub(super) fn interval(word: &str) -> Option<Duration> {
    FREQUENCIES.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, interval)| *interval)
}

/// A weight from 0 to 1; what lies outside means nothing.
pub(super) fn priority(number: &str) -> Option<f32> {
    number.parse().ok().filter(|priority| (0.0..=1.0).contains(priority))
}

/// A W3C date and time of any precision: the earliest moment that it may mean. A time without zone is taken as UTC. No
/// date before 1970 is a date of a web page, but what programs write that know none.
pub(super) fn date(text: &str) -> Option<UnixTime> {
    let whole = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    let moment = whole.parse::<Timestamp>().ok().or_else(|| {
        let local: DateTime = whole.parse().ok()?;
        Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    u64::try_from(moment.as_second()).ok().map(UnixTime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(date(text), expected.map(UnixTime), "{text:?}");
    }

    #[test]
    fn dates_have_any_precision() {
        check("2005", Some(1_104_537_600));
        check("2005-01", Some(1_104_537_600));
        check("2005-01-01", Some(1_104_537_600));
        check("2005-01-01T01:30Z", Some(1_104_537_600 + 5_400));
        check("2005-01-01T01:30+01:00", Some(1_104_537_600 + 1_800));
        check("2005-01-01T01:30:10-01:00", Some(1_104_537_600 + 9_010));
        check("2005-01-01T01:30:10.45+01:00", Some(1_104_537_600 + 1_810));
    }

    #[test]
    fn dates_nearly_right_are_read() {
        check("2005-01-01T01:30:10", Some(1_104_537_600 + 5_410));
        check("2005-01-01 01:30", Some(1_104_537_600 + 5_400));
        check("2005-01-01T01:30:10+0100", Some(1_104_537_600 + 1_810));
        check("2005-01-01t01:30:10z", Some(1_104_537_600 + 5_410));
    }

    #[test]
    fn what_is_no_date_gives_none() {
        for text in ["", "x", "yesterday", "05-1", "2005-13-01", "01/02/2005", "0001-01-01T00:00:00", "20äß", "2005-1ä"]
        {
            check(text, None);
        }
    }

    #[test]
    fn frequencies_and_priorities_are_read() {
        assert_eq!(interval("Weekly"), Some(Duration::from_hours(7 * 24)));
        assert_eq!((interval("often"), interval("")), (None, None));
        assert!(interval("never") > interval("yearly"));
        assert_eq!((priority("0.5"), priority("1"), priority("0")), (Some(0.5), Some(1.0), Some(0.0)));
        assert_eq!((priority("1.1"), priority("NaN"), priority("-0.1"), priority("high")), (None, None, None, None));
    }
}
