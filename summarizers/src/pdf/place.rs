//! Places on a page, and text put together by them.

use super::widths::numeric;
use super::words::Words;
use crate::fold::Gap;
use lopdf::{Document, Object};

/// A gap of this share of the font's size parts words. Kerns are smaller, spaces larger.
pub(super) const WORD_GAP: f64 = 0.1;
/// A step back of this share of the font's size is no kern.
const STEP_BACK: f64 = 1.0;
/// A step up or down of this share of the font's size leaves the line. Indices and exponents move less.
const LINE_GAP: f64 = 0.5;

/// `[a b c d e f]` as in the format: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Default for Matrix {
    fn default() -> Self {
        Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }
}

impl Matrix {
    pub(super) fn moved(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    pub(super) fn from_list(document: &Document, list: &[Object]) -> Self {
        let mut matrix = [0.0; 6];
        for (number, object) in matrix.iter_mut().zip(list) {
            *number = numeric(document, object);
        }
        Self(matrix)
    }

    /// First this one, then the other.
    pub(super) fn then(&self, other: &Self) -> Self {
        let [right_x, right_y, up_x, up_y, offset_x, offset_y] = other.0;
        let turned = |x: f64, y: f64| (x * right_x + y * up_x, x * right_y + y * up_y);
        let (right, up, offset) =
            (turned(self.0[0], self.0[1]), turned(self.0[2], self.0[3]), turned(self.0[4], self.0[5]));
        Self([right.0, right.1, up.0, up.1, offset.0 + offset_x, offset.1 + offset_y])
    }

    /// Where text of this size begins.
    pub(super) fn place(&self, size: f64) -> Place {
        let [right_x, right_y, up_x, up_y, x, y] = self.0;
        let length = right_x.hypot(right_y);
        let (along_x, along_y) = if length > 0.0 { (right_x / length, right_y / length) } else { (1.0, 0.0) };
        let scale = (right_x * up_y - right_y * up_x).abs().sqrt();
        Place { x, y, along_x, along_y, size: (size * scale).abs() }
    }
}

/// A place on the page, the direction of the line there and the size of the letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    x: f64,
    y: f64,
    along_x: f64,
    along_y: f64,
    size: f64,
}

impl Place {
    /// What parts text that ended here from text that begins there.
    fn gap(&self, next: &Self) -> Gap {
        let (x, y) = (next.x - self.x, next.y - self.y);
        let along = x * next.along_x + y * next.along_y;
        let across = (y * next.along_x - x * next.along_y).abs();
        let size = self.size.max(next.size);
        if across > LINE_GAP * size || along < -STEP_BACK * size {
            Gap::Line
        } else if along > WORD_GAP * size {
            Gap::Space
        } else {
            Gap::None
        }
    }

    fn is_near(&self, other: &Self) -> bool {
        (self.x - other.x).hypot(self.y - other.y) < 0.1 * self.size
    }
}

/// The text of the pages.
pub(super) struct Page {
    words: Words,
    /// Where the last piece began and ended, and its text.
    last: Option<(Place, Place, String)>,
}

impl Page {
    pub(super) fn new(limit: usize) -> Self {
        Self { words: Words::new(limit), last: None }
    }

    pub(super) fn is_full(&self) -> bool {
        self.words.is_full()
    }

    /// Adds a piece by its place.
    pub(super) fn add(&mut self, piece: &str, start: Place, end: Place) {
        if piece.is_empty() {
            return;
        }
        let gap = match &self.last {
            // Letters are made bold by showing them twice.
            Some((begun, _, shown)) if shown == piece && begun.is_near(&start) => return,
            Some((_, ended, _)) => ended.gap(&start),
            None => Gap::Line,
        };
        self.words.add(piece, gap);
        self.last = Some((start, end, piece.to_owned()));
    }

    /// Ends a page.
    pub(super) fn end(&mut self) {
        self.words.end();
        self.last = None;
    }

    pub(super) fn into_text(self) -> String {
        self.words.into_text()
    }
}
