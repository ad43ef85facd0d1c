//! `OpenDocument`: packages and flat files of `LibreOffice` and its kin, and the packages of `OpenOffice.org 1`.

mod content;
mod meta;
#[cfg(test)]
mod tests;

use crate::charset::{self, Hint};
use crate::office::package::Package;
use crate::office::xml::{Token, Xml, attribute};
use content::Content;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use meta::Meta;
use std::collections::HashSet;

pub(crate) const KINDS: &[&str] = &["OpenDocument"];

/// Media types by their last words, and what their files are called.
#[rustfmt::skip]
const FORMATS: &[(&str, &str)] = &[
    ("opendocument.text", "ODT"), ("opendocument.text-template", "OTT"), ("opendocument.text-master", "ODM"),
    ("opendocument.text-web", "OTH"), ("opendocument.spreadsheet", "ODS"),
    ("opendocument.spreadsheet-template", "OTS"), ("opendocument.presentation", "ODP"),
    ("opendocument.presentation-template", "OTP"), ("opendocument.graphics", "ODG"),
    ("opendocument.graphics-template", "OTG"), ("opendocument.chart", "ODC"), ("opendocument.formula", "ODF"),
    ("sun.xml.writer", "SXW"), ("sun.xml.writer.template", "STW"), ("sun.xml.writer.global", "SXG"),
    ("sun.xml.calc", "SXC"), ("sun.xml.calc.template", "STC"), ("sun.xml.impress", "SXI"),
    ("sun.xml.impress.template", "STI"), ("sun.xml.draw", "SXD"), ("sun.xml.draw.template", "STD"),
    ("sun.xml.math", "SXM"),
];

/// Metadata, text, headings, references, sheets with their columns, and slides.
pub(crate) struct OpenDocument;

impl Summarizer for OpenDocument {
    fn name(&self) -> &'static str {
        concat!("opendocument ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = match Package::open(leaf.body) {
            Some(package) => summarize_package(package, leaf)?,
            None => summarize_flat(leaf)?,
        };
        if leaf.cut {
            draft.complain("the document was cut and is read in part");
        }
        Ok(draft)
    }
}

fn summarize_package(mut package: Package<'_>, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    if !package.has("content.xml") && !package.has("meta.xml") {
        return Err(Refusal::Cannot("a ZIP archive without an OpenDocument".to_owned()));
    }
    let mut draft = Draft::new();
    let media_type = package.text("mimetype").unwrap_or_default();
    draft.add("Format", format(&media_type));
    let encrypted = encrypted(&mut package);
    let (mut meta, mut content) = (Meta::default(), Content::new(true));
    if !encrypted.contains("meta.xml") {
        package.visit("meta.xml", |token| {
            meta.take(&token);
            true
        });
    }
    if !encrypted.contains("content.xml") {
        let is_there = package.visit("content.xml", |token| {
            content.take(token);
            !content.is_full()
        });
        if !is_there && !package.is_encrypted() {
            package.complain("text not read: content.xml is missing");
        }
    }
    if !encrypted.is_empty() || package.is_encrypted() {
        draft.add("Encrypted", "yes");
    }
    meta.write(&mut draft);
    package.write_complaints(&mut draft);
    content.write(leaf, &mut draft);
    Ok(draft)
}

/// One XML file with all in it.
fn summarize_flat(leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    let decoded = charset::decode(leaf.body, None, Hint::html(leaf.url));
    let mut xml = Xml::new(&decoded.text);
    let (mut meta, mut content) = (Meta::default(), Content::new(false));
    let mut media_type = None;
    for token in xml.by_ref() {
        if let Token::Start(tag) = &token
            && media_type.is_none()
        {
            if !tag.local_name().as_ref().starts_with("document") {
                break;
            }
            media_type = Some(attribute(tag, "mimetype").unwrap_or_default());
        }
        meta.take(&token);
        content.take(token);
        if content.is_full() {
            break;
        }
    }
    let media_type =
        media_type.ok_or_else(|| Refusal::Cannot("neither a package nor a flat OpenDocument".to_owned()))?;
    let mut draft = Draft::new();
    draft.add("Format", format(&media_type));
    meta.write(&mut draft);
    if let Some(complaint) = xml.complaint() {
        draft.complain(format!("the document: {complaint}"));
    }
    content.write(leaf, &mut draft);
    Ok(draft)
}

fn format(media_type: &str) -> &'static str {
    let words = media_type.trim().rsplit('/').next().unwrap_or_default();
    let words = words.strip_prefix("vnd.oasis.").or_else(|| words.strip_prefix("vnd.")).unwrap_or(words);
    let words = words.trim_end_matches("-flat-xml");
    FORMATS.iter().find(|(known, _)| *known == words).map_or("", |(_, format)| format)
}

/// The parts that the manifest calls encrypted.
fn encrypted(package: &mut Package<'_>) -> HashSet<String> {
    let (mut encrypted, mut part) = (HashSet::new(), String::new());
    package.visit("META-INF/manifest.xml", |token| {
        if let Token::Start(tag) = token {
            match tag.local_name().as_ref() {
                "file-entry" => part = attribute(&tag, "full-path").unwrap_or_default(),
                "encryption-data" => {
                    encrypted.insert(std::mem::take(&mut part));
                }
                _ => {}
            }
        }
        true
    });
    encrypted
}
