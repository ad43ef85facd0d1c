//! Plugins as dynamic libraries, through the C header in `schemas/summarizer/since-0.1`.
//!
//! By default a library is loaded in a worker, so that whatever it does costs one document; then this module runs there. An
//! operator may have it loaded into the gatherer itself: it is faster, has no deadline, and can take everything down.
//!
//! The only `unsafe` code beside the loading of compiled components. What it relies on is what the header says: the library
//! keeps to the layout of its own contract, its table lives as long as the library, and what it hands to our functions is
//! valid while they run. A library that breaks this can do anything, which is why it has a worker.
#![expect(unsafe_code, reason = "foreign functions cannot be called otherwise")]

mod abi;

use crate::form::{Asked, Form, Grants, Question, Trouble, beginning, part};
use crate::since_0_1::{
    Answer, Attribute, Child, Correction, Description, Document, Draft, Error, Guess, Level, Pair, Reference, RootNode,
    Setting,
};
use crate::worker::{Asking, Host as Gatherer, Works};
use abi::{Bytes, CAttribute, CChild, CDocument, CHost, CPair, CRoot, CSetting, CVote, Table};
use libloading::Library as Loaded;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{ptr, slice};

/// `GATHERER_CONTRACT` of the header.
const CONTRACT: u32 = 1;
/// The one symbol of a plugin.
const SYMBOL: &[u8] = b"gatherer_plugin\0";
/// A time that is not known.
const NO_TIME: u64 = u64::MAX;
/// A length that no honest piece of an answer has.
const LONGEST: usize = 1 << 30;

impl Bytes {
    const NONE: Self = Self { data: ptr::null(), length: 0 };

    fn of(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), length: bytes.len() }
    }

    fn of_some(text: Option<&String>) -> Self {
        text.map_or(Self::NONE, |text| Self::of(text.as_bytes()))
    }

    /// A copy of what a plugin hands over; nothing if it is nothing or cannot be true.
    ///
    /// # Safety
    /// The plugin's word that so many bytes are there.
    unsafe fn copied(self) -> Vec<u8> {
        if self.data.is_null() || self.length == 0 || self.length > LONGEST {
            return Vec::new();
        }
        // SAFETY: not null; the rest is the caller's promise.
        unsafe { slice::from_raw_parts(self.data, self.length) }.to_vec()
    }

    /// # Safety
    /// As [`Self::copied`].
    unsafe fn text(self) -> String {
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.copied() };
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// # Safety
    /// As [`Self::copied`].
    unsafe fn some_text(self) -> Option<String> {
        // SAFETY: the caller's promise.
        (!self.data.is_null()).then(|| unsafe { self.text() })
    }
}

/// What is there for the library to call, in a worker or in the gatherer itself.
pub(crate) trait Services {
    fn log(&self, level: Level, text: &str);
    fn read(&self, offset: u64, length: u64) -> Vec<u8>;
    fn left(&self) -> u64;
}

impl Services for Gatherer<'_> {
    fn log(&self, level: Level, text: &str) {
        Gatherer::log(self, level, text);
    }

    fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        Gatherer::read(self, offset, length)
    }

    fn left(&self) -> u64 {
        Gatherer::left(self)
    }
}

/// A question to a library in the gatherer itself. There is no deadline.
struct AskedInside<'a>(&'a Asked<'a>, Grants);

impl Services for AskedInside<'_> {
    fn log(&self, level: Level, text: &str) {
        if self.1.log {
            self.0.talk.say(level, text);
        }
    }

    fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        if self.1.body { part(self.0.body, offset, length).to_vec() } else { Vec::new() }
    }

    fn left(&self) -> u64 {
        if self.1.deadline { u64::MAX } else { 0 }
    }
}

/// An answer while it is handed over, piece by piece.
struct Collected<'a> {
    services: &'a dyn Services,
    pieces: RefCell<Pieces>,
}

#[derive(Default)]
struct Pieces {
    draft: Draft,
    guesses: Vec<Guess>,
    urls: Vec<String>,
    reason: String,
}

/// A library that was found to be a plugin. It stays loaded to the end of the process: it may have started threads.
pub(crate) struct Library {
    table: &'static Table,
    description: Description,
    one_at_a_time: Mutex<()>,
}

