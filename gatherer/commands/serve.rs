//! `gatherer serve`.

use super::{runtime, say};
use crate::arguments::ServeWish;
use anyhow::{Context, Result};
use gatherer_engine::{Doors, Engine, RunOptions};
use gatherer_pipeline::{Clock, SystemClock, UnixTime};
use gatherer_settings::{Listening, Settings};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Between two looks at the timetable.
const SHORTEST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_hours(1);

pub(crate) fn serve(wish: &ServeWish) -> Result<ExitCode> {
    let settings = wish.source.settings_to_visit()?;
    more_descriptors(settings.brokering.clients);
    let engine = Engine::new(settings.clone(), Arc::new(SystemClock))?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let doors = open(&settings).await?;
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            super::asked_to_stop().await;
            // Both listeners may have ended by themselves.
            let _ = stop.send(true);
        });
        let serving = tokio::spawn({
            let (engine, stopped) = (engine.clone(), stopped.clone());
            async move { engine.serve(doors, until(stopped)).await }
        });
        if !wish.no_run {
            tokio::join!(gather_when_due(&engine, &stopped), engine.follow_sources(until(stopped.clone())));
        }
        serving.await??;
        Ok(ExitCode::SUCCESS)
    });
    // Whoever is still busy was asked to stop and has had its time.
    runtime.shutdown_timeout(Duration::from_secs(2));
    served
}

/// Binds both ports, and says where.
async fn open(settings: &Settings) -> Result<Doors> {
    let (doors, address, http) = bound(settings).await?;
    let encrypted = if settings.brokering.port.certificate.is_some() { ", encrypted" } else { "" };
    let scheme = if settings.web.port.certificate.is_some() { "https" } else { "http" };
    let http = http.map_or_else(String::new, |http| format!("; on {scheme}://{http}/"));
    say(&format!("serving brokers on {address}{encrypted}{http}; Ctrl-C ends"));
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

/// Each broker takes a descriptor, and the store some hundreds; systems are stingy with them until asked.
fn more_descriptors(clients: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = 2 * clients as u64 + 2_048;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let granted = maximum.map_or(wanted, |maximum| maximum.min(wanted));
    if current.is_none_or(|current| current >= granted) {
        return;
    }
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(granted), maximum });
    if raised.is_err() || granted < wanted {
        say(&format!("note: this system lets us open {granted} files at once; {clients} clients may need {wanted}"));
    }
}

/// Runs at once, then whenever something is due. A run that breaks off is said and tried again later: brokers are
/// served all the same.
async fn gather_when_due(engine: &Arc<Engine>, stopped: &watch::Receiver<bool>) {
    while !*stopped.borrow() {
        let wait = match engine.run(RunOptions::default(), until(stopped.clone())).await {
            Ok(report) => {
                let summary = super::report::summary(&report);
                say(summary.trim_end());
                report.next_due.map_or(LONGEST_WAIT, |due| UnixTime(due).since(SystemClock.now()))
            }
            Err(failure) => {
                gatherer_pipeline::events::broken(&failure);
                LONGEST_WAIT
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)) => {}
            () = until(stopped.clone()) => {}
        }
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    // The sender lives as long as the program.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}
