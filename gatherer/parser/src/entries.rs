//! Entries: pieces of a page that are made alike and stand one behind the other, each with a name of its own. A calendar, a list of
//! houses and a programme have them, whatever they are made of: boxes, rows of a table, points of a list, labels with what they say.

use crate::layout::{Page, Region, Role};
use std::collections::BTreeMap;
use std::ops::Range;

/// Fewer pieces may be alike by chance.
const LEAST: usize = 3;
/// The longest entry, in lines.
const LONGEST: usize = 60;
/// The longest name in a line of its own, in bytes.
const NAME: usize = 60;
/// Rows with fewer lines are a label and what it says.
const CELLS: usize = 3;

/// One of several pieces that are made alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its lines.
    pub(crate) lines: Range<usize>,
    /// The line with its name,
    pub(crate) head: usize,
    /// and where the name stands in the text.
    pub(crate) name: Range<usize>,
    /// Whether nothing but its place in the first column says that it is a name.
    pub(crate) is_plain: bool,
}

/// All entries of a page, those that are made alike together, in the order of the page.
pub(crate) fn entries(page: &Page) -> Vec<Vec<Entry>> {
    let mut groups = Vec::new();
    for pieces in boxes(page).into_iter().chain(rows(page)).chain(terms(page)).chain(sections(page)) {
        let group: Vec<Entry> = pieces.iter().filter_map(|lines| entry(page, lines)).collect();
        // Where most pieces have no name they are something else.
        if group.len() >= LEAST && group.len() * 4 >= pieces.len() * 3 {
            groups.push(group);
        }
    }
    groups.extend(plain_rows(page));
    groups.sort_by_key(|group| group[0].lines.start);
    groups
}

/// Boxes that their author calls the same; nameless ones only side by side.
fn boxes(page: &Page) -> Vec<Vec<Range<usize>>> {
    let mut alike: BTreeMap<(&str, Option<usize>), Vec<Range<usize>>> = BTreeMap::new();
    for block in &page.blocks {
        let is_called = !block.style.ends_with('.');
        let parent = block.parent.filter(|_| !is_called);
        if matches!(block.style.as_str(), "td." | "th.") || block.lines.len() > LONGEST {
            continue;
        }
        alike.entry((&block.style, parent)).or_default().push(block.lines.clone());
    }
    alike.into_values().collect()
}

/// The rows of each table, but not its head.
fn rows(page: &Page) -> Vec<Vec<Range<usize>>> {
    let mut tables: BTreeMap<u32, BTreeMap<u32, Range<usize>>> = BTreeMap::new();
    for (line, cell) in page.lines.iter().enumerate().filter_map(|(line, own)| Some((line, own.cell?))) {
        if !cell.is_head || cell.column == 1 {
            let row = tables.entry(cell.table).or_default().entry(cell.row).or_insert(line..line);
            row.end = line + 1;
        }
    }
    // A row of one line is no more than the head of others.
    tables.into_values().map(|rows| rows.into_values().filter(|row| row.len() > 1).collect()).collect()
}

/// The labels of definition lists, each with what stands under it.
fn terms(page: &Page) -> Vec<Vec<Range<usize>>> {
    let mut lists: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
    for (line, own) in page.lines.iter().enumerate() {
        let Some(list) = own.list else { continue };
        match own.role {
            Role::Term => lists.entry(list).or_default().push(line..line + 1),
            Role::Definition => {
                if let Some(last) = lists.get_mut(&list).and_then(|list| list.last_mut()) {
                    last.end = line + 1;
                }
            }
            _ => {}
        }
    }
    lists.into_values().collect()
}

/// "<b>Russet House</b>" in a row or line of its own, and under it what is told of it, up to the next such name.
fn sections(page: &Page) -> Vec<Vec<Range<usize>>> {
    let mut places: BTreeMap<(Option<u32>, u32), Vec<usize>> = BTreeMap::new();
    for line in (0..page.lines.len()).filter(|line| stands_alone(page, *line)) {
        let cell = page.lines[line].cell;
        places.entry((cell.map(|cell| cell.table), cell.map_or(0, |cell| cell.column))).or_default().push(line);
    }
    places.into_values().filter(|heads| heads.len() >= LEAST).map(|heads| between(page, &heads)).collect()
}

