//! Abstracts as RDF, in the ontology's own words: Turtle and JSON-LD of the same triples.

use super::{Abstract, Evidence, Filler, Instance, walk};
use crate::ontology::{Datatype, Ontology};
use oxrdf::{Literal, NamedNode, Term, Triple};
use oxttl::TurtleSerializer;
use serde_json::{Map, Value as Json, json};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
const AB: &str = "https://gatherer.invalid/abstract#";
const TERMS: &str = "http://purl.org/dc/terms/";

/// What is told beside the facts themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told {
    /// Classes and slots of other vocabularies that say the same, above all those of schema.org.
    pub links: bool,
    /// Each fact once more as a statement of its own, with its evidence.
    pub evidence: bool,
}

impl Abstract {
    /// As Turtle. Facts in words that the ontology does not know are left out.
    pub fn to_turtle(&self, ontology: &Ontology, told: Told) -> String {
        let own = format!("{}#", ontology.iri().trim_end_matches(['#', '/']));
        let prefixes = [
            ("", own.as_str()),
            ("ab", AB),
            ("dcterms", TERMS),
            ("rdf", RDF),
            ("rdfs", RDFS),
            ("schema", "https://schema.org/"),
            ("xsd", XSD),
        ];
        let with_prefixes =
            prefixes.iter().try_fold(TurtleSerializer::new(), |writer, (name, iri)| writer.with_prefix(*name, *iri));
        let mut writer = with_prefixes.unwrap_or_default().for_writer(Vec::new());
        for triple in self.triples(ontology, told) {
            // Memory takes everything.
            let _ = writer.serialize_triple(&triple);
        }
        String::from_utf8_lossy(&writer.finish().unwrap_or_default()).into_owned()
    }

    /// As JSON-LD: one object a subject.
    pub fn to_json_ld(&self, ontology: &Ontology, told: Told) -> Json {
        let mut subjects: Vec<(String, Map<String, Json>)> = Vec::new();
        for triple in self.triples(ontology, told) {
            let subject = bare(&triple.subject.to_string());
            if subjects.last().is_none_or(|(last, _)| *last != subject) {
                subjects.push((subject.clone(), Map::from_iter([("@id".to_owned(), json!(subject))])));
            }
            let Some((_, members)) = subjects.last_mut() else { continue };
            let is_type = triple.predicate.as_str() == format!("{RDF}type");
            let name = if is_type { "@type" } else { triple.predicate.as_str() };
            let value = match triple.object {
                Term::NamedNode(node) if is_type => json!(node.as_str()),
                Term::NamedNode(node) => json!({ "@id": node.as_str() }),
                Term::Literal(literal) if literal.datatype().as_str() == format!("{XSD}string") => {
                    json!(literal.value())
                }
                Term::Literal(literal) => json!({ "@type": literal.datatype().as_str(), "@value": literal.value() }),
                Term::BlankNode(_) => continue,
            };
            if let Json::Array(values) = members.entry(name).or_insert_with(|| json!([])) {
                values.push(value);
            }
        }
        json!({ "@graph": subjects.into_iter().map(|(_, members)| Json::Object(members)).collect::<Vec<_>>() })
    }

    /// All triples, those of one subject together.
    fn triples(&self, ontology: &Ontology, told: Told) -> Vec<Triple> {
        let mut triples = self.about_document();
        let mut statements = Vec::new();
        walk(&self.instances, &mut |one| {
            let (subject, begin) = (self.node_of(&one.id), triples.len());
            let mut say = |predicate: &str, object: Term| {
                let triple = Triple::new(subject.clone(), node(predicate), object);
                if !triples[begin..].contains(&triple) {
                    triples.push(triple);
                }
            };
            for class in one.types.iter().filter_map(|name| ontology.class(name)) {
                let links = if told.links { ontology.class_links(class) } else { Vec::new() };
                let classes = std::iter::once(ontology.class_at(class).iri()).chain(links);
                classes.for_each(|iri| say(&format!("{RDF}type"), node(iri).into()));
            }
            if let Some(name) = &one.name {
                say(&format!("{RDFS}label"), text(&name.text));
            }
            if let Some(lemma) = &one.lemma {
                say(&format!("{AB}lemma"), text(lemma));
            }
            for (slot, object, evidence) in self.facts(one, ontology) {
                let Some(slot) = ontology.slot(slot) else { continue };
                let links = if told.links { ontology.slot_links(slot) } else { Vec::new() };
                for iri in std::iter::once(ontology.slot_at(slot).iri()).chain(links) {
                    say(iri, object.clone());
                }
                statements.push((subject.clone(), ontology.slot_at(slot).iri().to_owned(), object, evidence));
            }
        });
        if told.evidence {
            for (number, (subject, slot, object, evidence)) in statements.into_iter().enumerate() {
                let statement = self.node_of(&format!("f{}", number + 1));
                let fact = Triple::new(subject, node(&slot), object);
                triples.extend(statement_of(&statement, fact, evidence));
            }
        }
        triples
    }

