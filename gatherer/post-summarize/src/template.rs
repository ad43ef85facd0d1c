//! Values with placeholders.

use gatherer_pipeline::{Draft, Summary};

/// A value to set, with places for attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Attribute(String),
}

impl Template {
    /// Reads a value: `{Name}` is a placeholder, `{{` a brace; a closing brace alone is itself.
    pub(crate) fn parse(value: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = value;
        while let Some((text, behind)) = rest.split_once('{') {
            pieces.push(Piece::Text(text.to_owned()));
            if let Some(behind) = behind.strip_prefix('{') {
                pieces.push(Piece::Text("{".to_owned()));
                rest = behind;
                continue;
            }
            let (name, behind) = behind.split_once('}').ok_or("no } for a {; write {{ for a brace")?;
            if !is_well_formed(name) {
                return Err(format!("{{{name}}} does not name an attribute; write {{{{ for a brace"));
            }
            pieces.push(Piece::Attribute(name.to_owned()));
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The value for a summary, cut at the limit of values: a rule may name a long attribute again and again.
    pub(crate) fn fill(&self, summary: &Summary) -> String {
        let mut value = String::new();
        for piece in &self.0 {
            let text = match piece {
                Piece::Text(text) => text,
                Piece::Attribute(name) => summary.get(name).unwrap_or_default(),
            };
            let room = Draft::VALUE_LIMIT.saturating_sub(value.len());
            value.push_str(&text[..text.floor_char_boundary(room)]);
        }
        value
    }
}

/// Whether a name can stand in a SOIF object; [`Summary::set`] passes over any other.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}' | b'@');
    !name.is_empty() && name.len() <= Draft::NAME_LIMIT && name.bytes().all(legal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::summary;
    use proptest::prelude::*;

    fn check(value: &str, expected: Result<&str, &str>) {
        let summary = summary(&[("Title", "Corn {x}"), ("Owner", "jo")]);
        let filled = Template::parse(value).map(|template| template.fill(&summary));
        assert_eq!(filled.as_deref().map_err(String::as_str), expected, "{value}");
    }

    #[test]
    fn placeholders_take_values_as_they_are() {
        check("plain", Ok("plain"));
        check("", Ok(""));
        check("{title} by {OWNER}: {URL}", Ok("Corn {x} by jo: http://example.org/users/jo"));
        check("<{Absent}>", Ok("<>"));
    }

    #[test]
    fn braces_can_be_written() {
        check("{{Title} }", Ok("{Title} }"));
        check("{{{Owner}}", Ok("{jo}"));
        check("}", Ok("}"));
        check("{{", Ok("{"));
    }

    #[test]
    fn open_and_nameless_placeholders_are_refused() {
        check("a {Title", Err("no } for a {; write {{ for a brace"));
        check("{}", Err("{} does not name an attribute; write {{ for a brace"));
        check("{two words}", Err("{two words} does not name an attribute; write {{ for a brace"));
    }

    #[test]
    fn a_value_does_not_outgrow_its_limit() {
        let long = "ä".repeat(Draft::VALUE_LIMIT / 4);
        let filled = Template::parse("x{Long}{Long}{Long}").map(|template| template.fill(&summary(&[("Long", &long)])));
        assert_eq!(filled.map(|value| value.len()), Ok(Draft::VALUE_LIMIT - 1));
    }

    proptest! {
        #[test]
        fn any_value_is_a_template_or_refused(value in "[{}a ä]{0,20}") {
            let _ = Template::parse(&value);
        }

        #[test]
        fn doubled_braces_write_any_text(text: String) {
            let filled = Template::parse(&text.replace('{', "{{")).map(|template| template.fill(&summary(&[])));
            prop_assert_eq!(filled, Ok(text));
        }
    }
}