/// A line in bold type that begins a paragraph and has others under it.
fn stands_alone(page: &Page, line: usize) -> bool {
    let own = &page.lines[line];
    let row = |line: usize| page.lines.get(line).and_then(|line| line.cell).map(|cell| (cell.table, cell.row));
    let is_main = own.region == Region::Main && own.role == Role::Text && own.is_strong;
    let begins = line.checked_sub(1).is_none_or(|over| page.lines[over].paragraph != own.paragraph);
    // "<b>Rooms</b> | 12": the head of a row says what stands beside it.
    let is_over = own.cell.is_none() || (line + 1..page.lines.len()).take(3).any(|next| row(next) != row(line));
    is_main && begins && is_over && page.line(own).len() <= NAME
}

/// What stands from each head to the next; the last piece is no longer than the longest of the others.
fn between(page: &Page, heads: &[usize]) -> Vec<Range<usize>> {
    let table = |line: usize| page.lines[line].cell.map(|cell| cell.table);
    let ends = |head: usize, end: usize| {
        let is_other = |line: &usize| {
            let own = &page.lines[*line];
            own.region != Region::Main || matches!(own.role, Role::Heading(_)) || table(*line) != table(head)
        };
        (head + 1..end).find(is_other).unwrap_or(end)
    };
    let mut pieces: Vec<_> = heads.windows(2).map(|pair| pair[0]..ends(pair[0], pair[1])).collect();
    let paragraphs = |piece: &Range<usize>| page.lines[piece.end - 1].paragraph - page.lines[piece.start].paragraph;
    let most = pieces.iter().map(paragraphs).max().unwrap_or(0);
    if let Some(last) = heads.last() {
        let end = ends(*last, page.lines.len());
        let is_far = |line: &usize| page.lines[*line].paragraph > page.lines[*last].paragraph + most;
        pieces.push(*last..(*last + 1..end).find(is_far).unwrap_or(end));
    }
    pieces.retain(|piece| (2..=LONGEST).contains(&piece.len()));
    pieces
}

/// A piece with a name: its heading, or else what stands out at the beginning of a line.
fn entry(page: &Page, lines: &Range<usize>) -> Option<Entry> {
    let is_main = |line: &usize| page.lines[*line].region == Region::Main;
    let shown = || lines.clone().filter(is_main).filter(|line| page.lines[*line].role != Role::Image);
    let heading = || shown().find(|line| matches!(page.lines[*line].role, Role::Heading(2..)));
    let term = || shown().find(|line| page.lines[*line].role == Role::Term);
    let strong = || shown().find(|line| page.lines[*line].is_strong || page.lines[*line].strong_until.is_some());
    let head = heading().or_else(term).or_else(strong)?;
    let line = &page.lines[head];
    let end = line.strong_until.filter(|_| !line.is_strong && line.role == Role::Text || line.role == Role::Item);
    let name = line.span.start..end.unwrap_or(line.span.end);
    Some(Entry { lines: lines.clone(), head, name, is_plain: false })
}

