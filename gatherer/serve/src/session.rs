//! One broker's session: lines in, replies out, transfers in between.

use crate::Identity;
use crate::command::{Command, Mistake};
use crate::transfer::Transfer;
use flate2::{Compression, write::GzEncoder};
use gatherer_pipeline::{UnixTime, events};
use gatherer_soif::Object;
use gatherer_store::Production;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longest line that can be a command: the longest URL and a verb.
const LINE_LIMIT: u64 = 10_000;
const LINE_TOO_LONG: u16 = 903;
const FULL: u16 = 904;
const NOT_FOUND: u16 = 905;
/// Size of a piece of a transfer, and how many of them may wait for a slow broker.
const PIECE: usize = 64 << 10;
const PIECES_WAITING: usize = 4;

/// What all sessions share.
pub(crate) struct Hall {
    pub(crate) production: Production,
    pub(crate) identity: Identity,
    pub(crate) port: u16,
    pub(crate) idle: Duration,
}

/// What a broker has switched on.
#[derive(Default)]
struct Wishes {
    compression: bool,
    deletions: bool,
}

impl Hall {
    pub(crate) async fn receive(&self, socket: TcpStream, peer: SocketAddr, seat: bool) {
        events::broker_connected(peer);
        // Replies are short and waited for.
        let _ = socket.set_nodelay(true);
        let (reading, mut writing) = socket.into_split();
        let result = if seat {
            self.converse(BufReader::new(reading), &mut writing, peer).await
        } else {
            self.reply(&mut writing, FULL, "too many brokers at once; try again later").await
        };
        if let Err(error) = result {
            events::broker_lost(peer, error);
        }
    }

    async fn converse(
        &self,
        mut reading: impl AsyncBufReadExt + Unpin,
        writing: &mut OwnedWriteHalf,
        peer: SocketAddr,
    ) -> io::Result<()> {
        let Identity { host, version, .. } = &self.identity;
        self.send(writing, format!("000 - HELLO {version} {host} - are you there?\n").as_bytes()).await?;
        let mut wishes = Wishes::default();
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut reading).take(LINE_LIMIT);
            let read = limited.read_until(b'\n', &mut line);
            let read = timeout(self.idle, read).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            if read == 0 {
                return Ok(());
            }
            if read as u64 == LINE_LIMIT {
                return self.reply(writing, LINE_TOO_LONG, "no command is that long").await;
            }
            match Command::parse(&line) {
                Ok(Command::Quit) => return self.reply(writing, 999, "goodbye").await,
                Ok(command) => self.answer(command, &mut wishes, writing, peer).await?,
                Err(Mistake { code, text }) => self.reply(writing, code, &text).await?,
            }
        }
    }

    async fn answer(
        &self,
        command: Command,
        wishes: &mut Wishes,
        writing: &mut OwnedWriteHalf,
        peer: SocketAddr,
    ) -> io::Result<()> {
        match command {
            Command::Hello => self.reply(writing, 100, "pleased to meet you").await,
            Command::Help => {
                let list = Command::HELP.join("\n");
                self.send(writing, format!("200 - commands:\n{list}\n299 - end of list\n").as_bytes()).await
            }
            Command::Info => {
                let object = self.describe()?;
                self.send(writing, &object).await?;
                self.reply(writing, 600, "that is this gatherer").await
            }
            Command::SendObject(url) => match self.object(&url)? {
                Some(object) => {
                    self.reply(writing, 300, "here it comes").await?;
                    self.send(writing, &object).await?;
                    self.reply(writing, 399, "end of object").await
                }
                None => self.reply(writing, NOT_FOUND, &format!("no object {url}")).await,
            },
            Command::SendUpdate(since) => self.update(since, wishes, writing, peer).await,
            Command::SetCompression => {
                wishes.compression = true;
                self.reply(writing, 500, "updates will be compressed").await
            }
            Command::SetDeletions => {
                wishes.deletions = true;
                self.reply(writing, 500, "updates will list deletions and refreshes").await
            }
            Command::Quit => Ok(()),
        }
    }

    async fn update(
        &self,
        since: UnixTime,
        wishes: &Wishes,
        writing: &mut OwnedWriteHalf,
        peer: SocketAddr,
    ) -> io::Result<()> {
        let manner = if wishes.compression { "compressed" } else { "plain" };
        self.reply(writing, 400, &format!("here come the updates since {since}, {manner}")).await?;
        let (pieces, mut arriving) = mpsc::channel(PIECES_WAITING);
        let (production, compression) = (self.production.clone(), wishes.compression);
        let transfer = Transfer { since, deletions: wishes.deletions };
        let work = tokio::task::spawn_blocking(move || {
            let mut out = BufWriter::with_capacity(PIECE, Pieces(pieces));
            let view = production.view();
            let count = if compression {
                let mut packed = GzEncoder::new(out, Compression::default());
                let count = transfer.write(&view, &mut packed)?;
                out = packed.finish()?;
                // A line break, so that the end line stands on a line of its own.
                out.write_all(b"\n")?;
                count
            } else {
                transfer.write(&view, &mut out)?
            };
            out.flush()?;
            Ok::<_, io::Error>(count)
        });
        while let Some(piece) = arriving.recv().await {
            self.send(writing, &piece).await?;
        }
        let count = work.await.map_err(io::Error::other)??;
        events::broker_served(peer, since, count);
        self.reply(writing, 499, &format!("that was all: {count} objects")).await
    }

    fn object(&self, url: &url::Url) -> io::Result<Option<Vec<u8>>> {
        let record = self.production.view().record(url).map_err(io::Error::other)?;
        Ok(record.map(|record| {
            let mut object = Vec::new();
            record.write_soif(&mut object);
            object
        }))
    }

    fn describe(&self) -> io::Result<Vec<u8>> {
        let Identity { name, host, version } = &self.identity;
        let (changes, changed) = self.production.view().last_change().map_err(io::Error::other)?;
        let object = Object::new("GATHERER", format!("gatherer://{host}:{}/", self.port))
            .with("Gatherer-Name", name.as_bytes())
            .with("Gatherer-Host", host.as_bytes())
            .with("Gatherer-Port", self.port.to_string())
            .with("Gatherer-Version", version.as_bytes())
            .with("Update-Time", changed.to_string())
            .with("Change-Number", changes.to_string());
        gatherer_soif::to_bytes(&object).map_err(io::Error::other)
    }

    async fn reply(&self, writing: &mut OwnedWriteHalf, code: u16, text: &str) -> io::Result<()> {
        self.send(writing, format!("{code:03} - {text}\n").as_bytes()).await
    }

    async fn send(&self, writing: &mut OwnedWriteHalf, bytes: &[u8]) -> io::Result<()> {
        timeout(self.idle, writing.write_all(bytes)).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
    }
}

/// The thread's end of the queue. When the broker is gone, so is the other end, and writing fails.
struct Pieces(mpsc::Sender<Vec<u8>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(bytes.to_vec()).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
