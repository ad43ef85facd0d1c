use super::*;

const PREFIXES: &str = r#"
@prefix : <https://example.org/stay#> .
@prefix ab: <https://gatherer.invalid/abstract#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://example.org/stay> a owl:Ontology ; owl:versionInfo "1.2" .
"#;

const STAY: &str = r#"
:Ding a owl:Class .
:Agent a owl:Class ; rdfs:subClassOf :Ding .
:Person a owl:Class ; rdfs:subClassOf :Agent ; owl:disjointWith :Ort .
:Unterkunft a owl:Class ; rdfs:subClassOf :Agent ; ab:focus true ; owl:equivalentClass schema:LodgingBusiness .
:Hotel a owl:Class ; rdfs:subClassOf :Unterkunft ; rdfs:label "Hotel"@de , "hotel"@en ; owl:equivalentClass schema:Hotel .
:HotelGarni a owl:Class ; rdfs:subClassOf :Hotel .
:Herberge a owl:Class ; owl:equivalentClass :Hostel .
:Hostel a owl:Class ; rdfs:subClassOf :Unterkunft .
:Ort a owl:Class ; rdfs:subClassOf :Ding .
:Stadt a owl:Class ; rdfs:subClassOf :Ort .
:Hansestadt a owl:Class ; rdfs:subClassOf :Stadt .
:Region a owl:Class ; rdfs:subClassOf :Ort .
:Strand a owl:Class ; rdfs:subClassOf :Ort .
:Wohneinheit a owl:Class ; rdfs:subClassOf :Ding .
:Zimmer a owl:Class ; rdfs:subClassOf :Wohneinheit .
:Einbettzimmer a owl:Class ; rdfs:subClassOf :Zimmer .
:Appartement a owl:Class ; rdfs:subClassOf :Wohneinheit .
:Ausstattung a owl:Class ; rdfs:subClassOf :Ding .
:Fernseher a owl:Class ; rdfs:subClassOf :Ausstattung .
:Telefon a owl:Class ; rdfs:subClassOf :Ausstattung .
:Raum a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Zimmer :Saal ) ] .
:Saal a owl:Class .

:liegt_in a owl:ObjectProperty , owl:TransitiveProperty ;
    rdfs:domain [ a owl:Class ; owl:unionOf ( :Unterkunft :Ort ) ] ; rdfs:range :Ort .
:liegt_in_Stadt a owl:ObjectProperty ; rdfs:subPropertyOf :liegt_in ; rdfs:range :Stadt ; ab:main true .
:nahe_bei a owl:ObjectProperty , owl:SymmetricProperty ; rdfs:domain :Unterkunft ; rdfs:range :Ort ;
    ab:cue "nahe"@de , "in der Nähe"@de , "near"@en ; ab:default false .
:hat_Wohneinheit a owl:ObjectProperty ; rdfs:domain :Unterkunft ; rdfs:range :Wohneinheit ;
    owl:equivalentProperty schema:containsPlace .
:gehoert_zu a owl:ObjectProperty ; owl:inverseOf :hat_Wohneinheit .
:hat_Ausstattung a owl:ObjectProperty ; rdfs:domain [ owl:unionOf ( :Unterkunft :Wohneinheit ) ] ; rdfs:range :Ausstattung .
:geleitet_von a owl:ObjectProperty , owl:FunctionalProperty ; rdfs:domain :Unterkunft ; rdfs:range :Person ; ab:cue "geführt von"@de , "run by"@en .
:hat_Raum a owl:ObjectProperty ; rdfs:domain :Unterkunft ; rdfs:range :Raum .
:hat_Preis a owl:DatatypeProperty ; rdfs:domain :Wohneinheit ; rdfs:range ab:money ; ab:main true .
:hat_Telefon a owl:DatatypeProperty ; rdfs:domain :Agent ; rdfs:range ab:phone .
:hat_Fax a owl:DatatypeProperty ; rdfs:domain :Unterkunft ; rdfs:range ab:phone ; ab:cue "Fax" .
"#;

fn read(text: &str) -> Result<Ontology, Complaints> {
    Ontology::read(&format!("{PREFIXES}{text}"), &|_| None)
}

fn stay() -> Ontology {
    read(STAY).expect("it can be used")
}

fn class(ontology: &Ontology, name: &str) -> ClassId {
    ontology.class(name).unwrap_or_else(|| panic!("no class {name}"))
}

