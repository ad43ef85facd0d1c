//! Pieces of a programme: a row, a label with what it says, a line, a short paragraph, or a heading with what stands right under
//! it, that say once when something begins.

use super::{Programme, is_day, is_start};
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Mention, of_lines};
use std::ops::Range;

/// The longest line that can be a piece, in words and signs.
const LINE: usize = 45;
/// The longest cell or heading that can be a title with what belongs to it.
const CELL: usize = 16;
/// The longest line of a paragraph that is a piece as a whole.
const SHORT: usize = 14;
/// A piece has at most so many lines.
const LINES: usize = 8;

impl Programme<'_> {
    /// Pieces that say once when something begins, in the order of the page.
    pub(super) fn pieces(&self, is_host: bool, mentions: &[Mention]) -> Vec<Range<usize>> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let mut line = 0;
        while line < self.page.lines.len() {
            let piece = self.piece(line, is_host, mentions);
            line = piece.as_ref().map_or(line + 1, |piece| piece.end);
            pieces.extend(piece);
        }
        pieces
    }

    /// The piece that begins with a line.
    fn piece(&self, line: usize, is_host: bool, mentions: &[Mention]) -> Option<Range<usize>> {
        let own = &self.page.lines[line];
        let is_there = |at: usize| {
            self.outline.of_line[at] == self.outline.main
                && matches!(self.page.lines[at].region, Region::Main)
                && !matches!(
                    self.page.lines[at].role,
                    Role::Title | Role::Heading(1) | Role::Image | Role::Keywords | Role::Description
                )
        };
        if !is_there(line) {
            return None;
        }
        let wholes = [
            self.whole_row(line),
            self.whole_term(line),
            self.whole_box(line),
            self.under_heading(line),
            self.paragraph(line),
        ];
        let whole = wholes.into_iter().flatten().find(|whole| {
            whole.len() > 1
                && whole.len() <= LINES
                && whole.clone().all(is_there)
                && self.is_item(whole, is_host, mentions)
        });
        if whole.is_some() {
            return whole;
        }
        let is_line = matches!(own.role, Role::Item | Role::Text | Role::Definition);
        let is_short = (3..=LINE).contains(&self.tokens.lines[line].len());
        (is_line && is_short && self.is_item(&(line..line + 1), is_host, mentions)).then_some(line..line + 1)
    }

    /// `<article>` or `<div class=card>` around a heading with what belongs to it.
    fn whole_box(&self, line: usize) -> Option<Range<usize>> {
        let lines = &self.page.lines;
        let own = self.page.blocks.iter().map(|block| &block.lines).find(|own| own.start == line && own.len() > 1)?;
        let is_plain = |at: usize| lines[at].cell.is_none() && self.tokens.lines[at].len() <= LINE;
        let is_headed = |at: usize| matches!(lines[at].role, Role::Heading(2..)) || self.is_over(at);
        let heads = own.clone().filter(|at| is_headed(*at)).count();
        (own.end <= lines.len() && heads == 1 && own.clone().all(is_plain)).then(|| own.clone())
    }

    fn whole_row(&self, line: usize) -> Option<Range<usize>> {
        let cell = self.page.lines[line].cell?;
        let is_same = |at: &usize| {
            self.page.lines[*at].cell.is_some_and(|other| (other.table, other.row) == (cell.table, cell.row))
        };
        let end = (line..self.page.lines.len()).take_while(is_same).last()? + 1;
        let is_first = line == 0 || !is_same(&(line - 1));
        let is_small = (line..end).all(|at| self.tokens.lines[at].len() <= CELL);
        (is_first && is_small && !self.page.lines[end - 1].cell.is_some_and(|last| last.is_head)).then_some(line..end)
    }

    fn whole_term(&self, line: usize) -> Option<Range<usize>> {
        let is_role = |at: &usize, role: Role| self.page.lines[*at].cell.is_none() && self.page.lines[*at].role == role;
        if !is_role(&line, Role::Term) {
            return None;
        }
        let last = (line + 1..self.page.lines.len()).take_while(|at| is_role(at, Role::Definition)).last()?;
        Some(line..last + 1)
    }

    /// "Fell Race" over "Start: 3.00pm Sunday, main field".
    fn under_heading(&self, line: usize) -> Option<Range<usize>> {
        let is_over = |at: usize| matches!(self.page.lines[at].role, Role::Heading(2..)) || self.is_over(at);
        if !is_over(line) || self.page.lines[line].cell.is_some() || self.tokens.lines[line].len() > CELL {
            return None;
        }
        let goes_on =
            |at: &usize| !is_over(*at) && self.page.lines[*at].cell.is_none() && self.tokens.lines[*at].len() <= LINE;
        let last = (line + 1..self.page.lines.len()).take_while(goes_on).take(LINES).last()?;
        Some(line..last + 1)
    }

    fn paragraph(&self, line: usize) -> Option<Range<usize>> {
        let own = &self.page.lines[line];
        let is_same = |at: &usize| {
            let other = &self.page.lines[*at];
            other.paragraph == own.paragraph && other.cell.is_none() && other.role == Role::Text
        };
        if line > 0 && is_same(&(line - 1)) {
            return None;
        }
        let last = (line..self.page.lines.len()).take_while(is_same).last()?;
        let is_short = |at: usize| self.tokens.lines[at].len() <= SHORT;
        (line..=last).all(is_short).then_some(line..last + 1)
    }

    /// Whether one thing happens in a piece. What a house holds has a day, and an hour or a heading such as "Termine" over it.
    fn is_item(&self, piece: &Range<usize>, is_host: bool, mentions: &[Mention]) -> bool {
        let begins = self.begins_once(piece, mentions);
        if !is_host {
            return begins;
        }
        let own = of_lines(mentions, piece.clone());
        let is_open = |one: &Mention| match one.literal() {
            Some((Kind::Closed, _)) => true,
            Some((Kind::Hours, hours)) => hours.contains([',', ';']) || hours.starts_with(char::is_uppercase),
            _ => false,
        };
        let head = (0..piece.start).rev().find(|line| self.is_heading(*line) || self.is_over(*line));
        let is_listed = head.is_some_and(|head| {
            let language = self.languages.of(self.tokens.tongues[head]);
            self.tokens.all[self.tokens.lines[head].clone()].iter().any(|token| language.has("held", &token.lower))
        });
        let is_day = |one: &&Mention| one.is_literal(Kind::Date) || is_day(one);
        let days = own.iter().filter(is_day).count();
        days == 1 && (begins || is_listed) && !own.iter().any(is_open)
    }

    /// Whether a piece says when one thing begins: by one hour, or by several that stand together.
    fn begins_once(&self, piece: &Range<usize>, mentions: &[Mention]) -> bool {
        let own = of_lines(mentions, piece.clone());
        let is_door = |start: &&Mention| {
            let language = self.languages.of(self.tokens.tongues[start.line]);
            let range = self.tokens.lines[start.line].start..start.tokens.start;
            let words = self.tokens.all[range].iter().rev().take(3);
            { words }.any(|token| ["doors", "ends"].iter().any(|list| language.has(list, &token.lower)))
        };
        let starts: Vec<_> = own.iter().filter(|one| is_start(one)).filter(|one| !is_door(one)).collect();
        let is_near =
            |pair: &[&Mention]| pair[0].line == pair[1].line && pair[1].tokens.start <= pair[0].tokens.end + 3;
        !starts.is_empty() && starts.windows(2).all(is_near)
    }
}
