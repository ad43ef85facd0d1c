//! The names that a page's thing may have: all that stands where names stand.

use super::places::{Place, Spot};
use super::weights::Sign;
use crate::entries::Entry;
use crate::focus::{Chooser, STRONG, segments};
use crate::layout::{Line, Region, Role};
use crate::literals::Kind;
use crate::mentions::{Mention, What, of_lines};
use crate::names::{clean, key};
use crate::tokens::{self, Token};
use gatherer_abstracts::ontology::ClassId;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Words of the longest name.
pub(super) const LONGEST: usize = 8;
/// The top of a page, in lines.
pub(super) const TOP: usize = 10;
/// A line that stands out has at most so many words.
const SHORT: usize = 12;
/// So many names are looked at: a page with more of them is about no single thing.
const MOST: usize = 240;

/// A name that a page's thing may have.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    pub(crate) line: usize,
    pub(crate) key: String,
    /// What its own words say that it is.
    pub(crate) kind: Option<ClassId>,
    pub(crate) signs: Vec<Sign>,
    /// Where it stands: the tokens of each place.
    pub(crate) places: Vec<Range<usize>>,
}

impl Name {
    pub(super) fn put(&mut self, holds: bool, sign: Sign) {
        if holds {
            self.signs.push(sign);
        }
    }
}