    fn facts<'a>(&self, one: &'a Instance, ontology: &Ontology) -> Vec<(&'a str, Term, &'a Evidence)> {
        let values = one.values.iter().map(|value| {
            let datatypes =
                ontology.slot(&value.name).map(|slot| ontology.slot_at(slot).datatypes()).unwrap_or_default();
            (value.name.as_str(), literal(&value.text, datatypes), &value.evidence)
        });
        let slots = one.slots.iter().map(|slot| {
            let filler: &Filler = &slot.filler;
            (slot.name.as_str(), Term::from(self.node_of(filler.id())), &slot.evidence)
        });
        values.chain(slots).collect()
    }

    /// What is known of the document itself.
    fn about_document(&self) -> Vec<Triple> {
        let meta = &self.meta;
        let mut all: Vec<(String, Term)> = vec![(format!("{RDF}type"), node(&format!("{AB}Document")).into())];
        all.extend(meta.title.iter().map(|title| (format!("{TERMS}title"), text(title))));
        all.extend(meta.languages.iter().map(|language| (format!("{TERMS}language"), text(language))));
        let mut say =
            |name: &str, object: Option<Term>| all.extend(object.map(|object| (format!("{AB}{name}"), object)));
        say("final-url", meta.final_url.as_deref().map(text));
        say("kind", meta.kind.as_deref().map(text));
        say("md5", meta.md5.as_deref().map(text));
        say("size", meta.size.map(number));
        say("update-time", meta.update_time.as_deref().map(|time| typed(time, &format!("{XSD}dateTime"))));
        say("refresh-rate", meta.refresh_rate.map(number));
        say("time-to-live", meta.time_to_live.map(number));
        say("gatherer", meta.gatherer.as_ref().map(|one| text(&format!("{}/{}", one.name, one.version))));
        say("parser", Some(text(&format!("{}/{}", meta.parser.name, meta.parser.version))));
        say("parser-fingerprint", Some(text(&meta.parser.fingerprint)));
        say("ontology", Some(node(&meta.ontology.iri).into()));
        say("ontology-version", Some(text(&meta.ontology.version)));
        say("ontology-hash", Some(text(&meta.ontology.hash)));
        self.instances.iter().for_each(|one| say("about", Some(self.node_of(&one.id).into())));
        let document = node(&meta.url);
        all.into_iter().map(|(predicate, object)| Triple::new(document.clone(), node(&predicate), object)).collect()
    }

    /// Instances are parts of their document.
    fn node_of(&self, id: &str) -> NamedNode {
        let url = self.meta.url.split('#').next().unwrap_or_default();
        node(&format!("{url}#{id}"))
    }
}

/// A fact as a thing of its own, with its evidence.
fn statement_of(statement: &NamedNode, fact: Triple, evidence: &Evidence) -> Vec<Triple> {
    let (place, confidence) = (&evidence.place, evidence.confidence.share().to_string());
    let mut all: Vec<(String, Term)> = vec![
        (format!("{RDF}type"), node(&format!("{RDF}Statement")).into()),
        (format!("{RDF}subject"), fact.subject.into()),
        (format!("{RDF}predicate"), fact.predicate.into()),
        (format!("{RDF}object"), fact.object),
        (format!("{AB}confidence"), typed(&confidence, &format!("{XSD}decimal"))),
        (format!("{AB}start"), number(place.start as u64)),
        (format!("{AB}end"), number(place.end as u64)),
        (format!("{AB}quote"), text(&place.quote)),
    ];
    all.extend(evidence.heuristics.iter().map(|one| (format!("{AB}evidence"), text(one))));
    all.into_iter().map(|(predicate, object)| Triple::new(statement.clone(), node(&predicate), object)).collect()
}

/// A value as a literal of its type; what the type of XML Schema does not admit is plain text.
fn literal(value: &str, datatypes: &[Datatype]) -> Term {
    let is_date = |value: &str| super::lexical::date_time(&format!("{value}T00:00:00")).is_ok();
    match datatypes.first() {
        None | Some(Datatype::Text) => text(value),
        Some(Datatype::Date) if !is_date(value) => text(value),
        Some(Datatype::Duration) if !value.starts_with('P') || value.contains('-') => text(value),
        Some(Datatype::Year) if value.len() != 4 => text(value),
        Some(datatype @ Datatype::Time) => {
            let seconds = if value.len() == "19:30".len() { ":00" } else { "" };
            typed(&format!("{value}{seconds}"), &datatype.iri())
        }
        Some(datatype) => typed(value, &datatype.iri()),
    }
}

fn text(value: &str) -> Term {
    Literal::new_simple_literal(value).into()
}

fn typed(value: &str, datatype: &str) -> Term {
    Literal::new_typed_literal(value, node(datatype)).into()
}

fn number(value: u64) -> Term {
    typed(&value.to_string(), &format!("{XSD}integer"))
}

fn bare(node: &str) -> String {
    node.trim_start_matches('<').trim_end_matches('>').to_owned()
}

/// A node of this IRI. What cannot stand in an IRI is escaped, so that any URL will do.
fn node(iri: &str) -> NamedNode {
    let escaped = iri.chars().map(|one| match one {
        '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\' => format!("%{:02X}", one as u32),
        one => one.to_string(),
    });
    NamedNode::new_unchecked(escaped.collect::<String>())
}
