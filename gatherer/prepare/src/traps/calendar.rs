//! Calendars that can be leafed through for ever.

use crate::shape::{is_day, is_month, is_number, leading_date};
use gatherer_pipeline::Access;
use url::Url;

/// Years that a calendar page may be ahead. Events are announced that early, hardly earlier.
const AHEAD: i64 = 2;
/// Farther ahead a number is no year. Whoever leafs forward comes by the nearer years first.
const HORIZON: i64 = 100;
/// Years of calendar pages from before the web; earlier ones are numbers again.
const BEFORE_THE_WEB: std::ops::Range<i64> = 1_900..1_990;

/// Query parameters that hold a year, and those that hold a date or month. In lower case.
const YEAR_NAMES: &[&str] = &["year", "yr", "cal_year", "calyear"];
const DATE_NAMES: &[&str] = &[
    "date",
    "day",
    "month",
    "week",
    "cal",
    "calendar",
    "when",
    "cal_date",
    "start_date",
    "event_date",
    "tribe-bar-date",
];

/// A date that a URL holds.
struct Dated {
    year: i64,
    /// Whether it names a whole page of a calendar: a month or day, and nothing below it.
    page: bool,
}

/// The year of a calendar page too far from the present one, if the URL is such a page.
pub(super) fn far_page(url: &Url, year: i64) -> Option<i64> {
    // Folders on a disk are what they are.
    if Access::of(url) != Some(Access::Http) {
        return None;
    }
    let ahead = year + AHEAD + 1..=year + HORIZON;
    // Articles of an old newspaper lie below their day, `/1969/07/21/archives/moon.html`.
    let is_far = |date: &Dated| ahead.contains(&date.year) || (date.page && BEFORE_THE_WEB.contains(&date.year));
    let segments: Vec<_> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let in_path = (0..segments.len()).filter_map(|place| date_at(&segments[place..]));
    in_path.chain(date_in_query(url)).find(is_far).map(|date| date.year)
}

/// The date that these segments begin with: `2031-07-15`, or `2031`, `07`.
fn date_at(segments: &[&str]) -> Option<Dated> {
    match segments {
        [first, below @ ..] if leading_date(first).is_some() => {
            let (year, rest) = leading_date(first)?;
            // Without a day it is a date only if nothing else follows: `2031-07-x200` is a name.
            let is_whole = rest.is_empty() || rest.starts_with('.');
            let has_day = first.len() - rest.len() > "2031-07".len() && !rest.starts_with(|c: char| c.is_ascii_digit());
            (is_whole || has_day).then_some(Dated { year, page: is_whole && below.is_empty() })
        }
        [year, month, below @ ..] if is_year(year) && is_month(month) => {
            let page = below.is_empty() || (below.len() == 1 && is_day(below[0]));
            Some(Dated { year: year.parse().ok()?, page })
        }
        _ => None,
    }
}

/// The date that parameters hold, alone (`date=2031-07-15`) or together (`year=2031&month=7`).
fn date_in_query(url: &Url) -> Option<Dated> {
    let value_of = |names: &[&str]| {
        let mut parameters =
            url.query().unwrap_or_default().split('&').filter_map(|parameter| parameter.split_once('='));
        parameters.find(|(name, _)| names.contains(&name.to_ascii_lowercase().as_str())).map(|(_, value)| value)
    };
    if let Some(year) = value_of(YEAR_NAMES).filter(|value| is_year(value)) {
        // A year alone may select films or wines.
        return Some(Dated { year: year.parse().ok()?, page: value_of(&["month"]).is_some_and(is_month) });
    }
    let (year, _) = leading_date(value_of(DATE_NAMES)?)?;
    Some(Dated { year, page: true })
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && is_number(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<i64>) {
        let url = Url::parse("http://example.org").and_then(|base| base.join(path)).expect("a URL");
        assert_eq!(far_page(&url, 2026), expected, "{path}");
    }

    #[test]
    fn pages_far_ahead_are_found() {
        for path in [
            "/2031/07/",
            "/calendar/2031/7/15",
            "/2031/07/15/title.html",
            "/2031-07",
            "/events/2031-07.html",
            "/2031-07-15",
            "/2031-07-15-party/",
            "/cal?year=2031",
            "/cal?view=list&Year=2031&month=7",
            "/cal?date=2031-07-01",
            "/cal?date=2031-07-01T00:00",
            "/cal?month=2031-07",
        ] {
            check(path, Some(2_031));
        }
        check("/2029/01", Some(2_029));
        check("/2126/01", Some(2_126));
    }

    #[test]
    fn pages_from_before_the_web_are_found() {
        for path in ["/1950/01", "/cal/1950/1/31/", "/1950-01-31", "/cal?year=1950&month=01", "/cal?date=1950-01-31"] {
            check(path, Some(1_950));
        }
        check("/1989/12/", Some(1_989));
    }

    #[test]
    fn ordinary_dates_and_numbers_are_left_alone() {
        for path in [
            "/2024/05/12/title",
            "/2028/12/31/",
            "/1990/01/",
            "/1984/review.html",
            "/1984/",
            "/2031/report.pdf",
            "/2031/13/",
            "/2031/0/",
            "/item/4711/12",
            "/item/20310/12",
            "/2031-07-x200",
            "/2031-13-01",
            "/1969/07/21/archives/moon.html",
            "/1969-07-21-moon.html",
            "/films?year=1950",
            "/films?year=2028",
            "/films?year=12031",
            "/cal?date=2026-07-01",
            "/cal?date=next",
            "/rooms?size=2031-07",
            "file:///photos/1985/07/",
        ] {
            check(path, None);
        }
    }
}
