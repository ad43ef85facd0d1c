//! Abstracts: documents are handed to a natural-language parser, and what it says is merged with what the gatherer knows.

use crate::desk::Drafted;
use crate::kept::{Kept, sandbox};
use crate::setup;
use gatherer_abstracts::check::Dropped;
use gatherer_abstracts::client::{
    Again, Cache, Carrier, Document, FileCache, Format, Launch, Parser, Settings as ClientSettings,
};
use gatherer_abstracts::model::{Abstract, GathererMark, Meta};
use gatherer_abstracts::ontology::Ontology;
use gatherer_pipeline::report::ParserReport;
use gatherer_pipeline::{Failure, Kind, Summary, UnixTime, events};
use gatherer_settings::{Complaints, Identity, ParserPlace, ParserText, Settings};
use gatherer_summarizers::charset::{Hint, decode};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fs;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The attribute that holds the whole abstract.
pub const ATTRIBUTE: &str = "Abstract-XML";

/// Ontologies that come with the gatherer.
const SHIPPED: [(&str, &str); 2] = [
    ("tourism", include_str!("../../../config/domains/tourism/ontology.ttl")),
    ("jobs", include_str!("../../../config/domains/jobs/ontology.ttl")),
];

/// How long a run waits for its parsers to say who they are.
const GREETING: Duration = Duration::from_secs(5);

/// The operator's parsers.
#[derive(Default)]
pub(crate) struct Abstracts {
    parsers: Vec<OneParser>,
    identity: Option<Identity>,
}

struct OneParser {
    text: ParserText,
    ontology: Arc<Ontology>,
    client: Parser,
    report: Mutex<ParserReport>,
    /// Its fingerprint when it was last heard, in this run or an earlier one.
    heard: Mutex<Option<String>>,
}

/// Reads an ontology that the config names.
///
/// # Errors
/// All that is wrong with it, at its place in the config.
pub(crate) fn ontology(text: &ParserText) -> Result<Ontology, Complaints> {
    let complain = |message: String| match &text.ontology_at {
        Some(place) => Settings::complain(place, message),
        None => Settings::complain_at_large(message),
    };
    let read = |turtle: &str| {
        Ontology::read(turtle, &|_| None)
            .map_err(|complaints| complain(format!("the ontology {} is of no use: {complaints}", text.ontology)))
    };
    if let Some((_, turtle)) = SHIPPED.iter().find(|(name, _)| *name == text.ontology) {
        return read(turtle);
    }
    let path = text.ontology_file.display();
    let names: Vec<_> = SHIPPED.iter().map(|(name, _)| *name).collect();
    let turtle = fs::read_to_string(&text.ontology_file).map_err(|error| {
        let names = names.join(" and ");
        complain(format!("cannot read the ontology {path}: {error} ({names} come with the gatherer)"))
    })?;
    read(&turtle)
}

impl Abstracts {
    /// Makes ready; no parser is started or reached before it is needed.
    pub(crate) fn new(settings: &Settings) -> Result<Self, Failure> {
        let mut parsers = Vec::new();
        if settings.parsers.is_empty() {
            return Ok(Self::default());
        }
        let cache = cache(settings);
        for text in &settings.parsers {
            let ontology = Arc::new(ontology(text).map_err(|complaints| Failure::plain(complaints.to_string()))?);
            let client_settings = client_settings(text);
            let start = Kept { sandbox: sandbox(settings, text.network), memory: client_settings.memory };
            let client = Parser::open_with(client_settings, ontology.clone(), cache.clone(), Arc::new(start));
            parsers.push(OneParser {
                text: text.clone(),
                ontology,
                client,
                report: Mutex::default(),
                heard: Mutex::default(),
            });
        }
        Ok(Self { parsers, identity: Some(settings.identity.clone()) })
    }

