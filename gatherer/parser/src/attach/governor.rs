//! The governor of a thing: label, sentence, heading, focus, in this order.

use super::Attach;
use super::things::Governor;
use crate::language::Tongue;
use crate::mentions::{Article, What};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

impl Attach<'_> {
    /// The governor of a thing.
    pub(super) fn governor(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let context = self.context(number).clone();
        let in_label = context.label_until.is_some_and(|until| self.mention(number).span.end <= until);
        let labels: Vec<_> =
            if in_label { Vec::new() } else { context.labels.iter().chain(&context.columns).copied().collect() };
        let focus = self.focus(number);
        let is_hall = self.mention(number).name.is_some()
            && self.tongue(number) == Tongue::English
            && self.m.domain.rules.hall.is_some_and(|hall| self.is_a(class, hall));
        if let Some(focus) = focus.filter(|_| is_hall) {
            let types = self.builder.types(focus).to_vec();
            if let Some(slot) = types.iter().find_map(|from| self.pick(*from, class, number)) {
                return Some(Governor { handles: vec![focus], slot, heuristic: "focus", mention: None });
            }
        }
        for label in labels {
            if label == number || self.resolved[label] == focus || self.is_listed_beside(number, label) {
                continue;
            }
            if let Some(governor) = self.through(number, class, label, "label") {
                return Some(governor);
            }
        }
        if let Some(governor) = self.in_sentence(number, class) {
            return Some(governor);
        }
        if let Some(governor) = self.carried(number, class) {
            return Some(governor);
        }
        for heading in context.headings {
            if let Some(governor) = self.through(number, class, heading, "heading") {
                return Some(governor);
            }
        }
        let focus = self.focus(number)?;
        let types = self.builder.types(focus).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(Governor { handles: vec![focus], slot, heuristic: "focus", mention: None })
    }

    /// "Im Haus: Lift, Weinstube, Sonnenterrasse": one point of a list does not have the next.
    fn is_listed_beside(&self, number: usize, label: usize) -> bool {
        let (own, other) = (self.mention(number), self.mention(label));
        let is_colon = |place: usize| &*self.m.tokens.all[place].lower == ":";
        own.line == other.line
            && other.name.is_none()
            && other.tokens.end < own.tokens.start
            && !(other.tokens.end..own.tokens.start).any(is_colon)
    }

    /// A mention as governor, if it stands for something and there is a slot.
    pub(super) fn through(
        &mut self,
        number: usize,
        class: ClassId,
        other: usize,
        heuristic: &'static str,
    ) -> Option<Governor> {
        let handle = self.resolved[other]?;
        if !self.focuses.contains(&handle) && (self.is_equipment(other, class) || self.mention(number).flags.house) {
            return None;
        }
        if heuristic == "heading" && self.is_of_family(number, handle) {
            return None;
        }
        let is_occasion =
            |class: ClassId| self.is_event_like(class) && !self.m.domain.ontology.class_at(class).is_focus();
        if heuristic == "heading" && is_occasion(self.class_of(handle)) {
            return None;
        }
        let is_house = self.m.domain.ontology.class_at(class).is_focus();
        if heuristic == "heading"
            && is_house
            && !self.focuses.contains(&handle)
            && self.is_event_class(self.class_of(handle))
        {
            return None;
        }
        let types = self.builder.types(handle).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(Governor { handles: vec![handle], slot, heuristic, mention: None })
    }

    /// "Bar and food" in an inn: what is said there is said of the inn.
    pub(super) fn is_of_family(&self, number: usize, handle: Handle) -> bool {
        let Some(focus) = self.focus(number).filter(|focus| *focus != handle && !self.is_event(*focus)) else {
            return false;
        };
        // Units are houses of their own.
        let unit = self.m.domain.rules.counted.first().copied();
        if unit.is_some_and(|unit| self.builder.types(handle).iter().any(|class| self.is_a(*class, unit))) {
            return false;
        }
        let is_one =
            |handle: Handle, top: ClassId| self.builder.types(handle).iter().any(|class| self.is_a(*class, top));
        self.builder.name(handle).is_none() && self.tops.iter().any(|top| is_one(focus, *top) && is_one(handle, *top))
    }

    /// "Five bedrooms, three doubles and two twins, all with TV": of all of them.
    fn of_all(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let mention = self.mention(number);
        let group = self.syntax.group[number];
        let own = self.by_line[mention.line].start..=number;
        let first =
            own.into_iter().find(|other| *other == number || group.is_some() && self.syntax.group[*other] == group)?;
        let at = self.mention(first).tokens.start;
        let start = self.m.tokens.lines[mention.line].start;
        let is_all = self.m.tokens.all[at.saturating_sub(3).max(start)..at]
            .iter()
            .any(|token| matches!(&*token.lower, "all" | "each") && token.sentence == mention.sentence);
        if self.tongue(number) != Tongue::English || !is_all {
            return None;
        }
        let unit = self.m.domain.rules.counted.first().copied()?;
        let units: Vec<_> = self
            .before(number)
            .into_iter()
            .filter(|other| self.resolved[*other].is_some_and(|handle| self.is_a(self.class_of(handle), unit)))
            .collect();
        let total = units.last().copied().filter(|_| units.len() > 1)?;
        let handle = self.resolved[total].filter(|handle| !self.focuses.contains(handle))?;
        let is_total = units
            .iter()
            .all(|one| self.resolved[*one].is_some_and(|one| self.is_a(self.class_of(one), self.class_of(handle))));
        let types = self.builder.types(handle).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number)).filter(|_| is_total)?;
        Some(Governor { handles: vec![handle], slot, heuristic: "list", mention: Some(total) })
    }

    pub(super) fn in_sentence(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        if let Some(governor) = self.of_all(number, class) {
            return Some(governor);
        }
        for other in self.before(number) {
            let Some(handle) = self.resolved[other] else { continue };
            if self.same_group(other, number) {
                // A member of the enumeration has its governor already: it is ours as well.
                if let Some(governor) =
                    self.beside_unit(number, class, other).or_else(|| self.shared(number, class, other))
                {
                    return Some(governor);
                }
                continue;
            }
            if self.is_no_governor(number, class, other, handle) {
                continue;
            }
            let types = self.builder.types(handle).to_vec();
            if let Some(slot) = types.iter().find_map(|from| self.pick(*from, class, number)) {
                let heuristic = match self.syntax.prep[number] {
                    Some(_) => "prep",
                    None if self.has_verb_between(other, number) => "verb",
                    None => "sentence",
                };
                let handles = self.group_of(other, slot, handle);
                let mention = (!self.focuses.contains(&handle)).then_some(other);
                return Some(Governor { handles, slot, heuristic, mention });
            }
        }
        None
    }

    /// "12 Zimmer, Du/WC, TV": what stands beside a unit is in it.
    fn beside_unit(&mut self, number: usize, class: ClassId, other: usize) -> Option<Governor> {
        let handle = self.resolved[other]?;
        let unit = self.m.domain.rules.counted.first().copied()?;
        let flags = self.mention(number).flags;
        let is_unit = self.is_a(self.class_of(handle), unit) && !self.focuses.contains(&handle);
        if !is_unit || flags.house || flags.apart || flags.name {
            return None;
        }
        let types = self.builder.types(handle).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(Governor { handles: vec![handle], slot, heuristic: "list", mention: Some(other) })
    }

    /// Why a thing before another in its sentence does not have it.
    fn is_no_governor(&self, number: usize, class: ClassId, other: usize, handle: Handle) -> bool {
        if self.focuses.contains(&handle) {
            return false;
        }
        let is_focus = |class: ClassId| self.m.domain.ontology.class_at(class).is_focus();
        // Conferences and weddings have no rooms, and are not suited to restaurants alone.
        let is_occasion = |class: ClassId| self.is_event_like(class) && !is_focus(class);
        let own = self.class_of(handle);
        if is_occasion(own) || is_occasion(class) {
            return true;
        }
        // "Im Rittersaal findet ein Konzert statt": the castle offers it, and not the hall.
        let is_room = self.m.domain.rules.hall.is_some_and(|hall| self.is_a(own, hall));
        if is_room && self.is_event_class(class) && self.syntax.prep[other].is_some() {
            return true;
        }
        let between = &self.m.tokens.all[self.mention(other).tokens.end..self.mention(number).tokens.start];
        let closes = between.iter().position(|token| &*token.lower == ")");
        if closes.is_some_and(|place| !between[..place].iter().any(|token| &*token.lower == "(")) {
            return true;
        }
        let is_unit = self.mention(other).name.is_none();
        let is_aside =
            self.syntax.prep[other].is_some() && self.has_verb_between(other, number) && !self.is_subject(other);
        // What is in a room is in the flat: the flat has it.
        self.mention(number).flags.house || is_unit && (is_aside || self.is_equipment(other, class))
    }

    /// "Im Restaurant gibt es": a phrase before the verb at the beginning of its sentence.
    pub(super) fn is_subject(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first =
            (line.start..mention.tokens.start).find(|place| self.m.tokens.all[*place].sentence == mention.sentence);
        first.is_none_or(|first| mention.tokens.start - first <= 4)
    }

    /// Whether a class of the same kind may hold what it may stand beside.
    pub(super) fn is_equipment(&self, other: usize, class: ClassId) -> bool {
        let Some(own) =
            self.resolved[other].map(|handle| self.class_of(handle)).or_else(|| self.mention(other).class())
        else {
            return false;
        };
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        let root = |mut class: ClassId| {
            while let Some(parent) = parents(class).first() {
                class = *parent;
            }
            class
        };
        root(own) == root(class)
    }

    /// The governor of another member of the same enumeration.
    pub(super) fn shared(&mut self, number: usize, class: ClassId, other: usize) -> Option<Governor> {
        // "Zimmer mit Bad, eine Sauna": with an article of its own it begins anew.
        let begins_anew =
            self.mention(number).article == Article::Indefinite && self.mention(other).article == Article::None;
        let governor = self.governed_by[other].filter(|_| !begins_anew && !self.mention(number).flags.house);
        if let Some(governor) = governor {
            let handle = self.resolved[governor]?;
            let types = self.builder.types(handle).to_vec();
            let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
            let handles = self.group_of(governor, slot, handle);
            return Some(Governor { handles, slot, heuristic: "list", mention: Some(governor) });
        }
        None
    }

    /// A governor with the members of its enumeration that are of its kind.
    pub(super) fn group_of(&self, number: usize, slot: SlotId, handle: Handle) -> Vec<Handle> {
        let mut handles = vec![handle];
        if self.focuses.contains(&handle) {
            return handles;
        }
        let own = self.by_line[self.mention(number).line].clone();
        for other in own.filter(|other| *other < number && self.same_group(*other, number)) {
            if let Some(one) = self.resolved[other]
                && self.fits(slot, one)
                && !handles.contains(&one)
                && !self.focuses.contains(&one)
                && self.is_equal_kind(number, other)
            {
                handles.push(one);
            }
        }
        handles
    }

    pub(super) fn is_equal_kind(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.mention(one).class(), self.mention(other).class()) else { return false };
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        one == other
            || self.is_a(one, other)
            || self.is_a(other, one)
            || parents(one).iter().any(|parent| parents(other).contains(parent))
            || parents(one).iter().any(|parent| self.is_a(other, *parent))
            || parents(other).iter().any(|parent| self.is_a(one, *parent))
    }

    /// "Sie haben ...": what the sentence before was about.
    pub(super) fn carried(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first = self.m.tokens.all[line.clone()].iter().find(|token| token.sentence == mention.sentence)?;
        let language = self.m.languages.of(self.tongue(number));
        let has_pronoun = language.pronouns.contains(&*first.lower);
        // "All have ..." under "Our rooms" is said of the rooms.
        let is_all = matches!(&*first.lower, "all" | "alle" | "each" | "jedes" | "jeder");
        let focus = self.focus(number);
        let under_units = self
            .context(number)
            .headings
            .iter()
            .any(|heading| self.resolved[*heading].is_some() && self.resolved[*heading] != focus);
        if is_all && under_units {
            return None;
        }
        if mention.sentence == 0 {
            return None;
        }
        let start = self.by_line[mention.line].start.saturating_sub(12);
        let sentence = mention.sentence - 1;
        let subject = (start..number).find(|other| {
            self.mention(*other).sentence == sentence
                && self.resolved[*other].is_some()
                && matches!(self.mention(*other).what, What::Thing(_))
        })?;
        let in_line = self.mention(subject).line == mention.line;
        let speaks_of_house = (self.by_line[mention.line].start..number).any(|other| {
            self.mention(other).sentence == mention.sentence
                && self.resolved[other].is_some_and(|handle| self.focuses.contains(&handle))
        });
        // "There is a lounge with an open fire": that is not in the rooms of the sentence before.
        let in_house = (self.by_line[mention.line].start..number)
            .any(|other| self.mention(other).sentence == mention.sentence && self.mention(other).flags.house);
        if in_house && !has_pronoun {
            return None;
        }
        // "Four twin rooms. Self-catering kitchen, Wi-Fi.": with a room of the house a sentence speaks of the house.
        let first = (self.by_line[mention.line].start..=number)
            .find(|other| self.mention(*other).sentence == mention.sentence)
            .and_then(|other| self.mention(other).class());
        let is_room = self.m.domain.rules.hall.zip(first).is_some_and(|(hall, first)| self.is_a(first, hall));
        if is_room && !has_pronoun {
            return None;
        }
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit = self.resolved[subject]
            .is_some_and(|handle| unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit)));
        if !has_pronoun && (!in_line || speaks_of_house || !is_unit) {
            return None;
        }
        self.through(number, class, subject, "sentence")
    }
}
