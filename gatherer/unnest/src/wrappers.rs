//! Compression around one thing, or around a tar archive: gzip, bzip2, xz, lzma, zstd and compress.

use crate::budget::{Metered, read_all};
use crate::compress::{Lzw, is_compress};
use crate::names::{decoded, last_part};
use crate::outlet::{Found, Outlet};
use crate::{Document, Trouble, tar};
use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use gatherer_pipeline::{Kind, UnixTime};
use lzma_rust2::{LzmaReader, XzReader};
use std::io::{self, Read};

/// Most streams that may follow each other in one file. Each costs time, even if it is empty.
const STREAM_LIMIT: u32 = 65_536;

const GZIP: &[u8] = &[0x1f, 0x8b];
const BZIP2: &[u8] = b"BZh";
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Bzip2,
    Xz,
    Lzma,
    Zstd,
    Compress,
}

impl Packing {
    /// How a kind is packed, if it is. Only xz and the older lzma share a kind and are told apart by the bytes.
    pub(crate) fn of(kind: &Kind, body: &[u8]) -> Option<Self> {
        match kind.name() {
            "GNUCompressed" | "GNUCompressedTar" => Some(Self::Gzip),
            "Bzip2" | "Bzip2Tar" => Some(Self::Bzip2),
            "Xz" | "XzTar" => Some(if body.starts_with(XZ) { Self::Xz } else { Self::Lzma }),
            "Zstd" | "ZstdTar" => Some(Self::Zstd),
            "Compressed" | "CompressedTar" => Some(Self::Compress),
            _ => None,
        }
    }

    fn begins(self, body: &[u8]) -> bool {
        match self {
            Self::Gzip => body.starts_with(GZIP),
            Self::Bzip2 => body.starts_with(BZIP2),
            Self::Xz => body.starts_with(XZ),
            // Properties, size of the dictionary, length, and the first byte of the coder, which is always 0.
            Self::Lzma => body.first().is_some_and(|properties| *properties < 225) && body.get(13) == Some(&0),
            Self::Zstd => body.starts_with(ZSTD) || is_skippable(body),
            Self::Compress => is_compress(body),
        }
    }
}

