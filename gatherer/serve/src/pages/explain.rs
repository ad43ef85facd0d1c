//! Why: everything known of a URL.

use super::{Frame, encoded};
use askama::Template;

/// A line: what it is about, and what it says.
pub(crate) struct Line {
    about: String,
    says: String,
}

#[derive(Template)]
#[template(path = "explain.html")]
pub(crate) struct ExplainPage {
    frame: Frame,
    heading: String,
    trouble: Option<String>,
    lines: Vec<Line>,
    /// Where its record is.
    path: String,
    has_record: bool,
}

impl ExplainPage {
    /// What is known of the URL in the frame.
    pub(crate) fn known(frame: Frame, lines: Vec<(String, String)>) -> Self {
        let record = lines.iter().find(|(about, _)| about == "record").map(|(_, says)| says.clone());
        // The record may stand under another URL.
        let at = record.as_deref().and_then(|says| says.rsplit_once(", as ")).map(|(_, url)| url.to_owned());
        let taken = lines.iter().find(|(about, _)| about == "taken as").map(|(_, url)| url.clone());
        let path = encoded(&at.or(taken).unwrap_or_else(|| frame.asked.clone()));
        let lines = lines.into_iter().map(|(about, says)| Line { about, says }).collect();
        let has_record = record.is_some_and(|says| says != "none");
        Self { heading: frame.asked.clone(), frame, trouble: None, lines, path, has_record }
    }

    /// Nothing, and why.
    pub(crate) fn nothing(frame: Frame, trouble: Option<String>) -> Self {
        let heading = "Explain a URL".to_owned();
        Self { frame, heading, trouble, lines: Vec::new(), path: String::new(), has_record: false }
    }
}
