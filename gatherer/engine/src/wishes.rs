//! Runs that people have asked for while the gatherer is at work.

use gatherer_serve::RunWish;
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
