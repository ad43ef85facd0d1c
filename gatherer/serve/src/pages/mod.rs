//! The pages for people: what is shown, and how. Templates stand in `templates/`; nothing on a page needs a script, and
//! nothing is asked of another host. Who may see what is decided before it comes here.

mod chart;
mod codes;
mod explain;
mod records;
mod report;
mod runs;
mod status;
mod tables;
mod tree;
mod words;

pub(crate) use explain::ExplainPage;
pub(crate) use records::{RecordPage, RecordRow, RecordsPage, Shown, View, attributes, text};
pub(crate) use runs::{RunPage, RunsPage};
pub(crate) use status::{RootRow, StatusPage, roots};
pub(crate) use tree::tree;
pub(crate) use words::encoded;

use askama::Template;

/// The style of all pages,
pub(crate) const STYLE: &str = include_str!("../../templates/style.css");
/// and their sign.
pub(crate) const ICON: &str = include_str!("../../templates/icon.svg");

/// What stands around every page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    /// Of the page,
    pub(crate) title: String,
    /// of the gatherer,
    pub(crate) name: String,
    /// and its version.
    pub(crate) version: String,
    /// Which page it is, among those one can go to.
    pub(crate) at: &'static str,
    /// Whether its reader may see what goes on,
    pub(crate) status: bool,
    /// records,
    pub(crate) records: bool,
    /// and counters.
    pub(crate) metrics: bool,
    /// The URL in the box.
    pub(crate) asked: String,
    /// It is asked for again after so many seconds.
    pub(crate) again: Option<u64>,
}

/// A page with nothing but a few sentences.
#[derive(Template)]
#[template(path = "message.html")]
pub(crate) struct MessagePage {
    pub(crate) frame: Frame,
    pub(crate) lines: Vec<String>,
}

/// A URL that can be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) text: String,
    pub(crate) query: String,
}

impl Link {
    pub(crate) fn new(url: &str) -> Self {
        Self { text: url.to_owned(), query: encoded(url) }
    }
}
