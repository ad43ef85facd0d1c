//! Names of glyphs and tables of codes, as text.

use lopdf::{Dictionary, Document, Encoding, Object};

/// What each code of a font with one-byte codes reads as.
pub(crate) type Table = Vec<Option<String>>;

/// A table in which no code reads as anything.
pub(crate) fn blank() -> Table {
    vec![None; 256]
}

/// One of the encodings that have a name, such as `WinAnsiEncoding`.
pub(crate) fn named(name: &[u8]) -> Table {
    let mut font = Dictionary::new();
    font.set("Type", Object::Name(b"Font".to_vec()));
    font.set("Encoding", Object::Name(name.to_vec()));
    let document = Document::new();
    let Ok(encoding @ Encoding::OneByteEncoding(_)) = font.get_font_encoding(&document) else { return blank() };
    (0..=255)
        .map(|code: u8| encoding.bytes_to_string(&[code]).ok().filter(|text| !text.is_empty()).map(without_ligatures))
        .collect()
}

/// What a glyph of this name reads as: by the Adobe glyph list, or by how names are made up where it has none.
pub(crate) fn text(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    if let Some(character) = listed(base) {
        return Some(without_ligatures(character.to_string()));
    }
    if base.contains('_') {
        return base.split('_').take(8).map(|part| listed(part).or_else(|| by_number(part))).collect();
    }
    by_number(base).map(|character| character.to_string())
}

/// Nobody searches for a ligature.
pub(crate) fn without_ligatures(text: String) -> String {
    let letters = match text.as_str() {
        "\u{fb00}" => "ff",
        "\u{fb01}" => "fi",
        "\u{fb02}" => "fl",
        "\u{fb03}" => "ffi",
        "\u{fb04}" => "ffl",
        "\u{fb05}" | "\u{fb06}" => "st",
        _ => return text,
    };
    letters.to_owned()
}

/// Looks a name up in the list that the library has. It gives it out for whole fonts only, so this is a font.
fn listed(name: &str) -> Option<char> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return letter.is_ascii_alphabetic().then_some(letter);
    }
    let mut encoding = Dictionary::new();
    encoding.set("Differences", vec![Object::Integer(0), Object::Name(name.as_bytes().to_vec())]);
    let mut font = Dictionary::new();
    font.set("Type", Object::Name(b"Font".to_vec()));
    font.set("Encoding", encoding);
    let document = Document::new();
    let Ok(Encoding::Differences(differences)) = font.get_font_encoding(&document) else { return None };
    char::from_u32(u32::from(differences.map.get(&0)?.utf16_code_unit()))
}

/// Names with a number: `uni00E4`, `u1F600`, and `a65` or `c65` in fonts made from bitmaps.
fn by_number(name: &str) -> Option<char> {
    let hexadecimal = name.strip_prefix("uni").or_else(|| name.strip_prefix('u')).unwrap_or_default();
    if (4..=6).contains(&hexadecimal.len()) {
        return char::from_u32(u32::from_str_radix(hexadecimal, 16).ok()?);
    }
    let code: u8 = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).parse().ok()?;
    (name.len() <= 5 && code > 32).then_some(char::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_text() {
        let check =
            |name: &str, expected: Option<&str>| assert_eq!(text(name.as_bytes()).as_deref(), expected, "{name}");
        check("A", Some("A"));
        check("adieresis", Some("ä"));
        check("fi", Some("fi"));
        check("f_f_i.liga", Some("ffi"));
        check("T_h", Some("Th"));
        check("uni00E4", Some("ä"));
        check("u1F600", Some("\u{1f600}"));
        check("a65", Some("A"));
        check(".notdef", None);
        check("nonsense", None);
        check("uniD800", None);
    }

    #[test]
    fn encodings_have_names() {
        assert_eq!(named(b"WinAnsiEncoding")[0xe4].as_deref(), Some("ä"));
        assert_eq!(named(b"MacRomanEncoding")[0x8a].as_deref(), Some("ä"));
        assert_eq!(named(b"Nonsense"), blank());
    }
}
