//! Facts on their way into an abstract: each of them once.

use super::{Evidence, Filler, Instance, Name, Place, Slot, Value};
use crate::ontology::{ClassId, Ontology, SlotId};
use std::collections::{HashMap, HashSet, VecDeque};

/// So many instances stand in each other at most.
const DEPTH_LIMIT: usize = 24;

/// Puts facts together. The same fact found twice is one fact with the evidence of both, also if it was found from the other
/// end of an inverse slot, or in a more general slot.
///
/// The result depends on what was put in and in which order instances were made, and on nothing else.
#[derive(Debug, Clone)]
pub struct Builder<'a> {
    ontology: &'a Ontology,
    nodes: Vec<Node>,
}

/// An instance in a [`Builder`]; it means nothing to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(usize);

#[derive(Debug, Clone, Default)]
struct Node {
    types: Vec<ClassId>,
    lemma: Option<String>,
    name: Option<Name>,
    values: Vec<(SlotId, String, Evidence)>,
    links: Vec<(SlotId, Handle, Evidence)>,
    /// What it has become part of.
    merged_into: Option<Handle>,
    /// Whether the page is about it.
    is_top: bool,
}

impl<'a> Builder<'a> {
    /// With nothing in it.
    pub fn new(ontology: &'a Ontology) -> Self {
        Self { ontology, nodes: Vec::new() }
    }

    /// A new instance.
    pub fn instance(&mut self, class: ClassId) -> Handle {
        self.nodes.push(Node { types: vec![class], ..Node::default() });
        Handle(self.nodes.len() - 1)
    }

    /// A further class of an instance. The first stays the one that it is called by.
    pub fn add_type(&mut self, instance: Handle, class: ClassId) {
        let types = &mut self.node_mut(instance).types;
        if !types.contains(&class) {
            types.push(class);
        }
    }

    /// Puts an instance at the top, whatever leads to it: the page is about it.
    pub fn put_at_top(&mut self, instance: Handle) {
        self.node_mut(instance).is_top = true;
    }

    /// The word for an instance; the first one stays.
    pub fn set_lemma(&mut self, instance: Handle, lemma: &str) {
        let lemma = lemma.split_whitespace().collect::<Vec<_>>().join(" ");
        self.node_mut(instance).lemma.get_or_insert(lemma);
    }

