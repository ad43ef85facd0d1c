//! `gatherer run`.

use super::control::{self, Answer, Order, Sight};
use super::progress::{Display, run_shown};
use super::{limits, print, report::summary, runtime, say};
use crate::NOTHING_GATHERED;
use crate::arguments::RunWish;
use anyhow::{Result, bail};
use gatherer_engine::{Engine, Report, RunOptions, look_into_store};
use gatherer_pipeline::SystemClock;
use gatherer_settings::Settings;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at a run that another process makes,
const LOOK: Duration = Duration::from_millis(500);
/// and how long it may take to take a wish up before nobody waits for that any more.
const SOON: Duration = Duration::from_secs(10);

pub(crate) fn run(wish: &RunWish) -> Result<ExitCode> {
    let settings = wish.source.settings_to_visit()?;
    if let Err(unknown) = check_roots(&settings, wish) {
        say(&format!("gatherer: {}", super::sentence(&unknown)));
        return Ok(ExitCode::from(crate::WRONG_SETTINGS));
    }
    let order = Order::Run { roots: wish.roots.clone(), everything: wish.now, allow_deletions: wish.allow_deletions };
    if let Some(answer) = control::ask(&settings, &order)? {
        return asked(&settings, wish, answer);
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
    tell(wish, &report)?;
    if let Some(why) = &report.stopped_because {
        bail!("the run has stopped: {why}\nmake room, then run again: it goes on from there");
    }
    Ok(exit_code(&report))
}

fn tell(wish: &RunWish, report: &Report) -> Result<()> {
    if wish.events {
        print(&serde_json::to_string(&serde_json::json!({ "event": "ended", "report": report }))?)
    } else if wish.json {
        print(&serde_json::to_string(report)?)
    } else {
        print(summary(report).trim_end())
    }
}

/// The gatherer that is serving has been asked for a run: says which, and waits for its end if that is wanted.
fn asked(settings: &Settings, wish: &RunWish, answer: Answer) -> Result<ExitCode> {
    let Answer::Asked { said, wish: number } = answer else { bail!("the gatherer that is serving gives no number") };
    let for_machines = wish.json || wish.events;
    if !for_machines {
        print(&format!("the gatherer that is serving was asked: {said}"))?;
    }
    let (run, seen) = taken_up(settings, number)?;
    if !wish.json || !wish.wait {
        let told = serde_json::json!({ "event": "asked", "answer": said, "run": run });
        let shown = run.map_or_else(|| "it is not taken up yet".to_owned(), |run| format!("it is run {run}"));
        let how = if wish.wait { "" } else { "; `--wait` waits for its end" };
        let page = run.filter(|_| !wish.wait).and_then(|run| page_of(settings, run));
        let when = if matches!(seen, Sight::Ended { .. }) { "" } else { " when it has ended" };
        let page = page.map_or_else(String::new, |page| format!(", {page} shows it{when}"));
        print(&if for_machines { told.to_string() } else { format!("{shown}{how}{page}") })?;
    }
    if !wish.wait {
        return Ok(ExitCode::SUCCESS);
    }
    let report = end_of(settings, number, seen)?;
    tell(wish, &report)?;
    Ok(exit_code(&report))
}

/// The number of the run that takes a wish up, as soon as there is one.
fn taken_up(settings: &Settings, wish: u64) -> Result<(Option<u64>, Sight)> {
    let asked = Instant::now();
    loop {
        let seen = look(settings, wish)?;
        let run = match &seen {
            Sight::Open => None,
            Sight::Running { run, .. } | Sight::Broken { run, .. } => Some(*run),
            Sight::Ended { report } => Some(report.run),
        };
        if run.is_some() || asked.elapsed() > SOON {
            return Ok((run, seen));
        }
        std::thread::sleep(LOOK);
    }
}

/// Waits for the end of a run that another process makes.
fn end_of(settings: &Settings, wish: u64, mut seen: Sight) -> Result<Report> {
    let mut display = Display::new();
    loop {
        match seen {
            Sight::Open => {}
            Sight::Running { glimpse, waits, .. } => display.show(&glimpse, || waits),
            Sight::Ended { report } => return Ok(*report),
            Sight::Broken { run, why } => bail!("run {run} has stopped: {why}\nthe gatherer tries again by itself"),
        }
        std::thread::sleep(LOOK);
        seen = look(settings, wish)?;
    }
}

fn look(settings: &Settings, wish: u64) -> Result<Sight> {
    match control::ask(settings, &Order::Look { wish })? {
        Some(Answer::Seen(sight)) => Ok(sight),
        Some(_) => bail!("the gatherer that is serving gives another answer than was asked for"),
        None => bail!("the gatherer that was serving has ended\nthe next `gatherer run` or `serve` goes on from there"),
    }
}

/// Where the status page shows a run, if it can be told.
fn page_of(settings: &Settings, run: u64) -> Option<String> {
    let port = &settings.web.port;
    let scheme = if port.certificate.is_some() { "https" } else { "http" };
    // What is open to everybody is open here, too.
    let place = port.listen.replace("0.0.0.0:", "127.0.0.1:").replace("[::]:", "[::1]:");
    let is_known = !place.is_empty() && !place.ends_with(":0");
    is_known.then(|| format!("{scheme}://{place}/runs/{run}"))
}

fn check_roots(settings: &Settings, wish: &RunWish) -> Result<()> {
    let names: Vec<_> = settings.root_nodes.iter().map(|node| node.name.as_str()).collect();
    // Also of what has gone from the config, deletions may be let pass.
    let holds = |root: &String| look_into_store(settings).is_ok_and(|store| store.holding(root).records > 0);
    let is_known = |root: &String| names.contains(&root.as_str()) || wish.allow_deletions && holds(root);
    match wish.roots.iter().find(|root| !is_known(root)) {
        Some(unknown) => bail!("there is no root node {unknown:?}\nthe config has {}", names.join(", ")),
        None => Ok(()),
    }
}

fn exit_code(report: &Report) -> ExitCode {
    let nothing = report.roots.values().any(|root| root.nothing_because.is_some());
    let nothing = nothing || report.sources.values().any(|source| source.trouble.is_some());
    if nothing && !report.interrupted { ExitCode::from(NOTHING_GATHERED) } else { ExitCode::SUCCESS }
}
