//! Dates as pages write them.

use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;
use jiff::{Timestamp, Zoned};

/// A date in one form: `2024-05-01T12:00:00Z`, or as much of it as is said. Nothing if it is none.
pub(super) fn read(text: &str) -> Option<String> {
    let text = text.trim();
    // Longer than any date, the name of a time zone included.
    if text.len() > 100 {
        return None;
    }
    let instant = |moment: Timestamp| Timestamp::from_second(moment.as_second()).ok().map(|moment| moment.to_string());
    if let Some(moment) = moment(text) {
        return instant(moment);
    }
    let text = text.replace('/', "-");
    if let Some(short) = short(&text) {
        return Some(short);
    }
    match text.parse::<DateTime>() {
        Ok(_) if text.len() <= 10 => text.parse::<Date>().ok().map(|date| date.to_string()),
        Ok(time) => Some(time.strftime("%Y-%m-%dT%H:%M:%S").to_string()),
        Err(_) => None,
    }
}

fn moment(text: &str) -> Option<Timestamp> {
    let with_colon = || {
        // An offset such as +0200, which only some readers know.
        let (time, offset) = text.split_at_checked(text.len().checked_sub(5)?)?;
        let (hours, minutes) = offset.split_at_checked(3)?;
        (time.contains(':') && hours.starts_with(['+', '-'])).then(|| format!("{time}{hours}:{minutes}"))
    };
    let parsed = text.parse::<Timestamp>().or_else(|_| text.parse::<Zoned>().map(|zoned| zoned.timestamp()));
    parsed
        .ok()
        .or_else(|| with_colon()?.parse().ok())
        .or_else(|| rfc2822::parse(text).ok().map(|zoned| zoned.timestamp()))
}

/// A year, with or without its month.
fn short(text: &str) -> Option<String> {
    let (year, month) = text.split_once('-').unwrap_or((text, "01"));
    let is_number = |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_month = is_number(month, 2) && ("01"..="12").contains(&month);
    (is_number(year, 4) && is_month).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_take_one_form() {
        let check = |text, expected| assert_eq!(read(text).as_deref(), expected, "{text:?}");
        check("2024-05-01T12:00:00+02:00", Some("2024-05-01T10:00:00Z"));
        check("2024-05-01T12:00:00+0200", Some("2024-05-01T10:00:00Z"));
        check(" 2024-05-01T12:00:00.123Z ", Some("2024-05-01T12:00:00Z"));
        check("2024-05-01 12:00:00", Some("2024-05-01T12:00:00"));
        check("2024-05-01T12:00", Some("2024-05-01T12:00:00"));
        check("2024-05-01", Some("2024-05-01"));
        check("2024/05/01", Some("2024-05-01"));
        check("2024-05", Some("2024-05"));
        check("2024", Some("2024"));
        check("Wed, 01 May 2024 12:00:00 GMT", Some("2024-05-01T12:00:00Z"));
        for none in ["", "x", "yesterday", "2024-13", "2024-02-30", "P3D", "12:00", "öööööö", "9999999"] {
            check(none, None);
        }
        assert_eq!(read(&"2".repeat(1_000)), None);
    }
}
