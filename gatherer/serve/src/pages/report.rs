//! One run's report as it stands on a page.

use super::codes::{End, end_of, meaning, visits};
use super::tables::{Table, tables};
use super::words::{encoded, number, size, span};
use gatherer_pipeline::report::{Report, Tally};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a run has done and met.
pub(crate) struct ReportView {
    pub(crate) number: u64,
    pub(crate) heading: String,
    /// What someone should look at.
    pub(crate) notes: Vec<String>,
    pub(crate) sums: Vec<(&'static str, String)>,
    pub(crate) failures: Vec<Reason>,
    pub(crate) refused: Vec<Reason>,
    pub(crate) kinds: Vec<KindRow>,
    pub(crate) roots: Vec<RootDone>,
    pub(crate) tables: Vec<Table>,
}

/// A reason for which things were left out.
pub(crate) struct Reason {
    pub(crate) code: String,
    pub(crate) meaning: &'static str,
    pub(crate) count: String,
    pub(crate) examples: Vec<Example>,
}

/// One of them.
pub(crate) struct Example {
    pub(crate) url: String,
    pub(crate) query: String,
    pub(crate) text: String,
}

pub(crate) struct KindRow {
    pub(crate) name: String,
    pub(crate) query: String,
    pub(crate) count: String,
    pub(crate) percent: u64,
}

/// What was done under one root node.
pub(crate) struct RootDone {
    pub(crate) name: String,
    pub(crate) visited: String,
    pub(crate) records: String,
    pub(crate) urls: String,
    pub(crate) wrong: String,
}

impl ReportView {
    pub(crate) fn new(report: &Report, heading: String) -> Self {
        let is_loss = |code: &str| !matches!(end_of(code), End::Stored | End::Same);
        let mut failures = reasons(&report.outcomes, is_loss);
        failures.extend(
            reasons(&report.members, is_loss)
                .into_iter()
                .map(|reason| Reason { code: format!("{} (inside of another)", reason.code), ..reason }),
        );
        Self {
            number: report.run,
            heading,
            notes: notes(report),
            sums: sums(report),
            failures,
            refused: reasons(&report.refused, |_| true),
            kinds: kinds(report),
            roots: roots(report),
            tables: tables(report),
        }
    }
}

/// An example of a tally: a URL, and what became of it.
pub(super) fn example(text: &str) -> Example {
    let (url, text) = text.split_once(": ").unwrap_or((text, ""));
    Example { url: url.to_owned(), query: encoded(url), text: text.to_owned() }
}

/// Trouble first, then what there is most of.
fn reasons(tallies: &BTreeMap<String, Tally>, is_wanted: impl Fn(&str) -> bool) -> Vec<Reason> {
    let mut wanted: Vec<_> = tallies.iter().filter(|(code, _)| is_wanted(code)).collect();
    wanted.sort_by_key(|(code, tally)| (end_of(code) != End::Trouble, std::cmp::Reverse(tally.count)));
    let reason = |(code, tally): (&String, &Tally)| Reason {
        code: code.clone(),
        meaning: meaning(code),
        count: number(tally.count),
        examples: tally.examples.iter().map(|text| example(text)).collect(),
    };
    wanted.into_iter().map(reason).collect()
}

/// Deletions held back, hosts left alone, plugins set aside, and what the run itself warns of.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    for held in &report.held {
        notes.push(format!(
            "{} deletions of {} records under {} are held back, for example {}. If they are right, run again with \
             --allow-deletions.",
            held.deletions, held.records, held.root, held.example
        ));
    }
    if report.endangered.count > 0 {
        let example = report.endangered.examples.first().map_or("", String::as_str);
        notes.push(format!(
            "Records in danger: {}. Their pages could not be had, for example {example}. They are deleted when it is \
             confirmed that they are gone, or when their lives end; a dead link that never had a record is not counted here.",
            number(report.endangered.count)
        ));
    }
    for (root, done) in &report.roots {
        notes.extend(done.nothing_because.iter().map(|why| format!("{root} gave nothing: {why}")));
    }
    for (source, done) in &report.sources {
        notes.extend(done.trouble.iter().map(|why| format!("{source}: {why}")));
    }
    for (host, aside) in &report.set_aside {
        let until = gatherer_pipeline::UnixTime(aside.until).moment();
        notes.push(format!("{host} is left alone until {until}: {}", aside.reason));
    }
    for plugin in &report.plugins {
        notes.extend(plugin.set_aside.iter().map(|why| format!("the plugin {} was set aside: {why}", plugin.name)));
    }
    for (name, parser) in &report.parsers {
        notes.extend(parser.trouble.iter().map(|why| format!("the parser {name} is in trouble: {why}")));
    }
    notes.extend(report.stopped_because.iter().map(|why| format!("the run was stopped: {why}")));
    notes.extend(report.warnings.iter().cloned());
    notes
}

pub(super) fn sums(report: &Report) -> Vec<(&'static str, String)> {
    let mut sums = vec![
        ("Visited", number(report.visited)),
        ("New or changed", number(report.updated)),
        ("Unchanged", number(report.refreshed)),
        ("Deleted", number(report.deleted)),
        ("Visits with trouble", number(visits(report, End::Trouble))),
        ("Read", size(report.bytes)),
    ];
    sums.extend(report.peak_memory.map(|bytes| ("Peak memory", size(bytes))));
    sums
}

pub(super) fn took(report: &Report) -> String {
    span(Duration::from_secs(report.ended.saturating_sub(report.started)))
}

fn kinds(report: &Report) -> Vec<KindRow> {
    let all = report.kinds.values().sum::<u64>().max(1);
    let mut kinds: Vec<_> = report.kinds.iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let row = |(name, count): (&String, &u64)| KindRow {
        name: name.clone(),
        query: encoded(name),
        count: number(*count),
        percent: count.saturating_mul(100) / all,
    };
    kinds.into_iter().map(row).collect()
}

fn roots(report: &Report) -> Vec<RootDone> {
    let row = |(name, root): (&String, &gatherer_pipeline::report::RootReport)| RootDone {
        name: name.clone(),
        visited: number(root.visited),
        records: number(root.records),
        urls: number(root.urls),
        wrong: root.nothing_because.clone().unwrap_or_default(),
    };
    report.roots.iter().map(row).collect()
}
