use super::kept::{Change, Kept};
use super::*;
use crate::model::{Limits, ParserMark};

const ONTOLOGY: &str = r#"
@prefix : <https://example.org/stay#> .
@prefix ab: <https://gatherer.invalid/abstract#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://example.org/stay> a owl:Ontology ; owl:versionInfo "1" .
:Haus a owl:Class ; ab:focus true .
:Hotel a owl:Class ; rdfs:subClassOf :Haus .
:Ort a owl:Class .
:Stadt a owl:Class ; rdfs:subClassOf :Ort .
:Zimmer a owl:Class .
:Preis a owl:Class .
:liegt_in a owl:ObjectProperty ; rdfs:domain :Haus ; rdfs:range :Ort .
:liegt_in_Stadt a owl:ObjectProperty ; rdfs:subPropertyOf :liegt_in ; rdfs:range :Stadt .
:nahe a owl:ObjectProperty ; rdfs:domain :Haus ; rdfs:range :Ort .
:hat_Zimmer a owl:ObjectProperty ; rdfs:domain :Haus ; rdfs:range :Zimmer .
:gehoert_zu a owl:ObjectProperty ; owl:inverseOf :hat_Zimmer .
:hat_Preis a owl:ObjectProperty ; rdfs:domain :Zimmer ; rdfs:range :Preis .
:hat_Betrag a owl:DatatypeProperty ; rdfs:domain :Preis ; rdfs:range ab:money ; ab:key true .
:hat_Telefon a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range ab:phone .
:offen a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range ab:hours .
"#;

const GOLD: &str = "# the house
c\tHaus:Hotel „Krone“|Krone\ttype\tHotel
c\tHaus:Hotel „Krone“|Krone\tliegt_in\tStadt:Lübz
c\tHaus:Hotel „Krone“|Krone\that_Telefon\t+49381550123

c\tHaus:Hotel „Krone“|Krone\that_Zimmer\tZimmer:doppelzimmer
c\tZimmer:doppelzimmer\that_Preis\tPreis:48.00 EUR
c\tHaus:Hotel „Krone“|Krone\toffen\tMo 10:00-12:00
c\tHaus:Hotel „Krone“|Krone\toffen\tTu 10:00-12:00
w\tHaus:Hotel „Krone“|Krone\tnahe\tOrt:*
";

fn ontology() -> Ontology {
    Ontology::read(ONTOLOGY, &|_| None).expect("it can be used")
}

fn a_page(kind: &str) -> Page {
    let [path, url, charset, domain, kind] =
        ["de/krone", "http://a.example/", "utf-8", "stay", kind].map(str::to_owned);
    Page { path, url, charset, domain, kind }
}

