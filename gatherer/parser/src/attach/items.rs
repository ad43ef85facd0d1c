//! Items of programmes: what happens in the course of the page's event, on which day, and where.

use super::Attach;
use crate::entries::Entry;
use crate::layout::Role;
use crate::literals::Kind;
use crate::mentions::{Article, What};
use crate::programme::ENTRY;
use crate::tokens::Kind as TokenKind;
use gatherer_abstracts::model::Handle;
use gatherer_abstracts::ontology::{ClassId, SlotId};
use std::ops::Range;

impl Attach<'_> {
    /// "20.00 Uhr: Konzert" in the programme of a festival.
    pub(super) fn is_programme(&self, number: usize, class: ClassId) -> bool {
        let mention = self.mention(number);
        let in_piece = self.piece(mention.line).is_some() || self.slot_of(mention.line).is_some();
        let in_head = self.m.tokens.lines[mention.line].len() <= 40 || in_piece;
        let is_about = in_piece || self.focus(number).is_some_and(|focus| self.is_event(focus));
        if !in_head || !self.is_event_class(class) || !is_about {
            return false;
        }
        let line = self.line_of(number);
        let in_list = line.role == Role::Item
            || line.cell.is_some()
            || matches!(line.role, Role::Term | Role::Definition | Role::Text)
            || matches!(line.role, Role::Heading(_)) && mention.name.is_some();
        let own = self.by_line[mention.line].clone();
        let is_time =
            |other: usize| self.mention(other).is_literal(Kind::Time) || self.mention(other).is_literal(Kind::Hours);
        let labels = self.context(number).labels.iter().copied();
        let has_time = self.slot_of(mention.line).is_some()
            || own.clone().chain(self.entry(mention.line)).chain(labels).any(is_time);
        // In a piece of a programme, places and people may stand before what happens.
        let counts = |handle: Handle| !in_piece || self.is_event(handle) && !self.focuses.contains(&handle);
        let is_first = !own.clone().any(|other| {
            let is_thing = other < number && matches!(self.mention(other).what, What::Thing(_));
            is_thing && self.resolved[other].is_some_and(counts)
        });
        in_list && has_time && is_first
    }

    /// "The barn dance costs £8", "Karten für das Konzert kosten 9 €": what the programme has named already.
    pub(super) fn in_programme_before(&self, number: usize, class: ClassId) -> Option<Handle> {
        let mention = self.mention(number);
        if !self.is_event_class(class) || mention.name.is_none() && mention.article != Article::Definite {
            return None;
        }
        let same = self.items.get(mention.name.as_ref().unwrap_or(&mention.lemma)).copied();
        // The only concert there is.
        let only = || self.items_of.get(&class).copied().flatten().filter(|_| mention.name.is_none());
        same.or_else(only)
    }

    /// "Festgottesdienst in der Dorfkirche": an item of a programme takes place there.
    pub(super) fn holds_item(&mut self, number: usize, class: ClassId) -> bool {
        let Some((item, slot)) = self.item_held_in(number, class) else { return false };
        let handle = self.instance(number, class);
        self.resolved[number] = Some(handle);
        self.link(item, slot, handle, "prep", number);
        self.held.insert((item, number));
        // The hall of a house is its own, whatever is held there.
        self.focus(number).is_some_and(|focus| self.is_event(focus))
    }

    fn item_held_in(&mut self, number: usize, class: ClassId) -> Option<(Handle, SlotId)> {
        let mention = self.mention(number);
        if self.is_event_class(class) {
            return None;
        }
        let item = self.event_of_row(mention.line)?;
        let prep = self.syntax.prep[number].as_deref();
        let is_in = prep.is_some_and(|prep| matches!(prep, "in" | "im" | "auf" | "am" | "an" | "at" | "on"));
        let is_item = |before: usize| {
            let other = self.mention(before);
            self.resolved[before] == Some(item)
                && other.sentence == mention.sentence
                && other.tokens.end <= mention.tokens.start
        };
        let is_held = is_in && self.by_line[mention.line].clone().any(is_item);
        let is_beside = || {
            self.is_cell_of(number, item)
                || self.is_set_apart(number, class, item)
                || self.is_place_of_piece(number, is_in)
        };
        if !is_held && !is_beside() && !self.is_line_of(number, item) {
            return None;
        }
        let slot = self.between(self.class_of(item), class).into_iter().find(|slot| self.is_where(*slot))?;
        Some((item, slot))
    }

    /// "Opening Ceilidh" over "7.30pm | Town Hall": alone between signs in a line that says when, or behind "in".
    fn is_place_of_piece(&self, number: usize, is_in: bool) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let is_sign = |at: usize| self.m.tokens.all[at].kind == TokenKind::Sign;
        let is_alone = (mention.tokens.start == line.start || is_sign(mention.tokens.start - 1))
            && (mention.tokens.end == line.end || is_sign(mention.tokens.end));
        let is_when = |other: usize| matches!(self.mention(other).literal(), Some((Kind::Time | Kind::Hours, _)));
        let in_line = self.by_line[mention.line].clone().any(is_when);
        self.piece(mention.line).is_some() && in_line && mention.count.is_none() && (is_alone || is_in)
    }

    /// "20 Uhr | Orgelkonzert | Stiftskirche": in a cell of its own beside what happens.
    fn is_cell_of(&self, number: usize, item: Handle) -> bool {
        let mention = self.mention(number);
        let Some(cell) = self.line_of(number).cell else { return false };
        let column = |other: usize| self.line_of(other).cell.map(|other| other.column);
        let is_beside = |other: usize| self.resolved[other] == Some(item) && column(other) != Some(cell.column);
        let line = self.m.tokens.lines[mention.line].clone();
        let before = &self.m.tokens.all[line.start..mention.tokens.start];
        let language = self.m.languages.of(self.tongue(number));
        before.iter().all(|token| language.is_small(&token.lower)) && self.row(mention.line).any(is_beside)
    }

    /// "20 Uhr Tanzabend mit den Isartalern, Festzelt": behind a sign at the end of a line that says when.
    fn is_set_apart(&self, number: usize, class: ClassId, item: Handle) -> bool {
        let mention = self.mention(number);
        let (line, all) = (self.m.tokens.lines[mention.line].clone(), &self.m.tokens.all);
        let is_sign = |at: usize| all[at].kind == TokenKind::Sign;
        let own = self.by_line[mention.line].clone();
        let is_when = |other: usize| matches!(self.mention(other).literal(), Some((Kind::Time | Kind::Hours, _)));
        let is_item = |other: &usize| *other < number && self.resolved[*other] == Some(item);
        let is_eatery = self.m.domain.rules.eatery.is_some_and(|eatery| self.is_a(class, eatery));
        mention.tokens.start > line.start
            && is_sign(mention.tokens.start - 1)
            && (mention.tokens.end == line.end || is_sign(mention.tokens.end))
            && mention.count.is_none()
            && (mention.name.is_some() || !is_eatery)
            && own.clone().any(is_when)
            && own.filter(is_item).count() > 0
    }

    /// "Poetry Slam", "Samstag, 5. Juli, 20 Uhr", "Bootshaus": in a line of its own under the title and the hour, or behind a label
    /// that asks where.
    fn is_line_of(&self, number: usize, item: Handle) -> bool {
        let mention = self.mention(number);
        let line = self.m.tokens.lines[mention.line].clone();
        let is_sign = |at: usize| self.m.tokens.all[at].kind == TokenKind::Sign;
        let begins = mention.tokens.start <= line.start + 1
            && (mention.tokens.end == line.end || is_sign(mention.tokens.end))
            && mention.count.is_none();
        let venues = &self.m.languages.of(self.tongue(number)).venues;
        let is_asked = self.context(number).label_words.iter().any(|word| venues.contains(&**word));
        let is_when = |other: usize| matches!(self.mention(other).literal(), Some((Kind::Time | Kind::Hours, _)));
        let entry = self.entry(mention.line);
        let is_other = |other: usize| self.resolved[other] == Some(item) && self.mention(other).line != mention.line;
        let has_title = entry.clone().any(is_other);
        (begins || is_asked) && has_title && (entry.start..number).any(is_when)
    }

    /// "Am 12. Juli findet im Rittersaal ein Konzert statt", "a concert in the Great Hall", where a house tells what it holds.
    pub(super) fn held_in_room(&mut self, number: usize, class: ClassId) {
        let mention = self.mention(number);
        let (sentence, line) = (mention.sentence, mention.line);
        let is_room = |one: ClassId| self.m.domain.rules.hall.is_some_and(|hall| self.is_a(one, hall));
        let own_room = is_room(class);
        if !own_room && !self.is_event_class(class) || self.focus(number).is_none_or(|focus| self.is_event(focus)) {
            return;
        }
        let in_room = |other: usize| {
            let prep = self.syntax.prep[other].as_deref();
            prep.is_some_and(|prep| matches!(prep, "in" | "im" | "auf" | "am" | "at" | "on"))
        };
        let is_dated = |other: usize| {
            matches!(self.mention(other).literal(), Some((Kind::Date | Kind::Time | Kind::Period, _)))
                && self.mention(other).sentence == sentence
        };
        let fits = |other: &usize| {
            let one = self.mention(*other).class().filter(|_| self.mention(*other).sentence == sentence);
            let is_other = |one| if own_room { self.is_event_class(one) } else { is_room(one) && in_room(*other) };
            one.is_some_and(is_other) && self.resolved[*other].is_some_and(|handle| !self.focuses.contains(&handle))
        };
        let own = self.by_line[line].clone();
        // In a piece of a programme what happens is known before the room that is named first.
        let behind = number + 1..if self.piece(line).is_some() { own.end } else { number + 1 };
        let around = (own.start..number).rev().chain(behind);
        let other = { around }.find(fits).filter(|_| own.clone().any(is_dated));
        let other = other.filter(|_| !own_room || in_room(number)).and_then(|other| self.resolved[other]);
        let Some((other, this)) = other.zip(self.resolved[number]) else { return };
        let (event, room) = if own_room { (other, this) } else { (this, other) };
        let slot =
            self.between(self.class_of(event), self.class_of(room)).into_iter().find(|slot| self.is_where(*slot));
        if let Some(slot) = slot {
            self.link(event, slot, room, "prep", number);
        }
    }

    /// "Tanz im Festzelt, Eintritt 5 Euro": where an item of a programme takes place.
    pub(super) fn is_held_there(&self, number: usize) -> bool {
        let mention = self.mention(number);
        let is_place = mention.class().is_some_and(|class| !self.is_event_class(class));
        let item = || self.event_of_row(mention.line);
        let is_linked = |item: Handle| self.held.contains(&(item, number));
        is_place && item().is_some_and(is_linked)
    }

    /// Whether a slot says where something happens.
    pub(super) fn is_where(&self, slot: SlotId) -> bool {
        let venue = self.m.domain.rules.venue;
        venue.is_some_and(|venue| self.m.domain.ontology.fits_range(slot, &[venue]))
    }

    /// "10 Uhr | Schülerlauf | 1,5 km | 4 €": what it costs to take part in the one thing that happens in its row.
    pub(super) fn price_of_row(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let line = self.mention(number).line;
        let item = self.event_of_row(line).filter(|_| self.is_entry_row(line) || self.piece(line).is_some())?;
        let slot = self.pick(self.class_of(item), class, number)?;
        Some(vec![(item, self.entrance_slot(item, slot).unwrap_or(slot))])
    }

    /// "Samstag, 21 Uhr, Alte Schmiede: Lange Jazznacht, 16 Euro": of what happens, and not of where.
    pub(super) fn price_of_piece(&mut self, number: usize, class: ClassId) -> Option<Vec<(Handle, SlotId)>> {
        let item = self.item_of_piece(number).and_then(|item| self.resolved[item])?;
        let slots: Vec<_> = self.between(self.class_of(item), class);
        let is_place = |handle: Handle| {
            let slots = self.m.domain.ontology.slots().filter(|slot| self.is_where(*slot) && self.fits(*slot, item));
            { slots }.any(|slot| self.m.domain.ontology.fits_range(slot, self.builder.types(handle)))
        };
        let before = self.before(number).into_iter().filter(|other| !self.is_condition(*other));
        let nearest = { before }.find_map(|other| self.resolved[other]);
        let is_free = nearest.is_none_or(|handle| handle == item || is_place(handle));
        (is_free && !slots.is_empty()).then(|| self.price_of_row(number, class)).flatten()
    }

    /// Whether a row is no more than an entry: the table is not made for the layout of the page.
    pub(super) fn is_entry_row(&self, line: usize) -> bool {
        let lines = &self.m.page.lines;
        let is_same = |other: &usize| {
            let cells = lines[*other].cell.zip(lines[line].cell);
            cells.is_some_and(|(other, own)| (other.table, other.row) == (own.table, own.row))
        };
        let is_plain = |other: &usize| is_same(other) && !matches!(lines[*other].role, Role::Heading(_));
        let before = (0..line).rev().take(ENTRY).take_while(is_same).count();
        let all = (line - before..lines.len()).take(ENTRY + 1).take_while(is_same);
        let (count, plain) = all.fold((0, true), |(count, plain), other| (count + 1, plain && is_plain(&other)));
        lines[line].cell.is_some() && plain && count <= ENTRY
    }

    /// An event of its own, on the day of its heading.
    pub(super) fn part_of_programme(&mut self, number: usize, class: ClassId) {
        let handle = self.entry_instance(number, class);
        self.resolved[number] = Some(handle);
        let mention = self.mention(number);
        let called = mention.name.clone().unwrap_or_else(|| mention.lemma.clone());
        self.items.entry(called).or_insert(handle);
        let only = self.items_of.entry(class).or_insert(Some(handle));
        *only = only.filter(|only| *only == handle);
        self.part_of_event(number, handle);
        if self.slot_of(self.mention(number).line).is_some() {
            self.at_slot(number, handle);
        }
        let Some(slot) = self.first_slot(Kind::Date) else { return };
        if let Some((date, value)) = self.day_of_item(number) {
            self.value(handle, slot, &value, "heading", date);
        }
    }

    /// The mentions of an entry of a programme: of its row, or of a paragraph over which its title stands in bold type.
    pub(super) fn entry(&self, line: usize) -> Range<usize> {
        let lines = &self.m.page.lines;
        if let Some(piece) = self.piece(line) {
            return piece;
        }
        if lines[line].cell.is_some() || matches!(lines[line].role, Role::Term | Role::Definition) {
            return self.row(line);
        }
        if let Some(section) = self.titled_section(line) {
            let is_own =
                |entry: &&Entry| entry.lines.contains(&line) && self.by_line[entry.head].start >= section.start;
            let around = self
                .m
                .entries
                .iter()
                .flatten()
                .filter(is_own)
                .find(|entry| self.by_line[entry.head].start == section.start);
            return around.map_or(section.clone(), |entry| self.by_line[entry.lines.start].start..section.end);
        }
        let is_same = |other: &usize| lines[*other].paragraph == lines[line].paragraph && lines[*other].cell.is_none();
        let first = (0..line).rev().take_while(is_same).take(ENTRY).last().unwrap_or(line);
        let last = (line..lines.len()).take_while(is_same).take(ENTRY).last().unwrap_or(line);
        // "<b>Samstag, 5. Juli</b>" over lines that all begin with an hour.
        let is_hour = |at: &usize| {
            let own = self.by_line[*at].start..self.by_line[*at].end;
            own.take(1).any(|other| {
                matches!(self.mention(other).literal(), Some((Kind::Time | Kind::Hours, _)))
                    && self.mention(other).tokens.start <= self.m.tokens.lines[*at].start + 1
            })
        };
        let are_entries = || (first..=last).filter(is_hour).count() > 1;
        if lines[first].is_strong && !are_entries() {
            self.by_line[first].start..self.by_line[last].end
        } else {
            self.by_line[line].clone()
        }
    }

    /// The mentions of the piece of a programme that a line stands in.
    pub(super) fn piece(&self, line: usize) -> Option<Range<usize>> {
        let pieces = &self.m.outline.pieces;
        let at = pieces.partition_point(|piece| piece.end <= line);
        let piece = pieces.get(at).filter(|piece| piece.start <= line)?;
        Some(self.by_line[piece.start].start..self.by_line[piece.end - 1].end)
    }

    /// What happens in the piece that a mention stands in, if that is known to be an item.
    pub(super) fn item_of_piece(&self, number: usize) -> Option<usize> {
        let piece = self.piece(self.mention(number).line)?;
        piece.into_iter().find(|other| {
            let class = self.mention(*other).class().filter(|class| self.is_event_class(*class));
            class.is_some_and(|class| self.is_programme(*other, class))
        })
    }

    /// "Samstag, 11 Uhr" over "Lesung": the mentions of a term that says when, and of what stands under it.
    pub(super) fn term_row(&self, line: usize) -> Range<usize> {
        let lines = &self.m.page.lines;
        let is_role =
            |at: usize, role: Role| lines.get(at).is_some_and(|line| line.cell.is_none() && line.role == role);
        let start = match lines[line].role {
            Role::Definition => (0..line).rev().take(ENTRY).find(|at| !is_role(*at, Role::Definition)).unwrap_or(line),
            _ => line,
        };
        let is_when = |other: usize| matches!(self.mention(other).literal(), Some((Kind::Time | Kind::Hours, _)));
        if !is_role(start, Role::Term) || !self.by_line[start].clone().any(is_when) {
            return self.by_line[line].clone();
        }
        let last = (start + 1..lines.len()).take(ENTRY).take_while(|at| is_role(*at, Role::Definition)).last();
        self.by_line[start].start..self.by_line[last.unwrap_or(start)].end
    }

    /// The section of a line, if its heading is the title of something that happens in the course of the page's event.
    fn titled_section(&self, line: usize) -> Option<Range<usize>> {
        let heading = self.contexts[line].section;
        let is_title = |number: usize| {
            let mention = self.mention(number);
            let is_own = self.resolved[number].is_some_and(|handle| self.focuses.contains(&handle));
            mention.name.is_some() && mention.class().is_some_and(|class| self.is_event_class(class)) && !is_own
        };
        let is_heading = matches!(self.m.page.lines[heading].role, Role::Heading(_));
        if !is_heading || !self.by_line[heading].clone().any(is_title) {
            return None;
        }
        let is_same = |other: &usize| self.contexts[*other].section == heading;
        let last = (heading..self.m.page.lines.len()).take_while(is_same).take(ENTRY).last()?;
        (line <= last).then(|| self.by_line[heading].start..self.by_line[last].end)
    }
}
