//! What goes on.

use super::chart::Chart;
use super::report::{ReportView, notes, sums, took};
use super::runs::RunRow;
use super::words::{encoded, number, when};
use super::{Frame, Link};
use crate::{Now, Waiting};
use askama::Template;
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::report::Report;
use gatherer_store::Holding;
use std::collections::BTreeMap;
use url::Host;

/// Most runs in the table of this page.
const RUNS: usize = 8;
/// Most visits under way that are shown.
const IN_HAND: usize = 8;
/// What is queued for a host is counted so far.
const COUNTED: u64 = 1_000;

/// A root node, or another gatherer.
#[derive(Debug, Default)]
pub(crate) struct RootRow {
    pub(crate) name: String,
    pub(crate) query: String,
    pub(crate) records: u64,
    pub(crate) urls: u64,
    pub(crate) plan: String,
    pub(crate) next: String,
    pub(crate) next_at: Option<u64>,
    pub(crate) wrong: String,
    pub(crate) example: Option<Link>,
}

/// What each root node holds, is planned to do, and suffers from.
pub(crate) fn roots(holdings: &[(String, Holding)], now: Option<&Now>, last: Option<&Report>) -> Vec<RootRow> {
    let mut rows: BTreeMap<String, RootRow> = BTreeMap::new();
    let is_known = |name: &str| {
        let is_planned = now.is_some_and(|now| now.plans.iter().any(|plan| plan.root == name));
        is_planned || last.is_some_and(|last| last.roots.contains_key(name) || last.sources.contains_key(name))
    };
    // What is gone from the config is shown as long as it has something.
    for (name, holding) in holdings.iter().filter(|(name, one)| one.records + one.urls > 0 || is_known(name)) {
        let row = rows.entry(name.clone()).or_default();
        (row.records, row.urls) = (holding.records, holding.urls);
    }
    for plan in now.iter().flat_map(|now| &now.plans) {
        let row = rows.entry(plan.root.clone()).or_default();
        row.plan = if plan.because.is_empty() { plan.rule.clone() } else { format!("{}; {}", plan.rule, plan.because) };
        row.next_at = plan.next.map(|next| next.0);
        row.next = plan.next.map(|next| when(next, now.map_or(next, |now| now.time))).unwrap_or_default();
    }
    for (name, done) in last.iter().flat_map(|last| &last.roots) {
        let row = rows.entry(name.clone()).or_default();
        if let Some(why) = done.nothing_because.as_ref().filter(|_| row.records == 0) {
            row.wrong = format!("gave nothing: {why}");
            row.example = why.split_once(": ").map(|(url, _)| Link::new(url));
        } else if let Some(why) = &done.trouble {
            row.wrong = format!("every visit failed: {why}");
            row.example = why.split_once(": ").map(|(url, _)| Link::new(url));
        }
    }
    for (name, done) in last.iter().flat_map(|last| &last.sources) {
        let row = rows.entry(name.clone()).or_default();
        row.wrong = done.trouble.clone().unwrap_or_default();
    }
    for held in last.iter().flat_map(|last| &last.held) {
        let row = rows.entry(held.root.clone()).or_default();
        row.wrong = format!("{} deletions are held back", held.deletions);
        row.example = held.example.split_once(": ").map(|(url, _)| Link::new(url));
    }
    rows.into_iter().map(|(name, row)| RootRow { query: encoded(&name), name, ..row }).collect()
}

/// A host that waits.
pub(crate) struct HostRow {
    name: String,
    query: String,
    queued: String,
    because: String,
    until: String,
}

impl HostRow {
    fn new(host: &Waiting, now: UnixTime) -> Self {
        let queued = number(host.queued);
        Self {
            name: host.host.clone(),
            // A host without a name, such as that of files, cannot be asked for.
            query: Host::parse(&host.host).map(|_| encoded(&host.host)).unwrap_or_default(),
            queued: if host.queued >= COUNTED { format!("{queued} or more") } else { queued },
            because: host.because.clone(),
            until: host.until.map(|until| when(until, now)).unwrap_or_default(),
        }
    }
}

