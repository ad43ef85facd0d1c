//! Which container it is, by its first bytes.

/// The forms of containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Ar,
    Cabinet,
    Cpio,
    Gzip,
    Iso,
    Lzip,
    Lzma,
    Rar,
    Rpm,
    SevenZip,
    Shell,
    Tar,
    Uuencoded,
    Xz,
    Zip,
    Zstd,
    /// One that is only named.
    Named(&'static str),
}

impl Format {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ar => "ar",
            Self::Cabinet => "Cabinet",
            Self::Cpio => "cpio",
            Self::Gzip => "gzip",
            Self::Iso => "ISO 9660",
            Self::Lzip => "lzip",
            Self::Lzma => "LZMA",
            Self::Rar => "RAR",
            Self::Rpm => "RPM",
            Self::SevenZip => "7z",
            Self::Shell => "shar",
            Self::Tar => "tar",
            Self::Uuencoded => "uuencode",
            Self::Xz => "xz",
            Self::Zip => "zip",
            Self::Zstd => "Zstandard",
            Self::Named(name) => name,
        }
    }
}

/// Forms by the bytes at a place. The first that fits counts.
#[rustfmt::skip]
const MARKS: &[(usize, &[u8], Format)] = &[
    (0, b"PK\x03\x04", Format::Zip),
    (0, b"PK\x05\x06", Format::Zip),
    (0, b"Cr24", Format::Zip),
    (257, b"ustar", Format::Tar),
    (0, &[0x1F, 0x8B], Format::Gzip),
    (0, b"BZh", Format::Named("bzip2")),
    (0, b"BZ3v1", Format::Named("bzip3")),
    (0, &[0xFD, b'7', b'z', b'X', b'Z', 0], Format::Xz),
    (0, &[0x28, 0xB5, 0x2F, 0xFD], Format::Zstd),
    (0, b"LZIP", Format::Lzip),
    (0, &[0x04, 0x22, 0x4D, 0x18], Format::Named("LZ4")),
    (0, &[0x1F, 0x9D], Format::Named("compress")),
    (0, &[b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C], Format::SevenZip),
    (0, b"Rar!\x1A\x07", Format::Rar),
    (0, b"!<arch>\n", Format::Ar),
    (0, b"07070", Format::Cpio),
    (0, &[0xC7, 0x71], Format::Named("cpio (binary)")),
    (0, b"MSCF", Format::Cabinet),
    (0, &[0xED, 0xAB, 0xEE, 0xDB], Format::Rpm),
    (0x8001, b"CD001", Format::Iso),
    (2, b"-lh", Format::Named("LHA")),
    (2, b"-lz", Format::Named("LHA")),
    (0, &[0x60, 0xEA], Format::Named("ARJ")),
    (20, &[0xDC, 0xA7, 0xC4, 0xFD], Format::Named("ZOO")),
    (0, b"SIT!", Format::Named("StuffIt")),
    (0, b"StuffIt", Format::Named("StuffIt")),
    (0, b"(This file must be converted with BinHex", Format::Named("BinHex")),
    (0, &[0x5D, 0, 0], Format::Lzma),
    (0, &[0x1A, 0x08], Format::Named("ARC")),
    (0, &[0x1A, 0x09], Format::Named("ARC")),
];

/// The form whose mark the bytes have.
pub(super) fn recognize(body: &[u8]) -> Option<Format> {
    let has =
        |(place, mark, _): &&(usize, &[u8], Format)| body.get(*place..).is_some_and(|rest| rest.starts_with(mark));
    MARKS.iter().find(has).map(|(_, _, format)| *format)
}
