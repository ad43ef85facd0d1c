//! The ontology: which classes there are, and which slots may join them.
//!
//! It is written in OWL as Turtle and compiled to a table once. Understood are classes with super-classes, unions and
//! equivalents; slots with super-slots, inverses, domains and ranges (which hold for their sub-slots as well); links to other
//! vocabularies, above all schema.org, for export; and five annotations of our own in the namespace
//! `https://gatherer.invalid/abstract#`:
//!
//! | annotation | on | says |
//! |---|---|---|
//! | `ab:cue` | slot | a word or phrase, with its language, of which one must stand in the text |
//! | `ab:default` | slot | whether it may hold without a cue; if nothing is said, it may unless it has cues |
//! | `ab:focus` | class | whether a page may be about an instance of it; sub-classes inherit this |
//! | `ab:key` | slot | whether its value stands for the name of its instance |
//! | `ab:main` | slot | whether it is also written as a flat attribute of the record |
//!
//! ```
//! use gatherer_abstracts::ontology::Ontology;
//!
//! let text = r#"
//!     @prefix : <https://example.org/inns#> .
//!     @prefix ab: <https://gatherer.invalid/abstract#> .
//!     @prefix owl: <http://www.w3.org/2002/07/owl#> .
//!     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
//!     <https://example.org/inns> a owl:Ontology ; owl:versionInfo "1" .
//!     :Inn a owl:Class ; ab:focus true .
//!     :Town a owl:Class .
//!     :stands_in a owl:ObjectProperty ; rdfs:domain :Inn ; rdfs:range :Town .
//! "#;
//! let ontology = Ontology::read(text, &|_| None)?;
//! let [inn, town] = ["Inn", "Town"].map(|name| ontology.class(name).expect("it is there"));
//! assert_eq!(ontology.between(inn, town).first().map(|slot| ontology.slot_at(*slot).name()), Some("stands_in"));
//! assert!(ontology.between(town, inn).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotations;
mod class;
mod compile;
mod complaint;
mod datatype;
mod graph;
mod reach;
mod slot;
mod slots;
#[cfg(test)]
mod tests;
mod words;

pub use class::{Class, ClassId};
pub use complaint::{Complaint, Complaints};
pub use datatype::Datatype;
pub use slot::{Cue, Slot, SlotId};

use slot::Range;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A compiled ontology.
#[derive(Debug, Clone)]
pub struct Ontology {
    iri: String,
    version: String,
    hash: String,
    classes: Vec<Class>,
    slots: Vec<Slot>,
    class_names: HashMap<String, ClassId>,
    slot_names: HashMap<String, SlotId>,
    complaints: Vec<Complaint>,
}

impl Ontology {
    /// Reads Turtle. `imports` gives the text that an IRI under `owl:imports` stands for; nothing is fetched.
    ///
    /// # Errors
    /// All complaints at once, if one of them is grave.
    pub fn read(text: &str, imports: &dyn Fn(&str) -> Option<String>) -> Result<Self, Complaints> {
        compile::compile(text, imports)
    }

    /// The name under which it is known everywhere.
    pub fn iri(&self) -> &str {
        &self.iri
    }

