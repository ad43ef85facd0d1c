//! Where a broker stands in the change log of one store.

use crate::filter::Filter;
use gatherer_store::{Production, StoreError, View};
use std::fmt;
use thiserror::Error;

/// Makes another store of what those see who may see everything: a place in one is none in the other.
const EVERYTHING: u64 = 0x5ee5_a11e_5ee5_a11e;

/// A place in the change log. Written as `<store>-<number>`; `0` is the start of every store's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    store: u64,
    pub(crate) number: u64,
}

/// Why a cursor is of no use.
#[derive(Debug, Error)]
pub(crate) enum CursorError {
    #[error("{0:?} is no cursor; 0 begins at the start")]
    Malformed(String),
    #[error("this cursor is of another store, or of other rights; begin again with 0 and drop what is not sent")]
    Elsewhere,
    #[error("this cursor is ahead of the store, which has been put back since; begin again with 0")]
    Ahead,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Cursor {
    /// A place, for somebody who sees this much.
    pub(crate) fn new(production: &Production, filter: &Filter, number: u64) -> Self {
        let mask = if filter.hidden.is_some() { 0 } else { EVERYTHING };
        Self { store: production.identity() ^ mask, number }
    }

    /// The end of the log, as this view sees it, in the same store.
    pub(crate) fn end(self, view: &View<'_>) -> Result<Self, StoreError> {
        Ok(Self { number: view.last_change()?.0, ..self })
    }

    /// Whether the store is still the one that this cursor is of. It becomes another one when somebody may see other things of it.
    pub(crate) fn is_of(self, production: &Production, filter: &Filter) -> bool {
        self.store == Self::new(production, filter, 0).store
    }

    /// Reads a cursor that this store has given out to somebody who sees as much.
    pub(crate) fn read(
        text: &str,
        production: &Production,
        filter: &Filter,
        view: &View<'_>,
    ) -> Result<Self, CursorError> {
        if text == "0" {
            return Ok(Self::new(production, filter, 0));
        }
        let malformed = || CursorError::Malformed(text.to_owned());
        let (store, number) = text.split_once('-').ok_or_else(malformed)?;
        let store = u64::from_str_radix(store, 16).map_err(|_| malformed())?;
        let cursor = Self { store, number: number.parse().map_err(|_| malformed())? };
        if !cursor.is_of(production, filter) {
            return Err(CursorError::Elsewhere);
        }
        if cursor.number > view.last_change()?.0 {
            return Err(CursorError::Ahead);
        }
        Ok(cursor)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.store, self.number)
    }
}
