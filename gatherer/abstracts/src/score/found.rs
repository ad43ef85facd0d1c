//! What a parser found, in the notation of the gold.

use super::gold::{Predicate, same_name};
use crate::model::{Abstract, Instance, walk};
use crate::ontology::{ClassId, Datatype, Ontology, SlotId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A thing that was found: its classes, and what it is called in the form in which names are compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundThing {
    pub(super) types: Vec<ClassId>,
    pub(super) called: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FoundEnd {
    Thing(FoundThing),
    Literal(String),
    Class(ClassId),
}

/// A fact that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundFact {
    pub(super) subject: FoundThing,
    /// None is the kind of a thing.
    pub(super) slot: Option<SlotId>,
    pub(super) object: FoundEnd,
}

impl FoundFact {
    pub(super) fn predicate(&self) -> Predicate {
        self.slot.map_or(Predicate::Type, Predicate::Slot)
    }

    /// As a line of the gold.
    pub(super) fn line(&self, ontology: &Ontology) -> String {
        let thing = |thing: &FoundThing| {
            let class = thing.types.first().map(|class| ontology.class_at(*class).name()).unwrap_or_default();
            format!("{class}:{}", thing.called.as_deref().unwrap_or("*"))
        };
        let slot = self.slot.map_or("type", |slot| ontology.slot_at(slot).name());
        let object = match &self.object {
            FoundEnd::Thing(object) => thing(object),
            FoundEnd::Literal(text) => text.clone(),
            FoundEnd::Class(class) => ontology.class_at(*class).name().to_owned(),
        };
        format!("{}\t{slot}\t{object}", thing(&self.subject))
    }
}

/// All that was found, each once; and how many facts stand in the abstract more than once.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) things: Vec<FoundThing>,
    pub(super) facts: BTreeSet<FoundFact>,
    pub(super) duplicates: usize,
}

/// Takes an abstract apart. Words that the ontology does not know count as nothing.
pub(super) fn found(from: &Abstract, ontology: &Ontology) -> Found {
    let mut instances: HashMap<&str, FoundThing> = HashMap::new();
    let mut found = Found::default();
    walk(&from.instances, &mut |one| {
        let thing = thing(one, ontology);
        found.things.push(thing.clone());
        instances.insert(&one.id, thing);
    });
    let mut seen = HashSet::new();
    walk(&from.instances, &mut |one| {
        let Some(subject) = instances.get(one.id.as_str()) else { return };
        for value in &one.values {
            let Some(slot) = ontology.slot(&value.name) else { continue };
            found.duplicates += usize::from(!seen.insert((one.id.as_str(), slot, value.text.as_str())));
            if ontology.slot_at(slot).is_key() {
                continue;
            }
            let is_hours = ontology.slot_at(slot).datatypes() == [Datatype::Hours];
            let groups = value.text.split(if is_hours { "; " } else { "\u{0}" });
            found.facts.extend(groups.map(|text| FoundFact {
                subject: subject.clone(),
                slot: Some(slot),
                object: FoundEnd::Literal(text.to_owned()),
            }));
        }
        for link in &one.slots {
            let (Some(slot), Some(object)) = (ontology.slot(&link.name), instances.get(link.filler.id())) else {
                continue;
            };
            found.duplicates += usize::from(!seen.insert((one.id.as_str(), slot, link.filler.id())));
            let (slot, subject, object) = match ontology.slot_at(slot).turned() {
                Some(other) => (other, object, subject),
                None => (slot, subject, object),
            };
            let object = FoundEnd::Thing(object.clone());
            found.facts.insert(FoundFact { subject: subject.clone(), slot: Some(slot), object });
        }
    });
    for one in &from.instances {
        let Some(subject) = instances.get(one.id.as_str()) else { continue };
        let kind =
            |class: &ClassId| FoundFact { subject: subject.clone(), slot: None, object: FoundEnd::Class(*class) };
        found.facts.extend(subject.types.iter().map(kind));
    }
    found
}

fn thing(one: &Instance, ontology: &Ontology) -> FoundThing {
    let types = one.types.iter().filter_map(|name| ontology.class(name)).collect();
    FoundThing { types, called: one.called(ontology).map(same_name) }
}
