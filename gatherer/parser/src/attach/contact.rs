//! Telephones, mail, web, addresses.

use super::Attach;
use crate::language::Tongue;
use crate::layout::Region;
use crate::literals::Kind;
use crate::mentions::What;
use crate::names::key;
use gatherer_abstracts::model::{Handle, Place};
use gatherer_abstracts::ontology::SlotId;

/// Postcodes and towns that hold for all of a listing, at most.
const COMMON: usize = 8;

impl Attach<'_> {
    pub(super) fn phone(&mut self, number: usize, value: &str) {
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Phone) else { return };
        let words: Vec<String> = self.label_words(number).into_iter().map(str::to_owned).collect();
        let label: Vec<String> =
            self.context(number).label_words.iter().map(std::string::ToString::to_string).collect();
        let has = |words: &[String], labels: &std::collections::HashSet<String>| {
            words.iter().any(|word| {
                word.split(['-', '/', '.']).any(|part| labels.contains(part))
                    || labels.iter().any(|label| label.len() > 3 && word.ends_with(label.as_str()))
            })
        };
        let asked = |words: &[String]| {
            slots.iter().filter(|slot| has(words, &slot.labels)).map(|slot| slot.slot).collect::<Vec<_>>()
        };
        let mut found = asked(&words);
        if found.is_empty() && words.iter().all(|word| !word.chars().any(char::is_alphabetic) || word.len() < 3) {
            found = asked(&label);
        }
        let default =
            slots.iter().map(|slot| slot.slot).find(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
        // The sub-slot says more than the slot above it.
        if found.len() > 1 {
            let all = found.clone();
            found.retain(|slot| {
                !all.iter().any(|other| other != slot && self.m.domain.ontology.is_sub_slot(*other, *slot))
            });
        }
        if found.is_empty() {
            found.extend(default);
        }
        // "Tel. 0171 ...": the number itself says more than its label.
        if let Some(plain) =
            found.iter_mut().find(|slot| Some(**slot) == default).filter(|_| self.m.finder.is_mobile(value))
        {
            let below = slots
                .iter()
                .map(|slot| slot.slot)
                .find(|slot| self.m.domain.ontology.is_sub_slot(*slot, *plain) && slot != plain);
            *plain = below.unwrap_or(*plain);
        }
        for slot in found {
            if let Some(handle) = self.reached(number, slot) {
                self.value(handle, slot, value, "label", number);
            }
        }
    }

    pub(super) fn contact(&mut self, number: usize, kind: Kind, value: &str) {
        let Some(slots) = self.m.domain.rules.literals.get(&kind) else { return };
        let Some(slot) = slots.first().map(|slot| slot.slot) else { return };
        let Some(handle) = self.reached(number, slot) else { return };
        if let Some(place) = self.target_place(number, value) {
            let mut evidence = self.evidence("form", &self.mention(number).span.clone());
            evidence.place = place;
            self.builder.value(handle, slot, value, evidence);
            self.fruitful.insert(self.mention(number).sentence);
        } else {
            self.value(handle, slot, value, "form", number);
        }
    }

    /// Where a mail address stands that only the target of a reference knows.
    fn target_place(&self, number: usize, value: &str) -> Option<Place> {
        let mention = self.mention(number);
        if !mention.is_literal(Kind::Mail) || self.m.page.text[mention.span.clone()].contains('@') {
            return None;
        }
        let link =
            self.line_of(number).links.iter().find(|link| link.span == mention.span && !link.place.is_empty())?;
        let start = link.target.to_lowercase().find(value)?;
        let quote = link.target.get(start..start + value.len())?;
        let from = link.place.start + link.target[..start].chars().count();
        Some(Place::new(from, from + quote.chars().count(), quote))
    }

    /// Whose number or address it is: that of a named thing before it in the line, else that of the page's thing.
    fn reached(&self, number: usize, slot: SlotId) -> Option<Handle> {
        let focus = self.focus(number)?;
        if self.is_event(focus) {
            let line = self.mention(number).line;
            let item = self.piece(line).and_then(|_| self.event_of_row(line));
            return Some(item.unwrap_or(focus)).filter(|holder| self.fits(slot, *holder));
        }
        let line = self.by_line[self.mention(number).line].clone();
        let named = (line.start..number).rev().find_map(|other| {
            let mention = self.mention(other);
            let is_person = mention.flags.title || matches!(mention.what, What::Agent(_) | What::Place(_));
            let handle = self.resolved[other]?;
            // "Paignton Zoo 4 miles. Email:" is the address of the house.
            let is_far = self.tongue(number) == Tongue::English
                && (self.distances.contains_key(&other) || mention.sentence != self.mention(number).sentence);
            (!is_far && mention.name.is_some() && !is_person && handle != focus && self.fits(slot, handle))
                .then_some(handle)
        });
        named.or(Some(focus)).filter(|handle| self.fits(slot, *handle)).or_else(|| self.reachable(slot))
    }

    /// Where the page's thing itself cannot be reached, somebody of the page can: the employer of a job.
    fn reachable(&self, slot: SlotId) -> Option<Handle> {
        let main = self.m.outline.main.map(|main| self.focuses[main])?;
        if self.fits(slot, main) {
            return None;
        }
        self.resolved
            .iter()
            .flatten()
            .copied()
            .find(|handle| *handle != main && self.fits(slot, *handle) && self.builder.name(*handle).is_some())
    }

    pub(super) fn address(&mut self, number: usize, kind: Kind, value: &str) {
        let Some(slots) = self.m.domain.rules.literals.get(&kind) else { return };
        let Some(slot) = slots.first().map(|slot| slot.slot) else { return };
        let is_name = self.scope(number).is_some_and(|scope| self.m.outline.focuses[scope].key == key(value));
        if is_name && self.tongue(number) == Tongue::English || self.is_of_shop(number) {
            return;
        }
        let holder = self.addressed(number).filter(|handle| self.fits(slot, *handle));
        if let Some(handle) = holder.or_else(|| self.reachable(slot)) {
            self.value(handle, slot, value, "form", number);
            if let Some(event) = self.held_there(number, handle).filter(|event| self.fits(slot, *event)) {
                self.value(event, slot, value, "form", number);
            }
        }
    }

    /// What happens at an address that is given as its place has it, too: "Venue: Brindle Hall, Church Lane, HR9 9QT".
    fn held_there(&self, number: usize, holder: Handle) -> Option<Handle> {
        let focus = self.focus(number).filter(|focus| *focus != holder && self.is_event(*focus))?;
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let before = self.m.tokens.all[line.start..mention.tokens.start].iter().map(|token| &*token.lower);
        let context = &self.contexts[mention.line];
        let mut around = context.heading_words.iter().chain(&context.label_words).map(|word| &**word);
        let asks = |word: &str| language.venues.contains(word);
        (before.into_iter().any(asks) || around.any(asks)).then_some(focus)
    }

    /// "Tickets from Milbourne Books, 18 High Street": where they are sold, and not where something happens.
    fn is_of_shop(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let words = self.m.tokens.all[line.start..mention.tokens.start].iter();
        let words: Vec<_> =
            words.filter(|token| token.sentence == mention.sentence).map(|token| &*token.lower).collect();
        let sold = words.iter().position(|word| language.has("selling", word));
        let is_event = self.focus(number).is_some_and(|focus| self.is_event(focus));
        is_event && sold.is_some_and(|sold| words[sold..].iter().any(|word| language.has("sources", word)))
    }

    /// "Die Anschrift aller Häuser ist 54499 Pölmerath", in a listing: of each that has no postcode of its own.
    pub(super) fn common_addresses(&mut self) {
        if self.m.outline.main.is_some() || self.focuses.len() < 2 {
            return;
        }
        for number in 0..self.m.mentions.len() {
            if self.common.len() >= COMMON {
                break;
            }
            let kind = self.mention(number).literal().map(|(kind, _)| kind);
            let (Some(kind @ (Kind::Postcode | Kind::Town)), true) = (kind, self.is_of_all(number)) else { continue };
            let value = self.mention(number).literal().map(|(_, value)| value.to_owned()).unwrap_or_default();
            self.common.insert(number);
            for (scope, focus) in self.focuses.clone().into_iter().enumerate() {
                let own = |other: &usize| {
                    self.scope(*other) == Some(scope)
                        && self.mention(*other).is_literal(kind)
                        && !self.common.contains(other)
                };
                if (0..self.m.mentions.len()).any(|other| own(&other) && !self.is_of_all(other)) {
                    continue;
                }
                let slot =
                    self.m.domain.rules.literals.get(&kind).and_then(|slots| slots.first()).map(|slot| slot.slot);
                match (slot, self.m.domain.rules.town) {
                    (Some(slot), _) if kind == Kind::Postcode => self.value(focus, slot, &value, "form", number),
                    (_, Some(town)) => self.place_of_address(number, focus, town, &value),
                    _ => {}
                }
            }
        }
    }

    /// Whether a sentence speaks of the address of all.
    fn is_of_all(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let own = self.m.tokens.all[line.start..mention.tokens.start].iter();
        let words: Vec<_> = own.filter(|token| token.sentence == mention.sentence).map(|token| &*token.lower).collect();
        let has = |list: &str| words.iter().any(|word| language.has(list, word));
        has("of-all") && has("addresses")
    }

    /// Whose address it is: that of the named thing right before it, in its line or the line before.
    pub(super) fn addressed(&self, number: usize) -> Option<Handle> {
        let focus = self.focus(number)?;
        let mention = self.mention(number);
        let line = &self.m.page.lines[mention.line];
        let is_focus_event = self.is_event(focus);
        let own = self.by_line[mention.line].clone();
        if own.clone().any(|other| other < number && self.resolved[other] == Some(focus)) {
            return Some(focus);
        }
        for other in (number.saturating_sub(8)..number).rev() {
            let before = self.mention(other);
            let before_line = &self.m.page.lines[before.line];
            let is_near = before.line == mention.line
                || before_line.paragraph == line.paragraph
                || (before.line + 1 == mention.line && before_line.cell == line.cell);
            if !is_near {
                break;
            }
            let is_thing = matches!(before.what, What::Thing(_)) && !before.flags.title;
            let Some(handle) = self.resolved[other].filter(|_| is_thing && before.name.is_some()) else { continue };
            let is_venue = before.line == mention.line || is_focus_event;
            if handle == focus || is_venue {
                return Some(handle);
            }
        }
        // Under the line, the address may be that of who made the page.
        (line.region != Region::Footer || self.m.outline.focuses.len() == 1).then_some(focus)
    }

    /// Whether the page is about something that happens somewhere else.
    pub(super) fn is_event(&self, handle: Handle) -> bool {
        let slots = &self.m.domain.rules.literals;
        slots.get(&Kind::Date).into_iter().flatten().any(|slot| self.fits(slot.slot, handle))
    }

    /// Town, district and county of an address.
    pub(super) fn address_place(&mut self, number: usize, kind: Kind, value: &str) {
        let rules = &self.m.domain.rules;
        let class = match kind {
            Kind::Town => rules.town,
            Kind::District => rules.district,
            _ => rules.region,
        };
        let (Some(mut class), Some(holder)) = (class, self.addressed(number)) else { return };
        // "Waren/Müritz": what is known to be something else is that.
        if kind == Kind::District
            && let Some((_, known)) = self.m.domain.places.find(value.split_whitespace())
            && Some(known) != self.m.domain.rules.town
        {
            class = known;
        }
        if kind == Kind::Town
            && let Some((town, district)) = self.town_and_district(value)
        {
            self.place_of_address(number, holder, class, &town);
            if let Some(class) = self.m.domain.rules.district {
                self.place_of_address(number, holder, class, &district);
            }
            return;
        }
        self.place_of_address(number, holder, class, value);
        if let Some(event) = self.held_there(number, holder) {
            self.place_of_address(number, event, class, value);
        }
    }

    /// "Mainz-Gonsenheim", if Mainz is known and the whole is not.
    fn town_and_district(&self, value: &str) -> Option<(String, String)> {
        let (town, district) = value.split_once('-')?;
        let is_known = |name: &str| self.m.domain.places.find(name.split_whitespace()).is_some();
        let is_alone = self.m.tokens.all.iter().any(|token| self.m.page.text[token.span.clone()] == *town);
        let is_name = district.starts_with(char::is_uppercase) && !district.contains('-');
        (is_name && !is_known(value) && (is_known(town) || is_alone)).then(|| (town.to_owned(), district.to_owned()))
    }

    fn place_of_address(
        &mut self,
        number: usize,
        holder: Handle,
        class: gatherer_abstracts::ontology::ClassId,
        value: &str,
    ) {
        let rules = &self.m.domain.rules;
        let types = self.builder.types(holder).to_vec();
        let slot = rules.inside.iter().copied().find(|slot| {
            self.m.domain.ontology.fits_range(*slot, &[class]) && self.m.domain.ontology.fits_domain(*slot, &types)
        });
        let Some(slot) = slot else { return };
        let span = self.mention(number).span.clone();
        let handle = self.named_instance(value, &span, class);
        // What another line calls a town is no district here.
        if !self.m.domain.ontology.fits_range(slot, self.builder.types(handle)) {
            return;
        }
        self.resolved[number] = Some(handle);
        self.link(holder, slot, handle, "form", number);
    }
}
