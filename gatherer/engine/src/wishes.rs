//! Runs that people have asked for while the gatherer is at work.

use crate::run::Line;
use crate::{Engine, RunOptions};
use gatherer_pipeline::Failure;
use gatherer_serve::RunWish;
use gatherer_store::Run;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Wishes not yet taken up.
#[derive(Default)]
pub(crate) struct Wishes {
    list: Mutex<Vec<RunWish>>,
    came: Notify,
}

impl Wishes {
    pub(crate) fn add(&self, wish: RunWish) {
        self.list().push(wish);
        self.came.notify_one();
    }

    pub(crate) fn take(&self) -> Vec<RunWish> {
        std::mem::take(&mut *self.list())
    }

    /// Done when there is a wish that nobody was told of.
    pub(crate) async fn came(&self) {
        self.came.notified().await;
    }

    fn list(&self) -> MutexGuard<'_, Vec<RunWish>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Takes up what people have asked for.
    pub(crate) async fn take_wishes(&self, run: &Run, line: &mut Line) -> Result<(), Failure> {
        for RunWish { roots, everything, allow_deletions } in self.wishes.take() {
            let options = RunOptions { by_hand: true, everything, allow_deletions, roots };
            let starts = self.enumerate(&options).await?;
            self.offer_starts(run, starts, &options)?;
            // What this run has visited already is visited again.
            self.offer_due(run, &options, Some(self.clock.now()))?;
            if everything {
                line.options.everything = true;
                line.forgiven.clear();
                line.hosts.recall();
            }
            line.consents.extend(allow_deletions.then_some(options));
        }
        self.wake_waiting(line)
    }
}
