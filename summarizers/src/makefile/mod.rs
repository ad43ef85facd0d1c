//! Makefiles.

#[cfg(test)]
mod tests;

use crate::source::head;
use crate::text::{self, Lines};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::borrow::Cow;

pub(crate) const KINDS: &[&str] = &["Makefile"];

/// Most names of one attribute.
const NAMES: usize = 2_000;
/// Stands for what another variable holds.
const REFERENCE: char = '\u{fffc}';
/// Most bytes of the comments before the first rule.
const HEAD: usize = 20 << 10;

/// Targets, variables and included files as attributes, comments as the text.
pub(crate) struct Makefile;

impl Summarizer for Makefile {
    fn name(&self) -> &'static str {
        concat!("makefile ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        let mut reading = Reading::default();
        let mut whole = String::new();
        for line in text.lines() {
            // A backslash at the end of a line joins the next one to it.
            if let Some(part) = line.strip_suffix('\\') {
                whole.push_str(part);
                whole.push(' ');
            } else if whole.is_empty() {
                reading.line(line);
            } else {
                whole.push_str(line);
                reading.line(&std::mem::take(&mut whole));
            }
        }
        reading.line(&whole);
        head::write([reading.head.as_str()].into_iter(), &mut draft);
        draft.add("Targets", &reading.targets.into_text());
        draft.add("Variables", &reading.variables.into_text());
        draft.add("Includes", &reading.includes.into_text());
        draft.set_text(&reading.comments);
        text::refer_bare(&reading.comments, leaf.url, &mut draft);
        Ok(draft)
    }
}

#[derive(Debug)]
struct Reading {
    targets: Lines,
    variables: Lines,
    includes: Lines,
    comments: String,
    /// Comments before anything else.
    head: String,
    begun: bool,
    /// Within `define`: its lines are the value.
    defining: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            targets: Lines::new(NAMES),
            variables: Lines::new(NAMES),
            includes: Lines::new(NAMES),
            comments: String::new(),
            head: String::new(),
            begun: false,
            defining: false,
        }
    }
}

impl Reading {
    fn line(&mut self, line: &str) {
        let words = line.trim();
        if self.defining {
            self.defining = words.split_whitespace().next() != Some("endef");
        } else if let Some(comment) = words.strip_prefix('#').filter(|_| !line.starts_with('\t')) {
            self.comment(comment);
        } else if words.is_empty() {
            self.comment("");
        } else {
            self.begun = true;
            // Recipes are programs for the shell.
            if !line.starts_with('\t') {
                self.statement(words.split(" #").next().unwrap_or(words).trim_end());
            }
        }
    }

    /// A line that only frames parts paragraphs as an empty one does.
    fn comment(&mut self, comment: &str) {
        let words = comment.trim_matches(['#', '*', '=', '-', ' ', '\t']);
        if words.starts_with('!') && self.comments.is_empty() {
            return;
        }
        if !words.is_empty() || !self.comments.ends_with("\n\n") {
            self.comments.extend([words, "\n"]);
        }
        if !self.begun && self.head.len() < HEAD {
            self.head.push_str(words);
            self.head.push('\n');
        }
    }

    fn statement(&mut self, words: &str) {
        let first = words.split_whitespace().next().unwrap_or_default();
        let rest = words[first.len()..].trim();
        match first {
            "include" | "-include" | "sinclude" | ".include" | "!include" => {
                let files = without_references(rest);
                let files = files.split_whitespace().filter(|file| !file.contains(REFERENCE));
                files.for_each(|file| self.includes.push(file.trim_matches(['<', '>', '"'])));
            }
            "define" => {
                self.defining = true;
                self.variables.push(rest.split_whitespace().next().unwrap_or_default());
            }
            "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" | "endef" | "vpath" | "unexport" | "undefine" => {}
            "export" | "override" | "private" => self.assignment_or_rule(rest),
            _ => self.assignment_or_rule(words),
        }
    }

    /// `name = value` in all its forms, or `targets: prerequisites`, whichever sign comes first.
    fn assignment_or_rule(&mut self, words: &str) {
        let words = without_references(words);
        let Some(sign) = words.find([':', '=']) else { return };
        let (left, right) = words.split_at(sign);
        if right.trim_start_matches(':').starts_with('=') {
            let name = left.trim().trim_end_matches(['+', '?', '!']).trim_end();
            if !name.contains(char::is_whitespace) {
                self.variables.push(name);
            }
            return;
        }
        for target in left.split_whitespace().filter(|target| !is_special(target) && !target.contains(REFERENCE)) {
            self.targets.push(target);
        }
    }
}

/// With one mark instead of each `$(name)`, which may hold signs of its own. Nesting is only counted.
fn without_references(words: &str) -> Cow<'_, str> {
    if !words.contains('$') {
        return Cow::Borrowed(words);
    }
    let mut plain = String::with_capacity(words.len());
    let (mut depth, mut before) = (0_usize, ' ');
    for character in words.chars() {
        match character {
            '(' | '{' if depth > 0 || before == '$' => depth += 1,
            ')' | '}' if depth > 0 => depth -= 1,
            '$' if depth == 0 => plain.push(REFERENCE),
            other if depth == 0 => plain.push(other),
            _ => {}
        }
        before = character;
    }
    Cow::Owned(plain)
}

/// `.PHONY`, `.SUFFIXES` and their like name no file.
fn is_special(target: &str) -> bool {
    target.strip_prefix('.').is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
}
