//! Cues: the words that a slot asks for.

use super::Attach;
use crate::language::Tongue;
use crate::morphology::is_particle;
use crate::tokens::{Kind, Token};
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

/// So much further away is what stands behind a comma.
const APART: usize = 4;

/// So many words before and behind a mention are around it.
const AROUND: usize = 80;

impl Attach<'_> {
    /// "Mittagsruhe 12-14 Uhr": then nothing is open.
    pub(super) fn is_of_rest(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        self.words_before(number, 3).iter().any(|word| language.has("quiet", word))
    }

    /// How near to a mention a cue of the slot stands: 0 in the label, else the tokens between; nothing if there is none.
    pub(super) fn cue_distance(&self, slot: SlotId, number: usize) -> Option<usize> {
        self.cue_near(slot, number).map(|(distance, _)| distance)
    }

    /// The distance of the nearest cue, and how many words it has.
    pub(super) fn cue_near(&self, slot: SlotId, number: usize) -> Option<(usize, usize)> {
        let context = self.context(number);
        if context.cues.contains(&slot) {
            return Some((40, 1));
        }
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let sentence = line.start..line.end;
        let cues = self.m.domain.cues.of(slot, self.tongue(number));
        let near = cues.iter().filter_map(|cue| {
            let distance = self.distance_to(cue, &mention.tokens, &sentence, mention.sentence, context)?;
            Some((distance, cue.len()))
        });
        near.min_by_key(|(distance, length)| (*distance, std::cmp::Reverse(*length)))
    }

    fn distance_to(
        &self,
        words: &[String],
        own: &Range<usize>,
        line: &Range<usize>,
        sentence: u32,
        context: &crate::context::Context,
    ) -> Option<usize> {
        let first = words.first()?;
        if words.len() == 1 && context.label_words.iter().any(|word| **word == **first) {
            return Some(0);
        }
        let tokens = &self.m.tokens.all;
        let mut best = None;
        for at in line.clone() {
            if tokens[at].sentence != sentence || *tokens[at].lower != **first {
                continue;
            }
            // "findet am Sonntag im Schloss statt": the second half of a verb stands at the end.
            let language = self.m.languages.of(self.m.tokens.tongues[tokens[at].line as usize]);
            let goes_on = |last: &str| {
                line.clone()
                    .any(|place| place > at && tokens[place].sentence == sentence && *tokens[place].lower == *last)
            };
            let parts = matches!(words, [_, last] if is_particle(last, language) && goes_on(last));
            let is_english = self.m.tokens.tongues[tokens[at].line as usize] == Tongue::English;
            let stretched = if is_english { self.stretched(words, at, own) } else { None };
            if let Some(distance) = stretched {
                best = Some(best.map_or(distance + 1, |known: usize| known.min(distance + 1)));
                continue;
            }
            let fits = parts
                || words
                    .iter()
                    .enumerate()
                    .all(|(step, word)| tokens.get(at + step).is_some_and(|token| *token.lower == **word));
            // "organised by the Rotary Club with the help of": what leads to a name stands before it.
            let leads = at > own.start && words.last().is_some_and(|last| is_leading(last));
            if fits && !leads {
                let distance = if own.contains(&at) {
                    0
                } else if at < own.start {
                    own.start - (at + words.len()).min(own.start)
                } else {
                    // "gehört der Gemeinde, betrieben wird sie von": what begins behind a sign is said of the next.
                    let between = &tokens[own.end.min(at)..at];
                    let is_apart = between.first().is_some_and(|token| matches!(&*token.lower, "," | ";"));
                    between.len() + if is_apart { APART } else { 0 }
                };
                best = Some(best.map_or(distance + 1, |known: usize| known.min(distance + 1)));
            }
        }
        best
    }

    /// "built in 1846 by the engineer": years may stand inside of a cue. The tokens between it and the mention.
    fn stretched(&self, words: &[String], at: usize, own: &Range<usize>) -> Option<usize> {
        let (last, first) = words.split_last().filter(|(_, first)| !first.is_empty())?;
        let is_year = |token: &Token| {
            token.kind == Kind::Number || matches!(&*token.lower, "in" | "about" | "around" | "between" | "and" | "-")
        };
        let tokens = self.m.tokens.all.get(at..own.start)?;
        let begins = tokens.len() > first.len() && first.iter().zip(tokens).all(|(word, token)| *token.lower == **word);
        let tokens = tokens.get(first.len()..).filter(|_| begins)?;
        let gap = tokens.iter().take(5).take_while(|token| is_year(token)).count();
        let is_there = gap > 0 && last == "by" && tokens.get(gap).is_some_and(|token| *token.lower == **last);
        is_there.then(|| tokens.len() - gap - 1)
    }

    /// The slot from one class to another that the words ask for, else one that needs no words.
    pub(super) fn pick(&mut self, from: ClassId, to: ClassId, number: usize) -> Option<SlotId> {
        let mut slots = self.between(from, to);
        // Where things lie is decided elsewhere, by more than words.
        let rules = &self.m.domain.rules;
        slots.retain(|slot| Some(*slot) != rules.near && Some(*slot) != rules.at);
        // Conferences and weddings are held for guests: the slot that is made for them comes first.
        let is_occasion = self.is_event_like(to) && !self.m.domain.ontology.class_at(to).is_focus();
        if is_occasion
            && let Some(slot) =
                slots.iter().copied().find(|slot| !self.m.domain.ontology.slot_at(*slot).holds_without_cue())
        {
            return Some(slot);
        }
        // What is shown is shown.
        if Some(to) == rules.show
            && self.mention(number).name.is_some()
            && let Some(slot) = slots
                .iter()
                .copied()
                .find(|slot| self.m.domain.ontology.slot_at(*slot).range().iter().any(|union| union.contains(&to)))
        {
            return Some(slot);
        }
        let cued = slots.iter().filter_map(|slot| {
            let known = self.m.domain.ontology.slot_at(*slot);
            (!known.cues().is_empty())
                .then(|| self.cue_distance(*slot, number))
                .flatten()
                .map(|distance| (distance, *slot))
        });
        let cued = cued.min_by_key(|(distance, _)| *distance).map(|(_, slot)| slot);
        cued.or_else(|| slots.into_iter().find(|slot| self.m.domain.ontology.slot_at(*slot).holds_without_cue()))
    }

    /// Words of the sentence before a mention, back to the mention before it, and those of the label.
    pub(super) fn label_words(&self, number: usize) -> Vec<&str> {
        let mention = self.mention(number);
        let floor = self
            .before_any(number)
            .map_or(self.m.tokens.lines[mention.line].start, |before| self.mention(before).tokens.end);
        let own = self.m.tokens.all[floor.min(mention.tokens.start)..mention.tokens.start].iter();
        let own = own.filter(|token| token.sentence == mention.sentence).map(|token| &*token.lower);
        own.collect()
    }

    /// The words of the sentence around a mention, but not all of a line that has thousands.
    pub(super) fn sentence_around(&self, number: usize) -> impl Iterator<Item = &Token> {
        let mention = self.mention(number);
        let line = &self.m.tokens.lines[mention.line];
        let from = mention.tokens.start.saturating_sub(AROUND).max(line.start);
        let to = (mention.tokens.end + AROUND).min(line.end);
        self.m.tokens.all[from..to].iter().filter(|token| token.sentence == mention.sentence)
    }

    /// The literal before a mention in its line.
    fn before_any(&self, number: usize) -> Option<usize> {
        let start = self.by_line[self.mention(number).line].start;
        (start..number).rev().find(|other| self.mention(*other).literal().is_some())
    }
}

/// Words behind which somebody is named.
fn is_leading(word: &str) -> bool {
    matches!(word, "by" | "with" | "from" | "for" | "of" | "mit" | "von" | "vom")
}
