//! AVI: chunks of RIFF, some of them lists of others.

use super::seconds;
use crate::image::moment;
use crate::image::xmp::{add_new, fill};
use gatherer_pipeline::Draft;

/// Most chunks beside each other, and most streams.
const CHUNKS: usize = 100_000;
const STREAMS: usize = 100;
/// Most bytes of one text.
const TEXT_LIMIT: usize = 10_000;

/// Kinds of texts with the attributes that they become.
const TEXTS: &[(&[u8; 4], &str)] = &[
    (b"INAM", "Title"),
    (b"IART", "Author"),
    (b"ISBJ", "Description"),
    (b"ICMT", "Comment"),
    (b"ICOP", "Copyright"),
    (b"IGNR", "Genre"),
    (b"IKEY", "Keywords"),
    (b"ISFT", "Generator"),
    (b"ICRD", "Created"),
];

/// Writes what the headers and the list of texts say.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "AVI");
    let mut has_header = false;
    for (kind, content) in chunks(body) {
        match (kind, content.split_first_chunk()) {
            (b"LIST", Some((b"hdrl", list))) => {
                has_header = true;
                write_header(list, draft);
            }
            (b"LIST", Some((b"INFO", list))) => write_texts(list, draft),
            _ => {}
        }
    }
    if !has_header {
        draft.complain("no header found");
    }
}

fn write_header(list: &[u8], draft: &mut Draft) {
    let mut streams = 0;
    for (kind, content) in chunks(list) {
        let number = |at: usize| {
            content.get(at..).and_then(|number| number.first_chunk()).map_or(0, |number| u32::from_le_bytes(*number))
        };
        match (kind, content.split_first_chunk()) {
            (b"avih", _) => {
                let (microseconds, frames) = (number(0), number(16));
                fill(draft, "Duration", &seconds(f64::from(microseconds) * f64::from(frames) / 1e6));
                fill(draft, "Dimensions", &format!("{}x{}", number(32), number(36)));
                fill(draft, "Frames", &frames.to_string());
            }
            (b"LIST", Some((b"strl", stream))) if streams < STREAMS => {
                streams += 1;
                write_stream(stream, draft);
            }
            _ => {}
        }
    }
}

fn write_stream(stream: &[u8], draft: &mut Draft) {
    let find = |kind: &[u8; 4]| chunks(stream).find(|(known, _)| *known == kind).map(|(_, content)| content);
    match (find(b"strh"), find(b"strf")) {
        (Some([b'v', b'i', b'd', b's', codec @ ..]), _) => {
            let codec = codec.get(..4).unwrap_or_default();
            add_new(draft, "Codec", String::from_utf8_lossy(codec).trim_matches(['\0', ' ']));
        }
        (Some([b'a', b'u', b'd', b's', ..]), Some([_, _, low, high, a, b, c, d, ..])) => {
            fill(draft, "Channels", &u16::from_le_bytes([*low, *high]).to_string());
            fill(draft, "Sample-Rate", &u32::from_le_bytes([*a, *b, *c, *d]).to_string());
        }
        _ => {}
    }
}

fn write_texts(list: &[u8], draft: &mut Draft) {
    for (kind, content) in chunks(list).take(1_000) {
        let Some((_, name)) = TEXTS.iter().find(|(known, _)| *known == kind) else { continue };
        let text = content.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = String::from_utf8_lossy(text.get(..text.len().min(TEXT_LIMIT)).unwrap_or_default());
        match *name {
            "Created" => fill(draft, name, &moment::iso(&text).unwrap_or_default()),
            name => fill(draft, name, &text),
        }
    }
}

/// Chunks beside each other: kind and content. One that goes beyond the end has what is there of it.
fn chunks(mut data: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let next = move || {
        let (kind, rest) = data.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (content, rest) = rest.split_at(length.min(rest.len()));
        data = rest.get(length % 2..).unwrap_or_default();
        Some((kind, content))
    };
    std::iter::from_fn(next).take(CHUNKS)
}
