//! Things without names, and which of them are the page's own.

use super::Attach;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// A line of so many words tells something.
const PASSING: usize = 12;

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
        if self.is_item_of_piece(number, class) {
            return;
        }
        let class = self.unit_class(number, class);
        if self.is_row_of_unit(number) || self.headline_band(number, class) {
            return;
        }
        if self.is_in_name(number) {
            self.resolved[number] = self.focus(number);
            return;
        }
        if self.is_street_name(number) || self.is_elsewhere(number) {
            return;
        }
        if self.is_last_of_name(number) {
            self.resolved[number] = self.focus(number);
            return;
        }
        self.permitted(number, class);
        if self.says_nothing(number) || self.is_of_per(number) || self.is_somebody(number, class) {
            return;
        }
        if self.rooms_inside(number) {
            return;
        }
        if self.is_own(number, class) {
            self.own(number, class);
            return;
        }
        let mention = self.mention(number);
        let is_bare = mention.flags.anaphor && mention.name.is_none() && !self.is_let(number);
        if matches!(self.line_of(number).role, Role::Title) || is_bare || self.is_in_address(number) {
            return;
        }
        if self.describes_house(number, class) {
            return;
        }
        if self.holds_item(number, class) {
            return;
        }
        if self.is_around(class) && !self.is_part(number, class) {
            self.around(number, class);
            return;
        }
        self.part_of_something(number, class);
    }

    /// Whether a piece of the line says what happens there, and that this is the same.
    fn is_item_of_piece(&mut self, number: usize, class: ClassId) -> bool {
        let Some(item) = self.item_of_piece(number) else { return false };
        // "20 Uhr, Bürgerhaus: Kabarett": what happens first, then where.
        if self.resolved[item].is_none() {
            let own = self.mention(item).class().unwrap_or(class);
            self.part_of_programme(item, own);
        }
        // "Familienkonzert" over "Musik und Puppenspiel": the same in other words.
        if self.resolved[number].is_none() && self.is_event_class(class) {
            self.resolved[number] = self.resolved[item];
        }
        self.resolved[number].is_some()
    }

    /// A thing that a price, a package, a programme or a room has.
    fn part_of_something(&mut self, number: usize, class: ClassId) {
        if self.is_season(number) || self.of_price(number, class) {
            let handle = self.instance(number, class);
            self.resolved[number] = Some(handle);
            return;
        }
        if self.in_package(number, class) {
            return;
        }
        if self.is_programme(number, class) {
            self.part_of_programme(number, class);
            return;
        }
        if let Some(known) = self.in_programme_before(number, class) {
            self.resolved[number] = Some(known);
            return;
        }
        if self.is_verb_like(number, class) || self.is_side(number, class) || self.looks_like(number, class) {
            return;
        }
        self.attach_thing(number, class);
        self.held_in_room(number, class);
    }

    /// "Hunde sind bei uns herzlich willkommen", "dogs are not allowed"
    fn permitted(&mut self, number: usize, class: ClassId) {
        let Some((permitted, slot)) = self.m.domain.rules.permission.filter(|(permitted, _)| *permitted == class)
        else {
            return;
        };
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let near = mention.tokens.start.saturating_sub(3).max(line.start)..(mention.tokens.end + 8).min(line.end);
        let words = self.m.tokens.all[near].iter().filter(|token| token.sentence == mention.sentence);
        // "Haustiere: erlaubt", in two cells.
        let is_label = mention.tokens.start == line.start && mention.tokens.end + 1 >= line.end;
        let value = self.m.tokens.lines.get(mention.line + 1).filter(|_| is_label).cloned().unwrap_or_default();
        let words = words.chain(self.m.tokens.all[value].iter().take(3));
        let words: Vec<_> = words.map(|token| &*token.lower).collect();
        let permits = |word: &&str| language.permissions.contains(*word);
        // "Hunde 5 € pro Tag": who asks money for them takes them.
        let is_paid = self.m.mentions.get(number + 1).is_some_and(|next| {
            let is_near = next.line == mention.line && next.tokens.start <= mention.tokens.end + 3
                || is_label && next.line == mention.line + 1;
            is_near && (next.is_literal(Kind::Money) || matches!(next.what, What::Free))
        });
        let allows = words.iter().any(permits) || is_paid;
        // "Dogs are welcome in the bar but not in the restaurant"
        let turn = words.iter().position(|word| matches!(*word, "but" | "aber" | "jedoch" | "and" | "und"));
        let said = turn.filter(|turn| words[..*turn].iter().any(permits)).unwrap_or(words.len());
        let is_no = |word: &&str| language.negations.contains(*word) || language.has("denying", word);
        let denies = words[..said].iter().any(is_no) || mention.article == Article::Negative;
        let holder = self.focus(number).filter(|focus| self.fits(slot, *focus) && self.is_a(class, permitted));
        if let Some(focus) = holder.filter(|_| allows || denies) {
            let value = if denies { "false" } else { "true" };
            self.value(focus, slot, value, "sentence", number);
        }
    }

    /// Labels, what is denied, words before the names of places.
    fn says_nothing(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let is_phone = |next: &Mention| next.line <= mention.line + 1 && next.is_literal(Kind::Phone);
        let has_phone = (number + 1..number + 3).any(|next| self.m.mentions.get(next).is_some_and(is_phone));
        let is_alone = self.syntax.group[number].is_none() && self.line_of(number).role != Role::Item;
        let is_label = mention.flags.noncontact && (has_phone || is_alone);
        let is_when =
            mention.class().is_some_and(|class| self.is_event_class(class)) && self.is_only_when(number, number);
        is_label
            || is_when
            || self.is_refused(number)
            || self.is_lacking(number)
            || mention.flags.label
            || mention.article == Article::Negative
            || mention.flags.place_head
    }

    /// "Alle Preise pro Nacht und Wohnung": what else is paid for, and no thing.
    fn is_of_per(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let Some(before) = number.checked_sub(1).map(|before| self.mention(before)) else { return false };
        let between = self.m.tokens.all.get(before.tokens.end..mention.tokens.start);
        let is_joined = between.is_some_and(|words| matches!(words, [joint] if matches!(&*joint.lower, "und" | "and")));
        mention.name.is_none() && before.line == mention.line && before.is_literal(Kind::Per) && is_joined
    }

    /// "We do not take credit cards", "please bring your own towels", "no stag or hen parties".
    fn is_refused(&self, number: usize) -> bool {
        if self.tongue(number) != Tongue::English {
            return false;
        }
        let mention = self.mention(number);
        let language = self.m.languages.of(Tongue::English);
        let start = self.m.tokens.lines[mention.line].start;
        let before = self.m.tokens.all[mention.tokens.start.saturating_sub(6).max(start)..mention.tokens.start].iter();
        let clause: Vec<_> = before
            .rev()
            .take_while(|token| token.sentence == mention.sentence && !matches!(&*token.lower, ";" | "." | "but" | "("))
            .map(|token| &*token.lower)
            .collect();
        let takes = clause.iter().position(|word| language.has("taking", word));
        let is_denied = |place: usize| clause[place..].iter().take(4).any(|word| language.negations.contains(*word));
        let brings = clause.iter().take(4).any(|word| language.has("bringing", word));
        let has_no = clause.iter().take(4).position(|word| *word == "no");
        let is_none = has_no.is_some_and(|place| clause[..place].contains(&"or") && !clause[..place].contains(&","));
        takes.is_some_and(is_denied) || brings || is_none
    }

    /// "Meeting Street", "Church Lane"
    fn is_street_name(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(Tongue::English);
        let next = self.m.tokens.all.get(mention.tokens.end).filter(|next| next.sentence == mention.sentence);
        let is_street = |text: &str| language.has("streets", text);
        let by_next = next.is_some_and(|next| is_street(&self.m.page.text[next.span.clone()]));
        let last = &self.m.tokens.all[mention.tokens.end - 1];
        let by_name = mention.name.is_some() && is_street(&self.m.page.text[last.span.clone()]);
        self.tongue(number) == Tongue::English
            && self.focus(number).is_none_or(|focus| self.builder.name(focus) != mention.name.as_deref())
            && (by_name || by_next && self.m.tokens.all[mention.tokens.start].is_capital && mention.name.is_none())
    }

    /// "Einen Aufzug haben wir nicht", "a lift is not available"
    fn is_lacking(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let end = self.m.tokens.lines[mention.line].end;
        let behind = self.m.tokens.all[mention.tokens.end.min(end)..(mention.tokens.end + 6).min(end)].iter();
        let clause: Vec<_> = behind
            .take_while(|token| {
                token.sentence == mention.sentence && !matches!(&*token.lower, "," | ";" | ":" | "." | "und" | "and")
            })
            .map(|token| &*token.lower)
            .collect();
        let Some(place) = clause.iter().position(|word| matches!(*word, "nicht" | "not")) else { return false };
        let speaks_of_having = clause[..place].iter().any(|word| language.has("having", word));
        let is_last =
            clause[place + 1..].iter().all(|next| language.has("having", next) || matches!(*next, "an" | "entgegen"));
        speaks_of_having && is_last
    }

    /// People and organisations: those with names are attached as such, the others say nothing.
    fn is_somebody(&mut self, number: usize, class: ClassId) -> bool {
        let is_somebody = self.mention(number).flags.title || self.is_organisation(class);
        if is_somebody && self.mention(number).name.is_some() && !self.is_work(number) {
            self.agent(number, class);
        }
        is_somebody
    }

    /// "Clarinet Quintet", "Piano Trio": what is played, not who plays.
    fn is_work(&self, number: usize) -> bool {
        let tokens = &self.m.tokens.all[self.mention(number).tokens.clone()];
        let is_part = |token: &crate::tokens::Token| self.m.domain.cues.agents.contains_key(&*token.lower);
        self.tongue(number) == Tongue::English && tokens.len() > 1 && tokens[..tokens.len() - 1].iter().all(is_part)
    }

    /// "Ferncliffe Hall is a mansion": what the thing is in other words.
    fn describes_house(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let is_said = self.follows_copula(number)
            && self.before(number).iter().any(|other| self.resolved[*other] == self.focus(number));
        // "A museum in a timber-framed guildhall"
        let is_sight = |class: ClassId| self.m.domain.rules.sight.is_some_and(|sight| self.is_a(class, sight));
        let is_housed = matches!(self.syntax.prep[number].as_deref(), Some("in" | "inside" | "within"))
            && is_sight(class)
            && self.focus(number).is_some_and(|focus| is_sight(self.class_of(focus)));
        mention.name.is_none()
            && mention.article == Article::Indefinite
            && self.m.domain.ontology.class_at(class).is_focus()
            && (is_said || is_housed)
    }

    /// "High season is May to September"
    fn is_season(&self, number: usize) -> bool {
        let sentence = self.mention(number).sentence;
        let is_period =
            |other: usize| self.mention(other).is_literal(Kind::Period) && self.mention(other).sentence == sentence;
        self.by_line[self.mention(number).line].clone().any(is_period) && self.is_condition(number)
    }

    /// "Die Ferienwohnung ist 68 m² groß", "the cottage sleeps four", on the page of a house that is none itself.
    fn is_flat_of_house(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let unit = self.m.domain.rules.counted.first().copied();
        let is_unit = |class: ClassId| unit.is_some_and(|unit| self.is_a(class, unit));
        let is_house = |focus: Handle| !self.builder.types(focus).iter().any(|own| is_unit(*own));
        // "Reetdachhaus", "Kapitänshaus" say what it looks like, and so does "in a stone cottage".
        let label = self.m.domain.ontology.class_at(class).label(self.tongue(number).code());
        let is_plain = match self.tongue(number) {
            Tongue::German => label.is_some_and(|label| label.to_lowercase() == mention.lemma),
            Tongue::English => {
                let last = mention.lemma.rsplit(' ').next().unwrap_or_default();
                let is_inside = self.syntax.prep[number].is_some() && mention.article == Article::Indefinite;
                self.m.languages.of(Tongue::English).has("flats", last) && !is_inside
            }
        };
        is_plain && is_unit(class) && self.focus(number).is_some_and(is_house)
    }

    /// "in einem Reetdachhaus": what the house looks like, not what it lets.
    fn looks_like(&self, number: usize, class: ClassId) -> bool {
        if self.is_flat_of_house(number, class) {
            return false;
        }
        let is_focus = |class: ClassId| self.m.domain.ontology.class_at(class).is_focus();
        let mention = self.mention(number);
        let line = self.line_of(number);
        let is_story = self.m.tokens.lines[mention.line].len() > 12;
        let in_running =
            line.role == Role::Text && (line.cell.is_none() || is_story) && !self.context(number).is_heading;
        let is_house = is_focus(class) && !self.is_around(class) && !self.is_event_class(class);
        let is_one = mention.name.is_none() && mention.count.is_none() && mention.article != Article::None;
        is_house
            && is_one
            && in_running
            && self.focus(number).is_some_and(|focus| is_focus(self.class_of(focus)))
            && self.before_price(number).is_none()
            && !self.is_one_of_many(number, class)
    }

    fn attach_thing(&mut self, number: usize, class: ClassId) {
        let Some(governor) = self.governor(number, class) else { return };
        if governor.handles.is_empty()
            || self.is_misplaced(number, class, &governor)
            || self.is_in_passing(number, class) && !self.is_offered(number)
        {
            return;
        }
        let handle = self.instance(number, class);
        self.resolved[number] = Some(handle);
        self.governed_by[number] = governor.mention;
        let is_named = self.mention(number).name.is_some();
        let is_first = matches!(self.line_of(number).role, Role::Heading(1));
        // "Conferences and weddings" over a section: both are held there.
        let is_occasion = self.is_event_like(class) && !self.m.domain.ontology.class_at(class).is_focus();
        if self.context(number).is_heading && !is_named && !is_first && !is_occasion {
            let links = governor.handles.into_iter().map(|from| (from, governor.slot, number)).collect();
            if !self.linked.contains(&handle) {
                self.pending.entry(handle).or_insert(links);
            }
            return;
        }
        self.linked.insert(handle);
        for from in governor.handles {
            self.link(from, governor.slot, handle, governor.heuristic, number);
        }
        self.counted(number, handle);
        self.led_by(number, handle, class);
    }

    /// "The smell of fresh bread", "market days": what is eaten or happens somewhere, and is not offered.
    fn is_in_passing(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let line = self.line_of(number);
        let is_told =
            line.role == Role::Text && line.cell.is_none() && self.m.tokens.lines[mention.line].len() > PASSING;
        let rules = &self.m.domain.rules;
        let own = self.by_line[mention.line].clone();
        let has = |kinds: &[Kind]| {
            own.clone().any(|other| {
                self.mention(other).sentence == mention.sentence
                    && self.mention(other).literal().is_some_and(|(kind, _)| kinds.contains(&kind))
            })
        };
        let is_food = self.is_food(class);
        let is_menu = is_food && Some(class) != rules.dish && mention.count.is_some();
        let eaten = is_food && !is_menu && !has(&[Kind::Money]);
        let is_timed = has(&[Kind::Money, Kind::Time, Kind::Hours, Kind::Date, Kind::Period, Kind::Duration]);
        let is_timed = is_timed || self.is_on_a_day(number);
        let happens = self.is_event_class(class) && Some(class) != rules.show && !is_timed && !self.is_led(class);
        is_told && mention.name.is_none() && (eaten || happens)
    }

    pub(super) fn is_food(&self, class: ClassId) -> bool {
        self.m.domain.rules.dish.is_some_and(|dish| {
            self.m.domain.ontology.class_at(dish).parents().iter().any(|food| self.is_a(class, *food))
        })
    }

    /// "Bietet regionale Küche mit frischem Fisch": said of a house where one goes to eat.
    fn is_offered(&self, number: usize) -> bool {
        let eatery = self.m.domain.rules.eatery;
        let is_eatery = |class: &ClassId| eatery.is_some_and(|eatery| self.is_a(*class, eatery));
        let focus = self.focus(number).filter(|focus| self.builder.types(*focus).iter().any(is_eatery));
        focus.is_some() && self.has_word(number, "offering")
    }

    /// Tours are offered even where no hour is given.
    fn is_led(&self, class: ClassId) -> bool {
        self.m.domain.rules.led.is_some_and(|led| self.is_a(class, led))
    }

    /// Kitchens are in what is lived in; and what is a unit itself lets no rooms.
    fn is_misplaced(&self, number: usize, class: ClassId, governor: &Governor) -> bool {
        let Some(unit) = self.m.domain.rules.counted.first().copied() else { return false };
        let is_unit = |class: ClassId| self.is_a(class, unit);
        let holds_unit = |handle: &Handle| self.builder.types(*handle).iter().any(|class| is_unit(*class));
        if self.mention(number).flags.inner {
            return !governor.handles.iter().any(holds_unit);
        }
        let is_focus = self.m.domain.ontology.class_at(class).is_focus();
        // "Parking at the leisure centre", "camping £20": where an event takes place has a name, or is said to be the place.
        let of_event = governor.handles.iter().all(|handle| self.focuses.contains(handle) && self.is_event(*handle));
        let is_house = is_focus && !self.is_event_class(class);
        // "Vorverkauf in der Tourist-Info"
        let is_seller = self.m.domain.rules.sellers.iter().any(|seller| self.is_a(class, *seller));
        if of_event && is_seller {
            let venues = &self.m.languages.of(self.tongue(number)).venues;
            return !self.context(number).label_words.iter().any(|word| venues.contains(&**word));
        }
        if is_house && of_event && self.mention(number).name.is_none() {
            let focus = governor.handles.first().copied();
            return focus.is_none_or(|focus| !self.is_venue(number, focus));
        }
        is_unit(class) && !is_focus && governor.handles.iter().all(holds_unit)
    }

    /// "Zanderfilet mit Bratkartoffeln": the second is part of what the first is called.
    fn is_side(&mut self, number: usize, class: ClassId) -> bool {
        let Some(&before) = self.before(number).first() else { return false };
        // A shower is part of the bathroom, and there all the same.
        if self.same_group(before, number) || !self.is_food(class) {
            return false;
        }
        // "is en suite and comes with a television": the verb begins something else.
        let between =
            self.mention(before).tokens.end..self.mention(number).tokens.start.max(self.mention(before).tokens.end);
        let classes = &self.m.languages.of(self.tongue(number)).classes;
        let is_verb = |place: usize| classes.get(&*self.m.tokens.all[place].lower).is_some_and(|class| class == "Verb");
        let language = self.m.languages.of(self.tongue(number));
        let is_partly = |place: usize| language.has("partly", &self.m.tokens.all[place].lower);
        if between.into_iter().any(|place| is_verb(place) || is_partly(place)) {
            return false;
        }
        let is_with = self.syntax.prep[number]
            .as_deref()
            .is_some_and(|prep| matches!(prep, "mit" | "with" | "on" | "in" | "auf" | "an"));
        let Some(other) = self.mention(before).class().filter(|_| is_with && self.is_equipment(before, class)) else {
            return false;
        };
        self.between(other, class).is_empty() && !self.m.domain.ontology.class_at(class).is_focus()
    }

    pub(super) fn is_event_like(&self, class: ClassId) -> bool {
        let slots = self.m.domain.rules.literals.get(&Kind::Date);
        slots.into_iter().flatten().any(|slot| self.m.domain.ontology.fits_domain(slot.slot, &[class]))
    }

    pub(super) fn is_event_class(&self, class: ClassId) -> bool {
        let slots = self.m.domain.rules.literals.get(&Kind::Date);
        slots.into_iter().flatten().any(|slot| self.m.domain.ontology.fits_domain(slot.slot, &[class]))
            && self.m.domain.ontology.class_at(class).is_focus()
    }

    /// "Talk to our manager", "for reading": English nouns without an article may be verbs.
    fn is_verb_like(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        if mention.tokens.len() == 1 && self.m.tokens.all[mention.tokens.start].tag == Some(crate::tokens::Tag::Verb) {
            return true;
        }
        let is_english = self.tongue(number) == crate::language::Tongue::English;
        let in_list = matches!(self.line_of(number).role, Role::Item | Role::Term | Role::Heading(_))
            || self.m.tokens.lines[mention.line].len() <= 6;
        let is_single = mention.tokens.len() == 1
            && mention.name.is_none()
            && mention.count.is_none()
            && mention.article == Article::None;
        let is_plural = self.m.tokens.all[mention.tokens.end - 1].lower.ends_with('s');
        let is_event = self.m.domain.ontology.class_at(class).is_focus() || mention.lemma == "drink";
        // "Café with home baking."
        let own = &self.m.tokens.all;
        let is_first = mention.tokens.start.checked_sub(1).is_none_or(|at| own[at].sentence != mention.sentence);
        let next = own.get(mention.tokens.end).filter(|next| next.sentence == mention.sentence);
        let is_listed = is_first && next.is_none_or(|next| matches!(&*next.lower, "with" | "."));
        is_english && is_single && is_event && !is_plural && !in_list && !is_listed
    }

    /// A mill in the address of a museum is part of the address.
    fn is_in_address(&self, number: usize) -> bool {
        if self.distances.contains_key(&number) {
            return false;
        }
        let own = self.by_line[self.mention(number).line].clone();
        let has_code = own.clone().any(|other| self.mention(other).is_literal(Kind::Postcode));
        has_code && self.focus(number).is_some_and(|focus| !self.is_event(focus)) && self.mention(number).name.is_some()
    }

    /// A price behind it in its sentence.
    pub(super) fn before_price(&self, number: usize) -> Option<usize> {
        let own = self.by_line[self.mention(number).line].clone();
        (number + 1..own.end).find(|other| self.mention(*other).is_literal(Kind::Money))
    }

    /// Classes that only named things of which play a part.
    fn is_organisation(&self, class: ClassId) -> bool {
        let rules = &self.m.domain.rules;
        let is_agent = |agent: Option<ClassId>| {
            agent.is_some_and(|agent| {
                self.m.domain.ontology.class_at(agent).parents().iter().any(|parent| self.is_a(class, *parent))
            })
        };
        is_agent(rules.person)
    }
}