impl Chooser<'_> {
    /// All names that the page's thing may have, with what speaks for them.
    pub(crate) fn names_of_page(&self) -> Vec<Name> {
        let mut offers = Offers { chooser: self, names: Vec::new(), known: HashMap::new() };
        let spots = self.spots(&mut offers);
        self.offer_named(&mut offers);
        let ground = self.ground(spots);
        self.offer_from_sentences(&mut offers, &ground.text);
        let mut names = offers.names;
        self.relate(&mut names);
        let entries = self.entries();
        for name in &mut names {
            name.put(self.is_of_one(name, &entries), Sign::OneOfEntries);
            self.around(name);
            self.place_signs(name, &ground);
            self.word_signs(name);
            name.signs.sort_unstable();
            name.signs.dedup();
        }
        names
    }

    /// The entries of a list: headings of one level, or lines that begin in bold, each over a telephone number or a postcode of its own.
    /// Fewer than three are none.
    fn entries(&self) -> Vec<Range<usize>> {
        let level = |line: &usize| match &self.page.lines[*line] {
            Line { role: Role::Heading(level @ 2..), .. } => Some(*level),
            line if line.is_strong || line.strong_until.is_some() => Some(STRONG),
            _ => None,
        };
        // Bold words before several numbers of one house are no entries.
        let reached = |wanted: u8, lines: &Range<usize>| {
            let is_own =
                |one: &&Mention| one.is_literal(Kind::Postcode) || wanted < STRONG && one.is_literal(Kind::Phone);
            of_lines(self.mentions, lines.clone()).iter().find(is_own).and_then(Mention::literal)
        };
        let mut found = Vec::new();
        for wanted in 2..=STRONG {
            let heads = (0..self.page.lines.len()).filter(|line| level(line) == Some(wanted));
            let heads: Vec<usize> = heads.take(MOST).collect();
            let ends = heads.iter().skip(1).copied().chain([self.page.lines.len()]);
            let entries = heads.iter().copied().zip(ends).map(|(start, end)| start..end);
            let entries: Vec<_> = entries.filter(|entry| reached(wanted, entry).is_some()).collect();
            let differing: HashSet<_> = entries.iter().filter_map(|entry| reached(wanted, entry)).collect();
            if differing.len() >= 3 && entries.len() > found.len() {
                found = entries;
            }
        }
        if found.is_empty() { self.alike_entries() } else { found }
    }

    /// Pieces that are made alike, each with a name and a street or a number of its own.
    fn alike_entries(&self) -> Vec<Range<usize>> {
        let is_reach = |one: &&Mention| one.is_literal(Kind::Street) || one.is_literal(Kind::Phone);
        let reached = |entry: &Entry| {
            of_lines(self.mentions, entry.lines.clone()).iter().find(is_reach).and_then(Mention::literal)
        };
        let is_list = |group: &&Vec<Entry>| {
            let differing: HashSet<_> = group.iter().filter_map(reached).collect();
            let is_named = |entry: &Entry| self.is_bare_name(entry.head, &entry.name, 1);
            differing.len() >= 3 && differing.len() * 4 >= group.len() * 3 && group.iter().all(is_named)
        };
        let found = self.entries.iter().find(is_list);
        found.map(|group| group.iter().map(|entry| entry.lines.clone()).collect()).unwrap_or_default()
    }

    /// Whether a name stands in one entry of a list and nowhere else.
    fn is_of_one(&self, name: &Name, entries: &[Range<usize>]) -> bool {
        let line = |tokens: &Range<usize>| self.tokens.all.get(tokens.start).map(|token| token.line as usize);
        let mut lines = name.places.iter().filter_map(line).chain([name.line]).peekable();
        let own = lines.peek().and_then(|first| entries.iter().find(|entry| entry.contains(first)));
        own.is_some_and(|own| lines.all(|line| own.contains(&line)))
    }

    /// The lines that are no running text; what they hold is offered.
    fn spots(&self, offers: &mut Offers<'_, '_>) -> Vec<Spot> {
        let mut spots = Vec::new();
        let is_body = |line: &Line| matches!(line.role, Role::Text | Role::Item) && line.region == Region::Main;
        let first = self.page.lines.iter().position(is_body).filter(|first| *first < TOP);
        let mut pictures = 0;
        for line in (0..self.page.lines.len()).filter(|line| !self.page.lines[*line].span.is_empty()) {
            let mut put = |place: Place, line: usize, span: Range<usize>| {
                spots.push(Spot::new(place, line, &self.page.text[span.clone()]));
                if place.holds_names() {
                    offers.pieces(line, span);
                }
            };
            if let Some((place, span)) = self.spot(line, first == Some(line), &mut pictures) {
                put(place, line, span);
            }
            let layout = &self.page.lines[line];
            if let Some(from) = self.greeted(line).filter(|_| line < 2 * TOP) {
                let is_region = self.is_region_greeted(line, layout.span.start..from);
                put(if is_region { Place::Region } else { Place::Greeting }, line, from..layout.span.end);
            }
            if let Some(span) = self.holder(line) {
                put(Place::Rights, line, span);
            }
            if let Some((owner, span)) = self.addressed(line) {
                put(Place::Contact, owner, span);
            }
        }
        spots
    }

    /// What a line is, if it is no running text, and what of it counts.
    fn spot(&self, line: usize, is_first: bool, pictures: &mut usize) -> Option<(Place, Range<usize>)> {
        let layout = &self.page.lines[line];
        let is_short = self.tokens.lines[line].len() <= SHORT;
        let span = layout.span.clone();
        let place = match (layout.region, layout.role) {
            (Region::Navigation, _) if is_short && !layout.is_brand => Place::Menu,
            (Region::Trail, _) if is_short => Place::Trail,
            (_, Role::Title) => Place::Title,
            (_, Role::Heading(1)) => Place::Head,
            (_, Role::Heading(2)) => Place::Sub,
            (_, Role::Heading(_)) => Place::Minor,
            (_, Role::Image) if is_short => {
                *pictures += 1;
                return Some(self.picture(line, *pictures == 1));
            }
            (_, Role::Description) => Place::Description,
            (_, Role::Keywords) => Place::Keywords,
            _ if layout.is_brand && is_short => Place::Brand,
            _ if layout.is_strong && is_short => Place::Strong,
            _ if is_first && is_short => Place::Brand,
            (Region::Footer, _) if is_short => Place::Footer,
            _ => return layout.strong_until.map(|until| (Place::Strong, layout.span.start..until)),
        };
        Some((place, span))
    }

    /// Whether a picture is the logo of the page, and what it says without that word.
    fn picture(&self, line: usize, is_first: bool) -> (Place, Range<usize>) {
        let layout = &self.page.lines[line];
        let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
        let language = self.languages.of(self.tokens.tongues[line]);
        let is_word = |token: &&Token| language.has("logos", &token.lower);
        let named: Vec<_> = tokens.iter().skip_while(is_word).collect();
        let behind = named.iter().rev().take_while(|token| is_word(token)).count();
        let named = &named[..named.len() - behind];
        let is_logo = layout.is_brand || named.len() < tokens.len() || is_first && line < TOP && named.len() > 1;
        let span = match (named.first(), named.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => layout.span.clone(),
        };
        (if is_logo { Place::Logo } else { Place::Picture }, span)
    }

    /// Things with names in the text, and what the page calls itself for programs.
    fn offer_named(&self, offers: &mut Offers<'_, '_>) {
        for mention in self.mentions {
            let (What::Thing(class), Some(_)) = (&mention.what, &mention.name) else { continue };
            if self.is_focus_class(*class) {
                offers.add(mention.line, mention.span.clone(), mention.name.clone());
            }
        }
        self.page.site.iter().for_each(|site| offers.add_text(&clean(site)));
        self.marked().iter().for_each(|(name, _)| offers.add_text(&clean(name)));
    }

    /// What the page says of itself in JSON-LD: names and their classes.
    pub(super) fn marked(&self) -> Vec<(String, Option<ClassId>)> {
        let ontology = &self.domain.ontology;
        let class_of = |kind: &str| {
            let iri = format!("https://schema.org/{kind}");
            let is_linked = |class: ClassId| ontology.class_links(class).contains(&iri.as_str());
            ontology.classes().find(|class| {
                let own = ontology.class_at(*class);
                own.is_focus() && is_linked(*class) && !own.parents().iter().any(|parent| is_linked(*parent))
            })
        };
        let values = self.page.data.iter().filter_map(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        let read = |value: serde_json::Value| {
            let text = |key: &str| value.get(key).and_then(|one| one.as_str()).map(str::to_owned);
            Some((text("name")?, text("@type").and_then(|kind| class_of(&kind))))
        };
        values.filter_map(read).collect()
    }

    /// What the words of a name say that it is.
    fn kind_in(&self, line: usize, span: &Range<usize>) -> Option<ClassId> {
        let own = self.on(line).iter();
        let own = own.filter(|one| one.span.start < span.end && one.span.end > span.start);
        let own = own.filter(|one| !one.flags.anaphor && matches!(one.what, What::Thing(_)));
        own.filter_map(|one| one.flags.focus.or(one.class())).find(|class| self.is_focus_class(*class))
    }
}