/// "Royal Hotel | 95 Sanger Street | 555 1013": where nothing stands out in any row, what stands in the first column.
fn plain_rows(page: &Page) -> Vec<Vec<Entry>> {
    let is_name = |line: usize| {
        let (own, text) = (&page.lines[line], page.line(&page.lines[line]));
        let is_head = own.cell.is_some_and(|cell| cell.column == 1 && !cell.is_head) && own.region == Region::Main;
        let is_like_one = text.starts_with(char::is_uppercase) && !text.contains(|one: char| one.is_ascii_digit());
        is_head && is_like_one && text.len() <= NAME && !text.ends_with(':')
    };
    let plain = |row: &Range<usize>| {
        let lines = row.clone();
        let is_bare = entry(page, row).is_none() && row.len() >= CELLS && is_name(row.start);
        let name = page.lines[row.start].span.clone();
        is_bare.then_some(Entry { lines, head: row.start, name, is_plain: true })
    };
    let tables = rows(page).into_iter().map(|rows| (rows.len(), rows.iter().filter_map(plain).collect::<Vec<_>>()));
    // The first row may be a head.
    let all = tables.filter(|(count, group)| group.len() >= LEAST && group.len() + 1 >= *count);
    all.map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the entries of a page, with the number of their lines.
    fn check(source: &str, expected: &[&str]) {
        let page = Page::html(source);
        let told = |entry: &Entry| format!("{} {}", page.text[entry.name.clone()].trim(), entry.lines.len());
        let groups: Vec<_> =
            entries(&page).iter().map(|group| group.iter().map(told).collect::<Vec<_>>().join(", ")).collect();
        assert_eq!(groups, expected, "{source}");
    }

    #[test]
    fn boxes_that_are_called_the_same_are_entries() {
        check(
            "<div class='card odd'><p>9. Mai</p><h3>Konzert</h3></div><div class=card><p>10. Mai</p><h3>Markt</h3></div>\
             <div class='card odd'><p>11. Mai</p><h3>Lesung</h3><p>19 Uhr</p></div><div class=other><h3>Kontakt</h3></div>",
            &["Konzert 2, Markt 2, Lesung 3"],
        );
    }

    #[test]
    fn rows_points_and_labels_are_entries() {
        check(
            "<table><tr><td><b>Krone</b><td>12 km<tr><td><b>Adler</b><td>3 km<tr><td><b>Post</b><td>1 km</table>",
            &["Krone 2, Adler 2, Post 2"],
        );
        check(
            "<ul><li><b>Krone</b>, Tel. 1<li><b>Adler</b>, Tel. 2<li><b>Post</b>, Tel. 3</ul>",
            &["Krone 1, Adler 1, Post 1"],
        );
        check(
            "<dl><dt>Krone<dd>Markt 1<dd>Tel. 1<dt>Adler<dd>Markt 2<dt>Post<dd>Markt 3</dl>",
            &["Krone 3, Adler 2, Post 2"],
        );
    }

    #[test]
    fn what_stands_first_in_plain_rows_is_a_name() {
        check(
            "<table><tr><td>Krone<td>Markt 1<td>12<tr><td>Adler<td>Markt 2<td>13<tr><td>Post<td>Markt 3<td>14</table>",
            &["Krone 3, Adler 3, Post 3"],
        );
        check("<table><tr><td>1998<td>a<td>b<tr><td>1999<td>c<td>d<tr><td>2000<td>e<td>f</table>", &[]);
    }

    #[test]
    fn names_in_lines_of_their_own_begin_entries() {
        check(
            "<table><tr><td><b>Krone</b><td>Cygnet<tr><td>12 km<td>Tel. 1<tr><td><b>Adler</b><td>Dover<tr><td>3 km\
             <tr><td><b>Post</b><td>Franklin<tr><td>1 km</table>",
            &["Krone 2, Adler 2, Post 2", "Krone 4, Adler 3, Post 3"],
        );
        check(
            "<b>Krone</b><br>Markt 1<hr><b>Adler</b><br>Markt 2<hr><b>Post</b><br>Markt 3<hr><p>Auskunft</p>",
            &["Krone 2, Adler 2, Post 2"],
        );
    }

    #[test]
    fn what_has_no_name_or_no_equals_is_no_entry() {
        check("<p>Eins</p><p>Zwei</p><p>Drei</p>", &[]);
        check(
            "<div class=a><h2>Preise</h2></div><div class=b><h2>Lage</h2></div><div class=c><h2>Kontakt</h2></div>",
            &[],
        );
    }
}
