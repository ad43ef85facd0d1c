//! Societies and firms of German pages, known by the word they begin with or by their legal form: "Förderverein Burg Rabenstein e. V.".

use crate::halls::put;
use crate::keys::clean;
use crate::language::Tongue;
use crate::layout::Role;
use crate::mentions::{Mention, Reader, What, of_lines};
use crate::tokens::Kind;
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

/// The longest name, in words and signs.
const LONGEST: usize = 9;
/// What says that somebody owns something stands at most so many words and signs before him.
const LEAD: usize = 5;

impl Reader<'_> {
    /// Names of societies and firms, whatever the words in them mean by themselves.
    pub(crate) fn societies(&self, all: &mut Vec<Mention>) {
        let Some(organisation) = self.domain.rules.organisation else { return };
        let mut found = Vec::new();
        for (line, layout) in self.page.lines.iter().enumerate() {
            let is_read = !matches!(layout.role, Role::Title | Role::Keywords | Role::Image | Role::Description);
            if self.tokens.tongues[line] != Tongue::German || !is_read {
                continue;
            }
            let own = of_lines(all, line..line + 1);
            let mut place = self.tokens.lines[line].start;
            while place < self.tokens.lines[line].end {
                let name = self
                    .society_at(line, place)
                    .or_else(|| self.firm_at(line, place))
                    .or_else(|| self.town_at(line, place));
                place = name.as_ref().map_or(place + 1, |name| name.end);
                let is_said = |name: &Range<usize>| {
                    own.iter().any(|other| matches!(other.what, What::Agent(_)) && covers(other, name))
                };
                if let Some(name) = name.filter(|name| !is_said(name)) {
                    let text = clean(&self.page.text[self.span(name.clone())]);
                    let class = self.class_of_society(&name).unwrap_or(organisation);
                    found.push(self.named(line, name, What::Agent(class), &text));
                }
            }
        }
        put(found, all);
    }

    /// The tokens of a name that begins here.
    fn society_at(&self, line: usize, place: usize) -> Option<Range<usize>> {
        let language = self.languages.of(Tongue::German);
        let end = self.tokens.lines[line].end.min(place + LONGEST);
        let token = |at: usize| &self.tokens.all[at];
        let is_word = |at: usize| at < end && token(at).kind == Kind::Word && token(at).is_capital;
        // "Heimat- und Verschönerungsverein"
        let is_half = &*token(place).lower != "-" && self.text(place).ends_with('-') && is_word(place + 2);
        let head = if is_half { place + 2 } else { place };
        if !is_word(place) || !language.ends_like("societies", &token(head).lower) {
            return None;
        }
        let (mut at, mut last) = (head + 1, head + 1);
        while at < end && token(at).sentence == token(head).sentence {
            if is_word(at) && !language.is_small(&token(at).lower) {
                // "der Odenwaldverein Führungen": a word that everybody knows is the next part of the sentence.
                let is_proper = !self.domain.lexicon(Tongue::German).knows(&token(at).lower);
                let is_led = at > head + 1 && !is_word(at - 1);
                at += 1;
                if is_proper || is_led {
                    last = at;
                }
            } else if language.has("joining-names", &token(at).lower) && is_word(at + 1) {
                at += 1;
            } else {
                break;
            }
        }
        let form = self.legal_form(at, self.tokens.lines[line].end);
        let last = form.or_else(|| self.legal_form(last, self.tokens.lines[line].end)).unwrap_or(last);
        (last > head + 1).then_some(place..last)
    }

    /// "Die Burg gehört der Gemeinde Oberwarnbach": towns own and organise, too.
    fn town_at(&self, line: usize, place: usize) -> Option<Range<usize>> {
        let language = self.languages.of(Tongue::German);
        let range = self.tokens.lines[line].clone();
        let tokens = &self.tokens.all;
        let is_town = tokens[place].is_capital && language.has("towns", &tokens[place].lower);
        let before = &tokens[place.saturating_sub(LEAD).max(range.start)..place];
        let is_owner =
            before.iter().any(|token| token.sentence == tokens[place].sentence && language.has("owning", &token.lower));
        let is_name = |at: &usize| *at < range.end && tokens[*at].kind == Kind::Word && tokens[*at].is_capital;
        let end = (place + 1..place + 3).take_while(is_name).last()? + 1;
        (is_town && is_owner).then_some(place..end)
    }

    /// "Naturpark Hoher Venn gGmbH": words with capitals up to a legal form.
    fn firm_at(&self, line: usize, place: usize) -> Option<Range<usize>> {
        let language = self.languages.of(Tongue::German);
        let range = self.tokens.lines[line].clone();
        let is_word = |at: usize| {
            let token = &self.tokens.all[at];
            token.kind == Kind::Word && token.is_capital && !language.is_small(&token.lower)
        };
        let is_first = is_word(place) && !(place > range.start && is_word(place - 1));
        let until = (place..range.end.min(place + LONGEST)).take_while(|at| is_word(*at));
        let forms = until.map(|at| at + 1).filter_map(|at| Some((at, self.legal_form(at, range.end)?)));
        // "Inhaber" and the like stand before names.
        let is_label = language.headings.contains(&*self.tokens.all[place].lower);
        forms.take(1).find(|(at, _)| is_first && !is_label && *at > place + 1).map(|(_, end)| place..end)
    }

    /// The end of a legal form that begins here: "e. V.", "gGmbH".
    fn legal_form(&self, at: usize, end: usize) -> Option<usize> {
        let word = |at: usize| if at < end { self.text(at) } else { "" };
        if language_form(word(at)) {
            return Some(at + 1);
        }
        let is_society = word(at) == "e" && word(at + 1) == "." && word(at + 2) == "V";
        is_society.then(|| at + 3 + usize::from(word(at + 3).starts_with('.')))
    }

    fn class_of_society(&self, name: &Range<usize>) -> Option<ClassId> {
        let lexicon = self.domain.lexicon(Tongue::German);
        let organisation = self.domain.rules.organisation?;
        let fits = |class: &ClassId| self.domain.ontology.is_a(*class, organisation);
        let known = name.clone().find_map(|at| lexicon.kind(&self.tokens.all[at].lower).filter(fits));
        let ends = |at: &usize| self.tokens.all[*at].lower.ends_with("verein");
        known.or_else(|| name.clone().find(ends).and_then(|_| lexicon.kind("verein").filter(fits)))
    }

    fn text(&self, at: usize) -> &str {
        &self.page.text[self.tokens.all[at].span.clone()]
    }
}

