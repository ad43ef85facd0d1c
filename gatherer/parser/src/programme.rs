//! Programmes of events: what is printed bold beside a day or an hour is the title of something that happens there. So is, where
//! a house tells what it holds, what is printed bold in a list before a day; and where several lines begin with an hour, what
//! follows each.

mod entries;
mod grid;
mod kinds;
mod left;
mod parts;
mod pieces;
mod places;
mod told;

use crate::domain::Domain;
use crate::entries::Entry;
use crate::focus::Outline;
use crate::keys::clean;
use crate::language::Languages;
use crate::layout::{Page, Role};
use crate::lexicon::Flags;
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What, of_lines};
use crate::roles::meet;
use crate::tokens::{self, Token, Tokens};
use gatherer_abstracts::ontology::ClassId;
use std::ops::Range;

pub(crate) use grid::Slot;

/// The longest title, in words.
const LONGEST: usize = 8;

/// The longest title that is not set off from what follows it, in words.
const ENTRY_WORDS: usize = 6;

/// A title stands over at most so many lines of its paragraph.
pub(crate) const ENTRY: usize = 12;

/// Finds the titles in programmes.
pub(crate) struct Programme<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) languages: &'a Languages,
    pub(crate) outline: &'a Outline,
    /// Pieces of the page that are made alike.
    pub(crate) entries: &'a [Vec<Entry>],
}

