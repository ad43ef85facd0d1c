//! Numbers of things: right before a noun, or with a word that says what is counted.

use crate::language::Tongue;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What};
use crate::tokens::{Kind, Token};
use std::ops::Range;

impl Reader<'_> {
    /// Numbers right before things: "6 gemütliche Doppelzimmer".
    pub(crate) fn counts(&self, all: &mut [Mention], from: usize) {
        for number in from..all.len() {
            let mention = &all[number];
            if !matches!(mention.what, What::Thing(_)) {
                continue;
            }
            let start = mention.tokens.start;
            // "five en-suite bedrooms"
            let is_passed = |before: &&Mention| {
                let is_english = self.tokens.tongues[mention.line] == Tongue::English;
                is_english && before.tokens.end == start && before.flags.unit.is_none() && before.literal().is_none()
            };
            let floor = all[from..number]
                .iter()
                .filter(|before| !is_passed(before))
                .map(|before| before.tokens.end)
                .max()
                .unwrap_or(0)
                .max(self.tokens.lines[mention.line].start);
            let count =
                self.count_before(mention.tokens.start, floor, self.tokens.tongues[mention.line], mention.sentence);
            all[number].count = count.or_else(|| self.count_in_brackets(mention));
        }
    }

    /// "Double rooms (4)"
    fn count_in_brackets(&self, mention: &Mention) -> Option<(String, Range<usize>)> {
        let end = mention.tokens.end;
        let line = self.tokens.lines[mention.line].end;
        let [open, number, close] = self.tokens.all.get(end..end + 3).filter(|_| end + 3 <= line)? else { return None };
        let unit = self.domain.rules.counted.first().copied();
        let is_unit = mention.class().zip(unit).is_some_and(|(class, unit)| self.domain.ontology.is_a(class, unit));
        let is_number = &*open.lower == "(" && &*close.lower == ")" && number.kind == Kind::Number;
        let value =
            number.lower.parse::<u32>().ok().filter(|value| is_unit && is_number && (1..1000).contains(value))?;
        Some((value.to_string(), number.span.clone()))
    }

    /// Numbers whose word is no thing but says what the number is: "bis 40 Personen", "sleeps 6".
    pub(crate) fn counted_words(&self, line: usize, all: &mut Vec<Mention>, from: usize) {
        let Some(slots) = self.domain.rules.literals.get(&LiteralKind::Count) else { return };
        let is_label = |word: &str| slots.iter().any(|slot| slot.labels.contains(word));
        let mut found = Vec::new();
        for place in self.tokens.lines[line].clone() {
            let word = &*self.tokens.all[place].lower;
            let language = self.languages.of(self.tokens.tongues[line]);
            let counted = if language.has("meant-for", word) && is_label("people") {
                self.for_number(line, place, all, from)
            } else if is_label(word) {
                self.counted_word(line, place, all, from)
            } else {
                None
            };
            found.extend(counted.map(|mention| (place, mention)));
        }
        for (place, mention) in found {
            let taken = (from..all.len())
                .find(|at| all[*at].tokens.contains(&place) && matches!(all[*at].what, What::Thing(_)));
            match taken {
                // Rooms that are also things stay things; the number is theirs.
                Some(at) if matches!(mention.lemma.as_str(), "betten" | "beds" | "schlafplätze") => all[at] = mention,
                Some(_) => {}
                None => {
                    let behind = all[from..].iter().position(|other| other.span.start > mention.span.start);
                    all.insert(behind.map_or(all.len(), |at| from + at), mention);
                }
            }
        }
    }

    /// A word that says what is counted, with its number before or behind it.
    fn counted_word(&self, line: usize, place: usize, all: &[Mention], from: usize) -> Option<Mention> {
        let token = &self.tokens.all[place];
        let taken = all[from..].iter().find(|mention| mention.tokens.contains(&place));
        if taken.is_some_and(|mention| !matches!(mention.what, What::Thing(_))) {
            return None;
        }
        let start = self.tokens.lines[line].start;
        let before = all[from..].iter().map(|mention| mention.tokens.end).filter(|end| *end <= place);
        let floor = before.max().unwrap_or(start).max(start);
        let count = self.count_before(place, floor, self.tokens.tongues[line], token.sentence);
        let (value, span) = count.or_else(|| self.count_behind(line, place, all, from))?;
        let span = span.start.min(token.span.start)..span.end.max(token.span.end);
        let tokens = self.tokens.within(line, &span);
        let mut mention = self.mention(line, span, tokens, What::Literal(LiteralKind::Count, value));
        mention.lemma = token.lower.to_string();
        Some(mention)
    }

    /// "sleeps 6", "Personen: 4"
    fn count_behind(&self, line: usize, place: usize, all: &[Mention], from: usize) -> Option<(String, Range<usize>)> {
        let word = &*self.tokens.all[place].lower;
        let end = self.tokens.lines[line].end.min(place + 4);
        let language = self.languages.of(self.tokens.tongues[line]);
        let spoken = |token: &Token| language.numbers.get(&*token.lower).map(ToString::to_string);
        let next = (place + 1..end).find(|next| {
            let token = &self.tokens.all[*next];
            token.kind == Kind::Number || spoken(token).is_some()
        })?;
        let is_filler =
            |token: &Token| matches!(&*token.lower, ":" | "." | "(") || language.has("at-most", &token.lower);
        let is_clean = self.tokens.all[place + 1..next].iter().all(is_filler);
        let is_free = !all[from..].iter().any(|mention| mention.tokens.contains(&next));
        // "Sleeps 2-3"
        let dash = self.tokens.all.get(next + 1).is_some_and(|token| matches!(&*token.lower, "-" | "–" | "bis" | "to"));
        let high = self
            .tokens
            .all
            .get(next + 2)
            .filter(|token| dash && token.kind == Kind::Number && token.line as usize == line);
        let low = spoken(&self.tokens.all[next]).unwrap_or_else(|| self.tokens.all[next].lower.to_string());
        let found = match high {
            Some(high) => (format!("{low}-{}", high.lower), self.span(place..next + 3)),
            None => (low, self.span(place..next + 1)),
        };
        (language.has("before-count", word) && is_clean && is_free).then_some(found)
    }

    /// "a house for 8 with four bedrooms"
    pub(crate) fn for_number(&self, line: usize, place: usize, all: &[Mention], from: usize) -> Option<Mention> {
        let range = self.tokens.lines[line].clone();
        let number = self.tokens.all[..range.end].get(place + 1)?;
        let language = self.languages.of(self.tokens.tongues[line]);
        let value = number.lower.parse::<u32>().ok().or_else(|| language.numbers.get(&*number.lower).copied())?;
        let ends = self.tokens.all[..range.end]
            .get(place + 2)
            .is_none_or(|next| matches!(&*next.lower, "with" | "in" | "," | "." | "mit" | "und" | "and"));
        let follows = all[from..].iter().rev().find(|mention| mention.tokens.end <= place).is_some_and(|mention| {
            let is_unit = mention.class().is_some_and(|class| {
                self.domain.ontology.class_at(class).is_focus()
                    || self.domain.rules.counted.iter().any(|unit| self.domain.ontology.is_a(class, *unit))
            });
            is_unit && place - mention.tokens.end <= 1
        });
        // "Self catering for four"
        let follows = follows
            || place > range.start
                && language.has("hosting", &self.tokens.all[place - 1].lower)
                && self.tokens.all[place - 1].line as usize == line;
        let is_free = !all[from..].iter().any(|mention| mention.tokens.contains(&(place + 1)));
        if !ends || !follows || !is_free || !(2..=30).contains(&value) {
            return None;
        }
        let mut mention = self.mention(
            line,
            self.span(place..place + 2),
            place..place + 2,
            What::Literal(LiteralKind::Count, value.to_string()),
        );
        "people".clone_into(&mut mention.lemma);
        Some(mention)
    }

    /// A number that belongs to the noun at a place.
    pub(crate) fn count_before(
        &self,
        place: usize,
        floor: usize,
        tongue: Tongue,
        sentence: u32,
    ) -> Option<(String, Range<usize>)> {
        let language = self.languages.of(tongue);
        let mut at = place;
        let mut steps = 0;
        while at > floor && steps < 5 {
            at -= 1;
            steps += 1;
            let token = &self.tokens.all[at];
            if token.sentence != sentence {
                return None;
            }
            let number = match token.kind {
                Kind::Number => token.lower.parse::<u32>().ok(),
                Kind::Word => language
                    .numbers
                    .get(&*token.lower)
                    .copied()
                    .filter(|number| *number > 1 || tongue == Tongue::English && *number == 1 && steps == 1),
                Kind::Sign => None,
            };
            if let Some(number) = number.filter(|number| (1..10_000).contains(number)) {
                // "2-4", "2 bis 4"
                let range = at.checked_sub(2).filter(|low| *low >= floor).and_then(|low| {
                    let join = &*self.tokens.all[at - 1].lower;
                    let is_between = low
                        .checked_sub(1)
                        .is_some_and(|lead| matches!(&*self.tokens.all[lead].lower, "between" | "zwischen"));
                    let is_join = matches!(join, "-" | "–" | "bis" | "to" | "oder" | "or")
                        || is_between && matches!(join, "and" | "und");
                    let first = &self.tokens.all[low];
                    let value =
                        first.lower.parse::<u32>().ok().or_else(|| language.numbers.get(&*first.lower).copied());
                    value.filter(|value| is_join && *value < number).map(|value| (low, value))
                });
                return Some(match range {
                    Some((low, value)) => (format!("{value}-{number}"), self.span(low..place)),
                    None => (number.to_string(), self.span(at..place)),
                });
            }
            // Only adjectives may stand between.
            let is_adjective = token.kind == Kind::Word
                && (!token.is_capital || tongue == Tongue::English)
                && (!matches!(
                    language.classes.get(&*token.lower).map(String::as_str),
                    Some("Prep" | "Conj" | "Verb" | "Aux" | "Pron" | "Det")
                ) || tongue == Tongue::English && token.lower.ends_with("ed"));
            if !is_adjective {
                return None;
            }
        }
        None
    }
}
