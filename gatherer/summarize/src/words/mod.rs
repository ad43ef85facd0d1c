//! What is drawn from a document's words, whoever summarized it: language, keywords, a description, and as much of
//! the text as the operator wants in the record.

mod description;
mod keywords;
mod language;

pub use keywords::{Keywords, Weights};
pub use language::language_code;

use gatherer_pipeline::{Attribute, Draft, Kind};

/// Name and version in the provenance of what is made here.
const NAME: &str = concat!("words ", env!("CARGO_PKG_VERSION"));

/// How much of a document's text goes into its record. The operator chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSetting {
    /// All of it, as `Full-Text`.
    Full,
    /// The first so many bytes (cut at a character), as `Partial-Text`.
    Partial(usize),
    /// Nothing.
    None,
}

/// What the operator wants of a document's words.
#[derive(Debug, Clone)]
pub struct Words {
    /// How much text.
    pub text: TextSetting,
    /// Which keywords.
    pub keywords: Keywords,
}

impl Words {
    /// The text as asked for, and nothing drawn from it but language and description.
    pub fn plain(text: TextSetting) -> Self {
        Self { text, keywords: Keywords::none() }
    }

    /// What the words of a draft give beside what it says itself.
    pub(crate) fn draw(&self, kind: &Kind, draft: &Draft) -> Vec<Attribute> {
        let mut drawn = Drawn(Vec::new());
        let text = draft.text();
        let declared = draft.get("Language").map(str::to_owned);
        let language = declared.clone().or_else(|| language::detect(text));
        if declared.is_none() {
            drawn.add("Language", language.clone().unwrap_or_default());
        }
        if draft.get("Description").is_none() && draft.get("Abstract").is_none() {
            drawn.add("Description", description::description(text));
        }
        if draft.get("Keywords").is_none() {
            drawn.add("Keywords", self.keywords.of(kind, draft, language.as_deref()).join("\n"));
        }
        if draft.get("Full-Text").is_none() && draft.get("Partial-Text").is_none() {
            match self.text {
                TextSetting::Full => drawn.add("Full-Text", text.to_owned()),
                TextSetting::Partial(most) => {
                    drawn.add("Partial-Text", text[..text.floor_char_boundary(most)].to_owned());
                }
                TextSetting::None => {}
            }
        }
        drawn.0
    }
}

struct Drawn(Vec<Attribute>);

impl Drawn {
    fn add(&mut self, name: &str, value: String) {
        if !value.is_empty() {
            self.0.push(Attribute { name: name.to_owned(), value, by: NAME.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str =
        "Der Leuchtturm steht am Rand der Insel und ist von weitem zu sehen. Der Leuchtturm wurde gebaut.";

    fn draft(text: &str, attributes: &[(&str, &str)]) -> Draft {
        let mut draft = Draft::new();
        draft.set_text(text);
        attributes.iter().for_each(|(name, value)| draft.add(name, value));
        draft
    }

    fn names(words: &Words, draft: &Draft) -> Vec<String> {
        words.draw(&Kind::TEXT, draft).into_iter().map(|attribute| attribute.name).collect()
    }

    #[test]
    fn what_the_document_does_not_say_is_drawn_from_its_words() {
        let words = Words { text: TextSetting::Full, keywords: Keywords::default() };
        let drawn = words.draw(&Kind::TEXT, &draft(GERMAN, &[]));
        let value = |name: &str| drawn.iter().find(|one| one.name == name).map_or("", |one| one.value.as_str());
        assert_eq!((value("Language"), value("Description"), value("Full-Text")), ("de", GERMAN, GERMAN));
        assert_eq!(value("Keywords").lines().next(), Some("Leuchtturm"));
        assert!(drawn.iter().all(|attribute| attribute.by.starts_with("words ")));
    }

    #[test]
    fn what_it_says_itself_is_left_alone() {
        let words = Words { text: TextSetting::Full, keywords: Keywords::default() };
        let said = [("Language", "en"), ("Abstract", "a"), ("Keywords", "k"), ("Partial-Text", "t")];
        assert_eq!(names(&words, &draft(GERMAN, &said)), Vec::<String>::new());
    }

    #[test]
    fn the_operator_chooses_how_much_text() {
        let short = draft("a\u{fc}b", &[("Description", "d")]);
        let drawn = Words::plain(TextSetting::Partial(2)).draw(&Kind::TEXT, &short);
        assert_eq!(
            drawn.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect::<Vec<_>>(),
            [("Partial-Text", "a")]
        );
        assert_eq!(names(&Words::plain(TextSetting::None), &short), Vec::<String>::new());
    }
}
