//! Pages of which only is written down what they are about: what the weights give for them must not become less.

use gatherer_parser::engine::{Document, Engine};
use std::path::Path;

/// So many of these pages are right. It may only become more.
const RIGHT: usize = 580;

/// Whether the things of an answer are what a line of `labels.tsv` says.
fn is_right(kind: &str, label: &str, things: &[(Vec<String>, Option<String>)]) -> bool {
    let plain = |name: &str| {
        let letters = name.to_lowercase();
        let words: Vec<_> = letters.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is_article = words.first().is_some_and(|word| matches!(*word, "the" | "der" | "die" | "das"));
        words[usize::from(is_article)..].join(" ")
    };
    let one = |(types, name): &(Vec<String>, Option<String>)| {
        let (classes, names) = label.split_once(':').expect("a class and a name");
        let is_named = |wanted: &str| match name {
            Some(name) => plain(name) == plain(wanted),
            None => wanted == "*",
        };
        types.iter().any(|class| classes.split(',').any(|wanted| wanted.trim() == class))
            && names.split('|').any(is_named)
    };
    match kind {
        "foreign" => things.is_empty(),
        "listing" => things.len() > 1,
        _ => things.first().is_some_and(one),
    }
}

#[test]
fn pages_are_about_what_they_are_said_to_be() {
    let engine = Engine::new("tourism").unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    let mut right = 0;
    for language in ["about/de", "about/en", "names/de", "names/en"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gold").join(language);
        let labels = std::fs::read_to_string(folder.join("labels.tsv")).expect("labels");
        for line in labels.lines() {
            let parts: Vec<_> = line.split('\t').collect();
            let [file, url, kind, label] = parts.as_slice() else { panic!("{line}") };
            let bytes = std::fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            let document = Document { url, kind: "text/html", bytes: &bytes, ..Document::default() };
            let answer = engine.parse(&document).unwrap_or_else(|refused| panic!("{file}: {refused}")).result;
            let name = |one: &gatherer_abstracts::model::Instance| one.name.as_ref().map(|name| name.text.clone());
            let things: Vec<_> = answer.instances.iter().map(|one| (one.types.clone(), name(one))).collect();
            if is_right(kind, label, &things) {
                right += 1;
            } else {
                wrong.push(format!("{language}/{file}: {label}, not {:?}", things.first()));
            }
        }
    }
    assert!(right >= RIGHT, "{right} instead of {RIGHT} are right; wrong are\n{}", wrong.join("\n"));
    assert!(right == RIGHT, "{right} are right: write it down in RIGHT");
}
