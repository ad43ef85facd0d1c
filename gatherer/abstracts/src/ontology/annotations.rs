//! Our own annotations, and what nobody understands.

use super::class::ClassId;
use super::compile::Compiler;
use super::graph::Object;
use super::slot::Cue;
use super::words::{AB, AB_CUE, AB_DEFAULT, AB_FOCUS, AB_KEY, AB_MAIN, OWL, RDFS, UNDERSTOOD, short};

const ON_CLASSES: &[&str] = &[AB_FOCUS];
const ON_SLOTS: &[&str] = &[AB_CUE, AB_DEFAULT, AB_KEY, AB_MAIN];

/// Reads all annotations of classes and slots.
pub(super) fn read(compiler: &mut Compiler<'_>) {
    for place in 0..compiler.classes.len() {
        let iri = compiler.classes[place].iri.clone();
        complain(compiler, &iri, ON_CLASSES, "a class");
    }
    let said: Vec<_> = (0..compiler.classes.len())
        .map(|place| {
            let iri = compiler.classes[place].iri.clone();
            truth(compiler, &iri, AB_FOCUS)
        })
        .collect();
    for class in compiler.classes() {
        compiler.classes[class.0].focus = inherited(compiler, class, &said);
    }
    for place in 0..compiler.slots.len() {
        read_slot(compiler, place);
    }
}

/// The word of the class itself, else that of those right above it: one yes is enough.
fn inherited(compiler: &Compiler<'_>, class: ClassId, said: &[Option<bool>]) -> bool {
    let above = || compiler.classes[class.0].parents.iter().any(|parent| inherited(compiler, *parent, said));
    said[class.0].unwrap_or_else(above)
}

fn read_slot(compiler: &mut Compiler<'_>, place: usize) {
    let graph = compiler.graph;
    let iri = compiler.slots[place].iri.clone();
    complain(compiler, &iri, ON_SLOTS, "a slot");
    let cue = |(words, language): (&str, Option<&str>)| Cue {
        language: language.map(str::to_owned),
        words: words.trim().to_owned(),
    };
    let cues: Vec<_> = graph.texts(&iri, AB_CUE).map(cue).collect();
    if cues.iter().any(|cue| cue.words.is_empty()) {
        compiler.grave(&iri, "has an empty cue");
    }
    let default = truth(compiler, &iri, AB_DEFAULT).unwrap_or(cues.is_empty());
    if !default && cues.is_empty() {
        compiler.mild(&iri, "does not hold without a cue and has none: only a word of the lexicon can fill it");
    }
    let key = truth(compiler, &iri, AB_KEY).unwrap_or(false);
    if key && !compiler.slots[place].holds_values() {
        compiler.grave(&iri, "is a key, but holds no values that could stand for a name");
    }
    let main = truth(compiler, &iri, AB_MAIN).unwrap_or(false);
    let slot = &mut compiler.slots[place];
    (slot.cues, slot.default, slot.key, slot.main) = (cues, default, key, main);
}

/// What an annotation says, if it is there and says yes or no.
fn truth(compiler: &mut Compiler<'_>, iri: &str, annotation: &str) -> Option<bool> {
    let graph = compiler.graph;
    let said: Vec<_> = graph.statements(iri).iter().filter(|(name, _)| name == annotation).collect();
    let (_, object) = said.first()?;
    if said.len() > 1 {
        compiler.grave(iri, format!("says two things under {}", short(annotation)));
    }
    match object {
        Object::Text(text, _) if matches!(text.as_str(), "true" | "1") => Some(true),
        Object::Text(text, _) if matches!(text.as_str(), "false" | "0") => Some(false),
        _ => {
            compiler.grave(iri, format!("says neither true nor false under {}", short(annotation)));
            None
        }
    }
}

/// Complains about annotations that are misspelt or misplaced, and about what is not understood.
fn complain(compiler: &mut Compiler<'_>, iri: &str, allowed: &[&str], what: &str) {
    let graph = compiler.graph;
    for (predicate, _) in graph.statements(iri) {
        let name = predicate.as_str();
        if name.starts_with(AB) && !allowed.contains(&name) {
            let allowed = allowed.iter().map(|one| short(one)).collect::<Vec<_>>().join(", ");
            compiler.grave(iri, format!("carries {}, which {what} cannot have ({allowed})", short(name)));
        } else if (name.starts_with(OWL) || name.starts_with(RDFS)) && !UNDERSTOOD.contains(&name) {
            compiler.mild(iri, format!("carries {}, which is left out", short(name)));
        }
    }
}
