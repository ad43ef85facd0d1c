//! Progress on a terminal; a line now and then in a pipe.

use super::say;
use gatherer_engine::{Engine, Glimpse, Report, RunOptions, span};
use gatherer_pipeline::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks,
const LOOK: Duration = Duration::from_millis(200);
/// and between two lines where nobody sees them move.
const LINE: Duration = Duration::from_mins(1);
/// Looks over which the rate is taken: a minute.
const LOOKS: usize = 300;
/// Kinds named.
const KINDS: usize = 6;

/// One run with a display that moves, if someone can see it.
pub(super) async fn run_shown(
    engine: &Arc<Engine>,
    options: RunOptions,
    shutdown: impl Future<Output = ()>,
) -> Result<Report, Failure> {
    let is_seen = std::io::stderr().is_terminal();
    // Hidden by itself where standard error is no terminal.
    let display = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        display.set_style(style);
    }
    let run = engine.run(options, shutdown);
    tokio::pin!(run);
    let (mut pace, mut said) = (Pace::default(), Instant::now());
    let report = loop {
        tokio::select! {
            report = &mut run => break report,
            () = tokio::time::sleep(LOOK) => {
                let glimpse = engine.progress().glimpse();
                let rate = pace.rate(glimpse.visited);
                if is_seen {
                    display.set_message(lines(&glimpse, rate, 100));
                    display.tick();
                } else if said.elapsed() >= LINE {
                    said = Instant::now();
                    say(&first_line(&glimpse, rate));
                }
            }
        }
    };
    display.finish_and_clear();
    report
}

/// Visits a second over the last minute.
#[derive(Default)]
struct Pace(VecDeque<(Instant, u64)>);

impl Pace {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn rate(&mut self, visited: u64) -> f64 {
        self.0.push_back((Instant::now(), visited));
        if self.0.len() > LOOKS {
            self.0.pop_front();
        }
        let Some((since, before)) = self.0.front() else { return 0.0 };
        let seconds = since.elapsed().as_secs_f64();
        if seconds > 0.0 { visited.saturating_sub(*before) as f64 / seconds } else { 0.0 }
    }
}

/// What matters most, on one line.
#[expect(clippy::cast_precision_loss, reason = "a guess for people")]
fn first_line(glimpse: &Glimpse, rate: f64) -> String {
    let Glimpse { visited, queued, failed, remaining, .. } = glimpse;
    let failed = if *failed > 0 { format!(", {failed} failed") } else { String::new() };
    let left = match remaining {
        Some(remaining) if remaining > queued => format!(", about {remaining} to come"),
        _ => String::new(),
    };
    let to_come = remaining.unwrap_or(*queued);
    let end = if rate > 0.05 && to_come > 0 {
        format!(", {} left", span(Duration::from_secs_f64(to_come as f64 / rate)))
    } else {
        String::new()
    };
    format!("{visited} visited{failed}, {queued} queued{left}, {rate:.1} a second{end}")
}

fn lines(glimpse: &Glimpse, rate: f64, width: usize) -> String {
    let mut lines = vec![first_line(glimpse, rate)];
    if !glimpse.kinds.is_empty() {
        let kinds: Vec<_> = glimpse.kinds.iter().take(KINDS).map(|(kind, count)| format!("{kind} {count}")).collect();
        let more = if glimpse.kinds.len() > KINDS { ", ..." } else { "" };
        lines.push(format!("  {}{more}", kinds.join(", ")));
    }
    if glimpse.left_alone > 0 {
        let hosts = if glimpse.left_alone == 1 { "host is" } else { "hosts are" };
        lines.push(format!("  {} {hosts} left alone for now", glimpse.left_alone));
    }
    lines.push(format!("  {}", glimpse.doing.chars().take(width).collect::<String>()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_is_left() {
        let glimpse = Glimpse { visited: 50, queued: 100, remaining: Some(300), failed: 2, ..Glimpse::default() };
        let line = first_line(&glimpse, 10.0);
        assert_eq!(line, "50 visited, 2 failed, 100 queued, about 300 to come, 10.0 a second, 30 s left");
        assert_eq!(first_line(&Glimpse::default(), 0.0), "0 visited, 0 queued, 0.0 a second");
    }
}
