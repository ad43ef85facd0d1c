//! The tables of a report that all look alike: hosts, summarizers, plugins, parsers, sources, traps.

use super::words::{number, size, span};
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::report::Report;
use std::cmp::Reverse;
use std::time::Duration;

/// Most rows of one table.
const ROWS: usize = 25;

pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) caption: &'static str,
    pub(crate) heads: Vec<Head>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// Above a column.
pub(crate) struct Head {
    pub(crate) text: &'static str,
    pub(crate) is_number: bool,
}

impl Table {
    /// Heads that begin with `#` stand above numbers.
    fn new(title: &'static str, caption: &'static str, heads: &[&'static str], rows: Vec<Vec<String>>) -> Self {
        let head = |text: &&'static str| match text.strip_prefix('#') {
            Some(text) => Head { text, is_number: true },
            None => Head { text, is_number: false },
        };
        Self { title, caption, heads: heads.iter().map(head).collect(), rows }
    }
}

pub(super) fn tables(report: &Report) -> Vec<Table> {
    vec![
        hosts(report),
        asides(report),
        traps(report),
        plugins(report),
        parsers(report),
        summarizers(report),
        sources(report),
    ]
}

fn each(milliseconds: u64, times: u64) -> String {
    match times {
        0 => String::new(),
        times => format!("{} ms", number(milliseconds / times)),
    }
}

fn hosts(report: &Report) -> Table {
    let mut hosts: Vec<_> = report.hosts.iter().collect();
    hosts.sort_by_key(|(_, host)| (Reverse(host.failed), Reverse(host.milliseconds), Reverse(host.visited)));
    let row = |(name, host): (&String, &gatherer_pipeline::report::HostReport)| {
        let each = each(host.milliseconds, host.visited);
        vec![name.clone(), number(host.visited), number(host.failed), size(host.bytes), each]
    };
    let rows = hosts.into_iter().take(ROWS).map(row).collect();
    let heads = ["Host", "#Visits", "#Failed", "#Read", "#An answer took"];
    Table::new("Hosts", "Those with failures first, then the slowest", &heads, rows)
}

fn asides(report: &Report) -> Table {
    let row = |(host, aside): (&String, &gatherer_pipeline::report::Aside)| {
        vec![host.clone(), aside.reason.clone(), UnixTime(aside.until).moment()]
    };
    let rows = report.set_aside.iter().take(ROWS).map(row).collect();
    Table::new("Hosts left alone", "With something still queued", &["Host", "Because", "Until"], rows)
}

fn traps(report: &Report) -> Table {
    let rows = report.traps.iter().take(ROWS).map(|(host, pattern)| vec![host.clone(), pattern.clone()]).collect();
    Table::new("Traps", "Patterns of URLs that look endless, and are not followed", &["Where", "Pattern"], rows)
}

fn plugins(report: &Report) -> Table {
    let row = |plugin: &gatherer_pipeline::report::PluginReport| {
        vec![
            plugin.name.clone(),
            number(plugin.asked),
            number(plugin.refused),
            number(plugin.failed),
            each(plugin.milliseconds, plugin.asked),
            plugin.set_aside.clone().unwrap_or_default(),
        ]
    };
    let heads = ["Plugin", "#Asked", "#Not for it", "#Failed", "#Time for each", "Set aside"];
    Table::new("Plugins", "What each was asked, and how it went", &heads, report.plugins.iter().map(row).collect())
}

fn parsers(report: &Report) -> Table {
    let row = |(name, parser): (&String, &gatherer_pipeline::report::ParserReport)| {
        vec![
            name.clone(),
            number(parser.made),
            number(parser.empty),
            number(parser.known),
            number(parser.later),
            number(parser.dropped.values().sum()),
            each(parser.milliseconds, parser.made),
            parser.trouble.clone().unwrap_or_default(),
        ]
    };
    let heads =
        ["Parser", "#Made", "#Empty", "#Known before", "#Later", "#Facts not believed", "#Time for each", "Trouble"];
    Table::new("Parsers", "Abstracts of documents", &heads, report.parsers.iter().map(row).collect())
}

fn summarizers(report: &Report) -> Table {
    let mut summarizers: Vec<_> = report.summarizers.iter().collect();
    summarizers.sort_by_key(|(_, one)| Reverse(one.microseconds));
    let row = |(name, one): (&String, &gatherer_pipeline::report::SummarizerReport)| {
        let each = format!("{} \u{b5}s", number(one.microseconds / one.documents.max(1)));
        vec![name.clone(), number(one.documents), span(Duration::from_micros(one.microseconds)), each]
    };
    let rows = summarizers.into_iter().take(ROWS).map(row).collect();
    let heads = ["Summarizer", "#Documents", "#Time", "#Time for each"];
    Table::new("Summarizers", "Those that took most time first", &heads, rows)
}

fn sources(report: &Report) -> Table {
    let row = |(name, one): (&String, &gatherer_pipeline::report::SourceReport)| {
        let numbers = [one.taken, one.renewed, one.gone, one.left, one.strange, one.held].map(number);
        [vec![name.clone()], numbers.to_vec(), vec![one.trouble.clone().unwrap_or_default()]].concat()
    };
    let heads = [
        "Gatherer",
        "#Taken over",
        "#Renewed",
        "#Gone",
        "#Not ours to take",
        "#Not understood",
        "#Held back",
        "Trouble",
    ];
    Table::new("Collected from other gatherers", "What came of each", &heads, report.sources.iter().map(row).collect())
}
