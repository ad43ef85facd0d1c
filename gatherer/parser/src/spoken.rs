//! Names that the text itself says to be those of the page's thing: "Ashwell Place is a country house".

use crate::focus::{Candidate, Chooser};
use crate::language::Tongue;
use crate::layout::{Region, Role};
use crate::mentions::{Mention, What};
use crate::names::key;
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;

/// The name stands in one of the first lines.
const FIRST: usize = 16;

impl Chooser<'_> {
    /// Names with which sentences begin and which the title or the address of the page vouches for.
    pub(crate) fn spoken(&self, candidates: &mut BTreeMap<String, Candidate>) {
        let title = self.page.lines.iter().find(|line| line.role == Role::Title).map(|line| key(self.page.line(line)));
        let title = format!(" {} ", title.unwrap_or_default());
        for (line, range) in self.tokens.lines.iter().enumerate().take(FIRST) {
            let layout = &self.page.lines[line];
            let is_text = matches!(layout.role, Role::Text | Role::Description) && layout.region == Region::Main;
            if self.tokens.tongues[line] != Tongue::English || !is_text {
                continue;
            }
            let Some(end) = self.subject_end(range.start, range.end) else { continue };
            let span = self.tokens.all[range.start].span.start..self.tokens.all[end - 1].span.end;
            let name = self.page.text[span.clone()].to_owned();
            let own = key(&name);
            let is_vouched = self.is_host(&own) || own.contains(' ') && title.contains(&format!(" {own} "));
            let is_place = self.mentions.iter().any(|mention| {
                matches!(mention.what, What::Place(_)) && mention.name.as_deref().is_some_and(|name| key(name) == own)
            });
            if own.is_empty() || is_place || !is_vouched || candidates.contains_key(&own) {
                continue;
            }
            let class = self.said_class(line, self.tokens.all[range.start].sentence);
            let score = 5 + 4 * u32::from(self.is_host(&own));
            candidates.insert(own, Candidate { name, span, class, score, in_head: true });
        }
    }

    /// Where a name ends that a verb of being follows.
    fn subject_end(&self, start: usize, end: usize) -> Option<usize> {
        let language = self.languages.of(Tongue::English);
        let is_part = |place: usize| {
            let token = &self.tokens.all[place];
            let joins =
                matches!(&*token.lower, "&" | "of" | "and") && place + 1 < end && self.tokens.all[place + 1].is_capital;
            let is_word = token.kind == Kind::Word
                && token.is_capital
                && (!language.is_small(&token.lower) || place == start && &*token.lower == "the");
            is_word || joins && place > start
        };
        let stop = (start..end.min(start + 8)).find(|place| !is_part(*place))?;
        let is_verb = language.has("presenting", &self.tokens.all[stop].lower);
        (is_verb && stop > start).then_some(stop)
    }

    /// What a sentence says that something is.
    fn said_class(&self, line: usize, sentence: u32) -> Option<ClassId> {
        let said = |mention: &&Mention| {
            mention.line == line
                && mention.sentence == sentence
                && self.is_said_to_be(mention)
                && mention.name.is_none()
        };
        let said = self.mentions.iter().find(said)?;
        let class = said.flags.focus.or(said.class())?;
        (self.is_focus_class(class) && !said.flags.anaphor).then_some(class)
    }
}
