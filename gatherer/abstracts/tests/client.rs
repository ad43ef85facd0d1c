//! The client against a parser built to misbehave, over every carrier.

#[path = "../faulty/parser.rs"]
mod parser;

use gatherer_abstracts::check::Reason;
use gatherer_abstracts::client::{
    Again, Cache, Carrier, Document, FileCache, Format, Launch, Outcome, Parser, Settings, Trouble,
};
use gatherer_abstracts::model::Meta;
use gatherer_abstracts::ontology::Ontology;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const ONTOLOGY: &str = r#"
@prefix : <https://example.org/stay#> .
@prefix ab: <https://gatherer.invalid/abstract#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://example.org/stay> a owl:Ontology ; owl:versionInfo "1" .
:Haus a owl:Class ; ab:focus true .
:hat_Telefon a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range ab:phone .
"#;

fn ontology() -> Arc<Ontology> {
    Arc::new(Ontology::read(ONTOLOGY, &|_| None).expect("it can be used"))
}

fn faulty(arguments: &[&str]) -> Launch {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Launch { program: PathBuf::from(env!("CARGO_BIN_EXE_faulty-parser")), arguments, environment: Vec::new() }
}

fn worker() -> Carrier {
    Carrier::Worker(faulty(&["worker"]))
}

fn command() -> Carrier {
    let launch = faulty(&["once", "{file}", "{url}", "{ontology}", "{host}:{port}"]);
    Carrier::Command { launch, host: "localhost".to_owned(), port: 7, name: None }
}

/// Listens on loopback; each connection is a conversation of its own.
fn tcp() -> Carrier {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let input = stream.try_clone().expect("a second end");
                parser::converse(input, &stream, parser::HELLO);
                let _ = stream.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    Carrier::Tcp(address)
}

fn unix(folder: &tempfile::TempDir) -> Carrier {
    let path = folder.path().join("parser.socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let input = stream.try_clone().expect("a second end");
                parser::converse(input, &stream, parser::HELLO);
                let _ = stream.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    Carrier::Unix(path)
}

fn http() -> Carrier {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve_http(&stream));
        }
    });
    Carrier::Http(format!("http://{address}/"))
}

