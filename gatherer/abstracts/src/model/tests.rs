use super::*;
use crate::ontology::Ontology;

const ONTOLOGY: &str = r#"
@prefix : <https://example.org/stay#> .
@prefix ab: <https://gatherer.invalid/abstract#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://example.org/stay> a owl:Ontology ; owl:versionInfo "1.2" .
:Haus a owl:Class ; ab:focus true ; owl:equivalentClass schema:LodgingBusiness .
:Hotel a owl:Class ; rdfs:subClassOf :Haus .
:Ort a owl:Class .
:Zimmer a owl:Class .
:Preis a owl:Class .
:liegt_in a owl:ObjectProperty ; rdfs:domain [ owl:unionOf ( :Haus :Ort ) ] ; rdfs:range :Ort .
:liegt_in_Stadt a owl:ObjectProperty ; rdfs:subPropertyOf :liegt_in ; ab:main true .
:nahe_bei a owl:ObjectProperty , owl:SymmetricProperty ; rdfs:domain :Ort ; rdfs:range :Ort .
:hat_Zimmer a owl:ObjectProperty ; rdfs:domain :Haus ; rdfs:range :Zimmer .
:gehoert_zu a owl:ObjectProperty ; owl:inverseOf :hat_Zimmer .
:hat_Preis a owl:ObjectProperty ; rdfs:domain :Zimmer ; rdfs:range :Preis ; ab:main true .
:hat_Betrag a owl:DatatypeProperty ; rdfs:domain :Preis ; rdfs:range ab:money ; ab:key true .
:hat_Telefon a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range ab:phone ; owl:equivalentProperty schema:telephone .
:hat_Datum a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range xsd:date .
:hat_Beginn a owl:DatatypeProperty ; rdfs:domain :Haus ; rdfs:range xsd:time .
"#;

fn ontology() -> Ontology {
    Ontology::read(ONTOLOGY, &|_| None).expect("it can be used")
}

fn seen(heuristic: &str, thousandths: u16, start: usize) -> Evidence {
    Evidence::new(heuristic, Confidence::thousandths(thousandths), Place::new(start, start + 3, "abc"))
}

fn meta(ontology: &Ontology) -> Meta {
    let parser = ParserMark { name: "p".to_owned(), version: "1".to_owned(), fingerprint: "f".to_owned() };
    Meta { url: "http://a.example/?x=1&y=2".to_owned(), parser, ontology: ontology.into(), ..Meta::default() }
}

/// A hotel with a room with a price, in a town that lies near another.
fn hotel(ontology: &Ontology) -> Abstract {
    let class = |name: &str| ontology.class(name).expect("a class");
    let slot = |name: &str| ontology.slot(name).expect("a slot");
    let mut builder = Builder::new(ontology);
    let hotel = builder.instance(class("Haus"));
    builder.add_type(hotel, class("Hotel"));
    builder.set_name(hotel, "Hotel <Krone> & \"Post\"", Place::new(5, 9, "Kro\nne"));
    let [room, price] = ["Zimmer", "Preis"].map(|name| builder.instance(class(name)));
    builder.set_lemma(room, "zimmer");
    let town = builder.instance(class("Ort"));
    builder.set_name(town, "Lübz", Place::new(40, 44, "Lübz"));
    builder.link(hotel, slot("liegt_in"), town, seen("focus", 300, 40));
    builder.link(hotel, slot("liegt_in_Stadt"), town, seen("prep", 900, 41));
    builder.link(room, slot("gehoert_zu"), hotel, seen("list", 500, 20));
    builder.link(hotel, slot("hat_Zimmer"), room, seen("sentence", 800, 21));
    builder.link(room, slot("hat_Preis"), price, seen("label", 900, 30));
    builder.value(price, slot("hat_Betrag"), "95.00-125.00 DEM", seen("form", 950, 30));
    builder.value(hotel, slot("hat_Telefon"), "+49381550123", seen("label", 900, 12));
    builder.value(hotel, slot("hat_Telefon"), "+49381550123", seen("form", 900, 70));
    builder.value(hotel, slot("hat_Telefon"), "+49381550123", seen("form", 900, 70));
    let instances = builder.finish();
    Abstract { lang: "de".to_owned(), offsets: None, meta: meta(ontology), instances }
}

