//! The table of languages: how their comments, strings and names look.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// All languages by their kind.
pub(super) static TABLE: LazyLock<HashMap<String, Language>> = LazyLock::new(|| {
    let sections: HashMap<String, Section> =
        toml::from_str(include_str!("../../../config/languages.toml")).expect("a test reads the same table");
    sections.into_iter().map(|(kind, section)| (kind, Language { section, patterns: OnceLock::new() })).collect()
});

/// One language.
#[derive(Debug)]
pub(super) struct Language {
    pub(super) section: Section,
    /// Made when a document first asks for them: most gatherers see few languages.
    patterns: OnceLock<Patterns>,
}

impl Language {
    /// The compiled patterns.
    pub(super) fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| Patterns::of(&self.section).expect("a test compiles the same patterns"))
    }
}

/// One section of the table; `config/languages.toml` explains the keys.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table, and they do not depend on each other")]
pub(super) struct Section {
    #[serde(default)]
    pub(super) line: Vec<String>,
    #[serde(default)]
    pub(super) spaced: bool,
    #[serde(default)]
    pub(super) column: Vec<String>,
    #[serde(default)]
    pub(super) block: Vec<(String, String)>,
    #[serde(default)]
    pub(super) nested: bool,
    #[serde(default)]
    pub(super) margin: bool,
    #[serde(default)]
    pub(super) strings: Vec<Quote>,
    #[serde(default)]
    pub(super) skip: Vec<String>,
    trim: Option<String>,
    #[serde(default)]
    pub(super) guess: bool,
    #[serde(default)]
    pub(super) no_names: Vec<String>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
}

/// What a string looks like.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quote {
    pub(super) begin: String,
    end: Option<String>,
    pub(super) escape: Option<char>,
    #[serde(default)]
    pub(super) lines: bool,
    #[serde(default)]
    pub(super) doc: bool,
}

impl Quote {
    /// What ends it.
    pub(super) fn end(&self) -> &str {
        self.end.as_ref().unwrap_or(&self.begin)
    }
}

/// The patterns of one language.
#[derive(Debug)]
pub(super) struct Patterns {
    pub(super) trim: Option<Regex>,
    pub(super) functions: Vec<Regex>,
    pub(super) types: Vec<Regex>,
    pub(super) imports: Vec<Regex>,
}

impl Patterns {
    /// All of a section, compiled.
    pub(super) fn of(section: &Section) -> Result<Self, regex::Error> {
        let compile = |pattern: &String| RegexBuilder::new(pattern).multi_line(true).build();
        let all = |patterns: &[String]| patterns.iter().map(compile).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            trim: section.trim.as_ref().map(compile).transpose()?,
            functions: all(&section.functions)?,
            types: all(&section.types)?,
            imports: all(&section.imports)?,
        })
    }
}
