//! The settings as a whole, and how they are read.

use crate::complaint::{Complaint, Complaints, Place, Source};
use crate::documents::{KindFiles, KindWeights, Opening, Selecting, Summarizing, Wording};
use crate::layers::{Layer, Overrides, Setting};
use crate::parsers::{self, Abstracting, ParserText};
use crate::parts::{self, Fetching, Identity, Running, Storing};
use crate::plugins::{Plugging, PluginText};
use crate::ports::{self, Brokering, Web};
use crate::reading::Reading;
use crate::root_node;
use crate::rules::{KindRule, ProgramText, QuickSumText, RuleText};
use crate::scheduling::Scheduling;
use crate::starter::DEFAULTS;
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{RootNode, Source as GathererSource, Token};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeTable;

/// Everything the operator decides, checked. Each room gets its own part.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who gathers.
    pub identity: Identity,
    /// How a run goes.
    pub running: Running,
    /// When root nodes are gathered.
    pub scheduling: Scheduling,
    /// When a failing or missing resource is given up.
    pub patience: Patience,
    /// What bounds a fetch.
    pub fetching: Fetching,
    /// Where gathering starts; at least one, unless there are sources.
    pub root_nodes: Vec<RootNode>,
    /// Other gatherers whose records are taken over.
    pub sources: Vec<GathererSource>,
    /// Which kinds get a record.
    pub selecting: Selecting,
    /// What goes into a summary.
    pub summarizing: Summarizing,
    /// What is opened, and how far.
    pub opening: Opening,
    /// Which words become keywords,
    pub wording: Wording,
    /// and what they weigh in some kinds.
    pub weights: Vec<KindWeights>,
    /// Patterns for lines that become attributes.
    pub quick_sums: Vec<QuickSumText>,
    /// Harvest's own tables of kinds.
    pub kind_files: KindFiles,
    /// The operator's own words on kinds, in order.
    pub kinds: Vec<KindRule>,
    /// Programs that summarize, in order.
    pub programs: Vec<ProgramText>,
    /// Where plugins are,
    pub plugging: Plugging,
    /// and what is said of single ones.
    pub plugins: Vec<PluginText>,
    /// Where abstracts are kept,
    pub abstracting: Abstracting,
    /// and who makes them; the first that takes a document does.
    pub parsers: Vec<ParserText>,
    /// The operator's rules over summaries, in order.
    pub rules: Vec<RuleText>,
    /// The brokers' port,
    pub brokering: Brokering,
    /// the HTTP port,
    pub web: Web,
    /// and the words that open more of it.
    pub tokens: Vec<Token>,
    /// The store's memory.
    pub storing: Storing,
    report: Vec<Setting>,
}

