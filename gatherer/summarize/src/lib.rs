//! Chooses a summarizer for a leaf and runs it. The engine cannot tell the forms apart.
//!
//! Whatever a summarizer does, the document is not lost: after a refusal or a panic the next one is tried, and at the
//! end of the row stands a record of metadata that says what happened.
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf};
//! use gatherer_summarize::{Summarizers, TextSetting, Words};
//! use url::Url;
//!
//! let summarizers = Summarizers::new(Words::plain(TextSetting::Full));
//! let url = Url::parse("http://example.org/")?;
//! let body = b"<title>Corn</title><p>Grows in the fields.";
//! let leaf = Leaf::new(&url, &Kind::HTML, body);
//! let summarized = summarizers.summarize(&leaf, &[]);
//! assert_eq!(summarized.draft.get("Title"), Some("Corn"));
//! assert!(summarized.by.starts_with("html "));
//! # Ok::<(), url::ParseError>(())
//! ```

mod quick_sum;
mod words;

pub use quick_sum::QuickSum;
pub use words::{Keywords, TextSetting, Weights, Words, language_code};

use gatherer_pipeline::{Attribute, Draft, Kind, Leaf, Refusal, Summarizer, events, guarded};

/// All summarizers at hand.
pub struct Summarizers {
    /// The operator's, each with the kinds it takes; they go first.
    own: Vec<(Vec<String>, Box<dyn Summarizer>)>,
    /// Where those built-in ones run that are better not run here.
    apart: Option<Box<dyn Summarizer>>,
    quick_sum: QuickSum,
    words: Words,
}

/// A draft and who made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarized {
    /// Name and version of the summarizer.
    pub by: String,
    /// Whether it is one of ours.
    pub is_builtin: bool,
    /// The kind that it was summarized as: another than the leaf's if that kind's own refused it.
    pub kind: Kind,
    /// What it made.
    pub draft: Draft,
    /// What its words gave beside.
    pub drawn: Vec<Attribute>,
    /// Whether somebody before it refused or failed, or it did itself.
    pub refused: bool,
}

impl Summarizers {
    /// The built-in ones, and what is wanted of every document's words.
    pub fn new(words: Words) -> Self {
        Self { own: Vec::new(), apart: None, quick_sum: QuickSum::default(), words }
    }

    /// With one more, which goes before the built-in ones and behind those added earlier.
    #[must_use]
    pub fn with(mut self, kinds: Vec<String>, summarizer: impl Summarizer + 'static) -> Self {
        self.own.push((kinds, Box::new(summarizer)));
        self
    }

    /// With workers for those built-in ones that are known to break.
    #[must_use]
    pub fn with_workers(self, apart: Option<Box<dyn Summarizer>>) -> Self {
        Self { apart, ..self }
    }

    /// With the operator's patterns for lines that become attributes.
    #[must_use]
    pub fn with_quick_sum(self, quick_sum: QuickSum) -> Self {
        Self { quick_sum, ..self }
    }

    /// Who would be asked about a leaf of this kind, in order.
    pub fn names(&self, kind: &Kind) -> Vec<String> {
        self.of(kind).map(|(summarizer, _)| summarizer.name().to_owned()).collect()
    }

