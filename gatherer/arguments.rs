//! The command line, in one table: each command, its arguments, its help.

mod upkeep;

pub(crate) use upkeep::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gatherer_settings::{Override, Overrides};
use std::path::{Path, PathBuf};
use url::Url;

/// Collects documents from named sites again and again, summarizes each, and serves what changed to search brokers.
#[derive(Debug, Parser)]
#[command(name = "gatherer", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    /// Say more on standard error: once for each root node and broker, twice for each resource
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// How to write the log on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogForm::Text, global = true)]
    pub(crate) log: LogForm,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Gather a bundled little web on loopback, show what was found, and serve it
    Demo(DemoWish),
    /// Write a commented config to start from
    Init(InitWish),
    /// Check the config: everything but start, all complaints at once
    Check(Source),
    /// Print every setting in force and where it came from
    Config(ConfigWish),
    /// One run: take up what is due, visit it, fold the results
    Run(RunWish),
    /// Serve brokers, and run whenever resources are due
    Serve(ServeWish),
    /// Have the gatherer that is serving take up its config as it is now
    Reload(Source),
    /// Say everything known of a URL: scope, robots rules, state, fates, what a run would do
    Explain(ExplainWish),
    /// Print the record of a URL
    Show(ShowWish),
    /// Print all records
    Export(ExportWish),
    /// Collect from a gatherer, as a broker does
    Collect(CollectWish),
    /// Say what files are, and who says so: one line a file, path, kind and votes between tabs
    Recognize(RecognizeWish),
    /// Work one document over and print its record; nothing is stored, robots.txt is not asked
    Summarize(SummarizeWish),
    /// Make records anew from kept bodies after rules, tables or summarizers have changed; nobody is asked for anything
    Resummarize(ResummarizeWish),
    /// Collect from another gatherer, and write the abstracts of what it has as files: parsing on a machine of its own
    Abstracts(AbstractsWish),
    /// Look after the store: check it, measure it, back it up, put it back
    Store(StoreWish),
    /// Forget a URL, a site or a root node: records, ledger, queue, bodies; brokers hear of it
    Forget(ForgetWish),
    /// Make a config of a Harvest gatherer's; what has no counterpart is told line by line
    Import(ImportWish),
    /// List, write, check, try and measure plugins
    Plugin(PluginWish),
    /// Print the completions of a shell
    Completions(CompletionsWish),
    /// Print the manual page, or write one for each command
    Manual(ManualWish),
    /// Summarize what comes in on standard input, for another process of this program
    #[command(hide = true)]
    Worker(WorkerWish),
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// Which settings.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// The config file; gatherer.toml if not said
    config: Option<PathBuf>,
    /// The same, as other commands have it
    #[arg(short = 'c', long = "config", value_name = "CONFIG", conflicts_with = "config")]
    named: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) layer: Layer,
}

impl Source {
    /// The config file.
    pub(crate) fn config(&self) -> &Path {
        self.config.as_deref().or(self.named.as_deref()).unwrap_or(Path::new("gatherer.toml"))
    }
}

/// Which settings, for commands whose main argument is something else.
#[derive(Debug, Args)]
pub(crate) struct SourceOption {
    /// The config file
    #[arg(short, long, default_value = "gatherer.toml")]
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) layer: Layer,
}

/// Settings from the command line.
#[derive(Debug, Clone, Args)]
pub(crate) struct Layer {
    /// Override a setting, such as `--set run.workers=4`; may be given many times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<Override>,
}