    /// A better base form than the one that was given before.
    pub fn replace_lemma(&mut self, instance: Handle, lemma: &str) {
        self.node_mut(instance).lemma = Some(lemma.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// The proper name of an instance; the first one stays.
    pub fn set_name(&mut self, instance: Handle, text: &str, place: Place) {
        self.node_mut(instance).name.get_or_insert_with(|| Name { text: text.to_owned(), place });
    }

    /// The classes of an instance.
    pub fn types(&self, instance: Handle) -> &[ClassId] {
        &self.nodes[self.resolve(instance).0].types
    }

    /// The proper name of an instance.
    pub fn name(&self, instance: Handle) -> Option<&str> {
        self.nodes[self.resolve(instance).0].name.as_ref().map(|name| name.text.as_str())
    }

    /// A fact that ends in a value.
    pub fn value(&mut self, instance: Handle, slot: SlotId, text: &str, evidence: Evidence) {
        let values = &mut self.node_mut(instance).values;
        match values.iter_mut().find(|(one, known, _)| *one == slot && known == text) {
            Some((_, _, known)) => known.merge(evidence),
            None => values.push((slot, text.to_owned(), evidence)),
        }
    }

    /// A fact that leads to another instance. Nothing is joined to itself.
    pub fn link(&mut self, from: Handle, slot: SlotId, to: Handle, evidence: Evidence) {
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to {
            return;
        }
        // From the other end it is the same fact.
        let entry = self.ontology.slot_at(slot);
        if let Some(other) = entry.turned() {
            return self.link(to, other, from, evidence);
        }
        let is_known = |builder: &Self, from: Handle, to: Handle| {
            builder.nodes[from.0].links.iter().position(|(one, other, _)| *one == slot && *other == to)
        };
        if let Some(place) = is_known(self, from, to) {
            self.nodes[from.0].links[place].2.merge(evidence);
        } else if let Some(place) = is_known(self, to, from).filter(|_| entry.is_symmetric()) {
            self.nodes[to.0].links[place].2.merge(evidence);
        } else {
            self.nodes[from.0].links.push((slot, to, evidence));
        }
    }

    /// Two instances turn out to be one thing: everything of the second goes to the first.
    pub fn merge(&mut self, kept: Handle, other: Handle) {
        let (kept, other) = (self.resolve(kept), self.resolve(other));
        if kept == other {
            return;
        }
        let node = std::mem::replace(&mut self.nodes[other.0], Node { merged_into: Some(kept), ..Node::default() });
        self.nodes[kept.0].is_top |= node.is_top;
        node.types.into_iter().for_each(|class| self.add_type(kept, class));
        node.lemma.into_iter().for_each(|lemma| self.set_lemma(kept, &lemma));
        node.name.into_iter().for_each(|name| self.set_name(kept, &name.text, name.place));
        node.values.into_iter().for_each(|(slot, text, evidence)| self.value(kept, slot, &text, evidence));
        // Links of everybody are laid anew, so that those that have become equal meet.
        let mut links: Vec<_> = node.links.into_iter().map(|link| (kept, link)).collect();
        for (place, node) in self.nodes.iter_mut().enumerate() {
            links.extend(node.links.extract_if(.., |(_, to, _)| *to == other).map(|link| (Handle(place), link)));
        }
        links.into_iter().for_each(|(from, (slot, to, evidence))| self.link(from, slot, to, evidence));
    }

    fn resolve(&self, instance: Handle) -> Handle {
        let mut at = instance;
        while let Some(next) = self.nodes[at.0].merged_into {
            at = next;
        }
        at
    }

    fn node_mut(&mut self, instance: Handle) -> &mut Node {
        let at = self.resolve(instance);
        &mut self.nodes[at.0]
    }

    /// The instances, nested: each stands where a slot leads to it on the shortest way from above, and is referred to elsewhere.
    /// Those that nothing leads to stand at the top, in the order in which they were made.
    pub fn finish(mut self) -> Vec<Instance> {
        self.drop_implied();
        self.turn_to_top();
        for node in &mut self.nodes {
            node.values.sort_by(|one, other| order(&one.2, one.0, &one.1).cmp(&order(&other.2, other.0, &other.1)));
            node.links.sort_by_key(|one| order(&one.2, one.0, one.1));
        }
        let (roots, owners) = self.owners();
        let mut out = Output { builder: &self, owners, ids: HashMap::new() };
        roots.iter().for_each(|root| out.name_all(*root));
        roots.into_iter().map(|root| out.instance(root)).collect()
    }

    /// What a more specific slot says is not said again by the slots above it.
    fn drop_implied(&mut self) {
        for node in &mut self.nodes {
            drop_implied(self.ontology, &mut node.values);
            drop_implied(self.ontology, &mut node.links);
        }
    }

    /// The series that a page's concert belongs to is no other thing of the page: it stands in the concert, by the inverse slot.
    fn turn_to_top(&mut self) {
        let ends: HashSet<_> = self.nodes.iter().flat_map(|node| node.links.iter().map(|link| link.1)).collect();
        let (ontology, is_top) = (self.ontology, self.nodes.iter().map(|node| node.is_top).collect::<Vec<_>>());
        let mut turned = Vec::new();
        for (place, node) in self.nodes.iter_mut().enumerate() {
            let is_focus = node.types.iter().any(|class| ontology.class_at(*class).is_focus());
            if is_focus && !node.is_top && !ends.contains(&Handle(place)) {
                let is_turned = |slot: SlotId, to: Handle| is_top[to.0] && ontology.slot_at(slot).inverse().is_some();
                turned.extend(node.links.extract_if(.., |link| is_turned(link.0, link.1)).map(|link| (place, link)));
            }
        }
        for (from, (slot, to, evidence)) in turned {
            let slots = &mut self.nodes[to.0].links;
            slots.extend(ontology.slot_at(slot).inverse().map(|inverse| (inverse, Handle(from), evidence)));
        }
    }

    /// The instances at the top, and for every other the one that it stands in, with the place of the link there.
    fn owners(&self) -> (Vec<Handle>, HashMap<Handle, (Handle, usize)>) {
        let live: Vec<_> =
            (0..self.nodes.len()).map(Handle).filter(|at| self.nodes[at.0].merged_into.is_none()).collect();
        let ends: HashSet<_> = self.nodes.iter().flat_map(|node| node.links.iter().map(|link| link.1)).collect();
        let is_led_to = |at: &Handle| ends.contains(at);
        // What pages are about stands at the top, even if something of lesser rank leads to it.
        let is_focus = |at: &Handle| self.types(*at).iter().any(|class| self.ontology.class_at(*class).is_focus());
        let mut ranked = live;
        ranked.sort_by_key(|at| match (is_focus(at), is_led_to(at)) {
            _ if self.nodes[at.0].is_top => 0_u8,
            (true, false) => 1,
            (true, true) => 2,
            (false, false) => 3,
            (false, true) => 4,
        });
        let (mut roots, mut owners) = (Vec::new(), HashMap::new());
        let mut seen = vec![false; self.nodes.len()];
        // Those that lead to each other in a circle come last: the first of them is the top.
        for root in ranked {
            if std::mem::replace(&mut seen[root.0], true) {
                continue;
            }
            roots.push(root);
            let mut open = VecDeque::from([(root, 1)]);
            while let Some((at, depth)) = open.pop_front() {
                for (place, (_, to, _)) in self.nodes[at.0].links.iter().enumerate() {
                    // What would stand too deep stands at the top and is referred to.
                    if depth < DEPTH_LIMIT && !std::mem::replace(&mut seen[to.0], true) {
                        owners.insert(*to, (at, place));
                        open.push_back((*to, depth + 1));
                    }
                }
            }
        }
        (roots, owners)
    }
}

/// Takes out facts with the same end as one in a slot below theirs, which gets their evidence.
fn drop_implied<T: PartialEq>(ontology: &Ontology, facts: &mut Vec<(SlotId, T, Evidence)>) {
    let mut place = 0;
    while let Some((slot, end, _)) = facts.get(place) {
        let is_below =
            |(other, at, _): &(SlotId, T, Evidence)| at == end && other != slot && ontology.is_sub_slot(*other, *slot);
        match facts.iter().position(is_below) {
            Some(below) => {
                let (_, _, evidence) = facts.remove(place);
                facts[below - usize::from(below > place)].2.merge(evidence);
            }
            None => place += 1,
        }
    }
}

/// The order of facts: as they stand in the text.
fn order<T: Ord>(evidence: &Evidence, slot: SlotId, end: T) -> (usize, usize, SlotId, T) {
    (evidence.place.start, evidence.place.end, slot, end)
}

struct Output<'a> {
    builder: &'a Builder<'a>,
    owners: HashMap<Handle, (Handle, usize)>,
    ids: HashMap<Handle, String>,
}

impl Output<'_> {
    /// Ids in the order of the output: `i1`, `i2`.
    fn name_all(&mut self, at: Handle) {
        self.ids.insert(at, format!("i{}", self.ids.len() + 1));
        let inner: Vec<_> = self.nested(at).collect();
        inner.into_iter().for_each(|inner| self.name_all(inner));
    }

