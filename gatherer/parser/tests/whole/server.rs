//! The conversation over sockets on loopback, byte by byte.

use super::ENGINE;
use gatherer_parser::serve::{pool, serve_http, serve_tcp};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

const PAGE: &str =
    "<title>Pension Möwe</title><h1>Pension Möwe</h1><p>Unsere 6 Doppelzimmer haben Dusche und Balkon.</p>";

fn frames() -> (BufReader<TcpStream>, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || serve_tcp(&pool(&ENGINE, 2), &listener));
    let stream = TcpStream::connect(address).expect("a connection");
    (BufReader::new(stream.try_clone().expect("a second handle")), stream)
}

fn header(reader: &mut impl BufRead) -> Value {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn body(reader: &mut impl Read, header: &Value) -> String {
    let length = header["len"].as_u64().unwrap_or(0);
    let mut bytes = vec![0; usize::try_from(length).expect("short")];
    reader.read_exact(&mut bytes).expect("the body");
    String::from_utf8(bytes).expect("UTF-8")
}

fn ask(id: &str, changes: Value) -> Vec<u8> {
    let mut request = json!({
        "id": id, "url": "http://a.example/", "type": "text/html", "charset": "utf-8", "want": "abstract",
        "ontology": ENGINE.domain().ontology.hash(), "deadline_ms": 60_000, "len": PAGE.len(),
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        request[name] = value.clone();
    }
    [request.to_string().as_bytes(), b"\n", PAGE.as_bytes()].concat()
}

#[test]
fn frames_are_answered_in_a_conversation() {
    let (mut reader, mut writer) = frames();
    let hello = header(&mut reader);
    assert_eq!(
        (&hello["nlap"], &hello["levels"], &hello["deterministic"]),
        (&json!(1), &json!(["abstract"]), &json!(true))
    );
    writer.write_all(&ask("7f3", json!({}))).expect("sent");
    let reply = header(&mut reader);
    assert_eq!((&reply["id"], &reply["status"]), (&json!("7f3"), &json!("ok")));
    let xml = body(&mut reader, &reply);
    assert!(xml.contains("hat_Wohneinheit") && xml.contains("Pension Möwe"), "{xml}");
    writer.write_all(b"{\"ping\":4}\n{\"later\":1,\"len\":3}\nabc{\"bye\":1}\n").expect("sent");
    assert_eq!(header(&mut reader), json!({"pong": 4}));
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("the end");
    assert_eq!(rest, "");
}

#[test]
fn what_cannot_be_answered_has_its_code() {
    let (mut reader, mut writer) = frames();
    header(&mut reader);
    let mut check = |changes: Value, code: &str| {
        writer.write_all(&ask("x", changes)).expect("sent");
        let reply = header(&mut reader);
        assert_eq!((&reply["status"], &reply["code"]), (&json!("error"), &json!(code)));
    };
    check(json!({"type": "application/pdf"}), "unsupported-type");
    check(json!({"want": "annotate"}), "unsupported-want");
    check(json!({"ontology": "0000"}), "unknown-ontology");
    check(json!({"ontology": null}), "bad-request");
    check(json!({"deadline_ms": 0}), "deadline");
    check(json!({"deadline_ms": null}), "bad-request");
}

#[test]
fn many_requests_are_all_answered_once() {
    let (mut reader, mut writer) = frames();
    let window = header(&mut reader)["window"].as_u64().expect("a number");
    let count = window * 3;
    let sender = thread::spawn(move || {
        for id in 0..count {
            writer.write_all(&ask(&id.to_string(), json!({}))).expect("sent");
        }
        writer
    });
    let mut ids: Vec<u64> = (0..count)
        .map(|_| {
            let reply = header(&mut reader);
            body(&mut reader, &reply);
            // Nobody may send more than the window; whoever does is told so.
            assert!(reply["status"] == "ok" || reply["code"] == "busy", "{reply}");
            reply["id"].as_str().and_then(|id| id.parse().ok()).expect("an id")
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
    drop(sender.join());
}

fn http(request: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || serve_http(&pool(&ENGINE, 1), &listener));
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn http_says_the_same() {
    let hash = ENGINE.domain().ontology.hash();
    let post = |fields: &str, page: &str| {
        format!(
            "POST /v1/abstract HTTP/1.1\r\nContent-Type: text/html; charset=utf-8\r\n{fields}Content-Length: {}\r\n\r\n{page}",
            page.len()
        )
    };
    let check = |request: &str, expected: &[&str]| {
        let answer = http(request);
        expected.iter().for_each(|part| assert!(answer.contains(part), "{part} is not in {answer}"));
    };
    let fields = format!("NLAP-Url: http://a.example/\r\nNLAP-Id: 5\r\nNLAP-Ontology: {hash}\r\n");
    check("GET /v1/health HTTP/1.1\r\n\r\n", &["200 OK", r#"{"ok":true}"#]);
    check("GET /v1/hello HTTP/1.1\r\n\r\n", &["200 OK", r#""nlap":1"#]);
    check(&post(&fields, PAGE), &["200 OK", "NLAP-Fingerprint: ", "NLAP-Id: 5", "Pension Möwe"]);
    check(&post(&fields, "<p>nichts</p>"), &["204 No Content"]);
    check(&post("", PAGE), &["400 Bad Request", "bad-request"]);
    check(&post("NLAP-Url: u\r\nNLAP-Ontology: 1\r\n", PAGE), &["409 Conflict"]);
    check("GET /else HTTP/1.1\r\n\r\n", &["404"]);
}
