//! People by their age: "under 16s", "under-5s", "over 60s", "65+".

use crate::language::Tongue;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::Kind;

/// Below this age people are children, above the other they are old.
const GROWN_UP: u32 = 18;
const OLD: u32 = 55;

impl Reader<'_> {
    /// Finds them; what is said of children already stays.
    pub(crate) fn ages(&self, all: &mut Vec<Mention>) {
        let (Some(young), Some(old)) = (self.domain.rules.young, self.domain.rules.old) else { return };
        let mut found = Vec::new();
        for (line, range) in self.tokens.lines.iter().enumerate() {
            if self.tokens.tongues[line] != Tongue::English {
                continue;
            }
            let own = of_lines(all, line..line + 1);
            for place in range.clone() {
                let Some((tokens, is_under, age)) = self.age_at(place, range.end) else { continue };
                let class = match is_under {
                    true if age <= GROWN_UP => young,
                    false if age >= OLD => old,
                    _ => continue,
                };
                let is_group = |mention: &&Mention| {
                    mention.class().is_some_and(|one| one == young || one == old) && mention.tokens.end + 2 > place
                };
                let is_taken = own
                    .iter()
                    .filter(|mention| mention.tokens.start <= place)
                    .any(|mention| is_group(&mention) || mention.tokens.end > place);
                let is_literal = own.iter().any(|mention| {
                    mention.literal().is_some() && mention.tokens.start < tokens.end && mention.tokens.end > place
                });
                if is_taken || is_literal {
                    continue;
                }
                let span = self.span(tokens.clone());
                let mut mention = self.mention(line, span.clone(), tokens, What::Thing(class));
                mention.lemma = self.page.text[span].to_lowercase();
                found.push(mention);
            }
        }
        let inside = |other: &Mention| {
            found.iter().any(|one: &Mention| {
                other.tokens.start < one.tokens.end && other.tokens.end > one.tokens.start && other.line == one.line
            })
        };
        all.retain(|other| !inside(other));
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// The tokens, whether it is "under", and the age.
    fn age_at(&self, place: usize, end: usize) -> Option<(std::ops::Range<usize>, bool, u32)> {
        let token = |at: usize| self.tokens.all[..end].get(at);
        let first = token(place)?;
        let number = |at: usize| token(at).filter(|token| token.kind == Kind::Number)?.lower.parse::<u32>().ok();
        // "65+"
        if let Some(age) = number(place) {
            let is_more = token(place + 1).is_some_and(|next| &*next.lower == "+" && next.span.start == first.span.end);
            return is_more.then_some((place..place + 2, false, age));
        }
        let is_under = match &*first.lower {
            "under" | "unders" => true,
            "over" => false,
            _ => return None,
        };
        let at = place + 1 + usize::from(token(place + 1).is_some_and(|next| &*next.lower == "-"));
        let age = number(at)?;
        let has_s = token(at + 1).is_some_and(|next| matches!(&*next.lower, "s" | "'s" | "yrs" | "years"));
        Some((place..at + 1 + usize::from(has_s), is_under, age))
    }
}
