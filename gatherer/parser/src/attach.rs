//! Attachment: each mention gets one governor, if the ontology has a slot between the two.
//!
//! The governor is looked for where a reader would look: in the label, in row and column, before it in the sentence, in
//! the heading, and last in what the page is about. Members of one enumeration share a governor and never govern each
//! other.

mod agents;
mod ahead;
mod board;
mod clocks;
mod conditions;
mod contact;
mod cues;
mod days;
mod dishes;
mod distances;
mod governor;
mod grid;
mod held;
mod included;
mod instances;
mod items;
mod kinds;
mod leftover;
mod levies;
mod menus;
mod months;
mod own;
mod packages;
mod places;
mod priced;
mod prices;
mod roles;
mod seats;
mod shown;
mod things;
mod times;
mod units;
mod values;

use crate::context::{Context, by_line, contexts};
use crate::domain::Domain;
use crate::entries::Entry;
use crate::focus::{Focus, Outline};
use crate::language::{Languages, Tongue};
use crate::layout::{Page, Role};
use crate::literals::{Finder, Kind};
use crate::mentions::{Mention, What};
use crate::persons::Names;
use crate::syntax::{self, Syntax};
use crate::tokens::Tokens;
use gatherer_abstracts::model::{Builder, Confidence, Evidence, Handle, Instance, Place};
use gatherer_abstracts::ontology::{ClassId, SlotId};
use kinds::{kinds_in_title, kinds_of, tops};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// All that attachment looks at.
pub(crate) struct Material<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tokens: &'a Tokens,
    pub(crate) mentions: &'a [Mention],
    pub(crate) outline: &'a Outline,
    pub(crate) domain: &'a Domain,
    pub(crate) languages: &'a Languages,
    pub(crate) finder: &'a Finder,
    pub(crate) names: &'a Names,
    pub(crate) entries: &'a [Vec<Entry>],
    pub(crate) country: &'static str,
}

pub(crate) struct Attach<'a> {
    m: Material<'a>,
    builder: Builder<'a>,
    focuses: Vec<Handle>,
    contexts: Vec<Context>,
    by_line: Vec<Range<usize>>,
    syntax: Syntax,
    /// What each mention turned out to be.
    resolved: Vec<Option<Handle>>,
    /// The mention that governs a mention, if it is one of the same sentence.
    governed_by: Vec<Option<usize>>,
    things: HashMap<(usize, ClassId, String), Handle>,
    named: HashMap<String, Handle>,
    /// Units by the ends of their names; none where several end so.
    unit_ends: HashMap<String, Option<Handle>>,
    /// What takes place, and the mention that says where.
    held: HashSet<(Handle, usize)>,
    /// The mentions that are days, or times of several.
    days: Vec<usize>,
    /// Items of programmes by their names or words, and by their classes; none where there are several.
    items: HashMap<String, Handle>,
    items_of: HashMap<ClassId, Option<Handle>>,
    prices: Vec<Price>,
    /// Parts of an address that all things of a listing have.
    common: HashSet<usize>,
    /// Prices of levies that stand before those of the house.
    late: Vec<usize>,
    /// Things of headings: linked as soon as something is said of them.
    pending: HashMap<Handle, Vec<(Handle, SlotId, usize)>>,
    /// What holds for all prices of a section.
    standing: Vec<(usize, SlotId, String)>,
    /// Things that something leads to.
    linked: HashSet<Handle>,
    /// Things whose number is known.
    counted: HashSet<Handle>,
    /// Distances that belong to a mention, and mentions that have one.
    distances: HashMap<usize, usize>,
    /// Values that belong to something, and places whose distance is known.
    told: HashSet<usize>,
    far: HashSet<Handle>,
    /// What lies near the things that the page is about.
    around: HashSet<Handle>,
    /// Facts made, by sentence, for the coverage.
    pub(crate) fruitful: HashSet<u32>,
    slots: HashMap<(ClassId, ClassId), Vec<SlotId>>,
    /// The uppermost classes that a page may be about.
    tops: Vec<ClassId>,
}

/// A price that was found.
#[derive(Debug, Clone)]
struct Price {
    mention: usize,
    handle: Handle,
    scope: usize,
    line: usize,
    /// The class of what has it.
    of: Option<ClassId>,
}

