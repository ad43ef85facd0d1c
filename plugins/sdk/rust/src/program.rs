//! The form of a program that stays (`talk = "messages"` in the manifest): one process answers for one document after the
//! other, over standard input and output.
//!
//! ```no_run
//! # use gatherer_sdk::{Call, Draft, Plugin, Summarizer, Trouble};
//! struct Lines;
//!
//! impl Plugin for Lines {
//!     const NAME: &str = "lines";
//!     const VERSION: &str = "1.0.0";
//!     const KINDS: &[&str] = &["Text"];
//! }
//!
//! impl Summarizer for Lines {
//!     fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
//!         let mut draft = Draft::new();
//!         draft.attribute("Lines", call.body().split(|byte| *byte == b'\n').count().to_string());
//!         Ok(draft)
//!     }
//! }
//!
//! fn main() -> std::io::Result<()> {
//!     gatherer_sdk::program::summarizer::<Lines>()
//! }
//! ```
//!
//! Messages are packed, which `messages.md` of the contract calls a feature: JSON would cost more than many a document. What
//! the plugin prints by itself would spoil the conversation; words for people go to standard error.

mod packed;
#[cfg(test)]
mod tests;

use crate::call::Gatherer;
use crate::panics;
use crate::{Attribute, Call, Correction, Document, Level, Plugin, RootCall, SummaryCall, Trouble};
use crate::{Enumerator, PostSummarizer, Recognizer, Summarizer};
use packed::{Put, Take, Unread};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::Duration;

/// The longest head and the longest body of a message.
const LIMIT: usize = 64 << 20;

/// Answers as a summarizer until nothing more is asked.
///
/// # Errors
/// When the gatherer is gone, or speaks otherwise.
pub fn summarizer<P: Summarizer>() -> io::Result<()> {
    let answer = |question: &mut Question<'_>, line: &dyn Gatherer| {
        let document = question.take()?;
        let made = panics::caught(|| P::summarize(&Call::new(&document, question.body, line)));
        Some(answered(made, |draft, to| tagged(1, draft, to)))
    };
    converse::<P>(1, &answer)
}

/// Answers as a recognizer until nothing more is asked.
///
/// # Errors
/// When the gatherer is gone, or speaks otherwise.
pub fn recognizer<P: Recognizer>() -> io::Result<()> {
    let answer = |question: &mut Question<'_>, line: &dyn Gatherer| {
        let document = question.take()?;
        let made = panics::caught(|| P::recognize(&Call::new(&document, question.body, line)));
        Some(answered(made, |guesses, to| tagged(2, guesses, to)))
    };
    converse::<P>(2, &answer)
}

/// Answers as an enumerator until nothing more is asked.
///
/// # Errors
/// When the gatherer is gone, or speaks otherwise.
pub fn enumerator<P: Enumerator>() -> io::Result<()> {
    let answer = |question: &mut Question<'_>, line: &dyn Gatherer| {
        let root = question.take()?;
        let made = panics::caught(|| P::enumerate(&RootCall::new(&root, line)));
        Some(answered(made, |urls, to| tagged(3, urls, to)))
    };
    converse::<P>(3, &answer)
}

/// Answers as a post-summarizer until nothing more is asked.
///
/// # Errors
/// When the gatherer is gone, or speaks otherwise.
pub fn post_summarizer<P: PostSummarizer>() -> io::Result<()> {
    let answer = |question: &mut Question<'_>, line: &dyn Gatherer| {
        let document: Document = question.take()?;
        let attributes: Vec<Attribute> = question.take()?;
        let made = panics::caught(|| P::correct(&SummaryCall::new(&document, line), attributes));
        Some(answered(made, |correction, to| match correction {
            Correction::Keep(attributes) => tagged(4, attributes, to),
            Correction::LeaveOut(why) => tagged(5, why, to),
        }))
    };
    converse::<P>(4, &answer)
}

/// A question behind its first byte.
struct Question<'a> {
    head: Unread<'a>,
    body: &'a [u8],
}

impl Question<'_> {
    fn take<T: Take>(&mut self) -> Option<T> {
        T::take(&mut self.head)
    }
}

/// Makes the head of an answer; nothing if the question cannot be read.
type Answering<'a> = dyn Fn(&mut Question<'_>, &dyn Gatherer) -> Option<Vec<u8>> + 'a;

fn tagged(tag: u8, message: &impl Put, to: &mut Vec<u8>) {
    to.push(tag);
    message.put(to);
}

fn answered<T>(made: Result<Result<T, Trouble>, String>, put: impl FnOnce(&T, &mut Vec<u8>)) -> Vec<u8> {
    let mut head = Vec::new();
    match made {
        Ok(Ok(answer)) => put(&answer, &mut head),
        Ok(Err(Trouble::Refused(why))) => tagged(6, &why, &mut head),
        Ok(Err(Trouble::Failed(why))) | Err(why) => tagged(7, &why, &mut head),
    }
    head
}

