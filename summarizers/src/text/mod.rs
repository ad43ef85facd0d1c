//! Plain text, and what reads like it.

mod description;
mod urls;

use crate::TextSetting;
use crate::charset::{self, Hint};
use crate::fold::Folded;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

/// Texts for people. Source code, tables and data wait for summarizers of their own.
pub(crate) const KINDS: &[&str] =
    &["Text", "FullText", "FormattedText", "README", "FAQ", "FYI", "RFC", "Internet-Draft", "Markdown"];

/// Most characters of a title.
const TITLE_LIMIT: usize = 200;

/// First line, first sentences, text and the URLs in it.
pub(crate) struct Text {
    text: TextSetting,
}

impl Text {
    pub(crate) fn boxed(text: TextSetting) -> Box<dyn Summarizer> {
        Box::new(Self { text })
    }
}

impl Summarizer for Text {
    fn name(&self) -> &'static str {
        concat!("text ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::text(leaf.url));
        let mut draft = Draft::new();
        for complaint in decoded.complaints {
            draft.complain(complaint);
        }
        draft.add("Charset", decoded.charset);
        draft.add("Title", &title(&decoded.text));
        draft.add("Description", &description::description(&decoded.text));
        let (attribute, limit) = self.text.attribute();
        if self.text == TextSetting::Full && decoded.text.len() > limit {
            draft.complain(format!("Full-Text cut at {limit} bytes"));
        }
        draft.add(attribute, &decoded.text[..decoded.text.floor_char_boundary(limit)]);
        for url in urls::urls(&decoded.text, leaf.url) {
            draft.refer(url, "");
        }
        Ok(draft)
    }
}

/// The first line with a letter or digit in it, without the marks around it that make it a heading.
fn title(text: &str) -> String {
    let first = text.lines().find(|line| line.contains(char::is_alphanumeric)).unwrap_or_default();
    let line = Folded::line(first, 4 * TITLE_LIMIT);
    let bare = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '=' | '*' | '-' | '_' | '/' | '|'));
    bare.chars().take(TITLE_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_pipeline::Kind;
    use url::Url;

    fn summarize(setting: TextSetting, body: &[u8]) -> Draft {
        let url = Url::parse("http://example.org/a.txt").expect("a URL");
        let leaf = Leaf { url: &url, kind: &Kind::TEXT, votes: &[], content_type: None, body, cut: false };
        Text { text: setting }.summarize(&leaf).expect("never refuses")
    }

    fn check(body: &str, expected: &[(&str, &str)]) {
        let draft = summarize(TextSetting::Full, body.as_bytes());
        for (name, value) in expected {
            assert_eq!(draft.get(name).unwrap_or_default(), *value, "{name} of {body:?}");
        }
    }

    #[test]
    fn the_title_is_the_first_line_with_words() {
        check("\n  \n  Corn \t and maize \nmore", &[("Title", "Corn and maize")]);
        check("======\n= Corn =\n======", &[("Title", "Corn")]);
        check("# Corn\n", &[("Title", "Corn")]);
        check(&"ü".repeat(900), &[("Title", &"ü".repeat(200))]);
        check("", &[("Title", ""), ("Description", ""), ("Full-Text", "")]);
    }

    #[test]
    fn the_text_keeps_its_lines() {
        check("a\r\n  b\n\nc\n", &[("Full-Text", "a\n  b\n\nc")]);
    }

    #[test]
    fn the_operator_chooses_how_much_text() {
        let partial = summarize(TextSetting::Partial(3), "aüb".as_bytes());
        assert_eq!((partial.get("Partial-Text"), partial.get("Full-Text")), (Some("aü"), None));
        let none = summarize(TextSetting::None, b"text");
        assert_eq!((none.get("Partial-Text"), none.get("Full-Text")), (None, None));
        assert_eq!(none.get("Title"), Some("text"));
    }

    #[test]
    fn other_charsets_are_read() {
        let draft = summarize(TextSetting::Full, b"\xFF\xFEg\0r\0\xFC\0n\0");
        assert_eq!((draft.get("Title"), draft.get("Charset")), (Some("grün"), Some("UTF-16LE")));
        let draft = summarize(TextSetting::Full, b"Gr\xFC\xDFe aus dem S\xFCden");
        assert_eq!(draft.get("Title"), Some("Grüße aus dem Süden"));
    }

    #[test]
    fn bare_urls_are_references() {
        let draft = summarize(TextSetting::None, b"See http://example.com/x. And (https://example.net/).");
        let urls: Vec<_> = draft.references().iter().map(|reference| reference.url.as_str()).collect();
        assert_eq!(urls, ["http://example.com/x", "https://example.net/"]);
    }
}
