//! The gatherer's side of the conversation with a parser, as `schemas/abstract/protocol.md` describes it.
//!
//! [`Parser::abstract_of`] takes a document and gives back a checked abstract, or says why there is none and whether another
//! attempt is worth it. Behind it are five carriers: a command for each document, a child that stays, TCP, a Unix socket, HTTP.
//! It may be called from many threads at once; so many documents are in flight as workers and their windows allow, the others
//! wait.
//!
//! - A document that a parser dies, hangs or raves over is tried once more, alone; then it is set aside for this parser.
//! - A parser that fails with several documents in a row is left alone for a while, then tried with one.
//! - Answers are kept in a [`Cache`], by content, parser and ontology.
//!
//! Nothing here is async, and no answer is believed: see [`check`](crate::check).

mod annotator;
mod breaker;
mod cache;
mod command;
mod conversation;
mod http;
mod messages;
mod pool;
mod settings;
mod start;
mod trouble;

pub use annotator::Annotator;
pub use cache::{Cache, FileCache, Key};
pub use messages::{Hello, OfferedOntology};
pub use settings::{Carrier, Document, Format, Settings};
pub use start::{Launch, Processes, Running, Start};
pub use trouble::{Again, Trouble};

use crate::check::{self, Dropped, Quotes, check};
use crate::model::{Abstract, Limits, OntologyMark, ParserMark, list};
use crate::ontology::Ontology;
use breaker::Breaker;
use messages::{Question, Reply, Status};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use trouble::Loss;

/// So many documents are remembered as set aside.
const ASIDE_LIMIT: usize = 10_000;
/// How often a busy parser, or one that a neighbour has brought down, is asked within one attempt.
const ATTEMPTS: u32 = 4;

/// How a question is to be asked.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// The longest that the answer may take.
    limit: Duration,
    /// How long to wait for one's turn.
    patience: Duration,
    /// With nobody else on the line.
    is_alone: bool,
}

/// What carries questions and answers.
trait Line: Send + Sync {
    /// What the parser says of itself, asked anew.
    fn hello(&self) -> Result<Hello, Loss>;
    /// One question, one answer.
    fn ask(&self, question: &Question<'_>, asked: Asked) -> Result<Reply, Loss>;
}

/// What became of a document.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What it says. A document that says nothing has an abstract without instances.
    pub made: Abstract,
    /// What the parser said and was not believed.
    pub dropped: Dropped,
    /// What the parser wants people to know.
    pub warnings: Vec<String>,
    /// Whether the parser could not read all of it.
    pub is_partial: bool,
    /// Whether it was kept from an earlier time.
    pub from_cache: bool,
}

/// A parser, wherever it is.
pub struct Parser {
    line: Box<dyn Line>,
    settings: Settings,
    ontology: Arc<Ontology>,
    cache: Option<Arc<dyn Cache>>,
    state: Mutex<State>,
}

struct State {
    hello: Option<Hello>,
    breaker: Breaker,
    /// Documents by content and fingerprint, and why they are set aside.
    aside: HashMap<(String, String), String>,
}

impl Parser {
    /// Makes ready. Nothing is started or reached before the first question: a parser may be down and come back.
    pub fn open(settings: Settings, ontology: Arc<Ontology>, cache: Option<Arc<dyn Cache>>) -> Self {
        let start = Arc::new(Processes { memory: settings.memory });
        Self::open_with(settings, ontology, cache, start)
    }

    /// The same, with an own way to start programs.
    pub fn open_with(
        settings: Settings,
        ontology: Arc<Ontology>,
        cache: Option<Arc<dyn Cache>>,
        start: Arc<dyn Start>,
    ) -> Self {
        let line = settings.line(start);
        let breaker = Breaker::new(settings.failures.max(1), settings.rest);
        let state = Mutex::new(State { hello: None, breaker, aside: HashMap::new() });
        Self { line, settings, ontology, cache, state }
    }

    /// What the parser says of itself: asked once, then remembered.
    ///
    /// # Errors
    /// If it cannot be reached, or is not one that we could ask.
    pub fn hello(&self) -> Result<Hello, Trouble> {
        if let Some(hello) = self.lock().hello.clone() {
            return Ok(hello);
        }
        let hello = self.line.hello().map_err(|loss| Trouble::Down(loss.to_string()))?;
        if let Some(wrong) = hello.is_wrong_for(self.ontology.hash()) {
            return Err(Trouble::UnknownOntology(format!("{} ({wrong})", self.ontology.hash())));
        }
        self.lock().hello = Some(hello.clone());
        Ok(hello)
    }

    /// The same, asked anew: a parser may have become another one meanwhile.
    ///
    /// # Errors
    /// If it cannot be reached, or is not one that we could ask.
    pub fn greet(&self) -> Result<Hello, Trouble> {
        self.lock().hello = None;
        self.hello()
    }

