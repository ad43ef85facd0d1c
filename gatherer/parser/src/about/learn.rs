//! Learns what signs are worth: by how much must each count, so that the right answers of pages that are known beat all others?
//!
//! The answers of a page compete for a share of one; weights are moved towards the right ones (a conditional log-linear
//! model with small weights preferred). Nothing is left to chance: the same pages give the same weights.

use super::{About, Answers, Families, Offer, Sign};
use crate::names::key;
use gatherer_abstracts::ontology::Ontology;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How often all pages are looked at.
const ROUNDS: usize = 50;
/// How far one page moves a weight at first.
const STEP: f64 = 0.4;
/// What large weights cost, and what those for one family cost.
const MODEST: f64 = 0.004;
const MODEST_FAMILY: f64 = 0.012;
/// To find something where nothing is, is so many times worse than to find the wrong thing.
const FOREIGN: f64 = 4.0;
/// A smaller pull moves nothing.
const NEGLIGIBLE: f64 = 1e-4;
/// A smaller weight is not written.
const LEAST: f64 = 0.02;

/// What a page is about, by somebody who has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// Nothing that the domain knows.
    Nothing,
    /// Several things.
    Several,
    /// One thing, by any of these names (none if it has none) and of one of these classes.
    One {
        /// Names that will do.
        names: Vec<String>,
        /// Classes that will do, the best first.
        classes: Vec<String>,
    },
}

impl std::fmt::Display for Label {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => out.write_str("nothing"),
            Self::Several => out.write_str("several"),
            Self::One { names, classes } => write!(out, "{}:{}", classes.join(","), names.join("|")),
        }
    }
}

/// A page whose answer is known.
#[derive(Debug)]
pub struct Lesson {
    /// What each answer says, and the places of its signs in the list of weights.
    answers: Vec<(String, Vec<usize>)>,
    right: Vec<bool>,
    weight: f64,
}

impl Lesson {
    pub(crate) fn new(answers: &Answers, ontology: &Ontology, own: &Families, all: &Families, label: &Label) -> Self {
        let columns = all.len() + 1;
        let judge = |is_lenient: bool| -> Vec<bool> {
            answers.all().map(|offer| is_right(offer.about, answers, ontology, label, is_lenient)).collect()
        };
        // Where no answer has just the class, one above or below it will do.
        let strict = judge(false);
        let right = if strict.contains(&true) { strict } else { judge(true) };
        let places = |offer: &Offer<'_>| {
            let general = offer.signs().map(|sign| sign as usize * columns);
            let column = offer.family.and_then(|family| all.column(own.name(family)));
            let of_family =
                column.into_iter().flat_map(|column| offer.signs().map(move |sign| sign as usize * columns + column));
            general.chain(of_family).collect()
        };
        let answers = answers.all().map(|offer| (answers.said(offer.about, ontology), places(&offer))).collect();
        let weight = if *label == Label::Nothing { FOREIGN } else { 1.0 };
        Self { answers, right, weight }
    }

    /// Lets it count so many times as much.
    pub fn weigh(&mut self, times: f64) {
        self.weight *= times;
    }

    /// Whether one of its answers is right at all.
    pub fn has_right(&self) -> bool {
        self.right.contains(&true)
    }

    fn worths(&self, weights: &[f64]) -> Vec<f64> {
        self.answers.iter().map(|(_, places)| places.iter().map(|place| weights[*place]).sum()).collect()
    }

    /// The answer that these weights give, and whether it is right.
    pub fn best(&self, weights: &[f64]) -> (&str, bool) {
        let worths = self.worths(weights);
        let best = (1..worths.len()).fold(0, |best, number| if worths[number] > worths[best] { number } else { best });
        (&self.answers[best].0, self.right[best])
    }

    /// How each weight would have to move for the right answers to gain.
    fn slope(&self, weights: &[f64]) -> BTreeMap<usize, f64> {
        let worths = self.worths(weights);
        let all = shares(&worths, |_| true);
        let right = shares(&worths, |number| self.right[number]);
        let mut slope = BTreeMap::new();
        for (number, (_, places)) in self.answers.iter().enumerate() {
            let pull = self.weight * (right[number] - all[number]);
            if pull.abs() > NEGLIGIBLE {
                places.iter().for_each(|place| *slope.entry(*place).or_default() += pull);
            }
        }
        slope
    }
}

fn is_right(about: About, answers: &Answers, ontology: &Ontology, label: &Label, is_lenient: bool) -> bool {
    match (about, label) {
        (About::Nothing, Label::Nothing) | (About::Several, Label::Several) => true,
        (About::One(name, class), Label::One { names, classes }) => {
            let is_class = |one: &String| {
                let other = ontology.class(one);
                other == Some(class)
                    || is_lenient
                        && other.is_some_and(|other| ontology.is_a(class, other) || ontology.is_a(other, class))
            };
            let is_name = |own: usize| names.iter().any(|one| key(one) == answers.names[own].key);
            classes.iter().any(is_class) && name.map_or(names.is_empty(), is_name)
        }
        _ => false,
    }
}