/// Names as they are found, each once.
pub(super) struct Offers<'a, 'b> {
    chooser: &'b Chooser<'a>,
    names: Vec<Name>,
    known: HashMap<String, usize>,
}

impl Offers<'_, '_> {
    /// A piece of a line as a whole, what its signs part, and what stands behind or before small words.
    fn pieces(&mut self, line: usize, span: Range<usize>) {
        let chooser = self.chooser;
        let text = &chooser.page.text[span.clone()];
        let parts = segments(text);
        // "14. Kirschenlauf - Ausschreibung 2008" is called as what stands before the sign.
        let is_told = |(start, piece): &(usize, &str)| {
            let own = span.start + start..span.start + start + piece.len();
            let language = chooser.languages.of(chooser.tokens.tongues[line]);
            let tokens = &chooser.tokens.all[chooser.tokens.within(line, &own)];
            let is_heading =
                |token: &Token| token.kind == tokens::Kind::Number || language.has("page-words", &token.lower);
            !tokens.is_empty() && tokens.iter().all(is_heading)
        };
        if !parts.iter().any(is_told) {
            self.add(line, span.clone(), None);
        }
        for (start, piece) in &parts {
            let own = span.start + start..span.start + start + piece.len();
            if parts.len() > 1 {
                self.add(line, own.clone(), None);
            }
            if let Some(led) = chooser.led(line, own.start, piece) {
                self.add_as(line, led..own.end, Sign::Led);
            }
            if let Some(tail) = chooser.tail(line, own.clone()) {
                self.add_as(line, tail, Sign::Tail);
            }
            self.before_small(line, own);
        }
    }

