//! Parts a source into its code and its comments, in one pass.

use super::languages::{Quote, Section};
use gatherer_pipeline::Draft;
use regex::Regex;

/// Most comments of one source.
const COMMENTS: usize = 100_000;
/// A comment belongs to the head of a source if no more code than this stands before it, in bytes: enough for
/// `<?php` and `'use strict';`.
const HEAD_CODE: usize = 16;

/// What a source is made of.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// Without comments, and without what stands in strings that run over lines.
    pub(super) code: String,
    pub(super) comments: Vec<Comment>,
}

/// One comment, or several lines of comments in a row.
#[derive(Debug)]
pub(super) struct Comment {
    /// Without the marks.
    pub(super) text: String,
    /// It is a string that documents.
    pub(super) doc: bool,
    /// It stands before the code.
    pub(super) head: bool,
}

/// Reads the whole source.
pub(super) fn scan(text: &str, section: &Section, trim: Option<&Regex>) -> Parts {
    let guessed = section.guess.then(|| guess(text, section));
    let section = guessed.as_ref().unwrap_or(section);
    let mut scanner = Scanner {
        section,
        trim,
        text,
        place: 0,
        begins: begins(section),
        unclosed: vec![false; section.strings.len()],
        parts: Parts::default(),
        size: 0,
        solid: 0,
        blank: true,
        after_comment: None,
    };
    if text.starts_with("#!/") || text.starts_with("#! ") {
        scanner.place = text.find('\n').unwrap_or(text.len());
    }
    while let Some(rest) = text.get(scanner.place..).filter(|rest| !rest.is_empty()) {
        let run = rest.bytes().position(|byte| scanner.begins[usize::from(byte)]).unwrap_or(rest.len());
        scanner.code(&rest[..run]);
        if run < rest.len() {
            scanner.step();
        }
    }
    scanner.parts
}

/// With the one line mark that most lines begin with, and the blocks that begin at least one line.
fn guess(text: &str, section: &Section) -> Section {
    let mut counts = vec![0_usize; section.line.len()];
    let mut blocks = vec![false; section.block.len()];
    for line in text.lines().map(str::trim_start) {
        if let Some(place) = section.line.iter().position(|mark| line.starts_with(mark.as_str())) {
            counts[place] += 1;
        }
        if let Some(place) = section.block.iter().position(|(begin, _)| line.starts_with(begin.as_str())) {
            blocks[place] = true;
        }
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0);
    let best = counts.iter().position(|count| Some(*count) == most);
    let line = best.and_then(|place| section.line.get(place)).cloned();
    let kept = section.block.iter().zip(blocks).filter(|(_, seen)| *seen).map(|(block, _)| block.clone());
    let mut guessed = section.clone();
    (guessed.line, guessed.block) = (line.into_iter().collect(), kept.collect());
    guessed
}

/// Which bytes begin anything but code.
fn begins(section: &Section) -> [bool; 256] {
    let mut begins = [false; 256];
    let blocks = section.block.iter().map(|(begin, _)| begin);
    let quotes = section.strings.iter().map(|quote| &quote.begin);
    let marks = section.line.iter().chain(&section.column).chain(&section.skip).chain(blocks).chain(quotes);
    for first in marks.filter_map(|mark| mark.bytes().next()) {
        begins[usize::from(first)] = true;
    }
    begins
}

struct Scanner<'a> {
    section: &'a Section,
    trim: Option<&'a Regex>,
    text: &'a str,
    place: usize,
    begins: [bool; 256],
    /// Strings whose end was not found once: from then on they end with their line.
    unclosed: Vec<bool>,
    parts: Parts,
    /// Bytes of all comments.
    size: usize,
    /// Bytes of code that are no white space.
    solid: usize,
    /// Whether this line has no code yet.
    blank: bool,
    /// Line breaks since a comment of one line, if nothing else came.
    after_comment: Option<usize>,
}

impl<'a> Scanner<'a> {
    /// Whatever begins here; at least one byte is taken, and always whole characters, since all marks are ASCII.
    fn step(&mut self) {
        let rest = &self.text[self.place..];
        let section = self.section;
        let at_margin = self.place == 0 || self.text[..self.place].ends_with('\n');
        if let Some(skipped) = section.skip.iter().find(|skip| rest.starts_with(skip.as_str())) {
            return self.code(&rest[..skipped.len()]);
        }
        let block = section.block.iter().find(|(begin, _)| rest.starts_with(begin.as_str()));
        if let Some((begin, end)) = block.filter(|_| !section.margin || at_margin) {
            return self.block(begin, end);
        }
        let string = section.strings.iter().position(|quote| rest.starts_with(quote.begin.as_str()));
        if let Some(which) = string {
            return self.string(which);
        }
        let column = section.column.iter().find(|mark| at_margin && rest.starts_with(mark.as_str()));
        let line = section.line.iter().find(|mark| rest.starts_with(mark.as_str()));
        match column.or(line.filter(|_| !section.spaced || self.is_apart())) {
            Some(mark) => self.line(mark.trim_end_matches('\n').len()),
            None => self.code(&rest[..rest.chars().next().map_or(0, char::len_utf8)]),
        }
    }

    fn is_apart(&self) -> bool {
        let before = self.text[..self.place].chars().next_back();
        before.is_none_or(|before| before.is_whitespace() || matches!(before, ';' | '(' | '{'))
    }

    fn code(&mut self, piece: &'a str) {
        self.place += piece.len();
        self.pass(piece);
        self.parts.code.push_str(piece);
    }

