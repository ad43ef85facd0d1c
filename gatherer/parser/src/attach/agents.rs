//! People, families, organisations: who owns, runs, organises.

use super::Attach;
use gatherer_abstracts::ontology::ClassId;

impl Attach<'_> {
    /// Someone with a name; the nearest word says what he has to do with the thing.
    pub(super) fn agent(&mut self, number: usize, class: ClassId) {
        let Some(focus) = self.focus(number) else { return };
        // Whoever is named beside a thing belongs to it: the chef of the restaurant.
        let near = self.before(number).into_iter().filter_map(|other| self.resolved[other]).find(|handle| *handle != focus && self.m.domain.ontology.class_at(self.class_of(*handle)).is_focus());
        let focus = near.filter(|near| !self.is_event(*near)).unwrap_or(focus);
        let Some(name) = self.mention(number).name.clone() else { return };
        let types = self.builder.types(focus).to_vec();
        let mut best: Option<(usize, gatherer_abstracts::ontology::SlotId)> = None;
        for from in types {
            for slot in self.between(from, class) {
                let Some(distance) = self.cue_distance(slot, number) else { continue };
                if best.is_none_or(|(known, _)| distance < known) {
                    best = Some((distance, slot));
                }
            }
        }
        let Some((distance, slot)) = best else { return };
        if distance > 14 && distance != 40 {
            return;
        }
        let span = self.mention(number).span.clone();
        let handle = self.named_instance(&name, &span, class);
        self.resolved[number] = Some(handle);
        let heuristic = if distance == 0 { "label" } else { "prep" };
        self.link(focus, slot, handle, heuristic, number);
    }
}
