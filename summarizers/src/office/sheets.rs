//! Spreadsheets in Office Open XML.

use super::columns::Columns;
use super::numbers::{Formats, shown};
use super::package::Package;
use super::reading::Reading;
use super::relations::Relations;
use super::slides::read_drawing;
use super::xml::{Token, attribute, relation};
use crate::fold::{Folded, Gap};
use gatherer_pipeline::Draft;
use quick_xml::events::BytesStart;

/// Most sheets of a workbook.
const SHEETS: usize = 5_000;
/// Most bytes of one cell, as in Excel, whose characters are 32,767.
const CELL: usize = 100_000;

/// Reads the sheets in their order, each with its comments and drawings.
pub(super) fn read(package: &mut Package<'_>, main: &str, reading: &mut Reading, draft: &mut Draft) {
    let relations = Relations::of(package, main);
    let (mut sheets, mut since_1904) = (Vec::new(), false);
    package.visit(main, |token| {
        if let Token::Start(tag) = token {
            match tag.local_name().as_ref() {
                "workbookPr" => {
                    since_1904 = attribute(&tag, "date1904").is_some_and(|value| value == "1" || value == "true");
                }
                "sheet" => sheets.push((
                    attribute(&tag, "name").unwrap_or_default(),
                    relation(&tag).and_then(|id| relations.target(&id)).unwrap_or_default().to_owned(),
                )),
                _ => {}
            }
        }
        sheets.len() < SHEETS
    });
    let strings = relations.all("sharedStrings").first().map(|part| Strings::read(package, part)).unwrap_or_default();
    let formats = relations.all("styles").first().map(|part| Formats::read(package, part)).unwrap_or_default();
    let mut columns = Columns::default();
    for (name, part) in sheets {
        draft.add("Sheets", &Folded::line(&name, 200));
        if reading.is_full() {
            continue;
        }
        columns.start_sheet();
        let relations = Relations::of(package, &part);
        let book = Book { strings: &strings, formats: &formats, relations: &relations, since_1904 };
        let mut sheet = Sheet::new(book, reading, &mut columns);
        package.visit(&part, |token| {
            sheet.take(token);
            !sheet.reading.is_full()
        });
        reading.gap(Gap::Line);
        for part in ["comments", "threadedComment", "drawing"].iter().flat_map(|kind| relations.all(kind)) {
            let relations = Relations::of(package, &part);
            read_drawing(package, &part, &relations, reading);
        }
    }
    columns.write(draft);
}

/// Strings that cells share: one text, and where each ends.
#[derive(Debug, Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    fn read(package: &mut Package<'_>, part: &str) -> Self {
        let mut strings = Self::default();
        let (mut in_text, mut is_spoken) = (false, false);
        package.visit(part, |token| {
            match token {
                Token::Start(tag) => match tag.local_name().as_ref() {
                    "t" => in_text = true,
                    // How Japanese is read aloud.
                    "rPh" => is_spoken = true,
                    _ => {}
                },
                Token::End(tag) => match tag.local_name().as_ref() {
                    "t" => in_text = false,
                    "rPh" => is_spoken = false,
                    "si" => strings.ends.push(strings.text.len()),
                    _ => {}
                },
                Token::Text(text) if in_text && !is_spoken => strings.text.push_str(&text),
                Token::Text(_) => {}
            }
            true
        });
        strings
    }

    fn get(&self, index: usize) -> Option<&str> {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(index)?)
    }
}

/// What the cells of a workbook need to be understood.
struct Book<'a> {
    strings: &'a Strings,
    formats: &'a Formats,
    relations: &'a Relations,
    since_1904: bool,
}

/// A cell that is open.
#[derive(Debug, Default)]
struct Cell {
    kind: String,
    style: Option<usize>,
    value: String,
    formula: String,
}

/// Which text of a cell is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Value,
    Formula,
}

struct Sheet<'a> {
    book: Book<'a>,
    reading: &'a mut Reading,
    columns: &'a mut Columns,
    cell: Option<Cell>,
    within: Within,
    is_spoken: bool,
}

impl<'a> Sheet<'a> {
    fn new(book: Book<'a>, reading: &'a mut Reading, columns: &'a mut Columns) -> Self {
        Self { book, reading, columns, cell: None, within: Within::Nothing, is_spoken: false }
    }

    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Start(tag) => self.start(&tag),
            Token::End(tag) => self.end(tag.local_name().as_ref()),
            Token::Text(text) => {
                let Some(cell) = self.cell.as_mut().filter(|_| !self.is_spoken) else { return };
                let kept = match self.within {
                    Within::Nothing => return,
                    Within::Value => &mut cell.value,
                    Within::Formula => &mut cell.formula,
                };
                if kept.len() < CELL {
                    kept.push_str(&text);
                }
            }
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "c" => {
                let kind = attribute(tag, "t").unwrap_or_default();
                let style = attribute(tag, "s").and_then(|style| style.parse().ok());
                self.cell = Some(Cell { kind, style, ..Cell::default() });
            }
            "v" | "t" => self.within = Within::Value,
            "f" => self.within = Within::Formula,
            "rPh" => self.is_spoken = true,
            "hyperlink" => {
                if let Some(target) = relation(tag).and_then(|id| self.book.relations.target(&id)) {
                    self.reading.refer(target, &attribute(tag, "display").unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "v" | "t" | "f" => self.within = Within::Nothing,
            "rPh" => self.is_spoken = false,
            "c" => {
                if let Some(cell) = self.cell.take() {
                    self.show(&cell);
                }
            }
            "row" => {
                self.columns.end_row();
                self.reading.gap(Gap::Line);
            }
            _ => {}
        }
    }

    fn show(&mut self, cell: &Cell) {
        let (content, is_text) = match cell.kind.as_str() {
            "s" => (
                cell.value.trim().parse().ok().and_then(|index| self.book.strings.get(index)).unwrap_or_default(),
                true,
            ),
            "str" | "inlineStr" => (cell.value.as_str(), true),
            "b" => (if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }, false),
            // An error is nothing to read.
            "e" => ("", false),
            _ => (cell.value.as_str(), false),
        };
        let is_date = !is_text && cell.style.is_some_and(|style| self.book.formats.is_date(style));
        let date = if is_date { shown(content, self.book.since_1904) } else { None };
        let content = date.as_deref().unwrap_or(content);
        self.columns.cell(content, is_text);
        if let Some(target) = link(&cell.formula) {
            self.reading.refer(target, content);
        }
        self.reading.push(content);
        self.reading.gap(Gap::Space);
    }
}

/// Where a formula leads: `HYPERLINK("http://…","name")`.
fn link(formula: &str) -> Option<&str> {
    formula.trim_start().strip_prefix("HYPERLINK(\"")?.split('"').next()
}
