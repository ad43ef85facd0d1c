//! HTML as tokens: tags, the text between them, and the insides of elements that hold no markup.

use crate::entities;
use std::borrow::Cow;

/// Elements whose insides are text up to their own end tag.
const RAW: &[&str] = &["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];

/// Elements that never have an end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// A piece of a page.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Start(Tag<'a>),
    /// The name of the element, in small letters.
    End(String),
    /// Text with its entities as they are written.
    Text(&'a str),
    /// The inside of an element that holds no markup; it stands right behind its start tag.
    Raw(&'a str),
}

/// A start tag.
#[derive(Debug, PartialEq)]
pub(crate) struct Tag<'a> {
    /// In small letters.
    pub(crate) name: String,
    attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> Tag<'a> {
    /// The value of an attribute without its entities. If it is there more than once, the first counts.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let found = self.attributes.iter().find(|(attribute, _)| attribute.eq_ignore_ascii_case(name));
        found.map(|(_, value)| entities::decode(value))
    }

    pub(crate) fn is_void(&self) -> bool {
        VOID.contains(&self.name.as_str())
    }
}

/// The tokens of a page.
pub(crate) struct Tokens<'a> {
    rest: &'a str,
    /// The element whose raw inside comes next.
    raw: Option<String>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None }
    }

    /// Takes so many bytes off the front.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn raw(&mut self, name: &str) -> Token<'a> {
        let is_end = |place: &usize| {
            let behind = self.rest[*place..].strip_prefix("</").unwrap_or_default();
            behind.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                && !behind[name.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
        };
        let end = self.rest.match_indices('<').map(|(place, _)| place).find(is_end);
        Token::Raw(self.take(end.unwrap_or(self.rest.len())))
    }

    /// Passes over a comment, a doctype or a processing instruction.
    fn pass_over_comment(&mut self) {
        let end = match self.rest.strip_prefix("<!--") {
            Some(inside) if inside.starts_with('>') => Some(5),
            Some(inside) if inside.starts_with("->") => Some(6),
            Some(inside) => inside.find("-->").map(|place| 4 + place + 3),
            None => self.rest.find('>').map(|place| place + 1),
        };
        self.take(end.unwrap_or(self.rest.len()));
    }

    fn end_tag(&mut self) -> Token<'a> {
        self.take(2);
        let name = self.name();
        self.attributes();
        Token::End(name)
    }

    fn start_tag(&mut self) -> Token<'a> {
        self.take(1);
        let name = self.name();
        let attributes = self.attributes();
        self.raw = RAW.contains(&name.as_str()).then(|| name.clone());
        Token::Start(Tag { name, attributes })
    }

    fn name(&mut self) -> String {
        let is_end = |next: char| next.is_ascii_whitespace() || matches!(next, '/' | '>');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        self.take(end).to_ascii_lowercase()
    }

    /// Reads to the end of a tag. A quote counts only behind an equals sign.
    fn attributes(&mut self) -> Vec<(&'a str, &'a str)> {
        let mut attributes = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(|next: char| next.is_ascii_whitespace() || next == '/');
            let Some(first) = self.rest.chars().next() else { return attributes };
            if first == '>' {
                self.take(1);
                return attributes;
            }
            // An equals sign in front of everything is part of the name.
            let is_end = |next: char| next.is_ascii_whitespace() || matches!(next, '/' | '>' | '=');
            let skip = first.len_utf8();
            let end = self.rest[skip..].find(is_end).map_or(self.rest.len(), |place| skip + place);
            let name = self.take(end);
            attributes.push((name, self.value()));
        }
    }

    fn value(&mut self) -> &'a str {
        let behind = self.rest.trim_ascii_start();
        let Some(value) = behind.strip_prefix('=') else { return "" };
        self.rest = value.trim_ascii_start();
        let quote = self.rest.chars().next().filter(|first| matches!(first, '"' | '\''));
        let Some(quote) = quote else {
            let is_end = |next: char| next.is_ascii_whitespace() || next == '>';
            let end = self.rest.find(is_end).unwrap_or(self.rest.len());
            return self.take(end);
        };
        self.take(1);
        let end = self.rest.find(quote).unwrap_or(self.rest.len());
        let value = self.take(end);
        self.rest = self.rest.get(1..).unwrap_or_default();
        value
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.raw.take() {
            return Some(self.raw(&name));
        }
        loop {
            let mut ahead = self.rest.chars();
            let (first, second) = (ahead.next()?, ahead.next());
            let third = ahead.next();
            let is_letter = |next: Option<char>| next.is_some_and(|next| next.is_ascii_alphabetic());
            match (first, second) {
                ('<', Some('/')) if is_letter(third) => return Some(self.end_tag()),
                ('<', Some('!' | '?' | '/')) => self.pass_over_comment(),
                ('<', _) if is_letter(second) => return Some(self.start_tag()),
                _ => {
                    let skip = first.len_utf8();
                    let end = self.rest[skip..].find('<').map_or(self.rest.len(), |place| skip + place);
                    return Some(Token::Text(self.take(end)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens in a short form: `<a href=x>`, `</a>`, `text`, `[raw]`.
    fn check(html: &str, expected: &[&str]) {
        let short = |token| match token {
            Token::Start(tag) => {
                let attributes = tag.attributes.iter().map(|(name, value)| format!(" {name}={value}"));
                format!("<{}{}>", tag.name, attributes.collect::<Vec<_>>().concat())
            }
            Token::End(name) => format!("</{name}>"),
            Token::Text(text) => text.to_owned(),
            Token::Raw(text) => format!("[{text}]"),
        };
        assert_eq!(Tokens::new(html).map(short).collect::<Vec<_>>(), expected, "{html}");
    }

    #[test]
    fn tags_and_text() {
        check("a<B>c</b >d<br/>", &["a", "<b>", "c", "</b>", "d", "<br>"]);
        check("1 < 2 <3 </ > <", &["1 ", "< 2 ", "<3 ", " ", "<"]);
    }

    #[test]
    fn attributes_in_all_quotes() {
        check("<a x=1 y='2 >' z=\"3'>\" w>t", &["<a x=1 y=2 > z=3'> w=>", "t"]);
        check("<a href=a/b?c=d&e data-x = 'y'z=1/>", &["<a href=a/b?c=d&e data-x=y z=1/>"]);
        check("<a \"b\" =c=d>", &["<a \"b\"=c=d>"]);
        check("<a =c>", &["<a =c=>"]);
        check("<a/b/c='/'>", &["<a b= c=/>"]);
    }

    #[test]
    fn comments_are_passed_over() {
        check("a<!-- <b> -->c<!doctype html><?x?></3>d<!-->e<!--->f<!-- g", &["a", "c", "d", "e", "f"]);
    }

    #[test]
    fn raw_insides_end_with_their_own_tag() {
        check("<script>if (a<b) '</a>'</SCRIPT >c", &["<script>", "[if (a<b) '</a>']", "</script>", "c"]);
        check("<title>a</titles></title>", &["<title>", "[a</titles>]", "</title>"]);
        check("<style>é<", &["<style>", "[é<]"]);
    }

    #[test]
    fn what_ends_too_early_is_no_trouble() {
        check("<a href=\"b", &["<a href=b>"]);
        check("<a href=", &["<a href=>"]);
        check("<a", &["<a>"]);
        check("</", &[]);
    }
}
