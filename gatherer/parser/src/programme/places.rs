//! Where the items of a programme take place, by the last word of a name that no lexicon has: "in der Stadtbücherei", ", Scout Hut".

use super::{Programme, is_time};
use crate::language::Tongue;
use crate::layout::Region;
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::tokens;
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

/// The longest name of a place, in words and signs.
const LONGEST: usize = 5;
/// A longer line tells something, and is no item.
const LONGEST_LINE: usize = 60;

impl Programme<'_> {
    /// Adds the places that lines with an hour name.
    pub(super) fn add_places(&self, event: ClassId, mentions: &mut Vec<Mention>) {
        let mut found: Vec<Mention> = Vec::new();
        for line in 0..self.page.lines.len() {
            let range = self.tokens.lines[line].clone();
            let is_item = range.len() <= LONGEST_LINE
                && !self.page.lines[line].is_strong
                && self.page.lines[line].region == Region::Main
                && !self.is_heading(line)
                && self.outline.of_line[line] == self.outline.main
                && of_lines(mentions, line..line + 1).iter().any(is_time);
            if !is_item {
                continue;
            }
            let own = of_lines(mentions, line..line + 1);
            // "Parkplätze sind an der Schule": in another sentence than the hour.
            let is_then = |name: &Range<usize>| {
                own.iter().any(|other| is_time(other) && other.sentence == self.tokens.all[name.start].sentence)
            };
            let layout = &self.page.lines[line];
            let bold = layout.strong_until.filter(|_| !layout.is_strong).unwrap_or(layout.span.start);
            let mut at =
                (range.start..range.end).find(|at| self.tokens.all[*at].span.start >= bold).unwrap_or(range.end);
            while at < range.end {
                let name = self.place_at(at, range.clone());
                let name = name.filter(|name| !self.is_taken(name, own, event) && is_then(name));
                at = name.as_ref().map_or(at + 1, |name| name.end);
                found.extend(name.and_then(|name| Some(self.named(line, name.clone(), self.venue_class(&name)?))));
            }
        }
        let is_inside = |other: &Mention| {
            let last = found.partition_point(|place| place.tokens.start <= other.tokens.start);
            last.checked_sub(1).is_some_and(|last| other.tokens.start < found[last].tokens.end)
        };
        mentions.retain(|other| !is_inside(other));
        mentions.extend(found);
        mentions.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// What a place of this name is.
    pub(super) fn venue_class(&self, name: &Range<usize>) -> Option<ClassId> {
        let last = &self.tokens.all[name.end - 1];
        let language = self.languages.of(self.tokens.tongues[last.line as usize]);
        let is_open = language.has("open-venues", &last.lower) || language.ends_like("open-venues", &last.lower);
        self.domain.rules.open.filter(|_| is_open).or(self.domain.rules.venue)
    }

    /// A name behind a preposition or a sign, that ends with a word for a place.
    fn place_at(&self, at: usize, range: Range<usize>) -> Option<Range<usize>> {
        let all = &self.tokens.all;
        let language = self.languages.of(self.tokens.tongues[all[at].line as usize]);
        let before = at.checked_sub(1).filter(|before| *before >= range.start)?;
        let leads = matches!(&*all[before].lower, "," | "|" | "(" | "–" | "-" | "·" | "/" | ";") || {
            let is_article = |at: usize| language.has("articles", &all[at].lower);
            let prep = if is_article(before) { before.checked_sub(1)? } else { before };
            prep >= range.start && language.has("holding", &all[prep].lower)
        };
        let joins = |at: usize| {
            let next = all[..range.end].get(at + 1).is_some_and(|next| next.is_capital);
            next && (language.name_particles.contains(&*all[at].lower) || matches!(&*all[at].lower, "'" | "’"))
        };
        let is_word = |at: usize| all[at].kind == tokens::Kind::Word && all[at].is_capital;
        if !leads || !is_word(at) {
            return None;
        }
        let end = (at..range.end).find(|at| !is_word(*at) && !joins(*at)).unwrap_or(range.end);
        let last = &all[end - 1].lower;
        let is_place = match self.tokens.tongues[all[at].line as usize] {
            Tongue::German => language.ends_like("venue-endings", last),
            Tongue::English => language.has("venue-endings", last),
        };
        let is_closed = end - at <= LONGEST && (end == range.end || !all[end].is_capital);
        (is_place && is_closed).then_some(at..end)
    }

    /// Whether something else than a society is known by this name.
    fn is_taken(&self, name: &Range<usize>, own: &[Mention], event: ClassId) -> bool {
        let ontology = &self.domain.ontology;
        own.iter().filter(|mention| super::meet(&mention.tokens, name)).any(|mention| match mention.what {
            What::Agent(class) => Some(class) == self.domain.rules.person || mention.tokens.start < name.start,
            What::Literal(kind, _) => kind != Kind::Street,
            What::Thing(class) if Some(class) == self.domain.rules.organisation => false,
            What::Thing(class) => {
                mention.name.is_some()
                    || ontology.class_at(class).is_focus()
                    || ontology.is_a(class, event)
                    || mention.tokens == *name
            }
            _ => true,
        })
    }
}
