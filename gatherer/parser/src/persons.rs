//! Names of people, by their first names.

use crate::layout::Page;
use crate::tokens::{Kind, Token};
use crate::words::Quick;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// What people are called.
#[derive(Debug)]
pub(crate) struct Names {
    first: HashSet<&'static str, BuildHasherDefault<Quick>>,
}

impl Names {
    pub(crate) fn shipped() -> Self {
        let lines = include_str!("../languages/firstnames.txt").lines().filter(|line| !line.starts_with('#'));
        Self { first: lines.flat_map(str::split_whitespace).collect() }
    }

    /// Whether people are called so.
    pub(crate) fn is_first(&self, name: &str) -> bool {
        self.first.contains(name)
    }

    /// How many of these tokens are the name of a person.
    pub(crate) fn person(&self, page: &Page, tokens: &[Token]) -> Option<usize> {
        let text = |token: &Token| &page.text[token.span.clone()];
        let is_first = |token: &Token| {
            let name = text(token);
            self.first.contains(name)
                || name
                    .split_once('-')
                    .is_some_and(|(one, other)| self.first.contains(one) && other.starts_with(char::is_uppercase))
        };
        let first = tokens.first()?;
        let title =
            matches!(text(first), "Dr" | "Prof" | "Pfarrer" | "Kantor" | "Kapitän" | "Sir" | "Rev" | "Revd" | "Pastor");
        let mut at = 0;
        if title {
            at = 1 + usize::from(tokens.get(1).is_some_and(|token| &*token.lower == "."));
            if tokens.get(at).is_some_and(|token| matches!(text(token), "Dr")) {
                at += 1 + usize::from(tokens.get(at + 1).is_some_and(|token| &*token.lower == "."));
            }
        }
        let start = at;
        while tokens.get(at).is_some_and(is_first) {
            at += 1;
            // "Karin und Peter Petersen", "Tom & Sue Hill"
            let joins = tokens.get(at).is_some_and(|token| matches!(&*token.lower, "und" | "and" | "&"));
            if joins
                && tokens.get(at + 1).is_some_and(|token| token.is_capital && token.kind == Kind::Word)
                && tokens.get(at + 2).is_some_and(|token| token.is_capital && token.kind == Kind::Word)
            {
                at += 2;
            }
        }
        if at == start && !title {
            return None;
        }
        // An initial, a particle, then the last name.
        if tokens.get(at).is_some_and(|token| token.is_capital && token.lower.len() == 1)
            && tokens.get(at + 1).is_some_and(|token| &*token.lower == ".")
        {
            at += 2;
        }
        while tokens.get(at).is_some_and(|token| matches!(text(token), "von" | "van" | "de" | "zu" | "der" | "O")) {
            at += 1;
        }
        let is_last = |last: &Token| {
            last.kind == Kind::Word
                && last.is_capital
                && last.lower.chars().count() > 1
                && last.sentence == first.sentence
        };
        if tokens.get(at).is_some_and(is_last) {
            return Some(at + 1);
        }
        // "Gethin Lewis": the last of several first names is the name of the family.
        (at >= start + 2 && tokens.get(at - 1).is_some_and(is_last)).then_some(at)
    }
}
