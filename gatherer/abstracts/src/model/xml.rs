//! The XML form. The reader is as strict as `schemas/abstract/abstract.xsd`, and a little stricter: what refers must refer to
//! something, and there is no document type.

use super::lexical;
use super::meta::{Coverage, GathererMark, Item, Meta, OntologyMark, ParserMark};
use super::xml_source::{Element, Piece, Source};
use super::{Abstract, Evidence, Filler, Instance, NAMESPACE, Name, Offsets, Place, ReadError, Slot, Value};
use std::collections::HashSet;

/// How large an abstract may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes.
    pub bytes: usize,
    /// Most instances in each other.
    pub nesting: usize,
    /// Most instances.
    pub instances: usize,
}

impl Default for Limits {
    /// 8 MiB, 32 in each other, 20,000 in all.
    fn default() -> Self {
        Self { bytes: 8 << 20, nesting: 32, instances: 20_000 }
    }
}

impl Limits {
    /// Most elements in each other: an instance stands in a slot, and a name or the like in the innermost.
    fn depth(self) -> usize {
        self.nesting.saturating_mul(2).saturating_add(2)
    }
}

impl Abstract {
    /// Reads the XML form.
    ///
    /// # Errors
    /// If it is none: too large, no XML, or another document than the schema allows. The text names line and element.
    pub fn from_xml(bytes: &[u8], limits: Limits) -> Result<Self, ReadError> {
        let source = Source::new(bytes, NAMESPACE, limits.bytes, limits.depth())?;
        let mut reader =
            Reader { source, ids: HashSet::new(), references: Vec::new(), instance_limit: limits.instances };
        let root = reader.root("abstract")?;
        let read = reader.read_abstract(root)?;
        reader.expect_end_of_document()?;
        let dangling = reader.references.iter().find(|(_, id)| !reader.ids.contains(id));
        match dangling {
            Some((line, id)) => {
                let problem = format!("refers to {id}, which is not there");
                Err(ReadError::Invalid { line: *line, element: "ref".to_owned(), problem })
            }
            None => Ok(read),
        }
    }
}

/// An element whose attributes are taken one by one; what is left over is a mistake.
struct Open(Element);

impl Open {
    fn invalid(&self, problem: impl Into<String>) -> ReadError {
        ReadError::Invalid { line: self.0.line, element: self.0.name.clone(), problem: problem.into() }
    }

    fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Result<Option<T>, ReadError> {
        let Some(text) = self.0.attributes.remove(name) else { return Ok(None) };
        let wrong = |expected| self.invalid(format!("has {name}={:?}, which should be {expected}", beginning(&text)));
        read(&text).map(Some).map_err(wrong)
    }

    fn required<T>(&mut self, name: &str, read: impl FnOnce(&str) -> Result<T, &'static str>) -> Result<T, ReadError> {
        self.optional(name, read)?.ok_or_else(|| self.invalid(format!("has no attribute {name}")))
    }

    /// The element, if no attribute is left.
    fn done(&self) -> Result<(), ReadError> {
        match self.0.attributes.keys().next() {
            Some(name) => Err(self.invalid(format!("must not have the attribute {name}"))),
            None => Ok(()),
        }
    }

    fn place(&mut self) -> Result<Place, ReadError> {
        Ok(Place {
            start: self.required("start", lexical::offset)?,
            end: self.required("end", lexical::positive)?,
            quote: self.required("quote", lexical::quote)?,
        })
    }

    fn fact(&mut self) -> Result<(String, Evidence), ReadError> {
        let name = self.required("name", lexical::name)?;
        let heuristics = self.required("evidence", lexical::names)?;
        let confidence = self.required("confidence", lexical::share)?;
        let also = self.optional("also", lexical::spans)?.unwrap_or_default();
        Ok((name, Evidence { heuristics, confidence, place: self.place()?, also }))
    }
}

/// Of a wrong value, so much is shown.
fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

struct Reader<'a> {
    source: Source<'a>,
    ids: HashSet<String>,
    references: Vec<(usize, String)>,
    instance_limit: usize,
}

