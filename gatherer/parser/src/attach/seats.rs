//! Seats that are told with fewer words than others: "38 Sitzplätze, auf der Terrasse noch einmal 24", "It has 40 seats"; and rooms
//! that are told by what is held in them.

use super::Attach;
use crate::literals::Kind as Literal;
use crate::mentions::What;
use crate::tokens::Kind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::SlotId;

/// A number without a word stands at most so far from the place it is said of.
const BESIDE: usize = 6;

impl Attach<'_> {
    /// "The family rooms have two double beds and sleep five": the nearest unit, and no bed.
    pub(super) fn unit_that_sleeps(&self, number: usize, word: &str) -> Option<Handle> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let unit = self.m.domain.rules.counted.first().copied()?;
        let mut before = self.by_line[mention.line].start..number;
        let nearest = before.rfind(|other| {
            let other = self.mention(*other);
            other.sentence == mention.sentence && other.class().is_some_and(|class| self.is_a(class, unit))
        })?;
        self.resolved[nearest].filter(|handle| language.has("sleeping", word) && !self.focuses.contains(handle))
    }

    /// "Im Säli finden 28 Gäste Platz": a room that is no lounge of any kind holds so many.
    pub(super) fn is_in_room(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        let near = self.before(number).into_iter().find(|other| self.resolved[*other].is_some());
        let class = near.and_then(|near| self.mention(near).class());
        let is_room = class.zip(self.m.domain.rules.hall).is_some_and(|(class, hall)| self.is_a(class, hall));
        is_room && !language.has("seats", &self.mention(number).lemma)
    }

    /// "60 Gäste finden Platz", "Platz für 60 Gäste": these are seats, where something to eat is served.
    pub(super) fn seated(&self, number: usize) -> Option<String> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let near = mention.tokens.start.saturating_sub(3).max(line.start)..(mention.tokens.end + 2).min(line.end);
        let has_seat = self.m.tokens.all[near].iter().any(|token| language.has("seats", &token.lower));
        let slots = self.m.domain.rules.literals.get(&Literal::Count)?;
        let seats = slots.iter().find(|slot| slot.labels.iter().any(|label| language.has("seats", label)))?;
        let focus = self.focus(number)?;
        (has_seat && self.fits(seats.slot, focus)).then(|| seats.labels.iter().min().cloned()).flatten()
    }

    /// "40 Plätze auf der Terrasse": what a preposition right behind a number leads to.
    pub(super) fn place_behind(&self, number: usize) -> Option<usize> {
        let own = self.by_line[self.mention(number).line].clone();
        (number + 1 < own.end).then_some(number + 1).filter(|next| {
            let (from, to) = (self.mention(number).tokens.end, self.mention(*next).tokens.start);
            let between = &self.m.tokens.all[from.min(to)..to];
            let leads = between.iter().any(|token| matches!(&*token.lower, "auf" | "on" | "im" | "in"));
            leads
                && !between.iter().any(|token| &*token.lower == ",")
                && to.saturating_sub(from) <= 3
                && self.mention(*next).sentence == self.mention(number).sentence
        })
    }

    /// "Weddings for up to 140 guests in the Glass Pavilion": so many come to the wedding, too.
    pub(super) fn of_occasion(&mut self, number: usize, slot: SlotId, value: &str) {
        let occasion = self.before(number).into_iter().next().and_then(|other| self.resolved[other]);
        let is_occasion = |handle: &Handle| {
            self.is_event_like(self.class_of(*handle)) && !self.focuses.contains(handle) && self.fits(slot, *handle)
        };
        if let Some(occasion) = occasion.filter(is_occasion) {
            self.value(occasion, slot, value, "sentence", number);
        }
    }

    /// "Feiern bis 20 Personen in der alten Papierkammer": so many go into the room that the sentence names.
    pub(super) fn of_room(&mut self, number: usize, slot: SlotId, value: &str, occasion: Handle) {
        if self.focuses.contains(&occasion) || !self.is_event_like(self.class_of(occasion)) {
            return;
        }
        let sentence = self.mention(number).sentence;
        let own = self.by_line[self.mention(number).line].clone();
        let is_room = |handle: &Handle| {
            let hall = self.m.domain.rules.hall;
            self.fits(slot, *handle) && hall.is_some_and(|hall| self.is_a(self.class_of(*handle), hall))
        };
        let rooms = own.filter(|other| self.mention(*other).sentence == sentence);
        let rooms: Vec<Handle> = rooms.filter_map(|other| self.resolved[other]).filter(is_room).collect();
        if let [room] = rooms.as_slice() {
            self.value(*room, slot, value, "sentence", number);
        }
    }

    /// A further number in the same sentence, beside another place where people sit.
    pub(super) fn more_of_the_same(&mut self, number: usize, slot: SlotId, first: Handle) {
        let mention = self.mention(number);
        let own = self.by_line[mention.line].clone();
        let places: Vec<usize> = (number + 1..own.end)
            .filter(|other| self.mention(*other).sentence == mention.sentence)
            .filter(|other| matches!(self.mention(*other).what, What::Thing(_)))
            .collect();
        for other in places {
            let Some(place) = self.resolved[other].filter(|place| *place != first && self.fits(slot, *place)) else {
                continue;
            };
            let Some(at) = self.bare_number(number, other) else { continue };
            let token = &self.m.tokens.all[at];
            let (value, span) = (token.lower.to_string(), token.span.clone());
            self.value_at(place, slot, &value, "sentence", &span);
        }
    }

    /// A number that no mention has, behind one mention and near to another.
    fn bare_number(&self, behind: usize, near: usize) -> Option<usize> {
        let (from, place) = (self.mention(behind).tokens.end, self.mention(near).tokens.clone());
        let end = self.m.tokens.lines[self.mention(near).line].end;
        let own = self.by_line[self.mention(near).line].clone();
        let is_free = |at: usize| own.clone().all(|other| !self.mention(other).tokens.contains(&at));
        let sentence = self.mention(near).sentence;
        let is_bare = |at: &usize| {
            let token = &self.m.tokens.all[*at];
            let next = self.m.tokens.all[..end].get(at + 1);
            // "60 Gerichte" are counted otherwise.
            let is_counting = next.is_some_and(|next| next.kind == Kind::Word && next.is_capital);
            token.kind == Kind::Number && token.sentence == sentence && is_free(*at) && !is_counting
        };
        let range = place.start.saturating_sub(BESIDE).max(from)..(place.end + BESIDE).min(end);
        let mut all = range.filter(is_bare);
        all.next().filter(|_| all.next().is_none())
    }

    /// "Our café is open daily. It has 40 seats": the last thing of the sentence before that may have them.
    pub(super) fn meant_by_pronoun(&self, number: usize, slot: SlotId) -> Option<Handle> {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first = self.m.tokens.all[line].iter().find(|token| token.sentence == mention.sentence)?;
        let language = self.m.languages.of(self.tongue(number));
        if !language.pronouns.contains(&*first.lower) {
            return None;
        }
        let own = self.by_line[mention.line].clone();
        let before = (own.start..number).rev().filter(|other| self.mention(*other).sentence < mention.sentence);
        let things = before.filter(|other| matches!(self.mention(*other).what, What::Thing(_)));
        let is_held = |handle: &Handle| !self.focuses.contains(handle) && self.fits(slot, *handle);
        things.filter_map(|other| self.resolved[other]).find(is_held)
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;

    /// The values of a slot on a page, as `class value`.
    fn check(page: &str, slot: &str, expected: &[&str]) {
        let xml = read(page).to_xml();
        let (mut class, mut told) = ("", Vec::new());
        for line in xml.lines() {
            class = line.split("<instance id=").nth(1).and_then(|rest| rest.split('"').nth(3)).unwrap_or(class);
            if line.contains(&format!("<value name=\"{slot}\"")) {
                told.push(format!("{class} {}", line.split(['>', '<']).nth(2).unwrap_or_default()));
            }
        }
        assert_eq!(told, expected, "{page}");
    }

    #[test]
    fn a_number_without_a_word_is_that_of_the_place_beside_it() {
        let page = |text: &str| format!("<title>Café Mohn</title><h1>Café Mohn</h1><p>{text}</p>");
        let expected = ["Cafe 38", "Terrasse 24"];
        let told = page("Drinnen haben wir 38 Sitzplätze, auf der Terrasse noch einmal 24.");
        check(&told, "hat_Sitzplaetze", &expected);
        check(&page("Das Café hat 38 Plätze drinnen und 24 auf der Terrasse."), "hat_Sitzplaetze", &expected);
    }

    #[test]
    fn a_pronoun_stands_for_what_was_named_before() {
        let page = "<title>Larkmoor Zoo</title><h1>Larkmoor Zoo</h1><p>Our zoo has lynxes and badgers.</p><p>Our café, The Hungry \
            Badger, is open from 10am to 4.30pm. It has 70 seats and looks across to the lynx.</p>";
        check(page, "hat_Sitzplaetze", &["Cafe 70"]);
    }
}
