//! Documents of Word, Excel and `PowerPoint` before 2007, read by a library.

use super::columns::Columns;
use super::compound::{Compound, is_compound};
use super::reading::{Reading, hyperlink};
use super::{summary, weight};
use crate::fold::{Folded, Gap};
use gatherer_pipeline::{Draft, Leaf, Refusal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use undoc::model::RevisionType;
use undoc::{Block, Document, Error, FormatType, Paragraph, Section, Table};

/// Most letters of a field.
const FIELD: usize = 2_048;

/// What there is in place of text.
enum Outcome {
    Read(Box<Document>),
    Encrypted,
    Unread(String),
}

/// Whether a document of old begins here: in a compound file, or a bare sheet of Excel 2 to 4.
pub(super) fn is_legacy(body: &[u8]) -> bool {
    let is_bare = matches!(body, [9, 0, 4, 0, ..] | [9, 2 | 4, 6, 0, ..]);
    is_compound(body) || is_bare
}

pub(super) fn summarize(leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    let mut draft = Draft::new();
    let outcome = match Compound::open(leaf.body) {
        Some(file) => {
            let outcome = read(&file, leaf.body, &mut draft)?;
            summary::write(&file, &mut draft);
            outcome
        }
        None if is_compound(leaf.body) => return Err(Refusal::Cannot("the compound file cannot be opened".to_owned())),
        None => {
            draft.add("Format", "XLS");
            if weight::is_light(leaf.body) { parse(leaf.body) } else { too_heavy() }
        }
    };
    match outcome {
        Outcome::Encrypted => draft.add("Encrypted", "yes"),
        Outcome::Unread(reason) => draft.complain(format!("text not read: {reason}")),
        Outcome::Read(document) => write(&document, leaf, &mut draft),
    }
    Ok(draft)
}

/// Reads what the streams of a compound file say it is.
fn read(file: &Compound<'_>, body: &[u8], draft: &mut Draft) -> Result<Outcome, Refusal> {
    if file.has("EncryptedPackage") {
        return Ok(Outcome::Encrypted);
    }
    let (format, is_sound) = if file.has("WordDocument") {
        ("DOC", true)
    } else if let Some(book) = file.stream("Workbook").or_else(|| file.stream("Book")) {
        ("XLS", weight::is_light(&book))
    } else if let Some(slides) = file.stream("PowerPoint Document") {
        ("PPT", weight::is_shallow(&slides))
    } else {
        return Err(Refusal::Cannot("a compound file without an Office document".to_owned()));
    };
    draft.add("Format", format);
    Ok(if is_sound { parse(body) } else { too_heavy() })
}

fn too_heavy() -> Outcome {
    Outcome::Unread("the document would become too large".to_owned())
}

/// The library trusts some numbers too much; that is no worse than any other document it cannot read.
fn parse(body: &[u8]) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| undoc::parse_bytes(body))) {
        Ok(Ok(document)) => Outcome::Read(Box::new(document)),
        Ok(Err(Error::Encrypted)) => Outcome::Encrypted,
        Ok(Err(error)) => Outcome::Unread(error.to_string()),
        Err(_) => Outcome::Unread("the document is damaged".to_owned()),
    }
}

fn write(document: &Document, leaf: &Leaf<'_>, draft: &mut Draft) {
    let mut reading = Reading::new();
    let mut columns = Columns::default();
    match document.format {
        FormatType::Xls => {
            for name in document.sections.iter().filter_map(|section| section.name.as_deref()) {
                draft.add("Sheets", &Folded::line(name, 200));
            }
        }
        FormatType::Ppt => draft.add("Slides", &document.sections.len().to_string()),
        _ => {}
    }
    for section in &document.sections {
        columns.start_sheet();
        show(section, &mut columns, &mut reading);
        if reading.is_full() {
            break;
        }
    }
    match document.format {
        FormatType::Xls => columns.write(draft),
        FormatType::Doc => refer(leaf.body, &mut reading),
        _ => {}
    }
    reading.write(leaf.url, draft);
}

fn show(section: &Section, columns: &mut Columns, reading: &mut Reading) {
    for block in &section.content {
        match block {
            Block::Paragraph(paragraph) => show_line(paragraph, reading),
            Block::Note { content, .. } => content.iter().for_each(|paragraph| show_line(paragraph, reading)),
            Block::Table(table) => show_table(table, columns, reading),
            _ => {}
        }
    }
    for part in [&section.notes, &section.header, &section.footer] {
        part.iter().flatten().for_each(|paragraph| show_line(paragraph, reading));
    }
}

/// The fields of a document stand in its bytes as they were typed, in letters of one byte or two. The library leaves
/// out those that lead to a place within a page.
fn refer(body: &[u8], reading: &mut Reading) {
    for width in [1, 2] {
        let word: Vec<u8> = b"HYPERLINK ".iter().flat_map(|letter| [*letter, 0].into_iter().take(width)).collect();
        let mut rest = body;
        while let Some(place) = rest.windows(word.len()).position(|window| window == word) {
            let field = rest.get(place..).unwrap_or_default();
            let letters = field.iter().step_by(width).take(FIELD).take_while(|letter| (32..127).contains(*letter));
            let instruction: String = letters.map(|letter| char::from(*letter)).collect();
            if let Some(target) = hyperlink(&instruction).filter(|target| target.contains(':')) {
                reading.refer(target, "");
            }
            rest = field.get(word.len().max(instruction.len() * width)..).unwrap_or_default();
        }
    }
}

/// Cells of one row share a line. The readers of old documents nest no tables.
fn show_table(table: &Table, columns: &mut Columns, reading: &mut Reading) {
    for row in &table.rows {
        reading.gap(Gap::Line);
        for cell in &row.cells {
            reading.gap(Gap::Space);
            let content = cell.plain_text();
            columns.cell(&content, content.trim().parse::<f64>().is_err());
            cell.content.iter().for_each(|paragraph| show_paragraph(paragraph, reading));
        }
        columns.end_row();
    }
    reading.gap(Gap::Line);
}

fn show_line(paragraph: &Paragraph, reading: &mut Reading) {
    reading.gap(Gap::Line);
    show_paragraph(paragraph, reading);
    reading.gap(Gap::Line);
}

fn show_paragraph(paragraph: &Paragraph, reading: &mut Reading) {
    if paragraph.is_heading() {
        reading.open_heading();
    }
    for run in paragraph.runs.iter().filter(|run| run.revision != RevisionType::Deleted) {
        if let Some(target) = &run.hyperlink {
            reading.open_link(target);
        }
        // The library puts its own words around comments.
        let comment = run.text.strip_prefix(" [Comment: ").and_then(|text| text.strip_suffix(']'));
        reading.gap(if comment.is_some() { Gap::Space } else { Gap::None });
        reading.push(comment.unwrap_or(&run.text));
        if run.hyperlink.is_some() {
            reading.close_link();
        }
        if run.line_break || run.page_break {
            reading.gap(Gap::Line);
        }
    }
    reading.close_heading();
    reading.gap(Gap::Space);
}
