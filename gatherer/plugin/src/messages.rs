//! Messages between gatherer and program, as in `schemas/summarizer/since-0.1/messages.md`: what travels, and how it is
//! written. Nothing here waits or reads by itself.

use crate::form::{Question, Trouble};
use crate::packed::{self, Put, Take};
use crate::since_0_1::{
    Answer, Attribute, Correction, Description, Document, Draft, Error, Guess, Level, RootNode, VERSION,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Named in every hello.
pub(crate) const PROTOCOL: &str = "gatherer-plugin";
/// The feature of those who understand packed messages.
pub(crate) const PACKED: &str = "packed";
/// Longest head of a message.
pub(crate) const HEAD_LIMIT: usize = 64 << 20;

/// What the gatherer says. Borrowed where it is large.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ours<'a> {
    Hello { protocol: &'a str, version: &'a str, role: &'a str, features: &'a [&'a str] },
    Summarize(&'a Document),
    Recognize(&'a Document),
    Enumerate(&'a RootNode),
    Correct { document: &'a Document, attributes: &'a [Attribute] },
    Bytes {},
    Left(u64),
}

/// The same, as a worker of ours reads it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Request {
    Hello {
        #[serde(default)]
        features: Vec<String>,
    },
    Summarize(Document),
    Recognize(Document),
    Enumerate(RootNode),
    Correct {
        document: Document,
        attributes: Vec<Attribute>,
    },
    Bytes {},
    Left(u64),
}

/// What the program says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Theirs {
    Hello {
        #[serde(default)]
        protocol: String,
        #[serde(default)]
        version: String,
        #[serde(default)]
        description: Description,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<String>,
    },
    Log {
        level: Level,
        text: String,
    },
    Read {
        offset: u64,
        length: u64,
    },
    Left {},
    Draft(Draft),
    Guesses(Vec<Guess>),
    Urls(Vec<String>),
    Keep(Vec<Attribute>),
    LeaveOut(String),
    Refused(String),
    Failed(String),
}

impl<'a> From<Question<'a>> for Ours<'a> {
    fn from(question: Question<'a>) -> Self {
        match question {
            Question::Summarize(document) => Self::Summarize(document),
            Question::Recognize(document) => Self::Recognize(document),
            Question::Enumerate(root) => Self::Enumerate(root),
            Question::Correct(document, attributes) => Self::Correct { document, attributes },
        }
    }
}

impl From<Result<Answer, Error>> for Theirs {
    fn from(answer: Result<Answer, Error>) -> Self {
        match answer {
            Ok(Answer::Draft(draft)) => Self::Draft(draft),
            Ok(Answer::Guesses(guesses)) => Self::Guesses(guesses),
            Ok(Answer::Urls(urls)) => Self::Urls(urls),
            Ok(Answer::Correction(Correction::Keep(attributes))) => Self::Keep(attributes),
            Ok(Answer::Correction(Correction::LeaveOut(why))) => Self::LeaveOut(why),
            Err(Error::Refused(why)) => Self::Refused(why),
            Err(Error::Failed(why)) => Self::Failed(why),
        }
    }
}

impl Theirs {
    /// The answer to a question, if it is one to this question.
    pub(crate) fn answer(self, question: &Question<'_>) -> Result<Answer, Trouble> {
        match (self, question) {
            (Self::Draft(draft), Question::Summarize(_)) => Ok(Answer::Draft(draft)),
            (Self::Guesses(guesses), Question::Recognize(_)) => Ok(Answer::Guesses(guesses)),
            (Self::Urls(urls), Question::Enumerate(_)) => Ok(Answer::Urls(urls)),
            (Self::Keep(attributes), Question::Correct(..)) => Ok(Answer::Correction(Correction::Keep(attributes))),
            (Self::LeaveOut(why), Question::Correct(..)) => Ok(Answer::Correction(Correction::LeaveOut(why))),
            (Self::Refused(why), _) => Err(Error::Refused(why).into()),
            (Self::Failed(why), _) => Err(Error::Failed(why).into()),
            _ => Err(Trouble::Failed("it gave another answer than it was asked for".to_owned())),
        }
    }

    /// What a program says of itself, and in which form it goes on, if it speaks as we do.
    pub(crate) fn greeting(self) -> Result<(Description, Notation), String> {
        match self {
            Self::Hello { protocol, .. } if protocol != PROTOCOL => {
                Err(format!("it speaks {protocol:?} instead of {PROTOCOL}"))
            }
            Self::Hello { version, .. } if version != VERSION => {
                Err(format!("it speaks version {version:?} of {PROTOCOL}; this gatherer speaks {VERSION}"))
            }
            Self::Hello { description, features, .. } => Ok((description, Notation::agreed(&features))),
            _ => Err("it does not begin with hello".to_owned()),
        }
    }
}

/// What stands at the beginning of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) head: usize,
    pub(crate) body: usize,
    /// The question that it belongs to.
    pub(crate) number: u32,
}

impl Start {
    /// Bytes of it.
    pub(crate) const SIZE: usize = 12;

    pub(crate) fn read(bytes: [u8; Self::SIZE]) -> Self {
        let number = |place: usize| u32::from_be_bytes(bytes[place..place + 4].try_into().expect("four bytes"));
        Self { head: number(0) as usize, body: number(4) as usize, number: number(8) }
    }
}

/// How heads of messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Notation {
    /// As JSON: in greetings, and with whoever knows nothing else.
    #[default]
    Json,
    /// As [`packed`] has it.
    Packed,
}

