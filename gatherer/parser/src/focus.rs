//! What a page is about: one thing, several (a listing), or nothing that the domain knows.

use crate::domain::Domain;
use crate::language::{Languages, Tongue};
use crate::layout::{Page, Region, Role};
use crate::mentions::{Mention, What};
use crate::names::{clean, key};
use crate::tokens::{Kind, Tokens};
use gatherer_abstracts::ontology::ClassId;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// One thing that lines are about.
#[derive(Debug, Clone)]
pub(crate) struct Focus {
    pub(crate) class: ClassId,
    pub(crate) name: Option<(String, Range<usize>)>,
    pub(crate) key: String,
}

/// Which lines are about which thing.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) focuses: Vec<Focus>,
    /// For each line, the thing it is about.
    pub(crate) of_line: Vec<Option<usize>>,
    /// The thing of the whole page, if it has one.
    pub(crate) main: Option<usize>,
}

pub(crate) struct Chooser<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) domain: &'a Domain,
    pub(crate) mentions: &'a [Mention],
    pub(crate) languages: &'a Languages,
    pub(crate) url: &'a str,
}

/// A name that may be that of the page's thing.
#[derive(Debug)]
struct Candidate {
    name: String,
    span: Range<usize>,
    class: Option<ClassId>,
    score: u32,
    in_head: bool,
}

/// A line with which something else begins.
#[derive(Debug)]
struct Opener {
    line: usize,
    focus: Focus,
    level: u8,
}

const STRONG: u8 = 7;
const ITEM: u8 = 8;

