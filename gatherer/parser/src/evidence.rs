//! What a page must be about where neither its name nor its text says so: what it sells tells it.

use crate::focus::Chooser;
use crate::language::Tongue;
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What};
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// So many dishes, or units that are let, with prices are no chance.
const SOLD: usize = 2;
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
    pub(crate) fn is_by_night(&self) -> bool {
        let is_night =
            |what: &What| matches!(what, What::Literal(Kind::Per, value) if value == "Nacht" || value == "Woche");
        self.mentions.iter().any(|one| is_night(&one.what))
    }

    /// Whether something of a class may have units that are let, or is one.
    pub(crate) fn may_let(&self, class: ClassId) -> bool {
        let ontology = &self.domain.ontology;
        let lets = |unit: ClassId| !ontology.between(class, unit).is_empty() || ontology.is_a(class, unit);
        self.domain.rules.counted.first().copied().is_some_and(lets)
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
            let own = self.on(one.line);
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
            let own = || self.on(line).iter();
            self.has_price(line) && own().filter(|mention| is_group(mention)).count() >= 1
        })
    }

    /// Prices under the heading of a menu.
    pub(crate) fn by_menu(&self) -> Option<ClassId> {
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
    pub(crate) fn by_units(&self) -> Option<ClassId> {
        let mut sold: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in self.units().filter(|unit| self.has_price(unit.line)) {
            *sold.entry(&unit.lemma).or_default() += 1;
        }
        let is_let = sold.len() >= SOLD || !sold.is_empty() && self.is_by_night();
        is_let.then(|| self.lets_units()).flatten()
    }

    pub(crate) fn units(&self) -> impl Iterator<Item = &Mention> + '_ {
        let unit = self.domain.rules.counted.first().copied();
        self.mentions.iter().filter(move |mention| {
            let class = mention.flags.unit.or(mention.class());
            let is_read = !matches!(self.page.lines[mention.line].region, Region::Navigation | Region::Footer);
            is_read && class.zip(unit).is_some_and(|(class, unit)| self.domain.ontology.is_a(class, unit))
        })
    }

    pub(crate) fn has_price(&self, line: usize) -> bool {
        self.on(line).iter().any(|mention| mention.is_literal(Kind::Money))
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

    /// "The Lantern is a small restaurant", "unser Haus ist ein Hotel"
    pub(crate) fn is_said_to_be(&self, mention: &Mention) -> bool {
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        let start = self.tokens.lines[mention.line].start;
        let from = mention.tokens.start.saturating_sub(6).max(start);
        let mut words = self.tokens.all[from..mention.tokens.start].iter();
        mention.article == Article::Indefinite
            && words.any(|token| token.sentence == mention.sentence && language.has("being", &token.lower))
    }

    /// The class of all that has a date.
    pub(crate) fn event_base(&self) -> Option<ClassId> {
        let slot = self.domain.rules.literals.get(&Kind::Date)?.first()?.slot;
        let base = self.domain.ontology.slot_at(slot).domain().first()?.first().copied()?;
        self.is_focus_class(base).then_some(base)
    }
}
