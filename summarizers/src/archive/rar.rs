//! RAR archives of the fourth and fifth version, by their headers.

use super::streams::varint;
use super::{Members, little};
use gatherer_pipeline::Draft;

/// Writes the members, as far as their headers are not encrypted.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    let mut found = Found::default();
    let is_fifth = body.get(6..8) == Some(&[1, 0]);
    draft.add("Format-Version", if is_fifth { "5" } else { "4" });
    let mut at = if is_fifth { 8 } else { 7 };
    while !found.is_done && at < body.len() {
        let rest = body.get(at..).unwrap_or_default();
        let next = if is_fifth { found.fifth(rest) } else { found.fourth(rest) };
        match next.filter(|next| *next > 0) {
            Some(next) => at = at.saturating_add(next),
            None => break,
        }
    }
    found.members.write(draft);
    if found.is_encrypted {
        draft.add("Encrypted", "yes");
    }
    if !found.is_done {
        draft.complain("the archive cannot be read to its end");
    }
}

#[derive(Default)]
struct Found {
    members: Members,
    is_encrypted: bool,
    is_done: bool,
}

impl Found {
    /// Checksum, type, flags and size; the length of what follows stands behind them if a flag says so.
    fn fourth(&mut self, block: &[u8]) -> Option<usize> {
        let (kind, flags, size) = (*block.get(2)?, little(block, 3, 2)?, little(block, 5, 2)?);
        let mut length = size;
        match kind {
            // The archive itself; all behind it is encrypted.
            0x73 if flags & 0x80 != 0 => (self.is_encrypted, self.is_done) = (true, true),
            0x74 => {
                length = length.checked_add(little(block, 7, 4)?)?;
                self.is_encrypted |= flags & 0x04 != 0;
                let is_large = flags & 0x100 != 0;
                let name = usize::try_from(little(block, 26, 2)?).ok()?;
                let start = if is_large { 40 } else { 32 };
                let bytes = block.get(start..start + name)?;
                // A second form of the name, packed, stands behind a zero.
                let bytes = bytes.split(|byte| *byte == 0).next()?;
                self.members.add(bytes, little(block, 11, 4)?);
                if is_large {
                    length = length.checked_add(little(block, 32, 4)? << 32)?;
                }
            }
            0x7B => self.is_done = true,
            _ if flags & 0x8000 != 0 => length = length.checked_add(little(block, 7, 4)?)?,
            _ => {}
        }
        usize::try_from(length).ok()
    }

    /// Checksum, size, type and flags, all but the first of them in groups of seven bits.
    fn fifth(&mut self, block: &[u8]) -> Option<usize> {
        let mut rest = block.get(4..)?;
        let size = varint(&mut rest)?;
        let header = block.len() - rest.len();
        let (kind, flags) = (varint(&mut rest)?, varint(&mut rest)?);
        if flags & 1 != 0 {
            varint(&mut rest)?;
        }
        let data = if flags & 2 != 0 { varint(&mut rest)? } else { 0 };
        match kind {
            2 => self.file(rest)?,
            4 => (self.is_encrypted, self.is_done) = (true, true),
            5 => self.is_done = true,
            _ => {}
        }
        usize::try_from((header as u64).checked_add(size)?.checked_add(data)?).ok()
    }

    fn file(&mut self, mut rest: &[u8]) -> Option<()> {
        let flags = varint(&mut rest)?;
        let size = varint(&mut rest)?;
        varint(&mut rest)?;
        // The time of change and the checksum take four bytes each.
        let skipped = 4 * (usize::from(flags & 2 != 0) + usize::from(flags & 4 != 0));
        rest = rest.get(skipped..)?;
        varint(&mut rest)?;
        varint(&mut rest)?;
        let length = usize::try_from(varint(&mut rest)?).ok()?;
        let (name, extra) = rest.split_at_checked(length)?;
        self.members.add(name, if flags & 8 != 0 { 0 } else { size });
        // The first record of what is extra: one is encryption.
        self.is_encrypted |= matches!(extra, [_, 1, ..]);
        Some(())
    }
}
