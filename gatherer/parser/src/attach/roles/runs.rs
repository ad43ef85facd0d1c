//! What may be a name: words with capitals that stand together.

use super::super::Attach;
use crate::layout::{Line, Region, Role};
use crate::tokens::Kind;
use std::ops::Range;

/// The longest name, and the longest run of words in which names are looked for.
const LONGEST_NAME: usize = 7;
const LONGEST_RUN: usize = 12;

impl Attach<'_> {
    /// Whether names in this line are looked at.
    pub(super) fn has_names(&self, line: usize) -> bool {
        let Line { role, region, .. } = self.m.page.lines[line];
        !self.contexts[line].skip
            && region != Region::Navigation
            && self.m.outline.of_line[line].is_some()
            && !matches!(role, Role::Title | Role::Keywords | Role::Image | Role::Description)
    }

    /// Words with capitals that stand together, also with small ones between them that names have.
    pub(in crate::attach) fn runs(&self, line: usize) -> Vec<Range<usize>> {
        let range = self.m.tokens.lines[line].clone();
        let mut runs = Vec::new();
        let mut at = range.start;
        while at < range.end {
            if !self.is_capital(at) {
                at += 1;
                continue;
            }
            let (start, mut last) = (at, at + 1);
            at += 1;
            while at < range.end.min(start + LONGEST_RUN)
                && self.m.tokens.all[at].sentence == self.m.tokens.all[start].sentence
            {
                if self.is_capital(at) {
                    last = at + 1;
                } else if !self.may_be_inside(at) {
                    break;
                }
                at += 1;
            }
            at = last;
            runs.push(start..last);
        }
        runs
    }

    /// The names that a run may hold: what is left of it when words that are none are taken from its ends.
    pub(in crate::attach) fn names_in(&self, run: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let starts = run.clone().filter(|start| self.is_capital(*start) && self.may_begin(*start, run));
        let starts = starts.filter(|start| start + 1 == run.end || !self.is_person_word(*start));
        starts.flat_map(move |start| {
            let ends = start + 1..=run.end.min(start + LONGEST_NAME);
            let is_name = move |end: &usize| {
                let is_alone = end - start == 1 && self.is_common(start);
                self.is_capital(end - 1) && self.may_end(*end, run) && !is_alone && !self.is_offer(start..*end)
            };
            ends.filter(is_name).map(move |end| start..end)
        })
    }

    /// "bietet der Förderverein Führungen an": what a society offers is no part of its name.
    fn is_offer(&self, words: Range<usize>) -> bool {
        let first = &self.m.tokens.all[words.start];
        let language = self.m.languages.of(self.m.tokens.tongues[first.line as usize]);
        words.len() > 1
            && language.ends_like("societies", &first.lower)
            && (words.start + 1..words.end).all(|at| self.is_capital(at) && self.is_common(at))
    }

    fn may_begin(&self, start: usize, run: &Range<usize>) -> bool {
        let is_first = || self.m.names.is_first(&self.m.page.text[self.m.tokens.all[start].span.clone()]);
        start == run.start || !self.is_capital(start - 1) || self.is_common(start - 1) || is_first()
    }

    /// "Küchenchef Mattis Brühl": it says what he is, and is no part of his name; "Familie Brühl" is one.
    fn is_person_word(&self, at: usize) -> bool {
        let token = &self.m.tokens.all[at];
        let lexicon = self.m.domain.lexicon(self.m.tokens.tongues[token.line as usize]);
        let is_family = || lexicon.kind(&token.lower).is_some_and(|class| Some(class) == self.m.domain.rules.family);
        self.m.domain.cues.persons.contains(&*token.lower) && !is_family()
    }

    fn may_end(&self, end: usize, run: &Range<usize>) -> bool {
        end == run.end || !self.is_capital(end) || self.is_common(end)
    }

    /// Whether a word is known: it may stand beside a name as well as in it, but is none alone.
    fn is_common(&self, at: usize) -> bool {
        let token = &self.m.tokens.all[at];
        let tongue = self.m.tokens.tongues[token.line as usize];
        let language = self.m.languages.of(tongue);
        self.m.domain.lexicon(tongue).knows(&token.lower)
            || language.classes.contains_key(&*token.lower)
            || language.headings.contains(&*token.lower)
            || language.has("titles", &self.m.page.text[token.span.clone()])
    }

    pub(super) fn is_capital(&self, at: usize) -> bool {
        let token = &self.m.tokens.all[at];
        token.kind == Kind::Word && token.is_capital
    }

    /// "Friends of the Mill", "Freunde der Mühle", "Zwirn & Faden", "St. Goar"
    fn may_be_inside(&self, at: usize) -> bool {
        let token = &self.m.tokens.all[at];
        let is_short = || self.m.tokens.all[at - 1].lower.chars().count() <= 2;
        self.m.languages.of(self.m.tokens.tongues[token.line as usize]).has("inside-names", &token.lower)
            || &*token.lower == "." && is_short()
    }
}
