//! What a classic broker can search: the main slots as flat attributes of the record.

use super::{Abstract, Instance, walk};
use crate::ontology::Ontology;
use std::collections::HashMap;

impl Abstract {
    /// For each main slot that is filled somewhere, all that stands in it, each once, in the order of the abstract.
    pub fn flat_attributes(&self, ontology: &Ontology) -> Vec<(String, Vec<String>)> {
        let mut instances: HashMap<&str, &Instance> = HashMap::new();
        walk(&self.instances, &mut |one| {
            instances.insert(&one.id, one);
        });
        let mut attributes: Vec<(String, Vec<String>)> = Vec::new();
        let mut put = |slot: &str, text: Option<&str>| {
            let is_main = ontology.slot(slot).is_some_and(|slot| ontology.slot_at(slot).is_main());
            let Some(text) = text.filter(|_| is_main) else { return };
            let place = attributes.iter().position(|(name, _)| name == slot).unwrap_or_else(|| {
                attributes.push((slot.to_owned(), Vec::new()));
                attributes.len() - 1
            });
            let values = &mut attributes[place].1;
            if !values.iter().any(|known| known == text) {
                values.push(text.to_owned());
            }
        };
        walk(&self.instances, &mut |one| {
            one.values.iter().for_each(|value| put(&value.name, Some(&value.text)));
            for slot in &one.slots {
                put(&slot.name, instances.get(slot.filler.id()).and_then(|one| one.called(ontology)));
            }
        });
        attributes
    }
}
