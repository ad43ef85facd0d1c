//! The words of a domain: which concept a word stands for, in all its forms.

#[cfg(test)]
mod tests;

use crate::language::{Language, Languages, Tongue};
use crate::morphology::{forms, is_adjective_of};
use crate::tokens::{Kind, Token};
use crate::words::WordMap;
use gatherer_abstracts::ontology::{ClassId, Ontology, SlotId};
use std::collections::HashMap;

/// Longest entry, in tokens.
const LONGEST: usize = 8;

/// A word or phrase of the lexicon.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The base form, as written in the lexicon.
    pub lemma: String,
    /// What it stands for.
    pub concept: Concept,
    /// What else is known of it.
    pub flags: Flags,
    /// The line of the file, for complaints.
    pub line: usize,
}

/// What a word stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concept {
    /// A thing of this class.
    Thing(ClassId),
    /// A value of a slot of whatever it is said of.
    Value(SlotId, String),
    /// No money is asked.
    Free,
    /// Nothing: the word is known, so that no part of it is taken for something.
    Nothing,
}

/// What else is known of a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word in the third column of a lexicon")]
pub struct Flags {
    /// It may be part of a proper name.
    pub name: bool,
    /// It never ends a compound.
    pub whole: bool,
    /// It may point back to what the page is about, and says little about its kind.
    pub anaphor: bool,
    /// A proper name follows it.
    pub title: bool,
    /// The name of a place follows it.
    pub place_head: bool,
    /// The name of a place stands before it, although it is written small: "Ganderby station".
    pub placed: bool,
    /// It belongs to the house and not to a unit of it.
    pub house: bool,
    /// The last word of the phrase says only what kind of thing it is: "British cuisine" is called "british".
    pub style: bool,
    /// It is no equipment of a room.
    pub apart: bool,
    /// A page may be about it as something of this class.
    pub focus: Option<ClassId>,
    /// It is equipment of what is lived in, and of nothing else.
    pub inner: bool,
    /// In a house that lets units it is a unit of this class.
    pub unit: Option<ClassId>,
    /// Where a price of entrance is asked it is a sight of this class.
    pub sight: Option<ClassId>,
    /// Beside a price it says that this is included.
    pub board: Option<ClassId>,
    /// It is only a label, and no thing.
    pub label: bool,
    /// Alone it counts only in short lines and enumerations.
    pub bare: bool,
    /// It counts only where a line or a cell begins.
    pub first: bool,
    /// It counts only on pages about something of this class, and as one of several.
    pub on: Option<ClassId>,
    /// It is called by its name as a whole, such as a card.
    pub card: bool,
    /// It counts only as part of a list of its kind, never beside a number of its own.
    pub noncontact: bool,
}

const FLAGS: &[&str] = &[
    "name",
    "whole",
    "anaphor",
    "title",
    "placehead",
    "placed",
    "house",
    "inner",
    "apart",
    "style",
    "label",
    "bare",
    "first",
    "card",
    "noncontact",
    "plural",
];

impl Flags {
    fn read(text: &str, ontology: &Ontology) -> Result<Self, String> {
        let mut flags = Self::default();
        for word in text.split_whitespace() {
            if let Some(class) = word.strip_prefix("unit:") {
                flags.unit =
                    Some(ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?);
                continue;
            }
            if let Some(class) = word.strip_prefix("sight:") {
                flags.sight =
                    Some(ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?);
                continue;
            }
            if let Some(class) = word.strip_prefix("board:") {
                flags.board =
                    Some(ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?);
                continue;
            }
            if let Some(class) = word.strip_prefix("on:") {
                flags.on =
                    Some(ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?);
                continue;
            }
            if let Some(class) = word.strip_prefix("focus:") {
                flags.focus =
                    Some(ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?);
                continue;
            }
            match word {
                "inner" => flags.inner = true,
                "name" => flags.name = true,
                "whole" => flags.whole = true,
                "anaphor" => flags.anaphor = true,
                "title" => flags.title = true,
                "placehead" => flags.place_head = true,
                "placed" => flags.placed = true,
                "house" => flags.house = true,
                "apart" => flags.apart = true,
                "style" => flags.style = true,
                "label" => flags.label = true,
                "bare" => flags.bare = true,
                "first" => flags.first = true,
                "card" => flags.card = true,
                "noncontact" => flags.noncontact = true,
                "plural" => {}
                _ => return Err(format!("there is no flag {word}; there are {}", FLAGS.join(", "))),
            }
        }
        Ok(flags)
    }
}

