//! What is let: rooms, suites, lodges, and how many of them.

use super::Attach;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::Article;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// The longest name of a unit, in words and signs.
const LONGEST: usize = 8;

/// So many mentions before a price stands the flat that has all that is listed between.
const LISTED: usize = 16;

impl Attach<'_> {
    /// A bedroom of a hotel is let, that of a flat is not.
    pub(super) fn unit_class(&mut self, number: usize, class: ClassId) -> ClassId {
        let (Some(unit), Some(focus)) = (self.mention(number).flags.unit, self.focus(number)) else { return class };
        let types = self.builder.types(focus).to_vec();
        if self.under_unit(number) || self.mention(number).flags.anaphor && !self.is_let(number) {
            return class;
        }
        let lets = types.iter().any(|from| !self.between(*from, unit).is_empty());
        let is_let = types
            .iter()
            .any(|one| self.m.domain.ontology.class_at(unit).parents().iter().any(|parent| self.is_a(*one, *parent)));
        if lets && !is_let { unit } else { class }
    }

    /// "Coach House Suite" as a heading: the bedrooms under it are those of the suite.
    pub(super) fn under_unit(&self, number: usize) -> bool {
        let Some(unit) = self.m.domain.rules.counted.first().copied() else { return false };
        let section = self.contexts[self.mention(number).line].section;
        let is_low = matches!(self.m.page.lines[section].role, Role::Heading(3..=6));
        let is_whole = |other: usize| {
            let mention = self.mention(other);
            let is_one = self.m.tokens.all[mention.tokens.end - 1]
                .lower
                .ends_with(mention.lemma.rsplit(' ').next().unwrap_or_default());
            mention.class().is_some_and(|class| self.is_a(class, unit)) && mention.flags.unit.is_none() && is_one
        };
        // "Caravan, 2 bedrooms, sleeps 6"
        let own = self.by_line[self.mention(number).line].start;
        let in_cell = self.line_of(number).cell.is_some() && (own..number).any(is_whole);
        self.tongue(number) == Tongue::English
            && (in_cell || is_low && !self.context(number).is_heading && self.by_line[section].clone().any(is_whole))
    }

    /// "Each cabin", "the cabins", in a house that lets them.
    pub(super) fn is_one_of_many(&self, number: usize, class: ClassId) -> bool {
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit = unit.is_some_and(|unit| self.is_a(class, unit));
        let is_other = self.focus(number).is_some_and(|focus| {
            !self.builder.types(focus).iter().any(|one| self.is_a(*one, class) || self.is_a(class, *one))
        });
        self.tongue(number) == Tongue::English
            && is_unit
            && is_other
            && (self.is_each(number) || self.is_plural(number))
    }

    /// "Every chalet", "all units"
    fn is_each(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let start = self.m.tokens.lines[mention.line].start;
        let before = mention.tokens.start.saturating_sub(2).max(start)..mention.tokens.start;
        self.m.tokens.all[before].iter().any(|token| language.has("distributing", &token.lower))
    }

    /// "cabins", and not "cabin"
    fn is_plural(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let last = &self.m.tokens.all[mention.tokens.end - 1].lower;
        !last.ends_with(mention.lemma.rsplit(' ').next().unwrap_or_default())
    }

    /// "85 sites", "each site" on a page of a campground; elsewhere, and alone, a site is something else.
    pub(super) fn is_elsewhere(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let Some(only) = mention.flags.on else { return false };
        let is_there =
            self.focus(number).is_some_and(|focus| self.builder.types(focus).iter().any(|one| self.is_a(*one, only)));
        let is_said = mention.count.is_some() || self.is_each(number) || self.is_plural(number);
        !is_there || !is_said
    }

    /// "12 lodges", "Lodge £85": a word for the house that is let here.
    pub(super) fn is_let(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let is_priced = self.line_of(number).cell.is_some() || self.before_price(number).is_some();
        mention.flags.unit.is_some()
            && mention.flags.anaphor
            && (mention.count.is_some() || is_priced && mention.article == Article::None)
    }

    /// "6 Doppelzimmer"
    pub(super) fn counted(&mut self, number: usize, handle: Handle) {
        let Some((count, span)) = self.mention(number).count.clone() else { return };
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Count) else { return };
        let plain = slots.iter().find(|slot| slot.labels.is_empty()).map(|slot| slot.slot);
        let is_countable = |class: &ClassId| {
            self.m.domain.rules.counted.is_empty()
                || self.m.domain.rules.counted.iter().any(|one| self.is_a(*class, *one))
        };
        let is_countable = self.builder.types(handle).iter().any(is_countable);
        if let Some(slot) = plain.filter(|slot| is_countable && self.fits(*slot, handle)) {
            // In a table it stands behind.
            let end = self.mention(number).span.end.max(span.end);
            if self.counted.insert(handle) {
                self.value_at(handle, slot, &count, "adjacent", &(span.start..end));
            }
        }
    }

    /// "Die Wohnung hat drei Zimmer": so many are inside of it, and none of them is let.
    pub(super) fn rooms_inside(&mut self, number: usize) -> bool {
        let mention = self.mention(number);
        let (lemma, sentence) = (mention.lemma.clone(), mention.sentence);
        let language = self.m.languages.of(self.tongue(number));
        let counted = mention.count.clone().filter(|_| language.has("inner-rooms", &lemma) && mention.name.is_none());
        let (Some((count, from)), Some(slot)) = (counted, self.slot_of_rooms(number)) else { return false };
        let span = from.start..mention.span.end.max(from.end);
        let own = &self.m.tokens.all[self.m.tokens.lines[mention.line].clone()];
        let is_let = own.iter().any(|token| token.sentence == sentence && language.has("letting", &token.lower))
            || self.by_line[mention.line].clone().any(|other| self.is_price(other));
        let near = self.before(number).into_iter().filter_map(|other| self.resolved[other]);
        let near = near.into_iter().find(|handle| self.fits(slot, *handle));
        let holder = near.or(self.focus(number)).filter(|handle| self.fits(slot, *handle) && !is_let);
        let Some(holder) = holder else { return false };
        self.value_at(holder, slot, &count, "sentence", &span);
        self.fruitful.insert(sentence);
        true
    }

    /// "3-Zimmer-Wohnung", "Zweiraumwohnung", "3 Zimmer-Wohnung": the number of its rooms is part of its name.
    pub(super) fn rooms_by_name(&mut self, number: usize) {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let (start, line) = (mention.tokens.start, mention.line);
        let word = &*self.m.tokens.all[start].lower;
        let before = start.checked_sub(1).filter(|before| self.m.tokens.lines[line].contains(before));
        let before = before.and_then(|before| self.m.tokens.all[before].lower.parse::<u32>().ok());
        let is_thing = matches!(mention.what, crate::mentions::What::Thing(_)) && self.tongue(number) == Tongue::German;
        let Some(count) = language.rooms_of(word, before).filter(|_| is_thing) else { return };
        let Some(slot) = self.slot_of_rooms(number) else { return };
        let handle = self.resolved[number].or(self.focus(number)).filter(|handle| self.fits(slot, *handle));
        if let Some(handle) = handle {
            let first = before.map_or(start, |_| start - 1);
            let span = self.m.tokens.all[first].span.start..self.m.tokens.all[start].span.end;
            self.value_at(handle, slot, &count.to_string(), "form", &span);
        }
    }

    /// "Wohnung Zirbe: 68 m², Balkon, 80 € pro Tag": behind the comma the flat goes on, and not what is in it.
    pub(super) fn is_listed(&self, price: usize, other: usize) -> bool {
        let Some(unit) = self.m.domain.rules.counted.first().copied() else { return false };
        let is_unit = |one: usize| {
            self.resolved[one].is_some() && self.mention(one).class().is_some_and(|class| self.is_a(class, unit))
        };
        let sentence = self.mention(price).sentence;
        let start = self.by_line[self.mention(price).line].start.max(price.saturating_sub(LISTED));
        let own = (start..price).rev().filter(|one| self.mention(*one).sentence == sentence);
        let is_thing = |one: &usize| matches!(self.mention(*one).what, crate::mentions::What::Thing(_));
        let Some(last) = own.clone().find(is_thing) else { return false };
        let (end, begin) = (self.mention(last).tokens.end, self.mention(price).tokens.start);
        let is_parted = !is_unit(last) && end < begin && &*self.m.tokens.all[end].lower == "," && begin - end <= 2;
        let is_alone = is_parted && !own.clone().any(|one| self.is_price(one));
        self.tongue(price) == Tongue::German && is_alone && !is_unit(other) && own.into_iter().any(is_unit)
    }

    /// "Endreinigung Appartement € 40,-": what is done costs that, and not what it is done in.
    pub(super) fn is_done_in(&self, price: usize, other: usize) -> Option<usize> {
        let unit = self.m.domain.rules.counted.first().copied()?;
        let with = self.m.domain.rules.with?;
        let own = self.mention(other);
        // "Endreinigung der Wohnungen 30 €"
        let language = self.m.languages.of(self.tongue(price));
        let is_next = |done: &usize| {
            let between = self.mention(*done).tokens.end.min(own.tokens.start)..own.tokens.start;
            between.len() <= 1 && between.into_iter().all(|at| language.has("articles", &self.m.tokens.all[at].lower))
        };
        let done = other.checked_sub(1).filter(is_next)?;
        let class = self.mention(done).class().filter(|_| self.tongue(price) == Tongue::German)?;
        let ontology = &self.m.domain.ontology;
        let is_extra = ontology.fits_range(with, &[class]) && ontology.between(unit, class).is_empty();
        let is_bare = own.class().is_some_and(|class| self.is_a(class, unit)) && own.name.is_none();
        (is_extra && is_bare && self.board(done).is_none() && self.mention(done).line == own.line).then_some(done)
    }

    /// The slot for the number of rooms of a flat.
    fn slot_of_rooms(&self, number: usize) -> Option<SlotId> {
        let language = self.m.languages.of(self.tongue(number));
        let slots = self.m.domain.rules.literals.get(&Kind::Count)?;
        let is_meant = |label: &String| language.has("inner-rooms", label);
        slots.iter().find(|slot| slot.labels.iter().any(is_meant)).map(|slot| slot.slot)
    }

    /// "Wattblick" alone in the first cell, where "Wohnung Wattblick" is known: the flat, and no view.
    pub(super) fn is_row_of_unit(&mut self, number: usize) -> bool {
        let line = self.mention(number).line;
        let layout = &self.m.page.lines[line];
        let is_whole = self.mention(number).tokens == self.first_words(line);
        let begins = layout.cell.is_some_and(|cell| cell.column == 1) || layout.role == Role::Term;
        let unit = if is_whole && begins { self.unit_called(line) } else { None };
        self.resolved[number] = unit.or(self.resolved[number]);
        unit.is_some()
    }

    /// The unit that a line begins with, by its name or the end of it: "Heuboden (4 Personen)".
    pub(super) fn unit_called(&self, line: usize) -> Option<Handle> {
        let words = self.first_words(line);
        if words.is_empty() || words.len() > LONGEST {
            return None;
        }
        let span = self.m.tokens.all[words.start].span.start..self.m.tokens.all[words.end - 1].span.end;
        self.unit_ends.get(&crate::keys::key(&self.m.page.text[span])).copied().flatten()
    }

    /// The words of a line before the first sign that ends a name.
    fn first_words(&self, line: usize) -> std::ops::Range<usize> {
        let whole = self.m.tokens.lines[line].clone();
        let is_end = |at: &usize| matches!(&*self.m.tokens.all[*at].lower, "(" | ":" | "," | "–" | "|");
        let end = whole.clone().find(is_end).unwrap_or(whole.end);
        whole.start..end
    }
}
