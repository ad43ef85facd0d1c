//! A broker's side of the daemon port: collect everything, or what changed since a time.
//!
//! Works with our own daemon and with those of the Harvest family. It trusts nothing: replies are checked by code,
//! objects are read within limits, a transfer without its end line is an error.
//!
//! ```no_run
//! use gatherer_collect::{Collected, Collector, Wish};
//! use std::time::Duration;
//!
//! let mut gatherer = Collector::connect("127.0.0.1:8500", Duration::from_secs(30))?;
//! let wish = Wish { since: 0, compression: true, deletions: false };
//! gatherer.update(wish, |item| {
//!     if let Collected::Update(object) = item {
//!         assert!(!object.url.is_empty());
//!     }
//!     Ok(())
//! })?;
//! gatherer.quit()?;
//! # Ok::<(), gatherer_collect::CollectError>(())
//! ```

use flate2::bufread::GzDecoder;
use gatherer_soif::{Item, Object, ReadError, Reader, Wrapper};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;
use thiserror::Error;

/// Longest reply line read.
const LINE_LIMIT: u64 = 64 << 10;

/// Why collecting ended early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CollectError {
    /// Nobody there.
    #[error("cannot connect to {address}\ncheck host and port, and that `gatherer serve` is running there")]
    Connect {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Somebody is there who does not greet.
    #[error("{address} does not greet as a gatherer does\ncheck the port: `gatherer serve` says where it listens")]
    Silent {
        /// Where.
        address: String,
    },
    /// The other side said something else than expected.
    #[error("expected a {expected:03} reply from {address}, got {found:?}")]
    Reply {
        /// Who.
        address: String,
        /// The code that should have come.
        expected: u16,
        /// What came.
        found: String,
    },
    /// The connection broke.
    #[error("the connection to {address} broke off: {source}")]
    Broken {
        /// Who.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The stream of objects is damaged beyond going on, or stops in the middle.
    #[error("the transfer from {address} cannot be read to its end: {source}")]
    Damaged {
        /// Who.
        address: String,
        /// Where and why.
        source: ReadError,
    },
    /// Fewer or more objects than the other side says it sent.
    #[error("{address} says it sent {sent} objects, {received} arrived")]
    Count {
        /// Who.
        address: String,
        /// Its count.
        sent: u64,
        /// Ours.
        received: u64,
    },
    /// The caller could not take an object.
    #[error("cannot write what was collected")]
    Taker(#[source] io::Error),
}

/// What to collect.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// Changed at this Unix time or later; 0 is everything.
    pub since: u64,
    /// One gzip member instead of plain text.
    pub compression: bool,
    /// Ask for deletions and refreshes (our own daemon only).
    pub deletions: bool,
}

/// One thing collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collected {
    /// A new or changed object, or all we have.
    Update(Object),
    /// New times for an object whose content is the same.
    Refresh(Object),
    /// An object is gone.
    Delete(Object),
}

/// How much was collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Whole objects.
    pub updated: u64,
    /// Refreshes.
    pub refreshed: u64,
    /// Deletions.
    pub deleted: u64,
    /// Objects that could not be read and were passed over.
    pub damaged: u64,
}

/// A session with a gatherer.
pub struct Collector {
    address: String,
    banner: String,
    reading: BufReader<TcpStream>,
}

/// How long a greeting may take.
const GREETING: Duration = Duration::from_secs(10);