    /// Who is asked about documents of this kind under this root node.
    fn of(&self, kind: &Kind, root: &str) -> Option<&OneParser> {
        self.parsers.iter().find(|parser| {
            let ParserText { kinds, root_nodes, .. } = &parser.text;
            let takes = kinds.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(kind.name()));
            takes && (root_nodes.is_empty() || root_nodes.iter().any(|name| name == root))
        })
    }

    /// All that decides what abstracts of this kind look like: our settings, the ontology, and who the parser is. One that is
    /// away is who it was when it was last heard, so that nothing is made anew for its absence.
    pub(crate) fn mark(&self, kind: &str) -> String {
        let of_kind = self.parsers.iter().filter(|parser| takes(&parser.text, kind));
        of_kind
            .map(|parser| {
                let heard = parser.heard().clone().unwrap_or_default();
                format!("{}{:?}{}{heard}", parser.text.name, parser.text.options, parser.ontology.hash())
            })
            .collect()
    }

    /// Who the parsers were, by what was noted down.
    pub(crate) fn recall(&self, noted: &BTreeMap<String, String>) {
        for parser in &self.parsers {
            *parser.heard() = noted.get(&parser.text.name).cloned();
        }
    }

    /// Asks all parsers who they are now. Nobody waits long for those that do not answer: they are who they were.
    pub(crate) fn greet(self: &Arc<Self>) {
        let (sender, receiver) = channel();
        for number in 0..self.parsers.len() {
            let (all, sender) = (Arc::clone(self), sender.clone());
            thread::spawn(move || {
                let parser = &all.parsers[number];
                if let Ok(hello) = parser.client.greet() {
                    *parser.heard() = Some(hello.fingerprint);
                }
                let _ = sender.send(());
            });
        }
        let until = Instant::now() + GREETING;
        for _ in 0..self.parsers.len() {
            let _ = receiver.recv_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    /// Who the parsers were when they were last heard, to be noted down.
    pub(crate) fn heard(&self) -> BTreeMap<String, String> {
        let named = |parser: &OneParser| Some((parser.text.name.clone(), parser.heard().clone()?));
        self.parsers.iter().filter_map(named).collect()
    }

    /// What the parsers have done since a run began.
    pub(crate) fn reports(&self) -> BTreeMap<String, ParserReport> {
        self.parsers.iter().map(|parser| (parser.text.name.clone(), parser.report().clone())).collect()
    }

    /// A new run begins.
    pub(crate) fn begin_run(&self) {
        self.parsers.iter().for_each(|parser| *parser.report() = ParserReport::default());
    }

    /// The name of the parser that is asked about documents of this kind under this root node.
    pub(crate) fn name_of(&self, kind: &Kind, root: &str) -> Option<&str> {
        self.of(kind, root).map(|parser| parser.text.name.as_str())
    }

    /// The parsers' fingerprints, or why they cannot be had now, by the parsers' names. Each is asked once.
    pub(crate) fn fingerprints(&self) -> BTreeMap<String, Result<String, String>> {
        let said = |parser: &OneParser| {
            let said = parser.client.hello().map(|hello| hello.fingerprint).map_err(|trouble| trouble.cause());
            if let Ok(fingerprint) = &said {
                *parser.heard() = Some(fingerprint.clone());
            }
            (parser.text.name.clone(), said)
        };
        self.parsers.iter().map(said).collect()
    }

    /// Adds what the document says to its summary. True if it has to be tried again.
    pub(crate) fn add(&self, drafted: &Drafted, summary: &mut Summary) -> bool {
        let fetched = &drafted.leaf.fetched;
        let root = fetched.prepared.candidate().root();
        let Some(parser) = self.of(drafted.leaf.kind(), root) else { return false };
        let known = self.known(summary);
        let is_page = matches!(drafted.leaf.kind().name(), "HTML" | "HomeHTML");
        let decoded =
            is_page.then(|| decode(&fetched.body, fetched.content_type.as_deref(), Hint::html(fetched.url())));
        let lang = summary.get("Language").and_then(|text| text.split_whitespace().next()).unwrap_or("auto").to_owned();
        let document = match &decoded {
            Some(decoded) => Document {
                known: &known,
                media_type: "text/html",
                charset: decoded.charset,
                lang: &lang,
                bytes: &fetched.body,
                is_cut: fetched.cut_from.is_some(),
                text: &decoded.text,
            },
            // Of other kinds the parser gets the text that their summarizers have found.
            None => Document {
                known: &known,
                media_type: "text/plain",
                charset: "UTF-8",
                lang: &lang,
                bytes: drafted.draft.text().as_bytes(),
                is_cut: fetched.cut_from.is_some(),
                text: drafted.draft.text(),
            },
        };
        parser.ask(&document, summary)
    }

    /// What the gatherer knows of a document.
    fn known(&self, summary: &Summary) -> Meta {
        let identity = self.identity.as_ref();
        Meta {
            url: summary.url().to_string(),
            final_url: (summary.origin() != summary.url()).then(|| summary.origin().to_string()),
            title: summary.get("Title").map(str::to_owned),
            kind: Some(summary.kind().to_string()),
            md5: Some(summary.md5().to_string()),
            size: summary.get("File-Size").and_then(|size| size.parse().ok()),
            update_time: Some(moment(summary.made)),
            refresh_rate: Some(summary.times.refresh_rate.as_secs()),
            time_to_live: Some(summary.times.time_to_live.as_secs()),
            gatherer: identity.map(|identity| GathererMark {
                name: identity.name.clone(),
                version: setup::VERSION.to_owned(),
                host: Some(identity.host.clone()),
                port: None,
            }),
            ..Meta::default()
        }
    }
}

impl OneParser {
    fn report(&self) -> std::sync::MutexGuard<'_, ParserReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, document: &Document<'_>, summary: &mut Summary) -> bool {
        let began = Instant::now();
        let answer = self.client.abstract_of(document);
        let mut report = self.report();
        report.milliseconds += u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        match answer {
            Ok(outcome) => {
                *self.heard() = Some(outcome.made.meta.parser.fingerprint.clone());
                report.made += 1;
                report.known += u64::from(outcome.from_cache);
                report.empty += u64::from(outcome.made.instances.is_empty());
                count(&outcome.dropped, &mut report);
                self.put(&outcome.made, summary);
                if outcome.dropped.total() > 0 {
                    events::facts_dropped(summary.url(), &self.text.name, outcome.dropped.total());
                }
                false
            }
            Err(trouble) => {
                let is_later = trouble.again() == Again::Later;
                *(if is_later { &mut report.later } else { &mut report.not_for_it }) += 1;
                // What may be mended is worth more than what the document itself is the cause of.
                if is_later || report.trouble.is_none() {
                    report.trouble = Some(trouble.cause());
                }
                let (cause, when) = (trouble.cause(), if is_later { "; it is made later" } else { "" });
                summary.complain(&format!("no abstract by {}: {cause}{when}", self.text.name), "gatherer");
                events::abstract_missing(summary.url(), &self.text.name, &trouble);
                is_later
            }
        }
    }

    /// The whole of it as one attribute, and the main slots as attributes of their own.
    fn put(&self, made: &Abstract, summary: &mut Summary) {
        let mark = &made.meta.parser;
        let by = format!("{} {}", mark.name, mark.version);
        if made.instances.is_empty() {
            return;
        }
        summary.set(ATTRIBUTE, &made.to_record_xml(), &by);
        for (name, values) in made.flat_attributes(&self.ontology) {
            // A slot named like something that we know ourselves does not take its place.
            if summary.get(&name).is_none() {
                summary.set(&name, &values.join("\n"), &by);
            }
        }
    }
}

