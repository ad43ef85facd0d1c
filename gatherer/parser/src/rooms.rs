//! Rooms with names of their own: what stands over "A double room on the first floor", or before "is a double room".

use crate::layout::Role;
use crate::mentions::{Article, Mention, Reader, What};
use crate::names::clean;
use crate::roles::meet;
use crate::tokens::Kind;
use std::ops::Range;

/// The longest name, in words.
const LONGEST: usize = 4;
/// The kind of room stands at most so many words behind its name, or behind the beginning of the line under it.
const NEAR: usize = 6;

impl Reader<'_> {
    /// Gives rooms the names that they are introduced with.
    pub(crate) fn named_rooms(&self, all: &mut Vec<Mention>) {
        let Some(unit) = self.domain.rules.counted.first().copied() else { return };
        for line in 0..self.page.lines.len() {
            let Some((name, behind)) = self.room_name(line) else { continue };
            let near = behind..behind + NEAR;
            let is_room = |mention: &Mention| {
                let is_unit = matches!(mention.what, What::Thing(class) if self.domain.ontology.is_a(class, unit));
                is_unit
                    && mention.name.is_none()
                    && mention.article == Article::Indefinite
                    && near.contains(&mention.tokens.start)
            };
            let Some(room) = all.iter().position(is_room) else { continue };
            all[room].name = Some(clean(&self.page.text[self.span(name.clone())]));
            all.retain(|mention| !meet(&mention.tokens, &name));
        }
    }

    /// The name of a room that a line is, or begins with, and where it is said what kind of room that is.
    fn room_name(&self, line: usize) -> Option<(Range<usize>, usize)> {
        let layout = &self.page.lines[line];
        let is_over = matches!(layout.role, Role::Heading(2..=6)) || layout.is_strong && layout.role == Role::Text;
        let until = if is_over { layout.span.end } else { layout.strong_until? };
        let name = self.tokens.up_to(self.tokens.lines[line].clone(), until)?;
        let words = &self.tokens.all[name.clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_name = (2..=LONGEST).contains(&words.len())
            && words.iter().all(|token| token.kind == Kind::Word && token.is_capital)
            && words.last().is_some_and(|last| language.has("rooms", &last.lower));
        let behind = if is_over { self.tokens.lines.get(line + 1)?.start } else { name.end };
        is_name.then_some((name, behind))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    #[test]
    fn rooms_have_the_names_that_they_are_introduced_with() {
        let page = |rooms: &str| {
            format!("<title>Lime House</title><h1>Lime House</h1><p>Our bed and breakfast has two rooms.</p>{rooms}")
        };
        for rooms in [
            "<h3>Church Room</h3><p>A double room on the first floor with a bath. £105 per night.</p>",
            "<ul><li><b>The Church Room</b> is a double room with a bath. £105 per night</li></ul>",
        ] {
            let xml = read(&page(rooms)).to_xml();
            let room = xml.split("type=\"Doppelzimmer\"").nth(1).expect("a room");
            assert!(room.contains("Church Room</name>") && room.contains(">105.00 GBP<"), "{xml}");
        }
    }
}
