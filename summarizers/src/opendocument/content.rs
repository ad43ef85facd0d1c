//! The text of an `OpenDocument`.
//!
//! Its elements are known by their prefixes, which no producer has ever chosen otherwise.

use crate::fold::{Folded, Gap};
use crate::office::columns::Columns;
use crate::office::reading::Reading;
use crate::office::xml::{Token, attribute};
use gatherer_pipeline::{Draft, Leaf};
use quick_xml::events::BytesStart;

/// Most sheets of a document.
const SHEETS: usize = 5_000;

/// Elements nobody reads: deleted text, numbers of notes, how Japanese is read aloud, who commented and when.
#[rustfmt::skip]
const SKIPPED: &[&str] = &[
    "text:tracked-changes", "text:note-citation", "text:footnote-citation", "text:endnote-citation", "text:ruby-text",
    "dc:creator", "dc:date", "meta:creator-initials", "meta:date-string", "presentation:date-time-decl",
    "office:binary-data", "text:page-number", "presentation:footer-decl",
];

/// What the document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Sheets,
    Slides,
    Drawing,
}

/// The content as far as it is read.
#[derive(Debug)]
pub(super) struct Content {
    is_package: bool,
    reading: Reading,
    columns: Columns,
    sheets: Vec<String>,
    pages: usize,
    form: Form,
    in_body: bool,
    /// Open elements within one that is passed over, itself included.
    skipped: usize,
    /// Open paragraphs, tables and cells.
    paragraphs: usize,
    tables: usize,
    cells: usize,
    /// The content of the open cell of a sheet, and whether it is text.
    cell: Option<(Folded, bool)>,
}

impl Content {
    pub(super) fn new(is_package: bool) -> Self {
        Self {
            is_package,
            reading: Reading::new(),
            columns: Columns::default(),
            sheets: Vec::new(),
            pages: 0,
            form: Form::Text,
            in_body: false,
            skipped: 0,
            paragraphs: 0,
            tables: 0,
            cells: 0,
            cell: None,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.reading.is_full()
    }

    pub(super) fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Start(_) if self.skipped > 0 => self.skipped += 1,
            Token::End(_) if self.skipped > 0 => self.skipped -= 1,
            Token::Start(tag) if self.in_body => self.start(&tag),
            Token::Start(tag) => self.begin(&tag),
            Token::End(tag) if self.in_body => self.end(tag.name().as_ref()),
            Token::Text(text) if self.paragraphs > 0 && self.skipped == 0 => self.push(&text),
            Token::End(_) | Token::Text(_) => {}
        }
    }

    fn push(&mut self, text: &str) {
        self.reading.push(text);
        if let Some((content, _)) = &mut self.cell {
            content.push(text);
        }
    }

    /// What stands before the text. `OpenOffice.org 1` says in the first tag what it is, later ones around the text.
    fn begin(&mut self, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "office:body" => self.in_body = true,
            name if name.starts_with("office:document") => {
                self.form = form(&attribute(tag, "office:class").unwrap_or_default()).unwrap_or(Form::Text);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            name if SKIPPED.contains(&name) => self.skipped = 1,
            "text:p" => self.start_paragraph(),
            "text:h" => {
                self.start_paragraph();
                self.reading.open_heading();
            }
            "text:s" | "text:tab" | "text:tab-stop" | "svg:title" | "svg:desc" | "office:annotation" => {
                self.reading.gap(Gap::Space);
            }
            "text:line-break" => self.break_line(),
            "text:a" | "draw:a" => self.open_link(tag),
            "table:table" => self.start_table(tag),
            "table:table-cell" => {
                self.cells += 1;
                if self.form == Form::Sheets {
                    let kind = attribute(tag, "value-type");
                    self.cell = Some((Folded::new(200), kind.is_none_or(|kind| kind == "string")));
                }
            }
            "draw:page" => {
                self.pages += 1;
                self.reading.gap(Gap::Line);
            }
            "draw:frame" if attribute(tag, "presentation:class").is_some_and(|class| class == "title") => {
                self.reading.open_heading();
            }
            name => {
                if let Some(form) = name.strip_prefix("office:").and_then(form) {
                    self.form = form;
                }
            }
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "text:p" | "text:h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if name == "text:h" {
                    self.reading.close_heading();
                }
                self.break_line();
            }
            "text:a" | "draw:a" => self.reading.close_link(),
            "draw:frame" => self.reading.close_heading(),
            "svg:title" | "svg:desc" | "office:annotation" => self.reading.gap(Gap::Space),
            "table:table-cell" => {
                self.cells = self.cells.saturating_sub(1);
                if let Some((content, is_text)) = self.cell.take() {
                    self.columns.cell(&content.into_text(), is_text);
                }
                self.reading.gap(Gap::Space);
            }
            "table:table-row" => {
                self.columns.end_row();
                self.break_line();
            }
            "table:table" => self.tables = self.tables.saturating_sub(1),
            "office:body" => self.in_body = false,
            _ => {}
        }
    }

    fn start_paragraph(&mut self) {
        self.break_line();
        self.paragraphs += 1;
    }

    /// The cells of a row share a line.
    fn break_line(&mut self) {
        self.reading.gap(if self.cells > 0 { Gap::Space } else { Gap::Line });
        if let Some((content, _)) = &mut self.cell {
            content.gap(Gap::Space);
        }
    }

    /// The tables of a spreadsheet are its sheets.
    fn start_table(&mut self, tag: &BytesStart<'_>) {
        self.reading.gap(Gap::Line);
        self.tables += 1;
        if self.form == Form::Sheets && self.tables == 1 && self.sheets.len() < SHEETS {
            self.columns.start_sheet();
            self.sheets.extend(attribute(tag, "table:name").map(|name| Folded::line(&name, 200)));
        }
    }

    /// Within a package, a relative reference leads to its parts, unless it begins by leaving the package.
    fn open_link(&mut self, tag: &BytesStart<'_>) {
        let href = attribute(tag, "xlink:href").unwrap_or_default();
        let is_absolute = href.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
        let href = match href.strip_prefix("../") {
            Some(outside) if self.is_package => outside,
            None if self.is_package && !is_absolute && !href.starts_with('/') => "",
            _ => &href,
        };
        self.reading.open_link(href);
    }

    pub(super) fn write(self, leaf: &Leaf<'_>, draft: &mut Draft) {
        draft.add("Sheets", &self.sheets.join("\n"));
        if !self.sheets.is_empty() {
            self.columns.write(draft);
        }
        self.reading.write(leaf.url, draft);
        match self.form {
            _ if self.pages == 0 => {}
            Form::Drawing => draft.add("Pages", &self.pages.to_string()),
            _ => draft.add("Slides", &self.pages.to_string()),
        }
    }
}

/// What a document is by this name.
fn form(name: &str) -> Option<Form> {
    match name {
        "text" => Some(Form::Text),
        "spreadsheet" => Some(Form::Sheets),
        "presentation" => Some(Form::Slides),
        "drawing" => Some(Form::Drawing),
        _ => None,
    }
}
