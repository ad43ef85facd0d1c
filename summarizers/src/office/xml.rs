//! XML as it is met: no DTD is read, no entity made up by the document is resolved, wrong end tags are passed over.

use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape_with};
use quick_xml::events::{BytesEnd, BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// What stands in XML. An empty element is a start and an end.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    Start(BytesStart<'a>),
    End(BytesEnd<'a>),
    Text(Cow<'a, str>),
}

/// XML, token by token, up to the first thing that cannot be read.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    open: usize,
    complaint: Option<String>,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        config.expand_empty_elements = true;
        Self { reader, open: 0, complaint: None }
    }

    /// What was wrong, once all is read.
    pub(crate) fn complaint(self) -> Option<String> {
        self.complaint
    }
}

impl<'a> Iterator for Xml<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match self.reader.read_event() {
                Ok(Event::Start(tag)) => {
                    self.open += 1;
                    return Some(Token::Start(tag));
                }
                Ok(Event::End(tag)) => {
                    self.open = self.open.saturating_sub(1);
                    return Some(Token::End(tag));
                }
                Ok(Event::Text(text)) => return Some(Token::Text(text.into_inner())),
                Ok(Event::CData(text)) => return Some(Token::Text(text.into_inner())),
                Ok(Event::GeneralRef(name)) => {
                    if let Some(text) = resolved(&name) {
                        return Some(Token::Text(text));
                    }
                }
                Ok(Event::Eof) => {
                    if self.open > 0 {
                        self.complaint = Some("breaks off".to_owned());
                    }
                    return None;
                }
                Ok(_) => {}
                Err(error) => {
                    self.complaint = Some(format!("read in part: {error}"));
                    return None;
                }
            }
        }
    }
}

/// The text that a reference stands for: a character by its number, or one of the five that XML knows.
fn resolved(name: &BytesRef<'_>) -> Option<Cow<'static, str>> {
    match name.resolve_char_ref() {
        Ok(Some(character)) => Some(Cow::Owned(character.to_string())),
        _ => resolve_predefined_entity(name).map(Cow::Borrowed),
    }
}

/// The value of an attribute: by its whole name if `name` has a prefix, else by its local name.
pub(crate) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| {
        let key = attribute.key;
        if name.contains(':') { key.as_ref() == name } else { key.local_name().as_ref() == name }
    })?;
    Some(unescaped(&found.value))
}

/// The value of the attribute `id` that has a prefix: it names a relation, and one without a prefix does not.
pub(crate) fn relation(tag: &BytesStart<'_>) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut each = attributes.with_checks(false).flatten();
    let found =
        each.find(|attribute| attribute.key.prefix().is_some() && attribute.key.local_name().as_ref() == "id")?;
    Some(unescaped(&found.value))
}

fn unescaped(value: &str) -> String {
    unescape_with(value, |entity| resolve_predefined_entity(entity).or(Some("")))
        .map_or(value.to_owned(), Cow::into_owned)
}
