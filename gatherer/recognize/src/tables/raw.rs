//! `config/kinds.toml` as it is written.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A kind, and all that tells it.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Raw {
    pub(super) also: Vec<String>,
    pub(super) by_url: Vec<Rule>,
    pub(super) by_name: ByName,
    pub(super) by_media_type: Groups,
    pub(super) by_content: ByContent,
    pub(super) refine: Groups,
}

impl Raw {
    /// Every kind that stands somewhere in the file.
    pub(super) fn kinds(self) -> BTreeSet<String> {
        let ByContent { beginning, root, interpreter, magic, member, line } = self.by_content;
        let rules = self.by_url.into_iter().chain(self.by_name.pattern).map(|rule| rule.kind);
        let content = { magic }.into_keys().chain(member.into_iter().map(|member| member.kind));
        let groups = [self.by_name.whole, self.by_name.extension, self.by_media_type, beginning, root, interpreter];
        let named = groups.into_iter().flat_map(Groups::into_keys).chain(line.into_iter().map(|line| line.kind));
        self.also.into_iter().chain(rules).chain(content).chain(named).collect()
    }
}

/// One pattern.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) kind: String,
    pub(super) pattern: String,
}

/// What names tell.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByName {
    pub(super) whole: Groups,
    pub(super) extension: Groups,
    pub(super) pattern: Vec<Rule>,
}

/// What the content tells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ByContent {
    pub(super) beginning: Groups,
    pub(super) root: Groups,
    pub(super) interpreter: Groups,
    pub(super) magic: BTreeMap<String, Vec<Magic>>,
    pub(super) member: Vec<Member>,
    pub(super) line: Vec<Line>,
}

/// Bytes at a place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Magic {
    #[serde(default)]
    pub(super) at: usize,
    pub(super) text: Option<String>,
    pub(super) hex: Option<String>,
}

/// Members of a ZIP.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Member {
    pub(super) kind: String,
    pub(super) needs: Option<String>,
    pub(super) names: Vec<String>,
}

/// Lines of a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) loose: bool,
    #[serde(default)]
    pub(super) over: Vec<String>,
    #[serde(default)]
    pub(super) sure: Vec<String>,
    #[serde(default)]
    pub(super) hints: Vec<String>,
}