// SAFETY: what the table points at is constant by contract, and its functions are only called under the lock.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a library and has it describe itself. Its initializers run: only in a worker, or by the operator's word.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: initializers of the library may do anything; see above for who answers for that.
        let loaded = unsafe { Loaded::new(path) }.map_err(|error| format!("it cannot be loaded: {error}"))?;
        // SAFETY: the type of the one symbol that the header declares.
        let symbol = unsafe { loaded.get::<unsafe extern "C" fn(u32) -> *const Table>(SYMBOL) };
        let symbol = symbol.map_err(|_| {
            "it has no function gatherer_plugin: is it a library of something else, or was the symbol not exported?"
        })?;
        // SAFETY: as the header declares it.
        let table = unsafe { symbol(CONTRACT) };
        if table.is_null() {
            return Err(format!("it gives no table for contract {CONTRACT}: it may want a newer gatherer"));
        }
        // SAFETY: not null; the first two fields are the same in all versions.
        let (contract, size) = unsafe { ((*table).contract, (*table).size) };
        if contract != CONTRACT {
            return Err(format!(
                "it was compiled for contract {contract}; this gatherer knows {CONTRACT}: compile it with the header of this release"
            ));
        }
        if (size as usize) < size_of::<Table>() {
            return Err(format!("its table has {size} bytes, and contract {CONTRACT} has {}", size_of::<Table>()));
        }
        // SAFETY: contract and size have been checked, and the library is never unloaded.
        let table: &'static Table = unsafe { &*table };
        std::mem::forget(loaded);
        // SAFETY: as above.
        let description = unsafe { describe(table) };
        Ok(Self { table, description, one_at_a_time: Mutex::new(()) })
    }

    fn call(&self, question: &Question<'_>, content: &[u8], services: &dyn Services) -> Result<Answer, Error> {
        let _one_at_a_time = self.one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
        let table = self.table;
        let collected = Collected { services, pieces: RefCell::default() };
        let host = host(&collected);
        let absent = |what: &str| Err(Error::Failed(format!("its table has no function to {what}")));
        let end = match question {
            Question::Summarize(document) | Question::Recognize(document) => {
                let is_summary = matches!(question, Question::Summarize(_));
                let function = if is_summary { table.summarize } else { table.recognize };
                let Some(function) = function else {
                    return absent(if is_summary { "summarize" } else { "recognize" });
                };
                // SAFETY: all that is handed over lives until the call returns.
                with_document(document, |document| unsafe { function(document, Bytes::of(content), &raw const host) })
            }
            Question::Enumerate(root) => {
                let Some(function) = table.enumerate else { return absent("enumerate") };
                // SAFETY: as above.
                with_root(root, |root| unsafe { function(root, &raw const host) })
            }
            Question::Correct(document, attributes) => {
                let Some(function) = table.correct else { return absent("correct") };
                let attributes: Vec<_> = attributes.iter().map(c_attribute).collect();
                // SAFETY: as above.
                with_document(document, |document| unsafe {
                    function(document, attributes.as_ptr(), attributes.len(), &raw const host)
                })
            }
        };
        ended(end, question, collected.pieces.into_inner())
    }
}

/// What a call gave, by how it ended.
fn ended(end: c_int, question: &Question<'_>, pieces: Pieces) -> Result<Answer, Error> {
    let Pieces { draft, guesses, urls, reason } = pieces;
    match (end, question) {
        (0, Question::Summarize(_)) => Ok(Answer::Draft(draft)),
        (0, Question::Recognize(_)) => Ok(Answer::Guesses(guesses)),
        (0, Question::Enumerate(_)) => Ok(Answer::Urls(urls)),
        (0, Question::Correct(..)) => Ok(Answer::Correction(Correction::Keep(draft.attributes))),
        (1, _) => Err(Error::Refused(reason)),
        (2, _) => Err(Error::Failed(reason)),
        (3, Question::Correct(..)) => Ok(Answer::Correction(Correction::LeaveOut(reason))),
        (other, _) => Err(Error::Failed(format!("it returned {other}, which means nothing"))),
    }
}

/// # Safety
/// The table keeps to its contract.
unsafe fn describe(table: &Table) -> Description {
    // SAFETY: the caller's promise, here and below.
    let kinds = unsafe { all(table.kinds, table.kind_count) };
    let options = unsafe { all(table.options, table.option_count) };
    let setting = |one: &CSetting| unsafe {
        Setting { name: one.name.text(), about: one.about.text(), default: one.default_value.some_text() }
    };
    Description {
        name: unsafe { table.name.text() },
        version: unsafe { table.version.text() },
        kinds: kinds.iter().map(|kind| unsafe { kind.text() }).collect(),
        options: options.iter().map(setting).collect(),
    }
}

