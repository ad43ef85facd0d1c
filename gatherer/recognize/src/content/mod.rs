//! The word of the content itself.

mod bytes;
mod containers;
mod lines;
mod markup;
mod structure;
#[cfg(test)]
mod tests;

use crate::tables::{Guess, Tables};
use gatherer_pipeline::{Kind, Vote};

/// So much of a body is looked at as text. The MIME sniffing standard asks for 1,445 bytes at least.
const HEAD: usize = 4 << 10;

/// A kind that the content has at the least, and how that is known.
type General = (&'static str, &'static str);
const TEXT: &[General] = &[("Text", "reads like text")];

/// What the content is, and how it is known.
pub(crate) struct Finding {
    /// What it is.
    pub(crate) kind: Kind,
    /// How it is known.
    because: String,
    /// More lists of kinds in the `refine` table that may make it more exact.
    pub(crate) asides: &'static [&'static str],
    /// What it is at the least, the more exact first.
    general: &'static [General],
    /// What its lines say, if they were asked.
    pub(crate) guess: Option<Guess>,
}

impl Finding {
    fn new(kind: Kind, because: impl Into<String>) -> Self {
        Self { kind, because: because.into(), asides: &[], general: &[], guess: None }
    }

    fn asides(self, asides: &'static [&'static str]) -> Self {
        Self { asides, ..self }
    }

    fn at_least(self, general: &'static [General]) -> Self {
        Self { general, ..self }
    }

    /// It as votes: what it is, then what it is at the least.
    pub(crate) fn votes(&self) -> impl Iterator<Item = Vote> {
        let vote = |kind, because| Vote { voter: "content".to_owned(), kind, because };
        let general = self.general.iter().filter(|(kind, _)| *kind != self.kind.name());
        let general = general.map(move |(kind, because)| vote(Kind::new(*kind), (*because).to_owned()));
        std::iter::once(vote(self.kind.clone(), self.because.clone())).chain(general)
    }
}

/// The beginning of a body as text, as well as it can be read, without a byte order mark.
pub(crate) fn head(body: &[u8]) -> String {
    let head = &body[..body.len().min(HEAD)];
    match head {
        [0xFF, 0xFE, wide @ ..] => from_utf16(wide, u16::from_le_bytes),
        [0xFE, 0xFF, wide @ ..] => from_utf16(wide, u16::from_be_bytes),
        [a, 0, b, 0, c, 0, d, 0, ..] if are_letters([a, b, c, d]) => from_utf16(head, u16::from_le_bytes),
        [0, a, 0, b, 0, c, 0, d, ..] if are_letters([a, b, c, d]) => from_utf16(head, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(head).into_owned(),
    }
}

fn from_utf16(wide: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = wide.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether bytes are ASCII that texts have; with a NUL between each two of them they are UTF-16 without its mark.
fn are_letters(bytes: [&u8; 4]) -> bool {
    bytes.into_iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// What a body is, by its bytes and by their head as text. Nothing is said of an empty one.
pub(crate) fn look(tables: &Tables, head: &str, body: &[u8]) -> Option<Finding> {
    if body.is_empty() {
        return None;
    }
    let text = head.trim_start();
    if let Some((kind, beginning)) = tables.by_beginning(text) {
        let line = beginning.lines().next_back().unwrap_or(beginning);
        let found = Finding::new(kind.clone(), format!("begins with {}", line.trim_start_matches(char::is_control)));
        let textual = tables.may_become(Kind::TEXT.name(), kind) && is_text(head);
        return Some(if textual { found.at_least(TEXT) } else { found });
    }
    // Markup first, as browsers do: a page with a stray control character is still a page.
    if let Some(found) = markup::begin(tables, text) {
        let is_page = found.kind == Kind::HTML && found.asides.is_empty();
        return Some(if is_page || !is_text(head) { found } else { found.at_least(TEXT) });
    }
    let unknown = || Finding::new(Kind::UNKNOWN, "bytes that are no text and no known magic number");
    Some(if is_text(head) {
        lines::text(tables, whole_lines(head, body.len() > HEAD))
    } else {
        bytes::look(tables, head, body).unwrap_or_else(unknown)
    })
}

/// Whether it reads like text: no NUL, and few control characters. (The standard allows none, but old texts
/// have backspaces and files from DOS their end mark.)
fn is_text(head: &str) -> bool {
    let is_control = |c: &char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\x08' | '\x0C' | '\x1B');
    let controls = head.chars().filter(is_control).count();
    !head.contains('\0') && controls * 32 <= head.chars().count()
}

/// A cut head without its last line, of which nobody knows how it goes on.
fn whole_lines(head: &str, cut: bool) -> &str {
    let end = head.rfind('\n').filter(|_| cut).map_or(head.len(), |end| end + 1);
    &head[..end]
}
