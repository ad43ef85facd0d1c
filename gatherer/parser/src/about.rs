//! What a page is about, judged by all that speaks for it at once: one thing with a name and a kind, several things, or nothing of
//! the domain.
//!
//! Every answer that the page allows is made, with the signs that speak for it; what each sign is worth was learnt from pages whose
//! answer is known ([`learn`]). The weights stand in `languages/about.tsv`.

mod kinds;
pub mod learn;
mod names;
mod page;
mod pairs;
mod places;
mod sentences;
mod weights;
mod words;

use crate::focus::{Chooser, Focus, Outline};
use gatherer_abstracts::ontology::{ClassId, Ontology};
use kinds::Kind;
use names::Name;
pub use weights::Families;
pub(crate) use weights::{Sign, Weights};

/// Why a page may be about something.
#[derive(Debug, Clone)]
pub struct Reason {
    /// `Hotel:Zur Krone`, `several`, or `-` for nothing.
    pub answer: String,
    /// How likely it is, beside all other answers.
    pub share: f32,
    /// What speaks for it and against it, with weights, the strongest first.
    pub signs: Vec<(&'static str, f32)>,
}

/// What a page may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// Nothing that the domain knows.
    Nothing,
    /// Several things, none of them the page's own.
    Several,
    /// One thing: the number of its name, and its class.
    One(Option<usize>, ClassId),
}

/// All answers that a page allows, with what speaks for each.
pub(crate) struct Answers {
    names: Vec<Name>,
    kinds: Vec<Kind>,
    /// For each kind, what speaks for it together with each name.
    pairs: Vec<Vec<Vec<Sign>>>,
    nothing: Vec<Sign>,
    several: Vec<Sign>,
}

/// An answer, what speaks for it, and the family of its class.
pub(crate) struct Offer<'a> {
    pub(crate) about: About,
    signs: [&'a [Sign]; 3],
    pub(crate) family: Option<usize>,
}

impl Offer<'_> {
    pub(crate) fn signs(&self) -> impl Iterator<Item = Sign> + '_ {
        self.signs.iter().flat_map(|signs| signs.iter().copied())
    }

    /// What all of them are worth.
    fn worth(&self, weights: &Weights) -> f32 {
        self.signs().map(|sign| weights.of(sign, self.family)).sum()
    }
}

impl Answers {
    /// Each answer.
    pub(crate) fn all(&self) -> impl Iterator<Item = Offer<'_>> {
        let plain = |about: About, signs| Offer { about, signs: [signs, &[], &[]], family: None };
        let plain = [plain(About::Nothing, self.nothing.as_slice()), plain(About::Several, &self.several)];
        let kinds = self.kinds.iter().zip(&self.pairs);
        plain.into_iter().chain(kinds.flat_map(|(kind, pairs)| {
            let unnamed = Offer {
                about: About::One(None, kind.class),
                signs: [&[Sign::NoName], &kind.signs, &[]],
                family: kind.family,
            };
            let named = self.names.iter().zip(pairs).enumerate().map(|(number, (name, pair))| Offer {
                about: About::One(Some(number), kind.class),
                signs: [&name.signs, &kind.signs, pair],
                family: kind.family,
            });
            std::iter::once(unnamed).chain(named)
        }))
    }

    /// An answer in words: `Hotel:Zur Krone`.
    fn said(&self, about: About, ontology: &Ontology) -> String {
        match about {
            About::Nothing => "-".to_owned(),
            About::Several => "several".to_owned(),
            About::One(name, class) => {
                let name = name.map_or("*", |name| self.names[name].text.as_str());
                format!("{}:{name}", ontology.class_at(class).name())
            }
        }
    }

    /// The answer that most speaks for; of equals the first.
    fn best(&self, weights: &Weights) -> About {
        let mut best = (f32::MIN, About::Nothing);
        for offer in self.all() {
            let worth = offer.worth(weights);
            if worth > best.0 {
                best = (worth, offer.about);
            }
        }
        best.1
    }

    /// Each answer with the share that it has of what speaks for all of them, the likeliest first; of equals the first.
    fn ranked(&self, weights: &Weights) -> Vec<(f32, Offer<'_>)> {
        let mut all: Vec<_> = self.all().map(|offer| (offer.worth(weights), offer)).collect();
        let most = all.iter().map(|(worth, _)| *worth).fold(f32::MIN, f32::max);
        let sum: f32 = all.iter().map(|(worth, _)| (worth - most).exp()).sum();
        all.iter_mut().for_each(|(worth, _)| *worth = (*worth - most).exp() / sum);
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        all
    }
}

