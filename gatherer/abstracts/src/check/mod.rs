//! Nothing foreign is trusted: what a parser says is held against the ontology and against the document itself, as
//! `schemas/abstract/README.md` says in section 5.
//!
//! An answer about another document or in the words of another ontology is refused as a whole. From the rest each fact that
//! does not hold is dropped and counted by its reason; what is left is built anew, so that no fact stands twice.

mod fact;
pub(crate) mod forms;
mod numbers;
mod siblings;
#[cfg(test)]
mod tests;
mod text;

pub use text::Document;

use crate::model::lexical::written_uri;
use crate::model::{Abstract, Builder, Handle, Instance, Meta, Offsets, walk};
use crate::ontology::{ClassId, Ontology};
use fact::{Fact, Object, facts};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use thiserror::Error;

/// Why a fact was dropped. `Duplicate` ones are merged: nothing of them is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A class that is not in the ontology.
    UnknownClass,
    /// A slot that is not in the ontology.
    UnknownSlot,
    /// The slot cannot stand at such an instance.
    Domain,
    /// The slot cannot hold such an instance, or the value has not the form of its type.
    Range,
    /// It leads to an instance that is not there, or no more.
    Reference,
    /// It stands outside of the document, or ends before it begins.
    Offset,
    /// The quoted words do not stand there.
    Quote,
    /// Numbers or words of the value cannot be read in the quote.
    Value,
    /// The same fact again.
    Duplicate,
    /// It joins two members of one enumeration.
    Sibling,
    /// It joins an instance to itself, at once or in a circle.
    Cycle,
}

impl Reason {
    /// Its name in reports and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownClass => "unknown-class",
            Self::UnknownSlot => "unknown-slot",
            Self::Domain => "domain",
            Self::Range => "range",
            Self::Reference => "reference",
            Self::Offset => "offset",
            Self::Quote => "quote",
            Self::Value => "value",
            Self::Duplicate => "duplicate",
            Self::Sibling => "sibling",
            Self::Cycle => "cycle",
        }
    }
}

/// So many of what was dropped are remembered in words.
const EXAMPLES: usize = 20;

/// How many facts were dropped, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dropped {
    counts: BTreeMap<Reason, usize>,
    examples: Vec<(Reason, String)>,
}

impl Dropped {
    /// For this reason.
    pub fn count(&self, reason: Reason) -> usize {
        self.counts.get(&reason).copied().unwrap_or(0)
    }

    /// Each reason that there was, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, usize)> + '_ {
        self.counts.iter().map(|(reason, count)| (*reason, *count))
    }

    /// All that is lost: duplicates are not.
    pub fn total(&self) -> usize {
        self.iter().filter(|(reason, _)| *reason != Reason::Duplicate).map(|(_, count)| count).sum()
    }

    /// The first of them, in words, for whoever wants to know what is wrong with a parser.
    pub fn examples(&self) -> &[(Reason, String)] {
        &self.examples
    }

    fn add(&mut self, reason: Reason, what: impl FnOnce() -> String) {
        *self.counts.entry(reason).or_default() += 1;
        if self.examples.len() < EXAMPLES && reason != Reason::Duplicate {
            self.examples.push((reason, what()));
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<_> = self.iter().map(|(reason, count)| format!("{} {count}", reason.name())).collect();
        if counts.is_empty() { f.write_str("nothing") } else { f.write_str(&counts.join(", ")) }
    }
}

/// Why a whole answer is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is about another document.
    #[error("it answers about {answered} when {asked} was asked")]
    OtherDocument {
        /// What was asked.
        asked: String,
        /// What was answered.
        answered: String,
    },
    /// It is in the words of another ontology.
    #[error("it answers in the words of the ontology {answered} when {asked} was asked")]
    OtherOntology {
        /// The hash that was asked for.
        asked: String,
        /// The hash of the answer.
        answered: String,
    },
}

/// Whether quotes are compared with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quotes {
    /// They are.
    #[default]
    Compared,
    /// They are taken as they are: the historic list has none, and the operator has said that it will do.
    Believed,
}

/// Holds an answer against ontology and document. What the gatherer knows of the document takes the place of what the parser
/// said of it.
///
/// # Errors
/// If the answer is about another document, or in the words of another ontology.
pub fn check(
    answer: &Abstract,
    ontology: &Ontology,
    document: &Document<'_>,
    known: &Meta,
    quotes: Quotes,
) -> Result<(Abstract, Dropped), Refusal> {
    refuse_others(answer, ontology, known)?;
    let mut checker = Checker { ontology, document, offsets: answer.offsets, quotes, dropped: Dropped::default() };
    let instances = checker.instances(answer);
    let mut meta = answer.meta.clone();
    meta.put_in_front(known);
    let checked = Abstract { lang: answer.lang.clone(), offsets: answer.offsets, meta, instances };
    Ok((checked, checker.dropped))
}