#[test]
fn the_most_specific_slot_comes_first() {
    let ontology = stay();
    for (from, to, expected) in [
        ("HotelGarni", "Hansestadt", "liegt_in_Stadt liegt_in nahe_bei"),
        ("Hotel", "Region", "liegt_in nahe_bei"),
        ("Hotel", "Ort", "liegt_in nahe_bei"),
        ("Stadt", "Region", "liegt_in"),
        ("Strand", "Stadt", "liegt_in_Stadt liegt_in"),
        ("Hotel", "Einbettzimmer", "hat_Wohneinheit hat_Raum"),
        ("Hotel", "Appartement", "hat_Wohneinheit"),
        ("Hotel", "Saal", "hat_Raum"),
        ("Einbettzimmer", "Hotel", "gehoert_zu"),
        ("Appartement", "Fernseher", "hat_Ausstattung"),
        ("Hotel", "Person", "geleitet_von"),
        ("Herberge", "Stadt", "liegt_in_Stadt liegt_in nahe_bei"),
        ("Telefon", "Fernseher", ""),
        ("Hotel", "Hotel", ""),
        ("Person", "Stadt", ""),
        ("Region", "Person", ""),
    ] {
        let slots = ontology.between(class(&ontology, from), class(&ontology, to));
        let names: Vec<_> = slots.iter().map(|slot| ontology.slot_at(*slot).name()).collect();
        assert_eq!(names.join(" "), expected, "{from} -> {to}");
    }
}

#[test]
fn values_have_slots_as_well() {
    let ontology = stay();
    for (from, datatype, expected) in [
        ("Hotel", Datatype::Phone, "hat_Fax hat_Telefon"),
        ("Person", Datatype::Phone, "hat_Telefon"),
        ("Einbettzimmer", Datatype::Money, "hat_Preis"),
        ("Hotel", Datatype::Money, ""),
    ] {
        let slots = ontology.for_value(class(&ontology, from), datatype);
        let names: Vec<_> = slots.iter().map(|slot| ontology.slot_at(*slot).name()).collect();
        assert_eq!(names.join(" "), expected, "{from} -> {datatype:?}");
    }
}

#[test]
fn all_types_of_an_instance_count() {
    let ontology = stay();
    let types = |names: &[&str]| names.iter().map(|name| class(&ontology, name)).collect::<Vec<_>>();
    let slot = |name: &str| ontology.slot(name).expect("a slot");
    assert!(ontology.fits_domain(slot("hat_Preis"), &types(&["Saal", "Zimmer"])));
    assert!(!ontology.fits_domain(slot("hat_Preis"), &types(&["Saal"])));
    assert!(!ontology.fits_domain(slot("hat_Preis"), &[]));
    assert!(ontology.fits_range(slot("liegt_in_Stadt"), &types(&["Hansestadt"])));
    assert!(!ontology.fits_range(slot("liegt_in_Stadt"), &types(&["Region"])));
    assert!(!ontology.fits_range(slot("hat_Preis"), &types(&["Hansestadt"])));
}

#[test]
fn slots_say_when_they_hold() {
    let ontology = stay();
    let of = |name: &str| ontology.slot_at(ontology.slot(name).expect("a slot"));
    assert_eq!(of("nahe_bei").cues_in("de").collect::<Vec<_>>(), ["nahe", "in der Nähe"]);
    assert_eq!(of("hat_Fax").cues_in("en").collect::<Vec<_>>(), ["Fax"]);
    for (name, without, main, transitive, symmetric, functional) in [
        ("liegt_in", true, false, true, false, false),
        ("liegt_in_Stadt", true, true, false, false, false),
        ("nahe_bei", false, false, false, true, false),
        ("geleitet_von", false, false, false, false, true),
        ("hat_Preis", true, true, false, false, false),
    ] {
        let slot = of(name);
        let said = (slot.holds_without_cue(), slot.is_main(), slot.is_transitive(), slot.is_symmetric());
        assert_eq!(said, (without, main, transitive, symmetric), "{name}");
        assert_eq!(slot.is_functional(), functional, "{name}");
    }
    let inverse = of("hat_Wohneinheit").inverse().expect("an inverse");
    assert_eq!(ontology.slot_at(inverse).name(), "gehoert_zu");
    assert!(
        ontology.is_sub_slot(ontology.slot("liegt_in_Stadt").expect("a slot"), ontology.slot("liegt_in").expect("one"))
    );
    assert_eq!(of("hat_Preis").datatypes(), [Datatype::Money]);
}

