//! Matroska and `WebM`: elements with numbers, some of them within others.

use super::{float, number, seconds};
use crate::fold::Folded;
use crate::image::xmp::{add_new, fill};
use gatherer_pipeline::Draft;
use jiff::{SignedDuration, Timestamp};

/// Most tracks, tags and attachments; most chapters; most elements beside each other.
const ITEMS: usize = 300;
const CHAPTERS: usize = 2_000;
const ELEMENTS: usize = 1_000_000;
/// Most bytes of one text.
const TEXT_LIMIT: usize = 4_000;
/// Seconds from 1970 to 2001, where the format begins to count.
const EPOCH: i64 = 978_307_200;

const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1f43_b675;

/// Tags with the attributes that they become.
const TAGS: &[(&str, &str)] = &[
    ("TITLE", "Title"),
    ("ARTIST", "Author"),
    ("DIRECTOR", "Author"),
    ("AUTHOR", "Author"),
    ("ALBUM", "Album"),
    ("GENRE", "Genre"),
    ("COMMENT", "Comment"),
    ("DESCRIPTION", "Description"),
    ("SUMMARY", "Description"),
    ("SYNOPSIS", "Description"),
    ("COPYRIGHT", "Copyright"),
    ("KEYWORDS", "Keywords"),
    ("PUBLISHER", "Publisher"),
];

/// Writes what the segment says before and behind its pictures and sounds.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    let kind = find(body, 0x1a45_dfa3).and_then(|header| find(header, 0x4282)).map(text);
    draft.add("Format", if kind.as_deref() == Some("webm") { "WebM" } else { "Matroska" });
    let Some(segment) = find(body, SEGMENT) else { return draft.complain("no segment found") };
    if let Some(info) = find(segment, 0x1549_a966) {
        write_info(info, draft);
    }
    for track in all(find(segment, 0x1654_ae6b).unwrap_or_default(), 0xae).take(ITEMS) {
        write_track(track, draft);
    }
    write_tags(find(segment, 0x1254_c367).unwrap_or_default(), draft);
    draft.add("Headings", &names_of_chapters(find(segment, 0x1043_a770).unwrap_or_default()).join("\n"));
    let files = all(find(segment, 0x1941_a469).unwrap_or_default(), 0x61a7).take(ITEMS);
    let files: Vec<_> = files.filter_map(|file| find(file, 0x466e)).map(text).collect();
    draft.add("Attachments", &files.join("\n"));
}

fn write_info(info: &[u8], draft: &mut Draft) {
    fill(draft, "Title", &find(info, 0x7ba9).map(text).unwrap_or_default());
    let scale = find(info, 0x002a_d7b1).map_or(1_000_000, number);
    let length = find(info, 0x4489).and_then(floating).unwrap_or(0.0);
    fill(draft, "Duration", &seconds(length * float(scale) / 1e9));
    for program in [0x5741, 0x4d80] {
        add_new(draft, "Generator", &find(info, program).map(text).unwrap_or_default());
    }
    let made = find(info, 0x4461).and_then(|date| date.first_chunk()).map(|date| i64::from_be_bytes(*date));
    let epoch = Timestamp::from_second(EPOCH).unwrap_or(Timestamp::UNIX_EPOCH);
    let made = made.and_then(|made| epoch.checked_add(SignedDuration::from_nanos(made)).ok());
    fill(draft, "Created", &made.map(|made| format!("{made:.0}")).unwrap_or_default());
}