impl Reader<'_> {
    fn root(&mut self, name: &str) -> Result<Open, ReadError> {
        loop {
            match self.source.next()? {
                Piece::Start(element) if element.name == name => return Ok(Open(element)),
                Piece::Start(element) => return Err(Open(element).invalid(format!("stands where <{name}> should"))),
                Piece::Text(text) if is_white(&text) => {}
                Piece::Text(_) | Piece::End => return Err(self.source.malformed("text outside of the document")),
                Piece::Over => return Err(self.source.malformed("there is no document")),
            }
        }
    }

    fn expect_end_of_document(&mut self) -> Result<(), ReadError> {
        loop {
            match self.source.next()? {
                Piece::Over => return Ok(()),
                Piece::Text(text) if is_white(&text) => {}
                Piece::Start(element) => return Err(Open(element).invalid("is a second document")),
                Piece::Text(_) | Piece::End => return Err(self.source.malformed("text outside of the document")),
            }
        }
    }

    /// The next child; none at the end of the parent.
    fn child(&mut self, parent: &Open) -> Result<Option<Open>, ReadError> {
        loop {
            match self.source.next()? {
                Piece::Start(element) => return Ok(Some(Open(element))),
                Piece::End => return Ok(None),
                Piece::Text(text) if is_white(&text) => {}
                Piece::Text(text) => {
                    let (line, element) = (self.source.line(), parent.0.name.clone());
                    let problem = format!("must not hold the text {:?}", beginning(text.trim()));
                    return Err(ReadError::Invalid { line, element, problem });
                }
                Piece::Over => return Err(self.source.malformed("the document is cut")),
            }
        }
    }

    /// The text of an element that holds nothing else.
    fn text(&mut self, element: &Open) -> Result<String, ReadError> {
        element.done()?;
        let mut text = String::new();
        loop {
            match self.source.next()? {
                Piece::Text(part) => text.push_str(&part),
                Piece::End => return Ok(text),
                Piece::Start(inner) => {
                    return Err(Open(inner).invalid(format!("must not stand in <{}>", element.0.name)));
                }
                Piece::Over => return Err(self.source.malformed("the document is cut")),
            }
        }
    }

    fn typed<T>(&mut self, element: &Open, read: impl FnOnce(&str) -> Result<T, &'static str>) -> Result<T, ReadError> {
        let text = self.text(element)?;
        read(&text)
            .map_err(|expected| element.invalid(format!("holds {:?}, which should be {expected}", beginning(&text))))
    }

    fn nothing_in(&mut self, element: &Open) -> Result<(), ReadError> {
        element.done()?;
        // A type without content has none, white space included.
        match self.source.next()? {
            Piece::End => Ok(()),
            _ => Err(element.invalid("must be empty")),
        }
    }

    fn read_abstract(&mut self, mut element: Open) -> Result<Abstract, ReadError> {
        let is_one =
            |text: &str| if lexical::collapse(text) == "1" { Ok(()) } else { Err("1: no other version is read") };
        element.required("version", is_one)?;
        let lang = element.required("lang", lexical::language)?;
        let offsets = element.optional("offsets", |text| match lexical::collapse(text).as_str() {
            "source" => Ok(Offsets::Source),
            "text" => Ok(Offsets::Text),
            _ => Err("source or text"),
        })?;
        element.done()?;
        let meta = match self.child(&element)? {
            Some(child) if child.0.name == "meta" => self.read_meta(&child)?,
            Some(child) => return Err(child.invalid("stands where <meta> should")),
            None => return Err(element.invalid("has no <meta>")),
        };
        let mut instances = Vec::new();
        while let Some(child) = self.child(&element)? {
            if child.0.name != "instance" {
                return Err(child.invalid("stands where only <instance> may"));
            }
            instances.push(self.read_instance(child)?);
        }
        Ok(Abstract { lang, offsets, meta, instances })
    }

    fn read_meta(&mut self, parent: &Open) -> Result<Meta, ReadError> {
        parent.done()?;
        let (mut meta, mut last, mut seen) = (Meta::default(), 0, HashSet::new());
        while let Some(child) = self.child(parent)? {
            let Some(place) = META.iter().position(|name| *name == child.0.name) else {
                return Err(child.invalid("must not stand in <meta>"));
            };
            let repeats = matches!(META[place], "language" | "item");
            if place < last || (!repeats && !seen.insert(place)) {
                let why = if place < last { "stands too late in" } else { "stands twice in" };
                return Err(child.invalid(format!("{why} <meta>")));
            }
            seen.insert(place);
            last = place;
            self.read_meta_child(child, &mut meta)?;
        }
        let missing = ["url", "parser", "ontology"]
            .iter()
            .find(|name| META.iter().position(|one| one == *name).is_none_or(|place| !seen.contains(&place)));
        missing.map_or(Ok(meta), |name| Err(parent.invalid(format!("has no <{name}>"))))
    }

    fn read_meta_child(&mut self, mut child: Open, meta: &mut Meta) -> Result<(), ReadError> {
        match child.0.name.as_str() {
            "url" => meta.url = self.typed(&child, lexical::uri)?,
            "final-url" => meta.final_url = Some(self.typed(&child, lexical::uri)?),
            "title" => meta.title = Some(self.text(&child)?),
            "kind" => meta.kind = Some(self.typed(&child, lexical::word)?),
            "md5" => meta.md5 = Some(self.typed(&child, |text| lexical::hexadecimal(text, 32))?),
            "size" => meta.size = Some(self.typed(&child, lexical::whole)?),
            "update-time" => meta.update_time = Some(self.typed(&child, lexical::date_time)?),
            "refresh-rate" => meta.refresh_rate = Some(self.typed(&child, lexical::whole)?),
            "time-to-live" => meta.time_to_live = Some(self.typed(&child, lexical::whole)?),
            "language" => meta.languages.push(self.typed(&child, lexical::language)?),
            "gatherer" => {
                let [name, version] = ["name", "version"].map(|name| child.required(name, lexical::word));
                let host = child.optional("host", lexical::word)?;
                let port = child.optional("port", lexical::port)?;
                self.nothing_in(&child)?;
                meta.gatherer = Some(GathererMark { name: name?, version: version?, host, port });
            }
            "parser" => {
                let [name, version, fingerprint] =
                    ["name", "version", "fingerprint"].map(|name| child.required(name, lexical::word));
                self.nothing_in(&child)?;
                meta.parser = ParserMark { name: name?, version: version?, fingerprint: fingerprint? };
            }
            "ontology" => {
                let iri = child.required("iri", lexical::uri)?;
                let version = child.required("version", lexical::word)?;
                let hash = child.required("hash", |text| lexical::hexadecimal(text, 64))?;
                self.nothing_in(&child)?;
                meta.ontology = OntologyMark { iri, version, hash };
            }
            "coverage" => meta.coverage = Some(self.read_coverage(child)?),
            _ => {
                let name = child.required("name", lexical::name)?;
                meta.items.push(Item { name, text: self.text(&child)? });
            }
        }
        Ok(())
    }

    fn read_coverage(&mut self, mut element: Open) -> Result<Coverage, ReadError> {
        let coverage = Coverage {
            words: element.required("words", lexical::whole)?,
            known_words: element.required("known-words", lexical::whole)?,
            concepts: element.required("concepts", lexical::whole)?,
            sentences: element.required("sentences", lexical::whole)?,
            empty_sentences: element.required("empty-sentences", lexical::whole)?,
        };
        self.nothing_in(&element)?;
        Ok(coverage)
    }

    fn read_instance(&mut self, mut element: Open) -> Result<Instance, ReadError> {
        let id = element.required("id", lexical::name)?;
        if !self.ids.insert(id.clone()) {
            return Err(element.invalid(format!("has the id {id}, which another one has")));
        }
        if self.ids.len() > self.instance_limit {
            let what = "the number of instances".to_owned();
            return Err(ReadError::TooLarge { line: element.0.line, what, limit: self.instance_limit });
        }
        let types = element.required("type", lexical::names)?;
        let lemma = element.optional("lemma", lexical::word)?;
        element.done()?;
        let mut instance = Instance { id, types, lemma, name: None, values: Vec::new(), slots: Vec::new() };
        let mut last = 0;
        while let Some(child) = self.child(&element)? {
            let place = ["name", "value", "slot"].iter().position(|name| *name == child.0.name);
            let place = place.ok_or_else(|| child.invalid("must not stand in <instance>"))?;
            if place < last || (place == 0 && instance.name.is_some()) {
                return Err(child.invalid("stands too late in <instance>: name, then values, then slots"));
            }
            last = place;
            match place {
                0 => instance.name = Some(self.read_name(child)?),
                1 => instance.values.push(self.read_value(child)?),
                _ => instance.slots.push(self.read_slot(child)?),
            }
        }
        Ok(instance)
    }

    fn read_name(&mut self, mut element: Open) -> Result<Name, ReadError> {
        let place = element.place()?;
        Ok(Name { text: self.typed(&element, lexical::filled)?, place })
    }

    fn read_value(&mut self, mut element: Open) -> Result<Value, ReadError> {
        let (name, evidence) = element.fact()?;
        Ok(Value { name, text: self.typed(&element, lexical::filled)?, evidence })
    }

    fn read_slot(&mut self, mut element: Open) -> Result<Slot, ReadError> {
        let (name, evidence) = element.fact()?;
        element.done()?;
        let Some(mut child) = self.child(&element)? else {
            return Err(element.invalid("holds neither <instance> nor <ref>"));
        };
        let filler = match child.0.name.as_str() {
            "instance" => Filler::Instance(Box::new(self.read_instance(child)?)),
            "ref" => {
                let id = child.required("to", lexical::name)?;
                self.references.push((child.0.line, id.clone()));
                self.nothing_in(&child)?;
                Filler::Ref(id)
            }
            _ => return Err(child.invalid("stands where only <instance> or <ref> may")),
        };
        match self.child(&element)? {
            Some(second) => Err(second.invalid("is the second in one <slot>")),
            None => Ok(Slot { name, filler, evidence }),
        }
    }
}

/// The children of `meta`, in their order.
const META: [&str; 15] = [
    "url",
    "final-url",
    "title",
    "kind",
    "md5",
    "size",
    "update-time",
    "refresh-rate",
    "time-to-live",
    "language",
    "gatherer",
    "parser",
    "ontology",
    "coverage",
    "item",
];

fn is_white(text: &str) -> bool {
    text.bytes().all(|one| matches!(one, b' ' | b'\t' | b'\n' | b'\r'))
}