    /// "Ferienwohnung Möwennest in Wustrow": what stands before where it is.
    fn before_small(&mut self, line: usize, span: Range<usize>) {
        let chooser = self.chooser;
        let language = chooser.languages.of(chooser.tokens.tongues[line]);
        let tokens = &chooser.tokens.all[chooser.tokens.within(line, &span)];
        let lists = ["at", "beside", "performing", "being", "meant-for", "calling"];
        let is_small = |token: &Token| !token.is_capital && lists.iter().any(|list| language.has(list, &token.lower));
        for place in (1..tokens.len()).filter(|place| is_small(&tokens[*place])) {
            self.add(line, tokens[0].span.start..tokens[place - 1].span.end, None);
        }
    }

    /// A name that stands somewhere in the text.
    fn add_text(&mut self, name: &str) {
        let page = self.chooser.page;
        let Some(start) = page.text.find(name).filter(|_| !name.is_empty()) else { return };
        let line = page.lines.partition_point(|line| line.span.end <= start);
        if page.lines.get(line).is_some_and(|line| line.span.contains(&start)) {
            self.add(line, start..start + name.len(), Some(name.to_owned()));
        }
    }

    /// A name with what speaks for it because of where it was found.
    pub(super) fn add_as(&mut self, line: usize, span: Range<usize>, sign: Sign) {
        self.add(line, span.clone(), None);
        let text = self.chooser.page.text[span].trim_end_matches(ENDS);
        if let Some(number) = self.known.get(&key(&clean(text))) {
            self.names[*number].signs.push(sign);
        }
    }

    pub(super) fn add(&mut self, line: usize, span: Range<usize>, name: Option<String>) {
        let chooser = self.chooser;
        let text = chooser.page.text[span.clone()].trim_end_matches(ENDS);
        let name = name.unwrap_or_else(|| clean(text));
        let own = key(&name);
        let begins = name.starts_with(|one: char| one.is_uppercase() || one.is_ascii_digit());
        if own.is_empty() || name.split(' ').count() > LONGEST || !begins || !name.contains(char::is_alphabetic) {
            return;
        }
        let start = text.find(name.as_str());
        let at = start.map_or(span.clone(), |start| span.start + start..span.start + start + name.len());
        let kind = chooser.kind_in(line, &at);
        if let Some(number) = self.known.get(&own) {
            let known = &mut self.names[*number];
            let rank = |line: usize| rank(chooser.page.lines[line].role);
            if rank(line) > rank(known.line) {
                (known.text, known.span, known.line) = (name, at, line);
            }
            known.kind = known.kind.or(kind);
        } else if self.names.len() < MOST {
            self.known.insert(own.clone(), self.names.len());
            let shorter = chooser.without_place(line, &at);
            self.names.push(Name { text: name, span: at, line, key: own, kind, signs: Vec::new(), places: Vec::new() });
            shorter.into_iter().for_each(|shorter| self.add(line, shorter, None));
        }
    }
}

/// Signs behind a name.
const ENDS: [char; 5] = ['.', '!', '?', ' ', '\n'];

/// A name is best written as the first heading writes it, and worst as what stands for a picture does.
fn rank(role: Role) -> u8 {
    match role {
        Role::Heading(1) => 2,
        Role::Image | Role::Description | Role::Keywords => 0,
        _ => 1,
    }
}
