//! XML of any kind, SVG and RDF; SGML as far as it looks like XML.

mod coordinates;
mod definition;
mod document;
mod entities;
mod roles;
#[cfg(test)]
mod tests;
mod triples;

use crate::charset::{self, Hint};
use crate::html;
use document::Document;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use quick_xml::Reader;
use quick_xml::events::Event;

pub(crate) const KINDS: &[&str] = &["XML", "SVG", "RDF", "SGML"];

/// Elements, what they say of the document, its text, and where it leads.
pub(crate) struct Xml;

impl Summarizer for Xml {
    fn name(&self) -> &'static str {
        concat!("xml ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        // Like pages, XML declares its charset in its first bytes.
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::html(leaf.url));
        let mut draft = Draft::new();
        decoded.tell(&mut draft);
        let text = decoded.text.as_ref();
        if leaf.kind.name() == "RDF" && !text.trim_start().starts_with("<?") && !looks_like_xml(text) {
            triples::write(text, leaf.cut, &mut draft);
            return Ok(draft);
        }
        let (mut document, error) = read(text, leaf.kind.name());
        if document.is_empty() {
            if definition::write(text, &mut draft) {
                return Ok(draft);
            }
            let reason = error.map_or_else(String::new, |error| format!(": {}", error.message));
            return Err(Refusal::Cannot(format!("there is no element in it{reason}")));
        }
        if let Some(error) = error {
            draft.complain(if leaf.cut { "the document breaks off".to_owned() } else { error.message });
            if leaf.kind.name() == "SGML" {
                let rest = &text[text.floor_char_boundary(error.place)..];
                document.push_line(&html::words(rest, Draft::VALUE_LIMIT));
            }
        }
        document.write(leaf.url, &mut draft);
        Ok(draft)
    }
}

/// Whether the first thing that counts is a tag and not an IRI in angle brackets.
fn looks_like_xml(text: &str) -> bool {
    let start = text.trim_start();
    let name = start
        .strip_prefix('<')
        .map_or("", |rest| &rest[..rest.find(['>', ' ', '\n', '\r', '\t']).unwrap_or(rest.len())]);
    name.starts_with("!DOCTYPE") || name.starts_with("!--") || !name.is_empty() && !name.contains(['/', '#'])
}

/// Where reading ended before its time, and why.
struct Broken {
    place: usize,
    message: String,
}

fn read(text: &str, kind: &str) -> (Document, Option<Broken>) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut document = Document::new(kind);
    let broken = loop {
        match reader.read_event() {
            Ok(Event::Eof) if document.is_open() && kind != "SGML" => break Some("the document breaks off".to_owned()),
            Ok(Event::Eof) => break None,
            Ok(event) => document.take(event),
            Err(error) => {
                let place = usize::try_from(reader.error_position()).unwrap_or(usize::MAX).min(text.len());
                let line = text[..text.floor_char_boundary(place)].matches('\n').count() + 1;
                break Some(format!("cannot be read from line {line} on: {error}"));
            }
        }
    };
    let place = usize::try_from(reader.error_position()).unwrap_or(usize::MAX).min(text.len());
    (document, broken.map(|message| Broken { place, message }))
}