fn refuse_others(answer: &Abstract, ontology: &Ontology, known: &Meta) -> Result<(), Refusal> {
    // A parser may have encoded what cannot stand in XML.
    if written_uri(&answer.meta.url) != written_uri(&known.url) {
        let (asked, answered) = (known.url.clone(), answer.meta.url.clone());
        return Err(Refusal::OtherDocument { asked, answered });
    }
    if answer.meta.ontology.hash != ontology.hash() {
        let (asked, answered) = (ontology.hash().to_owned(), answer.meta.ontology.hash.clone());
        return Err(Refusal::OtherOntology { asked, answered });
    }
    Ok(())
}

impl Meta {
    /// What the gatherer knows takes the place of what a parser said: everything but languages, parser, coverage and items.
    /// What it knows of the parser from its greeting counts as well.
    pub fn put_in_front(&mut self, known: &Self) {
        let parser = if known.parser.name.is_empty() { self.parser.clone() } else { known.parser.clone() };
        let rest = std::mem::replace(self, known.clone());
        self.parser = parser;
        self.ontology = rest.ontology;
        self.languages = rest.languages;
        self.coverage = rest.coverage;
        self.items.extend(rest.items);
    }
}

/// Where a slot leads from an instance.
type Leads<'a> = HashMap<(&'a str, &'a str), Vec<&'a str>>;

/// How many facts of an abstract join members of one enumeration.
pub(crate) fn sibling_facts(of: &Abstract, document: &Document<'_>) -> usize {
    let enumerations = siblings::Enumerations::new(of, document);
    let mut count = 0;
    walk(&of.instances, &mut |one| {
        count += one.slots.iter().filter(|slot| enumerations.join(&one.id, slot.filler.id())).count();
    });
    count
}

struct Checker<'a> {
    ontology: &'a Ontology,
    document: &'a Document<'a>,
    offsets: Option<Offsets>,
    quotes: Quotes,
    dropped: Dropped,
}

impl<'a> Checker<'a> {
    fn instances(&mut self, answer: &Abstract) -> Vec<Instance> {
        let mut all: Vec<&Instance> = Vec::new();
        walk(&answer.instances, &mut |one| all.push(one));
        let types: HashMap<&str, Vec<ClassId>> =
            all.iter().map(|one| (one.id.as_str(), self.types(one))).filter(|(_, types)| !types.is_empty()).collect();
        let (mut kept, mut leads): (Vec<Fact<'_>>, Leads<'_>) = Default::default();
        let enumerations = siblings::Enumerations::new(answer, self.document);
        for fact in facts(&all) {
            match self.judge(&fact, &types, &leads, &enumerations) {
                Ok(()) => {
                    leads.entry((fact.subject, fact.slot)).or_default().extend(fact.object.instance());
                    kept.push(fact);
                }
                Err(reason) => self.dropped.add(reason, || fact.words()),
            }
        }
        let reached = reached(answer, &types, &kept);
        self.build(&all, &types, &kept, &reached)
    }

    /// The classes of an instance that there are.
    fn types(&mut self, instance: &Instance) -> Vec<ClassId> {
        for unknown in instance.types.iter().filter(|name| self.ontology.class(name).is_none()) {
            self.dropped.add(Reason::UnknownClass, || format!("{} is a {unknown}", instance.id));
        }
        instance.types.iter().filter_map(|name| self.ontology.class(name)).collect()
    }

