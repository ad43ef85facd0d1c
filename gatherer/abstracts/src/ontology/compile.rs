//! From statements to tables: the header, the classes and what stands above them.

use super::annotations;
use super::class::{Class, ClassId};
use super::complaint::{Complaint, Complaints};
use super::graph::Graph;
use super::slot::{Slot, SlotId};
use super::words::{
    DISJOINT_WITH, EQUIVALENT_CLASS, OWL_CLASS, OWL_ONTOLOGY, OWL_THING, OWL_VERSION_INFO, OWL_VERSION_IRI, RDF_TYPE,
    RDFS_CLASS, RDFS_LABEL, SUB_CLASS_OF, UNION_OF, local_name, short,
};
use super::{Ontology, reach, slots};
use std::collections::HashMap;

pub(super) fn compile(text: &str, imports: &dyn Fn(&str) -> Option<String>) -> Result<Ontology, Complaints> {
    let mut complaints = Vec::new();
    let (graph, hash) = Graph::read(text, imports, &mut complaints);
    // What is missing from a text that could not be read is no fault of its own.
    if !complaints.is_empty() {
        return Err(Complaints(complaints));
    }
    let mut compiler = Compiler::new(&graph);
    let (iri, version) = compiler.header();
    let equivalents = compiler.declare_classes();
    compiler.order_classes(&equivalents);
    slots::declare(&mut compiler);
    annotations::read(&mut compiler);
    reach::check(&mut compiler);
    let Compiler { classes, slots, complaints, .. } = compiler;
    if complaints.iter().any(|complaint| complaint.is_grave) {
        return Err(Complaints(complaints));
    }
    let class_names = classes.iter().enumerate().map(|(place, class)| (class.name.clone(), ClassId(place))).collect();
    let slot_names = slots.iter().enumerate().map(|(place, slot)| (slot.name.clone(), SlotId(place))).collect();
    Ok(Ontology { iri, version, hash, classes, slots, class_names, slot_names, complaints })
}

