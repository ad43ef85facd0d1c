//! A font, as far as it says what its codes read as and how wide they are.

use super::cmap::{CharacterMap, number};
use super::glyphs::{self, Table};
use super::widths::Widths;
use super::{STREAM_LIMIT, plain};
use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE};
use lopdf::{Dictionary, Document, Object};

/// How far into an embedded font its table of codes is looked for.
const HEADER: usize = 64 << 10;

/// What turns the strings of a content stream into text.
#[derive(Debug)]
pub(super) struct Font {
    to_unicode: Option<CharacterMap>,
    codes: Codes,
    widths: Widths,
}

#[derive(Debug)]
enum Codes {
    /// One byte each.
    Simple(Table),
    /// As long as a map of the document says, two bytes where it says nothing.
    Wide(Option<CharacterMap>),
    /// Text in one of the old charsets or in UTF-16.
    Charset(&'static Encoding),
}

/// One code of a string.
pub(super) struct Glyph {
    /// What it reads as, if that is known.
    pub(super) text: Option<String>,
    /// Its width as a share of the font's size.
    pub(super) width: f64,
    /// Whether it is the one-byte code 32, which word spacing widens.
    pub(super) is_space: bool,
}

impl Font {
    /// Reads a font dictionary.
    pub(super) fn new(font: &Dictionary, document: &Document) -> Self {
        let to_unicode = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream).ok();
        let to_unicode = to_unicode.map(|stream| CharacterMap::parse(&plain(stream, STREAM_LIMIT)));
        let is_wide = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Type0");
        if !is_wide {
            let codes = Codes::Simple(simple(font, document));
            return Self { to_unicode, codes, widths: Widths::simple(font, document) };
        }
        let descendant = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
        let descendant = descendant.ok().and_then(|fonts| document.dereference(fonts.first()?).ok());
        let nothing = Dictionary::new();
        let descendant = descendant.and_then(|(_, font)| font.as_dict().ok()).unwrap_or(&nothing);
        Self { to_unicode, codes: wide(font, document), widths: Widths::wide(descendant, document) }
    }

    /// The codes of a string, in order.
    pub(super) fn glyphs(&self, mut bytes: &[u8]) -> impl Iterator<Item = Glyph> {
        std::iter::from_fn(move || {
            let length = self.code_length(bytes).min(bytes.len());
            let (code, rest) = bytes.split_at_checked(length).filter(|(code, _)| !code.is_empty())?;
            bytes = rest;
            Some(self.glyph(code))
        })
    }

    fn code_length(&self, bytes: &[u8]) -> usize {
        match &self.codes {
            Codes::Simple(_) => 1,
            Codes::Wide(map) => map.as_ref().and_then(|map| map.code_length(bytes)).unwrap_or(2),
            Codes::Charset(charset) if *charset == UTF_16BE => match bytes.first() {
                Some(0xd8..=0xdb) => 4,
                _ => 2,
            },
            Codes::Charset(_) => bytes.first().map_or(1, |lead| 1 + usize::from(*lead > 0x80)),
        }
    }

    fn glyph(&self, bytes: &[u8]) -> Glyph {
        let code = number(bytes);
        let known = self.to_unicode.as_ref().and_then(|map| map.get(code));
        let text = known.or_else(|| match &self.codes {
            Codes::Simple(table) => table.get(usize::try_from(code).ok()?)?.clone(),
            Codes::Wide(_) => None,
            Codes::Charset(charset) => Some(charset.decode_without_bom_handling(bytes).0.into_owned()),
        });
        Glyph { text: text.map(glyphs::without_ligatures), width: self.widths.of(code), is_space: bytes == b" " }
    }
}

/// The codes of a font that has longer ones.
fn wide(font: &Dictionary, document: &Document) -> Codes {
    match font.get_deref(b"Encoding", document) {
        Ok(Object::Stream(stream)) => Codes::Wide(Some(CharacterMap::parse(&plain(stream, STREAM_LIMIT)))),
        Ok(Object::Name(name)) => by_name(&String::from_utf8_lossy(name)).map_or(Codes::Wide(None), Codes::Charset),
        _ => Codes::Wide(None),
    }
}

