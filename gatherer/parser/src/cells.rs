//! Units by the words before them: "Loch view room" in a cell, "Classic Double from £140" in a line.

use crate::language::Tongue;
use crate::layout::Role;
use crate::lexicon::Concept;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::Kind;

impl Reader<'_> {
    /// "Loch view room" alone in a cell is what the unit is called.
    pub(crate) fn whole_cells(&self, all: &mut Vec<Mention>) {
        let mut place = 0;
        while place < all.len() {
            let mention = &all[place];
            let line = &self.page.lines[mention.line];
            let range = self.tokens.lines[mention.line].clone();
            let is_cell =
                line.cell.is_some() || matches!(line.role, Role::Term) || matches!(line.role, Role::Heading(3..=6));
            let is_countable = mention.class().is_some_and(|class| {
                self.domain.rules.counted.first().is_some_and(|unit| self.domain.ontology.is_a(class, *unit))
            });
            let ends = mention.tokens.start > range.start && self.ends_name(mention.tokens.end, range.end);
            let is_priced = self.is_priced_line(mention, all);
            let tongue = self.tokens.tongues[mention.line];
            // "The Garden Suite"
            let is_the = |at: usize| at < mention.tokens.start && &*self.tokens.all[at].lower == "the";
            let first = range.start + usize::from(is_the(range.start));
            let words = &self.tokens.all[first..mention.tokens.start];
            let is_plain = words.len() <= 3
                && words.iter().all(|token| {
                    token.kind == Kind::Word
                        && !self.languages.of(tongue).classes.contains_key(&*token.lower)
                        && !self.languages.of(tongue).numbers.contains_key(&*token.lower)
                });
            if (is_cell && ends || is_priced && mention.tokens.start > range.start)
                && is_countable
                && is_plain
                && tongue == Tongue::English
                && mention.name.is_none()
            {
                let lemma = words
                    .iter()
                    .map(|token| &*token.lower)
                    .chain([mention.lemma.as_str()])
                    .collect::<Vec<_>>()
                    .join(" ");
                let (number, end) = (mention.line, mention.span.end);
                let own = mention.span.clone();
                all[place].lemma = lemma;
                all.retain(|other| other.line != number || other.span == own || other.span.start >= end);
            }
            place += 1;
        }
    }

    /// "Family" under "Single" and "Double" in the first column of a table of prices: a family room.
    pub(crate) fn short_units(&self, all: &mut Vec<Mention>) {
        let Some(unit) = self.domain.rules.counted.first().copied() else { return };
        let is_unit = |mention: &Mention| mention.class().is_some_and(|class| self.domain.ontology.is_a(class, unit));
        let first = |line: usize| self.page.lines[line].cell.filter(|cell| cell.column == 1);
        let tables: Vec<_> =
            all.iter().filter(|mention| is_unit(mention)).filter_map(|mention| first(mention.line)).collect();
        let mut found = Vec::new();
        for line in 0..self.page.lines.len() {
            let range = self.tokens.lines[line].clone();
            let Some(cell) = first(line).filter(|_| range.len() == 1) else { continue };
            let is_beside = tables.iter().any(|other| other.table == cell.table && other.row != cell.row);
            let has_unit = of_lines(all, line..line + 1).iter().any(is_unit);
            if !is_beside || has_unit {
                continue;
            }
            let whole = format!("{} room", self.tokens.all[range.start].lower);
            let mut entries = self.domain.lexicon(self.tokens.tongues[line]).entries.iter();
            let Some(entry) = entries.find(|entry| entry.lemma == whole) else { continue };
            if let Concept::Thing(class) = entry.concept {
                let mut mention = self.mention(line, self.span(range.clone()), range.clone(), What::Thing(class));
                mention.lemma = whole;
                found.push(mention);
            }
        }
        all.retain(|other| !found.iter().any(|one: &Mention| one.line == other.line));
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// Whether a name ends here: with its line, or before what the unit comes with.
    fn ends_name(&self, place: usize, end: usize) -> bool {
        place == end
            || matches!(&*self.tokens.all[place].lower, "en" | "en-suite" | "ensuite" | "with" | "," | "(" | "–" | "-")
    }

    /// "Classic Double from £140": a unit and its price, and nothing else.
    fn is_priced_line(&self, mention: &Mention, all: &[Mention]) -> bool {
        let range = self.tokens.lines[mention.line].clone();
        let price = all.iter().find(|other| {
            other.line == mention.line && other.is_literal(LiteralKind::Money) && other.span.start > mention.span.end
        });
        let is_lead = |place: usize| {
            matches!(&*self.tokens.all[place].lower, "from" | ":" | "-" | "–" | "at" | "." | "room" | "en" | "suite")
        };
        self.page.lines[mention.line].role == Role::Text
            && range.len() <= 12
            && price.is_some_and(|price| (mention.tokens.end..price.tokens.start).all(is_lead))
    }
}
