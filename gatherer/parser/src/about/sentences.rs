//! Names in sentences: in quotes, pointed out, as subjects, called like the page's address, or with capitals of their own.

use super::names::{LONGEST, Offers};
use super::weights::Sign;
use crate::focus::Chooser;
use crate::language::Tongue;
use crate::layout::Role;
use crate::names::key;
use crate::tokens::Kind;
use std::ops::Range;

/// A page says in its first lines what it is about.
const LINES: usize = 400;
/// Words of the longest name that an address is made of.
const HOST: usize = 4;

impl Chooser<'_> {
    pub(super) fn offer_from_sentences(&self, offers: &mut Offers<'_, '_>, text: &str) {
        for mark in &self.page.marks {
            let line = self.page.lines.partition_point(|line| line.span.end < mark.end);
            if self.page.lines.get(line).is_some_and(|line| line.span.start <= mark.start) && !mark.is_empty() {
                offers.add_as(line, mark.clone(), Sign::Pointed);
            }
        }
        for line in 0..self.page.lines.len().min(LINES) {
            self.offer_quoted(line, offers);
            self.offer_subjects(line, offers);
            self.offer_hosts(line, offers);
            let role = self.page.lines[line].role;
            if matches!(role, Role::Text | Role::Item | Role::Definition | Role::Description) {
                self.offer_runs(line, offers, text);
            }
        }
    }

    fn offer_quoted(&self, line: usize, offers: &mut Offers<'_, '_>) {
        let mut open: Option<usize> = None;
        for place in self.tokens.lines[line].clone() {
            let sign = &self.page.text[self.tokens.all[place].span.clone()];
            match open {
                Some(start) if matches!(sign, "“" | "”" | "\"" | "«" | "»" | "’" | "‘") => {
                    if place > start + 1 && place - start <= LONGEST + 2 {
                        offers.add(line, self.span_of(start + 1..place), None);
                    }
                    open = None;
                }
                None if matches!(sign, "„" | "“" | "\"" | "»" | "«" | "‚" | "‘") => open = Some(place),
                _ => {}
            }
        }
    }

    /// Capitals at the beginning of a sentence that a verb of being follows.
    fn offer_subjects(&self, line: usize, offers: &mut Offers<'_, '_>) {
        let range = self.tokens.lines[line].clone();
        let mut start = range.start;
        while start < range.end {
            let sentence = self.tokens.all[start].sentence;
            let end = (start..range.end).find(|at| self.tokens.all[*at].sentence != sentence).unwrap_or(range.end);
            if let Some(stop) = self.subject(line, start, end) {
                offers.add(line, self.span_of(start..stop), None);
            }
            start = end;
        }
    }

    /// Where a subject ends that a verb of being follows.
    pub(super) fn subject(&self, line: usize, start: usize, end: usize) -> Option<usize> {
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_part = |place: usize| {
            let token = &self.tokens.all[place];
            let joins = || {
                let is_between = place > start && place + 1 < end && self.tokens.all[place + 1].is_capital;
                is_between && language.has("name-joins", &token.lower)
            };
            let is_small = language.is_small(&token.lower) && (place > start || end - start <= 3);
            token.kind == Kind::Word && token.is_capital && !is_small || joins()
        };
        let stop = (start..end.min(start + LONGEST + 1)).find(|place| !is_part(*place))?;
        let verb = &self.tokens.all[stop].lower;
        let is_verb = ["presenting", "being", "offering"].iter().any(|list| language.has(list, verb));
        (is_verb && stop > start).then_some(stop)
    }

    /// Runs of words that the page's address is made of.
    fn offer_hosts(&self, line: usize, offers: &mut Offers<'_, '_>) {
        let range = self.tokens.lines[line].clone();
        let is_part = |at: &usize| {
            let token = &self.tokens.all[*at];
            token.kind == Kind::Word && token.is_capital && token.lower.chars().count() > 2
        };
        let language = self.languages.of(self.tokens.tongues[line]);
        let may_begin = |at: &usize| {
            let word = &self.tokens.all[*at].lower;
            self.hosts.may_have(word) || language.is_small(word) || language.has("name-begins", word)
        };
        for place in range.clone().filter(|place| is_part(place) && may_begin(place)) {
            let words = (place..range.end.min(place + HOST)).take_while(is_part).count();
            let runs = (1..=words).rev().map(|words| self.span_of(place..place + words));
            let is_host = |span: &Range<usize>| {
                let own = key(&self.page.text[span.clone()]);
                self.is_host(&own) || self.is_mail_host(&own)
            };
            runs.into_iter().find(is_host).into_iter().for_each(|span| offers.add(line, span, None));
        }
    }

    /// Runs of capitals, with the small words that join them, and their parts.
    fn offer_runs(&self, line: usize, offers: &mut Offers<'_, '_>, text: &str) {
        let language = self.languages.of(self.tokens.tongues[line]);
        let range = self.tokens.lines[line].clone();
        let is_word = |at: usize| {
            let token = &self.tokens.all[at];
            token.kind == Kind::Word && token.is_capital && !language.is_small(&token.lower)
        };
        let joins = |at: usize| language.has("name-joins", &self.tokens.all[at].lower);
        let mut place = range.start;
        while place < range.end {
            if !is_word(place) {
                place += 1;
                continue;
            }
            let mut parts = vec![place];
            let mut end = place + 1;
            while end < range.end {
                let next = (end..range.end.min(end + 3)).find(|at| !joins(*at)).filter(|at| is_word(*at));
                let Some(next) = next else { break };
                if next > end {
                    self.offer_run(line, place..end, text, offers);
                    parts.push(next);
                }
                end = next + 1;
            }
            parts.iter().for_each(|part| self.offer_run(line, *part..end, text, offers));
            // "6. Ebersroder Kurzfilmtage"
            let number = place.checked_sub(2).filter(|at| *at >= range.start);
            let is_numbered =
                |at: &usize| self.tokens.all[*at].kind == Kind::Number && &*self.tokens.all[*at + 1].lower == ".";
            if let Some(number) = number.filter(is_numbered) {
                offers.add(line, self.span_of(number..end), None);
            }
            place = end;
        }
    }

    /// A run that no lexicon knows whole, if something says that it is a name: what stands before it, or that it comes again.
    fn offer_run(&self, line: usize, run: Range<usize>, text: &str, offers: &mut Offers<'_, '_>) {
        let tongue = self.tokens.tongues[line];
        let (language, lexicon) = (self.languages.of(tongue), self.domain.lexicon(tongue));
        let words = &self.tokens.all[run.clone()];
        let is_strange = words
            .iter()
            .any(|token| token.kind == Kind::Word && !lexicon.knows(&token.lower) && !language.is_small(&token.lower));
        if words.len() > LONGEST + 2 || !is_strange {
            return;
        }
        let span = self.span_of(run.clone());
        let before = run.start.checked_sub(1).filter(|at| self.tokens.lines[line].contains(at));
        let is_cued = before.is_some_and(|at| {
            let word = &*self.tokens.all[at].lower;
            let lists = ["articles", "naming", "at", "calling"];
            is_quote(word) || lists.iter().any(|list| language.has(list, word))
        });
        let is_again = || {
            let wanted = format!(" {} ", key(&self.page.text[span.clone()]));
            memchr::memmem::find_iter(text.as_bytes(), wanted.as_bytes()).nth(1).is_some()
        };
        if is_cued || words.len() > 1 && tongue == Tongue::English || is_again() {
            offers.add(line, span, None);
        }
    }

    fn span_of(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens.all[tokens.start].span.start..self.tokens.all[tokens.end - 1].span.end
    }
}

pub(super) fn is_quote(word: &str) -> bool {
    matches!(word, "\"" | "„" | "“" | "”" | "»" | "«" | "‚" | "‘" | "’" | "'")
}
