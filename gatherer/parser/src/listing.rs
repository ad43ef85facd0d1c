//! Pages about several things: lines with which another thing begins, and where it ends.

use crate::entries::Entry;
use crate::focus::{Chooser, Focus, ITEM, Opener, Outline, STRONG};
use crate::language::Tongue;
use crate::layout::{Line, Region, Role};
use crate::literals::Kind;
use crate::mentions::{Article, Mention, What, of_lines};
use crate::names::{clean, key};
use crate::roles::meet;
use crate::staged::is_day;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeSet;

/// So many sections with a number or an address of their own are a list.
const ENTRIES: usize = 3;

/// Why pieces of a page that are made alike are things of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Each has a day: with the class of all that happens.
    Dated(ClassId),
    /// Each can be reached somewhere.
    Reached,
    /// Each has a name of its own and a price.
    Priced,
}

/// How high a line stands with which a thing may begin. On a page with a name only headings are high enough.
fn opener_level(line: &Line, is_named_page: bool) -> Option<u8> {
    match line.role {
        Role::Heading(level) if level > 1 => Some(level),
        Role::Heading(_) if !is_named_page => Some(1),
        Role::Title | Role::Heading(_) | Role::Description | Role::Keywords | Role::Image => None,
        _ if is_named_page => None,
        _ if line.is_strong || line.strong_until.is_some() || line.role == Role::Term => Some(STRONG),
        _ if line.role == Role::Item || line.cell.is_some() => Some(ITEM),
        _ => None,
    }
}