impl Programme<'_> {
    /// Adds the titles to what a page speaks of, and says which lines belong together.
    pub(crate) fn add_titles(&self, mentions: &mut Vec<Mention>) -> (Vec<Range<usize>>, Vec<Slot>) {
        let Some((event, is_about)) = self.event() else { return Default::default() };
        if is_about {
            self.add_places(event, mentions);
        }
        let lines = 0..self.page.lines.len();
        let has_day = |title: &Mention| {
            let is_item = self.page.lines[title.line].role == Role::Item && self.page.lines[title.line].cell.is_none();
            is_item && of_lines(mentions, title.line..title.line + 1).iter().any(is_day)
        };
        let titles = lines.filter_map(|line| self.title(line, event, mentions));
        let mut titles: Vec<Mention> = titles.filter(|title| is_about || has_day(title)).collect();
        // One bold line over when and where is that of the page's own event.
        let is_over = |title: &Mention| self.page.lines[title.line].cell.is_none() && self.is_over(title.line);
        if titles.iter().filter(|title| is_over(title)).count() < 2 {
            titles.retain(|title| !is_over(title));
        }
        let is_new = |entry: &Mention| is_about && !titles.iter().any(|title| title.line == entry.line);
        let entries: Vec<Mention> = self.entries(event, mentions).into_iter().filter(is_new).collect();
        titles.extend(entries);
        if !is_about {
            self.add_told(event, mentions);
        }
        titles.extend(if is_about { self.sections(event, mentions) } else { self.headed(event, mentions) });
        // "The barn dance is in the village hall": what has a title is known by it elsewhere.
        for mention in
            mentions.iter_mut().filter(|mention| mention.what == What::Thing(event) && mention.name.is_none())
        {
            let is_same = |name: &&String| name.to_lowercase() == mention.lemma;
            mention.name = titles.iter().filter_map(|title| title.name.as_ref()).find(is_same).cloned();
        }
        let (in_grids, mut slots) = if is_about { self.grids(event, mentions) } else { Default::default() };
        slots.sort_unstable_by_key(|slot| slot.line);
        titles.retain(|title| !slots.iter().any(|slot| slot.line == title.line));
        titles.extend(in_grids);
        for title in titles {
            mentions.retain(|other| other.span.start >= title.span.end || other.span.end <= title.span.start);
            mentions.push(title);
        }
        mentions.sort_by_key(|mention| (mention.line, mention.span.start));
        (self.add_left(event, is_about, &slots, mentions), slots)
    }

    /// The class of all that happens, and whether the page is about one of them, or only about something that holds them.
    fn event(&self) -> Option<(ClassId, bool)> {
        let ontology = &self.domain.ontology;
        let focus = &self.outline.focuses[self.outline.main?];
        let slot = self.domain.rules.literals.get(&Kind::Date)?.first()?.slot;
        let event = *ontology.slot_at(slot).domain().first()?.first()?;
        let is_about = ontology.is_a(focus.class, event);
        (is_about || !ontology.between(focus.class, event).is_empty()).then_some((event, is_about))
    }

    fn title(&self, line: usize, event: ClassId, mentions: &[Mention]) -> Option<Mention> {
        let layout = &self.page.lines[line];
        let main = self.outline.main?;
        let is_over = layout.cell.is_none() && self.is_over(line);
        if self.outline.of_line[line] != Some(main) || !(layout.cell.is_some() || layout.role == Role::Item || is_over)
        {
            return None;
        }
        let until = if layout.is_strong { layout.span.end } else { layout.strong_until? };
        let own = self.tokens.up_to(self.tokens.lines[line].clone(), until)?;
        let words = &self.tokens.all[own.clone()];
        let (own_line, row) = (of_lines(mentions, line..line + 1), of_lines(mentions, self.row(line)));
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_label = |token: &Token| {
            let lists = ["dates", "tickets", "doors", "contacts"];
            language.headings.contains(&*token.lower)
                || language.weekdays.contains_key(&*token.lower)
                || lists.iter().any(|list| language.has(list, &token.lower))
        };
        let inside = || own_line.iter().filter(|mention| meet(&mention.tokens, &own));
        let class = inside().find_map(|mention| self.event_in(mention, event)).filter(|_| words.len() > 1 || is_over);
        let is_kind = |mention: &Mention| class.is_some() && self.event_in(mention, event) == class;
        let is_other = |mention: &Mention| self.is_something(mention) && !is_kind(mention);
        let is_title = words.len() <= LONGEST
            && words[0].is_capital
            && !words.iter().all(|token| is_label(token) || language.is_small(&token.lower))
            && !inside().any(is_other)
            && row.iter().any(is_time);
        is_title.then(|| self.named(line, own, class.unwrap_or(event)))
    }

    /// Something that happens, by its title.
    fn named(&self, line: usize, own: Range<usize>, class: ClassId) -> Mention {
        let words = &self.tokens.all[own.clone()];
        let span = words[0].span.start..words[words.len() - 1].span.end;
        Mention {
            name: Some(clean(&self.page.text[span.clone()])),
            span,
            line,
            sentence: words[0].sentence,
            tokens: own,
            what: What::Thing(class),
            lemma: String::new(),
            count: None,
            flags: Flags::default(),
            article: Article::None,
        }
    }

    /// "Medieval Day" over "this year's Medieval Day is on 15 July 2001": what a house holds, by a heading that is said again
    /// beside a day.
    fn headed(&self, event: ClassId, mentions: &[Mention]) -> Vec<Mention> {
        let words = |line: usize| &self.tokens.all[self.tokens.lines[line].clone()];
        let same = |one: &[Token], other: &[Token]| {
            one.iter().map(|token| &token.lower).eq(other.iter().map(|token| &token.lower))
        };
        let titles = (0..self.page.lines.len()).filter_map(|line| {
            let next = line + 1;
            let own = of_lines(mentions, line..next);
            let is_heading = self.is_heading(line) || self.is_over(line);
            let length = words(line).len();
            let is_title =
                is_heading && (2..=LONGEST / 2).contains(&length) && words(line).iter().all(|token| token.is_capital);
            let is_new = || !own.iter().any(|mention| self.is_something(mention) || mention.class().is_some());
            let is_dated = || next < self.page.lines.len() && of_lines(mentions, next..next + 1).iter().any(is_day);
            let is_own = self.outline.of_line[line] == self.outline.main;
            if !(is_own && is_title && is_new() && is_dated()) {
                return None;
            }
            let range = self.tokens.lines[next].clone();
            let starts = range.start..(range.end + 1).saturating_sub(length);
            let start = { starts }.find(|at| same(&self.tokens.all[*at..at + length], words(line)))?;
            Some(self.named(next, start..start + length, event))
        });
        titles.collect()
    }

    /// "Opening Concert" over "Friday 9 June, 7.30pm, Methodist Hall": headings of a programme that stand over when and where.
    fn sections(&self, event: ClassId, mentions: &[Mention]) -> Vec<Mention> {
        let begins = |line: usize| {
            let weekdays = &self.languages.of(self.tokens.tongues[line]).weekdays;
            let is_weekday = |at: usize| {
                let token = &self.tokens.all[at];
                token.kind == tokens::Kind::Sign || weekdays.contains_key(&*token.lower)
            };
            let layout = &self.page.lines[line];
            let is_text = layout.cell.is_none() && layout.role == Role::Text;
            let own = of_lines(mentions, line..line + 1).first().filter(|first| is_text && is_time(first));
            own.is_some_and(|first| (self.tokens.lines[line].start..first.tokens.start).all(is_weekday))
        };
        // Whatever stands first in pieces that are made alike and all say when.
        let tells = |entry: &Entry| of_lines(mentions, entry.lines.clone()).iter().any(is_time);
        let told = self.entries.iter().filter(|group| group.iter().all(tells)).flatten();
        let boxed: Vec<usize> = told.map(|entry| entry.head).collect();
        let titles = (0..self.page.lines.len().saturating_sub(1)).filter_map(|line| {
            let (own, range) = (of_lines(mentions, line..line + 1), self.tokens.lines[line].clone());
            let is_heading = self.is_heading(line);
            let language = self.languages.of(self.tokens.tongues[line]);
            let is_label = |token: &Token| {
                let lists = ["dates", "tickets", "doors", "calendars", "contacts"];
                lists.iter().any(|list| language.has(list, &token.lower))
                    || language.weekdays.contains_key(&*token.lower)
                    || language.headings.contains(&*token.lower) && range.len() == 1
            };
            let class = own.iter().find_map(|mention| self.event_in(mention, event));
            // "The Harper's Road" over a day, as over all the others, is no street.
            let is_boxed = boxed.contains(&line);
            let may_be_title = |mention: &Mention| {
                is_boxed && matches!(mention.what, What::Agent(_) | What::Place(_) | What::Literal(Kind::Street, _))
            };
            let is_other = |mention: &Mention| {
                self.is_something(mention)
                    && (class.is_none() || self.event_in(mention, event) != class)
                    && !may_be_title(mention)
            };
            let is_title = is_heading
                && self.outline.of_line[line] == self.outline.main
                && (1..=LONGEST).contains(&range.len())
                && self.tokens.all[range.start].is_capital
                && !self.tokens.all[range.clone()].iter().any(is_label)
                && !own.iter().any(is_other)
                && (begins(line + 1) || is_boxed);
            is_title.then(|| self.named(line, range, class.unwrap_or(event)))
        });
        let titles: Vec<_> = titles.collect();
        if titles.len() < 2 { Vec::new() } else { titles }
    }

    fn is_heading(&self, line: usize) -> bool {
        matches!(self.page.lines[line].role, Role::Heading(_))
    }

    /// A bold line, which may stand over a paragraph.
    fn is_over(&self, line: usize) -> bool {
        self.page.lines[line].role == Role::Text && self.page.lines[line].is_strong
    }

    /// The lines of the row or the paragraph that a line stands in, but not those behind the head of a row.
    fn row(&self, line: usize) -> Range<usize> {
        let Some(cell) = self.page.lines[line].cell else {
            let own = &self.page.lines[line];
            let is_same = |other: &usize| {
                let other = &self.page.lines[*other];
                other.paragraph == own.paragraph && other.cell.is_none()
            };
            let last = (line..self.page.lines.len()).take_while(is_same).take(ENTRY).last().unwrap_or(line);
            return line..last + 1;
        };
        let is_same = |other: &usize| {
            self.page.lines[*other].cell.is_some_and(|other| {
                other.table == cell.table && other.row == cell.row && (cell.column > 1 || other.column == 1)
            })
        };
        let first = (0..line).rev().take_while(is_same).last().unwrap_or(line);
        let last = (line..self.page.lines.len()).take_while(is_same).last().unwrap_or(line);
        first..last + 1
    }

    /// "Opening Concert": what happens, by a word in its title.
    fn event_in(&self, mention: &Mention, event: ClassId) -> Option<ClassId> {
        let What::Thing(class) = mention.what else { return None };
        Some(class).filter(|class| mention.name.is_none() && self.domain.ontology.is_a(*class, event))
    }

    /// Values, people, places, and what is known to happen or to have a name.
    fn is_something(&self, mention: &Mention) -> bool {
        let ontology = &self.domain.ontology;
        match mention.what {
            What::Literal(..) | What::Agent(_) | What::Place(_) => true,
            What::Thing(class) => mention.name.is_some() || ontology.class_at(class).is_focus(),
            What::Value(..) | What::Free => false,
        }
    }
}

