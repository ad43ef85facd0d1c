//! `gatherer run`.

use super::control::{self, Order};
use super::{limits, print, progress::run_shown, report::summary, runtime};
use crate::NOTHING_GATHERED;
use crate::arguments::RunWish;
use anyhow::{Result, bail};
use gatherer_engine::{Engine, Report, RunOptions};
use gatherer_pipeline::SystemClock;
use gatherer_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(wish: &RunWish) -> Result<ExitCode> {
    let settings = wish.source.settings_to_visit()?;
    check_roots(&settings, &wish.roots)?;
    let order = Order::Run { roots: wish.roots.clone(), everything: wish.now, allow_deletions: wish.allow_deletions };
    if let Some(said) = control::order(&settings, &order)? {
        let said = said.join(" ");
        let told = serde_json::json!({ "event": "asked", "answer": said });
        if wish.json || wish.events {
            print(&told.to_string())?;
        } else {
            print(&format!("the gatherer that is serving was asked: {said}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    limits::expect_enough(0)?;
    let engine = Engine::new(settings, Arc::new(SystemClock))?;
    if wish.events {
        engine.progress().listen(Box::new(|happening| {
            // Whoever listens may go; the run goes on.
            let _ = serde_json::to_string(happening).map_err(anyhow::Error::from).and_then(|line| print(&line));
        }));
    }
    let options = RunOptions {
        by_hand: true,
        everything: wish.now,
        allow_deletions: wish.allow_deletions,
        roots: wish.roots.clone(),
    };
    let runtime = runtime()?;
    let report = runtime.block_on(run_shown(&engine, options, super::asked_to_stop()))?;
    // Whoever is still busy was asked to stop and has had its time; a little more lets the store be closed in order.
    runtime.shutdown_timeout(Duration::from_secs(2));
    if wish.events {
        print(&serde_json::to_string(&serde_json::json!({ "event": "ended", "report": report }))?)?;
    } else if wish.json {
        print(&serde_json::to_string(&report)?)?;
    } else {
        print(summary(&report).trim_end())?;
    }
    if let Some(why) = &report.stopped_because {
        bail!("the run has stopped: {why}\nmake room, then run again: it goes on from there");
    }
    Ok(exit_code(&report))
}

fn check_roots(settings: &Settings, roots: &[String]) -> Result<()> {
    let names: Vec<_> = settings.root_nodes.iter().map(|node| node.name.as_str()).collect();
    match roots.iter().find(|root| !names.contains(&root.as_str())) {
        Some(unknown) => bail!("there is no root node {unknown:?}\nthe config has {}", names.join(", ")),
        None => Ok(()),
    }
}

fn exit_code(report: &Report) -> ExitCode {
    let nothing = report.roots.values().any(|root| root.nothing_because.is_some());
    let nothing = nothing || report.sources.values().any(|source| source.trouble.is_some());
    if nothing && !report.interrupted { ExitCode::from(NOTHING_GATHERED) } else { ExitCode::SUCCESS }
}