    /// Its own word about its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 of its text and of all that it imports, in hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// What was odd about it, though it can be used.
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }

    /// The class of this name.
    pub fn class(&self, name: &str) -> Option<ClassId> {
        self.class_names.get(name).copied()
    }

    /// The slot of this name.
    pub fn slot(&self, name: &str) -> Option<SlotId> {
        self.slot_names.get(name).copied()
    }

    /// What is known of a class.
    pub fn class_at(&self, class: ClassId) -> &Class {
        &self.classes[class.0]
    }

    /// What is known of a slot.
    pub fn slot_at(&self, slot: SlotId) -> &Slot {
        &self.slots[slot.0]
    }

    /// All classes, in the order in which they were written.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len()).map(ClassId)
    }

    /// All slots, in the order in which they were written.
    pub fn slots(&self) -> impl Iterator<Item = SlotId> + use<> {
        (0..self.slots.len()).map(SlotId)
    }

    /// Whether every instance of one class is one of the other as well; so is each class to itself and to its equivalents.
    pub fn is_a(&self, class: ClassId, other: ClassId) -> bool {
        self.classes[class.0].ancestors[other.0]
    }

    /// Whether what stands in one slot stands in the other as well.
    pub fn is_sub_slot(&self, slot: SlotId, other: SlotId) -> bool {
        slot == other || self.slots[slot.0].parents.iter().any(|parent| self.is_sub_slot(*parent, other))
    }

    /// The slots that may lead from an instance of one class to one of another, the most specific first: by the depth of the
    /// range that matches, then of the domain, then of the slot itself; among equals those that need no cue, then by name.
    /// None is the ontology's veto.
    pub fn between(&self, from: ClassId, to: ClassId) -> Vec<SlotId> {
        self.ranked(from, |slot| match &slot.range {
            Range::Classes { depths, .. } => depths[to.0],
            Range::Values(_) => None,
        })
    }

    /// The slots that may hold such a value for an instance of the class, the most specific first.
    pub fn for_value(&self, from: ClassId, datatype: Datatype) -> Vec<SlotId> {
        self.ranked(from, |slot| match &slot.range {
            Range::Values(datatypes) => datatypes.contains(&datatype).then_some(0),
            Range::Classes { .. } => None,
        })
    }

    fn ranked(&self, from: ClassId, range_depth: impl Fn(&Slot) -> Option<usize>) -> Vec<SlotId> {
        let fitting = self.slots.iter().enumerate().filter_map(|(place, slot)| {
            let (domain, range) = (slot.domain_depths[from.0]?, range_depth(slot)?);
            Some((Reverse((range, domain, slot.depth, slot.default)), slot.name.as_str(), SlotId(place)))
        });
        let mut fitting: Vec<_> = fitting.collect();
        fitting.sort_unstable();
        fitting.into_iter().map(|(_, _, slot)| slot).collect()
    }

    /// Whether the slot may stand at an instance of all these classes together.
    pub fn fits_domain(&self, slot: SlotId, types: &[ClassId]) -> bool {
        self.cover(&self.slots[slot.0].domain, types)
    }

    /// Whether an instance of all these classes together may stand in the slot.
    pub fn fits_range(&self, slot: SlotId, types: &[ClassId]) -> bool {
        match &self.slots[slot.0].range {
            Range::Classes { unions, .. } => self.cover(unions, types),
            Range::Values(_) => false,
        }
    }

    /// Each union must have a member that one of the types is.
    fn cover(&self, unions: &[Vec<ClassId>], types: &[ClassId]) -> bool {
        !types.is_empty()
            && unions.iter().all(|union| union.iter().any(|one| types.iter().any(|class| self.is_a(*class, *one))))
    }

    /// The classes of other vocabularies that say the same: its own, else those of the nearest classes above that have some.
    pub fn class_links(&self, class: ClassId) -> Vec<&str> {
        nearest(class, |class| &self.classes[class.0].links, |class| &self.classes[class.0].parents)
    }

    /// The slots of other vocabularies that say the same: its own, else those of the nearest slots above that have some.
    pub fn slot_links(&self, slot: SlotId) -> Vec<&str> {
        nearest(slot, |slot| &self.slots[slot.0].links, |slot| &self.slots[slot.0].parents)
    }
}

/// The links of a node, or of the nearest level above it that has some.
fn nearest<'a, T: Copy + PartialEq + 'a>(
    from: T,
    links: impl Fn(T) -> &'a [String],
    parents: impl Fn(T) -> &'a [T],
) -> Vec<&'a str> {
    let mut level = vec![from];
    while !level.is_empty() {
        let mut found: Vec<&str> = Vec::new();
        for link in level.iter().flat_map(|one| links(*one)) {
            if !found.contains(&link.as_str()) {
                found.push(link);
            }
        }
        if !found.is_empty() {
            return found;
        }
        level = level.iter().flat_map(|one| parents(*one)).copied().collect();
    }
    Vec::new()
}
