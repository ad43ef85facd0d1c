//! Runs that people have asked for while the gatherer is at work, and what becomes of each.

use crate::line::Line;
use crate::{Daemon, Engine, Report, RunOptions};
use gatherer_pipeline::Failure;
use gatherer_serve::RunWish;
use gatherer_store::Run;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Wishes remembered after they were taken up.
const REMEMBERED: usize = 1_000;

/// Wishes not yet taken up, and who has taken up the others.
#[derive(Default)]
pub(crate) struct Wishes {
    list: Mutex<Book>,
    came: Notify,
}

#[derive(Default)]
struct Book {
    last: u64,
    open: Vec<(u64, RunWish)>,
    /// By the wish's number, the run's.
    taken: BTreeMap<u64, u64>,
}

/// What has become of a wish up to now.
#[derive(Debug)]
pub enum Wished {
    /// Nobody has taken it up yet.
    Open,
    /// This run is at it.
    Running(u64),
    /// The run has come to its end.
    Ended(Box<Report>),
    /// The run cannot go on, for this reason, until somebody sees to it.
    Broken(u64, String),
}

impl Wishes {
    /// Takes a wish in; gives its number.
    pub(crate) fn add(&self, wish: RunWish) -> u64 {
        let mut book = self.book();
        book.last += 1;
        let number = book.last;
        book.open.push((number, wish));
        drop(book);
        self.came.notify_one();
        number
    }

    /// All that are open, for this run.
    pub(crate) fn take(&self, run: u64) -> Vec<RunWish> {
        let mut book = self.book();
        let open = std::mem::take(&mut book.open);
        book.taken.extend(open.iter().map(|(number, _)| (*number, run)));
        while book.taken.len() > REMEMBERED {
            book.taken.pop_first();
        }
        open.into_iter().map(|(_, wish)| wish).collect()
    }

    /// The run that has taken a wish up.
    fn run_of(&self, number: u64) -> Option<u64> {
        self.book().taken.get(&number).copied()
    }

    /// Done when there is a wish that nobody was told of.
    pub(crate) async fn came(&self) {
        self.came.notified().await;
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Takes up what people have asked for.
    pub(crate) async fn take_wishes(self: &Arc<Self>, run: &Run, line: &mut Line) -> Result<(), Failure> {
        for RunWish { roots, everything, allow_deletions } in self.wishes.take(run.number) {
            let options = RunOptions { by_hand: true, everything, allow_deletions, roots };
            line.wish(options.clone());
            self.prepare_wish(run, line, options).await?;
        }
        Ok(())
    }
}

impl Daemon {
    /// What has become of a wish up to now.
    ///
    /// # Errors
    /// When the store fails.
    pub fn wished(&self, number: u64) -> Result<Wished, Failure> {
        let engine = self.engine();
        let Some(run) = engine.wishes.run_of(number) else { return Ok(Wished::Open) };
        if engine.progress.running().is_some_and(|now| now.report.run == run) {
            return Ok(Wished::Running(run));
        }
        if let Some(why) = engine.progress.broken() {
            return Ok(Wished::Broken(run, why));
        }
        let kept = engine.store.report(run)?;
        // Of runs in a row that had nothing to do, the last one's report stands for all.
        let kept =
            kept.map_or_else(|| engine.store.reports(None, 1).map(|last| last.into_iter().next()), |it| Ok(Some(it)))?;
        Ok(match kept {
            Some(report) if report.run >= run && report.stopped_because.is_some() => {
                Wished::Broken(run, report.stopped_because.unwrap_or_default())
            }
            // It was cut short for new settings, and goes on under them.
            Some(report) if report.run >= run && !report.interrupted => Wished::Ended(Box::new(report)),
            _ => Wished::Running(run),
        })
    }
}
