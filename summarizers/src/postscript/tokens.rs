//! The words of a PostScript program.

/// Most bytes of one string.
const STRING_LIMIT: usize = 64 << 10;

/// One word.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// `(text)` or `<hexadecimal>`
    Text(Vec<u8>),
    Number(f64),
    /// An operator.
    Word(&'a [u8]),
    /// `/name`
    Name(&'a [u8]),
    /// One of `{`, `}`, `[`, `]`
    Bracket(u8),
    /// A comment up to the end of its line, without its first `%`.
    Comment(&'a [u8]),
}

/// Goes through a program once.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(program: &'a [u8]) -> Self {
        Self { rest: program }
    }

    /// What stands before the first byte of this kind; goes on with that byte.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| ends(*byte)).unwrap_or(self.rest.len());
        let (before, after) = self.rest.split_at(end);
        self.rest = after;
        before
    }

    /// A string up to its closing bracket, with its escapes resolved.
    fn string(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut depth = 1_usize;
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => {
                    text.extend(self.escape());
                    continue;
                }
                _ => {}
            }
            if depth == 0 || text.len() >= STRING_LIMIT {
                break;
            }
            text.push(byte);
        }
        text
    }

    fn escape(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        match byte {
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'r' => Some(b'\r'),
            b'b' | b'f' | b'\n' => None,
            b'\r' => {
                self.rest = self.rest.strip_prefix(b"\n").unwrap_or(self.rest);
                None
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some((&digit @ b'0'..=b'7', rest)) = self.rest.split_first() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.rest = rest;
                }
                u8::try_from(code & 0xff).ok()
            }
            other => Some(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        let digits = self.until(|byte| byte == b'>');
        self.rest = self.rest.get(1..).unwrap_or_default();
        let digits = digits.iter().take(2 * STRING_LIMIT).filter_map(|digit| char::from(*digit).to_digit(16));
        let digits: Vec<_> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            if is_regular(byte) {
                let word = self.until(|byte| !is_regular(byte));
                let number = std::str::from_utf8(word).ok().filter(|_| !byte.is_ascii_alphabetic());
                return Some(match number.and_then(|word| word.parse().ok()) {
                    Some(number) => Token::Number(number),
                    None => Token::Word(word),
                });
            }
            self.rest = rest;
            match byte {
                b'(' => return Some(Token::Text(self.string())),
                b'<' if rest.first() == Some(&b'<') => self.rest = rest.get(1..).unwrap_or_default(),
                b'<' => return Some(Token::Text(self.hexadecimal())),
                b'{' | b'}' | b'[' | b']' => return Some(Token::Bracket(byte)),
                b'/' => return Some(Token::Name(self.until(|byte| !is_regular(byte)))),
                b'%' => return Some(Token::Comment(self.until(|byte| matches!(byte, b'\n' | b'\r')))),
                _ => {}
            }
        }
    }
}

fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && byte != 0 && !b"()<>[]{}/%".contains(&byte)
}
