//! What is collected of an XML document while it is read.

use super::coordinates::Bounds;
use super::entities::Entities;
use super::roles::{self, Role};
use crate::fold::{Folded, Gap};
use crate::links::Links;
use gatherer_pipeline::Draft;
use jiff::fmt::rfc2822;
use quick_xml::events::{BytesStart, Event};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Most elements within each other that are told apart.
const DEPTH: usize = 256;
/// Most names of elements that are counted, and that are told.
const NAMES: usize = 10_000;
const TOLD: usize = 50;
/// Most namespaces.
const NAMESPACES: usize = 100;
/// Most texts that are taken apart at one time, and most headings.
const CAPTURES: usize = 8;
const HEADINGS: usize = 5_000;
/// Longest value of an attribute that is drawn from one element.
const VALUE: usize = 10_000;
/// A longer word is no text but data in disguise.
const WORD: usize = 200;

/// Elements whose content is no text.
const SILENT: &[&str] = &["style", "script", "coordinates", "binary", "binarydata", "bindata"];
/// Attributes that lead elsewhere.
const LINKS: &[&str] = &["href", "src", "url", "xmlurl", "htmlurl"];

/// An element that is open.
struct Open {
    /// As written, and in small letters without its prefix.
    written: String,
    name: String,
    /// Text stood directly in it, so that what is within are parts of its sentences.
    has_text: bool,
}

/// The text of one element, taken apart.
struct Capture {
    depth: usize,
    role: Role,
    text: Folded,
}

pub(super) struct Document {
    open: Vec<Open>,
    beyond: usize,
    entities: Entities,
    captures: Vec<Capture>,
    root: Option<String>,
    format: &'static str,
    namespaces: Vec<String>,
    counts: HashMap<String, usize>,
    subjects: usize,
    doctype: String,
    attributes: Vec<(&'static str, String)>,
    headings: Vec<String>,
    bounds: Bounds,
    has_base: bool,
    links: Links,
    text: Folded,
}

impl Document {
    pub(super) fn new(kind: &str) -> Self {
        Self {
            open: Vec::new(),
            beyond: 0,
            entities: Entities::default(),
            captures: Vec::new(),
            root: None,
            format: if kind == "SVG" { "SVG" } else { "" },
            namespaces: Vec::new(),
            counts: HashMap::new(),
            subjects: 0,
            doctype: String::new(),
            attributes: Vec::new(),
            headings: Vec::new(),
            bounds: Bounds::default(),
            has_base: false,
            links: Links::default(),
            text: Folded::new(Draft::VALUE_LIMIT),
        }
    }

    /// Whether no element was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether an element is open.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(element) => self.start(&element),
            Event::Empty(element) => {
                self.start(&element);
                self.end(element.name().as_ref());
            }
            Event::End(element) => self.end(element.name().as_ref()),
            Event::Text(text) => self.push(&text),
            Event::CData(text) => self.push(&text),
            Event::GeneralRef(reference) => {
                let text = self.entities.resolve(&reference);
                self.push(&text);
            }
            Event::DocType(doctype) => {
                self.doctype = Folded::line(doctype.split('[').next().unwrap_or_default(), 500);
                self.entities.define(&doctype);
            }
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        if self.open.len() >= DEPTH {
            self.beyond += 1;
            return;
        }
        let written = element.name().as_ref().to_owned();
        let name = element.local_name().as_ref().to_lowercase();
        let mut names: Vec<(String, String)> = Vec::new();
        for attribute in element.html_attributes().with_checks(false).flatten().take(200) {
            names.push((attribute.key.as_ref().to_lowercase(), self.entities.unescaped(&attribute.value)));
        }
        self.attributes_of(&written, &name, &names);
        self.count(&written);
        self.gap();
        let around = self.open.iter().map(|open| open.name.as_str());
        let role = roles::role(&name, around, self.format).filter(|_| self.captures.len() < CAPTURES);
        self.open.push(Open { written, name, has_text: false });
        if let Some(role) = role {
            self.captures.push(Capture { depth: self.open.len(), role, text: Folded::new(VALUE) });
        }
    }

    /// Within sentences elements part nothing, elsewhere they part lines.
    fn gap(&mut self) {
        let is_inline = self.open.last().is_some_and(|open| open.has_text);
        if !is_inline {
            self.text.gap(Gap::Line);
            self.captures.iter_mut().for_each(|capture| capture.text.gap(Gap::Space));
        }
    }