    fn judge(
        &self,
        fact: &Fact<'_>,
        types: &HashMap<&str, Vec<ClassId>>,
        leads: &Leads<'_>,
        enumerations: &siblings::Enumerations<'_>,
    ) -> Result<(), Reason> {
        let slot = self.ontology.slot(fact.slot).ok_or(Reason::UnknownSlot)?;
        let subject = types.get(fact.subject).ok_or(Reason::Reference)?;
        if !self.ontology.fits_domain(slot, subject) {
            return Err(Reason::Domain);
        }
        let datatypes = self.ontology.slot_at(slot).datatypes();
        match fact.object {
            Object::Value(text) if datatypes.iter().any(|datatype| forms::has_form(*datatype, text)) => {}
            Object::Value(_) => return Err(Reason::Range),
            Object::Instance(id) => {
                let object = types.get(id).ok_or(Reason::Reference)?;
                if !self.ontology.fits_range(slot, object) {
                    return Err(Reason::Range);
                }
                if fact.subject == id || self.closes_circle(fact, id, leads) {
                    return Err(Reason::Cycle);
                }
                if enumerations.join(fact.subject, id) {
                    return Err(Reason::Sibling);
                }
            }
        }
        let place = &fact.evidence.place;
        if self.quotes == Quotes::Compared {
            self.document.holds(place, self.offsets)?;
            if let Object::Value(text) = fact.object
                && !numbers::can_be_read(text, datatypes, &place.quote)
            {
                return Err(Reason::Value);
            }
        }
        Ok(())
    }

    /// Whether the object leads back to the subject in the same slot. What holds both ways may.
    fn closes_circle(&self, fact: &Fact<'_>, object: &str, leads: &Leads<'_>) -> bool {
        let is_symmetric = self.ontology.slot(fact.slot).is_some_and(|slot| self.ontology.slot_at(slot).is_symmetric());
        if is_symmetric {
            return false;
        }
        let (mut open, mut seen) = (vec![object], HashSet::new());
        while let Some(at) = open.pop() {
            if at == fact.subject {
                return true;
            }
            if seen.insert(at) {
                open.extend(leads.get(&(at, fact.slot)).into_iter().flatten());
            }
        }
        false
    }

    fn build(
        &mut self,
        all: &[&Instance],
        types: &HashMap<&str, Vec<ClassId>>,
        kept: &[Fact<'_>],
        reached: &HashSet<&str>,
    ) -> Vec<Instance> {
        let mut builder = Builder::new(self.ontology);
        let mut handles: HashMap<&str, Handle> = HashMap::new();
        for one in all.iter().filter(|one| reached.contains(one.id.as_str())) {
            let Some([first, rest @ ..]) = types.get(one.id.as_str()).map(Vec::as_slice) else { continue };
            let handle = builder.instance(*first);
            rest.iter().for_each(|class| builder.add_type(handle, *class));
            one.lemma.iter().for_each(|lemma| builder.set_lemma(handle, lemma));
            self.name(one, handle, &mut builder);
            handles.insert(&one.id, handle);
        }
        let mut seen = HashSet::new();
        for fact in kept {
            let (Some(subject), Some(slot)) = (handles.get(fact.subject), self.ontology.slot(fact.slot)) else {
                continue;
            };
            if !seen.insert((fact.subject, slot, fact.object)) {
                self.dropped.add(Reason::Duplicate, String::new);
            }
            let evidence = fact.evidence_within(self.document, self.offsets);
            match fact.object {
                Object::Value(text) => builder.value(*subject, slot, text, evidence),
                Object::Instance(id) => {
                    let object = handles.get(id);
                    object.into_iter().for_each(|object| builder.link(*subject, slot, *object, evidence.clone()));
                }
            }
        }
        builder.finish()
    }

    /// A name must stand in the document as well; one that does not is no name.
    fn name(&mut self, instance: &Instance, handle: Handle, builder: &mut Builder<'a>) {
        let Some(name) = &instance.name else { return };
        let judged = match self.quotes {
            Quotes::Compared => self.document.holds(&name.place, self.offsets).and_then(|()| {
                if self.document.has_words(&name.text, &name.place.quote) { Ok(()) } else { Err(Reason::Value) }
            }),
            Quotes::Believed => Ok(()),
        };
        match judged {
            Ok(()) => builder.set_name(handle, &name.text, name.place.clone()),
            Err(reason) => {
                let words = || format!("{} is called {:?} at {:?}", instance.id, name.text, name.place.quote);
                self.dropped.add(reason, words);
            }
        }
    }
}

/// What hangs together with the top by facts that hold.
fn reached<'a>(answer: &'a Abstract, types: &HashMap<&str, Vec<ClassId>>, kept: &[Fact<'a>]) -> HashSet<&'a str> {
    let mut leads: HashMap<&str, Vec<&str>> = HashMap::new();
    for fact in kept {
        leads.entry(fact.subject).or_default().extend(fact.object.instance());
    }
    let mut open: Vec<&str> = answer.instances.iter().map(|one| one.id.as_str()).collect();
    let mut reached = HashSet::new();
    while let Some(id) = open.pop() {
        if types.contains_key(id) && reached.insert(id) {
            open.extend(leads.get(id).into_iter().flatten());
        }
    }
    reached
}
