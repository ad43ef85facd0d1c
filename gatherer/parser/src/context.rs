//! What stands around a line: its label, its headings, the heads of its row and column.

use crate::domain::{Domain, Rules};
use crate::layout::{CAPTION, Cell, Page, Region, Role};
use crate::literals::Kind as LiteralKind;
use crate::mentions::Mention;
use crate::tokens::{Kind, Token, Tokens};
use gatherer_abstracts::ontology::SlotId;
use std::collections::HashSet;
use std::ops::Range;

/// A longer line over a column, in words and signs, is a text and no head.
const LONGEST_HEAD: usize = 14;

/// A first cell with more lines is a menu or a text, and no head of its row.
const LABEL_LINES: usize = 3;

/// What stands around one line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// Nothing in it counts.
    pub(crate) skip: bool,
    /// Only years count in it.
    pub(crate) is_history: bool,
    /// Where the label of the line itself ends.
    pub(crate) label_until: Option<usize>,
    /// Mentions in the label: of the line, of its definition, of the row.
    pub(crate) labels: Vec<usize>,
    /// Mentions in the head of the column.
    pub(crate) columns: Vec<usize>,
    /// Words of label, row and column, in small letters.
    pub(crate) label_words: Vec<Box<str>>,
    /// Mentions in the headings above, the nearest heading first.
    pub(crate) headings: Vec<usize>,
    /// Words of the nearest heading.
    pub(crate) heading_words: Vec<Box<str>>,
    /// Slots for which a heading above is a cue.
    pub(crate) cues: Vec<SlotId>,
    /// The first line of the nearest section.
    pub(crate) section: usize,
    /// The first lines of all sections around it.
    pub(crate) sections: Vec<usize>,
    /// Whether the line is itself a heading.
    pub(crate) is_heading: bool,
    /// The line of the row's first cell.
    pub(crate) row_head: Option<usize>,
}

/// A heading that is in force.
struct Open {
    level: u8,
    line: usize,
    /// The line with which its box ends.
    until: usize,
    skip: bool,
    is_history: bool,
    cues: Vec<SlotId>,
}

pub(crate) fn contexts(page: &Page, tokens: &Tokens, mentions: &[Mention], domain: &Domain) -> Vec<Context> {
    let by_line = by_line(page, mentions);
    let levels: Vec<_> =
        (0..page.lines.len()).map(|place| heading_level(page, tokens, mentions, &by_line[place], place)).collect();
    let mut walk = Walk {
        page,
        tokens,
        mentions,
        domain,
        by_line: &by_line,
        levels: &levels,
        open: Vec::new(),
        term: None,
        standing: None,
    };
    (0..page.lines.len()).map(|place| walk.line(place)).collect()
}

/// What is remembered from line to line.
struct Walk<'a> {
    page: &'a Page,
    tokens: &'a Tokens,
    mentions: &'a [Mention],
    domain: &'a Domain,
    by_line: &'a [Range<usize>],
    /// The level of each line that is a heading.
    levels: &'a [Option<u8>],
    open: Vec<Open>,
    /// The last label of a definition list.
    term: Option<usize>,
    /// A line that is only a label, and its paragraph.
    standing: Option<(usize, u32)>,
}