impl Chooser<'_> {
    /// Lines with which another thing of its own begins.
    pub(crate) fn openers(&self, main: Option<&(Focus, bool)>, best_class: Option<ClassId>) -> Vec<Opener> {
        let mut openers: Vec<Opener> = Vec::new();
        let is_named_page = main.is_some_and(|(_, in_head)| *in_head);
        // What happens in the course of a feast is an item of its programme.
        let programmed = |(focus, in_head): &(Focus, bool)| {
            let is_one = |class: &ClassId| self.domain.ontology.is_a(focus.class, *class);
            *in_head && self.domain.rules.programmed.iter().any(is_one)
        };
        let events = main.filter(|main| programmed(main)).and_then(|_| self.event_base());
        for mention in self.mentions {
            let (What::Thing(class), Some(name)) = (&mention.what, &mention.name) else { continue };
            let line = &self.page.lines[mention.line];
            if !self.is_focus_class(*class)
                || matches!(line.region, Region::Navigation | Region::Trail | Region::Footer)
            {
                continue;
            }
            if events.is_some_and(|event| self.domain.ontology.is_a(*class, event)) {
                continue;
            }
            let own_key = key(name);
            let is_main = main.is_some_and(|(focus, in_head)| {
                *in_head && (focus.key == own_key || focus.key.contains(&own_key) || own_key.contains(&focus.key))
            });
            let begins =
                mention.span.start <= line.span.start + 6 && !openers.iter().any(|opener| opener.line == mention.line);
            let Some(level) = opener_level(line, is_named_page) else { continue };
            // "The Old Forge, High Street, Much Wenbury TF13 9ZZ": an address, and nothing of its own.
            let is_address =
                is_named_page && self.on(mention.line).iter().any(|other| other.is_literal(Kind::Postcode));
            let is_strap = self.is_strap(main, mention, *class);
            // "Festival Office" is no festival.
            let last = name.rsplit(' ').next().unwrap_or_default().to_lowercase();
            let is_desk = self.languages.of(self.tokens.tongues[mention.line]).has("desks", &last);
            if begins
                && !is_desk
                && !is_main
                && !is_address
                && !is_strap
                && !openers.iter().any(|opener| opener.focus.key == own_key)
            {
                let class = if mention.flags.anaphor {
                    self.class_below(mention.line).or(best_class).unwrap_or(*class)
                } else {
                    *class
                };
                openers.push(Opener {
                    line: mention.line,
                    focus: Focus { class, name: Some((name.clone(), mention.span.clone())), key: own_key },
                    level,
                    entry: None,
                });
            }
        }
        if !is_named_page && !self.row_openers(&mut openers) {
            self.level_openers(&mut openers, best_class);
        }
        openers.sort_by_key(|opener| opener.line);
        openers
    }

    /// "Georgian Guest House" under the name of the house: what it is, in other words.
    fn is_strap(&self, main: Option<&(Focus, bool)>, mention: &Mention, class: ClassId) -> bool {
        let ontology = &self.domain.ontology;
        let start = self.page.lines[mention.line].span.start;
        main.is_some_and(|(focus, in_head)| {
            let first = focus.name.as_ref().map_or(0, |(_, span)| span.start);
            let is_next = start > first && self.page.text[first..start].matches('\n').count() <= 2;
            *in_head
                && is_next
                && self.tokens.tongues[mention.line] == Tongue::English
                && (ontology.is_a(class, focus.class) || ontology.is_a(focus.class, class))
        })
    }

    /// Pieces that are made alike, each with a day or a way to reach somebody: what they are called is listed here, whatever it is.
    pub(crate) fn entry_openers(&self, openers: &mut Vec<Opener>, best_class: Option<ClassId>) {
        let mut groups: Vec<(&Vec<Entry>, Listed)> = Vec::new();
        let listed = self.entries.iter().filter_map(|group| Some((group, self.listed(group)?)));
        let mut listed: Vec<_> = listed.collect();
        // The boxes around others are the entries.
        listed.sort_by_key(|(group, _)| std::cmp::Reverse(group.iter().map(|entry| entry.lines.len()).sum::<usize>()));
        for (group, kind) in listed {
            let is_inside =
                |one: &Entry| groups.iter().flat_map(|(group, _)| *group).any(|other| meet(&one.lines, &other.lines));
            if !group.iter().any(is_inside) {
                groups.push((group, kind));
            }
        }
        for (group, kind) in &groups {
            let lines = group[0].lines.start..group[group.len() - 1].lines.end;
            let usual = openers.iter().filter(|one| lines.contains(&one.line)).map(|one| one.focus.class).next();
            openers.retain(|opener| !group.iter().any(|entry| entry.lines.contains(&opener.line)));
            for entry in *group {
                let class = match kind {
                    Listed::Dated(event) => Some(self.happens_in(entry, *event)),
                    Listed::Reached | Listed::Priced => self.kept_in(entry).or(best_class).or(usual),
                };
                // The head of a table says nothing of anybody.
                let is_said = of_lines(self.mentions, entry.lines.clone()).iter().any(|one| one.literal().is_some());
                let Some(class) = class.filter(|_| is_said) else { continue };
                let name = clean(&self.page.text[entry.name.clone()]);
                let start =
                    self.page.text[entry.name.clone()].find(name.as_str()).unwrap_or_default() + entry.name.start;
                openers.push(Opener {
                    line: entry.head,
                    focus: Focus { class, key: key(&name), name: Some((name.clone(), start..start + name.len())) },
                    level: ITEM,
                    entry: Some(entry.lines.clone()),
                });
            }
        }
        openers.sort_by_key(|opener| opener.line);
    }

    /// What most of these pieces have that makes each of them something of its own.
    pub(crate) fn listed(&self, group: &[Entry]) -> Option<Listed> {
        let most = |is_one: &dyn Fn(&Mention) -> bool| {
            let has = |entry: &&Entry| of_lines(self.mentions, entry.lines.clone()).iter().any(is_one);
            group.iter().filter(has).count() * 4 >= group.len() * 3
        };
        let is_reach = |one: &Mention| {
            matches!(one.literal(), Some((Kind::Phone | Kind::Postcode | Kind::Street | Kind::Mail | Kind::Web, _)))
        };
        // "Doppelzimmer" is what it is, and no name.
        let is_plain = |entry: &Entry| {
            let own = self.tokens.within(entry.head, &entry.name);
            self.on(entry.head).iter().any(|one| one.tokens == own && one.name.is_none() && one.class().is_some())
        };
        let is_named = |vouched| move |entry: &Entry| self.is_bare_name(entry.head, &entry.name, vouched);
        let are_named =
            || group.iter().any(is_named(0)) && group.iter().all(is_named(1)) && !group.iter().any(is_plain);
        let is_plain_row = group.iter().any(|entry| entry.is_plain);
        match self.event_base().filter(|_| most(&is_day) && !is_plain_row) {
            Some(event) => Some(Listed::Dated(event)),
            None if most(&is_reach) => Some(Listed::Reached),
            _ if is_plain_row => None,
            // "Crow's Nest", "Pilot's Rest", "The Sail Loft": rooms of one house are not called so.
            None => (most(&|one| one.is_literal(Kind::Money)) && are_named()).then_some(Listed::Priced),
        }
    }

    /// What happens in an entry of a calendar, by a word in its name or else at its beginning.
    fn happens_in(&self, entry: &Entry, event: ClassId) -> ClassId {
        let happens = |mention: &&Mention| mention.class().is_some_and(|class| self.domain.ontology.is_a(class, event));
        let own = of_lines(self.mentions, entry.lines.clone());
        let named = own.iter().filter(|one| entry.name.contains(&one.span.start)).find(happens);
        let first = || own.iter().filter(|one| one.line > entry.head && one.line <= entry.head + 1).find(happens);
        named.or_else(first).and_then(Mention::class).unwrap_or(event)
    }

    /// What an entry of a list is: by a word in its name or beside it, or under it.
    fn kept_in(&self, entry: &Entry) -> Option<ClassId> {
        let own = || of_lines(self.mentions, entry.lines.clone()).iter().filter(|one| one.line >= entry.head);
        let is_kind = |one: &&Mention| {
            one.class().is_some_and(|class| self.is_focus_class(class) && !self.is_seller(class)) && !one.flags.anaphor
        };
        let is_plain = |one: &&Mention| one.count.is_none() && one.article != Article::Definite;
        let named = own().filter(|one| entry.name.contains(&one.span.start)).find(is_kind);
        let beside = || own().filter(is_plain).filter(|one| one.class().is_some()).take(6).find(is_kind);
        named.or_else(beside).and_then(Mention::class)
    }

    /// In a listing, headings of the level of the others are names, too.
    pub(crate) fn level_openers(&self, openers: &mut Vec<Opener>, best_class: Option<ClassId>) {
        let usual = openers
            .iter()
            .map(|opener| opener.focus.class)
            .max_by_key(|class| openers.iter().filter(|opener| opener.focus.class == *class).count());
        let Some(class) = best_class.or(usual) else { return };
        let known: Vec<_> = openers.iter().map(|opener| opener.level).filter(|level| *level < STRONG).collect();
        let level = match known.iter().max_by_key(|level| openers.iter().filter(|one| one.level == **level).count()) {
            Some(level) => *level,
            None if openers.is_empty() && self.is_list_page() => {
                // Nothing is named by what it is: headings with values under them.
                let Some(level) = (2..=4).find(|level| self.valued_headings(*level).len() >= 2) else { return };
                level
            }
            None => {
                self.strong_openers(openers, class);
                return;
            }
        };
        self.strong_openers(openers, class);
        for line in self.valued_headings(level) {
            if openers.iter().any(|opener| opener.line == line) {
                continue;
            }
            let span = self.page.lines[line].span.clone();
            let name = clean(self.page.line(&self.page.lines[line]));
            let vouched = u8::from(known.len() >= 2 || self.are_alike(level));
            if self.is_bare_name(line, &span, vouched) {
                let by_flag = self.on(line).iter().find_map(|mention| mention.flags.focus);
                let by_flag = self.type_line(line).or(by_flag);
                let own = by_flag.or_else(|| self.class_below(line)).unwrap_or(class);
                let own = self.happening(line, own).unwrap_or(own);
                openers.push(Opener {
                    line,
                    level,
                    entry: None,
                    focus: Focus { class: own, key: key(&name), name: Some((name, span)) },
                });
            }
        }
    }

    /// Something with a day and a time under its name happens, whatever else is named there.
    pub(crate) fn happening(&self, heading: usize, class: ClassId) -> Option<ClassId> {
        let base = self.event_base().filter(|base| !self.domain.ontology.is_a(class, *base))?;
        let mut lines = self.section(heading).take(3);
        let is_dated = |line: usize| {
            let has = |kinds: &[Kind]| {
                self.on(line).iter().any(|mention| mention.literal().is_some_and(|(kind, _)| kinds.contains(&kind)))
            };
            has(&[Kind::Date, Kind::Period]) && has(&[Kind::Time, Kind::Hours])
        };
        lines.any(is_dated).then_some(base)
    }

    /// "Seafood restaurant" alone in the line under a name.
    fn type_line(&self, heading: usize) -> Option<ClassId> {
        let line = heading + 1;
        let is_short = self.tokens.lines.get(line).is_some_and(|range| range.len() <= 5);
        let is_text = self.page.lines.get(line).is_some_and(|line| line.role == Role::Text);
        let own = self.on(line).iter().filter(|mention| mention.name.is_none());
        let mut classes = own.filter_map(Mention::class).filter(|class| self.is_focus_class(*class));
        classes.next().filter(|_| is_short && is_text)
    }

    /// Three or more headings of a level, each with a number or an address under it: entries of a list.
    fn are_alike(&self, level: u8) -> bool {
        let headings = self.valued_headings(level);
        let is_entry = |heading: &usize| {
            self.section(*heading).any(|line| {
                self.on(line).iter().any(|mention| {
                    mention
                        .literal()
                        .is_some_and(|(kind, _)| matches!(kind, Kind::Phone | Kind::Postcode | Kind::Money))
                })
            })
        };
        headings.len() >= 3 && headings.iter().all(is_entry)
    }

    /// Lines with a strong beginning, where others begin with names.
    pub(crate) fn strong_openers(&self, openers: &mut Vec<Opener>, class: ClassId) {
        if openers.iter().filter(|opener| opener.level == STRONG).count() < 2 {
            return;
        }
        for (place, line) in self.page.lines.iter().enumerate() {
            let Some(until) = line.strong_until.filter(|_| line.role == Role::Text && line.region == Region::Main)
            else {
                continue;
            };
            let span = line.span.start..until;
            let name = clean(&self.page.text[span.clone()]);
            let has_value = self.on(place).iter().any(|mention| mention.literal().is_some());
            if !has_value || name.split_whitespace().count() < 2 || openers.iter().any(|opener| opener.line == place) {
                continue;
            }
            let own = self
                .on(place)
                .iter()
                .filter(|mention| mention.span.end <= until)
                .find_map(|mention| mention.class().filter(|class| self.is_focus_class(*class)));
            let span = span.start..span.start + name.len();
            openers.push(Opener {
                line: place,
                level: STRONG,
                entry: None,
                focus: Focus { class: own.unwrap_or(class), key: key(&name), name: Some((name, span)) },
            });
        }
    }

    /// Whether the title speaks of several: "Konzerte im Juli".
    pub(crate) fn is_list_page(&self) -> bool {
        let heads: Vec<_> = self.heads().collect();
        self.mentions.iter().any(|mention| {
            let is_head = heads.contains(&mention.line) && mention.name.is_none();
            let last = &self.tokens.all[mention.tokens.end - 1].lower;
            let base = mention.lemma.split_whitespace().last().unwrap_or_default();
            is_head && mention.class().is_some_and(|class| self.is_focus_class(class)) && !last.ends_with(base)
        })
    }

    /// Headings of a level with numbers, dates or prices under them.
    pub(crate) fn valued_headings(&self, level: u8) -> Vec<usize> {
        let headings = self
            .page
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.role == Role::Heading(level) && line.region == Region::Main);
        headings
            .map(|(place, _)| place)
            .filter(|place| {
                self.section(*place).any(|line| self.on(line).iter().any(|mention| mention.literal().is_some()))
            })
            .collect()
    }

    /// The lines under a heading.
    pub(crate) fn section(&self, heading: usize) -> impl Iterator<Item = usize> + '_ {
        (heading + 1..self.page.lines.len()).take_while(|line| !matches!(self.page.lines[*line].role, Role::Heading(_)))
    }

    pub(crate) fn class_below(&self, heading: usize) -> Option<ClassId> {
        self.section(heading).take(4).find_map(|line| {
            self.on(line).iter().find_map(|mention| match mention.what {
                What::Thing(class)
                    if self.is_focus_class(class)
                        && !self.is_seller(class)
                        && !mention.flags.anaphor
                        && mention.count.is_none()
                        && mention.article != Article::Definite =>
                {
                    Some(class)
                }
                _ => None,
            })
        })
    }

    /// "Weitere Auskünfte: Kurverwaltung": what stands behind the last entry of a listing and speaks for all.
    fn is_aside(&self, line: usize) -> bool {
        let layout = &self.page.lines[line];
        let is_first = line.checked_sub(1).is_none_or(|over| self.page.lines[over].paragraph != layout.paragraph);
        let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let label = tokens.iter().take(5).position(|token| &*token.lower == ":");
        let speaks =
            label.is_some_and(|label| tokens[..label].iter().any(|token| language.has("asides", &token.lower)));
        is_first && speaks && layout.role == Role::Text
    }

    pub(crate) fn divide(&self, openers: Vec<Opener>, outline: &mut Outline) {
        let ends: Vec<_> =
            openers.iter().enumerate().map(|(number, opener)| self.end(opener, openers.get(number + 1))).collect();
        // Only the last entry is followed by what speaks for all, and no other has such a line of its own.
        let last = openers.last().map(|opener| opener.line).filter(|_| outline.main.is_none() && openers.len() > 1);
        let aside = last.and_then(|last| (last + 1..self.page.lines.len()).find(|line| self.is_aside(*line)));
        let first = openers.first().map_or(0, |opener| opener.line);
        let aside = aside.filter(|_| !(first..last.unwrap_or(first)).any(|line| self.is_aside(line)));
        for (opener, end) in openers.into_iter().zip(ends) {
            let end = aside.filter(|aside| *aside > opener.line).map_or(end, |aside| end.min(aside));
            let number = outline.focuses.len();
            outline.focuses.push(opener.focus);
            let lines = opener.entry.unwrap_or(opener.line..end);
            outline.of_line[lines].fill(Some(number));
        }
    }

    /// The line with which the section of an opener ends.
    pub(crate) fn end(&self, opener: &Opener, next: Option<&Opener>) -> usize {
        let lines = &self.page.lines;
        let own = &lines[opener.line];
        let is_rival = |line: usize| match lines[line].role {
            Role::Heading(level) => level <= opener.level,
            _ => next.is_some_and(|next| next.line == line),
        };
        let reach = match own.role {
            Role::Heading(level) if level > 1 => self.page.reach(opener.line, is_rival),
            _ => lines.len(),
        };
        let limit = next.map_or(lines.len(), |next| next.line).min(reach).max(opener.line + 1);
        (opener.line + 1..limit)
            .find(|line| {
                let line = &lines[*line];
                match line.role {
                    Role::Heading(level) => level <= opener.level,
                    _ if line.region == Region::Footer && own.region != Region::Footer => true,
                    _ if opener.level == ITEM => match (own.cell, line.cell) {
                        (Some(own), Some(other)) => {
                            own.table != other.table || own.row != other.row && !self.is_table_title(opener.line)
                        }
                        (Some(_), None) => true,
                        _ => line.paragraph != own.paragraph && line.role == Role::Item || line.list != own.list,
                    },
                    _ => false,
                }
            })
            .unwrap_or(limit)
    }

    /// A name alone in the first row of a table: the rows under it tell of it.
    fn is_table_title(&self, line: usize) -> bool {
        let row = |line: usize| self.page.lines.get(line)?.cell.map(|cell| (cell.table, cell.row));
        row(line).is_some_and(|(table, own)| own == 1 && row(line + 1) == Some((table, 2)))
    }

    /// Whether the page is about several things: its title says so, its rows have days, its sections are all alike.
    pub(crate) fn lists(&self) -> bool {
        let is_entry = |heading: &usize| {
            let is_reached = |one: &Mention| one.is_literal(Kind::Phone) || one.is_literal(Kind::Postcode);
            self.is_bare_name(*heading, &self.page.lines[*heading].span.clone(), 1)
                && self.section(*heading).any(|line| self.on(line).iter().any(is_reached))
        };
        let entries = |level: u8| self.valued_headings(level).iter().filter(|heading| is_entry(heading)).count();
        let is_several = self.differing(Kind::Phone) >= ENTRIES || self.differing(Kind::Postcode) >= 2;
        is_several && self.openers(None, None).len() >= 2
            || self.is_list_page()
            || (2..=4).any(|level| entries(level) >= ENTRIES)
            || self.row_openers(&mut Vec::new())
    }

    /// How many values of a kind differ.
    pub(crate) fn differing(&self, kind: Kind) -> usize {
        let own = self.mentions.iter().filter(|one| one.is_literal(kind)).filter_map(Mention::literal);
        own.map(|(_, value)| value).collect::<BTreeSet<_>>().len()
    }
}
