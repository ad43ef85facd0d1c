//! Text with its white space folded.

/// What stands between two words; the larger one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
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
pub struct Folded {
    text: String,
    gap: Gap,
    limit: usize,
    full: bool,
}

impl Folded {
    /// An empty text that takes `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { text: String::new(), gap: Gap::None, limit, full: limit == 0 }
    }

    /// One line: `text` folded.
    pub fn line(text: &str, limit: usize) -> String {
        let mut line = Self::new(limit);
        line.push(text);
        line.text
    }

    /// Adds a piece; its line breaks count as spaces.
    pub fn push(&mut self, piece: &str) {
        self.push_with(piece, Gap::Space);
    }

    /// Adds a piece and keeps its line breaks.
    pub fn push_lines(&mut self, piece: &str) {
        self.push_with(piece, Gap::Line);
    }

    /// Asks for a gap before the next piece.
    pub fn gap(&mut self, gap: Gap) {
        if !self.text.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    /// Whether something was left out because of the limit.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.text
    }

    fn push_with(&mut self, piece: &str, line_break: Gap) {
        let mut rest = piece;
        while !self.full {
            let (plain, other) = rest.split_at(plain_length(rest.as_bytes()));
            self.put_plain(plain);
            let mut characters = other.chars();
            match characters.next() {
                None => return,
                Some('\n') => self.gap(line_break),
                // Soft hyphen, zero-width space and a lost byte order mark would tear words apart in an index.
                Some('\u{ad}' | '\u{200b}' | '\u{feff}') => {}
                Some(space) if space.is_whitespace() => self.gap(Gap::Space),
                Some(other) => self.put(other),
            }
            rest = characters.as_str();
        }
    }

    /// Words with single spaces between them, as most text is.
    fn put_plain(&mut self, words: &str) {
        let gap = usize::from(self.gap > Gap::None);
        let room = self.limit.saturating_sub(self.text.len() + gap);
        let fitting =
            if words.len() <= room { words } else { words[..words.floor_char_boundary(room)].trim_end_matches(' ') };
        self.full = fitting.len() < words.len();
        if !fitting.is_empty() {
            self.put_gap();
            self.text.push_str(fitting);
        }
    }

    fn put(&mut self, character: char) {
        let gap = usize::from(self.gap > Gap::None);
        if self.text.len() + gap + character.len_utf8() > self.limit {
            self.full = true;
            return;
        }
        self.put_gap();
        self.text.push(character);
    }

    fn put_gap(&mut self) {
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
    }
}

/// Bytes of characters that stand for themselves: no spaces, no controls, and nothing that is to be left out. Where a
/// first byte is shared with such a character it is missing; other bytes of a character count as its first does.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x21;
    while byte < 256 {
        plain[byte] = !matches!(byte, 0x7f | 0xc2 | 0xe1 | 0xe2 | 0xe3 | 0xef);
        byte += 1;
    }
    plain
};

/// How many bytes at the beginning are words of plain characters with single spaces between them.
fn plain_length(bytes: &[u8]) -> usize {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(|byte| PLAIN[usize::from(*byte)]);
    let mut length = 0;
    loop {
        let rest = bytes.get(length..).unwrap_or_default();
        length += rest.iter().position(|byte| !PLAIN[usize::from(*byte)]).unwrap_or(rest.len());
        if length == 0 || bytes.get(length) != Some(&b' ') || !is_plain(bytes.get(length + 1)) {
            return length;
        }
        length += 1;
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
        check(99, &["für  öde\u{2003}Ängste: 日本 かな\u{200b}\u{feff}x\u{7f}"], "für öde Ängste: 日本 かなx\u{7f}");
    }

    #[test]
    fn the_limit_holds_at_characters() {
        check(4, &["aä bc"], "aä");
        check(4, &["äöü"], "äö");
        check(0, &["a"], "");
        check(5, &["one two"], "one t");
        check(2, &["aäö"], "a");
        check(4, &["one two"], "one");
        check(3, &["one", " two"], "one");
        check(7, &["one", " two"], "one two");
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
