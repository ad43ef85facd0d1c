//! The whole way through the table, with a gatherer that is made up: it writes down whatever it is told.

use super::*;
use crate::{Call, Correction, Draft, Guess, Level, RootCall, SummaryCall, Trouble};
use std::cell::RefCell;
use std::fmt::Write;
use std::mem::offset_of;

/// Says all that it is told, and what the content asks for.
struct Parrot;

impl Plugin for Parrot {
    const NAME: &str = "parrot";
    const VERSION: &str = "1.2.3";
    const KINDS: &[&str] = &["Text", "HTML"];
    const OPTIONS: &[crate::Setting] =
        &[crate::Setting::new("voice", "high or low").default("high"), crate::Setting::new("hat", "its colour")];
}

impl Summarizer for Parrot {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        let mut draft = Draft::new();
        match call.content {
            b"refuse" => return Err(Trouble::refused("no taste for it")),
            b"fail" => return Err(Trouble::failed("out of seeds")),
            b"panic" => panic!("fell off {}", call.document.url),
            b"throw" => std::panic::panic_any(7),
            b"throw text" => std::panic::resume_unwind(Box::new("thrown")),
            b"document" => drop(draft.attribute("Document", format!("{:?}", call.document))),
            b"read" => drop(draft.attribute("Body", call.body().to_vec())),
            b"left" => drop(draft.attribute("Left", format!("{:?}", call.time_left()))),
            b"log" => call.log(Level::Warn, "a word"),
            _ => fill(&mut draft),
        }
        Ok(draft)
    }
}

fn fill(draft: &mut Draft) {
    draft.attribute("Title", "Corn").text("some text").reference("a", "A").mention("b", "B").canonical("c");
    draft.attributes.push(crate::Attribute::new("Abstract", [0xff]).language("de").weight(2.5));
    draft.child(crate::Child::new("d", "D").kind("Text").media_type("text/plain").modified(7));
    draft.child(crate::Child::new("e", "")).complain("cut");
}

impl Recognizer for Parrot {
    fn recognize(_: &Call<'_>) -> Result<Vec<Guess>, Trouble> {
        Ok(vec![Guess::new("Seed", "round"), Guess::new("Nut", "hard")])
    }
}

impl Enumerator for Parrot {
    fn enumerate(call: &RootCall<'_>) -> Result<Vec<String>, Trouble> {
        Ok(vec![format!("{:?}", call.root)])
    }
}

impl PostSummarizer for Parrot {
    fn correct(_: &SummaryCall<'_>, attributes: Vec<crate::Attribute>) -> Result<Correction, Trouble> {
        match attributes.first() {
            Some(first) if first.name == "Secret" => Ok(Correction::LeaveOut("it is secret".into())),
            _ => Ok(Correction::Keep(attributes)),
        }
    }
}

crate::export!(summarizer: Parrot);

thread_local! {
    static HEARD: RefCell<String> = const { RefCell::new(String::new()) };
}

fn hear(what: &str, said: &str) {
    HEARD.with_borrow_mut(|heard| writeln!(heard, "{what} {said}").expect("a string takes everything"));
}

/// `-` where there is no value.
fn show(bytes: Bytes<'_>) -> String {
    bytes.get().map_or_else(|| "-".into(), |bytes| bytes.escape_ascii().to_string())
}

extern "C" fn log(_: &Host, level: c_int, text: Bytes<'_>) {
    hear("log", &format!("{level} {}", show(text)));
}

extern "C" fn read(_: &Host, offset: u64, buffer: *mut c_void, length: usize) -> usize {
    copy_out(b"read on to the end", offset, buffer, length.min(5))
}

extern "C" fn read_nothing(_: &Host, _: u64, _: *mut c_void, _: usize) -> usize {
    0
}

extern "C" fn deadline(host: &Host) -> u64 {
    if host.context.is_null() { 0 } else { 1234 }
}

extern "C" fn attribute(_: &Host, given: &Attribute<'_>) {
    let (name, value, language) = (show(given.name), show(given.value), show(given.language));
    hear("attribute", &format!("{name} {value} {language} {}", given.weight));
}

extern "C" fn text(_: &Host, text: Bytes<'_>) {
    hear("text", &show(text));
}

extern "C" fn reference(_: &Host, url: Bytes<'_>, text: Bytes<'_>, follow: c_int) {
    hear("reference", &format!("{} {} {follow}", show(url), show(text)));
}

extern "C" fn canonical(_: &Host, url: Bytes<'_>) {
    hear("canonical", &show(url));
}

extern "C" fn child(_: &Host, given: &Child<'_>) {
    let (name, kind, media_type) = (show(given.name), show(given.kind), show(given.media_type));
    let modified = given.modified.wrapping_add(1);
    hear("child", &format!("{name} {kind} {media_type} {modified} {}", show(given.content)));
}

