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

/// Before it nothing begins, and before the latter only what begins early.
const NIGHT: u16 = 5 * 60;
const MORNING: u16 = 7 * 60;

/// What lines are parts of: a column of a table, a list, a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Column(u32, u32),
    List(u32, bool),
    Paragraph(u32),
    /// A box among others that are made alike, by the first of these.
    Box(usize),
}

/// An hour at the beginning of a line, in minutes, with that at which it ends.
#[derive(Debug, Clone)]
struct Clock {
    line: usize,
    /// Where it begins in its line, in bytes.
    start: usize,
    from: u16,
    to: Option<u16>,
    length: usize,
}

impl Reader<'_> {
    /// The hours of programmes that are written without a word for them, by their lines.
    pub(crate) fn bare_clocks(&self) -> HashMap<usize, Literal> {
        let mut groups: BTreeMap<Group, (usize, bool, Vec<Clock>)> = BTreeMap::new();
        let boxes = self.boxes();
        for line in 0..self.page.lines.len() {
            let Some(group) = boxes.get(&line).copied().or_else(|| self.group(line)) else { continue };
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

    /// The lines that stand alone in boxes of one style.
    fn boxes(&self) -> HashMap<usize, Group> {
        let mut first: HashMap<(&str, Option<usize>), usize> = HashMap::new();
        let own = self.page.blocks.iter().enumerate().filter_map(|(at, block)| {
            let line = Some(block.lines.start).filter(|_| block.lines.len() == 1)?;
            let layout = self.page.lines.get(line)?;
            let is_plain = layout.cell.is_none() && layout.list.is_none() && layout.role == Role::Text;
            let of = *first.entry((&block.style, block.parent)).or_insert(at);
            is_plain.then_some((line, Group::Box(of)))
        });
        own.collect()
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
        let whole = self.page.line(&self.page.lines[line]);
        let start = self.behind_weekday(line);
        let text = &whole[start..];
        let (from, mut length) = clock(text)?;
        let behind = &text[length..];
        let dash = behind.trim_start().trim_start_matches(['-', '–', '—']);
        let end = (dash.len() < behind.trim_start().len()).then(|| clock(dash.trim_start())).flatten();
        let to = end.map(|(to, own)| {
            length = text.len() - dash.trim_start().len() + own;
            to
        });
        let rest = text[length..].trim_start_matches([' ', '\u{a0}', '-', '–', '—', ':', '|', ',', '*', '•', '\t']);
        // "10.30 am"
        let rest =
            ["am", "pm", "a.m.", "p.m."].iter().find_map(|half| rest.strip_prefix(half)).unwrap_or(rest).trim_start();
        let is_word =
            rest.chars().next().is_none_or(|first| first.is_uppercase() || matches!(first, '"' | '„' | '“' | '»'));
        // "10.00 EUR", "12.30 DM"
        let first = self.tokens.all[self.tokens.lines[line].clone()].iter().find(|token| token.kind == TokenKind::Word);
        let is_money = first.is_some_and(|first| {
            let own = &self.page.text[first.span.clone()];
            own.chars().count() <= 3 && own.chars().all(char::is_uppercase) && rest.starts_with(own)
        });
        (is_word && !is_money && to.is_none_or(|to| to != from)).then_some(Clock { line, start, from, to, length })
    }

    /// "Sat 11.00 – Bygone Thornby": where the hour stands, in bytes of the line.
    fn behind_weekday(&self, line: usize) -> usize {
        let range = self.tokens.lines[line].clone();
        let language = self.languages.of(self.tokens.tongues[line]);
        let words = &self.tokens.all[range];
        let is_day = words.first().is_some_and(|first| language.weekdays.contains_key(&*first.lower));
        let hour = words.iter().skip(1).find(|token| token.kind != TokenKind::Sign).filter(|_| is_day);
        hour.map_or(0, |hour| hour.span.start - self.page.lines[line].span.start)
    }

    /// English programmes go on with "2.00" behind "11.30".
    fn literals_of(&self, clocks: Vec<Clock>) -> Vec<(usize, Literal)> {
        let mut last = 0;
        let is_full = clocks.iter().any(|clock| clock.from >= 13 * 60);
        let is_early = clocks.first().is_some_and(|clock| clock.from >= MORNING);
        let mut later = |minutes: u16, line: usize| {
            let is_twelve = self.tokens.tongues[line] == Tongue::English && !is_full;
            // "2.00 Dog show": nobody means the night.
            let is_behind = minutes < last || minutes < MORNING && is_early || minutes < NIGHT;
            let minutes = if is_twelve && is_behind && minutes < 12 * 60 { minutes + 12 * 60 } else { minutes };
            last = minutes;
            format!("{:02}:{:02}", minutes / 60, minutes % 60)
        };
        let literal = |clock: Clock| {
            let from = later(clock.from, clock.line);
            let (kind, value) = match clock.to {
                Some(to) => (Kind::Hours, format!("{from}-{}", later(to, clock.line))),
                None => (Kind::Time, from),
            };
            (clock.line, Literal { span: clock.start..clock.start + clock.length, kind, value })
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
