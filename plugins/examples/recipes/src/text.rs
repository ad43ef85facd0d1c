//! Text as a reader sees it.

use crate::entities;
use crate::tokens::{Token, Tokens};

/// Elements behind and in front of which a line ends.
const BLOCKS: &[&str] = &["p", "li", "br", "div", "ol", "ul", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "section"];

/// Whether an element begins and ends a line.
pub(crate) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// Text that may hold markup and entities, as lines without either.
pub(crate) fn lines(html: &str) -> Vec<String> {
    let mut text = String::new();
    for token in Tokens::new(html) {
        match token {
            Token::Text(part) => text.push_str(&entities::decode(part)),
            Token::Start(tag) if is_block(&tag.name) => text.push('\n'),
            Token::End(name) if is_block(&name) => text.push('\n'),
            _ => {}
        }
    }
    split(&text)
}

/// Plain text as lines, each with single spaces.
pub(crate) fn split(text: &str) -> Vec<String> {
    text.lines().map(squeeze).filter(|line| !line.is_empty()).collect()
}

/// The text in one line with single spaces.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many bytes of a text, with whole characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_lines() {
        assert_eq!(lines("<p>Cut &amp; <b>cook</b></p><p>Eat<br>well"), ["Cut & cook", "Eat", "well"]);
        assert_eq!(lines(" one\n\n two  words "), ["one", "two words"]);
        assert_eq!(lines("heat < 100 °C"), ["heat < 100 °C"]);
        assert_eq!(lines("a<script>b</script>"), ["a"]);
    }

    #[test]
    fn characters_stay_whole() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 9), "aé");
    }
}
