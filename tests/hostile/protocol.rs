//! HTTP/1.1 that is none: heads, lengths, chunks and codings. (Frames of HTTP/2 stand in `http2.rs`.)

use super::scenario::{Scenario, scenario};
use super::server::{again, document, endless, head, page, raw, reset};
use super::{SETTINGS, stand};

const NO_ANSWER: &str = "no proper answer from 127.";
const BROKEN: &str = "the answer broke off or cannot be unpacked";

#[tokio::test]
async fn who_does_not_speak_http_costs_himself_only() {
    let rows = [heads(), statuses(), lengths(), chunks(), codings(), others()];
    stand(11, SETTINGS, rows.into_iter().flatten().collect()).await;
}

/// These bytes, and the fate of who gets them.
fn bytes(name: &'static str, answer: impl Into<Vec<u8>>, words: &'static str) -> Scenario {
    let answer = answer.into();
    scenario(name, move |_| raw(answer.clone())).fate("/", words)
}

fn heads() -> Vec<Scenario> {
    vec![
        bytes("version-of-the-future", "HTTP/9.9 200 OK\r\n\r\n", NO_ANSWER),
        bytes("status-that-is-no-number", "HTTP/1.1 abc OK\r\n\r\n", NO_ANSWER),
        bytes("status-of-nothing", "HTTP/1.1 000 Nothing\r\n\r\n", NO_ANSWER),
        bytes("status-of-five-digits", "HTTP/1.1 99999 Much\r\n\r\n", NO_ANSWER),
        bytes("status-left-out", "HTTP/1.1\r\n\r\n", NO_ANSWER),
        bytes("only-empty-lines", "\r\n\r\n\r\n", NO_ANSWER),
        bytes("another-protocol", "SSH-2.0-OpenSSH_9.6\r\n", NO_ANSWER),
        bytes("page-without-a-head", "<title>No head</title>", NO_ANSWER),
        bytes("header-without-a-colon", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", NO_ANSWER),
        bytes("header-with-a-nul", "HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n", NO_ANSWER),
        bytes("only-a-promise-to-continue", "HTTP/1.1 100 Continue\r\n\r\n", NO_ANSWER),
        bytes("another-protocol-from-here-on", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "(101)"),
        bytes("nothing-at-all", "", NO_ANSWER),
        scenario("headers-without-end", |_| endless("HTTP/1.1 200 OK\r\n", "X-1: one more\r\n".repeat(100)))
            .fate("/", NO_ANSWER)
            .takes(8 << 20),
        scenario("header-without-end", |_| endless("HTTP/1.1 200 OK\r\nX-1: ", "x".repeat(4_096)))
            .fate("/", NO_ANSWER)
            .takes(8 << 20),
        scenario("two-hundred-headers", |_| raw(with_headers(200))).fate("/", "stored as HTML"),
        scenario("thousand-headers", |_| raw(with_headers(1_000))).fate("/", NO_ANSWER),
    ]
}

fn with_headers(count: usize) -> String {
    let headers: String = (0..count).map(|number| format!("X-{number}: {number}\r\n")).collect();
    format!("HTTP/1.1 200 OK\r\n{headers}\r\n<title>x</title>")
}

fn statuses() -> Vec<Scenario> {
    vec![
        bytes("status-nobody-knows", "HTTP/1.1 999 Strange\r\n\r\n", "the server refuses it (999)"),
        bytes("unchanged-though-nobody-asked", "HTTP/1.1 304 Not Modified\r\n\r\n", "the server refuses it (304)"),
        bytes(
            "wait-for-ten-thousand-years",
            "HTTP/1.1 503 Busy\r\nRetry-After: 315360000000\r\nContent-Length: 0\r\n\r\n",
            "the server is in trouble (503",
        ),
        bytes("part-of-what-was-asked", "HTTP/1.1 206 Partial\r\nContent-Length: 3\r\n\r\nabc", "stored as"),
    ]
}

fn lengths() -> Vec<Scenario> {
    let of = |length: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nshort");
    vec![
        bytes("length-beyond-the-body", of("100"), BROKEN),
        bytes("length-below-nothing", of("-1"), NO_ANSWER),
        bytes("two-lengths", of("5\r\nContent-Length: 7"), NO_ANSWER),
        bytes("length-of-all-memory", of("18446744073709551615"), NO_ANSWER),
        bytes("length-beyond-numbers", of("99999999999999999999999"), NO_ANSWER),
        bytes("length-and-chunks", of("5\r\nTransfer-Encoding: chunked"), BROKEN),
        bytes(
            "more-than-its-length",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<title>Whole</title>and more",
            "stored as HTML",
        )
        .holds("/", "Title", "Whole")
        .lacks("/", "and more"),
    ]
}

fn chunks() -> Vec<Scenario> {
    let of = |body: &str| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
    vec![
        bytes("chunk-without-a-size", of("zz\r\n"), BROKEN),
        bytes("chunk-below-nothing", of("-1\r\n"), BROKEN),
        bytes("chunk-cut-short", of("5\r\nhel"), BROKEN),
        bytes("chunk-longer-than-said", of("5\r\nhelloworld\r\n0\r\n\r\n"), BROKEN),
        bytes("chunk-beyond-numbers", of("fffffffffffffffffffff\r\n"), BROKEN),
        bytes("chunk-with-a-long-tale", of(&format!("1;{}", "x".repeat(100_000))), BROKEN),
        scenario("trailers-without-end", move |_| {
            endless(format!("{}5\r\nhello\r\n0\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), {
                "X-Trailer: one more\r\n".repeat(100)
            })
        })
        .fate("/", BROKEN)
        .takes(8 << 20),
    ]
}

fn codings() -> Vec<Scenario> {
    let of = |coding: &str| format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: 5\r\n\r\nplain");
    vec![
        bytes("not-gzip-at-all", of("gzip"), BROKEN),
        bytes("not-brotli-at-all", of("br"), BROKEN),
        bytes("not-zstd-at-all", of("zstd"), BROKEN),
        bytes("coding-nobody-knows", of("rot13"), "stored as"),
    ]
}

fn others() -> Vec<Scenario> {
    vec![
        scenario("connection-broken-in-the-head", |_| reset("HTTP/1.1 200 OK\r\nContent-")).fate("/", NO_ANSWER),
        scenario("connection-broken-in-the-body", |_| {
            reset([&b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"[..], &[b'x'; 500]].concat())
        })
        .fate("/", "br"),
        scenario("secure-page-cut-short", |_| reset("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<title>x"))
            .tls()
            .fate("/", "reset by peer"),
        scenario("no-tls-where-tls-is-due", |_| raw("HTTP/1.1 200 OK\r\n\r\n"))
            .not_tls()
            .fate("/", "does not speak TLS"),
        scenario("handshake-broken-off", |_| reset("\x16\x03\x03")).not_tls().fate("/", "cannot be read"),
        // A second answer behind the first is nobody's: the next page is asked for and not taken from there.
        scenario("pipelined-junk", |asked| match asked.path {
            "/" => again(two_answers()),
            _ => page("<title>Asked for</title>"),
        })
        .fate("/next", "stored as HTML")
        .holds("/next", "Title", "Asked for"),
        scenario("pipelined-noise", |asked| match asked.path {
            "/" => again([two_answers(), vec![0xff; 4_096]].concat()),
            _ => page("<title>Asked for</title>"),
        })
        .holds("/next", "Title", "Asked for"),
        scenario("headers-that-lie-about-us", |asked| match asked.path {
            "/" => document(
                "text/html\r\nSet-Cookie: a=b; Domain=example.org\r\nAlt-Svc: h3=\":1\"\r\nRefresh: 0; url=/r",
                "<title>x</title>",
            ),
            _ => page("<title>Never mind</title>"),
        })
        .fate("/", "stored as HTML"),
        scenario("title-in-the-head", |_| raw([head("text/html"), b"<title>Plain</title>".to_vec()].concat()))
            .fate("/", "stored as HTML"),
    ]
}

/// A page that leads to `/next`, and an answer to a question that was not asked yet.
fn two_answers() -> Vec<u8> {
    let body = "<title>First</title><a href=/next>next</a>";
    let first = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let second = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 24\r\n\r\n<title>Smuggled</title>\n";
    [first.as_bytes(), second.as_bytes()].concat()
}
