//! `gatherer run`.

use super::{print, progress::run_shown, report::summary, runtime};
use crate::NOTHING_GATHERED;
use crate::arguments::RunWish;
use anyhow::Result;
use gatherer_engine::{Engine, Report, RunOptions};
use gatherer_pipeline::SystemClock;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(wish: &RunWish) -> Result<ExitCode> {
    let settings = wish.source.settings_to_visit()?;
    let engine = Engine::new(settings, Arc::new(SystemClock))?;
    let options = RunOptions { by_hand: true, everything: wish.now, allow_deletions: wish.allow_deletions };
    let runtime = runtime()?;
    let report = runtime.block_on(run_shown(&engine, options, super::asked_to_stop()))?;
    // Whoever is still busy was asked to stop and has had its time; a little more lets the store be closed in order.
    runtime.shutdown_timeout(Duration::from_secs(2));
    if wish.json {
        print(&serde_json::to_string(&report)?)?;
    } else {
        print(summary(&report).trim_end())?;
    }
    Ok(exit_code(&report))
}

fn exit_code(report: &Report) -> ExitCode {
    let nothing = report.roots.values().any(|root| root.nothing_because.is_some());
    let nothing = nothing || report.sources.values().any(|source| source.trouble.is_some());
    if nothing && !report.interrupted { ExitCode::from(NOTHING_GATHERED) } else { ExitCode::SUCCESS }
}