/// Both ends of the conversation, without the buffers of the standard library: a message is one write.
struct Ends<R, W> {
    input: R,
    output: W,
}

impl<R: Read, W: Write> Ends<R, W> {
    /// Number, head and body of the next message, the latter two in one piece; nothing at the end.
    fn receive(&mut self) -> io::Result<Option<Message>> {
        let mut start = [[0; 4]; 3];
        match self.input.read_exact(start.as_flattened_mut()) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [head, body, number] = start.map(u32::from_be_bytes);
        let (head, body) = (head as usize, body as usize);
        if head.max(body) > LIMIT {
            return Err(io::Error::other("this message is too long"));
        }
        let mut bytes = vec![0; head + body];
        self.input.read_exact(&mut bytes)?;
        Ok(Some(Message { number, head, bytes }))
    }

    fn send(&mut self, number: u32, head: &[u8]) -> io::Result<()> {
        let length = u32::try_from(head.len()).map_err(io::Error::other)?;
        let start = [length, 0, number].map(u32::to_be_bytes);
        self.output.write_all(&[start.as_flattened(), head].concat())
    }
}

struct Message {
    number: u32,
    /// So many of the bytes; the others are the body.
    head: usize,
    bytes: Vec<u8>,
}

/// The gatherer, as the plugin may call it about one document. One that is gone ends us at the next question.
struct Line<'a, R, W> {
    ends: &'a RefCell<Ends<R, W>>,
    number: u32,
}

impl<R: Read, W: Write> Line<'_, R, W> {
    fn say(&self, head: &[u8]) -> io::Result<()> {
        self.ends.borrow_mut().send(self.number, head)
    }

    fn hear(&self) -> Option<Message> {
        self.ends.borrow_mut().receive().ok().flatten()
    }
}

impl<R: Read, W: Write> Gatherer for Line<'_, R, W> {
    fn log(&self, level: Level, text: &str) {
        let mut head = vec![8, level as u8];
        text.as_bytes().put(&mut head);
        let _ = self.say(&head);
    }

    fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        let mut head = vec![9];
        offset.put(&mut head);
        u64::from(length).put(&mut head);
        let heard = self.say(&head).ok().and_then(|()| self.hear());
        heard.map_or_else(Vec::new, |mut message| message.bytes.split_off(message.head))
    }

    fn left(&self) -> Option<Duration> {
        self.say(&[10]).ok()?;
        let message = self.hear()?;
        let left = u64::take(&mut Unread::new(message.bytes[..message.head].strip_prefix(&[6])?))?;
        // 0 is what the gatherer says if `deadline` is not granted.
        Some(left).filter(|left| *left > 0).map(Duration::from_millis)
    }
}

/// Greets, and answers questions of one kind.
fn converse<P: Plugin>(kind: u8, answer: &Answering<'_>) -> io::Result<()> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    converse_over::<P>(Ends { input, output }, kind, answer)
}

fn converse_over<P: Plugin>(mut ends: Ends<impl Read, impl Write>, kind: u8, answer: &Answering<'_>) -> io::Result<()> {
    panics::keep_to_ourselves();
    let Some(Message { number, head, bytes }) = ends.receive()? else { return Ok(()) };
    // No other member of a greeting has such a text in it, so it need not be taken apart.
    if !bytes[..head].windows(8).any(|piece| piece == br#""packed""#) {
        return Err(io::Error::other("this gatherer does not offer packed messages: it is older than this plugin"));
    }
    ends.send(number, greeting::<P>().as_bytes())?;
    let ends = RefCell::new(ends);
    loop {
        let Some(Message { number, head, bytes }) = ends.borrow_mut().receive()? else { return Ok(()) };
        let (head, body) = bytes.split_at(head);
        let line = Line { ends: &ends, number };
        let Some((_, head)) = head.split_first().filter(|(first, _)| **first == kind) else {
            return Err(io::Error::other("this is no question for this plugin"));
        };
        let mut question = Question { head: Unread::new(head), body };
        let head = answer(&mut question, &line).ok_or_else(|| io::Error::other("this question cannot be read"))?;
        line.say(&head)?;
    }
}

/// What a plugin says of itself, as JSON: greetings always are.
fn greeting<P: Plugin>() -> String {
    let kinds: Vec<_> = P::KINDS.iter().map(|kind| quoted(kind)).collect();
    let option = |option: &crate::Setting| {
        let default = option.default.map_or_else(|| "null".to_owned(), quoted);
        format!(r#"{{"name":{},"about":{},"default":{default}}}"#, quoted(option.name), quoted(option.about))
    };
    let options: Vec<_> = P::OPTIONS.iter().map(option).collect();
    format!(
        r#"{{"hello":{{"protocol":"gatherer-plugin","version":"0.1","features":["packed"],"description":{{"name":{},"version":{},"kinds":[{}],"options":[{}]}}}}}}"#,
        quoted(P::NAME),
        quoted(P::VERSION),
        kinds.join(","),
        options.join(",")
    )
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                // Writing to a string does not fail. Control characters all have four digits.
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
