//! Chunks: a cascade of finite-state rules over classes of words, read from a text file.
//!
//! A rule is `NAME = pattern`. A pattern is made of names (of classes of words, or of chunks found by rules above it),
//! `|`, `?`, `*`, `+` and parentheses. Rules are applied in their order; what one has found is one sign for those below.

use regex::Regex;
use std::collections::HashMap;
use std::ops::Range;

/// The grammar that comes with the program; a domain may bring its own.
pub const SHIPPED: &str = include_str!("../languages/chunks.txt");

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The number of the rule that found it.
    pub rule: usize,
    /// Its signs, as they were given.
    pub signs: Range<usize>,
}

/// A compiled grammar.
#[derive(Debug)]
pub struct Grammar {
    letters: HashMap<String, char>,
    rules: Vec<(String, char, Regex)>,
}

/// Signs are letters of the private use area, so that patterns need no escapes.
const FIRST: u32 = 0xE000;

impl Grammar {
    /// Compiles a grammar.
    ///
    /// # Errors
    /// The line and what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut grammar = Self { letters: HashMap::new(), rules: Vec::new() };
        for (place, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            grammar.rule(line).map_err(|problem| format!("line {}: {problem}", place + 1))?;
        }
        Ok(grammar)
    }

    fn rule(&mut self, line: &str) -> Result<(), String> {
        let (name, pattern) = line.split_once('=').ok_or("has no =")?;
        let name = name.trim();
        if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
            return Err(format!("{name} is no name of a chunk"));
        }
        let mut compiled = String::new();
        let mut word = String::new();
        for letter in pattern.chars().chain([' ']) {
            if letter.is_alphanumeric() {
                word.push(letter);
                continue;
            }
            if !word.is_empty() {
                compiled.push(self.letter(&std::mem::take(&mut word)));
            }
            match letter {
                '|' | '?' | '*' | '+' | '(' | ')' => compiled.push(letter),
                _ if letter.is_whitespace() => {}
                _ => return Err(format!("{letter} has no meaning in a pattern")),
            }
        }
        let regex = Regex::new(&compiled).map_err(|_| format!("{} is no pattern", pattern.trim()))?;
        let sign = self.letter(name);
        self.rules.push((name.to_owned(), sign, regex));
        Ok(())
    }

    fn letter(&mut self, name: &str) -> char {
        let next = FIRST + u32::try_from(self.letters.len()).unwrap_or(0);
        *self.letters.entry(name.to_owned()).or_insert(char::from_u32(next).unwrap_or('\u{e000}'))
    }

    /// The name of a rule.
    pub fn name(&self, rule: usize) -> &str {
        &self.rules[rule].0
    }

    /// All chunks of a row of classes, inner ones first.
    pub fn parse(&self, classes: &[&str]) -> Vec<Chunk> {
        let other = '\u{f8ff}';
        let mut row: Vec<(char, Range<usize>)> = classes
            .iter()
            .enumerate()
            .map(|(place, class)| (self.letters.get(*class).copied().unwrap_or(other), place..place + 1))
            .collect();
        let mut chunks = Vec::new();
        for (number, (_, sign, regex)) in self.rules.iter().enumerate() {
            let text: String = row.iter().map(|(letter, _)| *letter).collect();
            let width = sign.len_utf8();
            let mut next = Vec::with_capacity(row.len());
            let mut done = 0;
            for found in regex.find_iter(&text).filter(|found| !found.is_empty()) {
                let (from, to) = (found.start() / width, found.end() / width);
                next.extend_from_slice(&row[done..from]);
                let signs = row[from].1.start..row[to - 1].1.end;
                chunks.push(Chunk { rule: number, signs: signs.clone() });
                next.push((*sign, signs));
                done = to;
            }
            next.extend_from_slice(&row[done..]);
            row = next;
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(classes: &str, expected: &[&str]) {
        let grammar = Grammar::read(SHIPPED).expect("the shipped grammar compiles");
        let classes: Vec<_> = classes.split(' ').collect();
        let found: Vec<_> = grammar
            .parse(&classes)
            .iter()
            .map(|chunk| format!("{} {}-{}", grammar.name(chunk.rule), chunk.signs.start, chunk.signs.end))
            .filter(|chunk| chunk.starts_with("COORD") || chunk.starts_with("PP"))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_shipped_grammar_finds_enumerations() {
        check("Term Aux Prep Term Conj Term Slash Term Comma Term", &["COORD 3-10", "PP 2-10"]);
        check("Num Term Conj Term Aux", &["COORD 0-4"]);
        check("Det Term Verb Prep Det Noun", &["PP 3-6"]);
    }

    #[test]
    fn bad_grammars_are_refused() {
        for bad in ["NP Det", "NP = (Det", "= Det", "NP = Det % Noun"] {
            assert!(Grammar::read(bad).is_err(), "{bad}");
        }
    }
}