/// A word found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which entry.
    pub entry: usize,
    /// How many tokens.
    pub tokens: usize,
    /// The base form of what stands there, with the first part of a compound, in small letters.
    pub lemma: String,
    /// Where in the first token the known part begins.
    pub offset: usize,
}

/// The lexicon of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// All entries.
    pub entries: Vec<Entry>,
    single: WordMap<Vec<usize>>,
    /// First token of a phrase, then the forms of the others.
    phrases: WordMap<Vec<Phrase>>,
    /// Phrases whose first word is any adjective of an ending.
    wild: Vec<(String, String, usize)>,
}

#[derive(Debug)]
struct Phrase {
    rest: Vec<Vec<String>>,
    entry: usize,
}

impl Lexicon {
    /// Reads a lexicon; what cannot be read is complained about and left out.
    pub fn read(text: &str, tongue: Tongue, languages: &Languages, ontology: &Ontology) -> (Self, Vec<String>) {
        let (mut lexicon, mut complaints) = (Self::default(), Vec::new());
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (place, line) in
            text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        {
            let line_number = place + 1;
            match entry(line, line_number, ontology) {
                Ok(entry) => {
                    if let Some(before) = seen.insert(entry.lemma.clone(), line_number) {
                        complaints.push(format!("line {line_number}: {} stands in line {before} already", entry.lemma));
                        continue;
                    }
                    lexicon.add(entry, tongue, languages.of(tongue));
                }
                Err(complaint) => complaints.push(format!("line {line_number}: {complaint}")),
            }
        }
        (lexicon, complaints)
    }

    fn add(&mut self, entry: Entry, tongue: Tongue, language: &Language) {
        let number = self.entries.len();
        let lower = entry.lemma.to_lowercase();
        let words = split_words(&lower);
        if let [first, second] = words.as_slice()
            && let Some(ending) = first.strip_prefix('~')
        {
            for form in forms(second, language, tongue) {
                self.wild.push((ending.to_owned(), form, number));
            }
        } else if let [word] = words.as_slice() {
            let is_adjective = tongue == Tongue::German && entry.lemma.starts_with(char::is_lowercase);
            for form in if is_adjective { adjective_forms(word, language) } else { forms(word, language, tongue) } {
                self.single.entry(form).or_default().push(number);
            }
        } else if let [first, middle @ .., last] = words.as_slice() {
            let firsts = match tongue {
                Tongue::German => adjective_forms(first, language),
                Tongue::English => vec![(*first).to_owned()],
            };
            let mut rest: Vec<_> = middle.iter().map(|word| vec![(*word).to_owned()]).collect();
            rest.push(forms(last, language, tongue));
            for first in firsts {
                self.phrases.entry(first).or_default().push(Phrase { rest: rest.clone(), entry: number });
            }
        }
        self.entries.push(entry);
    }

    /// The longest entry that begins with the first of these tokens.
    pub fn find(&self, tokens: &[Token], language: &Language, tongue: Tongue) -> Option<Hit> {
        let first = tokens.first()?;
        if let Some(hit) = self.phrase(tokens, tongue) {
            return Some(hit);
        }
        if let Some(hit) = self.wild(tokens, language) {
            return Some(hit);
        }
        if first.kind != Kind::Word {
            return None;
        }
        if let Some(entry) = self.word(&first.lower, first.is_capital, tongue) {
            let lemma = self.entries[entry].lemma.to_lowercase();
            return Some(Hit { entry, tokens: 1, lemma, offset: 0 });
        }
        let found = match tongue {
            Tongue::German => self.compound(first, language),
            Tongue::English => self.hyphenated(first),
        };
        // A form that our endings do not explain, with the base form that a foreign engine knows.
        found.or_else(|| {
            let lemma = first.lemma.as_deref().filter(|lemma| **lemma != *first.lower)?;
            let entry = self.word(lemma, first.is_capital, tongue)?;
            Some(Hit { entry, tokens: 1, lemma: self.entries[entry].lemma.to_lowercase(), offset: 0 })
        })
    }

