//! What speaks for a name and a kind together.

use super::kinds::Kind;
use super::names::Name;
use super::weights::Sign;
use crate::focus::Chooser;
use crate::mentions::{Mention, of_lines};

impl Chooser<'_> {
    /// What speaks for a name and a kind together.
    pub(super) fn pair_signs(&self, name: &Name, kind: &Kind) -> Vec<Sign> {
        let ontology = &self.domain.ontology;
        let own = name.kind.filter(|_| !name.signs.contains(&Sign::OnlyKinds));
        let mut signs: Vec<_> = own
            .map(|own| match () {
                () if own == kind.class => Sign::OwnKind,
                () if ontology.is_a(own, kind.class) => Sign::OwnKindBelow,
                () if ontology.is_a(kind.class, own) => Sign::OwnKindAbove,
                () => Sign::OwnKindOther,
            })
            .into_iter()
            .collect();
        let is_kind = |one: &&Mention| {
            let is_own = one.flags.focus.or(one.class()) == Some(kind.class);
            is_own && one.name.is_none() && !one.flags.anaphor
        };
        let is_apart = |one: &Mention| one.span.end <= name.span.start || one.span.start >= name.span.end;
        let near = |over: usize| of_lines(self.mentions, name.line.saturating_sub(over)..name.line + over + 1).iter();
        if near(0).filter(is_kind).any(is_apart) {
            signs.push(Sign::SameLineKind);
        } else if near(1).any(|one| is_kind(&one)) {
            signs.push(Sign::NearKind);
        }
        signs.extend(name.places.iter().flat_map(|place| self.spoken_signs(place.clone(), kind)));
        signs.sort_unstable();
        signs.dedup();
        signs
    }

    /// How sentences put a name and a kind together: "Seit 1998 ist der Bärenhof das Familienhotel im Vogtland".
    fn spoken_signs(&self, name: std::ops::Range<usize>, kind: &Kind) -> Vec<Sign> {
        let token = &self.tokens.all[name.start];
        let line = token.line as usize;
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_kind = |one: &&Mention| {
            let is_own = one.flags.focus.or(one.class()) == Some(kind.class) && one.sentence == token.sentence;
            is_own && (one.tokens.start >= name.end || one.tokens.end <= name.start)
        };
        let sign = |one: &Mention| {
            let is_behind = one.tokens.start >= name.end;
            let between = if is_behind { name.end..one.tokens.start } else { one.tokens.end..name.start };
            let between = &self.tokens.all[between];
            let is_apposed = between.len() == 2 && &*between[0].lower == ",";
            let says = |list: &str| between.iter().any(|token| language.has(list, &token.lower));
            match () {
                () if between.len() <= 1 || is_apposed => Sign::BesideKind,
                () if says("being") || says("presenting") => Sign::SaidKind,
                () => Sign::SentenceKind,
            }
        };
        self.on(line).iter().filter(is_kind).map(sign).collect()
    }
}