/// What a mention belongs to is one of so many before it in its sentence.
const NEAR: usize = 64;
/// How sure each heuristic is, in thousandths.
const CONFIDENCE: &[(&str, u16)] = &[
    ("form", 950),
    ("label", 920),
    ("table", 900),
    ("title", 900),
    ("prep", 900),
    ("participle", 900),
    ("verb", 880),
    ("list", 860),
    ("heading", 850),
    ("adjacent", 850),
    ("sentence", 800),
    ("section", 750),
    ("focus", 700),
];

/// A thing that the page is about.
fn instance_of(focus: &Focus, m: &Material<'_>, builder: &mut Builder<'_>) -> Handle {
    let handle = builder.instance(focus.class);
    if let Some((name, span)) = &focus.name {
        builder.set_name(handle, name, place(m.page, span));
        for class in kinds_of(name, focus.class, m.domain) {
            builder.add_type(handle, class);
        }
    }
    builder.put_at_top(handle);
    handle
}

impl<'a> Attach<'a> {
    pub(crate) fn new(m: Material<'a>) -> Self {
        let mut builder = Builder::new(&m.domain.ontology);
        let focuses: Vec<_> = m.outline.focuses.iter().map(|focus| instance_of(focus, &m, &mut builder)).collect();
        if let Some(main) = m.outline.main {
            let focus = &m.outline.focuses[main];
            let name = focus.name.as_ref().map_or("", |(name, _)| name);
            let kinds = kinds_in_title(&m, focus.class, name);
            kinds.into_iter().for_each(|class| builder.add_type(focuses[main], class));
        }
        let contexts = contexts(m.page, m.tokens, m.mentions, m.domain);
        let by_line = by_line(m.page, m.mentions);
        let syntax = syntax::read(m.tokens, m.mentions, m.domain, m.languages);
        let count = m.mentions.len();
        let is_day = |one: &Mention| one.is_literal(Kind::Date) || one.is_literal(Kind::Period);
        let days = (0..count).filter(|number| is_day(&m.mentions[*number])).collect();
        let tops = tops(&m.domain.ontology);
        let mut attach = Self {
            m,
            builder,
            focuses,
            contexts,
            by_line,
            syntax,
            resolved: vec![None; count],
            governed_by: vec![None; count],
            things: HashMap::new(),
            named: HashMap::new(),
            unit_ends: HashMap::new(),
            held: HashSet::new(),
            days,
            items: HashMap::new(),
            items_of: HashMap::new(),
            prices: Vec::new(),
            common: HashSet::new(),
            late: Vec::new(),
            pending: HashMap::new(),
            standing: Vec::new(),
            linked: HashSet::new(),
            counted: HashSet::new(),
            distances: HashMap::new(),
            told: HashSet::new(),
            far: HashSet::new(),
            around: HashSet::new(),
            fruitful: HashSet::new(),
            slots: HashMap::new(),
            tops,
        };
        for (place, focus) in attach.m.outline.focuses.iter().enumerate().filter(|(_, focus)| focus.name.is_some()) {
            attach.know(focus.key.clone(), attach.focuses[place]);
        }
        attach
    }

    /// Attaches everything.
    pub(crate) fn run(mut self) -> (Vec<Instance>, HashSet<u32>) {
        self.pair_distances();
        self.link_scopes();
        self.common_places();
        self.common_addresses();
        self.days_of_headings();
        let menus = self.menu_lines();
        for line in 0..self.m.page.lines.len() {
            if self.contexts[line].skip || self.m.outline.of_line[line].is_none() || menus.contains(&line) {
                continue;
            }
            let own = self.by_line[line].clone();
            if self.contexts[line].is_history {
                own.filter(|number| self.m.mentions[*number].is_literal(Kind::Year))
                    .for_each(|number| self.other(number));
                continue;
            }
            // Things first, so that values of a line find them.
            for number in own {
                self.thing(number);
                self.rooms_by_name(number);
            }
        }
        self.page_wide();
        for line in 0..self.m.page.lines.len() {
            if self.contexts[line].skip
                || self.contexts[line].is_history
                || self.m.outline.of_line[line].is_none()
                || menus.contains(&line)
            {
                continue;
            }
            let own = self.by_line[line].clone();
            self.labelled_value(line);
            self.labelled_agent(line);
            self.labelled_person(line);
            let is_literal = |number: &usize| self.m.mentions[*number].literal().is_some();
            let (literals, others): (Vec<usize>, Vec<usize>) = own.clone().partition(is_literal);
            others.into_iter().chain(literals).for_each(|number| self.other(number));
        }
        self.late_levies();
        self.play_roles();
        self.leftover_distances();
        self.included();
        let ontology = &self.m.domain.ontology;
        let mut instances = self.builder.finish();
        // What nothing leads to says nothing, unless a page may be about it.
        instances.retain(|instance| {
            instance
                .types
                .iter()
                .any(|class| ontology.class(class).is_some_and(|class| ontology.class_at(class).is_focus()))
                && (instance.name.is_some() || !instance.values.is_empty() || !instance.slots.is_empty())
        });
        (instances, self.fruitful)
    }

