//! Sentences, lists and tables as they stand on pages of tourism, each on a page of its own, and what each says: a file for each
//! topic and language.

use crate::ENGINE;
use gatherer_abstracts::model::{Filler, Instance, walk};
use gatherer_parser::engine::Document;
use std::collections::HashMap;
use std::path::Path;

#[test]
fn german_sentences_say_what_they_say() {
    let heads = [
        ("house", "Pension Lindenhof", "Unsere Pension in Hinterbach hat 8 Zimmer."),
        ("flat", "Ferienwohnung Seeblick", "Unsere Ferienwohnung in Hinterbach ist ruhig gelegen."),
        ("eatery", "Gasthaus Zur Linde", "Unser Gasthaus in Hinterbach ist familiär."),
        ("sight", "Burg Rabenstein", "Die Burg über Hinterbach ist sehenswert."),
        ("event", "Stadtfest Hinterbach 2014", "Das Stadtfest findet am 5. und 6. Juli 2014 statt."),
    ];
    check(&heads, ".de.tsv");
}

#[test]
fn english_sentences_say_what_they_say() {
    let heads = [
        ("house", "Linden House", "Our guest house in Thornby has 8 bedrooms."),
        ("flat", "Rose Cottage", "Our holiday cottage in Thornby is a quiet place."),
        ("eatery", "The Plough", "Our pub in Thornby is a friendly place."),
        ("sight", "Ravenstone Castle", "The castle above Thornby is worth a visit."),
        ("event", "Thornby Fair 2014", "The fair is on 5 and 6 July 2014."),
    ];
    check(&heads, ".en.tsv");
}

/// Holds the parser against the tables of a language. What begins with `!` must not be said.
fn check(heads: &[(&str, &str, &str)], ending: &str) {
    let mut wrong = Vec::new();
    for (file, table) in tables(ending) {
        for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut cells = line.split('\t');
            let (about, text) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            let head = heads.iter().find(|(one, ..)| *one == about);
            let (_, name, first) = head.unwrap_or_else(|| panic!("{file}: {about} is no page that is known here"));
            let said = said(name, first, text);
            let is_said = |fact: &str| said.iter().any(|one| one == fact);
            wrong.extend(cells.filter_map(|fact| match fact.strip_prefix('!') {
                Some(fact) => is_said(fact).then(|| format!("{file}: {text}: {fact} is said")),
                None => (!is_said(fact)).then(|| format!("{file}: {text}: {fact} is not said")),
            }));
        }
    }
    assert!(wrong.is_empty(), "{} facts:\n{}", wrong.len(), wrong.join("\n"));
}

/// The tables of a language, by name.
fn tables(ending: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sentences");
    let names = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    assert!(!names.is_empty(), "no table ends with {ending}");
    let text = |name: &String| std::fs::read_to_string(folder.join(name)).expect("text");
    names.iter().map(|name| (name.clone(), text(name))).collect()
}

/// The facts of a page, as `subject slot object`.
fn said(name: &str, first: &str, text: &str) -> Vec<String> {
    let text = if text.starts_with('<') { text.to_owned() } else { format!("<p>{text}</p>") };
    // The year is no part of the title.
    let title = name.trim_end_matches(" 2014");
    let page = format!("<title>{title}</title><h1>{name}</h1><p>{first}</p><h2>Info</h2>{text}");
    let document =
        Document { url: "http://www.x.example/", kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
    let instances = ENGINE.parse(&document).expect("it is read").result.instances;
    let mut called = HashMap::new();
    walk(&instances, &mut |one| {
        called.insert(one.id.clone(), shown(one));
    });
    let mut said = Vec::new();
    walk(&instances, &mut |one| {
        let own = shown(one);
        said.extend(one.values.iter().map(|value| format!("{own} {} {}", value.name, value.text)));
        said.extend(one.slots.iter().map(|slot| {
            let id = match &slot.filler {
                Filler::Instance(inner) => &inner.id,
                Filler::Ref(id) => id,
            };
            format!("{own} {} {}", slot.name, called.get(id).map_or("?", String::as_str))
        }));
    });
    said
}

/// A thing as `Class:name`; what has no name is called by its word or its amount.
fn shown(one: &Instance) -> String {
    let amount = || one.values.iter().find(|value| value.name == "hat_Betrag").map(|value| value.text.as_str());
    let name = one.name.as_ref().map(|name| name.text.as_str());
    format!("{}:{}", one.types[0], name.or(one.lemma.as_deref()).or_else(amount).unwrap_or("*"))
}
