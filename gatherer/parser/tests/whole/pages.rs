//! Pages written for development: each keeps the facts beside it.

use super::ENGINE;
use gatherer_abstracts::check::{Document as Checked, Quotes, check};
use gatherer_abstracts::model::{Abstract, Filler, Instance, Meta, walk};
use gatherer_abstracts::ontology::Ontology;
use gatherer_parser::engine::{Document, Engine};
use gatherer_parser::layout::decode;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const URL: &str = "http://www.pages.example/";

fn parse(engine: &Engine, bytes: &[u8]) -> Abstract {
    let document = Document { url: URL, kind: "text/html", bytes, ..Document::default() };
    engine.parse(&document).unwrap_or_else(|refused| panic!("{refused}")).result
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let entries = std::fs::read_dir(&folder).expect("the folder is there").flatten();
    let mut pages: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    pages.sort();
    pages
}

/// Facts as lines: subject, slot, object.
fn facts(of: &Abstract, ontology: &Ontology) -> BTreeSet<String> {
    let called = |instance: &Instance| format!("{}:{}", instance.types[0], instance.called(ontology).unwrap_or("*"));
    let mut by_id = std::collections::HashMap::new();
    walk(&of.instances, &mut |instance| drop(by_id.insert(instance.id.clone(), called(instance))));
    let mut lines = BTreeSet::new();
    walk(&of.instances, &mut |instance| {
        let subject = called(instance);
        lines.extend(instance.values.iter().map(|value| format!("{subject}\t{}\t{}", value.name, value.text)));
        for slot in &instance.slots {
            let id = match &slot.filler {
                Filler::Instance(inner) => &inner.id,
                Filler::Ref(id) => id,
            };
            lines.insert(format!("{subject}\t{}\t{}", slot.name, by_id[id]));
        }
    });
    lines
}

#[test]
fn pages_keep_their_facts() {
    let mut lost = Vec::new();
    for page in pages() {
        let found = facts(&parse(&ENGINE, &std::fs::read(&page).expect("a page")), &ENGINE.domain().ontology);
        let wanted = std::fs::read_to_string(page.with_extension("tsv")).expect("its facts lie beside it");
        let missing = wanted.lines().filter(|line| !line.is_empty() && !found.contains(*line));
        lost.extend(missing.map(|line| format!("{}: {line}", page.display())));
    }
    assert!(lost.is_empty(), "facts were lost:\n{}", lost.join("\n"));
}

#[test]
fn the_checker_of_foreign_answers_believes_every_fact() {
    for page in pages() {
        let bytes = std::fs::read(&page).expect("a page");
        let answer = parse(&ENGINE, &bytes);
        let source = decode(&bytes, None);
        let known = Meta { url: URL.to_owned(), ..answer.meta.clone() };
        let ontology = &ENGINE.domain().ontology;
        let (_, dropped) = check(&answer, ontology, &Checked::new(&source.text, true), &known, Quotes::Compared)
            .unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(dropped.total(), 0, "{}: {dropped:?}", page.display());
    }
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    let other = Engine::new("tourism").unwrap_or_else(|error| panic!("{error}"));
    for page in pages() {
        let bytes = std::fs::read(&page).expect("a page");
        assert_eq!(parse(&ENGINE, &bytes).to_xml(), parse(&other, &bytes).to_xml(), "{}", page.display());
    }
}

#[test]
fn nothing_stands_twice() {
    for page in pages() {
        let bytes = std::fs::read(&page).expect("a page");
        let answer = parse(&ENGINE, &bytes);
        let mut all = 0;
        walk(&answer.instances, &mut |instance| {
            let mut seen = BTreeSet::new();
            for value in &instance.values {
                assert!(seen.insert((&value.name, &value.text)), "{}: {} twice", page.display(), value.name);
            }
            all += 1;
        });
        assert!(all > 0, "{} gives nothing", page.display());
    }
}

#[test]
fn a_domain_is_data_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "ontology.ttl",
        r#"@prefix : <https://example.org/boats#> . @prefix ab: <https://gatherer.invalid/abstract#> .
        @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <https://example.org/boats> a owl:Ontology ; owl:versionInfo "1" .
        :Boat a owl:Class ; ab:focus true . :Mast a owl:Class .
        :has_Mast a owl:ObjectProperty ; rdfs:domain :Boat ; rdfs:range :Mast ; ab:default true ."#,
    );
    write("lexicon.en.tsv", "ketch\tBoat\tname\nboat\tBoat\tname\nmast\tMast\n");
    let engine = Engine::new(&folder.path().to_string_lossy()).unwrap_or_else(|error| panic!("{error}"));
    let page =
        "<title>The Morning Ketch</title><h1>The Morning Ketch</h1><p>Our boat has a tall mast and is for sale.</p>";
    let found = facts(&parse(&engine, page.as_bytes()), &engine.domain().ontology);
    assert_eq!(found, BTreeSet::from(["Boat:The Morning Ketch\thas_Mast\tMast:mast".to_owned()]));
}
