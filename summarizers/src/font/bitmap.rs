//! Bitmap fonts of the X Window System, as text (BDF) and compiled (PCF).

use crate::fold::Folded;
use encoding_rs::WINDOWS_1252;
use gatherer_pipeline::Draft;

/// How far the header of a font is read, in lines.
const LINES: usize = 2_000;
/// Most tables and most properties of a compiled font.
const TABLES: usize = 100;
const PROPERTIES: usize = 2_000;
/// Most bytes of one value.
const LIMIT: usize = 10_000;
/// The kind of the table of properties, and the bit of a table's format that says which byte comes first.
const PROPERTY_TABLE: u32 = 1;
const BIG_ENDIAN: u32 = 4;

/// Writes what the lines before the first character say.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "BDF");
    for line in body.split(|byte| *byte == b'\n').take(LINES) {
        let line = WINDOWS_1252.decode_without_bom_handling(line.get(..line.len().min(LIMIT)).unwrap_or_default()).0;
        let line = line.trim();
        if line.starts_with("STARTCHAR") {
            break;
        }
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let quoted = value.trim().strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        write_property(key, &quoted.unwrap_or(value).replace("\"\"", "\""), draft);
    }
    name(draft);
}

fn write_property(key: &str, value: &str, draft: &mut Draft) {
    let attribute = match key {
        "FULL_NAME" | "FACE_NAME" => "Title",
        "FAMILY_NAME" => "Font-Family",
        "WEIGHT_NAME" => "Font-Style",
        "FONT_VERSION" => "Font-Version",
        "FOUNDRY" => "Publisher",
        "COPYRIGHT" => "Copyright",
        "NOTICE" => "License",
        "CHARSET_REGISTRY" => "Charset-Registry",
        "PIXEL_SIZE" => "Pixel-Size",
        "CHARS" => "Glyphs",
        "FONT" => "Font-Name",
        _ => return,
    };
    if draft.get(attribute).is_none() {
        draft.add(attribute, &Folded::line(value, LIMIT));
    }
}

/// Few bitmap fonts have a full name.
fn name(draft: &mut Draft) {
    if draft.get("Title").is_none() {
        let parts = ["Font-Family", "Font-Style", "Pixel-Size"].map(|part| draft.get(part).unwrap_or_default());
        draft.add("Title", &parts.join(" "));
    }
}

/// Writes the properties of a compiled font.
pub(super) fn write_compiled(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "PCF");
    if write_properties(body, draft).is_none() {
        draft.complain("the properties of the font cannot be read");
    }
    name(draft);
}

/// Number, then for each property the place of its name, whether its value is a text, and its value or the place of it.
fn write_properties(body: &[u8], draft: &mut Draft) -> Option<()> {
    let (count, list) = body.get(4..)?.split_first_chunk()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?.min(TABLES);
    let entry =
        list.as_chunks::<16>().0.iter().take(count).find(|entry| number(*entry, 0, false) == Some(PROPERTY_TABLE))?;
    let table = body.get(usize::try_from(number(entry, 12, false)?).ok()?..)?;
    let is_big = number(table, 0, false)? & BIG_ENDIAN != 0;
    let count = usize::try_from(number(table, 4, is_big)?).ok()?;
    let list = table.get(8..)?;
    // The list is filled up to a multiple of four bytes, the length of the texts is before them.
    let end = count.checked_mul(9)?.checked_next_multiple_of(4)?;
    let texts = list.get(end.checked_add(4)?..)?;
    let text = |place: u32| -> Option<String> {
        let text = texts.get(usize::try_from(place).ok()?..)?;
        let text = text.get(..text.len().min(LIMIT))?.split(|byte| *byte == 0).next()?;
        Some(WINDOWS_1252.decode_without_bom_handling(text).0.into_owned())
    };
    for property in list.as_chunks::<9>().0.iter().take(count.min(PROPERTIES)) {
        let key = text(number(property, 0, is_big)?)?;
        let value = number(property, 5, is_big)?;
        let value = if property.get(4) == Some(&0) { value.to_string() } else { text(value)? };
        write_property(&key, &value, draft);
    }
    Some(())
}

fn number(data: &[u8], at: usize, is_big: bool) -> Option<u32> {
    let bytes = *data.get(at..)?.first_chunk()?;
    Some(if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
}