fn covers(mention: &Mention, tokens: &Range<usize>) -> bool {
    mention.tokens.start <= tokens.start && mention.tokens.end >= tokens.end
}

fn language_form(word: &str) -> bool {
    matches!(word, "gGmbH" | "GmbH" | "eG" | "AG" | "KG" | "GbR" | "OHG")
}

#[cfg(test)]
mod tests {
    use crate::engine::read;
    use gatherer_abstracts::model::Filler;

    /// Who runs a castle.
    fn check(text: &str, expected: &str) {
        let page = format!(
            "<title>Burg Rabenstein</title><h1>Burg Rabenstein</h1><p>Die Burg über Hinterbach ist sehenswert.</p><p>{text}</p>"
        );
        let castle = read(&page).instances.swap_remove(0);
        let runs =
            castle.slots.iter().filter(|slot| slot.name == "hat_Betreiber").filter_map(|slot| match &slot.filler {
                Filler::Instance(one) => Some(format!("{}:{}", one.types[0], one.name.as_ref()?.text)),
                Filler::Ref(_) => None,
            });
        assert_eq!(runs.collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn a_society_is_called_by_all_that_follows_its_word() {
        check(
            "Die Burg wird vom Förderverein Burg Rabenstein e.V. betrieben.",
            "Verein:Förderverein Burg Rabenstein e.V.",
        );
        check("Betrieben wird die Burg vom Verein Freunde der Tobelmühle.", "Verein:Verein Freunde der Tobelmühle");
        check("Träger der Burg ist die Stiftung Burgen im Saaletal.", "Organisation:Stiftung Burgen im Saaletal");
        check(
            "Träger: Heimat- und Verschönerungsverein Orbheim e. V.",
            "Verein:Heimat- und Verschönerungsverein Orbheim e. V.",
        );
    }

    #[test]
    fn words_of_the_sentence_are_no_part_of_a_name() {
        check("Für Schulklassen bietet der Förderverein Führungen an.", "");
    }
}
