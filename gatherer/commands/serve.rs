//! `gatherer serve`.

use super::control::Socket;
use super::report::summary;
use super::time::moment;
use super::{limits, runtime, say};
use crate::arguments::{ServeWish, Source};
use anyhow::{Context, Result};
use gatherer_engine::{Daemon, Doors, Engine, Keeper, Load, Plan, Report};
use gatherer_pipeline::SystemClock;
use gatherer_settings::{Listening, Settings};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

pub(crate) fn serve(wish: &ServeWish) -> Result<ExitCode> {
    let settings = wish.source.settings_to_visit()?;
    limits::expect_enough(settings.brokering.clients)?;
    let engine = Engine::new(settings.clone(), Arc::new(SystemClock))?;
    let daemon = Daemon::new(engine, !wish.no_run, loader(&wish.source));
    let control = Socket::open(&settings);
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        // From here on the signal is heard, and ends nobody.
        let hangups = signal(SignalKind::hangup())?;
        let doors = open(&settings).await?;
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            super::asked_to_stop().await;
            // Both listeners may have ended by themselves.
            let _ = stop.send(true);
        });
        match &control {
            Ok(control) => control.answer(daemon.clone())?,
            Err(error) => say(&format!("note: commands cannot reach this gatherer: {}", super::sentence(error))),
        }
        tokio::spawn(reload_on_hangup(daemon.clone(), hangups));
        let serving = tokio::spawn({
            let (daemon, stopped) = (daemon.clone(), stopped.clone());
            async move { daemon.serve(doors, until(stopped)).await }
        });
        if !wish.no_run {
            plan(&daemon).iter().for_each(|line| say(&format!("  {line}")));
            tokio::join!(daemon.gather(tell, stopped.clone()), daemon.follow_sources(stopped.clone()));
        }
        serving.await??;
        Ok(ExitCode::SUCCESS)
    });
    // Whoever is still busy was asked to stop and has had its time.
    runtime.shutdown_timeout(Duration::from_secs(2));
    served
}

/// How the same config is read again.
fn loader(source: &Source) -> Load {
    let source = source.clone();
    Box::new(move || {
        source.settings_to_visit().map_err(|error| match error.downcast_ref::<gatherer_settings::Complaints>() {
            Some(complaints) => complaints.render(false).trim_end().to_owned(),
            None => super::sentence(&error),
        })
    })
}

/// What comes next, a line for each root node and source.
pub(super) fn plan(daemon: &Daemon) -> Vec<String> {
    let line = |plan: Plan| {
        let next = plan.next.map_or_else(String::new, |next| format!(", next {}", moment(next)));
        let because = if plan.because.is_empty() { String::new() } else { format!("; {}", plan.because) };
        format!("{}: {}{next}{because}", plan.root, plan.rule)
    };
    daemon.now().plans.into_iter().map(line).collect()
}

/// Runs that did nothing are not worth a word.
fn tell(report: &Report) {
    if report.visited > 0 || report.stopped_because.is_some() || !report.warnings.is_empty() {
        say(summary(report).trim_end());
    }
}

/// Takes the config up anew; says what is different, and what follows from that.
pub(super) fn reload(daemon: &Daemon) -> Result<Vec<String>, String> {
    let changes = daemon.reload()?;
    if changes.is_empty() {
        return Ok(vec!["config taken up anew; nothing is different".to_owned()]);
    }
    let indented = |lines: Vec<String>| lines.into_iter().map(|line| format!("  {line}"));
    let mut told = vec!["config taken up anew:".to_owned()];
    told.extend(indented(changes));
    told.push("what comes next:".to_owned());
    told.extend(indented(plan(daemon)));
    Ok(told)
}

/// Takes the config up anew whenever the signal comes that means so everywhere.
async fn reload_on_hangup(daemon: Arc<Daemon>, mut hangups: Signal) {
    while hangups.recv().await.is_some() {
        let daemon = daemon.clone();
        let reloaded = tokio::task::spawn_blocking(move || reload(&daemon)).await;
        match reloaded {
            Ok(Ok(told)) => say(&told.join("\n")),
            Ok(Err(why)) => say(&format!("the new config cannot be used, the old one stays:\n{why}")),
            Err(error) => say(&format!("the config could not be taken up: {error}")),
        }
    }
}

/// Binds both ports, and says where.
async fn open(settings: &Settings) -> Result<Doors> {
    let (doors, address, http) = bound(settings).await?;
    let encrypted = if settings.brokering.port.certificate.is_some() { ", encrypted" } else { "" };
    let scheme = if settings.web.port.certificate.is_some() { "https" } else { "http" };
    let http = http.map_or_else(String::new, |http| format!("; on {scheme}://{http}/"));
    say(&format!("serving brokers on {address}{encrypted}{http}; Ctrl-C ends"));
    for source in &settings.sources {
        let (name, from, every) = (&source.name, &source.address, source.every.as_secs());
        say(&format!("collecting from {from} as {name}, every {every} s"));
    }
    Ok(doors)
}

/// Both ports, and where they are.
pub(super) async fn bound(settings: &Settings) -> Result<(Doors, SocketAddr, Option<SocketAddr>)> {
    let brokers = bind(&settings.brokering.port, "broker").await?;
    let http = match settings.web.port.listen.as_str() {
        "" => None,
        _ => Some(bind(&settings.web.port, "http").await?),
    };
    let (address, listening) = (brokers.local_addr()?, http.as_ref().map(TcpListener::local_addr).transpose()?);
    Ok((Doors::new(settings, brokers, http)?, address, listening))
}

async fn bind(port: &Listening, section: &str) -> Result<TcpListener> {
    let listen = &port.listen;
    let hint = format!("another program may be using the port; choose another one with `{section}.listen`");
    TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}\n{hint}"))
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // The sender lives as long as the program.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