impl Settings {
    /// Reads the config at `path` under what the command line says.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, or that it cannot be read. The program ends with exit code 2 then.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, Complaints> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            Complaints::one(
                &name,
                match error.kind() {
                    ErrorKind::NotFound => Complaint::new(format!("there is no config at {name}"))
                        .help("`gatherer init` writes one to start from"),
                    _ => Complaint::new(format!("cannot read the config at {name}: {error}")),
                },
            )
        })?;
        Self::from_text(&text, &name, path.parent().unwrap_or(Path::new("")), overrides)
    }

    /// Reads a config that is at hand. Complaints call it `file_name`; its paths are relative to `directory`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn from_text(text: &str, file_name: &str, directory: &Path, overrides: &Overrides) -> Result<Self, Complaints> {
        let source = Source::new(file_name, text);
        let (own, errors) = DeTable::parse_recoverable(text);
        let faults = syntax_faults(&source, errors);
        let file = Layer { source, table: own.get_ref(), is_default: false };

        let source = Source::new("config/gatherer.toml", DEFAULTS);
        let table = parsed_defaults();
        let defaults = Layer { source, table: table.get_ref(), is_default: true };

        let arguments = overrides.read();
        let mut reading = Reading::new((file, faults), defaults, &arguments, directory);
        reading.wants_secrets = overrides.wants_secrets();
        let settings = Self::read(&mut reading);
        Ok(Self { report: reading.end()?, ..settings })
    }

    /// Asks for every section there is.
    pub(crate) fn read(reading: &mut Reading<'_>) -> Self {
        let identity = reading.section("gatherer", Identity::read);
        let running = reading.section("run", Running::read);
        let scheduling = reading.section("schedule", Scheduling::read);
        let patience = reading.section("life", parts::patience);
        let fetching = reading.section("fetch", Fetching::read);
        let root_nodes = root_node::read_all(reading, &scheduling);
        let brokering = reading.section("broker", Brokering::read);
        let web = reading.section("http", |section| Web::read(section, &brokering.port.listen));
        Self {
            identity,
            running,
            scheduling,
            patience,
            fetching,
            sources: ports::sources(reading, &root_nodes),
            selecting: reading.section("selection", Selecting::read),
            summarizing: reading.section("summaries", Summarizing::read),
            opening: reading.section("unnest", Opening::read),
            wording: reading.section("keywords", Wording::read),
            weights: reading.sections("weights", None, KindWeights::read).into_iter().flatten().collect(),
            quick_sums: reading.sections("quick-sum", None, QuickSumText::read).into_iter().flatten().collect(),
            kind_files: reading.section("recognition", KindFiles::read),
            programs: reading.sections("summarizer", None, ProgramText::read).into_iter().flatten().collect(),
            plugging: reading.section("plugins", Plugging::read),
            plugins: reading.sections("plugin", None, PluginText::read).into_iter().flatten().collect(),
            abstracting: reading.section("abstracts", Abstracting::read),
            parsers: parsers::read_all(reading, &root_nodes),
            kinds: reading.sections("kind", None, KindRule::read).into_iter().flatten().collect(),
            rules: reading.sections("rule", None, RuleText::read),
            brokering,
            web,
            tokens: reading.sections("http-token", None, ports::token).into_iter().flatten().collect(),
            storing: reading.section("store", Storing::read),
            root_nodes,
            report: Vec::new(),
        }
    }

    /// The defaults, under a name that goes out with no request.
    ///
    /// # Panics
    /// Never, as tests show.
    pub fn defaults() -> Self {
        let text =
            "[gatherer]\ncontact = \"nobody@localhost.localdomain\"\n[[root-node]]\nurl = \"http://localhost/\"\n";
        let read = Self::from_text(text, "the defaults", Path::new("."), &Overrides::default());
        read.expect("the defaults are good, and the rest stands here")
    }

    /// Says something of one plugin, in the place of what the config says of it.
    pub fn set_plugin(&mut self, name: &str, kinds: Option<Vec<String>>, options: &[(String, String)]) {
        self.plugins.retain(|plugin| plugin.name != name);
        self.plugins.push(PluginText::plain(name, kinds, options.to_vec()));
    }

    /// Every setting in force and where it came from, in the order of `config/gatherer.toml`.
    pub fn report(&self) -> &[Setting] {
        &self.report
    }

    /// A complaint of a later stage about settings that stand in no file.
    pub fn complain_at_large(message: impl Into<String>) -> Complaints {
        Complaints::one("the settings", Complaint::new(message))
    }

    /// A complaint of a later stage about something in the config, in the same form as the others.
    pub fn complain(place: &Place, message: impl Into<String>) -> Complaints {
        Complaints::one(place.file(), Complaint::new(message).at(place.clone()))
    }
}

fn parsed_defaults() -> Spanned<DeTable<'static>> {
    DeTable::parse(DEFAULTS).expect("config/gatherer.toml is TOML, tests load it")
}

/// The parser's own complaints, one a line: after the first it is only guessing.
fn syntax_faults(source: &Arc<Source>, errors: Vec<toml::de::Error>) -> Vec<Complaint> {
    let mut faults: Vec<Complaint> = Vec::new();
    for error in errors {
        let place = Place::new(source, error.span().unwrap_or_default());
        if faults.iter().any(|known| known.place().map(Place::line) == Some(place.line())) {
            continue;
        }
        let (what, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), "nothing"));
        let fault = Complaint::new(format!("this is not TOML: {what}")).at(place);
        faults.push(if expected == "nothing" { fault } else { fault.label(format!("expected {expected}")) });
    }
    faults
}