/// The tables while they grow.
pub(super) struct Compiler<'a> {
    pub(super) graph: &'a Graph,
    pub(super) complaints: Vec<Complaint>,
    pub(super) classes: Vec<Class>,
    pub(super) class_ids: HashMap<&'a str, ClassId>,
    pub(super) slots: Vec<Slot>,
    pub(super) slot_ids: HashMap<&'a str, SlotId>,
    /// Where the names of this ontology and of its imports begin.
    spaces: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(graph: &'a Graph) -> Self {
        let (classes, class_ids, slots, slot_ids) = (Vec::new(), HashMap::new(), Vec::new(), HashMap::new());
        Self { graph, complaints: Vec::new(), classes, class_ids, slots, slot_ids, spaces: Vec::new() }
    }

    pub(super) fn grave(&mut self, culprit: &str, text: impl std::fmt::Display) {
        self.complaints.push(Complaint::grave(culprit, text));
    }

    pub(super) fn mild(&mut self, culprit: &str, text: impl std::fmt::Display) {
        self.complaints.push(Complaint::mild(culprit, text));
    }

    /// IRI and version. The first ontology is ours, the others are imported.
    fn header(&mut self) -> (String, String) {
        let graph = self.graph;
        let headers: Vec<_> = graph.subjects().filter(|one| graph.has(one, RDF_TYPE, OWL_ONTOLOGY)).collect();
        self.spaces.extend(headers.iter().map(|iri| iri.trim_end_matches(['#', '/']).to_owned()));
        let Some(iri) = headers.first() else {
            self.grave("the ontology", "has no name: nothing in it is an owl:Ontology");
            return Default::default();
        };
        let version = graph.texts(iri, OWL_VERSION_INFO).next().map(|(text, _)| text);
        let Some(version) = version.or_else(|| graph.nodes(iri, OWL_VERSION_IRI).next()) else {
            self.grave(iri, "has no version: add owl:versionInfo");
            return Default::default();
        };
        ((*iri).to_owned(), version.to_owned())
    }

    /// Whether an IRI belongs to this ontology or to what it imports.
    pub(super) fn is_own(&self, iri: &str) -> bool {
        self.spaces
            .iter()
            .any(|space| iri.strip_prefix(space.as_str()).is_some_and(|rest| rest.starts_with(['#', '/'])))
    }

    /// Notes all classes and what is said right at them; gives back which of them are the same.
    fn declare_classes(&mut self) -> Vec<(ClassId, ClassId)> {
        let graph = self.graph;
        let is_class = |iri: &&str| graph.has(iri, RDF_TYPE, OWL_CLASS) || graph.has(iri, RDF_TYPE, RDFS_CLASS);
        for iri in graph.subjects().filter(is_class).filter(|iri| !iri.starts_with("_:")) {
            self.check_name(iri);
            let class = Class {
                iri: iri.to_owned(),
                name: local_name(iri).to_owned(),
                labels: labels(graph, iri),
                parents: Vec::new(),
                ancestors: Vec::new(),
                depth: 0,
                focus: false,
                links: Vec::new(),
            };
            self.class_ids.insert(iri, ClassId(self.classes.len()));
            self.classes.push(class);
        }
        let declared: Vec<_> = self.classes().collect();
        declared.iter().flat_map(|class| self.connect_class(*class)).collect()
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len()).map(ClassId)
    }

    /// A name must be one of XML, and no other class or slot may have it.
    pub(super) fn check_name(&mut self, iri: &str) {
        let name = local_name(iri);
        let begins_well = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        if !begins_well || !name.chars().all(|one| one.is_alphanumeric() || "_-.".contains(one)) {
            self.grave(iri, "has a name that cannot stand in XML: use letters, digits and underlines");
        }
        let is_taken = |known: &&str| local_name(known) == name && *known != iri;
        let other = self.class_ids.keys().chain(self.slot_ids.keys()).find(|known| is_taken(known)).copied();
        if let Some(other) = other {
            self.grave(iri, format!("has the same name as {other}"));
        } else if self.class_ids.contains_key(iri) {
            self.grave(iri, "is declared as a class and as a slot");
        }
    }

    fn connect_class(&mut self, class: ClassId) -> Vec<(ClassId, ClassId)> {
        let graph = self.graph;
        let iri = self.classes[class.0].iri.clone();
        let mut equivalents = Vec::new();
        for parent in graph.nodes(&iri, SUB_CLASS_OF).filter(|parent| *parent != OWL_THING) {
            match self.class_ids.get(parent) {
                Some(parent) => self.classes[class.0].parents.push(*parent),
                None if parent.starts_with("_:") => self.mild(&iri, "has a nameless super-class, which is left out"),
                None if self.is_own(parent) => self.undeclared(&iri, "is a sub-class of", parent),
                None => self.classes[class.0].links.push(parent.to_owned()),
            }
        }
        for other in graph.nodes(&iri, EQUIVALENT_CLASS) {
            match self.class_ids.get(other) {
                Some(other) => equivalents.push((class, *other)),
                None if other.starts_with("_:") => self.take_members(class, other),
                None if self.is_own(other) => self.undeclared(&iri, "is the same as", other),
                // What it is equivalent to says more than what it is under.
                None => self.classes[class.0].links.insert(0, other.to_owned()),
            }
        }
        self.take_members(class, &iri);
        equivalents
    }

    /// The members of a union are sub-classes of it.
    fn take_members(&mut self, class: ClassId, node: &str) {
        let graph = self.graph;
        let iri = self.classes[class.0].iri.clone();
        for member in graph.nodes(node, UNION_OF).flat_map(|head| graph.list(head)) {
            match self.class_ids.get(member) {
                Some(member) => self.classes[member.0].parents.push(class),
                None => self.undeclared(&iri, "is a union with", member),
            }
        }
    }

    pub(super) fn undeclared(&mut self, culprit: &str, does: &str, node: &str) {
        self.grave(culprit, format!("{does} {}, which is declared nowhere", short(node)));
    }

    /// Who stands above whom, how deep, and that nobody stands above itself or is two things that exclude each other.
    fn order_classes(&mut self, equivalents: &[(ClassId, ClassId)]) {
        self.cut_class_cycles();
        let count = self.classes.len();
        let mut above: Vec<Vec<usize>> =
            self.classes.iter().map(|class| class.parents.iter().map(|one| one.0).collect()).collect();
        for (one, other) in equivalents {
            above[one.0].push(other.0);
            above[other.0].push(one.0);
        }
        for place in 0..count {
            self.classes[place].ancestors = reached(place, &above);
        }
        let parents: Vec<Vec<usize>> =
            self.classes.iter().map(|class| class.parents.iter().map(|one| one.0).collect()).collect();
        for (place, depth) in depths(&parents).into_iter().enumerate() {
            self.classes[place].depth = depth;
        }
        for (one, other) in equivalents {
            let deepest = self.classes[one.0].depth.max(self.classes[other.0].depth);
            (self.classes[one.0].depth, self.classes[other.0].depth) = (deepest, deepest);
        }
        self.check_disjoint();
    }

    fn cut_class_cycles(&mut self) {
        let mut parents: Vec<Vec<usize>> =
            self.classes.iter().map(|class| class.parents.iter().map(|one| one.0).collect()).collect();
        for cycle in cut_cycles(&mut parents) {
            let names: Vec<_> = cycle.iter().map(|place| self.classes[*place].name.as_str()).collect();
            let (culprit, names) = (self.classes[cycle[0]].iri.clone(), names.join(" < "));
            self.grave(&culprit, format!("is a sub-class of itself: {names}"));
        }
        for (class, parents) in self.classes.iter_mut().zip(parents) {
            class.parents = parents.into_iter().map(ClassId).collect();
            class.parents.dedup();
        }
    }

    fn check_disjoint(&mut self) {
        let graph = self.graph;
        let pairs: Vec<_> = self
            .classes()
            .flat_map(|class| {
                let others = graph.nodes(&self.classes[class.0].iri, DISJOINT_WITH);
                others.filter_map(|other| Some((class, *self.class_ids.get(other)?))).collect::<Vec<_>>()
            })
            .collect();
        for (one, other) in pairs {
            let torn = self.classes.iter().find(|class| class.ancestors[one.0] && class.ancestors[other.0]);
            if let Some(torn) = torn {
                let [one, other] = [one, other].map(|class| self.classes[class.0].name.clone());
                let culprit = torn.iri.clone();
                self.grave(&culprit, format!("is both {one} and {other}, which exclude each other"));
            }
        }
    }

    /// The classes that a domain or range names: one, or those of a union. Everything is everything that has nothing above it.
    pub(super) fn expression(&mut self, culprit: &str, what: &str, node: &'a str) -> Vec<ClassId> {
        let graph = self.graph;
        if node == OWL_THING {
            return self.classes().filter(|class| self.classes[class.0].parents.is_empty()).collect();
        }
        let members: Vec<_> = match graph.nodes(node, UNION_OF).next() {
            Some(head) if node.starts_with("_:") => graph.list(head),
            _ => vec![node],
        };
        let mut union = Vec::new();
        for member in members {
            match self.class_ids.get(member) {
                Some(class) => union.push(*class),
                None if member.starts_with("_:") => {
                    self.grave(culprit, format!("has a {what} that is neither a class nor a union of classes"));
                }
                None => self.undeclared(culprit, &format!("has the {what}"), member),
            }
        }
        union
    }
}

