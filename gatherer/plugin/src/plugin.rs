//! One plugin in use: who it is, and the questions it can be asked.

use crate::form::{Asked, Form, Question, Talk, Trouble};
use crate::manifest::{Manifest, Role};
use crate::since_0_1::{Answer, Attribute, Correction, Description, Document, Guess, Pair, RootNode, is_kind, shown};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer, events};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A plugin that fails so often in a row is set aside for the run.
const MOST_FAILURES: u32 = 5;

/// A plugin in use.
pub struct Plugin {
    manifest: Manifest,
    folder: PathBuf,
    name: Arc<str>,
    label: String,
    kinds: Vec<String>,
    options: Vec<Pair>,
    /// A digest of all that decides what it makes of a document.
    mark: String,
    form: Box<dyn Form>,
    /// Most bytes of one answer.
    output: usize,
    /// So many failures in a row set it aside.
    most_failures: u32,
    failures: AtomicU32,
    aside: Mutex<Option<String>>,
    tally: Tally,
    start: Start,
}

/// What it took until a plugin could be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start {
    /// To read and digest the file.
    pub file: Duration,
    /// To make the engine of all components, if it is the first of them.
    pub engine: Duration,
    /// To load it, compiled now or before, and to hear what it says of itself.
    pub own: Duration,
}

/// What it has done so far.
#[derive(Default)]
struct Tally {
    asked: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
    micros: AtomicU64,
}

/// What a plugin has done so far, for reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deeds {
    /// Name and version.
    pub label: String,
    /// Questions.
    pub asked: u64,
    /// Documents that were not for it.
    pub refused: u64,
    /// Questions over which it failed.
    pub failed: u64,
    /// Time it took over all of them.
    pub time: Duration,
    /// The most memory that it has had, in bytes, where that can be told.
    pub peak: Option<u64>,
    /// Why it was set aside, if it was.
    pub aside: Option<String>,
}

/// What a post-summarizer makes of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Corrected {
    /// These attributes and no others.
    Keep(Vec<(String, String)>),
    /// No record, and why.
    LeaveOut(String),
}

impl Plugin {
    pub(crate) fn new(
        manifest: Manifest,
        kinds: Vec<String>,
        options: Vec<Pair>,
        mark: String,
        form: Box<dyn Form>,
        output: usize,
    ) -> Self {
        let (name, label) = (Arc::from(manifest.name.as_str()), manifest.label());
        let (failures, aside, tally) = (AtomicU32::new(0), Mutex::new(None), Tally::default());
        let most_failures = MOST_FAILURES;
        let (folder, start) = (PathBuf::new(), Start::default());
        Self {
            manifest,
            folder,
            name,
            label,
            kinds,
            options,
            mark,
            form,
            output,
            most_failures,
            failures,
            aside,
            tally,
            start,
        }
    }

    /// Says where it lies.
    pub(crate) fn lies_in(&mut self, folder: &Path) {
        folder.clone_into(&mut self.folder);
    }

    /// Notes what its start took.
    pub(crate) fn took(&mut self, start: Start) {
        self.start = start;
    }

    /// What its start took.
    pub fn start(&self) -> Start {
        self.start
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// By its author's word.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The kinds that it takes.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// Whether it takes this kind.
    pub fn takes(&self, kind: &str) -> bool {
        self.kinds.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(kind))
    }

    /// A digest of all that decides what it makes of a document.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// How it runs, in words.
    pub fn about(&self) -> String {
        self.form.about()
    }

