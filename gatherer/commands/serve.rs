//! `gatherer serve`.

use super::{runtime, say};
use crate::arguments::ServeWish;
use anyhow::{Context, Result};
use gatherer_engine::{Engine, RunOptions};
use gatherer_pipeline::{Clock, SystemClock, UnixTime};
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
    let listen = settings.brokering.listen.clone();
    let engine = Engine::new(settings, Arc::new(SystemClock))?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let listener = bind(&listen).await?;
        say(&format!("serving brokers on {}; Ctrl-C ends", listener.local_addr()?));
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            super::asked_to_stop().await;
            // Both listeners may have ended by themselves.
            let _ = stop.send(true);
        });
        let serving = tokio::spawn({
            let (engine, stopped) = (engine.clone(), stopped.clone());
            async move { engine.serve(listener, until(stopped)).await }
        });
        if !wish.no_run {
            gather_when_due(&engine, &stopped).await;
        }
        serving.await?;
        Ok(ExitCode::SUCCESS)
    });
    // Whoever is still busy was asked to stop and has had its time.
    runtime.shutdown_timeout(Duration::from_secs(2));
    served
}

pub(super) async fn bind(listen: &str) -> Result<TcpListener> {
    let hint = "another program may be using the port; choose another one with `broker.listen`";
    TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}\n{hint}"))
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
