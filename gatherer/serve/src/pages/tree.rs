//! An abstract as a tree.

use askama::Template;
use gatherer_abstracts::model::{Abstract, Filler, Instance};
use std::collections::HashMap;

/// One thing that a document speaks of, with all that belongs to it.
#[derive(Template)]
#[template(path = "node.html")]
pub(crate) struct Node {
    class: String,
    name: String,
    facts: Vec<Fact>,
    children: Vec<(String, Node)>,
}

struct Fact {
    slot: String,
    value: String,
    quote: String,
}

/// The things that an abstract speaks of. How deep they are nested is limited where abstracts are read.
pub(crate) fn tree(one: &Abstract) -> Vec<Node> {
    let mut names = HashMap::new();
    gatherer_abstracts::model::walk(&one.instances, &mut |instance| {
        drop(names.insert(&*instance.id, called(instance)));
    });
    one.instances.iter().map(|instance| node(instance, &names)).collect()
}

/// What it is known by, with its class.
fn called(instance: &Instance) -> String {
    let class = instance.types.first().map_or("", String::as_str);
    format!("{class} {}", name(instance)).trim().to_owned()
}

fn name(instance: &Instance) -> &str {
    let name = instance.name.as_ref().map(|name| name.text.as_str());
    name.or(instance.lemma.as_deref()).unwrap_or_default()
}

fn node(instance: &Instance, names: &HashMap<&str, String>) -> Node {
    let mut facts: Vec<_> = instance
        .values
        .iter()
        .map(|value| Fact {
            slot: value.name.clone(),
            value: value.text.clone(),
            quote: value.evidence.place.quote.clone(),
        })
        .collect();
    let mut children = Vec::new();
    for slot in &instance.slots {
        match &slot.filler {
            Filler::Instance(inner) => children.push((slot.name.clone(), node(inner, names))),
            Filler::Ref(id) => facts.push(Fact {
                slot: slot.name.clone(),
                value: format!("{} (see there)", names.get(id.as_str()).map_or(id.as_str(), String::as_str)),
                quote: String::new(),
            }),
        }
    }
    Node { class: instance.types.join(", "), name: name(instance).to_owned(), facts, children }
}
