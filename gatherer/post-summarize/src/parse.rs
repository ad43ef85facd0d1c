//! Reads conditions.
//!
//! ```text
//! condition = [ any ]
//! any       = all *( "||" all )
//! all       = unit *( "&&" unit )
//! unit      = "(" any ")" / "true" / name ( "==" / "!=" ) quoted / name ( "~" / "!~" ) ( quoted / "/" regex "/" )
//! ```

use crate::condition::{Condition, Test};
use regex::Regex;

/// Deepest nesting of brackets.
const DEPTH_LIMIT: usize = 64;

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// In words, with the place for people.
    pub(crate) message: String,
    /// The byte where it was noticed.
    pub(crate) at: usize,
}

/// Reads a whole condition; the first mistake ends it.
pub(crate) fn parse(text: &str) -> Result<Condition, Mistake> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip_space();
    if parser.rest().is_empty() {
        return Ok(Condition::Always);
    }
    let condition = parser.any()?;
    if parser.rest().is_empty() { Ok(condition) } else { Err(parser.expected("&& or || or the end")) }
}

/// Stands before the next token: every method that takes one skips the space behind it.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn any(&mut self) -> Result<Condition, Mistake> {
        let mut parts = vec![self.all()?];
        while self.eat("||") {
            parts.push(self.all()?);
        }
        Ok(only(&mut parts).unwrap_or(Condition::Any(parts)))
    }

    fn all(&mut self) -> Result<Condition, Mistake> {
        let mut parts = vec![self.unit()?];
        while self.eat("&&") {
            parts.push(self.unit()?);
        }
        Ok(only(&mut parts).unwrap_or(Condition::All(parts)))
    }

    fn unit(&mut self) -> Result<Condition, Mistake> {
        let start = self.at;
        if self.eat("(") {
            return self.bracket(start);
        }
        let name = self.name()?;
        let operators = [("==", false, true), ("!=", false, false), ("~", true, true), ("!~", true, false)];
        let Some((operator, pattern, wanted)) = operators.into_iter().find(|(operator, ..)| self.eat(operator)) else {
            let always = name.eq_ignore_ascii_case("true");
            let expected = || self.expected(&format!("== != ~ or !~ after `{name}`"));
            return if always { Ok(Condition::Always) } else { Err(expected()) };
        };
        let test = if pattern { self.pattern(operator)? } else { self.equal(operator)? };
        Ok(Condition::Value { attribute: name.to_owned(), test, wanted })
    }

    fn bracket(&mut self, start: usize) -> Result<Condition, Mistake> {
        if self.depth == DEPTH_LIMIT {
            return Err(self.mistake(start, &format!("brackets nested deeper than {DEPTH_LIMIT}")));
        }
        self.depth += 1;
        let inner = self.any()?;
        self.depth -= 1;
        if self.eat(")") {
            return Ok(inner);
        }
        let Mistake { message, at } = self.expected("&& or || or )");
        Err(Mistake { message: format!("{message}, for the ( at character {}", self.character(start)), at })
    }

    fn name(&mut self) -> Result<&'a str, Mistake> {
        let rest = self.rest();
        let end = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected("an attribute name, `true` or ("));
        }
        self.advance(end);
        Ok(&rest[..end])
    }

    fn equal(&mut self, operator: &str) -> Result<Test, Mistake> {
        match self.quoted()? {
            Some(text) => Ok(Test::Equals(text.to_owned())),
            None => Err(self.expected(&format!("a text in quotes after {operator}"))),
        }
    }

    fn pattern(&mut self, operator: &str) -> Result<Test, Mistake> {
        let start = self.at;
        let pattern = match self.quoted()? {
            Some(text) => text.to_owned(),
            None if self.rest().starts_with('/') => self.between_slashes()?,
            None => return Err(self.expected(&format!("a regex as /regex/ or in quotes after {operator}"))),
        };
        let regex = Regex::new(&pattern);
        regex.map(Test::Matches).map_err(|error| self.mistake(start, &format!("{} in the regex", gist(&error))))
    }

    /// A text in single or double quotes, taken as it stands.
    fn quoted(&mut self) -> Result<Option<&'a str>, Mistake> {
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|first| matches!(first, '\'' | '"')) else { return Ok(None) };
        let Some(end) = rest[1..].find(quote) else {
            return Err(self.mistake(self.at, &format!("no closing {quote} for the text that starts")));
        };
        self.advance(end + 2);
        Ok(Some(&rest[1..=end]))
    }

    /// A regex between slashes; `\/` is a slash, other escapes are the regex's own.
    fn between_slashes(&mut self) -> Result<String, Mistake> {
        let mut pattern = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match (character, if character == '\\' { characters.next() } else { None }) {
                ('/', _) => {
                    self.advance(at + 1);
                    return Ok(pattern);
                }
                (_, Some((_, '/'))) => pattern.push('/'),
                (_, Some((_, escaped))) => pattern.extend([character, escaped]),
                (_, None) => pattern.push(character),
            }
        }
        Err(self.mistake(self.at, "no closing / for the regex that starts"))
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.advance(token.len());
        }
        found
    }

    fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_space();
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn expected(&self, what: &str) -> Mistake {
        self.mistake(self.at, &format!("expected {what}"))
    }

    fn mistake(&self, at: usize, what: &str) -> Mistake {
        Mistake { message: format!("{what} at character {}", self.character(at)), at }
    }

    /// Places as people count them: characters, from 1.
    fn character(&self, at: usize) -> usize {
        self.text[..at].chars().count() + 1
    }
}

fn only(parts: &mut Vec<Condition>) -> Option<Condition> {
    if parts.len() == 1 { parts.pop() } else { None }
}

/// The regex crate draws the place below the pattern; its last line says what is wrong.
pub(crate) fn gist(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").trim_end_matches('.').to_owned()
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_.:+#*".contains(character)
}

#[cfg(test)]
mod tests;