/// A day of a certain year.
fn is_day(mention: &Mention) -> bool {
    let has_year = |value: &str| value.starts_with(|letter: char| letter.is_ascii_digit());
    matches!(mention.literal(), Some((Kind::Date | Kind::Period, value)) if has_year(value))
}

/// When something begins, or from when to when it is, be it on one day of the week.
fn is_start(mention: &Mention) -> bool {
    let is_clock = |value: &str| value.starts_with(|letter: char| letter.is_ascii_digit()) || one_day(value).is_some();
    matches!(mention.literal(), Some((Kind::Time | Kind::Hours, value)) if is_clock(value))
}

/// The parts of "Sa 14:00-17:00".
pub(crate) fn one_day(value: &str) -> Option<(&str, &str, &str)> {
    let (day, hours) = value.split_once(' ').filter(|(day, _)| day.len() == 2)?;
    let (from, to) = hours.split_once('-').filter(|_| hours.len() == 11)?;
    Some((day, from, to))
}

fn is_time(mention: &Mention) -> bool {
    matches!(mention.literal(), Some((Kind::Time | Kind::Hours | Kind::Date | Kind::Period, _)))
}

#[cfg(test)]
mod tests {
    use crate::engine::read;
    use gatherer_abstracts::model::{Filler, Instance};

