//! The `gatherer` program: arguments -> settings -> engine -> exit code.

mod allocator;
mod arguments;
mod commands;

use arguments::{Arguments, Command, LogForm};
use clap::Parser;
use gatherer_collect::CollectError;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Exit code when a root node gave nothing although the run is done.
const NOTHING_GATHERED: u8 = 3;
/// Exit code for wrong arguments or settings.
const WRONG_SETTINGS: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.verbose, arguments.log);
    match obey(arguments.command) {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(complaints) = error.downcast_ref::<gatherer_settings::Complaints>() {
                commands::say(complaints.render(std::io::stderr().is_terminal()).trim_end());
                return ExitCode::from(WRONG_SETTINGS);
            }
            commands::say(&format!("gatherer: {}", commands::sentence(&error)));
            ExitCode::FAILURE
        }
    }
}

fn obey(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(wish) => commands::demo::demo(&wish),
        Command::Init(wish) => commands::init::init(&wish),
        Command::Check(source) => commands::check::check(&source),
        Command::Config(wish) => commands::check::config(&wish),
        Command::Run(wish) => commands::run::run(&wish),
        Command::Serve(wish) => commands::serve::serve(&wish),
        Command::Reload(source) => commands::reload::reload(&source),
        Command::Explain(wish) => commands::explain::explain(&wish),
        Command::Show(wish) => commands::show::show(&wish),
        Command::Export(wish) => commands::show::export(&wish),
        Command::Collect(wish) => commands::collect::collect(&wish),
        Command::Recognize(wish) => commands::summarize::recognize(&wish),
        Command::Summarize(wish) => commands::summarize::summarize(&wish),
        Command::Resummarize(wish) => commands::summarize::resummarize(&wish),
        Command::Abstracts(wish) => commands::abstracts::abstracts(&wish),
        Command::Plugin(wish) => commands::plugin::plugin(&wish.deed),
        Command::Worker(wish) => commands::plugin::work(&wish),
        Command::Store(wish) => commands::store::store(&wish),
        Command::Forget(wish) => commands::forget::forget(&wish),
        Command::Import(wish) => commands::import::import(&wish),
        Command::Completions(wish) => commands::manual::completions(&wish),
        Command::Manual(wish) => commands::manual::manual(&wish),
    }
}

/// Talk goes to stderr, at the level that was asked for.
fn start_log(verbose: u8, form: LogForm) {
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    let filter = tracing_subscriber::EnvFilter::try_from_env("GATHERER_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(format!("{level},rocksdb=warn")));
    let colour = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(colour)
        .with_writer(std::io::stderr);
    match form {
        LogForm::Text => log.init(),
        LogForm::Json => log.json().flatten_event(true).init(),
    }
}

/// Whoever read our output has had enough, as in `gatherer export | head`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    // What breaks on the way from another gatherer is no pipe of ours.
    let is_remote = |error: &CollectError| !matches!(error, CollectError::Taker(_));
    if error.downcast_ref().is_some_and(is_remote) {
        return false;
    }
    let kind =
        |error: &(dyn std::error::Error + 'static)| error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    error.chain().any(|error| kind(error) == Some(std::io::ErrorKind::BrokenPipe))
}
