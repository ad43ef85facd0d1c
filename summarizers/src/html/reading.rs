//! The parts of a page whose text is being read: they may lie within each other.

use crate::fold::{Folded, Gap};
use crate::links::{Name, TEXT_LIMIT};

/// A reference and what the page calls it.
#[derive(Debug)]
struct Anchor {
    place: usize,
    text: Folded,
    /// What to call it if it has no text: its tooltip, or what its image shows.
    otherwise: String,
}

/// The anchor, heading and address that are open. Each is one line in the end, and none grows beyond a limit,
/// so a page that never closes them does no harm.
#[derive(Debug, Default)]
pub(super) struct Reading {
    anchor: Option<Anchor>,
    heading: Option<Folded>,
    address: Option<Folded>,
}

impl Reading {
    pub(super) fn begin_anchor(&mut self, place: usize, otherwise: String) {
        self.anchor = Some(Anchor { place, text: Folded::new(TEXT_LIMIT), otherwise });
    }

    /// Calls the open anchor so if nothing better comes.
    pub(super) fn call_anchor(&mut self, otherwise: &str) {
        if let Some(anchor) = self.anchor.as_mut().filter(|anchor| anchor.otherwise.is_empty()) {
            otherwise.clone_into(&mut anchor.otherwise);
        }
    }

    pub(super) fn begin_heading(&mut self) {
        self.heading = Some(Folded::new(TEXT_LIMIT));
    }

    pub(super) fn begin_address(&mut self) {
        self.address = Some(Folded::new(TEXT_LIMIT));
    }

    /// The anchor's place among the references, and its name.
    pub(super) fn end_anchor(&mut self) -> Option<(usize, Name)> {
        let Anchor { place, text, otherwise } = self.anchor.take()?;
        Some((place, Name::new(text.into_text(), &otherwise)))
    }

    pub(super) fn end_heading(&mut self) -> Option<String> {
        let heading = self.heading.take().map(Folded::into_text)?;
        // Many pages put a link to each heading behind it.
        let heading = heading.trim_end_matches(['¶', '§', '#', ' ']);
        (!heading.is_empty()).then(|| heading.to_owned())
    }

    pub(super) fn end_address(&mut self) -> Option<String> {
        self.address.take().map(Folded::into_text).filter(|text| !text.is_empty())
    }

    pub(super) fn push(&mut self, text: &str) {
        self.lines().for_each(|line| line.push(text));
    }

    pub(super) fn gap(&mut self) {
        self.lines().for_each(|line| line.gap(Gap::Space));
    }

    fn lines(&mut self) -> impl Iterator<Item = &mut Folded> {
        let anchor = self.anchor.as_mut().map(|anchor| &mut anchor.text);
        [anchor, self.heading.as_mut(), self.address.as_mut()].into_iter().flatten()
    }
}