impl Collector {
    /// Connects and hears the greeting. No read or write waits longer than `limit`.
    ///
    /// # Errors
    /// When nobody is there, or somebody who is no gatherer.
    pub fn connect(address: &str, limit: Duration) -> Result<Self, CollectError> {
        let failed = |source| CollectError::Connect { address: address.to_owned(), source };
        let socket = dial(address, limit).map_err(failed)?;
        let mut session = Self { address: address.to_owned(), banner: String::new(), reading: BufReader::new(socket) };
        // A gatherer greets at once; somebody who waits for us to begin is none.
        session.reading.get_ref().set_read_timeout(Some(limit.min(GREETING))).map_err(failed)?;
        session.banner = session.expect(0).map_err(|error| match error {
            CollectError::Broken { address, source } if source.kind() == io::ErrorKind::WouldBlock => {
                CollectError::Silent { address }
            }
            other => other,
        })?;
        session.reading.get_ref().set_read_timeout(Some(limit)).map_err(failed)?;
        session.say("HELLO collector")?;
        session.expect(100)?;
        Ok(session)
    }

    /// The line the gatherer greets with: its version and host.
    pub fn banner(&self) -> &str {
        &self.banner
    }

    /// The gatherer's description of itself.
    ///
    /// # Errors
    /// When the session breaks or the answer is no object.
    pub fn info(&mut self) -> Result<Option<Object>, CollectError> {
        self.say("INFO")?;
        let object = Reader::new(&mut self.reading).next_object();
        let object = object.map_err(|source| CollectError::Damaged { address: self.address.clone(), source })?;
        self.expect(600)?;
        Ok(object)
    }

    /// Collects, handing each thing to `take` as it arrives.
    ///
    /// # Errors
    /// When the transfer does not come whole; what was taken before is then only a part.
    pub fn update(
        &mut self,
        wish: Wish,
        mut take: impl FnMut(Collected) -> io::Result<()>,
    ) -> Result<Tally, CollectError> {
        for (wanted, what) in [(wish.compression, "compression"), (wish.deletions, "deletions")] {
            if wanted {
                self.say(&format!("SET {what}"))?;
                self.expect(500)?;
            }
        }
        self.say(&format!("SEND-UPDATE {}", wish.since))?;
        self.expect(400)?;
        let address = self.address.clone();
        let tally = if wish.compression {
            let mut unpacked = BufReader::new(GzDecoder::new(&mut self.reading));
            let tally = read_wrappers(&address, &mut unpacked, &mut take)?;
            // The checksum at the end of the member is checked by reading to its end.
            let broken = |source| CollectError::Broken { address: address.clone(), source };
            io::copy(&mut unpacked, &mut io::sink()).map_err(broken)?;
            tally
        } else {
            read_wrappers(&address, &mut self.reading, &mut take)?
        };
        let end = self.expect(499)?;
        self.compare(&end, tally)?;
        Ok(tally)
    }

    /// Ends the session.
    ///
    /// # Errors
    /// When the gatherer does not say goodbye.
    pub fn quit(mut self) -> Result<(), CollectError> {
        self.say("QUIT")?;
        self.expect(999).map(drop)
    }

    /// Our own daemon says in its last line how many objects it sent.
    fn compare(&self, end: &str, tally: Tally) -> Result<(), CollectError> {
        let sent = end.strip_suffix(" objects").and_then(|text| text.rsplit(' ').next()).and_then(|n| n.parse().ok());
        let received = tally.updated + tally.refreshed + tally.deleted + tally.damaged;
        match sent {
            Some(sent) if sent != received => {
                Err(CollectError::Count { address: self.address.clone(), sent, received })
            }
            _ => Ok(()),
        }
    }

    fn say(&mut self, line: &str) -> Result<(), CollectError> {
        let written = self.reading.get_mut().write_all(format!("{line}\n").as_bytes());
        written.map_err(|source| CollectError::Broken { address: self.address.clone(), source })
    }

    /// Reads a reply line, passing over blank ones, and returns its text.
    fn expect(&mut self, expected: u16) -> Result<String, CollectError> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.reading).take(LINE_LIMIT).read_until(b'\n', &mut line);
            read.map_err(|source| CollectError::Broken { address: self.address.clone(), source })?;
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            if text.is_empty() && !line.is_empty() {
                continue;
            }
            return match text.split_once(" - ") {
                Some((code, rest)) if code.parse() == Ok(expected) => Ok(rest.to_owned()),
                _ => Err(CollectError::Reply { address: self.address.clone(), expected, found: text }),
            };
        }
    }
}