    fn phrase(&self, tokens: &[Token], tongue: Tongue) -> Option<Hit> {
        let phrases = self.phrases.get(&*tokens.first()?.lower)?;
        let mut best: Option<(usize, usize)> = None;
        for phrase in phrases {
            let length = 1 + phrase.rest.len();
            if length > tokens.len() || length > LONGEST || best.is_some_and(|(known, _)| known >= length) {
                continue;
            }
            let fits = phrase
                .rest
                .iter()
                .zip(&tokens[1..])
                .all(|(forms, token)| forms.iter().any(|form| **form == *token.lower));
            if fits && tokens[..length].iter().all(|token| token.sentence == tokens[0].sentence) {
                best = Some((length, phrase.entry));
            }
        }
        let (length, entry) = best?;
        let is_noun = self.entries[entry].lemma.starts_with(char::is_uppercase);
        if tongue == Tongue::German && is_noun && !tokens[0].is_capital && tokens[0].kind == Kind::Word {
            return None;
        }
        let mut lemma = self.entries[entry].lemma.to_lowercase();
        if self.entries[entry].flags.style
            && let Some((style, _)) = lemma.rsplit_once(' ')
        {
            lemma = style.to_owned();
        }
        Some(Hit { entry, tokens: length, lemma, offset: 0 })
    }

    fn wild(&self, tokens: &[Token], language: &Language) -> Option<Hit> {
        let [first, second, ..] = tokens else { return None };
        let (_, _, entry) = self
            .wild
            .iter()
            .find(|(ending, form, _)| **form == *second.lower && is_adjective_of(&first.lower, ending, language))?;
        let lemma = if self.entries[*entry].flags.style {
            crate::morphology::adjective_base(&first.lower, language)
        } else {
            format!("{} {}", first.lower, second.lower)
        };
        Some(Hit { entry: *entry, tokens: 2, lemma, offset: 0 })
    }

    fn word(&self, lower: &str, is_capital: bool, tongue: Tongue) -> Option<usize> {
        let fits = |entry: &&usize| {
            tongue == Tongue::English || is_capital || self.entries[**entry].lemma.starts_with(char::is_lowercase)
        };
        let entries = self.single.get(lower)?;
        // A word as it stands in the lexicon before one that could be a form of another.
        let exact = entries.iter().filter(fits).find(|entry| self.entries[**entry].lemma.to_lowercase() == lower);
        exact.or_else(|| entries.iter().find(fits)).copied()
    }

    /// A compound by its longest known end: "Komfort|zimmer".
    fn compound(&self, token: &Token, language: &Language) -> Option<Hit> {
        if !token.is_capital && token.lower.chars().all(char::is_alphabetic) {
            return None;
        }
        let word = &*token.lower;
        for (place, _) in word.char_indices().skip(3) {
            let (modifier, head) = word.split_at(place);
            if head.chars().count() < 3 {
                break;
            }
            let Some(entry) = self.word(head, true, Tongue::German) else { continue };
            let known = &self.entries[entry];
            let is_joined = modifier.ends_with('-');
            let is_free = matches!(known.concept, Concept::Nothing | Concept::Value(..) | Concept::Free);
            if (known.flags.whole && !is_joined) || is_free || known.flags.title || known.flags.place_head {
                continue;
            }
            let bare = modifier.trim_end_matches('-');
            if !is_joined && (bare.chars().count() < 3 || !is_modifier(bare, language)) {
                continue;
            }
            let lemma = format!("{modifier}{}", known.lemma.to_lowercase());
            return Some(Hit { entry, tokens: 1, lemma, offset: place });
        }
        None
    }

    /// "harbour-view" and the like: the last part counts.
    fn hyphenated(&self, token: &Token) -> Option<Hit> {
        let (modifier, head) = token.lower.rsplit_once('-')?;
        let entry = self.word(head, true, Tongue::English)?;
        let known = &self.entries[entry];
        (matches!(known.concept, Concept::Thing(_)) && !known.flags.name && !known.flags.bare).then(|| Hit {
            entry,
            tokens: 1,
            lemma: format!("{modifier}-{}", known.lemma.to_lowercase()),
            offset: modifier.len() + 1,
        })
    }