impl Walk<'_> {
    fn line(&mut self, place: usize) -> Context {
        self.open.retain(|heading| heading.until > place);
        let mut context = Context { is_heading: self.open_heading(place), ..Context::default() };
        for heading in self.open.iter().rev().filter(|heading| heading.line != place) {
            context.skip |= heading.skip;
            context.is_history |= heading.is_history;
            context.headings.extend(self.by_line[heading.line].clone());
            context.cues.extend(&heading.cues);
        }
        if let Some(heading) = self.open.iter().rev().find(|heading| heading.line != place) {
            let range = self.tokens.lines[heading.line].clone();
            context.heading_words = self.tokens.all[range].iter().map(|token| token.lower.clone()).collect();
        }
        context.section = self.open.last().map_or(0, |heading| heading.line);
        context.sections = self.open.iter().map(|heading| heading.line).collect();
        context.skip |= self.open.last().is_some_and(|heading| heading.skip) || self.is_skipped(place);
        self.labels(place, &mut context);
        table(self.page, self.tokens, self.mentions, self.by_line, place, &mut context);
        context
    }

    /// Opens a section, if the line is a heading.
    fn open_heading(&mut self, place: usize) -> bool {
        let line = &self.page.lines[place];
        if line.region == Region::Footer && place > 0 && self.page.lines[place - 1].region != Region::Footer {
            self.open.retain(|heading| heading.level <= 1);
        }
        let Some(level) = self.levels[place] else { return false };
        let words = &self.tokens.all[self.tokens.lines[place].clone()];
        let rules = &self.domain.rules;
        let has = |set: &HashSet<String>| level > 1 && words.iter().any(|token| set.contains(&*token.lower));
        let cues = words.iter().filter_map(|token| rules.sections.get(&*token.lower)).flatten().copied().collect();
        self.open.retain(|heading| heading.level < level);
        let (skip, is_history) = (has(&rules.skip_headings), has(&rules.history));
        let is_rival = |line: usize| self.levels[line].is_some_and(|other| other <= level);
        let until = if level > 1 { self.page.reach(place, is_rival) } else { self.page.lines.len() };
        let until = self.end_of_caption(place).unwrap_or(until).min(self.end_of_table(place));
        self.open.push(Open { level, line: place, until, skip, is_history, cues });
        true
    }

    /// A caption stands over its table alone.
    fn end_of_caption(&self, place: usize) -> Option<usize> {
        let table = |line: usize| self.page.lines.get(line)?.cell.map(|cell| cell.table);
        let own = table(place + 1).filter(|_| self.page.lines[place].role == Role::Heading(CAPTION))?;
        (place + 1..=self.page.lines.len()).find(|line| table(*line) != Some(own))
    }

    /// What looks like a heading in a cell stands over nothing behind its table.
    fn end_of_table(&self, place: usize) -> usize {
        let table = |line: usize| self.page.lines[line].cell.map(|cell| cell.table);
        let Some(own) = table(place) else { return self.page.lines.len() };
        let is_behind = |line: &usize| table(*line).is_none_or(|other| other < own);
        (place + 1..self.page.lines.len()).find(is_behind).unwrap_or(self.page.lines.len())
    }

    /// Menus, and lines of whoever made the page.
    fn is_skipped(&self, place: usize) -> bool {
        let line = &self.page.lines[place];
        let words = &self.tokens.all[self.tokens.lines[place].clone()];
        let skipped = &self.domain.rules.skip_lines;
        let is_maker = |token: &Token| skipped.contains(&*token.lower);
        let is_company = words.windows(2).any(|pair| skipped.contains(&format!("{}_{}", pair[0].lower, pair[1].lower)));
        let is_credit = matches!(words, [first, second, ..]
            if matches!(&*first.lower, "site" | "page" | "pages" | "website")
                && matches!(&*second.lower, "by" | "designed" | "design" | "maintained" | "built" | "created"));
        // "© 2022 Hotel Krone · Am Markt 9 · 59889 Sorpe": an address for all that.
        let has_address =
            self.mentions[self.by_line[place].clone()].iter().any(|one| one.is_literal(LiteralKind::Postcode))
                && !words.iter().any(|token| is_maker(token) && !matches!(&*token.lower, "©" | "copyright"));
        line.region == Region::Navigation
            || matches!(line.role, Role::Keywords | Role::Image | Role::Description)
            || line.region != Region::Main && words.iter().any(is_maker) && !has_address
            || words.iter().take(2).any(is_maker) && !has_address
            || is_credit
            || is_company
    }

    /// The label in the line itself, of its definition, of a line before that is only a label.
    fn labels(&mut self, place: usize, context: &mut Context) {
        let line = &self.page.lines[place];
        if let Some(until) = own_label(self.page, self.tokens, &self.domain.rules, place) {
            context.label_until = Some(until);
            self.put(context, place, until);
            self.standing = (until == line.span.end).then_some((place, line.paragraph));
        }
        if context.label_until.is_none() && self.page.line(line).ends_with(':') {
            self.standing = Some((place, line.paragraph));
        }
        match (line.role, self.term) {
            (Role::Term, _) => self.term = Some(place),
            (Role::Definition, Some(term)) => self.put(context, term, self.page.lines[term].span.end),
            _ => {}
        }
        let Some((label, paragraph)) = self.standing.filter(|(label, _)| *label != place) else { return };
        let first_list = (label + 1..=place).find_map(|at| self.page.lines[at].list);
        let in_list = line.role == Role::Item
            && line.list.is_some()
            && line.list == first_list
            && (label + 1..place).all(|at| self.page.lines[at].list == line.list);
        let follows = paragraph + 1 == line.paragraph && !matches!(line.role, Role::Heading(_));
        if paragraph == line.paragraph || follows || in_list {
            self.put(context, label, self.page.lines[label].span.end);
        } else {
            self.standing = None;
        }
    }

    fn put(&self, context: &mut Context, line: usize, until: usize) {
        // Of a long line only the last sentence is a label: "Every room comes with:"
        let range = self.tokens.lines[line].clone();
        let last = self.tokens.all[range.clone()].last().map(|token| token.sentence);
        let layout = &self.page.lines[line];
        let is_own = until < layout.span.end && layout.strong_until.is_some();
        let is_long = range.len() > 12 && !is_own;
        // "Landlord: Gordon Pym. Dogs are welcome in the bar": the end of the line is no label of its beginning.
        let has_several = self.tokens.all[range.clone()].first().map(|token| token.sentence) != last;
        if is_long && has_several && until < layout.span.end {
            return;
        }
        // "Wohnung Zirbe: 68 m², 1. Stock, zwei Schlafzimmer, Balkon": what stands behind it belongs to no label.
        let is_whole = until >= layout.span.end;
        if is_long
            && is_whole
            && let Some(sentence) = last
        {
            let own = self.by_line[line].clone();
            context.labels.extend(own.filter(|number| self.mentions[*number].sentence == sentence));
            return;
        }
        put_label(context, self.tokens, self.mentions, line, &self.by_line[line], until);
    }
}