/// # Safety
/// So many are there.
unsafe fn all<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count > 100_000 {
        return &[];
    }
    // SAFETY: not null; the rest is the caller's promise.
    unsafe { slice::from_raw_parts(first, count) }
}

fn c_pairs(pairs: &[Pair]) -> Vec<CPair> {
    let pair = |pair: &Pair| CPair { name: Bytes::of(pair.name.as_bytes()), value: Bytes::of(pair.value.as_bytes()) };
    pairs.iter().map(pair).collect()
}

fn c_attribute(attribute: &Attribute) -> CAttribute {
    CAttribute {
        name: Bytes::of(attribute.name.as_bytes()),
        value: Bytes::of(&attribute.value),
        language: Bytes::of_some(attribute.language.as_ref()),
        weight: attribute.weight.unwrap_or(0.0),
    }
}

fn with_document<T>(document: &Document, call: impl FnOnce(*const CDocument) -> T) -> T {
    let (headers, options) = (c_pairs(&document.headers), c_pairs(&document.options));
    let votes = document.votes.iter().map(|vote| CVote {
        voter: Bytes::of(vote.voter.as_bytes()),
        kind: Bytes::of(vote.kind.as_bytes()),
        because: Bytes::of(vote.because.as_bytes()),
    });
    let votes: Vec<_> = votes.collect();
    let given = CDocument {
        size_of_this: u32::try_from(size_of::<CDocument>()).unwrap_or(u32::MAX),
        cut: u32::from(document.cut),
        url: Bytes::of(document.url.as_bytes()),
        kind: Bytes::of(document.kind.as_bytes()),
        votes: votes.as_ptr(),
        vote_count: votes.len(),
        headers: headers.as_ptr(),
        header_count: headers.len(),
        charset: Bytes::of_some(document.charset.as_ref()),
        size: document.size,
        fetched: document.fetched.unwrap_or(NO_TIME),
        modified: document.modified.unwrap_or(NO_TIME),
        previous: Bytes::of_some(document.previous.as_ref()),
        options: options.as_ptr(),
        option_count: options.len(),
    };
    call(&raw const given)
}

fn with_root<T>(root: &RootNode, call: impl FnOnce(*const CRoot) -> T) -> T {
    let urls: Vec<_> = root.urls.iter().map(|url| Bytes::of(url.as_bytes())).collect();
    let options = c_pairs(&root.options);
    let given = CRoot {
        size_of_this: u32::try_from(size_of::<CRoot>()).unwrap_or(u32::MAX),
        name: Bytes::of(root.name.as_bytes()),
        urls: urls.as_ptr(),
        url_count: urls.len(),
        url_max: root.url_max,
        options: options.as_ptr(),
        option_count: options.len(),
    };
    call(&raw const given)
}

fn host(collected: &Collected<'_>) -> CHost {
    CHost {
        size_of_this: u32::try_from(size_of::<CHost>()).unwrap_or(u32::MAX),
        context: ptr::from_ref(collected).cast(),
        log: host_log,
        read: host_read,
        deadline: host_deadline,
        attribute: host_attribute,
        text: host_text,
        reference: host_reference,
        canonical: host_canonical,
        child: host_child,
        complaint: host_complaint,
        guess: host_guess,
        url: host_url,
        reason: host_reason,
    }
}

/// # Safety
/// A plugin hands back the host that it was given, while its call lasts.
unsafe fn context<'a>(host: *const CHost) -> &'a Collected<'a> {
    // SAFETY: the caller's promise.
    unsafe { &*(*host).context.cast() }
}

// SAFETY, for all functions below: the plugin's promise in the header, that the host is its own and that what it hands over
// is there. They allocate and may call the gatherer, but do not unwind: what could is not in them.

unsafe extern "C" fn host_log(host: *const CHost, level: c_int, text: Bytes) {
    let level = match level {
        0 => Level::Debug,
        1 => Level::Info,
        _ => Level::Warn,
    };
    unsafe { context(host).services.log(level, &text.text()) }
}

