//! Enumerations: "Telefon, TV und Radio" belong to the room that has them, and never to each other.

use super::text::{Document, compared};
use crate::model::{Abstract, Filler, Offsets, Place, walk};
use std::collections::HashMap;

/// What may stand between two members.
const JOINTS: &[&str] =
    &["", ",", "/", "&", "+", ";", "und", "oder", "sowie", "and", "or", "aswellas", "bzw.", ",und", ",and", ",or"];

/// Which instances are members of one enumeration.
pub(super) struct Enumerations<'a> {
    /// By instance: the enumerations that it is a member of.
    members: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Enumerations<'a> {
    /// Finds them: what stands in the same slot of the same instance, next to each other in the text.
    pub(super) fn new(answer: &'a Abstract, document: &Document<'_>) -> Self {
        let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut count = 0;
        if answer.offsets == Some(Offsets::Text) {
            return Self { members };
        }
        walk(&answer.instances, &mut |one| {
            let mut by_slot: HashMap<&str, Vec<(&Place, &str)>> = HashMap::new();
            for slot in &one.slots {
                let filler: &Filler = &slot.filler;
                by_slot.entry(&slot.name).or_default().push((&slot.evidence.place, filler.id()));
            }
            for fillers in by_slot.values_mut() {
                fillers.sort_by_key(|(place, _)| (place.start, place.end));
                for (at, (place, id)) in fillers.iter().enumerate() {
                    let is_next = at > 0 && are_joined(document, fillers[at - 1].0, place);
                    count += usize::from(!is_next);
                    members.entry(id).or_default().push(count);
                }
            }
        });
        Self { members }
    }

    /// Whether both are members of one.
    pub(super) fn join(&self, one: &str, other: &str) -> bool {
        let of = |id: &str| self.members.get(id).map(Vec::as_slice).unwrap_or_default();
        one != other && of(one).iter().any(|place| of(other).contains(place))
    }
}

fn are_joined(document: &Document<'_>, before: &Place, behind: &Place) -> bool {
    let between = document.between(before.end, behind.start);
    between.is_some_and(|between| JOINTS.contains(&compared(&document.seen_through(between)).as_str()))
}
