use super::*;
use crate::model::{Limits, Place};

const ONTOLOGY: &str = r#"
@prefix : <https://example.org/stay#> .
@prefix ab: <https://gatherer.invalid/abstract#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://example.org/stay> a owl:Ontology ; owl:versionInfo "1.2" .
:Haus a owl:Class ; ab:focus true .
:Ort a owl:Class .
:Zimmer a owl:Class .
:Geraet a owl:Class .
:liegt_in a owl:ObjectProperty ; rdfs:domain [ owl:unionOf ( :Haus :Ort ) ] ; rdfs:range :Ort .
:hat_Zimmer a owl:ObjectProperty ; rdfs:domain :Haus ; rdfs:range :Zimmer .
:hat_Geraet a owl:ObjectProperty ; rdfs:domain [ owl:unionOf ( :Zimmer :Geraet ) ] ; rdfs:range :Geraet .
:hat_Telefon a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range ab:phone .
:hat_Preis a owl:DatatypeProperty ; rdfs:domain :Zimmer ; rdfs:range ab:money .
"#;

const PAGE: &str = "\u{feff}<html><h1>Hotel <b>Krone</b> &amp; Post</h1>\n<p>Tel: (0381) 55&nbsp;01 23. Lübz.</p>\
    <p>Zimmer mit Telefon, TV und Radio, 1.250,00 DM</p></html>";

fn ontology() -> Ontology {
    Ontology::read(ONTOLOGY, &|_| None).expect("it can be used")
}

