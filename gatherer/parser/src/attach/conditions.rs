//! For whom a price is, when, and for how long.

use super::{Attach, Price};
use crate::language::Tongue;
use crate::layout::Cell;
use crate::literals::Kind;
use crate::mentions::{Mention, What};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// So many lines are looked at under the head of a column.
const COLUMN: usize = 60;
/// So many words and signs stand between a price and for whom it is, and so many before "free".
const CLOSE: usize = 3;
const FREE: usize = 7;
/// So many prices at most are for what the last of them is for.
const EARLIER: usize = 12;
/// So many words before a price stands for whom it is.
const MORE: usize = 6;

impl Attach<'_> {
    /// Season, people and the like, from the heads of row and column and from the sentence.
    pub(super) fn conditions(&mut self, number: usize, handle: Handle, class: ClassId) {
        self.column_words(number, handle);
        let context = self.context(number).clone();
        let heads: Vec<_> =
            context.labels.iter().chain(&context.columns).copied().filter(|label| *label != number).collect();
        // A label that is nothing but a time of the year.
        let begins = |label: &usize| {
            let mention = self.mention(*label);
            mention.is_literal(Kind::Period) && mention.tokens.start == self.m.tokens.lines[mention.line].start
        };
        let is_season = |head: &usize| self.is_condition(*head);
        let is_event = self.focus(number).is_some_and(|focus| self.is_event(focus));
        let period = context.labels.iter().chain(&context.columns).copied().find(begins);
        if let Some(period) = period.filter(|_| !is_event && !heads.iter().any(is_season)) {
            self.in_period(period, handle, class);
        }
        for head in heads {
            self.condition(head, handle, class, "table");
            self.head_values(head, handle);
        }
        // "Preise pro Nacht" stands over what a night costs, not over what a dog does.
        let own = self.prices.iter().rev().find(|price| price.handle == handle);
        let is_own = own.is_none_or(|price| !self.has_per(price) && !self.is_extra(price));
        for heading in context.headings.into_iter().take(3) {
            self.condition(heading, handle, class, "heading");
            if is_own {
                self.head_values(heading, handle);
            }
        }
        if let Some(per) = self.each_more(number)
            && let Some(slot) = self.m.domain.rules.literals.get(&Kind::Per).and_then(|slots| slots.first())
        {
            let slot = slot.slot;
            self.value(handle, slot, &per, "adjacent", number);
        }
        let people = self.m.domain.rules.people.zip(self.people_before(number));
        if let Some((slot, before)) = people
            && let Some((_, value)) = self.mention(before).literal().map(|(kind, value)| (kind, value.to_owned()))
        {
            self.value(handle, slot, &value, "adjacent", before);
        }
        if let Some(pet) = self.pet_before(number) {
            self.condition(pet, handle, class, "adjacent");
        }
    }

    /// "Juni bis August" before a price: a season that has no name.
    fn in_period(&mut self, period: usize, handle: Handle, class: ClassId) {
        let Some(value) = self.mention(period).literal().map(|(_, value)| value.to_owned()) else { return };
        let ontology = &self.m.domain.ontology;
        let times = self.m.domain.rules.literals.get(&Kind::Period).into_iter().flatten().map(|slot| slot.slot);
        let found = times.into_iter().find_map(|time| {
            let season = *ontology.slot_at(time).domain().first()?.first()?;
            let slots = ontology.between(class, season);
            let slot = slots.into_iter().find(|slot| ontology.slot_at(*slot).holds_without_cue())?;
            Some((time, season, slot))
        });
        let Some((time, season, slot)) = found else { return };
        let key = (self.scope(period).unwrap_or(usize::MAX), season, value.clone());
        let thing = self.things.get(&key).copied().unwrap_or_else(|| {
            let thing = self.builder.instance(season);
            self.things.insert(key, thing);
            thing
        });
        self.value(thing, time, &value, "label", period);
        self.link(handle, slot, thing, "table", period);
    }

    /// "Woche", "jede weitere Nacht" over a column.
    pub(super) fn column_words(&mut self, number: usize, handle: Handle) {
        let Some(slot) =
            self.m.domain.rules.literals.get(&Kind::Per).and_then(|slots| slots.first()).map(|slot| slot.slot)
        else {
            return;
        };
        let line = self.mention(number).line;
        let own = self.by_line[line].clone();
        let says_itself = own.clone().any(|other| self.mention(other).is_literal(Kind::Per));
        let in_cell = self.m.page.lines[line].cell.is_some_and(|cell| cell.column > 1);
        if says_itself || !in_cell {
            return;
        }
        let headed = self.contexts[line].heading_words.iter().filter(|word| word.ends_with("ly"));
        let words: Vec<_> =
            self.contexts[line].label_words.iter().chain(headed).map(std::string::ToString::to_string).collect();
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        // "June 1 - Labor Day"
        let is_feast = |at: usize| at > 0 && language.has("feasts", &words[at - 1]);
        // "2 Personen", "1 person" over a column say for how many it is.
        let columns = self.contexts[line].columns.iter().chain(&self.contexts[line].labels);
        let counted: Vec<_> =
            columns.map(|other| self.mention(*other)).filter(|one| one.is_literal(Kind::Count)).collect();
        let is_counted = |at: usize| {
            let is_number = at > 0 && words[at - 1].ends_with(|one: char| one.is_ascii_digit());
            is_number && language.has("people", &words[at]) || counted.iter().any(|one| one.lemma == words[at])
        };
        let plain = (0..words.len()).filter(|at| !is_feast(*at) && !is_counted(*at));
        let values: Vec<_> = plain.filter_map(|at| language.per.get(&words[at])).cloned().collect();
        for value in values {
            self.value(handle, slot, &value, "table", number);
        }
    }

    pub(super) fn condition(&mut self, other: usize, handle: Handle, class: ClassId, heuristic: &str) {
        let What::Thing(to) = self.mention(other).what else { return };
        let slots = self.between(class, to);
        let slot = slots.into_iter().find(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
        if let Some(slot) = slot {
            let thing = self.instance(other, to);
            self.resolved[other] = Some(thing);
            self.link(handle, slot, thing, heuristic, other);
        }
    }

    /// "pro Nacht", "2 Personen" in a head.
    pub(super) fn head_values(&mut self, head: usize, handle: Handle) {
        match self.mention(head).what.clone() {
            What::Literal(Kind::Per, value) => {
                if let Some(slot) =
                    self.m.domain.rules.literals.get(&Kind::Per).and_then(|slots| slots.first()).map(|slot| slot.slot)
                {
                    self.value(handle, slot, &value, "table", head);
                }
            }
            What::Literal(Kind::Count, value) => {
                let language = self.m.languages.of(self.tongue(head));
                let is_people = language.has("people", &self.mention(head).lemma);
                if let Some(slot) = self.m.domain.rules.people.filter(|_| is_people) {
                    self.value(handle, slot, &value, "table", head);
                }
            }
            _ => {}
        }
    }

    /// What a price is for; of the price before it in its line, else the one behind it.
    pub(super) fn per(&mut self, number: usize, value: &str) {
        let Some(slot) =
            self.m.domain.rules.literals.get(&Kind::Per).and_then(|slots| slots.first()).map(|slot| slot.slot)
        else {
            return;
        };
        let line = self.by_line[self.mention(number).line].clone();
        let before = (line.start..number).rev().find(|other| self.is_price(*other));
        if let Some(price) = before.and_then(|other| self.resolved[other]) {
            self.value(price, slot, value, "adjacent", number);
            for earlier in before.map_or_else(Vec::new, |last| self.earlier_stays(number, last)) {
                self.value(earlier, slot, value, "sentence", number);
            }
        } else if before.is_none_or(|other| self.mention(other).sentence != self.mention(number).sentence)
            && !self.heads_column(number)
        {
            self.standing.push((number, slot, value.to_owned()));
        }
    }

    /// "| Per night | Per week": said over a column of prices, and of no others.
    fn heads_column(&self, number: usize) -> bool {
        let Some(own) = self.line_of(number).cell.filter(|cell| cell.column > 1) else { return false };
        let line = self.mention(number).line;
        // "Nebensaison | pro Woche | 280 €": said of its row.
        if self.is_entry_row(line) && self.row(line).any(|other| other > number && self.is_price(other)) {
            return false;
        }
        let behind = line + 1..self.m.page.lines.len();
        let is_same = |line: &usize| self.m.page.lines[*line].cell.is_some_and(|cell| cell.table == own.table);
        let is_under = |line: usize| self.contexts[line].columns.contains(&number);
        behind.take_while(is_same).take(COLUMN).any(is_under)
    }

    /// "Doppelzimmer 60 €, Einzelzimmer 40 € pro Nacht": the first is for a night, too.
    fn earlier_stays(&self, number: usize, last: usize) -> Vec<Handle> {
        let unit = self.m.domain.rules.counted.first().copied();
        let sentence = self.mention(number).sentence;
        let of_unit = |price: &&Price| price.of.zip(unit).is_some_and(|(of, unit)| self.is_a(of, unit));
        let own = |price: &&Price| {
            price.line == self.mention(number).line && self.mention(price.mention).sentence == sentence
        };
        let near = || self.prices.iter().rev().take(EARLIER).filter(own).filter(of_unit);
        let is_last = near().any(|price| price.mention == last);
        let earlier = near();
        let earlier = earlier.filter(|price| price.mention < last && !self.has_per(price));
        let is_german = self.tongue(number) == Tongue::German;
        earlier.filter(|_| is_last && is_german).map(|price| price.handle).collect()
    }

    /// Whether a thing says more of a price instead of being one of its own: for whom, when, what is included.
    pub(super) fn of_price(&mut self, number: usize, to: ClassId) -> bool {
        let Some(class) = self.m.domain.rules.money else { return false };
        let slots = self.between(class, to);
        let default = slots.iter().copied().find(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
        if default.is_some() {
            // Linked when its price is made.
            return self.price_beside(number).is_some()
                || self.context(number).label_until.is_some_and(|until| self.mention(number).span.end <= until);
        }
        let rules = &self.m.domain.rules;
        // "Towels and Wi-Fi are included" in a flat: they are there.
        let unit = rules.counted.first().copied();
        let in_home = self.focus(number).is_some_and(|focus| {
            self.builder.types(focus).iter().any(|class| unit.is_some_and(|unit| self.is_a(*class, unit)))
        });
        let is_there = in_home
            && unit.is_some_and(|unit| !self.m.domain.ontology.between(unit, to).is_empty())
            && self.included_by(number) == Some(true);
        !is_there && rules.with.is_some_and(|slot| slots.contains(&slot) && self.included_by(number).is_some())
    }

    /// The price that a group of people or a season in the same sentence belongs to.
    pub(super) fn price_beside(&self, number: usize) -> Option<usize> {
        let mention = self.mention(number);
        let line = self.by_line[mention.line].clone();
        // "Free internet" is no price of anybody.
        let describes = |other: usize| {
            let next = self.m.mentions.get(other + 1).filter(|next| next.line == mention.line);
            let class = next.and_then(Mention::class).filter(|class| Some(*class) != self.m.domain.rules.money);
            let is_next = next.is_some_and(|next| next.tokens.start == self.mention(other).tokens.end);
            class.is_some() && is_next && !self.is_condition(other + 1)
        };
        let is_free = |other: usize| matches!(self.mention(other).what, What::Free) && !describes(other);
        let same: Vec<_> = line
            .filter(|other| {
                self.mention(*other).sentence == mention.sentence && (self.is_price(*other) || is_free(*other))
            })
            .collect();
        let next = same.iter().copied().find(|price| *price > number);
        let previous = same.iter().copied().rev().find(|price| *price < number);
        let first_is_price = same.first().is_some_and(|price| {
            let line = self.by_line[mention.line].clone();
            let groups = line
                .into_iter()
                .filter(|other| self.is_condition(*other) && self.mention(*other).sentence == mention.sentence);
            groups.min().is_some_and(|group| *price < group)
        });
        let is_close = |from: usize, to: usize| {
            // "Kinder bis einschließlich 16 Jahre frei"
            let reach = if matches!(self.mention(to).what, What::Free) { FREE } else { CLOSE };
            let (from, to) = (self.mention(from).tokens.end, self.mention(to).tokens.start);
            to.saturating_sub(from) <= reach
                && self.m.tokens.all[from.min(to)..to]
                    .iter()
                    .all(|token| !matches!(&*token.lower, "," | ";" | "(" | "und" | "and" | "/"))
        };
        let close_next = next.is_some_and(|next| is_close(number, next));
        let close_previous = previous.is_some_and(|previous| is_close(previous, number));
        match (close_previous, close_next) {
            (false, true) => next,
            (true, false) => previous,
            _ if first_is_price => previous.or(next),
            _ => next.or(previous),
        }
    }

    /// "Hunde sind willkommen (12 € pro Nacht)": paid to the house, not for a room.
    pub(super) fn pet_price(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        self.pet_before(number)?;
        let focus = self.focus(number)?;
        let types = self.builder.types(focus).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(vec![(focus, slot)])
    }

    /// The pet that a price is for: nothing else stands between the two.
    pub(super) fn pet_before(&self, number: usize) -> Option<usize> {
        let (pet, _) = self.m.domain.rules.permission?;
        let nearest = self.before(number).into_iter().find(|other| self.mention(*other).class().is_some())?;
        self.mention(nearest).class().filter(|class| self.is_a(*class, pet)).map(|_| nearest)
    }

    pub(super) fn is_condition(&self, number: usize) -> bool {
        let (Some(class), What::Thing(to)) = (self.m.domain.rules.money, &self.mention(number).what) else {
            return false;
        };
        let ontology = &self.m.domain.ontology;
        ontology.between(class, *to).into_iter().any(|slot| ontology.slot_at(slot).holds_without_cue())
    }

    /// "80 € bei 2 Personen": the number of people is that of the price.
    pub(super) fn of_people(&mut self, number: usize, slot: SlotId, value: &str, word: &str) -> bool {
        if !self.m.languages.of(self.tongue(number)).has("people", word) {
            return false;
        }
        if self.is_price_behind(number) {
            return true;
        }
        if self.is_said_of_prices(number) {
            self.standing.push((number, slot, value.to_owned()));
            return true;
        }
        let mention = self.mention(number);
        let line = self.by_line[mention.line].clone();
        let previous = (line.start..number).rev().find(|other| {
            self.mention(*other).sentence == mention.sentence
                && (self.is_price(*other) || matches!(self.mention(*other).what, What::Thing(_)))
        });
        let Some(price) = previous.filter(|other| self.is_price(*other)).and_then(|other| self.resolved[other]) else {
            // A number of people in front of its price.
            let next = (number + 1..line.end)
                .find(|other| self.is_price(*other) && self.mention(*other).sentence == mention.sentence);
            let is_first = previous.is_none();
            let gap = next.map_or(usize::MAX, |next| {
                self.mention(next).tokens.start - mention.tokens.end.min(self.mention(next).tokens.start)
            });
            if let (true, Some(handle)) = (is_first && gap <= 3, next.and_then(|next| self.resolved[next])) {
                self.value(handle, slot, value, "adjacent", number);
                return true;
            }
            return false;
        };
        self.value(price, slot, value, "adjacent", number);
        true
    }

    /// "1-2 Pers. 50,00 €, 3 Pers. 58,00 €": the number before a price, where numbers come first.
    fn people_before(&self, price: usize) -> Option<usize> {
        let language = self.m.languages.of(self.tongue(price));
        let before = price.checked_sub(1)?;
        let (count, mention) = (self.mention(before), self.mention(price));
        let between = count.tokens.end..mention.tokens.start;
        let is_close = between.len() <= 2
            && self.m.tokens.all[between].iter().all(|token| matches!(&*token.lower, "." | ":" | "-" | "–" | "="));
        let is_people =
            |one: usize| self.mention(one).is_literal(Kind::Count) && language.has("people", &self.mention(one).lemma);
        let mut own = self.by_line[mention.line].clone().filter(|one| self.mention(*one).sentence == mention.sentence);
        let first = own.find(|one| self.is_price(*one) || is_people(*one))?;
        let is_said = (count.line, count.sentence) == (mention.line, mention.sentence) && is_people(before);
        (is_said && is_close && is_people(first) && self.tongue(price) == Tongue::German).then_some(before)
    }

    fn is_price_behind(&self, number: usize) -> bool {
        let is_price = number + 1 < self.m.mentions.len() && self.is_price(number + 1);
        is_price && self.people_before(number + 1) == Some(number)
    }

    /// "Jede weitere Person zahlt 10 € pro Nacht": what the price is for, besides the night.
    fn each_more(&self, price: usize) -> Option<String> {
        let mention = self.mention(price);
        let language = self.m.languages.of(self.tongue(price));
        let start = self.m.tokens.lines[mention.line].start.max(mention.tokens.start.saturating_sub(MORE));
        let before = &self.m.tokens.all[start..mention.tokens.start];
        let last = before.iter().rposition(|token| token.sentence != mention.sentence || &*token.lower == ",");
        let own = &before[last.map_or(0, |last| last + 1)..];
        let pair = own
            .windows(3)
            .find(|three| language.has("each", &three[0].lower) && language.has("further", &three[1].lower))?;
        language.per.get(&*pair[2].lower).cloned()
    }

    /// "2 Personen" over a column of prices says when these hold, and not how many there is room for.
    pub(super) fn heads_prices(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let Some(head) = self.line_of(number).cell.filter(|cell| cell.row == 1 && cell.column > 1) else {
            return false;
        };
        let below = self.m.page.lines[mention.line + 1..].iter().zip(mention.line + 1..).take(COLUMN);
        let in_table = |cell: &Cell| cell.table == head.table;
        let mut cells = below.map_while(|(line, at)| Some((line.cell.filter(in_table)?, at)));
        let has_price = |at: usize| self.by_line[at].clone().any(|other| self.is_price(other));
        language.has("people", &mention.lemma)
            && cells.any(|(cell, at)| cell.column == head.column && cell.row > 1 && has_price(at))
    }

    /// "Die Preise gelten für vier Personen": a sentence about prices that names none before it.
    fn is_said_of_prices(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let start = self.m.tokens.lines[mention.line].start;
        let own = self.m.tokens.all[start..mention.tokens.start].iter();
        let mut own = own.filter(|token| token.sentence == mention.sentence);
        let before = self.by_line[mention.line].start..number;
        own.any(|token| language.has("pricing", &token.lower))
            && !before.clone().any(|other| self.is_price(other) && self.mention(other).sentence == mention.sentence)
    }

    /// Whether the row or line of a price says for how many people it is.
    pub(super) fn has_people(&self, price: &Price) -> bool {
        let mut row = self.row(price.line);
        row.any(|other| {
            let mention = self.mention(other);
            let language = self.m.languages.of(self.tongue(other));
            mention.is_literal(Kind::Count) && language.has("people", &mention.lemma)
        })
    }
}
