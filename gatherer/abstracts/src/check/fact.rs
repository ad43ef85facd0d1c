//! The facts of an answer, one after the other.

use super::text::Document;
use crate::model::{Evidence, Instance, Offsets};

/// What a fact ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Object<'a> {
    Value(&'a str),
    /// By its id.
    Instance(&'a str),
}

impl<'a> Object<'a> {
    pub(super) fn instance(self) -> Option<&'a str> {
        match self {
            Self::Instance(id) => Some(id),
            Self::Value(_) => None,
        }
    }
}

/// One fact as it was answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fact<'a> {
    pub(super) subject: &'a str,
    pub(super) slot: &'a str,
    pub(super) object: Object<'a>,
    pub(super) evidence: &'a Evidence,
}

impl Fact<'_> {
    /// In words, for people.
    pub(super) fn words(&self) -> String {
        let object = match self.object {
            Object::Value(text) => format!("{text:?}"),
            Object::Instance(id) => id.to_owned(),
        };
        format!("{} {} {object} at {:?}", self.subject, self.slot, self.evidence.place.quote)
    }

    /// Its evidence without further places that lie outside of the document.
    pub(super) fn evidence_within(&self, document: &Document<'_>, offsets: Option<Offsets>) -> Evidence {
        let mut evidence = self.evidence.clone();
        if offsets != Some(Offsets::Text) {
            evidence.also.retain(|span| span.start < span.end && span.end <= document.length());
        }
        evidence
    }
}

/// All facts of these instances, in their order.
pub(super) fn facts<'a>(instances: &[&'a Instance]) -> Vec<Fact<'a>> {
    let mut facts = Vec::new();
    for one in instances {
        let subject = one.id.as_str();
        for value in &one.values {
            facts.push(Fact {
                subject,
                slot: &value.name,
                object: Object::Value(&value.text),
                evidence: &value.evidence,
            });
        }
        for slot in &one.slots {
            let object = Object::Instance(slot.filler.id());
            facts.push(Fact { subject, slot: &slot.name, object, evidence: &slot.evidence });
        }
    }
    facts
}
