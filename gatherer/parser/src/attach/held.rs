//! What happens in the course of the page's event, and what a house holds.

use super::Attach;
use crate::language::Tongue;
use crate::tokens::Kind as TokenKind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

impl Attach<'_> {
    /// "Drop spindle workshop" and "felting workshop" in one programme are two.
    pub(super) fn entry_instance(&mut self, number: usize, class: ClassId) -> Handle {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[line..mention.tokens.start];
        let literals = self.by_line[mention.line].clone().filter(|other| self.mention(*other).literal().is_some());
        let literals: Vec<_> = literals.map(|other| &self.mention(other).tokens).collect();
        let is_said = |at: usize| literals.iter().any(|tokens| tokens.contains(&at));
        let is_word = |at: &usize| self.m.tokens.all[*at].kind == TokenKind::Word && !is_said(*at);
        let count = (line..mention.tokens.start).rev().take_while(is_word).count();
        let is_mine = count > 0 && count <= 3 && mention.name.is_none() && self.tongue(number) == Tongue::English;
        if !is_mine {
            return self.instance(number, class);
        }
        let words = before[before.len() - count..].iter().map(|token| &*token.lower);
        let lemma = words.chain([mention.lemma.as_str()]).collect::<Vec<_>>().join(" ");
        let key = (self.scope(number).unwrap_or(usize::MAX), class, lemma.clone());
        if let Some(known) = self.things.get(&key) {
            return *known;
        }
        let handle = self.builder.instance(class);
        self.builder.set_lemma(handle, &lemma);
        self.things.insert(key, handle);
        handle
    }

    /// What happens in the course of the page's event belongs to it.
    pub(super) fn part_of_event(&mut self, number: usize, handle: Handle) {
        let Some(focus) = self.focus(number).filter(|focus| *focus != handle) else { return };
        if !self.is_event(focus) {
            self.held_by(number, handle, focus);
            return;
        }
        let slots = self.between(self.class_of(handle), self.class_of(focus));
        let is_event = |slot: &SlotId| {
            let domain = self.m.domain.ontology.slot_at(*slot).domain();
            domain.iter().flatten().all(|class| self.is_event_like(*class))
        };
        // Of the two ends of such a slot, the one that an item stands at is written as the inverse.
        let says_inverse = |slot: &SlotId| self.m.domain.ontology.slot_at(*slot).turned().is_some();
        if let Some(slot) = slots.into_iter().filter(is_event).max_by_key(says_inverse) {
            self.link(handle, slot, focus, "list", number);
        }
    }

    /// What a house holds.
    fn held_by(&mut self, number: usize, handle: Handle, host: Handle) {
        let class = self.class_of(handle);
        let own = self.class_of(host);
        // Its own word for it, and not the other end of where the thing happens.
        let is_own = |slot: &SlotId| {
            let known = self.m.domain.ontology.slot_at(*slot);
            known.turned().is_none() && known.holds_without_cue()
        };
        let slots = self.between(own, class);
        let slot = slots.into_iter().find(is_own).or_else(|| self.pick(own, class, number));
        if let Some(slot) = slot {
            self.link(host, slot, handle, "list", number);
        }
    }
}
