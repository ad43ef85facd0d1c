//! Bytes to characters, and plain text to lines.

use super::{Line, Page, Region, Role, TEXT_LIMIT};
use encoding_rs::{Encoding, UTF_8};

/// How far into a page its own word about its charset is looked for.
const HEAD: usize = 2048;

/// A document as characters.
#[derive(Debug)]
pub struct Source {
    /// The document.
    pub text: String,
    /// Whether it looks like text at all.
    pub is_text: bool,
}

/// Decodes a document: byte order mark, then what the sender says, then what the page says, then what fits.
pub fn decode(bytes: &[u8], charset: Option<&str>) -> Source {
    let named = charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None => {
            named.or_else(|| declared(bytes)).filter(|encoding| fits(encoding, bytes)).unwrap_or_else(|| guess(bytes))
        }
    };
    let (text, _, _) = encoding.decode(bytes);
    let sample = text.chars().take(4096);
    let (strange, all) = sample.fold((0, 0), |(strange, all), character| {
        let control = character.is_control() && !character.is_whitespace();
        (strange + usize::from(control || character == '\u{fffd}'), all + 1)
    });
    Source { is_text: strange * 20 <= all, text: text.into_owned() }
}

/// What the page says of itself.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_lowercase();
    let (_, after) = head.split_once("charset")?;
    let after = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let label =
        after.split(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | ':')).next()?;
    Encoding::for_label(label.as_bytes())
}

/// A page that claims UTF-8 and is none was saved by a program that did not look.
fn fits(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    encoding != UTF_8 || std::str::from_utf8(bytes).is_ok()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(1 << 16)], true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// Plain text as a page.
pub(super) fn plain(source: &str) -> Page {
    let mut page = Page::default();
    let (mut paragraph, mut place) = (0, 0_u32);
    for raw in source.split_inclusive('\n') {
        if page.text.len() + raw.len() > TEXT_LIMIT {
            page.is_cut = true;
            break;
        }
        let trimmed = raw.trim();
        let indent = raw.chars().take_while(|character| character.is_whitespace()).count();
        let start = page.text.len();
        let mut at = place + u32::try_from(indent).unwrap_or(u32::MAX);
        for character in trimmed.chars() {
            page.text.push(character);
            page.places.extend(std::iter::repeat_n(at, character.len_utf8()));
            page.widths.extend(std::iter::repeat_n(1, character.len_utf8()));
            at += 1;
        }
        place += u32::try_from(raw.chars().count()).unwrap_or(u32::MAX);
        if trimmed.is_empty() {
            paragraph += 1;
            continue;
        }
        let is_title = page.lines.is_empty() && trimmed.chars().count() < 80;
        let role = if is_title { Role::Title } else { Role::Text };
        page.lines.push(line(start..page.text.len(), role, paragraph));
        page.text.push('\n');
        page.places.push(at);
        page.widths.push(1);
    }
    page
}

/// A line with nothing special about it.
pub(super) fn line(span: std::ops::Range<usize>, role: Role, paragraph: u32) -> Line {
    Line {
        span,
        role,
        region: Region::Main,
        is_strong: false,
        is_brand: false,
        strong_until: None,
        cell: None,
        list: None,
        paragraph,
        block: None,
        links: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charset_is_what_fits() {
        let check = |bytes: &[u8], charset, expected: &str| assert_eq!(decode(bytes, charset).text, expected);
        check("Küche".as_bytes(), None, "Küche");
        check(b"K\xfcche", Some("iso-8859-1"), "Küche");
        check(
            b"<meta charset=utf-8>K\xfcche und Zimmer f\xfcr G\xe4ste",
            None,
            "<meta charset=utf-8>Küche und Zimmer für Gäste",
        );
        check(b"\xef\xbb\xbfx", Some("latin1"), "x");
    }

    #[test]
    fn binary_junk_is_no_text() {
        assert!(!decode(&[0, 1, 2, 3, 0, 0, 7, 8, 0, 1], None).is_text);
        assert!(decode(b"", None).is_text);
    }

    #[test]
    fn plain_text_begins_with_its_title() {
        let page = plain("  Hotel Anker\n\nWir sind\nein Haus.\n");
        let lines: Vec<_> = page.lines.iter().map(|line| (page.line(line), line.role, line.paragraph)).collect();
        let expected = [("Hotel Anker", Role::Title, 0), ("Wir sind", Role::Text, 1), ("ein Haus.", Role::Text, 1)];
        assert_eq!(lines, expected);
        assert_eq!(page.place(&(0..5)), 2..7);
    }
}
