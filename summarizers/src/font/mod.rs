//! Fonts: what they are called, who made them and what they can write.

mod bitmap;
mod sfnt;
#[cfg(test)]
mod tests;
mod type1;
mod woff;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["Font"];

/// First bytes of fonts made of tables.
const SFNT: &[&[u8; 4]] = &[b"\0\x01\0\0", b"OTTO", b"true", b"ttcf"];

/// Names, licence and scripts.
pub(crate) struct Font;

impl Summarizer for Font {
    fn name(&self) -> &'static str {
        concat!("font ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        if leaf.cut {
            draft.complain("the font is cut: some of its tables may be missing");
        }
        match leaf.body {
            body if SFNT.iter().any(|mark| body.starts_with(*mark)) => sfnt::write(leaf, &mut draft),
            body if body.starts_with(b"wOFF") => woff::write(leaf, &mut draft),
            body if body.starts_with(b"wOF2") => {
                draft.add("Format", "WOFF2");
                draft.complain("what a WOFF2 font is called is packed and not read");
            }
            body if body.starts_with(b"\x01fcp") => bitmap::write_compiled(body, &mut draft),
            body if body.starts_with(b"STARTFONT") => bitmap::write(body, &mut draft),
            body if body.starts_with(b"StartFontMetrics") => type1::write_metrics(body, &mut draft),
            // An embedded OpenType font has its mark behind some numbers.
            body if body.get(34..36) == Some(b"LP") => draft.add("Format", "Embedded OpenType"),
            body => {
                let program =
                    type1::program(body).ok_or_else(|| Refusal::Cannot("no known form of a font".to_owned()))?;
                type1::write(program, &mut draft);
            }
        }
        Ok(draft)
    }
}
