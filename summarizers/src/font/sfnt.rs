//! TrueType and OpenType: fonts made of tables.

use crate::fold::Folded;
use crate::links::Links;
use encoding_rs::MACINTOSH;
use gatherer_pipeline::{Draft, Leaf};
use std::borrow::Cow;
use ttf_parser::name::Name;
use ttf_parser::os2::Style;
use ttf_parser::{PlatformId, maxp, name, os2};

/// Most fonts of a collection that are named.
const FONTS: usize = 50;
/// Most names of one font, and most bytes of one.
const NAMES: usize = 2_000;
const NAME_LIMIT: usize = 10_000;
/// English as spoken in the United States, as Windows counts languages.
const ENGLISH: u16 = 0x0409;

/// Names with the attributes that they become; of two for one attribute the first counts.
const ATTRIBUTES: &[(u16, &str)] = &[
    (4, "Title"),
    (16, "Font-Family"),
    (1, "Font-Family"),
    (17, "Font-Style"),
    (2, "Font-Style"),
    (5, "Font-Version"),
    (9, "Author"),
    (8, "Publisher"),
    (0, "Copyright"),
    (13, "License"),
    (10, "Description"),
];

/// Names of addresses.
const ADDRESSES: &[u16] = &[11, 12, 14];
/// The name that is a text to try the font with.
const SAMPLE: u16 = 19;

/// Bits of Unicode ranges with the scripts that they stand for.
#[rustfmt::skip]
const SCRIPTS: &[(u8, &str)] = &[
    (0, "Latin"), (7, "Greek"), (9, "Cyrillic"), (10, "Armenian"), (11, "Hebrew"), (13, "Arabic"), (71, "Syriac"),
    (72, "Thaana"), (15, "Devanagari"), (16, "Bengali"), (17, "Gurmukhi"), (18, "Gujarati"), (19, "Oriya"),
    (20, "Tamil"), (21, "Telugu"), (22, "Kannada"), (23, "Malayalam"), (73, "Sinhala"), (24, "Thai"), (25, "Lao"),
    (70, "Tibetan"), (74, "Myanmar"), (26, "Georgian"), (75, "Ethiopic"), (76, "Cherokee"), (80, "Khmer"),
    (81, "Mongolian"), (49, "Hiragana"), (50, "Katakana"), (51, "Bopomofo"), (56, "Hangul"), (59, "Han"),
];

/// Writes what the font says, or all fonts of a collection.
pub(super) fn write(leaf: &Leaf<'_>, draft: &mut Draft) {
    let body = leaf.body;
    let format = match body {
        [b't', b't', b'c', b'f', ..] => "TrueType collection",
        [b'O', ..] => "OpenType",
        _ => "TrueType",
    };
    draft.add("Format", format);
    if format != "TrueType collection" {
        return write_tables(|tag| table(body, 0, tag).map(Cow::Borrowed), leaf, draft);
    }
    let fonts = number(body, 8).unwrap_or(0);
    draft.add("Fonts", &fonts.to_string());
    for index in 0..fonts.min(FONTS) {
        let Some(start) = number(body, 12 + 4 * index) else { break };
        if index == 0 {
            write_tables(|tag| table(body, start, tag).map(Cow::Borrowed), leaf, draft);
        } else {
            let names = table(body, start, *b"name").and_then(name::Table::parse);
            draft.add("Title", &names.map(|names| find(&names, 4)).unwrap_or_default());
        }
    }
}

/// The table of this name in the font that begins at this place. Places of tables count from the file's beginning.
fn table(body: &[u8], start: usize, tag: [u8; 4]) -> Option<&[u8]> {
    let (_, list) = body.get(start..)?.split_at_checked(12)?;
    let count = usize::from(u16::from_be_bytes(*body.get(start.checked_add(4)?..)?.first_chunk()?));
    let entry = list.as_chunks::<16>().0.iter().take(count).find(|entry| entry.starts_with(&tag))?;
    let (start, length) = (number(entry, 8)?, number(entry, 12)?);
    body.get(start..start.checked_add(length)?)
}

fn number(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(*data.get(at..)?.first_chunk()?)).ok()
}

/// Writes what the tables say, wherever they come from.
pub(super) fn write_tables<'a>(table: impl Fn([u8; 4]) -> Option<Cow<'a, [u8]>>, leaf: &Leaf<'_>, draft: &mut Draft) {
    match table(*b"name") {
        Some(names) => write_names(&names, leaf, draft),
        None => draft.complain("the font has no names"),
    }
    if let Some(glyphs) = table(*b"maxp").and_then(|table| maxp::Table::parse(&table)) {
        draft.add("Glyphs", &glyphs.number_of_glyphs.to_string());
    }
    let Some(metrics) = table(*b"OS/2") else { return };
    let Some(metrics) = os2::Table::parse(&metrics) else { return };
    draft.add("Weight", &metrics.weight().to_number().to_string());
    draft.add("Italic", if metrics.style() == Style::Normal { "" } else { "yes" });
    let ranges = metrics.unicode_ranges().0;
    let scripts = SCRIPTS.iter().filter(|(bit, _)| ranges >> bit & 1 == 1).map(|(_, script)| *script);
    draft.add("Scripts", &scripts.collect::<Vec<_>>().join("\n"));
}

fn write_names(table: &[u8], leaf: &Leaf<'_>, draft: &mut Draft) {
    let Some(names) = name::Table::parse(table) else { return draft.complain("the table of names is broken") };
    for (id, attribute) in ATTRIBUTES {
        if draft.get(attribute).is_none() {
            draft.add(attribute, &find(&names, *id));
        }
    }
    let mut links = Links::default();
    for id in ADDRESSES {
        let address = find(&names, *id);
        if address.starts_with("http") {
            links.refer(&address, "");
        }
    }
    links.write(leaf.url, draft);
    draft.set_text(&find(&names, SAMPLE));
}

/// The name with this number: in English, else in any language, else in the charset of old Macintoshes.
fn find(names: &name::Table<'_>, id: u16) -> String {
    let rank = |name: &Name<'_>| match name.platform_id {
        PlatformId::Windows if name.language_id == ENGLISH => 0,
        _ if name.is_unicode() => 1,
        PlatformId::Macintosh if name.encoding_id == 0 => 2,
        _ => 3,
    };
    let found = names.names.into_iter().take(NAMES).filter(|name| name.name_id == id && rank(name) < 3);
    let Some(name) = found.min_by_key(rank) else { return String::new() };
    let text = name.to_string().unwrap_or_else(|| MACINTOSH.decode_without_bom_handling(name.name).0.into_owned());
    Folded::line(&text, NAME_LIMIT)
}
