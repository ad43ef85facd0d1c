//! Opening hours and times of the day.

use super::Attach;
use super::months::{MONTHS, whole_months};
use crate::language::Tongue;
use crate::literals::{Kind, Setting};
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};

/// The head of a row, a column or a paragraph is looked for over so many lines.
pub(super) const ROWS: usize = 400;

impl Attach<'_> {
    pub(super) fn hours(&mut self, number: usize, value: &str) {
        let Some(slot) = self.first_slot(Kind::Hours) else { return };
        if self.is_of_rest(number) || self.is_hour_of_slots(self.mention(number).line) {
            return;
        }
        let has_days = value.starts_with(|letter: char| letter.is_ascii_uppercase());
        let mut value = value.to_owned();
        let mut span = self.mention(number).span.clone();
        if !has_days {
            match self.with_row_head(number) {
                Some((whole, from)) => {
                    value = whole;
                    span.start = from;
                }
                None if self.is_daily(number) => value = format!("Mo-Su {value}"),
                None if self.begins_and_ends(number, &value) => return,
                None => {
                    if let Some(days) = self.days_before(number).or_else(|| self.days_over(number)) {
                        value = format!("{days} {value}");
                    }
                }
            }
        }
        if self.arrival(number, &value) {
            return;
        }
        // "Rufen Sie zwischen 18 und 20 Uhr an": not that the house is open.
        if self.m.page.text[self.mention(number).span.clone()].to_lowercase().starts_with("zwischen") {
            return;
        }
        let has_months = MONTHS.iter().any(|month| value.starts_with(month));
        let months = self.months_before(number).or_else(|| Some((self.months_over(number)?, span.start)));
        if let Some((months, from)) = months.filter(|_| !has_months) {
            // "April bis Oktober: Samstag 14-17 Uhr, Sonntag 11-17 Uhr"
            value = value.split("; ").map(|group| format!("{months} {group}")).collect::<Vec<_>>().join("; ");
            span.start = span.start.min(from);
        }
        let Some((handle, heuristic)) = self.holder(number, slot) else { return };
        let host = self.host_of_meal(number, handle, slot).or_else(|| self.host_of_kitchen(number, slot));
        let (handle, heuristic) = host.map_or((handle, heuristic), |host| (host, "label"));
        if self.begins_at(number, handle, &value) || self.begins_on(number, handle, &value) {
            return;
        }
        // Lines of one table of hours are one value.
        if self.is_continued(number, true) {
            return;
        }
        let mut groups = vec![value];
        let mut at = number;
        while let Some((next, text, end)) = self.next_hours(at) {
            groups.push(text);
            span.end = end;
            at = next;
        }
        let all = groups.join("; ");
        self.value_at(handle, slot, &all, heuristic, &span);
        self.fruitful.insert(self.mention(number).sentence);
    }

    /// "Das Bier kommt aus der Brauerei. Warme Küche gibt es von 11.30 bis 14 Uhr": that of the house.
    fn host_of_kitchen(&self, number: usize, slot: SlotId) -> Option<Handle> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let start = self.m.tokens.lines[mention.line].start;
        let mut before = self.m.tokens.all[start..mention.tokens.start].iter();
        let is_said = before.any(|token| token.sentence == mention.sentence && language.has("kitchens", &token.lower));
        let eatery = self.m.domain.rules.eatery?;
        let is_eatery = |focus: &Handle| self.builder.types(*focus).iter().any(|own| self.is_a(*own, eatery));
        self.focus(number).filter(|focus| is_said && is_eatery(focus) && self.fits(slot, *focus))
    }

    /// "Lunch: Tuesday to Saturday 12 - 2.30pm": where one goes to eat, the hours of a meal are those of the house.
    fn host_of_meal(&self, number: usize, handle: Handle, slot: SlotId) -> Option<Handle> {
        let rules = &self.m.domain.rules;
        let is_one = |handle: Handle, class: Option<ClassId>| {
            class.is_some_and(|class| self.builder.types(handle).iter().any(|own| self.is_a(*own, class)))
        };
        let unit = rules.counted.first().copied();
        let own = self.by_line[self.mention(number).line].start..number;
        let named =
            own.rev().filter(|other| self.mention(*other).name.is_some()).find_map(|other| self.resolved[other]);
        let named = named.filter(|handle| is_one(*handle, rules.eatery));
        let focus = named.or(self.focus(number));
        let focus = focus.filter(|focus| is_one(*focus, rules.eatery) && self.fits(slot, *focus))?;
        let lets = unit.is_some_and(|unit| {
            self.builder.types(focus).iter().any(|own| !self.m.domain.ontology.between(*own, unit).is_empty())
        });
        // "Lunch 12 to 3" alone says nothing of the house.
        let has_days = self.mention(number).literal().is_some_and(|(_, value)| value.starts_with(char::is_uppercase));
        let is_host = self.tongue(number) == Tongue::English
            && has_days
            && is_one(handle, rules.meal)
            && !(lets && is_one(handle, rules.breakfast));
        is_host.then_some(focus)
    }

    /// "1 April - 31 October", right before the hours or over them.
    fn months_before(&self, number: usize) -> Option<(String, usize)> {
        if let Some(found) = self.months_of_clause(number) {
            return Some(found);
        }
        let line = self.mention(number).line;
        let after = Some(number + 1).filter(|after| {
            self.m.mentions.get(*after).is_some_and(|mention| {
                mention.is_literal(Kind::Period)
                    && mention.sentence == self.mention(number).sentence
                    && mention.line == line
            })
        });
        let before = number.checked_sub(1).filter(|before| self.mention(*before).is_literal(Kind::Period)).or(after);
        let before = before.or_else(|| self.period_of_sentence(number));
        let Some(before) = before else {
            return self.month_before(number).or_else(|| self.period_in_column(number));
        };
        let other = self.mention(before);
        let (own_line, other_line) = (&self.m.page.lines[line], &self.m.page.lines[other.line]);
        let together = other.line == line
            || (other.line + 1 == line
                && (own_line.paragraph == other_line.paragraph
                    || own_line.cell.is_some()
                    || other_line.role == crate::layout::Role::Term));
        let (_, value) = other.literal()?;
        together.then(|| whole_months(value)).flatten().map(|months| (months, other.span.start))
    }

    /// "April to September, daily 10 - 17.30. October, weekends only": the months behind those of the hours before.
    fn months_of_clause(&self, number: usize) -> Option<(String, usize)> {
        let mention = self.mention(number);
        let tokens = &self.m.tokens.all;
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].start;
        let before = number.checked_sub(1).map(|before| self.mention(before)).filter(|one| one.line == mention.line);
        let from = before.map_or(line, |before| before.tokens.end);
        let is_month = |at: &usize| tokens[*at].is_capital && language.months.contains_key(&*tokens[*at].lower);
        let first = (from..mention.tokens.start).find(is_month)?;
        let begins = first > line && matches!(&*tokens[first - 1].lower, "." | ";" | "," | "in" | "im" | "(" | "|");
        let months = self.listed_months(first..mention.tokens.start).filter(|_| begins)?;
        Some((months, tokens[first].span.start))
    }

    /// "Von April bis Oktober ist der Turm samstags von 13 bis 18 Uhr geöffnet"
    fn period_of_sentence(&self, number: usize) -> Option<usize> {
        let mention = self.mention(number);
        let own = self.by_line[mention.line].start..number;
        let mut same = own.rev().take_while(|other| self.mention(*other).sentence == mention.sentence);
        let period = same.find(|other| self.mention(*other).is_literal(Kind::Period))?;
        self.mention(period).literal().and_then(|(_, value)| whole_months(value)).map(|_| period)
    }

    /// Months in the first column hold for the rows behind them that have nothing there.
    fn period_in_column(&self, number: usize) -> Option<(String, usize)> {
        let line = self.mention(number).line;
        let cell = self.m.page.lines[line].cell?;
        let own = |line: usize| self.m.page.lines[line].cell.filter(|other| other.table == cell.table);
        let mut first = (0..line).rev().take(ROWS).map_while(|line| own(line).map(|cell| (line, cell)));
        let (months, over) = first.find(|(_, cell)| cell.column == 1)?;
        let period = self.by_line[months].clone().find(|other| self.mention(*other).is_literal(Kind::Period))?;
        let (_, value) = self.mention(period).literal().filter(|_| over.row < cell.row)?;
        Some((whole_months(value)?, self.mention(number).span.start))
    }

    /// "November: weekends only, 11am-3.30pm", or the month as the head of the row.
    fn month_before(&self, number: usize) -> Option<(String, usize)> {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let tokens = &self.m.tokens.all;
        let month = |place: usize| {
            let month = language.months.get(&*tokens[place].lower).filter(|_| tokens[place].is_capital)?;
            MONTHS.get(usize::from(*month) - 1).map(|month| ((*month).to_owned(), tokens[place].span.start))
        };
        let is_passed = |place: &usize| matches!(&*tokens[*place].lower, ":" | "," | "–" | "-" | "(");
        let last = (line.start..mention.tokens.start).rev().find(|place| !is_passed(place));
        if let Some(last) = last {
            // "April and October" would be two.
            let is_first = last == line.start
                || matches!(&*tokens[last - 1].lower, "in" | "im")
                || tokens[last - 1].sentence != tokens[last].sentence;
            return month(last).filter(|_| is_first);
        }
        let head = self.contexts[mention.line].row_head.map(|head| self.m.tokens.lines[head].clone())?;
        month(head.start).filter(|_| head.len() == 1)
    }

    /// Whether a period only says when hours hold.
    pub(super) fn is_of_hours(&self, number: usize) -> bool {
        let next = number + 1;
        let is_next = next < self.m.mentions.len()
            && self.mention(next).is_literal(Kind::Hours)
            && self.months_before(next).is_some();
        let (sentence, value) = (self.mention(number).sentence, self.mention(number).literal().map(|(_, value)| value));
        let goes_on =
            |other: &usize| self.mention(*other).sentence == sentence && !self.mention(*other).is_literal(Kind::Period);
        let mut own = (next..self.by_line[self.mention(number).line].end).take_while(goes_on);
        let is_said =
            own.any(|other| self.mention(other).is_literal(Kind::Hours)) && value.and_then(whole_months).is_some();
        let is_before = is_next || is_said;
        let is_after = number.checked_sub(1).is_some_and(|before| {
            self.mention(before).is_literal(Kind::Hours)
                && self.mention(before).sentence == self.mention(number).sentence
                && self.months_before(before).is_some()
        });
        is_before || is_after
    }

    /// "Check in between 4 and 7pm"
    fn arrival(&mut self, number: usize, value: &str) -> bool {
        let Some(slots) = self.m.domain.rules.literals.get(&Kind::Time) else { return false };
        let mut words: Vec<String> = self.label_words(number).into_iter().map(str::to_owned).collect();
        // "Check-in | 15 - 22 Uhr"
        if words.is_empty() {
            words.extend(self.context(number).label_words.iter().map(std::string::ToString::to_string));
        }
        let joined = words.join(" ");
        let asked = slots.iter().find(|slot| {
            let known = self.m.domain.ontology.slot_at(slot.slot);
            let in_words = words.iter().any(|word| slot.labels.contains(word.as_str()))
                || known.cues().iter().any(|cue| cue.words.contains(' ') && joined.contains(&cue.words.to_lowercase()));
            !known.holds_without_cue() && in_words
        });
        let Some(slot) = asked.map(|slot| slot.slot) else { return false };
        // "on Saturday from 3.30pm" has no end.
        let hours = value.rsplit(' ').next().unwrap_or(value);
        let Some((from, _)) = hours.split_once(['-', '+']) else { return false };
        let from = from.to_owned();
        let Some((handle, heuristic)) = self.holder(number, slot) else { return false };
        self.value(handle, slot, &from, heuristic, number);
        true
    }

    /// "every Saturday and Sunday from Easter to October, 11am to 4pm"
    fn days_before(&self, number: usize) -> Option<String> {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let first = line.clone().find(|place| self.m.tokens.all[*place].sentence == mention.sentence)?;
        let start = self.m.tokens.all[first].span.start;
        let before = self.m.page.text.get(start..mention.span.start)?;
        self.m.finder.days(before)
    }

    /// Days in a line of their own over the hours.
    fn days_over(&self, number: usize) -> Option<String> {
        let mention = self.mention(number);
        let lines = &self.m.page.lines;
        let begins = |number: usize, line: usize| self.mention(number).tokens.start == self.m.tokens.lines[line].start;
        let is_hours = |line: usize| {
            let mut own = self.by_line[line].clone();
            own.any(|other| self.mention(other).is_literal(Kind::Hours) && begins(other, line))
        };
        let is_same =
            |line: &usize| lines[*line].paragraph == lines[mention.line].paragraph && lines[*line].cell.is_none();
        if !begins(number, mention.line) {
            return None;
        }
        let mut over = (0..mention.line).rev().take(ROWS).take_while(is_same);
        let days = over.find(|line| !is_hours(*line))?;
        let is_short = self.m.tokens.lines[days].len() <= 6 && self.by_line[days].is_empty();
        is_short.then(|| self.m.finder.days(self.m.page.line(&lines[days]))).flatten()
    }

    /// "daily from April to October, 10am - 5pm"
    fn is_daily(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let words = self.m.tokens.all[line].iter().filter(|token| token.sentence == mention.sentence);
        let words: Vec<_> = words.map(|token| &*token.lower).collect();
        words.iter().any(|word| matches!(*word, "daily" | "täglich"))
            || words
                .windows(2)
                .any(|pair| matches!(pair, ["every" | "each", "day"] | ["7" | "seven", "days"] | ["jeden", "tag"]))
    }

    /// "An jedem ersten Freitag laden wir zur Lesung ein": a day of the week in the sentence.
    pub(super) fn is_on_a_day(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let language = self.m.languages.of(self.tongue(number));
        let line = self.m.tokens.lines[mention.line].clone();
        let mut own = self.m.tokens.all[line].iter().filter(|token| token.sentence == mention.sentence);
        own.any(|token| token.lower.len() > 3 && language.weekdays.contains_key(&*token.lower))
    }

    /// In a calendar the heading over an event says its day.
    pub(super) fn days_of_headings(&mut self) {
        let Some(slot) = self.first_slot(Kind::Date) else { return };
        for scope in 0..self.focuses.len() {
            let focus = self.focuses[scope];
            let Some(line) = self.m.outline.of_line.iter().position(|one| *one == Some(scope)) else { continue };
            let has_day = (0..self.m.mentions.len()).any(|number| {
                self.scope(number) == Some(scope)
                    && (self.mention(number).is_literal(Kind::Date) || self.mention(number).is_literal(Kind::Period))
            });
            let date = self.contexts[line]
                .headings
                .iter()
                .copied()
                .find(|number| self.mention(*number).is_literal(Kind::Date));
            if let Some((number, value)) = date
                .filter(|_| !has_day && self.is_event(focus) && Some(scope) != self.m.outline.main)
                .and_then(|number| self.mention(number).literal().map(|(_, value)| (number, value.to_owned())))
            {
                self.value(focus, slot, &value, "heading", number);
            }
        }
    }

    pub(super) fn first_slot(&self, kind: Kind) -> Option<SlotId> {
        self.m.domain.rules.literals.get(&kind)?.first().map(|slot| slot.slot)
    }

    /// The cell before this one, in a row that begins with an empty one.
    fn cell_before(&self, line: usize) -> Option<usize> {
        let cell = |line: usize| self.m.page.lines[line].cell;
        let (own, before) = (cell(line)?, line.checked_sub(1)?);
        let other = cell(before).filter(|other| (other.table, other.row) == (own.table, own.row))?;
        (other.column > 1 && other.column < own.column).then_some(before)
    }

    /// Days in the first cell, hours in another.
    fn with_row_head(&self, number: usize) -> Option<(String, usize)> {
        let line = self.mention(number).line;
        let context = &self.contexts[line];
        let head = match self.m.page.lines[line].role {
            crate::layout::Role::Definition => {
                (0..line).rev().find(|before| self.m.page.lines[*before].role == crate::layout::Role::Term)?
            }
            _ => context.row_head.or_else(|| self.cell_before(line))?,
        };
        let head_line = &self.m.page.lines[head];
        let row: Vec<_> =
            (head..line).map(|at| self.m.page.line(&self.m.page.lines[at]).trim_end_matches(':')).collect();
        let text = format!("{} {}", row.join(" "), self.m.page.line(&self.m.page.lines[line]));
        let setting = Setting { tongue: self.tongue(number), country: self.m.country, currency: None, of_page: None };
        let all = self.m.finder.find(&text, setting);
        let months =
            all.iter().find(|literal| literal.kind == Kind::Period).and_then(|literal| whole_months(&literal.value));
        let found = all.into_iter().find(|literal| literal.kind == Kind::Hours)?;
        let value = months.map_or_else(|| found.value.clone(), |months| format!("{months} {}", found.value));
        found.value.starts_with(|letter: char| letter.is_ascii_uppercase()).then_some((value, head_line.span.start))
    }

    /// Whether these hours go on those of the line before.
    fn is_continued(&self, number: usize, _: bool) -> bool {
        (0..number).rev().take(3).any(|before| self.next_hours(before).is_some_and(|(next, ..)| next == number))
    }

    /// Hours in the next line of the same table, list or paragraph.
    fn next_hours(&self, number: usize) -> Option<(usize, String, usize)> {
        if !self.mention(number).is_literal(Kind::Hours) {
            return None;
        }
        let next =
            (number + 1..self.m.mentions.len()).take(4).find(|next| self.mention(*next).is_literal(Kind::Hours))?;
        let (own, other) = (self.line_of(number), self.line_of(next));
        let (own_line, other_line) = (self.mention(number).line, self.mention(next).line);
        let adjacent = match (own.cell, other.cell) {
            (Some(own), Some(other)) => {
                own.table == other.table && own.row + 1 == other.row && own.column == other.column
            }
            (None, None) => {
                let both_items = own.list.is_some() && own.list == other.list;
                let step = if own.role == crate::layout::Role::Definition { 2 } else { 1 };
                (both_items || own.paragraph == other.paragraph)
                    && own_line < other_line
                    && other_line - own_line <= step
            }
            _ => false,
        };
        if !adjacent
            || self.contexts[own_line]
                .labels
                .iter()
                .chain(&self.contexts[other_line].labels)
                .any(|label| self.resolved[*label].is_some())
        {
            return None;
        }
        let (_, value) = self.mention(next).literal()?;
        let has_days = value.starts_with(|letter: char| letter.is_ascii_uppercase());
        let text = if has_days { value.to_owned() } else { self.with_row_head(next)?.0 };
        let has_months = MONTHS.iter().any(|month| text.starts_with(month));
        let months = self.months_before(next).filter(|_| has_days).map(|(months, _)| months);
        let months = months.or_else(|| self.months_over(next)).filter(|_| !has_months);
        let text = months.map_or(text.clone(), |months| format!("{months} {text}"));
        Some((next, text, self.mention(next).span.end))
    }
}
