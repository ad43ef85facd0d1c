//! What is left of a piece of a programme when all that says when, where, with whom and for how much is taken away: its title.

use super::parts::{Part, Says, is_quote};
use super::{LONGEST, Programme, Slot, is_start};
use crate::keys::clean;
use crate::language::Tongue;
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What, of_lines};
use crate::roles::meet;
use crate::tokens::Token;
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

impl Programme<'_> {
    /// The pieces of a programme, and the titles and places of those that have none yet.
    pub(super) fn add_left(
        &self,
        event: ClassId,
        is_about: bool,
        slots: &[Slot],
        mentions: &mut Vec<Mention>,
    ) -> Vec<Range<usize>> {
        let (mut found, mut pieces) = (Vec::new(), Vec::new());
        if is_about && !self.has_programme(event) {
            return pieces;
        }
        let seams = self.seams();
        let in_grid =
            |piece: &Range<usize>| slots.iter().any(|slot| piece.contains(&slot.line) || piece.contains(&slot.hour));
        for piece in self.pieces(!is_about, mentions).into_iter().filter(|piece| !in_grid(piece)) {
            let own = of_lines(mentions, piece.clone());
            let happens = |mention: &&Mention| {
                let class = mention.class().filter(|class| self.domain.ontology.is_a(*class, event));
                class.is_some() && !mention.flags.anaphor
            };
            // "The fair opens at 10am with a parade"
            let is_whole = |mention: &Mention| {
                mention.class().is_some_and(|class| class != event && self.is_page_itself(mention, class))
            };
            if own.iter().any(is_whole) {
                continue;
            }
            let parts: Vec<Part> =
                piece.clone().flat_map(|line| self.parts_of(line, event, mentions, &seams)).collect();
            let known = own.iter().find(happens);
            let title = match known {
                Some(known) => self.whole_title(known, &parts),
                None => self.title_of(&parts, event, own),
            };
            let Some(tokens) = title.as_ref().or(known).map(|title| title.tokens.clone()) else { continue };
            found.extend(self.venue_of(&parts, &tokens, own));
            found.extend(self.players_of(&parts, &tokens, own));
            found.extend(title);
            pieces.push(piece);
        }
        for one in found {
            let is_somebody = |other: &Mention| matches!(other.what, What::Agent(_)) && self.is_player(&other.tokens);
            mentions.retain(|other| !meet(&other.tokens, &one.tokens) || is_somebody(other));
            mentions.push(one);
        }
        mentions.sort_by_key(|mention| (mention.line, mention.span.start));
        pieces
    }

    /// Whether the page is about something that lasts long enough for a programme: in a concert nothing else happens.
    fn has_programme(&self, event: ClassId) -> bool {
        let own = self.outline.main.map(|main| self.outline.focuses[main].class);
        let programmed = &self.domain.rules.programmed;
        own.is_some_and(|own| own == event || programmed.iter().any(|class| self.domain.ontology.is_a(own, *class)))
    }

    /// "The fair closes at 6pm": what the page is about, and no part of it.
    fn is_page_itself(&self, mention: &Mention, class: ClassId) -> bool {
        let Some(own) = self.outline.main.map(|main| &self.outline.focuses[main]) else { return false };
        let name = own.name.as_ref().map_or(String::new(), |(name, _)| name.to_lowercase());
        let is_called = || !mention.lemma.is_empty() && name.split(' ').any(|word| word.ends_with(&mention.lemma));
        let is_kind = self.domain.ontology.is_a(own.class, class) && mention.name.is_none();
        is_kind && (mention.article == Article::Definite || is_called())
    }

    /// Where authors have parted lines, in bytes of the text.
    fn seams(&self) -> Vec<usize> {
        let mut seams: Vec<_> = self.page.parts.iter().flat_map(|part| [part.start, part.end]).collect();
        seams.sort_unstable();
        seams.dedup();
        seams
    }

    /// The title of a piece: what the head of its column or bold type says to be it, or else what stands first.
    fn title_of(&self, parts: &[Part], event: ClassId, own: &[Mention]) -> Option<Mention> {
        let is_what = |part: &&Part| part.says == Says::What;
        let asked = parts.iter().find(|part| part.says != Says::More && self.is_asked(part.line, "what-heads"));
        let lines: Vec<_> = parts.iter().filter(is_what).map(|part| part.line).collect();
        let strong = parts
            .iter()
            .filter(|part| matches!(part.says, Says::What | Says::Who))
            .find(|part| self.stands_out(part.line, &part.tokens));
        // "Bring a chair. Dancing": what stands behind a sentence is no title.
        let is_first = |part: &&Part| {
            parts
                .iter()
                .take_while(|other| other.tokens.start < part.tokens.start)
                .all(|other| other.line != part.line || other.says != Says::More)
        };
        let first = || parts.iter().filter(is_what).find(is_first);
        // "Contact" over a name and a telephone.
        let has_reach = own.iter().any(|one| one.is_literal(Kind::Phone) || one.is_literal(Kind::Mail));
        let may_play = lines.is_empty() && !has_reach;
        let player = || parts.iter().find(|part| part.says == Says::Who && may_play).filter(is_first);
        // "Kasperltheater (Samstag, 15 Uhr, Pfarrsaal)": what stands before the hour and a place is none.
        let before_place = || {
            let mut places = parts.iter().filter(|part| part.says == Says::Where);
            let hour = own.iter().find(|one| is_start(one))?;
            let first = places.next().filter(|first| lines.is_empty() && first.tokens.end <= hour.tokens.start)?;
            places.next().map(|_| first)
        };
        let part = asked.or(strong).or_else(first).or_else(player).or_else(before_place)?;
        Some(Mention { name: Some(self.called(&part.tokens)), ..self.named(part.line, part.tokens.clone(), event) })
    }

    /// "Grand Parade", where only the second word was known: the whole part is its title.
    fn whole_title(&self, known: &Mention, parts: &[Part]) -> Option<Mention> {
        let language = self.languages.of(self.tokens.tongues[known.line]);
        let is_around = |part: &&Part| {
            part.says == Says::What && part.tokens.start <= known.tokens.start && known.tokens.end <= part.tokens.end
        };
        let part = parts.iter().find(is_around)?;
        let is_name = |token: &Token| token.is_capital || language.is_small(&token.lower);
        let words = &self.tokens.all[part.tokens.clone()];
        let is_called = part.tokens.len() > known.tokens.len()
            && known.name.is_none()
            && self.tokens.tongues[known.line] == Tongue::English
            && words.iter().all(is_name);
        let class = known.class().filter(|_| is_called)?;
        Some(Mention { name: Some(self.called(&part.tokens)), ..self.named(part.line, part.tokens.clone(), class) })
    }

    /// Where a piece takes place, if nothing that is known says so.
    fn venue_of(&self, parts: &[Part], title: &Range<usize>, own: &[Mention]) -> Option<Mention> {
        let is_other = |part: &&Part| !meet(&part.tokens, title);
        let part = parts.iter().filter(is_other).find(|part| part.says == Says::Where)?;
        let is_place = |mention: &Mention| match mention.what {
            What::Thing(known) => {
                mention.name.is_some()
                    || self.domain.ontology.class_at(known).is_focus()
                    || mention.tokens == part.tokens
            }
            What::Place(_) => true,
            _ => false,
        };
        let is_known = own.iter().any(|mention| meet(&mention.tokens, &part.tokens) && is_place(mention));
        let class = self.venue_class(&part.tokens).filter(|_| !is_known)?;
        Some(Mention { name: Some(self.called(&part.tokens)), ..self.named(part.line, part.tokens.clone(), class) })
    }

    /// Who is named behind "with" in a piece, and known by nothing else.
    fn players_of(&self, parts: &[Part], title: &Range<usize>, own: &[Mention]) -> Vec<Mention> {
        let rules = &self.domain.rules;
        let Some((person, organisation)) = rules.person.zip(rules.organisation) else { return Vec::new() };
        // "mit Irina Sokolowa", but "mit den Isartalern".
        let class = |part: &Part| {
            let language = self.languages.of(self.tokens.tongues[part.line]);
            let is_led =
                part.tokens.start > 0 && language.has("articles", &self.tokens.all[part.tokens.start - 1].lower);
            let is_german = self.tokens.tongues[part.line] == Tongue::German;
            let is_person = is_german && !is_led && part.tokens.len() > 1 && !self.is_player(&part.tokens);
            if is_person { person } else { organisation }
        };
        let is_name = |part: &&Part| {
            let words = &self.tokens.all[part.tokens.clone()];
            let language = self.languages.of(self.tokens.tongues[part.line]);
            let is_word =
                |token: &Token| token.is_capital || language.has("inside-names", &token.lower) || is_quote(token);
            let is_proper = words.len() > 1 || self.is_player(&part.tokens);
            is_proper
                && words.len() <= LONGEST
                && words.iter().all(is_word)
                && words.iter().any(|token| token.is_capital)
        };
        let is_known = |part: &Part| own.iter().any(|mention| meet(&mention.tokens, &part.tokens));
        let who = parts.iter().filter(|part| part.says == Says::Who && !meet(&part.tokens, title));
        let named = who.filter(is_name).filter(|part| !is_known(part));
        named
            .map(|part| Mention {
                name: Some(self.called(&part.tokens)),
                what: What::Agent(class(part)),
                ..self.named(part.line, part.tokens.clone(), organisation)
            })
            .collect()
    }

    fn called(&self, own: &Range<usize>) -> String {
        let words = &self.tokens.all[own.clone()];
        clean(&self.page.text[words[0].span.start..words[words.len() - 1].span.end])
    }
}