    /// What is in force for it, as names and values.
    pub fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|pair| (pair.name.as_str(), pair.value.as_str()))
    }

    /// What it says of itself, unless it is a program that cannot.
    ///
    /// # Errors
    /// Why it says nothing.
    pub fn describe(&self) -> Result<Option<Description>, String> {
        self.form.describe().map_err(|trouble| trouble.to_string())
    }

    /// Whether it has these options.
    ///
    /// # Errors
    /// Which it has not, or cannot have.
    pub fn accepts(&self, options: &[(String, String)]) -> Result<(), String> {
        let accepted = crate::shelf::options(&self.manifest, options);
        accepted.map(|_| ()).map_err(|why| format!("{}: {why}", self.manifest.name))
    }

    /// Forgets earlier failures: a new run begins.
    pub fn begin_run(&self) {
        self.failures.store(0, Relaxed);
        *self.aside.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for count in [&self.tally.asked, &self.tally.refused, &self.tally.failed, &self.tally.micros] {
            count.store(0, Relaxed);
        }
    }

    /// What it has done since the run began.
    pub fn deeds(&self) -> Deeds {
        Deeds {
            label: self.label.clone(),
            asked: self.tally.asked.load(Relaxed),
            refused: self.tally.refused.load(Relaxed),
            failed: self.tally.failed.load(Relaxed),
            time: Duration::from_micros(self.tally.micros.load(Relaxed)),
            peak: self.form.peak(),
            aside: self.aside.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Names the kind of a leaf; nothing if it has no opinion.
    ///
    /// # Errors
    /// Why it gave no answer.
    pub fn recognize(&self, leaf: &Leaf<'_>) -> Result<Option<Guess>, String> {
        let document = Document::new(leaf, &self.options);
        match self.ask(Question::Recognize(&document), leaf.body) {
            Ok(Answer::Guesses(guesses)) => {
                let guess = guesses.into_iter().find(|guess| is_kind(&guess.kind));
                Ok(guess.map(|guess| Guess { because: shown(&guess.because), ..guess }))
            }
            Ok(_) | Err(Trouble::Refused(_)) => Ok(None),
            Err(Trouble::Failed(why)) => Err(why),
        }
    }

    /// Names the URLs to gather for a root node.
    ///
    /// # Errors
    /// Why it gave no answer.
    pub fn enumerate(
        &self,
        name: &str,
        urls: Vec<String>,
        url_max: u64,
        own: &[(String, String)],
    ) -> Result<Vec<String>, String> {
        // What is said of this root node, else what is said of the plugin.
        let is_unsaid = |(name, _): &(&str, &str)| !own.iter().any(|(said, _)| said == name);
        let others = self.options().filter(is_unsaid).map(|(name, value)| (name.to_owned(), value.to_owned()));
        let options = crate::shelf::options(&self.manifest, &others.chain(own.iter().cloned()).collect::<Vec<_>>())?;
        let root = RootNode { name: name.to_owned(), urls, url_max, options };
        match self.ask(Question::Enumerate(&root), &[]) {
            Ok(Answer::Urls(urls)) => Ok(urls),
            Ok(_) => Err("it gave no URLs".to_owned()),
            Err(Trouble::Refused(why) | Trouble::Failed(why)) => Err(why),
        }
    }

    /// Changes the attributes of a summary; nothing if it has nothing to change.
    ///
    /// # Errors
    /// Why it gave no answer.
    pub fn correct(&self, leaf: &Leaf<'_>, attributes: &[(String, String)]) -> Result<Option<Corrected>, String> {
        let document = Document::new(leaf, &self.options);
        let given = |(name, value): &(String, String)| Attribute {
            name: name.clone(),
            value: value.clone().into_bytes(),
            language: None,
            weight: None,
        };
        let attributes: Vec<_> = attributes.iter().map(given).collect();
        let text = |one: Attribute| match String::from_utf8(one.value) {
            Ok(value) => Ok((one.name, value)),
            Err(_) => Err(format!("it gave a value of {} that is not UTF-8", shown(&one.name))),
        };
        match self.ask(Question::Correct(&document, &attributes), leaf.body) {
            Ok(Answer::Correction(Correction::Keep(attributes))) => {
                Ok(Some(Corrected::Keep(attributes.into_iter().map(text).collect::<Result<_, _>>()?)))
            }
            Ok(Answer::Correction(Correction::LeaveOut(why))) => Ok(Some(Corrected::LeaveOut(shown(&why)))),
            Ok(_) | Err(Trouble::Refused(_)) => Ok(None),
            Err(Trouble::Failed(why)) => Err(why),
        }
    }

    /// Asks, unless it was set aside, and notes how it went.
    fn ask(&self, question: Question<'_>, body: &[u8]) -> Result<Answer, Trouble> {
        let aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(why) = aside {
            return Err(Trouble::Failed(format!("it was set aside for this run ({why})")));
        }
        let began = Instant::now();
        let asked = Asked { question, body, talk: Talk::new(&self.name, question.subject()) };
        let answer = self.form.ask(&asked).map_err(Trouble::shown).and_then(|answer| self.bounded(answer));
        self.tally.asked.fetch_add(1, Relaxed);
        self.tally.micros.fetch_add(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX), Relaxed);
        match &answer {
            Ok(_) => self.failures.store(0, Relaxed),
            Err(Trouble::Refused(_)) => {
                self.failures.store(0, Relaxed);
                self.tally.refused.fetch_add(1, Relaxed);
            }
            Err(Trouble::Failed(why)) => self.note_failure(why),
        }
        answer
    }

    /// An answer that is not too large. What is copied on its way has bounds of its own; this is the one that was promised.
    fn bounded(&self, answer: Answer) -> Result<Answer, Trouble> {
        match &answer {
            Answer::Draft(draft) if draft.size() > self.output => {
                let (size, most) = (draft.size(), self.output);
                Err(Trouble::Failed(format!("its answer has {size} bytes, and {most} are allowed")))
            }
            _ => Ok(answer),
        }
    }

    fn note_failure(&self, why: &str) {
        self.tally.failed.fetch_add(1, Relaxed);
        if self.failures.fetch_add(1, Relaxed).saturating_add(1) < self.most_failures {
            return;
        }
        let mut aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        if aside.is_none() {
            events::plugin_set_aside(&self.label, why);
            *aside = Some(format!("{MOST_FAILURES} failures in a row, the last: {why}"));
        }
    }
}