#[test]
fn a_fact_is_there_once_with_all_its_evidence() {
    let ontology = ontology();
    let [top] = <[Instance; 1]>::try_from(hotel(&ontology).instances).expect("one at the top");
    assert_eq!(top.types, ["Hotel"]);
    let [telephone] = <[Value; 1]>::try_from(top.values).expect("one telephone");
    assert_eq!(telephone.evidence.heuristics, ["label", "form"]);
    assert_eq!(
        (telephone.evidence.place.start, telephone.evidence.also.clone()),
        (12, vec![Span { start: 70, end: 73 }])
    );
    let slots: Vec<_> = top.slots.iter().map(|slot| (slot.name.as_str(), slot.evidence.heuristics.join(" "))).collect();
    // Found from both ends and by two heuristics; the surer place is the one that is shown.
    assert_eq!(slots, [("hat_Zimmer", "list sentence".to_owned()), ("liegt_in_Stadt", "prep focus".to_owned())]);
    assert_eq!(top.slots[0].evidence.confidence, Confidence::thousandths(800));
    let Filler::Instance(room) = &top.slots[0].filler else { panic!("nested") };
    assert_eq!(
        (room.id.as_str(), room.lemma.as_deref(), room.slots[0].name.as_str()),
        ("i2", Some("zimmer"), "hat_Preis")
    );
}

#[test]
fn two_that_are_one_become_one() {
    let ontology = ontology();
    let slot = |name: &str| ontology.slot(name).expect("a slot");
    let [house, place, room] = ["Haus", "Ort", "Zimmer"].map(|name| ontology.class(name).expect("a class"));
    let mut builder = Builder::new(&ontology);
    let [first, second] = [(); 2].map(|()| builder.instance(house));
    let [town, same] = [(); 2].map(|()| builder.instance(place));
    let unit = builder.instance(room);
    builder.link(first, slot("liegt_in"), town, seen("a", 1, 1));
    builder.link(second, slot("liegt_in"), same, seen("b", 1, 2));
    builder.link(second, slot("hat_Zimmer"), unit, seen("c", 1, 3));
    builder.merge(first, second);
    builder.merge(town, same);
    builder.merge(same, town);
    builder.link(second, slot("hat_Zimmer"), first, seen("itself", 1, 4));
    builder.link(town, slot("nahe_bei"), unit, seen("d", 1, 5));
    builder.link(unit, slot("nahe_bei"), same, seen("e", 1, 6));
    assert_eq!(builder.types(second), [house]);
    let instances = builder.finish();
    let mut facts = Vec::new();
    walk(&instances, &mut |one| {
        let fact = |slot: &Slot| {
            format!("{} {} {} {}", one.id, slot.name, slot.filler.id(), slot.evidence.heuristics.join("+"))
        };
        facts.extend(one.slots.iter().map(fact));
    });
    assert_eq!(facts, ["i1 liegt_in i2 a+b", "i1 hat_Zimmer i3 c", "i2 nahe_bei i3 d+e"]);
}

#[test]
fn what_a_page_is_about_holds_what_it_belongs_to() {
    let ontology = ontology();
    let [house, room] = ["Haus", "Zimmer"].map(|name| ontology.class(name).expect("a class"));
    let slot = |name: &str| ontology.slot(name).expect("a slot");
    let mut builder = Builder::new(&ontology);
    let [hotel, suite] = [house, room].map(|class| builder.instance(class));
    builder.put_at_top(suite);
    builder.link(hotel, slot("hat_Zimmer"), suite, seen("a", 1, 1));
    let [top] = <[Instance; 1]>::try_from(builder.finish()).expect("one at the top");
    assert_eq!((top.types[0].as_str(), top.slots[0].name.as_str()), ("Zimmer", "gehoert_zu"));
    assert!(matches!(&top.slots[0].filler, Filler::Instance(inner) if inner.types == ["Haus"]));
}

#[test]
fn circles_and_chains_end() {
    let ontology = ontology();
    let (class, slot) = (ontology.class("Ort").expect("a class"), ontology.slot("liegt_in").expect("a slot"));
    let mut builder = Builder::new(&ontology);
    let all: Vec<_> = (0..100).map(|_| builder.instance(class)).collect();
    all.iter().zip(all.iter().cycle().skip(1)).enumerate().for_each(|(at, (from, to))| {
        builder.link(*from, slot, *to, seen("x", 1, at));
    });
    let found = Abstract { lang: "und".to_owned(), offsets: None, meta: meta(&ontology), instances: builder.finish() };
    let mut count = 0;
    walk(&found.instances, &mut |_| count += 1);
    assert_eq!((count, found.instances.len()), (100, 5));
    assert_eq!(Abstract::from_xml(found.to_xml().as_bytes(), Limits::default()), Ok(found));
}

