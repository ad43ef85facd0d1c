//! All records of a view, one after the other: what lies ready as it is, the rest out of the store.

use crate::ready::{Piece, Stock};
use gatherer_store::{Range, Raw, StoreError, View, Walk};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

/// Records on their way out.
pub(crate) struct Supply<'v> {
    view: &'v View<'v>,
    stock: Option<Arc<Stock>>,
    parts: VecDeque<Part>,
    walk: Option<Walk<'v>>,
}

enum Part {
    /// A piece in stock.
    Lying(usize),
    /// To be read out of the store.
    Walked(Range),
}

impl<'v> Supply<'v> {
    /// All records of a range, out of the store.
    pub(crate) fn walked(view: &'v View<'v>, range: Range) -> Self {
        Self { view, stock: None, parts: [Part::Walked(range)].into(), walk: None }
    }

    /// All records, as far as possible out of what was in stock before this view.
    pub(crate) fn stocked(view: &'v View<'v>, stock: Arc<Stock>) -> Result<Self, StoreError> {
        let Some(changed) = stock.changed(view)? else { return Ok(Self::walked(view, Range::all())) };
        let mut parts = VecDeque::new();
        let mut number = 0;
        while number < changed.len() {
            if !changed[number] {
                parts.push_back(Part::Lying(number));
                number += 1;
                continue;
            }
            let run = changed[number..].iter().take_while(|changed| **changed).count();
            parts.push_back(Part::Walked(Range::between(stock.boundary(number), stock.boundary(number + run))));
            number += run;
        }
        Ok(Self { view, stock: Some(stock), parts, walk: None })
    }

    /// Whether some of it lies there packed.
    pub(crate) fn is_packed(&self) -> bool {
        let Some(stock) = &self.stock else { return false };
        self.parts.iter().any(|part| matches!(part, Part::Lying(number) if stock.pieces[*number].sum.is_some()))
    }

    /// The piece that comes next, if it can be sent as it lies.
    pub(crate) fn lying(&self) -> Option<&Piece> {
        match (&self.walk, self.parts.front(), &self.stock) {
            (None, Some(Part::Lying(number)), Some(stock)) => stock.pieces.get(*number),
            _ => None,
        }
    }

    /// Adds the piece that lies there; says how many records are in it.
    pub(crate) fn take(&mut self, out: &mut Vec<u8>) -> io::Result<u64> {
        let (Some(piece), Some(stock)) = (self.lying(), &self.stock) else { return Ok(0) };
        stock.read(piece, out)?;
        let count = piece.count;
        self.parts.pop_front();
        Ok(count)
    }

    /// Shows the next record that has to be read out of the store; nothing if a piece lies there, or nothing more comes.
    pub(crate) fn step<T>(&mut self, show: impl FnOnce(&Raw<'_>) -> io::Result<T>) -> io::Result<Option<T>> {
        loop {
            if let Some(walk) = &mut self.walk {
                if let Some(record) = walk.step().map_err(io::Error::other)? {
                    return show(&record).map(Some);
                }
                self.walk = None;
            }
            let Some(Part::Walked(range)) = self.parts.front() else { return Ok(None) };
            self.walk = Some(self.view.walk(range));
            self.parts.pop_front();
        }
    }
}
