//! Complaints about the config: collected, not thrown, and shown where they stand.

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Columns of a report; fits beside a line number in most terminals.
const WIDTH: usize = 100;

/// A text that values come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// What reports call it: the file's path, or the argument.
    pub(crate) name: String,
    /// All of it, because a report shows the line.
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }
}

/// Where something stands in the config. It carries what a report needs, so a later stage can complain there with
/// [`Settings::complain`](crate::Settings::complain) when the file is long closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    source: Arc<Source>,
    span: Range<usize>,
}

impl Place {
    pub(crate) fn new(source: &Arc<Source>, span: Range<usize>) -> Self {
        Self { source: Arc::clone(source), span }
    }

    /// Another place in the same text.
    pub(crate) fn at(&self, span: Range<usize>) -> Self {
        Self::new(&self.source, span)
    }

    /// The file, as it was named to us.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// The line in it, from 1.
    pub fn line(&self) -> usize {
        self.source.text.bytes().take(self.span.start).filter(|byte| *byte == b'\n').count() + 1
    }

    fn is_in(&self, source: &Source) -> bool {
        self.source.name == source.name
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file(), self.line())
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    message: String,
    label: Option<String>,
    help: Option<String>,
    place: Option<Place>,
}

impl Complaint {
    /// What is wrong, in a sentence without a full stop.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), label: None, help: None, place: None }
    }

    /// Where it stands.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// A word on the very value; written under it, or below the sentence if there is no place to show.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The next step.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// Puts the key in front of the sentence.
    pub(crate) fn about(mut self, table: &str, key: &str) -> Self {
        self.message = format!("[{table}] {key}: {}", self.message);
        self
    }

    fn report(&self) -> Report {
        let mut diagnostic = MietteDiagnostic::new(&self.message);
        diagnostic.help.clone_from(&self.help);
        let Some(place) = &self.place else {
            diagnostic.help = self.help.clone().or_else(|| self.label.clone());
            return Report::new(diagnostic);
        };
        let label = LabeledSpan::new_with_span(self.label.clone(), place.span.clone());
        let source = NamedSource::new(&place.source.name, place.source.text.clone());
        Report::new(diagnostic.with_label(label)).with_source_code(source)
    }
}

/// Everything that is wrong with a config, at once.
///
/// [`Display`](fmt::Display) writes one report after another and ends with the count. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaints {
    file: String,
    list: Vec<Complaint>,
}

impl Complaints {
    pub(crate) fn one(file: &str, complaint: Complaint) -> Self {
        Self { file: file.to_owned(), list: vec![complaint] }
    }

    /// None if there is nothing to complain about. In the order of `source`; what has no place there comes last.
    pub(crate) fn collect(source: &Source, mut list: Vec<Complaint>) -> Option<Self> {
        list.sort_by_key(|complaint| match &complaint.place {
            Some(place) if place.is_in(source) => (0, place.span.start),
            Some(_) => (1, 0),
            None => (2, 0),
        });
        (!list.is_empty()).then(|| Self { file: source.name.clone(), list })
    }

    /// How many.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// These and `more`; made for `reduce`.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.list.extend(more.list);
        self
    }

    /// All reports and the count, with ANSI colours if `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_context_lines(1);
        let mut out = String::new();
        for complaint in &self.list {
            let report = complaint.report();
            if handler.render_report(&mut out, report.as_ref()).is_err() {
                out.push_str(&complaint.message); // The bare sentence is better than none.
            }
            out.push('\n');
        }
        let noun = if self.list.len() == 1 { "complaint" } else { "complaints" };
        format!("{out}{}: {} {noun}", self.file, self.list.len())
    }
}

impl fmt::Display for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Complaints {}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(source: &Arc<Source>, span: Range<usize>) -> Complaint {
        Complaint::new("too many").label("here").at(Place::new(source, span))
    }

    #[test]
    fn a_report_shows_the_line_and_ends_with_the_count() {
        let source = Source::new("gatherer.toml", "a = 1\nb = 22\n");
        let complaints = Complaints::collect(&source, vec![complaint(&source, 10..12)]).expect("one");
        let text = complaints.to_string();
        for part in ["× too many", "[gatherer.toml:2:5]", "2 │ b = 22", "╰── here", "\ngatherer.toml: 1 complaint"]
        {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}') && complaints.render(true).contains('\u{1b}'));
    }

    #[test]
    fn they_come_in_the_order_of_the_file() {
        let source = Source::new("gatherer.toml", "a = 1\nb = 22\n");
        let list = vec![Complaint::new("whole"), complaint(&source, 10..12), complaint(&source, 4..5)];
        let complaints = Complaints::collect(&source, list).expect("three");
        let lines: Vec<_> = complaints.list.iter().map(|one| one.place().map(Place::line)).collect();
        assert_eq!(lines, [Some(1), Some(2), None]);
        assert_eq!(complaints.clone().and(complaints).len(), 6);
    }

    #[test]
    fn without_a_place_the_word_becomes_the_help() {
        let text =
            Complaints::one("gatherer.toml", Complaint::new("nothing to gather").label("name a site")).to_string();
        assert!(text.contains("help: name a site"), "{text}");
    }
}
