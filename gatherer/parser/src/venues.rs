//! Where something happens, if only a label or a day beside it tells that a name is that of a place.

use crate::halls::put;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::names::clean;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
use std::collections::HashSet;
use std::ops::Range;

/// The longest name, in tokens.
const LONGEST: usize = 7;
/// The longest head of a column, in tokens.
const LONGEST_HEAD: usize = 3;

impl Reader<'_> {
    /// "Victoria Hall" alone in the line under a day: that is where it happens.
    pub(crate) fn venue_lines(&self, all: &mut Vec<Mention>) {
        let Some(class) = self.domain.rules.venue else { return };
        let language = self.languages.of(Tongue::English);
        let mut found = Vec::new();
        for line in 1..self.page.lines.len() {
            let range = self.tokens.lines[line].clone();
            let is_day =
                |mention: &Mention| mention.is_literal(LiteralKind::Date) || mention.is_literal(LiteralKind::Period);
            let under_day = of_lines(all, line - 1..line).iter().any(is_day);
            if let Some(mention) = self.venue_with_street(line, class, all) {
                found.push(mention);
                continue;
            }
            let is_free = of_lines(all, line..line + 1).iter().all(|mention| {
                mention.literal().is_none()
                    && mention.name.is_none()
                    && !mention.flags.name
                    && !matches!(mention.what, What::Place(_))
            });
            let tokens = &self.tokens.all[range.clone()];
            let is_name = (2..=5).contains(&tokens.len())
                && tokens.iter().all(|token| {
                    token.kind == Kind::Word && token.is_capital
                        || matches!(&*token.lower, "'" | "’" | "of" | "the" | "&")
                })
                && !tokens.iter().any(|token| language.headings.contains(&*token.lower));
            let is_text = self.page.lines[line].role == Role::Text && self.tokens.tongues[line] == Tongue::English;
            if under_day && is_free && is_name && is_text {
                let name = clean(self.page.line(&self.page.lines[line]));
                found.push(self.named(line, range, What::Thing(class), &name));
            }
        }
        put(found, all);
    }

    /// "Alte Seifenfabrik, Gerberstraße 14" in one of the lines under a day.
    fn venue_with_street(&self, line: usize, class: ClassId, all: &[Mention]) -> Option<Mention> {
        let is_day = |mention: &Mention| mention.is_literal(LiteralKind::Date);
        let day = of_lines(all, line.saturating_sub(2)..line).iter().rfind(|mention| is_day(mention))?.line;
        let is_headed = (day + 1..line).any(|over| matches!(self.page.lines[over].role, Role::Heading(_)));
        if is_headed || self.page.lines[line].role != Role::Text {
            return None;
        }
        let range = self.tokens.lines[line].clone();
        let own = of_lines(all, line..line + 1);
        let tokens = self.venue_at(line, range.start, own)?;
        let is_comma = self.tokens.all.get(tokens.end).is_some_and(|token| &*token.lower == ",");
        let has_street = own.iter().any(|mention| {
            mention.is_literal(LiteralKind::Street) && mention.tokens.start == tokens.end + 1 && tokens.len() > 1
        });
        let name = clean(&self.page.text[self.span(tokens.clone())]);
        (is_comma && has_street).then(|| self.named(line, tokens, What::Thing(class), &name))
    }

    /// "Venue: The Assembly Rooms, 3 Bridge Street", "8 June, 7pm, at Harlow Mill".
    pub(crate) fn venue_names(&self, all: &mut Vec<Mention>) {
        let Some(class) = self.domain.rules.venue else { return };
        let mut found = Vec::new();
        let columns = self.venue_columns();
        let mut cleared = HashSet::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            if matches!(layout.role, Role::Title | Role::Keywords | Role::Image | Role::Description) {
                continue;
            }
            let own = of_lines(all, line..line + 1);
            if let Some(tokens) = self.venue_in_column(line, &columns, own) {
                cleared.insert(line);
                let name = clean(&self.page.text[self.span(tokens.clone())]);
                found.push(self.named(line, tokens, What::Thing(class), &name));
                continue;
            }
            let start = self.behind_venue_label(line).or_else(|| self.behind_at(line, own));
            let Some(tokens) = start.and_then(|start| self.venue_at(line, start, own)) else { continue };
            let name = clean(&self.page.text[self.span(tokens.clone())]);
            found.push(self.named(line, tokens, What::Thing(class), &name));
        }
        all.retain(|other| !cleared.contains(&other.line));
        put(found, all);
    }

    /// The columns of tables whose heads ask where.
    fn venue_columns(&self) -> HashSet<(u32, u32)> {
        let mut columns = HashSet::new();
        let mut last = None;
        for (line, layout) in self.page.lines.iter().enumerate() {
            let Some(cell) = layout.cell else { continue };
            let is_first = last != Some(cell.table) || cell.row == 1;
            last = Some(cell.table);
            let words = &self.tokens.all[self.tokens.lines[line].clone()];
            let venues = &self.languages.of(self.tokens.tongues[line]).venues;
            if (is_first || cell.is_head)
                && cell.column > 1
                && words.len() <= LONGEST_HEAD
                && words.iter().any(|token| venues.contains(&*token.lower))
            {
                columns.insert((cell.table, cell.column));
            }
        }
        columns
    }

    /// "20 Uhr | Serenade | Schlosshof" under "Ort": what stands there is the name of a place, whatever else it may be elsewhere.
    fn venue_in_column(&self, line: usize, columns: &HashSet<(u32, u32)>, own: &[Mention]) -> Option<Range<usize>> {
        let layout = &self.page.lines[line];
        layout.cell.filter(|cell| !cell.is_head && columns.contains(&(cell.table, cell.column)))?;
        let language = self.languages.of(self.tokens.tongues[line]);
        let range = self.tokens.lines[line].clone();
        let token = |at: usize| &self.tokens.all[at];
        let is_small = |at: &usize| language.is_small(&token(*at).lower);
        let start = range.clone().find(|at| !is_small(at))?;
        let is_end = |at: &usize| matches!(&*token(*at).lower, "," | "(" | ";" | "/");
        let end = (start..range.end).find(is_end).unwrap_or(range.end);
        let is_known = |mention: &Mention| match &mention.what {
            What::Literal(kind, _) => *kind != LiteralKind::Street,
            What::Thing(_) | What::Place(_) | What::Value(..) => true,
            What::Agent(_) | What::Free => false,
        };
        let venues = &language.venues;
        let is_name = start < end
            && end - start <= LONGEST
            && token(start).is_capital
            && !(start..end).any(|at| venues.contains(&*token(at).lower))
            && !own.iter().any(is_known);
        is_name.then_some(start..end)
    }

    /// The first token behind a label that asks where: in the line itself, its term, or the head of its row.
    fn behind_venue_label(&self, line: usize) -> Option<usize> {
        let range = self.tokens.lines[line].clone();
        let tokens = &self.tokens.all[range.clone()];
        let venues = &self.languages.of(self.tokens.tongues[line]).venues;
        let colon = tokens.iter().take(4).position(|token| &*token.lower == ":").filter(|colon| *colon > 0);
        if let Some(colon) = colon {
            let asks = tokens[..colon].iter().any(|token| venues.contains(&*token.lower));
            return asks.then_some(range.start + colon + 1);
        }
        let layout = &self.page.lines[line];
        let before = line.checked_sub(1)?;
        let other = &self.page.lines[before];
        let in_row = layout.cell.zip(other.cell).is_some_and(|(own, head)| {
            own.table == head.table && own.row == head.row && head.column == 1 && own.column == 2
        });
        let is_label = layout.role == Role::Definition && other.role == Role::Term || in_row;
        let label = &self.tokens.all[self.tokens.lines[before].clone()];
        let asks = label.len() <= 4 && label.iter().any(|token| venues.contains(&*token.lower));
        (is_label && asks && !range.is_empty()).then_some(range.start)
    }

    /// The first token behind "at" in a line that says when.
    fn behind_at(&self, line: usize, own: &[Mention]) -> Option<usize> {
        let has = |kinds: &[LiteralKind]| {
            own.iter().any(|mention| mention.literal().is_some_and(|(kind, _)| kinds.contains(&kind)))
        };
        let is_when = has(&[LiteralKind::Date, LiteralKind::Period]) && has(&[LiteralKind::Time, LiteralKind::Hours]);
        if !is_when || self.tokens.tongues[line] != Tongue::English {
            return None;
        }
        let range = self.tokens.lines[line].clone();
        let at = range.clone().find(|place| {
            let next = self.tokens.all[..range.end].get(place + 1);
            &*self.tokens.all[*place].lower == "at"
                && next.is_some_and(|next| next.kind == Kind::Word && (next.is_capital || &*next.lower == "the"))
        })?;
        Some(at + 1)
    }

    /// The tokens of a name that begins here and that nothing else explains.
    fn venue_at(&self, line: usize, start: usize, own: &[Mention]) -> Option<Range<usize>> {
        let end = self.tokens.lines[line].end;
        let language = self.languages.of(self.tokens.tongues[line]);
        let token = |place: usize| &self.tokens.all[place];
        let is_word = |place: usize| place < end && token(place).kind == Kind::Word && token(place).is_capital;
        let joins = |place: usize| {
            let is_small = language.name_particles.contains(&*token(place).lower)
                || matches!(&*token(place).lower, "at" | "'" | "’" | "am" | "im" | "an" | "zum" | "zur" | "der");
            is_small && is_word(place + 1)
        };
        let start = start + usize::from(start < end && &*token(start).lower == "the");
        let stop = (start..end).find(|place| !is_word(*place) && !joins(*place)).unwrap_or(end);
        let has_end = stop == end || token(stop).kind == Kind::Sign || !token(stop).is_capital;
        let within = |mention: &Mention| mention.tokens.start < stop && mention.tokens.end > start;
        let is_known = own.iter().filter(|mention| within(mention)).any(|mention| {
            mention.literal().is_some()
                || mention.flags.name
                || mention.name.is_some()
                || matches!(mention.what, What::Place(_) | What::Agent(_))
        });
        let is_heading = (start..stop).all(|place| language.headings.contains(&*token(place).lower));
        let is_name = stop > start && stop - start <= LONGEST && has_end && !is_known && !is_heading;
        // One word alone may be a town.
        (is_name && (stop - start > 1 || stop == end)).then_some(start..stop)
    }
}
