//! Programs, libraries and object files.

mod java;
mod objects;
mod strings;
#[cfg(test)]
mod tests;
mod wasm;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::collections::HashSet;

pub(crate) const KINDS: &[&str] = &["Binary", "Object"];

/// Most symbols, and the longest one: names of templates grow without end.
const SYMBOLS: usize = 2_000;
const SYMBOL_LIMIT: usize = 500;

/// Symbols, libraries, and the words that stand in the bytes.
pub(crate) struct Binary;

impl Summarizer for Binary {
    fn name(&self) -> &'static str {
        concat!("binary ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        let body = leaf.body;
        // A fat Mach-O and a Java class begin alike; the few architectures of the one are no version of the other.
        let is_class =
            body.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE]) && body.get(6..8).is_some_and(|it| it >= [0, 40].as_slice());
        if body.starts_with(b"\0asm") {
            wasm::write(body, &mut draft);
        } else if is_class {
            java::write(body, &mut draft);
        } else if let Some(format) = named(body) {
            draft.add("Format", format);
        } else {
            objects::write(body, &mut draft);
        }
        if leaf.cut {
            draft.complain("the file breaks off");
        }
        draft.set_text(&strings::strings(body));
        Ok(draft)
    }
}

/// Forms that are only named.
fn named(body: &[u8]) -> Option<&'static str> {
    match body {
        [b'd', b'e', b'x', b'\n', b'0', ..] => Some("Dalvik executable"),
        [b'B', b'C', 0xC0, 0xDE, ..] => Some("LLVM bitcode"),
        // A number that grows with the version of Python, and a line break, so that text mode shows.
        [_, 0x0A..=0x0F | 0xF2 | 0xF3, b'\r', b'\n', ..] => Some("Python bytecode"),
        _ => None,
    }
}

/// Names, each once, in order, up to a limit.
#[derive(Default)]
struct Names {
    kept: Vec<String>,
    known: HashSet<String>,
    has_more: bool,
}

impl Names {
    fn add(&mut self, name: &[u8]) {
        let name = String::from_utf8_lossy(&name[..name.len().min(SYMBOL_LIMIT)]);
        if name.trim().is_empty() || self.known.contains(name.as_ref()) {
            return;
        }
        if self.kept.len() >= SYMBOLS {
            self.has_more = true;
            return;
        }
        self.known.insert(name.clone().into_owned());
        self.kept.push(name.into_owned());
    }

    fn write(&self, attribute: &str, draft: &mut Draft) {
        draft.add(attribute, &self.kept.join("\n"));
        if self.has_more {
            draft.complain(format!("more than {SYMBOLS} lines of {attribute}"));
        }
    }
}