    /// The entry for a truncated first part ("Geschäfts-") and the compound it borrows its end from ("Messehotel").
    pub fn truncated(&self, part: &str, whole: &str) -> Option<Hit> {
        let part = part.trim_end_matches('-');
        for (place, _) in whole.char_indices().skip(1) {
            let end = &whole[place..];
            if end.chars().count() < 3 {
                break;
            }
            let joined = format!("{part}{end}");
            if let Some(entry) = self.word(&joined, true, Tongue::German) {
                return Some(Hit { entry, tokens: 1, lemma: self.entries[entry].lemma.to_lowercase(), offset: 0 });
            }
        }
        for (place, _) in whole.char_indices().skip(3) {
            let head = &whole[place..];
            if let Some(entry) = self.word(head, true, Tongue::German)
                && !self.entries[entry].flags.whole
            {
                let lemma = format!("{part}{}", self.entries[entry].lemma.to_lowercase());
                return Some(Hit { entry, tokens: 1, lemma, offset: 0 });
            }
        }
        None
    }

    /// Whether a word says what kind of thing something with a name is.
    pub fn is_kind(&self, lower: &str) -> bool {
        let entries = self.single.get(lower).into_iter().flatten();
        entries
            .map(|entry| &self.entries[*entry])
            .any(|entry| entry.flags.name && matches!(entry.concept, Concept::Thing(_)))
    }

    /// The kind of thing that a word as it stands in the lexicon says.
    pub fn kind(&self, lower: &str) -> Option<ClassId> {
        let entries = self.single.get(lower)?.iter().map(|entry| &self.entries[*entry]);
        let mut kinds =
            entries.filter(|entry| entry.flags.name && !entry.flags.anaphor && entry.lemma.to_lowercase() == lower);
        kinds.find_map(|entry| match entry.concept {
            Concept::Thing(class) => Some(class),
            _ => None,
        })
    }

    /// The entry of a single word as it stands in the lexicon.
    pub fn entry(&self, lower: &str) -> Option<&Entry> {
        let entries = self.single.get(lower)?.iter().map(|entry| &self.entries[*entry]);
        entries.into_iter().find(|entry| entry.lemma.to_lowercase() == lower)
    }

    /// Whether a word is known in any form.
    pub fn knows(&self, lower: &str) -> bool {
        self.single.contains_key(lower)
    }
}

/// Whether something may be the first part of a compound: letters with a vowel, and no ending that leaves a stump.
fn is_modifier(text: &str, language: &Language) -> bool {
    let has_vowel = text.contains(['a', 'e', 'i', 'o', 'u', 'ä', 'ö', 'ü', 'y']);
    text.chars().all(|letter| letter.is_alphabetic() || letter == '-')
        && has_vowel
        && !language.classes.contains_key(text)
}

fn adjective_forms(word: &str, language: &Language) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    for ending in &language.inflection.adjectives {
        let (cut, put) = ending.split_once(' ').unwrap_or((ending, ""));
        if let Some(stem) = word.strip_suffix(put) {
            all.push(format!("{stem}{cut}"));
        }
    }
    all
}

/// The tokens of an entry, as the text would be cut.
fn split_words(lemma: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for piece in lemma.split_whitespace() {
        let mut rest = piece;
        // "farmers' market"
        if let Some(word) = piece.strip_suffix('\'') {
            words.push(word);
            words.push("'");
            continue;
        }
        while let Some(place) = rest.find([':', ',', '/', '&', '.']) {
            if place > 0 {
                words.push(&rest[..place]);
            }
            words.push(&rest[place..=place]);
            rest = &rest[place + 1..];
        }
        if !rest.is_empty() {
            words.push(rest);
        }
    }
    words
}

fn entry(line: &str, number: usize, ontology: &Ontology) -> Result<Entry, String> {
    let mut columns = line.split('\t');
    let lemma = columns.next().map(str::trim).filter(|lemma| !lemma.is_empty()).ok_or("has no word")?.to_owned();
    let concept = columns.next().map(str::trim).ok_or_else(|| format!("{lemma} has no concept"))?;
    let concept = match concept.split_once('=') {
        Some((slot, value)) => {
            let slot =
                ontology.slot(slot).ok_or_else(|| format!("{lemma}: there is no slot {slot} in the ontology"))?;
            Concept::Value(slot, value.to_owned())
        }
        None if concept == "-" => Concept::Nothing,
        None if concept == "@free" => Concept::Free,
        None => {
            let class = ontology.class(concept);
            Concept::Thing(class.ok_or_else(|| format!("{lemma}: there is no class {concept} in the ontology"))?)
        }
    };
    let flags =
        Flags::read(columns.next().unwrap_or_default(), ontology).map_err(|problem| format!("{lemma}: {problem}"))?;
    Ok(Entry { lemma, concept, flags, line: number })
}
