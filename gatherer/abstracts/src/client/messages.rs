//! What travels, as in `schemas/abstract/protocol.md`, sections 1 to 4.

use super::trouble::Loss;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, BufRead, Read};

/// The version of the protocol.
pub(super) const VERSION: u64 = 1;
/// Longest header.
const HEADER_LIMIT: u64 = 65_536;
/// Most warnings that are kept, and characters of each.
const WARNINGS: (usize, usize) = (20, 500);

/// What a parser says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub nlap: u64,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Changes with everything that may change its answers.
    pub fingerprint: String,
    /// Languages that it knows; `*` is all.
    #[serde(default)]
    pub langs: Vec<String>,
    /// Media types that it reads.
    #[serde(default)]
    pub types: Vec<String>,
    /// `abstract`, `annotate` or both.
    #[serde(default)]
    pub levels: Vec<String>,
    /// Ontologies that it can answer in.
    #[serde(default)]
    pub ontologies: Vec<OfferedOntology>,
    /// How many questions it takes at once.
    #[serde(default = "one")]
    pub window: usize,
    /// Longest document that it takes.
    #[serde(default = "four_mebibytes")]
    pub max_bytes: usize,
    /// Whether the same question gives the same answer.
    #[serde(default)]
    pub deterministic: bool,
}

fn one() -> usize {
    1
}

fn four_mebibytes() -> usize {
    4_194_304
}

/// An ontology that a parser can answer in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OfferedOntology {
    /// Its SHA-256.
    pub hash: String,
}

impl Hello {
    /// Reads a greeting.
    pub(super) fn read(header: Map<String, Value>) -> Result<Self, String> {
        match header.get("nlap").map(Value::as_u64) {
            None => return Err("it does not begin with hello".to_owned()),
            Some(Some(VERSION)) => {}
            Some(other) => {
                let other = other.map_or_else(|| "another version".to_owned(), |other| format!("version {other}"));
                return Err(format!("it speaks {other} of nlap; this gatherer speaks {VERSION}"));
            }
        }
        let mut hello: Self =
            serde_json::from_value(Value::Object(header)).map_err(|error| format!("its hello is wrong: {error}"))?;
        let is_mark = |text: &str| (1..=200).contains(&text.chars().count());
        if !is_mark(&hello.name) || !is_mark(&hello.version) || !is_mark(&hello.fingerprint) {
            return Err("its hello has a name, version or fingerprint of no or more than 200 characters".to_owned());
        }
        hello.window = hello.window.clamp(1, 1_024);
        Ok(hello)
    }

    /// Why it cannot be asked for abstracts in the words of this ontology, if so.
    pub(super) fn is_wrong_for(&self, ontology: &str) -> Option<String> {
        if !self.levels.iter().any(|level| level == "abstract") {
            return Some(format!("{} {} makes no abstracts", self.name, self.version));
        }
        let offers = self.ontologies.iter().any(|one| one.hash == ontology);
        (!offers && !self.ontologies.is_empty()).then(|| format!("{} {} has another ontology", self.name, self.version))
    }
}

/// One document and what is asked about it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Question<'a> {
    pub(super) url: &'a str,
    #[serde(rename = "type")]
    pub(super) media_type: &'a str,
    pub(super) charset: &'a str,
    pub(super) lang: &'a str,
    pub(super) want: &'a str,
    /// Empty where none is asked about.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) ontology: &'a str,
    pub(super) deadline_ms: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) cut: bool,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) meta: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) options: Map<String, Value>,
    #[serde(skip)]
    pub(super) body: &'a [u8],
    /// Most bytes of the answer.
    #[serde(skip)]
    pub(super) output_limit: usize,
}

impl Question<'_> {
    /// As a frame.
    pub(super) fn frame(&self, id: &str) -> Vec<u8> {
        let mut header = Map::from_iter([("id".to_owned(), id.into())]);
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            header.extend(members);
        }
        header.insert("len".to_owned(), self.body.len().into());
        frame(&Value::Object(header), self.body)
    }
}

/// A header in its line, and a body.
pub(super) fn frame(header: &Value, body: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    bytes
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: Status,
    pub(super) media_type: String,
    pub(super) fingerprint: Option<String>,
    pub(super) warnings: Vec<String>,
    pub(super) body: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Ok,
    Partial,
    Empty,
}

impl Reply {
    /// What a reply says; an error is a loss.
    pub(super) fn read(header: &Map<String, Value>, body: Vec<u8>) -> Result<Self, Loss> {
        let text = |name: &str| header.get(name).and_then(Value::as_str);
        let status = match text("status") {
            Some("ok") => Status::Ok,
            Some("partial") => Status::Partial,
            Some("empty") => Status::Empty,
            Some("error") => {
                let message: String = text("message").unwrap_or_default().chars().take(WARNINGS.1).collect();
                return Err(Loss::Error(text("code").unwrap_or("internal").to_owned(), message));
            }
            other => return Err(Loss::Nonsense(format!("it answers with the status {other:?}"))),
        };
        let warnings = header.get("warnings").and_then(Value::as_array).into_iter().flatten();
        let warnings = warnings.filter_map(Value::as_str).take(WARNINGS.0);
        Ok(Self {
            status,
            media_type: text("type").unwrap_or("application/xml").to_owned(),
            fingerprint: text("fingerprint").map(str::to_owned),
            warnings: warnings.map(|warning| warning.chars().take(WARNINGS.1).collect()).collect(),
            body,
        })
    }
}

/// A header, and the length of the body behind it.
pub(super) type Header = (Map<String, Value>, u64);

/// The next header; nothing at the end.
pub(super) fn read_header(source: &mut impl BufRead) -> Result<Option<Header>, Loss> {
    let lost = |error: io::Error| Loss::Died(format!("it was lost: {error}"));
    let mut line = Vec::new();
    source.by_ref().take(HEADER_LIMIT + 1).read_until(b'\n', &mut line).map_err(lost)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        let is_long = line.len() as u64 > HEADER_LIMIT;
        let what = if is_long {
            "it says what is no message: a header without end"
        } else {
            "it ended in the middle of a header"
        };
        return Err(if is_long { Loss::Nonsense(what.to_owned()) } else { Loss::Died(what.to_owned()) });
    }
    let header: Map<String, Value> = serde_json::from_slice(&line).map_err(|error| {
        let begin: String = String::from_utf8_lossy(&line).trim_end().chars().take(60).collect();
        Loss::Nonsense(format!("it says what is no message: {begin:?} ({error})"))
    })?;
    let length = match header.get("len") {
        None => 0,
        Some(length) => length.as_u64().ok_or_else(|| Loss::Nonsense(format!("it announces {length} bytes")))?,
    };
    Ok(Some((header, length)))
}

/// So many bytes, if they are not too many. Memory grows with what comes, not with what is announced.
pub(super) fn read_body(source: &mut impl Read, length: u64, limit: usize) -> Result<Vec<u8>, Loss> {
    if length > limit as u64 {
        return Err(Loss::Flood(limit));
    }
    let mut body = Vec::new();
    match source.take(length).read_to_end(&mut body) {
        Ok(_) if body.len() as u64 == length => Ok(body),
        Ok(got) => Err(Loss::Died(format!("it ended after {got} of {length} bytes of an answer"))),
        Err(error) => Err(Loss::Died(format!("it was lost: {error}"))),
    }
}
