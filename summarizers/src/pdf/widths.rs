//! How wide glyphs are, in thousandths of the font's size: what tells a gap between words from a kern.

use lopdf::{Dictionary, Document, Object};

/// Most ranges of one font.
const RANGES: usize = 100_000;
/// Codes of fonts with one-byte codes.
const CODES: usize = 256;

/// Widths of the printable ASCII characters in Helvetica; the fonts that every reader has need not say theirs.
#[rustfmt::skip]
const SANS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// The same in Times.
#[rustfmt::skip]
const SERIF: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
];

/// Widths of a font by code.
#[derive(Debug)]
pub(super) struct Widths {
    /// First code, last code, width; sorted.
    ranges: Vec<(u32, u32, f64)>,
    other: f64,
    /// Width of one unit of the numbers above: a thousandth, but for fonts drawn in the document.
    unit: f64,
}

impl Widths {
    /// Widths of a font with one-byte codes.
    pub(super) fn simple(font: &Dictionary, document: &Document) -> Self {
        let missing = font.get_deref(b"FontDescriptor", document).and_then(Object::as_dict);
        let missing = missing.and_then(|descriptor| descriptor.get_deref(b"MissingWidth", document));
        let other = missing.and_then(Object::as_float).map_or(0.0, f64::from);
        let matrix = font.get_deref(b"FontMatrix", document).and_then(Object::as_array).ok();
        let unit = matrix.and_then(|matrix| matrix.first()).map_or(0.001, |unit| numeric(document, unit).abs());
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else {
            return Self { ranges: standard(font), other: 500.0, unit };
        };
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or(0);
        let first = u32::try_from(first).unwrap_or(0);
        let codes = (first..=u32::MAX).zip(widths).take(CODES);
        Self { ranges: codes.map(|(code, width)| (code, code, numeric(document, width))).collect(), other, unit }
    }

    /// Widths of a font with longer codes: `first [width width ..]` or `first last width`, again and again.
    pub(super) fn wide(descendant: &Dictionary, document: &Document) -> Self {
        let other = descendant.get_deref(b"DW", document).and_then(Object::as_float).map_or(1000.0, f64::from);
        let mut ranges = Vec::new();
        let listed = descendant.get_deref(b"W", document).and_then(Object::as_array);
        let mut listed = listed.map(Vec::as_slice).unwrap_or_default();
        while let [first, second, rest @ ..] = listed {
            if ranges.len() >= RANGES {
                break;
            }
            let first = code(document, first);
            if let Ok((_, Object::Array(widths))) = document.dereference(second) {
                let codes = (first..=u32::MAX).zip(widths).take(RANGES - ranges.len());
                ranges.extend(codes.map(|(code, width)| (code, code, numeric(document, width))));
                listed = rest;
            } else {
                let width = rest.first().map_or(other, |width| numeric(document, width));
                ranges.push((first, code(document, second), width));
                listed = rest.get(1..).unwrap_or_default();
            }
        }
        ranges.sort_by_key(|range| range.0);
        Self { ranges, other, unit: 0.001 }
    }

    /// The width of a code, as a share of the font's size.
    pub(super) fn of(&self, code: u32) -> f64 {
        let place = self.ranges.partition_point(|range| range.0 <= code).checked_sub(1);
        let range = place.and_then(|place| self.ranges.get(place)).filter(|range| code <= range.1);
        range.map_or(self.other, |range| range.2) * self.unit
    }
}

/// Widths of the fonts that every reader has. Of others that do not say theirs they are as good a guess as any.
fn standard(font: &Dictionary) -> Vec<(u32, u32, f64)> {
    let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    if name.contains("courier") {
        return vec![(0, 255, 600.0)];
    }
    let widths = if name.contains("times") || name.contains("roman") { SERIF } else { SANS };
    (32..).zip(widths).map(|(code, width)| (code, code, f64::from(width))).collect()
}

fn code(document: &Document, object: &Object) -> u32 {
    let number = document.dereference(object).ok().and_then(|(_, object)| object.as_i64().ok());
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

/// A number, directly or by reference.
pub(super) fn numeric(document: &Document, object: &Object) -> f64 {
    document.dereference(object).ok().and_then(|(_, object)| object.as_float().ok()).map_or(0.0, f64::from)
}
