//! The protocol of Harvest, from the broker's side.

use crate::socket::{Socket, is_in_clear};
use crate::{Approach, CollectError, Collected, Place, Round, Take, Tally, Wish};
use flate2::bufread::GzDecoder;
use gatherer_soif::{Item, Object, Reader, Wrapper};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

/// Longest reply line read.
const LINE_LIMIT: u64 = 64 << 10;
/// How long a greeting may take.
const GREETING: Duration = Duration::from_secs(10);
/// The reply to a cursor that means nothing there.
const BAD_CURSOR: u16 = 907;

/// A session with a gatherer.
pub struct Collector {
    address: String,
    banner: String,
    reading: BufReader<Socket>,
    /// What this session has switched on already.
    set: Vec<String>,
}

impl Collector {
    /// Connects and hears the greeting.
    ///
    /// # Errors
    /// When nobody is there, or somebody who is no gatherer.
    pub fn connect(address: &str, approach: &Approach) -> Result<Self, CollectError> {
        let failed = |source| CollectError::Connect { address: address.to_owned(), source };
        let reading = BufReader::new(Socket::connect(address, approach)?);
        let (address, banner) = (address.to_owned(), String::new());
        let mut session = Self { address: address.clone(), banner, reading, set: Vec::new() };
        // A gatherer greets at once; somebody who waits for us to begin is none.
        session.reading.get_ref().set_read_timeout(approach.limit.min(GREETING)).map_err(failed)?;
        session.banner = session.expect(0).map_err(|error| match error {
            CollectError::Broken { address, source } if source.kind() == io::ErrorKind::WouldBlock => {
                CollectError::Silent { address }
            }
            CollectError::Broken { address, source } if is_in_clear(&source) => CollectError::Approach(format!(
                "{address} does not encrypt\nleave out tls://, or have its operator give it a certificate"
            )),
            CollectError::Reply { address, found, .. } if found.starts_with("90") => {
                let (code, detail) = found.split_once(" - ").unwrap_or(("900", &found));
                CollectError::Refused { address, status: code.parse().unwrap_or(900), detail: detail.to_owned() }
            }
            other => other,
        })?;
        session.reading.get_ref().set_read_timeout(approach.limit).map_err(failed)?;
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

    /// One round; by cursor where the other side knows them, else by time.
    pub(crate) fn collect(&mut self, place: &Place, wish: &Wish, take: Take<'_>) -> Result<Round, CollectError> {
        let info = self.info()?;
        let knows_cursors = info.as_ref().is_some_and(|info| info.get("Cursor").is_some());
        let time = info.and_then(|info| info.text("Update-Time")?.trim().parse().ok()).unwrap_or(0);
        self.wish(wish)?;
        let (command, next) = match place {
            Place::Since(since) => (format!("SEND-UPDATE {since}"), Some(Place::Since(time))),
            Place::Cursor(cursor) if knows_cursors => (format!("SEND-CHANGES {cursor}"), None),
            Place::Cursor(cursor) if cursor == "0" => ("SEND-UPDATE 0".to_owned(), Some(Place::Since(time))),
            Place::Cursor(_) => {
                let detail = "it knows no cursors any more".to_owned();
                return Err(CollectError::Lost { address: self.address.clone(), detail });
            }
        };
        self.say(&command)?;
        let begun = self.expect(400).map_err(|error| match error {
            CollectError::Reply { address, found, .. } if found.starts_with(&BAD_CURSOR.to_string()) => {
                CollectError::Lost {
                    address,
                    detail: found.split_once(" - ").map_or(found.clone(), |(_, why)| why.to_owned()),
                }
            }
            other => other,
        })?;
        // The last word of the answer is where the transfer ends.
        let cursor = || Place::Cursor(begun.rsplit(' ').next().unwrap_or_default().to_owned());
        let tally = self.receive(self.set.iter().any(|what| what == "compression"), take)?;
        Ok(Round { tally, place: next.unwrap_or_else(cursor) })
    }

    /// Switches on what is wanted and not on yet.
    fn wish(&mut self, wish: &Wish) -> Result<(), CollectError> {
        let mut wanted = Vec::new();
        wanted.extend(wish.compression.then(|| "compression".to_owned()));
        wanted.extend(wish.deletions.then(|| "deletions".to_owned()));
        wanted.extend((!wish.kinds.is_empty()).then(|| format!("kinds {}", wish.kinds.join(","))));
        wanted.extend(wish.root.iter().map(|root| format!("root {root}")));
        wanted.extend(wish.site.iter().map(|site| format!("site {site}")));
        wanted.extend((!wish.attributes.is_empty()).then(|| format!("attributes {}", wish.attributes.join(","))));
        for what in wanted {
            if self.set.contains(&what) {
                continue;
            }
            self.say(&format!("SET {what}"))?;
            match self.expect(500) {
                Ok(_) => self.set.push(what),
                // Daemons of the Harvest family know no deletions; everything else has to be as it was asked for.
                Err(CollectError::Reply { .. }) if what == "deletions" => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive(&mut self, is_packed: bool, take: Take<'_>) -> Result<Tally, CollectError> {
        let address = self.address.clone();
        let tally = if is_packed {
            let mut unpacked = BufReader::new(GzDecoder::new(&mut self.reading));
            let tally = read_wrappers(&address, &mut unpacked, take)?;
            // The checksum at the end of the member is checked by reading to its end.
            let broken = |source| CollectError::Broken { address: address.clone(), source };
            io::copy(&mut unpacked, &mut io::sink()).map_err(broken)?;
            tally
        } else {
            read_wrappers(&address, &mut self.reading, take)?
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
        match sent {
            Some(sent) if sent != tally.total() => {
                Err(CollectError::Count { address: self.address.clone(), sent, received: tally.total() })
            }
            _ => Ok(()),
        }
    }

    fn say(&mut self, line: &str) -> Result<(), CollectError> {
        let written = self.reading.get_mut().write_all(format!("{line}\n").as_bytes());
        let written = written.and_then(|()| self.reading.get_mut().flush());
        written.map_err(|source| CollectError::Broken { address: self.address.clone(), source })
    }

    /// Reads a reply line, passing over blank ones, and returns its text.
    fn expect(&mut self, expected: u16) -> Result<String, CollectError> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.reading).take(LINE_LIMIT).read_until(b'\n', &mut line);
            let read = read.map_err(|source| CollectError::Broken { address: self.address.clone(), source })?;
            if read == 0 {
                let source = io::ErrorKind::UnexpectedEof.into();
                return Err(CollectError::Broken { address: self.address.clone(), source });
            }
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

/// Reads up to the end of `@UPDATE`, which is the last of the three wrappers.
fn read_wrappers(address: &str, source: &mut impl BufRead, take: Take<'_>) -> Result<Tally, CollectError> {
    let mut tally = Tally::default();
    let mut wrapper = Wrapper::Update;
    let mut reader = Reader::new(source);
    loop {
        match reader.next_item() {
            Ok(Some(Item::WrapperStart(started))) => wrapper = started,
            Ok(Some(Item::WrapperEnd(Wrapper::Update)) | None) => return Ok(tally),
            Ok(Some(Item::WrapperEnd(_))) => wrapper = Wrapper::Update,
            Ok(Some(Item::Object(object))) => {
                let collected = match wrapper {
                    Wrapper::Update => Collected::Update(object),
                    Wrapper::Refresh => Collected::Refresh(object),
                    Wrapper::Delete => Collected::Delete(object),
                };
                tally.count(&collected);
                take(collected, None).map_err(CollectError::Taker)?;
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
        let mut session = Collector::connect(&scripted(replies), &Approach::default())?;
        let wish = Wish { compression: false, deletions: false, ..Wish::default() };
        let round = session.collect(&Place::Since(0), &wish, &mut |item, _| {
            if let Collected::Update(object) = item {
                urls.push(object.url);
            }
            Ok(())
        })?;
        Ok((round.tally, urls))
    }

    const HELLO: &str = "000 - HELLO 1.9 old.example.org\n";
    const INFO: &str = "@GATHERER { gatherer://old/\nUpdate-Time{2}:\t77\n}\n600 - x\n";
    const OBJECTS: &str =
        "400 - here\n@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { http://a/\nTitle{8}:\t499 - x\n\n}\n\n}\n";

    #[test]
    fn an_old_gatherer_is_understood() {
        let (tally, urls) = collect(&[
            HELLO,
            "100 - hi\n",
            INFO,
            "400 - x\n@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { http://a/\nTitle{5}:\t499 -\n}\n}\n499 - end\n",
        ])
        .expect("a whole transfer");
        assert_eq!((tally.updated, urls), (1, vec!["http://a/".to_owned()]));
    }

    #[test]
    fn a_transfer_without_its_end_line_is_an_error() {
        assert!(matches!(collect(&[HELLO, "100 - hi\n", INFO, OBJECTS]), Err(CollectError::Broken { .. })));
    }

    #[test]
    fn somebody_else_is_named() {
        let error = collect(&["220 mail.example.org ESMTP\n"]).expect_err("no gatherer");
        assert!(error.to_string().contains("220 mail"), "{error}");
    }
}
