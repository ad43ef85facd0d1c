//! Servers that break every rule: each costs its own pages, never the run.

use super::stage::{Stage, outcomes};
use flate2::Compression;
use flate2::write::GzEncoder;
use gatherer_demo::Site;
use serde_json::Value;
use std::io::Write;
use std::iter::{once, repeat, repeat_n};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// What a server writes, piece by piece, until it has said all or nobody listens any more.
pub(crate) type Pieces = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// A server that writes whatever bytes it likes.
pub(crate) struct Hostile {
    pub(crate) address: SocketAddr,
    written: Arc<AtomicU64>,
}

impl Hostile {
    /// Answers by its own origin and by what is asked for: a path, or a whole URL where it is taken for a proxy.
    pub(crate) async fn start(answer: impl Fn(&str, &str) -> Pieces + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (answer, written) = (Arc::new(answer), Arc::new(AtomicU64::new(0)));
        let hostile = Self { address, written: Arc::clone(&written) };
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (answer, written) = (Arc::clone(&answer), Arc::clone(&written));
                tokio::spawn(async move {
                    let (origin, target) = (format!("http://{address}"), target(&mut socket).await);
                    for piece in answer(&origin, &target) {
                        if socket.write_all(&piece).await.is_err() {
                            return;
                        }
                        written.fetch_add(piece.len() as u64, Ordering::Relaxed);
                    }
                });
            }
        });
        hostile
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Bytes that it could get rid of, the network's own buffers included.
    fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}

/// What a request asks for. It is read to its end: bytes left unread would break the connection.
async fn target(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") && socket.read_buf(&mut request).await.is_ok_and(|read| read > 0) {}
    String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or_default().to_owned()
}

fn raw(answer: impl Into<Vec<u8>>) -> Pieces {
    Box::new(once(answer.into()))
}

/// A proper page.
pub(crate) fn page(body: &str) -> Pieces {
    let length = body.len();
    raw(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ))
}

