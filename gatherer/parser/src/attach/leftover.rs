//! Distances that nothing has claimed, once all names of a page are known: "Dulverton, with its shops, is six miles by road".

use super::Attach;
use gatherer_abstracts::model::Handle;
use std::ops::Range;

/// Between a place and its distance stand at most so many words and signs,
const REACH: usize = 16;
/// and as few as that where the place follows: "six miles west of the village of Dulverton".
const AHEAD: usize = 5;
/// "The Royal Oak in Llanbedw": so many words and signs between a place and the one that says where it is.
const INSIDE: usize = 2;

/// What is looked at stands at most so many words and signs before the distance or behind it.
const WINDOW: usize = REACH + 8;

impl Attach<'_> {
    /// Gives each of them to the place that its sentence speaks of.
    pub(super) fn leftover_distances(&mut self) {
        for line in 0..self.m.page.lines.len() {
            let is_left = |number: &usize| !self.told.contains(number) && self.is_distance(*number);
            let left: Vec<usize> = self.by_line[line].clone().filter(is_left).collect();
            if left.is_empty() || self.contexts[line].skip || self.contexts[line].is_history {
                continue;
            }
            let runs = self.runs(line);
            for number in left {
                if let Some(handle) = self.place_at_distance(number, &runs) {
                    self.put_measure(number, handle);
                }
            }
        }
    }

    fn place_at_distance(&self, number: usize, runs: &[Range<usize>]) -> Option<Handle> {
        let own = self.mention(number).tokens.clone();
        let places = self.places_around(number, runs);
        let language = self.m.languages.of(self.tongue(number));
        let word = |at: usize| &*self.m.tokens.all[at].lower;
        let is_free = |between: Range<usize>| {
            let is_other = |other: usize| other != number && self.is_distance(other);
            let mut beside = self.mentioned_around(number);
            let has_other = beside.any(|other| is_other(other) && between.contains(&self.mention(other).tokens.start));
            !has_other && !between.clone().any(|at| matches!(word(at), ";" | "|" | "·"))
        };
        let leads = |between: Range<usize>| { between }.any(|at| language.has("directions", word(at)));
        let is_ahead = |(place, _): &&(Range<usize>, Handle)| {
            let between = own.end..place.start;
            own.end <= place.start && between.len() <= AHEAD && leads(between.clone()) && is_free(between)
        };
        if let Some((_, handle)) = places.iter().find(is_ahead) {
            return Some(*handle);
        }
        let is_behind = |(place, _): &&(Range<usize>, Handle)| {
            let between = place.end..own.start;
            place.end <= own.start && between.len() <= REACH && is_free(between)
        };
        let mut before = places.iter().rev().filter(is_behind);
        let (nearest, handle) = before.next()?;
        let whole = before.find(|(_, other)| other != handle).filter(|(whole, _)| {
            let between = whole.end..nearest.start;
            between.len() <= INSIDE && { between }.any(|at| language.has("modifying", word(at)))
        });
        Some(whole.map_or(*handle, |(_, handle)| *handle))
    }

    /// What is mentioned around a distance, in its sentence.
    fn mentioned_around(&self, number: usize) -> Range<usize> {
        let (own, line) = (self.mention(number), self.by_line[self.mention(number).line].clone());
        let is_near = |other: &usize| {
            let (tokens, other) = (&self.mention(*other).tokens, self.mention(*other));
            let distance = own.tokens.start.saturating_sub(tokens.end).max(tokens.start.saturating_sub(own.tokens.end));
            other.sentence == own.sentence && distance <= WINDOW
        };
        let first = (line.start..number).rev().take_while(is_near).last().unwrap_or(number);
        let last = (number..line.end).take_while(is_near).last().unwrap_or(number);
        first..last + 1
    }

    /// The places around a distance that are known, and not yet at one.
    fn places_around(&self, number: usize, runs: &[Range<usize>]) -> Vec<(Range<usize>, Handle)> {
        let (own, sentence) = (&self.mention(number).tokens, self.mention(number).sentence);
        let fits = |handle: Handle| {
            let mut slots = self.m.domain.rules.distance.iter();
            slots.any(|slot| self.fits(*slot, handle)) && self.around.contains(&handle) && !self.far.contains(&handle)
        };
        let said = self.mentioned_around(number);
        let said = said.filter_map(|other| Some((self.mention(other).tokens.clone(), self.resolved[other]?)));
        let first = runs.partition_point(|run| run.end + WINDOW < own.start);
        let near = runs[first..].iter().take_while(|run| run.start <= own.end + WINDOW);
        let near = near.filter(|run| self.m.tokens.all[run.start].sentence == sentence);
        let named = near.flat_map(|run| self.names_in(run).collect::<Vec<_>>()).filter_map(|name| {
            let key = crate::keys::key(&self.m.page.text[self.span_of(&name)]);
            Some((name, *self.named.get(&key)?))
        });
        let mut places: Vec<_> = said.chain(named).filter(|(_, handle)| fits(*handle)).collect();
        places.sort_by_key(|(place, handle)| (place.start, place.end, *handle));
        places
    }
}
