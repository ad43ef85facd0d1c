//! The other side of a [`Pool`](crate::pool::Pool) whose processes are this same program: what runs in the worker.
//!
//! Messages travel both ways over standard input. What foreign code prints, or does to our other descriptors, does not reach
//! them; if it dies, the worker does, and the pool says so.

use crate::messages::{Notation, PACKED, PROTOCOL, Request, Start, Theirs};
use crate::since_0_1::{Answer, Attribute, Description, Document, Error, INLINE, Level, RootNode, VERSION};
use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// Longest message that a worker reads: documents come in pieces.
const MESSAGE_LIMIT: usize = 64 << 20;

/// What a worker does with the questions it gets.
pub(crate) trait Works {
    fn describe(&self) -> Description;

    fn ask(&self, question: Asking, host: &Host<'_>) -> Result<Answer, Error>;
}

/// A question as it arrived.
pub(crate) enum Asking {
    Summarize(Document, Vec<u8>),
    Recognize(Document, Vec<u8>),
    Enumerate(RootNode),
    Correct(Document, Vec<Attribute>),
}

/// The gatherer, as foreign code in the worker may call it.
pub(crate) struct Host<'a> {
    wire: &'a RefCell<Wire>,
    number: u32,
}

/// Our end of the line.
struct Wire {
    stream: UnixStream,
    /// How heads are written, from the greetings on.
    notation: Notation,
}

impl Host<'_> {
    pub(crate) fn log(&self, level: Level, text: &str) {
        // A gatherer that is gone ends us at the next read.
        let _ = self.say(&Theirs::Log { level, text: text.to_owned() });
    }

    /// Bytes of the document from there; none if they cannot be had.
    pub(crate) fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let asked = self.say(&Theirs::Read { offset, length }).and_then(|()| self.hear());
        asked.map(|(_, body)| body).unwrap_or_default()
    }

    /// Milliseconds until we are killed.
    pub(crate) fn left(&self) -> u64 {
        match self.say(&Theirs::Left {}).and_then(|()| self.hear()) {
            Ok((Request::Left(left), _)) => left,
            _ => 0,
        }
    }

    fn say(&self, message: &Theirs) -> io::Result<()> {
        self.wire.borrow_mut().send(message, self.number)
    }

    fn hear(&self) -> io::Result<(Request, Vec<u8>)> {
        let (_, request, body) = self.wire.borrow_mut().receive()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((request, body))
    }
}

impl Wire {
    fn send(&mut self, message: &Theirs, number: u32) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.notation.write(message, number, &[], &mut bytes);
        self.stream.write_all(&bytes)
    }

    /// The next message; none if the other side has ended between two messages.
    fn receive(&mut self) -> io::Result<Option<(u32, Request, Vec<u8>)>> {
        let mut start = [0; Start::SIZE];
        match self.stream.read_exact(&mut start) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let Start { head, body, number } = Start::read(start);
        if head.max(body) > MESSAGE_LIMIT {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; head + body];
        self.stream.read_exact(&mut bytes)?;
        let request = self.notation.read(&bytes[..head]).map_err(io::Error::other)?;
        bytes.drain(..head);
        Ok(Some((number, request, bytes)))
    }
}

/// Answers what comes in over standard input until there is no more.
///
/// # Errors
/// When the other side is gone or talks otherwise.
pub(crate) fn work(works: &dyn Works) -> io::Result<()> {
    work_on(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?), works)
}

fn work_on(stream: UnixStream, works: &dyn Works) -> io::Result<()> {
    let wire = RefCell::new(Wire { stream, notation: Notation::Json });
    loop {
        let Some((number, request, body)) = wire.borrow_mut().receive()? else { return Ok(()) };
        let host = Host { wire: &wire, number };
        let question = match request {
            Request::Hello { features } => {
                let (protocol, version) = (PROTOCOL.to_owned(), VERSION.to_owned());
                let (description, features_here) = (works.describe(), vec![PACKED.to_owned()]);
                host.say(&Theirs::Hello { protocol, version, description, features: features_here })?;
                wire.borrow_mut().notation = Notation::agreed(&features);
                continue;
            }
            Request::Summarize(document) => Asking::Summarize(document, body),
            Request::Recognize(document) => Asking::Recognize(document, body),
            Request::Enumerate(root) => Asking::Enumerate(root),
            Request::Correct { document, attributes } => Asking::Correct(document, attributes),
            Request::Bytes {} | Request::Left(_) => return Err(io::ErrorKind::InvalidData.into()),
        };
        host.say(&Theirs::from(works.ask(question, &host)))?;
    }
}

/// The whole body of a document whose beginning is here.
pub(crate) fn whole(document: &Document, mut content: Vec<u8>, host: &Host<'_>) -> Vec<u8> {
    while (content.len() as u64) < document.size {
        let more = host.read(content.len() as u64, INLINE as u64);
        if more.is_empty() {
            break;
        }
        content.extend(more);
    }
    content
}
