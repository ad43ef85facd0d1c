//! What a camera writes into its pictures (EXIF).

use super::moment;
use super::tiff::{Entry, Tiff};
use super::xmp::{fill, split_at_semicolons};
use crate::html;
use gatherer_pipeline::Draft;

/// Tags of the tables within the first one.
const PICTURE: u16 = 0x8769;
const PLACE: u16 = 0x8825;

/// What to do with the picture to see it upright, by numbers from 2 on.
#[rustfmt::skip]
const ORIENTATIONS: [&str; 7] = [
    "mirror", "rotate 180", "mirror, rotate 180", "mirror, rotate 270", "rotate 90", "mirror, rotate 90", "rotate 270",
];

/// Writes what the tables say.
pub(super) fn write(data: &[u8], draft: &mut Draft) {
    let Some((tiff, first)) = Tiff::new(data) else { return draft.complain("the camera's data cannot be read") };
    let main = tiff.table(first);
    let inner = |tag: u16| {
        let place = main.iter().find(|entry| entry.tag == tag).and_then(Entry::whole);
        place.and_then(|place| usize::try_from(place).ok()).map(|place| tiff.table(place)).unwrap_or_default()
    };
    write_words(&main, draft);
    write_picture(&inner(PICTURE), draft);
    write_place(&inner(PLACE), draft);
}

fn find<'e, 'a>(table: &'e [Entry<'a>], tag: u16) -> Option<&'e Entry<'a>> {
    table.iter().find(|entry| entry.tag == tag)
}

fn text(table: &[Entry<'_>], tag: u16) -> String {
    find(table, tag).map(Entry::text).unwrap_or_default().trim().to_owned()
}

fn number(table: &[Entry<'_>], tag: u16) -> Option<f64> {
    find(table, tag).and_then(|entry| entry.numbers().first().copied()).filter(|number| number.is_finite())
}

fn write_words(table: &[Entry<'_>], draft: &mut Draft) {
    let wide = |tag: u16| find(table, tag).map(Entry::wide_text).unwrap_or_default();
    fill(draft, "Title", &wide(0x9c9b));
    fill(draft, "Description", &text(table, 0x010e));
    fill(draft, "Description", &wide(0x9c9c));
    fill(draft, "Author", &text(table, 0x013b));
    fill(draft, "Author", &wide(0x9c9d));
    fill(draft, "Keywords", &html::keywords(&[split_at_semicolons(&wide(0x9c9e))]));
    fill(draft, "Copyright", &text(table, 0x8298));
    fill(draft, "Generator", &text(table, 0x0131));
    let (maker, model) = (text(table, 0x010f), text(table, 0x0110));
    let knows_maker = model.to_lowercase().starts_with(&maker.to_lowercase());
    draft.add("Camera", &if knows_maker { model } else { format!("{maker} {model}") });
    let orientation = find(table, 0x0112).and_then(Entry::whole).and_then(|number| usize::try_from(number).ok());
    let orientation = orientation.and_then(|number| ORIENTATIONS.get(number.checked_sub(2)?));
    draft.add("Orientation", orientation.copied().unwrap_or_default());
    fill(draft, "Modified", &date(&text(table, 0x0132), ""));
}

fn write_picture(table: &[Entry<'_>], draft: &mut Draft) {
    let taken = date(&text(table, 0x9003), &text(table, 0x9011));
    fill(draft, "Created", &taken);
    fill(draft, "Created", &date(&text(table, 0x9004), &text(table, 0x9012)));
    draft.add("Lens", &text(table, 0xa434));
    let time = number(table, 0x829a).filter(|time| *time > 0.0).map(|time| match time {
        short if short < 0.3 => format!("1/{:.0} s", 1.0 / short),
        long => format!("{} s", rounded(long, 1)),
    });
    let aperture = number(table, 0x829d).map(|aperture| format!("f/{}", rounded(aperture, 1)));
    let speed = number(table, 0x8827).map(|speed| format!("ISO {speed}"));
    let length = number(table, 0x920a).map(|length| format!("{} mm", rounded(length, 1)));
    draft.add("Exposure", &[time, aperture, speed, length].into_iter().flatten().collect::<Vec<_>>().join(", "));
}

fn write_place(table: &[Entry<'_>], draft: &mut Draft) {
    for (name, reference, negative) in [("Latitude", 1, "S"), ("Longitude", 3, "W")] {
        let parts = find(table, reference + 1).map(Entry::numbers).unwrap_or_default();
        let degrees: f64 = parts.iter().take(3).zip([1.0, 60.0, 3600.0]).map(|(part, unit)| part / unit).sum();
        let sign = if text(table, reference) == negative { -1.0 } else { 1.0 };
        if !parts.is_empty() && degrees.is_finite() {
            draft.add(name, &rounded(sign * degrees, 6));
        }
    }
    let below = find(table, 5).and_then(Entry::whole) == Some(1);
    if let Some(altitude) = number(table, 6) {
        draft.add("Altitude", &rounded(if below { -altitude } else { altitude }, 1));
    }
}

/// A number with at most so many places, without zeros at its end.
fn rounded(number: f64, places: usize) -> String {
    let number = format!("{number:.places$}");
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `2024:05:01 12:00:00` and perhaps a zone.
fn date(text: &str, zone: &str) -> String {
    let Some((day, time)) = text.split_once(' ') else { return String::new() };
    moment::iso(&format!("{}T{time}{zone}", day.replace(':', "-"))).unwrap_or_default()
}
