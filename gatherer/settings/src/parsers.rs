//! `[[parser]]`: natural-language parsers that make abstracts, and `[abstracts]`, where these are kept.

use crate::complaint::{Complaint, Place};
use crate::reading::{Reading, closest};
use crate::section::Section;
use crate::value::{self, Checked, Item, fault};
use gatherer_pipeline::RootNode;
use std::path::PathBuf;
use std::time::Duration;

/// What holds for all parsers: `[abstracts]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstracting {
    /// Where answers are kept, so that nothing is asked twice; none if they are not.
    pub cache: Option<PathBuf>,
    /// Most bytes of them.
    pub cache_limit: usize,
}

impl Abstracting {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        let cache = section.get("cache", value::text);
        Self {
            cache: (!cache.is_empty()).then(|| section.resolved("cache", &cache)),
            cache_limit: section.get("cache-limit", value::size),
        }
    }
}

/// Where a parser is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParserPlace {
    /// A program that stays.
    Worker(PathBuf, Vec<String>),
    /// A program for each document.
    Command(PathBuf, Vec<String>),
    /// `host:port`.
    Tcp(String),
    /// A socket in the file system.
    Unix(PathBuf),
    /// A URL.
    Http(String),
}

/// One parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParserText {
    /// Its name here.
    pub name: String,
    /// Where it is.
    pub place: ParserPlace,
    /// What it is asked about,
    pub kinds: Vec<String>,
    /// of these root nodes; none named means all.
    pub root_nodes: Vec<String>,
    /// The ontology: one that comes with the gatherer, by its name, or a file.
    pub ontology: String,
    /// The same as a path.
    pub ontology_file: PathBuf,
    /// Whether its answers are the historic list.
    pub answers_list: bool,
    /// Options that it gets with each question.
    pub options: Vec<(String, String)>,
    /// Children or connections at once.
    pub workers: usize,
    /// The longest it may take over a small document.
    pub deadline: Duration,
    /// How long a document waits for its turn.
    pub patience: Duration,
    /// Whether a worker or command of it may open connections.
    pub network: bool,
    /// Where its program is named in the config,
    pub program_at: Option<Place>,
    /// and where its ontology is.
    pub ontology_at: Option<Place>,
}

/// All parsers. Two of one name could not be told apart in reports, and one for a root node that is not there is for nobody.
pub(crate) fn read_all(reading: &mut Reading<'_>, root_nodes: &[RootNode]) -> Vec<ParserText> {
    let mut names = Vec::new();
    let parsers = reading.sections("parser", None, |section, number| {
        let parser = ParserText::read(section, number);
        section.claim("parser", &mut names);
        check_root_nodes(section, root_nodes);
        parser
    });
    parsers.into_iter().flatten().collect()
}

fn check_root_nodes(section: &mut Section<'_, '_>, root_nodes: &[RootNode]) {
    // Programs may name root nodes that nobody knows before they have run.
    if root_nodes.is_empty() || root_nodes.iter().any(|node| node.enumeration.is_some()) {
        return;
    }
    let known: Vec<_> = root_nodes.iter().map(|node| node.name.as_str()).collect();
    for name in section.peek("root-nodes", value::texts).unwrap_or_default() {
        if !known.contains(&name.as_str()) {
            let complaint = Complaint::new(format!("there is no root node `{name}`"));
            section.complain_of(
                "root-nodes",
                complaint.label(match closest(&name, &known) {
                    Some(alike) => format!("did you mean `{alike}`?"),
                    None => format!("there are {}", known.join(", ")),
                }),
            );
        }
    }
}

impl ParserText {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, number: usize) -> Option<Self> {
        let name = section.name(format!("parser {number}"), "its place");
        let ontology = section.maybe("ontology", value::some_text).unwrap_or_else(|| "tourism".to_owned());
        let ontology_file = section.resolved("ontology", &ontology);
        let place = place(section);
        let parser = Self {
            name,
            place: place.clone().unwrap_or(ParserPlace::Tcp(String::new())),
            kinds: section.maybe("kinds", value::texts).unwrap_or_else(|| vec!["HTML".to_owned()]),
            root_nodes: section.maybe("root-nodes", value::texts).unwrap_or_default(),
            ontology,
            ontology_file,
            answers_list: section.maybe("answers", value::choice(&ANSWERS)).unwrap_or(false),
            options: section.maybe("options", value::pairs).unwrap_or_default(),
            workers: section.maybe("workers", value::count(1)).unwrap_or(2),
            deadline: section.maybe("deadline", value::limit).unwrap_or(Duration::from_secs(5)),
            patience: section.maybe("patience", value::duration).unwrap_or(Duration::from_secs(10)),
            network: section.maybe("network", value::flag).unwrap_or_default(),
            program_at: ["worker", "command"]
                .into_iter()
                .find(|key| section.says(key))
                .and_then(|key| section.place(key)),
            ontology_at: section.place("ontology"),
        };
        place.map(|_| parser)
    }
}

const ANSWERS: [(&str, bool); 2] = [("abstract", false), ("list", true)];

/// Exactly one of three keys says where a parser is.
fn place(section: &mut Section<'_, '_>) -> Option<ParserPlace> {
    let [worker, command] = ["worker", "command"].map(|key| {
        let words = section.maybe(key, value::texts).filter(|words| !words.is_empty())?;
        section.program(key, words)
    });
    let connect = section.maybe("connect", connection).flatten();
    let connect = connect.map(|place| match place {
        ParserPlace::Unix(path) => ParserPlace::Unix(section.resolved("connect", &path.to_string_lossy())),
        other => other,
    });
    let worker = worker.map(|(program, words)| ParserPlace::Worker(program, words));
    let command = command.map(|(program, words)| ParserPlace::Command(program, words));
    let mut places = [worker, command, connect].into_iter().flatten();
    match (places.next(), places.next()) {
        (Some(place), None) => Some(place),
        (None, _) => {
            let complaint = Complaint::new("a parser needs a `worker`, a `command` or a `connect`");
            section.complain(complaint.label("where is it?"));
            None
        }
        (Some(_), Some(_)) => {
            let complaint = Complaint::new("a parser is in one place: `worker`, `command` or `connect`");
            section.complain(complaint.label("keep one of them"));
            None
        }
    }
}

fn connection(item: &Item<'_>) -> Checked<Option<ParserPlace>> {
    const EXPECTED: &str = "\"host:port\", \"unix:/path\" or \"http://host:port/\"";
    let text = value::text_as(item, EXPECTED)?;
    let place = match text.split_once(':') {
        _ if text.is_empty() => return Ok(None),
        Some(("unix", path)) if !path.is_empty() => ParserPlace::Unix(path.into()),
        Some(("http", rest)) if rest.starts_with("//") => ParserPlace::Http(text.to_owned()),
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => ParserPlace::Tcp(text.to_owned()),
        _ => return fault(item, format!("expected {EXPECTED}"), "no place to connect to"),
    };
    Ok(Some(place))
}
