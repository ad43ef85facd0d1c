//! What a page must be about where neither its name nor its text says so: what it sells tells it.

use crate::focus::{Chooser, Focus};
use crate::language::Tongue;
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// So many dishes, or units that are let, with prices are no chance.
const SOLD: usize = 2;
/// What a page is about it says in one of its first lines.
const FIRST: usize = 12;
/// What a class must be worth to be more than a chance.
const SAID: u32 = 2;

impl Chooser<'_> {
    /// Something to visit, to eat at, or to stay at, by what is sold there.
    pub(crate) fn by_evidence(&self) -> Option<ClassId> {
        self.visited().or_else(|| self.by_menu()).or_else(|| self.by_units()).or_else(|| self.dwelling())
    }

    /// So many square metres, by the night or the week: something to live in.
    fn dwelling(&self) -> Option<ClassId> {
        let has = |kind: Kind| self.mentions.iter().any(|one| one.is_literal(kind));
        let is_daily = |what: &What| matches!(what, What::Literal(Kind::Per, value) if value == "Tag");
        let is_daily = self.mentions.iter().any(|one| is_daily(&one.what));
        if !((self.is_by_night() || is_daily) && has(Kind::Area) && has(Kind::Money)) {
            return None;
        }
        let voted = self.votes().into_iter().filter(|(class, votes)| *votes >= SAID && self.may_let(*class));
        let voted = voted.max_by_key(|(class, votes)| (*votes, std::cmp::Reverse(*class))).map(|(class, _)| class);
        voted.or_else(|| self.lets_units().filter(|_| self.is_by_night()))
    }

    /// Whether something is to be had for a night or a week.
    fn is_by_night(&self) -> bool {
        let is_night =
            |what: &What| matches!(what, What::Literal(Kind::Per, value) if value == "Nacht" || value == "Woche");
        self.mentions.iter().any(|one| is_night(&one.what))
    }

    /// The class that a page speaks of, unless it sells what such things do not sell.
    pub(crate) fn fitting(&self, class: ClassId) -> ClassId {
        let (ontology, rules) = (&self.domain.ontology, &self.domain.rules);
        let is_sight = |class: ClassId| rules.sight.is_some_and(|sight| ontology.is_a(class, sight));
        let Some(sold) = self.by_evidence() else { return class };
        let fits = if is_sight(sold) {
            is_sight(class)
        } else {
            rules.eatery.is_some_and(|eatery| ontology.is_a(class, eatery)) || self.may_let(class)
        };
        if fits {
            return class;
        }
        let is_alike = |one: ClassId| {
            ontology.is_a(one, sold) || ontology.class_at(sold).parents().iter().any(|base| ontology.is_a(one, *base))
        };
        let voted = self.votes().into_iter().filter(|(one, votes)| *votes > 1 && is_alike(*one));
        voted.max_by_key(|(one, votes)| (*votes, std::cmp::Reverse(*one))).map_or(sold, |(one, _)| one)
    }

    /// Whether something of a class may have units that are let, or is one.
    fn may_let(&self, class: ClassId) -> bool {
        let ontology = &self.domain.ontology;
        let lets = |unit: ClassId| !ontology.between(class, unit).is_empty() || ontology.is_a(class, unit);
        self.domain.rules.counted.first().copied().is_some_and(lets)
    }

    /// A thing without a name, but with what only such things sell, and a way to reach it.
    pub(crate) fn unnamed_by_evidence(&self) -> Option<Focus> {
        let is_reached = |mention: &Mention| [Kind::Phone, Kind::Mail].iter().any(|kind| mention.is_literal(*kind));
        let class = self.by_menu().or_else(|| self.by_units())?;
        self.mentions.iter().any(is_reached).then(|| Focus { class, name: None, key: String::new() })
    }

    /// What something with a sure name is, where little speaks for it: what is let there, what it is called at all.
    pub(crate) fn weakly(&self) -> Option<ClassId> {
        let ontology = &self.domain.ontology;
        let reached = [Kind::Phone, Kind::Mail, Kind::Postcode, Kind::Street];
        let is_reached = self.mentions.iter().any(|one| reached.iter().any(|kind| one.is_literal(*kind)));
        let base = self.event_base();
        let is_event = |class: ClassId| base.is_some_and(|base| ontology.is_a(class, base));
        let is_sight = |class: ClassId| self.domain.rules.sight.is_some_and(|sight| ontology.is_a(class, sight));
        let is_by_night = self.is_by_night();
        let is_dwelling = is_by_night && self.mentions.iter().any(|one| one.is_literal(Kind::Area));
        let priced = self.units().filter(|unit| self.has_price(unit.line)).count();
        let is_let = is_dwelling || priced >= SOLD || is_by_night && self.units().next().is_some();
        let fits = |class: ClassId| if is_let { self.may_let(class) } else { !is_event(class) && !is_sight(class) };
        let prices = self.mentions.iter().filter(|one| one.is_literal(Kind::Money)).count();
        let is_eatery = |class: ClassId| self.domain.rules.eatery.is_some_and(|eatery| ontology.is_a(class, eatery));
        let least = |class: ClassId| if is_let || is_eatery(class) && prices > SOLD { 2 } else { 4 };
        let voted = self.votes().into_iter().filter(|(class, votes)| *votes >= least(*class) && fits(*class));
        let is_early = |class: ClassId| self.mentions.iter().any(|one| one.line < FIRST && one.class() == Some(class));
        let voted = voted.filter(|(class, _)| is_let || is_eatery(*class) || is_early(*class));
        let voted = voted.max_by_key(|(class, votes)| (*votes, std::cmp::Reverse(*class))).map(|(class, _)| class);
        voted.or_else(|| self.lets_units().filter(|_| is_let)).filter(|_| is_reached)
    }

    /// Headings and labels ask for admission, and there are hours: a sight.
    pub(crate) fn visited(&self) -> Option<ClassId> {
        let rules = &self.domain.rules;
        let ontology = &self.domain.ontology;
        let asks = self.page.lines.iter().enumerate().any(|(line, layout)| {
            let language = self.languages.of(self.tokens.tongues[line]);
            let end = layout.strong_until.unwrap_or(layout.span.end);
            let words = self.tokens.all[self.tokens.lines[line].clone()].iter().filter(|token| token.span.end <= end);
            let asks = |list: &str| words.clone().any(|token| language.has(list, &token.lower));
            let is_english = self.tokens.tongues[line] == Tongue::English;
            (matches!(layout.role, Role::Heading(_) | Role::Term) || layout.strong_until.is_some())
                && (asks("entrance") || asks("tickets") && (is_english || self.pays_by_age(line)))
        });
        let has = |kind: Kind| self.mentions.iter().any(|mention| mention.is_literal(kind));
        let is_sight = |class: ClassId| rules.sight.is_some_and(|sight| ontology.is_a(class, sight));
        // Words for parts of sights, which are no focus by themselves.
        let mut seen: BTreeMap<ClassId, usize> = BTreeMap::new();
        let is_one = |mention: &&Mention| {
            let last = &self.tokens.all[mention.tokens.end - 1].lower;
            let base = mention.lemma.split_whitespace().last().unwrap_or_default();
            mention.name.is_none() && !mention.flags.anaphor && last.ends_with(base)
        };
        for mention in self.mentions.iter().filter(is_one) {
            if let Some(class) = mention.class().filter(|class| is_sight(*class) && self.is_focus_class(*class)) {
                *seen.entry(class).or_default() += 1;
            }
        }
        // What is named but once may be a part of it.
        let seen = seen
            .into_iter()
            .filter(|(_, count)| *count > 1)
            .max_by_key(|(class, count)| (*count, std::cmp::Reverse(*class)));
        let house = self.mentions.iter().find_map(|mention| mention.flags.sight);
        // Those beside a number are of whoever answers it.
        let has_hours = self.mentions.iter().any(|one| {
            let own = of_lines(self.mentions, one.line..one.line + 1);
            one.is_literal(Kind::Hours) && !own.iter().any(|other| other.is_literal(Kind::Phone))
        });
        let is_visit = asks && has(Kind::Money) && has_hours && !self.units().any(|unit| self.has_price(unit.line));
        is_visit.then(|| house.or(seen.map(|(class, _)| class)).or(rules.sight)).flatten()
    }

    /// Adults pay so much, children so much.
    fn pays_by_age(&self, heading: usize) -> bool {
        let (young, ontology) = (self.domain.rules.young, &self.domain.ontology);
        let is_group = |mention: &Mention| {
            let parents = young.map(|young| ontology.class_at(young).parents()).unwrap_or_default();
            mention.class().is_some_and(|class| parents.iter().any(|group| ontology.is_a(class, *group)))
        };
        self.section(heading).any(|line| {
            let own = || self.mentions.iter().filter(|mention| mention.line == line);
            self.has_price(line) && own().filter(|mention| is_group(mention)).count() >= 1
        })
    }

    /// Prices under the heading of a menu.
    fn by_menu(&self) -> Option<ClassId> {
        let menus = &self.domain.rules.menus;
        let is_menu = |line: &usize| {
            let is_head = matches!(self.page.lines[*line].role, Role::Heading(_) | Role::Term)
                && self.page.lines[*line].region != Region::Navigation;
            is_head
                && self.tokens.all[self.tokens.lines[*line].clone()].iter().any(|token| menus.contains(&*token.lower))
        };
        let lines = (0..self.page.lines.len()).filter(is_menu).flat_map(|heading| self.section(heading));
        let sold = lines.filter(|line| self.has_price(*line)).count();
        (sold > SOLD).then_some(self.domain.rules.menu_of).flatten()
    }

    /// Rooms, pitches and the like with prices.
    fn by_units(&self) -> Option<ClassId> {
        let mut sold: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in self.units().filter(|unit| self.has_price(unit.line)) {
            *sold.entry(&unit.lemma).or_default() += 1;
        }
        let is_let = sold.len() >= SOLD || !sold.is_empty() && self.is_by_night();
        is_let.then(|| self.lets_units()).flatten()
    }

    fn units(&self) -> impl Iterator<Item = &Mention> + '_ {
        let unit = self.domain.rules.counted.first().copied();
        self.mentions.iter().filter(move |mention| {
            let class = mention.flags.unit.or(mention.class());
            let is_read = !matches!(self.page.lines[mention.line].region, Region::Navigation | Region::Footer);
            is_read && class.zip(unit).is_some_and(|(class, unit)| self.domain.ontology.is_a(class, unit))
        })
    }

    pub(crate) fn has_price(&self, line: usize) -> bool {
        self.mentions.iter().any(|mention| mention.line == line && mention.is_literal(Kind::Money))
    }

    /// The class of all that lets units.
    pub(crate) fn lets_units(&self) -> Option<ClassId> {
        let ontology = &self.domain.ontology;
        let unit = self.domain.rules.counted.first().copied()?;
        let slot = ontology.slots().find(|slot| {
            let slot = ontology.slot_at(*slot);
            slot.range().iter().any(|union| union.contains(&unit)) && slot.holds_without_cue()
        })?;
        ontology.slot_at(slot).domain().first()?.first().copied()
    }
}
