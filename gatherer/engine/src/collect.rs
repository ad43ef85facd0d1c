//! Trees of gatherers: records that others have made are taken over and served on.

use crate::Engine;
use gatherer_collect::{Approach, CollectError, Collected, Gatherer, Place, Wish};
use gatherer_fold::Fold;
use gatherer_pipeline::report::SourceReport;
use gatherer_pipeline::{Departure, Failure, Md5, Source, Summary, Times, UnixTime, events, sentence};
use gatherer_soif::{Attribute, Object};
use gatherer_store::{Adopted, Adoption, Body, Head, Hearing, Record, SourcePlace, StoreError};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use url::Url;

/// Records taken over in one batch,
const BATCH: usize = 500;
/// and bytes of them, about.
const BATCH_BYTES: usize = 8 << 20;
/// Longest life that is believed, and shortest wait.
const YEAR: u64 = 366 * 24 * 3_600;
/// What stands in for times that a gatherer of the Harvest family does not send: those of Harvest.
const WEEK: u64 = 7 * 24 * 3_600;

impl Engine {
    /// Asks every source once what is new.
    pub(crate) async fn collect_from_all(self: &Arc<Self>) {
        for source in &self.settings.sources {
            self.collect_from(source).await;
        }
    }

    /// Puts down for deletion what came from sources that are no longer in the config.
    pub(crate) fn drop_former_sources(&self) -> Result<(), Failure> {
        for name in self.store.sources()? {
            let is_there = self.settings.sources.iter().any(|source| source.name == name);
            if is_there {
                continue;
            }
            let reason = Departure::RootGone { root: name.clone() };
            self.store.drop_collected(self.hearing(&name), &reason, &|_| true)?;
            // Last: whoever is cut short before that begins again.
            self.store.forget_source(&name)?;
        }
        Ok(())
    }

    fn hearing<'a>(&'a self, source: &'a str) -> Hearing<'a> {
        Hearing { source, now: self.clock.now(), run: self.progress.so_far().run, patience: self.patience() }
    }

    /// Asks every source what is new, as often as the config wants it, until `shutdown` is done.
    pub async fn follow_sources(self: &Arc<Self>, shutdown: impl Future<Output = ()>) {
        let mut due: Vec<_> = self.settings.sources.iter().map(|source| (Instant::now(), source)).collect();
        tokio::pin!(shutdown);
        loop {
            let Some((at, source)) = due.iter_mut().min_by_key(|(at, _)| *at) else { return shutdown.await };
            tokio::select! {
                () = sleep_until(*at) => {}
                () = &mut shutdown => return,
            }
            self.collect_from(source).await;
            *at = Instant::now() + source.every;
        }
    }

    /// Takes over what is new at one source, and folds it. Trouble there is told, and is none of ours.
    async fn collect_from(self: &Arc<Self>, source: &Source) {
        let (engine, asked) = (Arc::clone(self), source.clone());
        let collected = tokio::task::spawn_blocking(move || engine.take_over(&asked)).await;
        let mut report = collected.unwrap_or_else(|error| SourceReport {
            trouble: Some(format!("the collecting thread ended: {error}")),
            ..SourceReport::default()
        });
        match self.fold_collected(&source.name).await {
            Ok(held) => report.held = held.iter().map(|held| held.deletions).sum(),
            Err(failure) => report.trouble = report.trouble.or(Some(failure.to_string())),
        }
        if report.held > 0 {
            let held = report.held;
            self.progress.warn(format!("{}: {held} deletions are held back by the brake", source.name));
        }
        if let Some(trouble) = &report.trouble {
            events::source_in_trouble(&source.name, trouble);
            self.progress.warn(format!("{}: {trouble}", source.name));
        }
        self.progress.collected(&source.name, report);
    }

    /// Folds what was collected, and carries out the deletions of this source alone: those of root nodes wait for the end
    /// of a run.
    async fn fold_collected(&self, source: &str) -> Result<Vec<gatherer_fold::Held>, Failure> {
        self.fold(true).await?;
        self.delete_under_brake(Some(source.to_owned())).await
    }

    fn take_over(&self, source: &Source) -> SourceReport {
        let mut report = SourceReport::default();
        let collected = self.collect_round(source, &mut report).or_else(|error| match error {
            CollectError::Lost { detail, .. } => {
                self.progress.warn(format!("{}: collected anew from the start, because {detail}", source.name));
                self.store.begin_source(&source.name).map_err(failed)?;
                self.collect_round(source, &mut report)
            }
            other => Err(other),
        });
        report.trouble = collected.err().and_then(|error| sentence(&error).lines().next().map(str::to_owned));
        report
    }

