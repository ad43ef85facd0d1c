//! Endless URL spaces, as far as one URL alone gives them away.
//!
//! [`Patterns`](crate::Patterns) sees those that show only by what they yield.

mod calendar;

use crate::shape::is_number;
use gatherer_pipeline::Departure;
use std::collections::HashMap;
use url::{Host, Url};

/// A path segment that appears as often is part of a loop.
const SEGMENT_LIMIT: usize = 4;
/// Segments, one to three of them, that follow each other as often are a loop.
const RUN_LIMIT: usize = 3;
/// Most segments of a path.
const DEPTH_LIMIT: usize = 30;
/// A query parameter that appears as often is added by every link.
const PARAMETER_LIMIT: usize = 4;
/// Most parameters of a query.
const QUERY_LIMIT: usize = 20;
/// A host label that appears as often is added by every link.
const LABEL_LIMIT: usize = 3;
/// Most labels of a host name.
const HOST_LIMIT: usize = 10;
/// Bytes of a name that an explanation shows.
const SHOWN: usize = 60;

/// Judges whether a URL looks like one of endlessly many: a path or host that repeats itself, a query that grows, or a
/// calendar page far from the present `year`.
///
/// # Errors
/// [`Departure::Trap`] with what gives it away.
pub fn trap_in(url: &Url, year: i64) -> Result<(), Departure> {
    let found = trap_in_host(url)
        .or_else(|| trap_in_path(url))
        .or_else(|| trap_in_query(url))
        .or_else(|| calendar::far_page(url, year).map(|far| format!("a calendar page of the year {far}")));
    found.map_or(Ok(()), |pattern| Err(Departure::Trap { pattern }))
}

fn trap_in_host(url: &Url) -> Option<String> {
    // In an address equal numbers mean nothing.
    let Some(Host::Domain(host)) = url.host() else { return None };
    let labels: Vec<_> = host.split('.').filter(|label| !label.is_empty()).collect();
    if labels.len() > HOST_LIMIT {
        return Some(format!("a host name of {} labels", labels.len()));
    }
    let (label, times) = most_frequent(labels)?;
    (times >= LABEL_LIMIT).then(|| format!("{} appears {times} times in the host name", shown(label)))
}

fn trap_in_path(url: &Url) -> Option<String> {
    let segments = url.path_segments()?;
    // The slash at the end of a directory begins no segment.
    let depth = segments.clone().count() - usize::from(url.path().ends_with('/'));
    if depth > DEPTH_LIMIT {
        return Some(format!("a path of {depth} segments"));
    }
    let segments: Vec<_> = segments.filter(|segment| !segment.is_empty()).collect();
    if let Some(run) = repeated_run(&segments) {
        return Some(format!("{} is repeated {RUN_LIMIT} times in the path", shown(&run.join("/"))));
    }
    // Folders are often numbered, `/00/00/00/00.png`, and seldom endless.
    let (segment, times) = most_frequent(segments.into_iter().filter(|segment| !is_number(segment)))?;
    (times >= SEGMENT_LIMIT).then(|| format!("{} appears {times} times in the path", shown(segment)))
}

/// One to three segments, not all of them numbers, that follow each other too often.
fn repeated_run<'a>(segments: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let repeats = |window: &&'a [&'a str]| {
        let run = &window[..window.len() / RUN_LIMIT];
        window.chunks(run.len()).all(|chunk| chunk == run) && !run.iter().all(|segment| is_number(segment))
    };
    (1..=3).find_map(|length| segments.windows(length * RUN_LIMIT).find(repeats).map(|window| &window[..length]))
}

fn trap_in_query(url: &Url) -> Option<String> {
    let parameters: Vec<_> = url.query()?.split('&').filter(|parameter| !parameter.is_empty()).collect();
    if parameters.len() > QUERY_LIMIT {
        return Some(format!("a query of {} parameters", parameters.len()));
    }
    let (name, times) = most_frequent(parameters.iter().filter_map(|parameter| parameter.split('=').next()))?;
    (times >= PARAMETER_LIMIT).then(|| format!("{} appears {times} times in the query", shown(name)))
}

/// The word that appears most often, and how often; the last of the alphabet among equals.
fn most_frequent<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, usize)> {
    let mut times = HashMap::new();
    words.into_iter().for_each(|word| *times.entry(word).or_insert(0) += 1);
    times.into_iter().max_by_key(|(word, times)| (*times, *word))
}

fn shown(name: &str) -> &str {
    &name[..name.floor_char_boundary(SHOWN)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        let url = Url::parse("http://example.org").and_then(|base| base.join(url)).expect("a URL");
        let found = trap_in(&url, 2026).map_err(|departure| departure.to_string());
        assert_eq!(found.err(), expected.map(|words| format!("looks like a trap: {words}")), "{url}");
    }

    #[test]
    fn paths_that_repeat_themselves_are_traps() {
        let check = |url: &str, words| check(url, Some(words));
        check("/a/a/a", "a is repeated 3 times in the path");
        check("/x/a/b/a/b/a/b/", "a/b is repeated 3 times in the path");
        check("/a/b/1/a/b/1/a/b/1", "a/b/1 is repeated 3 times in the path");
        check("/page/2/page/3/page/4/page/5", "page appears 4 times in the path");
        check("/css/a/css/b//css/c/d/css/", "css appears 4 times in the path");
        check(&"/a/b/c/d".repeat(4), "d appears 4 times in the path");
    }

    #[test]
    fn growing_paths_are_traps() {
        let path = |depth| (0..depth).map(|segment| format!("/{segment}")).collect::<String>();
        check(&path(30), None);
        check(&(path(30) + "/"), None);
        check(&path(31), Some("a path of 31 segments"));
        check(&format!("/a{}", "/".repeat(40)), Some("a path of 40 segments"));
    }

    #[test]
    fn growing_queries_are_traps() {
        let query = |length| (0..length).map(|name| format!("p{name}=1&")).collect::<String>();
        check("/?sort=a&sort=b&sort=c", None);
        check("/?sort=a&sort=b&x&sort=c&sort", Some("sort appears 4 times in the query"));
        check(&format!("/?{}", query(20)), None);
        check(&format!("/?{}", query(21)), Some("a query of 21 parameters"));
    }

    #[test]
    fn growing_host_names_are_traps() {
        check("http://www.www.x.org/", None);
        check("http://www.www.www.x.org/", Some("www appears 3 times in the host name"));
        check("http://a.b.a.c.a.x.org/", Some("a appears 3 times in the host name"));
        check("http://1.2.3.4.5.6.7.8.x.org/", None);
        check("http://1.2.3.4.5.6.7.8.9.x.org/", Some("a host name of 11 labels"));
        check("http://1.1.1.1/", None);
        check("http://[1:1:1:1::1]/", None);
    }

    #[test]
    fn ordinary_urls_are_none() {
        for url in [
            "/",
            "/v1/v1/",
            "/en/en/",
            "/lib/python/lib/python/",
            "/src/main/java/org/example/main/Main.java",
            "/a/b/a/c/a/d",
            "/tiles/0/0/0/0.png",
            "/1/1/1/1/1/",
            "/2011/11/11/11-facts",
            "/a//b///c",
            "/search?q=a&page=3&lang=en",
            "mailto:jo@example.org",
            "file:///a/b/a/b",
        ] {
            check(url, None);
        }
    }

    #[test]
    fn long_names_are_shown_in_part() {
        let name = "n".repeat(500);
        let words = format!("{} is repeated 3 times in the path", &name[..SHOWN]);
        check(&format!("/{name}/{name}/{name}"), Some(&words));
    }
}
