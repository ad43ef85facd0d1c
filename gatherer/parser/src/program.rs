//! Arguments and commands.

mod bench;
mod check;
mod learn;
mod parse;
mod score;

use clap::{Args, Parser, Subcommand};
use gatherer_abstracts::client::{Annotator, Carrier, Launch, Settings};
use gatherer_parser::domain::DEFAULT;
use gatherer_parser::engine::Engine;
use gatherer_parser::serve::{self, Listen};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Reads German and English pages of one domain and writes what they say as an abstract.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// A domain that comes with the program, or a folder with one.
    #[arg(long, global = true, default_value = DEFAULT)]
    domain: String,
    /// An engine that gives words and grammar: a command, `tcp:HOST:PORT`, `unix:PATH` or `http://HOST:PORT`.
    #[arg(long, global = true)]
    annotator: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    document: DocumentArguments,
}

/// The document, where it is not sent in a frame.
#[derive(Debug, Args, Clone, Default)]
pub(crate) struct DocumentArguments {
    /// The document; standard input if there is none.
    file: Option<PathBuf>,
    /// Where it comes from.
    #[arg(long, default_value = "file:///document")]
    url: String,
    /// Its media type.
    #[arg(long = "type", default_value = "text/html")]
    kind: String,
    /// Its encoding, if that is known.
    #[arg(long)]
    charset: Option<String>,
    /// Its language, if that is known.
    #[arg(long, default_value = "auto")]
    lang: String,
    /// What is asked for.
    #[arg(long, default_value = "abstract")]
    want: String,
    /// How it is written: xml, json, turtle, json-ld, list.
    #[arg(long, default_value = "xml")]
    form: String,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reads one document and prints its abstract.
    Parse(DocumentArguments),
    /// Answers frames on standard input and output.
    Worker {
        /// Documents that are read at once.
        #[arg(long, default_value_t = 4)]
        threads: usize,
    },
    /// Answers on a socket.
    Serve {
        /// `ADDRESS:PORT`, `unix:PATH` or `http:ADDRESS:PORT`.
        #[arg(long, default_value = "127.0.0.1:7878")]
        listen: String,
        /// Documents that are read at once.
        #[arg(long, default_value_t = 4)]
        threads: usize,
    },
    /// Looks for faults in a domain: words without concept, slots without domain, cycles, what cannot be reached.
    Check {
        /// The domain; that of `--domain` if there is none.
        domain: Option<String>,
    },
    /// Says how much of a document was understood, for whoever extends the lexicon.
    Coverage(DocumentArguments),
    /// Says what a document may be about, how likely each answer is, and what speaks for it.
    ///
    /// Each sign has its weight behind it and is called as in `about.tsv`: Title, Head, Sub, Logo, Menu, Contact and Text say where
    /// the name stands; Has, Is and Begins what it is made of; Kind and Family what speaks for the class; Page what the page has;
    /// Nothing and Several speak for nothing of the domain, and for several things.
    Why(DocumentArguments),
    /// Scores the parser on gold pages.
    Score {
        /// The folder with the gold pages.
        gold: PathBuf,
        /// Only these pages, as `de/hotel-krone`.
        #[arg(long)]
        page: Vec<String>,
        /// The first pages of the order that have no line in the table of blind scores; their scores are added to it.
        #[arg(long)]
        blind: Option<usize>,
        /// The date for new lines of that table.
        #[arg(long, default_value = "")]
        date: String,
        /// Takes what is missed and wrong now over into `kept.tsv`, if nothing was lost.
        #[arg(long)]
        keep: bool,
        /// Prints each mistake.
        #[arg(long)]
        mistakes: bool,
    },
    /// Learns what tells what a page is about from pages whose answer is known.
    Learn {
        /// Folders with pages and their `labels.tsv`, or with gold pages.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Where the weights are written to; without it, it is tried how many pages are right that nothing was learnt from.
        #[arg(long)]
        write: Option<PathBuf>,
        /// Learns which part names play instead (`roles.tsv` of the domain), from the facts of gold pages.
        #[arg(long)]
        roles: bool,
    },
    /// Reads documents again and again and prints how many of them a CPU second is enough for.
    Bench {
        /// The documents.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// How often each is read.
        #[arg(long, default_value_t = 200)]
        rounds: usize,
    },
}

/// Does what the arguments ask for.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let engine = |domain: &str| engine(domain, arguments.annotator.as_deref());
    match &arguments.command {
        None => parse::parse(&engine(&arguments.domain)?, &arguments.document),
        Some(Command::Parse(document)) => parse::parse(&engine(&arguments.domain)?, document),
        Some(Command::Coverage(document)) => parse::coverage(&engine(&arguments.domain)?, document),
        Some(Command::Why(document)) => parse::why(&engine(&arguments.domain)?, document),
        Some(Command::Worker { threads }) => {
            let engine = Arc::new(engine(&arguments.domain)?);
            serve::worker(&engine, *threads).map_err(|error| error.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Serve { listen, threads }) => {
            let engine = Arc::new(engine(&arguments.domain)?);
            let listen: Listen = listen.parse()?;
            serve::listen(&engine, &listen, *threads).map_err(|error| error.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Check { domain }) => Ok(check::check(domain.as_deref().unwrap_or(&arguments.domain))),
        Some(Command::Score { gold, page, blind, date, keep, mistakes }) => {
            let (keep, mistakes) = (*keep, *mistakes);
            let annotator = arguments.annotator.as_deref();
            score::score(&score::Wanted { gold, pages: page, blind: *blind, date, annotator, keep, mistakes })
        }
        Some(Command::Learn { folders, write, roles: true }) => {
            learn::roles::run(&arguments.domain, folders, write.as_deref())
        }
        Some(Command::Learn { folders, write, .. }) => learn::run(&arguments.domain, folders, write.as_deref()),
        Some(Command::Bench { files, rounds }) => bench::bench(&engine(&arguments.domain)?, files, *rounds),
    }
}

fn engine(domain: &str, annotator: Option<&str>) -> Result<Engine, String> {
    let engine = Engine::new(domain).map_err(|error| error.to_string())?;
    let Some(place) = annotator else { return Ok(engine) };
    let annotator = Arc::new(Annotator::open(annotator_settings(place)?));
    engine.with_annotator(annotator).map_err(|trouble| format!("the annotator {place}: {trouble}"))
}

/// Where an annotator is, by what the arguments say.
fn annotator_settings(place: &str) -> Result<Settings, String> {
    let carrier = if let Some(address) = place.strip_prefix("tcp:") {
        Carrier::Tcp(address.to_owned())
    } else if let Some(path) = place.strip_prefix("unix:") {
        Carrier::Unix(PathBuf::from(path))
    } else if place.starts_with("http://") {
        Carrier::Http(place.trim_end_matches('/').to_owned())
    } else {
        let mut words = place.split_whitespace();
        let program = words.next().ok_or("the annotator is empty: a command, tcp:, unix: or http:")?;
        let arguments = words.map(str::to_owned).collect();
        Carrier::Worker(Launch { program: PathBuf::from(program), arguments, environment: Vec::new() })
    };
    // Engines with models take long to start, and much address space.
    let start_up = Duration::from_secs(120);
    let deadline = Duration::from_secs(20);
    Ok(Settings { start_up, deadline, workers: 1, memory: u64::MAX, ..Settings::new(carrier) })
}

/// Prints to standard output. Whoever has stopped reading needs no complaint.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints to standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gatherer-parser: {text}");
}
