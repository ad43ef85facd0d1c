//! How large the list of members of a 7z archive is. The library unpacks it whole, as large as it says, before anybody
//! can look: so it is looked at here before.

use crate::Trouble;
use gatherer_pipeline::Kind;
use sevenz_rust2::EncoderMethod;

/// Longest list. Ten thousand members take about one MiB.
const LIST_LIMIT: u64 = 2 * 1024 * 1024;
const MAGIC: &[u8] = &[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c];
/// The header at the beginning, behind which the places count.
const START: usize = 32;

// The marks in a packed list, in their order.
const PACKED_LIST: u8 = 0x17;
const PACKED_STREAMS: u8 = 0x06;
const SIZES: u8 = 0x09;
const CHECKSUMS: u8 = 0x0a;
const FOLDERS: u8 = 0x07;
const FOLDER: u8 = 0x0b;
const UNPACKED_SIZES: u8 = 0x0c;
const END: u8 = 0;

/// Whether there is a list, and one that may be unpacked.
pub(super) fn check(kind: &Kind, body: &[u8]) -> Result<(), Trouble> {
    if !body.starts_with(MAGIC) {
        return Err(Trouble::WrongKind(kind.clone()));
    }
    let cut = || Trouble::damaged("it ends before its list of members");
    let number = |place: usize| Some(u64::from_le_bytes(body.get(place..place + 8)?.try_into().ok()?));
    let (offset, size) = number(12).zip(number(20)).ok_or_else(cut)?;
    if size == 0 {
        // Either empty or never finished; the library would search for a list that may lie anywhere.
        let is_empty = body.get(8..12).is_some_and(|sum| sum != [0; 4]);
        return if is_empty { Ok(()) } else { Err(Trouble::damaged("it was never finished")) };
    }
    let begin = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(START));
    let list = begin.zip(usize::try_from(size).ok()).and_then(|(begin, size)| body.get(begin..)?.get(..size));
    let list = list.ok_or_else(cut)?;
    let mut largest = size;
    if list.first() == Some(&PACKED_LIST) {
        let mut fields = Fields { rest: list, is_encrypted: false, coders: 0 };
        largest = fields.largest().ok_or_else(|| Trouble::damaged("its list of members is no list"))?;
        if fields.is_encrypted {
            return Err(Trouble::Encrypted);
        }
        // What is packed twice may unpack to any size in between.
        if fields.coders > 1 {
            return Err(Trouble::NoWay("its list of members is packed by more than one method".to_owned()));
        }
    }
    if largest > LIST_LIMIT {
        return Err(Trouble::NoWay(format!("its list of members takes {largest} bytes")));
    }
    Ok(())
}

struct Fields<'a> {
    rest: &'a [u8],
    is_encrypted: bool,
    /// Of all folders together; a packed list has but one.
    coders: u64,
}

impl Fields<'_> {
    /// The largest of the sizes to which a packed list unpacks on its way through its coders.
    fn largest(&mut self) -> Option<u64> {
        self.expect(PACKED_LIST)?;
        let mut mark = self.byte()?;
        if mark == PACKED_STREAMS {
            self.packed_streams()?;
            mark = self.byte()?;
        }
        (mark == FOLDERS).then_some(())?;
        self.expect(FOLDER)?;
        let folders = self.number()?;
        // The folders stand here, not elsewhere.
        self.expect(0)?;
        let mut outputs = 0_u64;
        for _ in 0..folders {
            outputs = outputs.checked_add(self.folder()?)?;
        }
        self.expect(UNPACKED_SIZES)?;
        (0..outputs).try_fold(0, |largest, _| Some(self.number()?.max(largest)))
    }

    fn packed_streams(&mut self) -> Option<()> {
        self.number()?;
        let streams = self.number()?;
        loop {
            match self.byte()? {
                SIZES => (0..streams).try_for_each(|_| self.number().map(drop))?,
                CHECKSUMS => self.checksums(streams)?,
                END => return Some(()),
                _ => return None,
            }
        }
    }

    fn checksums(&mut self, streams: u64) -> Option<()> {
        let mut defined = streams;
        if self.byte()? == 0 {
            defined = 0;
            for _ in 0..streams.div_ceil(8) {
                defined += u64::from(self.byte()?.count_ones());
            }
        }
        self.skip(defined.checked_mul(4)?)
    }

    /// Reads over a folder; returns how many outputs its coders have.
    fn folder(&mut self) -> Option<u64> {
        let coders = self.number()?;
        let (mut inputs, mut outputs) = (0_u64, 0_u64);
        for _ in 0..coders {
            let flags = self.byte()?;
            let method = self.rest.get(..usize::from(flags & 0x0f))?;
            self.is_encrypted |= method == EncoderMethod::ID_AES256_SHA256;
            self.skip(u64::from(flags & 0x0f))?;
            self.coders += 1;
            let is_simple = flags & 0x10 == 0;
            let (input, output) = if is_simple { (1, 1) } else { (self.number()?, self.number()?) };
            (inputs, outputs) = (inputs.checked_add(input)?, outputs.checked_add(output)?);
            if flags & 0x20 != 0 {
                let size = self.number()?;
                self.skip(size)?;
            }
        }
        let pairs = outputs.checked_sub(1)?;
        (0..pairs.checked_mul(2)?).try_for_each(|_| self.number().map(drop))?;
        let packed = inputs.checked_sub(pairs)?;
        if packed > 1 {
            (0..packed).try_for_each(|_| self.number().map(drop))?;
        }
        Some(outputs)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn expect(&mut self, mark: u8) -> Option<()> {
        (self.byte()? == mark).then_some(())
    }

    fn skip(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// A number whose first byte says, by its leading ones, how many bytes follow.
    fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let mut value = 0;
        for place in 0..8 {
            let mark = 0x80_u8 >> place;
            if first & mark == 0 {
                return Some(value | u64::from(first & mark.wrapping_sub(1)) << (8 * place));
            }
            value |= u64::from(self.byte()?) << (8 * place);
        }
        Some(value)
    }
}
