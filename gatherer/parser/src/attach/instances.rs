//! What a mention stands for: one instance for each name on the whole page, and for each word in each scope.

use super::{Attach, place};
use crate::keys::key;
use crate::mentions::Article;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

impl Attach<'_> {
    /// The instance for a thing without a name; one for each word in each scope.
    pub(super) fn instance(&mut self, number: usize, class: ClassId) -> Handle {
        let mention = &self.m.mentions[number];
        if let Some(name) = mention.name.clone() {
            return self.named_instance(&name, &mention.span.clone(), class);
        }
        if let Some(named) = self.only_named(number, class) {
            let (name, span) = (self.mention(named).name.clone().unwrap_or_default(), self.mention(named).span.clone());
            return self.named_instance(&name, &span, class);
        }
        let mention = self.mention(number);
        let scope = self.scope(number).unwrap_or(usize::MAX);
        let lemma = mention.lemma.clone();
        let shared = self.shared_lemma(number, class);
        if let Some(handle) = self.things.get(&(scope, class, shared.clone())).copied() {
            // A heading gives the name only until the text does.
            if self.pending.contains_key(&handle) && !self.context(number).is_heading {
                self.builder.replace_lemma(handle, &lemma);
            }
            return handle;
        }
        let handle = self.builder.instance(class);
        self.builder.set_lemma(handle, &lemma);
        self.things.insert((scope, class, shared), handle);
        handle
    }

    /// "Das Restaurant ist bis 22 Uhr geöffnet" where "unser Restaurant Schnitzerstube" is the only one that is named.
    fn only_named(&self, number: usize, class: ClassId) -> Option<usize> {
        let mention = self.mention(number);
        let rules = &self.m.domain.rules;
        let is_part = [rules.eatery, rules.hall].into_iter().flatten().any(|part| self.is_a(class, part));
        if !is_part || mention.count.is_some() || matches!(mention.article, Article::Indefinite | Article::Negative) {
            return None;
        }
        let scope = self.scope(number);
        let is_one = |other: &usize| {
            let other = self.mention(*other);
            other.name.is_some() && other.class().is_some_and(|other| self.is_a(other, class))
        };
        let mut named = (0..self.m.mentions.len()).filter(is_one).filter(|other| self.scope(*other) == scope);
        let first = named.next()?;
        let called = |other: usize| self.mention(other).name.as_deref().map(key);
        let is_only = named.all(|other| called(other) == called(first));
        (is_only && self.is_of_house(first)).then_some(first)
    }

    /// "Unser Restaurant Schnitzerstube", "our restaurant The Net Loft": said to be of the house.
    fn is_of_house(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let start = self.m.tokens.lines[mention.line].start;
        let before = &self.m.tokens.all[mention.tokens.start.saturating_sub(3).max(start)..mention.tokens.start];
        before.iter().any(|token| language.has("ours", &token.lower))
    }

    /// What all words for a unit have in common: "double" and "double room", "bedroom" and "guest room".
    fn shared_lemma(&self, number: usize, class: ClassId) -> String {
        let lemma = &self.mention(number).lemma;
        let is_unit = self.m.domain.rules.counted.first().is_some_and(|unit| self.is_a(class, *unit));
        let language = self.m.languages.of(self.tongue(number));
        if !is_unit || !language.has("rooms", lemma.rsplit(' ').next().unwrap_or_default()) {
            return lemma.clone();
        }
        let words = lemma.split(' ').filter(|word| !language.has("rooms", word)).collect::<Vec<_>>();
        words.join(" ")
    }

    /// The instance of this name; one on the whole page.
    pub(super) fn named_instance(&mut self, name: &str, span: &Range<usize>, class: ClassId) -> Handle {
        let own = key(name);
        let known = self.named.get(&own).copied().or_else(|| {
            // "Atrium Hotel" is the "Atrium Hotel Krüger".
            let mut longer: Vec<_> = self
                .named
                .iter()
                .filter(|(other, handle)| {
                    let begins =
                        |one: &str, with: &str| one.strip_prefix(with).is_some_and(|rest| rest.starts_with(' '));
                    let ends = |one: &str, with: &str| one.strip_suffix(with).is_some_and(|rest| rest.ends_with(' '));
                    let known = self.class_of(**handle);
                    // "Boskoop" in the table of prices is the "Ferienwohnung Boskoop".
                    let units = self.m.domain.rules.counted.first();
                    let are_units = units.is_some_and(|unit| self.is_a(known, *unit) && self.is_a(class, *unit));
                    (begins(other, &own) || ends(other, &own) || begins(&own, other))
                        && (are_units || self.is_a(known, class) || self.is_a(class, known))
                })
                .map(|(other, handle)| (other.clone(), *handle))
                .collect();
            longer.sort();
            longer.first().map(|(_, handle)| *handle)
        });
        if let Some(handle) = known {
            return handle;
        }
        let handle = self.builder.instance(class);
        self.builder.set_name(handle, name, place(self.m.page, span));
        self.know(own, handle);
        handle
    }

    /// What a name stands for from now on; units are known by the end of their names as well, if no other ends so.
    pub(super) fn know(&mut self, name: String, handle: Handle) {
        let unit = self.m.domain.rules.counted.first().copied();
        if unit.is_some_and(|unit| self.is_a(self.class_of(handle), unit)) {
            let starts = name.match_indices(' ').map(|(at, _)| at + 1);
            for start in starts {
                let known = self.unit_ends.entry(name[start..].to_owned()).or_insert(Some(handle));
                *known = known.filter(|known| *known == handle);
            }
            self.unit_ends.insert(name.clone(), Some(handle));
        }
        self.named.insert(name, handle);
    }
}
