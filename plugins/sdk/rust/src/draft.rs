//! What a plugin answers.

use std::borrow::Cow;
use std::fmt;

/// One attribute of a summary.
#[derive(Clone, Default, PartialEq)]
pub struct Attribute {
    /// Letters, digits, `-`, `_`; up to 200 bytes. The same name again adds a line to the value.
    pub name: String,
    /// Text in UTF-8.
    pub value: Vec<u8>,
    /// The language of the value, such as `de`.
    pub language: Option<String>,
    /// How much the words of the value count as keywords: 1 as in the text, more for more.
    pub weight: Option<f32>,
}

impl Attribute {
    /// An attribute of which nothing is said but its value.
    pub fn new(name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), value: value.into(), language: None, weight: None }
    }

    /// Says which language the value is in.
    pub fn language(self, language: impl Into<String>) -> Self {
        Self { language: Some(language.into()), ..self }
    }

    /// Says how much the words of the value count as keywords.
    pub fn weight(self, weight: f32) -> Self {
        Self { weight: Some(weight), ..self }
    }

    /// The value as text; what is no UTF-8 in it is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.value)
    }
}

/// With the value as text: tests are to be read by people.
impl fmt::Debug for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Attribute");
        shown.field("name", &self.name).field("value", &self.text());
        shown.field("language", &self.language).field("weight", &self.weight).finish()
    }
}

/// A reference that stands in the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    /// Where it leads; relative ones are resolved.
    pub url: String,
    /// What the document calls it.
    pub text: String,
    /// Whether it may be gathered. What is not followed stands in the record only.
    pub follow: bool,
}

/// Something inside of the document that is to have a record of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Child {
    /// Its path within the document, such as `chapter-1.html`.
    pub name: String,
    /// Its kind, if that is known.
    pub kind: Option<String>,
    /// Its media type, if that is claimed: a hint for the recognizers.
    pub media_type: Option<String>,
    /// When it was last changed, in seconds since 1970.
    pub modified: Option<u64>,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Child {
    /// A child of which nothing is known but its name and its bytes.
    pub fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), content: content.into(), ..Self::default() }
    }

    /// Says of what kind it is.
    pub fn kind(self, kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..self }
    }

    /// Says which media type is claimed for it.
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        Self { media_type: Some(media_type.into()), ..self }
    }

    /// Says when it was last changed, in seconds since 1970.
    pub fn modified(self, seconds: u64) -> Self {
        Self { modified: Some(seconds), ..self }
    }
}

/// What a summarizer found.
///
/// ```
/// use gatherer_sdk::{Attribute, Draft};
///
/// let mut draft = Draft::new();
/// draft.attribute("Title", "Corn soup").reference("soups.html", "All soups");
/// draft.attributes.push(Attribute::new("Abstract", "Eine Suppe").language("de").weight(2.0));
/// assert_eq!(draft.value("Title").as_deref(), Some("Corn soup"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// What the record is to hold.
    pub attributes: Vec<Attribute>,
    /// The document's text as a person would read it; keywords and the language are drawn from it.
    pub text: Option<String>,
    /// Where the document leads.
    pub references: Vec<Reference>,
    /// The address under which the document itself wants to be known.
    pub canonical: Option<String>,
    /// What is to have records of its own.
    pub children: Vec<Child>,
    /// What a reader of the record should know: what was cut, damaged, left out.
    pub complaints: Vec<String>,
}

impl Draft {
    /// A draft with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an attribute. The same name again adds a line to its value.
    pub fn attribute(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> &mut Self {
        self.attributes.push(Attribute::new(name, value));
        self
    }

    /// Adds text, as lines of their own behind what is there.
    pub fn text(&mut self, text: impl AsRef<str>) -> &mut Self {
        let all = self.text.get_or_insert_default();
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(text.as_ref());
        self
    }

    /// Adds a reference that may be gathered.
    pub fn reference(&mut self, url: impl Into<String>, text: impl Into<String>) -> &mut Self {
        self.references.push(Reference { url: url.into(), text: text.into(), follow: true });
        self
    }

    /// Adds a reference that is to stand in the record only.
    pub fn mention(&mut self, url: impl Into<String>, text: impl Into<String>) -> &mut Self {
        self.references.push(Reference { url: url.into(), text: text.into(), follow: false });
        self
    }

    /// Sets the address under which the document itself wants to be known.
    pub fn canonical(&mut self, url: impl Into<String>) -> &mut Self {
        self.canonical = Some(url.into());
        self
    }

    /// Adds something that is to have a record of its own.
    pub fn child(&mut self, child: Child) -> &mut Self {
        self.children.push(child);
        self
    }

    /// Adds what a reader of the record should know.
    pub fn complain(&mut self, complaint: impl Into<String>) -> &mut Self {
        self.complaints.push(complaint.into());
        self
    }

    /// The value that an attribute will have in the record: all that was added under its name, one a line. Names are
    /// the same in any case.
    pub fn value(&self, name: &str) -> Option<String> {
        let of_that_name = self.attributes.iter().filter(|attribute| attribute.name.eq_ignore_ascii_case(name));
        let lines: Vec<_> = of_that_name.map(Attribute::text).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// A recognizer's word on a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guess {
    /// Which kind it is.
    pub kind: String,
    /// Why, in a few words: `begins with %RECIPE`.
    pub because: String,
}

impl Guess {
    /// A kind, and why.
    pub fn new(kind: impl Into<String>, because: impl Into<String>) -> Self {
        Self { kind: kind.into(), because: because.into() }
    }
}

/// What a post-summarizer makes of a summary.
#[derive(Debug, Clone, PartialEq)]
pub enum Correction {
    /// All attributes that the summary is to have from now on.
    Keep(Vec<Attribute>),
    /// There is to be no record, and why.
    LeaveOut(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_adds_a_line() {
        let mut draft = Draft::new();
        draft.attribute("Step", "cut").attribute("Title", "Soup").attribute("step", "cook");
        assert_eq!(draft.value("STEP").as_deref(), Some("cut\ncook"));
        assert_eq!(draft.value("Steps"), None);
    }

    #[test]
    fn text_goes_on_in_a_new_line() {
        let mut draft = Draft::new();
        draft.text("one").text("two");
        assert_eq!(draft.text.as_deref(), Some("one\ntwo"));
    }

    #[test]
    fn what_is_mentioned_is_not_followed() {
        let mut draft = Draft::new();
        draft.reference("a", "A").mention("b", "B");
        assert_eq!(draft.references.iter().map(|reference| reference.follow).collect::<Vec<_>>(), [true, false]);
    }
}
