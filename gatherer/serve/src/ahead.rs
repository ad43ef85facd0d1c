//! Makes full transfers ready before anybody asks: on a thread of low priority, and with rests.

use crate::gzip::{self, Packed};
use crate::pieces::{Flow, LARGEST};
use crate::ready::{Stock, Variety, hidden};
use crate::supply::Supply;
use crate::{House, until};
use gatherer_pipeline::events;
use gatherer_store::{Place, Range, Raw};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::sleep;
use url::Url;

/// The terms on which full transfers are made ahead.
#[derive(Debug, Clone)]
pub struct Ahead {
    /// Where they are kept. Files of that kind in it are removed at the start.
    pub folder: PathBuf,
    /// Most bytes of one.
    pub limit: u64,
    /// How long to wait for more to change before they are made anew.
    pub pause: Duration,
}

/// How long the rest after some work is, against that: in the long run a tenth of one processor is used.
const REST: u32 = 9;
/// How far below all others it works.
const NICENESS: i32 = 10;

/// Keeps transfers ready until the house ends.
pub(crate) async fn keep_ready(house: Arc<House>) {
    let Some(pause) = house.ready.pause() else { return };
    let mut ending = house.ending.subscribe();
    let mut folds = house.folds.clone();
    let mut rest = Duration::ZERO;
    loop {
        tokio::select! {
            () = until(&mut ending) => return,
            () = sleep(pause.max(rest)) => {}
        }
        folds.borrow_and_update();
        let began = Instant::now();
        work(house.clone()).await;
        rest = began.elapsed() * REST;
        tokio::select! {
            () = until(&mut ending) => return,
            Ok(()) = folds.changed() => {}
            () = house.ready.missed.notified() => {}
        }
    }
}

/// On a thread of its own, because its priority cannot be raised again.
async fn work(house: Arc<House>) {
    let (done, is_done) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        // Where this is not allowed, it is as important as others.
        let _ = rustix::process::nice(NICENESS);
        for variety in house.ready.take_wishes() {
            if let Err(error) = make(&house, variety) {
                let folder = house.service.ready_made.as_ref().map(|terms| terms.folder.display());
                folder.iter().for_each(|folder| events::transfer_not_ready(folder, &error));
            }
        }
        // The store may be closed only when nobody reads any more.
        drop((house, done));
    });
    let _ = is_done.await;
}

/// Makes a transfer ready, out of the one before it as far as nothing has changed.
fn make(house: &House, variety: Variety) -> io::Result<()> {
    let began = Instant::now();
    let records = house.service.production.holdings().iter().map(|(_, holding)| holding.records).sum();
    let hidden = hidden(house, variety);
    let view = house.service.production.view();
    let number = view.last_change().map_err(io::Error::other)?.0;
    let old = house.ready.stock(variety).filter(|old| old.hidden == hidden);
    if records == 0 || !house.ready.may_fit(records) || old.as_ref().is_some_and(|old| old.number == number) {
        return Ok(());
    }
    // Pieces become smaller with time.
    let old = old.filter(|old| old.pieces.len() as u64 <= 2 * old.size / LARGEST as u64 + 16);
    let supply = match old.clone() {
        Some(old) => Supply::stocked(&view, old).map_err(io::Error::other)?,
        None => Supply::walked(&view, Range::all()),
    };
    let stock = house.ready.begin(number, hidden)?;
    let mut making = Making { variety, stock, plain: Vec::new(), first: None, count: 0 };
    match making.all(house, supply) {
        Ok(Flow::Done) => {
            events::transfer_made_ready(records, making.stock.size, began.elapsed());
            house.ready.put(variety, making.stock)
        }
        Ok(Flow::More) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            house.ready.did_not_fit(records);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// A transfer that is being made ready.
struct Making {
    variety: Variety,
    stock: Stock,
    /// The piece that is being put together,
    plain: Vec<u8>,
    /// where its first record stands,
    first: Option<Place>,
    /// and how many there are.
    count: u64,
}

impl Making {
    /// Makes all of it, unless the house ends.
    fn all(&mut self, house: &House, mut supply: Supply<'_>) -> io::Result<Flow> {
        let filter = self.variety.filter(house);
        while !*house.ending.borrow() {
            if let Some(piece) = supply.lying() {
                self.cut()?;
                let (first, count, sum) = piece.copied();
                let mut bytes = Vec::new();
                supply.take(&mut bytes)?;
                self.stock.add(first, count, &bytes, sum)?;
                continue;
            }
            let shown =
                supply.step(|record| if filter.may_see(record.head.root) { self.add(record) } else { Ok(()) })?;
            if shown.is_none() && supply.lying().is_none() {
                self.cut()?;
                return Ok(Flow::Done);
            }
        }
        Ok(Flow::More)
    }

    fn add(&mut self, record: &Raw<'_>) -> io::Result<()> {
        if self.first.is_none() {
            self.first = Some(Place::of(&Url::parse(record.head.url).map_err(io::Error::other)?));
        }
        record.write_soif(&mut self.plain);
        self.plain.push(b'\n');
        self.count += 1;
        if self.plain.len() < LARGEST { Ok(()) } else { self.cut() }
    }

    fn cut(&mut self) -> io::Result<()> {
        let Some(first) = self.first.take() else { return Ok(()) };
        if self.variety.is_packed {
            let Packed { bytes, sum } = gzip::deflate(&self.plain)?;
            self.stock.add(first, self.count, &bytes, Some(sum))?;
        } else {
            self.stock.add(first, self.count, &self.plain, None)?;
        }
        self.plain.clear();
        self.count = 0;
        Ok(())
    }
}