    /// What happens on a page, as `class name date hour`, without the page's own event.
    fn check(page: &str, expected: &[&str]) {
        let [event] = <[Instance; 1]>::try_from(read(page).instances).expect("all belongs to the page's event");
        let items = event.slots.iter().filter(|slot| slot.name == "hat_Programmpunkt");
        let told = items.map(|item| {
            let Filler::Instance(one) = &item.filler else { panic!("an item is nested") };
            let name = one.name.as_ref().map_or(one.lemma.as_deref().unwrap_or("*"), |name| &name.text);
            let value =
                |slot: &str| one.values.iter().find(|value| value.name == slot).map_or("-", |value| &value.text);
            format!("{} {name} {} {}", one.types[0], value("hat_Datum"), value("hat_Beginn"))
        });
        assert_eq!(told.collect::<Vec<_>>(), expected, "{page}");
    }

    #[test]
    fn bold_titles_beside_hours_are_events_of_their_own() {
        check(
            "<title>Jazztage Wallau</title><h1>Jazztage Wallau</h1><p>Das Festival vom 13. bis 14. Juni 2003.</p><table>\
             <tr><td><b>Freitag, 13. Juni 2003</b><br>20.30 Uhr</td><td><b>Lieder für Schlaflose</b><br>Eintritt 12 Euro</td></tr>\
             <tr><td><b>Samstag, 14. Juni 2003</b><br>21 Uhr</td><td><b>Lange Nacht</b><br>Eintritt 16 Euro</td></tr></table>",
            &["Veranstaltung Lieder für Schlaflose 2003-06-13 20:30", "Veranstaltung Lange Nacht 2003-06-14 21:00"],
        );
    }