/// A zstd frame that holds something for others; real frames follow.
fn is_skippable(body: &[u8]) -> bool {
    matches!(body, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

enum Stream<'a> {
    Gzip(Box<GzDecoder<&'a [u8]>>),
    Bzip2(BzDecoder<&'a [u8]>),
    Xz(Box<XzReader<&'a [u8]>>),
    Lzma(Box<LzmaReader<&'a [u8]>>),
    Zstd(zstd::Decoder<'static, &'a [u8]>),
    Compress(Box<Lzw<'a>>),
}

/// What comes out of all the streams of a file.
struct Unpacked<'a> {
    stream: Stream<'a>,
    streams: u32,
    /// Bytes at the end that belong to no stream.
    ignored: usize,
}

impl<'a> Unpacked<'a> {
    fn new(packing: Packing, kind: &Kind, body: &'a [u8]) -> Result<Self, Trouble> {
        let wrong = || Trouble::WrongKind(kind.clone());
        if !packing.begins(body) {
            return Err(wrong());
        }
        let stream = match packing {
            Packing::Gzip => Stream::Gzip(Box::new(GzDecoder::new(body))),
            Packing::Bzip2 => Stream::Bzip2(BzDecoder::new(body)),
            Packing::Xz => Stream::Xz(Box::new(XzReader::new(body, true))),
            // The dictionary grows with what comes out, which has its limit.
            Packing::Lzma => Stream::Lzma(Box::new(LzmaReader::new_mem_limit(body, u32::MAX, None)?)),
            Packing::Zstd => Stream::Zstd(zstd::Decoder::with_buffer(body)?),
            Packing::Compress => Stream::Compress(Box::new(Lzw::new(body).ok_or_else(wrong)?)),
        };
        Ok(Self { stream, streams: 1, ignored: 0 })
    }

    /// Name and time of the thing inside, where the header has them.
    fn header(&self) -> (Option<String>, Option<UnixTime>) {
        let Stream::Gzip(decoder) = &self.stream else { return (None, None) };
        let Some(header) = decoder.header() else { return (None, None) };
        let name = header.filename().map(|name| last_part(&decoded(name)).to_owned());
        let modified = Some(header.mtime()).filter(|seconds| *seconds > 0);
        (name.filter(|name| !name.is_empty()), modified.map(|seconds| UnixTime(u64::from(seconds))))
    }

    /// Goes on with the stream behind the one that has ended. False if there is none.
    fn next_stream(&mut self) -> io::Result<bool> {
        let (rest, packing) = match &self.stream {
            Stream::Gzip(decoder) => (*decoder.get_ref(), Packing::Gzip),
            Stream::Bzip2(decoder) => (*decoder.get_ref(), Packing::Bzip2),
            // These look for further streams themselves, or know none.
            _ => return Ok(false),
        };
        if !packing.begins(rest) {
            // Zeros are padding, as tapes leave them.
            self.ignored = if rest.iter().all(|byte| *byte == 0) { 0 } else { rest.len() };
            return Ok(false);
        }
        self.streams += 1;
        if self.streams > STREAM_LIMIT {
            return Err(io::Error::other(Trouble::damaged(format!("more than {STREAM_LIMIT} streams in a row"))));
        }
        match &mut self.stream {
            Stream::Gzip(decoder) => drop(decoder.reset(rest)),
            _ => self.stream = Stream::Bzip2(BzDecoder::new(rest)),
        }
        Ok(true)
    }

    /// What was left aside, if anything.
    fn complaint(&self) -> Option<String> {
        (self.ignored > 0).then(|| format!("{} bytes behind its end are no part of it", self.ignored))
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = match &mut self.stream {
                Stream::Gzip(decoder) => decoder.read(buffer)?,
                Stream::Bzip2(decoder) => decoder.read(buffer)?,
                Stream::Xz(decoder) => decoder.read(buffer)?,
                Stream::Lzma(decoder) => decoder.read(buffer)?,
                Stream::Zstd(decoder) => decoder.read(buffer)?,
                Stream::Compress(decoder) => decoder.read(buffer)?,
            };
            if count > 0 || buffer.is_empty() || !self.next_stream()? {
                return Ok(count);
            }
        }
    }
}

/// Unpacks one thing, or a tar archive in one go if the kind says so and it is one.
pub(crate) fn open(
    packing: Packing,
    document: &Document<'_>,
    may_be_tar: bool,
    outlet: &mut Outlet<'_>,
) -> Result<(), Trouble> {
    let budget = outlet.budget;
    let mut stream = Metered { inner: Unpacked::new(packing, document.kind, document.body)?, budget };
    let mut body = Vec::new();
    let mut result = Ok(());
    if may_be_tar {
        result = read_all(&mut Read::by_ref(&mut stream).take(tar::BLOCK as u64), &mut body);
        if tar::is_tar(&body) {
            tar::open_paid(document.kind, &mut body.as_slice().chain(&mut stream), outlet)?;
            // The checksum of the whole comes last.
            io::copy(&mut stream, &mut io::sink())?;
            return Ok(());
        }
    }
    let result = result.and_then(|()| read_all(&mut stream, &mut body));
    let (name, modified) = stream.inner.header();
    let complaint = match result {
        Ok(()) => stream.inner.complaint(),
        // Half a text is better than none, but nobody shall take it for the whole.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !body.is_empty() => {
            Some("cut: only its beginning could be unpacked".to_owned())
        }
        Err(error) => return Err(error.into()),
    };
    let name = name.unwrap_or_else(|| name_inside(document.name));
    outlet.give_paid(Found { name, modified, complaint, ..Found::default() }, body)
}

/// The name of what is inside, by the name of what it is wrapped in.
fn name_inside(wrapped: &str) -> String {
    const ENDINGS: &[(&str, &str)] = &[
        (".tgz", ".tar"),
        (".tbz2", ".tar"),
        (".tbz", ".tar"),
        (".txz", ".tar"),
        (".tzst", ".tar"),
        (".taz", ".tar"),
        (".gz", ""),
        (".bz2", ""),
        (".xz", ""),
        (".lzma", ""),
        (".zst", ""),
        (".z", ""),
    ];
    let last = last_part(wrapped);
    let lower = last.to_ascii_lowercase();
    for (ending, instead) in ENDINGS {
        let stem = lower.strip_suffix(ending).and_then(|stem| last.get(..stem.len()));
        if let Some(stem) = stem.filter(|stem| !stem.is_empty()) {
            return format!("{stem}{instead}");
        }
    }
    if last.is_empty() { "content".to_owned() } else { last.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::name_inside;

    #[test]
    fn what_is_inside_is_named_after_its_wrapper() {
        for (wrapped, expected) in [
            ("a/b/notes.txt.gz", "notes.txt"),
            ("NOTES.TXT.Z", "NOTES.TXT"),
            ("x.tgz", "x.tar"),
            ("x.tar.bz2", "x.tar"),
            ("plain", "plain"),
            (".gz", ".gz"),
            ("", "content"),
            ("/", "content"),
        ] {
            assert_eq!(name_inside(wrapped), expected, "{wrapped:?}");
        }
    }
}
