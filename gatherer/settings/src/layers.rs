//! The layers a value can come from: defaults below, then the file, then the command line.

use crate::complaint::{Place, Source};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value in force came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `config/gatherer.toml`, embedded.
    Default,
    /// The operator's file.
    File(Place),
    /// `--set`.
    CommandLine,
    /// Worked out from something else, which is named.
    Derived(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(place) => place.fmt(f),
            Self::CommandLine => f.write_str("command line"),
            Self::Derived(from) => write!(f, "from {from}"),
        }
    }
}

/// One setting in force, for `gatherer config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// `section.key`, or `root-node.NAME.key`: what `--set` takes.
    pub key: String,
    /// The value as TOML.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}  # {}", self.key, self.value, self.origin)
    }
}

/// An argument of `--set` without a `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected KEY=VALUE, as in run.workers=4")]
pub struct NotAnOverride;

/// One `--set key=value`: the key as `gatherer config` prints it, the value as TOML, where text needs no quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    key: String,
    value: String,
}

impl FromStr for Override {
    type Err = NotAnOverride;

    fn from_str(argument: &str) -> Result<Self, NotAnOverride> {
        let (key, value) = argument.split_once('=').ok_or(NotAnOverride)?;
        Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned() })
    }
}

/// What the command line says; the last word on a key counts. Paths in it are relative to where the command was given.
///
/// ```
/// use gatherer_settings::{Overrides, Settings};
/// # use std::path::Path;
///
/// let config = "gatherer.contact = 'me@example.org'\nroot-node = [{ url = 'http://example.org/' }]";
/// let overrides = Overrides::default().set("run.workers", "4").set("root-node.example.org.delay", "5s");
/// let settings = Settings::from_text(config, "gatherer.toml", Path::new("/etc/gatherer"), &overrides)?;
/// assert_eq!(settings.running.workers, 4);
/// assert_eq!(settings.root_nodes[0].delay.as_secs(), 5);
/// # Ok::<(), gatherer_settings::Complaints>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    arguments: Vec<Override>,
    without_secrets: bool,
}

impl Overrides {
    /// With one more.
    #[must_use]
    pub fn set(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments.push(Override { key: key.into(), value: value.into() });
        self
    }

    /// For who only looks at what was gathered: passwords and the like need not be at hand, and are not read.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.without_secrets = true;
        self
    }

    pub(crate) fn wants_secrets(&self) -> bool {
        !self.without_secrets
    }

    pub(crate) fn read(&self) -> Vec<Argument<'_>> {
        self.arguments.iter().map(Argument::read).collect()
    }
}

impl FromIterator<Override> for Overrides {
    fn from_iter<I: IntoIterator<Item = Override>>(arguments: I) -> Self {
        Self { arguments: arguments.into_iter().collect(), without_secrets: false }
    }
}

/// An override, read.
pub(crate) struct Argument<'a> {
    pub(crate) key: &'a str,
    pub(crate) source: Arc<Source>,
    /// What it is as TOML; plain text if it is none.
    pub(crate) value: Spanned<DeValue<'a>>,
    /// What it is without a look at TOML, for a name such as `1984`.
    pub(crate) plain: Spanned<DeValue<'a>>,
}

impl<'a> Argument<'a> {
    fn read(Override { key, value: text }: &'a Override) -> Self {
        let plain = Spanned::new(0..text.len(), DeValue::String(text.as_str().into()));
        let value = DeValue::parse(text).unwrap_or_else(|_| plain.clone());
        Self { key, source: Source::new(format!("--set {key}"), text), value, plain }
    }
}

/// One table of one layer.
#[derive(Clone)]
pub(crate) struct Layer<'a> {
    pub(crate) source: Arc<Source>,
    pub(crate) table: &'a DeTable<'a>,
    pub(crate) is_default: bool,
}

impl<'a> Layer<'a> {
    /// The same layer, at another table.
    pub(crate) fn with(&self, table: &'a DeTable<'a>) -> Self {
        Self { source: Arc::clone(&self.source), table, is_default: self.is_default }
    }

    pub(crate) fn place(&self, item: &Spanned<DeValue<'_>>) -> Place {
        Place::new(&self.source, item.span())
    }

    pub(crate) fn origin(&self, item: &Spanned<DeValue<'_>>) -> Origin {
        if self.is_default { Origin::Default } else { Origin::File(self.place(item)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_is_a_key_and_a_value() {
        let parsed: Override = "root-node-defaults.url-filter=['deny a=b']".parse().expect("has a =");
        assert_eq!((&*parsed.key, &*parsed.value), ("root-node-defaults.url-filter", "['deny a=b']"));
        assert_eq!("run.workers".parse::<Override>(), Err(NotAnOverride));
    }

    #[test]
    fn values_are_toml_or_else_text() {
        let overrides = Overrides::default().set("a", "4").set("b", "127.0.0.1:8500").set("c", "['x']").set("d", "");
        let kinds: Vec<_> = overrides.read().iter().map(|argument| argument.value.get_ref().type_str()).collect();
        assert_eq!(kinds, ["integer", "string", "array", "string"]);
    }
}