/// The share that each answer has of those that count.
fn shares(worths: &[f64], counts: impl Fn(usize) -> bool) -> Vec<f64> {
    let most = (0..worths.len()).filter(|number| counts(*number)).map(|number| worths[number]).fold(f64::MIN, f64::max);
    let share = |(number, worth): (usize, &f64)| if counts(number) { (worth - most).exp() } else { 0.0 };
    let shares: Vec<f64> = worths.iter().enumerate().map(share).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|one| one / sum).collect()
}

/// The weights with which these lessons go best.
pub fn learn(lessons: &[&Lesson], families: &Families) -> Vec<f64> {
    let columns = families.len() + 1;
    let (mut weights, mut moved) = (vec![0.0_f64; Sign::ALL.len() * columns], vec![1.0_f64; Sign::ALL.len() * columns]);
    for _ in 0..ROUNDS {
        for lesson in lessons.iter().filter(|lesson| lesson.has_right()) {
            for (place, pull) in lesson.slope(&weights) {
                let cost = if place % columns == 0 { MODEST } else { MODEST_FAMILY };
                let pull = pull - cost * weights[place];
                moved[place] += pull * pull;
                weights[place] += STEP * pull / moved[place].sqrt();
            }
        }
    }
    weights
}

/// The weights as the file has them.
pub fn written(weights: &[f64], families: &Families) -> String {
    let columns = families.len() + 1;
    let mut text = String::from(
        "# What speaks for an answer to what a page is about, and how much, for all classes (*) or those of a family.\n# Learnt from tests/gold: gatherer-parser learn --help\n",
    );
    for (number, weight) in weights.iter().enumerate().filter(|(_, weight)| weight.abs() >= LEAST) {
        let (sign, column) = (Sign::ALL[number / columns], number % columns);
        let family = column.checked_sub(1).map_or("*", |family| families.name(family));
        let _ = writeln!(text, "{}\t{family}\t{weight:.2}", sign.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Document, Engine};

    fn lesson(engine: &Engine, url: &str, page: &str, label: &Label) -> Lesson {
        let document = Document { url, kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
        engine.lesson(&document, engine.families(), label).expect("it is read")
    }

    fn one(class: &str, name: &str) -> Label {
        Label::One { names: vec![name.to_owned()], classes: vec![class.to_owned()] }
    }

    const KRONE: &str = "<title>Hotel Krone</title><h1>Hotel Krone</h1><p>Unser Hotel hat 20 Zimmer.</p>";

    #[test]
    fn what_was_learnt_is_known() {
        let engine = Engine::new("tourism").expect("it ships");
        let lessons = [
            lesson(&engine, "http://krone.example/", KRONE, &one("Hotel", "Hotel Krone")),
            lesson(&engine, "http://a.example/", "<title>Rohrbruch</title><p>Wir reparieren.</p>", &Label::Nothing),
        ];
        let weights = learn(&lessons.iter().collect::<Vec<_>>(), engine.families());
        assert_eq!(lessons[0].best(&weights), ("Hotel:Hotel Krone", true));
        assert_eq!(lessons[1].best(&weights), ("-", true));
    }

    #[test]
    fn what_is_written_is_read_again_and_always_the_same() {
        let engine = Engine::new("tourism").expect("it ships");
        let lesson = lesson(&engine, "http://krone.example/", KRONE, &one("Hotel", "Hotel Krone"));
        let text = written(&learn(&[&lesson], engine.families()), engine.families());
        assert_eq!(text, written(&learn(&[&lesson], engine.families()), engine.families()));
        assert!(text.lines().count() > 10, "{text}");
        let weights = super::super::Weights::read(&text, engine.families()).expect("it was written here");
        assert!(weights.of(Sign::OwnKind, None) > 0.0, "{text}");
    }

    #[test]
    fn labels_that_no_answer_has_are_told() {
        let engine = Engine::new("tourism").expect("it ships");
        assert!(!lesson(&engine, "http://krone.example/", KRONE, &one("Hotel", "Hotel Adler")).has_right());
        // Where the page does not speak of the class itself, one above or below it will do.
        assert!(lesson(&engine, "http://krone.example/", KRONE, &one("HotelGarni", "Hotel Krone")).has_right());
    }

    #[test]
    fn damaged_weights_are_named() {
        let engine = Engine::new("tourism").expect("it ships");
        let check = |text: &str, expected: &str| {
            let error = super::super::Weights::read(text, engine.families()).expect_err("it is damaged");
            assert!(error.contains(expected), "{error}");
        };
        check("HeadWhole\t*", "line 1");
        check("# one\nNoSuchSign\t*\t1.0", "line 2: \"NoSuchSign");
        check("HeadWhole\t*\tmuch", "is no sign, family and weight");
    }
}
