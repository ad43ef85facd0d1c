//! Rows of a table that each begin with the name of a flat or a room and say how large it is: "Strandläufer | 45 qm, für 2-4 Personen".

use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::names::clean;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// So many rows of a table have to be made alike.
const LEAST: usize = 2;
/// The longest name, in words.
const LONGEST: usize = 3;
/// A row has so many lines at most.
const LINES: usize = 12;

impl Reader<'_> {
    /// Adds the units that begin such rows; their class is that of the last flat or unit named before.
    pub(crate) fn unit_rows(&self, all: &mut Vec<Mention>) {
        let mut tables: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            if let Some(cell) = layout.cell.filter(|_| self.is_unit_row(line, all)) {
                tables.entry(cell.table).or_default().push(line);
            }
        }
        let mut found = Vec::new();
        for lines in tables.into_values().filter(|lines| lines.len() >= LEAST) {
            let Some(class) = self.unit_before(lines[0], all) else { continue };
            found.extend(lines.into_iter().map(|line| {
                let name = clean(self.page.line(&self.page.lines[line]));
                self.named(line, self.tokens.lines[line].clone(), What::Thing(class), &name)
            }));
        }
        let is_named = |other: &Mention| found.iter().any(|one| one.line == other.line);
        all.retain(|other| !is_named(other));
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// The class of the last unit that is named before a line.
    fn unit_before(&self, line: usize, all: &[Mention]) -> Option<ClassId> {
        let unit = self.domain.rules.counted.first().copied()?;
        let is_unit = |class: &ClassId| self.domain.ontology.is_a(*class, unit);
        let before = || all.iter().rev().filter(|mention| mention.line < line);
        // A flat that a page may be about, rather than one of the rooms in it.
        let is_home = |class: &ClassId| is_unit(class) && self.domain.ontology.class_at(*class).is_focus();
        let home = before().find_map(|mention| mention.class().filter(is_home));
        home.or_else(|| before().find_map(|mention| mention.class().filter(is_unit)))
    }

    /// A bold name that no word explains, beside how large something is and for how many people.
    fn is_unit_row(&self, line: usize, all: &[Mention]) -> bool {
        let layout = &self.page.lines[line];
        let Some(cell) = layout.cell.filter(|cell| cell.column == 1 && !cell.is_head) else { return false };
        let tongue = self.tokens.tongues[line];
        let (lexicon, language) = (self.domain.lexicon(tongue), self.languages.of(tongue));
        let words = &self.tokens.all[self.tokens.lines[line].clone()];
        let is_name = layout.is_strong
            && (1..=LONGEST).contains(&words.len())
            && words.iter().all(|token| token.kind == Kind::Word && token.is_capital)
            && !words.iter().any(|token| lexicon.knows(&token.lower) || language.headings.contains(&*token.lower));
        let own = of_lines(all, line..line + 1);
        let is_known = own.iter().any(|one| one.literal().is_some());
        let in_row = |other: &usize| {
            let place = self.page.lines.get(*other).and_then(|other| other.cell);
            place.is_some_and(|other| (other.table, other.row) == (cell.table, cell.row))
        };
        let row = of_lines(
            all,
            line + 1..(line + 1..line + LINES).take_while(in_row).last().map_or(line + 1, |last| last + 1),
        );
        let is_size = |one: &Mention| one.is_literal(LiteralKind::Area);
        is_name && !is_known && row.iter().any(is_size)
    }
}