impl Layer {
    pub(crate) fn overrides(&self) -> Overrides {
        self.overrides.iter().cloned().collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoWish {
    /// End after the tour instead of serving until Ctrl-C
    #[arg(long)]
    pub(crate) once: bool,
    /// Serve brokers here instead of on a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    pub(crate) broker: String,
    /// Serve HTTP here instead of on a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    pub(crate) http: String,
}

#[derive(Debug, Args)]
pub(crate) struct InitWish {
    /// Where to write gatherer.toml
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Your mail address or web page, for webmasters
    #[arg(long)]
    pub(crate) contact: Option<String>,
    /// A site to gather; may be given many times, for a root node each
    #[arg(long = "url", value_name = "URL", value_parser = whole_url)]
    pub(crate) urls: Vec<Url>,
    /// When `gatherer serve` visits them: a cron expression such as "0 2 * * *", or "every 6h"
    #[arg(long, value_name = "WHEN", value_parser = schedule)]
    pub(crate) schedule: Option<String>,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(crate) struct RunWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print what happens while it happens, one JSON object a line, and the summary as the last
    #[arg(long)]
    pub(crate) events: bool,
    /// Visit everything known, due or not
    #[arg(long)]
    pub(crate) now: bool,
    /// Only this root node; may be given many times
    #[arg(long = "root", value_name = "NAME")]
    pub(crate) roots: Vec<String>,
    /// Let deletions pass that the brake would hold back
    #[arg(long)]
    pub(crate) allow_deletions: bool,
    /// If a gatherer is serving and makes the run: wait for its end, show how far it is, print its summary
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Only serve; do not gather
    #[arg(long)]
    pub(crate) no_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainWish {
    /// The URL, or several; an empty line stands between two explanations
    #[arg(required = true, value_name = "URL", value_parser = whole_url)]
    pub(crate) urls: Vec<Url>,
    #[command(flatten)]
    pub(crate) source: SourceOption,
}

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// As brokers of the Harvest family read them
    Soif,
    /// One JSON object a line
    Json,
    /// One XML document
    Xml,
}

#[derive(Debug, Args)]
pub(crate) struct ShowWish {
    /// The URL
    #[arg(value_parser = whole_url)]
    pub(crate) url: Url,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Form::Soif)]
    pub(crate) form: Form,
    /// Say who made each attribute instead of its value
    #[arg(long)]
    pub(crate) provenance: bool,
    /// Print its abstract instead, in this form
    #[arg(long = "abstract", value_name = "FORM", value_enum, num_args = 0..=1, default_missing_value = "xml")]
    pub(crate) abstract_form: Option<AbstractForm>,
    #[command(flatten)]
    pub(crate) source: SourceOption,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(crate) struct CollectWish {
    /// The gatherer: HOST[:PORT] for its daemon port (behind `tls://` if that is encrypted), or the URL of its HTTP port
    pub(crate) gatherer: String,
    /// Only what changed since this Unix time, by the daemon port (our own looks back a minute more)
    #[arg(long, value_name = "TIME", conflicts_with = "cursor")]
    pub(crate) since: Option<u64>,
    /// Go on from the place in this file, and keep the new place there when everything has come
    #[arg(long, value_name = "FILE")]
    pub(crate) cursor: Option<PathBuf>,
    /// Stay, and collect whatever is new, until Ctrl-C
    #[arg(long, conflicts_with = "since")]
    pub(crate) follow: bool,
    /// With --follow, on the daemon port: seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) every: u64,
    /// Transfer plain text instead of gzip
    #[arg(long)]
    pub(crate) plain: bool,
    /// Also list what was deleted or only refreshed; --cursor and --follow always do
    #[arg(long)]
    pub(crate) deletions: bool,
    /// Only these kinds, with commas between them
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only this root node
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// Only this host, and those below it
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// Only these attributes, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) attributes: Vec<String>,
    /// A file with the token to send, over HTTP
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// A PEM file with certificates to trust instead of the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) trust: Option<PathBuf>,
    /// Print the gatherer's description of itself instead
    #[arg(long)]
    pub(crate) info: bool,
    /// How to write the objects
    #[arg(long, value_enum, default_value_t = Form::Soif)]
    pub(crate) form: Form,
    /// Write to this file instead of standard output; with --cursor or --follow, behind what is there. What came of a round
    /// that breaks off is taken out of a file again. Out of a pipe it cannot be: there the exit code tells, and a round that
    /// is asked for again comes as a whole, so that objects come twice and the later ones count
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RecognizeWish {
    /// The files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// A config file with kind rules of your own; gatherer.toml, where there is one, if not said
    #[arg(short, long)]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SummarizeWish {
    /// A file or a URL
    pub(crate) document: String,
    /// How to write the record
    #[arg(long, value_enum, default_value_t = Form::Soif)]
    pub(crate) form: Form,
    /// Print its abstract alone, in this form; the config names the parser
    #[arg(long = "abstract", value_name = "FORM", value_enum, num_args = 0..=1, default_missing_value = "xml")]
    pub(crate) abstract_form: Option<AbstractForm>,
    /// A config file with kinds, summarizers and rules of your own; gatherer.toml, where there is one, if not said
    #[arg(short, long)]
    pub(crate) config: Option<PathBuf>,
}

/// How abstracts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AbstractForm {
    Xml,
    Json,
    /// RDF, with the evidence of each fact
    Turtle,
    /// RDF as JSON, with the words of schema.org
    JsonLd,
    /// The historic form: one tuple a relation
    List,
}

#[derive(Debug, Args)]
pub(crate) struct ResummarizeWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Only records that lack an abstract, or have one by a parser as it was before
    #[arg(long, value_enum)]
    pub(crate) only: Option<OnlyThese>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnlyThese {
    Abstracts,
}

#[derive(Debug, Args)]
pub(crate) struct AbstractsWish {
    /// The gatherer to collect from, as in `gatherer collect`
    #[arg(long, value_name = "GATHERER")]
    pub(crate) from: String,
    /// The folder to write to: a file a document
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Go on from the place in this file, and keep the new place there
    #[arg(long, value_name = "FILE")]
    pub(crate) cursor: Option<PathBuf>,
    /// A file with the token to send, over HTTP
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// How to write them
    #[arg(long, value_enum, default_value_t = AbstractForm::Xml)]
    pub(crate) form: AbstractForm,
    /// The config whose first [[parser]] is asked
    #[arg(short, long, default_value = "gatherer.toml")]
    pub(crate) config: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerWish {
    /// Load this library instead of the built-in summarizers
    #[arg(long, value_name = "FILE")]
    pub(crate) dylib: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PluginWish {
    #[command(subcommand)]
    pub(crate) deed: PluginDeed,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginDeed {
    /// Say which plugins are in use, which are not, and why
    List(Source),
    /// Write a small plugin to start from, complete with its build
    New(NewWish),
    /// Load a plugin and try all promises of the contract on it
    Check(CheckWish),
    /// Have a plugin work one document over, and show the record, the time and the memory
    Run(TryWish),
    /// Have a plugin work one document over many times, and say how long it takes
    Bench(BenchWish),
    /// Make a component of a core module, so that no tool but a compiler is needed
    Component(ComponentWish),
}

#[derive(Debug, Args)]
pub(crate) struct NewWish {
    /// Its name: small letters, digits and `-`; also the folder that is made
    pub(crate) name: String,
    /// The language
    #[arg(long, value_enum)]
    pub(crate) lang: Language,
    /// What it is made of; the languages' usual form if not said
    #[arg(long, value_enum)]
    pub(crate) form: Option<PluginForm>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Rust,
    C,
    Javascript,
    Python,
    Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginForm {
    /// A WebAssembly component
    Wasm,
    /// A dynamic library
    Dylib,
    /// A program
    Program,
}

#[derive(Debug, Args)]
pub(crate) struct CheckWish {
    /// The plugin's folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct TryWish {
    /// The plugin's folder
    pub(crate) folder: PathBuf,
    /// A file or a URL; an enumerator needs none
    pub(crate) document: Option<String>,
    /// Set an option of the plugin; may be given many times
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) options: Vec<(String, String)>,
    /// How to write the record
    #[arg(long, value_enum, default_value_t = Form::Soif)]
    pub(crate) form: Form,
    /// The config with your contact, for a document of a site; gatherer.toml, where there is one, if not said
    #[arg(short, long)]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchWish {
    /// The plugin's folder
    pub(crate) folder: PathBuf,
    /// A file
    pub(crate) file: PathBuf,
    /// How often
    #[arg(long, default_value_t = 1000)]
    pub(crate) count: u32,
    /// How many at the same time, as a run does on a machine with so many cores
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) at_once: u32,
    /// Load a library into this process instead of a worker
    #[arg(long)]
    pub(crate) in_process: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ComponentWish {
    /// The core module
    pub(crate) module: PathBuf,
    /// Where to write the component
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// The world, for modules that do not carry it
    #[arg(long, value_enum, default_value_t = World::Summarizer)]
    pub(crate) world: World,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum World {
    #[value(name = "summarizer-plugin")]
    Summarizer,
    #[value(name = "recognizer-plugin")]
    Recognizer,
    #[value(name = "enumerator-plugin")]
    Enumerator,
    #[value(name = "post-summarizer-plugin")]
    PostSummarizer,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn schedule(text: &str) -> Result<String, String> {
    gatherer_pipeline::schedule::Schedule::parse(text).map(|_| text.to_owned())
}

fn whole_url(text: &str) -> Result<Url, String> {
    match (Url::parse(text), gatherer_settings::with_scheme(text)) {
        (_, Some(whole)) => Err(format!("a URL begins with its scheme, such as {whole}")),
        (Err(url::ParseError::RelativeUrlWithoutBase), None) => Err("a URL begins with its scheme and host".to_owned()),
        (parsed, None) => parsed.map_err(|error| error.to_string()),
    }
}
