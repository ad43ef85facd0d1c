//! The word of the content itself.

mod lines;
mod markup;

use crate::tables::Tables;
use gatherer_pipeline::{Kind, Vote};

/// So much of a body is looked at as text. The MIME sniffing standard asks for 1,445 bytes at least.
const HEAD: usize = 4 << 10;

/// What the content is, and how it is known.
pub(crate) struct Finding {
    /// What it is.
    pub(crate) kind: Kind,
    /// How it is known.
    pub(crate) because: String,
    /// A second list of kinds in the `refine` table that may make it more exact.
    pub(crate) aside: Option<&'static str>,
}

impl Finding {
    fn new(kind: Kind, because: impl Into<String>) -> Self {
        Self { kind, because: because.into(), aside: None }
    }

    fn aside(self, list: &'static str) -> Self {
        Self { aside: Some(list), ..self }
    }

    /// It as a vote.
    pub(crate) fn vote(&self) -> Vote {
        Vote { voter: "content".to_owned(), kind: self.kind.clone(), because: self.because.clone() }
    }
}

/// The beginning of a body as text, as well as it can be read, without a byte order mark.
pub(crate) fn head(body: &[u8]) -> String {
    let head = &body[..body.len().min(HEAD)];
    match head {
        [0xFF, 0xFE, wide @ ..] => from_utf16(wide, u16::from_le_bytes),
        [0xFE, 0xFF, wide @ ..] => from_utf16(wide, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(head).into_owned(),
    }
}

fn from_utf16(wide: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = wide.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// What a body is, by its bytes and by their head as text. Nothing is said of an empty one.
pub(crate) fn look(tables: &Tables, head: &str, body: &[u8]) -> Option<Finding> {
    if body.is_empty() {
        return None;
    }
    let text = head.trim_start();
    if let Some((kind, beginning)) = tables.by_beginning(text) {
        let line = beginning.lines().next_back().unwrap_or(beginning);
        return Some(Finding::new(kind.clone(), format!("begins with {line}")));
    }
    // Markup first, as browsers do: a page with a stray control character is still a page.
    let otherwise = || if is_text(head) { Some(lines::text(tables, head)) } else { by_magic(tables, head, body) };
    let found = markup::begin(tables, text).or_else(otherwise);
    Some(found.unwrap_or_else(|| Finding::new(Kind::UNKNOWN, "bytes that are no text and no known magic number")))
}

/// Whether it reads like text: no NUL, and few control characters. (The standard allows none, but old texts
/// have backspaces and files from DOS their end mark.)
fn is_text(head: &str) -> bool {
    let is_control = |c: &char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\x08' | '\x0C' | '\x1B');
    let controls = head.chars().filter(is_control).count();
    !head.contains('\0') && controls * 32 <= head.chars().count()
}

fn by_magic(tables: &Tables, head: &str, body: &[u8]) -> Option<Finding> {
    // Readers of PDF forgive what stands before it, so there is such PDF.
    if head.contains("%PDF-") {
        return Some(Finding::new(Kind::new("Pdf"), "%PDF- near the beginning"));
    }
    let media_type = infer::get(body)?.mime_type();
    let kind = tables.by_media_type(media_type)?;
    Some(Finding::new(kind.clone(), format!("magic number of {media_type}")))
}