/// The charset behind the name of a character map that every reader has.
fn by_name(name: &str) -> Option<&'static Encoding> {
    let is = |part: &str| name.contains(part);
    let charsets = [
        (is("UCS2") || is("UTF16"), UTF_16BE),
        (is("RKSJ"), SHIFT_JIS),
        (is("GBK") || is("GB-EUC"), GBK),
        (is("B5"), BIG5),
        (is("KSC"), EUC_KR),
    ];
    charsets.into_iter().find(|(matches, _)| *matches).map(|(_, charset)| charset)
}

/// What the codes of a font with one-byte codes read as: its own encoding or that of the embedded font, and the
/// differences from it.
fn simple(font: &Dictionary, document: &Document) -> Table {
    let encoding = font.get_deref(b"Encoding", document);
    let differences = encoding.as_ref().ok().and_then(|encoding| encoding.as_dict().ok());
    let base = match (&encoding, differences) {
        (Ok(Object::Name(name)), _) => Some(name.as_slice()),
        (_, Some(dictionary)) => dictionary.get_deref(b"BaseEncoding", document).and_then(Object::as_name).ok(),
        _ => None,
    };
    let mut table = match base {
        Some(name) => glyphs::named(name),
        None => built_in(font, document),
    };
    let differences = differences.and_then(|dictionary| dictionary.get_deref(b"Differences", document).ok());
    let mut code = 0;
    for object in differences.and_then(|list| list.as_array().ok()).into_iter().flatten().take(1_000) {
        match document.dereference(object) {
            Ok((_, Object::Integer(number))) => code = usize::try_from(*number).unwrap_or(usize::MAX),
            Ok((_, Object::Name(name))) => {
                if let Some(entry) = table.get_mut(code) {
                    *entry = glyphs::text(name);
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    table
}

/// The encoding within an embedded font; without one the standard encoding of such fonts.
fn built_in(font: &Dictionary, document: &Document) -> Table {
    let is_true_type = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"TrueType");
    let standard = || glyphs::named(if is_true_type { b"WinAnsiEncoding" } else { b"StandardEncoding" });
    let Ok(descriptor) = font.get_deref(b"FontDescriptor", document).and_then(Object::as_dict) else {
        return standard();
    };
    let file = |key: &[u8]| descriptor.get_deref(key, document).and_then(Object::as_stream).ok();
    let found = match (file(b"FontFile"), file(b"FontFile3")) {
        (Some(stream), _) => of_type1(&plain(stream, STREAM_LIMIT)),
        (_, Some(stream)) => of_compact(&plain(stream, STREAM_LIMIT)),
        _ => None,
    };
    found.unwrap_or_else(standard)
}

/// The encoding of a Type 1 font: lines such as `dup 65 /A put` in its clear part.
fn of_type1(data: &[u8]) -> Option<Table> {
    let clear = String::from_utf8_lossy(data.get(..data.len().min(HEADER))?);
    let clear = clear.split("eexec").next().unwrap_or_default();
    let (_, encoding) = clear.split_once("/Encoding")?;
    if encoding.trim_start().starts_with("StandardEncoding") {
        return None;
    }
    let mut table = glyphs::blank();
    for entry in encoding.split("dup").skip(1).take(256) {
        let mut words = entry.split_whitespace();
        let (Some(code), Some(name)) = (words.next(), words.next()) else { continue };
        if let Some(entry) = code.parse().ok().and_then(|code: usize| table.get_mut(code)) {
            *entry = name.strip_prefix('/').and_then(|name| glyphs::text(name.as_bytes()));
        }
    }
    Some(table)
}

/// The encoding of a font in the compact form.
fn of_compact(data: &[u8]) -> Option<Table> {
    let font = ttf_parser::cff::Table::parse(data)?;
    let name = |code: u8| font.glyph_index(code).and_then(|glyph| font.glyph_name(glyph));
    Some((0..=255).map(|code| name(code).and_then(|name| glyphs::text(name.as_bytes()))).collect())
}
