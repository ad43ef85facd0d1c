//! One module a command: what it prints, and nothing else that the rooms could do.

pub(crate) mod abstracts;
pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod control;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod forget;
mod form;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod limits;
pub(crate) mod manual;
pub(crate) mod plugin;
mod progress;
pub(crate) mod reload;
mod report;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod store;
pub(crate) mod summarize;
mod time;

use crate::arguments::{Source, SourceOption};
use anyhow::Result;
use gatherer_settings::{Overrides, Settings};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Talk for people, on standard error.
pub(crate) fn say(text: &str) {
    // There is nobody to tell when standard error is gone.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Data, on standard output.
fn print(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// An error and its causes as one sentence; a hint on a second line stays there.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    gatherer_pipeline::sentence(error.as_ref())
}

/// The settings that a command names, fully checked.
fn settings(config: &Path, overrides: &Overrides) -> Result<Settings> {
    let settings = with_worker(Settings::load(config, overrides)?);
    gatherer_engine::check(&settings)?;
    for (kind, alike) in gatherer_engine::unknown_kinds(&settings) {
        let hint = alike.map(|alike| format!("; did you mean {alike}?")).unwrap_or_default();
        say(&format!("note: the kind {kind} is named, but nothing is ever recognized as that{hint}"));
    }
    Ok(settings)
}

/// This program itself is the worker for summarizers that are better run apart.
fn with_worker(mut settings: Settings) -> Settings {
    // What runs now, even if another version has been put into its place meanwhile.
    let running = PathBuf::from("/proc/self/exe");
    settings.summarizing.worker = if running.exists() { Some(running) } else { std::env::current_exe().ok() };
    settings
}

impl Source {
    /// The settings of a command that only looks: it needs nobody's password.
    fn settings(&self) -> Result<Settings> {
        settings(self.config(), &self.layer.overrides().without_secrets())
    }

    /// The settings of a command that will visit sites, with a word on what webmasters would not like.
    fn settings_to_visit(&self) -> Result<Settings> {
        let settings = settings(self.config(), &self.layer.overrides())?;
        if !settings.fetching.robots {
            say("note: robots rules are switched off (fetch.robots)");
        }
        Ok(settings)
    }
}

impl SourceOption {
    /// The settings of a command that only looks: it needs nobody's password.
    fn settings(&self) -> Result<Settings> {
        settings(&self.config, &self.layer.overrides().without_secrets())
    }
}

/// A runtime with as many threads as there are processors.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// Done when someone asks for an end: Ctrl-C or the termination signal. A second one ends at once.
async fn asked_to_stop() {
    stop_signal().await;
    say("stopping: what is in hand is finished first; asked again, it ends at once");
    tokio::spawn(async {
        stop_signal().await;
        std::process::exit(130);
    });
}

async fn stop_signal() {
    let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    match terminate {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        // Without a handler the signal ends the process anyway, which the store survives.
        Err(_) => std::future::pending().await,
    }
}