pub(super) fn labels(graph: &Graph, iri: &str) -> Vec<(String, String)> {
    let labels = graph.texts(iri, RDFS_LABEL);
    labels.map(|(text, language)| (language.unwrap_or_default().to_owned(), text.to_owned())).collect()
}

/// All nodes above one, itself included.
fn reached(from: usize, above: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; above.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&above[node]);
        }
    }
    seen
}

/// The longest way up from each node. There must be no cycles.
pub(super) fn depths(parents: &[Vec<usize>]) -> Vec<usize> {
    let mut depths = vec![0; parents.len()];
    // Each round carries depths one level down; without cycles they come to rest.
    for _ in 0..parents.len() {
        let mut is_done = true;
        for (node, above) in parents.iter().enumerate() {
            let depth = above.iter().map(|parent| depths[*parent] + 1).max().unwrap_or(0);
            is_done &= depth == depths[node];
            depths[node] = depth;
        }
        if is_done {
            break;
        }
    }
    depths
}

/// Takes out the links that close cycles, and tells the cycles.
pub(super) fn cut_cycles(parents: &mut [Vec<usize>]) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    for node in 0..parents.len() {
        while let Some(cycle) = cycle_through(node, parents) {
            let last = cycle[cycle.len() - 2];
            parents[last].retain(|parent| *parent != node);
            cycles.push(cycle);
        }
    }
    cycles
}

/// The shortest way from a node up to itself.
fn cycle_through(node: usize, parents: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut came_from: HashMap<usize, usize> = HashMap::new();
    let mut open = std::collections::VecDeque::from([node]);
    while let Some(place) = open.pop_front() {
        for parent in &parents[place] {
            if *parent == node {
                let mut way = vec![node];
                let mut step = place;
                while step != node {
                    way.push(step);
                    step = came_from[&step];
                }
                way.push(node);
                way.reverse();
                return Some(way);
            }
            if !came_from.contains_key(parent) {
                came_from.insert(*parent, place);
                open.push_back(*parent);
            }
        }
    }
    None
}
