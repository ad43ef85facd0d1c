//! A client of the HTTP port that shares no code with it, a site to serve, and the description that answers are held against.

use super::stage::Stage;
use gatherer_demo::Site;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;
use tokio::process::Child;

pub(super) const ROOT: &str = "[life]\ngone-count = 1\ngone-apart = \"0s\"\n\
    [[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";

pub(super) fn site() -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=a.html>a</a><a href=b.html>b</a><a href=c.txt>c</a>")
        .with("/a.html", "<title>A \u{201e}quoted\u{201c} &amp; more</title>")
        .with("/b.html", "<title>B</title>")
        .with("/c.txt", "Plain words\n")
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: Vec<u8>,
    /// Whether the body came to its end.
    pub(super) is_whole: bool,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let matches = |line: &&str| line.split(':').next().is_some_and(|found| found.eq_ignore_ascii_case(name));
        self.head.lines().find(matches).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(super) fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    fn media_type(&self) -> &str {
        self.header("content-type").and_then(|kind| kind.split(';').next()).unwrap_or_default()
    }
}

/// One request, byte by byte: no library of ours on both sides.
pub(super) fn ask(base: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let address = base.trim_start_matches("http://");
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    socket.write_all(request.as_bytes()).expect("a request");
    read_answer(&mut BufReader::new(socket))
}

/// The same with POST, and a form.
pub(super) fn post(base: &str, path: &str, headers: &[(&str, &str)], form: &str) -> Answer {
    let address = base.trim_start_matches("http://");
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = form.len();
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{kind}\r\nContent-Length: {length}\r\n\
         {headers}\r\n{form}"
    );
    socket.write_all(request.as_bytes()).expect("a request");
    read_answer(&mut BufReader::new(socket))
}

pub(super) fn read_answer(reading: &mut impl BufRead) -> Answer {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        reading.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let mut answer = Answer { status, head, body: Vec::new(), is_whole: true };
    if answer.header("transfer-encoding").is_none() {
        reading.read_to_end(&mut answer.body).expect("a body");
        return answer;
    }
    loop {
        let mut size = String::new();
        let read = reading.read_line(&mut size).unwrap_or(0);
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else {
            answer.is_whole = read > 0 && size.trim() == "0";
            return answer;
        };
        if size == 0 {
            return answer;
        }
        let mut chunk = vec![0; size + 2];
        if reading.read_exact(&mut chunk).is_err() {
            answer.is_whole = false;
            return answer;
        }
        answer.body.extend_from_slice(&chunk[..size]);
    }
}

/// A gatherer that has run and serves what it found.
pub(super) async fn serving(more: &str) -> (Stage, Child, String, String) {
    let stage = Stage::with(site(), &format!("{more}{ROOT}")).await;
    stage.run().await;
    let (server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    (stage, server, brokers, http)
}

pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("an end")
}

/// A URL as it stands in a path.
pub(super) fn encoded(url: &str) -> String {
    url.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

pub(super) fn description() -> Value {
    let text = include_str!("../../schemas/http/openapi.json");
    serde_json::from_str(text).expect("the description is JSON")
}

/// Holds an answer against the description.
pub(super) fn check_answer(openapi: &Value, route: &str, answer: &Answer) {
    check_answer_to(openapi, ("get", route), answer);
}

/// Holds an answer to this method against the description.
pub(super) fn check_answer_to(openapi: &Value, (method, route): (&str, &str), answer: &Answer) {
    let mut responses = &openapi["paths"][route][method]["responses"][answer.status.to_string()];
    if let Some(name) = responses["$ref"].as_str() {
        responses = openapi.pointer(name.trim_start_matches('#')).expect("a reference leads somewhere");
    }
    assert!(responses.is_object(), "{route} answers {}, which is not described", answer.status);
    if answer.status == 304 {
        return assert!(answer.body.is_empty());
    }
    let content = &responses["content"][answer.media_type()];
    assert!(
        content.is_object(),
        "{route} answers {} as {}, which is not described",
        answer.status,
        answer.media_type()
    );
    let mut schema = content["schema"].clone();
    schema["components"] = openapi["components"].clone();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let values = match answer.media_type() {
        kind if !kind.ends_with("json") && kind != "application/jsonl" => vec![Value::from(answer.text())],
        "application/jsonl" => answer.lines(),
        _ => vec![answer.json()],
    };
    for value in values {
        let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{route}: {errors:?} in {value}");
    }
}
