//! XMP packets, as they are put into pictures and PDF: RDF of a few known properties.

use super::moment;
use crate::fold::Folded;
use crate::html;
use encoding_rs::{Encoding, UTF_8};
use gatherer_pipeline::Draft;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// Most values of one packet, and most bytes of one value.
const VALUES: usize = 2_000;
const VALUE_LIMIT: usize = 10_000;
/// Most elements within each other.
const DEPTH: usize = 64;

/// Properties with the attributes that they become. The prefixes are the ones that everybody uses.
const PROPERTIES: &[(&str, &str)] = &[
    ("dc:title", "Title"),
    ("photoshop:Headline", "Title"),
    ("dc:creator", "Author"),
    ("dc:description", "Description"),
    ("dc:rights", "Copyright"),
    ("dc:publisher", "Publisher"),
    ("dc:language", "Language"),
    ("xmp:CreatorTool", "Generator"),
    ("xap:CreatorTool", "Generator"),
    ("xmp:CreateDate", "Created"),
    ("xap:CreateDate", "Created"),
    ("photoshop:DateCreated", "Created"),
    ("xmp:ModifyDate", "Modified"),
    ("xap:ModifyDate", "Modified"),
    ("xmp:Rating", "Rating"),
];

/// Properties whose parts make up a place.
const PLACES: &[&str] = &["Iptc4xmpCore:Location", "photoshop:City", "photoshop:State", "photoshop:Country"];

/// The values of a packet by their properties, in order.
#[derive(Debug, Default)]
pub(crate) struct Packet {
    values: Vec<(String, String)>,
}

impl Packet {
    /// Reads a packet as far as it is one.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let (encoding, _) = Encoding::for_bom(bytes).unwrap_or((UTF_8, 0));
        let (text, _, _) = encoding.decode(bytes);
        let mut reader = Reader::from_str(&text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        let mut walk = Walk::default();
        while let Ok(event) = reader.read_event() {
            if matches!(event, Event::Eof) || walk.open.len() > DEPTH || walk.packet.values.len() > VALUES {
                break;
            }
            walk.take(&event);
        }
        walk.packet
    }

    /// All values of a property.
    pub(crate) fn get<'a>(&'a self, property: &'a str) -> impl Iterator<Item = &'a str> {
        self.values.iter().filter(move |(name, _)| name == property).map(|(_, value)| value.as_str())
    }

    /// Writes what the draft does not know yet.
    pub(crate) fn write(&self, draft: &mut Draft) {
        for (property, attribute) in PROPERTIES {
            let several = matches!(*attribute, "Author" | "Publisher" | "Language");
            let values: Vec<_> = self.get(property).take(if several { 100 } else { 1 }).collect();
            let value = match *attribute {
                "Created" | "Modified" => values.first().and_then(|date| moment::iso(date)).unwrap_or_default(),
                _ => values.join("\n"),
            };
            fill(draft, attribute, &value);
        }
        let words: Vec<_> = self.get("dc:subject").chain(self.get("pdf:Keywords")).map(split_at_semicolons).collect();
        fill(draft, "Keywords", &html::keywords(&words));
        let places: Vec<_> = PLACES.iter().filter_map(|property| self.get(property).next()).collect();
        fill(draft, "Location", &places.join(", "));
        fill(draft, "Generator", self.get("pdf:Producer").next().unwrap_or_default());
    }
}

/// Adds a value where there is none yet: formats say the same thing in several places.
pub(crate) fn fill(draft: &mut Draft, name: &str, value: &str) {
    if draft.get(name).is_none() {
        draft.add(name, value);
    }
}

/// Adds a value as a further line, unless it is there.
pub(crate) fn add_new(draft: &mut Draft, name: &str, value: &str) {
    if !draft.get(name).is_some_and(|known| known.lines().any(|line| line == value)) {
        draft.add(name, value);
    }
}

/// Keywords parted by semicolons, parted by commas.
pub(crate) fn split_at_semicolons(words: &str) -> String {
    words.replace([';', '\n'], ",")
}

