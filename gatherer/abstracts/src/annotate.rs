//! The seam `annotate`: words and grammar from a foreign engine, of which our own semantic stage makes the abstract. The form
//! is that of `schemas/abstract/protocol.md`, section 8.
//!
//! Nothing foreign is trusted here either: a token whose form does not stand where it is said to stand is dropped, a sentence
//! outside of the document as well, and both are counted.
//!
//! ```
//! use gatherer_abstracts::annotate::{Annotation, Limits};
//!
//! let answer = r#"{"annotate": 1, "lang": "en", "sentences": [{"start": 0, "end": 9, "tokens": [
//!     {"id": 1, "form": "The", "start": 0, "end": 3, "head": 2},
//!     {"id": 2, "form": "inn", "start": 4, "end": 7, "upos": "NOUN"},
//!     {"id": 3, "form": "beer", "start": 4, "end": 7}]}]}"#;
//! let (annotation, dropped) = Annotation::read(answer.as_bytes(), "The inn.", Limits::default())?;
//! assert_eq!(dropped.sentences, 1, "it ends behind the document");
//! # let answer = answer.replace("\"end\": 9", "\"end\": 8");
//! # let (annotation, dropped) = Annotation::read(answer.as_bytes(), "The inn.", Limits::default())?;
//! # assert_eq!((annotation.sentences[0].tokens.len(), dropped.tokens), (2, 1));
//! # Ok::<(), gatherer_abstracts::annotate::Wrong>(())
//! ```

use serde::{Deserialize, Serialize};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

/// A text with its grammar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    #[serde(rename = "annotate")]
    version: u64,
    /// The language.
    pub lang: String,
    /// What offsets count in: `source`, or `text` of the engine's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offsets: Option<String>,
    /// In the order of the document.
    #[serde(default)]
    pub sentences: Vec<Sentence>,
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The first character,
    pub start: usize,
    /// and the one behind the last.
    pub end: usize,
    /// Its words and marks.
    #[serde(default)]
    pub tokens: Vec<Token>,
    /// Groups of words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<Chunk>,
    /// Names, dates, sums.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
}

/// One word or mark; the members mean what the columns of CoNLL-U mean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// From 1 in each sentence.
    pub id: usize,
    /// As it stands there.
    pub form: String,
    /// The first character,
    pub start: usize,
    /// and the one behind the last.
    pub end: usize,
    /// The base form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lemma: Option<String>,
    /// The universal part of speech.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upos: Option<String>,
    /// The part of speech in the engine's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xpos: Option<String>,
    /// `A=B|C=D`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feats: Option<String>,
    /// The governor; 0 is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// What it is to its governor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprel: Option<String>,
    /// The parts of a compound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

/// A group of words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// `NP`, `PP`, `VP` or another.
    pub kind: String,
    /// The first token,
    pub first: usize,
    /// and the last.
    pub last: usize,
    /// The token that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
}

/// A name, a date, a sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// The first token,
    pub first: usize,
    /// and the last.
    pub last: usize,
}

/// What an entity is; other words are read as the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EntityKind {
    /// A person.
    Per,
    /// An organisation.
    Org,
    /// A place.
    Loc,
    /// A day.
    Date,
    /// A time.
    Time,
    /// A sum of money.
    Money,
    /// A measure.
    Quantity,
    /// Anything else.
    Misc,
}

impl<'de> Deserialize<'de> for EntityKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match String::deserialize(deserializer)?.as_str() {
            "PER" => Self::Per,
            "ORG" => Self::Org,
            "LOC" => Self::Loc,
            "DATE" => Self::Date,
            "TIME" => Self::Time,
            "MONEY" => Self::Money,
            "QUANTITY" => Self::Quantity,
            _ => Self::Misc,
        })
    }
}

/// How large an annotation may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes.
    pub bytes: usize,
    /// Most tokens.
    pub tokens: usize,
}

impl Default for Limits {
    /// 64 MiB: an annotation is many times as long as its text. A million tokens.
    fn default() -> Self {
        Self { bytes: 64 << 20, tokens: 1_000_000 }
    }
}