pub(crate) fn missing() -> Pieces {
    raw("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

fn moved(to: &str) -> Pieces {
    raw(format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
}

fn endless(start: &str, more: &str) -> Pieces {
    Box::new(once(start.as_bytes().to_vec()).chain(repeat(more.as_bytes().to_vec())))
}

/// The head of an answer whose end is the end of the connection.
fn head(kind: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n").into_bytes()
}

/// One run that starts at the server's `/`. It has to end in order, with a record or without.
async fn run(server: &Hostile, fetch: &str, node: &str) -> (Stage, Value) {
    let root = format!("[[root-node]]\nname = \"site\"\nurl = \"{}\"\ndelay = \"0s\"\n{node}", server.url("/"));
    let stage = Stage::with(Site::new("site"), &format!("[fetch]\n{fetch}{root}")).await;
    let ended = stage.gatherer(&["run", "--json"]).await;
    assert!(matches!(ended.code, Some(0 | 3)), "{ended:?}");
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    let report = serde_json::from_str(&ended.out).expect("JSON");
    (stage, report)
}

/// A server that answers everything but the question for its rules in the same way.
async fn serve(answer: impl Fn() -> Pieces + Send + Sync + 'static) -> Hostile {
    Hostile::start(move |_, asked| if asked == "/robots.txt" { missing() } else { answer() }).await
}

/// How a visit ends that gets these bytes.
async fn check(answer: impl Into<Vec<u8>>, code: &str) {
    let answer = answer.into();
    let shown = String::from_utf8_lossy(&answer[..answer.len().min(100)]).into_owned();
    let server = serve(move || raw(answer.clone())).await;
    let (_, report) = run(&server, "", "").await;
    assert_eq!(outcomes(&report, code), 1, "{shown:?}: {report}");
}

fn refused(report: &Value, code: &str) -> u64 {
    report["refused"][code]["count"].as_u64().unwrap_or(0)
}

#[tokio::test]
async fn a_head_that_is_none_is_a_fate() {
    for answer in [
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 000 Nothing\r\n\r\n",
        "HTTP/1.1 99999 Much\r\n\r\n",
        "HTTP/1.1\r\n\r\n",
        "\r\n\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "<title>No head</title>",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ] {
        check(answer, "unreachable").await;
    }
}

#[tokio::test]
async fn a_status_that_means_nothing_here_is_a_fate() {
    for (answer, code) in [
        ("HTTP/1.1 999 Strange\r\n\r\n", "refused"),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", "refused"),
        ("HTTP/1.1 302 Found\r\n\r\n", "redirect"),
        ("HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n", "redirect"),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "redirect"),
    ] {
        check(answer, code).await;
    }
}

#[tokio::test]
async fn a_head_without_end_is_not_heard_to_its_end() {
    // The last is within every limit of size, so time has to end it.
    let hurry = "robots = false\nanswer-limit = \"1s\"\n";
    for (start, more, fetch, code) in [
        ("HTTP/1.1 200 OK\r\n", "X-1: one more\r\n".repeat(100), "", "unreachable"),
        ("HTTP/1.1 200 OK\r\nX-1: ", "x".repeat(4_096), "", "unreachable"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100), hurry, "too-slow"),
    ] {
        let shown = more[..9].to_owned();
        let server = serve(move || endless(start, &more)).await;
        let (_, report) = run(&server, fetch, "").await;
        assert_eq!(outcomes(&report, code), 1, "{start:?} and {shown:?}: {report}");
    }
}

#[tokio::test]
async fn a_thousand_headers_are_too_many() {
    for (count, code) in [(200, "stored"), (1_000, "unreachable")] {
        let headers: String = (0..count).map(|number| format!("X-{number}: {number}\r\n")).collect();
        check(format!("HTTP/1.1 200 OK\r\n{headers}\r\n<title>x</title>"), code).await;
    }
}

#[tokio::test]
async fn a_length_that_cannot_be_right_is_a_fate() {
    for length in ["100", "-1", "5\r\nContent-Length: 7", "18446744073709551615", "99999999999999999999999"] {
        check(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nshort"), "unreachable").await;
    }
}

#[tokio::test]
async fn what_comes_behind_the_length_is_not_the_pages() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\nConnection: close\r\n\r\n";
    let server = serve(move || raw(format!("{head}<title>Whole</title>and more"))).await;
    let (stage, report) = run(&server, "", "").await;
    assert_eq!((&report["updated"], &report["bytes"]), (&1.into(), &20.into()), "{report}");
    let record = stage.good(&["show", &server.url("/")]).await;
    assert!(record.contains("Title{5}:\tWhole\n") && !record.contains("and more"), "{record}");
}

#[tokio::test]
async fn chunks_that_are_none_are_a_fate() {
    let extension = format!("1;{}", "x".repeat(100_000));
    for body in
        ["zz\r\n", "-1\r\n", "5\r\nhel", "5\r\nhelloworld\r\n0\r\n\r\n", "fffffffffffffffffffff\r\n", &extension]
    {
        check(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}"), "unreachable").await;
    }
}

/// So many megabytes of text, packed.
fn packed(megabytes: usize) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    let text = vec![b'0'; 1_000_000];
    (0..megabytes).for_each(|_| packer.write_all(&text).expect("room in memory"));
    packer.finish().expect("room in memory")
}

#[tokio::test]
async fn a_bomb_is_unpacked_up_to_the_limit() {
    let bomb = packed(200);
    assert!(bomb.len() < 2_000_000, "{} bytes are no bomb", bomb.len());
    let coding = format!("Content-Encoding: gzip\r\nContent-Length: {}", bomb.len());
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{coding}\r\nConnection: close\r\n\r\n");
    let server = serve(move || raw([head.as_bytes(), &bomb].concat())).await;
    let (stage, report) = run(&server, "body-limit = \"1MiB\"\n", "").await;
    assert_eq!((&report["updated"], &report["bytes"]), (&1.into(), &1_048_576.into()), "{report}");
    assert!(stage.good(&["show", &server.url("/")]).await.contains("Cut-At{7}:\t1048576\n"));
}

