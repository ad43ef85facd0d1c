//! Objects in the forms that programs of today want: JSON and XML.

use crate::Object;
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::io::{self, Write};

/// An object as JSON: its type, its URL, and its attributes by name. Values are texts.
pub fn to_json(object: &Object) -> Value {
    let attributes: Map<_, _> = object.iter().map(|a| (a.name.clone(), Value::from(a.text().into_owned()))).collect();
    json!({ "type": object.template, "url": object.url, "attributes": attributes })
}

/// Writes an object as one XML element. What XML cannot carry is replaced by U+FFFD.
///
/// # Errors
/// When `out` fails.
pub fn write_xml(object: &Object, out: &mut impl Write) -> io::Result<()> {
    let mut xml = Writer::new(out);
    let start = BytesStart::new("object").with_attributes([
        ("type", &*legal(object.template.as_str().into())),
        ("url", &*legal(object.url.as_str().into())),
    ]);
    xml.write_event(Event::Start(start))?;
    for attribute in object {
        let name = legal(attribute.name.as_str().into());
        xml.write_event(Event::Start(BytesStart::new("attribute").with_attributes([("name", &*name)])))?;
        xml.write_event(Event::Text(BytesText::new(&legal(attribute.text()))))?;
        xml.write_event(Event::End(BytesEnd::new("attribute")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("object")))
}

/// Text that may stand in XML 1.0.
fn legal(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_illegal =
        |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_illegal) { text.replace(is_illegal, "\u{fffd}").into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_carry_every_character() {
        let object = Object::new("FILE", "http://a/?b&c").with("Title", "x < y\n\"z\"").with("Odd", "\0\u{1b}");
        let json =
            r#"{"type":"FILE","url":"http://a/?b&c","attributes":{"Title":"x < y\n\"z\"","Odd":"\u0000\u001b"}}"#;
        assert_eq!(to_json(&object).to_string(), json);
        let mut xml = Vec::new();
        write_xml(&object, &mut xml).expect("memory");
        assert_eq!(
            String::from_utf8(xml).expect("UTF-8"),
            "<object type=\"FILE\" url=\"http://a/?b&amp;c\"><attribute name=\"Title\">x &lt; y\n&quot;z&quot;\
             </attribute><attribute name=\"Odd\">\u{fffd}\u{fffd}</attribute></object>",
        );
    }
}