    #[test]
    fn what_a_house_holds_stands_bold_before_a_day() {
        let page = "<title>Thessaby Steam Railway</title><h1>Thessaby Steam Railway</h1><p>Our heritage railway runs steam trains.</p>\
            <h2>Special events</h2><ul><li><b>Garrick Beer Train</b>, Saturday 14 July 2018, departs 7pm</li></ul>";
        let xml = read(page).to_xml();
        let held = xml.split("<slot name=\"bietet_Veranstaltung\"").nth(1).expect("an event");
        assert!(held.contains(">Garrick Beer Train</name>") && held.contains(">2018-07-14<"), "{xml}");
    }

    #[test]
    fn what_follows_the_hour_is_a_title_up_to_who_and_where() {
        check(
            "<title>Dunnaby Fair</title><h1>Dunnaby Fair</h1><p>Our fair is on Saturday 14 and Sunday 15 September 2013.</p>\
             <h2>Saturday</h2><table><tr><td>10.30am</td><td>Grand opening by Bernard Tulley</td></tr>\
             <tr><td>4pm</td><td>Prizegiving</td></tr></table><h2>Sunday</h2><ul><li>11am: Songs of Praise with the choir</li></ul>",
            &[
                "Veranstaltung Grand opening 2013-09-14 10:30",
                "Veranstaltung Prizegiving 2013-09-14 16:00",
                "Veranstaltung Songs of Praise 2013-09-15 11:00",
            ],
        );
    }

    #[test]
    fn titles_stand_in_the_first_column_too() {
        check(
            "<title>11. Heckenlauf</title><h1>11. Heckenlauf</h1><p>Unser Volkslauf am 9. Oktober 2016.</p><table>\
             <tr><th>Lauf</th><th>Strecke</th><th>Start</th></tr><tr><td>Heckenrunde</td><td>5 km</td><td>10.45 Uhr</td></tr>\
             <tr><td>Wiesenrunde</td><td>10 km</td><td>11.30 Uhr</td></tr></table>",
            &["Veranstaltung Heckenrunde - 10:45", "Veranstaltung Wiesenrunde - 11:30"],
        );
    }

    #[test]
    fn headings_over_when_and_where_are_titles() {
        check(
            "<title>Otterhaven Shanty Festival</title><h1>Otterhaven Shanty Festival</h1><p>The festival is on 9 to 11 June 2023.</p>\
             <h2>Programme</h2><h3>Opening Concert</h3><p>Friday 9 June, 7.30pm, Methodist Hall. £14</p>\
             <h3>Big Shanty Night</h3><p>Saturday 10 June, 8pm, Methodist Hall. £18</p>",
            &["Konzert Opening Concert 2023-06-09 19:30", "Veranstaltung Big Shanty Night 2023-06-10 20:00"],
        );
    }

    #[test]
    fn a_day_in_the_first_column_holds_for_several_rows() {
        check(
            "<title>Weinfest Ellerich</title><h1>Weinfest Ellerich</h1><p>Unser Weinfest vom 22. bis 23. August 2014.</p><table>\
             <tr><td rowspan=2><b>Freitag</b><br>22. August 2014</td><td>18.30 Uhr</td><td>Weintaufe</td></tr>\
             <tr><td>20.00 Uhr</td><td>Fackelzug</td></tr>\
             <tr><td><b>Samstag</b><br>23. August 2014</td><td>14.00 Uhr</td><td>Fassrollen</td></tr></table>",
            &[
                "Veranstaltung Weintaufe 2014-08-22 18:30",
                "Veranstaltung Fackelzug 2014-08-22 20:00",
                "Veranstaltung Fassrollen 2014-08-23 14:00",
            ],
        );
    }

    #[test]
    fn labels_are_no_titles() {
        check(
            "<title>Weihnachtsmarkt Anna</title><h1>Weihnachtsmarkt Anna</h1><p>Unser Markt.</p><table><tr><td><b>Termin</b></td>\
             <td>26. November 2004</td></tr><tr><td><b>Beginn</b></td><td>17 Uhr</td></tr></table>",
            &[],
        );
    }
}
