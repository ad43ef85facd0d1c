//! The order of things on disk. Keys sort by host reversed, then port, then path, so that one site is one range
//! and a domain with all its hosts is one too.

use gatherer_pipeline::{Md5, UnixTime};
use url::Url;

/// Ends each part of a key; no URL holds it.
const END: u8 = 0;

/// Marks what is inside of a resource.
const MEMBER: u8 = b'#';
/// Marks the small half of a record, which moves at each renewal.
pub(crate) const HEAD: u8 = b'h';
/// Marks what is left of a deleted record: the number of the change that tells of it.
pub(crate) const TOMBSTONE: u8 = b't';

/// The key of a URL: `org.example.www`, NUL, `http:00080`, NUL, path and query, NUL; for what is inside of another
/// resource, behind that one's key: `#`, name, NUL.
pub(crate) fn url_key(url: &Url) -> Vec<u8> {
    let mut key = reversed_host(url.host().as_ref()).into_bytes();
    key.push(END);
    key.extend_from_slice(url.scheme().as_bytes());
    if let Some(port) = url.port_or_known_default() {
        key.extend_from_slice(format!(":{port:05}").as_bytes());
    }
    key.push(END);
    key.extend_from_slice(url.path().as_bytes());
    if let Some(query) = url.query() {
        key.push(b'?');
        key.extend_from_slice(query.as_bytes());
    }
    key.push(END);
    if let Some(name) = url.fragment() {
        key.push(MEMBER);
        key.extend_from_slice(name.as_bytes());
        key.push(END);
    }
    key
}

/// Where the keys of all begin that is inside of a resource.
pub(crate) fn members(container: &Url) -> Vec<u8> {
    half(&url_key(container), MEMBER)
}

pub(crate) fn reversed_host(host: Option<&url::Host<&str>>) -> String {
    match host {
        Some(url::Host::Domain(domain)) => domain.rsplit('.').collect::<Vec<_>>().join("."),
        Some(address) => address.to_string(),
        None => String::new(),
    }
}

/// A URL's key with a mark behind it.
pub(crate) fn half(url_key: &[u8], mark: u8) -> Vec<u8> {
    let mut key = Vec::with_capacity(url_key.len() + 1);
    key.extend_from_slice(url_key);
    key.push(mark);
    key
}

/// Where a host's queue begins in the frontier.
pub(crate) fn queue(host: &str) -> Vec<u8> {
    let mut key = host.as_bytes().to_vec();
    key.push(END);
    key
}

/// Where the queue of one root node begins at a host.
pub(crate) fn lane(host: &str, lane: u32) -> Vec<u8> {
    let mut key = queue(host);
    key.extend_from_slice(&lane.to_be_bytes());
    key
}

/// The number of a root node's lanes, the same in every process.
pub(crate) fn lane_number(root: &str) -> u32 {
    let [a, b, c, d, ..] = Md5::of(root.as_bytes()).0;
    u32::from_be_bytes([a, b, c, d])
}

/// The place of a URL in its host's queue.
pub(crate) fn queued(host: &str, root: &str, rank: u32, url_key: &[u8]) -> Vec<u8> {
    let mut key = lane(host, lane_number(root));
    key.extend_from_slice(&rank.to_be_bytes());
    key.extend_from_slice(url_key);
    key
}

/// The lane in a frontier key.
pub(crate) fn lane_of(queued: &[u8]) -> u32 {
    let behind_host = queued.get(host_of(queued).len() + 1..).unwrap_or_default();
    behind_host.first_chunk().map_or(0, |lane| u32::from_be_bytes(*lane))
}

/// The rank in a frontier key.
pub(crate) fn rank_of(queued: &[u8]) -> u32 {
    let behind_lane = queued.get(host_of(queued).len() + 1 + size_of::<u32>()..).unwrap_or_default();
    behind_lane.first_chunk().map_or(0, |rank| u32::from_be_bytes(*rank))
}

/// The host in a frontier key.
pub(crate) fn host_of(queued: &[u8]) -> &str {
    let end = queued.iter().position(|&byte| byte == END).unwrap_or(queued.len());
    std::str::from_utf8(&queued[..end]).unwrap_or_default()
}

/// A moment in the timetable.
pub(crate) fn moment(at: UnixTime, url_key: &[u8]) -> Vec<u8> {
    let mut key = at.0.to_be_bytes().to_vec();
    key.extend_from_slice(url_key);
    key
}

/// Time and URL key of a moment.
pub(crate) fn split_moment(key: &[u8]) -> Option<(UnixTime, &[u8])> {
    let (time, url_key) = key.split_first_chunk::<8>()?;
    Some((UnixTime(u64::from_be_bytes(*time)), url_key))
}

/// Joins a target and one of its other addresses.
pub(crate) fn alias(target: &[u8], other: &[u8]) -> Vec<u8> {
    [target, other].concat()
}

/// The smallest key behind all that begin with `prefix`.
pub(crate) fn behind(prefix: &[u8]) -> Vec<u8> {
    let mut key = prefix.to_vec();
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            break;
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: &str) -> Vec<u8> {
        url_key(&Url::parse(url).expect("a literal URL"))
    }

    #[test]
    fn one_site_is_one_range() {
        let mut urls = vec![
            "http://www.example.org/b",
            "http://example.org/z",
            "http://www.example.org/a/x",
            "http://example.net/",
            "http://www.example.org/a",
            "http://www.example.org:8080/a",
            "https://www.example.org/a",
        ];
        urls.sort_by_key(|url| key(url));
        assert_eq!(
            urls,
            [
                "http://example.net/",
                "http://example.org/z",
                "http://www.example.org/a",
                "http://www.example.org/a/x",
                "http://www.example.org/b",
                "http://www.example.org:8080/a",
                "https://www.example.org/a",
            ]
        );
    }

    #[test]
    fn no_key_is_the_beginning_of_another() {
        assert!(!key("http://example.org/ab").starts_with(&key("http://example.org/a")));
        assert_ne!(key("http://example.org/a?b"), key("http://example.org/a"));
        assert_ne!(key("file:///a"), key("http://a/"));
    }

    #[test]
    fn behind_a_prefix_nothing_with_it_is_left() {
        assert_eq!(behind(b"ab"), b"ac");
        assert_eq!(behind(&[1, 255]), [2]);
        assert!(behind(&[255]).is_empty());
    }
}
