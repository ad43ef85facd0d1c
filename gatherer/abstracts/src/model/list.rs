//! The historic flat form, `<list><tuple>`: one tuple a relation, as in `schemas/abstract/list.xsd`. A projection that loses
//! offsets, confidence, and all classes but the first.

use super::xml::Limits;
use super::xml_source::{Element, Piece, Source};
use super::xml_writer::Pen;
use super::{Abstract, Confidence, Evidence, Filler, Instance, Place, ReadError, Slot, Value, lexical, walk};
use crate::ontology::Ontology;
use std::collections::HashMap;

/// The name of every tuple that we write; others are read as well.
const TUPLE_NAME: &str = "getess-output";

/// A name stands in a fragment, in a tuple, in the list.
const DEPTH_LIMIT: usize = 4;

/// One relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuple {
    /// The slot; historic parsers often knew none.
    pub relation: Option<String>,
    /// Between what,
    pub subject: Fragment,
    /// and what.
    pub object: Fragment,
    /// Which heuristics found it, and the words.
    pub constraints: Vec<(String, String)>,
}

/// One end of a relation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fragment {
    /// The class; the datatype of a value.
    pub class: String,
    /// The instance; a value has none.
    pub instance: Option<String>,
    /// The name, the word, or the value itself.
    pub name: Option<String>,
}

/// The relations of an abstract, as they stand in it.
pub fn tuples(from: &Abstract, ontology: &Ontology) -> Vec<Tuple> {
    let (mut fragments, mut counts) = (HashMap::new(), HashMap::new());
    walk(&from.instances, &mut |one| {
        let class = one.types.first().cloned().unwrap_or_default();
        let count: &mut usize = counts.entry(class.clone()).or_default();
        *count += 1;
        let instance = Some(format!("{class}_{count}"));
        fragments.insert(one.id.as_str(), Fragment { class, instance, name: one.called(ontology).map(str::to_owned) });
    });
    let mut tuples = Vec::new();
    from.instances.iter().for_each(|one| push(one, ontology, &fragments, &mut tuples));
    tuples
}

/// The facts of an instance, and behind each slot those of what stands in it.
fn push(one: &Instance, ontology: &Ontology, fragments: &HashMap<&str, Fragment>, tuples: &mut Vec<Tuple>) {
    let subject = fragments.get(one.id.as_str()).cloned().unwrap_or_default();
    for value in &one.values {
        let class = datatype(ontology, &value.name);
        let object = Fragment { class, instance: None, name: Some(value.text.clone()) };
        tuples.push(tuple(&value.name, &subject, object, &value.evidence));
    }
    for slot in &one.slots {
        let object = fragments.get(slot.filler.id()).cloned().unwrap_or_default();
        tuples.push(tuple(&slot.name, &subject, object, &slot.evidence));
        if let Filler::Instance(inner) = &slot.filler {
            push(inner, ontology, fragments, tuples);
        }
    }
}

fn tuple(relation: &str, subject: &Fragment, object: Fragment, evidence: &Evidence) -> Tuple {
    let constraints =
        evidence.heuristics.iter().map(|one| (one.to_uppercase(), evidence.place.quote.clone())).collect();
    Tuple { relation: Some(relation.to_owned()), subject: subject.clone(), object, constraints }
}

fn datatype(ontology: &Ontology, slot: &str) -> String {
    let datatypes = ontology.slot(slot).map(|slot| ontology.slot_at(slot).datatypes()).unwrap_or_default();
    let iri = datatypes.first().map(|datatype| datatype.iri());
    iri.as_deref().and_then(|iri| iri.rsplit('#').next()).unwrap_or("string").to_owned()
}

/// Writes relations.
pub fn write(url: Option<&str>, tuples: &[Tuple]) -> String {
    let mut pen = Pen { out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() };
    pen.begin("list");
    url.iter().for_each(|url| {
        pen.attribute("url", &lexical::written_uri(url));
    });
    pen.inside();
    for tuple in tuples {
        pen.begin("tuple").attribute("name", TUPLE_NAME);
        tuple.relation.iter().for_each(|relation| {
            pen.attribute("rel", relation);
        });
        pen.inside();
        for fragment in [&tuple.subject, &tuple.object] {
            pen.begin("fragment").inside();
            pen.text_element("type", &fragment.class);
            fragment.instance.iter().for_each(|instance| pen.text_element("inst", instance));
            fragment.name.iter().for_each(|name| pen.text_element("name", name));
            pen.end();
        }
        for (heuristic, words) in &tuple.constraints {
            pen.begin("constraint").attribute("type", heuristic).holding(words);
        }
        pen.end();
    }
    pen.end();
    pen.out
}

/// Reads relations, with the URL that they are about.
///
/// # Errors
/// If it is no such list: too large, no XML, or another document than the schema allows.
pub fn read(bytes: &[u8], limits: Limits) -> Result<(Option<String>, Vec<Tuple>), ReadError> {
    let mut reader = ListReader { source: Source::new(bytes, "", limits.bytes, DEPTH_LIMIT)? };
    let Some(mut list) = reader.next_in("list", None)? else {
        return Err(reader.source.malformed("there is no document"));
    };
    let url = list.attributes.remove("url").map(|url| lexical::collapse(&url));
    no_more_attributes(&list)?;
    let mut tuples = Vec::new();
    while let Some(tuple) = reader.next_in("tuple", Some("list"))? {
        tuples.push(reader.tuple(tuple)?);
    }
    match reader.next_in("nothing", None)? {
        None => Ok((url, tuples)),
        Some(second) => Err(invalid(&second, "is a second document")),
    }
}

