//! One broker's session: lines in, replies out, transfers in between.

use super::Daemon;
use super::command::{Command, Mistake, Wish};
use super::transfer::{Start, Transfer};
use crate::cursor::{Cursor, CursorError};
use crate::filter::Filter;
use crate::metrics::Door;
use crate::pieces::{pack, pour};
use crate::wire::Wire;
use crate::{Identity, until};
use gatherer_pipeline::events;
use gatherer_soif::Object;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use url::Url;

/// Longest line that can be a command: the longest URL and a verb.
const LINE_LIMIT: u64 = 10_000;
/// How somebody begins who wants to encrypt.
const CIPHER: &[u8] = &[0x16, 3];
const LINE_TOO_LONG: u16 = 903;
pub(super) const FULL: u16 = 904;
const NOT_FOUND: u16 = 905;
pub(super) const DENIED: u16 = 906;
const BAD_CURSOR: u16 = 907;
const TOO_OFTEN: u16 = 908;
const STORE_FAILED: u16 = 909;

/// A session, with what its broker has switched on.
pub(super) struct Session<'d> {
    daemon: &'d Arc<Daemon>,
    wire: BufReader<Wire>,
    peer: SocketAddr,
    compression: bool,
    deletions: bool,
    filter: Filter,
}

impl<'d> Session<'d> {
    pub(super) fn new(daemon: &'d Arc<Daemon>, wire: Wire, peer: SocketAddr, trusted: bool) -> Self {
        let filter = if trusted { Filter::default() } else { Filter::public(&daemon.house.service.is_private) };
        Self { daemon, wire: BufReader::new(wire), peer, compression: false, deletions: false, filter }
    }

    /// Answers command after command, until one side has had enough.
    pub(super) async fn converse(&mut self, mut ending: watch::Receiver<bool>) -> io::Result<()> {
        let Identity { host, version, .. } = self.daemon.identity();
        self.send(format!("000 - HELLO {version} {host} - are you there?\n").as_bytes()).await?;
        loop {
            let line = tokio::select! {
                biased;
                // Nothing new begins then, even if it has been asked for already.
                () = until(&mut ending) => return Ok(()),
                line = self.line() => line?,
            };
            let Some(line) = line else { return Ok(()) };
            if line.starts_with(CIPHER) {
                return Err(io::Error::other("it wants to encrypt, and this port has no certificate"));
            }
            if line.len() as u64 == LINE_LIMIT {
                return self.reply(LINE_TOO_LONG, "no command is that long").await;
            }
            if let Err(wait) = self.daemon.house.quota.take(self.peer.ip()) {
                self.reply(TOO_OFTEN, &format!("too many commands; wait {} s", wait.as_secs() + 1)).await?;
                continue;
            }
            match Command::parse(&line) {
                Ok(Command::Quit) => return self.reply(999, "goodbye").await,
                Ok(command) => {
                    let name = command.name();
                    let code = self.answer(command).await?;
                    self.daemon.house.metrics.answered(Door::Daemon, name, code);
                }
                Err(Mistake { code, text }) => {
                    self.daemon.house.metrics.answered(Door::Daemon, "other", code);
                    self.reply(code, &text).await?;
                }
            }
        }
    }

