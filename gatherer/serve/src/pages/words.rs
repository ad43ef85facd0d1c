//! Times, spans, sizes and URLs as they stand on a page.

use askama::Template;
use gatherer_pipeline::UnixTime;
use std::time::Duration;

/// A moment, for people and for programs, and how far away it is.
#[derive(Template)]
#[template(source = "<time datetime=\"{{ iso }}\">{{ text }}</time>{{ away }}", ext = "html")]
struct When {
    iso: String,
    text: String,
    away: String,
}

/// A moment as HTML, with how far it is from `now`.
pub(crate) fn when(time: UnixTime, now: UnixTime) -> String {
    let away = match (time.since(now), now.since(time)) {
        (ahead, _) if !ahead.is_zero() => format!(" (in {})", span(ahead)),
        (_, ago) if !ago.is_zero() => format!(" ({} ago)", span(ago)),
        _ => " (now)".to_owned(),
    };
    shown(time, away)
}

/// A moment as HTML.
pub(crate) fn moment(time: UnixTime) -> String {
    shown(time, String::new())
}

fn shown(time: UnixTime, away: String) -> String {
    let text = time.moment();
    let iso = text.replacen(' ', "T", 1).replace(" UTC", "Z");
    // Writing to memory cannot fail.
    When { iso, text, away }.render().unwrap_or_default()
}

/// A span in its largest unit.
pub(crate) fn span(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// `1.5 MB`.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A number with thin spaces between its thousands.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Percent-encoded, for a path or a query.
pub(crate) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_say_how_far_away_they_are() {
        let check = |time, now, expected: &str| {
            let html = when(UnixTime(time), UnixTime(now));
            assert!(html.ends_with(expected), "{html}");
        };
        check(781_478_043, 781_478_043, "<time datetime=\"1994-10-06T21:14:03Z\">1994-10-06 21:14:03 UTC</time> (now)");
        check(1_000, 1_300, "</time> (5 min ago)");
        check(100_000, 1_300, "</time> (in 27 h)");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(number(7), "7");
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(size(2_500_000_000), "2.5 GB");
        assert_eq!(encoded("http://a/b c?d+e"), "http%3A%2F%2Fa%2Fb%20c%3Fd%2Be");
    }
}
