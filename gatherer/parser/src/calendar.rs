//! Calendars as tables: each row with a day and something that happens is one of its own.

use crate::focus::{Chooser, Focus, ITEM, Opener};
use crate::literals::Kind;
use crate::mentions::{Mention, of_lines};
use crate::names::{clean, key};
use gatherer_abstracts::ontology::ClassId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What happens is said so near the beginning of its cell, in bytes.
const NEAR: usize = 24;

/// A row with a day.
struct Row {
    lines: Range<usize>,
    table: u32,
    /// The line with its name, and what happens by a word there.
    named: Option<(usize, ClassId, usize)>,
}

impl Chooser<'_> {
    /// Adds the rows of calendars; whether there are any.
    pub(crate) fn row_openers(&self, openers: &mut Vec<Opener>) -> bool {
        let Some(base) = self.event_base() else { return false };
        let mut rows = self.dated_rows(base);
        // A row of the same table with a day of its own is listed as well, whatever it is called.
        let columns = self.name_columns(&rows);
        for row in rows.iter_mut().filter(|row| row.named.is_none()) {
            let column = columns.get(&row.table);
            let line =
                row.lines.clone().find(|line| self.page.lines[*line].cell.map(|cell| cell.column) == column.copied());
            row.named =
                line.filter(|line| self.is_name_cell(*line)).map(|line| (line, base, self.page.lines[line].span.start));
        }
        let found = rows.iter().filter_map(|row| {
            let (line, class, least) = row.named?;
            let (name, span) = self.name_of_row(line, least);
            let focus = Focus { class, key: key(&name), name: Some((name, span)) };
            Some(Opener { line: row.lines.start, focus, level: ITEM, entry: None })
        });
        let found: Vec<Opener> = found.collect();
        if found.len() < 2 {
            return false;
        }
        let tables: BTreeSet<u32> = rows.iter().filter(|row| row.named.is_some()).map(|row| row.table).collect();
        openers.retain(|opener| self.page.lines[opener.line].cell.is_none_or(|cell| !tables.contains(&cell.table)));
        openers.extend(found);
        true
    }

    /// The rows with a day, each once.
    fn dated_rows(&self, base: ClassId) -> Vec<Row> {
        let cell = |line: usize| self.page.lines[line].cell;
        let is_dated = |mention: &&Mention| {
            mention.is_literal(Kind::Date)
                || mention.literal().is_some_and(|(kind, value)| {
                    kind == Kind::Period && value.contains(|one: char| one.is_ascii_digit())
                })
        };
        let mut rows: Vec<Row> = Vec::new();
        for date in self.mentions.iter().filter(is_dated) {
            let Some(own) = cell(date.line) else { continue };
            if rows.last().is_some_and(|row| row.lines.contains(&date.line)) {
                continue;
            }
            let in_row =
                |line: &usize| cell(*line).is_some_and(|other| other.table == own.table && other.row == own.row);
            let first = (0..date.line).rev().take_while(in_row).last().unwrap_or(date.line);
            let last = (date.line..self.page.lines.len()).take_while(in_row).last().unwrap_or(date.line);
            let event = of_lines(self.mentions, first..last + 1).iter().find(|mention| {
                mention.class().is_some_and(|class| self.domain.ontology.is_a(class, base))
                    && mention.span.start <= self.page.lines[mention.line].span.start + NEAR
            });
            let named = event.and_then(|event| Some((event.line, event.class()?, event.span.end)));
            rows.push(Row { lines: first..last + 1, table: own.table, named });
        }
        rows
    }

    /// For each table the column with the names of what happens, if its rows agree.
    fn name_columns(&self, rows: &[Row]) -> BTreeMap<u32, u32> {
        let mut columns: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
        for row in rows {
            let cell = row.named.and_then(|(line, ..)| self.page.lines[line].cell);
            if let Some(cell) = cell {
                *columns.entry(cell.table).or_default().entry(cell.column).or_default() += 1;
            }
        }
        let best = |counts: &BTreeMap<u32, usize>| {
            let (column, count) = counts.iter().max_by_key(|(_, count)| **count)?;
            (*count >= 2 && *count * 3 >= counts.values().sum::<usize>() * 2).then_some(*column)
        };
        columns.iter().filter_map(|(table, counts)| Some((*table, best(counts)?))).collect()
    }

    /// Whether a cell begins with a word, and no value.
    fn is_name_cell(&self, line: usize) -> bool {
        let first = self.tokens.lines[line].clone().next().map(|at| &self.tokens.all[at]);
        let is_value = |first: &crate::tokens::Token| {
            self.on(line).iter().any(|one| one.literal().is_some() && one.span.contains(&first.span.start))
        };
        let is_head = self.page.lines[line].cell.is_some_and(|cell| cell.is_head);
        !is_head && first.is_some_and(|first| first.kind == crate::tokens::Kind::Word && !is_value(first))
    }

    /// What a row is called: its strong beginning, or the cell up to the first sign or small word; "Lesung: Nebelgrund" is whole.
    fn name_of_row(&self, line: usize, least: usize) -> (String, Range<usize>) {
        let layout = &self.page.lines[line];
        let text = self.page.line(layout);
        let ends = [" mit ", " with ", ", ", " (", " - ", " – ", ". ", " im ", " in ", " am ", " at "];
        let kind = text.find(": ").filter(|colon| layout.span.start + colon == least);
        let colon = text.find(": ").filter(|_| kind.is_none());
        let begin = kind.map_or(0, |colon| colon + 2);
        let cuts = ends.iter().filter_map(|sign| Some(begin + text[begin..].find(sign)?));
        let cut = cuts.chain(colon).min().unwrap_or(text.len());
        let end = layout.strong_until.unwrap_or(layout.span.start + cut).max(least).min(layout.span.end);
        let name = clean(&self.page.text[layout.span.start..end]);
        let start = text.find(name.as_str()).map(|start| layout.span.start + start);
        let span = start.map_or(layout.span.start..end, |start| start..start + name.len());
        (name, span)
    }
}
