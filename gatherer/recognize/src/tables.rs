//! The tables of `config/kinds.toml`, made ready for asking.

mod lines;
mod magic;
mod raw;
#[cfg(test)]
mod tests;

use crate::content::Finding;
use gatherer_pipeline::{Kind, Vote};
pub(crate) use lines::Guess;
use lines::Lines;
use magic::{Members, Numbers};
use raw::{Groups, Raw, Rule};
use regex::{RegexSet, RegexSetBuilder};
use std::collections::{BTreeSet, HashMap, HashSet};
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
    /// A magic number is no hex, has neither text nor hex, or is too short.
    #[error("{magic:?} in the built-in table of kinds is no magic number of two bytes or more")]
    Magic {
        /// As it is written.
        magic: String,
    },
    /// A kind is said to be beaten that no lines tell.
    #[error("no lines in the built-in table of kinds tell {kind}, so nothing can be over it")]
    Over {
        /// The kind.
        kind: String,
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

const BUILTIN: &str = include_str!("../../../config/kinds.toml");

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
    beginnings: HashMap<u8, Vec<(String, Kind)>>,
    roots: Map,
    interpreters: Map,
    numbers: Numbers,
    members: Members,
    lines: Lines,
    refine: HashMap<String, HashSet<String>>,
}

impl Tables {
    /// The tables that come with the program.
    pub(crate) fn builtin() -> Result<Self, TableError> {
        Self::read(BUILTIN)
    }

    /// Every kind in the tables that come with the program.
    pub(crate) fn builtin_kinds() -> BTreeSet<String> {
        // A test rules out that they cannot be read.
        toml::from_str::<Raw>(BUILTIN).map(Raw::kinds).unwrap_or_default()
    }

    fn read(text: &str) -> Result<Self, TableError> {
        let raw: Raw = toml::from_str(text)?;
        let mut beginnings: HashMap<u8, Vec<_>> = HashMap::new();
        for (beginning, kind) in map(raw.by_content.beginning, str::to_owned)? {
            let first = beginning.bytes().next().unwrap_or_default();
            beginnings.entry(first).or_default().push((beginning, kind));
        }
        // The longest first: what begins with more says more.
        for group in beginnings.values_mut() {
            group.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        Ok(Self {
            by_url: Patterns::new(raw.by_url)?,
            whole_names: map(raw.by_name.whole, str::to_lowercase)?,
            extensions: map(raw.by_name.extension, str::to_lowercase)?,
            name_patterns: Patterns::new(raw.by_name.pattern)?,
            media_types: map(raw.by_media_type, str::to_lowercase)?,
            beginnings,
            roots: map(raw.by_content.root, str::to_lowercase)?,
            interpreters: map(raw.by_content.interpreter, str::to_lowercase)?,
            numbers: Numbers::new(raw.by_content.magic)?,
            members: Members::new(raw.by_content.member),
            lines: Lines::new(raw.by_content.line)?,
            refine: raw.refine.into_iter().map(|(general, exact)| (general, exact.into_iter().collect())).collect(),
        })
    }

    /// Every kind that the tables for contents can give.
    #[cfg(test)]
    pub(crate) fn told_by_content() -> BTreeSet<String> {
        let content = toml::from_str::<Raw>(BUILTIN).expect("sound tables").by_content;
        let groups = [content.beginning, content.root, content.interpreter].into_iter().flat_map(Groups::into_keys);
        let others = content.magic.into_keys().chain(content.member.into_iter().map(|member| member.kind));
        groups.chain(others).chain(content.line.into_iter().map(|line| line.kind)).collect()
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
        let group = self.beginnings.get(text.as_bytes().first()?)?;
        let found = group.iter().find(|(beginning, _)| text.starts_with(beginning.as_str()));
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

    /// The kind of bytes with a magic number, and the number.
    pub(crate) fn by_magic(&self, body: &[u8]) -> Option<(&Kind, &str)> {
        self.numbers.of(body)
    }

    /// The kind of a ZIP with these members, and the member that tells.
    pub(crate) fn by_members<'a>(&self, members: &[&'a [u8]]) -> Option<(&Kind, &'a [u8])> {
        self.members.of(members)
    }

    /// What the lines of a text say.
    pub(crate) fn guess(&self, text: &str) -> Guess {
        self.lines.guess(text)
    }

    /// Whether a kind makes more exact what the content says.
    pub(crate) fn refines(&self, finding: &Finding, kind: &Kind) -> bool {
        let denied = finding.guess.as_ref().is_some_and(|guess| self.lines.denies(guess, kind));
        let keys = [finding.kind.name()].into_iter().chain(finding.asides.iter().copied());
        !denied && { keys }.any(|general| self.may_become(general, kind))
    }

    /// Whether the table lets a general kind become this one.
    pub(crate) fn may_become(&self, general: &str, kind: &Kind) -> bool {
        self.refine.get(general).is_some_and(|exact| exact.contains(kind.name()))
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
