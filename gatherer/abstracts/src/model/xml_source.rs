//! XML without what nobody needs to send: no document type, no entities but the five, no other encoding; bounded in size and
//! depth. What comes out are elements with their attributes, and their text.

use super::ReadError;
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use quick_xml::name::{NamespaceResolver, ResolveResult};
use quick_xml::{NsReader, XmlVersion};
use regex::Regex;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Where a schema may be named; that is nobody's business but the author's.
const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What stands at the beginning, in this order.
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    let form = r#"(?x)^xml \s+ version \s*=\s* ["']1\.[0-9]+["'] (?: \s+ encoding \s*=\s* ["'](?<encoding>[A-Za-z][A-Za-z0-9._-]*)["'] )?
        (?: \s+ standalone \s*=\s* ["'](?:yes|no)["'] )? \s*$"#;
    Regex::new(form).expect("our own pattern")
});

/// The next piece of a document.
#[derive(Debug)]
pub(super) enum Piece {
    Start(Element),
    End,
    Text(String),
    Over,
}

/// An element of the wanted namespace, and its attributes of no namespace.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) line: usize,
}

pub(super) struct Source<'a> {
    text: &'a str,
    reader: NsReader<&'a [u8]>,
    namespace: &'a str,
    depth: usize,
    depth_limit: usize,
    /// The end of an element that was written as one.
    pending_end: bool,
    /// Up to where lines have been counted, and how many: counted anew each time, a long document would take for ever.
    counted: Cell<(usize, usize)>,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        bytes: &'a [u8],
        namespace: &'a str,
        byte_limit: usize,
        depth_limit: usize,
    ) -> Result<Self, ReadError> {
        if bytes.len() > byte_limit {
            let what = format!("a document of {} bytes", bytes.len());
            return Err(ReadError::TooLarge { line: 1, what, limit: byte_limit });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = lines_in(&bytes[..error.valid_up_to()]) + 1;
            ReadError::Malformed { line, problem: "a byte that is no UTF-8".to_owned() }
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = NsReader::from_str(text);
        reader.config_mut().check_comments = true;
        let source =
            Self { text, reader, namespace, depth: 0, depth_limit, pending_end: false, counted: Cell::new((0, 1)) };
        match text.chars().position(|one| !is_allowed(one)) {
            Some(place) => {
                let line = 1 + text.chars().take(place).filter(|one| *one == '\n').count();
                Err(ReadError::Malformed { line, problem: "a character that cannot stand in XML".to_owned() })
            }
            None => Ok(source),
        }
    }

    /// The line that was read last.
    pub(super) fn line(&self) -> usize {
        let place = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.text.len());
        let (from, lines) = self.counted.get();
        let passed = self.text.as_bytes().get(from..place).unwrap_or_default();
        let lines = lines + lines_in(passed);
        self.counted.set((place.max(from), lines));
        lines
    }

    pub(super) fn malformed(&self, problem: impl Into<String>) -> ReadError {
        ReadError::Malformed { line: self.line(), problem: problem.into() }
    }

    pub(super) fn next(&mut self) -> Result<Piece, ReadError> {
        if std::mem::take(&mut self.pending_end) {
            self.depth -= 1;
            return Ok(Piece::End);
        }
        loop {
            let begin = self.reader.buffer_position();
            let event = self.reader.read_event();
            let event = event.map_err(|error| self.malformed(format!("no XML: {error}")))?;
            match event {
                Event::Start(start) => return self.begin(&start).map(Piece::Start),
                Event::Empty(start) => {
                    let element = self.begin(&start)?;
                    self.pending_end = true;
                    return Ok(Piece::Start(element));
                }
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(Piece::End);
                }
                Event::Text(text) if text.contains("]]>") => return Err(self.malformed("no XML: ]]> in text")),
                Event::Text(text) => return Ok(Piece::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned())),
                Event::CData(text) if self.depth > 0 => {
                    return Ok(Piece::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned()));
                }
                Event::CData(_) => return Err(self.malformed("text outside of the document")),
                Event::GeneralRef(reference) => return self.resolve(&reference).map(Piece::Text),
                Event::Decl(_) if begin > 0 => {
                    return Err(self.malformed("no XML: its declaration is not at its beginning"));
                }
                Event::Decl(declaration) => self.check_declaration(&declaration)?,
                Event::DocType(_) => return Err(self.malformed("a document type, which is not read")),
                Event::PI(instruction) if !is_instruction(&instruction) => {
                    return Err(self.malformed("no XML: a processing instruction without a name"));
                }
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof if self.depth > 0 => return Err(self.malformed("the document is cut")),
                Event::Eof => return Ok(Piece::Over),
            }
        }
    }

    /// The declaration must be one, and must not name another encoding.
    fn check_declaration(&self, declaration: &BytesDecl<'_>) -> Result<(), ReadError> {
        let Some(parts) = DECLARATION.captures(declaration) else {
            return Err(self.malformed("no XML: its declaration is wrong"));
        };
        match parts.name("encoding").map(|encoding| encoding.as_str()) {
            Some(encoding) if !["utf-8", "us-ascii"].iter().any(|known| encoding.eq_ignore_ascii_case(known)) => {
                Err(self.malformed(format!("the encoding {encoding}; only UTF-8 is read")))
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, start: &BytesStart<'_>) -> Result<Element, ReadError> {
        self.depth += 1;
        let line = self.line();
        if self.depth > self.depth_limit {
            let what = format!("<{}> in {} elements", start.name().as_ref().escape_debug(), self.depth - 1);
            return Err(ReadError::TooLarge { line, what, limit: self.depth_limit });
        }
        let name = start.local_name().as_ref().to_owned();
        let (space, _) = self.reader.resolver().resolve_element(start.name());
        if !is_in(&space, self.namespace) {
            let problem = if self.namespace.is_empty() {
                "stands in a namespace, and should not".to_owned()
            } else {
                format!("does not stand in the namespace {}", self.namespace)
            };
            return Err(ReadError::Invalid { line, element: name, problem });
        }
        let attributes = attributes(self.reader.resolver(), start, line, &name)?;
        Ok(Element { name, attributes, line })
    }

    /// The character that a reference stands for.
    fn resolve(&self, reference: &BytesRef<'_>) -> Result<String, ReadError> {
        if self.depth == 0 {
            return Err(self.malformed("text outside of the document"));
        }
        if let Some(one) = reference.resolve_char_ref().map_err(|error| self.malformed(format!("no XML: {error}")))? {
            return if is_allowed(one) {
                Ok(one.to_string())
            } else {
                Err(self.malformed("a character that cannot stand in XML"))
            };
        }
        let name = reference.xml_content(XmlVersion::Implicit1_0);
        match quick_xml::escape::resolve_predefined_entity(&name) {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.malformed(format!("the entity &{name};, which is not one of the five of XML"))),
        }
    }
}

