//! Pages as programs: PostScript, and TeX's DVI. Neither is run here.

mod comments;
mod dvi;
pub(crate) mod letters;
#[cfg(test)]
mod tests;
mod text;
mod tokens;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["PostScript", "Dvi"];

/// First bytes of a DVI file: `pre` and the version of the format.
const DVI: &[u8] = &[247, 2];
/// First bytes of an encapsulated program with a picture of itself for programs that cannot run it.
const WITH_PREVIEW: &[u8] = &[0xc5, 0xd0, 0xd3, 0xc6];
/// How far what a printer is told before the program may go.
const PRINTER: usize = 64 << 10;

/// What the comments say, and the text of the pages as far as it can be had without running the program.
pub(crate) struct PostScript;

impl Summarizer for PostScript {
    fn name(&self) -> &'static str {
        concat!("postscript ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        if leaf.body.starts_with(DVI) {
            draft.add("Format", "DVI");
            dvi::Document::read(leaf.body).write(&mut draft);
            return Ok(draft);
        }
        let program = program(leaf.body).ok_or_else(|| Refusal::Cannot("neither PostScript nor DVI".to_owned()))?;
        let first = program.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let is_encapsulated = first.windows(4).any(|window| window == b"EPSF");
        draft.add("Format", if is_encapsulated { "EPS" } else { "PostScript" });
        comments::write(program, &mut draft);
        if leaf.cut {
            draft.complain("the program is cut: pages may be missing");
        }
        let (text, is_full) = text::read(program);
        if is_full {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        draft.set_text(&text);
        Ok(draft)
    }
}

/// The program without what may stand before and behind it.
fn program(body: &[u8]) -> Option<&[u8]> {
    if body.starts_with(WITH_PREVIEW) {
        let number = |place: usize| -> Option<usize> {
            let bytes = body.get(place..place + 4)?;
            usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
        };
        let (start, length) = (number(4)?, number(8)?);
        let program = body.get(start..)?;
        return program.get(..length.min(program.len()));
    }
    let head = body.get(..body.len().min(PRINTER))?;
    let start = head.windows(2).position(|window| window == b"%!")?;
    body.get(start..)
}
