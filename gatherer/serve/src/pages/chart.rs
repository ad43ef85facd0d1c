//! Runs as bars.

use super::codes::{End, visits};
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::report::Report;

/// Width of a bar with the gap behind it.
const STEP: usize = 10;
/// A chart of few runs is as wide as one of so many, or its bars would be boards.
const LEAST: usize = 30;

const PARTS: [(End, &str, &str); 4] = [
    (End::Trouble, "trouble", "trouble"),
    (End::Left, "left", "left out"),
    (End::Same, "same", "unchanged"),
    (End::Stored, "stored", "stored"),
];

/// Bars, the oldest run first.
#[derive(Debug, Default)]
pub(crate) struct Chart {
    pub(crate) bars: Vec<Bar>,
    pub(crate) width: usize,
    /// Visits of the longest bar.
    pub(crate) most: u64,
    /// What it shows, in words.
    pub(crate) text: String,
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) legend: Vec<(&'static str, &'static str)>,
}

#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) x: usize,
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

/// A piece of a bar; the chart is 100 high.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) class: &'static str,
    pub(crate) y: String,
    pub(crate) height: String,
}

impl Chart {
    /// A chart of these runs, which come the latest first.
    pub(crate) fn new(reports: &[Report]) -> Self {
        let total = |report: &Report| PARTS.iter().map(|(end, ..)| visits(report, *end)).sum::<u64>();
        let most = reports.iter().map(total).max().unwrap_or(0);
        let width = STEP * reports.len().max(LEAST);
        let bars = reports.iter().rev().enumerate().map(|(place, report)| bar(report, place * STEP, most));
        let troubled = reports.iter().filter(|report| visits(report, End::Trouble) > 0).count();
        let (first, last) = (reports.last(), reports.first());
        let day = |report: Option<&Report>| {
            report.map_or_else(String::new, |report| {
                format!("run {}, {}", report.run, UnixTime(report.started).moment().get(..16).unwrap_or_default())
            })
        };
        let what = match reports.len() {
            1 => "One run".to_owned(),
            count => format!("The last {count} runs"),
        };
        let trouble = match troubled {
            0 => "none met trouble".to_owned(),
            1 => "one met trouble".to_owned(),
            count => format!("{count} met trouble"),
        };
        // The label of the last bar stands at its end of the axis, unless that is far from the bar.
        let (first, last) = match reports.len() {
            0 | 1 => (day(first), String::new()),
            count if count < LEAST => (format!("{} to {}", day(first), day(last)), String::new()),
            _ => (day(first), day(last)),
        };
        Self {
            bars: bars.collect(),
            width,
            most,
            text: format!("{what}: the longest made {most} visits, {trouble}."),
            first,
            last,
            legend: PARTS.iter().rev().map(|(_, class, word)| (*class, *word)).collect(),
        }
    }
}

fn bar(report: &Report, x: usize, most: u64) -> Bar {
    let mut y = 0;
    let mut parts = Vec::new();
    let mut words = Vec::new();
    // From below: what was stored, then the rest; trouble stands on top, where it is seen.
    for (end, class, word) in PARTS.iter().rev() {
        let count = visits(report, *end);
        if count == 0 {
            continue;
        }
        words.push(format!("{count} {word}"));
        // In hundredths; what is there at all is seen.
        let height = (count.saturating_mul(10_000) / most.max(1)).max(150).min(10_000 - y);
        y += height;
        parts.push(Part { class, y: hundredths(10_000 - y), height: hundredths(height) });
    }
    let words = if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") };
    Bar { x, title: format!("Run {}: {words}", report.run), parts }
}

fn hundredths(number: u64) -> String {
    format!("{}.{:02}", number / 100, number % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(run: u64, outcomes: &[(&str, u64)]) -> Report {
        let mut report = Report { run, ..Report::default() };
        for (code, count) in outcomes {
            report.outcomes.entry((*code).to_owned()).or_default().count = *count;
        }
        report
    }

    #[test]
    fn bars_stand_in_their_order_and_fill_their_height() {
        let chart = Chart::new(&[report(2, &[("stored", 50), ("missing", 50)]), report(1, &[("unchanged", 25)])]);
        assert_eq!((chart.bars.len(), chart.most), (2, 100));
        assert_eq!(chart.bars[0].title, "Run 1: 25 unchanged");
        let parts: Vec<_> = chart.bars[1].parts.iter().map(|part| (part.class, &*part.y, &*part.height)).collect();
        assert_eq!(parts, [("stored", "50.00", "50.00"), ("trouble", "0.00", "50.00")]);
        assert!(chart.text.contains("one met trouble"), "{}", chart.text);
        assert_eq!(Chart::new(&[]).bars.len(), 0);
        assert_eq!(Chart::new(&[report(1, &[])]).bars[0].title, "Run 1: nothing to do");
    }
}
