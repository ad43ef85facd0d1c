//! Whether a fact that was found is one of the gold, at three levels.

use super::found::{FoundEnd, FoundFact, FoundThing};
use super::gold::{End, GoldFact, Predicate, Thing};
use crate::ontology::{ClassId, Ontology};

/// How much must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Slot, both names and both classes.
    Strict,
    /// Slot and both classes.
    Typed,
    /// Both classes.
    Pair,
}

/// Compares found facts with those of the gold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) ontology: &'a Ontology,
}

impl Comparison<'_> {
    pub(super) fn fits(self, found: &FoundFact, gold: &GoldFact, level: Level) -> bool {
        let is_kind = |is_type: bool| (found.slot.is_none()) == is_type;
        let slot_fits = match level {
            // The kind of a thing is never taken for a slot.
            Level::Pair => is_kind(gold.predicate == Predicate::Type),
            Level::Strict | Level::Typed => self.slot_fits(found, gold),
        };
        slot_fits && self.subject_fits(found, gold, level) && self.object_fits(found, gold, level)
    }

    /// A sub-slot also fits its super-slot, not the other way round.
    pub(super) fn slot_fits(self, found: &FoundFact, gold: &GoldFact) -> bool {
        match (found.predicate(), gold.predicate) {
            (Predicate::Type, Predicate::Type) => true,
            (Predicate::Slot(found), Predicate::Slot(gold)) => self.ontology.is_sub_slot(found, gold),
            _ => false,
        }
    }

    pub(super) fn subject_fits(self, found: &FoundFact, gold: &GoldFact, level: Level) -> bool {
        self.thing_fits(&found.subject, &gold.subject, level)
    }

    pub(super) fn object_fits(self, found: &FoundFact, gold: &GoldFact, level: Level) -> bool {
        match (&found.object, &gold.object) {
            (FoundEnd::Thing(found), End::Thing(gold)) => self.thing_fits(found, gold, level),
            (FoundEnd::Literal(found), End::Literal(gold)) => level != Level::Strict || gold.contains(found),
            (FoundEnd::Class(found), End::Class(gold)) => found == gold,
            _ => false,
        }
    }

    pub(super) fn thing_fits(self, found: &FoundThing, gold: &Thing, level: Level) -> bool {
        let is_called = || {
            let names = gold.names.as_deref();
            names.is_none_or(|names| found.called.as_ref().is_some_and(|called| names.contains(called)))
        };
        found.types.iter().any(|class| self.are_related(*class, gold.class)) && (level != Level::Strict || is_called())
    }

    /// One above the other, or the same.
    fn are_related(self, one: ClassId, other: ClassId) -> bool {
        self.ontology.is_a(one, other) || self.ontology.is_a(other, one)
    }
}
