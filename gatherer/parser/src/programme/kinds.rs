//! Items that say what they are before their title: "Konzert: Torfrock-Nacht", "Talk: The Lost Railways".

use super::parts::is_quote;
use super::{LONGEST, Programme};
use crate::keys::clean;
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::tokens;
use gatherer_abstracts::ontology::ClassId;

/// A place stands so many words behind its preposition.
const NEAR: usize = 3;

impl Programme<'_> {
    /// The title behind a colon, of the kind that stands before it.
    pub(super) fn of_kind(&self, line: usize, start: usize, event: ClassId, mentions: &[Mention]) -> Option<Mention> {
        let (all, own) = (&self.tokens.all, of_lines(mentions, line..line + 1));
        let end = self.tokens.lines[line].end;
        let kind = own.iter().find(|one| one.tokens.start == start && self.event_in(one, event).is_some())?;
        let class = kind.class().filter(|_| all[..end].get(kind.tokens.end).is_some_and(|next| &*next.lower == ":"))?;
        let first = kind.tokens.end + 1;
        let is_quote = |at: usize| is_quote(&all[at]);
        let name = if first < end && is_quote(first) {
            first + 1..(first + 1..end).find(|at| is_quote(*at))?
        } else {
            first..(first..end).find(|at| self.ends_title(*at, line, own)).unwrap_or(end)
        };
        // "Vortrag: Dr. Hans Huber"
        let is_value = |one: &Mention| match one.what {
            What::Literal(kind, _) => kind != Kind::Other && super::meet(&one.tokens, &name),
            What::Agent(_) => one.tokens.start <= name.start + 2 && one.tokens.end >= name.end,
            _ => false,
        };
        let is_title = (1..=LONGEST).contains(&name.len()) && all[name.start].is_capital && !own.iter().any(is_value);
        let span = all.get(name.clone()).and_then(|words| Some(words.first()?.span.start..words.last()?.span.end))?;
        is_title.then(|| Mention {
            name: Some(clean(&self.page.text[span.clone()])),
            ..self.named(line, start..name.end, class)
        })
    }

    /// Whether a title ends before a word: a sign, who performs, or where it takes place.
    fn ends_title(&self, at: usize, line: usize, own: &[Mention]) -> bool {
        let (token, language) = (&self.tokens.all[at], self.languages.of(self.tokens.tongues[line]));
        let is_held = |one: &Mention| {
            let is_near = (at + 1..at + NEAR).contains(&one.tokens.start);
            is_near
                && matches!(one.what, What::Thing(class) if one.name.is_some() || self.domain.ontology.class_at(class).is_focus())
        };
        let is_sign = token.kind == tokens::Kind::Sign && !matches!(&*token.lower, "'" | "’" | "&" | "-");
        is_sign
            || language.has("before-performers", &token.lower)
            || language.has("holding", &token.lower) && own.iter().any(is_held)
    }
}
