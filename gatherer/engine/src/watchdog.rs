//! Looks at a run from outside, and says when it does not come on: idle and hung are different words.

use crate::Progress;
use crate::report::Standstill;
use gatherer_pipeline::events;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval};

/// Between two looks, at most.
const LOOK: Duration = Duration::from_mins(1);

/// Sees to it for as long as it lives.
pub(crate) struct Watchdog(JoinHandle<()>);

impl Watchdog {
    /// Over a run in which nothing may come to an end for so long.
    pub(crate) fn over(progress: Arc<Progress>, patience: Duration) -> Self {
        Self(tokio::spawn(watch(progress, patience)))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn watch(progress: Arc<Progress>, patience: Duration) {
    let mut look = interval(patience.min(LOOK));
    let mut said = Instant::now();
    loop {
        look.tick().await;
        let standstill = progress.standstill(patience);
        if said.elapsed() < patience {
            continue;
        }
        match standstill {
            Some(Standstill::Idle(why)) => events::idle(&why),
            Some(Standstill::Hung(why)) => events::hung(&why),
            None => continue,
        }
        said = Instant::now();
    }
}
