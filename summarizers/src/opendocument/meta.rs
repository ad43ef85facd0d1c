//! What an `OpenDocument` says of itself.

use crate::fold::Folded;
use crate::html;
use crate::office::properties::{count, date};
use crate::office::xml::{Token, attribute};
use gatherer_pipeline::Draft;

/// Most bytes of one property.
const LIMIT: usize = 10_000;
/// Most keywords, and most authors.
const MANY: usize = 1_000;

/// The content of `office:meta`.
#[derive(Debug, Default)]
pub(super) struct Meta {
    is_open: bool,
    value: Option<Folded>,
    /// Names of attributes of ours, and their values.
    found: Vec<(&'static str, String)>,
    first_author: Option<String>,
    last_author: Option<String>,
    keywords: Vec<String>,
}

impl Meta {
    pub(super) fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Start(tag) if tag.name().as_ref() == "office:meta" => self.is_open = true,
            Token::End(tag) if tag.name().as_ref() == "office:meta" => self.is_open = false,
            _ if !self.is_open => {}
            Token::Start(tag) => {
                self.value = Some(Folded::new(LIMIT));
                if tag.local_name().as_ref() == "document-statistic" {
                    for (name, key) in [("Pages", "page-count"), ("Words", "word-count")] {
                        self.keep(name, attribute(tag, key).unwrap_or_default());
                    }
                }
            }
            Token::Text(text) => {
                if let Some(value) = &mut self.value {
                    value.push_lines(text);
                }
            }
            Token::End(tag) => {
                let value = self.value.take().map(Folded::into_text).unwrap_or_default();
                self.property(tag.name().as_ref(), value);
            }
        }
    }

    fn property(&mut self, name: &str, value: String) {
        match name {
            _ if value.is_empty() => {}
            "dc:title" => self.keep("Title", value),
            "dc:subject" => self.keep("Subject", value),
            "dc:description" => self.keep("Description", value),
            "dc:language" => self.keep("Language", value),
            "dc:publisher" => self.keep("Publisher", value),
            "dc:rights" => self.keep("Copyright", value),
            "meta:generator" => self.keep("Generator", value),
            "meta:creation-date" => self.keep("Created", date(&value)),
            "dc:date" => self.keep("Modified", date(&value)),
            "meta:initial-creator" => self.first_author = Some(value),
            "dc:creator" => self.last_author = Some(value),
            "meta:keyword" if self.keywords.len() < MANY => self.keywords.push(value),
            _ => {}
        }
    }

    fn keep(&mut self, name: &'static str, value: String) {
        if self.found.len() < MANY {
            self.found.push((name, value));
        }
    }

    /// Who began the document is its author, and who saved it last if nobody else is named.
    pub(super) fn write(self, draft: &mut Draft) {
        for (name, value) in self.found {
            match name {
                "Pages" | "Words" => count(name, &value, draft),
                _ => draft.add(name, &value),
            }
        }
        match (self.first_author, self.last_author) {
            (Some(first), last) => {
                draft.add("Author", &first);
                draft.add("Modified-By", &last.unwrap_or_default());
            }
            (None, last) => draft.add("Author", &last.unwrap_or_default()),
        }
        draft.add("Keywords", &html::keywords(&self.keywords));
    }
}
