//! Pages as lines: what a reader sees of a page, in order, each line with what it is.
//!
//! Tags are read as tokens, not as a tree: pages of the nineties close tables early and nest what must not be nested,
//! and a tree would move or drop what stands there. A line ends where a browser would end it. Every byte of the text
//! knows the character of the source that it came from, so that what is found can be quoted.

mod characters;
mod crown;
mod elements;
mod frames;
mod grid;
mod ranks;
mod reading;
mod sheet;
mod source;

use std::ops::Range;

pub use source::{Source, decode};

/// How much text of a page is read; the rest is cut, and said to be.
pub const TEXT_LIMIT: usize = 1 << 19;

/// What a page shows.
#[derive(Debug, Default)]
pub struct Page {
    /// All lines, each ended by a line feed.
    pub text: String,
    /// The lines, in the order of the page.
    pub lines: Vec<Line>,
    /// The language that the page claims to be in.
    pub language: Option<String>,
    /// What the site calls itself, for those who link to it.
    pub site: Option<String>,
    /// What scripts say in JSON-LD.
    pub data: Vec<String>,
    /// Words that their author points out.
    pub marks: Vec<Range<usize>>,
    /// Pieces of lines that their author gave an element of their own: `<span class=time>`.
    pub parts: Vec<Range<usize>>,
    /// Whether its headings are numbered: "1. Carisford Castle".
    pub is_ranked: bool,
    /// Whether the text was cut at [`TEXT_LIMIT`].
    pub is_cut: bool,
    /// The boxes that lines stand in.
    pub blocks: Vec<Block>,
    /// For each byte of the text, the character in the source,
    places: Vec<u32>,
    /// and how many characters it takes there: a reference such as `&euro;` takes several.
    widths: Vec<u8>,
}

/// One line of a page.
#[derive(Debug, Clone)]
pub struct Line {
    /// Where it stands in the text.
    pub span: Range<usize>,
    /// What it is.
    pub role: Role,
    /// In which part of the page it stands.
    pub region: Region,
    /// Whether all of it is bold or large.
    pub is_strong: bool,
    /// Whether its author calls it a logo.
    pub is_brand: bool,
    /// Where a strong beginning ends, if only the beginning is strong.
    pub strong_until: Option<usize>,
    /// The cell it stands in, if it stands in a table.
    pub cell: Option<Cell>,
    /// The list it stands in, if it stands in one.
    pub list: Option<u32>,
    /// Which paragraph: lines that only a line break parts share it.
    pub paragraph: u32,
    /// The innermost box around it.
    pub block: Option<usize>,
    /// Where references lead to.
    pub links: Vec<Link>,
}

/// A box of the page: a section, a card, a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The box around it.
    pub parent: Option<usize>,
    /// What its author calls it: boxes that are called the same are made alike.
    pub style: String,
    /// Its lines.
    pub lines: Range<usize>,
}

/// The level of the heading of a table.
pub const CAPTION: u8 = 7;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The title of the page.
    Title,
    /// A heading, 1 to 6, or [`CAPTION`].
    Heading(u8),
    /// Running text or a piece of it.
    Text,
    /// A point of a list.
    Item,
    /// The label of a definition list.
    Term,
    /// What such a label says.
    Definition,
    /// The description in the head of the page.
    Description,
    /// The keywords in the head of the page.
    Keywords,
    /// What stands for an image.
    Image,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// What the page is about.
    Main,
    /// Menus.
    Navigation,
    /// The way from the home page to this one.
    Trail,
    /// The bottom of the page.
    Footer,
}

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Which table of the page.
    pub table: u32,
    /// Which row of the table.
    pub row: u32,
    /// Which cell of the row.
    pub column: u32,
    /// Whether it is a heading of its row or column.
    pub is_head: bool,
}

/// A reference with a target that says something itself.
#[derive(Debug, Clone)]
pub struct Link {
    /// The text that leads there.
    pub span: Range<usize>,
    /// The target as written.
    pub target: String,
    /// Where the target stands in the source, in characters.
    pub place: Range<usize>,
}

impl Page {
    /// Reads a page of hypertext.
    pub fn html(source: &str) -> Self {
        reading::read(source)
    }

    /// Reads plain text: empty lines part paragraphs, a short first line is the title.
    pub fn plain(source: &str) -> Self {
        source::plain(source)
    }

    /// The text of a line.
    pub fn line(&self, line: &Line) -> &str {
        &self.text[line.span.clone()]
    }

    /// Where the section of a heading ends at the latest: with the largest box around it that no rival heading shares.
    pub fn reach(&self, line: usize, is_rival: impl Fn(usize) -> bool) -> usize {
        let mut end = self.lines.len();
        let mut block = self.lines[line].block;
        let mut is_inner = true;
        while let Some(at) = block {
            let own = &self.blocks[at];
            // A box with the heading alone is its decoration.
            if own.lines.end <= line + 1 {
                block = own.parent;
                continue;
            }
            let is_shared = own.lines.clone().any(|other| other != line && is_rival(other));
            if is_shared {
                // Rivals in the innermost box: it is no box of this heading alone, but the section ends with it all the same.
                return if is_inner { own.lines.end } else { end };
            }
            end = own.lines.end;
            is_inner = false;
            block = own.parent;
        }
        end
    }

    /// The characters of the source that a piece of the text came from.
    pub fn place(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.places.get(span.start).copied().unwrap_or_default() as usize;
        let last = span.end.checked_sub(1);
        let width = last.and_then(|last| self.widths.get(last)).map_or(1, |width| usize::from(*width));
        let end = last.and_then(|last| self.places.get(last)).map_or(start, |last| *last as usize + width);
        start..end.max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(source: &str) -> Vec<String> {
        let page = Page::html(source);
        page.lines.iter().map(|line| format!("{:?} {}", line.role, page.line(line))).collect()
    }

    #[test]
    fn lines_end_where_a_browser_ends_them() {
        let check = |source: &str, expected: &[&str]| assert_eq!(lines(source), expected, "{source}");
        check("<title>A</title><h2>B <i>c</i></h2>d<br>e", &["Title A", "Heading(2) B c", "Text d", "Text e"]);
        check("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>", &["Item a", "Item b", "Term c", "Definition d"]);
        check("<table><tr><td>a<td>b</table></tr><tr><td>c", &["Text a", "Text b", "Text c"]);
        check("<pre>a 1\n b 2</pre>", &["Text a 1", "Text b 2"]);
        check("<p>a<script>x</script><style>y</style> b", &["Text a b"]);
        check("<span>a</span><span>5</span>", &["Text a 5"]);
    }

    #[test]
    fn cells_know_their_row_and_strong_beginnings_their_end() {
        let page = Page::html("<table><tr><th>a<td>b<tr><td>c</table><p><b>Preise</b> 5</p>");
        let cells: Vec<_> =
            page.lines.iter().filter_map(|line| line.cell).map(|cell| (cell.row, cell.column, cell.is_head)).collect();
        assert_eq!(cells, [(1, 1, true), (1, 2, false), (2, 1, false)]);
        let last = page.lines.last().expect("a line");
        assert_eq!(last.strong_until.map(|until| &page.text[last.span.start..until]), Some("Preise "));
    }

    #[test]
    fn references_take_their_whole_place_in_the_source() {
        let source = "<p>K&uuml;che 5 &euro;!</p>";
        let page = Page::html(source);
        let span = page.text.find("5 €").map(|start| start..start + "5 €".len()).expect("it is there");
        let place = page.place(&span);
        assert_eq!(&source[place], "5 &euro;");
    }
}
