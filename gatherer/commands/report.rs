//! The summary of a run, for people.

use super::time::{moment, size};
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::report::{Report, Tally};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Ends of visits that are no loss.
const STORED: [&str; 3] = ["stored", "unchanged", "enumerated"];
/// Slowest hosts and summarizers shown,
const SLOWEST: usize = 3;
/// of those that took this long over all of their work.
const LONG_MILLISECONDS: u64 = 5_000;
/// Most patterns shown; the report for machines has them all.
const TRAPS: usize = 10;

/// A page of text: what came in, what did not, and what to look at.
pub(super) fn summary(report: &Report) -> String {
    let mut text = String::new();
    let seconds = report.ended.saturating_sub(report.started);
    let lost: BTreeMap<_, _> = report
        .outcomes
        .iter()
        .filter(|(code, _)| !STORED.contains(&code.as_str()))
        .map(|(c, t)| (c.clone(), t))
        .collect();
    let resumed = if report.resumed { ", gone on with after an interruption" } else { "" };
    line(&mut text, format!("run {}{resumed}: {} visited in {seconds} s", report.run, report.visited));
    line(
        &mut text,
        format!(
            "  records    {} new or changed, {} unchanged, {} deleted",
            report.updated, report.refreshed, report.deleted
        ),
    );
    let peak = report.peak_memory.map_or_else(String::new, |peak| format!(", peak memory {}", size(peak)));
    line(&mut text, format!("  read       {}{peak}", size(report.bytes)));
    if !report.kinds.is_empty() {
        let kinds: Vec<_> = report.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        line(&mut text, format!("  kinds      {}", kinds.join(", ")));
    }
    if let Some(maps) = report.outcomes.get("enumerated") {
        let example = maps.examples.first().map_or("", String::as_str);
        line(&mut text, format!("  sitemaps   {}, for example {example}", maps.count));
    }
    tallies(&mut text, "members   ", report.members.iter().map(|(code, tally)| (code.as_str(), tally)));
    tallies(&mut text, "left out  ", lost.iter().map(|(code, tally)| (code.as_str(), *tally)));
    tallies(&mut text, "not taken ", report.refused.iter().map(|(code, tally)| (code.as_str(), tally)));
    roots(&mut text, report);
    sources(&mut text, report);
    for (host, aside) in &report.set_aside {
        let until = moment(UnixTime(aside.until));
        line(&mut text, format!("  left alone {host} until {until}: {}", aside.reason));
    }
    for (host, pattern) in report.traps.iter().take(TRAPS) {
        line(&mut text, format!("  trap       {host}: {pattern}"));
    }
    plugins(&mut text, report);
    parsers(&mut text, report);
    for held in &report.held {
        let (root, deletions, records) = (&held.root, held.deletions, held.records);
        line(&mut text, format!("  HELD BACK  {deletions} deletions of {records} records under {root}, for example"));
        line(&mut text, format!("             {}", held.example));
        line(&mut text, "             if they are right, run again with --allow-deletions");
    }
    slowest(&mut text, report);
    report.warnings.iter().for_each(|warning| line(&mut text, format!("  warning    {warning}")));
    end(&mut text, report);
    text
}

/// Hosts and summarizers that took the longest, where there is a choice and it took long.
fn slowest(text: &mut String, report: &Report) {
    let mean = |total: u64, count: u64| total / count.max(1);
    let hosts = report.hosts.iter().filter(|(_, host)| host.milliseconds >= LONG_MILLISECONDS);
    let mut hosts: Vec<_> = hosts.map(|(name, host)| (mean(host.milliseconds, host.visited), name, host)).collect();
    hosts.sort_by_key(|(mean, ..)| Reverse(*mean));
    if report.hosts.len() > 1 {
        for (mean, name, host) in hosts.iter().take(SLOWEST) {
            line(
                text,
                format!("  slow host  {name}: {mean} ms an answer, {} visits, {} failed", host.visited, host.failed),
            );
        }
    }
    let slow = report.summarizers.iter().filter(|(_, one)| one.microseconds >= LONG_MILLISECONDS * 1_000);
    let mut slow: Vec<_> = slow.map(|(name, one)| (mean(one.microseconds, one.documents), name, one)).collect();
    slow.sort_by_key(|(mean, ..)| Reverse(*mean));
    for (mean, name, one) in slow.iter().take(SLOWEST) {
        let (whole, tenth) = (mean / 1_000, mean % 1_000 / 100);
        line(text, format!("  slow work  {name}: {whole}.{tenth} ms a document, {} documents", one.documents));
    }
}

