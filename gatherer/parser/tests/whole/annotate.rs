//! The seam `annotate`: words and grammar come from an engine that knows no ontology, the facts from us.

use gatherer_abstracts::client::{Annotator, Carrier, Launch, Settings};
use gatherer_abstracts::model::walk;
use gatherer_parser::engine::{Answer, Document, Engine, Refused};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;

const PAGE: &str = "<html lang=\"de\"><title>Pension Möwe</title><h1>Pension Möwe</h1>\
    <p>Unsere Pension hat 6 Zimmer mit Duschgelegenheiten.</p><p>Bis nach Quakelheim sind es 4 km.</p>";

/// An engine that knows two words of German, and may be told to die over every text.
fn engine(is_dying: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || converse(stream, is_dying));
        }
    });
    address.to_string()
}

fn converse(mut stream: TcpStream, is_dying: bool) {
    let hello = json!({"nlap": 1, "name": "words", "version": "1", "fingerprint": "w1", "langs": ["de"],
        "types": ["text/plain"], "levels": ["annotate"]});
    writeln!(stream, "{hello}").expect("said");
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        let request: Value = serde_json::from_str(&line).expect("a header");
        line.clear();
        let length = request["len"].as_u64().unwrap_or(0);
        let mut text = vec![0; usize::try_from(length).expect("short")];
        reader.read_exact(&mut text).expect("a body");
        if is_dying || request.get("bye").is_some() {
            return;
        }
        assert_eq!(
            (&request["want"], &request["type"], request.get("ontology")),
            (&json!("annotate"), &json!("text/plain"), None)
        );
        let body = annotation(&String::from_utf8(text).expect("UTF-8")).to_string();
        let reply = json!({"id": request["id"], "status": "ok", "type": "application/json", "fingerprint": "w1", "len": body.len()});
        write!(stream, "{reply}\n{body}").expect("answered");
    }
}

/// The two words, each a sentence of its own; and one that does not stand there.
fn annotation(text: &str) -> Value {
    let place = |word: &str| text.find(word).map(|byte| text[..byte].chars().count());
    let sentence = |word: &str, more: Value| {
        let start = place(word)?;
        let mut token = json!({"id": 1, "form": word, "start": start, "end": start + word.chars().count()});
        for (name, value) in more.as_object().into_iter().flatten() {
            token[name] = value.clone();
        }
        let entities = if word == "Quakelheim" { json!([{"kind": "LOC", "first": 1, "last": 1}]) } else { json!([]) };
        Some(json!({"start": token["start"], "end": token["end"], "tokens": [token], "entities": entities}))
    };
    let sentences: Vec<_> = [
        sentence("Duschgelegenheiten", json!({"lemma": "dusche", "upos": "NOUN"})),
        sentence("Quakelheim", json!({"upos": "PROPN"})),
    ]
    .into_iter()
    .flatten()
    .collect();
    json!({"annotate": 1, "lang": "de", "sentences": sentences})
}

fn parse(engine: &Engine) -> Result<Answer, Refused> {
    let document =
        Document { url: "http://a.example/", kind: "text/html", bytes: PAGE.as_bytes(), ..Document::default() };
    engine.parse(&document)
}

fn classes(answer: &Answer) -> Vec<String> {
    let mut classes = Vec::new();
    walk(&answer.result.instances, &mut |instance| classes.extend(instance.types.clone()));
    classes
}

fn tourism() -> Engine {
    Engine::new("tourism").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn words_and_grammar_of_an_engine_become_facts() {
    let alone = tourism();
    let found = classes(&parse(&alone).expect("an answer"));
    assert!(!found.contains(&"Dusche".to_owned()), "{found:?}");
    let annotator = Arc::new(Annotator::open(Settings::new(Carrier::Tcp(engine(false)))));
    let helped = tourism().with_annotator(annotator).expect("it says hello");
    assert_ne!(helped.fingerprint(), alone.fingerprint(), "the engine is part of who answers");
    let found = classes(&parse(&helped).expect("an answer"));
    assert!(found.contains(&"Dusche".to_owned()) && found.contains(&"Stadt".to_owned()), "{found:?}");
}

#[test]
fn an_engine_that_dies_is_no_abstract_and_no_panic() {
    let annotator = Arc::new(Annotator::open(Settings::new(Carrier::Tcp(engine(true)))));
    let helped = tourism().with_annotator(annotator).expect("it says hello");
    let refused = parse(&helped).expect_err("it died");
    assert!(matches!(&refused, Refused::Grammar(why) if why.contains("the parser failed")), "{refused}");
    let nobody = Annotator::open(Settings::new(Carrier::Tcp("127.0.0.1:1".to_owned())));
    let down = tourism().with_annotator(Arc::new(nobody)).expect_err("nobody is there").to_string();
    assert!(down.starts_with("the parser is down"), "{down}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "only asks whether the package is there")]
fn spacy_speaks_the_protocol() {
    let has_spacy = Command::new("python3").args(["-c", "import spacy"]).output().is_ok_and(|run| run.status.success());
    if !has_spacy {
        let _ = std::io::stderr().write_all(b"SKIPPED: spaCy is not installed, plugins/examples/spacy is not tested\n");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/examples/spacy/annotate.py");
    let launch =
        Launch { program: "python3".into(), arguments: vec![script.display().to_string()], environment: Vec::new() };
    let settings = Settings { memory: u64::MAX, ..Settings::new(Carrier::Worker(launch)) };
    let settings = Settings { start_up: std::time::Duration::from_secs(120), ..settings };
    let annotator = Annotator::open(settings);
    assert_eq!(annotator.hello().map(|hello| hello.langs), Ok(vec!["de".to_owned(), "en".to_owned()]));
    let text = "Grüße vom See\nThe inn has four rooms. It is near the sea.\n";
    let (annotation, dropped) =
        annotator.annotation("http://a.example/", "en", text).expect("an answer").expect("sentences");
    assert_eq!((dropped.sentences, dropped.tokens, dropped.groups), (0, 0, 0));
    let forms: Vec<_> = annotation.sentences.iter().map(|sentence| sentence.tokens.len()).collect();
    assert_eq!(forms.len(), 3, "lines and sentences: {forms:?}");
    assert_eq!(annotator.annotation("http://a.example/", "fr", text).map(|found| found.is_none()), Ok(true));
    assert_eq!(annotator.annotation("http://a.example/", "de", "\n \n").map(|found| found.is_none()), Ok(true));
}
