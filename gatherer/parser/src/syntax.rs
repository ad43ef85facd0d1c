//! What the grammar says of mentions: which stand in one enumeration, and which preposition governs them.

use crate::domain::Domain;
use crate::language::{Languages, Tongue};
use crate::mentions::{Mention, What};
use crate::tokens::{Kind, Tag, Token, Tokens};
use std::ops::Range;

/// The place of each mention in its sentence.
#[derive(Debug, Default)]
pub(crate) struct Syntax {
    /// The enumeration that a mention stands in.
    pub(crate) group: Vec<Option<u32>>,
    /// The preposition before it.
    pub(crate) prep: Vec<Option<Box<str>>>,
}

pub(crate) fn read(tokens: &Tokens, mentions: &[Mention], domain: &Domain, languages: &Languages) -> Syntax {
    let mut syntax = Syntax { group: vec![None; mentions.len()], prep: vec![None; mentions.len()] };
    let mut groups = 0;
    let mut start = 0;
    while start < mentions.len() {
        let (line, sentence) = (mentions[start].line, mentions[start].sentence);
        let end = start
            + mentions[start..]
                .iter()
                .take_while(|mention| mention.line == line && mention.sentence == sentence)
                .count();
        sentence_syntax(tokens, mentions, start..end, domain, languages, &mut syntax, &mut groups);
        start = end;
    }
    syntax
}

fn sentence_syntax(
    tokens: &Tokens,
    mentions: &[Mention],
    own: Range<usize>,
    domain: &Domain,
    languages: &Languages,
    syntax: &mut Syntax,
    groups: &mut u32,
) {
    let first = &mentions[own.start];
    let tongue = tokens.tongues[first.line];
    let range = tokens.lines[first.line].clone();
    let of_sentence: Vec<_> = range.filter(|place| tokens.all[*place].sentence == first.sentence).collect();
    let Some((&from, &to)) = of_sentence.first().zip(of_sentence.last()) else { return };
    let (mut classes, mut signs) = (Vec::new(), Vec::new());
    let mut next = own.start;
    let mut place = from;
    while place <= to {
        while next < own.end && mentions[next].tokens.end <= place {
            next += 1;
        }
        if next < own.end && mentions[next].tokens.start <= place {
            classes.push(match mentions[next].what {
                What::Thing(_) | What::Value(..) | What::Free => "Term",
                What::Place(_) => "Place",
                What::Agent(_) => "Name",
                What::Literal(..) => "Lit",
            });
            signs.push((place, Some(next)));
            place = mentions[next].tokens.end.max(place + 1);
            next += 1;
            continue;
        }
        classes.push(class(&tokens.all[place], languages, tongue));
        signs.push((place, None));
        place += 1;
    }
    for chunk in domain.grammar.parse(&classes) {
        let inside = signs[chunk.signs.clone()].iter().filter_map(|(_, mention)| *mention);
        match domain.grammar.name(chunk.rule) {
            "COORD" => {
                *groups += 1;
                inside.for_each(|mention| syntax.group[mention] = Some(*groups));
            }
            "PP" => {
                let prep = signs[chunk.signs.clone()].iter().find(|(place, mention)| {
                    mention.is_none() && class(&tokens.all[*place], languages, tongue) == "Prep"
                });
                if let Some((place, _)) = prep {
                    let word = tokens.all[*place].lower.clone();
                    inside.for_each(|mention| syntax.prep[mention] = Some(word.clone()));
                }
            }
            _ => {}
        }
    }
}

/// The class of a word, for the grammar.
pub(crate) fn class<'l>(token: &Token, languages: &'l Languages, tongue: Tongue) -> &'l str {
    match token.kind {
        Kind::Number => "Num",
        Kind::Sign => match &*token.lower {
            "," | ";" => "Comma",
            ":" => "Colon",
            "/" | "|" | "+" => "Slash",
            "-" | "–" | "—" => "Dash",
            "(" => "Open",
            ")" => "Close",
            "&" => "Conj",
            _ => "Sign",
        },
        Kind::Word => {
            let language = languages.of(tongue);
            match language.classes.get(&*token.lower) {
                Some(class) => class,
                None if language.numbers.contains_key(&*token.lower) => "Num",
                None if token.tag.is_some() => token.tag.map_or("Adj", Tag::class),
                None if token.is_capital => "Noun",
                None if tongue == Tongue::English && token.lower.ends_with("ly") => "Adv",
                None => "Adj",
            }
        }
    }
}