    fn collect_round(&self, source: &Source, report: &mut SourceReport) -> Result<(), CollectError> {
        let approach = Approach {
            token: source.token.as_ref().map(|token| token.reveal().to_owned()),
            trusted: source.trusted.clone().map(String::into_bytes),
            ..Approach::default()
        };
        let wish = Wish {
            kinds: source.kinds.clone(),
            root: source.root.clone(),
            site: source.site.clone(),
            ..Wish::default()
        };
        let (start, heard) = self.begin(source).map_err(failed)?;
        let mut gatherer = Gatherer::connect(&source.address, &approach)?;
        let (mut batch, mut bytes, mut missing) = (Vec::new(), 0, 0);
        // Eight bytes a URL: two that are taken for one only keep a record too many.
        let (mut told, hasher) = (HashSet::new(), RandomState::new());
        let round = gatherer.collect(&start, &wish, |item, cursor| {
            // Also of what cannot be taken over: it is there.
            let url = Url::parse(&item.object().url).ok().filter(|_| start.is_start());
            told.extend(url.map(|url| hasher.hash_one(url.as_str())));
            match self.adopted(source, item) {
                Ok(adopted) => {
                    bytes += size(&adopted);
                    batch.push(adopted);
                }
                Err(Unfit::Own) => report.left += 1,
                Err(Unfit::Strange) => report.strange += 1,
            }
            if batch.len() < BATCH && bytes < BATCH_BYTES {
                return Ok(());
            }
            bytes = 0;
            // From the start, only the end of it tells what is no longer there.
            let cursor = cursor.filter(|_| !start.is_start()).map(|cursor| Place::Cursor(cursor.to_owned()));
            let reached = cursor.map(|cursor| place(source, &cursor, heard));
            missing += self.adopt(source, std::mem::take(&mut batch), reached.as_ref(), report)?;
            Ok(())
        })?;
        report.strange += round.tally.damaged;
        missing += self.adopt(source, batch, None, report).map_err(CollectError::Taker)?;
        let mut is_all = missing == 0;
        if start.is_start() && round.tally.damaged == 0 {
            let is_untold = |url: &Url| !told.contains(&hasher.hash_one(url.as_str()));
            let reason = Departure::Withdrawn { source_name: source.name.clone() };
            let dropped = self.store.drop_collected(self.hearing(&source.name), &reason, &is_untold);
            report.gone += dropped.map_err(failed)?;
        } else if start.is_start() {
            // Any of those that seem to be gone may be among them.
            is_all = false;
            let what = "objects cannot be read: nothing is taken for gone, and everything is asked for again";
            self.progress.warn(format!("{}: {} {what}", source.name, round.tally.damaged));
        }
        // What is renewed and not here has been missed, by whatever way: then everything is asked for once more.
        let next = if is_all { round.place } else { Place::default() };
        let reached = place(source, &next, self.clock.now());
        self.adopt(source, Vec::new(), Some(&reached), report).map(drop).map_err(CollectError::Taker)
    }

    /// Where a source is heard from, and when it was last heard to its end.
    fn begin(&self, source: &Source) -> Result<(Place, UnixTime), StoreError> {
        let before = self.store.source_place(&source.name)?;
        let heard = before.as_ref().map_or(UnixTime(0), |place| place.heard);
        let start = before.and_then(|known| {
            let place = serde_json::from_str(&known.place).ok()?;
            (known.of == of(source, &place)).then_some(place)
        });
        let start = start.unwrap_or_else(Place::default);
        if start.is_start() {
            self.store.begin_source(&source.name)?;
        }
        Ok((start, heard))
    }

    /// Takes a batch over and folds it. Returns how many renewals were of what is not here.
    fn adopt(
        &self,
        source: &Source,
        batch: Vec<Adopted>,
        place: Option<&SourcePlace>,
        report: &mut SourceReport,
    ) -> io::Result<u64> {
        let adoption = self.store.adopt(self.hearing(&source.name), batch, place).map_err(io::Error::other)?;
        let Adoption { taken, renewed, gone, left, missing } = adoption;
        report.taken += taken;
        report.renewed += renewed;
        report.gone += gone;
        report.left += left;
        // Brokers need not wait for the end.
        let fold = Fold::new(&self.store, self.brake(), self.settings.running.fold_chunk, &*self.clock);
        let folding = fold.all().map_err(io::Error::other)?;
        self.progress.add_folding(folding);
        Ok(missing)
    }

