//! Prices that stand ahead of what they are for: "$48 single, $56 double".

use super::Attach;
use crate::language::Tongue;
use crate::literals::Kind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// So many words and signs may stand between a price and what it is for.
const GAP: usize = 2;
/// So many mentions of its sentence are looked at before a price.
const MOST: usize = 40;

impl Attach<'_> {
    /// "$48 single, $56 double": each price of the sentence stands ahead of a unit, and none behind one.
    pub(super) fn price_ahead(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        if self.tongue(number) != Tongue::English {
            return None;
        }
        let sentence = self.mention(number).sentence;
        let line = self.by_line[self.mention(number).line].clone();
        let is_same = |other: &usize| self.mention(*other).sentence == sentence;
        let start = (line.start..=number).rev().take(MOST).take_while(is_same).last()?;
        let first = (start..=number).find(|other| self.is_price(*other))?;
        let is_extra = first < number && self.is_extra_ahead(number);
        let unit = self.unit_behind(if is_extra { first } else { number })?;
        let context = self.context(number);
        let mut before = start..first;
        let is_taken = before.any(|other| self.is_rival(other, unit))
            || context.labels.iter().any(|label| !line.contains(label) && self.is_rival(*label, unit));
        self.unit_behind(first).filter(|_| !is_taken)?;
        if !is_extra {
            return self.with_slot(number, unit, class);
        }
        let focus = self.focus(number)?;
        let types = self.builder.types(focus).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(vec![(focus, slot)])
    }

    /// "$8 each additional person": whatever the room is.
    fn is_extra_ahead(&self, price: usize) -> bool {
        let end = self.mention(price).tokens.end;
        let line = self.m.tokens.lines[self.mention(price).line].end;
        let language = self.m.languages.of(self.tongue(price));
        let mut behind = self.m.tokens.all[end..(end + 3).min(line)].iter();
        behind.any(|token| language.has("supplements", &token.lower))
    }

    /// The unit right behind a price: "$120 a night double".
    fn unit_behind(&self, price: usize) -> Option<usize> {
        let base = self.m.domain.rules.counted.first().copied()?;
        let line = self.by_line[self.mention(price).line].clone();
        let mut behind = (price + 1..line.end).skip_while(|next| self.mention(*next).is_literal(Kind::Per));
        let unit = behind.next()?;
        let from = self.mention(unit - 1).tokens.end.min(self.mention(unit).tokens.start);
        let gap = &self.m.tokens.all[from..self.mention(unit).tokens.start];
        let is_close =
            gap.len() <= GAP && gap.iter().all(|token| matches!(&*token.lower, "for" | "a" | "per" | "–" | "-" | "("));
        let is_unit = self.mention(unit).class().is_some_and(|class| self.is_a(class, base));
        let is_same = self.mention(unit).sentence == self.mention(price).sentence;
        (is_close && is_unit && is_same && self.mention(unit).name.is_none()).then_some(unit)
    }

    /// Whether a thing before a price has it rather than the unit behind: "rooms" does not, if that is a double.
    fn is_rival(&self, other: usize, unit: usize) -> bool {
        let base = self.m.domain.rules.counted.first().copied();
        let classes = self.mention(other).class().zip(self.mention(unit).class());
        classes.is_some_and(|(class, own)| {
            let is_unit = base.is_some_and(|base| self.is_a(class, base));
            is_unit && (class == own || !self.is_a(own, class))
        })
    }
}
