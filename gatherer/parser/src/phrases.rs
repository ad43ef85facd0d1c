//! Mentions that no entry of the lexicon makes alone: families, shared nouns, names that a foreign engine knows.

use crate::language::Tongue;
use crate::lexicon::Concept;
use crate::mentions::{Mention, Reader, What};
use crate::names::clean;
use crate::tokens::{Kind, Token};
use gatherer_abstracts::annotate::EntityKind;
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

/// So many words behind one for cooking it may be said how that is done.
const COOKING_REACH: usize = 12;

impl Reader<'_> {
    /// "the Furlong family"
    pub(crate) fn is_family(&self, tokens: &[Token], tongue: Tongue) -> bool {
        tongue == Tongue::English
            && tokens[0].is_capital
            && tokens.get(1).is_some_and(|next| &*next.lower == "family")
            && !self.languages.of(tongue).classes.contains_key(&*tokens[0].lower)
            && !self.domain.lexicon(tongue).knows(&tokens[0].lower)
    }

    /// "Familie Maria und Josef Zwirnleitner", "Familie Trautwein": how many tokens such a name has, if its words could mean something else.
    pub(crate) fn family_at(&self, tokens: &[Token], tongue: Tongue) -> Option<usize> {
        let is_name = |at: usize| {
            tokens.get(at).is_some_and(|token| {
                token.is_capital && token.kind == Kind::Word && token.sentence == tokens[0].sentence
            })
        };
        if tongue != Tongue::German || &*tokens[0].lower != "familie" || !tokens[0].is_capital || !is_name(1) {
            return None;
        }
        let is_couple =
            tokens.get(2).is_some_and(|token| matches!(&*token.lower, "und" | "&")) && is_name(3) && is_name(4);
        if is_couple {
            return Some(5);
        }
        let is_strange = self.lookup(&tokens[1..], tongue).is_none();
        (!is_strange && !is_name(2)).then_some(2)
    }

    /// "Gutbürgerliche und badische Küche": the first adjective has the noun of the second.
    pub(crate) fn shared_style(
        &self,
        line: usize,
        range: Range<usize>,
        tongue: Tongue,
        all: &mut Vec<Mention>,
    ) -> Option<usize> {
        let tokens = &self.tokens.all[range.clone()];
        let joins = |token: &Token| matches!(&*token.lower, "und" | "and" | "&" | "," | "sowie");
        let joint = tokens.get(1).filter(|token| joins(token))?;
        let language = self.languages.of(tongue);
        let is_adjective = tokens[0].kind == Kind::Word
            && joint.sentence == tokens[0].sentence
            && !language.classes.contains_key(&*tokens[0].lower);
        let (hit, tongue) = self.lookup(tokens.get(2..).filter(|rest| is_adjective && !rest.is_empty())?, tongue)?;
        let entry = &self.domain.lexicon(tongue).entries[hit.entry];
        let Concept::Thing(class) = entry.concept else { return None };
        let base = crate::morphology::adjective_base(&tokens[0].lower, language);
        // Adjectives are small, but at the beginning of a sentence.
        let is_first = range.start == 0 || self.tokens.all[range.start - 1].sentence != tokens[0].sentence;
        if tongue == Tongue::German && tokens[0].is_capital && !is_first {
            return None;
        }
        let is_bent = base != *tokens[0].lower || tongue == Tongue::English && tokens[0].is_capital;
        if !entry.flags.style || hit.tokens < 2 || !is_bent {
            return None;
        }
        let place = range.start;
        let mut mention = self.mention(line, self.span(place..place + 1), place..place + 1, What::Thing(class));
        mention.lemma = base;
        mention.flags = entry.flags;
        all.push(mention);
        Some(place + 1)
    }

    /// A place with a name of its own, and how many tokens it has.
    pub(crate) fn place_at(&self, tokens: &[Token], tongue: Tongue) -> Option<(usize, ClassId)> {
        let words = tokens.iter().map(|token| &self.page.text[token.span.clone()]);
        let known = tokens[0].is_capital.then(|| self.domain.places.find(words)).flatten();
        // "Newcastle Emlyn" is not Newcastle.
        let longer = |length: usize| {
            let ends = (length + 1..=tokens.len().min(length + 2)).rev();
            let mut ends = ends.filter(|end| tokens[end - 1].sentence == tokens[0].sentence);
            let end = ends
                .find(|end| self.domain.towns.has(&self.page.text[tokens[0].span.start..tokens[end - 1].span.end]))?;
            Some((end, self.domain.rules.town?))
        };
        let known = known.map(|(length, class)| longer(length).unwrap_or((length, class)));
        let spa = || {
            let [bad, name, ..] = tokens else { return None };
            let is_spa = tongue == Tongue::German
                && &self.page.text[bad.span.clone()] == "Bad"
                && name.is_capital
                && name.line == bad.line
                && name.lower.chars().count() > 3
                && !self.domain.lexicon(tongue).knows(&name.lower)
                && bad.sentence == name.sentence;
            self.domain.rules.town.filter(|_| is_spa).map(|town| (2, town))
        };
        known.or_else(spa).or_else(|| {
            let length = Self::isle(tokens, tongue)?;
            match self.domain.lexicon(tongue).entry("isle")?.concept {
                Concept::Thing(class) => Some((length, class)),
                _ => None,
            }
        })
    }

    /// "Bushaltestelle Alte Kelter", "Haltestelle „Rathaus“": what follows the word for a stop is its name.
    pub(crate) fn named_stops(&self, all: &mut Vec<Mention>) {
        let is_quote = |at: usize| matches!(&*self.tokens.all[at].lower, "„" | "\"" | "»" | "“");
        let name = |stop: &Mention| {
            let end = self.tokens.lines[stop.line].end;
            let is_stop = stop.flags.placed && !stop.flags.name && stop.name.is_none();
            let start = stop.tokens.end + usize::from(stop.tokens.end < end && is_quote(stop.tokens.end));
            let is_name = |at: &usize| {
                let token = &self.tokens.all[*at];
                token.kind == Kind::Word && token.is_capital && token.sentence == stop.sentence
            };
            let is_read = is_stop && self.tokens.tongues[stop.line] == Tongue::German;
            let last = (start..end.min(start + 3)).take_while(is_name).last().filter(|_| is_read)?;
            let span = stop.span.start..self.tokens.all[last].span.end;
            let text = clean(&self.page.text[self.span(start..last + 1)]);
            Some(Mention { name: Some(text), span, tokens: stop.tokens.start..last + 1, ..stop.clone() })
        };
        let found: Vec<Mention> = all.iter().filter_map(name).collect();
        // What stands in a name is no thing of its own.
        let is_inside = |mention: &Mention| {
            let next = found.partition_point(|stop| stop.tokens.end <= mention.tokens.start);
            found.get(next).is_some_and(|stop| stop.tokens.start <= mention.tokens.start)
        };
        all.retain(|mention| mention.literal().is_some() || !is_inside(mention));
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// "Isle of Skarra", also where no table knows it.
    fn isle(tokens: &[Token], tongue: Tongue) -> Option<usize> {
        let [isle, of, name, ..] = tokens else { return None };
        let is_isle = tongue == Tongue::English && &*isle.lower == "isle" && isle.is_capital && &*of.lower == "of";
        (is_isle && name.is_capital && name.kind == Kind::Word).then_some(3)
    }

    /// "Italian restaurant": how it cooks stands before what it is.
    pub(crate) fn cuisine_before(&self, line: usize, place: usize, what: &What, all: &mut Vec<Mention>) {
        let rules = &self.domain.rules;
        let (Some(eatery), Some(cuisine), What::Thing(class)) = (rules.eatery, rules.cuisine, what) else { return };
        let before = place.checked_sub(1).filter(|before| *before >= self.tokens.lines[line].start);
        let Some(before) = before.filter(|_| self.domain.ontology.is_a(*class, eatery)) else { return };
        let token = &self.tokens.all[before];
        // "Italian" is a language elsewhere.
        let is_language = |last: &Mention| last.tokens == (before..place) && matches!(last.what, What::Value(..));
        if all.last().is_some_and(is_language) {
            all.pop();
        }
        let is_free = all.last().is_none_or(|last| last.tokens.end <= before);
        if is_free && self.languages.of(self.tokens.tongues[line]).has("cuisines", &token.lower) {
            let mut mention = self.mention(line, token.span.clone(), before..place, What::Thing(cuisine));
            mention.lemma = token.lower.to_string();
            all.push(mention);
        }
    }

    /// "Gekocht wird badisch", "Die Küche ist norddeutsch und mediterran", "Our cooking is plain Scottish": how a kitchen cooks, said
    /// behind a word for cooking.
    pub(crate) fn said_cuisines(&self, all: &mut Vec<Mention>) {
        let Some(cuisine) = self.domain.rules.cuisine else { return };
        for (line, range) in self.tokens.lines.iter().enumerate() {
            let language = self.languages.of(self.tokens.tongues[line]);
            let mut told = Vec::new();
            for place in range.clone().filter(|place| language.has("cooking", &self.tokens.all[*place].lower)) {
                let sentence = self.tokens.all[place].sentence;
                let behind = place + 1..range.end.min(place + COOKING_REACH);
                let of_sentence = behind.take_while(|at| self.tokens.all[*at].sentence == sentence);
                told.extend(of_sentence.filter(|at| self.is_said_cuisine(place, *at)));
            }
            told.sort_unstable();
            told.dedup();
            for at in
                told.into_iter().filter(|at| all.iter().all(|known| !known.tokens.contains(at))).collect::<Vec<_>>()
            {
                let token = &self.tokens.all[at];
                let mut mention = self.mention(line, token.span.clone(), at..at + 1, What::Thing(cuisine));
                mention.lemma = token.lower.to_string();
                let behind = all.partition_point(|known| known.tokens.start < at);
                all.insert(behind, mention);
            }
        }
    }

    /// Whether a word behind one for cooking says how it is done: it has no ending, and nothing that it could belong to.
    fn is_said_cuisine(&self, cooking: usize, at: usize) -> bool {
        let (token, next) = (&self.tokens.all[at], self.tokens.all.get(at + 1));
        let language = self.languages.of(self.tokens.tongues[token.line as usize]);
        let between = &self.tokens.all[cooking + 1..at];
        let is_kitchen = language.has("kitchens", &self.tokens.all[cooking].lower);
        let is_linked = |token: &Token| language.has("linking", &token.lower) || &*token.lower == ":";
        let is_free = next.is_none_or(|next| next.line != token.line || !next.is_capital);
        let is_german = self.tokens.tongues[token.line as usize] == Tongue::German;
        let is_style =
            language.has("cuisines", &token.lower) || is_german && !token.is_capital && token.lower.ends_with("isch");
        let negated = between.iter().any(|token| language.negations.contains(&*token.lower));
        is_style && is_free && !negated && (!is_kitchen || between.first().is_some_and(is_linked))
    }

    /// A name that only the foreign engine knows; the place behind it.
    pub(crate) fn entity(
        &self,
        line: usize,
        range: Range<usize>,
        tongue: Tongue,
        all: &mut Vec<Mention>,
    ) -> Option<usize> {
        let (tokens, kind) = self.entities.iter().find(|(tokens, _)| tokens.start == range.start)?;
        let rules = &self.domain.rules;
        let what = match kind {
            EntityKind::Per if tokens.len() > 1 => What::Agent(rules.person?),
            EntityKind::Org if tokens.len() > 1 => What::Agent(rules.organisation?),
            EntityKind::Loc => What::Place(rules.town?),
            _ => return None,
        };
        let is_name = self.tokens.all[tokens.clone()].iter().all(|token| {
            token.is_capital && token.kind == Kind::Word && !self.domain.lexicon(tongue).knows(&token.lower)
        });
        if !is_name || tokens.end > range.end {
            return None;
        }
        let span = self.span(tokens.clone());
        all.push(self.named(line, tokens.clone(), what, &self.page.text[span]));
        Some(tokens.end)
    }
}
