//! One slot of an ontology.

use super::class::{ClassId, label};
use super::datatype::Datatype;

/// A slot of one ontology; it means nothing to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub(super) usize);

/// Words of which one must stand in the text for a slot to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue {
    /// Their language; all of them if there is none.
    pub language: Option<String>,
    /// The words, as written in the ontology.
    pub words: String,
}

/// What may stand in a slot.
#[derive(Debug, Clone)]
pub(super) enum Range {
    /// Instances. Each union must be matched; `depths` says for each class how deep the deepest match is, if it matches.
    Classes { unions: Vec<Vec<ClassId>>, depths: Vec<Option<usize>> },
    /// Values of one of these types.
    Values(Vec<Datatype>),
}

/// What is known of a slot.
#[expect(clippy::struct_excessive_bools, reason = "each is one word of the ontology, and none excludes another")]
#[derive(Debug, Clone)]
pub struct Slot {
    pub(super) iri: String,
    pub(super) name: String,
    pub(super) labels: Vec<(String, String)>,
    pub(super) parents: Vec<SlotId>,
    pub(super) depth: usize,
    pub(super) domain: Vec<Vec<ClassId>>,
    pub(super) domain_depths: Vec<Option<usize>>,
    pub(super) range: Range,
    pub(super) inverse: Option<SlotId>,
    /// Whether it is the one of the two that says so.
    pub(super) says_inverse: bool,
    pub(super) cues: Vec<Cue>,
    pub(super) default: bool,
    pub(super) key: bool,
    pub(super) main: bool,
    pub(super) transitive: bool,
    pub(super) symmetric: bool,
    pub(super) functional: bool,
    pub(super) links: Vec<String>,
}

impl Slot {
    /// Its name everywhere.
    pub fn iri(&self) -> &str {
        &self.iri
    }

    /// Its name in abstracts.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people of this language call it.
    pub fn label(&self, language: &str) -> Option<&str> {
        label(&self.labels, language)
    }

    /// The slots right above it.
    pub fn parents(&self) -> &[SlotId] {
        &self.parents
    }

    /// The types of its values; none if instances stand in it.
    pub fn datatypes(&self) -> &[Datatype] {
        match &self.range {
            Range::Values(datatypes) => datatypes,
            Range::Classes { .. } => &[],
        }
    }

    /// Whether values stand in it, and no instances.
    pub fn holds_values(&self) -> bool {
        matches!(self.range, Range::Values(_))
    }

    /// The unions of classes at whose instances it may stand; each of them must be matched.
    pub fn domain(&self) -> &[Vec<ClassId>] {
        &self.domain
    }

    /// The unions of classes whose instances may stand in it; each of them must be matched. None if it holds values.
    pub fn range(&self) -> &[Vec<ClassId>] {
        match &self.range {
            Range::Classes { unions, .. } => unions,
            Range::Values(_) => &[],
        }
    }

    /// The slot that says the same from the other end.
    pub fn inverse(&self) -> Option<SlotId> {
        self.inverse
    }

    /// The slot that says this from the other end, if this is the one of the two that was written as an inverse. Facts are
    /// kept in that other slot.
    pub fn turned(&self) -> Option<SlotId> {
        self.inverse.filter(|_| self.says_inverse)
    }

    /// The words of which one must stand in the text, unless it [holds without](Self::holds_without_cue).
    pub fn cues(&self) -> &[Cue] {
        &self.cues
    }

    /// The cues of this language.
    pub fn cues_in<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a str> {
        let is_of = move |cue: &&Cue| cue.language.as_deref().is_none_or(|one| one == language);
        self.cues.iter().filter(is_of).map(|cue| cue.words.as_str())
    }

    /// Whether it may hold without a cue.
    pub fn holds_without_cue(&self) -> bool {
        self.default
    }

    /// Whether its value stands for the name of its instance.
    pub fn is_key(&self) -> bool {
        self.key
    }

    /// Whether it is also written as a flat attribute of the record.
    pub fn is_main(&self) -> bool {
        self.main
    }

    /// Whether a chain of it is one of it.
    pub fn is_transitive(&self) -> bool {
        self.transitive
    }

    /// Whether it holds both ways.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Whether an instance has at most one of it.
    pub fn is_functional(&self) -> bool {
        self.functional
    }
}