    fn adopted(&self, source: &Source, item: Collected) -> Result<Adopted, Unfit> {
        let url = |object: &Object| Url::parse(&object.url).map_err(|_| Unfit::Strange);
        match item {
            Collected::Update(object) => {
                let url = url(&object)?;
                if self.is_ours(&object) {
                    return Err(Unfit::Own);
                }
                // It stands before our own objects in every stream.
                if !Summary::is_template(&object.template) {
                    return Err(Unfit::Strange);
                }
                Ok(Adopted::Record(Box::new(record(source, url, &object, self.clock.now()))))
            }
            Collected::Refresh(object) => {
                let (updated, times) = timing(&object, self.clock.now());
                Ok(Adopted::Renewal { url: url(&object)?, updated, times })
            }
            Collected::Delete(object) => {
                let reason = Departure::Withdrawn { source_name: source.name.clone() };
                Ok(Adopted::Gone { url: url(&object)?, reason })
            }
        }
    }

    /// Whether a record has come back to us on a way round.
    fn is_ours(&self, object: &Object) -> bool {
        let identity = &self.settings.identity;
        let says = |name: &str, value: &str| object.text(name).is_some_and(|said| said == value);
        says("Gatherer-Name", &identity.name) && says("Gatherer-Host", &identity.host)
    }
}

fn failed(error: StoreError) -> CollectError {
    CollectError::Taker(io::Error::other(error))
}

/// What is collected from a source, and what a place in it is good for. A cursor is known to be of another gatherer by that
/// gatherer itself; a time is good for one address only.
fn of(source: &Source, place: &Place) -> String {
    let address = if matches!(place, Place::Cursor(_)) { "" } else { &source.address };
    format!("{address} {:?} {:?} {:?}", source.kinds, source.root, source.site)
}

fn place(source: &Source, place: &Place, heard: UnixTime) -> SourcePlace {
    SourcePlace {
        place: serde_json::to_string(place).unwrap_or_default(),
        of: of(source, place),
        heard,
        tells_all: matches!(place, Place::Cursor(_)),
    }
}

fn size(adopted: &Adopted) -> usize {
    if let Adopted::Record(record) = adopted { record.body.soif.len() } else { 0 }
}

/// Why something is not taken over.
enum Unfit {
    /// We made it.
    Own,
    /// It has no URL, or is no object that we could pass on.
    Strange,
}

fn record(source: &Source, url: Url, object: &Object, now: UnixTime) -> Record {
    let (updated, times) = timing(object, now);
    let (mut soif, mut provenance) = (Vec::new(), Vec::new());
    let by = format!("collected from {}", source.name);
    let from = Attribute::new("Collected-From", source.name.as_bytes());
    let moving = |name: &str| Summary::MOVING.iter().any(|moving| moving.eq_ignore_ascii_case(name));
    let kept = object.iter().filter(|one| !moving(&one.name) && !one.name.eq_ignore_ascii_case(&from.name));
    for attribute in kept.chain([&from]) {
        if gatherer_soif::write_attributes(&mut soif, [attribute]).is_ok() {
            provenance.push((attribute.name.clone(), by.clone()));
        }
    }
    let said = |name: &str| object.text(name).map(|text| text.trim().to_owned());
    let head = Head {
        origin: url.clone(),
        url,
        template: object.template.clone(),
        root: source.name.clone(),
        kind: said("Type").filter(|kind| !kind.is_empty()).unwrap_or_else(|| "Unknown".to_owned()),
        md5: said("MD5").and_then(|text| digest(&text)).unwrap_or_else(|| Md5::of(&soif)),
        updated,
        times,
        update: 0,
        change: 0,
        body: 0,
        former_roots: Vec::new(),
    };
    Record { head, body: Body { provenance, soif } }
}

/// The times that a record has at its source.
fn timing(object: &Object, now: UnixTime) -> (UnixTime, Times) {
    let number = |name: &str| object.text(name).and_then(|text| text.trim().parse::<u64>().ok());
    let span = |name, otherwise: u64| Duration::from_secs(number(name).unwrap_or(otherwise).min(YEAR));
    let times =
        Times { refresh_rate: span("Refresh-Rate", WEEK), time_to_live: span("Time-to-Live", 4 * WEEK), range: 1 };
    (number("Update-Time").map_or(now, UnixTime), times)
}

fn digest(text: &str) -> Option<Md5> {
    let mut bytes = [0; 16];
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(Md5(bytes))
}
