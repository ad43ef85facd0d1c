//! The HTTP port: every answer as the description says, changes that can be followed, and who may see what.

use super::stage::Stage;
use super::web::{ROOT, ask, blocking, check_answer, description, encoded, read_answer, serving, site};
use flate2::read::GzDecoder;
use gatherer_demo::Page;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tokio::process::Child;

/// Routes, what is asked there, and the status of the answer; `{url}` is a URL, `{one}` the path of its record.
const QUESTIONS: &[(&str, &str, u16)] = &[
    ("/", "/", 200),
    ("/status", "/status", 200),
    ("/status", "/status?x=1", 400),
    ("/runs", "/runs", 200),
    ("/runs", "/runs?limit=1&before=2", 200),
    ("/runs", "/runs?before=x", 400),
    ("/runs/{number}", "/runs/1", 200),
    ("/runs/{number}", "/runs/99", 404),
    ("/runs/{number}", "/runs/x", 400),
    ("/explain/{url}", "/explain/{url}", 200),
    ("/explain/{url}", "/explain/nowhere", 400),
    ("/explain", "/explain?url={url}", 200),
    ("/explain", "/explain", 400),
    ("/health", "/health", 200),
    ("/ready", "/ready", 200),
    ("/metrics", "/metrics", 200),
    ("/openapi.json", "/openapi.json", 200),
    ("/records", "/records", 200),
    ("/records", "/records?form=json&limit=2", 200),
    ("/records", "/records?form=soif&kind=html,TEXT", 200),
    ("/records", "/records?form=xml&site=127.0.0.2", 200),
    ("/records", "/records?updated-from=2026-01-01T00:00:00Z&attributes=Title", 200),
    ("/records", "/records?knid=HTML", 400),
    ("/records", "/records?updated-from=soon", 400),
    ("/records", "/records?form=yaml", 400),
    ("/records", "/records?below=here", 400),
    ("/records", "/records?limit=-1", 400),
    ("/changes", "/changes?since=0&limit=0", 400),
    ("/records/{url}", "{one}", 200),
    ("/records/{url}", "{one}?form=xml", 200),
    ("/records/{url}", "{one}?form=soif", 200),
    ("/records/{url}", "{one}?form=jsonl&attributes=Title", 200),
    ("/records/{url}", "/records/http%3A%2F%2Fnowhere.example%2F", 404),
    ("/records/{url}", "/records/nowhere", 400),
    ("/changes", "/changes?since=0", 200),
    ("/changes", "/changes?since=0&form=json&limit=1", 200),
    ("/changes", "/changes?since=0&form=xml", 200),
    ("/changes", "/changes?since=0&form=soif", 200),
    ("/changes", "/changes", 400),
    ("/changes", "/changes?since=yesterday", 400),
    ("/changes", "/changes?since=0&wait=9999", 400),
    ("/changes", "/changes?since=0123456789abcdef-1", 410),
];

#[tokio::test]
async fn every_answer_is_as_described() {
    let (stage, _server, _, http) = serving("").await;
    let url = encoded(&stage.url("/a.html"));
    blocking(move || {
        let openapi = description();
        assert_eq!(ask(&http, "/openapi.json", &[]).json(), openapi);
        let one = format!("/records/{url}");
        let cursor = ask(&http, "/changes?since=0&limit=1&form=json", &[]).json()["cursor"].as_str().map(str::to_owned);
        assert!(cursor.is_some());
        let mut seen = BTreeSet::new();
        for (route, path, status) in QUESTIONS {
            let path = path.replace("{one}", &one).replace("{url}", &url);
            let path = path.as_str();
            let answer = ask(&http, path, &[]);
            assert_eq!(answer.status, *status, "{path}: {}", answer.text());
            check_answer(&openapi, route, &answer);
            seen.insert(*route);
        }
        let described: BTreeSet<_> = openapi["paths"].as_object().expect("paths").keys().map(String::as_str).collect();
        // Abstracts are tried where there are some, and what is asked for where somebody may.
        seen.extend(["/abstracts/{url}", "/run", "/reload"]);
        assert_eq!(seen, described, "every route is described, and every description tried");
        check_answer(&openapi, "/records", &ask(&http, "/records", &[("Accept", "image/png")]));
        assert_eq!(ask(&http, "/nothing", &[]).status, 404);
    })
    .await;
}