impl Chooser<'_> {
    pub(crate) fn choose(&self) -> Outline {
        let mut outline = Outline { of_line: vec![None; self.page.lines.len()], ..Outline::default() };
        if self.is_foreign() {
            return outline;
        }
        let votes = self.votes();
        let best = votes.iter().max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class)));
        let best_class = best.filter(|(_, votes)| **votes >= 6).map(|(class, _)| *class);
        let main = self.main(best_class);
        let openers = self.openers(main.as_ref(), best_class);
        let main = match main {
            // Several names and none of them in title or heading: a listing has no thing of its own.
            Some((focus, _)) if self.is_agency(&focus, &openers) => None,
            Some((focus, in_head)) if in_head || openers.len() < 2 => Some(focus),
            Some(_) => None,
            None if openers.len() >= 2 => None,
            None => self.unnamed(&votes),
        };
        if let Some(focus) = main {
            outline.focuses.push(focus);
            outline.main = Some(0);
            outline.of_line.fill(Some(0));
        }
        self.divide(openers, &mut outline);
        outline
    }

    /// Whether the name of the page is that of whoever lets the things it lists.
    fn is_agency(&self, focus: &Focus, openers: &[Opener]) -> bool {
        let ontology = &self.domain.ontology;
        let alike = openers.iter().filter(|opener| ontology.is_a(opener.focus.class, focus.class) || ontology.is_a(focus.class, opener.focus.class)).count();
        let is_head = self.mentions.iter().any(|mention| mention.name.as_deref().is_some_and(|name| key(name) == focus.key));
        alike >= 2 && !is_head
    }

    /// Whether title or first heading say that the page is about another domain.
    fn is_foreign(&self) -> bool {
        let foreign = |line: usize| {
            let tokens = &self.tokens.all[self.tokens.lines[line].clone()];
            tokens.iter().any(|token| {
                self.domain.rules.foreign.contains(&*token.lower) || token.lower.split('-').any(|part| part.len() > 3 && self.domain.rules.foreign.contains(part))
            })
        };
        self.heads().any(foreign)
    }

    /// Title and first headings.
    fn heads(&self) -> impl Iterator<Item = usize> + '_ {
        let roles = self.page.lines.iter().enumerate();
        roles.filter(|(_, line)| matches!(line.role, Role::Title | Role::Heading(1)) && line.region != Region::Navigation).map(|(place, _)| place).take(3)
    }

    fn is_focus_class(&self, class: ClassId) -> bool {
        self.domain.ontology.class_at(class).is_focus()
    }

    /// How much speaks for each class.
    fn votes(&self) -> BTreeMap<ClassId, u32> {
        let mut votes = BTreeMap::new();
        let mut in_text: HashMap<ClassId, u32> = HashMap::new();
        for mention in self.mentions {
            let What::Thing(class) = mention.what else { continue };
            let class = mention.flags.focus.unwrap_or(class);
            if !self.is_focus_class(class) || mention.flags.anaphor {
                continue;
            }
            let line = &self.page.lines[mention.line];
            let is_ours = self.tokens.all[mention.tokens.start.saturating_sub(4)..mention.tokens.start].iter().any(|token| token.line as usize == mention.line && matches!(&*token.lower, "unser" | "unsere" | "unserem" | "unseres" | "unserer" | "our"));
            let weight = match (line.region, line.role) {
                (Region::Navigation | Region::Trail, _) => 0,
                (_, Role::Title) => 8,
                (_, Role::Heading(1)) => 8,
                (_, Role::Heading(2)) => 2,
                (_, Role::Description) => 4,
                (_, Role::Keywords) => 2,
                _ => {
                    let seen = in_text.entry(class).or_default();
                    *seen += 1;
                    u32::from(*seen <= 3) * (1 + u32::from(mention.line < 12) + 4 * u32::from(is_ours))
                }
            };
            *votes.entry(class).or_default() += weight;
        }
        votes.retain(|_, votes| *votes > 0);
        votes
    }

    /// The thing whose name stands where the names of pages stand, and whether that is title or first heading.
    fn main(&self, best_class: Option<ClassId>) -> Option<(Focus, bool)> {
        let mut candidates: BTreeMap<String, Candidate> = BTreeMap::new();
        for mention in self.mentions {
            let (What::Thing(class), Some(name)) = (&mention.what, &mention.name) else { continue };
            if !self.is_focus_class(*class) {
                continue;
            }
            let line = &self.page.lines[mention.line];
            let (score, in_head) = match (line.region, line.role) {
                (Region::Navigation | Region::Trail, _) => (0, false),
                (_, Role::Title) => (5, true),
                (_, Role::Heading(1)) => (6, true),
                (_, Role::Heading(2)) => (2, false),
                (_, Role::Description) => (2, false),
                _ => (1, false),
            };
            let score = if mention.line == 0 || score < 5 || !self.is_second(mention) { score } else { score - 2 };
            let entry = candidates.entry(key(name)).or_insert_with(|| Candidate {
                name: name.clone(),
                span: mention.span.clone(),
                class: None,
                score: 0,
                in_head: false,
            });
            entry.score += score + 4 * u32::from(score >= 5 && self.is_host(&key(name)));
            // A name as the heading writes it.
            if matches!(line.role, Role::Heading(1)) {
                (entry.name, entry.span) = (name.clone(), mention.span.clone());
            }
            entry.in_head |= in_head;
            if !mention.flags.anaphor {
                entry.class.get_or_insert(*class);
            }
        }
        self.headless(&mut candidates);
        self.marked(&mut candidates);
        let (key, best) = candidates.into_iter().max_by_key(|(key, candidate)| (candidate.score, std::cmp::Reverse(key.len())))?;
        let class = best.class.or(best_class)?;
        (best.score >= 3).then_some((Focus { class, name: Some((best.name, best.span)), key }, best.in_head))
    }

    /// What the page says of itself in JSON-LD, if the name also stands where people read.
    fn marked(&self, candidates: &mut BTreeMap<String, Candidate>) {
        for text in &self.page.data {
            let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { continue };
            let (Some(name), Some(kind)) = (value.get("name").and_then(|name| name.as_str()), value.get("@type").and_then(|kind| kind.as_str())) else { continue };
            let iri = format!("https://schema.org/{kind}");
            let ontology = &self.domain.ontology;
            let class = ontology.classes().find(|class| ontology.class_at(*class).is_focus() && ontology.class_links(*class).contains(&iri.as_str()) && ontology.class_at(*class).parents().iter().all(|parent| !ontology.class_links(*parent).contains(&iri.as_str())));
            let Some(start) = self.page.text.find(name) else { continue };
            let entry = candidates.entry(key(name)).or_insert_with(|| Candidate { name: name.to_owned(), span: start..start + name.len(), class: None, score: 0, in_head: false });
            entry.score += 8;
            entry.in_head = true;
            if entry.class.is_none() {
                entry.class = class;
            }
        }
    }

    /// Whether another focus name stands before it in its line: "Konzert im Schloss X".
    fn is_second(&self, mention: &Mention) -> bool {
        self.mentions.iter().any(|other| other.line == mention.line && other.span.start < mention.span.start && other.name.is_some() && matches!(other.what, What::Thing(_)))
    }

    /// Headings that are names without a word that says of what.
    fn headless(&self, candidates: &mut BTreeMap<String, Candidate>) {
        let title = self.page.lines.iter().find(|line| line.role == Role::Title).map(|line| key(self.page.line(line)));
        for place in self.heads() {
            let line = &self.page.lines[place];
            let named = self.mentions.iter().any(|mention| mention.line == place && mention.name.is_some() && mention.class().is_some_and(|class| self.is_focus_class(class)));
            if named {
                continue;
            }
            let is_title = line.role == Role::Title;
            for (start, piece) in segments(self.page.line(line)) {
                let name = clean(piece);
                let offset = line.span.start + start + piece.find(name.as_str()).unwrap_or(0);
                let span = offset..offset + name.len();
                let name_key = key(&name);
                let in_title = title.as_ref().is_some_and(|title| !is_title && format!(" {title} ").contains(&format!(" {name_key} ")));
                let is_address = self.is_host(&name_key);
                let vouched = if is_address { 2 } else { u8::from(in_title) };
                if !self.is_bare_name(place, &span, vouched) {
                    continue;
                }
                let score = if is_title { 2 } else { 3 + u32::from(in_title) };
                let score = score + 4 * u32::from(is_address);
                let entry = candidates.entry(name_key).or_insert(Candidate { name, span, class: None, score: 0, in_head: false });
                entry.score += score;
                entry.in_head |= !is_title || score > 2;
                break;
            }
        }
    }

    /// Whether a name is that of the host: `saltmarsh-kitchen.example`.
    fn is_host(&self, key: &str) -> bool {
        let host = self.url.split("://").nth(1).unwrap_or_default().split('/').next().unwrap_or_default();
        let letters = |text: &str| text.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss").chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let (host, key) = (letters(host), letters(key));
        key.len() >= 5 && host.contains(&key)
    }

    /// Whether words are a name and not a heading such as "Unsere Preise".
    fn is_bare_name(&self, line: usize, span: &Range<usize>, vouched: u8) -> bool {
        let tongue = self.tokens.tongues[line];
        let tokens = &self.tokens.all[self.tokens.within(line, span)];
        let words: Vec<_> = tokens.iter().filter(|token| token.kind == Kind::Word).collect();
        if words.is_empty() || words.len() > 7 || !words[0].is_capital {
            return false;
        }
        let lexicon = self.domain.lexicon(tongue);
        let greetings = ["willkommen", "welcome", "startseite", "home", "herzlich", "preise", "prices", "kontakt", "contact", "übersicht", "index", "aktuelles", "news", "homepage"];
        let is_greeting = words.iter().any(|token| greetings.contains(&&*token.lower)) || matches!(&*words[0].lower, "visit" | "things" | "discover" | "explore" | "erleben" | "urlaub" | "ferien" | "entdecken");
        let has_place = self.mentions.iter().any(|mention| mention.line == line && matches!(mention.what, What::Place(_)) && mention.span == *span);
        let in_place = |token: &&&crate::tokens::Token| self.mentions.iter().any(|mention| mention.line == line && matches!(mention.what, What::Place(_)) && mention.span.contains(&token.span.start));
        let unknown = words.iter().filter(|token| token.is_capital && !lexicon.knows(&token.lower)).filter(|token| !in_place(token)).count();
        let has_thing = self.mentions.iter().any(|mention| mention.line == line && span.contains(&mention.span.start) && matches!(mention.what, What::Thing(_)));
        let has_end = self.page.text[span.clone()].ends_with(['.', '!', '?']);
        let headings = &self.languages.of(tongue).headings;
        let is_small = |token: &&&crate::tokens::Token| !token.is_capital && !matches!(&*token.lower, "of" | "the" | "and" | "at" | "in" | "on" | "by" | "for" | "under" | "upon");
        let is_sentence = tongue == Tongue::English && words.iter().any(|token| is_small(&token));
        let is_heading = words.iter().filter(|token| token.is_capital).any(|token| headings.contains(&*token.lower)) && vouched < 2;
        !is_greeting && !has_place && (unknown > 0 || vouched > 0) && !is_sentence && !is_heading && (!has_thing || vouched > 0) && !has_end
    }

    /// Lines with which another thing of its own begins.
    fn openers(&self, main: Option<&(Focus, bool)>, best_class: Option<ClassId>) -> Vec<Opener> {
        let mut openers: Vec<Opener> = Vec::new();
        let is_named_page = main.is_some_and(|(_, in_head)| *in_head);
        for mention in self.mentions {
            let (What::Thing(class), Some(name)) = (&mention.what, &mention.name) else { continue };
            let line = &self.page.lines[mention.line];
            if !self.is_focus_class(*class) || matches!(line.region, Region::Navigation | Region::Trail | Region::Footer) {
                continue;
            }
            let own_key = key(name);
            let is_main = main.is_some_and(|(focus, in_head)| *in_head && (focus.key == own_key || focus.key.contains(&own_key) || own_key.contains(&focus.key)));
            let begins = mention.span.start <= line.span.start + 6 && !openers.iter().any(|opener| opener.line == mention.line);
            let level = match line.role {
                Role::Heading(level) if level > 1 => level,
                Role::Heading(_) if !is_named_page => 1,
                Role::Title | Role::Heading(_) | Role::Description | Role::Keywords | Role::Image => continue,
                _ if is_named_page => continue,
                _ if line.is_strong || line.strong_until.is_some() || line.role == Role::Term => STRONG,
                _ if line.role == Role::Item || line.cell.is_some() => ITEM,
                _ => continue,
            };
            if begins && !is_main && !openers.iter().any(|opener| opener.focus.key == own_key) {
                let class = if mention.flags.anaphor { self.class_below(mention.line).or(best_class).unwrap_or(*class) } else { *class };
                openers.push(Opener { line: mention.line, focus: Focus { class, name: Some((name.clone(), mention.span.clone())), key: own_key }, level });
            }
        }
        if !is_named_page {
            self.level_openers(&mut openers, best_class);
        }
        openers.sort_by_key(|opener| opener.line);
        openers
    }

    /// In a listing, headings of the level of the others are names, too.
    fn level_openers(&self, openers: &mut Vec<Opener>, best_class: Option<ClassId>) {
        let usual = openers.iter().map(|opener| opener.focus.class).max_by_key(|class| openers.iter().filter(|opener| opener.focus.class == *class).count());
        let Some(class) = best_class.or(usual) else { return };
        let known: Vec<_> = openers.iter().map(|opener| opener.level).filter(|level| *level < STRONG).collect();
        let level = match known.iter().max_by_key(|level| known.iter().filter(|one| one == level).count()) {
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
            let vouched = u8::from(known.len() >= 2);
            if self.is_bare_name(line, &span, vouched) {
                let by_flag = self.mentions.iter().filter(|mention| mention.line == line).find_map(|mention| mention.flags.focus);
                let own = by_flag.or_else(|| self.class_below(line)).unwrap_or(class);
                openers.push(Opener { line, level, focus: Focus { class: own, key: key(&name), name: Some((name, span)) } });
            }
        }
    }

    /// Lines with a strong beginning, where others begin with names.
    fn strong_openers(&self, openers: &mut Vec<Opener>, class: ClassId) {
        if openers.iter().filter(|opener| opener.level == STRONG).count() < 2 {
            return;
        }
        for (place, line) in self.page.lines.iter().enumerate() {
            let Some(until) = line.strong_until.filter(|_| line.role == Role::Text && line.region == Region::Main) else { continue };
            let span = line.span.start..until;
            let name = clean(&self.page.text[span.clone()]);
            let has_value = self.mentions.iter().any(|mention| mention.line == place && mention.literal().is_some());
            if !has_value || name.split_whitespace().count() < 2 || openers.iter().any(|opener| opener.line == place) {
                continue;
            }
            let own = self.mentions.iter().filter(|mention| mention.line == place && mention.span.end <= until).find_map(|mention| mention.class().filter(|class| self.is_focus_class(*class)));
            let span = span.start..span.start + name.len();
            openers.push(Opener { line: place, level: STRONG, focus: Focus { class: own.unwrap_or(class), key: key(&name), name: Some((name, span)) } });
        }
    }

    /// Whether the title speaks of several: "Konzerte im Juli".
    fn is_list_page(&self) -> bool {
        let heads: Vec<_> = self.heads().collect();
        self.mentions.iter().any(|mention| {
            let is_head = heads.contains(&mention.line) && mention.name.is_none();
            let last = &self.tokens.all[mention.tokens.end - 1].lower;
            let base = mention.lemma.split_whitespace().last().unwrap_or_default();
            is_head && mention.class().is_some_and(|class| self.is_focus_class(class)) && !last.ends_with(base)
        })
    }

    /// Headings of a level with numbers, dates or prices under them.
    fn valued_headings(&self, level: u8) -> Vec<usize> {
        let headings = self.page.lines.iter().enumerate().filter(|(_, line)| line.role == Role::Heading(level) && line.region == Region::Main);
        headings.map(|(place, _)| place).filter(|place| {
            self.section(*place).any(|line| self.mentions.iter().any(|mention| mention.line == line && mention.literal().is_some()))
        }).collect()
    }

    /// The lines under a heading.
    fn section(&self, heading: usize) -> impl Iterator<Item = usize> + '_ {
        (heading + 1..self.page.lines.len()).take_while(|line| !matches!(self.page.lines[*line].role, Role::Heading(_)))
    }

    fn class_below(&self, heading: usize) -> Option<ClassId> {
        self.section(heading).take(4).find_map(|line| {
            self.mentions.iter().filter(|mention| mention.line == line).find_map(|mention| match mention.what {
                What::Thing(class) if self.is_focus_class(class) && !mention.flags.anaphor => Some(class),
                _ => None,
            })
        })
    }

    /// A thing without a name, if enough speaks for one.
    fn unnamed(&self, votes: &BTreeMap<ClassId, u32>) -> Option<Focus> {
        let (class, votes) = votes.iter().max_by_key(|(class, votes)| (**votes, std::cmp::Reverse(**class)))?;
        let has_value = self.mentions.iter().any(|mention| mention.literal().is_some_and(|(kind, _)| {
            use crate::literals::Kind as Value;
            matches!(kind, Value::Phone | Value::Money | Value::Hours | Value::Mail | Value::Postcode | Value::Date)
        }));
        (*votes >= 8 && has_value).then(|| Focus { class: *class, name: None, key: String::new() })
    }

    fn divide(&self, openers: Vec<Opener>, outline: &mut Outline) {
        let ends: Vec<_> = openers.iter().enumerate().map(|(number, opener)| self.end(opener, openers.get(number + 1))).collect();
        for (opener, end) in openers.into_iter().zip(ends) {
            let number = outline.focuses.len();
            outline.focuses.push(opener.focus);
            outline.of_line[opener.line..end].fill(Some(number));
        }
    }

    /// The line with which the section of an opener ends.
    fn end(&self, opener: &Opener, next: Option<&Opener>) -> usize {
        let lines = &self.page.lines;
        let limit = next.map_or(lines.len(), |next| next.line);
        let own = &lines[opener.line];
        (opener.line + 1..limit)
            .find(|line| {
                let line = &lines[*line];
                match line.role {
                    Role::Heading(level) => level <= opener.level,
                    _ if line.region == Region::Footer && own.region != Region::Footer => true,
                    _ if opener.level == ITEM => match (own.cell, line.cell) {
                        (Some(own), Some(other)) => own.table != other.table || own.row != other.row,
                        (Some(_), None) => true,
                        _ => line.paragraph != own.paragraph && line.role == Role::Item || line.list != own.list,
                    },
                    _ => false,
                }
            })
            .unwrap_or(limit)
    }
}

/// The parts of a title, with their places.
fn segments(title: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let bytes = title.as_bytes();
    for (place, sign) in title.char_indices() {
        let spaced = place > 0 && bytes[place - 1] == b' ' && bytes.get(place + sign.len_utf8()) == Some(&b' ');
        let parts_here = matches!(sign, '|' | '·' | '•' | '»' | ':' | '(') || (matches!(sign, '-' | '–' | '—') && spaced) || sign == ',';
        if parts_here {
            parts.push((start, &title[start..place]));
            start = place + sign.len_utf8();
        }
    }
    parts.push((start, &title[start..]));
    parts
}
