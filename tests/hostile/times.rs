//! Hosts with all the time of the world.

use super::scenario::{Scenario, everywhere, scenario};
use super::server::{Script, Step, again, drip, endless, head, missing, page, raw, stall};
use super::stand;

const LATE: &str = "no whole answer within 2 s";

#[tokio::test]
async fn who_takes_his_time_costs_himself_only() {
    let settings =
        "[run]\nworkers = 100\n[fetch]\nconnect-limit = \"2s\"\nanswer-limit = \"2s\"\nbody-limit = \"2MiB\"\n";
    stand(13, settings, [pages(), others()].into_iter().flatten().collect()).await;
}

fn pages() -> Vec<Scenario> {
    let ok = "HTTP/1.1 200 OK\r\n";
    vec![
        scenario("silence", |_| stall("")).fate("/", LATE),
        scenario("silence-in-the-head", move |_| stall(ok)).fate("/", LATE),
        scenario("silence-behind-the-head", |_| stall(head("text/html"))).fate("/", LATE),
        scenario("silence-before-the-end", move |_| stall(format!("{ok}Content-Length: 100\r\n\r\n<title>Al")))
            .fate("/", LATE),
        scenario("silence-between-chunks", move |_| {
            stall(format!("{ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"))
        })
        .fate("/", LATE),
        scenario("head-drop-by-drop", move |_| drip(ok, "X-Slow: drop\r\n")).fate("/", LATE),
        scenario("body-drop-by-drop", |_| drip(head("text/html"), "<p>drop ")).fate("/", LATE),
        scenario("chunks-drop-by-drop", move |_| drip(format!("{ok}Transfer-Encoding: chunked\r\n\r\n"), "1\r\nx\r\n"))
            .fate("/", LATE),
        scenario("promises-to-continue-without-end", |_| endless("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)))
            .fate("/", LATE),
        // What comes without end but not without pace is cut like any long body.
        scenario("body-without-end", |_| endless(head("text/plain"), "and another line\n".repeat(1_000)))
            .fate("/", "stored as Text")
            .holds("/", "Cut-At", "2097152")
            .takes(80 << 20),
        scenario("chunks-without-end", move |_| {
            let chunk = format!("4000\r\n{}\r\n", "a line of it.\n  ".repeat(1_024));
            endless(format!("{ok}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"), chunk)
        })
        .fate("/", "stored as Text")
        .holds("/", "Cut-At", "2097152"),
        scenario("silence-on-the-second-request", |asked| match asked.path {
            "/" => again(kept_page()),
            _ => stall(""),
        })
        .fate("/", "stored as HTML")
        .fate("/next", LATE),
    ]
}

fn others() -> Vec<Scenario> {
    vec![
        everywhere("rules-drop-by-drop", |_| drip(head("text/plain"), "# drop\n"))
            .fate("/", "robots.txt cannot be read"),
        everywhere("rules-behind-silence", |_| stall("")).fate("/", LATE),
        everywhere("handshake-behind-silence", |_| stall("")).not_tls().fate("/", "robots.txt cannot be read"),
        scenario("map-drop-by-drop", |asked| match asked.path {
            "/map.xml" => drip(head("application/xml"), "<urlset><url>"),
            _ => page("<title>Start</title>"),
        })
        .node("sitemaps = [\"{origin}/map.xml\"]")
        .fate("/", "stored as HTML")
        .fate("/map.xml", LATE),
        scenario("redirect-with-a-body-without-end", |_| {
            endless("HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n", "more\n".repeat(1_000))
        })
        .visits(2),
        scenario("slow-but-sure", |_| slowly()).fate("/", "stored as HTML"),
        everywhere("late-answer-of-another", |asked| match (asked.path, asked.turn) {
            ("/robots.txt", _) => missing(),
            // The whole answer, and a part of one that nobody asked for behind it.
            ("/", _) => raw([kept_page(), b"HTTP/1.1 200 OK\r\nContent-".to_vec()].concat()),
            _ => page("<title>Next</title>"),
        })
        .fate("/next", "stored as HTML"),
    ]
}

/// A page on a connection that stays.
fn kept_page() -> Vec<u8> {
    let body = "<title>First</title><a href=/next>next</a>";
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// A page in pieces that is whole long before the limit.
fn slowly() -> Script {
    let page = [head("text/html"), b"<title>Slow</title>".to_vec()].concat();
    let pieces: Vec<_> = page.chunks(20).map(<[u8]>::to_vec).collect();
    Box::new(pieces.into_iter().flat_map(|piece| [Step::Say(piece), Step::Wait(std::time::Duration::from_millis(5))]))
}
