//! Tables that only lay a page out: what stands in them is no row.

use super::{Page, Role};

/// A row with more lines is no row of a table.
const MANY: usize = 16;

impl Page {
    /// Takes the lines of rows that hold headings out of their tables.
    pub(super) fn unframe(&mut self) {
        let mut start = 0;
        while start < self.lines.len() {
            let row = |line: usize| self.lines[line].cell.map(|cell| (cell.table, cell.row));
            let own = row(start);
            let end = (start..self.lines.len()).find(|line| row(*line) != own).unwrap_or(self.lines.len());
            let is_heading = |line: &usize| matches!(self.lines[*line].role, Role::Heading(_));
            let is_frame = own.is_some() && ((start..end).any(|line| is_heading(&line)) || end - start > MANY);
            if is_frame {
                self.lines[start..end].iter_mut().for_each(|line| line.cell = None);
            }
            start = end;
        }
    }
}