#[derive(Default)]
struct Walk {
    packet: Packet,
    open: Vec<String>,
    /// How many elements were open when the property began.
    property: Option<usize>,
    value: String,
}

impl Walk {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => self.start(element),
            Event::Empty(element) => {
                self.start(element);
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.push(text),
            Event::CData(text) => self.push(text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => self.push(character.encode_utf8(&mut [0; 4])),
                _ => self.push(resolve_predefined_entity(reference).unwrap_or_default()),
            },
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.name().0.to_owned();
        let is_description = |name: &String| name == "rdf:Description";
        if self.property.is_none() && is_description(&name) {
            // Plain properties may be attributes.
            for attribute in element.attributes().with_checks(false).flatten().take(VALUES) {
                let Ok(value) = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0) else { continue };
                self.keep(attribute.key.0.to_owned(), &value);
            }
        } else if self.property.is_none() && self.open.last().is_some_and(is_description) {
            self.property = Some(self.open.len());
        }
        self.value.clear();
        self.open.push(name);
    }

    /// The end of a list's item or of a property is the end of a value.
    fn end(&mut self) {
        let Some(name) = self.open.pop() else { return };
        let Some(place) = self.property else { return };
        let is_property = self.open.len() <= place;
        if name == "rdf:li" || is_property {
            let property = if is_property { name } else { self.open.get(place).cloned().unwrap_or_default() };
            let value = std::mem::take(&mut self.value);
            self.keep(property, &value);
        }
        if is_property {
            self.property = None;
        }
    }

    fn push(&mut self, text: &str) {
        if self.property.is_some() && self.value.len() < VALUE_LIMIT {
            self.value.push_str(&text[..text.floor_char_boundary(VALUE_LIMIT)]);
        }
    }

    fn keep(&mut self, property: String, value: &str) {
        let value = Folded::line(value, VALUE_LIMIT);
        if !value.is_empty() {
            self.packet.values.push((property, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(packet: &[u8], expected: &[(&str, &str)]) {
        let mut draft = Draft::new();
        Packet::parse(packet).write(&mut draft);
        let found: Vec<_> = draft.attributes().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
    }

    const PACKET: &str = "<x:xmpmeta><rdf:RDF>\
        <rdf:Description xmp:CreatorTool='Editor &amp; Co' xmp:CreateDate='2024-05-01'>\
        <dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Corn &amp; <![CDATA[maize]]> &#252;</rdf:li>\
        <rdf:li xml:lang='de'>Mais</rdf:li></rdf:Alt></dc:title>\
        <dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>\
        <xmp:ModifyDate>2024-05-01T12:00:00+02:00</xmp:ModifyDate><pdf:Keywords>corn; field</pdf:Keywords>\
        <photoshop:City>Berlin</photoshop:City></rdf:Description></rdf:RDF></x:xmpmeta>";

    const EXPECTED: &[(&str, &str)] = &[
        ("Title", "Corn & maize ü"),
        ("Author", "Ann\nBob"),
        ("Generator", "Editor & Co"),
        ("Created", "2024-05-01"),
        ("Modified", "2024-05-01T10:00:00Z"),
        ("Keywords", "corn\nfield"),
        ("Location", "Berlin"),
    ];

    #[test]
    fn elements_and_attributes_are_properties() {
        check(PACKET.as_bytes(), EXPECTED);
    }

    #[test]
    fn other_charsets_are_read_by_their_mark() {
        let wide: Vec<u8> = format!("\u{feff}{PACKET}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&wide, EXPECTED);
    }

    #[test]
    fn cuts_and_floods_are_survived() {
        for cut in 0..PACKET.len() {
            Packet::parse(&PACKET.as_bytes()[..cut]);
        }
        check(&b"<rdf:Description>".repeat(100_000), &[]);
        check(&b"<rdf:Description dc:title='a'/>".repeat(100_000), &[("Title", "a")]);
        check(&b"<rdf:li>&amp;&x;".repeat(100_000), &[]);
    }
}
