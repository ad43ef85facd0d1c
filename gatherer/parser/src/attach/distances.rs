//! Which distance belongs to which place.

use super::Attach;
use crate::language::Tongue;
use crate::literals::Kind;
use crate::mentions::What;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::SlotId;

/// A line of a list of places has at most so many words and signs.
const LISTED: usize = 20;
/// What says more of a place stands at most so many words and signs behind it.
const ASIDE: usize = 4;

impl Attach<'_> {
    /// Which distance belongs to which place; done once, before everything else.
    pub(super) fn pair_distances(&mut self) {
        for line in 0..self.by_line.len() {
            if self.contexts[line].skip {
                continue;
            }
            let own = self.by_line[line].clone();
            if self.begins_with_stranger(line) {
                continue;
            }
            let labels: Vec<usize> = self.contexts[line].labels.clone();
            if let Some(until) = self.contexts[line].label_until
                && let Some(first) = labels.iter().copied().find(|label| self.has_distance(*label))
                && self.mention(first).span.end <= until
            {
                let distances: Vec<_> = own.clone().filter(|number| self.is_distance(*number)).collect();
                if let [distance] = distances.as_slice() {
                    self.distances.insert(first, *distance);
                    continue;
                }
            }
            let items: Vec<usize> =
                own.clone().filter(|number| self.is_distance(*number) || self.has_distance(*number)).collect();
            for (place, number) in items.iter().enumerate() {
                if !self.is_distance(*number) {
                    continue;
                }
                if let Some(target) = self.target(&items, place) {
                    self.distances.insert(target, *number);
                    // "Nearest shop and pub 2 km": both.
                    let members: Vec<_> = items[..place]
                        .iter()
                        .rev()
                        .copied()
                        .take_while(|other| !self.is_distance(*other))
                        .filter(|other| *other < target && self.same_group(*other, target))
                        .filter(|other| matches!(self.mention(*other).what, What::Thing(_)))
                        .collect();
                    for member in members.into_iter().filter(|_| self.m.tokens.tongues[line] == Tongue::English) {
                        self.distances.entry(member).or_insert(*number);
                    }
                } else if let Some(label) =
                    self.contexts[line].labels.iter().copied().find(|label| self.has_distance(*label))
                {
                    self.distances.insert(label, *number);
                }
            }
        }
    }

    /// "Malchin mit Supermarkt und Bahnhof: 11 km": the distance is that of a name that nobody knows yet.
    fn begins_with_stranger(&self, line: usize) -> bool {
        let range = self.m.tokens.lines[line].clone();
        let own = self.by_line[line].clone();
        let is_known = |word: &str| {
            Tongue::ALL.iter().any(|tongue| {
                self.m.domain.lexicon(*tongue).knows(word) || self.m.languages.of(*tongue).classes.contains_key(word)
            })
        };
        let Some(first) = self.m.tokens.all[range.clone()].first().filter(|_| range.len() <= LISTED) else {
            return false;
        };
        let is_strange = first.kind == crate::tokens::Kind::Word
            && first.is_capital
            && !is_known(&first.lower)
            && !own.clone().any(|number| self.mention(number).tokens.start == range.start);
        let distances: Vec<usize> = own.filter(|number| self.is_distance(*number)).collect();
        let ends = |number: usize| self.mention(number).tokens.end + 1 >= range.end;
        let behind = self.m.tokens.all[range.clone()].iter().find(|token| !token.is_capital);
        let parts = behind.is_some_and(|token| matches!(&*token.lower, "mit" | "with" | "for" | "," | ":" | "("));
        is_strange && parts && matches!(distances.as_slice(), [number] if ends(*number))
    }

    pub(super) fn is_distance(&self, number: usize) -> bool {
        let mention = self.mention(number);
        if mention.is_literal(Kind::Length) {
            let next = self.m.tokens.all.get(mention.tokens.end).filter(|next| next.sentence == mention.sentence);
            let language = self.m.languages.of(self.tongue(number));
            return !next.is_some_and(|next| language.has("sizes", &next.lower)) && !self.is_height(number);
        }
        let is_short = mention.literal().is_some_and(|(kind, value)| kind == Kind::Duration && value.starts_with("PT"));
        let line = self.m.tokens.lines[mention.line].clone();
        let after = &self.m.tokens.all[mention.tokens.end.min(line.end)..(mention.tokens.end + 4).min(line.end)];
        let language = self.m.languages.of(self.tongue(number));
        let before = &self.m.tokens.all[mention.tokens.start.saturating_sub(6).max(line.start)..mention.tokens.start];
        let text = self.m.page.text[mention.span.clone()].to_lowercase();
        let of_way = ["geh", "auto", "fahr", "fuß", "fuss"].iter().any(|word| text.contains(word))
            || after.iter().any(|token| language.has("ways", &token.lower))
            || before.iter().any(|token| language.has("going", &token.lower));
        is_short && of_way
    }

    /// Whether a mention is of something that can be at a distance.
    pub(super) fn has_distance(&self, number: usize) -> bool {
        let rules = &self.m.domain.rules;
        let class = match &self.mention(number).what {
            What::Thing(class) | What::Place(class) => *class,
            _ => return false,
        };
        !self.mention(number).flags.place_head
            && self.is_around(class)
            && rules.distance.iter().any(|slot| self.m.domain.ontology.fits_domain(*slot, &[class]))
    }

    /// The place that a distance belongs to.
    pub(super) fn target(&self, items: &[usize], place: usize) -> Option<usize> {
        let number = items[place];
        let sentence = self.mention(number).sentence;
        let same = |other: &&usize| self.mention(**other).sentence == sentence && !self.is_distance(**other);
        let next = items.get(place + 1).filter(same).copied();
        let previous = self.place_before(items, place);
        // "5 km vom Strand", "10 minutes' walk from the station", "300 m zum See"
        if let Some(next) = next {
            // "a 3-mile-beach": both in one word.
            let (from, to) = (self.mention(number).tokens.end, self.mention(next).tokens.start);
            let between = self.m.tokens.all[from..to.max(from)].iter();
            let leads = between.clone().any(|token| {
                matches!(&*token.lower, "von" | "vom" | "zum" | "zur" | "bis" | "from" | "to" | "of" | "zu" | "ab")
            });
            let breaks = between.clone().any(|token| {
                matches!(&*token.lower, "," | ";" | ")" | "." | "und" | "and" | "-" | "–" | "|" | "·" | "/")
            });
            if !breaks && (leads || previous.is_none()) {
                // "3 miles from Skipford station"
                let behind = items.get(place + 2).copied().filter(|behind| {
                    matches!(self.mention(next).what, What::Place(_))
                        && !self.is_distance(*behind)
                        && self.mention(*behind).tokens.start == self.mention(next).tokens.end
                });
                return Some(behind.unwrap_or(next));
            }
            if breaks && previous.is_none() {
                return None;
            }
        }
        // "On the quay, 50 yards from the slipway": from something that nobody knows.
        let behind = self.m.tokens.all.get(self.mention(number).tokens.end);
        let is_strange = self.tongue(number) == crate::language::Tongue::English
            && behind.is_some_and(|token| token.sentence == sentence && &*token.lower == "from")
            && self.mention(number).tokens.start.checked_sub(1).is_some_and(|at| &*self.m.tokens.all[at].lower == ",");
        if (is_strange || self.is_from_stranger(number)) && next.is_none() {
            return None;
        }
        // "Camborne railway station is 2 miles away": the station, not the town before it.
        // "Bahnhof Wittlich 22 km": the station, not the town.
        previous.map(|previous| self.whole_of(previous)).or(next)
    }

    /// The place that a clause is about, before a distance: "Ludlow, with its castle and food shops, 18 miles".
    fn place_before(&self, items: &[usize], place: usize) -> Option<usize> {
        let number = self.mention(items[place]);
        let is_near = |other: &usize| self.mention(*other).sentence == number.sentence && !self.is_distance(*other);
        let before = || items[..place].iter().rev().copied().take_while(is_near);
        let mut best = before().next().filter(|other| !self.distances.contains_key(other))?;
        if self.is_led_to(best) {
            return Some(best);
        }
        for other in before().skip(1) {
            let is_joined = self.same_group(other, best);
            let between = self.mention(other).tokens.end..self.mention(best).tokens.start;
            let breaks =
                |at: usize| matches!(&*self.m.tokens.all[at].lower, "and" | "or" | "und" | "oder" | ";" | "-" | "–");
            let language = self.m.languages.of(self.tongue(best));
            let goes_on = |word: &str| matches!(word, "," | "(") || language.has("modifying", word);
            let begins = between.clone().next().is_some_and(|at| goes_on(&self.m.tokens.all[at].lower));
            let is_apart = !is_joined && (!begins || between.len() > ASIDE || { between }.any(breaks));
            let is_aside = self.is_modifier(if is_joined { other } else { best });
            if !is_aside || is_apart || self.distances.contains_key(&other) {
                break;
            }
            best = other;
        }
        // "Fähre nach Schulau"
        let behind = self.mention(best).tokens.end + 2;
        (!self.has_stranger(behind..number.tokens.start)).then_some(best)
    }

    /// "Direkt am Ritzensee, 2 km von Hinterwald entfernt": from a town that nobody knows.
    fn is_from_stranger(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let end = self.m.tokens.lines[mention.line].end;
        let tongue = self.tongue(number);
        let word = |at: usize| self.m.tokens.all.get(at).filter(|_| at < end);
        let is_led = word(mention.tokens.end).is_some_and(|word| matches!(&*word.lower, "von" | "vom"));
        let is_parted = mention.tokens.start.checked_sub(1).is_some_and(|at| &*self.m.tokens.all[at].lower == ",");
        let is_strange = word(mention.tokens.end + 1).is_some_and(|name| {
            let language = self.m.languages.of(tongue);
            name.is_capital
                && !self.m.domain.lexicon(tongue).knows(&name.lower)
                && !language.classes.contains_key(&*name.lower)
                && !self.by_line[mention.line]
                    .clone()
                    .any(|one| self.mention(one).tokens.contains(&(mention.tokens.end + 1)))
        });
        tongue == Tongue::German && is_led && is_parted && is_strange
    }

    /// "Die Haltestelle ist vor dem Haus, bis zum Rheinfall sind es 12 km": behind a comma a way leads there.
    fn is_led_to(&self, place: usize) -> bool {
        let mention = self.mention(place);
        let start = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[start..mention.tokens.start];
        let leads = |word: &str| matches!(word, "bis" | "zum" | "zur" | "nach" | "zu" | "den" | "die" | "das" | "der");
        let small = before.iter().rev().take_while(|token| leads(&token.lower)).count();
        let is_way =
            before[before.len() - small..].iter().any(|token| matches!(&*token.lower, "bis" | "zum" | "zur" | "nach"));
        let parted = before.len().checked_sub(small + 1).map(|at| &*before[at].lower);
        is_way && matches!(parted, Some("," | "und" | ";")) && self.tongue(place) == Tongue::German
    }

    /// "The Ship at Llanfedw", "Ribblehead station on the Settle to Carlisle line": it only says more of another place.
    fn is_modifier(&self, number: usize) -> bool {
        let language = self.m.languages.of(self.tongue(number));
        let mention = self.mention(number);
        let next = self.m.tokens.all.get(mention.tokens.end).filter(|next| next.sentence == mention.sentence);
        let is_way = next.is_some_and(|next| language.has("lines", &next.lower));
        is_way || self.syntax.prep[number].as_deref().is_some_and(|prep| language.has("modifying", prep))
    }

    /// Whether a name that nobody knows yet begins another clause among these words: the distance is its own.
    fn has_stranger(&self, words: std::ops::Range<usize>) -> bool {
        let is_strange = |at: usize| {
            let token = &self.m.tokens.all[at];
            let line = token.line as usize;
            let tongue = self.m.tokens.tongues[line];
            let language = self.m.languages.of(tongue);
            let is_free = || !self.by_line[line].clone().any(|number| self.mention(number).tokens.contains(&at));
            let before = at.checked_sub(1).map(|before| &*self.m.tokens.all[before].lower);
            // "The beach is near, and Brampton is 5 miles to the south": not "the nearest station is Brampton, 5 miles".
            let is_name = || matches!(before, Some("and" | "or" | ";" | "nach"));
            token.kind == crate::tokens::Kind::Word
                && token.is_capital
                && !self.m.domain.lexicon(tongue).knows(&token.lower)
                && !language.classes.contains_key(&*token.lower)
                && is_name()
                && is_free()
        };
        { words }.any(is_strange)
    }

    /// The thing whose name a place is part of.
    pub(super) fn whole_of(&self, number: usize) -> usize {
        let before = number.checked_sub(1).filter(|before| {
            self.mention(*before).tokens.end == self.mention(number).tokens.start
                && self.mention(*before).line == self.mention(number).line
        });
        match before {
            Some(before) if matches!(self.mention(number).what, What::Place(_)) && self.has_distance(before) => before,
            _ => number,
        }
    }

    pub(super) fn measure(&mut self, number: usize, kind: Kind, value: &str) {
        let Some(slots) = self.m.domain.rules.literals.get(&kind) else { return };
        if kind == Kind::Duration && !value.starts_with("PT") && self.package_duration(number, value) {
            return;
        }
        let words: Vec<String> = self.label_words(number).into_iter().map(str::to_owned).collect();
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let after = self.m.tokens.all[mention.tokens.end.min(line.end)..(mention.tokens.end + 2).min(line.end)]
            .iter()
            .map(|token| token.lower.to_string());
        let labels = self.context(number).label_words.iter();
        let labels = labels.map(std::string::ToString::to_string);
        // "The minimum stay at weekends is two nights"
        let reach = if value.starts_with("PT") || kind == Kind::Length { 3 } else { 8 };
        let around: Vec<String> = words.iter().rev().take(reach).cloned().chain(after).chain(labels).collect();
        let slots: Vec<_> = slots
            .iter()
            .map(|slot| (slot.slot, around.iter().any(|word| slot.labels.contains(word)), slot.labels.is_empty()))
            .collect();
        let is_distance = |slot: SlotId| self.m.domain.rules.distance.contains(&slot);
        // "Children must be at least 1.2 metres tall"
        let people = self.m.domain.rules.young;
        let is_of_people = self.before(number).into_iter().any(|other| {
            self.mention(other).class().zip(people).is_some_and(|(class, people)| self.is_a(class, people))
        });
        if is_of_people && kind == Kind::Length {
            return;
        }
        // Words right beside it ask for something else than a distance.
        let is_height = self.is_height(number);
        let asked = slots.iter().find(|(slot, asked, _)| (*asked || is_height) && !is_distance(*slot));
        if let Some((slot, ..)) = asked.copied()
            && let Some((handle, heuristic)) = self.measured(number, slot).or_else(|| self.holder(number, slot))
        {
            self.value(handle, slot, value, heuristic, number);
            return;
        }
        let distance = slots.iter().map(|(slot, ..)| *slot).find(|slot| is_distance(*slot));
        if distance.is_some_and(|slot| self.said_distance(number, slot, value)) {
            return;
        }
        if let Some((slot, ..)) = slots.iter().copied().find(|(slot, _, plain)| *plain && !is_distance(*slot))
            && !self.is_distance(number)
            && let Some((handle, heuristic)) = self.holder(number, slot)
            // "Drei Tage lang", "alle zehn Minuten": of the page's thing only what a word says to be its duration.
            && (!self.focuses.contains(&handle) || self.says_duration(number))
        {
            self.value(handle, slot, value, heuristic, number);
        }
    }

    /// Of the things that are so far away.
    fn said_distance(&mut self, number: usize, slot: SlotId, value: &str) -> bool {
        let targets = self.distances.iter().filter(|(_, distance)| **distance == number);
        let mut targets: Vec<_> = targets.map(|(target, _)| *target).collect();
        targets.sort_unstable();
        let mut is_said = false;
        for target in targets {
            let handle = self.resolved[target];
            if let Some(handle) = handle.filter(|handle| self.fits(slot, *handle) && !self.focuses.contains(handle)) {
                self.value(handle, slot, value, "sentence", number);
                is_said = true;
            }
        }
        is_said
    }

    /// "Hochkopf (1263 m)": so high is it, and not so far.
    fn is_height(&self, number: usize) -> bool {
        let (all, mention) = (&self.m.tokens.all, self.mention(number));
        let is_sign =
            |at: Option<usize>, sign: &str| at.and_then(|at| all.get(at)).is_some_and(|at| &*at.lower == sign);
        let is_short = mention.literal().is_some_and(|(_, value)| value.ends_with(" m") || value.ends_with(" ft"));
        let before = mention.tokens.start.checked_sub(1);
        is_short && is_sign(before, "(") && is_sign(Some(mention.tokens.end), ")") && self.high_before(number).is_some()
    }

    /// What is high by its kind, right before a bracket.
    fn high_before(&self, number: usize) -> Option<usize> {
        let mention = self.mention(number);
        let before = number.checked_sub(1).filter(|before| self.mention(*before).line == mention.line)?;
        let other = self.mention(before);
        let class = match &other.what {
            What::Thing(class) | What::Place(class) => *class,
            _ => return None,
        };
        let is_high = self.m.domain.rules.high.iter().any(|high| self.is_a(class, *high));
        (is_high && other.tokens.end + 1 == mention.tokens.start).then_some(before)
    }

    /// What is so high, if it stands right beside: "der 28 Meter hohe Bergfried", "Hochkopf (1263 m)".
    fn measured(
        &mut self,
        number: usize,
        slot: gatherer_abstracts::ontology::SlotId,
    ) -> Option<(Handle, &'static str)> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let size = self.m.tokens.all.get(mention.tokens.end).filter(|size| language.has("sizes", &size.lower));
        let behind = size.map(|_| number + 1).filter(|next| {
            let next = self.m.mentions.get(*next);
            next.is_some_and(|next| next.line == mention.line && next.tokens.start == mention.tokens.end + 1)
        });
        let other = behind.or_else(|| self.high_before(number))?;
        let (What::Thing(class) | What::Place(class)) = self.mention(other).what else { return None };
        if !self.m.domain.ontology.fits_domain(slot, &[class]) {
            return None;
        }
        if self.resolved[other].is_none() {
            let focus = self.focus(number)?;
            let types = self.builder.types(focus).to_vec();
            let leads = types.iter().find_map(|from| self.pick(*from, class, other))?;
            let handle = self.instance(other, class);
            self.resolved[other] = Some(handle);
            self.link(focus, leads, handle, "sentence", other);
        }
        self.resolved[other].map(|handle| (handle, "adjacent"))
    }

    /// So far is this place.
    pub(super) fn put_measure(&mut self, number: usize, handle: Handle) {
        let Some((kind, value)) = self.mention(number).literal().map(|(kind, value)| (kind, value.to_owned())) else {
            return;
        };
        let rules = &self.m.domain.rules;
        let slots = rules.literals.get(&kind).into_iter().flatten().map(|slot| slot.slot);
        let slot = slots.into_iter().find(|slot| rules.distance.contains(slot) && self.fits(*slot, handle));
        if let Some(slot) = slot {
            self.value(handle, slot, &value, "sentence", number);
        }
    }

    fn says_duration(&self, number: usize) -> bool {
        let words = &self.m.languages.of(self.tongue(number)).durations;
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let mut own = self.m.tokens.all[line].iter().filter(|token| token.sentence == mention.sentence);
        let labels = &self.context(number).label_words;
        // "Join us for ninety minutes of murder"
        let before = mention.tokens.start.checked_sub(1).map(|before| &*self.m.tokens.all[before].lower);
        let is_event = self.focus(number).is_some_and(|focus| self.is_event(focus));
        if is_event && before == Some("for") && self.tongue(number) == Tongue::English {
            return true;
        }
        own.any(|token| words.contains(&*token.lower)) || labels.iter().any(|word| words.contains(&**word))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::read;
    use gatherer_abstracts::model::Filler;

    /// What lies how far from a house, as `name distance`.
    fn check(text: &str, expected: &[&str]) {
        let page = format!(
            "<title>Hollin Guest House</title><h1>Hollin Guest House</h1><p>Our guest house has six rooms.</p><h2>Nearby</h2>{text}"
        );
        let house = read(&page).instances.swap_remove(0);
        let told = house.slots.iter().filter(|slot| slot.name == "liegt_nahe").filter_map(|slot| {
            let Filler::Instance(one) = &slot.filler else { return None };
            let name = one.name.as_ref().map(|name| name.text.as_str()).or(one.lemma.as_deref())?;
            let is_far = |name: &str| matches!(name, "hat_Entfernung" | "hat_Wegzeit");
            Some(format!("{name} {}", one.values.iter().find(|value| is_far(&value.name))?.text))
        });
        assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_distance_is_that_of_what_the_clause_is_about() {
        check(
            "<p>The Tarr Arms in Culverleigh does a good roast and is a 15 minute walk away.</p>",
            &["The Tarr Arms PT15M"],
        );
        check(
            "<p>The museum in Ludlow is 3 miles away, and the beach at Minehead 5 miles.</p>",
            &["museum 3 mi", "beach 5 mi"],
        );
    }

    #[test]
    fn no_distance_is_left_over() {
        check("<p>Children like the Thursby Otter Park, 2 miles up the road.</p>", &["Thursby Otter Park 2 mi"]);
        check("<p>The nearest railway station is Sheringham (9 miles).</p>", &["Sheringham 9 mi"]);
    }

    #[test]
    fn the_name_behind_a_word_names_what_it_means() {
        check("<p>The nearest railway station is Tiverton Parkway (20 miles).</p>", &["Tiverton Parkway 20 mi"]);
    }
}
