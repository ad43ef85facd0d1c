//! What every form of foreign code can be asked, whatever it is made of.

use crate::since_0_1::{Answer, Description, Document, Level, RootNode, shown};
use crate::since_0_1::{Attribute, Error};
use gatherer_pipeline::events;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Foreign code in one of its forms.
pub(crate) trait Form: Send + Sync {
    /// Has the plugin describe itself. Harvest's programs cannot.
    fn describe(&self) -> Result<Option<Description>, Trouble>;

    /// Asks a question and takes the answer, within the limits that the form was made with.
    fn ask(&self, asked: &Asked<'_>) -> Result<Answer, Trouble>;

    /// What there is to know of how it runs, for `plugin list`.
    fn about(&self) -> String;

    /// The most memory that it has had, in bytes, where that can be told.
    fn peak(&self) -> Option<u64> {
        None
    }
}

/// What a plugin is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Question<'a> {
    Summarize(&'a Document),
    Recognize(&'a Document),
    Enumerate(&'a RootNode),
    Correct(&'a Document, &'a [Attribute]),
}

/// A question with all that belongs to it.
pub(crate) struct Asked<'a> {
    pub(crate) question: Question<'a>,
    /// The whole body of the document.
    pub(crate) body: &'a [u8],
    /// Where the plugin's words go.
    pub(crate) talk: Talk,
}

impl Question<'_> {
    /// What it is about, for messages.
    pub(crate) fn subject(&self) -> &str {
        match self {
            Self::Summarize(document) | Self::Recognize(document) | Self::Correct(document, _) => &document.url,
            Self::Enumerate(root) => &root.name,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The document is not for this plugin.
    Refused(String),
    /// The plugin failed, by its own word or because it broke its promises: crashed, hung, flooded, lied.
    Failed(String),
}

impl Trouble {
    /// The same in words that can be shown: they may come from strangers.
    pub(crate) fn shown(self) -> Self {
        match self {
            Self::Refused(why) => Self::Refused(shown(&why)),
            Self::Failed(why) => Self::Failed(shown(&why)),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(why) => Self::Refused(shown(&why)),
            Error::Failed(why) => Self::Failed(format!("it failed: {}", shown(&why))),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

/// What a plugin says while it works goes to the log, with its name and the document's URL. The last of it is kept: it often
/// tells why a plugin died.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    plugin: Arc<str>,
    subject: String,
    lines: Cell<u32>,
}

/// Lines that a plugin may say of one document.
const MOST_LINES: u32 = 100;

impl Talk {
    pub(crate) fn new(plugin: &Arc<str>, subject: &str) -> Self {
        Self { plugin: plugin.clone(), subject: subject.to_owned(), lines: Cell::new(0) }
    }

    pub(crate) fn say(&self, level: Level, text: &str) {
        let said = self.lines.get();
        self.lines.set(said.saturating_add(1));
        let say = match level {
            Level::Debug => events::plugin_whispered,
            Level::Info => events::plugin_said,
            Level::Warn => events::plugin_warned,
        };
        match said {
            _ if said < MOST_LINES => say(&self.plugin, &self.subject, &shown(text)),
            MOST_LINES => {
                events::plugin_warned(&self.plugin, &self.subject, "it says too much; the rest is passed over");
            }
            _ => {}
        }
    }
}

/// The bounds of one plugin: what its manifest asks for, or what the operator says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest it may take over one document.
    pub deadline: Duration,
    /// The most memory it may take, in bytes.
    pub memory: u64,
    /// The most bytes of one answer.
    pub output: usize,
    /// A process or pooled instance is replaced after so many documents,
    pub documents: u64,
    /// or so many bytes of them.
    pub bytes: u64,
}

impl Limits {
    /// What holds where nobody says otherwise: enough for most documents, little enough not to hurt.
    pub const USUAL: Self = Self {
        deadline: Duration::from_secs(30),
        memory: 256 << 20,
        output: 16 << 20,
        documents: 10_000,
        bytes: 4 << 30,
    };
}

/// What a plugin may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a grant of its own")]
pub struct Grants {
    /// Words for the operator.
    pub log: bool,
    /// Bytes of the document beyond those that come with the call.
    pub body: bool,
    /// How much time is left.
    pub deadline: bool,
    /// The real time, for components.
    pub clock: bool,
    /// Sockets, for programs and libraries.
    pub network: bool,
}

impl Grants {
    /// All names, as manifest and config write them.
    pub const NAMES: [&'static str; 5] = ["log", "body", "deadline", "clock", "network"];

    /// Those that are named.
    pub fn named(names: &[String]) -> Self {
        let has = |name: &str| names.iter().any(|one| one == name);
        let [log, body, deadline, clock, network] = Self::NAMES.map(has);
        Self { log, body, deadline, clock, network }
    }

    /// Those that both sides want.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            log: self.log && other.log,
            body: self.body && other.body,
            deadline: self.deadline && other.deadline,
            clock: self.clock && other.clock,
            network: self.network && other.network,
        }
    }

    /// Their names.
    pub fn names(self) -> Vec<&'static str> {
        let given = [self.log, self.body, self.deadline, self.clock, self.network];
        Self::NAMES.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name)).collect()
    }
}

/// Milliseconds until then.
pub(crate) fn left(end: Instant) -> u64 {
    u64::try_from(end.saturating_duration_since(Instant::now()).as_millis()).unwrap_or(u64::MAX)
}

/// The beginning of a body, as it comes with the call.
pub(crate) fn beginning(body: &[u8]) -> &[u8] {
    &body[..body.len().min(crate::since_0_1::INLINE)]
}

/// A part of a body: so many bytes from there, as far as there are any.
pub(crate) fn part(body: &[u8], offset: u64, length: u64) -> &[u8] {
    let most = crate::since_0_1::INLINE as u64;
    let size = body.len() as u64;
    let start = offset.min(size);
    let end = start.saturating_add(length.min(most)).min(size);
    &body[usize::try_from(start).unwrap_or(body.len())..usize::try_from(end).unwrap_or(body.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_the_body_does() {
        let body = b"0123456789";
        for (offset, length, expected) in
            [(0, 3, "012"), (8, 5, "89"), (10, 1, ""), (u64::MAX, u64::MAX, ""), (9, u64::MAX, "9")]
        {
            assert_eq!(part(body, offset, length), expected.as_bytes(), "{offset} {length}");
        }
        assert_eq!(part(&vec![0; 3 << 20], 1, u64::MAX).len(), 1 << 20);
    }

    #[test]
    fn grants_are_what_both_sides_want() {
        let asked = Grants::named(&["log".to_owned(), "clock".to_owned()]);
        let given = Grants::named(&["log".to_owned(), "body".to_owned()]);
        assert_eq!(asked.and(given).names(), ["log"]);
    }
}