    /// Makes the abstract of a document.
    ///
    /// # Errors
    /// Why there is none; [`Trouble::again`] says whether to try again.
    pub fn abstract_of(&self, document: &Document<'_>) -> Result<Outcome, Trouble> {
        // One that is known is known without the parser.
        if let Some(kept) = self.lock().hello.clone().and_then(|hello| self.kept(&hello, document)) {
            return Ok(kept);
        }
        let permitted = self.lock().breaker.permit(Instant::now());
        permitted.map_err(|(pause, why)| Trouble::LeftAlone { seconds: pause.as_secs().max(1), why })?;
        let made = self.make(document);
        let mut state = self.lock();
        match &made {
            Ok(_) => state.breaker.succeeded(),
            // Not its fault, and no sign that it is well either.
            Err(Trouble::NotForIt(_) | Trouble::Busy | Trouble::SetAside(_)) => state.breaker.undecided(Instant::now()),
            Err(trouble) => state.breaker.failed(Instant::now(), &trouble.to_string()),
        }
        if matches!(made, Err(Trouble::Down(_))) {
            // When it comes back it may be another one.
            state.hello = None;
        }
        made
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self, document: &Document<'_>) -> Result<Outcome, Trouble> {
        let hello = self.hello()?;
        if let Some(kept) = self.kept(&hello, document) {
            return Ok(kept);
        }
        self.refuse(&hello, document)?;
        let reply = self.asked(&hello, document)?;
        let parser = ParserMark {
            fingerprint: reply.fingerprint.clone().unwrap_or_else(|| hello.fingerprint.clone()),
            name: hello.name.clone(),
            version: hello.version.clone(),
        };
        self.remember(&parser.fingerprint);
        let outcome = self.judged(document, &parser, reply)?;
        if !outcome.is_partial
            && let Some(cache) = &self.cache
        {
            cache.put(&self.key(&self.marked(&parser.fingerprint), document), &outcome.made.to_xml());
        }
        Ok(outcome)
    }

    /// A parser may have read its lexicon again since it said hello.
    fn remember(&self, fingerprint: &str) {
        if let Some(hello) = self.lock().hello.as_mut().filter(|hello| hello.fingerprint != fingerprint) {
            fingerprint.clone_into(&mut hello.fingerprint);
        }
    }

    /// The fingerprint with our own options, which change answers as well.
    fn marked(&self, fingerprint: &str) -> String {
        let options: String = self.settings.options.iter().map(|(name, value)| format!("\n{name}={value}")).collect();
        format!("{fingerprint}{options}")
    }

    fn key<'a>(&'a self, fingerprint: &'a str, document: &'a Document<'_>) -> Key<'a> {
        Key { content: document.bytes, fingerprint, ontology: self.ontology.hash() }
    }

    /// The abstract as it was kept, with what is known of the document today.
    fn kept(&self, hello: &Hello, document: &Document<'_>) -> Option<Outcome> {
        let marked = self.marked(&hello.fingerprint);
        let xml = self.cache.as_ref()?.get(&self.key(&marked, document))?;
        // What cannot be read is not there.
        let mut made = Abstract::from_xml(xml.as_bytes(), Limits::default()).ok()?;
        let known = document.known(made.meta.parser.clone());
        made.meta.put_in_front(&known);
        Some(Outcome { made, dropped: Dropped::default(), warnings: Vec::new(), is_partial: false, from_cache: true })
    }

    /// What need not be asked.
    fn refuse(&self, hello: &Hello, document: &Document<'_>) -> Result<(), Trouble> {
        let holds = |all: &[String], one: &str| all.is_empty() || all.iter().any(|known| known == "*" || known == one);
        if !holds(&hello.types, document.media_type) {
            return Err(Trouble::NotForIt(format!("it does not read {}", document.media_type)));
        }
        let language = document.lang.split('-').next().unwrap_or_default();
        if document.lang != "auto" && !holds(&hello.langs, document.lang) && !holds(&hello.langs, language) {
            return Err(Trouble::NotForIt(format!("it does not know the language {}", document.lang)));
        }
        if document.bytes.len() > hello.max_bytes {
            let (size, most) = (document.bytes.len(), hello.max_bytes);
            return Err(Trouble::NotForIt(format!("it takes {most} bytes, and the document has {size}")));
        }
        let key = (content_hash(document.bytes), hello.fingerprint.clone());
        self.lock().aside.get(&key).map_or(Ok(()), |why| Err(Trouble::SetAside(why.clone())))
    }

    /// Asks; once more, alone, if that goes wrong.
    fn asked(&self, hello: &Hello, document: &Document<'_>) -> Result<Reply, Trouble> {
        let limit = self.settings.deadline_for(document.bytes.len());
        let question = self.question(document, limit);
        let first = match self.ask_patiently(&question, limit, false) {
            Ok(reply) => return Ok(reply),
            Err(loss) => loss,
        };
        let again = match &first {
            Loss::Error(code, _) => matches!(code.as_str(), "internal" | "deadline") || !is_known(code),
            loss => loss.may_be_the_document(),
        };
        if !again {
            return Err(self.trouble(first));
        }
        thread::sleep(self.settings.pause.mul_f32(0.5 + fastrand::f32() / 2.0));
        let second = match self.ask_patiently(&question, limit, true) {
            Ok(reply) => return Ok(reply),
            Err(loss) => loss,
        };
        let is_late = matches!(&second, Loss::Error(code, _) if code == "deadline");
        if second.may_be_the_document() || is_late {
            self.set_aside(hello, document, &second.to_string());
            return Err(Trouble::Failed(second.to_string()));
        }
        Err(self.trouble(second))
    }