fn write_track(track: &[u8], draft: &mut Draft) {
    add_new(draft, "Codec", &find(track, 0x86).map(text).unwrap_or_default());
    let language = find(track, 0x0022_b59d).or_else(|| find(track, 0x0022_b59c)).map(text);
    if let Some(language) = language.filter(|language| language != "und") {
        add_new(draft, "Language", &language);
    }
    add_new(draft, "Track-Names", &find(track, 0x536e).map(text).unwrap_or_default());
    if let Some(video) = find(track, 0xe0) {
        let (width, height) = (find(video, 0xb0).map_or(0, number), find(video, 0xba).map_or(0, number));
        fill(draft, "Dimensions", &format!("{width}x{height}"));
    }
    if let Some(audio) = find(track, 0xe1) {
        let rate = find(audio, 0xb5).and_then(floating).unwrap_or(8000.0);
        fill(draft, "Sample-Rate", &format!("{rate:.0}"));
        fill(draft, "Channels", &find(audio, 0x9f).map_or(1, number).to_string());
    }
}

fn write_tags(tags: &[u8], draft: &mut Draft) {
    let simple = all(tags, 0x7373).take(ITEMS).flat_map(|tag| all(tag, 0x67c8).take(ITEMS));
    for tag in simple.take(ITEMS) {
        let name = find(tag, 0x45a3).map(text).unwrap_or_default().to_uppercase();
        let value = find(tag, 0x4487).map(text).unwrap_or_default();
        match TAGS.iter().find(|(known, _)| *known == name) {
            Some((_, name @ ("Author" | "Keywords"))) => add_new(draft, name, &value),
            Some((_, name)) => fill(draft, name, &value),
            None => {}
        }
    }
}

/// Names of chapters, in order; a chapter may have others within.
fn names_of_chapters(chapters: &[u8]) -> Vec<String> {
    let mut next: Vec<&[u8]> = all(chapters, 0x45b9).take(CHAPTERS).collect();
    next.reverse();
    let mut names = Vec::new();
    while let Some(chapter) = next.pop()
        && names.len() < CHAPTERS
    {
        names.extend(find(chapter, 0x80).and_then(|display| find(display, 0x85)).map(text));
        let inner: Vec<_> = all(chapter, 0xb6).take(CHAPTERS).collect();
        next.extend(inner.into_iter().rev());
    }
    names
}

fn text(bytes: &[u8]) -> String {
    Folded::line(String::from_utf8_lossy(bytes).trim_end_matches('\0'), TEXT_LIMIT)
}

fn floating(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_be_bytes(*bytes.first_chunk()?))),
        _ => Some(f64::from_be_bytes(*bytes.first_chunk()?)),
    }
}

fn find(data: &[u8], id: u32) -> Option<&[u8]> {
    all(data, id).next()
}

fn all(data: &[u8], id: u32) -> impl Iterator<Item = &[u8]> {
    elements(data).filter(move |(known, _)| *known == id).map(|(_, content)| content)
}

/// Elements beside each other: number and content. One that does not say its length, or goes beyond the end, has all
/// that is there; clusters of live recordings do not say theirs, and nothing of interest comes behind them.
fn elements(mut data: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let next = move || {
        let (id, _, rest) = variable(data, 4)?;
        let id = u32::try_from(id).ok()?;
        let (length, is_unknown, rest) = variable(rest, 8).map(|(raw, size, rest)| {
            let value = raw & !(1 << (7 * size));
            (value, value == (1 << (7 * size)) - 1, rest)
        })?;
        if is_unknown && id == CLUSTER {
            return None;
        }
        let length =
            if is_unknown { rest.len() } else { usize::try_from(length).unwrap_or(usize::MAX).min(rest.len()) };
        let (content, rest) = rest.split_at(length);
        data = rest;
        Some((id, content))
    };
    std::iter::from_fn(next).take(ELEMENTS)
}

/// A number that tells by its leading zeros how many bytes it has: with its mark, its bytes, and what is behind it.
fn variable(data: &[u8], most: usize) -> Option<(u64, usize, &[u8])> {
    let size = usize::try_from(data.first()?.leading_zeros()).ok()? + 1;
    let (bytes, rest) = data.split_at_checked(size).filter(|_| size <= most)?;
    Some((number(bytes), size, rest))
}