/// Why an answer is no annotation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Wrong {
    /// It has more than it may.
    #[error("an annotation with {what} over the limit of {limit}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: usize,
    },
    /// It cannot be read.
    #[error("no annotation: {0}")]
    Malformed(String),
}

/// What was not believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Sentences outside of the document, or not behind the one before.
    pub sentences: usize,
    /// Tokens whose form does not stand there, or that are not in order.
    pub tokens: usize,
    /// Chunks and entities of tokens that are not there.
    pub groups: usize,
}

impl Annotation {
    /// Reads an answer and holds it against the text that was sent.
    ///
    /// # Errors
    /// If it cannot be read, or is larger than it may be.
    pub fn read(bytes: &[u8], text: &str, limits: Limits) -> Result<(Self, Dropped), Wrong> {
        if bytes.len() > limits.bytes {
            return Err(Wrong::TooLarge { what: "bytes", limit: limits.bytes });
        }
        let mut read: Self = serde_json::from_slice(bytes).map_err(|error| Wrong::Malformed(error.to_string()))?;
        if read.version != 1 {
            return Err(Wrong::Malformed(format!("version {}; only 1 is read", read.version)));
        }
        let tokens: usize = read.sentences.iter().map(|sentence| sentence.tokens.len()).sum();
        if tokens > limits.tokens {
            return Err(Wrong::TooLarge { what: "tokens", limit: limits.tokens });
        }
        let characters: Vec<char> = text.strip_prefix('\u{feff}').unwrap_or(text).chars().collect();
        let own_text = read.offsets.as_deref() == Some("text");
        let mut dropped = Dropped::default();
        let mut last = 0;
        read.sentences.retain_mut(|sentence| {
            let stands = sentence.start < sentence.end
                && sentence.start >= last
                && (own_text || sentence.end <= characters.len());
            if !stands {
                dropped.sentences += 1;
                return false;
            }
            last = sentence.end;
            sentence.clean(if own_text { None } else { Some(&characters) }, &mut dropped);
            true
        });
        Ok((read, dropped))
    }
}

impl Sentence {
    /// Drops what does not hold. Ids stay as they are: heads and groups go by them.
    fn clean(&mut self, text: Option<&[char]>, dropped: &mut Dropped) {
        let (start, end) = (self.start, self.end);
        let (mut last, mut last_id) = (start, 0);
        self.tokens.retain(|token| {
            let is_inside = token.start >= last && token.start < token.end && token.end <= end && token.id > last_id;
            let stands = || text.is_none_or(|text| is_same(&text[token.start..token.end], &token.form));
            let is_kept = is_inside && !token.form.is_empty() && stands();
            dropped.tokens += usize::from(!is_kept);
            if is_kept {
                (last, last_id) = (token.end, token.id);
            }
            is_kept
        });
        let ids: Vec<usize> = self.tokens.iter().map(|token| token.id).collect();
        let is_there = |id: usize| ids.binary_search(&id).is_ok();
        for token in &mut self.tokens {
            // One whose governor is gone has none.
            token.head = token.head.filter(|head| *head == 0 || (is_there(*head) && *head != token.id));
        }
        let holds = |first: usize, last: usize| first <= last && is_there(first) && is_there(last);
        let before = self.chunks.len() + self.entities.len();
        self.chunks.retain(|chunk| holds(chunk.first, chunk.last));
        self.entities.retain(|entity| holds(entity.first, entity.last));
        for chunk in &mut self.chunks {
            chunk.head = chunk.head.filter(|head| (chunk.first..=chunk.last).contains(head) && is_there(*head));
        }
        dropped.groups += before - self.chunks.len() - self.entities.len();
    }
}