#[test]
fn what_is_written_is_read() {
    let ontology = ontology();
    let mut whole = hotel(&ontology);
    whole.offsets = Some(Offsets::Text);
    whole.meta.final_url = Some("http://b.example/".to_owned());
    whole.meta.title = Some(" Krone\t& Co\r\n]]> ".to_owned());
    whole.meta.kind = Some("HTML".to_owned());
    whole.meta.md5 = Some("0123456789abcdef0123456789abcdef".to_owned());
    whole.meta.size = Some(4906);
    whole.meta.update_time = Some("2026-11-17T07:00:00Z".to_owned());
    whole.meta.refresh_rate = Some(604_800);
    whole.meta.time_to_live = Some(0);
    whole.meta.languages = vec!["de".to_owned(), "en-GB".to_owned()];
    whole.meta.gatherer =
        Some(GathererMark { name: "g".to_owned(), version: "1".to_owned(), host: None, port: Some(8500) });
    whole.meta.coverage = Some(Coverage { words: 5, known_words: 4, concepts: 3, sentences: 2, empty_sentences: 1 });
    whole.meta.items = vec![Item { name: "note".to_owned(), text: String::new() }];
    for one in [whole, hotel(&ontology)] {
        let xml = one.to_xml();
        assert_eq!(Abstract::from_xml(xml.as_bytes(), Limits::default()).as_ref(), Ok(&one), "{xml}");
        assert_eq!(Abstract::from_xml(one.to_record_xml().as_bytes(), Limits::default()).as_ref(), Ok(&one), "{xml}");
        let json = one.to_json().to_string();
        assert_eq!(Abstract::from_json(json.as_bytes(), Limits::default()).as_ref(), Ok(&one), "{json}");
    }
}

#[test]
fn the_historic_list_is_written_and_read() {
    let ontology = ontology();
    let tuples = list::tuples(&hotel(&ontology), &ontology);
    let ends: Vec<_> = tuples
        .iter()
        .map(|one| {
            let end = |end: &list::Fragment| end.instance.clone().unwrap_or_else(|| end.class.clone());
            format!("{} {} {}", end(&one.subject), one.relation.clone().unwrap_or_default(), end(&one.object))
        })
        .collect();
    assert_eq!(
        ends,
        [
            "Hotel_1 hat_Telefon phone",
            "Hotel_1 hat_Zimmer Zimmer_1",
            "Zimmer_1 hat_Preis Preis_1",
            "Preis_1 hat_Betrag money",
            "Hotel_1 liegt_in_Stadt Ort_1"
        ]
    );
    assert_eq!(tuples[2].object.name.as_deref(), Some("95.00-125.00 DEM"));
    assert_eq!(tuples[0].constraints, [("LABEL".to_owned(), "abc".to_owned()), ("FORM".to_owned(), "abc".to_owned())]);
    let text = list::write(Some("http://a.example/?x=1&y=2"), &tuples);
    let read = list::read(text.as_bytes(), Limits::default());
    assert_eq!(read, Ok((Some("http://a.example/?x=1&y=2".to_owned()), tuples)));
}

#[test]
fn main_slots_become_attributes() {
    let ontology = ontology();
    let flat = hotel(&ontology).flat_attributes(&ontology);
    let expected = [("liegt_in_Stadt", "Lübz"), ("hat_Preis", "95.00-125.00 DEM")];
    assert_eq!(flat, expected.map(|(name, value)| (name.to_owned(), vec![value.to_owned()])));
}

#[test]
fn rdf_is_in_the_words_of_the_ontology() {
    let ontology = ontology();
    let mut found = hotel(&ontology);
    let seen = seen("form", 900, 3);
    for (name, text) in
        [("hat_Datum", "--07-11"), ("hat_Datum", "2025-07-11"), ("hat_Beginn", "19:30"), ("unknown", "x")]
    {
        let value = Value { name: name.to_owned(), text: text.to_owned(), evidence: seen.clone() };
        found.instances[0].values.push(value);
    }
    let turtle = found.to_turtle(&ontology, Told::default());
    for part in [
        "<http://a.example/?x=1&y=2#i1> a :Hotel ;",
        ":hat_Telefon \"+49381550123\"^^ab:phone",
        ":liegt_in_Stadt <http://a.example/?x=1&y=2#i4>",
        ":hat_Datum \"--07-11\"",
        "\"2025-07-11\"^^xsd:date",
        "\"19:30:00\"^^xsd:time",
        "ab:lemma \"zimmer\"",
        "ab:about <http://a.example/?x=1&y=2#i1>",
    ] {
        assert!(turtle.contains(part), "{part} is not in\n{turtle}");
    }
    assert!(!turtle.contains("schema:telephone") && !turtle.contains("unknown"), "{turtle}");
    let more = found.to_turtle(&ontology, Told { links: true, evidence: true });
    for part in ["schema:LodgingBusiness", "schema:telephone", "a rdf:Statement", "ab:confidence 0.95"] {
        assert!(more.contains(part), "{part} is not in\n{more}");
    }
    let json = found.to_json_ld(&ontology, Told::default());
    let room = &json["@graph"][2];
    assert_eq!(room["@type"][0], "https://example.org/stay#Zimmer");
    assert_eq!(room["https://example.org/stay#hat_Preis"][0]["@id"], "http://a.example/?x=1&y=2#i3");
    let price = &json["@graph"][3]["https://example.org/stay#hat_Betrag"][0];
    assert_eq!(
        *price,
        serde_json::json!({"@type": "https://gatherer.invalid/abstract#money", "@value": "95.00-125.00 DEM"})
    );
}
