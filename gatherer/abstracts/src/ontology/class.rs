//! One class of an ontology.

/// A class of one ontology; it means nothing to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub(super) usize);

/// What is known of a class.
#[derive(Debug, Clone)]
pub struct Class {
    pub(super) iri: String,
    pub(super) name: String,
    pub(super) labels: Vec<(String, String)>,
    pub(super) parents: Vec<ClassId>,
    /// By the number of a class: whether that is the class itself, above it, or equivalent to one of these.
    pub(super) ancestors: Vec<bool>,
    pub(super) depth: usize,
    pub(super) focus: bool,
    pub(super) links: Vec<String>,
}

impl Class {
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

    /// The classes right above it.
    pub fn parents(&self) -> &[ClassId] {
        &self.parents
    }

    /// How many classes stand above it, on the longest way up.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether a page may be about an instance of it.
    pub fn is_focus(&self) -> bool {
        self.focus
    }
}

/// The label in a language; one without a language serves all.
pub(super) fn label<'a>(labels: &'a [(String, String)], language: &str) -> Option<&'a str> {
    let of = |wanted: &str| labels.iter().find(|(one, _)| one == wanted).map(|(_, text)| text.as_str());
    of(language).or_else(|| of(""))
}