    fn nested(&self, at: Handle) -> impl Iterator<Item = Handle> {
        let links = self.builder.nodes[at.0].links.iter().enumerate();
        links.filter(move |(place, (_, to, _))| self.owners.get(to) == Some(&(at, *place))).map(|(_, link)| link.1)
    }

    /// The classes without those that another one implies.
    fn types(&self, at: Handle) -> Vec<String> {
        let (types, ontology) = (&self.builder.nodes[at.0].types, self.builder.ontology);
        let is_implied =
            |class: &ClassId| types.iter().any(|other| ontology.is_a(*other, *class) && !ontology.is_a(*class, *other));
        let said = types.iter().filter(|class| !is_implied(class));
        said.map(|class| ontology.class_at(*class).name().to_owned()).collect()
    }

    fn instance(&self, at: Handle) -> Instance {
        let (node, ontology) = (&self.builder.nodes[at.0], self.builder.ontology);
        let slot_name = |slot: &SlotId| ontology.slot_at(*slot).name().to_owned();
        let value = |(slot, text, evidence): &(SlotId, String, Evidence)| Value {
            name: slot_name(slot),
            text: text.clone(),
            evidence: evidence.clone(),
        };
        let slot = |(place, (slot, to, evidence)): (usize, &(SlotId, Handle, Evidence))| Slot {
            name: slot_name(slot),
            filler: if self.owners.get(to) == Some(&(at, place)) {
                Filler::Instance(Box::new(self.instance(*to)))
            } else {
                Filler::Ref(self.ids[to].clone())
            },
            evidence: evidence.clone(),
        };
        Instance {
            id: self.ids[&at].clone(),
            types: self.types(at),
            // What has a name needs no word.
            lemma: node.lemma.clone().filter(|_| node.name.is_none()),
            name: node.name.clone(),
            values: node.values.iter().map(value).collect(),
            slots: node.links.iter().enumerate().map(slot).collect(),
        }
    }
}
