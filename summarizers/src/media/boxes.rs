//! MP4 and `QuickTime`: what their boxes say of the tracks. Their tags are read with those of sound.

use super::{float, number, seconds};
use crate::image::xmp::{add_new, fill};
use gatherer_pipeline::Draft;

/// Most tracks, and most boxes beside each other.
const TRACKS: usize = 100;
const BOXES: usize = 10_000;

/// Writes how long it is, and what the tracks are.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    fill(
        draft,
        "Format",
        if child(body, *b"ftyp").is_some_and(|kind| kind.starts_with(b"qt")) { "QuickTime" } else { "MP4" },
    );
    let Some(movie) = child(body, *b"moov") else { return draft.complain("no list of tracks found") };
    if let Some(header) = child(movie, *b"mvhd") {
        fill(draft, "Duration", &duration(header).map(seconds).unwrap_or_default());
    }
    let mut counts = [0_usize; 3];
    for (_, track) in children(movie).filter(|(kind, _)| *kind == b"trak").take(TRACKS) {
        write_track(track, &mut counts, draft);
    }
    for (name, count) in ["Video-Tracks", "Audio-Tracks", "Subtitle-Tracks"].into_iter().zip(counts) {
        if count > 0 {
            draft.add(name, &count.to_string());
        }
    }
}

fn write_track(track: &[u8], counts: &mut [usize; 3], draft: &mut Draft) {
    let Some(media) = child(track, *b"mdia") else { return };
    let handler = child(media, *b"hdlr").and_then(|handler| handler.get(8..12)).unwrap_or_default();
    let place = match handler {
        b"vide" => 0,
        b"soun" => 1,
        b"subt" | b"sbtl" | b"text" => 2,
        _ => return,
    };
    counts[place] += 1;
    if place == 0 {
        write_size(track, draft);
    }
    // Descriptions begin with four bytes, how many they are, their length and their kind.
    let table = child(media, *b"minf").and_then(|media| child(media, *b"stbl"));
    let codec = table.and_then(|table| child(table, *b"stsd")).and_then(|table| table.get(12..16));
    add_new(draft, "Codec", String::from_utf8_lossy(codec.unwrap_or_default()).trim());
    if let Some(language) = child(media, *b"mdhd").and_then(language).filter(|language| language != "und") {
        add_new(draft, "Language", &language);
    }
}

/// Width and height stand at the end of the track's header, with 16 bits behind the point.
fn write_size(track: &[u8], draft: &mut Draft) {
    let size = child(track, *b"tkhd").and_then(|header| header.get(header.len().checked_sub(8)?..));
    let Some(&[high, low, _, _, above, below, _, _]) = size else { return };
    let (width, height) = (u16::from_be_bytes([high, low]), u16::from_be_bytes([above, below]));
    if width > 0 && height > 0 {
        fill(draft, "Dimensions", &format!("{width}x{height}"));
    }
}

/// Units of time a second, and how many of them; both are longer in the newer version.
fn duration(header: &[u8]) -> Option<f64> {
    let (scale, length) = match header.first()? {
        0 => (header.get(12..16)?, header.get(16..20)?),
        _ => (header.get(20..24)?, header.get(24..32)?),
    };
    let is_known = length.iter().any(|byte| *byte != 0xff);
    is_known.then(|| float(number(length)) / float(number(scale)))
}

/// Three letters in five bits each.
fn language(header: &[u8]) -> Option<String> {
    let at = if header.first()? == &0 { 20 } else { 32 };
    let code = u16::from_be_bytes(*header.get(at..)?.first_chunk()?);
    let letter = |shift: u16| u8::try_from(code >> shift & 31).ok().and_then(|letter| letter.checked_add(0x60));
    let letters: Vec<u8> = [10, 5, 0].into_iter().filter_map(letter).filter(u8::is_ascii_lowercase).collect();
    String::from_utf8(letters).ok().filter(|language| language.len() == 3)
}

fn child(data: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    children(data).find(|(known, _)| **known == kind).map(|(_, content)| content)
}

/// Boxes beside each other: kind and content.
fn children(mut data: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let next = move || {
        let (length, rest) = data.split_first_chunk::<4>()?;
        let (kind, rest) = rest.split_first_chunk::<4>()?;
        let (content, length) = match u32::from_be_bytes(*length) {
            0 => (rest, u64::MAX),
            1 => {
                let (length, rest) = rest.split_first_chunk::<8>()?;
                (rest, u64::from_be_bytes(*length).checked_sub(16)?)
            }
            length => (rest, u64::from(length).checked_sub(8)?),
        };
        // A box that goes beyond the end has what is there of it.
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(content.len());
        let (content, rest) = content.split_at(length);
        data = rest;
        Some((kind, content))
    };
    std::iter::from_fn(next).take(BOXES)
}
