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

impl Attach<'_> {
    /// Gives each of them to the place that its sentence speaks of.
    pub(super) fn leftover_distances(&mut self) {
        for number in 0..self.m.mentions.len() {
            let line = self.mention(number).line;
            let is_read = !self.contexts[line].skip && !self.contexts[line].is_history;
            if !is_read || self.told.contains(&number) || !self.is_distance(number) {
                continue;
            }
            if let Some(handle) = self.place_at_distance(number) {
                self.put_measure(number, handle);
            }
        }
    }

    fn place_at_distance(&self, number: usize) -> Option<Handle> {
        let own = self.mention(number).tokens.clone();
        let places = self.places_around(number);
        let language = self.m.languages.of(self.tongue(number));
        let word = |at: usize| &*self.m.tokens.all[at].lower;
        let is_free = |between: Range<usize>| {
            let is_other = |other: usize| other != number && self.is_distance(other);
            let line = self.by_line[self.mention(number).line].clone();
            let has_other =
                { line }.any(|other| is_other(other) && between.contains(&self.mention(other).tokens.start));
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
        let whole = before.next().filter(|(whole, _)| {
            let between = whole.end..nearest.start;
            between.len() <= INSIDE && { between }.any(|at| language.has("modifying", word(at)))
        });
        Some(whole.map_or(*handle, |(_, handle)| *handle))
    }

    /// The places in the sentence of a distance that are known, and not yet at one.
    fn places_around(&self, number: usize) -> Vec<(Range<usize>, Handle)> {
        let (line, sentence) = (self.mention(number).line, self.mention(number).sentence);
        let fits = |handle: Handle| {
            let mut slots = self.m.domain.rules.distance.iter();
            slots.any(|slot| self.fits(*slot, handle)) && self.around.contains(&handle) && !self.far.contains(&handle)
        };
        let said = self.by_line[line].clone().filter(|other| self.mention(*other).sentence == sentence);
        let said = said.filter_map(|other| Some((self.mention(other).tokens.clone(), self.resolved[other]?)));
        let named = self.runs(line).into_iter().filter(|run| self.m.tokens.all[run.start].sentence == sentence);
        let named = named.flat_map(|run| self.names_in(&run).collect::<Vec<_>>()).filter_map(|name| {
            let key = crate::keys::key(&self.m.page.text[self.span_of(&name)]);
            Some((name, *self.named.get(&key)?))
        });
        let mut places: Vec<_> = said.chain(named).filter(|(_, handle)| fits(*handle)).collect();
        places.sort_by_key(|(place, handle)| (place.start, place.end, *handle));
        places.dedup_by_key(|(_, handle)| *handle);
        places
    }
}
