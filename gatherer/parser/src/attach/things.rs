//! Things without names, and which of them are the page's own.

use super::Attach;
use crate::layout::Role;
use crate::mentions::{Article, What};
use crate::names::key;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// A governor, the slot that leads from it, and what speaks for it.
pub(super) struct Governor {
    pub(super) handles: Vec<Handle>,
    pub(super) slot: SlotId,
    pub(super) heuristic: &'static str,
    pub(super) mention: Option<usize>,
}

impl Attach<'_> {
    pub(super) fn thing(&mut self, number: usize) {
        let What::Thing(class) = self.mention(number).what else { return };
        let mention = self.mention(number).clone();
        let class = self.unit_class(number, class);
        let has_phone = (number + 1..number + 3).any(|next| self.m.mentions.get(next).is_some_and(|next| next.line <= mention.line + 1 && next.is_literal(crate::literals::Kind::Phone)));
        let is_label = mention.flags.noncontact && (has_phone || self.syntax.group[number].is_none() && self.line_of(number).role != Role::Item);
        if is_label {
            return;
        }
        if mention.flags.label || mention.article == Article::Negative || mention.flags.place_head {
            return;
        }
        if mention.flags.title {
            if mention.name.is_some() {
                self.agent(number, class);
            }
            return;
        }
        if self.is_own(number, class) {
            self.own(number, class);
            return;
        }
        if matches!(self.line_of(number).role, Role::Title) || mention.flags.anaphor && mention.name.is_none() {
            return;
        }
        if self.is_organisation(class) {
            if mention.name.is_some() {
                self.agent(number, class);
            }
            return;
        }
        if self.is_in_address(number) {
            return;
        }
        if mention.name.is_none() && mention.article == Article::Indefinite && self.m.domain.ontology.class_at(class).is_focus() && self.follows_copula(number) && self.before(number).iter().any(|other| self.resolved[*other] == self.focus(number)) {
            return;
        }
        if self.is_around(class) && !self.is_part(number, class) {
            self.around(number, class);
            return;
        }
        let has_period = self.by_line[mention.line].clone().any(|other| self.mention(other).is_literal(crate::literals::Kind::Period) && self.mention(other).sentence == mention.sentence);
        if has_period && self.is_condition(number) {
            let handle = self.instance(number, class);
            self.resolved[number] = Some(handle);
            return;
        }
        if self.of_price(number, class) {
            let handle = self.instance(number, class);
            self.resolved[number] = Some(handle);
            return;
        }
        if self.is_programme(number, class) {
            self.part_of_programme(number, class);
            return;
        }
        if self.is_verb_like(number, class) || self.is_in_address(number) {
            return;
        }
        if self.is_side(number, class) {
            return;
        }
        // "in einem Reetdachhaus": what the house looks like, not what it lets.
        let focus_is_house = self.focus(number).is_some_and(|focus| self.m.domain.ontology.class_at(self.class_of(focus)).is_focus());
        let is_house = self.m.domain.ontology.class_at(class).is_focus() && !self.is_around(class) && !self.is_event_class(class);
        let in_running = self.line_of(number).role == Role::Text && self.line_of(number).cell.is_none() && !self.context(number).is_heading;
        if focus_is_house && is_house && mention.name.is_none() && mention.count.is_none() && mention.article != Article::None && in_running && self.before_price(number).is_none() {
            return;
        }
        let Some(governor) = self.governor(number, class) else { return };
        let unit = self.m.domain.rules.counted.first().copied();
        if mention.flags.inner && unit.is_some_and(|unit| !governor.handles.iter().any(|handle| self.builder.types(*handle).iter().any(|class| self.is_a(*class, unit)))) {
            return;
        }
        // What is a unit itself lets no rooms.
        let is_unit = |class: ClassId| unit.is_some_and(|unit| self.is_a(class, unit));
        if is_unit(class) && !self.m.domain.ontology.class_at(class).is_focus() && governor.handles.iter().all(|handle| self.builder.types(*handle).iter().any(|one| is_unit(*one))) {
            return;
        }
        if governor.handles.is_empty() {
            return;
        }
        let handle = self.instance(number, class);
        self.resolved[number] = Some(handle);
        self.governed_by[number] = governor.mention;
        if self.context(number).is_heading && mention.name.is_none() && !matches!(self.line_of(number).role, Role::Heading(1)) {
            let links = governor.handles.into_iter().map(|from| (from, governor.slot, number)).collect();
            if !self.builder_has(handle) {
                self.pending.entry(handle).or_insert(links);
            }
            return;
        }
        self.linked.insert(handle);
        for from in governor.handles {
            self.link(from, governor.slot, handle, governor.heuristic, number);
        }
        self.counted(number, handle);
    }

    /// "Zanderfilet mit Bratkartoffeln": the second is part of what the first is called.
    fn is_side(&mut self, number: usize, class: ClassId) -> bool {
        let Some(&before) = self.before(number).first() else { return false };
        if self.same_group(before, number) {
            return false;
        }
        let is_with = self.syntax.prep[number].as_deref().is_some_and(|prep| matches!(prep, "mit" | "with" | "on" | "in" | "auf" | "an"));
        let Some(other) = self.mention(before).class().filter(|_| is_with && self.is_equipment(before, class)) else { return false };
        self.between(other, class).is_empty() && !self.m.domain.ontology.class_at(class).is_focus()
    }

    /// "20.00 Uhr: Konzert" in the programme of a festival.
    fn is_programme(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let line = self.line_of(number);
        let in_list = line.role == Role::Item || line.cell.is_some() || matches!(line.role, Role::Term | Role::Definition | Role::Text);
        let own = self.by_line[mention.line].clone();
        let row = self.row(mention.line);
        let is_time = |other: usize| self.mention(other).is_literal(crate::literals::Kind::Time) || self.mention(other).is_literal(crate::literals::Kind::Hours);
        let has_time = own.clone().chain(row).any(is_time);
        let is_first = !own.clone().any(|other| other < number && matches!(self.mention(other).what, What::Thing(_)) && self.resolved[other].is_some());
        let in_head = self.m.tokens.lines[mention.line].len() <= 40;
        in_list && in_head && has_time && is_first && self.is_event_class(class) && self.focus(number).is_some_and(|focus| self.is_event(focus))
    }

    pub(super) fn is_event_like(&self, class: ClassId) -> bool {
        let slots = self.m.domain.rules.literals.get(&crate::literals::Kind::Date);
        slots.into_iter().flatten().any(|slot| self.m.domain.ontology.fits_domain(slot.slot, &[class]))
    }

    fn is_event_class(&self, class: ClassId) -> bool {
        let slots = self.m.domain.rules.literals.get(&crate::literals::Kind::Date);
        slots.into_iter().flatten().any(|slot| self.m.domain.ontology.fits_domain(slot.slot, &[class])) && self.m.domain.ontology.class_at(class).is_focus()
    }

    /// An event of its own, on the day of its heading.
    fn part_of_programme(&mut self, number: usize, class: ClassId) {
        let handle = self.instance(number, class);
        self.resolved[number] = Some(handle);
        let Some(slots) = self.m.domain.rules.literals.get(&crate::literals::Kind::Date) else { return };
        let Some(slot) = slots.first().map(|slot| slot.slot) else { return };
        let own = self.row(self.mention(number).line);
        let dated = own.chain(self.context(number).labels.clone()).chain(self.context(number).headings.clone()).find(|other| self.mention(*other).is_literal(crate::literals::Kind::Date));
        if let Some((date, value)) = dated.and_then(|date| self.mention(date).literal().map(|(_, value)| (date, value.to_owned()))) {
            self.value(handle, slot, &value, "heading", date);
        }
    }

    /// "Talk to our manager", "for reading": English nouns without an article may be verbs.
    fn is_verb_like(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let is_english = self.tongue(number) == crate::language::Tongue::English;
        let in_list = matches!(self.line_of(number).role, Role::Item | Role::Term | Role::Heading(_)) || self.m.tokens.lines[mention.line].len() <= 6;
        let is_single = mention.tokens.len() == 1 && mention.name.is_none() && mention.count.is_none() && mention.article == Article::None;
        let is_plural = self.m.tokens.all[mention.tokens.end - 1].lower.ends_with('s');
        let is_event = self.m.domain.ontology.class_at(class).is_focus() || mention.lemma == "drink";
        is_english && is_single && is_event && !is_plural && !in_list
    }

    /// A mill in the address of a museum is part of the address.
    fn is_in_address(&self, number: usize) -> bool {
        let own = self.by_line[self.mention(number).line].clone();
        let has_code = own.clone().any(|other| self.mention(other).is_literal(crate::literals::Kind::Postcode));
        has_code && self.focus(number).is_some_and(|focus| !self.is_event(focus)) && self.mention(number).name.is_some()
    }

    /// A price behind it in its sentence.
    fn before_price(&self, number: usize) -> Option<usize> {
        let own = self.by_line[self.mention(number).line].clone();
        (number + 1..own.end).find(|other| self.mention(*other).is_literal(crate::literals::Kind::Money))
    }

    /// Whether something leads to an instance already.
    fn builder_has(&self, handle: Handle) -> bool {
        self.linked.contains(&handle)
    }

    /// A bedroom of a hotel is let, that of a flat is not.
    fn unit_class(&mut self, number: usize, class: ClassId) -> ClassId {
        let (Some(unit), Some(focus)) = (self.mention(number).flags.unit, self.focus(number)) else { return class };
        let types = self.builder.types(focus).to_vec();
        let lets = types.iter().any(|from| !self.between(*from, unit).is_empty());
        let is_let = types.iter().any(|one| self.m.domain.ontology.class_at(unit).parents().iter().any(|parent| self.is_a(*one, *parent)));
        if lets && !is_let { unit } else { class }
    }

    /// "6 Doppelzimmer"
    fn counted(&mut self, number: usize, handle: Handle) {
        let Some((count, span)) = self.mention(number).count.clone() else { return };
        let Some(slots) = self.m.domain.rules.literals.get(&crate::literals::Kind::Count) else { return };
        let plain = slots.iter().find(|slot| slot.labels.is_empty()).map(|slot| slot.slot);
        let is_countable = |class: &ClassId| self.m.domain.rules.counted.is_empty() || self.m.domain.rules.counted.iter().any(|one| self.is_a(*class, *one));
        let is_countable = self.builder.types(handle).iter().any(is_countable);
        if let Some(slot) = plain.filter(|slot| is_countable && self.fits(*slot, handle)) {
            let end = self.mention(number).span.end;
            if self.counted.insert(handle) {
                self.value_at(handle, slot, &count, "adjacent", &(span.start..end));
            }
        }
    }

    /// Whether a mention is one of the thing that its lines are about.
    fn is_own(&self, number: usize, class: ClassId) -> bool {
        let Some(scope) = self.scope(number) else { return false };
        let mention = self.mention(number);
        let focus = &self.m.outline.focuses[scope];
        if let Some(name) = &mention.name {
            let own = key(name);
            return own == focus.key || (!focus.key.is_empty() && (format!(" {} ", focus.key).contains(&format!(" {own} ")) || format!(" {own} ").contains(&format!(" {} ", focus.key))));
        }
        let types = self.builder.types(self.focuses[scope]);
        let class = mention.flags.focus.filter(|focus| types.contains(focus)).unwrap_or(class);
        let in_title = matches!(self.line_of(number).role, Role::Title | Role::Heading(1) | Role::Description);
        let says_what = self.follows_copula(number) && mention.article == Article::Indefinite;
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        let is_sibling = mention.flags.name && (in_title || says_what) && types.iter().any(|one| parents(*one).iter().any(|parent| parents(class).contains(parent)));
        let is_related = is_sibling || types.iter().any(|one| self.is_a(*one, class) || self.is_a(class, *one));
        let is_anaphor = mention.flags.anaphor && types.iter().any(|one| self.m.domain.ontology.class_at(*one).is_focus());
        let is_one = mention.count.is_none() && self.syntax.prep[number].as_deref().is_none_or(|prep| !matches!(prep, "neben" | "nahe" | "opposite" | "near" | "gegenüber"));
        let is_predicate = mention.article == Article::Indefinite && self.follows_copula(number);
        let in_head = matches!(self.line_of(number).role, Role::Title | Role::Heading(_) | Role::Description);
        let fits = mention.article != Article::Indefinite || is_predicate || in_head;
        (is_related || is_anaphor) && is_one && fits && self.m.domain.ontology.class_at(class).is_focus() | is_anaphor
    }

    /// "ist ein", "is a"
    fn follows_copula(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let start = self.m.tokens.lines[mention.line].start;
        let from = mention.tokens.start.saturating_sub(6).max(start);
        let words = self.m.tokens.all[from..mention.tokens.start].iter().filter(|token| token.sentence == mention.sentence);
        let mut words = words.map(|token| &*token.lower);
        words.any(|word| matches!(word, "ist" | "sind" | "is" | "are" | "als" | "as" | "was" | "war"))
    }

    /// A mention of the page's thing may say more exactly what it is.
    fn own(&mut self, number: usize, class: ClassId) {
        let Some(focus) = self.focus(number) else { return };
        self.resolved[number] = Some(focus);
        let mention = self.mention(number).clone();
        if mention.flags.anaphor || mention.flags.focus.is_some() {
            return;
        }
        let is_more = self.builder.types(focus).iter().all(|one| *one != class && !self.is_a(*one, class));
        if is_more && mention.name.is_none() {
            self.builder.add_type(focus, class);
        }
    }

    /// Classes that only named things of which play a part.
    fn is_organisation(&self, class: ClassId) -> bool {
        let rules = &self.m.domain.rules;
        let is_agent = |agent: Option<ClassId>| agent.is_some_and(|agent| self.m.domain.ontology.class_at(agent).parents().iter().any(|parent| self.is_a(class, *parent)));
        is_agent(rules.person)
    }

    /// The governor of a thing.
    pub(super) fn governor(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let context = self.context(number).clone();
        let in_label = context.label_until.is_some_and(|until| self.mention(number).span.end <= until);
        let labels: Vec<_> = if in_label { Vec::new() } else { context.labels.iter().chain(&context.columns).copied().collect() };
        for label in labels.into_iter().filter(|label| *label != number) {
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

    /// A mention as governor, if it stands for something and there is a slot.
    fn through(&mut self, number: usize, class: ClassId, other: usize, heuristic: &'static str) -> Option<Governor> {
        let handle = self.resolved[other]?;
        if !self.focuses.contains(&handle) && (self.is_equipment(other, class) || self.mention(number).flags.house) {
            return None;
        }
        let types = self.builder.types(handle).to_vec();
        let slot = types.iter().find_map(|from| self.pick(*from, class, number))?;
        Some(Governor { handles: vec![handle], slot, heuristic, mention: None })
    }

    fn in_sentence(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let is_house = self.mention(number).flags.house;
        for other in self.before(number) {
            let Some(handle) = self.resolved[other] else { continue };
            if self.same_group(other, number) {
                // "12 Zimmer, Du/WC, TV"
                let unit = self.m.domain.rules.counted.first().copied();
                let flags = self.mention(number).flags;
                let is_unit = unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit)) && !self.focuses.contains(&handle);
                if is_unit && !flags.house && !flags.apart && !flags.name {
                    let types = self.builder.types(handle).to_vec();
                    if let Some(slot) = types.iter().find_map(|from| self.pick(*from, class, number)) {
                        return Some(Governor { handles: vec![handle], slot, heuristic: "list", mention: Some(other) });
                    }
                }
                // A member of the enumeration has its governor already: it is ours as well.
                if let Some(governor) = self.shared(number, class, other) {
                    return Some(governor);
                }
                continue;
            }
            let is_unit = !self.focuses.contains(&handle) && self.mention(other).name.is_none();
            // Conferences and weddings have no rooms, and are not suited to restaurants alone.
            let is_occasion = |class: ClassId| self.is_event_like(class) && !self.m.domain.ontology.class_at(class).is_focus();
            if !self.focuses.contains(&handle) && (is_occasion(self.class_of(handle)) || is_occasion(class) && self.m.domain.ontology.class_at(self.class_of(handle)).is_focus()) {
                continue;
            }
            if is_house && is_unit {
                continue;
            }
            let in_prep = self.syntax.prep[other].is_some();
            if in_prep && is_unit && self.has_verb_between(other, number) && !self.is_subject(other) {
                continue;
            }
            // What is in a room is in the flat: the flat has it.
            if is_unit && self.is_equipment(other, class) {
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
                return Some(Governor { handles, slot, heuristic, mention: (!self.focuses.contains(&handle)).then_some(other) });
            }
        }
        None
    }

    /// "Im Restaurant gibt es": a phrase before the verb at the beginning of its sentence.
    fn is_subject(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first = (line.start..mention.tokens.start).find(|place| self.m.tokens.all[*place].sentence == mention.sentence);
        first.is_none_or(|first| mention.tokens.start - first <= 4)
    }

    /// Whether a class of the same kind may hold what it may stand beside.
    fn is_equipment(&self, other: usize, class: ClassId) -> bool {
        let Some(own) = self.resolved[other].map(|handle| self.class_of(handle)).or_else(|| self.mention(other).class()) else { return false };
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
    fn shared(&mut self, number: usize, class: ClassId, other: usize) -> Option<Governor> {
        // "Zimmer mit Bad, eine Sauna": with an article of its own it begins anew.
        let begins_anew = self.mention(number).article == Article::Indefinite && self.mention(other).article == Article::None;
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
    fn group_of(&self, number: usize, slot: SlotId, handle: Handle) -> Vec<Handle> {
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

    fn is_equal_kind(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.mention(one).class(), self.mention(other).class()) else { return false };
        let parents = |class: ClassId| self.m.domain.ontology.class_at(class).parents().to_vec();
        one == other || self.is_a(one, other) || self.is_a(other, one) || parents(one).iter().any(|parent| parents(other).contains(parent)) || parents(one).iter().any(|parent| self.is_a(other, *parent)) || parents(other).iter().any(|parent| self.is_a(one, *parent))
    }

    /// "Sie haben ...": what the sentence before was about.
    fn carried(&mut self, number: usize, class: ClassId) -> Option<Governor> {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first = self.m.tokens.all[line.clone()].iter().find(|token| token.sentence == mention.sentence)?;
        let language = self.m.languages.of(self.tongue(number));
        let has_pronoun = language.pronouns.contains(&*first.lower);
        if mention.sentence == 0 {
            return None;
        }
        let start = self.by_line[mention.line].start.saturating_sub(12);
        let sentence = mention.sentence - 1;
        let subject = (start..number).find(|other| self.mention(*other).sentence == sentence && self.resolved[*other].is_some() && matches!(self.mention(*other).what, What::Thing(_)))?;
        let in_line = self.mention(subject).line == mention.line;
        let speaks_of_house = (self.by_line[mention.line].start..number).any(|other| self.mention(other).sentence == mention.sentence && self.resolved[other].is_some_and(|handle| self.focuses.contains(&handle)));
        if !has_pronoun && (!in_line || speaks_of_house) {
            return None;
        }
        self.through(number, class, subject, "sentence")
    }
}
