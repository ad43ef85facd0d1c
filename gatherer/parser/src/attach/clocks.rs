//! When something begins: hours of the day, and what they are the hours of.

use super::Attach;
use crate::domain::LiteralSlot;
use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind;
use crate::programme::one_day;
use crate::tokens::{Kind as TokenKind, Token};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::SlotId;

impl Attach<'_> {
    /// "Live music Saturdays from 8 p.m.": it begins then.
    pub(super) fn begins_at(&mut self, number: usize, handle: Handle, value: &str) -> bool {
        let Some(time) = value.strip_suffix('+').and_then(|value| value.rsplit(' ').next()) else { return false };
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Time) else { return false };
        let mut plain = slots.iter().map(|slot| slot.slot);
        let begin = plain.rfind(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
        let is_event = self.is_event(handle) && !self.focuses.contains(&handle);
        let Some(slot) = begin.filter(|slot| is_event && self.fits(*slot, handle)) else { return false };
        let time = time.to_owned();
        self.value(handle, slot, &time, "form", number);
        true
    }

    /// "Töpfern, Samstag 14 - 17 Uhr" in the programme of an event that lasts some days.
    pub(super) fn begins_on(&mut self, number: usize, handle: Handle, value: &str) -> bool {
        let is_item = self.is_event(handle) && !self.focuses.contains(&handle);
        let is_programme = self.focus(number).is_some_and(|focus| self.is_event(focus));
        let Some((_, from, to)) = one_day(value).filter(|_| is_item && is_programme) else { return false };
        self.begins_and_ends(number, &format!("{from}-{to}"))
    }

    /// "19.30 - 22 Uhr" of an event.
    pub(super) fn begins_and_ends(&mut self, number: usize, value: &str) -> bool {
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Time) else { return false };
        let plain: Vec<_> = slots
            .iter()
            .map(|slot| slot.slot)
            .filter(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue())
            .collect();
        let Some((focus, _)) = plain.first().and_then(|slot| self.holder(number, *slot)) else { return false };
        let [end, begin] = plain.as_slice() else { return false };
        let Some((from, to)) = value.split_once('-').filter(|_| !value.contains([',', ';'])) else { return false };
        if !self.is_event(focus) || !self.fits(*begin, focus) {
            return false;
        }
        self.value(focus, *begin, from, "form", number);
        self.value(focus, *end, to, "form", number);
        true
    }

    /// "Die Zimmer stehen ab 14 Uhr bereit": the words behind an hour, up to the next sign. In English the verb stands before it.
    fn words_behind(&self, number: usize) -> Vec<String> {
        if self.tongue(number) == Tongue::English {
            return Vec::new();
        }
        let mention = self.mention(number);
        let end = self.m.tokens.lines[mention.line].end;
        let behind = self.m.tokens.all[mention.tokens.end.min(end)..(mention.tokens.end + 4).min(end)].iter();
        let is_word = |token: &&Token| token.kind == TokenKind::Word && token.sentence == mention.sentence;
        behind.take_while(is_word).map(|token| token.lower.to_string()).collect()
    }

    /// The slot whose cue of several words stands around an hour, or labels it.
    fn cued_by_words(&self, number: usize, slots: &[LiteralSlot], label: &str, is_unasked: bool) -> Option<SlotId> {
        let slots: Vec<_> = slots.iter().map(|slot| slot.slot).collect();
        let is_multi = |slot: SlotId| {
            let known = self.m.domain.ontology.slot_at(slot);
            known.cues().iter().any(|cue| cue.words.contains(' ')) && !known.holds_without_cue()
        };
        let far = |slot: SlotId| self.cue_distance(slot, number).filter(|_| is_multi(slot));
        let multi = slots.iter().copied().find(|slot| far(*slot).is_some_and(|distance| distance < 6));
        let is_label = |slot: SlotId| {
            let cues = self.m.domain.ontology.slot_at(slot).cues();
            is_multi(slot) && cues.iter().any(|cue| cue.words.contains(' ') && label == cue.words.to_lowercase())
        };
        let multi = multi.or_else(|| slots.iter().copied().find(|slot| is_label(*slot)));
        // "Last admission to the house is at 3.15pm"
        multi.or_else(|| {
            let is_english = self.tongue(number) == Tongue::English && is_unasked;
            let near = slots.iter().filter_map(|slot| Some((far(*slot)?, *slot)));
            near.filter(|(distance, _)| is_english && *distance < 8)
                .min_by_key(|(distance, _)| *distance)
                .map(|(_, slot)| slot)
        })
    }

    pub(super) fn clock(&mut self, number: usize, value: &str) {
        if self.is_hour_of_slots(self.mention(number).line) {
            return;
        }
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Time) else { return };
        let own: Vec<String> = self.label_words(number).into_iter().map(str::to_owned).collect();
        let label: Vec<String> =
            self.context(number).label_words.iter().map(std::string::ToString::to_string).collect();
        // The nearest word before the time decides.
        let behind = self.words_behind(number);
        let asked = own.iter().rev().chain(&behind).chain(label.iter().rev()).find_map(|word| {
            let strong = slots.iter().find(|slot| {
                slot.labels.contains(word.as_str())
                    && !matches!(word.as_str(), "um" | "at" | "ab" | "bis" | "until" | "till" | "start")
            });
            // Tours leave, too, but nobody departs from them.
            strong.map(|slot| slot.slot).filter(|slot| self.holder(number, *slot).is_some())
        });
        let weak = || {
            own.iter()
                .rev()
                .find_map(|word| slots.iter().find(|slot| slot.labels.contains(word.as_str())).map(|slot| slot.slot))
        };
        let multi = self.cued_by_words(number, slots, &label.join(" "), asked.is_none());
        let default =
            slots.iter().map(|slot| slot.slot).rfind(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue());
        let is_asked = multi.is_some() || asked.is_some();
        let Some(slot) = asked.or(multi).or_else(weak).or(default) else { return };
        // "The bar opens at 5.30pm" says nothing of the play.
        let eatery = self.m.domain.rules.eatery;
        let is_of_bar = self.tongue(number) == Tongue::English
            && !is_asked
            && self.focus(number).is_some_and(|focus| self.is_event(focus))
            && self.before(number).into_iter().any(|other| {
                self.mention(other).class().zip(eatery).is_some_and(|(class, eatery)| self.is_a(class, eatery))
            });
        if is_of_bar {
            return;
        }
        if let Some((handle, heuristic)) = self.holder(number, slot) {
            // A time in the middle of a story is not that of the event.
            let line = self.mention(number).line;
            let has_day = self.by_line[line].clone().any(|other| self.mention(other).is_literal(Kind::Date));
            let is_main = self.m.outline.main.is_some_and(|main| self.focuses[main] == handle);
            // "15.15 Silver Band" in a list of what happens there, neither.
            let is_of_item = self.is_event(handle) && self.line_of(number).role == Role::Item && !self.items.is_empty();
            if is_main && !is_asked && !has_day && (is_of_item || self.m.tokens.lines[line].len() > 24) {
                return;
            }
            self.value(handle, slot, value, heuristic, number);
        }
    }
}
