//! The `.Z` files of `compress`: LZW with codes of 9 to 16 bits.
//!
//! Codes are written in groups of eight, so a group of n-bit codes takes n bytes. When the width changes, and at the
//! code that clears the table, the rest of the group is padding. There is no length and no checksum: a file cut at the
//! end of a code cannot be told from a whole one.

use std::io::{self, Read};

const CLEAR: u16 = 256;
const FIRST_WIDTH: u32 = 9;
const LAST_WIDTH: u32 = 16;

/// Whether it begins like a `.Z` file of a width that exists.
pub(crate) fn is_compress(body: &[u8]) -> bool {
    matches!(body, [0x1f, 0x9d, flags, ..] if (FIRST_WIDTH..=LAST_WIDTH).contains(&u32::from(flags & 0x1f)))
}

/// A sequence in the table: an earlier one and one byte more.
#[derive(Clone, Copy, Default)]
struct Sequence {
    before: u16,
    last: u8,
}

pub(crate) struct Lzw<'a> {
    input: &'a [u8],
    /// In bits, from the end of the header.
    position: usize,
    /// Where the present group began, in bits.
    group: usize,
    width: u32,
    widest: u32,
    /// Whether code 256 clears the table; in the very old form it is a sequence like others.
    clears: bool,
    /// Codes 0 to 255 stand for themselves; entries below stay unused.
    table: Vec<Sequence>,
    /// The sequence before, and the first byte of what it stood for.
    previous: Option<(u16, u8)>,
    /// What is to be given next, last byte first.
    pending: Vec<u8>,
}

impl<'a> Lzw<'a> {
    /// Nothing if it does not begin as it should.
    pub(crate) fn new(body: &'a [u8]) -> Option<Self> {
        let (header, input) = body.split_at_checked(3)?;
        let flags = *header.get(2)?;
        is_compress(body).then(|| Self {
            input,
            position: 0,
            group: 0,
            width: FIRST_WIDTH,
            widest: u32::from(flags & 0x1f),
            clears: flags & 0x80 != 0,
            table: Vec::new(),
            previous: None,
            pending: Vec::new(),
        })
    }

    fn first_free(&self) -> usize {
        if self.clears { 257 } else { 256 }
    }

    /// Leaves out the padding behind the present group and begins one of another width.
    fn next_group(&mut self, width: u32) {
        let size = self.width as usize * 8;
        let used = self.position.saturating_sub(self.group);
        self.group = self.group.saturating_add(used.div_ceil(size) * size);
        self.position = self.group;
        self.width = width;
    }

    /// The next code; nothing at the end, where less than a byte of padding may stand.
    fn next_code(&mut self) -> io::Result<Option<u16>> {
        let whole = self.input.len().saturating_mul(8);
        let left = whole.saturating_sub(self.position);
        if left < self.width as usize {
            let rest = self.input.get(self.position / 8..).unwrap_or_default();
            let is_padding = left < 8 && rest.first().is_none_or(|byte| byte >> (self.position % 8) == 0);
            return if is_padding { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        let byte = |offset: usize| u32::from(self.input.get(self.position / 8 + offset).copied().unwrap_or(0));
        let bits = (byte(0) | byte(1) << 8 | byte(2) << 16) >> (self.position % 8);
        self.position += self.width as usize;
        Ok(u16::try_from(bits & ((1 << self.width) - 1)).ok())
    }

    /// Takes one code and puts what it stands for into `pending`. False at the end.
    fn step(&mut self) -> io::Result<bool> {
        let free = self.first_free() + self.table.len();
        if free > (1 << self.width) - 1 && self.width < self.widest {
            self.next_group(self.width + 1);
        }
        let Some(code) = self.next_code()? else { return Ok(false) };
        if code == CLEAR && self.clears {
            self.table.clear();
            self.previous = None;
            self.next_group(FIRST_WIDTH);
            return Ok(true);
        }
        let Some((previous, first)) = self.previous else {
            let Ok(byte) = u8::try_from(code) else { return Err(bad_code(code)) };
            self.pending.push(byte);
            self.previous = Some((code, byte));
            return Ok(true);
        };
        if usize::from(code) > free {
            return Err(bad_code(code));
        }
        // A code that is only now being defined: the sequence before with its own first byte behind it.
        let mut sequence = code;
        if usize::from(code) == free {
            self.pending.push(first);
            sequence = previous;
        }
        let first = self.spell(sequence).ok_or_else(|| bad_code(code))?;
        if free < 1 << self.widest {
            self.table.push(Sequence { before: previous, last: first });
        }
        self.previous = Some((code, first));
        Ok(true)
    }

    /// Puts a sequence into `pending`, last byte first, and returns its first byte. Every sequence refers to an earlier
    /// one, so this ends.
    fn spell(&mut self, mut sequence: u16) -> Option<u8> {
        loop {
            if let Ok(byte) = u8::try_from(sequence) {
                self.pending.push(byte);
                return Some(byte);
            }
            let place = usize::from(sequence).checked_sub(self.first_free())?;
            let entry = self.table.get(place)?;
            self.pending.push(entry.last);
            sequence = entry.before;
        }
    }
}

fn bad_code(code: u16) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the code {code} stands for nothing"))
}

impl Read for Lzw<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        for place in buffer.iter_mut() {
            while self.pending.is_empty() {
                match self.step() {
                    Ok(true) => {}
                    Ok(false) => return Ok(count),
                    // What came before is given first; the same failure comes again at the next call.
                    Err(_) if count > 0 => return Ok(count),
                    Err(error) => return Err(error),
                }
            }
            if let Some(byte) = self.pending.pop() {
                *place = byte;
                count += 1;
            }
        }
        Ok(count)
    }
}
