//! The bytes of a stream, one by one and in pieces, with their place counted.

use std::io::{self, BufRead, Write};

use thiserror::Error;

use crate::legal::is_space;

/// What is wrong at the present place. The reader adds the place and the object.
#[derive(Debug, Error)]
pub(crate) enum Flaw {
    #[error("cannot be read")]
    Source(io::Error),
    #[error("ends too early")]
    End,
    #[error("{0}")]
    Bad(String),
    #[error("{what} over the limit of {limit}")]
    TooLarge { what: String, limit: u64 },
    /// `@TEMPLATE {` where a name should stand: the object before it has no end.
    #[error("no closing brace before the next header {0:?}")]
    Unclosed(String),
    #[error("cannot be written out")]
    Sink(io::Error),
}

#[derive(Debug)]
pub(crate) struct Input<R> {
    source: R,
    offset: u64,
    at_line_start: bool,
}

/// What a skipped line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Blank,
    /// Nothing but `}`.
    Brace,
    Other,
}

impl<R: BufRead> Input<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, offset: 0, at_line_start: true }
    }

    /// How many bytes have been read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the next byte is the first of its line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.at_line_start
    }

    /// The next byte, left in place; `None` at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Flaw> {
        Ok(self.fill()?.first().copied())
    }

    /// Goes on behind `byte`, which [`peek`](Self::peek) has just given.
    pub(crate) fn pass(&mut self, byte: u8) {
        self.source.consume(1);
        self.offset += 1;
        self.at_line_start = byte == b'\n';
    }

    /// Goes on behind `wanted` if that comes next, else the problem is said.
    pub(crate) fn expect(&mut self, wanted: u8, problem: impl FnOnce() -> String) -> Result<(), Flaw> {
        match self.peek()? {
            None => Err(Flaw::End),
            Some(byte) if byte != wanted => Err(Flaw::Bad(problem())),
            Some(byte) => {
                self.pass(byte);
                Ok(())
            }
        }
    }

    /// Goes on behind all such bytes and gives the one that comes next.
    pub(crate) fn skip_while(&mut self, such: impl Fn(u8) -> bool) -> Result<Option<u8>, Flaw> {
        loop {
            match self.peek()? {
                Some(byte) if such(byte) => self.pass(byte),
                next => return Ok(next),
            }
        }
    }

    /// Goes on behind the next line break or to the end.
    pub(crate) fn skip_line(&mut self) -> Result<Line, Flaw> {
        let mut line = Line::Blank;
        while let Some(byte) = self.peek()? {
            self.pass(byte);
            match (byte, line) {
                (b'\n', _) => break,
                (b'}', Line::Blank) => line = Line::Brace,
                (byte, _) if is_space(byte) => {}
                _ => line = Line::Other,
            }
        }
        Ok(line)
    }

    /// All bytes before the first that `ends` the token, which stays in place. A token cannot
    /// end with the stream.
    pub(crate) fn token(&mut self, what: &str, most: usize, ends: fn(u8) -> bool) -> Result<String, Flaw> {
        let mut bytes = Vec::new();
        loop {
            let byte = self.peek()?.ok_or(Flaw::End)?;
            if ends(byte) {
                return Ok(decode(bytes));
            }
            if bytes.len() == most {
                return Err(Flaw::TooLarge { what: what.into(), limit: most as u64 });
            }
            bytes.push(byte);
            self.pass(byte);
        }
    }

    /// Gives the sink one piece of the `left` bytes and counts them down, also if the sink fails.
    pub(crate) fn copy<W: Write + ?Sized>(&mut self, left: &mut u64, sink: &mut W) -> Result<(), Flaw> {
        let most = usize::try_from(*left).unwrap_or(usize::MAX);
        let filled = self.fill()?;
        let piece = &filled[..filled.len().min(most)];
        let count = piece.len();
        let last = *piece.last().ok_or(Flaw::End)?;
        let written = sink.write_all(piece);
        self.source.consume(count);
        self.offset += count as u64;
        self.at_line_start = last == b'\n';
        *left -= count as u64;
        written.map_err(Flaw::Sink)
    }

    /// What the source has buffered; nothing at the end.
    fn fill(&mut self) -> Result<&[u8], Flaw> {
        loop {
            match self.source.fill_buf() {
                Ok([]) => return Ok(&[]),
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Flaw::Source(error)),
            }
        }
        // Asked again because the borrow cannot leave the loop; a filled buffer is not read anew.
        self.source.fill_buf().map_err(Flaw::Source)
    }
}

/// UTF-8 if it is, else ISO 8859-1, which anything is.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (text, expected, left) in [
            ("\nx", Line::Blank, "x"),
            (" \t\r\n", Line::Blank, ""),
            ("}\n}", Line::Brace, "}"),
            (" } \r\n", Line::Brace, ""),
            ("}", Line::Brace, ""),
            ("}}\n", Line::Other, ""),
            ("a }\n", Line::Other, ""),
        ] {
            let mut source = text.as_bytes();
            let line = Input::new(&mut source).skip_line().expect("memory does not fail");
            assert_eq!((line, source), (expected, left.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn tokens_that_are_not_utf8_are_latin_1() {
        for (bytes, expected) in [(b"caf\xc3\xa9 ".as_slice(), "café"), (b"caf\xe9 ", "café")] {
            let token = Input::new(bytes).token("word", 9, is_space).expect("a token");
            assert_eq!(token, expected);
        }
    }

    #[test]
    fn places_are_counted_through_pieces() {
        let mut input = Input::new(b"ab\ncd".as_slice());
        let mut left = 3;
        input.copy(&mut left, &mut io::sink()).expect("memory does not fail");
        assert_eq!((left, input.offset(), input.at_line_start()), (0, 3, true));
        input.pass(b'c');
        assert_eq!((input.offset(), input.at_line_start()), (4, false));
    }
}