/// For each line, its mentions.
pub(crate) fn by_line(page: &Page, mentions: &[Mention]) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(page.lines.len());
    let mut at = 0;
    for line in 0..page.lines.len() {
        let start = at;
        while mentions.get(at).is_some_and(|mention| mention.line == line) {
            at += 1;
        }
        ranges.push(start..at);
    }
    ranges
}

/// The level of a line that is a heading, or looks like one.
fn heading_level(page: &Page, tokens: &Tokens, mentions: &[Mention], own: &Range<usize>, place: usize) -> Option<u8> {
    let line = &page.lines[place];
    if let Role::Heading(level) = line.role {
        return Some(level);
    }
    let words = tokens.lines[place].len();
    let has_value = mentions[own.clone()].iter().any(|mention| mention.literal().is_some());
    let text = page.line(line);
    let is_short = words <= 6 && !text.ends_with(['.', ',', '!']);
    // "Eintrittspreise" over all columns.
    let row = |place: usize| page.lines.get(place).and_then(|line| line.cell).map(|cell| (cell.table, cell.row));
    let is_alone = row(place) != row(place + 1) && place.checked_sub(1).is_none_or(|before| row(place) != row(before));
    let goes_on = || row(place + 1).map(|(table, _)| table) == row(place).map(|(table, _)| table);
    let stands_out =
        line.cell.map_or(line.is_strong, |cell| if cell.is_head { is_alone && goes_on() } else { line.is_strong });
    (line.role == Role::Text && stands_out && is_short && !has_value).then_some(7)
}

/// Where the label of a line ends: at its colon, or where bold type ends.
fn own_label(page: &Page, tokens: &Tokens, rules: &Rules, place: usize) -> Option<usize> {
    let line = &page.lines[place];
    if matches!(line.role, Role::Title | Role::Description) {
        return None;
    }
    let words = &tokens.all[tokens.lines[place].clone()];
    // "Our charges per person, bed and breakfast: adults £18.50"
    let is_pricing = words.iter().take(4).any(|token| rules.pricing.contains(&*token.lower));
    let reach = if is_pricing { 14 } else { 8 };
    let colon = words.iter().take(reach).position(|token| &*token.lower == ":");
    if let Some(colon) = colon.filter(|colon| *colon > 0) {
        let is_time = words
            .get(colon + 1)
            .is_some_and(|next| next.kind == Kind::Number && next.span.start == words[colon].span.end)
            && words[colon - 1].kind == Kind::Number;
        if !is_time
            && words[..colon]
                .iter()
                .all(|token| !matches!(&*token.lower, "." | "!" | "?") || token.sentence == words[0].sentence)
        {
            return Some(words[colon].span.end);
        }
    }
    let until = line.strong_until?;
    let strong = words.iter().filter(|token| token.span.end <= until).count();
    (1..=6).contains(&strong).then_some(until)
}

