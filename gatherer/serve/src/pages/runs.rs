//! The last runs, and one of them.

use super::Frame;
use super::chart::Chart;
use super::codes::{End, visits};
use super::report::{ReportView, notes, took};
use super::words::{moment, number};
use askama::Template;
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::report::Report;

/// A run in a list.
pub(crate) struct RunRow {
    pub(crate) number: u64,
    pub(crate) began: String,
    pub(crate) took: String,
    pub(crate) visited: String,
    pub(crate) updated: String,
    pub(crate) refreshed: String,
    pub(crate) deleted: String,
    pub(crate) trouble: String,
    pub(crate) look_at: String,
}

impl RunRow {
    pub(crate) fn new(report: &Report) -> Self {
        let things = notes(report).len();
        let look_at = match things {
            _ if report.interrupted => "interrupted".to_owned(),
            0 => String::new(),
            1 => "1 thing".to_owned(),
            things => format!("{things} things"),
        };
        Self {
            number: report.run,
            began: moment(UnixTime(report.started)),
            took: took(report),
            visited: number(report.visited),
            updated: number(report.updated),
            refreshed: number(report.refreshed),
            deleted: number(report.deleted),
            trouble: number(visits(report, End::Trouble)),
            look_at,
        }
    }
}

/// The last runs.
#[derive(Template)]
#[template(path = "runs.html")]
pub(crate) struct RunsPage {
    frame: Frame,
    chart: Chart,
    runs: Vec<RunRow>,
    older: Option<u64>,
}

impl RunsPage {
    pub(crate) fn new(frame: Frame, reports: &[Report], older: Option<u64>) -> Self {
        Self { frame, chart: Chart::new(reports), runs: reports.iter().map(RunRow::new).collect(), older }
    }
}

/// One run.
#[derive(Template)]
#[template(path = "run.html")]
pub(crate) struct RunPage {
    frame: Frame,
    lines: Vec<String>,
    report: ReportView,
}

impl RunPage {
    pub(crate) fn new(frame: Frame, report: &Report) -> Self {
        let (began, ended) = (moment(UnixTime(report.started)), moment(UnixTime(report.ended)));
        let mut lines = vec![format!("From {began} to {ended}, {}.", took(report))];
        if report.resumed {
            lines.push("It went on with a run that had been cut short.".to_owned());
        }
        if report.interrupted {
            lines.push("It was asked to stop before its end; the next run went on from there.".to_owned());
        }
        lines.extend(
            report.next_due.map(|due| format!("After it the next resource was due {}.", moment(UnixTime(due)))),
        );
        Self { frame, lines, report: ReportView::new(report, String::new()) }
    }
}
