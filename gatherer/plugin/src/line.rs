//! The line to a process that stays: bytes go out, messages come in, and nobody waits longer than allowed. One thread does
//! all of it, so a process that writes before it has read cannot block us, nor we it.

use crate::messages::{HEAD_LIMIT, Notation, Ours, Start, Theirs};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::net::{Shutdown, shutdown};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

/// So much is read at once: as much as a pipe holds.
const BUFFER: usize = 64 << 10;
/// Room that is kept from one message to the next.
const KEPT: usize = 2 << 20;
/// Of what a process says on standard error, so much is kept: the end.
const LAST_WORDS: usize = 4 << 10;

/// Why a line is of no more use.
#[derive(Debug)]
pub(crate) enum Broken {
    /// There was no answer in time.
    Late,
    /// The other side is gone.
    Ended,
    /// It says more than it may.
    Flood(usize),
    /// It says something that is no message.
    Nonsense(String),
    /// The system says no.
    Lost(io::Error),
}

impl From<Errno> for Broken {
    fn from(error: Errno) -> Self {
        match error {
            Errno::PIPE | Errno::CONNRESET => Self::Ended,
            other => Self::Lost(other.into()),
        }
    }
}

/// Our ends of the pipes to one process.
#[derive(Debug)]
pub(crate) struct Line {
    input: Option<OwnedFd>,
    output: OwnedFd,
    errors: Option<OwnedFd>,
    /// How heads are written, from the greetings on.
    notation: Notation,
    /// The message that goes out.
    said: Vec<u8>,
    /// What came in and was not taken yet.
    got: Vec<u8>,
    /// What came in since the last question,
    heard: usize,
    /// and how much of it may.
    most: usize,
    last_words: Vec<u8>,
}

impl Line {
    pub(crate) fn new(input: OwnedFd, output: OwnedFd, errors: OwnedFd) -> io::Result<Self> {
        for end in [&input, &output, &errors] {
            ioctl_fionbio(end, true)?;
        }
        Ok(Self {
            input: Some(input),
            output,
            errors: Some(errors),
            notation: Notation::Json,
            said: Vec::new(),
            got: Vec::new(),
            heard: 0,
            most: 0,
            last_words: Vec::new(),
        })
    }

    /// Whether the other side has said something that nobody asked for, or is gone.
    pub(crate) fn is_spoilt(&mut self) -> bool {
        !self.got.is_empty() || self.step(&mut [].as_slice(), Instant::now()).is_err() || !self.got.is_empty()
    }

    /// Begins a new question: so many bytes may be heard from here on.
    pub(crate) fn begin(&mut self, most: usize) {
        (self.heard, self.most) = (0, most);
    }

    /// Goes on in what both sides have agreed on.
    pub(crate) fn agree_on(&mut self, notation: Notation) {
        self.notation = notation;
    }

    /// Says something.
    pub(crate) fn send(&mut self, message: &Ours<'_>, number: u32, body: &[u8], end: Instant) -> Result<(), Broken> {
        let mut said = std::mem::take(&mut self.said);
        self.notation.write(message, number, body, &mut said);
        let sent = self.send_all(&said, end);
        said.clear();
        said.shrink_to(KEPT);
        self.said = said;
        sent
    }

    fn send_all(&mut self, mut rest: &[u8], end: Instant) -> Result<(), Broken> {
        // Most messages find room at once.
        self.speak(&mut rest)?;
        while !rest.is_empty() {
            in_time(end)?;
            self.step(&mut rest, end)?;
        }
        Ok(())
    }

