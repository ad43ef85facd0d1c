//! What may stand where a template, a URL or a name stands. Reader and writer share these rules,
//! so what one gives the other takes.

use crate::WriteError;

/// How much a reader takes in. The defaults fit summaries; a caller that streams values on may
/// allow more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a template or an attribute name. Harvest's C library takes 8191.
    pub name: usize,
    /// Bytes of a URL. Harvest's C library takes 8191; URLs have grown since.
    pub url: usize,
    /// Bytes of one value.
    pub value: u64,
    /// Bytes of all names and values of one object.
    pub object: u64,
    /// Attributes of one object.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { name: 8191, url: 65_536, value: 64 << 20, object: 256 << 20, attributes: 100_000 }
    }
}

/// White space as C's `isspace` has it, which counts the vertical tab in.
pub(crate) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// What cannot be inside a name: it ends there, or the line does.
pub(crate) fn ends_name(byte: u8) -> bool {
    matches!(byte, b'{' | b'}') || byte.is_ascii_control()
}

/// What cannot be inside a template.
pub(crate) fn ends_template(byte: u8) -> bool {
    byte == b'{' || is_space(byte)
}

/// What cannot be the first byte of a URL: an object or wrapper begins or ends there.
pub(crate) fn bars_url(byte: u8) -> bool {
    matches!(byte, b'@' | b'{' | b'}')
}

pub(crate) fn template(text: &str, most: usize) -> Result<(), WriteError> {
    let problem = size_problem(text, most)
        .or_else(|| text.bytes().any(ends_template).then(|| "holds white space or a brace".into()));
    judge("template", text, problem)
}

pub(crate) fn url(text: &str, most: usize) -> Result<(), WriteError> {
    let problem = size_problem(text, most)
        .or_else(|| text.bytes().any(is_space).then(|| "holds white space".into()))
        .or_else(|| text.bytes().next().is_some_and(bars_url).then(|| "starts with @ or a brace".into()));
    judge("URL", text, problem)
}

pub(crate) fn name(text: &str, most: usize) -> Result<(), WriteError> {
    let problem = size_problem(text, most)
        .or_else(|| text.bytes().any(ends_name).then(|| "holds a brace or control character".into()))
        .or_else(|| (text.trim_matches(' ') != text).then(|| "starts or ends with a space".into()));
    judge("attribute name", text, problem)
}

/// Names in messages are cut here.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(300).collect()
}

fn size_problem(text: &str, most: usize) -> Option<String> {
    match text.len() {
        0 => Some("is empty".into()),
        length if length > most => Some(format!("is longer than {most} bytes")),
        _ => None,
    }
}

fn judge(what: &'static str, text: &str, problem: Option<String>) -> Result<(), WriteError> {
    problem.map_or(Ok(()), |problem| Err(WriteError::Illegal { what, text: excerpt(text), problem }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: fn(&str, usize) -> Result<(), WriteError>, text: &str, expected: &str) {
        let said = rule(text, 20).err().map(|error| error.to_string());
        assert_eq!(said.as_deref().unwrap_or("fine"), expected);
    }

    #[test]
    fn templates() {
        check(template, "FILE", "fine");
        check(template, "", "template \"\" is empty");
        check(template, "FI LE", "template \"FI LE\" holds white space or a brace");
        check(template, "FILE{", "template \"FILE{\" holds white space or a brace");
    }

    #[test]
    fn urls() {
        check(url, "http://x/{a}@b", "fine");
        check(url, "", "URL \"\" is empty");
        check(url, "http://x/\na", "URL \"http://x/\\na\" holds white space");
        check(url, "a\u{b}", "URL \"a\\u{b}\" holds white space");
        check(url, "}", "URL \"}\" starts with @ or a brace");
        check(url, "@FILE", "URL \"@FILE\" starts with @ or a brace");
        check(url, "http://x/12345678901234567890", "URL \"http://x/12345678901234567890\" is longer than 20 bytes");
    }

    #[test]
    fn names() {
        check(name, "Embed<1>-Last Change", "fine");
        check(name, "größe", "fine");
        check(name, "@id", "fine");
        check(name, "", "attribute name \"\" is empty");
        check(name, "a{b", "attribute name \"a{b\" holds a brace or control character");
        check(name, "a\tb", "attribute name \"a\\tb\" holds a brace or control character");
        check(name, "a\u{7f}", "attribute name \"a\\u{7f}\" holds a brace or control character");
        check(name, " a", "attribute name \" a\" starts or ends with a space");
        check(name, "a ", "attribute name \"a \" starts or ends with a space");
    }

    #[test]
    fn culprits_are_cut_in_messages() {
        let long = "x".repeat(1000);
        let Err(WriteError::Illegal { text, .. }) = name(&long, 20) else { panic!("too long a name is fine") };
        assert_eq!(text.len(), 300);
    }
}