/// One request, one answer.
fn serve_http(mut stream: &std::net::TcpStream) {
    let mut source = BufReader::new(stream);
    let (mut first, mut fields, mut line) = (String::new(), std::collections::HashMap::new(), String::new());
    let _ = source.read_line(&mut first);
    while source.read_line(&mut line).is_ok_and(|count| count > 2) {
        if let Some((name, value)) = line.trim().split_once(':') {
            fields.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        line.clear();
    }
    let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let mut body = vec![0; field("content-length").parse().unwrap_or(0)];
    let _ = source.read_exact(&mut body);
    let text = String::from_utf8_lossy(&body).into_owned();
    let good = || parser::abstract_of(&field("nlap-url"), &field("nlap-ontology"), &text).into_bytes();
    let (status, more, answer): (&str, &str, Vec<u8>) =
        match (first.as_str(), text.split(' ').next().unwrap_or_default()) {
            (first, _) if first.starts_with("GET /v1/hello ") => ("200 OK", "", parser::HELLO.into()),
            (_, "hang") => parser::wait_for_ever(),
            (_, "die") => return,
            (_, "empty") => ("204 No Content", "", Vec::new()),
            (_, "partial") => ("200 OK", "NLAP-Status: partial\r\n", good()),
            (_, "broken") => ("200 OK", "", b"<abstract".to_vec()),
            (_, "flood") => ("200 OK", "", vec![b'x'; 9 << 20]),
            (_, "internal") => ("500 Oh", "", b"no JSON".to_vec()),
            (_, "busy") => ("503 Busy", "", Vec::new()),
            (_, "tired") => ("429 Enough", "Retry-After: 3600\r\n", Vec::new()),
            (_, "elsewhere") => ("302 Found", "Location: http://127.0.0.1:1/\r\n", Vec::new()),
            (_, "bad-document") => ("500 Oh", "", br#"{"code":"bad-document","message":"as you wish"}"#.to_vec()),
            _ => ("200 OK", "NLAP-Warning: a warning\r\n", good()),
        };
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nNLAP-Fingerprint: abc\r\n{more}");
    let _ = stream.write_all(format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n", answer.len()).as_bytes());
    let _ = stream.write_all(&answer);
}

/// Quick to try again, and never tired.
fn settings(carrier: Carrier) -> Settings {
    Settings {
        deadline: Duration::from_secs(60),
        pause: Duration::from_millis(1),
        failures: u32::MAX,
        ..Settings::new(carrier)
    }
}

fn open(carrier: Carrier) -> Parser {
    Parser::open(settings(carrier), ontology(), None)
}

fn ask(parser: &Parser, text: &str) -> Result<Outcome, Trouble> {
    ask_as(parser, text, "text/plain", "de")
}

fn ask_as(parser: &Parser, text: &str, media_type: &str, lang: &str) -> Result<Outcome, Trouble> {
    let known = Meta { url: "http://a.example/".to_owned(), title: Some("ours".to_owned()), ..Meta::default() };
    let document =
        Document { known: &known, media_type, charset: "utf-8", lang, bytes: text.as_bytes(), is_cut: false, text };
    parser.abstract_of(&document)
}

#[test]
fn every_carrier_gives_abstracts() {
    let folder = tempfile::tempdir().expect("a folder");
    for carrier in [worker(), command(), tcp(), unix(&folder), http()] {
        let parser = open(carrier.clone());
        let made = ask(&parser, "ok Tel 0381 550123").unwrap_or_else(|trouble| panic!("{carrier:?}: {trouble}"));
        assert_eq!(made.made.instances[0].values[0].text, "+49381550123", "{carrier:?}");
        assert_eq!(made.dropped.to_string(), "nothing", "{carrier:?}");
        let meta = &made.made.meta;
        assert_eq!((meta.title.as_deref(), meta.parser.name.as_str()), (Some("ours"), "faulty"), "{carrier:?}");
        assert_eq!((meta.parser.version.as_str(), meta.parser.fingerprint.as_str()), ("0.9", "abc"), "{carrier:?}");
        let empty = ask(&parser, "empty").unwrap_or_else(|trouble| panic!("{carrier:?}: {trouble}"));
        assert_eq!((empty.made.instances.len(), empty.made.lang.as_str()), (0, "de"), "{carrier:?}");
        let hello = parser.hello().expect("a greeting");
        assert_eq!((hello.name.as_str(), hello.fingerprint.as_str()), ("faulty", "abc"), "{carrier:?}");
    }
}

#[test]
fn partial_answers_and_warnings_are_told() {
    for carrier in [worker(), http()] {
        let parser = open(carrier);
        assert!(ask(&parser, "partial").expect("an abstract").is_partial);
        let whole = ask(&parser, "ok").expect("an abstract");
        assert_eq!((whole.is_partial, whole.warnings), (false, vec!["a warning".to_owned()]));
    }
}

/// Asks a fresh parser; the trouble must say this, and when to try again.
fn check(carrier: Carrier, text: &str, expected: &str, again: Again) {
    let name = format!("{carrier:?} {text}");
    // Only what hangs is given up quickly: a busy machine must not look like a slow parser.
    let limit = if text == "hang" { Duration::from_millis(300) } else { Duration::from_secs(60) };
    let parser = Parser::open(Settings { deadline: limit, ..settings(carrier) }, ontology(), None);
    let trouble = ask(&parser, text).map(|outcome| outcome.made.to_xml()).expect_err(&name);
    assert!(trouble.to_string().contains(expected), "{name}: {trouble}");
    assert_eq!(trouble.again(), again, "{name}: {trouble}");
    // It costs one document; the next one is served.
    assert!(ask(&parser, "ok").is_ok(), "{name}");
}

#[test]
fn bad_answers_of_a_worker_cost_one_document() {
    use Again::{Later, WithAnotherParser};
    for (text, expected, again) in [
        ("hang", "failed: it did not answer in time", Later),
        ("die", "failed: it ended: out of words", Later),
        ("cut", "failed: it ended after 9 of 1000 bytes of an answer", Later),
        ("flood", "failed: it answered with more than 262144 bytes", Later),
        ("noise", "failed: it says what is no message: \"Loading model ...\"", Later),
        ("endless", "failed: it says what is no message: a header without end", Later),
        ("broken", "no abstract: line 1: ", WithAnotherParser),
        ("bomb", "no abstract: line 1: a document type, which is not read", WithAnotherParser),
        ("latin", "no abstract: line 1: a byte that is no UTF-8", WithAnotherParser),
        (
            "other-document",
            "it answers about http://other.example/ when http://a.example/ was asked",
            WithAnotherParser,
        ),
        ("other-ontology", "in the words of the ontology 0000", WithAnotherParser),
        ("unknown-status", "failed: it answers with the status", Later),
        ("internal", "failed: it says internal: as you wish", Later),
        ("strange", "failed: it says strange", Later),
        ("busy", "the parser is busy", Later),
        ("deadline", "failed: it says deadline", Later),
        ("bad-document", "does not take the document: it says bad-document: as you wish", WithAnotherParser),
        ("unknown-ontology", "does not know the ontology", Later),
    ] {
        check(worker(), text, expected, again);
    }
}

#[test]
fn bad_answers_over_sockets_cost_one_document() {
    let folder = tempfile::tempdir().expect("a folder");
    for carrier in [tcp(), unix(&folder)] {
        check(carrier.clone(), "hang", "failed: it did not answer in time", Again::Later);
        check(carrier.clone(), "die", "failed: it ended", Again::Later);
        check(carrier.clone(), "cut", "it ended after 9 of 1000 bytes", Again::Later);
        check(carrier, "flood", "it answered with more than 262144 bytes", Again::Later);
    }
}

#[test]
fn bad_answers_over_http_cost_one_document() {
    for (text, expected, again) in [
        ("hang", "failed: it did not answer in time", Again::Later),
        ("die", "failed: the connection was lost", Again::Later),
        ("broken", "no abstract: line 1: ", Again::WithAnotherParser),
        ("flood", "more than 262144 bytes", Again::Later),
        ("internal", "failed: it says internal: HTTP 500", Again::Later),
        ("busy", "the parser is busy", Again::Later),
        ("elsewhere", "failed: it says internal: HTTP 302", Again::Later),
        ("bad-document", "it says bad-document: as you wish", Again::WithAnotherParser),
    ] {
        check(http(), text, expected, again);
    }
}

#[test]
fn bad_ends_of_a_command_cost_one_document() {
    for (text, expected, again) in [
        ("hang", "failed: it did not answer in time", Again::Later),
        ("internal", "failed: it says internal: it ended with 5: the lexicon is gone", Again::Later),
        ("unsupported", "does not take the document: it says unsupported-type", Again::WithAnotherParser),
        ("flood", "failed: it answered with more than 262144 bytes", Again::Later),
    ] {
        check(command(), text, expected, again);
    }
}

#[test]
fn what_is_not_in_the_ontology_is_dropped_and_counted() {
    let made = ask(&open(worker()), "unknown-concept Tel 0381 550123").expect("an abstract");
    assert_eq!(made.made.instances.len(), 0);
    assert_eq!((made.dropped.count(Reason::UnknownClass), made.dropped.count(Reason::Reference)), (1, 1));
}

#[test]
fn an_answer_to_no_question_is_passed_over() {
    let made = ask(&open(worker()), "wrong-id Tel 0381 550123").expect("an abstract");
    assert_eq!(made.made.instances.len(), 1);
}

#[test]
fn a_crash_is_followed_by_one_more_attempt() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let text = format!("die-once {} Tel 0381 550123", mark.display());
    assert!(ask(&open(worker()), &text).is_ok());
    assert!(mark.exists(), "it has died before");
}

#[test]
fn what_it_died_of_twice_is_set_aside() {
    let parser = open(worker());
    assert_eq!(ask(&parser, "die").map(drop), Err(Trouble::Failed("it ended: out of words".to_owned())));
    let aside = ask(&parser, "die").expect_err("it is set aside");
    assert_eq!(
        (&aside, aside.again()),
        (&Trouble::SetAside("it ended: out of words".to_owned()), Again::WithAnotherParser)
    );
    assert!(ask(&parser, "ok").is_ok());
}

#[test]
fn answers_may_come_in_any_order() {
    let parser = Parser::open(Settings { workers: 1, ..settings(worker()) }, ontology(), None);
    assert!(ask(&parser, "ok").is_ok());
    thread::scope(|scope| {
        // Three wait for the answer that the fourth brings about.
        let waiting: Vec<_> = (0..3)
            .map(|number| {
                scope.spawn({
                    let parser = &parser;
                    move || ask(parser, &format!("later {number} Tel 0381 550123"))
                })
            })
            .collect();
        let mut rounds = 0;
        while waiting.iter().any(|one| !one.is_finished()) && rounds < 10_000 {
            assert!(ask(&parser, "ok").is_ok());
            rounds += 1;
        }
        for one in waiting {
            let made = one.join().expect("a thread").expect("an abstract");
            assert_eq!(made.made.instances[0].values.len(), 1);
        }
    });
}

#[test]
fn a_wish_for_peace_is_kept() {
    let parser = open(http());
    assert_eq!(ask(&parser, "tired").map(drop), Err(Trouble::Busy));
    assert_eq!(ask(&parser, "ok").map(drop), Err(Trouble::Busy), "it is not even asked");
}

#[test]
fn who_suffers_from_a_neighbour_is_asked_again() {
    let settings = Settings { workers: 1, deadline: Duration::from_millis(300), ..settings(worker()) };
    let parser = Parser::open(settings, ontology(), None);
    thread::scope(|scope| {
        let hanging = scope.spawn(|| ask(&parser, "hang"));
        let others: Vec<_> = (0..3)
            .map(|number| {
                let parser = &parser;
                scope.spawn(move || ask(parser, &format!("ok {number}")).map(drop))
            })
            .collect();
        for other in others {
            assert_eq!(other.join().expect("a thread"), Ok(()));
        }
        assert!(hanging.join().expect("a thread").is_err());
    });
}

#[test]
fn who_has_done_its_share_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let parser = Parser::open(Settings { workers: 1, documents: 2, ..settings(unix(&folder)) }, ontology(), None);
    for number in 0..7 {
        assert!(ask(&parser, &format!("ok {number}")).is_ok(), "{number}");
    }
}

#[test]
fn many_documents_are_in_flight() {
    let parser = open(worker());
    thread::scope(|scope| {
        let all: Vec<_> = (0..40)
            .map(|number| {
                let parser = &parser;
                scope.spawn(move || {
                    ask(parser, &format!("ok {number} Tel 0381 550123")).map(|made| made.made.instances.len())
                })
            })
            .collect();
        for one in all {
            assert_eq!(one.join().expect("a thread"), Ok(1));
        }
    });
}

#[test]
fn a_parser_that_keeps_failing_is_left_alone() {
    let parser = Parser::open(
        Settings { failures: 2, rest: Duration::from_secs(3_600), ..settings(worker()) },
        ontology(),
        None,
    );
    for text in ["internal 1", "internal 2"] {
        assert!(matches!(ask(&parser, text), Err(Trouble::Failed(_))), "{text}");
    }
    let trouble = ask(&parser, "ok").expect_err("it is left alone");
    assert!(trouble.to_string().starts_with("the parser is left alone for 3"), "{trouble}");
    assert_eq!(trouble.again(), Again::Later);
    let brief = Parser::open(Settings { failures: 1, rest: Duration::ZERO, ..settings(worker()) }, ontology(), None);
    assert!(ask(&brief, "internal").is_err());
    assert!(ask(&brief, "ok").is_ok(), "one may try again, and all is well");
    assert!(ask(&brief, "ok too").is_ok());
}

#[test]
fn a_parser_that_is_down_is_said_to_be() {
    let gone = |carrier: Carrier| {
        let is_silent = matches!(&carrier, Carrier::Worker(launch) if launch.arguments == ["silent"]);
        let start_up = if is_silent { Duration::from_millis(300) } else { Duration::from_secs(30) };
        let settings = Settings { start_up, ..settings(carrier) };
        let trouble = ask(&Parser::open(settings, ontology(), None), "ok").expect_err("it is down");
        assert_eq!(trouble.again(), Again::Later, "{trouble}");
        trouble.to_string()
    };
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let absent = |program: &str| Launch { program: PathBuf::from(program), ..Launch::default() };
    for (carrier, expected) in [
        (Carrier::Worker(absent("/nowhere/parser")), "the parser is down: it cannot be started: No such file"),
        (Carrier::Tcp(closed.to_string()), "cannot be reached: Connection refused"),
        (Carrier::Unix(PathBuf::from("/nowhere/socket")), "/nowhere/socket cannot be reached: No such file"),
        (Carrier::Http(format!("http://{closed}")), "cannot be reached: the connection is refused"),
        (Carrier::Worker(faulty(&["silent"])), "the parser is down: it does not say hello in time"),
        (Carrier::Worker(faulty(&["nonsense"])), "the parser is down: it ended before it had said hello"),
        (Carrier::Worker(faulty(&["worker", "hi there"])), "it says what is no message: \"hi there\""),
        (Carrier::Worker(faulty(&["worker", r#"{"nlap":9}"#])), "it speaks version 9 of nlap; this gatherer speaks 1"),
        (Carrier::Worker(faulty(&["worker", r#"{"nlap":1}"#])), "its hello is wrong: missing field"),
        (Carrier::Worker(faulty(&["worker", r#"{"hello":1}"#])), "it does not begin with hello"),
        (
            Carrier::Worker(faulty(&["worker", &parser::HELLO.replace("abstract", "annotate")])),
            "does not know the ontology",
        ),
        (
            Carrier::Worker(faulty(&[
                "worker",
                &parser::HELLO.replace("\"window\"", "\"ontologies\":[{\"hash\":\"1\"}],\"window\""),
            ])),
            "faulty 0.9 has another ontology",
        ),
    ] {
        let said = gone(carrier.clone());
        assert!(said.contains(expected), "{carrier:?}: {said}");
    }
}

#[test]
fn what_is_not_for_it_is_not_asked() {
    let parser = open(worker());
    for (text, media_type, lang, expected) in [
        ("ok", "application/pdf", "de", "it does not read application/pdf"),
        ("ok", "text/plain", "fr", "it does not know the language fr"),
        (&"x".repeat(100_001), "text/plain", "auto", "it takes 100000 bytes, and the document has 100001"),
    ] {
        let trouble = ask_as(&parser, text, media_type, lang).expect_err("it is not for it");
        assert_eq!(
            (trouble.again(), trouble.to_string().ends_with(expected)),
            (Again::WithAnotherParser, true),
            "{trouble}"
        );
    }
    assert!(ask_as(&parser, "ok", "text/plain", "en-GB").is_ok());
}

#[test]
fn what_was_answered_once_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache: Arc<dyn Cache> = Arc::new(FileCache::open(folder.path(), 1 << 20).expect("a cache"));
    let with = |options: &[(&str, &str)]| {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Parser::open(Settings { options, ..settings(worker()) }, ontology(), Some(Arc::clone(&cache)))
    };
    let text = "ok Tel 0381 550123";
    let first = ask(&with(&[]), text).expect("an abstract");
    let parser = with(&[]);
    let second = ask(&parser, text).expect("an abstract");
    assert_eq!((first.from_cache, second.from_cache, first.made == second.made), (false, true, true));
    assert!(!ask(&with(&[("style", "short")]), text).expect("an abstract").from_cache, "options change answers");
    assert!(!ask(&parser, "partial").expect("an abstract").from_cache);
    assert!(!ask(&parser, "partial").expect("an abstract").from_cache, "half of it is not kept");
}

#[test]
fn the_historic_list_is_taken_where_the_operator_says_so() {
    let list = |format: Format| {
        let parser = Parser::open(Settings { format, ..settings(command()) }, ontology(), None);
        ask(&parser, "list")
    };
    let made = list(Format::List).expect("an abstract");
    assert_eq!(made.made.instances[0].values[0].text, "+49381550123");
    assert_eq!(made.made.instances[0].lemma.as_deref(), Some("krone"));
    assert_eq!(made.dropped.count(Reason::UnknownSlot), 1, "a relation without a name is none");
    assert!(matches!(list(Format::Abstract), Err(Trouble::BadAnswer(_))));
}
