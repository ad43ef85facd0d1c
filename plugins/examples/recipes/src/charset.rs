//! From bytes to text, for the charsets that recipes come in.

use std::borrow::Cow;

/// What Windows has at 0x80 to 0x9f, where Latin 1 has nothing to see.
pub(crate) const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Names under which the Web knows Windows' charset.
const WESTERN: &[&str] = &["windows-1252", "cp1252", "iso-8859-1", "iso8859-1", "latin1", "l1", "us-ascii", "ascii"];

/// A page says its charset here or nowhere.
const HEAD: usize = 1024;

/// The text of a page. What is UTF-8 is UTF-8, whatever anybody says; otherwise the server's word counts, then the
/// page's.
pub(crate) fn decode<'a>(body: &'a [u8], declared: Option<&str>) -> Result<Cow<'a, str>, String> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if let Ok(text) = str::from_utf8(body) {
        return Ok(Cow::Borrowed(text));
    }
    let declared = declared.map(str::to_owned).or_else(|| in_page(body)).unwrap_or_default().to_ascii_lowercase();
    match declared.as_str() {
        "" | "utf-8" | "utf8" => Ok(String::from_utf8_lossy(body)),
        western if WESTERN.contains(&western) => Ok(Cow::Owned(body.iter().copied().map(windows).collect())),
        other => Err(format!("charset {other} is not read here")),
    }
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

/// What stands behind `charset=`, quoted or not.
fn in_page(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(HEAD)]).to_ascii_lowercase();
    let (_, behind) = head.split_once("charset=")?;
    let name = behind.trim_start_matches(['"', '\'', ' ']);
    let is_end = |next: char| !next.is_ascii_alphanumeric() && !matches!(next, '-' | '_');
    Some(name.split(is_end).next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &[u8], declared: Option<&str>, expected: Result<&str, &str>) {
        let found = decode(body, declared);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{declared:?}");
    }

    #[test]
    fn utf_8_is_utf_8() {
        check("\u{feff}½".as_bytes(), None, Ok("½"));
        check("½".as_bytes(), Some("ISO-8859-1"), Ok("½"));
        check(b"\xbd", None, Ok("\u{fffd}"));
    }

    #[test]
    fn western_pages() {
        check(b"\xbd \x80", Some("ISO-8859-1"), Ok("½ €"));
        check(b"<meta charset='windows-1252'>\xbd", None, Ok("<meta charset='windows-1252'>½"));
        check(b"charset=latin1;\xbd", None, Ok("charset=latin1;½"));
    }

    #[test]
    fn others_are_refused() {
        check(b"\xbd", Some("Shift_JIS"), Err("charset shift_jis is not read here"));
    }
}