#[tokio::test]
async fn a_circle_of_redirects_is_walked_once() {
    let server = Hostile::start(|_, asked| match asked {
        "/" => moved("/second"),
        "/second" => moved("/third"),
        "/third" => moved("/"),
        _ => missing(),
    })
    .await;
    let (stage, report) = run(&server, "", "").await;
    assert_eq!((outcomes(&report, "moved"), &report["visited"]), (3, &3.into()), "{report}");
    let why = stage.good(&["explain", &server.url("/third")]).await;
    assert!(why.contains(&format!("moved to {} (302)", server.url("/"))), "{why}");
}

#[tokio::test]
async fn a_row_of_redirects_has_an_end() {
    let server = Hostile::start(|_, asked| match asked {
        "/robots.txt" => missing(),
        step => moved(&format!("/{}", step.trim_start_matches('/').parse::<u32>().unwrap_or(0) + 1)),
    })
    .await;
    let (stage, report) = run(&server, "redirect-limit = 3\n", "").await;
    assert_eq!((outcomes(&report, "moved"), outcomes(&report, "redirect")), (4, 1), "{report}");
    let why = stage.good(&["explain", &server.url("/4")]).await;
    assert!(why.contains("more than 3 redirects in a row led here"), "{why}");
}

/// 100 MiB of rules: one at the beginning, one behind 640 KiB.
fn rules() -> Pieces {
    let comments = |count| repeat_n(format!("#{}\n", "-".repeat(1_022)).repeat(64).into_bytes(), count);
    let early = once([&head("text/plain")[..], b"User-agent: *\nDisallow: /early\n"].concat());
    Box::new(early.chain(comments(10)).chain(once(b"Disallow: /late\n".to_vec())).chain(comments(1_600)))
}

#[tokio::test]
async fn of_a_huge_robots_file_the_beginning_counts() {
    let server = Hostile::start(|_, asked| match asked {
        "/robots.txt" => rules(),
        "/" => page("<title>Start</title><a href=/early>early</a><a href=/late>late</a>"),
        other => page(&format!("<title>{other}</title>")),
    })
    .await;
    let (_, report) = run(&server, "", "").await;
    assert_eq!((&report["updated"], outcomes(&report, "robots")), (&2.into(), 1), "{report}");
    assert!(server.written() < 50 << 20, "{} bytes of it were taken", server.written());
}

/// A sitemap of ten million entries.
fn millions(origin: &str) -> Pieces {
    let origin = origin.to_owned();
    let entry = move |number: u32| format!("<url><loc>{origin}/p{number}</loc></url>");
    let thousand = move |from: u32| (from..from + 1_000).map(&entry).collect::<String>().into_bytes();
    let start = [&head("application/xml")[..], b"<urlset>"].concat();
    Box::new(once(start).chain((0..10_000).map(move |number| thousand(number * 1_000))))
}

#[tokio::test]
async fn a_sitemap_of_millions_fills_a_root_node_and_no_more() {
    let server = Hostile::start(|origin, asked| match asked {
        "/robots.txt" => raw([head("text/plain"), format!("Sitemap: {origin}/map.xml\n").into_bytes()].concat()),
        "/map.xml" => millions(origin),
        other => page(&format!("<title>{other}</title>")),
    })
    .await;
    let (stage, report) = run(&server, "", "url-max = 50\n").await;
    assert_eq!((outcomes(&report, "enumerated"), &report["roots"]["site"]["urls"]), (1, &50.into()), "{report}");
    assert!(refused(&report, "root-node-full") > 49_900, "{report}");
    assert!(server.written() < 80 << 20, "{} bytes of it were taken", server.written());
    let why = stage.good(&["explain", &server.url("/map.xml")]).await;
    assert!(why.contains("names 50000 URLs; it was cut at the size limit"), "{why}");
}

