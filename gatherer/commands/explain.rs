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
    let explained = wish.urls.iter().map(|url| Ok(engine.explain(url)?.to_string().trim_end().to_owned()));
    print(&explained.collect::<Result<Vec<_>>>()?.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}
