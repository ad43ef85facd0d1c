//! Names that only the text has: what a page sells, or announces.

use crate::focus::{Candidate, Chooser, Focus};
use crate::mentions::{Mention, of_lines};
use crate::names::key;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// What a name of the kind that a page sells is worth.
const SOLD: u32 = 4;
/// So much says that a name is that of the page's thing.
const SURE: u32 = 8;
/// What is named in so many lines is named early.
const EARLY: usize = 16;
/// A day stands so many words from what happens.
const BESIDE: usize = 16;
/// And so much, if it says itself what it is.
const SAID: u32 = 5;

impl Chooser<'_> {
    /// Where neither title nor heading has a sure name, one of the kind that the page sells or speaks of is believed sooner
    /// than its owner's.
    pub(crate) fn sold_there(&self, candidates: &mut BTreeMap<String, Candidate>, best_class: Option<ClassId>) {
        let is_sure = |one: &Candidate| one.in_head && (one.class.is_some() && one.score >= SAID || one.score >= SURE);
        if candidates.values().any(is_sure) || self.lists() {
            return;
        }
        self.dated(candidates);
        let Some(sold) = self.by_evidence().or(best_class) else { return };
        let ontology = &self.domain.ontology;
        for candidate in candidates.values_mut() {
            let is_kind = |class: ClassId| ontology.is_a(class, sold) || ontology.is_a(sold, class);
            if candidate.class.is_some_and(is_kind) {
                candidate.score += SOLD;
                candidate.in_head |= candidate.class == best_class;
            }
        }
    }

    /// "Vom 17. bis 18. August lädt die Stadt zum Töpfermarkt": what happens is named beside its day at the top of the text.
    fn dated(&self, candidates: &mut BTreeMap<String, Candidate>) {
        let is_event = |class: ClassId| self.event_base().is_some_and(|base| self.domain.ontology.is_a(class, base));
        let named = self.mentions.iter().filter(|one| one.line < EARLY && one.class().is_some_and(is_event));
        for mention in named {
            let Some(candidate) = mention.name.as_deref().and_then(|name| candidates.get_mut(&key(name))) else {
                continue;
            };
            let own = of_lines(self.mentions, mention.line..mention.line + 1);
            let is_beside = |one: &Mention| one.tokens.end.abs_diff(mention.tokens.start) <= BESIDE;
            if own.iter().any(|one| is_beside(one) && crate::staged::is_day(one)) {
                candidate.score += SOLD;
                candidate.in_head = true;
            }
        }
    }

    /// Something that happens, named beside its day in the text of a page that is called like somebody else.
    pub(crate) fn announced(&self) -> Option<(Focus, bool)> {
        let mut candidates = self.named();
        candidates.retain(|_, one| one.score < SAID);
        candidates.values_mut().for_each(|one| one.score = 0);
        self.dated(&mut candidates);
        let best = candidates.into_iter().filter(|(_, one)| one.score >= SOLD).min_by_key(|(_, one)| one.span.start);
        let best = best.filter(|_| !self.lists() && !self.is_calendar_page());
        best.and_then(|(key, one)| {
            let class = one.class?;
            Some((Focus { class, name: Some((one.name, one.span)), key }, true))
        })
    }
}
