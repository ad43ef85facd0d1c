//! Where things lie: in a town, at a lake, near a station.

use super::Attach;
use crate::language::Tongue;
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

/// A name stands at most so many words and signs behind the word that it is the name of.
pub(super) const NAMING: usize = 3;
/// What passes is said so at most so many words behind it.
const PASSING: usize = 8;

impl Attach<'_> {
    /// Whether something of this class can be near a thing, at a distance.
    pub(super) fn is_around(&self, class: ClassId) -> bool {
        let rules = &self.m.domain.rules;
        let fits = |slot: &Option<SlotId>| slot.is_some_and(|slot| self.m.domain.ontology.fits_range(slot, &[class]));
        fits(&rules.near) || fits(&rules.at)
    }

    /// Whether it is rather a part of the thing: the restaurant of the hotel.
    pub(super) fn is_part(&mut self, number: usize, class: ClassId) -> bool {
        if self.distances.contains_key(&number) {
            return false;
        }
        let Some(focus) = self.focus(number) else { return false };
        if self.is_event(focus) {
            return false;
        }
        let types = self.builder.types(focus).to_vec();
        let near = self.m.domain.rules.near;
        let is_default = types.iter().any(|from| {
            let slots = self.between(*from, class);
            slots.into_iter().any(|slot| self.m.domain.ontology.slot_at(slot).holds_without_cue())
        });
        let in_section = near.is_some_and(|near| self.context(number).cues.contains(&near));
        let by_words = self.label_near(number);
        is_default && !in_section && !by_words
    }

    /// "in der Nähe", "nearby"
    fn label_near(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let language = self.m.languages.of(self.tongue(number));
        let mut tokens = self.m.tokens.all[line].iter().filter(|token| token.sentence == mention.sentence);
        tokens.any(|token| language.has("nearby", &token.lower))
    }

    /// In a listing, the town of the title is the town of all.
    pub(super) fn common_places(&mut self) {
        if self.m.outline.main.is_some() {
            return;
        }
        let mut heads = (0..self.m.mentions.len())
            .filter(|number| matches!(self.line_of(*number).role, Role::Title | Role::Heading(1)));
        let Some(number) = heads.find(|number| matches!(self.mention(*number).what, What::Place(class) if Some(class) == self.m.domain.rules.town)) else { return };
        let (What::Place(class), Some(name)) = (self.mention(number).what.clone(), self.mention(number).name.clone())
        else {
            return;
        };
        let span = self.mention(number).span.clone();
        for scope in 0..self.focuses.len() {
            let focus = self.focuses[scope];
            let types = self.builder.types(focus).to_vec();
            let slot = self.m.domain.rules.inside.iter().copied().find(|slot| {
                self.m.domain.ontology.fits_range(*slot, &[class]) && self.m.domain.ontology.fits_domain(*slot, &types)
            });
            // A thing with an address of its own has its own town.
            let has_town = (0..self.m.mentions.len())
                .any(|other| self.scope(other) == Some(scope) && self.mention(other).is_literal(Kind::Town));
            if let Some(slot) = slot.filter(|_| !has_town) {
                let handle = self.named_instance(&name, &span, class);
                self.link(focus, slot, handle, "title", number);
            }
        }
    }

    /// A place of the surroundings.
    pub(super) fn around(&mut self, number: usize, class: ClassId) {
        let Some(focus) = self.focus(number) else { return };
        let ontology = &self.m.domain.ontology;
        let (near, at) = (self.m.domain.rules.near, self.m.domain.rules.at);
        if self.distances.contains_key(&number) {
            if let Some(near) = near.filter(|near| self.fits(*near, focus)) {
                self.put_around(number, class, focus, near, "sentence");
            }
            return;
        }
        let may = |slot: &SlotId| self.fits(*slot, focus) && ontology.fits_range(*slot, &[class]);
        if let Some(at) = at.filter(may).filter(|_| self.is_at(number)) {
            self.put_around(number, class, focus, at, "prep");
        } else if let Some(near) = near.filter(may).filter(|_| self.is_near(number)) {
            self.put_around(number, class, focus, near, "sentence");
        } else if self.is_venue(number, focus) {
            // Events take place somewhere, sights show each other.
            let types = self.builder.types(focus).to_vec();
            if let Some(slot) = types.iter().find_map(|from| self.pick(*from, class, number)) {
                self.put_around(number, class, focus, slot, "sentence");
            }
        }
    }

    /// Whether something is said to be where the thing happens, or to belong to it.
    pub(super) fn is_venue(&self, number: usize, focus: Handle) -> bool {
        let mention = self.mention(number);
        let venues = &self.m.languages.of(self.tongue(number)).venues;
        if self.context(number).label_words.iter().any(|word| venues.contains(&**word)) {
            return true;
        }
        let prep = self.syntax.prep[number].as_deref();
        let takes_place = mention.article == Article::Definite && prep.is_some() && self.has_word(number, "happening");
        let is_when = |other: usize| {
            let kind = self.mention(other).literal().map(|(kind, _)| kind);
            matches!(kind, Some(Kind::Date | Kind::Time | Kind::Hours | Kind::Period | Kind::Postcode))
        };
        let beside = self.by_line[mention.line].clone().any(is_when);
        let by_prep = prep.is_some_and(|prep| matches!(prep, "in" | "im" | "at" | "auf"))
            || beside && prep.is_some_and(|prep| matches!(prep, "an" | "am" | "on"));
        let is_address = |next: &Mention| matches!(next.what, What::Literal(Kind::Street | Kind::Postcode, _));
        let has_address = self.m.mentions.get(number + 1).is_some_and(is_address);
        // A name alone in the line under the day.
        let is_alone = self.tongue(number) == Tongue::English
            && mention.line > 0
            && self.m.tokens.lines[mention.line].len() <= mention.tokens.len() + 1
            && self.by_line[mention.line - 1].clone().any(is_when);
        // "The Prompt Corner bar opens at 5.30pm"
        let is_open = self.tongue(number) == Tongue::English && self.has_word(number, "opening");
        if is_open
            && mention.class().zip(self.m.domain.rules.eatery).is_some_and(|(class, eatery)| self.is_a(class, eatery))
        {
            return false;
        }
        takes_place
            || mention.name.is_some() && is_alone
            || mention.name.is_some() && (beside || by_prep || has_address || !self.is_event(focus))
    }

    /// Whether a word of this list stands in the sentence.
    pub(super) fn has_word(&self, number: usize, list: &str) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let language = self.m.languages.of(self.tongue(number));
        self.m.tokens.all[line]
            .iter()
            .any(|token| token.sentence == mention.sentence && language.has(list, &token.lower))
    }

    fn put_around(&mut self, number: usize, class: ClassId, focus: Handle, slot: SlotId, heuristic: &str) {
        let handle = self.instance(number, class);
        if handle == focus {
            return;
        }
        self.resolved[number] = Some(handle);
        self.link(focus, slot, handle, heuristic, number);
    }

    /// "am See", "im Zentrum": a word for it right before, and the sentence says that something lies there.
    fn is_at(&self, number: usize) -> bool {
        let mention = self.mention(number);
        self.lies_at(mention.line, &mention.tokens) || self.passes(mention.line, &mention.tokens)
    }

    /// "Auf dem Rabenkopf steht ein Turm", "the Coast Path passes our gate": right there, by the words around a name.
    pub(super) fn is_named_there(&self, line: usize, name: &Range<usize>) -> bool {
        self.stands_on(line, name) || self.passes(line, name)
    }

    fn stands_on(&self, line: usize, place: &Range<usize>) -> bool {
        let (tokens, sentence) = (&self.m.tokens.all, self.m.tokens.all[place.start].sentence);
        let range = self.m.tokens.lines[line].clone();
        let before = &tokens[place.start.saturating_sub(2).max(range.start)..place.start];
        let mut own = tokens[range].iter().filter(|token| token.sentence == sentence);
        before.iter().any(|token| matches!(&*token.lower, "auf" | "on"))
            && own.any(|token| matches!(&*token.lower, "steht" | "stands"))
    }

    /// Whether a way is said to come by.
    fn passes(&self, line: usize, place: &Range<usize>) -> bool {
        let (tokens, language) = (&self.m.tokens, self.m.languages.of(self.m.tokens.tongues[line]));
        let end = tokens.lines[line].end.min(place.end + PASSING);
        let sentence = tokens.all[place.start].sentence;
        let mut behind = tokens.all[place.end.min(end)..end].iter().take_while(|token| token.sentence == sentence);
        // "Der Albsteig, der 500 m hinter dem Haus vorbeiführt"
        let is_far = |number: usize| {
            let mention = self.mention(number);
            mention.sentence == sentence && mention.tokens.start >= place.end && self.is_distance(number)
        };
        behind.any(|token| language.has("passing", &token.lower)) && !self.by_line[line].clone().any(is_far)
    }

    fn lies_at(&self, line: usize, place: &Range<usize>) -> bool {
        let (tokens, sentence) = (&self.m.tokens.all, self.m.tokens.all[place.start].sentence);
        let range = self.m.tokens.lines[line].clone();
        let from = place.start.saturating_sub(5).max(range.start);
        let words: Vec<_> = tokens[from..place.start]
            .iter()
            .filter(|token| token.sentence == sentence)
            .map(|token| &*token.lower)
            .collect();
        let tongue = self.m.tokens.tongues[line];
        let language = self.m.languages.of(tongue);
        let mut own = tokens[range].iter().filter(|token| token.sentence == sentence);
        let lies = own.any(|token| language.has("lying", &token.lower));
        // "Am Waldrand, ruhig": with that the sentence begins.
        let start =
            tokens[..place.start].iter().rposition(|token| token.sentence != sentence).map_or(0, |before| before + 1);
        let begins = tongue == Tongue::German
            && place.start - start.min(place.start) <= 3
            && tokens[start..place.start].iter().any(|token| language.has("at", &token.lower));
        let lies = lies || begins;
        let reach = if words.last().is_some_and(|word| *word == "of") { 5 } else { 3 };
        let mut before = words.iter().rev().take(reach);
        let has_prep = before.any(|word| language.has("at", word));
        let leads = words.iter().rev().take(3).any(|word| language.has("leading", word));
        let role = self.m.page.lines[line].role;
        let in_head = matches!(role, Role::Title | Role::Heading(_) | Role::Description);
        has_prep && !leads && (lies || in_head)
    }

    fn is_near(&self, number: usize) -> bool {
        let Some(near) = self.m.domain.rules.near else { return false };
        if self.context(number).cues.contains(&near) {
            return true;
        }
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let words = self.m.tokens.all[line]
            .iter()
            .filter(|token| token.sentence == mention.sentence)
            .map(|token| &*token.lower);
        let language = self.m.languages.of(self.tongue(number));
        words.into_iter().any(|word| language.has("near", word))
    }

    /// A place with a name of its own.
    pub(super) fn named_place(&mut self, number: usize, class: ClassId) {
        if let (Some(handle), Some(name)) = (self.called_after(number), self.mention(number).name.clone()) {
            if self.builder.name(handle).is_none() {
                let span = self.mention(number).span.clone();
                self.builder.set_name(handle, &name, super::place(self.m.page, &span));
            }
            self.resolved[number] = Some(handle);
            return;
        }
        if self.is_around(class) && self.distances.contains_key(&number) {
            self.around(number, class);
            return;
        }
        let rules = &self.m.domain.rules;
        let is_inside = rules.inside.iter().any(|slot| self.m.domain.ontology.fits_range(*slot, &[class]));
        if !is_inside {
            self.around(number, class);
            return;
        }
        if self.is_around(class) && self.is_beside(number) {
            self.around(number, class);
            return;
        }
        let Some((holder, heuristic)) = self.located(number) else { return };
        if heuristic == "prep" && self.has_other_town(number, class) {
            return;
        }
        let types = self.builder.types(holder).to_vec();
        let slot = rules.inside.iter().copied().find(|slot| {
            self.m.domain.ontology.fits_range(*slot, &[class]) && self.m.domain.ontology.fits_domain(*slot, &types)
        });
        let (Some(slot), Some(name)) = (slot, self.mention(number).name.clone()) else { return };
        let span = self.mention(number).span.clone();
        let handle = self.named_instance(&name, &span, class);
        self.resolved[number] = Some(handle);
        self.link(holder, slot, handle, heuristic, number);
    }

    /// "The nearest railway station is Sheringham (9 miles)": the station, and not the town.
    fn called_after(&self, number: usize) -> Option<Handle> {
        let language = self.m.languages.of(self.tongue(number));
        let place = self.mention(number);
        let before = number.checked_sub(1).filter(|before| {
            let station = self.mention(*before);
            let between = station.tokens.end..place.tokens.start;
            station.flags.placed && station.line == place.line && (1..=NAMING).contains(&between.len()) && { between }
                .all(|at| language.has("before-names", &self.m.tokens.all[at].lower))
        })?;
        // Stations without names are one; that with another name is another.
        let is_same =
            |handle: &Handle| self.builder.name(*handle).is_none_or(|name| Some(name) == place.name.as_deref());
        self.resolved[before].filter(|handle| !self.focuses.contains(handle)).filter(is_same)
    }

    /// "He learned his trade in Lyon": what has an address lies there, and in no other town.
    fn has_other_town(&self, number: usize, class: ClassId) -> bool {
        let (scope, name) = (self.scope(number), self.mention(number).name.as_deref().unwrap_or_default());
        let towns = (0..self.m.mentions.len())
            .filter(|other| self.scope(*other) == scope)
            .filter_map(|other| self.mention(other).literal().filter(|(kind, _)| *kind == Kind::Town));
        let mut towns = towns.map(|(_, town)| town).peekable();
        Some(class) == self.m.domain.rules.town && towns.peek().is_some() && towns.all(|town| town != name)
    }

    /// "near St Austell", "bei Rostock"
    fn is_beside(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let before = self.m.tokens.all[mention.tokens.start.saturating_sub(3).max(start)..mention.tokens.start].iter();
        let language = self.m.languages.of(self.tongue(number));
        before.into_iter().any(|token| language.has("beside", &token.lower))
    }

    /// What lies in a place, if the text says so.
    fn located(&self, number: usize) -> Option<(Handle, &'static str)> {
        let focus = self.focus(number)?;
        let mention = self.mention(number);
        let line = self.line_of(number);
        if matches!(line.role, Role::Title | Role::Heading(1)) || line.region == Region::Trail {
            return Some((focus, "title"));
        }
        let start = self.m.tokens.lines[mention.line].start;
        let from = mention.tokens.start.saturating_sub(5).max(start);
        let words: Vec<_> = self.m.tokens.all[from..mention.tokens.start]
            .iter()
            .filter(|token| token.sentence == mention.sentence)
            .map(|token| &*token.lower)
            .collect();
        // Beside a postcode it is part of the address.
        let own = self.by_line[mention.line].clone();
        let in_address = own.clone().any(|other| {
            let is_street = other < number && self.mention(other).is_literal(Kind::Street);
            self.mention(other).is_literal(Kind::Postcode) || is_street && self.tongue(number) == Tongue::English
        });
        if in_address {
            return self.addressed(number).map(|handle| (handle, "form"));
        }
        let named_before = number.checked_sub(1).filter(|before| *before >= own.start).filter(|before| {
            let gap = mention.tokens.start.saturating_sub(self.mention(*before).tokens.end);
            gap <= 2
                && self.mention(*before).name.is_some()
                && matches!(self.mention(*before).what, What::Thing(_))
                && words.last().is_some_and(|word| matches!(*word, "," | "in" | "im" | "("))
        });
        if let Some(handle) = named_before.and_then(|before| self.resolved[before]) {
            return Some((handle, "adjacent"));
        }
        let prep = words.iter().rev().take(4).position(|word| matches!(*word, "in" | "im" | "auf" | "on" | "of"));
        let behind = prep.map(|place| &words[words.len() - place..]);
        let is_direction =
            behind.is_some_and(|behind| behind.first().is_some_and(|word| matches!(*word, "die" | "den" | "das")))
                || words.iter().rev().take(3).any(|word| {
                    matches!(*word, "nach" | "ins" | "to" | "from" | "von" | "aus" | "bei" | "near" | "nahe")
                });
        let is_of = words.last().is_some_and(|word| matches!(*word, "of")) && words.len() > 1;
        let by_prep = prep.is_some()
            && !is_direction
            && behind.is_some_and(|behind| behind.iter().all(|word| !matches!(*word, "," | ";" | "und" | "and")));
        let follows_place = number.checked_sub(1).filter(|before| *before >= own.start).is_some_and(|before| {
            let is_place =
                matches!(self.mention(before).what, What::Place(_) | What::Literal(Kind::Town | Kind::District, _));
            is_place && self.resolved[before].is_some() && mention.tokens.start - self.mention(before).tokens.end <= 1
        });
        let only_places = own.clone().all(|other| matches!(self.mention(other).what, What::Place(_)))
            && self.m.tokens.lines[mention.line].len() <= 6;
        if only_places && own.len() > 1 {
            return Some((focus, "adjacent"));
        }
        let alone = own.len() == 1
            && self.m.tokens.lines[mention.line].len() <= mention.tokens.len() + 1
            && self.contexts[mention.line].headings.is_empty();
        (by_prep || is_of || follows_place || alone).then_some((focus, "prep"))
    }
}