fn takes(text: &ParserText, kind: &str) -> bool {
    text.kinds.iter().any(|name| name == "*" || name.eq_ignore_ascii_case(kind))
}

fn count(dropped: &Dropped, report: &mut ParserReport) {
    for (reason, count) in dropped.iter() {
        *report.dropped.entry(reason.name().to_owned()).or_default() += u64::try_from(count).unwrap_or(u64::MAX);
    }
}

fn client_settings(text: &ParserText) -> ClientSettings {
    let launch = |program: &std::path::Path, arguments: &[String]| Launch {
        program: program.to_owned(),
        arguments: arguments.to_vec(),
        environment: Vec::new(),
    };
    let carrier = match &text.place {
        ParserPlace::Worker(program, arguments) => Carrier::Worker(launch(program, arguments)),
        ParserPlace::Command(program, arguments) => {
            Carrier::Command { launch: launch(program, arguments), host: "127.0.0.1".to_owned(), port: 0, name: None }
        }
        ParserPlace::Tcp(address) => Carrier::Tcp(address.clone()),
        ParserPlace::Unix(path) => Carrier::Unix(path.clone()),
        ParserPlace::Http(base) => Carrier::Http(base.clone()),
    };
    ClientSettings {
        format: if text.answers_list { Format::List } else { Format::Abstract },
        options: text.options.clone(),
        workers: text.workers,
        deadline: text.deadline,
        longest_deadline: text.deadline.max(Duration::from_secs(60)),
        patience: text.patience,
        ..ClientSettings::new(carrier)
    }
}

