//! People, families, organisations: who owns, runs, organises.

use super::Attach;
use crate::language::Tongue;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

impl Attach<'_> {
    /// Someone with a name; the nearest word says what he has to do with the thing.
    pub(super) fn agent(&mut self, number: usize, class: ClassId) {
        let Some(focus) = self.focus(number) else { return };
        if self.is_composer(number) || self.is_sponsor(number) {
            return;
        }
        let near = self.beside(number, focus);
        let event = self.event_with(number, class);
        let focus = event.or(near.filter(|near| !self.is_event(*near))).unwrap_or(focus);
        let Some(name) = self.mention(number).name.clone() else { return };
        let mut name = self.bare_name(number, class, name);
        // A person is called without the title, a family with its word.
        if self.mention(number).flags.title
            && Some(class) == self.m.domain.rules.person
            && let Some((_, rest)) = name.split_once(' ')
        {
            let rest = rest.trim_start_matches(['.', ' ']).to_owned();
            name = rest;
        }
        let types = self.builder.types(focus).to_vec();
        let mut best: Option<(usize, gatherer_abstracts::ontology::SlotId)> = None;
        let mut longest = 0;
        for from in types {
            for slot in self.between(from, class) {
                let Some((distance, length)) = self.cue_near(slot, number) else { continue };
                let is_longer = best.is_some_and(|(known, _)| distance == known && length > longest);
                if is_longer || best.is_none_or(|(known, _)| distance < known) {
                    best = Some((distance, slot));
                    longest = length;
                }
            }
        }
        // Some need no word: a job has an employer.
        let best = best.or_else(|| {
            let slots = self.between(self.class_of(focus), class);
            let plain = slots.into_iter().find(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
            plain.map(|slot| (1, slot))
        });
        let best = best.or_else(|| self.family_slot(focus, class, number));
        let best = best.or_else(|| self.headline_slot(focus, class, number));
        let best = best.or_else(|| self.programme_slot(focus, class, number));
        let Some((distance, slot)) = best else { return };
        if distance > 14 && distance != 40 {
            return;
        }
        let span = self.mention(number).span.clone();
        let handle = self.named_instance(&name, &span, class);
        self.resolved[number] = Some(handle);
        let heuristic = if distance == 0 { "label" } else { "prep" };
        let part = self.event_of_row(self.mention(number).line).filter(|part| self.fits(slot, *part));
        self.link(part.unwrap_or(focus), slot, handle, heuristic, number);
    }

    /// Whoever is named beside a thing belongs to it: the chef of the restaurant.
    fn beside(&self, number: usize, focus: Handle) -> Option<Handle> {
        let own = self.mention(number);
        let start = self.m.tokens.lines[own.line].start;
        let lead = &self.m.tokens.all[own.tokens.start.saturating_sub(4).max(start)..own.tokens.start];
        // "Our chef, Stuart Ness" in a sentence of its own is the chef of the house that speaks.
        let is_ours = lead.iter().any(|token| token.sentence == own.sentence && &*token.lower == "our");
        let sentence = own.sentence;
        self.before(number)
            .into_iter()
            .filter(|other| !is_ours || self.mention(*other).sentence == sentence)
            .filter_map(|other| self.resolved[other])
            .find(|handle| *handle != focus && self.m.domain.ontology.class_at(self.class_of(*handle)).is_focus())
            .filter(|handle| self.tongue(number) == Tongue::German || self.has_staff(*handle))
    }

    /// "Werke von Bach, Händel und Telemann", "works by Byrd": whose works they are.
    fn is_composer(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let tokens = &self.m.tokens.all;
        let start = self.m.tokens.lines[mention.line].start;
        let mut at = mention.tokens.start;
        let joins = |place: usize| {
            let token = &tokens[place];
            token.sentence == mention.sentence
                && (token.is_capital || matches!(&*token.lower, "," | "und" | "and" | "&"))
        };
        while at > start
            && mention.tokens.start - at < 14
            && joins(at - 1)
            && !language.has("works", &tokens[at - 1].lower)
        {
            at -= 1;
        }
        at >= start + 2
            && matches!(&*tokens[at - 1].lower, "von" | "by")
            && language.has("works", &tokens[at - 2].lower)
    }

    /// "Gefördert vom Landschaftsverband": who only gives money.
    fn is_sponsor(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let start = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[mention.tokens.start.saturating_sub(3).max(start)..mention.tokens.start];
        before.iter().any(|token| token.sentence == mention.sentence && language.has("sponsoring", &token.lower))
    }

    /// "Dr. Harriet Stanton's" is called without both.
    fn bare_name(&self, number: usize, class: ClassId, mut name: String) -> String {
        let language = self.m.languages.of(self.tongue(number));
        let is_somebody = Some(class) == self.m.domain.rules.person && !self.mention(number).flags.title;
        while self.tongue(number) == Tongue::German
            && is_somebody
            && let Some((title, rest)) = name.split_once(' ')
            && language.has("titles", title.trim_end_matches('.'))
        {
            name = rest.to_owned();
        }
        if self.tongue(number) != Tongue::English {
            return name;
        }
        // "Friends of St Bride's" are those of a church.
        let is_saint = name.rsplit(' ').nth(1).is_some_and(|word| matches!(word.trim_end_matches('.'), "St" | "Saint"));
        for ending in ["'s", "’s"] {
            if let Some(bare) = name.strip_suffix(ending).filter(|_| !is_saint) {
                name = bare.to_owned();
            }
        }
        let language = self.m.languages.of(Tongue::English);
        let is_person = Some(class) == self.m.domain.rules.person && !self.mention(number).flags.title;
        while is_person
            && let Some((title, rest)) = name.split_once(' ')
            && language.has("titles", title.trim_end_matches('.'))
        {
            name = rest.to_owned();
        }
        name
    }

    /// "Ingrid Solheim in conversation" over an event.
    fn headline_slot(&mut self, focus: Handle, class: ClassId, number: usize) -> Option<(usize, SlotId)> {
        let is_head = matches!(self.line_of(number).role, crate::layout::Role::Heading(1));
        if !is_head || self.tongue(number) != Tongue::English {
            return None;
        }
        self.performs(focus, class)
    }

    /// "3pm | Bromyard Town Band" in the programme of an event.
    fn programme_slot(&mut self, focus: Handle, class: ClassId, number: usize) -> Option<(usize, SlotId)> {
        let head = self.contexts[self.mention(number).line].row_head?;
        let is_time = |other: usize| {
            matches!(
                self.mention(other).literal(),
                Some((crate::literals::Kind::Time | crate::literals::Kind::Hours, _))
            )
        };
        if !self.by_line[head].clone().any(is_time) {
            return None;
        }
        self.performs(focus, class)
    }

    /// "Lucy Tremlow leads a walk": who is named before an event that she leads.
    pub(super) fn led_by(&mut self, number: usize, handle: Handle, class: ClassId) {
        let Some(person) = self.m.domain.rules.person.filter(|_| self.is_event_class(class)) else { return };
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let own = self.by_line[mention.line].start..number;
        let agent = own.rev().find(|other| {
            let other = self.mention(*other);
            let between = &self.m.tokens.all[other.tokens.end.min(mention.tokens.start)..mention.tokens.start];
            other.what == What::Agent(person)
                && other.sentence == mention.sentence
                && between.len() <= 6
                && between.iter().any(|token| language.has("leading-tours", &token.lower))
        });
        let Some((agent, name)) = agent.and_then(|agent| Some((agent, self.mention(agent).name.clone()?))) else {
            return;
        };
        let Some((_, slot)) = self.performs(handle, person) else { return };
        let name = self.bare_name(agent, person, name);
        let span = self.mention(agent).span.clone();
        let somebody = self.named_instance(&name, &span, person);
        self.link(handle, slot, somebody, "verb", agent);
    }

    /// "Orgelführungen mit Domorganist Klaas Wiegand": the event right before "mit", if it is not the page's thing.
    fn event_with(&self, number: usize, class: ClassId) -> Option<Handle> {
        let mention = self.mention(number);
        let own = self.by_line[mention.line].start..number;
        let person = self.m.domain.rules.person.filter(|person| *person == class)?;
        let other = own.rev().find(|other| {
            let other = self.mention(*other);
            let between = &self.m.tokens.all[other.tokens.end.min(mention.tokens.start)..mention.tokens.start];
            let is_with = between.first().is_some_and(|token| matches!(&*token.lower, "mit" | "with"));
            is_with && between.len() <= 4 && other.sentence == mention.sentence
        })?;
        let focus = self.focus(number).filter(|focus| !self.is_event(*focus))?;
        let event = self.resolved[other].filter(|handle| *handle != focus && self.is_event(*handle))?;
        (!self.m.domain.ontology.between(self.class_of(event), person).is_empty()).then_some(event)
    }

    /// The slot of those who perform at an event.
    fn performs(&mut self, focus: Handle, class: ClassId) -> Option<(usize, SlotId)> {
        if !self.is_event(focus) {
            return None;
        }
        let domain = self.m.domain;
        let performs = |slot: &SlotId| domain.cues.of(*slot, Tongue::English).iter().any(|cue| cue[0] == "performed");
        self.between(self.class_of(focus), class).into_iter().find(performs).map(|slot| (2, slot))
    }

    /// "Corvane String Quartet" over an evening: its name is that of those who play.
    pub(super) fn headline_band(&mut self, number: usize, class: ClassId) -> bool {
        let Some(organisation) = self.m.domain.rules.organisation else { return false };
        let Some((focus, name)) = self.focus(number).zip(self.mention(number).name.clone()) else { return false };
        let Some(base) = self.builder.types(focus).first().copied() else { return false };
        if !self.is_a(class, organisation) {
            return false;
        }
        let Some((_, slot)) = self.headline_slot(focus, class, number).filter(|_| base != class) else { return false };
        let span = self.mention(number).span.clone();
        // The focus bears the same name: this is another one.
        let handle = self.builder.instance(class);
        self.builder.set_name(handle, &name, super::place(self.m.page, &span));
        self.link(focus, slot, handle, "title", number);
        true
    }

    /// "The Steiner family offers you": a family runs the house that speaks of it.
    fn family_slot(&mut self, focus: Handle, class: ClassId, number: usize) -> Option<(usize, SlotId)> {
        if Some(class) != self.m.domain.rules.family || self.tongue(number) != Tongue::English {
            return None;
        }
        let domain = self.m.domain;
        if domain.rules.sight.is_some_and(|sight| self.is_a(self.class_of(focus), sight)) {
            return None;
        }
        let slots = self.between(self.class_of(focus), class);
        let of_family = |slot: &SlotId| domain.cues.of(*slot, Tongue::English).iter().any(|cue| cue[0] == "family");
        slots.into_iter().find(of_family).map(|slot| (2, slot))
    }

    /// Whether something beside the page's thing may have people of its own: it has a name, or serves something.
    fn has_staff(&self, handle: gatherer_abstracts::model::Handle) -> bool {
        let dish = self.m.domain.rules.dish;
        let serves = dish.is_some_and(|dish| !self.m.domain.ontology.between(self.class_of(handle), dish).is_empty());
        self.builder.name(handle).is_some() || serves
    }

    /// "Veranstalter: Hafenverein", "organised by Portwell Traders": a name that nothing else tells to be one.
    pub(super) fn labelled_agent(&mut self, line: usize) {
        let Some(class) = self.m.domain.rules.organisation else { return };
        let Some(focus) = self.m.outline.of_line[line].map(|scope| self.focuses[scope]) else { return };
        let tongue = self.m.tokens.tongues[line];
        // English names are found before all this.
        if tongue == Tongue::English {
            return;
        }
        let range = self.m.tokens.lines[line].clone();
        let types = self.builder.types(focus).to_vec();
        for slot in types.iter().flat_map(|from| self.between(*from, class)).collect::<Vec<_>>() {
            let domain = self.m.domain;
            for cue in domain.cues.of(slot, tongue) {
                let Some(start) = self.behind(cue, &range) else { continue };
                let is_name = |place: usize| {
                    let token = &self.m.tokens.all[place];
                    token.kind == crate::tokens::Kind::Word
                        && token.is_capital
                        && !self.m.languages.of(tongue).classes.contains_key(&*token.lower)
                };
                let joins = |place: usize| {
                    matches!(&*self.m.tokens.all[place].lower, "&" | "of" | "und" | "and")
                        && place + 1 < range.end
                        && is_name(place + 1)
                };
                let end = (start..range.end).find(|place| !is_name(*place) && !joins(*place)).unwrap_or(range.end);
                let taken = self.by_line[line].clone().any(|other| {
                    self.mention(other).tokens.start < end
                        && self.mention(other).tokens.end > start
                        && self.mention(other).name.is_some()
                        && self.resolved[other].is_some()
                });
                if end <= start
                    || end - start > 6
                    || taken
                    || self.by_line[line].clone().any(|other| {
                        self.mention(other).class().is_some()
                            && self.mention(other).tokens.start == start
                            && self.mention(other).name.is_some()
                    })
                {
                    continue;
                }
                let span = self.m.tokens.all[start].span.start..self.m.tokens.all[end - 1].span.end;
                let name = self.m.page.text[span.clone()].to_owned();
                let person = self.m.domain.rules.person.filter(|_| self.like_person(start..end, tongue));
                let person = person.filter(|person| self.m.domain.ontology.fits_range(slot, &[*person]));
                let handle = self.named_instance(&name, &span, person.unwrap_or(class));
                let evidence = self.evidence("label", &span);
                self.builder.link(focus, slot, handle, evidence);
                self.fruitful.insert(self.m.tokens.all[start].sentence);
                return;
            }
        }
    }

    /// "Inhaberin Monika Dietz", "conducted by Philip Garside": two capitals behind a word that asks for a person.
    pub(super) fn labelled_person(&mut self, line: usize) {
        let Some(class) = self.m.domain.rules.person else { return };
        let Some(focus) = self.m.outline.of_line[line].map(|scope| self.focuses[scope]) else { return };
        let tongue = self.m.tokens.tongues[line];
        if tongue == Tongue::English {
            return;
        }
        let range = self.m.tokens.lines[line].clone();
        let types = self.builder.types(focus).to_vec();
        for slot in types.iter().flat_map(|from| self.between(*from, class)).collect::<Vec<_>>() {
            let domain = self.m.domain;
            for cue in domain.cues.of(slot, tongue) {
                let Some(tokens) = self.person_behind(cue, &range, tongue) else { continue };
                let span = self.m.tokens.all[tokens.start].span.start..self.m.tokens.all[tokens.end - 1].span.end;
                let name = self.m.page.text[span.clone()].to_owned();
                let handle = self.named_instance(&name, &span, class);
                if !self.m.domain.ontology.fits_range(slot, self.builder.types(handle)) {
                    continue;
                }
                let evidence = self.evidence("label", &span);
                self.builder.link(focus, slot, handle, evidence);
                self.fruitful.insert(self.m.tokens.all[tokens.start].sentence);
                return;
            }
        }
    }

    /// Two words that nobody knows and that are no society: "Lioba Kirner".
    fn like_person(&self, name: Range<usize>, tongue: Tongue) -> bool {
        let (language, lexicon) = (self.m.languages.of(tongue), self.m.domain.lexicon(tongue));
        let is_strange = |token: &crate::tokens::Token| {
            token.is_capital && !lexicon.knows(&token.lower) && !language.is_body(&token.lower)
        };
        name.len() == 2 && self.m.tokens.all[name].iter().all(is_strange)
    }

    /// The tokens of a name right behind a cue.
    fn person_behind(&self, words: &[String], range: &Range<usize>, tongue: Tongue) -> Option<Range<usize>> {
        let tokens = &self.m.tokens.all;
        let language = self.m.languages.of(tongue);
        // Small words alone ask for nobody.
        if words.len() == 1 && (language.classes.contains_key(&words[0]) || words[0].len() < 3) {
            return None;
        }
        let is_at = |place: &usize| {
            words
                .iter()
                .enumerate()
                .all(|(step, word)| tokens.get(place + step).is_some_and(|token| *token.lower == **word))
        };
        let at = range.clone().find(is_at)?;
        let is_skipped = |place: &usize| {
            matches!(&*tokens[*place].lower, ":" | "," | "herr" | "frau" | "mr" | "mrs" | "ms" | "dr" | ".")
        };
        let start = (at + words.len()..range.end).find(|place| !is_skipped(place))?;
        let lexicon = self.m.domain.lexicon(tongue);
        let is_name = |place: usize| {
            let token = &tokens[place];
            let is_known = language.classes.contains_key(&*token.lower)
                || lexicon.knows(&token.lower)
                || language.headings.contains(&*token.lower)
                || language.is_body(&token.lower);
            token.kind == crate::tokens::Kind::Word && token.is_capital && token.lower.len() > 2 && !is_known
        };
        let end = (start..range.end).find(|place| !is_name(*place)).unwrap_or(range.end);
        let in_place = self.by_line[tokens[start].line as usize].clone().any(|number| {
            matches!(self.mention(number).what, What::Place(_) | What::Agent(_))
                && self.mention(number).tokens.contains(&start)
        });
        ((2..=3).contains(&(end - start)) && start - (at + words.len()) <= 3 && !in_place).then_some(start..end)
    }

    /// The first token behind a cue that asks for a name: a label with its colon, or words that end with "by" or "von".
    fn behind(&self, words: &[String], range: &std::ops::Range<usize>) -> Option<usize> {
        let tokens = &self.m.tokens.all;
        let at = (range.start..range.end).find(|place| {
            words
                .iter()
                .enumerate()
                .all(|(step, word)| tokens.get(place + step).is_some_and(|token| *token.lower == **word))
        })?;
        let mut next = at + words.len();
        let is_label = next < range.end && &*tokens[next].lower == ":" && words.len() == 1;
        let is_agent = words.last().is_some_and(|word| matches!(word.as_str(), "by" | "von"));
        if !is_label && !is_agent {
            return None;
        }
        next += usize::from(is_label);
        while next < range.end && matches!(&*tokens[next].lower, "the" | "der" | "dem" | "die" | "das") {
            next += 1;
        }
        (next < range.end).then_some(next)
    }
}
