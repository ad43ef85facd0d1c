//! The part of a book that describes it and lists the others.

use crate::fold::Folded;
use crate::html;
use crate::metadata::percent_decoded;
use crate::office::package::Package;
use crate::office::properties::date;
use crate::office::relations;
use crate::office::xml::{Token, attribute};
use gatherer_pipeline::Draft;
use quick_xml::events::BytesStart;
use std::collections::HashMap;

/// Most bytes of one property; descriptions may be pages.
const LIMIT: usize = 20_000;
/// Most properties, and most chapters.
const MANY: usize = 10_000;

/// A book without its text.
#[derive(Debug, Default)]
pub(super) struct Book {
    properties: Vec<(&'static str, String)>,
    keywords: Vec<String>,
    /// The chapters in their order.
    pub(super) spine: Vec<String>,
    /// The table of contents of today.
    pub(super) navigation: Option<String>,
    /// The one of old.
    pub(super) contents: Option<String>,
}

/// A property that is open.
struct Property {
    name: &'static str,
    value: Folded,
}

impl Book {
    pub(super) fn read(package: &mut Package<'_>, main: &str) -> Self {
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (mut book, mut parts, mut open) = (Self::default(), HashMap::new(), None);
        package.visit(main, |token| {
            match token {
                Token::Start(tag) => match tag.local_name().as_ref() {
                    "item" => book.item(&tag, folder, &mut parts),
                    "itemref" if book.spine.len() < MANY => {
                        let part = attribute(&tag, "idref").and_then(|id| parts.get(&id));
                        book.spine.extend(part.cloned());
                    }
                    _ => open = book.property(&tag),
                },
                Token::Text(text) => {
                    if let Some(Property { value, .. }) = &mut open {
                        value.push_lines(&text);
                    }
                }
                Token::End(_) => {
                    if let Some(Property { name, value }) = open.take() {
                        book.keep(name, value.into_text());
                    }
                }
            }
            true
        });
        book
    }

    fn item(&mut self, tag: &BytesStart<'_>, folder: &str, parts: &mut HashMap<String, String>) {
        let (Some(id), Some(href)) = (attribute(tag, "id"), attribute(tag, "href")) else { return };
        let part = resolved(folder, &href);
        let has =
            |name, word| attribute(tag, name).is_some_and(|value| value.split_whitespace().any(|one| one == word));
        if has("properties", "nav") {
            self.navigation = Some(part.clone());
        }
        if has("media-type", "application/x-dtbncx+xml") {
            self.contents = Some(part.clone());
        }
        parts.insert(id, part);
    }

    /// The property that this tag begins.
    fn property(&mut self, tag: &BytesStart<'_>) -> Option<Property> {
        let name = match tag.name().as_ref() {
            "dc:title" => "Title",
            "dc:creator" => "Author",
            "dc:contributor" => "Contributor",
            "dc:publisher" => "Publisher",
            "dc:language" => "Language",
            "dc:identifier" => "Identifier",
            "dc:subject" => "Keywords",
            "dc:description" => "Description",
            "dc:rights" => "Copyright",
            "dc:date" => match attribute(tag, "event").as_deref() {
                Some("modification") => "Modified",
                Some("creation") => "Created",
                _ => "Published",
            },
            "meta" | "opf:meta" => {
                if attribute(tag, "name").is_some_and(|name| name == "generator") {
                    self.keep("Generator", attribute(tag, "content").unwrap_or_default());
                }
                match attribute(tag, "property").as_deref() {
                    Some("dcterms:modified") if attribute(tag, "refines").is_none() => "Modified",
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Property { name, value: Folded::new(LIMIT) })
    }

    fn keep(&mut self, name: &'static str, value: String) {
        match name {
            _ if self.properties.len() + self.keywords.len() >= MANY => {}
            "Keywords" => self.keywords.push(value.replace(';', ",")),
            "Modified" | "Created" | "Published" => self.properties.push((name, date(&value))),
            // A description may be markup within XML.
            "Description" if value.contains('<') => self.properties.push((name, html::words(&value, LIMIT))),
            "Identifier" => {
                if let Some(number) = isbn(&value) {
                    self.properties.push(("ISBN", number));
                }
                self.properties.push((name, value));
            }
            _ => self.properties.push((name, value)),
        }
    }

    pub(super) fn write(&self, draft: &mut Draft) {
        for (name, value) in &self.properties {
            // Only one day is the last.
            if *name != "Modified" || draft.get(name).is_none() {
                draft.add(name, value);
            }
        }
        draft.add("Keywords", &html::keywords(&self.keywords));
    }
}

/// The number that an identifier holds, if it is one of a book: ten or thirteen digits that fit together.
fn isbn(identifier: &str) -> Option<String> {
    let number = identifier.rsplit(':').next()?.trim().trim_start_matches("ISBN").trim_start();
    let number: String = number.chars().filter(|character| !matches!(character, '-' | ' ')).collect();
    let digits: Vec<u32> = number
        .char_indices()
        .map_while(
            |(place, digit)| if place == 9 && matches!(digit, 'X' | 'x') { Some(10) } else { digit.to_digit(10) },
        )
        .collect();
    let is_sound = digits.len() == number.len()
        && match digits.len() {
            10 => (1..=10).rev().zip(&digits).map(|(weight, digit)| weight * digit).sum::<u32>() % 11 == 0,
            13 => [1, 3].iter().cycle().zip(&digits).map(|(weight, digit)| weight * digit).sum::<u32>() % 10 == 0,
            _ => false,
        };
    is_sound.then_some(number)
}

/// The part that a reference names, seen from a folder.
pub(super) fn resolved(folder: &str, href: &str) -> String {
    let href = percent_decoded(href.split('#').next().unwrap_or_default());
    relations::resolved(folder, &href)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_books_are_told_from_others() {
        assert_eq!(isbn("urn:isbn:978-3-16-148410-0").as_deref(), Some("9783161484100"));
        assert_eq!(isbn("ISBN 0-8044-2957-X").as_deref(), Some("080442957X"));
        assert_eq!(isbn("9783161484101"), None);
        assert_eq!(isbn("8145641e-c8a5-4a1b-979f-e78b6f89f012"), None);
        assert_eq!(isbn(""), None);
    }

    #[test]
    fn parts_are_found_from_where_they_are_named() {
        assert_eq!(resolved("OEBPS", "a%20b/../c.xhtml#d"), "OEBPS/c.xhtml");
        assert_eq!(resolved("", "../../x"), "x");
    }
}