    fn other(&mut self, number: usize) {
        match self.m.mentions[number].what.clone() {
            What::Thing(_) => {}
            What::Place(class) => self.named_place(number, class),
            What::Agent(class) => self.agent(number, class),
            What::Value(slot, value) => self.said_value(number, slot, &value),
            What::Free => self.free(number),
            What::Literal(kind, value) => self.literal(number, kind, &value),
        }
    }

    fn literal(&mut self, number: usize, kind: Kind, value: &str) {
        if matches!(self.line_of(number).role, Role::Title)
            && kind != Kind::Stars
            && kind != Kind::Date
            && kind != Kind::Period
        {
            return;
        }
        match kind {
            Kind::Money => self.price(number, value),
            Kind::Per => self.per(number, value),
            Kind::Phone => self.phone(number, value),
            Kind::Mail | Kind::Web | Kind::PostBox => self.contact(number, kind, value),
            _ if self.common.contains(&number) => {}
            Kind::Street | Kind::Postcode => self.address(number, kind, value),
            Kind::Town | Kind::District | Kind::County => self.address_place(number, kind, value),
            Kind::Length | Kind::Duration => self.measure(number, kind, value),
            Kind::Hours => self.hours(number, value),
            Kind::Time => self.clock(number, value),
            Kind::Count => self.count(number, value),
            Kind::Area | Kind::Date | Kind::Period | Kind::Closed | Kind::Year | Kind::Stars => {
                self.plain_value(number, kind, value);
            }
            Kind::Other => {}
        }
    }

    // What everything else uses.

    fn mention(&self, number: usize) -> &Mention {
        &self.m.mentions[number]
    }

    fn line_of(&self, number: usize) -> &crate::layout::Line {
        &self.m.page.lines[self.m.mentions[number].line]
    }

    fn context(&self, number: usize) -> &Context {
        &self.contexts[self.m.mentions[number].line]
    }

    fn tongue(&self, number: usize) -> Tongue {
        self.m.tokens.tongues[self.m.mentions[number].line]
    }

    fn scope(&self, number: usize) -> Option<usize> {
        self.m.outline.of_line[self.m.mentions[number].line]
    }

    fn focus(&self, number: usize) -> Option<Handle> {
        self.scope(number).map(|scope| self.focuses[scope])
    }

    fn is_a(&self, class: ClassId, other: ClassId) -> bool {
        self.m.domain.ontology.is_a(class, other)
    }

    fn class_of(&self, handle: Handle) -> ClassId {
        self.builder.types(handle)[0]
    }

    fn between(&mut self, from: ClassId, to: ClassId) -> Vec<SlotId> {
        let ontology = &self.m.domain.ontology;
        self.slots.entry((from, to)).or_insert_with(|| ontology.between(from, to)).clone()
    }

    fn fits(&self, slot: SlotId, handle: Handle) -> bool {
        self.m.domain.ontology.fits_domain(slot, self.builder.types(handle))
    }

    fn evidence(&self, heuristic: &str, span: &Range<usize>) -> Evidence {
        let confidence =
            CONFIDENCE.iter().find(|(name, _)| *name == heuristic).map_or(700, |(_, confidence)| *confidence);
        Evidence::new(heuristic, Confidence::thousandths(confidence), place(self.m.page, span))
    }