fn answer(instances: &str) -> Abstract {
    let instances = instances.replace('@', r#"evidence="x" confidence="1" start="0" end="1" quote="q""#);
    let instances = instances.replace('§', r#"start="0" end="1" quote="q""#);
    let text = format!(
        r#"<abstract xmlns="https://gatherer.invalid/abstract/1" version="1" lang="de"><meta><url>u</url><parser name="p" version="1" fingerprint="f"/>
        <ontology iri="o" version="1" hash="{}"/></meta>{instances}</abstract>"#,
        "0".repeat(64)
    );
    Abstract::from_xml(text.as_bytes(), Limits::default()).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn score(gold: &str, instances: &str) -> PageScore {
    let ontology = ontology();
    let gold = gold::parse(gold, &ontology).expect("gold");
    page(&a_page("single"), &gold, &answer(instances), &ontology, &Document::new("q", false))
}

const RIGHT: &str = r#"
<instance id="h" type="Hotel"><name §>Das Hotel "KRONE"</name>
 <value name="hat_Telefon" @>+49381550123</value><value name="offen" @>Mo 10:00-12:00; Tu 10:00-12:00</value>
 <slot name="liegt_in_Stadt" @><instance id="o" type="Stadt"><name §>Lübz</name></instance></slot>
 <slot name="nahe" @><instance id="s" type="Ort" lemma="strand"/></slot></instance>
<instance id="z" type="Zimmer" lemma="doppelzimmer">
 <slot name="gehoert_zu" @><ref to="h"/></slot>
 <slot name="hat_Preis" @><instance id="p" type="Preis"><value name="hat_Betrag" @>48.00 EUR</value></instance></slot></instance>"#;

#[test]
fn what_is_right_is_right_at_all_levels() {
    let score = score(GOLD, RIGHT);
    // The room is held by nothing here, so that its kind is a fact, and one that the gold does not have.
    assert_eq!(score.strict, Tally { wanted: 7, got: 7, given: 8, right: 7 }, "{:?}", score.mistakes);
    assert_eq!(score.mistakes, [(Mistake::Invented, "Zimmer:doppelzimmer\ttype\tZimmer".to_owned())]);
    assert_eq!((score.typed.recall(), score.pair.recall()), (1.0, 1.0));
    assert_eq!((score.names, score.numbers), ((2, 2), (4, 4)));
    assert_eq!((score.duplicates, score.siblings, score.found.len()), (0, 0, 7));
}

#[test]
fn gold_may_be_written_from_the_other_end() {
    let turned = GOLD.replace(
        "Haus:Hotel „Krone“|Krone\that_Zimmer\tZimmer:doppelzimmer",
        "Zimmer:doppelzimmer\tgehoert_zu\tHaus:Hotel „Krone“|Krone",
    );
    assert_ne!(turned, GOLD);
    let (score, turned) = (score(GOLD, RIGHT), score(&turned, RIGHT));
    assert_eq!((score.strict, score.names, score.found), (turned.strict, turned.names, turned.found));
}

#[test]
fn mistakes_are_told_apart() {
    let wrong = r#"<instance id="h" type="Hotel"><name §>Hotel Krone</name><value name="hat_Telefon" @>+49381550199</value>
        <slot name="nahe" @><instance id="o" type="Stadt"><name §>Lübz</name></instance></slot>
        <slot name="hat_Zimmer" @><instance id="z" type="Zimmer" lemma="saal">
        <slot name="hat_Preis" @><instance id="p" type="Preis"><value name="hat_Betrag" @>48.00 EUR</value></instance></slot></instance></slot></instance>"#;
    let gold = GOLD.replace("w\tHaus", "c\tHaus").replace("nahe\tOrt:*", "nahe\tOrt:strand");
    let score = score(&gold, wrong);
    let mistakes: Vec<_> = score
        .mistakes
        .iter()
        .map(|(mistake, line)| format!("{}: {}", mistake.name(), line.replace('\t', " ")))
        .collect();
    assert_eq!(
        mistakes,
        [
            "wrong slot: Hotel:hotel krone nahe Stadt:lübz",
            "wrong object: Hotel:hotel krone hat_Zimmer Zimmer:saal",
            "wrong object: Hotel:hotel krone hat_Telefon +49381550199",
            "wrong subject: Zimmer:saal hat_Preis Preis:48.00 eur",
            "missed: Haus:Hotel „Krone“|Krone liegt_in Stadt:Lübz",
            "missed: Haus:Hotel „Krone“|Krone hat_Telefon +49381550123",
            "missed: Haus:Hotel „Krone“|Krone hat_Zimmer Zimmer:doppelzimmer",
            "missed with its subject: Zimmer:doppelzimmer hat_Preis Preis:48.00 EUR",
            "missed: Haus:Hotel „Krone“|Krone offen Mo 10:00-12:00",
            "missed: Haus:Hotel „Krone“|Krone offen Tu 10:00-12:00",
            "missed: Haus:Hotel „Krone“|Krone nahe Ort:strand",
        ]
    );
    assert_eq!(score.strict, Tally { wanted: 8, got: 1, given: 5, right: 1 });
    assert_eq!((score.names, score.numbers), ((2, 2), (4, 1)));
    assert_eq!(score.by_slot["hat_Zimmer"], Tally { wanted: 1, got: 0, given: 1, right: 0 });
    assert_eq!((score.typed.wanted, score.typed.got), (7, 5), "hours are one, a town is a place");
}

#[test]
fn a_super_slot_does_not_fit_its_sub_slot() {
    let gold = "c\tHaus:*\tliegt_in_Stadt\tStadt:Lübz\nw\tHaus:*\ttype\tHaus\n";
    let of = |slot: &str| {
        score(
            gold,
            &format!(
                r#"<instance id="h" type="Haus"><slot name="{slot}" @><instance id="o" type="Stadt"><name §>Lübz</name></instance></slot></instance>"#
            ),
        )
    };
    assert_eq!((of("liegt_in_Stadt").strict.f1(), of("liegt_in").strict.f1()), (1.0, 0.0));
    assert_eq!((of("liegt_in").typed.f1(), of("liegt_in").pair.f1()), (0.0, 1.0));
}

#[test]
fn a_foreign_page_must_give_nothing() {
    let nothing = score("", "");
    assert_eq!((nothing.strict.f1(), nothing.strict.precision()), (1.0, 1.0));
    let something = score("", r#"<instance id="z" type="Zimmer"/>"#);
    assert_eq!((something.strict.f1(), something.strict.given), (0.0, 1));
    let foreign = PageScore { page: a_page("foreign"), ..something };
    let report = Report { pages: vec![nothing, foreign], failed: vec![("de/x".to_owned(), "it hangs".to_owned())] };
    assert_eq!(report.foreign_with_facts(), ["de/krone"]);
    assert_eq!((report.mean_f1("de"), report.mean_f1("en")), (Some(0.5), None));
    let text = report.to_string();
    assert!(text.contains("FAILED: it hangs") && text.contains("invented"), "{text}");
}

#[test]
fn wrong_gold_is_named_line_by_line() {
    let wrong = "c\tHaus:x\ttype\tHotel\nx\ta\tb\tc\nc\tHaus\ttype\tHotel\nc\tHaus:x\tmag\tOrt:y\nc\tBurg:x\ttype\tHotel\n\
        c\tHaus:x\that_Telefon\t0381\nc\tOrt:x\that_Telefon\t+49381\nc\tHaus:x\that_Zimmer\tOrt:y\nc\tHaus:x\n";
    let complaints = gold::parse(wrong, &ontology()).expect_err("wrong");
    let expected = [
        (2, "\"x\" is neither c nor w"),
        (3, "\"Haus\" is not Class:name"),
        (4, "mag is no slot of the ontology"),
        (5, "Burg is no class of the ontology"),
        (6, "\"0381\" is not written as hat_Telefon is"),
        (7, "hat_Telefon cannot stand at Ort"),
        (8, "hat_Zimmer cannot hold Ort"),
        (9, "not four parts with tabs between them"),
    ];
    assert_eq!(complaints, expected.map(|(line, what)| (line, what.to_owned())));
}

#[test]
fn the_blind_table_only_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("blind.tsv");
    let parser = ParserMark { name: "p".to_owned(), version: "1".to_owned(), fingerprint: "f".to_owned() };
    let first = score(GOLD, RIGHT);
    let second = PageScore { page: Page { path: "de/adler".to_owned(), ..a_page("single") }, ..score(GOLD, "") };
    assert_eq!(blind::append(&table, "2026-11-17", &parser, &first), Ok(true));
    assert_eq!(blind::append(&table, "2026-11-18", &parser, &second), Ok(true));
    let before = std::fs::read_to_string(&table).expect("a table");
    assert_eq!(blind::append(&table, "2026-11-19", &parser, &score(GOLD, "")), Ok(false), "it was seen");
    assert_eq!(std::fs::read_to_string(&table).expect("a table"), before);
    assert!(
        before.contains("\n2026-11-17\tde/krone\tsingle\tp/1\tf\t7\t7\t8\t7\t0.875\t1.000\t0.933\t2/2\t4/4\t0\t0\n"),
        "{before}"
    );
    let rows = blind::rows(&table).expect("rows");
    assert_eq!(rows.iter().map(|row| row.page.as_str()).collect::<Vec<_>>(), ["de/krone", "de/adler"]);
    let blind::Means { precision, f1, .. } = blind::last_means(&rows, "de", 1).expect("a mean");
    assert_eq!((precision, f1), (1.0, 0.0));
    assert_eq!(blind::last_means(&rows, "en", 10), None);
    std::fs::write(&table, "x\ty\n").expect("written");
    assert!(blind::rows(&table).is_err());
}

#[test]
fn what_was_found_before_must_be_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("kept.tsv");
    let (full, none) = (score(GOLD, RIGHT), score(GOLD, ""));
    let mut kept = Kept::read(&table).expect("no table is an empty one");
    assert_eq!(kept.compare(&none), Change::default(), "an unknown page cannot be worse");
    kept.put(&full);
    std::fs::write(&table, kept.text()).expect("written");
    let kept = Kept::read(&table).expect("a table");
    assert_eq!(kept.compare(&full), Change::default());
    let change = kept.compare(&none);
    assert_eq!((change.worse.len(), change.better.len()), (7, 1), "{change:?}");
    let mut poor = Kept::default();
    poor.put(&none);
    let change = poor.compare(&full);
    assert_eq!((change.worse.len(), change.better.len()), (1, 7), "{change:?}");
    std::fs::write(&table, "de/krone\twrong\tmany\n").expect("written");
    let wrong = Kept::read(&table).expect_err("no number");
    assert!(wrong.ends_with("kept.tsv:1: no line of this table"), "{wrong}");
}
