//! `config/kinds.toml` as it is written.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A kind, and all that tells it.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Raw {
    pub(super) by_url: Vec<Rule>,
    pub(super) by_name: ByName,
    pub(super) by_media_type: Groups,
    pub(super) by_content: ByContent,
    pub(super) refine: Groups,
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
}
