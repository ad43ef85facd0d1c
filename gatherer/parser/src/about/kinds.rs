//! The kinds that a page's thing may be of, and what speaks for each.

use super::weights::Sign;
use crate::focus::Chooser;
use crate::layout::{Region, Role};
use crate::mentions::{Mention, What};
use crate::staged::is_day;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// The first lines of a page.
const FIRST: usize = 12;

/// A class that the page's thing may be of.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) class: ClassId,
    pub(crate) family: Option<usize>,
    pub(crate) signs: Vec<Sign>,
}

impl Kind {
    /// Whether title or first heading speak of it.
    pub(super) fn is_top(&self) -> bool {
        self.signs.iter().any(|sign| matches!(sign, Sign::KindTitle | Sign::KindHead | Sign::KindNamedTop))
    }

    fn put(&mut self, holds: bool, sign: Sign) {
        if holds {
            self.signs.push(sign);
        }
    }
}

/// How often the text speaks of something.
struct Counts<K> {
    all: BTreeMap<K, u32>,
}

impl<K: Ord + Copy> Counts<K> {
    fn none() -> Self {
        Self { all: BTreeMap::new() }
    }

    fn add(&mut self, what: K, count: u32) {
        *self.all.entry(what).or_default() += count;
    }

    fn of(&self, what: K) -> u32 {
        self.all.get(&what).copied().unwrap_or_default()
    }

    fn most(&self) -> Option<K> {
        let most = self.all.iter().max_by_key(|(what, count)| (**count, std::cmp::Reverse(**what)));
        most.map(|(what, _)| *what)
    }
}