    fn link(&mut self, from: Handle, slot: SlotId, to: Handle, heuristic: &str, number: usize) {
        self.release(from);
        self.pending.remove(&to);
        let span = self.mention(number).span.clone();
        let evidence = self.evidence(heuristic, &span);
        self.join(from, slot, to, evidence);
        self.fruitful.insert(self.mention(number).sentence);
    }

    fn join(&mut self, from: Handle, slot: SlotId, to: Handle, evidence: Evidence) {
        if Some(slot) == self.m.domain.rules.near && self.focuses.contains(&from) {
            self.around.insert(to);
        }
        self.builder.link(from, slot, to, evidence);
    }

    fn value(&mut self, handle: Handle, slot: SlotId, value: &str, heuristic: &str, number: usize) {
        let span = self.mention(number).span.clone();
        self.value_at(handle, slot, value, heuristic, &span);
        self.fruitful.insert(self.mention(number).sentence);
        self.told.insert(number);
        if self.m.domain.rules.distance.contains(&slot) {
            self.far.insert(handle);
        }
    }

    /// Makes the links of a thing of a heading.
    fn release(&mut self, handle: Handle) {
        for (from, slot, number) in self.pending.remove(&handle).unwrap_or_default() {
            self.link(from, slot, handle, "heading", number);
        }
    }

    fn value_at(&mut self, handle: Handle, slot: SlotId, value: &str, heuristic: &str, span: &Range<usize>) {
        self.release(handle);
        let evidence = self.evidence(heuristic, span);
        self.builder.value(handle, slot, value, evidence);
    }

    /// Things that stand before a mention in its sentence, the nearest first.
    fn before(&self, number: usize) -> Vec<usize> {
        let mention = self.mention(number);
        let own = self.by_line[mention.line].clone();
        let mut before: Vec<usize> = (own.start..number)
            .rev()
            .take_while(|other| self.mention(*other).sentence == mention.sentence)
            .take(NEAR)
            .collect();
        // Where a foreign engine has said what governs what, its governor comes first.
        let mut at = self.m.tokens.all.get(mention.tokens.end.wrapping_sub(1)).and_then(|token| token.head);
        for _ in 0..6 {
            let Some(head) = at else { break };
            if let Some(place) = before.iter().position(|other| self.mention(*other).tokens.contains(&head)) {
                let governor = before.remove(place);
                before.insert(0, governor);
                break;
            }
            at = self.m.tokens.all.get(head).and_then(|token| token.head);
        }
        before
    }

    /// Whether a verb stands between two mentions.
    fn has_verb_between(&self, from: usize, to: usize) -> bool {
        let tongue = self.tongue(to);
        let (from, to) = (self.mention(from).tokens.end, self.mention(to).tokens.start);
        self.m.tokens.all[from..to.max(from)].iter().any(|token| {
            let class = syntax::class(token, self.m.languages, tongue);
            class == "Verb" || class == "Aux"
        })
    }

    fn same_group(&self, one: usize, other: usize) -> bool {
        self.syntax.group[one].is_some() && self.syntax.group[one] == self.syntax.group[other]
    }

    /// Things whose heading opens a section of their own belong to the page's thing, if the ontology has a slot.
    fn link_scopes(&mut self) {
        let Some(main) = self.m.outline.main else { return };
        let focuses = self.m.outline.focuses.clone();
        for (scope, focus) in focuses.iter().enumerate() {
            if scope == main {
                continue;
            }
            let slots = self.between(self.class_of(self.focuses[main]), focus.class);
            let slot = slots.into_iter().find(|slot| {
                let slot = self.m.domain.ontology.slot_at(*slot);
                slot.holds_without_cue() && Some(slot.name()) != Some("liegt_in")
            });
            if let (Some(slot), Some((_, span))) = (slot, &focus.name) {
                let evidence = self.evidence("heading", span);
                self.builder.link(self.focuses[main], slot, self.focuses[scope], evidence);
            }
        }
    }
}

/// Where a piece of the text stands in the source.
pub(crate) fn place(page: &Page, span: &Range<usize>) -> Place {
    let range = page.place(span);
    let quote = page.text[span.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    Place::new(range.start, range.end, &quote)
}
