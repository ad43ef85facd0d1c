//! The conversation of the faulty parser, over anything that carries bytes.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};

/// What it says first.
pub(crate) const HELLO: &str = r#"{"nlap":1,"name":"faulty","version":"0.9","fingerprint":"abc","langs":["de","en"],"types":["text/html","text/plain"],"levels":["abstract"],"window":4,"max_bytes":100000}"#;

/// Answers until the other side says bye or it is told to die.
pub(crate) fn converse(input: impl Read, mut output: impl Write, hello: &str) {
    let mut input = BufReader::new(input);
    if output.write_all(format!("{hello}\n").as_bytes()).and_then(|()| output.flush()).is_err() {
        return;
    }
    let mut kept_back: Vec<Vec<u8>> = Vec::new();
    let mut line = String::new();
    while matches!(input.read_line(&mut line), Ok(1..)) {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        line.clear();
        let mut body = vec![0; usize::try_from(request["len"].as_u64().unwrap_or(0)).unwrap_or(0)];
        if input.read_exact(&mut body).is_err() || request.get("bye").is_some() {
            return;
        }
        if let Some(number) = request.get("ping") {
            let _ = output.write_all(format!("{}\n", json!({ "pong": number })).as_bytes());
            continue;
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        let word = text.split_whitespace().next().unwrap_or_default();
        if word == "later" {
            kept_back.push(reply(&request, "ok", &abstract_of(&url(&request), &ontology(&request), &text)));
            continue;
        }
        let Some(answer) = act(word, &text, &request, &mut output) else { return };
        let mut sent = output.write_all(&answer);
        for answer in kept_back.drain(..) {
            sent = sent.and_then(|()| output.write_all(&answer));
        }
        if sent.and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn url(request: &Value) -> String {
    request["url"].as_str().unwrap_or_default().to_owned()
}

fn ontology(request: &Value) -> String {
    request["ontology"].as_str().unwrap_or_default().to_owned()
}

/// What is done with a document; nothing is death.
fn act(word: &str, text: &str, request: &Value, output: &mut impl Write) -> Option<Vec<u8>> {
    let header = |length: u64| json!({"id": request["id"], "status": "ok", "len": length, "fingerprint": "abc"});
    match word {
        "hang" => wait_for_ever(),
        "die" => {
            let _ = std::io::stderr().write_all(b"out of words\n");
            None
        }
        "die-once" => {
            let mark = text.split_whitespace().nth(1).unwrap_or_default();
            let is_first = std::fs::File::create_new(mark).is_ok();
            (!is_first).then(|| answer("ok", text, request))
        }
        "cut" => {
            let _ = output.write_all(format!("{}\n<abstract", header(1_000)).as_bytes()).and_then(|()| output.flush());
            None
        }
        "flood" => {
            let _ = output.write_all(format!("{}\n", header(1 << 30)).as_bytes());
            while output.write_all(&[b'x'; 16_384]).is_ok() {}
            None
        }
        "endless" => {
            while output.write_all(&[b'x'; 16_384]).is_ok() {}
            None
        }
        word => Some(answer(word, text, request)),
    }
}

/// What is said about a document.
fn answer(word: &str, text: &str, request: &Value) -> Vec<u8> {
    let good = abstract_of(&url(request), &ontology(request), text);
    let ok = |body: &str| reply(request, "ok", body);
    match word {
        "noise" => b"Loading model ...\n".to_vec(),
        "empty" => format!("{}\n", json!({"id": request["id"], "status": "empty", "fingerprint": "abc"})).into_bytes(),
        "partial" => reply(request, "partial", &good),
        "broken" => ok(&good[..good.len() / 2]),
        "bomb" => {
            let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
            ok(&format!("{bomb}{good}"))
        }
        "latin" => {
            let mut body = ok("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><abstract> </abstract>");
            let place = body.len() - " </abstract>".len();
            body[place] = 0xff;
            body
        }
        "wrong-id" => [reply(&json!({"id": "q999"}), "ok", "<other/>"), ok(&good)].concat(),
        "other-document" => ok(&abstract_of("http://other.example/", &ontology(request), text)),
        "other-ontology" => ok(&abstract_of(&url(request), &"0".repeat(64), text)),
        "unknown-concept" => ok(&good.replace("Haus", "Schloss")),
        "unknown-status" => reply(request, "perhaps", &good),
        "busy" | "internal" | "deadline" | "bad-document" | "unknown-ontology" | "strange" => {
            let header = json!({"id": request["id"], "status": "error", "code": word, "message": "as you wish", "fingerprint": "abc"});
            format!("{header}\n").into_bytes()
        }
        _ => ok(&good),
    }
}

fn reply(request: &Value, status: &str, body: &str) -> Vec<u8> {
    let header = json!({"id": request["id"], "status": status, "len": body.len(), "fingerprint": "abc",
        "type": "application/xml", "warnings": ["a warning"]});
    format!("{header}\n{body}").into_bytes()
}

/// A house with the telephone number that stands behind `Tel` in the text.
pub(crate) fn abstract_of(url: &str, ontology: &str, text: &str) -> String {
    let fact = text.find("0381").map(|byte| {
        let start = text[..byte].chars().count();
        let quote: String = text[byte..].chars().take(11).collect();
        let place = format!("start=\"{start}\" end=\"{}\" quote=\"{quote}\"", start + quote.chars().count());
        format!("<value name=\"hat_Telefon\" evidence=\"label\" confidence=\"0.9\" {place}>+49381550123</value>")
    });
    format!(
        "<abstract xmlns=\"https://gatherer.invalid/abstract/1\" version=\"1\" lang=\"de\"><meta><url>{url}</url>\
        <parser name=\"liar\" version=\"7\" fingerprint=\"x\"/><ontology iri=\"https://example.org/stay\" version=\"1\" hash=\"{ontology}\"/>\
        </meta><instance id=\"i1\" type=\"Haus\">{}</instance></abstract>",
        fact.unwrap_or_default()
    )
}

/// Does nothing, until it is ended.
pub(crate) fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}
