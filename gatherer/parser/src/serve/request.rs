//! One request: what is asked, and what is answered.

use crate::engine::{Document, Engine, MAX_BYTES, NAME, Refused, VERSION};
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub(super) id: String,
    pub(super) url: String,
    pub(super) kind: String,
    pub(super) charset: Option<String>,
    pub(super) language: Option<String>,
    pub(super) want: String,
    pub(super) ontology: Option<String>,
    pub(super) deadline: Option<Duration>,
    pub(super) is_cut: bool,
    pub(super) bytes: Vec<u8>,
}

/// What is answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Reply {
    pub(super) status: &'static str,
    pub(super) code: Option<&'static str>,
    pub(super) message: String,
    pub(super) body: String,
    pub(super) milliseconds: u64,
}

impl Reply {
    pub(super) fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { status: "error", code: Some(code), message: message.into(), ..Self::default() }
    }

    /// As the header of a frame.
    pub(super) fn header(&self, id: &str, fingerprint: &str) -> Map<String, Value> {
        let mut header = Map::new();
        header.insert("id".to_owned(), id.into());
        header.insert("status".to_owned(), self.status.into());
        if let Some(code) = self.code {
            header.insert("code".to_owned(), code.into());
            header.insert("message".to_owned(), self.message.chars().take(500).collect::<String>().into());
        }
        if !self.body.is_empty() {
            header.insert("type".to_owned(), "application/xml".into());
        }
        header.insert("ms".to_owned(), self.milliseconds.into());
        header.insert("fingerprint".to_owned(), fingerprint.into());
        header
    }
}

/// The greeting.
pub(super) fn hello(engine: &Engine, window: usize) -> Map<String, Value> {
    let ontology = &engine.domain().ontology;
    let hello = json!({
        "nlap": 1,
        "name": NAME,
        "version": VERSION,
        "fingerprint": engine.fingerprint(),
        "langs": ["de", "en"],
        "types": ["text/html", "application/xhtml+xml", "text/plain"],
        "levels": ["abstract"],
        "ontologies": [{"iri": ontology.iri(), "version": ontology.version(), "hash": ontology.hash()}],
        "window": window,
        "max_bytes": MAX_BYTES,
        "deterministic": true,
    });
    match hello {
        Value::Object(hello) => hello,
        _ => Map::new(),
    }
}

/// Answers a request that came in at this moment.
pub(super) fn answer(engine: &Engine, request: &Request, since: Instant) -> Reply {
    if request.want != "abstract" {
        return Reply::error("unsupported-want", format!("{} is not given: only abstract", request.want));
    }
    let hash = engine.domain().ontology.hash();
    match &request.ontology {
        Some(asked) if asked != hash => {
            return Reply::error("unknown-ontology", format!("{asked} is not known: only {hash}"));
        }
        Some(_) => {}
        None => return Reply::error("bad-request", "the hash of the ontology is missing"),
    }
    if request.deadline.is_some_and(|deadline| since.elapsed() >= deadline) {
        return Reply::error("deadline", "it waited too long");
    }
    let document = Document {
        url: &request.url,
        kind: &request.kind,
        charset: request.charset.as_deref().or(Some("utf-8")),
        language: request.language.as_deref(),
        bytes: &request.bytes,
    };
    let start = Instant::now();
    // A fault of ours costs one document, not the server.
    let result = catch_unwind(AssertUnwindSafe(|| engine.parse(&document)));
    let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut reply = match result {
        Err(_) => Reply::error("internal", "the parser failed on this document"),
        Ok(Err(refused)) => refusal(&refused),
        Ok(Ok(answer)) if answer.result.instances.is_empty() => Reply { status: "empty", ..Reply::default() },
        Ok(Ok(answer)) => {
            let status = if answer.is_partial || request.is_cut { "partial" } else { "ok" };
            Reply { status, body: answer.result.to_xml(), ..Reply::default() }
        }
    };
    reply.milliseconds = milliseconds;
    reply
}

fn refusal(refused: &Refused) -> Reply {
    let code = match refused {
        Refused::Type(_) => "unsupported-type",
        Refused::Language => "unsupported-language",
        Refused::TooLong(_) => "too-long",
        Refused::NoText => "bad-document",
        Refused::Grammar(_) => "internal",
    };
    Reply::error(code, refused.to_string())
}