fn dial(address: &str, limit: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for candidate in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&candidate, limit) {
            Ok(socket) => {
                socket.set_read_timeout(Some(limit))?;
                socket.set_write_timeout(Some(limit))?;
                return Ok(socket);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Reads up to the end of `@UPDATE`, which is the last of the three wrappers.
fn read_wrappers(
    address: &str,
    source: &mut impl BufRead,
    take: &mut impl FnMut(Collected) -> io::Result<()>,
) -> Result<Tally, CollectError> {
    let mut tally = Tally::default();
    let mut wrapper = Wrapper::Update;
    let mut reader = Reader::new(source);
    loop {
        match reader.next_item() {
            Ok(Some(Item::WrapperStart(started))) => wrapper = started,
            Ok(Some(Item::WrapperEnd(Wrapper::Update)) | None) => return Ok(tally),
            Ok(Some(Item::WrapperEnd(_))) => wrapper = Wrapper::Update,
            Ok(Some(Item::Object(object))) => {
                let (count, collected) = match wrapper {
                    Wrapper::Update => (&mut tally.updated, Collected::Update(object)),
                    Wrapper::Refresh => (&mut tally.refreshed, Collected::Refresh(object)),
                    Wrapper::Delete => (&mut tally.deleted, Collected::Delete(object)),
                };
                *count += 1;
                take(collected).map_err(CollectError::Taker)?;
            }
            Err(error) if error.can_go_on() => tally.damaged += 1,
            Err(source) => return Err(CollectError::Damaged { address: address.to_owned(), source }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A gatherer of the Harvest family, played from a script: each reply follows one line of ours.
    fn scripted(replies: &'static [&'static str]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        std::thread::spawn(move || -> io::Result<()> {
            let (socket, _) = listener.accept()?;
            let mut reading = BufReader::new(socket);
            let (last, others) = replies.split_last().ok_or(io::ErrorKind::InvalidInput)?;
            for reply in others {
                reading.get_mut().write_all(reply.as_bytes())?;
                reading.read_line(&mut String::new())?;
            }
            reading.get_mut().write_all(last.as_bytes())
        });
        address
    }

    fn collect(replies: &'static [&'static str]) -> Result<(Tally, Vec<String>), CollectError> {
        let mut urls = Vec::new();
        let mut session = Collector::connect(&scripted(replies), Duration::from_secs(10))?;
        let wish = Wish { since: 0, compression: false, deletions: false };
        let tally = session.update(wish, |item| {
            if let Collected::Update(object) = item {
                urls.push(object.url);
            }
            Ok(())
        })?;
        Ok((tally, urls))
    }

    const HELLO: &str = "000 - HELLO 1.9 old.example.org\n";
    const OBJECTS: &str =
        "400 - here\n@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { http://a/\nTitle{8}:\t499 - x\n\n}\n\n}\n";

    #[test]
    fn an_old_gatherer_is_understood() {
        let (tally, urls) = collect(&[
            HELLO,
            "100 - hi\n",
            "400 - x\n@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { http://a/\nTitle{5}:\t499 -\n}\n}\n499 - end\n",
        ])
        .expect("a whole transfer");
        assert_eq!((tally.updated, urls), (1, vec!["http://a/".to_owned()]));
    }

    #[test]
    fn a_transfer_without_its_end_line_is_an_error() {
        assert!(matches!(collect(&[HELLO, "100 - hi\n", OBJECTS]), Err(CollectError::Reply { expected: 499, .. })));
    }

    #[test]
    fn somebody_else_is_named() {
        let error = collect(&["220 mail.example.org ESMTP\n"]).expect_err("no gatherer");
        assert!(error.to_string().contains("220 mail"), "{error}");
    }
}