fn attributes(
    resolver: &NamespaceResolver,
    start: &BytesStart<'_>,
    line: usize,
    element: &str,
) -> Result<BTreeMap<String, String>, ReadError> {
    let mut attributes = BTreeMap::new();
    if !are_parted(start.attributes_raw()) {
        return Err(ReadError::Malformed {
            line,
            problem: "no XML: attributes without white space between them".to_owned(),
        });
    }
    for attribute in start.attributes() {
        let no_xml = |error: String| ReadError::Malformed { line, problem: format!("no XML: {error}") };
        let attribute = attribute.map_err(|error| no_xml(error.to_string()))?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let (space, name) = resolver.resolve_attribute(attribute.key);
        let name: &str = name.as_ref();
        if is_in(&space, SCHEMA_INSTANCE) && matches!(name, "schemaLocation" | "noNamespaceSchemaLocation") {
            continue;
        }
        if !matches!(space, ResolveResult::Unbound) {
            let problem = format!("must not have the attribute {}", AsRef::<str>::as_ref(&attribute.key));
            return Err(ReadError::Invalid { line, element: element.to_owned(), problem });
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| no_xml(error.to_string()))?;
        if attribute.value.contains('<') || !value.chars().all(is_allowed) {
            return Err(no_xml(format!("a character that cannot stand in the attribute {name}")));
        }
        attributes.insert(name.to_owned(), Cow::into_owned(value));
    }
    Ok(attributes)
}

/// Whether an instruction begins with a name, and not with that of XML itself.
fn is_instruction(text: &str) -> bool {
    let target = text.split(|one: char| one.is_ascii_whitespace()).next().unwrap_or_default();
    super::lexical::name(target).is_ok_and(|name| name == target) && !target.eq_ignore_ascii_case("xml")
}

/// Whether there is white space behind each value; the library does not ask for it.
fn are_parted(attributes: &str) -> bool {
    let mut open = None;
    let mut characters = attributes.chars().peekable();
    while let Some(one) = characters.next() {
        match open {
            None if matches!(one, '"' | '\'') => open = Some(one),
            Some(quote) if quote == one => {
                open = None;
                if characters.peek().is_some_and(|next| !next.is_whitespace()) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

fn is_in(space: &ResolveResult<'_>, namespace: &str) -> bool {
    match space {
        ResolveResult::Bound(bound) => {
            let bound: &str = bound.as_ref();
            bound == namespace
        }
        ResolveResult::Unbound => namespace.is_empty(),
        ResolveResult::Unknown(_) => false,
    }
}

fn lines_in(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

/// The characters of XML 1.0.
pub(super) fn is_allowed(one: char) -> bool {
    matches!(one, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}
