//! Type 1 fonts: the clear part of their program, and their metrics.

use crate::fold::Folded;
use encoding_rs::WINDOWS_1252;
use gatherer_pipeline::Draft;
use std::str::Chars;

/// How far the clear part of a font is read.
const CLEAR: usize = 256 << 10;
/// Most bytes of one value.
const LIMIT: usize = 10_000;

/// Keys with the attributes that they become.
const KEYS: &[(&str, &str)] = &[
    ("FullName", "Title"),
    ("FamilyName", "Font-Family"),
    ("Weight", "Font-Style"),
    ("version", "Font-Version"),
    ("Version", "Font-Version"),
    ("Notice", "Copyright"),
    ("Copyright", "Copyright"),
];

/// The program of a font, if it is one. The binary form has a header of six bytes before it.
pub(super) fn program(body: &[u8]) -> Option<&[u8]> {
    let program = if body.starts_with(&[0x80, 1]) { body.get(6..)? } else { body };
    let is_font = ["%!PS-AdobeFont", "%!FontType1"].iter().any(|start| program.starts_with(start.as_bytes()));
    is_font.then_some(program)
}

/// Writes what the program says of itself before the part that is only for printers.
pub(super) fn write(program: &[u8], draft: &mut Draft) {
    let program = text(program);
    let clear = program.split("eexec").next().unwrap_or_default();
    draft.add("Format", "Type 1");
    for (key, attribute) in KEYS {
        let value = clear.split_once(&format!("/{key}")).map(|(_, value)| value.trim_start());
        let value = value.and_then(|value| value.strip_prefix('(')).map(string).unwrap_or_default();
        if draft.get(attribute).is_none() {
            draft.add(attribute, &value);
        }
    }
    let name = clear.split_once("/FontName").and_then(|(_, name)| name.split_whitespace().next());
    if draft.get("Title").is_none() {
        draft.add("Title", name.unwrap_or_default().trim_start_matches('/'));
    }
}

/// A string up to its bracket, with the brackets and escapes within.
fn string(text: &str) -> String {
    let mut value = String::new();
    let mut depth = 0;
    let mut rest = text.chars();
    while let Some(character) = rest.next().filter(|_| value.len() < LIMIT) {
        match character {
            '\\' => {
                value.extend(escaped(&mut rest));
                continue;
            }
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            _ => {}
        }
        value.push(character);
    }
    Folded::line(&value, LIMIT)
}

/// The character behind a backslash, or the one that three octal digits stand for.
fn escaped(rest: &mut Chars<'_>) -> Option<char> {
    let octal = rest.as_str().get(..3).filter(|digits| digits.bytes().all(|digit| (b'0'..b'8').contains(&digit)));
    match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
        Some(code) => rest.nth(2).map(|_| char::from(code)),
        None => rest.next(),
    }
}

/// Writes what a file of metrics says: a key and its value a line.
pub(super) fn write_metrics(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "Adobe Font Metrics");
    for line in text(body).lines().take_while(|line| !line.starts_with("C ")) {
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (KEYS.iter().find(|(known, _)| *known == key), key) {
            (Some((_, attribute)), _) => draft.add(attribute, &Folded::line(value, LIMIT)),
            (None, "StartCharMetrics") => draft.add("Glyphs", value.trim()),
            _ => {}
        }
    }
}

fn text(body: &[u8]) -> String {
    WINDOWS_1252.decode_without_bom_handling(body.get(..body.len().min(CLEAR)).unwrap_or_default()).0.into_owned()
}
