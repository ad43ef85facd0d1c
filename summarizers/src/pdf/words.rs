//! Words put together from the pieces in which pages show them.

use crate::fold::{Folded, Gap};
use crate::postscript::letters;

/// Hyphens that a line may end with.
const HYPHENS: [char; 3] = ['-', '\u{ad}', '\u{2010}'];

/// A text that grows by pieces. Words broken at the end of a line are made whole, and accents that stand alone are put
/// onto their letters.
pub(crate) struct Words {
    text: Folded,
    /// The hyphen at the end of the last piece; it goes if the next line goes on with the word.
    hyphen: Option<char>,
    /// Whether the last piece ended in a small letter.
    is_lowercase: bool,
    /// An accent at the end of the last piece.
    accent: Option<char>,
}

impl Words {
    /// An empty text that takes `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: Folded::new(limit), hyphen: None, is_lowercase: false, accent: None }
    }

    /// Whether something was left out because of the limit.
    pub(crate) fn is_full(&self) -> bool {
        self.text.is_full()
    }

    /// Adds a piece behind a gap.
    pub(crate) fn add(&mut self, piece: &str, gap: Gap) {
        let goes_on = gap == Gap::Line && piece.starts_with(char::is_lowercase);
        match self.hyphen.take() {
            Some(_) if goes_on => {}
            hyphen => {
                self.put(hyphen);
                self.text.gap(gap);
            }
        }
        let piece = &*letters::accented(piece, &mut self.accent, gap == Gap::None);
        let bare = piece.strip_suffix(HYPHENS);
        let in_word = self.is_lowercase && gap == Gap::None;
        match bare.filter(|bare| bare.ends_with(char::is_lowercase) || bare.is_empty() && in_word) {
            Some(bare) => {
                self.hyphen = piece.chars().next_back();
                self.text.push(bare);
            }
            None => self.text.push(piece),
        }
        if !piece.is_empty() {
            self.is_lowercase = piece.ends_with(char::is_lowercase);
        }
    }

    /// Ends a page: words do not go on behind it.
    pub(crate) fn end(&mut self) {
        let (hyphen, accent) = (self.hyphen.take(), self.accent.take());
        self.put(hyphen);
        self.put(accent);
        self.text.gap(Gap::Line);
    }

    /// The text.
    pub(crate) fn into_text(mut self) -> String {
        self.end();
        self.text.into_text()
    }

    fn put(&mut self, character: Option<char>) {
        self.text.push(character.unwrap_or_default().encode_utf8(&mut [0; 4]).trim_matches('\0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[(&str, Gap)], expected: &str) {
        let mut words = Words::new(100);
        pieces.iter().for_each(|(piece, gap)| words.add(piece, *gap));
        assert_eq!(words.into_text(), expected);
    }

    #[test]
    fn broken_words_are_made_whole() {
        check(&[("docu-", Gap::Line), ("ment", Gap::Line)], "document");
        check(&[("docu", Gap::Line), ("-", Gap::None), ("ment", Gap::Line)], "document");
        check(&[("well-", Gap::Line), ("Known", Gap::Line)], "well-\nKnown");
        check(&[("well-", Gap::Line), ("known", Gap::None)], "well-known");
        check(&[("1-", Gap::Line), ("a", Gap::Line)], "1-\na");
        check(&[("a -", Gap::Line), ("b", Gap::Space), ("c-", Gap::Line)], "a - b\nc-");
    }

    #[test]
    fn accents_find_their_letters_across_pieces() {
        check(&[("caf", Gap::Line), ("´", Gap::None), ("e", Gap::None)], "cafe\u{301}");
        check(&[("caf´", Gap::Line), ("e", Gap::Line), ("¨", Gap::Space)], "caf\n´e ¨");
    }
}