#[test]
fn classes_know_names_labels_and_links() {
    let ontology = stay();
    let of = |name: &str| ontology.class_at(class(&ontology, name));
    assert_eq!((ontology.iri(), ontology.version()), ("https://example.org/stay", "1.2"));
    assert_eq!((ontology.hash().len(), ontology.hash() == stay().hash()), (64, true));
    assert_eq!((of("Hotel").label("en"), of("Hotel").label("fr")), (Some("hotel"), None));
    assert_eq!(of("HotelGarni").iri(), "https://example.org/stay#HotelGarni");
    assert_eq!(ontology.class_links(class(&ontology, "HotelGarni")), ["https://schema.org/Hotel"]);
    assert_eq!(ontology.class_links(class(&ontology, "Hostel")), ["https://schema.org/LodgingBusiness"]);
    assert!(ontology.class_links(class(&ontology, "Strand")).is_empty());
    assert_eq!(
        ontology.slot_links(ontology.slot("hat_Wohneinheit").expect("a slot")),
        ["https://schema.org/containsPlace"]
    );
    assert!(of("HotelGarni").is_focus() && !of("Stadt").is_focus());
    assert!(ontology.is_a(class(&ontology, "Herberge"), class(&ontology, "Unterkunft")));
    assert!(ontology.is_a(class(&ontology, "Einbettzimmer"), class(&ontology, "Raum")));
}

