//! The tables of `config/kinds.toml`, made ready for asking.

mod raw;
#[cfg(test)]
mod tests;

use crate::content::Finding;
use gatherer_pipeline::{Kind, Vote};
use raw::{Groups, Raw, Rule};
use regex::{RegexSet, RegexSetBuilder};
use std::collections::{HashMap, HashSet};
use thiserror::Error;
use url::Url;

/// Why a recognizer cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The built-in tables cannot be read.
    #[error("cannot read the built-in table of kinds")]
    Syntax(#[from] toml::de::Error),
    /// A pattern of the built-in tables is no pattern.
    #[error("cannot read a pattern in the built-in table of kinds")]
    Pattern(#[from] regex::Error),
    /// Two kinds claim the same name, media type or mark.
    #[error("{entry} stands twice in the built-in table of kinds")]
    Twice {
        /// What they claim.
        entry: String,
    },
    /// A rule of the operator gives no kind.
    #[error("rule {pattern} gives the kind {kind:?}; a kind is one word")]
    Kind {
        /// The rule's pattern.
        pattern: String,
        /// What it gives.
        kind: String,
    },
}

/// Patterns in order, compiled into one machine.
struct Patterns {
    set: RegexSet,
    kinds: Vec<Kind>,
}

impl Patterns {
    fn new(rules: Vec<Rule>) -> Result<Self, TableError> {
        let (kinds, patterns): (Vec<_>, Vec<_>) = rules.into_iter().map(|rule| (rule.kind, rule.pattern)).unzip();
        let set = RegexSetBuilder::new(patterns).case_insensitive(true).build()?;
        Ok(Self { set, kinds: kinds.into_iter().map(Kind::new).collect() })
    }

    /// The first pattern that matches, with its kind.
    fn first(&self, text: &str) -> Option<(&Kind, &str)> {
        let first = self.set.matches(text).into_iter().next()?;
        Some((&self.kinds[first], &self.set.patterns()[first]))
    }
}

/// A name, media type or mark, and the kind it tells.
type Map = HashMap<String, Kind>;

/// All tables.
pub(crate) struct Tables {
    by_url: Patterns,
    whole_names: Map,
    extensions: Map,
    name_patterns: Patterns,
    media_types: Map,
    beginnings: Vec<(String, Kind)>,
    roots: Map,
    interpreters: Map,
    refine: HashMap<String, HashSet<String>>,
}

impl Tables {
    /// The tables that come with the program.
    pub(crate) fn builtin() -> Result<Self, TableError> {
        Self::read(include_str!("../../../config/kinds.toml"))
    }

    fn read(text: &str) -> Result<Self, TableError> {
        let raw: Raw = toml::from_str(text)?;
        let mut beginnings: Vec<_> = map(raw.by_content.beginning, str::to_owned)?.into_iter().collect();
        // The longest first: what begins with more says more.
        beginnings.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        Ok(Self {
            by_url: Patterns::new(raw.by_url)?,
            whole_names: map(raw.by_name.whole, str::to_lowercase)?,
            extensions: map(raw.by_name.extension, str::to_lowercase)?,
            name_patterns: Patterns::new(raw.by_name.pattern)?,
            media_types: map(raw.by_media_type, str::to_lowercase)?,
            beginnings,
            roots: map(raw.by_content.root, str::to_lowercase)?,
            interpreters: map(raw.by_content.interpreter, str::to_lowercase)?,
            refine: raw.refine.into_iter().map(|(general, exact)| (general, exact.into_iter().collect())).collect(),
        })
    }

    /// The vote of the URL.
    pub(crate) fn by_url(&self, url: &Url) -> Option<Vote> {
        let (kind, pattern) = self.by_url.first(url.as_str())?;
        Some(vote("url", kind, format!("pattern {pattern}")))
    }

    /// The vote of a file name.
    pub(crate) fn by_name(&self, name: &str) -> Option<Vote> {
        let name = name.to_lowercase();
        if let Some(kind) = self.whole_names.get(&name) {
            return Some(vote("name", kind, format!("name {name}")));
        }
        let extension = extensions(&name).find_map(|extension| Some((self.extensions.get(extension)?, extension)));
        let by_extension = |(kind, extension)| vote("name", kind, format!("extension .{extension}"));
        let by_pattern = |(kind, pattern)| vote("name", kind, format!("pattern {pattern}"));
        match extension {
            Some((kind, _)) if *kind != Kind::TEXT => extension.map(by_extension),
            _ => self.name_patterns.first(&name).map(by_pattern).or_else(|| extension.map(by_extension)),
        }
    }

    /// The vote of a `Content-Type`.
    pub(crate) fn by_header(&self, content_type: &str) -> Option<Vote> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let kind = self.by_media_type(media_type)?;
        Some(vote("header", kind, format!("Content-Type {}", media_type.chars().take(100).collect::<String>())))
    }

    /// The kind of a media type.
    pub(crate) fn by_media_type(&self, media_type: &str) -> Option<&Kind> {
        let media_type = media_type.to_lowercase();
        let group = media_type.split_once('/').map(|(group, _)| format!("{group}/*"));
        let suffix = media_type.rsplit_once('+').map(|(_, suffix)| format!("*+{suffix}"));
        let mut forms = [Some(media_type), group, suffix].into_iter().flatten();
        forms.find_map(|form| self.media_types.get(&form))
    }

    /// The kind of a text that begins so, and the beginning.
    pub(crate) fn by_beginning(&self, text: &str) -> Option<(&Kind, &str)> {
        let found = self.beginnings.iter().find(|(beginning, _)| text.starts_with(beginning.as_str()));
        found.map(|(beginning, kind)| (kind, beginning.as_str()))
    }

    /// The kind of XML with this outermost element.
    pub(crate) fn by_root(&self, element: &str) -> Option<&Kind> {
        let local = element.rsplit(':').next().unwrap_or(element);
        self.roots.get(&local.to_lowercase())
    }

    /// The kind of a script for this program.
    pub(crate) fn by_interpreter(&self, program: &str) -> Option<&Kind> {
        self.interpreters.get(&program.to_lowercase())
    }

    /// Whether a kind makes more exact what the content says.
    pub(crate) fn refines(&self, finding: &Finding, kind: &Kind) -> bool {
        let keys = [Some(finding.kind.name()), finding.aside];
        let lists = keys.into_iter().flatten().filter_map(|key| self.refine.get(key));
        { lists }.any(|exact| exact.contains(kind.name()))
    }
}

fn vote(voter: &str, kind: &Kind, because: String) -> Vote {
    Vote { voter: voter.to_owned(), kind: kind.clone(), because }
}

/// Turns groups inside out: from each entry to its kind.
fn map(groups: Groups, form: fn(&str) -> String) -> Result<Map, TableError> {
    let mut map = Map::new();
    for (kind, entries) in groups {
        for entry in entries {
            if map.insert(form(&entry), Kind::new(kind.as_str())).is_some() {
                return Err(TableError::Twice { entry });
            }
        }
    }
    Ok(map)
}

/// `tar.gz` and `gz` of `corn.tar.gz`, the longest first, and no more than four. A name that begins with a
/// full stop has no extension there.
fn extensions(name: &str) -> impl Iterator<Item = &str> {
    let dots: Vec<_> = name.char_indices().skip(1).filter(|(_, c)| *c == '.').map(|(place, _)| place).collect();
    let last = dots.len().saturating_sub(4);
    dots.into_iter().skip(last).map(|place| &name[place + 1..])
}
