//! What names are made of.

use super::names::Name;
use super::weights::Sign;
use crate::focus::{Chooser, segments};
use crate::language::Language;
use crate::lexicon::Lexicon;
use crate::literals::Kind;
use crate::mentions::{Mention, What};
use crate::names::{clean, key};
use crate::tokens::{Kind as Piece, Token};
use std::ops::Range;

/// A name with all that is asked of its words.
struct Words<'a> {
    language: &'a Language,
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
    /// Those of them that are words.
    spelt: Vec<&'a Token>,
    /// What is mentioned inside of it.
    inside: Vec<&'a Mention>,
    text: &'a str,
}

impl Words<'_> {
    fn has(&self, list: &str) -> bool {
        self.tokens.iter().any(|token| self.language.has(list, &token.lower))
    }

    /// "Museum", "Guest House": what it is, and nothing more.
    fn is_kind_only(&self) -> bool {
        let is_plain = |token: &&Token| {
            let one = token.lower.trim_end_matches('s');
            self.lexicon.is_kind(&token.lower) || self.lexicon.is_kind(one) || self.language.is_small(&token.lower)
        };
        !self.spelt.is_empty() && self.spelt.iter().all(is_plain)
    }

    /// Words that are neither capitals nor join them.
    fn has_said(&self) -> bool {
        let is_said = |token: &&Token| {
            !token.is_capital
                && !self.language.is_small(&token.lower)
                && !self.language.name_particles.contains(&*token.lower)
        };
        self.spelt.iter().any(is_said)
    }

    /// "Mitten in der Heide": not as names begin, but for those that do.
    fn begins_small(&self) -> bool {
        self.spelt.first().is_some_and(|token| {
            let class = self.language.classes.get(&*token.lower).map(String::as_str);
            let is_small = self.language.is_small(&token.lower) || matches!(class, Some("Adv" | "Verb"));
            is_small && !self.language.has("name-begins", &token.lower)
        })
    }

    fn is_known(&self, token: &Token) -> bool {
        self.lexicon.knows(&token.lower) || self.language.classes.contains_key(&*token.lower)
    }

    fn is_kind(&self, place: Option<&&Token>) -> bool {
        place.is_some_and(|token| self.lexicon.is_kind(&token.lower))
    }
}

