//! Rooms that no lexicon knows: what so many guests find room in, "in der Scheune finden 60 Gäste Platz".

use crate::language::Tongue;
use crate::layout::Role;
use crate::literals::Kind as LiteralKind;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::Kind;
use std::collections::HashSet;

/// So many small words stand between "in" and the room at most.
const LEADING: usize = 3;
/// Farther behind a room nobody says how many it holds.
const REACH: usize = 40;

impl Reader<'_> {
    /// "Das Säli fasst 28 Personen", "in der Scheune haben 60 Gäste Platz": rooms, by their end or by what is said of them.
    pub(crate) fn told_rooms(&self, all: &mut Vec<Mention>) {
        let Some(class) = self.domain.rules.hall else { return };
        let mut found = Vec::new();
        // The first room that is spoken of is most of the house.
        let first = all.iter().find(|mention| self.is_of_guests(mention)).map(|mention| mention.span.start);
        // "Restaurant Krugstube" elsewhere: that is no room.
        let is_house = |mention: &&Mention| {
            let is_focus = |class| self.domain.ontology.class_at(class).is_focus();
            mention.class().is_some_and(is_focus)
        };
        let behind = |mention: &Mention| [mention.tokens.end - 1, mention.tokens.end];
        let named = all.iter().filter(is_house).flat_map(behind).filter_map(|at| self.tokens.all.get(at));
        let named: HashSet<_> = named.map(|token| &*token.lower).collect();
        for (line, layout) in self.page.lines.iter().enumerate() {
            let is_told = self.tokens.tongues[line] == Tongue::German && !matches!(layout.role, Role::Title);
            let own = of_lines(all, line..line + 1);
            let counts: Vec<_> = own.iter().filter(|mention| self.is_of_guests(mention)).collect();
            if !is_told || counts.is_empty() {
                continue;
            }
            let occasions = own.iter().filter(|one| self.hall_for(one).is_some());
            let occasions: HashSet<_> = occasions.map(|one| one.sentence).collect();
            for place in self.tokens.lines[line].clone().filter(|place| self.tokens.all[*place].is_capital) {
                let sentence = self.tokens.all[place].sentence;
                let before = own.partition_point(|one| one.tokens.start <= place).checked_sub(1);
                let is_free = !named.contains(&*self.tokens.all[place].lower)
                    && before.is_none_or(|before| own[before].tokens.end <= place);
                let next = counts.partition_point(|count| count.tokens.start <= place);
                let has_occasion = occasions.contains(&sentence);
                // "Die Mahlstube können Sie für Feste mieten. Sie fasst 50 Personen."
                let last = sentence + u32::from(has_occasion);
                let near = |count: &&&Mention| count.sentence <= last && count.tokens.start <= place + REACH;
                let Some(count) = counts.get(next).filter(near).filter(|_| is_free) else { continue };
                let is_further = first != Some(count.span.start) || has_occasion;
                if self.is_room_before(line, place, count, is_further) {
                    let mut room =
                        self.mention(line, self.span(place..place + 1), place..place + 1, What::Thing(class));
                    room.lemma = self.tokens.all[place].lower.to_string();
                    found.push(room);
                }
            }
        }
        all.extend(found);
        all.sort_by_key(|mention| (mention.line, mention.span.start));
    }

    /// "60 Gäste", "28 Plätze"
    fn is_of_guests(&self, mention: &Mention) -> bool {
        let language = self.languages.of(self.tokens.tongues[mention.line]);
        mention.is_literal(LiteralKind::Count) && language.has("guests", &mention.lemma)
    }

    /// Whether a word is a room, with the number of those that it holds behind it.
    fn is_room_before(&self, line: usize, place: usize, count: &Mention, is_further: bool) -> bool {
        let (token, language) = (&self.tokens.all[place], self.languages.of(Tongue::German));
        let is_noun = token.kind == Kind::Word
            && token.is_capital
            && token.lower.chars().count() > 3
            && !language.classes.contains_key(&*token.lower)
            && !language.headings.contains(&*token.lower)
            && !self.domain.lexicon(Tongue::German).knows(&token.lower);
        let between = &self.tokens.all[place + 1..count.tokens.start];
        let holds = between.first().is_some_and(|next| language.has("room-verbs", &next.lower));
        // "Im Gewächshaus haben 30 Gäste Platz"
        let start = self.tokens.lines[line].start;
        let leads = |token: &&crate::tokens::Token| !token.is_capital || language.is_small(&token.lower);
        let before = self.tokens.all[place.saturating_sub(LEADING).max(start)..place].iter().rev().take_while(leads);
        let is_inside = before.into_iter().any(|token| language.has("inside", &token.lower));
        // "Die Scheune, in der 60 Gäste sitzen können"
        let is_relative = between.windows(3).any(|three| {
            let [comma, inside, which] = three else { return false };
            &*comma.lower == "," && language.has("inside", &inside.lower) && language.has("articles", &which.lower)
        });
        let are_people = language.has("people", &count.lemma) || !language.has("seats", &count.lemma);
        let is_told = is_further && holds && are_people && between.len() <= LEADING;
        is_noun && if is_inside { is_told } else { is_relative || language.ends_like("room-ends", &token.lower) }
    }
}
