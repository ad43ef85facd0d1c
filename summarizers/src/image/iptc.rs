//! Captions of press pictures (IPTC-IIM).

use super::moment;
use super::tiff::text_of;
use super::xmp::fill;
use crate::html;
use gatherer_pipeline::Draft;

/// Most records read.
const RECORDS: usize = 1_000;
/// Most bytes of one value.
const TEXT_LIMIT: usize = 10_000;

/// Writes what the records say.
pub(super) fn write(data: &[u8], draft: &mut Draft) {
    let records: Vec<_> = records(data).take(RECORDS).collect();
    let all = |number: u8| -> Vec<String> {
        let found = records.iter().filter(|(known, _)| *known == number);
        found.map(|(_, value)| text_of(value.get(..value.len().min(TEXT_LIMIT)).unwrap_or_default())).collect()
    };
    fill(draft, "Title", &all(5).join("\n"));
    fill(draft, "Title", &all(105).join("\n"));
    fill(draft, "Description", &all(120).join("\n"));
    fill(draft, "Author", &all(80).join("\n"));
    fill(draft, "Copyright", &all(116).join("\n"));
    fill(draft, "Keywords", &html::keywords(&all(25)));
    let place: Vec<_> = [92, 90, 95, 101].into_iter().flat_map(|number| all(number).into_iter().take(1)).collect();
    fill(draft, "Location", &place.join(", "));
    let date = all(55).into_iter().chain(all(60).into_iter().take(1)).collect::<String>();
    fill(draft, "Created", &moment::compact(&date).unwrap_or_default());
}

/// Numbers and values of the records of a caption.
fn records(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        loop {
            let [0x1c, record, number, high, low, rest @ ..] = data else { return None };
            // Longer values have no text.
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let (value, rest) = rest.split_at_checked(length)?;
            data = rest;
            if *record == 2 {
                return Some((*number, value));
            }
        }
    })
}
