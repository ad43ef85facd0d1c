//! The XML form, read tag by tag: no tree is made, no entity expanded, and end tags need not match.

use super::{Entry, Findings};
use crate::URL_LIMIT;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, Event};
use quick_xml::name::QName;
use quick_xml::{Error, Reader};
use std::io::{self, BufRead};
use std::ops::ControlFlow::{self, Break, Continue};

/// Most bytes of a value that are kept.
const VALUE_LIMIT: usize = 2 * URL_LIMIT;
/// Start tags until the parser is made anew: it remembers all that are open, and some files close none.
const REMEMBERED: usize = 4_096;

/// Reads a list or an index. After a place that is no XML it goes on behind it.
pub(super) fn read(input: &mut impl BufRead, findings: &mut Findings<'_>) -> io::Result<()> {
    let mut walk = Walk::new(findings);
    let mut buffer = Vec::new();
    let mut reader = lenient(input);
    let mut open = 0;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => {
                open += usize::from(matches!(event, Event::Start(_)));
                if walk.take(&event).is_break() {
                    return Ok(());
                }
            }
            Err(Error::Io(error)) => {
                walk.end();
                return Err(io::Error::new(error.kind(), error));
            }
            Err(error) => {
                walk.findings.bad_markup.add(&error.to_string());
                open = REMEMBERED;
            }
        }
        if open >= REMEMBERED {
            reader = lenient(reader.into_inner());
            open = 0;
        }
    }
    walk.end();
    Ok(())
}

fn lenient<R: BufRead>(input: R) -> Reader<R> {
    let mut reader = Reader::from_reader(input);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

/// The first element.
struct Root {
    name: String,
    prefix: String,
}

/// Where we are in the document.
struct Walk<'w, 'f> {
    findings: &'w mut Findings<'f>,
    root: Option<Root>,
    is_whole: bool,
    entry: Option<Entry>,
    /// The element whose text is being read, and the text.
    value: Option<(String, String)>,
}

impl<'w, 'f> Walk<'w, 'f> {
    fn new(findings: &'w mut Findings<'f>) -> Self {
        Self { findings, root: None, is_whole: false, entry: None, value: None }
    }

    fn take(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Start(element) => self.open(element.name()),
            Event::Empty(element) => {
                self.open(element.name())?;
                self.close(element.name())
            }
            Event::End(element) => self.close(element.name()),
            Event::Text(text) => self.push(text),
            Event::CData(text) => self.push(text),
            Event::GeneralRef(reference) => self.push(&resolved(reference)),
            _ => Continue(()),
        }
    }

    /// The document is over. An entry that it breaks off in counts if its URL was whole.
    fn end(&mut self) {
        if self.entry.as_ref().is_some_and(|entry| !entry.url.is_empty()) && self.finish().is_break() {
            return;
        }
        match &self.root {
            Some(root) if !self.is_whole => self.findings.complain(format!("breaks off before </{}>", root.name)),
            Some(root) if !is_known(&root.name) && self.findings.reading.found.is_empty() => {
                self.findings.complain(format!("no sitemap: begins with <{}>", root.name));
            }
            Some(_) => {}
            None => self.findings.complain("no sitemap: has no element"),
        }
    }

    fn open(&mut self, name: QName<'_>) -> ControlFlow<()> {
        let (prefix, local) = parts(name);
        if self.root.is_none() {
            self.begin(prefix, &local)?;
        }
        if !self.is_own(prefix) {
            return Continue(());
        }
        match local.as_str() {
            "url" | "sitemap" => {
                self.finish()?;
                self.entry = Some(Entry { is_map: local == "sitemap", ..Entry::default() });
            }
            "loc" | "lastmod" | "changefreq" | "priority" => self.value = Some((local, String::new())),
            // Markup within a value: who knows what it should have been.
            _ => self.value = None,
        }
        Continue(())
    }

    fn begin(&mut self, prefix: &str, local: &str) -> ControlFlow<()> {
        let other = match local {
            "rss" | "feed" | "rdf" => Some("this is a feed"),
            "html" => Some("this is a web page"),
            _ => None,
        };
        if let Some(other) = other {
            self.findings.complain(other);
            return Break(());
        }
        self.root = Some(Root { name: local.to_owned(), prefix: prefix.to_owned() });
        Continue(())
    }

    fn close(&mut self, name: QName<'_>) -> ControlFlow<()> {
        let (prefix, local) = parts(name);
        if !self.is_own(prefix) {
            return Continue(());
        }
        self.is_whole |= self.root.as_ref().is_some_and(|root| root.name == local);
        if matches!(local.as_str(), "url" | "sitemap") {
            return self.finish();
        }
        if let Some((_, text)) = self.value.take_if(|(open, _)| *open == local) {
            self.set(&local, text.trim());
        }
        Continue(())
    }

    /// The first value under a name counts.
    fn set(&mut self, name: &str, value: &str) {
        let Some(entry) = &mut self.entry else { return };
        let place = match name {
            "loc" => &mut entry.url,
            "lastmod" => &mut entry.modified,
            "changefreq" => &mut entry.frequency,
            _ => &mut entry.priority,
        };
        if place.is_empty() {
            value.clone_into(place);
        }
    }

    fn push(&mut self, text: &str) -> ControlFlow<()> {
        if let Some((_, value)) = &mut self.value {
            let room = VALUE_LIMIT.saturating_sub(value.len());
            value.push_str(&text[..text.floor_char_boundary(room)]);
        }
        Continue(())
    }

    /// The open entry is over.
    fn finish(&mut self) -> ControlFlow<()> {
        self.value = None;
        let Some(entry) = self.entry.take() else { return Continue(()) };
        let url = if entry.url.is_empty() { None } else { self.findings.url.join(&entry.url).ok() };
        if self.findings.take(&entry, url) { Continue(()) } else { Break(()) }
    }

    /// Whether an element is the sitemap's own: those of images and videos have URLs too, under other prefixes.
    fn is_own(&self, prefix: &str) -> bool {
        self.root.as_ref().is_none_or(|root| root.prefix == prefix)
    }
}

fn is_known(root: &str) -> bool {
    matches!(root, "urlset" | "sitemapindex")
}

/// Prefix and name; some write the names in capitals.
fn parts(name: QName<'_>) -> (&str, String) {
    let (local, prefix) = name.decompose();
    (prefix.map_or("", |prefix| prefix.into_inner()), local.as_ref().to_ascii_lowercase())
}

/// What an entity stands for; of those that XML does not know, the ones of HTML are the most common.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    match resolve_predefined_entity(reference) {
        Some(known) => known.to_owned(),
        None => htmlize::unescape(format!("&{};", &**reference)).into_owned(),
    }
}