fn is_same(characters: &[char], form: &str) -> bool {
    let there: String = characters.iter().collect();
    there == form || there.nfc().eq(form.nfc())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\u{feff}Das Hotel liegt in Lübz. Ende.";

    fn read(sentences: &str) -> Result<(Annotation, Dropped), Wrong> {
        let answer = format!(r#"{{"annotate": 1, "lang": "de", "more": 1, "sentences": [{sentences}]}}"#);
        Annotation::read(answer.as_bytes(), TEXT, Limits::default())
    }

    #[test]
    fn what_holds_is_kept_whole() {
        let (annotation, dropped) = read(
            r#"{"start": 0, "end": 24, "tokens": [
                {"id": 1, "form": "Das", "start": 0, "end": 3, "upos": "DET", "head": 2, "deprel": "det"},
                {"id": 2, "form": "Hotel", "start": 4, "end": 9, "lemma": "hotel", "parts": ["hotel"], "head": 0},
                {"id": 3, "form": "Lübz", "start": 19, "end": 23, "feats": "Case=Dat", "xpos": "NE"}],
                "chunks": [{"kind": "NP", "first": 1, "last": 2, "head": 2}],
                "entities": [{"kind": "LOC", "first": 3, "last": 3}, {"kind": "GPE", "first": 3, "last": 3}]}"#,
        )
        .expect("an annotation");
        assert_eq!(dropped, Dropped::default());
        let sentence = &annotation.sentences[0];
        assert_eq!((sentence.tokens.len(), sentence.chunks.len(), sentence.entities.len()), (3, 1, 2));
        assert_eq!(sentence.entities[1].kind, EntityKind::Misc);
        let written = serde_json::to_vec(&annotation).expect("JSON");
        assert_eq!(Annotation::read(&written, TEXT, Limits::default()), Ok((annotation, dropped)));
    }

    #[test]
    fn what_does_not_hold_is_dropped_and_counted() {
        let (annotation, dropped) = read(
            r#"{"start": 0, "end": 24, "tokens": [
                {"id": 1, "form": "Die", "start": 0, "end": 3},
                {"id": 2, "form": "Hotel", "start": 4, "end": 9, "head": 1},
                {"id": 2, "form": "liegt", "start": 10, "end": 15},
                {"id": 3, "form": "Hotel", "start": 4, "end": 9},
                {"id": 4, "form": "in", "start": 16, "end": 18, "head": 4},
                {"id": 5, "form": "Ende", "start": 25, "end": 29}],
                "chunks": [{"kind": "NP", "first": 1, "last": 2}, {"kind": "NP", "first": 4, "last": 2}, {"kind": "PP", "first": 4, "last": 4, "head": 9}],
                "entities": [{"kind": "LOC", "first": 7, "last": 7}]},
               {"start": 10, "end": 15}, {"start": 25, "end": 99}, {"start": 30, "end": 25}"#,
        )
        .expect("an annotation");
        assert_eq!(dropped, Dropped { sentences: 3, tokens: 4, groups: 3 });
        let [sentence] = annotation.sentences.as_slice() else { panic!("one sentence") };
        let heads: Vec<_> = sentence.tokens.iter().map(|token| (token.id, token.head)).collect();
        assert_eq!(heads, [(2, None), (4, None)]);
        assert_eq!(sentence.chunks[0].head, None);
    }

    #[test]
    fn what_is_no_annotation_is_said_to_be_none() {
        for (text, expected) in [
            ("", "no annotation: EOF while parsing"),
            ("[]", "no annotation: invalid"),
            (r#"{"annotate": 2, "lang": "de"}"#, "no annotation: version 2; only 1 is read"),
            (r#"{"annotate": 1}"#, "no annotation: missing field `lang`"),
            (
                r#"{"annotate": 1, "lang": "de", "sentences": [{"start": -1, "end": 2}]}"#,
                "no annotation: invalid value",
            ),
        ] {
            let wrong = Annotation::read(text.as_bytes(), TEXT, Limits::default()).expect_err(text).to_string();
            assert!(wrong.starts_with(expected), "{text}: {wrong}");
        }
        let small = Limits { bytes: 10, tokens: 1 };
        assert_eq!(Annotation::read(&[b' '; 11], TEXT, small), Err(Wrong::TooLarge { what: "bytes", limit: 10 }));
        let two = r#"{"annotate":1,"lang":"de","sentences":[{"start":0,"end":9,"tokens":[{"id":1,"form":"Das","start":0,"end":3},{"id":2,"form":"Hotel","start":4,"end":9}]}]}"#;
        let few = Limits { bytes: 1_000, tokens: 1 };
        assert_eq!(Annotation::read(two.as_bytes(), TEXT, few), Err(Wrong::TooLarge { what: "tokens", limit: 1 }));
    }
}