impl Chooser<'_> {
    /// What a name is made of.
    pub(super) fn word_signs(&self, name: &mut Name) {
        let tongue = self.tokens.tongues[name.line];
        let tokens = &self.tokens.all[self.tokens.within(name.line, &name.span)];
        let inside = self.on(name.line).iter();
        let is_inside = |one: &&Mention| name.span.contains(&one.span.start) && one.span.end <= name.span.end;
        let words = Words {
            language: self.languages.of(tongue),
            lexicon: self.domain.lexicon(tongue),
            tokens,
            spelt: tokens.iter().filter(|token| token.kind == Piece::Word).collect(),
            inside: inside.filter(is_inside).collect(),
            text: &self.page.text[name.span.clone()],
        };
        self.shape_signs(name, &words);
        self.kind_signs(name, &words);
        self.who_signs(name, &words);
        self.beside_signs(name, &words);
    }

    /// Its length, its letters, and whether it is rather a heading or a slogan.
    fn shape_signs(&self, name: &mut Name, own: &Words<'_>) {
        let (language, words) = (own.language, &own.spelt);
        name.signs.push(match words.len() {
            0 | 1 => Sign::OneWord,
            2 => Sign::TwoWords,
            3 => Sign::ThreeWords,
            4 => Sign::FourWords,
            _ => Sign::ManyWords,
        });
        let heads = |token: &&Token| language.headings.contains(&*token.lower);
        let is_headed = |token: &&Token| heads(token) || language.is_small(&token.lower);
        let is_small = |token: &&Token| !token.is_capital && language.is_small(&token.lower);
        let is_year = |token: &Token| token.kind == Piece::Number && token.lower.len() == 4;
        let letters = own.text.chars().filter(|one| one.is_alphabetic()).count();
        let quotes = ['"', '„', '“', '»', '«', '‚', '‘'];
        let before = &self.page.text[..name.span.start];
        name.put(words.iter().any(heads), Sign::HasHeadingWord);
        name.put(!words.is_empty() && words.iter().all(is_headed), Sign::OnlyHeadingWords);
        name.put(words.iter().any(|token| language.greetings.contains(&*token.lower)), Sign::Greets);
        name.put(words.iter().any(is_small), Sign::HasSmall);
        name.put(own.has_said(), Sign::HasVerb);
        name.put(own.text.contains(|one: char| one.is_ascii_digit()), Sign::HasDigit);
        name.put(own.tokens.iter().any(is_year), Sign::HasYear);
        name.put(segments(own.text).len() > 1, Sign::HasPieces);
        name.put(letters > 3 && !own.text.contains(char::is_lowercase), Sign::AllCapitals);
        name.put(words.first().is_some_and(|first| language.has("articles", &first.lower)), Sign::BeginsThe);
        name.put(own.text.contains(quotes) || before.ends_with(quotes), Sign::Quoted);
        name.put(!words.is_empty() && words.iter().all(|token| own.is_known(token)), Sign::AllKnown);
        name.put(!words.iter().any(|token| own.is_known(token)), Sign::NoneKnown);
        name.put(words.iter().any(|token| self.domain.rules.foreign.contains(&*token.lower)), Sign::HasForeign);
    }

    /// Whether it says itself what it is, and what stands at the top of the page in its place.
    fn kind_signs(&self, name: &mut Name, own: &Words<'_>) {
        let is_kind =
            |one: &&&Mention| one.class().is_some_and(|class| self.is_focus_class(class)) && !one.flags.anaphor;
        let is_plural = |one: &Mention| {
            let base = one.lemma.split_whitespace().last().unwrap_or_default();
            one.name.is_none() && !self.tokens.all[one.tokens.end - 1].lower.ends_with(base)
        };
        let kinds = || own.inside.iter().filter(is_kind);
        let only = own.is_kind_only();
        let has_kind = kinds().next().is_some();
        let ends = self.page.text[name.span.end..].starts_with(['.', '!', '?']);
        let is_slogan = !has_kind && (own.begins_small() || ends || own.has_said() && own.spelt.len() > 2);
        let is_body = own.spelt.iter().any(|token| own.language.is_body(&token.lower));
        let is_top = name.signs.iter().any(|sign| {
            use Sign as S;
            matches!(sign, S::HeadWhole | S::TitleWhole | S::TitleFirst | S::SubWhole | S::LogoWhole)
        });
        name.put(only, Sign::OnlyKinds);
        name.put(!only && has_kind, Sign::HasKind);
        name.put(!only && own.is_kind(own.spelt.first()), Sign::HasKindFirst);
        name.put(!only && own.spelt.len() > 1 && own.is_kind(own.spelt.last()), Sign::HasKindLast);
        name.put(kinds().any(|one| is_plural(one)), Sign::IsPlural);
        name.put(ends, Sign::EndsAsSentence);
        name.put(own.begins_small(), Sign::BeginsSmall);
        name.put(is_slogan, Sign::IsSlogan);
        name.put(is_body, Sign::HasBody);
        name.put(is_top && is_slogan, Sign::SloganTop);
        name.put(is_top && is_body, Sign::BodyTop);
        name.put(is_top && !is_slogan && has_kind, Sign::KindTopName);
        name.put(is_top && !is_slogan && !has_kind && !is_body, Sign::ProperTop);
    }

    /// Whether it is a town, a street, a person or whoever else.
    fn who_signs(&self, name: &mut Name, own: &Words<'_>) {
        let spans = |one: &&Mention| one.span.start <= name.span.start && one.span.end >= name.span.end;
        let here = || self.on(name.line).iter();
        let is_place = here().filter(spans).any(|one| matches!(one.what, What::Place(_)));
        let is_street = here().filter(|one| one.is_literal(Kind::Street));
        let is_street = is_street.into_iter().any(|one| spans(&one) || name.span.contains(&one.span.start));
        let towns = || self.mentions.iter().filter_map(Mention::literal).filter(|(kind, _)| *kind == Kind::Town);
        let is_town = towns().any(|(_, town)| clean(own.text) == town);
        let words = format!(" {} ", name.key);
        let has_town = towns().any(|(_, town)| words.contains(&format!(" {} ", key(town))));
        let is_agent = |one: &&Mention| matches!(one.what, What::Agent(_));
        let is_called = |one: &&Mention| one.name.as_deref().is_some_and(|agent| key(agent) == name.key);
        let agents: Vec<_> = self.mentions.iter().filter(is_agent).filter(is_called).collect();
        let person = self.domain.rules.person;
        let is_person = |one: &&Mention| {
            one.class().zip(person).is_some_and(|(class, person)| self.domain.ontology.is_a(class, person))
        };
        let is_value = |one: &&Mention| {
            let is_mild = |kind: Kind| matches!(kind, Kind::Year | Kind::Count | Kind::Street | Kind::Town);
            one.literal().is_some_and(|(kind, _)| !is_mild(kind))
        };
        let (has_person, has_other) = (agents.iter().any(is_person), agents.iter().any(|one| !is_person(one)));
        name.put(is_place, Sign::IsPlace);
        name.put(is_street, Sign::IsStreet);
        name.put(is_town, Sign::IsTown);
        name.put(has_town, Sign::HasTown);
        name.put(has_person, Sign::IsPerson);
        name.put(has_other, Sign::IsOrganisation);
        name.put(agents.is_empty() && own.inside.iter().any(is_agent), Sign::IsAgentPart);
        name.put(own.has("legal-forms"), Sign::HasLegalForm);
        name.put(own.inside.iter().any(is_value), Sign::HasValue);
        name.put(self.without_place(name.line, &name.span).is_some(), Sign::EndsWithPlace);
    }

    /// What stands right before and behind it.
    fn beside_signs(&self, name: &mut Name, own: &Words<'_>) {
        let range = self.tokens.within(name.line, &name.span);
        let line = self.tokens.lines[name.line].clone();
        let is_kind = |at: Option<usize>| {
            at.filter(|at| line.contains(at)).is_some_and(|at| own.lexicon.is_kind(&self.tokens.all[at].lower))
        };
        name.put(is_kind(range.start.checked_sub(1)), Sign::KindBefore);
        name.put(is_kind(Some(range.end)), Sign::KindBehind);
        name.put(self.subject(name.line, range.start, line.end) == Some(range.end), Sign::Subject);
    }

    /// "Luigi's Italian Restaurant Swansea": a name without the town behind it.
    pub(super) fn without_place(&self, line: usize, span: &Range<usize>) -> Option<Range<usize>> {
        let own = self.on(line).iter();
        let mut own = own.filter(|one| matches!(one.what, What::Place(_)) || one.is_literal(Kind::Town));
        let last = own.find(|one| one.span.end == span.end && one.span.start > span.start)?;
        let before = &self.page.text[span.start..last.span.start];
        let end = span.start + before.trim_end_matches([' ', ',', '-', '–', '(']).len();
        (end > span.start).then_some(span.start..end)
    }
}
