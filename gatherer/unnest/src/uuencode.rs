//! Files written as text by `uuencode`: several in one, in the old form and in base64, with any text around them.

use crate::Trouble;
use crate::encodings::base64;
use crate::names::decoded;
use crate::outlet::{Found, Outlet};
use gatherer_pipeline::Kind;

/// The line that begins a file.
struct Begin<'a> {
    is_base64: bool,
    name: &'a [u8],
}

impl<'a> Begin<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let (is_base64, rest) = match line.strip_prefix(b"begin-base64 ") {
            Some(rest) => (true, rest),
            None => (false, line.strip_prefix(b"begin ")?),
        };
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (mode, name) = rest.split_at_checked(space)?;
        let is_mode = (3..=4).contains(&mode.len()) && mode.iter().all(|byte| matches!(byte, b'0'..=b'7'));
        let name = name.trim_ascii();
        (is_mode && !name.is_empty()).then_some(Self { is_base64, name })
    }
}

/// Whether there is exactly one file in it.
pub(crate) fn is_single(body: &[u8]) -> bool {
    lines(body).filter(|line| Begin::read(line).is_some()).take(2).count() == 1
}

fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    if open_all(body, outlet)? { Ok(()) } else { Err(Trouble::WrongKind(kind.clone())) }
}

/// Opens every file that is in the text; false if there is none.
pub(crate) fn open_all(body: &[u8], outlet: &mut Outlet<'_>) -> Result<bool, Trouble> {
    let mut lines = lines(body);
    let mut has_any = false;
    while let Some(line) = lines.next() {
        let Some(begin) = Begin::read(line) else { continue };
        has_any = true;
        let name = decoded(begin.name);
        let content = if begin.is_base64 { base64_file(&mut lines) } else { plain_file(&mut lines) };
        match content {
            Ok(content) => outlet.give(Found::named(name), content)?,
            Err(Bad::Line) => outlet.lose(&name, "damaged: a line of it is not encoded")?,
            Err(Bad::End) => {
                outlet.lose(&name, "damaged: its end is missing")?;
                return Err(Trouble::damaged("it ends within a file"));
            }
        }
    }
    Ok(has_any)
}

enum Bad {
    Line,
    End,
}

fn plain_file<'a>(lines: &mut impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>, Bad> {
    let mut content = Vec::new();
    for line in lines {
        if line == b"end" {
            return Ok(content);
        }
        decode_line(line, &mut content).ok_or(Bad::Line)?;
    }
    Err(Bad::End)
}

/// The first character says how many bytes follow; each other one holds six bits. Blanks at the end may have got lost.
fn decode_line(line: &[u8], content: &mut Vec<u8>) -> Option<()> {
    let value = |byte: u8| matches!(byte, b' '..=b'`').then(|| u32::from(byte - b' ') & 63);
    let Some((first, encoded)) = line.split_first() else { return Some(()) };
    let length = value(*first)? as usize;
    // A line of 63 bytes at most, so this is small.
    let mut bytes = Vec::with_capacity(length + 3);
    for group in 0..length.div_ceil(3) {
        let mut bits = 0;
        for place in 0..4 {
            bits = bits << 6 | value(encoded.get(group * 4 + place).copied().unwrap_or(b' '))?;
        }
        bytes.extend_from_slice(bits.to_be_bytes().get(1..)?);
    }
    content.extend_from_slice(bytes.get(..length)?);
    Some(())
}

fn base64_file<'a>(lines: &mut impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>, Bad> {
    let mut text = Vec::new();
    for line in lines {
        if line == b"====" {
            let (content, is_clean) = base64(&text);
            return if is_clean { Ok(content) } else { Err(Bad::Line) };
        }
        text.extend_from_slice(line);
    }
    Err(Bad::End)
}
