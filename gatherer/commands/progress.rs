//! Progress on a terminal; silence in a pipe.

use gatherer_engine::{Engine, Progress, Report, RunOptions};
use gatherer_pipeline::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::time::Duration;

/// One run with a line that moves, if someone can see it.
pub(super) async fn run_shown(
    engine: &Arc<Engine>,
    options: RunOptions,
    shutdown: impl Future<Output = ()>,
) -> Result<Report, Failure> {
    // Hidden by itself where standard error is no terminal.
    let line = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        line.set_style(style);
    }
    let run = engine.run(options, shutdown);
    tokio::pin!(run);
    let report = loop {
        tokio::select! {
            report = &mut run => break report,
            () = tokio::time::sleep(Duration::from_millis(100)) => show(&line, engine.progress()),
        }
    };
    line.finish_and_clear();
    report
}

fn show(line: &ProgressBar, progress: &Progress) {
    let (visited, queued, doing) = progress.now();
    let doing: String = doing.chars().take(80).collect();
    line.set_message(format!("{visited} visited, {queued} queued  {doing}"));
    line.tick();
}
