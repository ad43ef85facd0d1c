//! One gzip member, made of pieces that are packed each for itself: several at once, and each can be kept and sent again.

use flate2::{Compress, Compression, Crc, FlushCompress};
use std::io;

/// How a member begins: deflate, no name, no time, no matter which system.
pub(crate) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// How the packed bytes end: an empty last block.
const LAST_BLOCK: [u8; 2] = [3, 0];

/// A piece, packed. It can be unpacked to its end.
pub(crate) struct Packed {
    pub(crate) bytes: Vec<u8>,
    /// Checksum and length of what is in it.
    pub(crate) sum: Crc,
}

/// Packs a piece. What stands before it is not needed to unpack it.
pub(crate) fn deflate(plain: &[u8]) -> io::Result<Packed> {
    let mut packer = Compress::new(Compression::default(), false);
    let mut bytes = Vec::with_capacity(plain.len() / 2 + 64);
    loop {
        let taken = usize::try_from(packer.total_in()).map_err(io::Error::other)?;
        packer.compress_vec(&plain[taken..], &mut bytes, FlushCompress::Sync).map_err(io::Error::other)?;
        // With room left, all is written: a flush ends when it does not fill what it is given.
        if bytes.len() < bytes.capacity() {
            break;
        }
        bytes.reserve(plain.len() / 4 + 64);
    }
    let mut sum = Crc::new();
    sum.update(plain);
    Ok(Packed { bytes, sum })
}

/// How a member with this content ends.
pub(crate) fn end(sum: &Crc) -> Vec<u8> {
    [&LAST_BLOCK[..], &sum.sum().to_le_bytes(), &sum.amount().to_le_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::GzDecoder;
    use std::io::Read;

    /// Bytes that are hard to pack.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn pieces_make_one_member() {
        let pieces = [b"@UPDATE {\n".to_vec(), noise(200_000), Vec::new(), b"word ".repeat(50_000), b"}\n".to_vec()];
        let (mut member, mut sum) = (HEADER.to_vec(), Crc::new());
        for piece in &pieces {
            let packed = deflate(piece).expect("memory");
            member.extend_from_slice(&packed.bytes);
            sum.combine(&packed.sum);
        }
        member.extend_from_slice(&end(&sum));
        member.extend_from_slice(b"\n499 - behind it\n");
        let mut unpacking = GzDecoder::new(&member[..]);
        let mut plain = Vec::new();
        unpacking.read_to_end(&mut plain).expect("a whole member");
        assert_eq!(plain, pieces.concat());
        assert_eq!(unpacking.into_inner(), b"\n499 - behind it\n");
    }

    #[test]
    fn each_piece_can_be_unpacked_to_its_end() {
        let pieces = [noise(70_000), b"word ".repeat(10_000)];
        let mut member = HEADER.to_vec();
        for (number, piece) in pieces.iter().enumerate() {
            member.extend_from_slice(&deflate(piece).expect("memory").bytes);
            let mut plain = Vec::new();
            let cut = GzDecoder::new(&member[..]).read_to_end(&mut plain);
            assert_eq!((cut.is_err(), plain), (true, pieces[..=number].concat()));
        }
    }
}
