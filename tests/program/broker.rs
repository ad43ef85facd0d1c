//! The daemon port, byte for byte, and our own client on it.

use super::stage::{Stage, steady};
use flate2::bufread::GzDecoder;
use gatherer_demo::{Page, Site};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tokio::process::Child;

const ROOT: &str = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";

fn site() -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=a.html>a</a><a href=b.html>b</a>")
        .with("/a.html", "<title>499 - not the end</title>")
        .with("/b.html", "<title>B</title>")
}

/// A gatherer that has run and serves what it found.
async fn serving() -> (Stage, Child, String) {
    let stage = Stage::with(site(), ROOT).await;
    stage.run().await;
    let (server, address) = stage.serve().await;
    (stage, server, address)
}

/// A session at byte level.
struct Session(BufReader<TcpStream>);

impl Session {
    fn open(address: &str) -> Self {
        let socket = TcpStream::connect(address).expect("a connection");
        socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        Self(BufReader::new(socket))
    }

    fn say(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("a broker may speak");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line
    }

    fn reply(&mut self, command: &[u8], code: &str) -> String {
        self.say(command);
        let line = self.line();
        assert!(line.starts_with(&format!("{code} - ")), "{:?} gets {line:?}", String::from_utf8_lossy(command));
        line
    }

    fn until(&mut self, start: &str) -> String {
        let mut text = String::new();
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "the session ended before {start:?}:\n{text}");
            if line.starts_with(start) {
                return text;
            }
            text.push_str(&line);
        }
    }
}

#[tokio::test]
async fn a_session_as_in_1994() {
    let (stage, _server, address) = serving().await;
    let export = stage.good(&["export"]).await;
    let work = tokio::task::spawn_blocking(move || {
        let mut session = Session::open(&address);
        assert!(session.line().starts_with(concat!("000 - HELLO ", env!("CARGO_PKG_VERSION"), " here ")));
        session.reply(b"hello client.example.org\r\n", "100");
        session.say(b"INFO\n");
        let info = session.until("600 - ");
        assert!(info.starts_with("@GATHERER { ") && info.contains("Gatherer-Name{4}:\ttest\n"), "{info}");
        session.reply(b"SEND-UPDATE 0\r\n", "400");
        let update = session.until("499 - ");
        assert!(update.starts_with("@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { http://"), "{update}");
        assert!(update.ends_with("}\n\n}\n"), "{update}");
        let inner =
            update.split_once("@UPDATE {\n").map(|(_, inner)| inner.trim_end_matches("}\n")).unwrap_or_default();
        assert_eq!(inner.trim_end(), export.trim_end().trim_end_matches("}\n"), "the same bytes as the export");
        session.reply(b"NONSENSE\n", "901");
        session.reply(b"SEND-UPDATE soon\n", "902");
        session.reply(b"SEND-OBJECT http://nowhere.example/\n", "905");
        session.reply(b"HELP\n", "200");
        assert!(session.until("299 - ").contains("SEND-UPDATE"));
        session.reply(b"QUIT\n", "999");
        assert_eq!(session.line(), "", "the session is closed");
    });
    work.await.expect("a whole session");
}

#[tokio::test]
async fn a_broker_that_skips_the_greeting_and_one_that_wants_gzip() {
    let (_stage, _server, address) = serving().await;
    let work = tokio::task::spawn_blocking(move || {
        let mut session = Session::open(&address);
        session.line();
        session.reply(b"SEND-UPDATE 0\r\n", "400");
        let plain = session.until("499 - ");
        session.reply(b"SET compression\n", "500");
        session.reply(b"SEND-UPDATE 0\n", "400");
        let mut unpacked = String::new();
        GzDecoder::new(&mut session.0).read_to_string(&mut unpacked).expect("one gzip member");
        assert_eq!(unpacked, plain);
        assert_eq!(session.line(), "\n");
        assert!(session.line().starts_with("499 - "));
        session.reply(b"QUIT\n", "999");
    });
    work.await.expect("both sessions");
}

#[tokio::test]
async fn garbage_and_endless_lines_end_one_session_only() {
    let (_stage, _server, address) = serving().await;
    let work = tokio::task::spawn_blocking(move || {
        let mut session = Session::open(&address);
        session.line();
        session.reply(b"\xff\xfe\x00garbage\n", "901");
        session.reply(&vec![b'x'; 20_000], "903");
        let mut silent = Session::open(&address);
        silent.line();
        let mut other = Session::open(&address);
        other.line();
        other.reply(b"SEND-UPDATE 0\n", "400");
        other.until("499 - ");
    });
    work.await.expect("the third session is served");
}

#[tokio::test]
async fn our_client_gets_the_whole_store_in_every_way() {
    let (stage, _server, address) = serving().await;
    let origins: Vec<_> = stage.web.origins().collect();
    let expected = stage.store().await;
    for arguments in
        [vec!["collect", &address], vec!["collect", &address, "--plain"], vec!["collect", &address, "--deletions"]]
    {
        let collected = stage.good(&arguments).await;
        assert_eq!(steady(&collected, &origins), expected, "{arguments:?}");
    }
    let future = stage.gatherer(&["collect", &address, "--since", "99999999999"]).await;
    assert!(future.err.contains("0 objects, 0 refreshed, 0 deleted"), "{future:?}");
    assert!(stage.good(&["collect", &address, "--info"]).await.contains("@GATHERER"));
    let json = stage.good(&["collect", &address, "--form", "json"]).await;
    assert_eq!(json.lines().count(), 3);
}

#[tokio::test]
async fn changes_reach_a_broker_that_asks_for_them() {
    let stage = Stage::with(site(), &format!("[life]\ngone-count = 1\ngone-apart = \"0s\"\n{ROOT}")).await;
    stage.run().await;
    let first = stage.good(&["show", &stage.url("/a.html"), "--form", "json"]).await;
    let first: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    let since: u64 = first["attributes"]["Update-Time"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    let changed = site().with("/a.html", "<title>New</title>").with_page(Page {
        path: "/b.html".into(),
        status: Some(410),
        ..Page::default()
    });
    stage.web.replace(changed);
    stage.run().await;
    let (_server, address) = stage.serve().await;
    let classic = stage.gatherer(&["collect", &address, "--since", &since.to_string()]).await;
    assert!(
        classic.out.contains("\tNew\n") && classic.out.contains("\tStart\n") && !classic.out.contains("\tB\n"),
        "{classic:?}"
    );
    let modern = stage.gatherer(&["collect", &address, "--since", &since.to_string(), "--deletions"]).await;
    let deleted = format!("@DELETE {{\n@FILE {{ {}\n}}\n\n}}\n", stage.url("/b.html"));
    assert!(modern.out.contains(&deleted) && modern.err.contains("1 deleted"), "{modern:?}");
    let json = stage.good(&["collect", &address, "--since", &since.to_string(), "--deletions", "--form", "json"]).await;
    let changes: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(changes[0]["change"], "delete", "{json}");
}

#[tokio::test]
async fn a_second_process_is_told_who_is_in_the_way() {
    let (stage, _server, _) = serving().await;
    let run = stage.gatherer(&["run"]).await;
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("only serves") && run.err.contains("--no-run"), "{run:?}");
    let second = stage.gatherer(&["serve"]).await;
    assert_eq!(second.code, Some(1));
    assert!(second.err.contains("is in use by another process") && second.err.contains("data-directory"), "{second:?}");
    assert!(stage.good(&["show", &stage.url("/a.html")]).await.contains("not the end"), "looking is allowed");
}
