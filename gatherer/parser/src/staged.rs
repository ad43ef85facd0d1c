//! Pages about something that happens: it has a day and an hour, or labels that ask for days and tickets.

use crate::focus::Chooser;
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::Mention;

/// Day and hour stand at most so many lines behind the beginning of the page,
const EARLY: usize = 16;
/// and so many lines from each other.
const BESIDE: usize = 2;
/// The longest page that is about one thing, in lines.
const LINES: usize = 2000;
/// So many names with days of their own are a calendar.
const ENTRIES: usize = 3;

impl Chooser<'_> {
    /// The line of the first day, if an hour stands beside it and no other day has a heading of its own.
    pub(crate) fn when(&self) -> Option<usize> {
        if self.page.lines.len() > LINES {
            return None;
        }
        let is_main = |mention: &Mention| self.page.lines[mention.line].region == Region::Main;
        let mut days = self.mentions.iter().filter(|one| is_main(one) && is_day(one));
        let first = days.next()?.line;
        // Hours alone are those of a house.
        let is_hour = |one: &Mention| one.is_literal(Kind::Time) || one.is_literal(Kind::Hours) && one.line == first;
        let reach = if self.is_under_head(first) { EARLY } else { BESIDE };
        let has_hour =
            self.mentions.iter().any(|one| is_hour(one) && one.line + BESIDE >= first && one.line <= first + reach);
        ((has_hour && first < EARLY || self.is_billed()) && !self.is_calendar(first)).then_some(first)
    }

    /// Whether at least three names stand over days of their own.
    pub(crate) fn is_calendar_page(&self) -> bool {
        let has_day = |heading: &usize| {
            let mut below = self.section(*heading).take(2);
            below.any(|line| self.on(line).iter().any(is_day))
        };
        let is_named = |heading: &usize| self.is_bare_name(*heading, &self.page.lines[*heading].span.clone(), 1);
        (2..=4).any(|level| {
            let headings = self.valued_headings(level).into_iter();
            headings.filter(has_day).filter(is_named).count() >= ENTRIES
        })
    }

    /// Whether another day stands under a name of its own, and not under what else might please.
    fn is_calendar(&self, first: usize) -> bool {
        let skips = |line: usize| {
            let words = &self.tokens.all[self.tokens.lines[line].clone()];
            words.iter().any(|token| self.domain.rules.skip_headings.contains(&*token.lower))
        };
        let lines = self.page.lines.iter().enumerate().skip(first + 1);
        let headings = lines.filter(|(_, line)| matches!(line.role, Role::Heading(2..=6)));
        let headings = headings.filter(|(_, line)| line.region == Region::Main).map(|(heading, _)| heading);
        let has_day = |heading: &usize| {
            let mut below = self.section(*heading).take(2);
            below.any(|line| self.on(line).iter().any(is_day))
        };
        let is_named = |heading: &usize| self.is_bare_name(*heading, &self.page.lines[*heading].span.clone(), 0);
        headings.take_while(|heading| !skips(*heading)).filter(has_day).any(|heading| is_named(&heading))
    }

    /// Whether a line stands right under the first heading.
    fn is_under_head(&self, line: usize) -> bool {
        (line.saturating_sub(BESIDE + 1)..line).any(|over| self.page.lines[over].role == Role::Heading(1))
    }

    /// Whether a label asks for days and gives them, and another for tickets and gives a price.
    pub(crate) fn is_billed(&self) -> bool {
        let has = |list: &str, kinds: &[Kind]| {
            (0..self.page.lines.len()).any(|line| {
                let language = self.languages.of(self.tokens.tongues[line]);
                let is_heading = matches!(self.page.lines[line].role, Role::Heading(2..=6));
                let label = if is_heading { self.tokens.lines[line].clone() } else { self.label_of(line) };
                let asks = self.tokens.all[label].iter().any(|token| language.has(list, &token.lower));
                let gives = |line: usize| {
                    self.on(line).iter().any(|mention| {
                        mention.literal().is_some_and(|(kind, value)| {
                            let is_dated = kind == Kind::Money || value.starts_with(|one: char| one.is_ascii_digit());
                            kinds.contains(&kind) && is_dated
                        })
                    })
                };
                asks && (gives(line) || is_heading && self.section(line).any(gives))
            })
        };
        has("dates", &[Kind::Date, Kind::Period]) && has("tickets", &[Kind::Money])
    }

    /// The tokens of the label of a line: before its colon, where bold type ends, or its term.
    fn label_of(&self, line: usize) -> std::ops::Range<usize> {
        let range = self.tokens.lines[line].clone();
        let colon = self.tokens.all[range.clone()].iter().take(4).position(|token| &*token.lower == ":");
        let layout = &self.page.lines[line];
        let term = line
            .checked_sub(1)
            .filter(|over| layout.role == Role::Definition && self.page.lines[*over].role == Role::Term);
        match (colon, term) {
            (Some(colon), _) => range.start..range.start + colon,
            (None, Some(term)) => self.tokens.lines[term].clone(),
            _ => range.start..range.start,
        }
    }
}

/// A day, or days from one to another, of a year.
pub(crate) fn is_day(mention: &Mention) -> bool {
    mention.literal().is_some_and(|(kind, value)| {
        kind == Kind::Date || kind == Kind::Period && value.starts_with(|one: char| one.is_ascii_digit())
    })
}
