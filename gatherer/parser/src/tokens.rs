//! Words, numbers and signs of a line, and where its sentences end.

use crate::language::{Language, Languages, Tongue};
use crate::layout::{Page, Role};
use std::ops::Range;

/// A word, a number or a sign.
#[derive(Debug, Clone)]
pub struct Token {
    /// Where it stands in the text.
    pub span: Range<usize>,
    /// Its letters, small.
    pub lower: Box<str>,
    /// What it is.
    pub kind: Kind,
    /// Whether it begins with a capital.
    pub is_capital: bool,
    /// The line it stands in.
    pub line: u32,
    /// The sentence it stands in, counted over the page.
    pub sentence: u32,
    /// Its base form, part of speech and governor, where a foreign engine has said them.
    pub(crate) lemma: Option<Box<str>>,
    pub(crate) tag: Option<Tag>,
    pub(crate) head: Option<usize>,
}

/// Parts of speech, as far as the grammar knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Noun,
    Name,
    Verb,
    Aux,
    Adj,
    Adv,
    Prep,
    Det,
    Conj,
    Pron,
    Num,
}

impl Tag {
    /// Its name in the grammar.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Noun | Self::Name => "Noun",
            Self::Verb => "Verb",
            Self::Aux => "Aux",
            Self::Adj => "Adj",
            Self::Adv => "Adv",
            Self::Prep => "Prep",
            Self::Det => "Det",
            Self::Conj => "Conj",
            Self::Pron => "Pron",
            Self::Num => "Num",
        }
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters, also with hyphens and apostrophes inside.
    Word,
    /// Digits.
    Number,
    /// Everything else, one sign each.
    Sign,
}

/// The tokens of a page.
#[derive(Debug, Default)]
pub struct Tokens {
    /// All of them.
    pub all: Vec<Token>,
    /// For each line of the page, its tokens.
    pub lines: Vec<Range<usize>>,
    /// For each line of the page, its language.
    pub tongues: Vec<Tongue>,
    /// How many sentences there are.
    pub sentences: u32,
}

impl Tokens {
    /// Takes all lines of a page apart.
    pub fn read(page: &Page, languages: &Languages, main: Tongue) -> Self {
        let mut tokens = Self::default();
        for (place, line) in page.lines.iter().enumerate() {
            let text = page.line(line);
            let tongue = match line.role {
                Role::Title | Role::Keywords => main,
                _ => languages.of_line(text, main),
            };
            let start = tokens.all.len();
            split(text, line.span.start, u32::try_from(place).unwrap_or(u32::MAX), &mut tokens.all);
            number_sentences(&mut tokens.all[start..], languages.of(tongue), &mut tokens.sentences);
            tokens.lines.push(start..tokens.all.len());
            tokens.tongues.push(tongue);
        }
        tokens
    }

    /// The tokens inside a span of one line.
    pub fn within(&self, line: usize, span: &Range<usize>) -> Range<usize> {
        let all = self.lines[line].clone();
        let tokens = &self.all[all.clone()];
        let start = all.start + tokens.partition_point(|token| token.span.end <= span.start);
        let end = all.start + tokens.partition_point(|token| token.span.start < span.end);
        start..end.max(start)
    }

    /// Those of a range that begin before a place in the text, without signs at their end; none if all of them are signs.
    pub(crate) fn up_to(&self, range: Range<usize>, until: usize) -> Option<Range<usize>> {
        let begins = |at: &usize| self.all[*at].span.start < until && self.all[*at].kind != Kind::Sign;
        range.clone().rev().find(begins).map(|last| range.start..last + 1)
    }
}