    fn question<'a>(&'a self, document: &'a Document<'_>, limit: Duration) -> Question<'a> {
        let strings = |pairs: &[(String, String)]| -> Map<String, Value> {
            pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
        };
        Question {
            url: &document.known.url,
            media_type: document.media_type,
            charset: document.charset,
            lang: document.lang,
            want: "abstract",
            ontology: self.ontology.hash(),
            deadline_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            cut: document.is_cut,
            meta: document.meta(),
            options: strings(&self.settings.options),
            body: document.bytes,
            output_limit: self.settings.output_limit_for(document.bytes.len()),
        }
    }

    /// Asks; a busy parser is asked again a little later, some times, and so is one that another document has brought down.
    fn ask_patiently(&self, question: &Question<'_>, limit: Duration, is_alone: bool) -> Result<Reply, Loss> {
        let asked = Asked { limit, patience: self.settings.patience, is_alone };
        let mut pause = self.settings.pause;
        for _ in 1..ATTEMPTS {
            match self.line.ask(question, asked) {
                Err(Loss::Error(code, _)) if code == "busy" => {}
                Err(Loss::Neighbour) => {}
                other => return other,
            }
            thread::sleep(pause.mul_f32(0.5 + fastrand::f32() / 2.0));
            pause *= 2;
        }
        self.line.ask(question, asked)
    }

    fn set_aside(&self, hello: &Hello, document: &Document<'_>, why: &str) {
        let mut state = self.lock();
        // Better to ask some of them once more than to remember for ever.
        if state.aside.len() >= ASIDE_LIMIT {
            state.aside.clear();
        }
        state.aside.insert((content_hash(document.bytes), hello.fingerprint.clone()), why.to_owned());
    }

    fn trouble(&self, loss: Loss) -> Trouble {
        let text = loss.to_string();
        match loss {
            Loss::Unreached(why) => Trouble::Down(why),
            Loss::Busy => Trouble::Busy,
            Loss::Error(code, _) => match code.as_str() {
                "busy" => Trouble::Busy,
                "unknown-ontology" => Trouble::UnknownOntology(self.ontology.hash().to_owned()),
                code if is_known(code) && !matches!(code, "internal" | "deadline") => Trouble::NotForIt(text),
                _ => Trouble::Failed(text),
            },
            Loss::Late | Loss::Died(_) | Loss::Flood(_) | Loss::Nonsense(_) | Loss::Neighbour => Trouble::Failed(text),
        }
    }

    /// Reads an answer and holds it against ontology and document.
    fn judged(&self, document: &Document<'_>, parser: &ParserMark, reply: Reply) -> Result<Outcome, Trouble> {
        let known = document.known(parser.clone());
        let limits = Limits { bytes: self.settings.output_limit_for(document.bytes.len()), ..Limits::default() };
        let (answer, quotes) = match (reply.status, reply.media_type.as_str(), self.settings.format) {
            (Status::Empty, _, _) => (empty(document, parser, &self.ontology), Quotes::Compared),
            (_, "application/json", _) => (Abstract::from_json(&reply.body, limits)?, Quotes::Compared),
            (_, _, Format::List) => {
                let (_, tuples) = list::read(&reply.body, limits)?;
                let mut answer = empty(document, parser, &self.ontology);
                answer.instances = list::instances(&tuples);
                (answer, Quotes::Believed)
            }
            _ => (Abstract::from_xml(&reply.body, limits)?, Quotes::Compared),
        };
        let page = check::Document::new(document.text, document.is_markup());
        let (made, dropped) = check(&answer, &self.ontology, &page, &known, quotes)?;
        // What we know of the document ourselves must fit the schema as well, else nobody could read what is stored.
        let made = Abstract::from_xml(made.to_xml().as_bytes(), Limits { bytes: usize::MAX, ..Limits::default() })?;
        let is_partial = reply.status == Status::Partial;
        Ok(Outcome { made, dropped, warnings: reply.warnings, is_partial, from_cache: false })
    }
}

/// The abstract of a document that says nothing.
fn empty(document: &Document<'_>, parser: &ParserMark, ontology: &Ontology) -> Abstract {
    let mut meta = document.known(parser.clone());
    meta.ontology = OntologyMark::from(ontology);
    let lang = if document.lang == "auto" { "und" } else { document.lang };
    Abstract { lang: lang.to_owned(), offsets: None, meta, instances: Vec::new() }
}

/// The codes of the protocol.
fn is_known(code: &str) -> bool {
    const CODES: [&str; 9] = [
        "unsupported-type",
        "unsupported-language",
        "unsupported-want",
        "unknown-ontology",
        "too-long",
        "bad-document",
        "bad-request",
        "deadline",
        "busy",
    ];
    CODES.contains(&code) || code == "internal"
}

fn content_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
