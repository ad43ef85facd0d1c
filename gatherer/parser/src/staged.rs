//! Pages about something that happens: it is called like the heading over its day and hour, and not like its house.

use crate::ballot::LINES;
use crate::focus::{Chooser, Focus, segments};
use crate::layout::{Region, Role};
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::names::{clean, key};
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeMap;
use std::ops::Range;

/// Day and hour stand at most so many lines behind the beginning of the page,
const EARLY: usize = 16;
/// and so many lines from each other.
const BESIDE: usize = 2;
/// A line that is a name has so many words.
const BILLED: usize = 8;
/// So many names with days of their own are a calendar.
const ENTRIES: usize = 3;

impl Chooser<'_> {
    /// Something that happens, by its day and hour at the top of the page, whatever its house is called.
    pub(crate) fn staged(&self, votes: &BTreeMap<ClassId, u32>) -> Option<Focus> {
        let base = self.event_base()?;
        let is_event = |class: ClassId| self.domain.ontology.is_a(class, base);
        let weight: u32 = votes.iter().filter(|(class, _)| is_event(**class)).map(|(_, votes)| votes).sum();
        let when = self.when()?;
        if self.page.lines.len() > LINES
            || self.lists()
            || self.by_evidence().is_some()
            || weight < 4 && !self.sells_tickets()
        {
            return None;
        }
        let (line, span) = self.billing(when, base)?;
        let name = clean(&self.page.text[span.clone()]);
        let own = self.mentions.iter().filter(|one| one.line == line && span.contains(&one.span.start));
        let class = own.filter_map(Mention::class).find(|class| is_event(*class) && self.is_focus_class(*class));
        let class = class.or_else(|| self.voted_event(votes, base)).unwrap_or(base);
        Some(Focus { class, key: key(&name), name: Some((name, span)) })
    }

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
            below.any(|line| of_lines(self.mentions, line..line + 1).iter().any(is_day))
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
            below.any(|line| of_lines(self.mentions, line..line + 1).iter().any(is_day))
        };
        let is_named = |heading: &usize| self.is_bare_name(*heading, &self.page.lines[*heading].span.clone(), 0);
        headings.take_while(|heading| !skips(*heading)).filter(has_day).any(|heading| is_named(&heading))
    }

    /// Whether a line stands right under the first heading.
    fn is_under_head(&self, line: usize) -> bool {
        (line.saturating_sub(BESIDE + 1)..line).any(|over| self.page.lines[over].role == Role::Heading(1))
    }

    /// A price under a word for tickets.
    fn sells_tickets(&self) -> bool {
        let sells = |line: usize| {
            let language = self.languages.of(self.tokens.tongues[line]);
            let words = &self.tokens.all[self.tokens.lines[line].clone()];
            words.iter().any(|token| language.has("tickets", &token.lower) || language.has("entrance", &token.lower))
        };
        (0..self.page.lines.len()).any(|line| sells(line) && (self.has_price(line) || self.has_price_below(line)))
    }

    fn has_price_below(&self, line: usize) -> bool {
        (line + 1..self.page.lines.len()).take(2).any(|line| self.has_price(line))
    }

    /// Where the name of what happens stands: a heading by its day that the title agrees on, the first one, the nearest one;
    /// then whatever else stands out there, then the parts of the title.
    fn billing(&self, when: usize, base: ClassId) -> Option<(usize, Range<usize>)> {
        let title = self.page.lines.iter().position(|line| line.role == Role::Title);
        let titled = |own: &str| {
            title.is_some_and(|title| format!(" {} ", key(self.page.line(&self.page.lines[title]))).contains(own))
        };
        let near: Vec<_> = (0..=(when + BESIDE).min(self.page.lines.len() - 1))
            .rev()
            .filter(|line| self.is_billing(*line, when))
            .collect();
        let parts = near.iter().flat_map(|line| self.parts(*line));
        let parts: Vec<_> = parts.filter(|(line, span)| self.may_happen(*line, span, base)).collect();
        let agreed = |part: &&(usize, Range<usize>)| titled(&format!(" {} ", key(&self.page.text[part.1.clone()])));
        let is_heading = |part: &&(usize, Range<usize>)| matches!(self.page.lines[part.0].role, Role::Heading(_));
        let is_first = |part: &&(usize, Range<usize>)| self.page.lines[part.0].role == Role::Heading(1);
        let is_near = |part: &&(usize, Range<usize>)| is_heading(part) && part.0 + BESIDE >= when;
        let heads = || parts.iter();
        let best = heads().find(|part| is_heading(part) && agreed(part));
        let best = best.or_else(|| heads().find(is_first)).or_else(|| heads().find(is_near));
        best.or_else(|| heads().find(agreed)).cloned().or_else(|| {
            let parts = title.map(|title| self.parts(title)).unwrap_or_default();
            let mut parts = parts.into_iter().skip(1);
            parts.find(|(line, span)| self.may_happen(*line, span, base))
        })
    }

    fn is_billing(&self, line: usize, when: usize) -> bool {
        let layout = &self.page.lines[line];
        let stands_out = matches!(layout.role, Role::Heading(_) | Role::Image) || layout.is_strong;
        // A short line right over the day.
        let is_over = line + 1 == when
            && layout.role == Role::Text
            && self.tokens.lines[line].len() <= BILLED
            && !self.page.line(layout).ends_with(['.', ':', '!']);
        (stands_out || is_over) && !matches!(layout.region, Region::Navigation | Region::Trail | Region::Footer)
    }

    /// A line as a whole, and what its signs part.
    fn parts(&self, line: usize) -> Vec<(usize, Range<usize>)> {
        let layout = &self.page.lines[line];
        let text = self.page.line(layout);
        let pieces = segments(text);
        let whole = std::iter::once((0, text));
        let pieces = whole.chain(pieces.into_iter().filter(|(_, piece)| piece.len() < text.len()));
        let span = |(start, piece): (usize, &str)| {
            let name = clean(piece);
            let at = layout.span.start + start + piece.find(name.as_str()).unwrap_or(0);
            (line, at..at + name.len())
        };
        pieces.map(span).filter(|(_, span)| !span.is_empty()).collect()
    }

    /// Whether words may be the name of something that happens: neither a house, a place nor a day.
    fn may_happen(&self, line: usize, span: &Range<usize>, base: ClassId) -> bool {
        let own = || self.mentions.iter().filter(|one| one.line == line && span.contains(&one.span.start));
        let is_event = |class: ClassId| self.domain.ontology.is_a(class, base);
        let is_house = own().any(|one| {
            one.class().is_some_and(|class| self.is_focus_class(class) && !is_event(class)) && one.name.is_some()
        });
        // "Performances" alone is a heading.
        let is_several = |one: &Mention| {
            one.name.is_none() && one.span == *span && !self.tokens.all[one.tokens.end - 1].lower.ends_with(&one.lemma)
        };
        let has_kind = own().any(|one| one.class().is_some_and(is_event) && !matches!(one.what, What::Place(_)));
        if own().any(is_several) {
            return false;
        }
        let is_value =
            own().any(|one| one.literal().is_some_and(|(kind, _)| kind != Kind::Year && kind != Kind::Count));
        let name = &self.page.text[span.clone()];
        let vouched = if self.page.lines[line].role == Role::Heading(1) { 2 } else { 1 };
        !is_house && !is_value && !self.is_host(&key(name)) && (has_kind || self.may_be_name(line, span, vouched))
    }
}

/// A day, or days from one to another, of a year.
pub(crate) fn is_day(mention: &Mention) -> bool {
    mention.literal().is_some_and(|(kind, value)| {
        kind == Kind::Date || kind == Kind::Period && value.starts_with(|one: char| one.is_ascii_digit())
    })
}