fn put_label(
    context: &mut Context,
    tokens: &Tokens,
    mentions: &[Mention],
    line: usize,
    own: &Range<usize>,
    until: usize,
) {
    context.labels.extend(own.clone().filter(|number| mentions[*number].span.end <= until));
    let words = tokens.all[tokens.lines[line].clone()].iter().filter(|token| token.span.end <= until);
    context.label_words.extend(words.map(|token| token.lower.clone()));
}

/// The first row of a table with several columns: "Preise 1998 in DM" over all of them stands above the heads.
fn first_row(page: &Page, before: impl Iterator<Item = usize>, cell: Cell) -> Option<u32> {
    let cells = before.filter_map(|line| page.lines[line].cell.filter(|other| other.table == cell.table));
    cells.filter(|other| other.column > 1).map(|other| other.row).min().filter(|row| *row <= 2)
}

/// First cell of the row and head of the column.
fn table(
    page: &Page,
    tokens: &Tokens,
    mentions: &[Mention],
    by_line: &[Range<usize>],
    place: usize,
    context: &mut Context,
) {
    let Some(cell) = page.lines[place].cell else { return };
    let mut before = (0..place)
        .rev()
        .take(400)
        .take_while(|line| page.lines[*line].cell.is_none_or(|other| other.table >= cell.table));
    let same_row = before.clone().take_while(|line| {
        page.lines[*line].cell.is_some_and(|other| other.table == cell.table && other.row == cell.row)
    });
    if cell.column > 1 {
        let head: Vec<_> =
            same_row.filter(|line| page.lines[*line].cell.is_some_and(|other| other.column == 1)).collect();
        // A first cell that is a text of its own, or a menu, is a layout, and no head.
        let is_word = |token: &&Token| token.kind == Kind::Word;
        let words: usize =
            head.iter().map(|line| tokens.all[tokens.lines[*line].clone()].iter().filter(is_word).count()).sum();
        if words <= 12 && head.len() <= LABEL_LINES {
            for line in head.into_iter().rev() {
                context.row_head = Some(line);
                put_label(context, tokens, mentions, line, &by_line[line], page.lines[line].span.end);
            }
        }
        let first_row = first_row(page, before.clone(), cell);
        let column = before.find(|line| {
            let is_wide = cell.column > 2
                || page
                    .lines
                    .get(*line + 1)
                    .and_then(|next| next.cell)
                    .is_some_and(|next| next.table == cell.table && next.column == 3);
            page.lines[*line].cell.is_some_and(|other| {
                other.table == cell.table
                    && other.column == cell.column
                    && other.row < cell.row
                    && (other.is_head || Some(other.row) == first_row && is_wide)
            })
        });
        let Some(last) = column else { return };
        // "Nebensaison" and in the next line of the same cell "1.11. - 31.3."
        let is_same = |line: &usize| {
            let other = |line: usize| page.lines[line].cell.map(|cell| (cell.table, cell.row, cell.column));
            other(*line) == other(last)
        };
        let first = (0..=last).rev().take_while(is_same).last().unwrap_or(last);
        let has_value =
            |line: usize| mentions[by_line[line].clone()].iter().any(|mention| mention.is_literal(LiteralKind::Money));
        for line in (first..=last).filter(|line| tokens.lines[*line].len() <= LONGEST_HEAD && !has_value(*line)) {
            context.columns.extend(by_line[line].clone());
            context.label_words.extend(tokens.all[tokens.lines[line].clone()].iter().map(|token| token.lower.clone()));
        }
    }
}