/// An index that names nothing but the next one.
fn next_index(asked: &str) -> Pieces {
    let number = asked.trim_start_matches("/map").parse::<u32>().unwrap_or(0) + 1;
    let index = format!("<sitemapindex><sitemap><loc>/map{number}</loc></sitemap></sitemapindex>");
    raw([head("application/xml"), index.into_bytes()].concat())
}

#[tokio::test]
async fn maps_that_lead_to_maps_have_an_end() {
    let server = Hostile::start(|origin, asked| match asked {
        "/robots.txt" => raw([head("text/plain"), format!("Sitemap: {origin}/map0\n").into_bytes()].concat()),
        "/" => page("<title>Start</title>"),
        index => next_index(index),
    })
    .await;
    let ended = timeout(Duration::from_mins(1), run(&server, "", "url-max = 50\n")).await;
    assert!(ended.is_ok(), "after {} bytes there is no end yet", server.written());
}

#[tokio::test]
async fn pages_without_a_bottom_are_read() {
    let tags = ["a", "div", "svg", "table", "template"];
    let server = Hostile::start(move |_, asked| match asked.trim_start_matches('/') {
        "robots.txt" => missing(),
        "" => page(&format!("<title>Start</title>{}", tags.map(|tag| format!("<a href=/{tag}>x</a>")).concat())),
        tag => page(&format!("<title>Deep {tag}</title>{}bottom", format!("<{tag}>").repeat(100_000))),
    })
    .await;
    let (stage, report) = run(&server, "", "").await;
    assert_eq!((&report["updated"], outcomes(&report, "stored")), (&6.into(), 6), "{report}");
    for tag in tags {
        let record = stage.good(&["show", &server.url(&format!("/{tag}"))]).await;
        assert!(record.contains(&format!(":\tDeep {tag}\n")), "{tag}: {}", &record[..record.len().min(1_000)]);
    }
}

#[tokio::test]
async fn long_addresses_and_masses_of_them_are_left_out() {
    let links: String = (0..20_000).map(|number| format!("<a href=/n{number}>{number}</a>")).collect();
    let long = [1 << 20, 10_000].map(|length| format!("<a href=\"/{}\">long</a>", "x".repeat(length))).concat();
    let start = format!("<title>Start</title>{long}{links}");
    let server = Hostile::start(move |_, asked| match asked {
        "/robots.txt" => missing(),
        "/" => page(&start),
        other => page(&format!("<title>{other}</title>")),
    })
    .await;
    let (stage, report) = run(&server, "", "url-max = 100\n").await;
    assert_eq!((&report["updated"], &report["roots"]["site"]["urls"]), (&100.into(), &100.into()), "{report}");
    assert_eq!((refused(&report, "root-node-full"), refused(&report, "out-of-scope")), (20_000 - 99, 1), "{report}");
    let record = stage.good(&["show", &server.url("/")]).await;
    assert!(record.contains("1 references longer than 16384 bytes left out"), "the one of a megabyte is told of");
}

#[tokio::test]
async fn other_schemes_are_told_of_and_what_leads_nowhere_is_not() {
    let told = ["gopher://gopher.example/", "news:comp.infosystems.harvest", "irc://irc.example/harvest"];
    let noise = ["javascript:void(0)", "data:text/html,hello", "tel:+4912345", "mailto:a@example.org", "about:blank"];
    let links: String = told.iter().chain(&noise).map(|to| format!("<a href=\"{to}\">x</a>")).collect();
    let server = serve(move || page(&format!("<title>Start</title>{links}"))).await;
    let (_, report) = run(&server, "", "").await;
    assert_eq!((&report["updated"], &report["visited"]), (&1.into(), &1.into()), "{report}");
    assert_eq!(refused(&report, "scheme"), told.len() as u64, "{report}");
    assert_eq!(report["refused"].as_object().map(serde_json::Map::len), Some(1), "{report}");
}
