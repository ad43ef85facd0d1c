//! Scores of many pages, put together and printed.

use super::{Mistake, PageScore, Tally, share};
use std::collections::BTreeMap;
use std::fmt;

/// The scores of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Of each page, in the order in which they were scored.
    pub pages: Vec<PageScore>,
    /// Pages that gave no score, and why.
    pub failed: Vec<(String, String)>,
}

impl Report {
    /// All facts of all pages together.
    pub fn strict(&self) -> Tally {
        self.sum(|page| page.strict)
    }

    fn sum(&self, of: impl Fn(&PageScore) -> Tally) -> Tally {
        self.pages.iter().fold(Tally::default(), |mut sum, page| {
            sum.add(of(page));
            sum
        })
    }

    /// The mean F1 of the pages of a language; nothing if there are none.
    pub fn mean_f1(&self, language: &str) -> Option<f64> {
        let scores: Vec<_> = self.pages.iter().filter(|page| page.page.language() == language).collect();
        #[expect(clippy::cast_precision_loss, reason = "there are not so many pages")]
        let count = scores.len() as f64;
        (!scores.is_empty()).then(|| scores.iter().map(|page| page.strict.f1()).sum::<f64>() / count)
    }

    /// The share of proper names that were found.
    pub fn names(&self) -> f64 {
        share(self.pages.iter().map(|page| page.names.1).sum(), self.pages.iter().map(|page| page.names.0).sum())
    }

    /// The share of numbers that were found.
    pub fn numbers(&self) -> f64 {
        share(self.pages.iter().map(|page| page.numbers.1).sum(), self.pages.iter().map(|page| page.numbers.0).sum())
    }

    /// Facts that stand more than once.
    pub fn duplicates(&self) -> usize {
        self.pages.iter().map(|page| page.duplicates).sum()
    }

    /// Facts between members of one enumeration.
    pub fn siblings(&self) -> usize {
        self.pages.iter().map(|page| page.siblings).sum()
    }

    /// Pages of another domain that gave something.
    pub fn foreign_with_facts(&self) -> Vec<&str> {
        let foreign = self.pages.iter().filter(|page| page.page.kind == "foreign" && page.strict.given > 0);
        foreign.map(|page| page.page.path.as_str()).collect()
    }

    /// Strict, by slot.
    pub fn by_slot(&self) -> BTreeMap<&str, Tally> {
        let mut slots: BTreeMap<&str, Tally> = BTreeMap::new();
        for (slot, tally) in self.pages.iter().flat_map(|page| &page.by_slot) {
            slots.entry(slot).or_default().add(*tally);
        }
        slots
    }

    /// How often each kind of mistake was made.
    pub fn mistakes(&self) -> BTreeMap<Mistake, usize> {
        let mut mistakes = BTreeMap::new();
        for (mistake, _) in self.pages.iter().flat_map(|page| &page.mistakes) {
            *mistakes.entry(*mistake).or_default() += 1;
        }
        mistakes
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: &str, tally: Tally| {
            let (precision, recall, f1) = (tally.precision(), tally.recall(), tally.f1());
            let Tally { wanted, given, .. } = tally;
            writeln!(f, "{name:40} {wanted:6} {given:6} {precision:6.2} {recall:6.2} {f1:6.2}")
        };
        let head = |f: &mut fmt::Formatter<'_>, name: &str| {
            writeln!(f, "{name:40} {:>6} {:>6} {:>6} {:>6} {:>6}", "wanted", "given", "P", "R", "F1")
        };
        head(f, "page (strict)")?;
        self.pages.iter().try_for_each(|page| row(f, &page.page.path, page.strict))?;
        self.failed.iter().try_for_each(|(page, why)| writeln!(f, "{page:40} FAILED: {why}"))?;
        head(f, "\nlevel")?;
        row(f, "strict", self.strict())?;
        row(f, "typed", self.sum(|page| page.typed))?;
        row(f, "pair", self.sum(|page| page.pair))?;
        head(f, "\nslot (strict)")?;
        self.by_slot().into_iter().try_for_each(|(slot, tally)| row(f, slot, tally))?;
        writeln!(f, "\nmistakes")?;
        self.mistakes().into_iter().try_for_each(|(mistake, count)| writeln!(f, "{:40} {count:6}", mistake.name()))?;
        writeln!(f, "\n{:40} {:6.2}\n{:40} {:6.2}", "names", self.names(), "numbers", self.numbers())?;
        writeln!(f, "{:40} {:6}\n{:40} {:6}", "duplicates", self.duplicates(), "sibling facts", self.siblings())?;
        writeln!(f, "{:40} {:6}", "foreign pages that gave something", self.foreign_with_facts().len())?;
        let languages = ["de", "en"].into_iter().filter_map(|language| Some((language, self.mean_f1(language)?)));
        languages
            .into_iter()
            .try_for_each(|(language, mean)| writeln!(f, "{:40} {mean:6.2}", format!("mean F1 of pages, {language}")))
    }
}
