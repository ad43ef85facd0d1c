//! Entities: the predefined ones, those of HTML, and simple ones of the document itself.

use quick_xml::events::BytesRef;
use std::collections::HashMap;

/// Most entities that a document may define, and the longest one.
const LIMIT: usize = 1_000;
const LONGEST: usize = 1_000;

/// The entities that a document defines for itself. One that uses others is left out: nothing ever expands twice,
/// and nothing is fetched.
#[derive(Debug, Default)]
pub(super) struct Entities(HashMap<String, String>);

impl Entities {
    /// Takes the definitions out of a document type.
    pub(super) fn define(&mut self, doctype: &str) {
        for definition in doctype.split("<!ENTITY").skip(1).take(LIMIT) {
            let definition = definition.trim_start();
            let Some((name, rest)) = definition.split_once(char::is_whitespace) else { continue };
            let Some(quote) = rest.trim_start().chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
                continue;
            };
            let value =
                rest.trim_start().get(1..).and_then(|rest| rest.split_once(quote)).map_or("", |(value, _)| value);
            if !value.contains(['&', '<', '%']) && value.len() <= LONGEST {
                self.0.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// What a reference stands for; an unknown one stands for a gap.
    pub(super) fn resolve(&self, reference: &BytesRef<'_>) -> String {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            return character.to_string();
        }
        self.named(reference)
    }

    fn named(&self, name: &str) -> String {
        if let Some(value) = self.0.get(name) {
            return value.clone();
        }
        let written = format!("&{name};");
        let known = htmlize::unescape(written.as_str());
        if known == written { " ".to_owned() } else { known.into_owned() }
    }

    /// A text without the entities in it.
    pub(super) fn unescaped(&self, text: &str) -> String {
        if self.0.is_empty() || !text.contains('&') {
            return htmlize::unescape(text).into_owned();
        }
        let mut pieces = text.split('&');
        let mut unescaped = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            match piece.split_once(';').filter(|(name, _)| self.0.contains_key(*name)) {
                Some((name, rest)) => {
                    unescaped.push_str(&self.named(name));
                    unescaped.push_str(rest);
                }
                None => unescaped.push_str(&htmlize::unescape(format!("&{piece}"))),
            }
        }
        unescaped
    }
}
