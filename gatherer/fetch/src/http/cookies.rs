//! Cookies: those that the operator gives, and those that servers set.

use gatherer_pipeline::Visitor;
use reqwest::cookie::{CookieStore, Jar};
use reqwest::header::HeaderValue;
use std::collections::HashSet;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};
use url::Url;

/// Cookies that servers may set, whatever their number; more is no session but a flood.
const MOST: usize = 1_000;
/// Bytes of a cookie with all its attributes, as browsers count.
const LONGEST: usize = 4_096;
/// The last second of the year 9999, in which all dates of HTTP end.
const END_OF_TIME: u64 = 253_402_300_799;

/// A jar that is filled once and then, if the operator says so, by servers. It lives as long as the process.
pub(super) struct Cookies {
    jar: Jar,
    keeps: bool,
    /// What servers have set, so that they can change it but not add to it for ever.
    set: Mutex<HashSet<String>>,
}

impl Cookies {
    /// The error says what is wrong with the file, but nothing of what is in it.
    pub(super) fn new(visitor: &Visitor) -> Result<Self, String> {
        let jar = Jar::default();
        let file = visitor.cookies.as_ref().map_or("", |file| file.reveal());
        for (index, line) in file.lines().enumerate() {
            let line = line.strip_prefix("#HttpOnly_").unwrap_or(line);
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (cookie, url) = cookie(line).ok_or_else(|| {
                format!("has no cookie in line {}: seven fields between tabs, as browsers export them", index + 1)
            })?;
            jar.add_cookie_str(&cookie, &url);
        }
        Ok(Self { jar, keeps: visitor.keep_cookies, set: Mutex::default() })
    }

    /// Whether a server may set this cookie.
    fn admits(&self, cookie: &HeaderValue, url: &Url) -> bool {
        let Ok(text) = cookie.to_str() else { return false };
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let identity = identity(text, url);
        text.len() <= LONGEST && (set.contains(&identity) || (set.len() < MOST && set.insert(identity)))
    }
}

impl CookieStore for Cookies {
    fn set_cookies(&self, cookies: &mut dyn Iterator<Item = &HeaderValue>, url: &Url) {
        if self.keeps {
            self.jar.set_cookies(&mut cookies.filter(|cookie| self.admits(cookie, url)), url);
        }
    }

    fn cookies(&self, url: &Url) -> Option<HeaderValue> {
        let mut cookies = self.jar.cookies(url)?;
        cookies.set_sensitive(true);
        Some(cookies)
    }
}

/// Two cookies with the same identity replace each other.
fn identity(cookie: &str, url: &Url) -> String {
    let mut parts = cookie.split(';').map(str::trim);
    let name = parts.next().and_then(|pair| pair.split('=').next()).unwrap_or_default();
    let path = parts.find(|part| part.get(..5).is_some_and(|key| key.eq_ignore_ascii_case("path=")));
    // Without a path it is valid for the directory.
    let path = path.unwrap_or_else(|| url.path().rsplit_once('/').map_or("", |(directory, _)| directory));
    format!("{} {name} {path}", url.host_str().unwrap_or_default())
}