impl Notation {
    /// What both sides speak, by what the other one says of itself.
    pub(crate) fn agreed(features: &[String]) -> Self {
        if features.iter().any(|feature| feature == PACKED) { Self::Packed } else { Self::Json }
    }

    /// A head that came in.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn read<T: DeserializeOwned + Take>(self, head: &[u8]) -> Result<T, String> {
        match self {
            Self::Json => serde_json::from_slice(head).map_err(|error| error.to_string()),
            Self::Packed => packed::taken(head).ok_or_else(|| "it is packed otherwise".to_owned()),
        }
    }

    /// Writes a message behind what is there: two lengths, the number of the question, head, body.
    pub(crate) fn write(self, message: &(impl Serialize + Put), number: u32, body: &[u8], to: &mut Vec<u8>) {
        let start = to.len();
        to.extend([0; Start::SIZE]);
        match self {
            Self::Json => serde_json::to_writer(&mut *to, message).expect("messages are plain data"),
            Self::Packed => message.put(to),
        }
        let head = to.len() - start - Start::SIZE;
        let length = |length: usize| u32::try_from(length).expect("messages are bounded far below 4 GiB");
        let lengths = [length(head), length(body.len()), number].map(u32::to_be_bytes);
        to[start..start + Start::SIZE].copy_from_slice(lengths.as_flattened());
        to.extend(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(message: &(impl Serialize + Put), number: u32, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Notation::Json.write(message, number, body, &mut bytes);
        bytes
    }

    #[test]
    fn messages_are_written_as_the_document_says() {
        let bytes = written(&Theirs::Refused(String::new()), 7, b"");
        assert_eq!(bytes, b"\x00\x00\x00\x0e\x00\x00\x00\x00\x00\x00\x00\x07{\"refused\":\"\"}");
        let hello = Ours::Hello { protocol: PROTOCOL, version: VERSION, role: "summarizer", features: &["log"] };
        let bytes = written(&hello, 1, b"x");
        let start = Start::read(bytes[..12].try_into().expect("twelve bytes"));
        assert_eq!(start, Start { head: bytes.len() - 13, body: 1, number: 1 });
        assert_eq!(
            std::str::from_utf8(&bytes[12..]),
            Ok(r#"{"hello":{"protocol":"gatherer-plugin","version":"0.1","role":"summarizer","features":["log"]}}x"#)
        );
    }

    #[test]
    fn the_words_of_the_document_are_understood() {
        for (text, expected) in [
            (r#"{"log": {"level": "info", "text": "x"}}"#, "Log"),
            (r#"{"read": {"offset": 1048576, "length": 65536}}"#, "Read"),
            (r#"{"left": {}}"#, "Left"),
            (r#"{"draft": {}}"#, "Draft"),
            (r#"{"guesses": [{"kind": "Recipe", "because": "begins with %RECIPE"}]}"#, "Guesses"),
            (r#"{"urls": ["http://example.org/1"]}"#, "Urls"),
            (r#"{"keep": []}"#, "Keep"),
            (r#"{"leave-out": "why"}"#, "LeaveOut"),
            (r#"{"failed": "why"}"#, "Failed"),
        ] {
            let message: Theirs = serde_json::from_str(text).expect(text);
            assert!(format!("{message:?}").starts_with(expected), "{text}: {message:?}");
        }
    }

    #[test]
    fn a_stranger_is_told_apart() {
        let said = |text: &str| serde_json::from_str::<Theirs>(text).expect("a message").greeting();
        let wrong = said(r#"{"hello": {"protocol": "gatherer-plugin", "version": "9.0"}}"#);
        assert_eq!(wrong, Err("it speaks version \"9.0\" of gatherer-plugin; this gatherer speaks 0.1".to_owned()));
        assert!(said(r#"{"hello": {"protocol": "smtp", "version": "0.1"}}"#).is_err());
        assert!(said(r#"{"draft": {}}"#).is_err());
    }
}
