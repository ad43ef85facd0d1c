//! `gatherer explain`.

use super::print;
use crate::arguments::ExplainWish;
use anyhow::Result;
use gatherer_engine::{Engine, look_into_store};
use gatherer_pipeline::SystemClock;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn explain(wish: &ExplainWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let store = Arc::new(look_into_store(&settings)?);
    let engine = Engine::on(settings, store, Arc::new(SystemClock))?;
    print(&engine.explain(&wish.url)?.to_string())?;
    Ok(ExitCode::SUCCESS)
}
