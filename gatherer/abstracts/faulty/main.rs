//! A parser built to misbehave: what it does with a document stands in the document. `faulty-parser worker` stays and speaks
//! frames, `faulty-parser once FILE URL ONTOLOGY` answers one document.

mod parser;

use std::io::{Write, stdin, stdout};

/// The historic list about a house.
const LIST: &str = "<list><tuple name='getess-output' rel='hat_Telefon'><fragment><type>Haus</type><inst>Haus_1</inst>\
    <name>krone</name></fragment><fragment><type>phone</type><name>+49381550123</name></fragment>\
    <constraint type='LABEL'>Tel</constraint></tuple><tuple name='getess-output'><fragment><type>Haus</type><inst>Haus_1</inst></fragment>\
    <fragment><type>Haus</type><inst>Haus_2</inst></fragment></tuple></list>";

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["worker"] => parser::converse(stdin(), stdout(), parser::HELLO),
        ["worker", hello] => parser::converse(stdin(), stdout(), hello),
        ["silent"] => parser::wait_for_ever(),
        ["--version"] => say("faulty 0.9 abc\n"),
        ["once", file, url, ontology, ..] => {
            let body = std::fs::read(file).unwrap_or_default();
            std::process::exit(once(&body, url, ontology));
        }
        _ => std::process::exit(5),
    }
}

fn once(body: &[u8], url: &str, ontology: &str) -> i32 {
    let text = String::from_utf8_lossy(body);
    match text.split_whitespace().next().unwrap_or_default() {
        "hang" => parser::wait_for_ever(),
        "empty" => return 2,
        "unsupported" => return 3,
        "internal" => {
            let _ = std::io::stderr().write_all(b"some talk\nthe lexicon is gone\n");
            return 5;
        }
        "flood" => loop {
            if stdout().write_all(&[b'x'; 16_384]).is_err() {
                return 5;
            }
        },
        "list" => say(LIST),
        _ => say(&parser::abstract_of(url, ontology, &text)),
    }
    0
}

fn say(text: &str) {
    // Who does not listen does not want to know.
    let _ = stdout().write_all(text.as_bytes());
}
