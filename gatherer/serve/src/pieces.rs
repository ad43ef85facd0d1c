//! Transfers, piece by piece.
//!
//! A piece is a run of whole records. All transfers take turns at the few places where pieces are made, so that fifty of
//! them are no more work at once than two, and each gets its share.

use crate::House;
use crate::gzip::{self, Packed};
use flate2::Crc;
use futures_util::{StreamExt, stream};
use gatherer_store::View;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::block_in_place;

/// Bytes of a piece, about: it ends with the record that reaches them. So many to begin with,
const SIZE: usize = 32 << 10;
/// and up to so many for a broker that takes them as fast as they come.
pub(crate) const LARGEST: usize = 128 << 10;
/// How long one transfer may be at work before it is another's turn.
const TURN: Duration = Duration::from_millis(20);
/// How many pieces may wait for a slow broker.
const WAITING: usize = 2;

/// The places where pieces are made.
pub(crate) struct Kitchen {
    places: usize,
    free: Semaphore,
}

impl Default for Kitchen {
    fn default() -> Self {
        let places = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { places, free: Semaphore::new(places) }
    }
}

impl Kitchen {
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// Does some work that reads or reckons, when its turn has come.
    pub(crate) async fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        // Nobody ever closes it.
        let _place = self.free.acquire().await;
        block_in_place(work)
    }
}

/// Whether there is more to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    Done,
}

/// Something that is written record by record.
pub(crate) trait Source: Send {
    /// Adds the next records, or whatever else stands between them.
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow>;
}

/// What somebody has asked for: opened when the view is there.
pub(crate) trait Order: Send + 'static {
    fn open<'v>(self, house: &House, view: &'v View<'v>) -> io::Result<Box<dyn Source + 'v>>;
}

/// Pieces on their way. An error in their place means that the transfer is not whole.
pub(crate) type Pieces = mpsc::Receiver<io::Result<Vec<u8>>>;

/// Starts a transfer. It ends early when nobody takes the pieces any more.
pub(crate) fn pour(house: &Arc<House>, order: impl Order) -> Pieces {
    let (pieces, taken) = mpsc::channel(WAITING);
    tokio::spawn(make(house.clone(), order, pieces));
    taken
}

async fn make(house: Arc<House>, order: impl Order, pieces: mpsc::Sender<io::Result<Vec<u8>>>) {
    let production = house.service.production.clone();
    let view = production.view();
    let mut source = match house.kitchen.work(|| order.open(&house, &view)).await {
        Ok(source) => source,
        // Whoever asked is gone if this cannot be sent.
        Err(error) => return drop(pieces.send(Err(error)).await),
    };
    flow(&house, &mut *source, &pieces).await;
}

/// Makes piece after piece, for as long as somebody takes them.
async fn flow(house: &House, source: &mut dyn Source, pieces: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut size = SIZE;
    loop {
        // Between two records, the end can come at any time.
        if *house.cut.borrow() {
            return drop(pieces.send(Err(io::ErrorKind::Interrupted.into())).await);
        }
        let mut piece = Vec::with_capacity(size + size / 8);
        let filled = house.kitchen.work(|| fill(source, &mut piece, size)).await;
        let is_waited_for = pieces.capacity() == WAITING;
        size = if is_waited_for { (size * 2).min(LARGEST) } else { SIZE };
        let is_sent = if piece.is_empty() { !pieces.is_closed() } else { hand(house, pieces, Ok(piece)).await };
        match filled {
            Ok(Flow::More) if is_sent => {}
            Err(error) if is_sent => return drop(pieces.send(Err(error)).await),
            _ => return,
        }
    }
}

/// Hands a piece on; false if nobody takes it, or not within the time that brokers have.
pub(crate) async fn hand(
    house: &House,
    pieces: &mpsc::Sender<io::Result<Vec<u8>>>,
    piece: io::Result<Vec<u8>>,
) -> bool {
    pieces.send_timeout(piece, house.service.limits.idle).await.is_ok()
}

fn fill(source: &mut dyn Source, piece: &mut Vec<u8>, size: usize) -> io::Result<Flow> {
    let began = Instant::now();
    // A filter that few records pass must not keep the others waiting.
    while piece.len() < size && began.elapsed() < TURN {
        let whole = piece.len();
        match source.fill(piece) {
            Ok(Flow::More) => {}
            Ok(Flow::Done) => return Ok(Flow::Done),
            Err(error) => {
                piece.truncate(whole);
                return Err(error);
            }
        }
    }
    Ok(Flow::More)
}

/// Packs pieces into one gzip member, several at once. Each piece can be unpacked to its end, so a transfer that is cut ends
/// between two records, too, without the member's own end.
pub(crate) fn pack(house: &Arc<House>, mut pieces: Pieces) -> Pieces {
    let (packed, taken) = mpsc::channel(WAITING);
    let house = house.clone();
    tokio::spawn(async move {
        let at_work = stream::poll_fn(|context| pieces.poll_recv(context))
            .map(|piece| tokio::spawn(pack_one(house.clone(), piece)));
        let mut done = at_work.buffered(house.kitchen.places());
        let mut sum = Crc::new();
        if !hand(&house, &packed, Ok(gzip::HEADER.to_vec())).await {
            return;
        }
        while let Some(piece) = done.next().await {
            let Packed { bytes, sum: one } = match piece.map_err(io::Error::other).flatten() {
                Ok(piece) => piece,
                Err(error) => return drop(packed.send(Err(error)).await),
            };
            sum.combine(&one);
            if !hand(&house, &packed, Ok(bytes)).await {
                return;
            }
        }
        // Nobody is left to hear of it if this cannot be sent.
        let _ = packed.send(Ok(gzip::end(&sum))).await;
    });
    taken
}

async fn pack_one(house: Arc<House>, piece: io::Result<Vec<u8>>) -> io::Result<Packed> {
    let piece = piece?;
    house.kitchen.work(|| gzip::deflate(&piece)).await
}