/// Reads a broken ontology; all complaints must be these.
fn check(text: &str, expected: &[&str]) {
    let found = match Ontology::read(text, &|_| None) {
        Ok(ontology) => ontology.complaints().to_vec(),
        Err(complaints) => complaints.0,
    };
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    let found: Vec<_> = found.iter().map(|one| one.replace("https://example.org/stay#", ":")).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_broken_text_names_its_lines() {
    check(
        "@prefix : <https://example.org/stay#> .\n:a :b .\n:c :d :e .\n:f :g \"x .\n",
        &[
            "line 2: the ontology is no Turtle: . is not a valid RDF object",
            "line 4: the ontology is no Turtle: Unexpected end of file",
        ],
    );
}

#[test]
fn what_is_imported_must_be_there() {
    let text = format!(
        "{PREFIXES}<https://example.org/stay> owl:imports <https://example.org/places> .\n:Hof a owl:Class ; ab:focus true ."
    );
    check(&text, &["https://example.org/places is imported, but cannot be found"]);
    let places = r#"@prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        <https://example.org/places> a owl:Ontology ; owl:versionInfo "7" ; owl:imports <https://example.org/stay> .
        <https://example.org/places#Ort> a owl:Class .
        <https://example.org/places#bei> a owl:ObjectProperty ; rdfs:domain owl:Thing ; rdfs:range <https://example.org/places#Ort> ."#;
    let find = |iri: &str| match iri {
        "https://example.org/places" => Some(places.to_owned()),
        "https://example.org/stay" => Some(text.clone()),
        _ => None,
    };
    let ontology = Ontology::read(&text, &find).expect("it can be used");
    assert_eq!((ontology.iri(), ontology.version()), ("https://example.org/stay", "1.2"));
    let [hof, ort] = ["Hof", "Ort"].map(|name| class(&ontology, name));
    assert_eq!(ontology.between(hof, ort).len(), 1);
    assert_ne!(ontology.hash(), read(":Hof a owl:Class ; ab:focus true .").expect("it can be used").hash());
}

#[test]
fn every_culprit_is_named_at_once() {
    let text = format!(
        "{PREFIXES}
        :A a owl:Class ; rdfs:subClassOf :B ; ab:focus true .
        :B a owl:Class ; rdfs:subClassOf :C .
        :C a owl:Class ; rdfs:subClassOf :A , :Nirgends .
        :D a owl:Class ; ab:fokus true ; owl:hasKey :x .
        :E a owl:Class ; ab:focus \"vielleicht\" .
        :x a owl:ObjectProperty ; rdfs:range :D .
        :y a owl:ObjectProperty ; rdfs:domain :D .
        :z a owl:ObjectProperty ; rdfs:domain :A , :D ; rdfs:range :D .
        :n a owl:DatatypeProperty ; rdfs:domain :Fehlt ; rdfs:range xsd:strin .
        :o a owl:DatatypeProperty ; rdfs:domain :D ; rdfs:range :D ; ab:focus true .
        :p a owl:ObjectProperty ; rdfs:domain :D ; rdfs:range :D ; owl:inverseOf :q ; rdfs:subPropertyOf :p .
        "
    );
    check(
        &text,
        &[
            ":C is a sub-class of Nirgends, which is declared nowhere",
            ":A is a sub-class of itself: A < B < C < A",
            ":n has the domain Fehlt, which is declared nowhere",
            ":n has the range xsd:strin, which is no type of values",
            ":p is the inverse of q, which is declared nowhere",
            ":p is a sub-slot of itself: p < p",
            ":x has no domain: nothing says at what it may stand",
            ":y has no range: nothing says what may stand in it",
            ":z can stand at nothing: no class is A, and D",
            ":n has no range: nothing says what may stand in it",
            ":o is an owl:DatatypeProperty, but has a class as its range",
            ":D carries ab:fokus, which a class cannot have (ab:focus)",
            ":D carries owl:hasKey, which is left out",
            ":E says neither true nor false under ab:focus",
            ":o carries ab:focus, which a slot cannot have (ab:cue, ab:default, ab:key, ab:main)",
            ":D cannot be reached: no slots lead to it from what a page may be about",
            ":E cannot be reached: no slots lead to it from what a page may be about",
        ],
    );
}

#[test]
fn small_faults_are_named_each() {
    let header = "<https://example.org/stay> a owl:Ontology ; owl:versionInfo \"1.2\" .";
    check(
        &PREFIXES.replace(header, ""),
        &["the ontology has no name: nothing in it is an owl:Ontology", "the ontology has no classes"],
    );
    check(
        &format!("{}:A a owl:Class ; ab:focus true .", PREFIXES.replace("; owl:versionInfo \"1.2\"", "")),
        &["https://example.org/stay has no version: add owl:versionInfo"],
    );
    for (text, expected) in [
        (":A a owl:Class .", "the ontology has no class that a page may be about: set ab:focus"),
        (
            ":A a owl:Class ; ab:focus true . <https://example.org/stay#sub/A> a owl:Class ; ab:focus true .",
            ":sub/A has the same name as :A",
        ),
        (
            ":2A a owl:Class ; ab:focus true .",
            ":2A has a name that cannot stand in XML: use letters, digits and underlines",
        ),
        (
            ":A a owl:Class ; ab:focus true ; owl:disjointWith :B . :B a owl:Class ; ab:focus true . :C a owl:Class ; rdfs:subClassOf :A , :B .",
            ":C is both A and B, which exclude each other",
        ),
        (
            ":A a owl:Class ; ab:focus true . :x a owl:DatatypeProperty ; rdfs:domain :A ; rdfs:range xsd:date ; ab:default false .",
            ":x does not hold without a cue and has none: only a word of the lexicon can fill it",
        ),
        (
            ":A a owl:Class ; ab:focus true . :x a owl:ObjectProperty ; rdfs:domain [ owl:complementOf :A ] ; rdfs:range :A .",
            ":x has a domain that is neither a class nor a union of classes",
        ),
        (
            ":A a owl:Class ; ab:focus true ; rdfs:subClassOf [ a owl:Restriction ] .",
            ":A has a nameless super-class, which is left out",
        ),
        (
            ":A a owl:Class , owl:ObjectProperty ; ab:focus true ; rdfs:domain :A ; rdfs:range :A .",
            ":A is declared as a class and as a slot",
        ),
        (
            ":A a owl:Class ; ab:focus true . :x a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range :A ; ab:cue \" \"@de .",
            ":x has an empty cue",
        ),
    ] {
        let found = match read(text) {
            Ok(ontology) => ontology.complaints().to_vec(),
            Err(complaints) => complaints.0,
        };
        let found: Vec<_> = found.iter().map(|one| one.to_string().replace("https://example.org/stay#", ":")).collect();
        assert!(found.iter().any(|one| one == expected), "{text}: {found:?}");
    }
}

#[test]
fn what_is_shipped_is_without_fault() {
    for domain in ["tourism", "jobs"] {
        let path = format!("{}/../../config/domains/{domain}/ontology.ttl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        match Ontology::read(&text, &|_| None) {
            Ok(ontology) => assert_eq!(ontology.complaints(), [], "{domain}"),
            Err(complaints) => panic!("{domain}: {complaints}"),
        }
    }
}

#[test]
fn nonsense_never_panics() {
    for text in ["", ".", "@prefix", "\u{feff}", "<a> <b> <c>", "\0", ":a :b ( ( ( .", "<http://a> a <http://b>, [ [ ."]
    {
        assert!(Ontology::read(text, &|_| None).is_err(), "{text:?}");
    }
}
