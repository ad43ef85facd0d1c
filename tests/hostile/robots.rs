//! robots.txt that is huge, strange, elsewhere, or not to be had.

use super::packing::{gzip, gzip_bomb};
use super::scenario::{Scenario, everywhere};
use super::server::{Script, Step, answer, document, endless, head, moved, page, raw, reset};
use super::{SETTINGS, stand};
use std::iter::{once, repeat_n};

const STORED: &str = "stored as HTML";
const CLOSED: &str = "robots.txt cannot be read";
const FORBIDDEN: &str = "robots rules forbid it";

#[tokio::test]
async fn rules_are_kept_as_far_as_they_can_be_read() {
    stand(18, SETTINGS, [sizes(), kinds(), elsewhere(), statuses()].into_iter().flatten().collect()).await;
}

/// A host with these rules, and a page at `/` that leads to `/early` and `/late`.
fn rules(name: &'static str, rules: impl Fn(&super::server::Asked<'_>) -> Script + Send + Sync + 'static) -> Scenario {
    everywhere(name, move |asked| match asked.path {
        "/" => page("<title>Start</title><a href=/early>early</a><a href=/late>late</a>"),
        "/early" | "/late" => page(&format!("<title>{}</title>", asked.path)),
        _ => rules(asked),
    })
}

/// Rules in these bytes.
fn written(name: &'static str, text: impl Into<Vec<u8>>) -> Scenario {
    let text = text.into();
    rules(name, move |_| document("text/plain", &text))
}

fn sizes() -> Vec<Scenario> {
    let early = "User-agent: *\nDisallow: /early\n";
    let groups: String =
        (0..20_000).map(|number| format!("User-agent: bot{number}\nDisallow: /{number}\n\n")).collect();
    vec![
        rules("hundred-megabytes-of-rules", |_| hundred_megabytes())
            .fate("/early", FORBIDDEN)
            .fate("/late", STORED)
            .takes(100 << 20),
        rules("rules-in-one-line", move |_| endless(head("text/plain"), "Disallow: /x".repeat(1_000)))
            .fate("/", STORED)
            .takes(100 << 20),
        written("masses-of-groups", format!("{early}\n{groups}")).fate("/early", FORBIDDEN).fate("/", STORED),
        written("rule-of-stars", format!("{early}Disallow: /{}late$\n", "*a".repeat(5_000))).fate("/late", STORED),
        written("rule-of-only-stars", format!("{early}Disallow: /{}late$\n", "*".repeat(5_000)))
            .fate("/late", FORBIDDEN),
        rules("bomb-for-rules", |_| {
            answer("200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip", gzip_bomb(100))
        })
        .fate("/", STORED),
    ]
}

/// One rule at the beginning, one behind 640 KiB, and comments all over the place.
fn hundred_megabytes() -> Script {
    let comments = |count| repeat_n(format!("#{}\n", "-".repeat(1_022)).repeat(64).into_bytes(), count);
    let early = once([&head("text/plain")[..], b"User-agent: *\nDisallow: /early\n"].concat());
    let all = early.chain(comments(10)).chain(once(b"Disallow: /late\n".to_vec())).chain(comments(1_600));
    Box::new(all.map(Step::Say))
}

fn kinds() -> Vec<Scenario> {
    let early = b"User-agent: *\nDisallow: /early\n";
    let wide: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /early\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        rules("page-for-rules", |_| page("<html><title>Welcome</title><p>User-agent: * Disallow: /</html>"))
            .fate("/", STORED),
        rules("image-for-rules", |_| document("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")).fate("/", STORED),
        written("rules-with-a-mark-before", [&b"\xef\xbb\xbf"[..], early].concat()).fate("/early", FORBIDDEN),
        written("rules-in-wide-letters", wide).fate("/", STORED),
        written("rules-among-nul-bytes", [&[0; 1_000][..], b"\n", early].concat()).fate("/early", FORBIDDEN),
        written("rules-of-old-machines", "User-agent: *\rDisallow: /early\r").fate("/early", FORBIDDEN),
        written("packed-rules-unsaid", gzip(early)).fate("/", STORED),
        written("nonsense-for-rules", "Disallow\n:::\nUser-agent\nAllow: \u{0}\nCrawl-delay: -1\nCrawl-delay: NaN\n")
            .fate("/", STORED),
        written("empty-rules", "").fate("/early", STORED),
        rules("rules-cut-short", |_| {
            raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nDisallow: /early\n")
        })
        .fate("/", CLOSED),
        rules("rules-of-no-protocol", |_| raw("User-agent: *\nDisallow: /early\n")).fate("/", CLOSED),
        rules("rules-broken-off", |_| reset("HTTP/1.1 200 OK\r\n")).fate("/", CLOSED),
    ]
}

fn elsewhere() -> Vec<Scenario> {
    vec![
        // RFC 9309, section 2.3.1.2: after five hops there are no rules.
        rules("rules-in-a-circle", |asked| moved(asked.path)).fate("/", STORED).requests(12),
        rules("rules-ever-farther-away", |asked| moved(&format!("{}/x", asked.path))).fate("/", STORED).requests(12),
        rules("rules-at-a-private-address", |_| moved("http://169.254.169.254/robots.txt")).fate("/", STORED),
        rules("rules-at-the-neighbours-door", |asked| moved(&format!("{}/index.html?rules", asked.neighbour)))
            .fate("/", STORED),
        rules("rules-in-a-file", |_| moved("file:///etc/passwd")).fate("/", STORED),
        rules("rules-a-hop-away", |asked| match asked.path {
            "/robots.txt" => moved("/rules.txt"),
            _ => document("text/plain", "User-agent: *\nDisallow: /early\n"),
        })
        .fate("/early", FORBIDDEN),
    ]
}

fn statuses() -> Vec<Scenario> {
    vec![
        rules("rules-in-trouble", |_| answer("500 Trouble", "User-agent: *\nAllow: /\n")).fate("/", CLOSED),
        rules("rules-for-nobody", |_| answer("403 Forbidden", "")).fate("/", STORED),
        rules("rules-for-later", |_| answer("429 Slow\r\nRetry-After: 99999999999999999999", "")).fate("/", CLOSED),
        rules("rules-unchanged-though-nobody-asked", |_| raw("HTTP/1.1 304 Not Modified\r\n\r\n")).fate("/", CLOSED),
        rules("rules-of-a-status-nobody-knows", |_| answer("999 Strange", "")).fate("/", CLOSED),
    ]
}
