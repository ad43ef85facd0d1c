//! The JSON Schema of the config, so that editors complete keys and show what they are for. The readers say what values look
//! like, `config/gatherer.toml` what they are for.

use crate::Settings;
use crate::complaint::Source;
use crate::layers::Layer;
use crate::reading::Reading;
use crate::shape::Shape;
use crate::starter::DEFAULTS;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::de::DeTable;

/// What is learnt of the config while it is read.
#[derive(Default)]
pub(crate) struct Description {
    /// What the value of each key looks like.
    pub(crate) shapes: BTreeMap<(&'static str, &'static str), Option<Shape>>,
    /// Keys that must be there,
    pub(crate) needed: BTreeSet<(&'static str, &'static str)>,
    /// and those that need not, at least beside certain others.
    pub(crate) optional: BTreeSet<(&'static str, &'static str)>,
}

impl Description {
    /// A key can be asked for more than once; the reader that knows more counts.
    pub(crate) fn note(&mut self, table: &'static str, key: &'static str, shape: Option<Shape>) {
        let known = self.shapes.entry((table, key)).or_default();
        if known.is_none() {
            *known = shape;
        }
    }
}

/// The file as it is with all its examples in use.
pub(crate) fn with_examples() -> String {
    let lines = DEFAULTS.lines().map(|line| match line.strip_prefix('#') {
        Some(example) if example.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()) => example,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads a config with everything in it, and notes what its readers want.
pub(crate) fn describe() -> Description {
    let text = with_examples();
    let (table, _) = DeTable::parse_recoverable(&text);
    let layer = |is_default| Layer { source: Source::new("gatherer.toml", &*text), table: table.get_ref(), is_default };
    let mut reading = Reading::new((layer(false), Vec::new()), layer(true), &[], Path::new(""));
    reading.wants_secrets = false;
    reading.description = Some(Description::default());
    // What is wrong with the examples here, such as files that are not there, says nothing about shapes.
    Settings::read(&mut reading);
    reading.description.unwrap_or_default()
}

/// The JSON Schema of the config.
pub fn schema() -> Value {
    let description = describe();
    let words = words();
    let defaults: toml::Table = DEFAULTS.parse().unwrap_or_default();
    let examples: toml::Table = with_examples().parse().unwrap_or_default();
    let mut sections: Vec<&str> = words.iter().map(|word| word.table.as_str()).collect();
    sections.dedup();
    let mut properties = Map::new();
    for section in sections {
        if properties.contains_key(section) {
            continue;
        }
        let mut schema = section_schema(section, &description, &words, defaults.get(section));
        if examples.get(section).is_some_and(toml::Value::is_array) {
            schema = json!({ "type": "array", "items": schema });
        }
        properties.insert(section.to_owned(), schema);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The gatherer's configuration",
        "description": "Written by `gatherer config --schema`, from the code that reads the config.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn section_schema(section: &str, description: &Description, words: &[Word], defaults: Option<&toml::Value>) -> Value {
    let mut keys: Vec<&str> = Vec::new();
    let said = words.iter().filter(|word| word.table == section).filter_map(|word| word.key.as_deref());
    let asked = description.shapes.keys().filter(|(table, _)| *table == section).map(|(_, key)| *key);
    for key in said.chain(asked) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut properties = Map::new();
    for key in keys {
        let shape = description.shapes.iter().find(|((table, name), _)| *table == section && *name == key);
        let mut schema = shape.and_then(|(_, shape)| shape.as_ref()).unwrap_or(&Shape::Unknown).schema();
        let default = defaults.and_then(|table| table.get(key)).filter(|value| value.as_str() != Some(""));
        if let Some(default) = default.and_then(|value| serde_json::to_value(value).ok()) {
            schema["default"] = default;
        }
        if let Some(why) = why(words, section, key) {
            schema["description"] = why.into();
        }
        properties.insert(key.to_owned(), schema);
    }
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    let needed: Vec<_> = description
        .needed
        .difference(&description.optional)
        .filter(|(table, _)| *table == section)
        .map(|(_, key)| *key)
        .collect();
    if !needed.is_empty() {
        schema["required"] = needed.into();
    }
    if let Some(word) = words.iter().find(|word| word.table == section && word.key.is_none() && !word.why.is_empty()) {
        schema["description"] = word.why.clone().into();
    }
    schema
}

/// What a key is for: as it says itself, or as it says where the defaults of its section stand.
fn why(words: &[Word], section: &str, key: &str) -> Option<String> {
    let of = |table: &str| {
        let word = words.iter().find(|word| word.table == table && word.key.as_deref() == Some(key))?;
        Some(word.why.clone()).filter(|why| !why.is_empty())
    };
    of(section).or_else(|| of(&format!("{section}-defaults")))
}

/// A word of `config/gatherer.toml` on a key, or on a section.
struct Word {
    table: String,
    key: Option<String>,
    why: String,
}

fn words() -> Vec<Word> {
    let (mut words, mut table, mut why): (Vec<Word>, String, Vec<&str>) = (Vec::new(), String::new(), Vec::new());
    for line in DEFAULTS.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            why.push(comment);
            continue;
        }
        let bare = line.strip_prefix('#').unwrap_or(line);
        let key = match bare.strip_prefix('[') {
            Some(name) if !line.starts_with(' ') => {
                name.trim_matches(['[', ']']).clone_into(&mut table);
                None
            }
            _ if bare.starts_with(|c: char| c.is_ascii_lowercase()) && !table.is_empty() => {
                bare.split_once(" = ").map(|(key, _)| key.to_owned())
            }
            _ => {
                why.clear();
                continue;
            }
        };
        words.push(Word { table: table.clone(), key, why: std::mem::take(&mut why).join(" ") });
    }
    words
}
