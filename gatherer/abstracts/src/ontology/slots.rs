//! Slots: what stands above them, and between which classes they may stand.

use super::class::ClassId;
use super::compile::{Compiler, cut_cycles, depths, labels};
use super::datatype::{Datatype, is_datatype_like};
use super::slot::{Range, Slot, SlotId};
use super::words::{
    DATATYPE_PROPERTY, DOMAIN_INCLUDES, EQUIVALENT_PROPERTY, FUNCTIONAL_PROPERTY, INVERSE_OF, OBJECT_PROPERTY,
    RANGE_INCLUDES, RDF_PROPERTY, RDF_TYPE, RDFS_DOMAIN, RDFS_RANGE, SUB_PROPERTY_OF, SYMMETRIC_PROPERTY,
    TRANSITIVE_PROPERTY, local_name, short,
};

const SLOT_TYPES: [&str; 6] =
    [OBJECT_PROPERTY, DATATYPE_PROPERTY, RDF_PROPERTY, TRANSITIVE_PROPERTY, SYMMETRIC_PROPERTY, FUNCTIONAL_PROPERTY];

/// What is said of a slot at the slot itself.
#[derive(Debug, Clone, Default)]
struct Said {
    domain: Vec<Vec<ClassId>>,
    range: Vec<Vec<ClassId>>,
    datatypes: Vec<Datatype>,
}

/// Notes all slots.
pub(super) fn declare(compiler: &mut Compiler<'_>) {
    let graph = compiler.graph;
    for iri in graph.subjects().filter(|iri| !iri.starts_with("_:")) {
        if SLOT_TYPES.iter().any(|one| graph.has(iri, RDF_TYPE, one)) {
            declare_one(compiler, iri);
        }
    }
    let said: Vec<_> = (0..compiler.slots.len()).map(|place| connect(compiler, place)).collect();
    order(compiler);
    for place in 0..compiler.slots.len() {
        settle(compiler, place, &said);
    }
}

fn declare_one<'a>(compiler: &mut Compiler<'a>, iri: &'a str) {
    let graph = compiler.graph;
    compiler.check_name(iri);
    let is = |kind: &str| graph.has(iri, RDF_TYPE, kind);
    let slot = Slot {
        iri: iri.to_owned(),
        name: local_name(iri).to_owned(),
        labels: labels(graph, iri),
        parents: Vec::new(),
        depth: 0,
        domain: Vec::new(),
        domain_depths: Vec::new(),
        range: Range::Values(Vec::new()),
        inverse: None,
        says_inverse: false,
        cues: Vec::new(),
        default: true,
        key: false,
        main: false,
        transitive: is(TRANSITIVE_PROPERTY),
        symmetric: is(SYMMETRIC_PROPERTY),
        functional: is(FUNCTIONAL_PROPERTY),
        links: Vec::new(),
    };
    compiler.slot_ids.insert(iri, SlotId(compiler.slots.len()));
    compiler.slots.push(slot);
}

/// Super-slots, inverse, links, own domain and range.
fn connect(compiler: &mut Compiler<'_>, place: usize) -> Said {
    let graph = compiler.graph;
    let iri = compiler.slots[place].iri.clone();
    for (predicate, does) in [(SUB_PROPERTY_OF, "is a sub-slot of"), (EQUIVALENT_PROPERTY, "is the same as")] {
        for other in graph.nodes(&iri, predicate) {
            match compiler.slot_ids.get(other) {
                Some(other) => compiler.slots[place].parents.push(*other),
                None if compiler.is_own(other) => compiler.undeclared(&iri, does, other),
                None => compiler.slots[place].links.push(other.to_owned()),
            }
        }
    }
    for other in graph.nodes(&iri, INVERSE_OF) {
        let Some(other) = compiler.slot_ids.get(other).copied() else {
            compiler.undeclared(&iri, "is the inverse of", other);
            continue;
        };
        compiler.slots[place].says_inverse = !compiler.slots[other.0].says_inverse;
        for (one, other) in [(SlotId(place), other), (other, SlotId(place))] {
            let known = compiler.slots[one.0].inverse.replace(other);
            if known.is_some_and(|known| known != other) {
                let culprit = compiler.slots[one.0].iri.clone();
                compiler.grave(&culprit, "is the inverse of two slots");
            }
        }
    }
    own_ends(compiler, &iri)
}

fn own_ends(compiler: &mut Compiler<'_>, iri: &str) -> Said {
    let graph = compiler.graph;
    let mut said = Said::default();
    for node in graph.nodes(iri, RDFS_DOMAIN) {
        said.domain.push(compiler.expression(iri, "domain", node));
    }
    for node in graph.nodes(iri, RDFS_RANGE) {
        match Datatype::of(node) {
            Some(datatype) => said.datatypes.push(datatype),
            None if is_datatype_like(node) => {
                compiler.grave(iri, format!("has the range {}, which is no type of values", short(node)));
            }
            None => said.range.push(compiler.expression(iri, "range", node)),
        }
    }
    // In schema.org's words, each further class widens.
    for (predicates, ends) in [(DOMAIN_INCLUDES, &mut said.domain), (RANGE_INCLUDES, &mut said.range)] {
        let nodes = predicates.iter().flat_map(|predicate| graph.nodes(iri, predicate));
        let union: Vec<_> = nodes.filter_map(|node| compiler.class_ids.get(node).copied()).collect();
        if !union.is_empty() {
            ends.push(union);
        }
    }
    said
}

