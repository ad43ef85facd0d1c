//! What speaks for the part that a name plays: the words around it, what it is made of, what the page is about.

use super::super::Attach;
use crate::keys::key;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, What};
use crate::roles::Signs;
use crate::tokens::Kind;
use std::ops::Range;

/// Words so near to a name are looked at one by one,
const NEAR: usize = 7;
/// by so many letters at their beginning,
const STEM: usize = 5;
/// and values and things so near stand beside it.
const BESIDE: usize = 4;
/// So many words of a label and of a heading are looked at,
const LABEL: usize = 20;
/// and so many of the first cell of a row.
const ROW_HEAD: usize = 4;

impl Attach<'_> {
    /// All signs of a name in its run.
    pub(super) fn put_signs(&self, line: usize, run: &Range<usize>, name: &Range<usize>, signs: &mut Signs) {
        signs.clear();
        self.put_words(line, name, signs);
        self.put_place(line, run, name, signs);
        self.put_shape(line, name, signs);
        self.put_mentions(line, name, signs);
        self.put_focus(line, name, signs);
    }

    /// The word at a place of a line, numbers as one sign.
    fn word(&self, line: &Range<usize>, at: Option<usize>) -> &str {
        match at {
            Some(at) if at >= line.end => ">",
            Some(at) if at >= line.start => self.plain(at),
            _ => "<",
        }
    }

    fn plain(&self, at: usize) -> &str {
        let token = &self.m.tokens.all[at];
        if token.kind == Kind::Number { "#" } else { &token.lower }
    }

    /// What forms of a word have in common, more or less.
    fn stem(&self, at: usize) -> &str {
        let word = self.plain(at);
        word.char_indices().nth(STEM).map_or(word, |(end, _)| &word[..end])
    }

    /// Words before and behind it, of its label and of its heading.
    fn put_words(&self, line: usize, name: &Range<usize>, signs: &mut Signs) {
        let range = self.m.tokens.lines[line].clone();
        let before = |steps: usize| self.word(&range, name.start.checked_sub(steps));
        let behind = |steps: usize| self.word(&range, Some(name.end + steps));
        signs.put("before", &[before(1)]);
        signs.put("before2", &[before(2), before(1)]);
        signs.put("behind", &[behind(0)]);
        let sentence = self.m.tokens.all[name.start].sentence;
        let is_word = |at: &usize| {
            let token = &self.m.tokens.all[*at];
            token.kind == Kind::Word && token.sentence == sentence
        };
        for at in (range.start.max(name.start.saturating_sub(NEAR))..name.start).filter(is_word) {
            signs.put("left", &[self.stem(at)]);
        }
        for at in (name.end..range.end.min(name.end + NEAR)).filter(is_word) {
            signs.put("right", &[self.stem(at)]);
        }
        let context = &self.contexts[line];
        context.label_words.iter().take(LABEL).for_each(|word| signs.put("label", &[word]));
        context.heading_words.iter().take(LABEL).for_each(|word| signs.put("heading", &[word]));
        if let Some(head) = context.row_head {
            let head = self.m.tokens.lines[head].clone();
            head.take(ROW_HEAD).for_each(|at| signs.put("row", &[self.plain(at)]));
        }
    }

    /// Where it stands in its line and its run.
    fn put_place(&self, line: usize, run: &Range<usize>, name: &Range<usize>, signs: &mut Signs) {
        let range = &self.m.tokens.lines[line];
        let layout = &self.m.page.lines[line];
        let role = format!("{:?}", layout.role);
        signs.put("line", &[&role]);
        signs.put("tongue", &[self.m.tokens.tongues[line].code()]);
        if name.start == range.start {
            signs.put("begins-line", &[]);
        }
        if name.end == range.end {
            signs.put("ends-line", &[]);
        }
        if name == range {
            signs.put("whole-line", &[]);
        }
        if name.start > run.start {
            signs.put("cut-before", &[]);
            signs.put("cut-before", &[self.plain(name.start - 1)]);
            if self.is_capital(name.start - 1) {
                signs.put("cut-capital", &[]);
            }
        }
        if name.end < run.end {
            signs.put("cut-behind", &[]);
            signs.put("cut-behind", &[self.plain(name.end)]);
        }
        if let Some(cell) = layout.cell {
            signs.put("column", &[["1", "2", "3"][cell.column.clamp(1, 3) as usize - 1]]);
        }
    }

    /// What it is made of.
    fn put_shape(&self, line: usize, name: &Range<usize>, signs: &mut Signs) {
        const NUMBERS: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];
        let tongue = self.m.tokens.tongues[line];
        let (lexicon, language) = (self.m.domain.lexicon(tongue), self.m.languages.of(tongue));
        let tokens = &self.m.tokens.all;
        let capitals = || tokens[name.clone()].iter().filter(|token| token.is_capital);
        let few = |count: usize, most: usize| NUMBERS[count.min(most)];
        let count = capitals().count();
        signs.put("capitals", &[few(count, 5)]);
        signs.put("tokens", &[few(name.len(), 6)]);
        let known = capitals().filter(|token| lexicon.knows(&token.lower)).count();
        signs.put("known", &[few(known, 3), few(count, 3)]);
        let small = capitals().filter(|token| language.classes.contains_key(&*token.lower)).count();
        signs.put("small", &[few(small, 2)]);
        let is_first = self.m.names.is_first(&self.m.page.text[tokens[name.start].span.clone()]);
        signs.put("first-name", &[if is_first { "yes" } else { "no" }, few(count, 4)]);
        let class =
            |at: usize| lexicon.kind(&tokens[at].lower).map(|class| self.m.domain.ontology.class_at(class).name());
        if let Some(class) = class(name.end - 1) {
            signs.put("last-kind", &[class]);
        }
        if let Some(class) = class(name.start) {
            signs.put("first-kind", &[class]);
        }
        let last = &*tokens[name.end - 1].lower;
        for length in [3, 4] {
            let start = last.char_indices().rev().nth(length - 1).map_or(0, |(start, _)| start);
            signs.put("ending", &[&last[start..]]);
        }
        if self.m.domain.towns.has(&self.m.page.text[self.span_of(name)]) {
            signs.put("town", &[]);
        }
        signs.put("last", &[last]);
        signs.put("first", &[&tokens[name.start].lower]);
        // Those between the first and the last.
        (name.start + 1..name.end - 1).for_each(|at| signs.put("word", &[&tokens[at].lower]));
    }

    /// What else the line speaks of.
    fn put_mentions(&self, line: usize, name: &Range<usize>, signs: &mut Signs) {
        let sentence = self.m.tokens.all[name.start].sentence;
        for mention in &self.m.mentions[self.by_line[line].clone()] {
            let what = self.what_of(mention);
            let own = &mention.tokens;
            if own.start < name.end && own.end > name.start {
                let relation = if own == name {
                    "is"
                } else if own.start <= name.start && own.end >= name.end {
                    "within"
                } else if name.start <= own.start && name.end >= own.end {
                    "holds"
                } else {
                    "crosses"
                };
                signs.put(relation, &[what]);
                if mention.name.is_some() {
                    signs.put(relation, &["named"]);
                }
                continue;
            }
            let is_value = mention.literal().is_some();
            if mention.sentence != sentence && !is_value {
                continue;
            }
            let is_before = own.end <= name.start;
            let distance = if is_before { name.start - own.end } else { own.start - name.end };
            if is_value || !matches!(mention.what, What::Thing(_)) {
                signs.put(if is_before { "has-before" } else { "has-behind" }, &[what]);
            }
            if distance <= BESIDE {
                signs.put(if is_before { "beside-before" } else { "beside-behind" }, &[what]);
            }
        }
    }

    /// The class of a thing, the kind of a value.
    fn what_of(&self, mention: &Mention) -> &str {
        let class = mention.class().map(|class| self.m.domain.ontology.class_at(class).name());
        let kind = |one: LiteralKind| LiteralKind::NAMES.iter().find(|(_, kind)| *kind == one).map(|(name, _)| *name);
        class.or_else(|| mention.literal().and_then(|(one, _)| kind(one))).unwrap_or("word")
    }

    /// What the page is about.
    fn put_focus(&self, line: usize, name: &Range<usize>, signs: &mut Signs) {
        let Some(focus) = self.m.outline.of_line[line].map(|scope| self.focuses[scope]) else { return };
        let ontology = &self.m.domain.ontology;
        let family = self.m.domain.families.of(ontology, self.class_of(focus));
        let about = family.map_or("-", |family| self.m.domain.families.name(family));
        signs.put("about", &[about]);
        signs.put("about-line", &[about, &format!("{:?}", self.m.page.lines[line].role)]);
        signs.put("about-before", &[about, self.word(&self.m.tokens.lines[line], name.start.checked_sub(1))]);
        let is_first = self.m.names.is_first(&self.m.page.text[self.m.tokens.all[name.start].span.clone()]);
        signs.put("about-first-name", &[about, if is_first { "yes" } else { "no" }]);
        let Some(own) = self.builder.name(focus).map(key) else { return };
        let called = key(&self.m.page.text[self.span_of(name)]);
        if own.contains(&called) {
            signs.put("in-own-name", &[]);
        }
        if called.contains(&own) {
            signs.put("has-own-name", &[]);
        }
    }
}
