//! `gatherer explain`.

use super::print;
use crate::arguments::ExplainWish;
use anyhow::{Context, Result};
use gatherer_engine::{Engine, look_into_store};
use gatherer_pipeline::SystemClock;
use gatherer_store::{Memory, Store, StoreError};
use std::process::ExitCode;
use std::sync::Arc;

/// Enough for nothing.
const SMALL: Memory = Memory { block_cache: 1 << 20, write_buffers: 1 << 20 };

pub(crate) fn explain(wish: &ExplainWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    // Before the first run there is nothing to look into, but a scope to be told.
    let mut empty = None;
    let store = match look_into_store(&settings) {
        Err(StoreError::Absent { .. }) => {
            let empty = empty.insert(tempfile::tempdir().context("cannot make a temporary directory")?);
            Store::open(empty.path(), SMALL)?
        }
        found => found?,
    };
    let store = Arc::new(store);
    let engine = Engine::on(settings, store, Arc::new(SystemClock))?;
    let explained = wish.urls.iter().map(|url| Ok(engine.explain(url)?.to_string().trim_end().to_owned()));
    print(&explained.collect::<Result<Vec<_>>>()?.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}