    /// The summarizers of a kind, in order, and whether each is one of ours.
    fn of<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = (&'a dyn Summarizer, bool)> {
        let takes = |kinds: &[String]| kinds.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(kind.name()));
        let own = self.own.iter().filter(move |(kinds, _)| takes(kinds)).map(|(_, one)| (&**one, false));
        own.chain(gatherer_summarizers::own(kind).map(|one| (one, true)))
    }

    /// Summarizes a leaf: each summarizer of its kind in turn until one does, then those of the other kinds that it may
    /// be. Who refuses is named in the draft; at worst that is all it holds beside what the URL tells.
    pub fn summarize(&self, leaf: &Leaf<'_>, alternatives: &[Kind]) -> Summarized {
        let mut refusals = Refusals::default();
        let mut made = None;
        for kind in std::iter::once(leaf.kind).chain(alternatives) {
            made = self.summarize_as(&Leaf { kind, ..*leaf }, &mut refusals);
            if made.is_some() {
                break;
            }
        }
        let refusals = refusals.worth_telling(made.is_none());
        let (by, is_builtin, kind, mut draft) = made.unwrap_or_else(|| {
            let metadata = gatherer_summarizers::metadata();
            let draft = metadata.summarize(leaf).unwrap_or_default();
            (metadata.name().to_owned(), true, leaf.kind.clone(), draft)
        });
        let refused = !refusals.is_empty();
        // A kind that nobody refused stays what it is, even if it has no summarizer of its own.
        let kind = if refused { kind } else { leaf.kind.clone() };
        refusals.into_iter().for_each(|complaint| draft.complain(complaint));
        let lines = self.lines(&Leaf { kind: &kind, ..*leaf }, &mut draft);
        let mut drawn = self.words.draw(&kind, &draft);
        drawn.retain(|one| !lines.iter().any(|line| line.name.eq_ignore_ascii_case(&one.name)));
        drawn.extend(lines);
        Summarized { by, is_builtin, kind, draft, drawn, refused }
    }

    /// What the operator's patterns find in the lines of a leaf, behind what its summarizer has found.
    fn lines(&self, leaf: &Leaf<'_>, draft: &mut Draft) -> Vec<Attribute> {
        let mut found = Draft::new();
        self.quick_sum.add_to(leaf, &mut found);
        found.complaints().iter().for_each(|complaint| draft.complain(complaint.clone()));
        let attribute = |(name, value): &(String, String)| {
            let known = draft.get(name).unwrap_or_default();
            let new = value.lines().filter(|line| !known.lines().any(|known| known == *line));
            let value = known.lines().chain(new).collect::<Vec<_>>().join("\n");
            Attribute { name: name.clone(), value, by: "quick-sum".to_owned() }
        };
        found.attributes().iter().map(attribute).collect()
    }

    fn summarize_as(&self, leaf: &Leaf<'_>, refusals: &mut Refusals) -> Option<(String, bool, Kind, Draft)> {
        for (summarizer, is_builtin) in self.of(leaf.kind) {
            match self.run(summarizer, is_builtin, leaf) {
                Ok(draft) => return Some((summarizer.name().to_owned(), is_builtin, leaf.kind.clone(), draft)),
                Err(refusal) => refusals.hear(leaf, summarizer.name(), &refusal),
            }
        }
        None
    }

    fn run(&self, summarizer: &dyn Summarizer, is_builtin: bool, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        match &self.apart {
            Some(apart) if is_builtin && gatherer_summarizers::is_apart(leaf.kind) => apart.summarize(leaf),
            _ => guarded(summarizer, leaf),
        }
    }
}

/// Who did not summarize a leaf, and why.
#[derive(Default)]
struct Refusals {
    /// It should have been possible.
    told: Vec<String>,
    /// It was not meant for them.
    passed: Vec<String>,
}

impl Refusals {
    fn hear(&mut self, leaf: &Leaf<'_>, name: &str, refusal: &Refusal) {
        match refusal {
            Refusal::Cannot(_) => {
                events::refused(leaf.url, name, refusal);
                self.told.push(format!("{name} refused: {refusal}"));
            }
            Refusal::Failed(why) => {
                events::failed(leaf.url, name, refusal);
                // Some say so themselves.
                let why = why.strip_prefix("it failed: ").unwrap_or(why);
                self.told.push(format!("{name} failed: {why}"));
            }
            Refusal::NotMine(_) => {
                events::stepped_aside(leaf.url, name, refusal);
                self.passed.push(format!("{name} refused: {refusal}"));
            }
        }
    }

    /// Who steps aside for another need not be named, unless there was no other.
    fn worth_telling(self, is_alone: bool) -> Vec<String> {
        let passed = if is_alone { self.passed } else { Vec::new() };
        self.told.into_iter().chain(passed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    /// Says the same of every leaf.
    struct Says(Refusal);

    impl Summarizer for Says {
        fn name(&self) -> &'static str {
            "own 1"
        }

        fn summarize(&self, _: &Leaf<'_>) -> Result<Draft, Refusal> {
            Err(self.0.clone())
        }
    }

    fn check(kind: &str, refusal: Refusal, complaints: &[&str]) {
        let summarizers = Summarizers::new(Words::plain(TextSetting::None)).with(vec![kind.to_owned()], Says(refusal));
        let (url, kind) = (Url::parse("http://example.org/").expect("a literal URL"), Kind::new(kind));
        let leaf = Leaf::new(&url, &kind, b"Corn");
        let summarized = summarizers.summarize(&leaf, &[]);
        assert_eq!(summarized.draft.complaints(), complaints);
        assert_eq!(summarized.refused, !complaints.is_empty());
    }

    #[test]
    fn who_cannot_is_named_and_asked_again() {
        check("Text", Refusal::Cannot("broken".to_owned()), &["own 1 refused: broken"]);
    }

    #[test]
    fn who_breaks_has_refused_nothing() {
        check("Text", Refusal::Failed("it was killed".to_owned()), &["own 1 failed: it was killed"]);
        check("Text", Refusal::Failed("it failed: no room".to_owned()), &["own 1 failed: no room"]);
    }

    #[test]
    fn who_steps_aside_for_another_is_not() {
        check("Text", Refusal::NotMine("no recipe".to_owned()), &[]);
        check("Recipe", Refusal::NotMine("no recipe".to_owned()), &["own 1 refused: no recipe"]);
    }
}