fn roots(text: &mut String, report: &Report) {
    for (name, root) in &report.roots {
        line(text, format!("  root node  {name}: {} records of {} URLs", root.records, root.urls));
        if let Some(because) = &root.nothing_because {
            line(text, format!("             it gave nothing; {because}"));
        } else if let Some(trouble) = &root.trouble {
            line(text, format!("             every visit failed; {trouble}"));
        }
    }
    if report.endangered.count > 0 {
        let example = report.endangered.examples.first().map_or("", String::as_str);
        let records = match report.endangered.count {
            1 => "1 record, whose page could not be had:".to_owned(),
            count => format!("{count} records, whose pages could not be had, for example"),
        };
        line(text, format!("  in danger  {records}"));
        line(text, format!("             {example}"));
    }
}

fn end(text: &mut String, report: &Report) {
    if let Some(why) = &report.stopped_because {
        line(text, format!("  STOPPED    {why}"));
    } else if report.interrupted {
        line(text, "  interrupted; the next run goes on from here");
    } else if let Some(due) = report.next_due {
        line(text, format!("  next due   {}", moment(UnixTime(due))));
    }
}

fn parsers(text: &mut String, report: &Report) {
    for (name, parser) in report.parsers.iter().filter(|(_, parser)| parser.made + parser.later + parser.not_for_it > 0)
    {
        let dropped: u64 = parser.dropped.values().sum();
        let parts = [
            (parser.made, "made"),
            (parser.empty, "of them empty"),
            (parser.known, "known before"),
            (parser.later, "made later"),
            (parser.not_for_it, "not for it"),
            (dropped, "facts not believed"),
        ];
        let parts: Vec<_> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        line(text, format!("  abstracts  {name}: {} in {} ms", parts.join(", "), parser.milliseconds));
        if let Some(trouble) = &parser.trouble {
            line(text, format!("             {trouble}"));
        }
    }
}

fn sources(text: &mut String, report: &Report) {
    for (name, source) in &report.sources {
        let usual = [(source.taken, "taken over"), (source.renewed, "renewed"), (source.gone, "gone")];
        let others = [(source.left, "left as ours or another's"), (source.strange, "not understood")];
        let others = others.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = usual.into_iter().chain(others).map(|(count, what)| format!("{count} {what}")).collect();
        line(text, format!("  collected  {name}: {}", parts.join(", ")));
    }
}

fn plugins(text: &mut String, report: &Report) {
    for plugin in &report.plugins {
        let asked = u32::try_from(plugin.asked).unwrap_or(u32::MAX).max(1);
        let each = (Duration::from_millis(plugin.milliseconds) / asked).as_secs_f64() * 1e3;
        let counts = format!("asked {} times, {each:.1} ms each", plugin.asked);
        let passed = if plugin.refused > 0 { format!(", not for it {}", plugin.refused) } else { String::new() };
        let failed = if plugin.failed > 0 { format!(", FAILED {}", plugin.failed) } else { String::new() };
        line(text, format!("  plugin     {}: {counts}{passed}{failed}", plugin.name));
        if let Some(why) = &plugin.set_aside {
            line(text, format!("             set aside: {why}"));
        }
    }
}

fn tallies<'a>(text: &mut String, heading: &str, tallies: impl Iterator<Item = (&'a str, &'a Tally)>) {
    for (index, (code, tally)) in tallies.enumerate() {
        let heading = if index == 0 { heading } else { "          " };
        let example = tally.examples.first().map_or("", String::as_str);
        line(text, format!("  {heading} {:>5} {code:<18} {example}", tally.count));
    }
}

fn line(text: &mut String, line: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}
