//! `[plugins]` and `[[plugin]]`: where plugins are, and what is said of single ones.

use crate::section::Section;
use crate::shape::Shape;
use crate::value::{self, Checked, Item, fault};
use std::path::PathBuf;
use std::time::Duration;

/// What a plugin can be granted, as the contract names it.
const GRANTS: [&str; 5] = ["log", "body", "deadline", "clock", "network"];

/// Where plugins are, and what all of them may have: `[plugins]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugging {
    /// Folders that are plugins, or hold them.
    pub folders: Vec<PathBuf>,
    /// Names of those that go first.
    pub order: Vec<String>,
    /// What they may be granted.
    pub grants: Vec<String>,
    /// Where compiled components are kept; none if they are not.
    pub cache: Option<PathBuf>,
    /// Programs and workers of plugins, of `[[summarizer]]`, `[[rule]]` and `[[parser]]` run in a sandbox.
    pub sandbox: bool,
}

impl Plugging {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        let folders = section.get("folders", value::texts);
        let cache = section.get("cache", value::text);
        Self {
            folders: folders.iter().map(|folder| section.resolved("folders", folder)).collect(),
            order: section.get("order", value::texts),
            grants: section.get("grants", grants),
            cache: (!cache.is_empty()).then(|| section.resolved("cache", &cache)),
            sandbox: section.get("sandbox", value::flag),
        }
    }
}

/// What the operator says of one plugin: `[[plugin]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginText {
    /// Which.
    pub name: String,
    /// Whether it is used.
    pub enabled: bool,
    /// What it takes, whatever its author says.
    pub kinds: Option<Vec<String>>,
    /// What it is granted beside what all are.
    pub grants: Vec<String>,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// The longest it may take over one document.
    pub deadline: Option<Duration>,
    /// Most memory, in bytes.
    pub memory: Option<usize>,
    /// Most bytes of one answer.
    pub output: Option<usize>,
    /// A library is loaded into the gatherer itself.
    pub in_process: bool,
}

impl PluginText {
    /// What is said of it by hand, and nothing else.
    pub(crate) fn plain(name: &str, kinds: Option<Vec<String>>, options: Vec<(String, String)>) -> Self {
        Self {
            name: name.to_owned(),
            enabled: true,
            kinds,
            grants: Vec::new(),
            options,
            deadline: None,
            memory: None,
            output: None,
            in_process: false,
        }
    }

    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, _: usize) -> Option<Self> {
        let name = section.must("name", value::some_text);
        let plugin = Self {
            name: name.clone().unwrap_or_default(),
            enabled: section.maybe("enabled", value::flag).unwrap_or(true),
            kinds: section.maybe("kinds", value::texts),
            grants: section.maybe("grants", grants).unwrap_or_default(),
            options: section.maybe("options", value::pairs).unwrap_or_default(),
            deadline: section.maybe("deadline", value::limit),
            memory: section.maybe("memory", value::size),
            output: section.maybe("output", value::size),
            in_process: section.maybe("in-process", value::flag).unwrap_or_default(),
        };
        name.map(|_| plugin)
    }
}

fn grants(item: &Item<'_>) -> Checked<Vec<String>> {
    value::list(item, "a list of grants, such as [\"log\"]", |item| {
        let shape = || Shape::Words(GRANTS.map(str::to_owned).to_vec());
        let name = value::wanting(value::text_as(item, "a grant such as \"log\""), shape)?;
        if GRANTS.contains(&name) {
            return Ok(name.to_owned());
        }
        fault(item, format!("there is no grant `{name}`"), format!("expected one of {}", GRANTS.join(", ")))
    })
}