fn order(compiler: &mut Compiler<'_>) {
    let mut parents: Vec<Vec<usize>> =
        compiler.slots.iter().map(|slot| slot.parents.iter().map(|one| one.0).collect()).collect();
    for cycle in cut_cycles(&mut parents) {
        let names: Vec<_> = cycle.iter().map(|place| compiler.slots[*place].name.as_str()).collect();
        let (culprit, names) = (compiler.slots[cycle[0]].iri.clone(), names.join(" < "));
        compiler.grave(&culprit, format!("is a sub-slot of itself: {names}"));
    }
    for ((slot, depth), parents) in compiler.slots.iter_mut().zip(depths(&parents)).zip(parents) {
        slot.depth = depth;
        slot.parents = parents.into_iter().map(SlotId).collect();
    }
}

/// Puts together what holds for a slot: what is said of it, of its super-slots, and of its inverse the other way round.
fn settle(compiler: &mut Compiler<'_>, place: usize, said: &[Said]) {
    let mut all = Said::default();
    let mut above = vec![place];
    let mut seen = vec![false; compiler.slots.len()];
    while let Some(slot) = above.pop() {
        if std::mem::replace(&mut seen[slot], true) {
            continue;
        }
        all.domain.extend(said[slot].domain.iter().cloned());
        all.range.extend(said[slot].range.iter().cloned());
        all.datatypes.extend(&said[slot].datatypes);
        above.extend(compiler.slots[slot].parents.iter().map(|parent| parent.0));
        if let Some(inverse) = compiler.slots[slot].inverse {
            all.domain.extend(said[inverse.0].range.iter().cloned());
            all.range.extend(said[inverse.0].domain.iter().cloned());
        }
    }
    check_ends(compiler, place, &all);
    all.datatypes.sort_unstable();
    all.datatypes.dedup();
    let domain_depths = matches(compiler, &all.domain);
    let range_depths = matches(compiler, &all.range);
    let slot = &mut compiler.slots[place];
    slot.range = if all.range.is_empty() {
        Range::Values(all.datatypes)
    } else {
        Range::Classes { unions: all.range, depths: range_depths }
    };
    (slot.domain, slot.domain_depths) = (all.domain, domain_depths);
}

fn check_ends(compiler: &mut Compiler<'_>, place: usize, all: &Said) {
    let graph = compiler.graph;
    let iri = compiler.slots[place].iri.clone();
    // A class that is declared nowhere has been complained about.
    let is_known = |unions: &[Vec<ClassId>]| unions.iter().all(|union| !union.is_empty());
    if all.domain.is_empty() {
        compiler.grave(&iri, "has no domain: nothing says at what it may stand");
    } else if is_known(&all.domain) && matches(compiler, &all.domain).iter().all(Option::is_none) {
        compiler.grave(&iri, format!("can stand at nothing: no class is {}", named(compiler, &all.domain)));
    }
    match (all.range.is_empty(), all.datatypes.is_empty()) {
        (true, true) => compiler.grave(&iri, "has no range: nothing says what may stand in it"),
        (false, false) => compiler.grave(&iri, "has both classes and types of values as its range"),
        (false, true) if graph.has(&iri, RDF_TYPE, DATATYPE_PROPERTY) => {
            compiler.grave(&iri, "is an owl:DatatypeProperty, but has a class as its range");
        }
        (true, false) if graph.has(&iri, RDF_TYPE, OBJECT_PROPERTY) => {
            compiler.grave(&iri, "is an owl:ObjectProperty, but has a type of values as its range");
        }
        (false, true) if is_known(&all.range) && matches(compiler, &all.range).iter().all(Option::is_none) => {
            compiler.grave(&iri, format!("can hold nothing: no class is {}", named(compiler, &all.range)));
        }
        _ => {}
    }
}

/// The unions in words: `Hotel or Pension, and Stadt`.
fn named(compiler: &Compiler<'_>, unions: &[Vec<ClassId>]) -> String {
    let name = |class: &ClassId| compiler.classes[class.0].name.clone();
    let unions = unions.iter().map(|union| union.iter().map(name).collect::<Vec<_>>().join(" or "));
    unions.collect::<Vec<_>>().join(", and ")
}

/// For each class, how deep the deepest match is, if each union has one.
fn matches(compiler: &Compiler<'_>, unions: &[Vec<ClassId>]) -> Vec<Option<usize>> {
    let depth_in = |class: ClassId, union: &Vec<ClassId>| {
        let matching = union.iter().filter(|one| compiler.classes[class.0].ancestors[one.0]);
        matching.map(|one| compiler.classes[one.0].depth).max()
    };
    let depth_of = |class: ClassId| {
        let depths: Option<Vec<_>> = unions.iter().map(|union| depth_in(class, union)).collect();
        depths?.into_iter().max()
    };
    compiler.classes().map(depth_of).collect()
}
