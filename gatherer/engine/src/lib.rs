//! The engine: wires the rooms together and takes candidates down the line.
//!
//! Start reading at `gather.rs`, where the whole flow stands on one screen; `run.rs` is the life of a run around
//! it: PrepUrls, the visits, the fold. The engine owns tasks and time, and does no input or output of its own.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use gatherer_engine::{Engine, RunOptions};
//! use gatherer_pipeline::SystemClock;
//! use gatherer_settings::{Overrides, Settings};
//! use std::{path::Path, sync::Arc};
//!
//! let settings = Settings::load(Path::new("gatherer.toml"), &Overrides::default())?;
//! let engine = Engine::new(settings, Arc::new(SystemClock))?;
//! let report = engine.run(RunOptions::default(), std::future::pending()).await?;
//! assert_eq!(report.interrupted, false);
//! # Ok(())
//! # }
//! ```

mod abstracts;
mod collect;
mod daemon;
mod danger;
mod desk;
mod enumerate;
mod explain;
mod gather;
mod hosts;
mod intake;
mod keeper;
mod kept;
mod levels;
mod line;
mod manners;
mod maps;
mod nest;
mod news;
mod plugins;
mod report;
mod resummarize;
mod robots;
mod roots;
mod run;
mod serve;
mod setup;
mod tables;
mod telling;
mod timing;
mod traps;
mod watchdog;
mod wishes;

pub use abstracts::{ATTRIBUTE as ABSTRACT_ATTRIBUTE, Reader, ontology_of};
pub use daemon::{Daemon, Load};
pub use desk::{Desk, Summaries, fetch_one};
pub use explain::{Explanation, RootVerdict, span};
pub use gatherer_pipeline::report::Report;
pub use gatherer_serve::{Keeper, Plan, RunWish, Waiting};
pub use kept::sandbox_in_force;
pub use report::{Glimpse, Happening, Progress};
pub use resummarize::{Only, Resummarized};
pub use run::RunOptions;
pub use serve::Doors;
pub use setup::{look_into_store, open_store};
pub use tables::{check, is_known_kind, kind_like, policy, shelf, unknown_kinds};
pub use wishes::Wished;

/// The worker's end of the line, for a program that serves as one: built-in summarizers.
///
/// # Errors
/// When the other side is gone or talks otherwise.
pub fn work() -> std::io::Result<()> {
    gatherer_plugin::work(gatherer_summarizers::of)
}

/// The built-in summarizer of a kind, to compare with.
pub fn builtin(kind: &gatherer_pipeline::Kind) -> Option<&'static dyn gatherer_pipeline::Summarizer> {
    gatherer_summarizers::own(kind)
}

use gatherer_fetch::{Fetcher, Method};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{Clock, Failure, Stop, UnixTime};
use gatherer_settings::Settings;
use gatherer_store::Store;
use roots::{Root, Roots};
use std::sync::{Arc, RwLock};

/// A gatherer ready to run and to serve.
pub struct Engine {
    settings: Settings,
    store: Arc<Store>,
    roots: Arc<Roots>,
    fetcher: Fetcher,
    robots: robots::RobotsCache,
    /// Made anew when plugins change.
    desk: RwLock<Arc<Desk>>,
    troubles: manners::Troubles,
    traps: traps::Traps,
    enumerated: enumerate::Enumerated,
    clock: Arc<dyn Clock>,
    /// When it began to be at work.
    started: UnixTime,
    seen: timing::Seen,
    wishes: Arc<wishes::Wishes>,
    progress: Arc<Progress>,
    /// What is asked in the place of the network.
    web: Option<Arc<dyn Method>>,
}

/// What outlives a change of the settings.
#[derive(Default)]
struct Common {
    started: Option<UnixTime>,
    wishes: Arc<wishes::Wishes>,
    progress: Arc<Progress>,
    web: Option<Arc<dyn Method>>,
}

impl Engine {
    /// An engine on the store that the settings name.
    ///
    /// # Errors
    /// When the store cannot be opened or a rule does not compile.
    pub fn new(settings: Settings, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Failure> {
        let store = Arc::new(open_store(&settings)?);
        Self::on(settings, store, clock)
    }

    /// An engine on an open store.
    ///
    /// # Errors
    /// When a rule does not compile, the TLS library cannot be set up, or a root node's login is of no use.
    pub fn on(settings: Settings, store: Arc<Store>, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Failure> {
        Self::with(settings, store, clock, Common::default())
    }

    /// An engine on an open store that asks `web` where others ask the network.
    ///
    /// # Errors
    /// When a rule does not compile.
    pub fn over(
        web: Arc<dyn Method>,
        settings: Settings,
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>, Failure> {
        Self::with(settings, store, clock, Common { web: Some(web), ..Common::default() })
    }

    /// The same gatherer under other settings, on the same store.
    ///
    /// # Errors
    /// When something in them is of no use; then nothing has changed.
    pub fn under(&self, settings: Settings) -> Result<Arc<Self>, Failure> {
        let common = Common {
            started: Some(self.started),
            wishes: self.wishes.clone(),
            progress: self.progress.clone(),
            web: self.web.clone(),
        };
        Self::with(settings, self.store.clone(), self.clock.clone(), common)
    }

    fn with(
        settings: Settings,
        store: Arc<Store>,
        clock: Arc<dyn Clock>,
        common: Common,
    ) -> Result<Arc<Self>, Failure> {
        let desk = Desk::new(&settings)?;
        desk.abstracts.recall(&store.parsers()?);
        let manners = setup::manners(&settings);
        let fetcher = match &common.web {
            Some(web) => Fetcher::over(web, manners, clock.clone()),
            None => Fetcher::new(manners, clock.clone()).map_err(|error| Failure::new(error.to_string(), error))?,
        };
        Ok(Arc::new(Self {
            fetcher,
            robots: robots::RobotsCache::default(),
            desk: RwLock::new(Arc::new(desk)),
            troubles: manners::Troubles::default(),
            traps: traps::Traps::default(),
            enumerated: enumerate::Enumerated::default(),
            roots: Arc::new(Roots::new(&settings, store.derived_nodes()?)),
            store,
            settings,
            started: common.started.unwrap_or_else(|| clock.now()),
            seen: timing::Seen::new(clock.now()),
            clock,
            wishes: common.wishes,
            progress: common.progress,
            web: common.web,
        }))
    }

    /// What is going on, for those who want to show it.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// The store, for those who want to look into it.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    fn patience(&self) -> &Patience {
        &self.settings.patience
    }
}
