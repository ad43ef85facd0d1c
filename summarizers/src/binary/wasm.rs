//! WebAssembly modules: the names that they import and export.

use super::Names;
use gatherer_pipeline::Draft;

/// Writes imports and exports.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    // Components have another layer in the upper half of their version.
    let is_component = body.get(6..8).is_some_and(|layer| layer != [0, 0]);
    draft.add("Format", if is_component { "WebAssembly component" } else { "WebAssembly module" });
    draft.add("Architecture", "wasm");
    if is_component {
        return;
    }
    let (mut exports, mut imports) = (Names::default(), Names::default());
    let mut rest = Bytes(body.get(8..).unwrap_or_default());
    let mut is_whole = true;
    while is_whole && !rest.0.is_empty() {
        is_whole = section(&mut rest, &mut imports, &mut exports).is_some();
    }
    if !is_whole {
        draft.complain("the module cannot be read to its end");
    }
    exports.write("Symbols", draft);
    imports.write("Imported-Symbols", draft);
}

/// Sections give their sizes, so unknown ones are passed over.
fn section(rest: &mut Bytes<'_>, imports: &mut Names, exports: &mut Names) -> Option<()> {
    let id = rest.byte()?;
    let size = rest.number()?;
    let mut content = Bytes(rest.take(size)?);
    match id {
        2 => read_imports(&mut content, imports),
        7 => read_exports(&mut content, exports),
        _ => Some(()),
    }
}

fn read_exports(content: &mut Bytes<'_>, exports: &mut Names) -> Option<()> {
    for _ in 0..content.number()? {
        let length = content.number()?;
        exports.add(content.take(length)?);
        content.byte()?;
        content.number()?;
    }
    Some(())
}

fn read_imports(content: &mut Bytes<'_>, imports: &mut Names) -> Option<()> {
    for _ in 0..content.number()? {
        let length = content.number()?;
        let module = content.take(length)?;
        let length = content.number()?;
        let name = content.take(length)?;
        imports.add(&[module, b".", name].concat());
        match content.byte()? {
            // A function: its type.
            0 => content.number().map(drop)?,
            // A table: type of its elements, then limits; a memory: limits.
            sort @ (1 | 2) => {
                if sort == 1 {
                    content.byte()?;
                }
                let has_maximum = content.byte()? & 1 == 1;
                content.number()?;
                if has_maximum {
                    content.number()?;
                }
            }
            // A global: type and whether it changes.
            3 => content.take(2).map(drop)?,
            // A tag.
            4 => content.take(1).and_then(|_| content.number()).map(drop)?,
            _ => return None,
        }
    }
    Some(())
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).ok();
            }
        }
        None
    }
}
