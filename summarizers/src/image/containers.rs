//! Where the formats keep what is no picture.

use super::moment;
use super::tiff::{Tiff, text_of};
use flate2::read::ZlibDecoder;
use std::borrow::Cow;
use std::io::Read;

/// Most texts of one picture, and most bytes of one.
const TEXTS: usize = 100;
const TEXT_LIMIT: usize = 16 << 10;
/// Most bytes of an XMP packet.
const PACKET_LIMIT: usize = 4 << 20;
/// Most pages of a TIFF that are counted.
const PAGES: usize = 10_000;
/// How far into a container of boxes its metadata is looked for.
const BOXES: usize = 16 << 20;

/// What was found.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub(super) xmp: Option<Cow<'a, [u8]>>,
    pub(super) iptc: Option<&'a [u8]>,
    pub(super) exif: Option<&'a [u8]>,
    /// Keys and texts.
    pub(super) texts: Vec<(String, String)>,
    /// How many there are of what.
    pub(super) count: Option<(&'static str, usize)>,
}

impl<'a> Parts<'a> {
    /// Looks where the format keeps them.
    pub(super) fn of(body: &'a [u8]) -> Self {
        let mut parts = Self::default();
        // A file that breaks off gives what came before.
        let _ = match body {
            [0xff, 0xd8, rest @ ..] => parts.jpeg(rest),
            [0x89, b'P', b'N', b'G', _, _, _, _, rest @ ..] => parts.png(rest),
            [b'G', b'I', b'F', b'8', _, b'a', rest @ ..] => parts.gif(rest),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', rest @ ..] => parts.webp(rest),
            [b'8', b'B', b'P', b'S', ..] => parts.photoshop(body),
            [0, 0, 1, 0, low, high, ..] => {
                parts.count = Some(("Images", usize::from(u16::from_le_bytes([*low, *high]))));
                None
            }
            [_, _, _, _, b'f', b't', b'y', b'p', ..] | [0, 0, 0, 12, b'J', b'X', b'L', ..] => parts.boxes(body),
            _ => parts.tiff(body),
        };
        parts
    }

    fn add(&mut self, key: &str, text: &str) {
        if self.texts.len() < TEXTS {
            self.texts.push((key.to_owned(), text.to_owned()));
        }
    }

    fn jpeg(&mut self, mut rest: &'a [u8]) -> Option<()> {
        loop {
            let [0xff, marker, after @ ..] = rest else { return None };
            match marker {
                // Fill bytes, and marks without content.
                0xff => {
                    rest = rest.get(1..)?;
                    continue;
                }
                0x01 | 0xd0..=0xd8 => {
                    rest = after;
                    continue;
                }
                // The picture itself.
                0xd9 | 0xda => return None,
                _ => {}
            }
            let length = usize::from(u16::from_be_bytes(*after.first_chunk()?));
            let (segment, next) = after.split_at_checked(length.max(2))?;
            let content = segment.get(2..)?;
            match marker {
                0xe1 if content.starts_with(b"Exif\0") => self.exif = self.exif.or(content.get(6..)),
                0xe1 => {
                    let packet = content.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0");
                    self.xmp = self.xmp.take().or(packet.map(Cow::Borrowed));
                }
                0xed => drop(self.resources(content.strip_prefix(b"Photoshop 3.0\0").unwrap_or_default())),
                0xfe => self.add("Comment", text_of(content).trim_end_matches('\0')),
                _ => {}
            }
            rest = next;
        }
    }

    /// Blocks of Adobe: `8BIM`, number, name, length, content; names and contents fill even numbers of bytes.
    fn resources(&mut self, mut rest: &'a [u8]) -> Option<()> {
        loop {
            let [b'8', b'B', b'I', b'M', high, low, name, after @ ..] = rest else { return None };
            let name = usize::from(*name);
            let after = after.get(name + usize::from(name % 2 == 0)..)?;
            let (length, after) = after.split_first_chunk()?;
            let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
            let content = after.get(..length)?;
            match u16::from_be_bytes([*high, *low]) {
                0x0404 => self.iptc = self.iptc.or(Some(content)),
                0x0422 => self.exif = self.exif.or(Some(content)),
                0x0424 => self.xmp = self.xmp.take().or(Some(content.into())),
                _ => {}
            }
            rest = after.get(length.checked_add(length % 2)?..)?;
        }
    }

    /// Behind the header and the colours come the blocks.
    fn photoshop(&mut self, body: &'a [u8]) -> Option<()> {
        let (colours, rest) = body.get(26..)?.split_first_chunk()?;
        let rest = rest.get(usize::try_from(u32::from_be_bytes(*colours)).ok()?..)?;
        self.resources(rest.get(4..)?)
    }

    fn png(&mut self, mut rest: &'a [u8]) -> Option<()> {
        loop {
            let (length, after) = rest.split_first_chunk()?;
            let (kind, after) = after.split_first_chunk::<4>()?;
            let (content, after) = after.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
            match kind {
                b"tEXt" => {
                    let (key, text) = split_at_zero(content)?;
                    self.add(&text_of(key), &text_of(text.get(..text.len().min(TEXT_LIMIT))?));
                }
                b"zTXt" => {
                    let (key, text) = split_at_zero(content)?;
                    self.add(&text_of(key), &text_of(&unpacked(text.get(1..)?, TEXT_LIMIT)));
                }
                b"iTXt" => drop(self.international(content)),
                b"eXIf" => self.exif = self.exif.or(Some(content)),
                b"acTL" => {
                    let frames = u32::from_be_bytes(*content.first_chunk()?);
                    self.count = Some(("Frames", usize::try_from(frames).ok()?));
                }
                b"tIME" => {
                    let [high, low, month, day, hour, minute, second] = *content.first_chunk()?;
                    let year = u16::from_be_bytes([high, low]);
                    let date = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
                    self.add("Modified", &moment::iso(&date).unwrap_or_default());
                }
                b"IEND" => return None,
                _ => {}
            }
            rest = after.get(4..)?;
        }
    }

