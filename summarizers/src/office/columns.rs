//! What the columns of spreadsheets are called.

use crate::fold::Folded;
use gatherer_pipeline::Draft;

/// In how many rows with content names are looked for.
const ROWS: usize = 10;
/// Most names of all sheets.
const NAMES: usize = 1_000;
/// Most bytes of a name; longer ones are text.
const NAME_LIMIT: usize = 100;

/// Finds the names of columns: the first of the first rows of a sheet that has words in two cells or more, and no
/// numbers. A title above them stands in one cell.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    names: Vec<String>,
    row: Vec<String>,
    has_values: bool,
    rows: usize,
}

impl Columns {
    pub(crate) fn start_sheet(&mut self) {
        self.row.clear();
        self.rows = 0;
    }

    /// Takes the content of a cell.
    pub(crate) fn cell(&mut self, content: &str, is_text: bool) {
        if self.rows >= ROWS || content.trim().is_empty() {
            return;
        }
        self.has_values |= !is_text || content.len() > NAME_LIMIT;
        if self.row.len() < NAMES {
            self.row.push(Folded::line(content, NAME_LIMIT));
        }
    }

    pub(crate) fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let has_values = std::mem::take(&mut self.has_values);
        if self.rows >= ROWS || row.is_empty() {
            return;
        }
        self.rows += 1;
        if row.len() > 1 && !has_values {
            self.rows = ROWS;
            let room = NAMES.saturating_sub(self.names.len());
            self.names.extend(row.into_iter().take(room));
        }
    }

    /// Writes the names, each once.
    pub(crate) fn write(self, draft: &mut Draft) {
        let mut names: Vec<String> = Vec::with_capacity(self.names.len());
        for name in self.names {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        draft.add("Columns", &names.join("\n"));
    }
}