unsafe extern "C" fn host_read(host: *const CHost, offset: u64, buffer: *mut c_void, length: usize) -> usize {
    let services = unsafe { context(host) }.services;
    let mut count = 0;
    while !buffer.is_null() && count < length {
        let bytes = services.read(offset.saturating_add(count as u64), (length - count) as u64);
        let more = bytes.len().min(length - count);
        if more == 0 {
            break;
        }
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>().add(count), more) };
        count += more;
    }
    count
}

unsafe extern "C" fn host_deadline(host: *const CHost) -> u64 {
    unsafe { context(host) }.services.left()
}

unsafe extern "C" fn host_attribute(host: *const CHost, attribute: *const CAttribute) {
    let Some(given) = (unsafe { attribute.as_ref() }) else { return };
    let weight = Some(given.weight).filter(|weight| *weight > 0.0);
    let attribute = unsafe {
        Attribute { name: given.name.text(), value: given.value.copied(), language: given.language.some_text(), weight }
    };
    unsafe { context(host) }.pieces.borrow_mut().draft.attributes.push(attribute);
}

unsafe extern "C" fn host_text(host: *const CHost, text: Bytes) {
    let text = unsafe { text.text() };
    unsafe { context(host) }.pieces.borrow_mut().draft.text = Some(text);
}

unsafe extern "C" fn host_reference(host: *const CHost, url: Bytes, text: Bytes, follow: c_int) {
    let reference = unsafe { Reference { url: url.text(), text: text.text(), follow: follow != 0 } };
    unsafe { context(host) }.pieces.borrow_mut().draft.references.push(reference);
}

unsafe extern "C" fn host_canonical(host: *const CHost, url: Bytes) {
    let url = unsafe { url.some_text() };
    unsafe { context(host) }.pieces.borrow_mut().draft.canonical = url;
}

unsafe extern "C" fn host_child(host: *const CHost, child: *const CChild) {
    let Some(given) = (unsafe { child.as_ref() }) else { return };
    let modified = Some(given.modified).filter(|time| *time != NO_TIME);
    let child = unsafe {
        Child {
            name: given.name.text(),
            kind: given.kind.some_text(),
            media_type: given.media_type.some_text(),
            modified,
            content: given.content.copied(),
        }
    };
    unsafe { context(host) }.pieces.borrow_mut().draft.children.push(child);
}

unsafe extern "C" fn host_complaint(host: *const CHost, text: Bytes) {
    let text = unsafe { text.text() };
    unsafe { context(host) }.pieces.borrow_mut().draft.complaints.push(text);
}

unsafe extern "C" fn host_guess(host: *const CHost, kind: Bytes, because: Bytes) {
    let guess = unsafe { Guess { kind: kind.text(), because: because.text() } };
    unsafe { context(host) }.pieces.borrow_mut().guesses.push(guess);
}

unsafe extern "C" fn host_url(host: *const CHost, url: Bytes) {
    let url = unsafe { url.text() };
    unsafe { context(host) }.pieces.borrow_mut().urls.push(url);
}

unsafe extern "C" fn host_reason(host: *const CHost, reason: Bytes) {
    let reason = unsafe { reason.text() };
    unsafe { context(host) }.pieces.borrow_mut().reason = reason;
}

/// A library in the gatherer itself.
pub(crate) struct Inside {
    pub(crate) library: Library,
    pub(crate) grants: Grants,
}

impl Form for Inside {
    fn describe(&self) -> Result<Option<Description>, Trouble> {
        Ok(Some(self.library.description.clone()))
    }

    fn ask(&self, asked: &Asked<'_>) -> Result<Answer, Trouble> {
        let services = AskedInside(asked, self.grants);
        Ok(self.library.call(&asked.question, beginning(asked.body), &services)?)
    }

    fn about(&self) -> String {
        "inside of the gatherer, without a deadline".to_owned()
    }
}

/// In a worker.
impl Works for Library {
    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn ask(&self, asking: Asking, host: &Gatherer<'_>) -> Result<Answer, Error> {
        match &asking {
            Asking::Summarize(document, content) => self.call(&Question::Summarize(document), content, host),
            Asking::Recognize(document, content) => self.call(&Question::Recognize(document), content, host),
            Asking::Enumerate(root) => self.call(&Question::Enumerate(root), &[], host),
            Asking::Correct(document, attributes) => self.call(&Question::Correct(document, attributes), &[], host),
        }
    }
}
