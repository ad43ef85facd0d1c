//! On which day an item of a programme is: its own, that of its row or of the lines over it, or a day of the week.

use super::Attach;
use super::times::ROWS;
use crate::layout::Role;
use crate::literals::Kind;
use crate::tokens::Kind as TokenKind;

/// So many days of a page are looked at for one of the week.
const DAYS: usize = 64;
/// The longest line that is only a day, in words and signs.
const LONGEST_DAY: usize = 10;

impl Attach<'_> {
    /// The day of an item of a programme, and where it is written.
    pub(super) fn day_of_item(&self, number: usize) -> Option<(usize, String)> {
        let line = self.mention(number).line;
        let is_date = |other: &usize| self.mention(*other).is_literal(Kind::Date);
        let written = |date: usize| self.mention(date).literal().map(|(_, value)| (date, value.to_owned()));
        let context = self.context(number);
        let own = self.row(line).chain(self.entry(line)).chain(context.labels.iter().copied()).find(is_date);
        let own = own.or_else(|| self.day_over_rows(number)).and_then(written);
        let term = line.checked_sub(1).filter(|term| self.m.page.lines[*term].role == Role::Term);
        own.or_else(|| self.day_by_weekday(number, line))
            .or_else(|| self.day_by_weekday(number, term?))
            .or_else(|| self.day_over_lines(number))
            .or_else(|| context.headings.iter().copied().find(is_date).and_then(written))
            .or_else(|| self.day_in_column(number))
            .or_else(|| self.day_by_weekday(number, context.section))
    }

    /// The day at the head of a column.
    pub(super) fn day_of_head(&self, number: usize, head: usize) -> Option<(usize, String)> {
        let date = self.by_line[head].clone().find(|other| self.mention(*other).is_literal(Kind::Date));
        let written = date.and_then(|date| self.mention(date).literal().map(|(_, value)| (date, value.to_owned())));
        written.or_else(|| self.day_by_weekday(number, head))
    }

    /// "Samstag, 5. Juli" in a line of its own, over lines that begin with the hour.
    fn day_over_lines(&self, number: usize) -> Option<(usize, String)> {
        let line = self.mention(number).line;
        let lines = &self.m.page.lines;
        let mut over = (0..line).rev().take(ROWS).take_while(|over| !matches!(lines[*over].role, Role::Heading(_)));
        let over = over.find(|over| lines[*over].cell.is_none() && self.is_day_line(*over))?;
        let date = self.by_line[over].clone().find(|other| self.mention(*other).is_literal(Kind::Date));
        let written = date.and_then(|date| self.mention(date).literal().map(|(_, value)| (date, value.to_owned())));
        written.or_else(|| self.day_by_weekday(number, over))
    }

    /// Whether a line says no more than a day.
    pub(super) fn is_day_line(&self, line: usize) -> bool {
        let range = self.m.tokens.lines[line].clone();
        if range.is_empty() || range.len() > LONGEST_DAY {
            return false;
        }
        let language = self.m.languages.of(self.m.tokens.tongues[line]);
        let own = self.by_line[line].clone().filter(|other| self.mention(*other).is_literal(Kind::Date));
        let dates: Vec<_> = own.map(|other| self.mention(other).tokens.clone()).collect();
        let is_weekday = |at: usize| language.weekdays.contains_key(&*self.m.tokens.all[at].lower);
        let is_joint = |at: usize| {
            let token = &self.m.tokens.all[at];
            token.kind == TokenKind::Sign || language.has("day-joints", &token.lower)
        };
        let mut all = range.clone();
        let says_day = !dates.is_empty() || range.clone().any(is_weekday);
        says_day && all.all(|at| is_joint(at) || is_weekday(at) || dates.iter().any(|date| date.contains(&at)))
    }

    /// Whether a line is a day over lines that begin with an hour: it says nothing of the page's own event.
    pub(super) fn is_over_items(&self, number: usize) -> bool {
        let (line, scope) = (self.mention(number).line, self.scope(number));
        let next = line + 1;
        // The first day of the page is that of its event.
        let is_first = self.days.iter().find(|other| self.scope(**other) == scope) == Some(&number);
        let begins = |line: usize| {
            let first = self.by_line[line].clone().next().map(|first| self.mention(first));
            first.is_some_and(|first| {
                matches!(first.literal(), Some((Kind::Time | Kind::Hours, _)))
                    && first.tokens.start <= self.m.tokens.lines[line].start + 1
            })
        };
        next < self.m.page.lines.len()
            && !is_first
            && self.focus(number).is_some_and(|focus| self.is_event(focus))
            && self.m.page.lines[line].cell.is_none()
            && self.is_day_line(line)
            && begins(next)
            && self.m.tokens.lines[next].len() > 2
    }

    /// Whether other events follow under a heading with a date.
    pub(super) fn in_programme(&self, number: usize) -> bool {
        let line = self.mention(number).line;
        // "Hoffest am 14. September": the day of what the heading itself names.
        let is_event = |class| self.is_event_class(class);
        if self.by_line[line].clone().any(|other| self.mention(other).class().is_some_and(is_event)) {
            return false;
        }
        let lines = (line + 1..self.m.page.lines.len()).take_while(|next| !self.contexts[*next].is_heading).take(12);
        lines.into_iter().any(|next| {
            self.by_line[next]
                .clone()
                .any(|other| self.mention(other).is_literal(Kind::Time) || self.mention(other).is_literal(Kind::Hours))
        })
    }

    /// A row that is only a day stands over the rows behind it.
    fn day_over_rows(&self, number: usize) -> Option<usize> {
        let line = self.mention(number).line;
        let cell = self.m.page.lines[line].cell?;
        let row =
            |line: usize| self.m.page.lines[line].cell.filter(|other| other.table == cell.table).map(|cell| cell.row);
        let is_alone = |line: usize| line.checked_sub(1).and_then(row) != row(line) && row(line + 1) != row(line);
        let mut over = (0..line).rev().take_while(|over| row(*over).is_some()).filter(|over| is_alone(*over));
        let over = over.find(|over| row(*over) < Some(cell.row))?;
        self.by_line[over].clone().find(|other| self.mention(*other).is_literal(Kind::Date))
    }

    /// A day in the first column holds for the rows behind it that have nothing there.
    fn day_in_column(&self, number: usize) -> Option<(usize, String)> {
        let line = self.mention(number).line;
        let cell = self.m.page.lines[line].cell?;
        let own = |line: usize| self.m.page.lines[line].cell.filter(|other| other.table == cell.table);
        let mut first = (0..line).rev().take(ROWS).map_while(|line| own(line).map(|cell| (line, cell)));
        // A day may be as high as several rows, which then begin with the hour.
        let is_hour = |line: usize| self.by_line[line].clone().any(|other| self.mention(other).is_literal(Kind::Time));
        let (day, over) = first.find(|(line, cell)| cell.column == 1 && !is_hour(*line))?;
        if over.is_head {
            return None;
        }
        let date = self.by_line[day].clone().find(|other| self.mention(*other).is_literal(Kind::Date));
        let said = date.and_then(|date| self.mention(date).literal().map(|(_, value)| (date, value.to_owned())));
        said.or_else(|| self.day_by_weekday(number, day))
    }

    /// "Saturday" over a part of the programme of an event on "11 and 12 June 2022": the day, and where it is written.
    fn day_by_weekday(&self, number: usize, section: usize) -> Option<(usize, String)> {
        let language = self.m.languages.of(self.tongue(number));
        let words = self.m.tokens.all[self.m.tokens.lines[section].clone()].iter();
        let mut weekdays = words.filter_map(|token| language.weekdays.get(&*token.lower).copied());
        let weekday = weekdays.next().filter(|_| weekdays.next().is_none())?;
        let scope = self.scope(number);
        let days = self.days.iter().copied().filter(|other| self.scope(*other) == scope);
        let mut days = days.take(DAYS).filter_map(|other| Some((other, self.mention(other).literal()?)));
        days.find_map(|(other, (_, value))| Some((other, day_within(value, weekday)?)))
    }
}

/// The day of the week in a time of at most a week: only the first and the last day are written down.
fn day_within(period: &str, weekday: u8) -> Option<String> {
    let (from, to) = period.split_once('/').unwrap_or((period, period));
    let (from, to) = (from.parse::<jiff::civil::Date>().ok()?, to.parse::<jiff::civil::Date>().ok()?);
    let is_then = |day: &jiff::civil::Date| day.weekday().to_monday_one_offset().unsigned_abs() == weekday;
    let mut days = from.series(jiff::Span::new().days(1)).take(7).take_while(|day| *day <= to);
    days.find(is_then).or(Some(to).filter(is_then)).map(|day| day.to_string())
}
