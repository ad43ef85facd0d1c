//! Prices: of what, for whom, when, with what.

use super::{Attach, Price};
use crate::language::Tongue;
use crate::literals::Kind;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

impl Attach<'_> {
    pub(super) fn price(&mut self, number: usize, value: &str) {
        let Some(class) = self.m.domain.rules.money else { return };
        let Some(scope) = self.scope(number) else { return };
        // What costs so much is not for guests; wages may be as high.
        let most = if value.ends_with("ITL") { 7 } else { 5 };
        let is_absurd = value.split(['.', '-']).next().is_some_and(|whole| whole.len() > most)
            && self.m.domain.rules.with.is_some();
        if is_absurd || self.is_raised(number) || self.waits(number, class) {
            return;
        }
        let Some((governors, heuristic)) = self.priced(number, class) else { return };
        let Some(key) = self.key_slot(class) else { return };
        let mention = self.mention(number);
        let (line, span) = (mention.line, mention.span.clone());
        let handle = self.builder.instance(class);
        self.value_at(handle, key, value, "form", &span);
        let meal = self.m.domain.rules.meal;
        let of_meal = governors.iter().any(|(governor, _)| {
            meal.is_some_and(|meal| self.builder.types(*governor).iter().any(|class| self.is_a(*class, meal)))
        });
        let of = governors.first().map(|(governor, _)| self.class_of(*governor));
        for (governor, slot) in governors {
            self.link(governor, slot, handle, heuristic, number);
        }
        if !of_meal {
            self.with_board(number, handle, of);
        }
        self.resolved[number] = Some(handle);
        self.prices.push(Price { mention: number, handle, scope, line, of });
        self.conditions(number, handle, class);
    }

    /// "Last year we raised £6,400": nobody pays that.
    fn is_raised(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        let mut own = self.sentence_around(number);
        // "A deposit of £100": that comes back.
        let is_deposit = self.words_before(number, 4).iter().any(|word| language.has("deposits", word));
        is_deposit || own.any(|token| language.has("raising", &token.lower))
    }

    /// "frei", "free": a price of nothing, where a price is spoken of.
    pub(super) fn free(&mut self, number: usize) {
        let value = self.m.domain.rules.free.clone();
        let Some(class) = self.m.domain.rules.money else { return };
        if value.is_empty() || !self.is_price_talk(number, class) {
            return;
        }
        self.price(number, &value);
    }

    /// "Eintritt frei", "children free": words for an entrance, or someone for whom, beside it.
    fn is_price_talk(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let text = self.m.page.text[mention.span.clone()].to_lowercase();
        let language = self.m.languages.of(self.tongue(number));
        if text.split_whitespace().any(|word| language.has("entrance", word)) {
            return true;
        }
        let own = self.sentence_around(number);
        let context = self.context(number);
        let has_entrance = own
            .map(|token| &*token.lower)
            .chain(context.label_words.iter().chain(&context.heading_words).map(|word| &**word))
            .any(|word| language.has("entrance", word));
        let near = self.before(number).first().is_some_and(|other| {
            let is_group = self.mention(*other).class().is_some_and(|other| {
                self.m.domain.ontology.slots().any(|slot| {
                    self.m.domain.ontology.fits_domain(slot, &[class])
                        && self.m.domain.ontology.fits_range(slot, &[other])
                        && self.m.domain.ontology.slot_at(slot).holds_without_cue()
                })
            });
            // "Children under 5 are admitted free"
            let gap = self.mention(*other).tokens.end..mention.tokens.start;
            let is_admitted = || gap.clone().any(|at| language.has("admitting", &self.m.tokens.all[at].lower));
            is_group && (gap.len() <= 3 || gap.len() <= 8 && is_admitted())
        });
        let by_label = self.context(number).labels.iter().any(|label| self.is_condition(*label));
        let focus_has_entrance = self.focus(number).is_some_and(|focus| {
            let ontology = &self.m.domain.ontology;
            let types = self.builder.types(focus);
            ontology.slots().any(|slot| {
                ontology.slot_at(slot).range().iter().any(|union| union.contains(&class))
                    && !ontology.slot_at(slot).parents().is_empty()
                    && ontology.fits_domain(slot, types)
            })
        });
        // "Free." and nothing else.
        let line = self.m.tokens.lines[mention.line].clone();
        let words = self.m.tokens.all[line]
            .iter()
            .filter(|token| token.sentence == mention.sentence && token.kind == crate::tokens::Kind::Word)
            .count();
        let is_alone = self.tongue(number) == Tongue::English && words == mention.tokens.len();
        has_entrance || focus_has_entrance && (near || by_label || is_alone)
    }

    pub(super) fn key_slot(&self, class: ClassId) -> Option<SlotId> {
        let ontology = &self.m.domain.ontology;
        ontology.slots().find(|slot| ontology.slot_at(*slot).is_key() && ontology.fits_domain(*slot, &[class]))
    }

    /// What has the price.
    fn priced(&mut self, number: usize, class: ClassId) -> Option<(Vec<(Handle, SlotId)>, &'static str)> {
        let context = self.context(number).clone();
        let in_label = context.label_until.is_some_and(|until| self.mention(number).span.end <= until);
        if let Some(found) = self.priced_first(number, class) {
            return Some(found);
        }
        if let Some(found) = self.priced_before(number, class) {
            return Some((found, "adjacent"));
        }
        if !in_label {
            let labels = self.pricing_labels(number);
            for label in labels {
                if self.board(label).is_some() {
                    continue;
                }
                if let Some(found) = self.resolved[label].and_then(|_| self.with_slot(number, label, class)) {
                    return Some((found, "label"));
                }
            }
        }
        if let Some(found) = self.price_of_row(number, class) {
            return Some((found, "table"));
        }
        if let Some(found) = self.subject_of_line(number, class).or_else(|| self.event_before(number, class)) {
            return Some((found, "sentence"));
        }
        if let Some(found) = self.line_before(number, class) {
            return Some((found, "list"));
        }
        if let Some(found) = self.section_thing(number, class) {
            return Some((found, "section"));
        }
        let is_free = matches!(self.mention(number).what, What::Free);
        // "Budget Cabin" under "Cabins": the price is that of the former.
        let own = self.focus(number).filter(|_| self.scope(number) != self.m.outline.main);
        let headings = context.headings.into_iter().filter(|_| !is_free);
        let headings: Vec<_> = headings.take_while(|one| own.is_none() || self.resolved[*one] != own).collect();
        for heading in headings {
            if self.board(heading).is_none()
                && self.resolved[heading].is_some_and(|handle| !self.focuses.contains(&handle))
                && let Some(found) = self.with_slot(number, heading, class)
            {
                return Some((found, "heading"));
            }
        }
        let focus = self.focus(number)?;
        let types = self.builder.types(focus).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        let slot = self.entrance_slot(focus, slot).unwrap_or(slot);
        Some((vec![(focus, slot)], "focus"))
    }

    /// In its own sentence, the nearest thing before it, or that which this belongs to.
    fn priced_before(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        for other in self.before(number) {
            // "The tea room serves cream tea £4.25": what is eaten has the price, and not who serves it.
            if self.is_in_brackets(number, other) {
                continue;
            }
            let Some(top) = self.top(other) else { continue };
            let top = if self.is_eaten(other) && self.serves(top) { other } else { top };
            let top = self.is_done_in(number, top).unwrap_or(top);
            let is_board = self.board(top).is_some() && !self.is_supplement(number);
            if self.is_price(top) || self.resolved[top].is_none() || is_board {
                continue;
            }
            let is_apart = self.is_parted(number, top) || self.is_held_there(top) || self.is_listed(number, top);
            if self.is_of_last_price(number, top) || is_apart || self.is_included_in(number, other) {
                continue;
            }
            if let Some(found) = self.with_slot(number, top, class) {
                return Some(found);
            }
        }
        None
    }

    /// What has a price whatever else stands around it.
    fn priced_first(&mut self, number: usize, class: ClassId) -> Option<(Vec<(Handle, SlotId)>, &'static str)> {
        if let Some(found) = self.price_of_piece(number, class) {
            return Some((found, "table"));
        }
        if let Some(found) = self.dish_in_sentence(number, class) {
            return Some((found, "adjacent"));
        }
        if let Some(found) = self.package_price(number, class) {
            return Some((found, "adjacent"));
        }
        if let Some(found) = self.per_thing(number, class) {
            return Some((found, "prep"));
        }
        if let Some(found) = self.pet_price(number, class).or_else(|| self.levy_price(number, class)) {
            return Some((found, "adjacent"));
        }
        if let Some(found) = self.price_ahead(number, class) {
            return Some((found, "adjacent"));
        }
        let unit = self.context(number).row_head.and_then(|head| self.unit_called(head))?;
        let slot = self.pick(self.class_of(unit), class, number)?;
        Some((vec![(unit, slot)], "table"))
    }

    /// Labels and heads of columns that may have a price, units first.
    fn pricing_labels(&self, number: usize) -> Vec<usize> {
        let context = self.context(number);
        let columns = context.columns.iter().filter(|column| !self.is_meal(**column));
        let mut labels: Vec<_> = context.labels.iter().chain(columns).copied().collect();
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit =
            |label: &usize| self.mention(*label).class().zip(unit).is_some_and(|(class, unit)| self.is_a(class, unit));
        // "Avocet | double room with bathroom | £64"
        let is_beside = |other: &usize| {
            let cells = self.line_of(*other).cell.zip(self.line_of(number).cell);
            let begins = self.m.tokens.lines[self.mention(*other).line].start == self.mention(*other).tokens.start;
            cells.is_some_and(|(other, own)| other.column + 1 == own.column) && begins
        };
        if labels.is_empty() && self.m.outline.focuses.len() == 1 {
            labels.extend(self.row(self.mention(number).line).filter(is_beside).find(is_unit));
        }
        labels.sort_by_key(|label| !is_unit(label));
        labels
    }

    /// What one pays for an event or a sight is paid to get in.
    pub(super) fn entrance_slot(&self, focus: Handle, slot: SlotId) -> Option<SlotId> {
        let ontology = &self.m.domain.ontology;
        let is_below =
            |other: &SlotId| *other != slot && ontology.is_sub_slot(*other, slot) && self.fits(*other, focus);
        let is_sight = self.m.domain.rules.sight.is_some_and(|sight| self.is_a(self.class_of(focus), sight));
        let is_paid = self.is_event(focus) || is_sight;
        is_paid.then(|| ontology.slots().find(is_below)).flatten()
    }

    /// "Wi-Fi. £450-£890 per week": what stands before the point costs something else.
    pub(super) fn is_parted(&self, number: usize, top: usize) -> bool {
        let (from, to) = (self.mention(top).tokens.end, self.mention(number).tokens.start);
        self.tongue(number) == Tongue::English
            && self.m.tokens.all[from.min(to)..to].iter().any(|token| &*token.lower == ".")
            && self.m.tokens.all.get(to).is_some_and(|token| matches!(&*token.lower, "£" | "$" | "€"))
    }

    /// "£85 including breakfast; £65 for one": the breakfast belongs to the price before.
    fn is_of_last_price(&self, number: usize, top: usize) -> bool {
        self.tongue(number) == Tongue::English
            && self.included_by(top) == Some(true)
            && !self.has_literal_between(top, number)
            && self.before(top).into_iter().any(|price| self.is_price(price))
    }

    /// "Halbpension (3-Gang-Menü) 19,50 €": what stands in closed brackets says more of what stands before them.
    fn is_in_brackets(&self, number: usize, other: usize) -> bool {
        let (own, price) = (&self.mention(other).tokens, &self.mention(number).tokens);
        let words = |from: usize, to: usize| self.m.tokens.all[from.min(to)..to].iter().map(|token| &*token.lower);
        let line = self.m.tokens.lines[self.mention(number).line].start;
        let mut opens = words(line, own.start).rev().take_while(|word| *word != ")");
        let mut closes = words(own.end, price.start);
        let is_closed = closes.any(|word| word == ")") && opens.any(|word| word == "(");
        let is_before = |one: usize| one < other && self.resolved[one].is_some() && !self.is_price(one);
        is_closed && self.before(other).into_iter().any(is_before)
    }

    /// "Doppelzimmer mit Frühstück 79 €": what the price has in it does not have the price, but for "(8 €)" right behind it.
    pub(super) fn is_included_in(&self, number: usize, other: usize) -> bool {
        let breakfast = self.m.domain.rules.breakfast;
        let is_eaten = self.mention(other).class().zip(breakfast).is_some_and(|(class, own)| self.is_a(class, own));
        let (from, to) = (self.mention(other).tokens.end, self.mention(number).tokens.start);
        let is_aside = || self.m.tokens.all[from.min(to)..to].iter().any(|token| &*token.lower == "(");
        is_eaten && self.board(other).is_none() && self.included_by(other) == Some(true) && !is_aside()
    }

    pub(super) fn is_price(&self, number: usize) -> bool {
        self.mention(number).is_literal(Kind::Money)
    }

    /// The mention that governs another in its sentence, and so on up.
    fn top(&self, number: usize) -> Option<usize> {
        let mut at = number;
        for _ in 0..8 {
            match self.governed_by[at] {
                Some(next) if self.mention(next).sentence == self.mention(number).sentence => at = next,
                _ => break,
            }
        }
        matches!(self.mention(at).what, What::Thing(_)).then_some(at)
    }

    pub(super) fn with_slot(&mut self, number: usize, other: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let handle = self.resolved[other]?;
        if self.is_accessory(other) || self.board(other).is_some() && !self.is_supplement(number) {
            return None;
        }
        if self.is_only_when(number, other) {
            return None;
        }
        // "A tour of the walled garden (£5)": the tour costs that.
        let is_tour = |one: &usize| {
            self.resolved[*one]
                .is_some_and(|one| !self.focuses.contains(&one) && self.is_event_class(self.class_of(one)))
        };
        if self.tongue(number) == Tongue::English
            && self.mention(other).flags.apart
            && self.before(number).iter().any(is_tour)
        {
            return None;
        }
        // "Castle and gardens £7": the entrance is that of the castle.
        if self.mention(other).flags.apart && self.is_entrance(number, class) {
            return None;
        }
        let types = self.builder.types(handle).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        let mut all = vec![(handle, slot)];
        // "Einzel- und Doppelzimmer 45 €"
        let own = self.by_line[self.mention(other).line].clone();
        for member in own.filter(|member| *member != other && self.same_group(*member, other)) {
            let adjacent = self.mention(member).sentence == self.mention(other).sentence;
            if let Some(one) =
                self.resolved[member].filter(|one| adjacent && self.fits(slot, *one) && !self.focuses.contains(one))
                && !self.has_literal_between(member, other)
                && self
                    .mention(member)
                    .class()
                    .zip(self.mention(other).class())
                    .is_some_and(|(one, two)| self.siblings(one, two))
                && !(self.tongue(number) == Tongue::English
                    && one != handle
                    && self.class_of(one) != self.class_of(handle)
                    && self.is_a(self.class_of(one), self.class_of(handle)))
            {
                all.push((one, slot));
            }
        }
        Some(all)
    }

    /// "August (Festival) £245" in a house to stay at: the festival says when, and costs nothing.
    pub(super) fn is_only_when(&self, number: usize, other: usize) -> bool {
        let unit = self.m.domain.rules.counted.first().copied();
        let is_home = |class: &ClassId| {
            unit.is_some_and(|unit| self.is_a(*class, unit) || !self.m.domain.ontology.between(*class, unit).is_empty())
        };
        let in_home = self.focus(number).is_some_and(|focus| self.builder.types(focus).iter().any(is_home));
        let mention = self.mention(other);
        let is_event = mention.class().is_some_and(|class| self.is_event_class(class));
        in_home && is_event && mention.name.is_none() && self.line_of(other).cell.is_some()
    }

    /// "Zimmer mit Balkon", "Newarp (with bath)": what a unit comes with has no price of its own.
    fn is_accessory(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let (Some(unit), Some(class)) = (self.m.domain.rules.counted.first().copied(), mention.class()) else {
            return false;
        };
        let is_part = !self.is_a(class, unit) && !self.m.domain.ontology.between(unit, class).is_empty();
        let comes_with = self.syntax.prep[number].as_deref().is_some_and(|prep| matches!(prep, "mit" | "with"));
        let in_unit = self.governed_by[number]
            .and_then(|governor| self.mention(governor).class())
            .is_some_and(|governor| self.is_a(governor, unit));
        is_part && !mention.flags.house && (comes_with || in_unit)
    }

    /// Whether prices here are those of an entrance: a heading says so.
    pub(super) fn is_entrance(&self, number: usize, class: ClassId) -> bool {
        let ontology = &self.m.domain.ontology;
        let focus = self.focus(number);
        self.context(number)
            .cues
            .iter()
            .any(|slot| ontology.fits_range(*slot, &[class]) && focus.is_some_and(|focus| self.fits(*slot, focus)))
    }

    pub(super) fn siblings(&self, one: ClassId, other: ClassId) -> bool {
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        one == other || parents(one).iter().any(|parent| parents(other).contains(parent))
    }

    fn has_literal_between(&self, one: usize, other: usize) -> bool {
        let (from, to) = (one.min(other), one.max(other));
        (from + 1..to).any(|number| self.is_price(number))
    }
}