    /// Keeps account of a piece of code.
    fn pass(&mut self, piece: &str) {
        let is_blank = |text: &str| text.bytes().all(|byte| byte.is_ascii_whitespace());
        self.blank = match piece.rfind('\n') {
            Some(end) => is_blank(&piece[end..]),
            None => self.blank && is_blank(piece),
        };
        if self.solid <= HEAD_CODE {
            self.solid += piece.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(HEAD_CODE + 1).count();
        }
        let breaks = piece.bytes().filter(|byte| *byte == b'\n').count();
        self.after_comment = self.after_comment.filter(|_| is_blank(piece)).map(|known| known + breaks);
    }

    fn line(&mut self, mark: usize) {
        let rest = &self.text[self.place..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.place += line.len();
        // Marks are often doubled: `///`, `##`, `;;;`, `//!`.
        let words = line[mark..].trim_start_matches(['/', '!', '#', ';', '%', '-', '*', '<', '|', '^']);
        let goes_on = self.after_comment == Some(1) && self.blank;
        self.after_comment = Some(0);
        if goes_on
            && self.size < Draft::VALUE_LIMIT
            && let Some(last) = self.parts.comments.last_mut()
        {
            let before = last.text.len();
            last.text.push('\n');
            push_line(&mut last.text, words, self.trim);
            self.size += last.text.len() - before;
            return;
        }
        // A comment behind code has no neighbours.
        self.after_comment = self.blank.then_some(0);
        self.comment(words, false);
    }

    fn block(&mut self, begin: &str, end: &str) {
        let body = &self.text[self.place + begin.len()..];
        let length = if self.section.nested { nested(body, begin, end) } else { self.plain(body, end) };
        let (body, after) = length.map_or((body, ""), |length| (&body[..length], &body[length + end.len()..]));
        // What follows the end mark in its line belongs to the comment, if marks stand alone.
        let after = if self.section.margin { &after[after.find('\n').unwrap_or(after.len())..] } else { after };
        self.place = self.text.len() - after.len();
        let seam = if body.contains('\n') { "\n" } else { " " };
        self.parts.code.push_str(seam);
        self.after_comment = None;
        self.comment(body, false);
        self.blank |= seam == "\n";
    }

    /// Where a comment ends that cannot hold others.
    fn plain(&self, body: &str, end: &str) -> Option<usize> {
        if self.section.margin { body.find(&format!("\n{end}")).map(|place| place + 1) } else { body.find(end) }
    }

    fn string(&mut self, which: usize) {
        let quote = &self.section.strings[which];
        let body = &self.text[self.place + quote.begin.len()..];
        let lines = quote.lines && !self.unclosed[which];
        let Some(length) = length_of(body, quote, lines) else {
            if lines {
                self.unclosed[which] = true;
            }
            let line = body.find('\n').unwrap_or(body.len());
            return self.code(&self.text[self.place..self.place + quote.begin.len() + line]);
        };
        let end = self.place + quote.begin.len() + length + quote.end().len();
        let whole = &self.text[self.place..end];
        let alone = self.blank && self.text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        if quote.doc && alone {
            self.comment(&body[..length], true);
            self.after_comment = None;
            self.place = end;
        } else if whole.contains('\n') {
            self.place = end;
            self.pass(whole);
            self.parts.code.push_str(&quote.begin);
            self.parts.code.push_str(quote.end());
        } else {
            self.code(whole);
        }
    }

    fn comment(&mut self, body: &str, doc: bool) {
        if self.parts.comments.len() >= COMMENTS || self.size >= Draft::VALUE_LIMIT {
            return;
        }
        let mut text = String::new();
        for (number, line) in body.lines().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            push_line(&mut text, line, self.trim);
        }
        self.size += text.len();
        self.parts.comments.push(Comment { text, doc, head: self.solid <= HEAD_CODE });
    }
}

/// One line of a comment without its frame; a line of nothing but marks becomes an empty one.
fn push_line(text: &mut String, line: &str, trim: Option<&Regex>) {
    if !line.contains(char::is_alphanumeric) {
        return;
    }
    let line = line.trim().trim_start_matches(['*', '!']).trim_end_matches(['*', '#', ' ', '\t']);
    let line = line.strip_prefix(' ').unwrap_or(line);
    let cut = trim.and_then(|trim| trim.find(line)).map_or(0, |found| found.end());
    text.push_str(&line[cut..]);
}

/// Bytes up to the end mark that belongs to the beginning.
fn nested(body: &str, begin: &str, end: &str) -> Option<usize> {
    let mut depth = 1_usize;
    let mut place = 0;
    while let Some(rest) = body.as_bytes().get(place..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(end.as_bytes()) {
            depth -= 1;
            if depth == 0 {
                return Some(place);
            }
            place += end.len();
        } else if rest.starts_with(begin.as_bytes()) {
            depth += 1;
            place += begin.len();
        } else {
            place += 1;
        }
    }
    None
}

/// Bytes up to the end of a string, if it has one.
fn length_of(body: &str, quote: &Quote, lines: bool) -> Option<usize> {
    let mut escaped = false;
    for (place, character) in body.char_indices() {
        match character {
            '\n' if !lines && !escaped => return None,
            _ if escaped => escaped = false,
            _ if Some(character) == quote.escape => escaped = true,
            _ if body[place..].starts_with(quote.end()) => return Some(place),
            _ => {}
        }
    }
    None
}
