//! Until when something is shown.

use super::Attach;
use gatherer_abstracts::ontology::{ClassId, SlotId};

impl Attach<'_> {
    /// "Bis 31. August ist die Ausstellung „Blaue Felder“ zu sehen", "It runs from 6 April": of what is shown there, or was told of
    /// in the sentence before.
    pub(super) fn runs_then(&mut self, number: usize, value: &str, slots: &[SlotId]) -> bool {
        let Some((other, class)) = self.shown_beside(number) else { return false };
        let ontology = &self.m.domain.ontology;
        let Some(slot) = slots.iter().copied().find(|slot| ontology.fits_domain(*slot, &[class])) else { return false };
        let handle = self.instance(other, class);
        self.value(handle, slot, value, "sentence", number);
        true
    }

    /// What is shown, by name: behind a period in its sentence, or in the sentence before one that goes on.
    fn shown_beside(&self, number: usize) -> Option<(usize, ClassId)> {
        if self.focus(number).is_none_or(|focus| self.is_event(focus)) {
            return None;
        }
        let mention = self.mention(number);
        let named = |other: usize| {
            let class = self.mention(other).class().filter(|class| self.is_event_class(*class))?;
            self.mention(other).name.as_ref().map(|_| (other, class))
        };
        let own = self.by_line[mention.line].clone();
        if let Some(found) =
            (number + 1..own.end).take_while(|other| self.mention(*other).sentence == mention.sentence).find_map(named)
        {
            return Some(found);
        }
        let mut tokens = self.m.tokens.all[self.m.tokens.lines[mention.line].clone()].iter();
        let first = tokens.find(|token| token.sentence == mention.sentence)?;
        let goes_on = self.m.languages.of(self.tongue(number)).pronouns.contains(&*first.lower);
        let before = mention.sentence.checked_sub(1).filter(|_| goes_on)?;
        (own.start..number).rev().filter(|other| self.mention(*other).sentence == before).find_map(named)
    }
}
