//! How much a library will make of an old document. It fills rows up to their last cell, copies strings into every
//! cell and goes as deep as records are nested, so that few bytes may ask for more than any machine has.

use super::compound::{long, short};
use std::collections::HashSet;

/// Most records within each other.
const DEPTH: usize = 100;
/// Most cells that a workbook becomes, those that fill rows included.
const CELLS: u64 = 3_000_000;
/// Most bytes that a workbook becomes.
const BYTES: u64 = 256 << 20;

/// Whether the records of a presentation are nested within reason.
pub(super) fn is_shallow(stream: &[u8]) -> bool {
    let (mut at, mut ends) = (0_usize, Vec::new());
    while let (Some(flags), Some(size)) = (short(stream, at), long(stream, at.saturating_add(4))) {
        let content = at.saturating_add(8);
        let end = content.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
        if flags & 15 == 15 {
            ends.push(end);
            at = content;
        } else {
            at = end;
        }
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        if ends.len() > DEPTH {
            return false;
        }
    }
    true
}

/// Whether the records of a workbook become a table within reason.
pub(super) fn is_light(stream: &[u8]) -> bool {
    let (mut cells, mut bytes, mut sheets, mut strings) = (0_u64, 0_u64, HashSet::new(), 0_u64);
    let (mut at, mut is_strings) = (0_usize, false);
    let mut row = (0, 0);
    while let (Some(kind), Some(size)) = (short(stream, at), short(stream, at.saturating_add(2))) {
        let content = at.saturating_add(4);
        let field = |place: usize| short(stream, content.saturating_add(place)).unwrap_or_default();
        match kind {
            // The same sheet again and again would be read again and again.
            0x85 if !sheets.insert(long(stream, content)) => return false,
            // Shared strings, and their continuation.
            0xFC => strings += u64::from(size),
            0x3C if is_strings => strings += u64::from(size),
            // Cells of all kinds.
            0x01..=0x06 | 0xBD | 0xD6 | 0xFD | 0x201..=0x206 | 0x27E | 0x406 => {
                let (here, column) = (field(0), u64::from(field(2)) + u64::from(size) / 6);
                let known = if row.0 == here { row.1 } else { 0 };
                cells += 1 + column.saturating_sub(known);
                row = (here, column.max(known));
                bytes += u64::from(size);
            }
            // A reference may cover an area.
            0x1B8 => {
                let side = |from: usize, to: usize| u64::from(field(to).saturating_sub(field(from))) + 1;
                bytes = bytes.saturating_add(side(0, 2) * side(4, 6) * (u64::from(size) + 100));
            }
            _ => {}
        }
        is_strings = kind == 0xFC || (is_strings && kind == 0x3C);
        at = content.saturating_add(usize::from(size));
    }
    // Every sheet gets a copy of all shared strings; a cell takes some hundred bytes.
    let copies = sheets.len() as u64 + 1;
    cells <= CELLS && bytes.saturating_add(strings.saturating_mul(2).saturating_mul(copies)) <= BYTES
}