/// Attributes of a fact at the words that stand between these two in the page.
fn at(words: &str, quote: &str) -> String {
    let page = PAGE.trim_start_matches('\u{feff}');
    let byte = page.find(words).unwrap_or_else(|| panic!("{words} is not in the page"));
    let start = page[..byte].chars().count();
    let end = start + words.chars().count();
    let quote = quote.replace('&', "&amp;");
    format!(r#"evidence="x" confidence="1" start="{start}" end="{end}" quote="{quote}""#)
}

fn answer(instances: &str) -> Abstract {
    let hash = ontology().hash().to_owned();
    let text = format!(
        r#"<abstract xmlns="https://gatherer.invalid/abstract/1" version="1" lang="de"><meta><url>http://a.example/</url>
        <title>theirs</title><parser name="p" version="1" fingerprint="f"/>
        <ontology iri="https://example.org/stay" version="1.2" hash="{hash}"/></meta>{instances}</abstract>"#
    );
    Abstract::from_xml(text.as_bytes(), Limits::default()).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn known() -> Meta {
    Meta { url: "http://a.example/".to_owned(), title: Some("ours".to_owned()), size: Some(7), ..Meta::default() }
}

/// Checks instances; all that is dropped and all facts that are left must be these.
fn check_one(instances: &str, dropped: &str, left: &[&str]) {
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    let (checked, found) =
        check(&answer(instances), &ontology, &document, &known(), Quotes::Compared).expect("it is about the document");
    assert_eq!(found.to_string(), dropped, "{instances}");
    let mut facts = Vec::new();
    walk(&checked.instances, &mut |one| {
        let called = one.called(&ontology).unwrap_or(&one.types[0]);
        facts.extend(one.values.iter().map(|value| format!("{called} {} {}", value.name, value.text)));
        facts.extend(one.slots.iter().map(|slot| format!("{called} {} {}", slot.name, slot.filler.id())));
    });
    assert_eq!(facts, left, "{instances}");
}

fn house(inner: &str) -> String {
    format!(r#"<instance id="h" type="Haus">{inner}</instance>"#)
}

fn telephone(words: &str, quote: &str, value: &str) -> String {
    house(&format!(r#"<value name="hat_Telefon" {}>{value}</value>"#, at(words, quote)))
}

#[test]
fn quotes_must_stand_in_the_document() {
    let good = ["Haus hat_Telefon +49381550123"];
    check_one(&telephone("(0381) 55&nbsp;01 23", "(0381) 55 01 23", "+49381550123"), "nothing", &good);
    check_one(&telephone("(0381) 55&nbsp;01 23", "(0381)  55 01 24", "+49381550124"), "quote 1", &[]);
    check_one(&telephone("(0381) 55&nbsp;01 23", "(0381) 55 01 23", "+49381550199"), "value 1", &[]);
    check_one(&telephone("(0381) 55&nbsp;01 23", "(0381) 55 01 23", "0381 550123"), "range 1", &[]);
    let document = Document::new(PAGE, true);
    let wrong = answer(&telephone("(0381) 55&nbsp;01 23", "(0381) 55 01 24", "+49381550124"));
    let (_, dropped) = check(&wrong, &ontology(), &document, &known(), Quotes::Compared).expect("it fits");
    let words = r#"h hat_Telefon "+49381550124" at "(0381) 55 01 24""#.to_owned();
    assert_eq!(dropped.examples(), [(Reason::Quote, words)]);
    let outside = telephone("Tel", "Tel", "+49381550123").replace("end=\"", "end=\"9");
    check_one(&outside, "offset 1", &[]);
    let backwards = telephone("Tel", "Tel", "+49381550123").replace("start=\"", "start=\"9");
    check_one(&backwards, "offset 1", &[]);
}

#[test]
fn tags_and_spellings_are_seen_through() {
    let name = |quote: &str, name: &str| {
        let place = at("Hotel <b>Krone</b> &amp; Post", quote).replace(r#"evidence="x" confidence="1" "#, "");
        answer(&house(&format!("<name {place}>{name}</name>")))
    };
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    for (quote, text, expected) in [
        ("Hotel Krone & Post", "Hotel Krone &amp; Post", Some("Hotel Krone & Post")),
        ("HOTEL  KRONE &\nPOST", "Hotel Krone", Some("Hotel Krone")),
        ("Hotel Krone & Post", "Hotel Adler", None),
        ("Hotel Krone und Post", "Hotel Krone", None),
    ] {
        let checked = check(&name(quote, text), &ontology, &document, &known(), Quotes::Compared).expect("it fits");
        let found = checked.0.instances[0].name.as_ref().map(|name| name.text.clone());
        assert_eq!(found.as_deref(), expected, "{quote}");
    }
    let price = |quote: &str| {
        let place = at("1.250,00 DM", quote);
        let room =
            format!(r#"<instance id="z" type="Zimmer"><value name="hat_Preis" {place}>1250.00 DEM</value></instance>"#);
        let held = at("Zimmer", "Zimmer");
        house(&format!(r#"<slot name="hat_Zimmer" {held}>{room}</slot>"#))
    };
    let left = ["Haus hat_Zimmer i2", "Zimmer hat_Preis 1250.00 DEM"];
    check_one(&price("1.250,00 DM"), "nothing", &left);
    check_one(&price("1250 DM"), "nothing", &left);
    check_one(&price("1251 DM"), "quote 1", &left[..1]);
}

#[test]
fn offsets_into_another_text_need_only_the_words() {
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    for (quote, expected) in [("55 01 23", "nothing"), ("55 01 24", "quote 1"), ("1250 DM 550123", "quote 1")] {
        let mut said = answer(&telephone("Tel", quote, "+49381550123"));
        said.offsets = Some(Offsets::Text);
        said.instances[0].values[0].evidence.place = Place::new(900_000, 900_009, quote);
        let (_, dropped) = check(&said, &ontology, &document, &known(), Quotes::Compared).expect("it fits");
        assert_eq!(dropped.to_string(), expected, "{quote}");
    }
}

#[test]
fn only_the_words_of_the_ontology_count() {
    let slot = |name: &str, class: &str| {
        let place = at("Lübz", "Lübz");
        house(&format!(r#"<slot name="{name}" {place}><instance id="o" type="{class}" lemma="o"/></slot>"#))
    };
    check_one(&slot("liegt_in", "Ort"), "nothing", &["Haus liegt_in i2"]);
    check_one(&slot("liegt_bei", "Ort"), "unknown-slot 1", &[]);
    check_one(&slot("liegt_in", "Zimmer"), "range 1", &[]);
    check_one(&slot("hat_Telefon", "Ort"), "range 1", &[]);
    check_one(&slot("hat_Geraet", "Geraet"), "domain 1", &[]);
    check_one(&slot("liegt_in", "Dorf"), "unknown-class 1, reference 1", &[]);
    check_one(&slot("liegt_in", "Dorf Ort"), "unknown-class 1", &["Haus liegt_in i2"]);
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    let gone = check(&answer(&slot("liegt_in", "Dorf")), &ontology, &document, &known(), Quotes::Compared);
    assert_eq!(gone.map(|(left, _)| left.instances.len()), Ok(1), "what only it holds goes as well");
}

#[test]
fn a_fact_stands_once_and_not_in_circles() {
    let place = at("Lübz", "Lübz");
    let twice = house(&format!(
        r#"<slot name="liegt_in" {place}><instance id="o" type="Ort"/></slot><slot name="liegt_in" {place}><ref to="o"/></slot>"#
    ));
    check_one(&twice, "duplicate 1", &["Haus liegt_in i2"]);
    let circle = house(&format!(
        r#"<slot name="liegt_in" {place}><instance id="o" type="Ort" lemma="o"><slot name="liegt_in" {place}><instance id="u" type="Ort" lemma="u">
        <slot name="liegt_in" {place}><ref to="o"/></slot><slot name="liegt_in" {place}><ref to="u"/></slot></instance></slot></instance></slot>"#
    ));
    check_one(&circle, "cycle 2", &["Haus liegt_in i2", "o liegt_in i3"]);
}

#[test]
fn members_of_an_enumeration_do_not_belong_to_each_other() {
    let device = |word: &str, inner: &str| {
        let place = at(word, word);
        format!(
            r#"<slot name="hat_Geraet" {place}><instance id="{word}" type="Geraet" lemma="{word}">{inner}</instance></slot>"#
        )
    };
    let place = at("Radio", "Radio");
    let wrong = format!(r#"<slot name="hat_Geraet" {place}><ref to="Radio"/></slot>"#);
    let devices = format!("{}{}{}", device("Telefon", ""), device("TV", &wrong), device("Radio", ""));
    let room = format!(r#"<instance id="z" type="Zimmer">{devices}</instance>"#);
    check_one(&room, "sibling 1", &["Zimmer hat_Geraet i2", "Zimmer hat_Geraet i3", "Zimmer hat_Geraet i4"]);
}

#[test]
fn what_is_about_something_else_is_refused() {
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    let mut said = answer("");
    said.meta.url = "http://b.example/".to_owned();
    let refused = |said: &Abstract| {
        check(said, &ontology, &document, &known(), Quotes::Compared).expect_err("it is refused").to_string()
    };
    assert_eq!(refused(&said), "it answers about http://b.example/ when http://a.example/ was asked");
    said.meta.url = "http://a.example/".to_owned();
    said.meta.ontology.hash = "0".repeat(64);
    assert!(refused(&said).starts_with("it answers in the words of the ontology 0000"));
}

#[test]
fn the_gatherer_knows_its_document_better() {
    let (ontology, document) = (ontology(), Document::new(PAGE, true));
    let mut said = answer("");
    said.meta.languages = vec!["de".to_owned()];
    said.meta.md5 = Some("0".repeat(32));
    let (checked, dropped) = check(&said, &ontology, &document, &known(), Quotes::Compared).expect("it fits");
    assert_eq!((checked.meta.title.as_deref(), checked.meta.md5, checked.meta.size), (Some("ours"), None, Some(7)));
    assert_eq!((checked.meta.languages, checked.meta.parser.name.as_str()), (vec!["de".to_owned()], "p"));
    assert_eq!((dropped.total(), dropped.count(Reason::Quote)), (0, 0));
}