fn split(text: &str, offset: usize, line: u32, tokens: &mut Vec<Token>) {
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_whitespace() {
            continue;
        }
        let kind = match first {
            _ if first.is_alphabetic() => Kind::Word,
            _ if first.is_ascii_digit() => Kind::Number,
            _ => Kind::Sign,
        };
        let mut end = start + first.len_utf8();
        let mut kind = kind;
        while kind != Kind::Sign {
            let Some(&(place, letter)) = rest.peek() else { break };
            let next = text[place + letter.len_utf8()..].chars().next();
            let joins = match letter {
                _ if letter.is_alphabetic() => kind == Kind::Word,
                _ if letter.is_ascii_digit() => true,
                '-' | '\u{2010}' | '\u{2011}' => match next {
                    Some(next) if next.is_alphabetic() => {
                        kind = Kind::Word;
                        true
                    }
                    // "Geschäfts- und Messehotel"
                    Some(' ') | None => kind == Kind::Word,
                    _ => false,
                },
                '\'' | '’' => kind == Kind::Word && next.is_some_and(char::is_alphabetic),
                '.' | ',' => kind == Kind::Number && next.is_some_and(|next| next.is_ascii_digit()),
                _ => false,
            };
            if !joins {
                break;
            }
            end = place + letter.len_utf8();
            rest.next();
        }
        let lower = text[start..end].to_lowercase().replace('’', "'").into_boxed_str();
        let span = offset + start..offset + end;
        tokens.push(Token {
            span,
            lower,
            kind,
            is_capital: first.is_uppercase(),
            line,
            sentence: 0,
            lemma: None,
            tag: None,
            head: None,
        });
    }
}

/// A sentence ends with its line at the latest.
fn number_sentences(tokens: &mut [Token], language: &Language, count: &mut u32) {
    if tokens.is_empty() {
        return;
    }
    for place in 0..tokens.len() {
        tokens[place].sentence = *count;
        let last = &*tokens[place].lower;
        let ends = match last {
            "!" | "?" | "…" | "|" | "•" | "·" => true,
            "." => {
                let next_is_capital =
                    tokens.get(place + 1).is_some_and(|next| next.is_capital || next.kind == Kind::Number);
                let before = place.checked_sub(1).map(|before| &tokens[before]);
                let is_short = before.is_some_and(|before| match before.kind {
                    // "Zum Dom sind es 300 m. Haustiere ..."
                    Kind::Word if &*before.lower == "m" => !follows_number(tokens, place - 1),
                    Kind::Word => language.abbreviations.contains(&*before.lower) || before.lower.chars().count() == 1,
                    // "12. Mai", "2. Stock"
                    Kind::Number => {
                        let is_counted =
                            |next: &str| language.months.contains_key(next) || language.has("ordinals", next);
                        tokens.get(place + 1).is_some_and(|next| is_counted(&next.lower))
                    }
                    Kind::Sign => false,
                });
                // "until 2pm. Our chef": with a small word in capitals a sentence begins.
                let begins = tokens.get(place + 1).is_some_and(|next| {
                    next.is_capital && next.lower.chars().count() > 1 && language.is_small(&next.lower)
                });
                next_is_capital && (!is_short || begins)
            }
            _ => false,
        };
        if ends && place + 1 < tokens.len() {
            *count += 1;
        }
    }
    *count += 1;
}

fn follows_number(tokens: &[Token], place: usize) -> bool {
    place.checked_sub(1).is_some_and(|before| tokens[before].kind == Kind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, u32) {
        let languages = Languages::shipped();
        let page = Page::plain(&format!("Titel\n\n{text}"));
        let tokens = Tokens::read(&page, &languages, Tongue::German);
        let words = tokens.all[tokens.lines[1].clone()].iter().map(|token| token.lower.to_string()).collect();
        (words, tokens.sentences - 1)
    }

    #[test]
    fn words_keep_hyphens_and_numbers_their_points() {
        let check = |text: &str, expected: &str| assert_eq!(read(text).0.join("|"), expected);
        check("Bad/WC, 95,00 DM", "bad|/|wc|,|95,00|dm");
        check("Geschäfts- und Messehotel", "geschäfts-|und|messehotel");
        check("4-Sterne-Hotel, St. John's", "4-sterne-hotel|,|st|.|john's");
        check("Mo-Fr 9-18 Uhr", "mo-fr|9|-|18|uhr");
    }

    #[test]
    fn abbreviations_end_no_sentence() {
        let check = |text: &str, expected: u32| assert_eq!(read(text).1, expected, "{text}");
        check("Das Haus liegt ruhig. Es hat Zimmer.", 2);
        check("Tel. 0381 12, ca. 5 km. Ruhig!", 2);
        check("Am 12. Mai 1999 ist Fest.", 1);
        check("Zum Dom sind es 300 m. Haustiere sind willkommen.", 2);
    }
}
