//! Tables with an hour at the beginning of each row, and a day or a place at the head of each column.

use super::{LONGEST, Programme};
use crate::language::Language;
use crate::literals::Kind;
use crate::mentions::{Mention, of_lines};
use crate::tokens::{Kind as TokenKind, Token};
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;
use std::ops::Range;

/// The longest head of a column, in words and signs.
const HEAD: usize = 6;

/// A cell in which something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Its line.
    pub(crate) line: usize,
    /// The line with the hour.
    pub(crate) hour: usize,
    /// The head of its column.
    pub(crate) head: usize,
    /// What it names, if it says where and not when.
    pub(crate) place: Option<ClassId>,
}

/// The lines of a table by row and column; none where a cell has several.
type Cells = BTreeMap<(u32, u32), Option<usize>>;

impl Programme<'_> {
    /// The titles in such tables, and where their hours and heads stand.
    pub(super) fn grids(&self, event: ClassId, mentions: &[Mention]) -> (Vec<Mention>, Vec<Slot>) {
        let mut tables: BTreeMap<u32, Cells> = BTreeMap::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            let Some(cell) = layout.cell.filter(|_| self.outline.of_line[line] == self.outline.main) else { continue };
            let cells = tables.entry(cell.table).or_default();
            cells.entry((cell.row, cell.column)).and_modify(|other| *other = None).or_insert(Some(line));
        }
        let slots: Vec<Slot> = tables.values().filter_map(|cells| self.slots(cells, mentions)).flatten().collect();
        let known = |slot: &Slot| {
            let is_event = |one: &&Mention| one.class().is_some_and(|class| self.domain.ontology.is_a(class, event));
            of_lines(mentions, slot.line..slot.line + 1)
                .iter()
                .find(is_event)
                .map(|one| (one.class(), one.name.is_some()))
        };
        let title = |slot: &Slot| {
            let class = match known(slot) {
                Some((_, true)) => return None,
                Some((class, false)) => class.unwrap_or(event),
                None => event,
            };
            Some(self.named(slot.line, self.title_in(slot.line)?, class))
        };
        (slots.iter().filter_map(title).collect(), slots)
    }

    /// The cells of a table that is such a grid.
    fn slots(&self, cells: &Cells, mentions: &[Mention]) -> Option<Vec<Slot>> {
        let tops = || cells.range((1, 1)..(2, 0)).filter_map(|((_, column), line)| Some((*column, (*line)?)));
        let is_when = |line: usize| of_lines(mentions, line..line + 1).iter().any(super::is_start);
        if tops().any(|(_, line)| is_when(line)) {
            return None;
        }
        let heads = tops().skip_while(|(column, _)| *column == 1);
        let heads: Vec<_> =
            heads.filter_map(|(column, line)| Some((column, line, self.head(line, mentions)?))).collect();
        let (_, _, is_place) = *heads.first()?;
        if heads.len() < 2 || heads.iter().any(|(.., other)| *other != is_place) {
            return None;
        }
        let mut found = Vec::new();
        for ((row, column), line) in cells.range((2, 1)..) {
            let hour = cells.get(&(*row, 1)).copied().flatten()?;
            if *column == 1 {
                // All rows begin with an hour.
                self.is_hour(hour, mentions).then_some(())?;
                continue;
            }
            let head = heads.iter().find(|(other, ..)| other == column);
            let Some(((_, head, _), line)) = head.zip(*line) else { continue };
            if self.title_in(line).is_some() {
                let place = if is_place { self.venue_class(&self.tokens.lines[*head]) } else { None };
                found.push(Slot { line, hour, head: *head, place });
            }
        }
        Some(found)
    }

    /// Whether the head of a column is a place (`true`) or a day; none if it is neither.
    fn head(&self, line: usize, mentions: &[Mention]) -> Option<bool> {
        let range = self.tokens.lines[line].clone();
        let words = &self.tokens.all[range.clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let own = of_lines(mentions, line..line + 1);
        let has_date = own.iter().any(|one| one.is_literal(Kind::Date));
        let has_weekday = words.iter().any(|token| language.weekdays.contains_key(&*token.lower));
        if has_date || has_weekday {
            return range.clone().all(|at| self.says_day(at, own)).then_some(false);
        }
        let is_name =
            |token: &Token| token.is_capital || token.kind != TokenKind::Word || language.is_small(&token.lower);
        let is_plain = (1..=HEAD).contains(&words.len()) && words.iter().all(is_name) && words[0].is_capital;
        (is_plain && !words.iter().any(|token| asks(token, language)) && own.iter().all(|one| one.literal().is_none()))
            .then_some(true)
    }

    /// The title in a cell: all of it, up to a sign.
    fn title_in(&self, line: usize) -> Option<Range<usize>> {
        let range = self.tokens.lines[line].clone();
        let all = &self.tokens.all;
        let is_end = |at: &usize| matches!(&*all[*at].lower, "," | "(" | ";" | "|" | "–");
        let end = range.clone().find(is_end).unwrap_or(range.end);
        let first = all[..end].get(range.start)?;
        let is_title =
            (1..=LONGEST).contains(&(end - range.start)) && first.is_capital && first.kind == TokenKind::Word;
        is_title.then_some(range.start..end)
    }
}

/// "Event", "Venue", "Price": heads that ask for something.
fn asks(token: &Token, language: &Language) -> bool {
    let lists = ["what-heads", "hour-heads", "tickets", "dates", "when-labels", "contacts", "counting", "entrance"];
    lists.iter().any(|list| language.has(list, &token.lower))
        || language.venues.contains(&*token.lower)
        || language.headings.contains(&*token.lower)
}