impl Chooser<'_> {
    /// What the page is about, and which of its lines are about what else.
    pub(crate) fn choose(&self) -> Outline {
        let mut answers = self.answers();
        match answers.best(&self.domain.weights) {
            About::Nothing => Outline::empty(self.page),
            About::Several => self.outline(None),
            About::One(name, class) => {
                let name = name.map(|name| answers.names.swap_remove(name));
                let key = name.as_ref().map_or_else(String::new, |name| name.key.clone());
                let name = name.map(|name| (name.text, name.span));
                self.outline(Some(Focus { class, name, key }))
            }
        }
    }

    /// What the page may be about, the likeliest first: each answer, its share, and what most speaks for it.
    pub(crate) fn reasons(&self, count: usize) -> Vec<Reason> {
        let answers = self.answers();
        let weights = &self.domain.weights;
        let reason = |(share, offer): (f32, Offer<'_>)| {
            let mut signs: Vec<_> = offer.signs().map(|sign| (sign.name(), weights.of(sign, offer.family))).collect();
            signs.sort_by(|one, other| other.1.total_cmp(&one.1));
            signs.dedup();
            Reason { answer: answers.said(offer.about, &self.domain.ontology), share, signs }
        };
        answers.ranked(weights).into_iter().take(count).map(reason).collect()
    }

    /// All answers that the page allows.
    pub(crate) fn answers(&self) -> Answers {
        let names = self.names_of_page();
        let kinds = self.kinds_of_page();
        let with = |kind: &Kind| names.iter().map(|name| self.pair_signs(name, kind)).collect();
        let pairs = kinds.iter().map(with).collect();
        let (nothing, several) = (self.nothing_signs(&kinds), self.several_signs());
        Answers { names, kinds, pairs, nothing, several }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Document, Engine};

    /// What a page is about: class and name, or nothing.
    fn check(url: &str, page: &str, expected: &str) {
        let engine = Engine::new("tourism").expect("it ships");
        let document = Document { url, kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
        let instances = engine.parse(&document).expect("it is read").result.instances;
        let said = instances.iter().map(|one| {
            let name = one.name.as_ref().map_or("*", |name| name.text.as_str());
            format!("{}:{name}", one.types.join(","))
        });
        assert_eq!(said.collect::<Vec<_>>().join(" "), expected, "{page}");
    }

    #[test]
    fn a_slogan_is_no_name() {
        check(
            "https://www.baerenhof.example/",
            "<title>Wo Kinder die Chefs sind</title><h1>Wo Kinder die Chefs sind</h1><p>Seit 1998 ist der Bärenhof das \
             Familienhotel im Vogtland.</p><h2>Preise</h2><p>Doppelzimmer 90 € pro Nacht</p><address>Bärenhof, Am Aschberg 30, 08999 \
             Klingenau, Tel. 037467 555 80</address>",
            "Familienhotel:Bärenhof",
        );
    }

    #[test]
    fn what_happens_is_not_called_like_its_organiser() {
        check(
            "https://www.kulturverein-neuburg.example/",
            "<title>Kulturverein Neuburg</title><h1>Kulturverein Neuburg</h1><h2>Nacht der Lichter</h2><p>Samstag, 12. Oktober \
             2024, 20 Uhr</p><p>Konzert mit dem Kammerchor. Eintritt 12 €.</p>",
            "Konzert:Nacht der Lichter",
        );
    }

    #[test]
    fn other_trades_give_nothing() {
        check(
            "https://www.rohrmann.example/",
            "<title>Rohrmann Heizungsbau</title><h1>Rohrmann Heizungsbau</h1><p>Wir haben die Bäder im Hotel Adler gebaut.</p>",
            "",
        );
    }
}