/// The first page.
#[derive(Template)]
#[template(path = "status.html")]
pub(crate) struct StatusPage {
    pub(crate) frame: Frame,
    headline: String,
    notes: Vec<String>,
    now: Vec<String>,
    /// The numbers of one run, and of which.
    sums: Vec<(&'static str, String)>,
    sums_of: String,
    in_hand: Vec<Link>,
    time: String,
    can_sign_in: bool,
    operable: bool,
    /// Whether deletions are held back.
    has_held: bool,
    roots: Vec<RootRow>,
    hosts: Vec<HostRow>,
    chart: Chart,
    runs: Vec<RunRow>,
    report: Option<ReportView>,
}

impl StatusPage {
    /// For somebody who may see nothing but what is held.
    pub(crate) fn closed(frame: Frame, roots: Vec<RootRow>, can_sign_in: bool) -> Self {
        let headline = format!("The gatherer {}", frame.name);
        Self {
            frame,
            headline,
            notes: Vec::new(),
            now: Vec::new(),
            sums: Vec::new(),
            sums_of: String::new(),
            in_hand: Vec::new(),
            time: String::new(),
            can_sign_in,
            operable: false,
            has_held: false,
            roots,
            hosts: Vec::new(),
            chart: Chart::default(),
            runs: Vec::new(),
            report: None,
        }
    }

    /// For somebody who may see what goes on. Reports come the latest first.
    pub(crate) fn open(frame: Frame, now: &Now, reports: &[Report], roots: Vec<RootRow>, operable: bool) -> Self {
        let running = now.running.as_ref();
        let last = running.map(|running| &running.report).or_else(|| reports.iter().find(|report| !report.is_idle()));
        let last = last.or(reports.first());
        let mut all_notes = now.warnings.clone();
        all_notes.extend(last.map(notes).unwrap_or_default());
        if let (Some(_), Some(before)) = (running, reports.first()) {
            // What the last whole run held back is still held back.
            let known = notes(before).into_iter().filter(|note| !all_notes.contains(note)).collect::<Vec<_>>();
            all_notes.extend(known);
        }
        let heading = match running {
            Some(_) => "What this run has met up to now".to_owned(),
            None => last.map(|last| format!("What run {} met", last.run)).unwrap_or_default(),
        };
        let in_hand = running.map(|running| running.in_hand.as_slice()).unwrap_or_default();
        Self {
            headline: headline(now),
            notes: all_notes,
            now: now_lines(now, reports.first(), &roots),
            sums: last.map(sums).unwrap_or_default(),
            sums_of: match running {
                Some(_) => "This run up to now".to_owned(),
                None => last.map(|last| format!("Run {} in numbers", last.run)).unwrap_or_default(),
            },
            in_hand: in_hand.iter().take(IN_HAND).map(|url| Link::new(url)).collect(),
            time: super::words::moment(now.time),
            can_sign_in: false,
            operable,
            has_held: reports.first().is_some_and(|report| !report.held.is_empty()),
            roots,
            hosts: now.hosts.iter().map(|host| HostRow::new(host, now.time)).collect(),
            chart: Chart::new(reports),
            runs: reports.iter().take(RUNS).map(RunRow::new).collect(),
            report: last.map(|last| ReportView::new(last, heading)),
            frame,
        }
    }
}

fn headline(now: &Now) -> String {
    match &now.running {
        Some(running) => format!("Run {} is going on", running.report.run),
        None => "Nothing runs at the moment".to_owned(),
    }
}

/// What is going on, a sentence each, as HTML.
fn now_lines(now: &Now, last: Option<&Report>, roots: &[RootRow]) -> Vec<String> {
    if let Some(running) = &now.running {
        let mut lines = vec![format!("It began {}.", when(UnixTime(running.report.started), now.time))];
        let queued = number(running.queued);
        lines.push(match running.remaining {
            Some(remaining) => {
                format!("{queued} candidates are queued; about {} more visits to come.", number(remaining))
            }
            None => format!("{queued} candidates are queued."),
        });
        lines.extend(running.waits.iter().map(|waits| escaped(&format!("Nothing is under way: {waits}."))));
        return lines;
    }
    let planned = roots.iter().filter_map(|root| root.next_at).min();
    let next = planned.or_else(|| last.and_then(|last| last.next_due));
    let mut lines = vec![match next {
        Some(next) => format!("The next run: {}.", when(UnixTime(next.max(now.time.0)), now.time)),
        None => "Nothing is due.".to_owned(),
    }];
    lines.extend(last.map(|last| {
        let ended = when(UnixTime(last.ended), now.time);
        format!("The last one, <a href=\"/runs/{0}\">run {0}</a>, ended {ended} after {1}.", last.run, took(last))
    }));
    lines
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    askama::filters::escape(text, askama::filters::Html).map(|text| text.to_string()).unwrap_or_default()
}
