//! What the head of an answer says.

use crate::Answer;
use gatherer_pipeline::{UnixTime, Validators};
use reqwest::Response;
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, DATE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER,
};

/// Nobody is left alone for longer because of what one answer asked for: 30 days.
const LONGEST_WAIT: u64 = 30 * 24 * 60 * 60;

/// Everything but the body. `now` is for answers that do not say when they were made.
pub(super) fn read(response: &Response, now: UnixTime) -> Answer {
    let last_modified = header(response, &LAST_MODIFIED);
    let made = header(response, &DATE).as_deref().and_then(date).unwrap_or(now);
    Answer {
        location: header(response, &LOCATION),
        content_type: header(response, &CONTENT_TYPE),
        modified: last_modified.as_deref().and_then(date),
        retry_after: header(response, &RETRY_AFTER).and_then(|after| wait(&after, made)),
        robots_tag: all(response, "x-robots-tag").join("\n"),
        link_canonical: all(response, LINK.as_str()).iter().find_map(|links| canonical(links)),
        validators: Validators { etag: header(response, &ETAG), last_modified },
        ..Answer::empty(response.status().as_u16())
    }
}

/// How many bytes the server says that there are.
pub(super) fn length(response: &Response) -> Option<u64> {
    header(response, &CONTENT_LENGTH).and_then(|length| length.parse().ok())
}

/// A header as text; bytes outside ASCII are kept as far as they are UTF-8.
fn header(response: &Response, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// A header that may stand there several times.
fn all(response: &Response, name: &str) -> Vec<String> {
    let values = response.headers().get_all(name).iter();
    values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

fn date(text: &str) -> Option<UnixTime> {
    httpdate::parse_http_date(text).ok().map(UnixTime::from)
}

/// Seconds to wait: said as such, or as a date, which counts from when the answer was made by the server's own clock.
fn wait(after: &str, made: UnixTime) -> Option<u64> {
    let after = after.trim();
    let seconds = if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        after.parse().unwrap_or(LONGEST_WAIT) // More digits than fit are a long time, too.
    } else {
        date(after)?.since(made).as_secs()
    };
    Some(seconds.min(LONGEST_WAIT))
}

/// Where `<...>; rel="canonical"` points, of the links in one header. A link with an anchor is about something else.
fn canonical(links: &str) -> Option<String> {
    let mut rest = links;
    while let Some((target, after)) = rest.split_once('<').and_then(|(_, link)| link.split_once('>')) {
        let (parameters, next) = until(after, ',');
        let (mut is_canonical, mut is_elsewhere, mut parameters) = (false, false, Some(parameters));
        while let Some(text) = parameters.take() {
            let (parameter, more) = until(text, ';');
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let mut words = value.trim().trim_matches('"').split_ascii_whitespace();
            match name.trim() {
                name if name.eq_ignore_ascii_case("rel") => {
                    is_canonical |= words.any(|word| word.eq_ignore_ascii_case("canonical"));
                }
                name => is_elsewhere |= name.eq_ignore_ascii_case("anchor"),
            }
            parameters = Some(more).filter(|more| !more.is_empty());
        }
        if is_canonical && !is_elsewhere {
            return Some(target.trim().to_owned());
        }
        rest = next;
    }
    None
}

/// What is before and behind the first `end` that is not in quotes.
fn until(text: &str, end: char) -> (&str, &str) {
    let mut in_quotes = false;
    let place = text.find(|c| {
        in_quotes ^= c == '"';
        c == end && !in_quotes
    });
    place.map_or((text, ""), |place| (&text[..place], &text[place + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_in_seconds_or_as_a_date() {
        let made = date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let check = |after: &str, expected: Option<u64>| assert_eq!(wait(after, made), expected, "{after:?}");
        check(" 120 ", Some(120));
        check("0", Some(0));
        check("99999999999999999999999", Some(LONGEST_WAIT));
        check("31536000", Some(LONGEST_WAIT));
        check("Sun, 06 Nov 1994 08:50:37 GMT", Some(60));
        check("Sunday, 06-Nov-94 08:50:37 GMT", Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", Some(0));
        check("Sat, 06 Nov 2094 08:00:00 GMT", Some(LONGEST_WAIT));
        check("-5", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn the_canonical_link_is_found_among_others() {
        let check = |links: &str, expected: Option<&str>| assert_eq!(canonical(links).as_deref(), expected, "{links}");
        check("<http://a/>; rel=\"canonical\"", Some("http://a/"));
        check("</a,b;c>; rel=canonical", Some("/a,b;c"));
        check(
            "</n>; rel=next; title=\"a, <b>; rel=canonical\", </c>; title=\"x;y\"; REL=\"shortlink Canonical\"",
            Some("/c"),
        );
        check("</a>; rel=canonical; anchor=\"#part\"", None);
        check("</a>; rel=next", None);
        check("</a>", None);
        check("<a; rel=canonical", None);
        check("rel=canonical", None);
        check("", None);
    }
}
