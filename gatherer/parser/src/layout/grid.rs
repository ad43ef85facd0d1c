//! Rows made of boxes: price lists of today, in which no element says that they are tables.

use super::{Cell, Page, Region, Role};
use std::collections::BTreeMap;
use std::ops::Range;

/// A row has so many cells at most,
const MOST: usize = 5;
/// and so many words in its first one.
const LABEL: usize = 9;
/// What is longer is no cell.
const LONGEST: usize = 14;
/// Signs of money, as people write them.
const MONEY: [&str; 13] = ["€", "£", "$", "EUR", "Euro", "CHF", "Fr.", "DM", "ATS", "öS", ",–", ",-", ".–"];

impl Page {
    /// Makes rows of a table of boxes that are made alike, of which each has a name and a price.
    pub(super) fn set_grids(&mut self) {
        let mut alike: BTreeMap<(Option<usize>, &str), Vec<Range<usize>>> = BTreeMap::new();
        for block in &self.blocks {
            alike.entry((block.parent, &block.style)).or_default().push(block.lines.clone());
        }
        let mut grids: Vec<_> = alike.into_values().filter(|rows| self.is_grid(rows)).collect();
        grids.sort_by_key(|rows| rows[0].start);
        let last = self.lines.iter().filter_map(|line| line.cell).map(|cell| cell.table).max().unwrap_or(0);
        for (table, rows) in (last + 1..).zip(grids) {
            for (row, lines) in (1..).zip(rows) {
                for (column, line) in (1..).zip(lines) {
                    self.lines[line].cell = Some(Cell { table, row, column, is_head: false });
                }
            }
        }
    }

    fn is_grid(&self, rows: &[Range<usize>]) -> bool {
        let follow = rows.windows(2).all(|pair| pair[0].end == pair[1].start);
        let text = |line: usize| self.line(&self.lines[line]);
        let words = |line: usize| text(line).split_whitespace().count();
        let has_digit = |line: usize| text(line).contains(|letter: char| letter.is_ascii_digit());
        let is_cell = |line: usize| {
            let line = &self.lines[line];
            line.role == Role::Text && line.region == Region::Main && line.cell.is_none() && line.list.is_none()
        };
        let is_row = |row: &Range<usize>| {
            (2..=MOST).contains(&row.len())
                && row.clone().all(|line| is_cell(line) && words(line) <= LONGEST)
                && words(row.start) <= LABEL
                && !has_digit(row.start)
        };
        let is_price = |line: usize| has_digit(line) && MONEY.iter().any(|sign| text(line).contains(sign));
        rows.len() >= 2 && follow && rows.iter().all(|row| is_row(row) && row.clone().skip(1).any(is_price))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a page, those in cells with row and column.
    fn check(source: &str, expected: &[&str]) {
        let page = Page::html(source);
        let shown = page.lines.iter().map(|line| match line.cell {
            Some(cell) => format!("{}.{} {}", cell.row, cell.column, page.line(line)),
            None => page.line(line).to_owned(),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn cards_with_names_and_prices_are_rows() {
        check(
            "<div><div class=card><div>Einzelzimmer</div><div>14 m²</div><div>€ 79,–</div></div>\
             <div class=card><div>Doppelzimmer</div><div>22 m²</div><div>€ 128,–</div></div></div>",
            &["1.1 Einzelzimmer", "1.2 14 m²", "1.3 € 79,–", "2.1 Doppelzimmer", "2.2 22 m²", "2.3 € 128,–"],
        );
    }

    #[test]
    fn other_boxes_are_none() {
        check(
            "<div><div class=card><div>Haus Anna</div><div>Ringweg 5</div></div><div class=card><div>Krone</div><div>Am Markt 2</div></div></div>",
            &["Haus Anna", "Ringweg 5", "Krone", "Am Markt 2"],
        );
    }
}