    /// A line, or what there is of it when it is too long or cut off; nothing at the end.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut limited = (&mut self.wire).take(LINE_LIMIT);
        let idle = self.daemon.house.service.limits.idle;
        let silent = |_| io::Error::new(io::ErrorKind::TimedOut, "it said nothing for too long");
        let read = timeout(idle, limited.read_until(b'\n', &mut line)).await.map_err(silent)??;
        Ok((read > 0).then_some(line))
    }

    /// Answers a command and returns the code of the answer's first line.
    async fn answer(&mut self, command: Command) -> io::Result<u16> {
        match command {
            Command::Hello => self.say(100, "pleased to meet you").await,
            Command::Help => {
                let list = Command::HELP.join("\n");
                self.send(format!("200 - commands:\n{list}\n299 - end of list\n").as_bytes()).await?;
                Ok(200)
            }
            Command::Info => match self.describe() {
                Ok(object) => {
                    self.send(&object).await?;
                    self.say(600, "that is this gatherer").await
                }
                Err(error) => self.failed(&error).await,
            },
            Command::SendObject(url) => self.send_object(&url).await,
            Command::SendUpdate(since) => self.transfer(Start::Time(since), &format!("since {since}")).await,
            Command::SendChanges(cursor) => self.changes(&cursor).await,
            Command::Set(wish) => {
                let said = self.set(wish);
                self.say(500, said).await
            }
            Command::Quit => Ok(999),
        }
    }

    fn set(&mut self, wish: Wish) -> &'static str {
        match wish {
            Wish::Compression => self.compression = true,
            Wish::Deletions => self.deletions = true,
            Wish::Kinds(kinds) => self.filter.kinds = kinds,
            Wish::Root(root) => self.filter.roots = vec![root],
            Wish::Site(site) => self.filter.site = Some(site),
            Wish::Attributes(attributes) => self.filter.attributes = attributes,
        }
        "so be it from here on"
    }

    async fn send_object(&mut self, url: &Url) -> io::Result<u16> {
        let record = self.daemon.house.service.production.view().record(url);
        match record {
            Ok(Some(record)) if self.filter.may_see(&record.head.root) => {
                let mut object = b"300 - here it comes\n".to_vec();
                record.write_soif(&mut object);
                object.extend_from_slice(b"399 - end of object\n");
                self.send(&object).await?;
                Ok(300)
            }
            Ok(_) => self.say(NOT_FOUND, &format!("no object {url}")).await,
            Err(error) => self.failed(&error).await,
        }
    }

    async fn changes(&mut self, cursor: &str) -> io::Result<u16> {
        let production = &self.daemon.house.service.production;
        let read = Cursor::read(cursor, production, &self.filter, &production.view());
        match read {
            Ok(start) => self.transfer(Start::Cursor(start), &format!("behind {cursor}")).await,
            Err(CursorError::Store(error)) => self.failed(&error).await,
            Err(error) => self.say(BAD_CURSOR, &error.to_string()).await,
        }
    }

    async fn transfer(&mut self, start: Start, what: &str) -> io::Result<u16> {
        let house = &self.daemon.house;
        let count = Arc::new(AtomicU64::new(0));
        let deletions = self.deletions || matches!(start, Start::Cursor(_));
        let (end, ended) = oneshot::channel();
        let (filter, compression) = (self.filter.clone(), self.compression);
        let transfer = Transfer { start, deletions, filter, count: count.clone(), compression, end };
        let mut pieces = pour(house, transfer);
        let Ok((end, is_packed)) = ended.await else {
            let error = pieces.recv().await.and_then(Result::err);
            return self.failed(&error.unwrap_or_else(|| io::ErrorKind::Other.into())).await;
        };
        self.announce(what, end).await?;
        if self.compression && !is_packed {
            pieces = pack(house, pieces);
        }
        while let Some(piece) = pieces.recv().await {
            let piece = piece?;
            house.metrics.bytes(Door::Daemon).inc_by(piece.len() as u64);
            self.send(&piece).await?;
        }
        self.close(count.load(Ordering::Relaxed), what).await
    }

    async fn announce(&mut self, what: &str, end: Cursor) -> io::Result<()> {
        let manner = if self.compression { "compressed" } else { "plain" };
        self.reply(400, &format!("here come, {manner}, the changes {what} up to {end}")).await
    }

    /// Ends a transfer that has come whole.
    async fn close(&mut self, count: u64, what: &str) -> io::Result<u16> {
        let house = &self.daemon.house;
        house.metrics.objects(Door::Daemon).inc_by(count);
        events::broker_served(self.peer, what, count);
        // Behind a gzip member, so that the end line stands on a line of its own.
        let gap = if self.compression { "\n" } else { "" };
        self.send(format!("{gap}499 - that was all: {count} objects\n").as_bytes()).await?;
        Ok(400)
    }

    fn describe(&self) -> io::Result<Vec<u8>> {
        let Identity { name, host, version } = self.daemon.identity();
        let production = &self.daemon.house.service.production;
        let view = production.view();
        let (number, changed) = view.last_change().map_err(io::Error::other)?;
        let object = Object::new("GATHERER", format!("gatherer://{host}:{}/", self.daemon.port))
            .with("Gatherer-Name", name.as_bytes())
            .with("Gatherer-Host", host.as_bytes())
            .with("Gatherer-Port", self.daemon.port.to_string())
            .with("Gatherer-Version", version.as_bytes())
            .with("Update-Time", changed.to_string())
            .with("Change-Number", number.to_string())
            .with("Cursor", Cursor::new(production, &self.filter, number).to_string());
        gatherer_soif::to_bytes(&object).map_err(io::Error::other)
    }

    /// The store is in trouble, which is not the broker's fault.
    async fn failed(&mut self, error: &(dyn Error + Sync)) -> io::Result<u16> {
        events::broker_lost(self.peer, error);
        self.say(STORE_FAILED, "the store cannot be read; its operator has been told").await
    }

    async fn say(&mut self, code: u16, text: &str) -> io::Result<u16> {
        self.reply(code, text).await?;
        Ok(code)
    }

    pub(super) async fn reply(&mut self, code: u16, text: &str) -> io::Result<()> {
        self.send(format!("{code:03} - {text}\n").as_bytes()).await
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let wire = self.wire.get_mut();
        wire.write_all(bytes).await?;
        wire.flush().await
    }
}
