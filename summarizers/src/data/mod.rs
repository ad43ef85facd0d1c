//! Data for programs: JSON, YAML, TOML and other configuration.
//!
//! Each form has a reader of its own that tells what it meets, from the beginning to the end, to one
//! [`Shape`](shape::Shape): no tree is built, aliases are never expanded, and a broken end costs only the end.

mod json;
mod known;
mod lines;
mod shape;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use crate::charset::{self, Hint};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use shape::Shape;
use url::Url;

pub(crate) const KINDS: &[&str] = &["JSON", "YAML", "TOML", "Configuration"];

/// Keys, records, and what well-known files say of themselves.
pub(crate) struct Data;

impl Summarizer for Data {
    fn name(&self) -> &'static str {
        concat!("data ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::text(leaf.url));
        let mut draft = Draft::new();
        decoded.tell(&mut draft);
        let file = file_name(leaf.url);
        let mut shape = Shape::default();
        let complaint = match form(leaf.kind.name(), &file) {
            Form::Json => json::read(&decoded.text, &mut shape),
            Form::Yaml => yaml::read(&decoded.text, &mut shape),
            Form::Toml => toml::read(&decoded.text, &mut shape),
            Form::Lines => lines::read(&decoded.text, &mut shape),
        };
        if shape.is_empty()
            && let Some(complaint) = complaint
        {
            return Err(Refusal::Cannot(format!("nothing of {} can be read: {complaint}", leaf.kind.name())));
        }
        match complaint {
            Some(_) if leaf.cut => draft.complain("the data break off"),
            Some(complaint) => draft.complain(complaint),
            None => {}
        }
        known::write(&shape, &file, leaf.url, &mut draft);
        shape.write(&mut draft);
        Ok(draft)
    }
}

enum Form {
    Json,
    Yaml,
    Toml,
    Lines,
}

/// Configuration comes in all forms; its name tells.
fn form(kind: &str, file: &str) -> Form {
    let ending = file.rsplit('.').next().unwrap_or_default();
    match (kind, ending) {
        ("JSON", _) => Form::Json,
        ("YAML", _) => Form::Yaml,
        ("TOML", _) | (_, "toml") => Form::Toml,
        _ => Form::Lines,
    }
}

/// The last part of the URL's path, in small letters.
fn file_name(url: &Url) -> String {
    url.path().rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}
