//! Microdata and `RDFa` Lite: things that a page describes by marking its own words.
//!
//! What comes out are the same objects as those of JSON-LD, so that they are read in one place.

use super::attributes::Facts;
use super::structured::{Structured, VALUE};
use crate::fold::{Folded, Gap};
use serde_json::{Map, Value, json};

/// Most properties whose text is read at once: they lie within each other.
const READING: usize = 10;
/// Most values of one thing.
const VALUES: usize = 200;

/// A thing whose element is open.
#[derive(Debug)]
struct Thing {
    values: Map<String, Value>,
    count: usize,
    /// What it is to the thing around it.
    property: Option<String>,
}

/// The things that are open, and the properties that are being read.
#[derive(Debug, Default)]
pub(super) struct Items {
    things: Vec<Thing>,
    reading: Vec<Folded>,
    /// What is said of nothing in particular is said of the page.
    page: Map<String, Value>,
    count: usize,
}

impl Items {
    /// An element is open.
    pub(super) fn open(&mut self, facts: &Facts) {
        match facts {
            Facts::None => {}
            Facts::Thing { types, property } => {
                let mut values = Map::new();
                values.insert("@type".to_owned(), json!(types));
                self.things.push(Thing { values, count: 0, property: property.clone() });
            }
            Facts::Property(_) => {
                let room = if self.reading.len() < READING { VALUE } else { 0 };
                self.reading.push(Folded::new(room));
            }
        }
    }

    /// An element that was opened so has ended.
    pub(super) fn close(&mut self, facts: Facts, structured: &mut Structured) {
        match facts {
            Facts::None => {}
            Facts::Property(property) => {
                let text = self.reading.pop().map(Folded::into_text).unwrap_or_default();
                self.say(&property, &text);
            }
            Facts::Thing { .. } => {
                let Some(Thing { values, property, .. }) = self.things.pop() else { return };
                match property {
                    Some(property) if !self.things.is_empty() => self.put(&property, Value::Object(values)),
                    _ => structured.add(values),
                }
            }
        }
    }

    /// A property of the innermost thing.
    pub(super) fn say(&mut self, property: &str, text: &str) {
        let text = Folded::line(text, VALUE);
        if !text.is_empty() {
            self.put(property, Value::String(text));
        }
    }

    /// The page is over.
    pub(super) fn end(&mut self, structured: &mut Structured) {
        if !self.page.is_empty() {
            structured.add(std::mem::take(&mut self.page));
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.reading.iter_mut().for_each(|property| property.push(text));
    }

    pub(super) fn gap(&mut self) {
        self.reading.iter_mut().for_each(|property| property.gap(Gap::Space));
    }

    fn put(&mut self, property: &str, value: Value) {
        let (values, count) = match self.things.last_mut() {
            Some(thing) => (&mut thing.values, &mut thing.count),
            None => (&mut self.page, &mut self.count),
        };
        if *count >= VALUES {
            return;
        }
        *count += 1;
        match values.get_mut(property) {
            Some(Value::Array(known)) => known.push(value),
            Some(known) => *known = Value::Array(vec![known.take(), value]),
            None => drop(values.insert(property.to_owned(), value)),
        }
    }
}