#[tokio::test]
async fn nothing_can_be_changed_and_head_has_no_body() {
    let (_stage, _server, _, http) = serving("").await;
    blocking(move || {
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            let address = http.trim_start_matches("http://");
            let mut socket = TcpStream::connect(address).expect("a connection");
            let request =
                format!("{method} /records HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            socket.write_all(request.as_bytes()).expect("a request");
            assert_eq!(read_answer(&mut BufReader::new(socket)).status, 405, "{method}");
        }
        let address = http.trim_start_matches("http://");
        let mut socket = TcpStream::connect(address).expect("a connection");
        socket.write_all(b"HEAD /records HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("a request");
        let mut all = String::new();
        BufReader::new(socket).read_to_string(&mut all).expect("an answer");
        assert!(all.starts_with("HTTP/1.1 200") && all.ends_with("\r\n\r\n"), "{all}");
    })
    .await;
}

#[tokio::test]
async fn the_same_records_in_every_form_and_packed() {
    let (stage, _server, _, http) = serving("").await;
    let export = stage.good(&["export"]).await;
    blocking(move || {
        assert_eq!(ask(&http, "/records?form=soif", &[]).text(), export);
        let json = ask(&http, "/records?form=json", &[]).json();
        let lines = ask(&http, "/records", &[]).lines();
        assert_eq!(json["records"].as_array(), Some(&lines));
        assert_eq!((lines.len(), &json["next"]), (4, &Value::Null));
        let xml = ask(&http, "/records", &[("Accept", "application/xml")]).text();
        assert_eq!(xml.matches("<object ").count(), 4, "{xml}");
        assert!(xml.contains("A \u{201e}quoted\u{201c} &amp; more"), "{xml}");
        let packed = ask(&http, "/records?form=soif", &[("Accept-Encoding", "gzip")]);
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        let mut unpacked = String::new();
        GzDecoder::new(&*packed.body).read_to_string(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, export);
        assert_eq!(ask(&http, "/records", &[("Accept-Encoding", "zstd")]).header("content-encoding"), Some("zstd"));
        // Page by page it is the same.
        let (mut pages, mut after) = (Vec::new(), String::new());
        loop {
            let page = ask(&http, &format!("/records?form=json&limit=1{after}"), &[]).json();
            pages.extend(page["records"].as_array().expect("records").clone());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={}", encoded(next));
        }
        assert_eq!(pages, lines);
    })
    .await;
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let (stage, _server, _, http) = serving("").await;
    let one = format!("/records/{}", encoded(&stage.url("/a.html")));
    blocking(move || {
        let openapi = description();
        for (route, path) in [
            ("/records/{url}", one.as_str()),
            ("/records", "/records"),
            ("/changes", "/changes?since=0"),
            ("/openapi.json", "/openapi.json"),
        ] {
            let tag = ask(&http, path, &[]).header("etag").expect("a tag").to_owned();
            let again = ask(&http, path, &[("If-None-Match", &tag)]);
            assert_eq!(again.status, 304, "{path}");
            check_answer(&openapi, route, &again);
            let other = ask(&http, path, &[("If-None-Match", "W/\"other\", \"more\"")]);
            assert_eq!(other.status, 200, "{path}");
        }
        // Another form is another answer.
        let tag = ask(&http, "/records", &[]).header("etag").expect("a tag").to_owned();
        assert_eq!(ask(&http, "/records?form=xml", &[("If-None-Match", &tag)]).status, 200);
    })
    .await;
}

/// What a broker has after acting on changes.
fn act(copy: &mut BTreeMap<String, Value>, changes: &[Value]) -> String {
    let mut cursor = String::new();
    for change in changes {
        let url = change["url"].as_str().unwrap_or_default().to_owned();
        match change["change"].as_str() {
            Some("update") => drop(copy.insert(url, change["record"].clone())),
            Some("refresh") => {
                let record = copy.get_mut(&url).expect("a refresh is of what is there");
                for (name, value) in change["attributes"].as_object().expect("attributes") {
                    record["attributes"][name] = value.clone();
                }
            }
            Some("delete") => drop(copy.remove(&url)),
            Some("end") => {}
            other => panic!("{other:?}"),
        }
        change["cursor"].as_str().expect("a cursor").clone_into(&mut cursor);
    }
    cursor
}

#[tokio::test]
async fn changes_are_followed_exactly_across_cuts_and_restarts() {
    let (stage, mut server, _, http) = serving("").await;
    let (mut copy, cursor) = blocking(move || {
        let mut copy = BTreeMap::new();
        // One change at a time, as if each answer were cut off.
        let mut cursor = "0".to_owned();
        loop {
            let page = ask(&http, &format!("/changes?since={cursor}&limit=1"), &[]).lines();
            cursor = act(&mut copy, &page);
            if page.last().expect("an end")["more"] == false {
                return (copy, cursor);
            }
        }
    })
    .await;
    assert_eq!(copy.len(), 4);
    server.kill().await.expect("an end");
    let changed = site().with("/a.html", "<title>New</title>").with_page(Page {
        path: "/b.html".into(),
        status: Some(410),
        ..Page::default()
    });
    stage.web.replace(changed);
    stage.run().await;
    let (_server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    blocking(move || {
        let changes = ask(&http, &format!("/changes?since={cursor}"), &[]).lines();
        let kinds: Vec<_> = changes.iter().filter_map(|change| change["change"].as_str()).collect();
        assert_eq!(
            kinds
                .iter()
                .map(|kind| (*kind, kinds.iter().filter(|other| *other == kind).count()))
                .collect::<BTreeMap<_, _>>(),
            BTreeMap::from([("update", 1), ("refresh", 2), ("delete", 1), ("end", 1)])
        );
        let end = act(&mut copy, &changes);
        let all = ask(&http, "/records", &[]).lines();
        let all: BTreeMap<_, _> =
            all.into_iter().map(|record| (record["url"].as_str().unwrap_or_default().to_owned(), record)).collect();
        assert_eq!(copy, all, "a broker that follows has what is there");
        assert_eq!(ask(&http, &format!("/changes?since={end}"), &[]).lines().len(), 1);
        // A record that no longer fits a filter is told as gone.
        let filtered = ask(&http, &format!("/changes?since={cursor}&kind=Text"), &[]).lines();
        assert!(
            filtered.iter().any(|change| change["change"] == "delete"
                && change["url"].as_str().is_some_and(|url| url.ends_with("/a.html")))
        );
        let whole = ask(&http, "/changes?since=0&kind=Text", &[]).lines();
        assert_eq!(whole.len(), 2, "who begins has nothing to drop: {whole:?}");
        let ahead = end.split('-').next().map(|store| format!("/changes?since={store}-99999")).expect("a cursor");
        let lost = ask(&http, &ahead, &[]);
        assert!(lost.status == 410 && lost.text().contains("begin again with 0"), "{}", lost.text());
    })
    .await;
}

/// A gatherer that runs and serves at once.
async fn alive() -> (Stage, Child, String) {
    let stage = Stage::with(site(), &ROOT.replace("refresh-rate = \"0s\"", "refresh-rate = \"1s\"")).await;
    let (server, _, http) = stage.serve_with(&["serve"]).await;
    (stage, server, http)
}

#[tokio::test]
async fn a_broker_that_waits_hears_at_once() {
    let (_stage, _server, http) = alive().await;
    blocking(move || {
        let mut cursor = "0".to_owned();
        let mut copy = BTreeMap::new();
        while copy.len() < 4 {
            let answer = ask(&http, &format!("/changes?since={cursor}&wait=25"), &[]);
            assert!(answer.is_whole);
            cursor = act(&mut copy, &answer.lines());
        }
    })
    .await;
}

#[tokio::test]
async fn events_tell_what_happens_and_go_on_where_they_were() {
    let (_stage, _server, http) = alive().await;
    blocking(move || {
        let address = http.trim_start_matches("http://").to_owned();
        let listen = |last: &str| {
            let mut socket = TcpStream::connect(&address).expect("a connection");
            socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
            let request =
                format!("GET /changes?since=0 HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n{last}\r\n");
            socket.write_all(request.as_bytes()).expect("a request");
            BufReader::new(socket).lines().map(|line| line.expect("a line"))
        };
        let mut urls = BTreeSet::new();
        let mut last = String::new();
        for line in listen("") {
            if let Some(id) = line.strip_prefix("id: ") {
                id.clone_into(&mut last);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let change: Value = serde_json::from_str(data).expect("JSON");
                assert_eq!(change["cursor"], *last);
                urls.extend(change["url"].as_str().map(str::to_owned));
                if urls.len() == 4 {
                    break;
                }
            }
        }
        // Whoever comes back hears nothing twice.
        let mut lines = listen(&format!("Last-Event-ID: {last}\r\n"));
        let next = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("an event");
        let next: Value = serde_json::from_str(&next).expect("JSON");
        let number = |cursor: &str| cursor.rsplit('-').next().and_then(|n| n.parse::<u64>().ok()).expect("a number");
        assert!(
            number(next["cursor"].as_str().expect("a cursor")) >= number(&last) && next["change"] != "update",
            "{next}"
        );
    })
    .await;
}