    fn count(&mut self, written: &str) {
        if let Some(count) = self.counts.get_mut(written) {
            *count += 1;
        } else if self.counts.len() < NAMES {
            self.counts.insert(written.to_owned(), 1);
        }
    }

    /// What the attributes of an element tell.
    fn attributes_of(&mut self, written: &str, name: &str, attributes: &[(String, String)]) {
        let get = |wanted: &str| value(attributes, wanted);
        for (_, namespace) in attributes.iter().filter(|(name, _)| name == "xmlns" || name.starts_with("xmlns:")) {
            if self.namespaces.len() < NAMESPACES && !self.namespaces.contains(namespace) {
                self.namespaces.push(namespace.clone());
            }
        }
        if self.root.is_none() {
            self.root = Some(written.to_owned());
            self.begin(written, name, attributes);
        }
        self.subjects += usize::from(attributes.iter().any(|(name, _)| name == "rdf:about" || name == "rdf:id"));
        if matches!(name, "wpt" | "trkpt" | "rtept") {
            self.bounds.add(get("lon"), get("lat"));
        }
        let label =
            [get("text"), get("title"), get("xlink:title")].into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        if name == "outline" {
            self.text.gap(Gap::Line);
            self.text.push(label);
            self.heading(label);
        }
        for (attribute, href) in attributes {
            let local = attribute.rsplit(':').next().unwrap_or_default();
            if LINKS.contains(&local) && !attribute.starts_with("xmlns") && self.leads(href) {
                if self.format == "SVG" && name == "image" {
                    self.links.image(href, "");
                } else {
                    self.links.refer(href, label);
                }
            }
        }
    }

    /// What the root element tells.
    fn begin(&mut self, written: &str, name: &str, attributes: &[(String, String)]) {
        let get = |wanted: &str| value(attributes, wanted);
        let prefix =
            written.split_once(':').map_or_else(|| "xmlns".to_owned(), |(prefix, _)| format!("xmlns:{prefix}"));
        self.format = match roles::format(name, get(&prefix.to_lowercase())) {
            "" if self.doctype.to_lowercase().contains("docbook") => "DocBook",
            "" => self.format,
            known => known,
        };
        let language = if get("xml:lang").is_empty() { get("lang") } else { get("xml:lang") };
        self.attributes.push(("Language", language.to_owned()));
        let told: &[(&str, &str)] = match self.format {
            "SVG" => &[("Width", "width"), ("Height", "height"), ("View-Box", "viewbox")],
            "GPX" => &[("Generator", "creator")],
            _ => &[],
        };
        self.attributes.extend(told.iter().map(|(attribute, name)| (*attribute, get(name).to_owned())));
        let base = get("xml:base");
        self.has_base = !base.is_empty();
        if self.has_base {
            self.links.base(base.to_owned());
        }
    }

    /// Whether it is a place: absolute, or with a base to start from.
    fn leads(&self, href: &str) -> bool {
        let is_absolute = ["http://", "https://", "ftp://", "ftps://"]
            .iter()
            .any(|scheme| href.trim().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
        is_absolute || self.has_base && !href.contains(':') && !href.starts_with('#') && !href.trim().is_empty()
    }

    /// An end tag closes the last element of its name and all within; one that closes nothing is passed over.
    fn end(&mut self, written: &str) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(place) = self.open.iter().rposition(|open| open.written == written) else { return };
        while self.open.len() > place {
            while self.captures.last().is_some_and(|capture| capture.depth == self.open.len())
                && let Some(capture) = self.captures.pop()
            {
                self.finish(capture.role, capture.text.into_text());
            }
            self.open.pop();
        }
        self.gap();
    }

    fn finish(&mut self, role: Role, text: String) {
        if text.is_empty() {
            return;
        }
        match role {
            Role::Title if !self.has("Title") => self.attributes.push(("Title", text)),
            Role::Title | Role::Heading => self.heading(&text),
            Role::Link if self.leads(&text) => drop(self.links.refer(&text, "")),
            Role::Attribute(name @ ("Created" | "Modified")) => {
                let date = date(&text);
                if !date.is_empty() && !self.has(name) {
                    self.attributes.push((name, date));
                }
            }
            Role::Attribute(name) if self.attributes.len() < HEADINGS => self.attributes.push((name, text)),
            Role::Link | Role::Attribute(_) => {}
        }
    }

    fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|(name, value)| *name == attribute && !value.is_empty())
    }

    fn heading(&mut self, text: &str) {
        if !text.is_empty() && self.headings.len() < HEADINGS {
            self.headings.push(Folded::line(text, 1_000));
        }
    }

    fn push(&mut self, text: &str) {
        let Some(open) = self.open.last_mut().filter(|_| self.beyond == 0) else { return };
        if open.name == "coordinates" {
            self.bounds.add_list(text);
        }
        let start = &text[..text.floor_char_boundary(WORD)];
        let is_data = text.len() > WORD && !start.trim_start().contains(char::is_whitespace);
        if SILENT.contains(&open.name.as_str()) || is_data {
            return;
        }
        open.has_text |= !text.trim().is_empty();
        let is_address = matches!(open.name.as_str(), "email" | "affiliation" | "address" | "orgname");
        self.text.push(text);
        for capture in &mut self.captures {
            if !(is_address && capture.role == Role::Attribute("Author")) {
                capture.text.push(text);
            }
        }
    }

    /// Adds a line to the text.
    pub(super) fn push_line(&mut self, line: &str) {
        self.text.gap(Gap::Line);
        self.text.push(line);
    }

    /// Writes everything.
    pub(super) fn write(mut self, url: &Url, draft: &mut Draft) {
        while let Some(capture) = self.captures.pop() {
            self.finish(capture.role, capture.text.into_text());
        }
        draft.add("Format", self.format);
        draft.add("Root-Element", self.root.as_deref().unwrap_or_default());
        draft.add("Doctype", &self.doctype);
        draft.add("Namespaces", &self.namespaces.join("\n"));
        // A lone title somewhere within is the title of the whole.
        if !self.has("Title") && self.headings.len() == 1 {
            draft.add("Title", &self.headings[0]);
        }
        let mut known = HashSet::new();
        for (name, value) in self.attributes.iter().filter(|(_, value)| !value.is_empty()) {
            let is_single = !matches!(*name, "Author" | "Keywords" | "Publisher");
            if known.insert((*name, value.as_str())) && !(is_single && draft.get(name).is_some()) {
                draft.add(name, value);
            }
        }
        draft.add("Headings", &self.headings.join("\n"));
        self.write_counts(draft);
        draft.add("Bounding-Box", &self.bounds.text());
        if self.text.is_full() {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        draft.set_text(&self.text.into_text());
        self.links.write(url, draft);
    }

    fn write_counts(&self, draft: &mut Draft) {
        let mut counts: Vec<_> = self.counts.iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
        let lines: Vec<_> = counts.iter().take(TOLD).map(|(name, count)| format!("{name} {count}")).collect();
        draft.add("Elements", &lines.join("\n"));
        let sum = |wanted: &[&str]| {
            let local = |name: &str| name.rsplit(':').next().unwrap_or_default().to_lowercase();
            let all = self.counts.iter().filter(|(name, _)| wanted.contains(&local(name).as_str()));
            all.map(|(_, count)| count).sum::<usize>()
        };
        let told: &[(&str, usize)] = match self.format {
            "KML" => &[("Placemarks", sum(&["placemark"]))],
            "GPX" => &[("Points", sum(&["wpt", "trkpt", "rtept"])), ("Tracks", sum(&["trk"]))],
            "RDF/XML" => &[("Subjects", self.subjects), ("Classes", sum(&["class"]))],
            "Sitemap" => &[("Records", sum(&["url", "sitemap"]))],
            _ => &[],
        };
        for (name, count) in told.iter().filter(|(_, count)| *count > 0) {
            draft.add(name, &count.to_string());
        }
    }
}

/// The value of an attribute; empty if there is none.
fn value<'a>(attributes: &'a [(String, String)], wanted: &str) -> &'a str {
    attributes.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
}

/// A date that begins with its year, or one as mail has it; others could mean anything.
fn date(text: &str) -> String {
    let is_iso = text.len() <= 40 && text.bytes().take(4).filter(u8::is_ascii_digit).count() == 4;
    if is_iso {
        return text.to_owned();
    }
    rfc2822::parse(text).map(|date| date.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()).unwrap_or_default()
}