extern "C" fn complaint(_: &Host, text: Bytes<'_>) {
    hear("complaint", &show(text));
}

extern "C" fn guess(_: &Host, kind: Bytes<'_>, because: Bytes<'_>) {
    hear("guess", &format!("{} {}", show(kind), show(because)));
}

extern "C" fn url(_: &Host, url: Bytes<'_>) {
    hear("url", &show(url));
}

extern "C" fn reason(_: &Host, reason: Bytes<'_>) {
    hear("reason", &show(reason));
}

fn host() -> Host {
    let size_of_this = size_of::<Host>().try_into().expect("a small structure");
    let context = std::ptr::null_mut();
    Host {
        size_of_this,
        context,
        log,
        read,
        deadline,
        attribute,
        text,
        reference,
        canonical,
        child,
        complaint,
        guess,
        url,
        reason,
    }
}

fn bytes(text: &str) -> Bytes<'_> {
    Bytes::of(text.as_bytes())
}

fn document() -> Document<'static> {
    static VOTES: [Vote<'_>; 1] =
        [Vote { voter: Bytes::of(b"name"), kind: Bytes::of(b"Text"), because: Bytes::of(b".txt") }];
    static HEADERS: [Pair<'_>; 1] = [Pair { name: Bytes::of(b"etag"), value: Bytes::of(b"\xff") }];
    Document {
        size_of_this: size_of::<Document<'_>>().try_into().expect("a small structure"),
        cut: 1,
        url: bytes("http://example.org/"),
        kind: bytes("Text"),
        votes: List::of(&VOTES),
        headers: List::of(&HEADERS),
        charset: Bytes::NONE,
        size: 18,
        fetched: 17,
        modified: NO_TIME,
        previous: bytes(""),
        options: List::NONE,
    }
}

/// How the call ended, and all that was heard.
#[track_caller]
fn check(end: c_int, expected_end: c_int, expected: &str) {
    assert_eq!((end, HEARD.take().trim_end()), (expected_end, expected));
}

#[track_caller]
fn check_summarize(content: &str, expected_end: c_int, expected: &str) {
    let table = gatherer_plugin(CONTRACT).expect("this contract is spoken");
    let summarize = table.summarize.expect("it is a summarizer");
    check(summarize(&document(), bytes(content), &host()), expected_end, expected);
}

#[test]
fn the_table_says_what_the_plugin_is() {
    let table = gatherer_plugin(CONTRACT).expect("this contract is spoken");
    assert_eq!((table.contract, table.size as usize), (1, size_of::<Table>()));
    assert_eq!((show(table.name), show(table.version)), ("parrot".into(), "1.2.3".into()));
    assert_eq!(table.kinds.items().iter().copied().map(show).collect::<Vec<_>>(), ["Text", "HTML"]);
    let options = table.options.items().iter();
    let options: Vec<_> = options.map(|option| [option.name, option.about, option.default_value].map(show)).collect();
    assert_eq!(options, [["voice", "high or low", "high"], ["hat", "its colour", "-"]]);
    assert!(table.recognize.is_none() && table.enumerate.is_none() && table.correct.is_none());
}

#[test]
fn later_contracts_get_the_same_table_and_earlier_ones_none() {
    let [now, later] = [CONTRACT, 2000].map(|contract| gatherer_plugin(contract).expect("a table"));
    assert!(std::ptr::eq(now, later));
    assert!(gatherer_plugin(0).is_none());
}

#[test]
fn a_draft_comes_piece_by_piece() {
    let expected = r"attribute Title Corn - 0
attribute Abstract \xff de 2.5
text some text
reference a A 1
reference b B 0
canonical c
child d Text text/plain 8 D
child e - - 0 
complaint cut";
    check_summarize("", DONE, expected);
}

#[test]
fn a_document_comes_whole() {
    let expected = concat!(
        r#"attribute Document Document { url: \"http://example.org/\", kind: \"Text\", "#,
        r#"votes: [Vote { voter: \"name\", kind: \"Text\", because: \".txt\" }], "#,
        r#"headers: [Pair { name: \"etag\", value: \"\xef\xbf\xbd\" }], charset: None, size: 18, cut: true, "#,
        r#"fetched: Some(17), modified: None, previous: Some(\"\"), options: [] } - 0"#,
    );
    check_summarize("document", DONE, expected);
}

#[test]
fn troubles_have_reasons() {
    check_summarize("refuse", REFUSED, "reason no taste for it");
    check_summarize("fail", FAILED, "reason out of seeds");
}

#[test]
fn a_panic_is_a_failed_call_and_names_its_place() {
    let summarize = gatherer_plugin(CONTRACT).and_then(|table| table.summarize).expect("it is a summarizer");
    assert_eq!(summarize(&document(), bytes("panic"), &host()), FAILED);
    let heard = HEARD.take();
    assert!(heard.starts_with("reason panicked at ") && heard.contains("tests.rs:"), "{heard}");
    assert!(heard.trim_end().ends_with(": fell off http://example.org/"), "{heard}");
    // It goes on to work, also where the hook hears nothing or there is nothing to say.
    check_summarize("throw text", FAILED, "reason panicked: thrown");
    assert_eq!(summarize(&document(), bytes("throw"), &host()), FAILED);
    assert!(HEARD.take().starts_with("reason panicked"));
    check_summarize("log", DONE, "log 2 a word");
}

#[test]
fn the_gatherer_answers() {
    check_summarize("read", DONE, "attribute Body read on to the end - 0");
    let table = Table::summarizer::<Parrot>();
    let summarize = table.summarize.expect("it is a summarizer");
    check(summarize(&document(), bytes("left"), &host()), DONE, "attribute Left None - 0");
    let granted = Host { context: std::ptr::dangling_mut(), read: read_nothing, ..host() };
    check(summarize(&document(), bytes("left"), &granted), DONE, "attribute Left Some(1.234s) - 0");
    check(summarize(&document(), bytes("read"), &granted), DONE, "attribute Body read - 0");
}

#[test]
fn recognizers_guess() {
    let recognize = Table::recognizer::<Parrot>().recognize.expect("it is a recognizer");
    check(recognize(&document(), Bytes::NONE, &host()), DONE, "guess Seed round\nguess Nut hard");
}

#[test]
fn enumerators_name_urls() {
    let urls = [bytes("http://example.org/1"), bytes("http://example.org/2")];
    let root = Root {
        size_of_this: size_of::<Root<'_>>().try_into().expect("a small structure"),
        name: bytes("root"),
        urls: List::of(&urls),
        url_max: 9,
        options: List::of(&[]),
    };
    let enumerate = Table::enumerator::<Parrot>().enumerate.expect("it is an enumerator");
    let expected = concat!(
        r#"url RootNode { name: \"root\", urls: [\"http://example.org/1\", \"http://example.org/2\"], "#,
        r"url_max: 9, options: [] }",
    );
    check(enumerate(&root, &host()), DONE, expected);
}

#[test]
fn post_summarizers_keep_or_leave_out() {
    let correct = Table::post_summarizer::<Parrot>().correct.expect("it is a post-summarizer");
    let secret = Attribute { name: bytes("Secret"), value: bytes("x"), language: Bytes::NONE, weight: 0.0 };
    let title = Attribute { name: bytes("Title"), value: bytes("y"), language: bytes("en"), weight: 1.5 };
    let call = |attributes: &[Attribute<'_>]| correct(&document(), attributes.as_ptr(), attributes.len(), &host());
    check(call(&[title, secret]), DONE, "attribute Title y en 1.5\nattribute Secret x - 0");
    let secret = Attribute { name: bytes("Secret"), value: bytes("x"), language: Bytes::NONE, weight: 0.0 };
    check(call(&[secret]), LEAVE_OUT, "reason it is secret");
    check(correct(&document(), std::ptr::null(), 0, &host()), DONE, "");
}

#[test]
fn structures_that_are_too_short_are_not_read() {
    let summarize = Table::summarizer::<Parrot>().summarize.expect("it is a summarizer");
    check(summarize(&Document { size_of_this: 16, ..document() }, bytes(""), &host()), FAILED, "");
    check(summarize(&document(), bytes(""), &Host { size_of_this: 16, ..host() }), FAILED, "");
}

/// As a C compiler lays out `gatherer-plugin.h` where pointers have 64 bits.
#[test]
#[cfg(target_pointer_width = "64")]
fn structures_have_the_layout_of_the_header() {
    let sizes = [
        size_of::<Bytes<'_>>(),
        size_of::<Pair<'_>>(),
        size_of::<Vote<'_>>(),
        size_of::<Document<'_>>(),
        size_of::<Attribute<'_>>(),
        size_of::<Child<'_>>(),
        size_of::<Root<'_>>(),
        size_of::<Host>(),
        size_of::<Setting<'_>>(),
        size_of::<Table>(),
    ];
    assert_eq!(sizes, [16, 32, 48, 144, 56, 72, 64, 112, 48, 104]);
    let document = [offset_of!(Document<'_>, url), offset_of!(Document<'_>, charset), offset_of!(Document<'_>, size)];
    assert_eq!(document, [8, 72, 88]);
    assert_eq!(offset_of!(Document<'_>, options), 128);
    assert_eq!([offset_of!(Root<'_>, name), offset_of!(Root<'_>, url_max)], [8, 40]);
    assert_eq!([offset_of!(Host, context), offset_of!(Host, log), offset_of!(Host, reason)], [8, 16, 104]);
    assert_eq!([offset_of!(Table, name), offset_of!(Table, options), offset_of!(Table, summarize)], [8, 56, 72]);
}