impl Summarizer for Plugin {
    fn name(&self) -> &str {
        &self.label
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let document = Document::new(leaf, &self.options);
        match self.ask(Question::Summarize(&document), leaf.body) {
            Ok(Answer::Draft(draft)) => Ok(draft.take(leaf.url)),
            Ok(_) => Err(Refusal::Failed("it gave no draft".to_owned())),
            Err(Trouble::Refused(why)) => Err(Refusal::NotMine(why)),
            Err(Trouble::Failed(why)) => Err(Refusal::Failed(why)),
        }
    }
}

/// A plugin that others hold, too.
pub struct Shared(pub Arc<Plugin>);

impl Summarizer for Shared {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        self.0.summarize(leaf)
    }
}

/// A program in the manner of Harvest that the config names, without a folder of its own.
impl Plugin {
    /// Takes these kinds, under this name, within these bounds, kept so.
    pub fn program(
        name: &str,
        kinds: Vec<String>,
        program: PathBuf,
        arguments: Vec<String>,
        limits: crate::form::Limits,
        sandbox: crate::Sandbox,
    ) -> Self {
        let mark = format!("{name}{kinds:?}{}{arguments:?}{sandbox:?}", program.display());
        let output = limits.output;
        let form = crate::once::Once { program, arguments, limits, sandbox };
        let manifest = Manifest::of_program(name, Role::Summarizer);
        let mut plugin = Self::new(manifest, kinds, Vec::new(), mark, Box::new(form), output);
        name.clone_into(&mut plugin.label);
        // Harvest's programs cannot tell a document that is not for them from a failure of their own.
        plugin.most_failures = u32::MAX;
        plugin
    }
}
