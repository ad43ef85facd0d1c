//! What the operator decides about a parser, and what the gatherer knows of a document.

use super::Line;
use super::command::Command;
use super::http::Http;
use super::pool::{Other, Pool};
use super::start::{Launch, Start};
use crate::model::{Meta, ParserMark};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Where a parser is, and how it is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// A program for each document; words such as `{file}` in its arguments are replaced.
    Command {
        /// The program and its arguments. Without arguments it gets those of the protocol.
        launch: Launch,
        /// What stands for `{host}`,
        host: String,
        /// and for `{port}`.
        port: u16,
        /// Its name and version; if they are not given it is asked by `--version`.
        name: Option<(String, String)>,
    },
    /// A program that stays and speaks frames.
    Worker(Launch),
    /// `host:port`.
    Tcp(String),
    /// A socket in the file system.
    Unix(PathBuf),
    /// The address before `/v1/`.
    Http(String),
}

/// What the answers look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// As XML or JSON of this project.
    #[default]
    Abstract,
    /// As the historic list, whose words cannot be checked.
    List,
}

/// What the operator decides about a parser. [`Settings::new`] knows the defaults of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where it is.
    pub carrier: Carrier,
    /// What its answers look like.
    pub format: Format,
    /// Options that it gets with each question.
    pub options: Vec<(String, String)>,
    /// Most children or connections.
    pub workers: usize,
    /// Most open questions in each, whatever it offers.
    pub window: usize,
    /// After so many documents a child or connection is replaced.
    pub documents: u64,
    /// How long it may take to say hello.
    pub start_up: Duration,
    /// How long a small document may take; each 256 KiB add a second.
    pub deadline: Duration,
    /// How long any document may take.
    pub longest_deadline: Duration,
    /// How long a document may wait for its turn.
    pub patience: Duration,
    /// The pause before another attempt, at first.
    pub pause: Duration,
    /// Most bytes of an answer.
    pub output_limit: usize,
    /// Most bytes of memory of a child.
    pub memory: u64,
    /// So many failures in a row, and it is left alone,
    pub failures: u32,
    /// for so long, at first.
    pub rest: Duration,
}

impl Settings {
    /// With the defaults of `schemas/abstract/protocol.md`, section 6.
    pub fn new(carrier: Carrier) -> Self {
        Self {
            carrier,
            format: Format::Abstract,
            options: Vec::new(),
            workers: 2,
            window: 16,
            documents: 10_000,
            start_up: Duration::from_secs(30),
            deadline: Duration::from_secs(5),
            longest_deadline: Duration::from_secs(60),
            patience: Duration::from_secs(60),
            pause: Duration::from_millis(200),
            output_limit: 8 << 20,
            memory: 2 << 30,
            failures: 5,
            rest: Duration::from_secs(30),
        }
    }

    pub(super) fn line(&self, start: Arc<dyn Start>) -> Box<dyn Line> {
        let pool = |other| Box::new(Pool::new(other, self.start_up, self.workers, self.window, self.documents));
        match &self.carrier {
            Carrier::Command { launch, host, port, name } => Box::new(Command {
                launch: launch.clone(),
                host: host.clone(),
                port: *port,
                start,
                name: name.clone(),
                start_up: self.start_up,
                workers: self.workers,
                running: (Mutex::new(0), Condvar::new()),
            }),
            Carrier::Worker(launch) => pool(Other::Child(launch.clone(), start)),
            Carrier::Tcp(address) => pool(Other::Tcp(address.clone())),
            Carrier::Unix(path) => pool(Other::Unix(path.clone())),
            Carrier::Http(base) => Box::new(Http::new(base, self.start_up, self.workers.saturating_mul(self.window))),
        }
    }

    pub(super) fn deadline_for(&self, bytes: usize) -> Duration {
        let more = Duration::from_secs((bytes >> 18) as u64);
        self.deadline.saturating_add(more).min(self.longest_deadline)
    }

    /// At most 64 times the document, but a little in any case.
    pub(super) fn output_limit_for(&self, bytes: usize) -> usize {
        bytes.saturating_mul(64).max(256 << 10).min(self.output_limit)
    }
}

/// A document for a parser.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What the gatherer knows of it: URL, title, kind and so on. Parser and ontology are not looked at.
    pub known: &'a Meta,
    /// Its media type without parameters.
    pub media_type: &'a str,
    /// Its encoding, in the words of the WHATWG.
    pub charset: &'a str,
    /// Its language, or `auto`.
    pub lang: &'a str,
    /// All of it as it was fetched, or knowingly cut,
    pub bytes: &'a [u8],
    /// which is said here.
    pub is_cut: bool,
    /// The same, decoded: answers are held against it.
    pub text: &'a str,
}

impl Document<'_> {
    pub(super) fn is_markup(&self) -> bool {
        self.media_type.contains("html") || self.media_type.contains("xml")
    }

    /// What is known of it, with who parsed it.
    pub(super) fn known(&self, parser: ParserMark) -> Meta {
        Meta { parser, coverage: None, languages: Vec::new(), items: self.known.items.clone(), ..self.known.clone() }
    }

    /// The same for the parser, as strings.
    pub(super) fn meta(&self) -> Map<String, Value> {
        let known = self.known;
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let all = [
            ("final-url", known.final_url.clone()),
            ("title", known.title.clone()),
            ("kind", known.kind.clone()),
            ("md5", known.md5.clone()),
            ("size", number(known.size)),
            ("update-time", known.update_time.clone()),
            ("refresh-rate", number(known.refresh_rate)),
            ("time-to-live", number(known.time_to_live)),
        ];
        all.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?)))).collect()
    }
}