/// One that cannot be used costs time only.
fn cache(settings: &Settings) -> Option<Arc<dyn Cache>> {
    let folder = settings.abstracting.cache.as_deref()?;
    match FileCache::open(folder, settings.abstracting.cache_limit as u64) {
        Ok(cache) => Some(Arc::new(cache)),
        Err(error) => {
            events::abstract_cache_unused(folder.display(), error);
            None
        }
    }
}

/// A moment as XML writes it.
fn moment(time: UnixTime) -> String {
    let seconds = i64::try_from(time.0).unwrap_or(0);
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// A parser of the config, for who has documents from elsewhere.
pub struct Reader(Abstracts);

impl Reader {
    /// The first parser of the config.
    ///
    /// # Errors
    /// When there is none, or its ontology cannot be read.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        if settings.parsers.is_empty() {
            return Err(Failure::plain("the config names no parser\nadd a [[parser]]; config/gatherer.toml shows how"));
        }
        Abstracts::new(settings).map(Self)
    }

    /// The abstract of a text, with what is known of its document.
    ///
    /// # Errors
    /// Why there is none, and whether it is worth trying again.
    pub fn read(&self, known: &Meta, lang: &str, text: &str) -> Result<Abstract, (String, bool)> {
        let Some(parser) = self.0.parsers.first() else { return Err(("there is no parser".to_owned(), false)) };
        let document = Document {
            known,
            media_type: "text/plain",
            charset: "UTF-8",
            lang,
            bytes: text.as_bytes(),
            is_cut: false,
            text,
        };
        let outcome = parser.client.abstract_of(&document);
        outcome.map(|outcome| outcome.made).map_err(|trouble| (trouble.to_string(), trouble.again() == Again::Later))
    }
}

/// All ontologies that the settings and the program know.
pub(crate) fn all_ontologies(settings: &Settings) -> Vec<Arc<Ontology>> {
    let configured = settings.parsers.iter().filter_map(|text| ontology(text).ok());
    let shipped = SHIPPED.iter().filter_map(|(_, turtle)| Ontology::read(turtle, &|_| None).ok());
    configured.chain(shipped).map(Arc::new).collect()
}

/// The ontology with this hash among those that the settings and the program know.
pub fn ontology_of(settings: &Settings, hash: &str) -> Option<Arc<Ontology>> {
    all_ontologies(settings).into_iter().find(|ontology| ontology.hash() == hash)
}
