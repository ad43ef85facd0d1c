//! How good a parser is: what it found held against gold pages, by `tests/gold/README.md`.
//!
//! [`page`] scores one page, [`Report`] puts pages together and prints them, [`blind`] keeps the table to which each page is
//! added once, before anybody has seen it.

pub mod blind;
mod compare;
mod found;
pub mod gold;
pub mod kept;
mod report;
#[cfg(test)]
mod tests;

pub use compare::Level;
pub use report::Report;

use crate::check::{Document, sibling_facts};
use crate::model::Abstract;
use crate::ontology::Ontology;
use compare::Comparison;
use found::{Found, FoundFact, found};
use gold::{End, GoldFact, Page, Predicate, Thing};
use std::collections::{BTreeMap, BTreeSet};

/// So many were wanted, so many were found, so many of these were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Facts of the gold that must be found.
    pub wanted: usize,
    /// Of these, so many were.
    pub got: usize,
    /// Facts that the parser gave, without those that are neither merit nor error.
    pub given: usize,
    /// Of these, so many are right.
    pub right: usize,
}

impl Tally {
    /// The share of what was given that is right; all of it if nothing was given.
    pub fn precision(&self) -> f64 {
        share(self.right, self.given)
    }

    /// The share of what was wanted that was found; all of it if nothing was wanted.
    pub fn recall(&self) -> f64 {
        share(self.got, self.wanted)
    }

    /// The harmonic mean of both. Where nothing was wanted, anything that is given is wrong.
    pub fn f1(&self) -> f64 {
        if self.wanted == 0 && self.given > 0 {
            return 0.0;
        }
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.wanted += other.wanted;
        self.got += other.got;
        self.given += other.given;
        self.right += other.right;
    }
}

fn share(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no page has so many facts")]
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What is wrong with a fact that was found, or with one that was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mistake {
    /// Both ends belong together, but in another slot.
    WrongSlot,
    /// Found at something else than what it belongs to.
    WrongSubject,
    /// Another value or thing should stand there.
    WrongObject,
    /// Nothing of it is in the gold.
    Invented,
    /// Not found, though the thing that it belongs to was.
    Missed,
    /// Not found, nor the thing that it belongs to.
    MissedWithSubject,
}

impl Mistake {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongSlot => "wrong slot",
            Self::WrongSubject => "wrong subject",
            Self::WrongObject => "wrong object",
            Self::Invented => "invented",
            Self::Missed => "missed",
            Self::MissedWithSubject => "missed with its subject",
        }
    }
}

/// The score of one page.
#[derive(Debug, Clone)]
pub struct PageScore {
    /// The page.
    pub page: Page,
    /// Slot, both names and classes.
    pub strict: Tally,
    /// Slot and classes.
    pub typed: Tally,
    /// Classes only.
    pub pair: Tally,
    /// Strict, by slot.
    pub by_slot: BTreeMap<String, Tally>,
    /// What went wrong, and with what.
    pub mistakes: Vec<(Mistake, String)>,
    /// Proper names of the gold: wanted and found.
    pub names: (usize, usize),
    /// Numbers of the gold: wanted and found.
    pub numbers: (usize, usize),
    /// The names and the numbers that were not found.
    pub unfound: Vec<String>,
    /// Facts that stand in the abstract more than once.
    pub duplicates: usize,
    /// Facts between members of one enumeration.
    pub siblings: usize,
    /// The facts of the gold that were found,
    pub found: BTreeSet<String>,
    /// and those that should have been.
    pub missed: BTreeSet<String>,
}

/// Scores what was found on a page. The document is the page, decoded.
pub fn page(
    page: &Page,
    gold: &[GoldFact],
    answer: &Abstract,
    ontology: &Ontology,
    document: &Document<'_>,
) -> PageScore {
    let comparison = Comparison { ontology };
    let all = found(answer, ontology);
    let judge = Judge { comparison, gold, found: &all };
    let (names, unfound_names) = judge.names();
    let (numbers, unfound_numbers) = judge.numbers();
    let is_found = |gold: &&GoldFact| gold.counts && judge.is_found(gold, Level::Strict);
    PageScore {
        page: page.clone(),
        strict: judge.tally(Level::Strict),
        typed: judge.tally(Level::Typed),
        pair: judge.tally(Level::Pair),
        by_slot: judge.by_slot(),
        mistakes: judge.mistakes(),
        names,
        numbers,
        unfound: unfound_names.into_iter().chain(unfound_numbers).collect(),
        duplicates: all.duplicates,
        siblings: sibling_facts(answer, document),
        found: gold.iter().filter(is_found).map(|gold| gold.line.clone()).collect(),
        missed: gold.iter().filter(|gold| gold.counts && !is_found(gold)).map(|gold| gold.line.clone()).collect(),
    }
}