    /// The next message to this question.
    pub(crate) fn receive(&mut self, number: u32, end: Instant) -> Result<Theirs, Broken> {
        self.wait_for(Start::SIZE, end)?;
        let start = Start::read(*self.got.first_chunk().expect("so many were waited for"));
        if start.head > HEAD_LIMIT || start.body > 0 {
            let hint = "standard output belongs to the conversation, other words go to standard error";
            let (head, body) = (start.head, start.body);
            let what = format!("it announces {head} and {body} bytes, which is more than a message has ({hint})");
            return Err(Broken::Nonsense(what));
        }
        if start.number != number {
            return Err(Broken::Nonsense(format!("it answers question {} when {number} was asked", start.number)));
        }
        let size = Start::SIZE + start.head;
        self.wait_for(size, end)?;
        let message = self.notation.read(&self.got[Start::SIZE..size]);
        self.got.drain(..size);
        self.got.shrink_to(KEPT);
        message.map_err(|error| Broken::Nonsense(format!("it says what is no message ({error})")))
    }

    fn wait_for(&mut self, count: usize, end: Instant) -> Result<(), Broken> {
        let mut nothing = [].as_slice();
        while self.got.len() < count {
            in_time(end)?;
            self.step(&mut nothing, end)?;
        }
        Ok(())
    }

    /// Waits until something can be done or the end has come, and does what can be done.
    fn step(&mut self, to_send: &mut &[u8], end: Instant) -> Result<(), Broken> {
        let left = end.saturating_duration_since(Instant::now());
        let mut ends = vec![PollFd::new(&self.output, PollFlags::IN)];
        let errors_at = self.errors.as_ref().map(|errors| {
            ends.push(PollFd::new(errors, PollFlags::IN));
            ends.len() - 1
        });
        let input_at = self.input.as_ref().filter(|_| !to_send.is_empty()).map(|input| {
            ends.push(PollFd::new(input, PollFlags::OUT));
            ends.len() - 1
        });
        let patience = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        match poll(&mut ends, Some(&patience)) {
            Err(Errno::INTR) => return Ok(()),
            other => other?,
        };
        let ready: Vec<bool> = ends.iter().map(|one| !one.revents().is_empty()).collect();
        let is_ready = |place: Option<usize>| place.is_some_and(|place| ready[place]);
        let (errors, input) = (is_ready(errors_at), is_ready(input_at));
        if errors {
            self.listen();
        }
        if input {
            self.speak(to_send)?;
        }
        if ready[0] {
            return self.hear();
        }
        Ok(())
    }

    fn hear(&mut self) -> Result<(), Broken> {
        self.got.reserve(BUFFER);
        match read(&self.output, spare_capacity(&mut self.got)) {
            Ok(0) => Err(Broken::Ended),
            Ok(count) => {
                self.heard += count;
                if self.heard > self.most { Err(Broken::Flood(self.most)) } else { Ok(()) }
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn speak(&mut self, to_send: &mut &[u8]) -> Result<(), Broken> {
        let Some(input) = &self.input else { return Err(Broken::Ended) };
        match write(input.as_fd(), to_send) {
            Ok(count) => {
                *to_send = &to_send[count..];
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes what stands on standard error; it is nobody's business how much that is.
    fn listen(&mut self) {
        let Some(errors) = &self.errors else { return };
        let mut buffer = [0; 4 << 10];
        match read(errors, &mut buffer) {
            Ok(0) => self.errors = None,
            Ok(count) => {
                self.last_words.extend(&buffer[..count]);
                let excess = self.last_words.len().saturating_sub(LAST_WORDS);
                self.last_words.drain(..excess);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.errors = None,
        }
    }

    /// Closes our end, so that the other side may end in peace.
    pub(crate) fn hang_up(&mut self) {
        if let Some(input) = self.input.take() {
            // A socket has our other end open still; a pipe has none, and says so.
            let _ = shutdown(&input, Shutdown::Write);
        }
    }

    /// The last line of what it said on standard error, behind a colon.
    pub(crate) fn last_words(&mut self) -> String {
        for _ in 0..16 {
            self.listen();
        }
        crate::process::last_words(&self.last_words)
    }
}

fn in_time(end: Instant) -> Result<(), Broken> {
    if Instant::now() < end { Ok(()) } else { Err(Broken::Late) }
}
