//! Progress on a terminal; a line now and then in a pipe.

use super::say;
use gatherer_engine::{Engine, Glimpse, Report, RunOptions, Waiting, span};
use gatherer_pipeline::{Clock, Failure, SystemClock, UnixTime};
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
/// How often it is asked what hosts wait for.
const WAITS: Duration = Duration::from_secs(1);
/// Kinds named,
const KINDS: usize = 6;
/// and hosts that wait.
const HOSTS: usize = 3;
/// Who waits for longer is told a time.
const SOON: Duration = Duration::from_mins(2);
const DAY: Duration = Duration::from_hours(24);
/// Columns of a terminal that does not say.
const USUAL: u16 = 80;

/// One run with a display that moves, if someone can see it.
pub(super) async fn run_shown(
    engine: &Arc<Engine>,
    options: RunOptions,
    shutdown: impl Future<Output = ()>,
) -> Result<Report, Failure> {
    let mut display = Display::new();
    let run = engine.run(options, shutdown);
    tokio::pin!(run);
    loop {
        tokio::select! {
            report = &mut run => return report,
            () = tokio::time::sleep(LOOK) => display.show(&engine.progress().glimpse(), || waits(engine)),
        }
    }
}

/// What hosts are waiting for, in words.
pub(super) fn waits(engine: &Engine) -> Vec<String> {
    // Rounded up: who waits for less than a second waits for none.
    waiting(&engine.waits(), UnixTime(SystemClock.now_millis().div_ceil(1_000)))
}

/// How far a run is, for who looks on: lines that move on a terminal, one now and then in a pipe. Gone when dropped.
pub(super) struct Display {
    bar: ProgressBar,
    is_seen: bool,
    pace: Pace,
    said: Instant,
    waited: Option<Instant>,
    waits: Vec<String>,
}

impl Display {
    pub(super) fn new() -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        let is_seen = std::io::stderr().is_terminal();
        Self { bar, is_seen, pace: Pace::default(), said: Instant::now(), waited: None, waits: Vec::new() }
    }

    /// Shows a run as it is now; `waits` is asked now and then.
    pub(super) fn show(&mut self, glimpse: &Glimpse, waits: impl FnOnce() -> Vec<String>) {
        let rate = self.pace.rate(glimpse.visited);
        if self.is_seen {
            if self.waited.is_none_or(|at| at.elapsed() >= WAITS) {
                (self.waits, self.waited) = (waits(), Some(Instant::now()));
            }
            self.bar.set_message(lines(glimpse, rate, &self.waits, width()));
            self.bar.tick();
        } else if self.said.elapsed() >= LINE {
            self.said = Instant::now();
            say(&first_line(glimpse, rate));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
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

fn lines(glimpse: &Glimpse, rate: f64, waits: &[String], width: usize) -> String {
    let mut lines = vec![first_line(glimpse, rate)];
    if !glimpse.kinds.is_empty() {
        let kinds: Vec<_> = glimpse.kinds.iter().take(KINDS).map(|(kind, count)| format!("{kind} {count}")).collect();
        let more = if glimpse.kinds.len() > KINDS { ", ..." } else { "" };
        lines.push(format!("  {}{more}", kinds.join(", ")));
    }
    lines.extend(waits.iter().map(|wait| format!("  {wait}")));
    lines.push(format!("  {}", glimpse.doing));
    // A line that is broken is counted as one, and stays on the screen.
    let fitting = |line: &String| line.chars().take(width).collect::<String>();
    lines.iter().map(fitting).collect::<Vec<_>>().join("\n")
}

/// Hosts that have to wait, a line each, and how many more there are.
fn waiting(hosts: &[Waiting], now: UnixTime) -> Vec<String> {
    let line = |host: &Waiting| {
        let Waiting { host, because, until, .. } = host;
        let left = until.unwrap_or(now).since(now);
        if left <= SOON {
            return format!("{host} waits {} s more ({because})", left.as_secs());
        }
        let moment = until.unwrap_or(now).moment();
        // Of a moment of today, the time is enough.
        let moment = if left < DAY { moment.get(11..16).map(|time| format!("{time} UTC")) } else { Some(moment) };
        format!("{host} left alone until {} ({because})", moment.unwrap_or_default())
    };
    let more = hosts.len().checked_sub(HOSTS).filter(|more| *more > 0);
    hosts.iter().take(HOSTS).map(line).chain(more.map(others)).collect()
}

fn others(more: usize) -> String {
    if more == 1 { "and 1 more host waits".to_owned() } else { format!("and {more} more hosts wait") }
}

/// How wide the terminal is, less what the spinner takes.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(0, |size| size.ws_col);
    usize::from(if columns == 0 { USUAL } else { columns }).saturating_sub(3).max(20)
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

    fn host(host: &str, because: &str, seconds: u64) -> Waiting {
        Waiting { host: host.to_owned(), queued: 0, because: because.to_owned(), until: Some(UnixTime(seconds)) }
    }

    #[test]
    fn each_host_that_waits_is_told_with_its_reason() {
        let hosts = [
            host("c.example", "quiet hours (Mon-Fri 08:00-18:00)", 1_794_900_000),
            host("b.example", "set aside after 5 failures in a row: connection refused", 1_794_804_053),
            host("a.example:8080", "its Crawl-delay of 10 s", 1_794_800_004),
            host("d.example", "its pause between two requests", 1_794_800_001),
        ];
        let lines = waiting(&hosts, UnixTime(1_794_800_000));
        assert_eq!(
            lines,
            [
                "c.example left alone until 2026-11-17 07:20:00 UTC (quiet hours (Mon-Fri 08:00-18:00))",
                "b.example left alone until 04:40 UTC (set aside after 5 failures in a row: connection refused)",
                "a.example:8080 waits 4 s more (its Crawl-delay of 10 s)",
                "and 1 more host waits",
            ]
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let glimpse = Glimpse { doing: "http://www.example.org/".repeat(20), ..Glimpse::default() };
        let waits = ["a host with a long reason to wait".repeat(9)];
        let shown = lines(&glimpse, 1.0, &waits, 40);
        assert!(shown.lines().count() == 3 && shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
    }
}
