//! What a value looks like, as its reader says itself: given something that no setting is, a reader complains, and its complaint
//! knows what would have been right. So the schema of the config is told by the code that reads it.

use crate::value::{Checked, Item};
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

/// The shape of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any text; its reader may be more particular.
    Text,
    /// Text that says something.
    SomeText,
    /// True or false.
    Flag,
    /// A whole number.
    Count { least: u64 },
    /// A number.
    Number { least: u32, most: u32 },
    /// One of these.
    Words(Vec<String>),
    /// `7d`.
    Duration,
    /// `16MiB`.
    Size,
    /// Nothing, said by empty text.
    None,
    /// Any number of these.
    List(Box<Shape>),
    /// Names of the operator's choice, each with one of these.
    Table(Box<Shape>),
    /// These keys, all of them.
    Keys(Vec<(&'static str, Shape)>),
    /// One of these.
    Either(Vec<Shape>),
    /// Its reader does not say.
    Unknown,
}

impl Shape {
    /// What a reader wants, if it says so.
    pub(crate) fn wanted<T>(read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<Self> {
        // No setting is a date.
        let date = DeValue::parse("1994-10-06").unwrap_or_else(|_| Spanned::new(0..0, DeValue::Boolean(true)));
        read(&date).err()?.into_iter().find_map(|fault| fault.wants)
    }

    /// What a reader wants.
    pub(crate) fn of<T>(read: impl Fn(&Item<'_>) -> Checked<T>) -> Self {
        Self::wanted(read).unwrap_or(Self::Unknown)
    }

    /// This, or empty text for none.
    pub(crate) fn or_none(self) -> Self {
        Self::Either(vec![Self::None, self])
    }

    #[cfg(test)]
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::List(each) | Self::Table(each) => each.is_known(),
            Self::Keys(keys) => keys.iter().all(|(_, shape)| shape.is_known()),
            Self::Either(shapes) => shapes.iter().all(Self::is_known),
            _ => true,
        }
    }

    /// The same in the words of JSON Schema.
    pub(crate) fn schema(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::SomeText => json!({ "type": "string", "minLength": 1 }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Count { least } => json!({ "type": "integer", "minimum": least }),
            Self::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
            Self::Words(words) => json!({ "enum": words }),
            Self::Duration => json!({ "type": "string", "pattern": "[0-9] *[A-Za-z]", "examples": ["90m", "7d"] }),
            Self::Size => json!({
                "type": "string", "pattern": "^ *[0-9]+ *([KkMmGg][Ii]?)?[Bb] *$", "examples": ["512B", "16MiB"],
            }),
            Self::None => json!({ "const": "" }),
            Self::List(each) => json!({ "type": "array", "items": each.schema() }),
            Self::Table(each) => json!({ "type": "object", "additionalProperties": each.schema() }),
            Self::Keys(keys) => {
                let names: Vec<_> = keys.iter().map(|(name, _)| *name).collect();
                let properties: serde_json::Map<_, _> =
                    keys.iter().map(|(name, shape)| ((*name).to_owned(), shape.schema())).collect();
                json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
            }
            Self::Either(shapes) => json!({ "anyOf": shapes.iter().map(Self::schema).collect::<Vec<_>>() }),
            Self::Unknown => json!({}),
        }
    }
}
