//! The properties of documents in compound files: sets of numbered values.

use super::compound::{Compound, long, short};
use super::properties::{authors, count, date, keywords};
use encoding_rs::{Encoding, UTF_8, UTF_16LE, WINDOWS_1252};
use gatherer_pipeline::Draft;
use jiff::Timestamp;

/// Most properties of a set.
const PROPERTIES: usize = 200;
/// Most bytes of a property.
const LIMIT: usize = 10_000;
/// From 1601 to 1970.
const SECONDS_TO_1970: i64 = 11_644_473_600;

/// Writes what both sets say.
pub(super) fn write(file: &Compound<'_>, draft: &mut Draft) {
    for (stream, write_one) in [
        ("\u{5}SummaryInformation", summary as fn(u32, &str, &mut Draft)),
        ("\u{5}DocumentSummaryInformation", document_summary),
    ] {
        for (number, value) in file.stream(stream).map(|set| properties(&set)).unwrap_or_default() {
            write_one(number, &value, draft);
        }
    }
}

fn summary(number: u32, value: &str, draft: &mut Draft) {
    match number {
        2 => draft.add("Title", value),
        3 => draft.add("Subject", value),
        4 => authors(value, draft),
        5 => keywords(value, draft),
        6 => draft.add("Description", value),
        8 => draft.add("Modified-By", value),
        12 => draft.add("Created", &date(value)),
        13 => draft.add("Modified", &date(value)),
        14 => count("Pages", value, draft),
        15 => count("Words", value, draft),
        18 => draft.add("Generator", value),
        _ => {}
    }
}

fn document_summary(number: u32, value: &str, draft: &mut Draft) {
    match number {
        2 => draft.add("Category", value),
        14 => draft.add("Manager", value),
        15 => draft.add("Company", value),
        _ => {}
    }
}

/// The values of the first section of a set, by their numbers.
fn properties(set: &[u8]) -> Vec<(u32, String)> {
    let start = long(set, 44).and_then(|start| usize::try_from(start).ok());
    let Some(section) = start.and_then(|start| set.get(start..)) else { return Vec::new() };
    let places = (0..PROPERTIES).map_while(|index| {
        let at = 8 + 8 * index;
        Some((long(section, at)?, usize::try_from(long(section, at + 4)?).ok()?))
    });
    let number = long(section, 4).and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
    let places: Vec<_> = places.take(number).collect();
    let page = places.iter().find(|(number, _)| *number == 1).and_then(|(_, at)| short(section, at.checked_add(4)?));
    let encoding = encoding(page.unwrap_or(1252));
    places.into_iter().filter_map(|(number, at)| Some((number, value(section, at, encoding)?))).collect()
}

/// A value as text: strings of two kinds, numbers, moments.
fn value(section: &[u8], at: usize, encoding: &'static Encoding) -> Option<String> {
    let content = at.checked_add(4)?;
    match short(section, at)? {
        2 => short(section, content).map(|number| number.to_string()),
        3 => long(section, content).map(|number| number.to_string()),
        0x1E => Some(text(string(section, content, 1)?, encoding)),
        0x1F => Some(text(string(section, content, 2)?, UTF_16LE)),
        0x40 => {
            let ticks = u64::from(long(section, content)?) | u64::from(long(section, content.checked_add(4)?)?) << 32;
            let seconds = i64::try_from(ticks / 10_000_000).ok()?.checked_sub(SECONDS_TO_1970)?;
            Timestamp::from_second(seconds).ok().map(|moment| moment.to_string())
        }
        _ => None,
    }
}

/// The bytes of a string of so many units.
fn string(section: &[u8], at: usize, unit: usize) -> Option<&[u8]> {
    let length = usize::try_from(long(section, at)?).ok()?.checked_mul(unit)?.min(LIMIT);
    let start = at.checked_add(4)?;
    section.get(start..start.checked_add(length)?.min(section.len()))
}

fn text(bytes: &[u8], encoding: &'static Encoding) -> String {
    let text = encoding.decode_without_bom_handling(bytes).0;
    text.split('\0').next().unwrap_or_default().to_owned()
}

/// The charset of a code page of Windows.
pub(crate) fn encoding(page: u16) -> &'static Encoding {
    match page {
        65001 => UTF_8,
        1200 => UTF_16LE,
        10000 => encoding_rs::MACINTOSH,
        20866 => encoding_rs::KOI8_R,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        932 => encoding_rs::SHIFT_JIS,
        874 => encoding_rs::WINDOWS_874,
        866 => encoding_rs::IBM866,
        page => Encoding::for_label(format!("windows-{page}").as_bytes()).unwrap_or(WINDOWS_1252),
    }
}
