//! Numbers alone behind a label, in a cell or a definition: "Sleeps | 4", "Schlafzimmer | 2".

use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::{Kind, Token};

/// A label has so many words and signs at most.
const LABEL: usize = 4;
/// And what stands behind it.
const VALUE: usize = 4;

impl Reader<'_> {
    /// Says of what such numbers are.
    pub(crate) fn labelled_numbers(&self, all: &mut Vec<Mention>) {
        for line in 1..self.page.lines.len() {
            let Some(label) = self.label_of(line) else { continue };
            let Some((value, until)) = self.lone_number(line) else { continue };
            if !of_lines(all, line..line + 1).is_empty() {
                continue;
            }
            if let Some(word) = self.asked_word(label) {
                let tokens = self.tokens.lines[line].start..until;
                let what = What::Literal(LiteralKind::Count, value);
                let mention = Mention { lemma: word, ..self.mention(line, self.span(tokens.clone()), tokens, what) };
                let at = all.partition_point(|other| other.line < line);
                all.insert(at, mention);
            } else if let Some(thing) = all.iter_mut().find(|other| other.line == label && self.is_counted(other)) {
                thing.count = Some((value, self.span(self.tokens.lines[line].start..until)));
            }
        }
    }

    /// The line that is the label of another: the first of two cells, or the term of a definition.
    fn label_of(&self, line: usize) -> Option<usize> {
        let lines = &self.page.lines;
        let label = line - 1;
        let row = |at: usize| lines.get(at).and_then(|line| line.cell).map(|cell| (cell.table, cell.row, cell.column));
        let is_label = match (row(label), row(line)) {
            (Some((table, row_of_label, 1)), Some((other, row_of_line, 2))) => {
                let next = row(line + 1).map(|(table, row, _)| (table, row));
                (table, row_of_label) == (other, row_of_line) && next != Some((table, row_of_label))
            }
            (None, None) => (lines[label].role, lines[line].role) == (Role::Term, Role::Definition),
            _ => false,
        };
        (is_label && (1..=LABEL).contains(&self.tokens.lines[label].len())).then_some(label)
    }

    /// The number or the range with which a short line begins, and where it ends.
    fn lone_number(&self, line: usize) -> Option<(String, usize)> {
        let range = self.tokens.lines[line].clone();
        let words = &self.tokens.all[range.clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let number = |token: &Token| {
            let digits = || token.lower.parse::<u32>().ok().filter(|_| token.kind == Kind::Number);
            digits().or_else(|| language.numbers.get(&*token.lower).copied()).filter(|number| *number < 10_000)
        };
        let low = words.first().filter(|_| words.len() <= VALUE).and_then(number)?;
        let is_dash = words.get(1).is_some_and(|token| matches!(&*token.lower, "-" | "–" | "bis" | "to"));
        let high = words.get(2).filter(|_| is_dash).and_then(number).filter(|high| *high > low);
        let used = if high.is_some() { 3 } else { 1 };
        let is_end = |token: &Token| language.has("people", &token.lower) || &*token.lower == ".";
        let value = high.map_or(low.to_string(), |high| format!("{low}-{high}"));
        words[used..].iter().all(is_end).then(|| (value, range.start + used))
    }

    /// "Sleeps", "Personen": a label that asks for a number.
    fn asked_word(&self, label: usize) -> Option<String> {
        let slots = self.domain.rules.literals.get(&LiteralKind::Count)?;
        let words = &self.tokens.all[self.tokens.lines[label].clone()];
        let asks = |token: &&Token| slots.iter().any(|slot| slot.labels.contains(&*token.lower));
        words.iter().find(asks).map(|token| token.lower.to_string())
    }

    /// Whether a label names something that is counted, and nothing else.
    fn is_counted(&self, mention: &Mention) -> bool {
        let rules = &self.domain.rules;
        let is_one = |class| rules.counted.iter().any(|one| self.domain.ontology.is_a(class, *one));
        let is_unit = mention.class().is_some_and(is_one) || mention.flags.unit.is_some();
        is_unit && mention.count.is_none() && mention.tokens.start == self.tokens.lines[mention.line].start
    }
}
