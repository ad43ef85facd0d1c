//! Bombs and archives, made by hand where they break the rules of their form.

use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use flate2::{Compression, Crc};
use std::io::Write;

/// 64 MiB of zeros, packed by brotli.
const BROTLI: &str =
    "cfffff7ff82700e2b14020f7fe9ffffffff04f00c4610180eefd3fffffffe19f0088c32200ddfbfffcffffc73f0110870500baf7ff";

/// So many megabytes of zeros.
fn zeros(megabytes: usize) -> impl Iterator<Item = Vec<u8>> {
    std::iter::repeat_n(vec![b'0'; 1_000_000], megabytes)
}

pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).expect("room in memory");
    packer.finish().expect("room in memory")
}

/// So many megabytes of text, packed by gzip.
pub(super) fn gzip_bomb(megabytes: usize) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    zeros(megabytes).for_each(|piece| packer.write_all(&piece).expect("room in memory"));
    packer.finish().expect("room in memory")
}

pub(super) fn zlib_bomb(megabytes: usize) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    zeros(megabytes).for_each(|piece| packer.write_all(&piece).expect("room in memory"));
    packer.finish().expect("room in memory")
}

pub(super) fn brotli_bomb() -> Vec<u8> {
    let pairs = BROTLI.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("digits"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("digits")).collect()
}

/// So many blocks of 128 KiB of one letter, in four bytes each: a frame of zstd.
pub(super) fn zstd_bomb(blocks: u32) -> Vec<u8> {
    // The magic number, no sizes and sums, a window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
    for number in 1..=blocks {
        // Whether it is the last, that one byte is repeated, and how often.
        let head = u32::from(number == blocks) | 1 << 1 | (128 << 10) << 3;
        frame.extend(&head.to_le_bytes()[..3]);
        frame.push(b'x');
    }
    frame
}

/// A frame of zstd that wants a window of so many bytes, as a power of two, for next to nothing.
pub(super) fn zstd_window(power: u8) -> Vec<u8> {
    // One raw block with one byte, the last.
    [&[0x28, 0xb5, 0x2f, 0xfd, 0, (power - 10) << 3][..], &[0b1001, 0, 0, b'x']].concat()
}

/// A tar archive of these members.
pub(super) fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        builder.append(&tar_head(name, content.len() as u64), *content).expect("room in memory");
    }
    builder.into_inner().expect("room in memory")
}

/// The head of one member, whose name may be anything.
pub(super) fn tar_head(name: &str, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

/// A zip archive of these members, each packed.
pub(super) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut index) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(content).expect("room in memory");
        let packed = packer.finish().expect("room in memory");
        let mut sum = Crc::new();
        sum.update(content);
        let fields = zip_fields(sum.sum(), packed.len(), content.len(), name);
        index.push((fields.clone(), archive.len(), *name));
        archive.extend([b"PK\x03\x04", &fields[..], name.as_bytes(), &packed].concat());
    }
    zip_index(archive, &index)
}

/// A zip archive whose members are all the same few bytes, under one name after the other.
pub(super) fn zip_overlapping(count: usize, megabytes: usize) -> Vec<u8> {
    let content: Vec<u8> = zeros(megabytes).flatten().collect();
    let one = zip(&[("0", &content)]);
    let end = one.len() - 22;
    let index_at = u32::from_le_bytes(one[end + 16..end + 20].try_into().expect("four bytes")) as usize;
    let fields = one[4..30].to_vec();
    let index: Vec<_> = (0..count).map(|_| (fields.clone(), 0, "0")).collect();
    zip_index(one[..index_at].to_vec(), &index)
}

/// What stands both before a member and in the index.
fn zip_fields(sum: u32, packed: usize, size: usize, name: &str) -> Vec<u8> {
    let small = |number: usize| u32::try_from(number).expect("a small number").to_le_bytes();
    let name = u16::try_from(name.len()).expect("a short name").to_le_bytes();
    // Version, flags, method, time, date.
    let head = [20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0];
    [&head[..], &sum.to_le_bytes(), &small(packed), &small(size), &name, &[0, 0]].concat()
}

fn zip_index(mut archive: Vec<u8>, members: &[(Vec<u8>, usize, &str)]) -> Vec<u8> {
    let small = |number: usize| u32::try_from(number).expect("a small number").to_le_bytes();
    let at = archive.len();
    for (fields, place, name) in members {
        // No comment, first disk, no attributes, and where the member is.
        let rest = [&[0; 10][..], &small(*place), name.as_bytes()].concat();
        archive.extend([b"PK\x01\x02", &[20, 0][..], fields, &rest].concat());
    }
    let length = archive.len() - at;
    let count = u16::try_from(members.len()).expect("few members").to_le_bytes();
    let end = [b"PK\x05\x06", &[0; 4][..], &count, &count, &small(length), &small(at), &[0, 0]].concat();
    archive.extend(end);
    archive
}
