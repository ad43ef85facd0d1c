//! Text with its white space folded.

/// What stands between two words; the larger one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Nothing: the next text goes on with the word.
    None,
    /// One space.
    Space,
    /// One line break.
    Line,
}

/// A text that grows by pieces up to a limit. Runs of white space become one space, or one line break where
/// one was asked for; there is none at the beginning and none at the end.
#[derive(Debug)]
pub(crate) struct Folded {
    text: String,
    gap: Gap,
    limit: usize,
    full: bool,
}

impl Folded {
    /// An empty text that takes `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), gap: Gap::None, limit, full: limit == 0 }
    }

    /// One line: `text` folded.
    pub(crate) fn line(text: &str, limit: usize) -> String {
        let mut line = Self::new(limit);
        line.push(text);
        line.text
    }

    /// Adds a piece; its line breaks count as spaces.
    pub(crate) fn push(&mut self, piece: &str) {
        self.push_with(piece, Gap::Space);
    }

    /// Adds a piece and keeps its line breaks.
    pub(crate) fn push_lines(&mut self, piece: &str) {
        self.push_with(piece, Gap::Line);
    }

    /// Asks for a gap before the next piece.
    pub(crate) fn gap(&mut self, gap: Gap) {
        if !self.text.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    /// Whether something was left out because of the limit.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn push_with(&mut self, piece: &str, line_break: Gap) {
        for character in piece.chars() {
            match character {
                _ if self.full => return,
                '\n' => self.gap(line_break),
                // Soft hyphen, zero-width space and a lost byte order mark would tear words apart in an index.
                '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
                space if space.is_whitespace() => self.gap(Gap::Space),
                other => self.put(other),
            }
        }
    }

    fn put(&mut self, character: char) {
        let gap = usize::from(self.gap > Gap::None);
        if self.text.len() + gap + character.len_utf8() > self.limit {
            self.full = true;
            return;
        }
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
        self.text.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, pieces: &[&str], expected: &str) {
        let mut folded = Folded::new(limit);
        for piece in pieces {
            folded.push(piece);
        }
        assert_eq!(folded.into_text(), expected);
    }

    #[test]
    fn white_space_is_folded_across_pieces() {
        check(99, &[" a ", "\n b", "c\t", " "], "a bc");
        check(99, &["a\u{a0}\u{3000}b", "\u{ad}c"], "a bc");
    }

    #[test]
    fn the_limit_holds_at_characters() {
        check(4, &["aä bc"], "aä");
        check(4, &["äöü"], "äö");
        check(0, &["a"], "");
    }

    #[test]
    fn a_line_break_wins_over_a_space() {
        let mut folded = Folded::new(99);
        folded.gap(Gap::Line);
        folded.push("a ");
        folded.gap(Gap::Line);
        folded.push(" b");
        folded.push_lines("\n\n c");
        assert_eq!(folded.into_text(), "a\nb\nc");
    }
}