impl Chooser<'_> {
    /// All kinds that the page speaks of, and those that what it sells speaks for.
    pub(super) fn kinds_of_page(&self) -> Vec<Kind> {
        let mut signs: BTreeMap<ClassId, Vec<Sign>> = BTreeMap::new();
        let mut counts = Counts::none();
        for (mention, class) in self.mentions.iter().filter_map(|one| Some((one, self.kind_of(one)?))) {
            let own = signs.entry(class).or_default();
            self.mention_signs(mention, class, own);
            let layout = &self.page.lines[mention.line];
            if layout.region == Region::Main {
                let is_first = counts.all.is_empty() && matches!(layout.role, Role::Text | Role::Item);
                own.extend(is_first.then_some(Sign::KindFirst));
                counts.add(class, 1);
            }
        }
        let event = self.event_base().filter(|_| self.mentions.iter().any(is_day));
        let offered = [self.by_evidence(), self.visited(), self.lets_units(), event, self.inn()];
        for class in offered.into_iter().flatten() {
            signs.entry(class).or_default();
        }
        for class in self.marked().into_iter().filter_map(|(_, class)| class) {
            signs.entry(class).or_default().push(Sign::KindMarked);
        }
        let family = |class: ClassId| self.domain.families.of(&self.domain.ontology, class);
        let mut kinds: Vec<_> =
            signs.into_iter().map(|(class, signs)| Kind { class, family: family(class), signs }).collect();
        self.compare(&mut kinds, &counts);
        kinds
    }

    /// What both feeds guests and lets rooms, if the page does both: a pub with rooms is an inn, whether it says so or not.
    fn inn(&self) -> Option<ClassId> {
        let ontology = &self.domain.ontology;
        let eatery = self.domain.rules.eatery.filter(|_| self.units().any(|unit| self.has_price(unit.line)))?;
        let feeds = self.mentions.iter().filter_map(Mention::class).any(|class| ontology.is_a(class, eatery));
        let mut classes = ontology.classes().filter(|class| ontology.is_a(*class, eatery) && self.may_let(*class));
        classes.find(|class| feeds && self.is_focus_class(*class))
    }

    /// What a mention says that something is, if a page may be about it.
    fn kind_of(&self, mention: &Mention) -> Option<ClassId> {
        let What::Thing(class) = mention.what else { return None };
        let class = mention.flags.focus.unwrap_or(class);
        (self.is_focus_class(class) && !mention.flags.anaphor).then_some(class)
    }

    fn mention_signs(&self, mention: &Mention, class: ClassId, signs: &mut Vec<Sign>) {
        let line = &self.page.lines[mention.line];
        if self.is_where(mention, class) {
            signs.push(Sign::KindWhere);
            return;
        }
        let is_further = self.is_further_kind(mention);
        signs.extend(self.is_seller(class).then_some(Sign::KindSeller));
        signs.extend(is_further.then_some(Sign::KindFurther));
        match (line.region, line.role) {
            (Region::Navigation | Region::Trail, _) => signs.push(Sign::KindMenu),
            (_, Role::Title) if !is_further => signs.push(Sign::KindTitle),
            (_, Role::Heading(1)) if !is_further => signs.push(Sign::KindHead),
            (_, Role::Heading(_)) => signs.push(Sign::KindSub),
            (_, Role::Description) => signs.push(Sign::KindDescription),
            (_, Role::Keywords) => signs.push(Sign::KindKeywords),
            _ => {
                signs.extend((mention.line < FIRST).then_some(Sign::KindEarly));
                signs.extend(self.is_strapline(mention.line).then_some(Sign::KindStrap));
                signs.extend(self.is_said_to_be(mention).then_some(Sign::KindSaid));
                signs.extend(self.is_ours(mention).then_some(Sign::KindOurs));
            }
        }
        if mention.name.is_some() {
            let is_top = matches!(line.role, Role::Title | Role::Heading(1));
            signs.push(if is_top { Sign::KindNamedTop } else { Sign::KindNamed });
        }
    }

    /// How kinds stand to each other, and to what the page has.
    fn compare(&self, kinds: &mut [Kind], counts: &Counts<ClassId>) {
        let ontology = &self.domain.ontology;
        let (mut of_family, mut voted_family, mut voted) = (Counts::none(), Counts::none(), Counts::none());
        let votes = self.votes();
        for kind in &*kinds {
            kind.family.into_iter().for_each(|family| of_family.add(family, counts.of(kind.class)));
        }
        for (class, votes) in votes {
            voted.add(class, votes);
            let family = self.domain.families.of(ontology, class);
            family.into_iter().for_each(|family| voted_family.add(family, votes));
        }
        let total = of_family.all.values().sum::<u32>().max(1);
        let tops: Vec<_> = kinds.iter().filter(|kind| kind.is_top()).filter_map(|kind| kind.family).collect();
        let classes: Vec<_> = kinds.iter().map(|kind| kind.class).collect();
        let evidence = self.by_evidence();
        let near = evidence.and_then(|class| self.domain.families.of(ontology, class));
        let (page, inn) = (self.page_signs(), self.inn());
        for kind in kinds {
            let (class, family) = (kind.class, kind.family);
            let is_one_of = |other: Option<usize>| other.is_some() && other == family;
            let share = family.map_or(0, |family| of_family.of(family)) * 10 / total;
            let others = || classes.iter().filter(|other| **other != class);
            kind.signs.extend(match counts.of(class) {
                0 => None,
                1 => Some(Sign::KindOnce),
                2 | 3 => Some(Sign::KindTwice),
                _ => Some(Sign::KindOften),
            });
            kind.put(counts.most() == Some(class), Sign::KindMost);
            kind.put(is_one_of(of_family.most()), Sign::FamilyMost);
            kind.put(share >= 5, Sign::FamilyHalf);
            kind.put(share >= 8, Sign::FamilyAll);
            kind.put(family.is_some_and(|family| tops.contains(&family)), Sign::FamilyTop);
            kind.put(voted.most() == Some(class), Sign::KindBest);
            kind.put(is_one_of(voted_family.most()), Sign::KindFamilyBest);
            kind.put(inn == Some(class), Sign::KindInn);
            kind.put(evidence == Some(class), Sign::KindEvidence);
            kind.put(evidence != Some(class) && is_one_of(near), Sign::KindNearEvidence);
            kind.put(others().any(|other| ontology.is_a(class, *other)), Sign::KindSpecial);
            kind.put(others().any(|other| ontology.is_a(*other, class)), Sign::KindGeneral);
            kind.signs.push(Sign::KindPlain);
            kind.signs.extend(&page);
            kind.signs.sort_unstable();
            kind.signs.dedup();
        }
    }
}
