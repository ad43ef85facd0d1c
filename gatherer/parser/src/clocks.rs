//! Hours without a word for them: "18.30 Sektempfang", "19.00 | Konzert", where several lines begin so.

use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::{Kind, Literal};
use crate::mentions::Reader;
use crate::tokens::Kind as TokenKind;
use std::collections::{BTreeMap, HashMap};

/// So many lines of one list have to begin with an hour.
const LEAST: usize = 2;
/// The longest head of a column, in words and signs.
const LONGEST_HEAD: usize = 4;

/// What lines are parts of: a column of a table, a list, a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Column(u32, u32),
    List(u32, bool),
    Paragraph(u32),
}

/// An hour at the beginning of a line, in minutes, with that at which it ends.
#[derive(Debug, Clone)]
struct Clock {
    line: usize,
    from: u16,
    to: Option<u16>,
    length: usize,
}

impl Reader<'_> {
    /// The hours of programmes that are written without a word for them, by their lines.
    pub(crate) fn bare_clocks(&self) -> HashMap<usize, Literal> {
        let mut groups: BTreeMap<Group, (usize, bool, Vec<Clock>)> = BTreeMap::new();
        for line in 0..self.page.lines.len() {
            let Some(group) = self.group(line) else { continue };
            let (count, asks, clocks) = groups.entry(group).or_default();
            if self.asks_for_hours(line) {
                *asks = true;
                continue;
            }
            *count += 1;
            clocks.extend(self.clock_at(line));
        }
        let is_programme = |group: &Group, count: usize, asks: bool, clocks: &[Clock]| match group {
            Group::Column(_, column) => asks || *column == 1 && clocks.len() >= LEAST && clocks.len() * 3 >= count * 2,
            _ => clocks.len() >= LEAST && clocks.len() * 2 >= count,
        };
        let groups =
            groups.into_iter().filter(|(group, (count, asks, clocks))| is_programme(group, *count, *asks, clocks));
        groups.flat_map(|(_, (_, _, clocks))| self.literals_of(clocks)).collect()
    }

    fn group(&self, line: usize) -> Option<Group> {
        let layout = &self.page.lines[line];
        match (layout.cell, layout.list, layout.role) {
            (Some(cell), ..) => Some(Group::Column(cell.table, cell.column)),
            (None, Some(list), Role::Item | Role::Term) => Some(Group::List(list, layout.role == Role::Term)),
            (None, None, Role::Text) => Some(Group::Paragraph(layout.paragraph)),
            _ => None,
        }
    }

    /// "Uhrzeit", "Time" over a column.
    fn asks_for_hours(&self, line: usize) -> bool {
        let words = &self.tokens.all[self.tokens.lines[line].clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_cell = self.page.lines[line].cell.is_some() && words.len() <= LONGEST_HEAD;
        is_cell && words.iter().any(|token| language.has("hour-heads", &token.lower))
    }

    /// "18.30", "18.30 - 20.00" at the beginning of a line, and behind it nothing or a word with a capital.
    fn clock_at(&self, line: usize) -> Option<Clock> {
        let text = self.page.line(&self.page.lines[line]);
        let (from, mut length) = clock(text)?;
        let behind = &text[length..];
        let dash = behind.trim_start().trim_start_matches(['-', '–', '—']);
        let end = (dash.len() < behind.trim_start().len()).then(|| clock(dash.trim_start())).flatten();
        let to = end.map(|(to, own)| {
            length = text.len() - dash.trim_start().len() + own;
            to
        });
        let rest = text[length..].trim_start_matches([' ', '\u{a0}', '-', '–', '—', ':', '|', ',', '*', '•', '\t']);
        let is_word =
            rest.chars().next().is_none_or(|first| first.is_uppercase() || matches!(first, '"' | '„' | '“' | '»'));
        // "10.00 EUR", "12.30 DM"
        let first = self.tokens.all[self.tokens.lines[line].clone()].iter().find(|token| token.kind == TokenKind::Word);
        let is_money = first.is_some_and(|first| {
            let own = &self.page.text[first.span.clone()];
            own.chars().count() <= 3 && own.chars().all(char::is_uppercase) && rest.starts_with(own)
        });
        (is_word && !is_money && to.is_none_or(|to| to != from)).then_some(Clock { line, from, to, length })
    }

    /// English programmes go on with "2.00" behind "11.30".
    fn literals_of(&self, clocks: Vec<Clock>) -> Vec<(usize, Literal)> {
        let mut last = 0;
        let is_full = clocks.iter().any(|clock| clock.from >= 13 * 60);
        let mut later = |minutes: u16, line: usize| {
            let is_twelve = self.tokens.tongues[line] == Tongue::English && !is_full;
            let minutes = if is_twelve && minutes < last && minutes < 12 * 60 { minutes + 12 * 60 } else { minutes };
            last = minutes;
            format!("{:02}:{:02}", minutes / 60, minutes % 60)
        };
        let literal = |clock: Clock| {
            let from = later(clock.from, clock.line);
            let (kind, value) = match clock.to {
                Some(to) => (Kind::Hours, format!("{from}-{}", later(to, clock.line))),
                None => (Kind::Time, from),
            };
            (clock.line, Literal { span: 0..clock.length, kind, value })
        };
        clocks.into_iter().map(literal).collect()
    }
}

/// "18.30" or "18:30" at the beginning, in minutes, with its length; no programme begins an item at seven minutes past.
fn clock(text: &str) -> Option<(u16, usize)> {
    let hour = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_sign = matches!(text.as_bytes().get(hour), Some(b'.' | b':'));
    let minutes = text.get(hour + 1..hour + 3).filter(|_| is_sign && (1..=2).contains(&hour))?;
    let is_end =
        !text.as_bytes().get(hour + 3).is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'.' | b','));
    let (hours, minutes) = (text[..hour].parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
    (is_end && hours <= 24 && minutes < 60 && minutes % 5 == 0).then_some((hours * 60 + minutes, hour + 3))
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn hours_have_two_digits_behind_the_point() {
        assert_eq!(clock("18.30 Sektempfang"), Some((1110, 5)));
        assert_eq!(clock("9:00"), Some((540, 4)));
        assert_eq!(clock("12.5 km"), None);
        assert_eq!(clock("24.12.2004"), None);
        assert_eq!(clock("19.99 EUR"), None);
    }
}