/// What relations speak of, as far as a list tells: no places, no proper names. A relation without a name is one in a slot
/// that no ontology has.
pub fn instances(tuples: &[Tuple]) -> Vec<Instance> {
    let mut instances: Vec<Instance> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for end in tuples.iter().flat_map(|tuple| [&tuple.subject, &tuple.object]) {
        let Some(id) = &end.instance else { continue };
        places.entry(id).or_insert_with(|| {
            let lemma = end.name.as_deref().and_then(|name| lexical::word(name).ok());
            let types = vec![end.class.clone()];
            instances.push(Instance {
                id: id.clone(),
                types,
                lemma,
                name: None,
                values: Vec::new(),
                slots: Vec::new(),
            });
            instances.len() - 1
        });
    }
    for tuple in tuples {
        let Some(subject) = tuple.subject.instance.as_deref().and_then(|id| places.get(id)) else { continue };
        let (name, evidence) = (tuple.relation.clone().unwrap_or_default(), evidence_of(tuple));
        if let Some(id) = &tuple.object.instance {
            let filler = Filler::Ref(id.clone());
            instances[*subject].slots.push(Slot { name, filler, evidence });
        } else {
            let text = tuple.object.name.clone().unwrap_or_default();
            instances[*subject].values.push(Value { name, text, evidence });
        }
    }
    instances
}

fn evidence_of(tuple: &Tuple) -> Evidence {
    let heuristics: Vec<_> =
        tuple.constraints.iter().filter_map(|(kind, _)| lexical::name(&kind.to_lowercase()).ok()).collect();
    let quote = tuple.constraints.first().map(|(_, words)| words.as_str()).filter(|words| !words.is_empty());
    let quote = quote.or(tuple.object.name.as_deref()).filter(|words| !words.is_empty()).unwrap_or("?");
    Evidence {
        heuristics: if heuristics.is_empty() { vec!["engine".to_owned()] } else { heuristics },
        confidence: Confidence::thousandths(500),
        place: Place::new(0, 1, quote),
        also: Vec::new(),
    }
}

struct ListReader<'a> {
    source: Source<'a>,
}

impl ListReader<'_> {
    /// The next element, which must have one of these names; none at the end of its parent.
    fn next_in(&mut self, names: &str, parent: Option<&str>) -> Result<Option<Element>, ReadError> {
        loop {
            match self.source.next()? {
                Piece::Start(element) if names.split(' ').any(|name| name == element.name) => return Ok(Some(element)),
                Piece::Start(element) => {
                    let place = parent.map_or_else(|| "at the top".to_owned(), |parent| format!("in <{parent}>"));
                    return Err(invalid(&element, &format!("must not stand here {place}")));
                }
                Piece::Text(text) if text.trim().is_empty() => {}
                Piece::Text(_) => return Err(self.source.malformed("text between elements")),
                Piece::End | Piece::Over => return Ok(None),
            }
        }
    }

    fn tuple(&mut self, mut element: Element) -> Result<Tuple, ReadError> {
        if element.attributes.remove("name").is_none() {
            return Err(invalid(&element, "has no attribute name"));
        }
        let relation = element.attributes.remove("rel").map(|relation| lexical::collapse(&relation));
        no_more_attributes(&element)?;
        let mut fragments = Vec::new();
        let mut constraints = Vec::new();
        while let Some(mut child) = self.next_in("fragment constraint", Some("tuple"))? {
            if child.name == "fragment" {
                if fragments.len() == 2 {
                    return Err(invalid(&child, "is the third in one <tuple>"));
                }
                fragments.push(self.fragment(&child)?);
                continue;
            }
            if fragments.len() < 2 {
                return Err(invalid(&child, "stands before both fragments"));
            }
            let Some(kind) = child.attributes.remove("type") else {
                return Err(invalid(&child, "has no attribute type"));
            };
            constraints.push((lexical::collapse(&kind), self.text(&child)?));
        }
        match <[Fragment; 2]>::try_from(fragments) {
            Ok([subject, object]) => Ok(Tuple { relation, subject, object, constraints }),
            Err(_) => Err(invalid(&element, "has not two fragments")),
        }
    }

    fn fragment(&mut self, element: &Element) -> Result<Fragment, ReadError> {
        no_more_attributes(element)?;
        let (mut fragment, mut place) = (Fragment::default(), 0);
        while let Some(child) = self.next_in("type inst name", Some("fragment"))? {
            let at = ["type", "inst", "name"].iter().position(|name| *name == child.name).map_or(3, |at| at + 1);
            if at <= place || (place == 0 && at != 1) {
                return Err(invalid(&child, "stands in the wrong place of <fragment>: type, then inst, then name"));
            }
            place = at;
            let text = self.text(&child)?;
            match at {
                1 => fragment.class = lexical::collapse(&text),
                2 => fragment.instance = Some(lexical::collapse(&text)),
                _ => fragment.name = Some(text),
            }
        }
        if place == 0 { Err(invalid(element, "has no <type>")) } else { Ok(fragment) }
    }

    fn text(&mut self, element: &Element) -> Result<String, ReadError> {
        no_more_attributes(element)?;
        let mut text = String::new();
        loop {
            match self.source.next()? {
                Piece::Text(part) => text.push_str(&part),
                Piece::Start(inner) => return Err(invalid(&inner, &format!("must not stand in <{}>", element.name))),
                Piece::End | Piece::Over => return Ok(text),
            }
        }
    }
}

fn no_more_attributes(element: &Element) -> Result<(), ReadError> {
    match element.attributes.keys().next() {
        Some(name) => Err(invalid(element, &format!("must not have the attribute {name}"))),
        None => Ok(()),
    }
}

fn invalid(element: &Element, problem: &str) -> ReadError {
    ReadError::Invalid { line: element.line, element: element.name.clone(), problem: problem.to_owned() }
}
