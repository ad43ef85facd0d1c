//! Sentences, lists and tables as they stand on pages of tourism, each on a page of its own, and what each says.

use crate::ENGINE;
use gatherer_abstracts::model::{Filler, Instance, walk};
use gatherer_parser::engine::Document;
use std::collections::HashMap;

#[test]
fn german_sentences_say_what_they_say() {
    let heads = [
        ("house", "Pension Lindenhof", "Unsere Pension in Hinterbach hat 8 Zimmer."),
        ("flat", "Ferienwohnung Seeblick", "Unsere Ferienwohnung in Hinterbach ist ruhig gelegen."),
        ("eatery", "Gasthaus Zur Linde", "Unser Gasthaus in Hinterbach ist familiär."),
        ("sight", "Burg Rabenstein", "Die Burg über Hinterbach ist sehenswert."),
        ("event", "Stadtfest Hinterbach 2014", "Das Stadtfest findet am 5. und 6. Juli 2014 statt."),
    ];
    check(&heads, include_str!("../sentences/de.tsv"));
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
    check(&heads, include_str!("../sentences/en.tsv"));
}

/// Holds the parser against a table of sentences, each under one of these heads.
fn check(heads: &[(&str, &str, &str)], table: &str) {
    let mut missing = Vec::new();
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let mut cells = line.split('\t');
        let (about, text) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let (_, name, first) = heads.iter().find(|(one, ..)| *one == about).expect("a page that is known here");
        let said = said(name, first, text);
        missing.extend(cells.filter(|fact| !said.iter().any(|one| one == fact)).map(|fact| format!("{text}: {fact}")));
    }
    assert!(missing.is_empty(), "not said any more:\n{}", missing.join("\n"));
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
