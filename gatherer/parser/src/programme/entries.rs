//! Lines that begin with an hour: what follows it is what happens then.

use super::parts::is_quote;
use super::{ENTRY_WORDS, LONGEST, Programme, is_start};
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::roles::meet;
use crate::tokens::{self, Token};
use gatherer_abstracts::ontology::ClassId;

impl Programme<'_> {
    /// What follows the hour in each line of a programme: "11 Uhr: Frühschoppen mit dem Männerchor".
    pub(super) fn entries(&self, event: ClassId, mentions: &[Mention]) -> Vec<Mention> {
        let starts = (0..self.page.lines.len()).filter_map(|line| Some((line, self.behind_hour(line, mentions)?)));
        let starts: Vec<_> = starts.collect();
        let titles = starts.iter().filter_map(|(line, start)| self.entry(*line, *start, event, mentions));
        if starts.len() < 2 { Vec::new() } else { titles.collect() }
    }

    /// Where the text of an entry begins: behind the hour in its line, or in the cell or line behind one that has only an hour.
    fn behind_hour(&self, line: usize, mentions: &[Mention]) -> Option<usize> {
        let (layout, range) = (&self.page.lines[line], self.tokens.lines[line].clone());
        if range.is_empty() || self.outline.of_line[line] != self.outline.main {
            return None;
        }
        let before = line.checked_sub(1);
        let is_beside = |before: usize| match (layout.cell, self.page.lines[before].cell) {
            (Some(cell), Some(other)) => {
                (other.table, other.row, other.column + 1) == (cell.table, cell.row, cell.column)
            }
            (None, None) => (layout.role, self.page.lines[before].role) == (Role::Definition, Role::Term),
            _ => false,
        };
        if before.is_some_and(|before| is_beside(before) && self.is_hour(before, mentions)) {
            return Some(range.start);
        }
        // "Heckenrunde | 5 km | 10.45 Uhr"
        let is_first = layout.cell.is_some_and(|cell| cell.column == 1 && !cell.is_head) && !self.is_asked_behind(line);
        let row = |other: &usize| {
            let cells = self.page.lines[*other].cell.zip(layout.cell);
            cells.is_some_and(|(other, cell)| (other.table, other.row) == (cell.table, cell.row))
        };
        let others: Vec<usize> = (line + 1..self.page.lines.len()).take_while(row).collect();
        if is_first && others.len() > 1 && others.iter().any(|other| self.is_hour(*other, mentions)) {
            return Some(range.start);
        }
        let is_point = layout.cell.is_none() && matches!(layout.role, Role::Item | Role::Text);
        let own = of_lines(mentions, line..line + 1);
        let first = own.iter().find(|first| is_point && is_start(first))?;
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_passed = |at: &usize| {
            let token = &self.tokens.all[*at];
            token.kind == tokens::Kind::Sign || language.has("hour-tails", &token.lower)
        };
        let start = (first.tokens.end..range.end).find(|at| !is_passed(at))?;
        // "Sa, 5. Juli, 20 Uhr, Festzelt" under the title of what happens says no more than when and where.
        let is_text = layout.role == Role::Text;
        let is_titled = || is_text && before.is_some_and(|over| self.is_heading(over) || self.is_over(over));
        let is_aside = || (first.tokens.end..start).any(|at| &*self.tokens.all[at].lower == "(");
        let is_led = first.tokens.start == range.start
            || (range.start..first.tokens.start).all(|at| self.says_day(at, own)) && !is_titled() && !is_aside();
        is_led.then_some(start)
    }

    /// "Sa., 5.7.," before an hour: the day, and what joins the two.
    pub(super) fn says_day(&self, at: usize, own: &[Mention]) -> bool {
        let token = &self.tokens.all[at];
        let language = self.languages.of(self.tokens.tongues[token.line as usize]);
        token.kind == tokens::Kind::Sign
            || language.weekdays.contains_key(&*token.lower)
            || language.has("day-joints", &token.lower)
            || own.iter().any(|mention| mention.is_literal(Kind::Date) && mention.tokens.contains(&at))
    }

    /// A line that says when, and nothing else.
    pub(super) fn is_hour(&self, line: usize, mentions: &[Mention]) -> bool {
        let own = of_lines(mentions, line..line + 1);
        let is_told = |at: usize| own.iter().any(|mention| mention.literal().is_some() && mention.tokens.contains(&at));
        own.iter().any(is_start) && self.tokens.lines[line].clone().all(|at| self.says_day(at, own) || is_told(at))
    }

    /// The title of an entry, up to who and where; what a word of the domain names is known without.
    pub(super) fn entry(&self, line: usize, start: usize, event: ClassId, mentions: &[Mention]) -> Option<Mention> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let (all, own_line) = (&self.tokens.all, of_lines(mentions, line..line + 1));
        let rest = start..self.tokens.lines[line].end;
        let is_sign = |at: &usize| all[*at].kind == tokens::Kind::Sign;
        // "<b>20 Uhr: Mord, Brand und falsche Schwüre</b>, ein Moritatenabend"
        let bold = self.page.lines[line].strong_until.and_then(|until| self.tokens.up_to(rest.clone(), until));
        if let Some(bold) = bold.filter(|bold| bold.len() <= LONGEST && all[start].is_capital) {
            return Some(self.named(line, bold, event));
        }
        if let Some(title) = self.of_kind(line, start, event, mentions) {
            return Some(title);
        }
        let sign = rest.clone().find(is_sign).unwrap_or(rest.end);
        let has_other =
            |from: usize| own_line.iter().any(|other| meet(&other.tokens, &(from..sign)) && self.is_something(other));
        let is_end = |at: &usize| {
            let is_place = || has_other(*at) || sign - start >= ENTRY_WORDS;
            let word = &all[*at].lower;
            language.has("before-performers", word) || language.has("before-places", word) && is_place()
        };
        let end = (start..sign).find(is_end).unwrap_or(sign);
        let is_quote = |at: usize| is_quote(&all[at]) || &*all[at].lower == "’";
        let is_quoted = end < rest.end && is_quote(end);
        let own = if is_quoted { end + 1..(end + 1..rest.end).find(|at| is_quote(*at))? } else { start..end };
        let words = all.get(own.clone()).filter(|words| (1..=ENTRY_WORDS).contains(&words.len()))?;
        let lists = ["dates", "tickets", "doors", "breaks"];
        let is_label = |token: &Token| {
            language.weekdays.contains_key(&*token.lower) || lists.iter().any(|list| language.has(list, &token.lower))
        };
        // "Schülerlauf" at a run: what the page is about, but for another name.
        let about = self.outline.main.map(|main| self.outline.focuses[main].class);
        let is_same = |class: ClassId| about.is_some_and(|about| self.domain.ontology.is_a(about, class));
        let is_any = |mention: &Mention| mention.name.is_none() && mention.class().is_some_and(is_same);
        let happens = |mention: &Mention| mention.class().is_some_and(|class| self.domain.ontology.is_a(class, event));
        let is_known = |mention: &Mention| match mention.what {
            What::Thing(_) if is_any(mention) => mention.flags.anaphor,
            What::Thing(_) if is_quoted => happens(mention),
            // "Teddy Bear Drop" is no person.
            What::Agent(_) if mention.tokens.end < own.end && mention.tokens.start == own.start => {
                !all[mention.tokens.end].is_capital
            }
            _ => self.is_something(mention) || mention.tokens.end == own.end,
        };
        let known = own_line.iter().filter(|mention| meet(&mention.tokens, &(start..own.end)));
        let is_title = words[0].is_capital && !words.iter().any(is_label) && !{ known }.any(is_known);
        is_title.then(|| self.named(line, own, event))
    }
}