    /// Key, whether it is packed, how, language, key in that language, text.
    fn international(&mut self, content: &'a [u8]) -> Option<()> {
        let (key, rest) = split_at_zero(content)?;
        let ([is_packed, _], rest) = rest.split_first_chunk()?;
        let (_, rest) = split_at_zero(rest)?;
        let (_, text) = split_at_zero(rest)?;
        let is_packet = key == b"XML:com.adobe.xmp";
        let limit = if is_packet { PACKET_LIMIT } else { TEXT_LIMIT };
        let text =
            if *is_packed == 0 { text.get(..text.len().min(limit))?.into() } else { Cow::from(unpacked(text, limit)) };
        if is_packet {
            self.xmp = Some(text);
        } else {
            self.add(&text_of(key), &text_of(&text));
        }
        Some(())
    }

    fn gif(&mut self, rest: &'a [u8]) -> Option<()> {
        let ([_, _, _, _, flags, _, _], rest) = rest.split_first_chunk::<7>()?;
        let mut rest = rest.get(colours(*flags)..)?;
        let mut frames = 0;
        loop {
            self.count = Some(("Frames", frames));
            match rest {
                [0x21, 0xff, 11, after @ ..] if after.starts_with(b"XMP DataXMP") => {
                    // The packet is not in blocks, but made so that those who read blocks get out of it.
                    let packet = after.get(11..)?;
                    let end = packet.windows(14).position(|window| window == b"<?xpacket end=")?;
                    self.xmp = packet.get(..end).map(Cow::Borrowed);
                    rest = blocks(packet, |_| {})?;
                }
                [0x21, 0xfe, after @ ..] => {
                    let mut text = Vec::new();
                    rest =
                        blocks(after, |block| text.extend(block.iter().take(TEXT_LIMIT.saturating_sub(text.len()))))?;
                    self.add("Comment", &text_of(&text));
                }
                [0x21, _, after @ ..] => rest = blocks(after, |_| {})?,
                [0x2c, _, _, _, _, _, _, _, _, flags, after @ ..] => {
                    frames += 1;
                    rest = blocks(after.get(colours(*flags) + 1..)?, |_| {})?;
                }
                _ => return None,
            }
        }
    }

    fn webp(&mut self, mut rest: &'a [u8]) -> Option<()> {
        let mut frames = 0;
        loop {
            let (kind, after) = rest.split_first_chunk::<4>()?;
            let (length, after) = after.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let content = after.get(..length)?;
            match kind {
                b"XMP " => self.xmp = Some(content.into()),
                b"EXIF" => self.exif = Some(content.strip_prefix(b"Exif\0\0").unwrap_or(content)),
                b"ANMF" => frames += 1,
                _ => {}
            }
            self.count = Some(("Frames", frames));
            rest = after.get(length.checked_add(length % 2)?..)?;
        }
    }

    /// Boxes tell by tables of tables where their metadata is; what it begins with is easier to find.
    fn boxes(&mut self, body: &'a [u8]) -> Option<()> {
        let body = body.get(..body.len().min(BOXES))?;
        let find = |what: &[u8]| body.windows(what.len()).position(|window| window == what);
        let exif = find(b"Exif\0\0MM\0*").or_else(|| find(b"Exif\0\0II*\0"));
        self.exif = exif.and_then(|at| body.get(at + 6..));
        // The box of JPEG XL has the name at its beginning and other bytes before the table.
        if self.exif.is_none() {
            let brief = find(b"Exif\0\0\0\0MM\0*").or_else(|| find(b"Exif\0\0\0\0II*\0"));
            self.exif = brief.and_then(|at| body.get(at + 8..));
        }
        let start = find(b"<x:xmpmeta")?;
        let packet = body.get(start..)?;
        let end = packet.windows(12).position(|window| window == b"</x:xmpmeta>")?;
        self.xmp = packet.get(..end + 12).map(Cow::Borrowed);
        Some(())
    }

    fn tiff(&mut self, body: &'a [u8]) -> Option<()> {
        let (tiff, mut place) = Tiff::new(body)?;
        self.exif = Some(body);
        for entry in tiff.table(place) {
            match entry.tag {
                0x02bc => self.xmp = Some(entry.bytes().into()),
                0x83bb => self.iptc = Some(entry.bytes()),
                _ => {}
            }
        }
        for pages in 1..=PAGES {
            self.count = Some(("Pages", pages));
            place = tiff.next(place)?;
        }
        None
    }
}

fn split_at_zero(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// What was packed, up to a limit; what is broken gives what came before.
fn unpacked(packed: &[u8], limit: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(0);
    let _ = ZlibDecoder::new(packed).take(limit).read_to_end(&mut text);
    text
}

/// Bytes of a table of colours.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Goes through blocks, each behind its length, up to the empty one; gives what is behind them.
fn blocks<'a>(mut rest: &'a [u8], mut take: impl FnMut(&'a [u8])) -> Option<&'a [u8]> {
    loop {
        let (length, after) = rest.split_first()?;
        let (block, after) = after.split_at_checked(usize::from(*length))?;
        rest = after;
        if block.is_empty() {
            return Some(rest);
        }
        take(block);
    }
}