struct Judge<'a> {
    comparison: Comparison<'a>,
    gold: &'a [GoldFact],
    found: &'a Found,
}

impl Judge<'_> {
    fn is_found(&self, gold: &GoldFact, level: Level) -> bool {
        self.found.facts.iter().any(|found| self.comparison.fits(found, gold, level))
    }

    /// Right, wrong, or neither.
    fn is_right(&self, found: &FoundFact, level: Level) -> Option<bool> {
        let fits = |counts: bool| {
            let mut of_kind = self.gold.iter().filter(|gold| gold.counts == counts);
            of_kind.any(|gold| self.comparison.fits(found, gold, level))
        };
        if fits(true) { Some(true) } else { (!fits(false)).then_some(false) }
    }

    fn tally(&self, level: Level) -> Tally {
        let mut tally = Tally::default();
        let (mut seen_gold, mut seen_found) = (BTreeSet::new(), BTreeSet::new());
        for gold in self.gold.iter().filter(|gold| gold.counts && seen_gold.insert(self.gold_key(gold, level))) {
            tally.wanted += 1;
            tally.got += usize::from(self.is_found(gold, level));
        }
        for found in self.found.facts.iter().filter(|found| seen_found.insert(found_key(found, level))) {
            if let Some(is_right) = self.is_right(found, level) {
                tally.given += 1;
                tally.right += usize::from(is_right);
            }
        }
        tally
    }

    /// At the looser levels several facts are one.
    fn gold_key(&self, gold: &GoldFact, level: Level) -> String {
        let slot = match gold.predicate {
            Predicate::Type => "type",
            Predicate::Slot(slot) => self.comparison.ontology.slot_at(slot).name(),
        };
        let class = |thing: &Thing| self.comparison.ontology.class_at(thing.class).name();
        let object = match &gold.object {
            End::Thing(thing) => class(thing),
            End::Class(class) => self.comparison.ontology.class_at(*class).name(),
            End::Literal(_) => "",
        };
        match level {
            Level::Strict => gold.line.clone(),
            Level::Typed => format!("{} {slot} {object}", class(&gold.subject)),
            Level::Pair => format!("{} {object}", class(&gold.subject)),
        }
    }

    fn by_slot(&self) -> BTreeMap<String, Tally> {
        let ontology = self.comparison.ontology;
        let mut slots: BTreeMap<String, Tally> = BTreeMap::new();
        for gold in self.gold.iter().filter(|gold| gold.counts) {
            let name = gold.line.split('\t').nth(1).unwrap_or_default();
            let tally = slots.entry(name.to_owned()).or_default();
            tally.wanted += 1;
            tally.got += usize::from(self.is_found(gold, Level::Strict));
        }
        for found in &self.found.facts {
            let Some(is_right) = self.is_right(found, Level::Strict) else { continue };
            let name = found.slot.map_or("type", |slot| ontology.slot_at(slot).name());
            let tally = slots.entry(name.to_owned()).or_default();
            tally.given += 1;
            tally.right += usize::from(is_right);
        }
        slots
    }

    fn mistakes(&self) -> Vec<(Mistake, String)> {
        let mut mistakes = Vec::new();
        for found in self.found.facts.iter().filter(|found| self.is_right(found, Level::Strict) == Some(false)) {
            mistakes.push((self.what_is_wrong(found), found.line(self.comparison.ontology)));
        }
        for gold in self.gold.iter().filter(|gold| gold.counts && !self.is_found(gold, Level::Strict)) {
            let has_subject =
                self.found.things.iter().any(|thing| self.comparison.thing_fits(thing, &gold.subject, Level::Strict));
            let mistake = if has_subject { Mistake::Missed } else { Mistake::MissedWithSubject };
            mistakes.push((mistake, gold.line.clone()));
        }
        mistakes
    }

    fn what_is_wrong(&self, found: &FoundFact) -> Mistake {
        let comparison = self.comparison;
        let agrees = |gold: &GoldFact| {
            let strict = Level::Strict;
            (
                comparison.subject_fits(found, gold, strict),
                comparison.slot_fits(found, gold),
                comparison.object_fits(found, gold, strict),
            )
        };
        let agreeing: Vec<_> = self.gold.iter().map(agrees).collect();
        if agreeing.iter().any(|(subject, _, object)| *subject && *object) {
            Mistake::WrongSlot
        } else if agreeing.iter().any(|(_, slot, object)| *slot && *object) {
            Mistake::WrongSubject
        } else if agreeing.iter().any(|(subject, slot, _)| *subject && *slot) {
            Mistake::WrongObject
        } else {
            Mistake::Invented
        }
    }

    /// How many things have a proper name, each once, and how many were found; the others as they stand in the gold.
    fn names(&self) -> ((usize, usize), Vec<String>) {
        let mut wanted: Vec<(&Thing, &str)> = Vec::new();
        for gold in self.gold.iter().filter(|gold| gold.counts) {
            let object = if let End::Thing(thing) = &gold.object { Some(thing) } else { None };
            // The lines keep the case that comparing takes away.
            let [subject, object_text] = [0, 2].map(|column| gold.line.split('\t').nth(column).unwrap_or_default());
            let ends = [(Some(&gold.subject), subject), (object, object_text)];
            for (thing, text) in ends.into_iter().filter(|(_, text)| is_proper(text)) {
                let is_known = |thing: &Thing| wanted.iter().any(|(known, _)| *known == thing);
                if let Some(thing) = thing.filter(|thing| thing.names.is_some() && !is_known(thing)) {
                    wanted.push((thing, text));
                }
            }
        }
        let is_found = |thing: &Thing| {
            self.found.things.iter().any(|found| self.comparison.thing_fits(found, thing, Level::Strict))
        };
        let unfound = wanted.iter().filter(|(thing, _)| !is_found(thing)).map(|(_, text)| (*text).to_owned());
        let unfound: Vec<_> = unfound.collect();
        ((wanted.len(), wanted.len() - unfound.len()), unfound)
    }

    /// How many values with digits in them and things that are called by a number there are, each once, and how many were found
    /// wherever they were put; the others as they stand in the gold.
    fn numbers(&self) -> ((usize, usize), Vec<String>) {
        let mut wanted: Vec<&GoldFact> = Vec::new();
        for gold in self.gold.iter().filter(|gold| gold.counts) {
            let object = gold.line.split('\t').nth(2).unwrap_or_default();
            let number = match &gold.object {
                End::Literal(_) => object,
                End::Thing(_) => object.split_once(':').map_or("", |(_, name)| name).get(..1).unwrap_or_default(),
                End::Class(_) => "",
            };
            let is_known = |one: &&GoldFact| one.object == gold.object && one.predicate == gold.predicate;
            if number.contains(|one: char| one.is_ascii_digit()) && !wanted.iter().any(is_known) {
                wanted.push(gold);
            }
        }
        let is_found = |gold: &GoldFact| {
            self.found.facts.iter().any(|found| {
                self.comparison.slot_fits(found, gold) && self.comparison.object_fits(found, gold, Level::Strict)
            })
        };
        let unfound = wanted.iter().filter(|gold| !is_found(gold)).map(|gold| gold.line.replace('\t', " "));
        let unfound: Vec<_> = unfound.collect();
        ((wanted.len(), wanted.len() - unfound.len()), unfound)
    }
}

/// At the looser levels several facts are one.
fn found_key(found: &FoundFact, level: Level) -> String {
    let mut bare = found.clone();
    if level != Level::Strict {
        bare.subject.called = None;
        match &mut bare.object {
            found::FoundEnd::Thing(thing) => thing.called = None,
            found::FoundEnd::Literal(text) => text.clear(),
            found::FoundEnd::Class(_) => {}
        }
    }
    let line = format!("{bare:?}");
    match (level, bare.slot) {
        (Level::Pair, Some(_)) => format!("{:?} {:?}", bare.subject, bare.object),
        _ => line,
    }
}

/// `Hotel:Krone` has a proper name, `Zimmer:doppelzimmer` and `Preis:48.00 EUR` have none.
fn is_proper(column: &str) -> bool {
    let name = column.split_once(':').map(|(_, name)| name);
    name.is_some_and(|name| name.starts_with(char::is_uppercase))
}