/// A line of Netscape's cookie file as a server would have set it, and where it would have: domain, whether the hosts
/// below get it too, path, whether it is for secure connections only, end, name, value.
fn cookie(line: &str) -> Option<(String, Url)> {
    let fields: Vec<_> = line.split('\t').collect();
    let [domain, below, path, secure, end, name, rest @ ..] = &fields[..] else { return None };
    let value = match rest {
        [] => "", // An editor took away the tab at the end.
        [value] => value,
        _ => return None,
    };
    let is_bad = |text: &str| text.contains(';') || HeaderValue::from_str(text).is_err();
    if name.is_empty() || name.contains('=') || is_bad(name) || is_bad(value) || is_bad(path) {
        return None;
    }
    let host = domain.trim_start_matches('.');
    let url = Url::parse(&format!("https://{host}/")).ok().filter(|url| url.host_str() == Some(host))?;
    let path = if path.starts_with('/') { path } else { "/" };
    let mut cookie = format!("{name}={value}; Path={path}");
    if below.eq_ignore_ascii_case("true") && host.parse::<IpAddr>().is_err() {
        // Writing to a string cannot fail.
        let _ = write!(cookie, "; Domain={host}");
    }
    if secure.eq_ignore_ascii_case("true") {
        cookie.push_str("; Secure");
    }
    // 0 is the end of the session, which is the end of the process.
    let end: u64 = end.parse().ok()?;
    if end > 0 {
        let date = UNIX_EPOCH + Duration::from_secs(end.min(END_OF_TIME));
        let _ = write!(cookie, "; Expires={}", httpdate::fmt_http_date(date));
    }
    Some((cookie, url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_pipeline::Secret;

    fn jar(file: &str) -> Result<Cookies, String> {
        Cookies::new(&Visitor { cookies: Some(Secret::new(file)), keep_cookies: true, ..Visitor::default() })
    }

    /// What is sent to `url` when this one line is in the file.
    fn check(line: &str, url: &str, expected: &str) {
        let cookies = jar(line).expect(line).cookies(&Url::parse(url).expect("a literal URL"));
        let sent = cookies.map(|value| value.to_str().expect("ASCII").to_owned());
        assert_eq!(sent.unwrap_or_default(), expected, "{line:?} for {url}");
    }

    #[test]
    fn a_cookie_goes_where_its_line_says() {
        let below = ".example.org\tTRUE\t/docs\tFALSE\t0\tid\t7";
        check(below, "http://example.org/docs/a", "id=7");
        check(below, "http://www.example.org/docs", "id=7");
        check(below, "http://example.org/docsother", "");
        check(below, "http://example.com/docs/", "");
        check(below, "http://notexample.org/docs/", "");
        check("example.org\tFALSE\t/\tFALSE\t0\tid\t7", "http://www.example.org/", "");
        check("example.org\tFALSE\t/\tFALSE\t0\tid\t7", "http://example.org/", "id=7");
        check("127.0.0.1\tTRUE\t/\tFALSE\t0\tid\t7", "http://127.0.0.1:8000/", "id=7");
    }

    #[test]
    fn secure_cookies_do_not_go_in_the_clear() {
        let line = "#HttpOnly_example.org\tFALSE\t/\tTRUE\t0\tid\t7";
        check(line, "http://example.org/", "");
        check(line, "https://example.org/", "id=7");
    }

    #[test]
    fn cookies_end() {
        check("example.org\tFALSE\t/\tFALSE\t1\tid\t7", "http://example.org/", "");
        check("example.org\tFALSE\t/\tFALSE\t4102444800\tid\t7", "http://example.org/", "id=7");
        check("example.org\tFALSE\t/\tFALSE\t99999999999999\tid\t7", "http://example.org/", "id=7");
    }

    #[test]
    fn comments_and_empty_values_are_no_faults() {
        check("# Netscape HTTP Cookie File\n\nexample.org\tFALSE\t/\tFALSE\t0\tid", "http://example.org/", "id=");
    }

    #[test]
    fn a_bad_line_is_told_by_its_number_only() {
        for bad in ["secret", "example.org\tTRUE\t/\tFALSE\tsoon\tid\tsecret", "a b\tTRUE\t/\tFALSE\t0\tid\tsecret"] {
            let fault = jar(&format!("# cookies\n{bad}\n")).err().expect(bad);
            assert!(fault.contains("line 2") && !fault.contains("secret"), "{fault}");
        }
    }

    #[test]
    fn a_server_can_change_its_cookies_but_not_flood_us() {
        let (cookies, url) =
            (jar("").expect("an empty jar"), Url::parse("http://example.org/").expect("a literal URL"));
        let set = |text: String| {
            let value = HeaderValue::from_str(&text).expect("ASCII");
            cookies.set_cookies(&mut std::iter::once(&value), &url);
        };
        (0..2 * MOST).for_each(|number| set(format!("c{number}=old")));
        set("c0=new; Path=/".to_owned());
        set("c1=new".to_owned());
        set(format!("c2={}", "x".repeat(LONGEST)));
        let sent = cookies.cookies(&url).expect("cookies");
        let sent = sent.to_str().expect("ASCII");
        assert_eq!(sent.split("; ").count(), MOST);
        assert!(sent.contains("c1=new") && sent.contains("c2=old") && sent.contains("c0=old"), "{sent}");
    }
}
