//! Gold pages: what a page says, written down by hand. The notation is described in `tests/gold/README.md`.

use crate::check::forms::has_form;
use crate::ontology::{ClassId, Ontology, SlotId};
use std::path::{Path, PathBuf};

/// One page and its place in the order of scoring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its folder, relative to the gold: `de/hotel-krone`.
    pub path: String,
    /// The URL that it pretends to have.
    pub url: String,
    /// Its encoding.
    pub charset: String,
    /// The domain whose ontology its facts are in.
    pub domain: String,
    /// `single`, `listing`, `foreign` or `mixed`.
    pub kind: String,
}

impl Page {
    /// Its language: the first part of its path.
    pub fn language(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }
}

/// Reads `order.txt`.
///
/// # Errors
/// If it cannot be read, or a line has not five parts.
pub fn pages(gold: &Path) -> Result<Vec<Page>, String> {
    let path = gold.join("order.txt");
    let text = read(&path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let page = |(number, line): (usize, &str)| {
        let parts: Vec<_> = line.split('\t').map(|part| part.trim().to_owned()).collect();
        let wrong = |_| format!("{}:{}: not five parts with tabs between them", path.display(), number + 1);
        let [path, url, charset, domain, kind] = <[String; 5]>::try_from(parts).map_err(wrong)?;
        Ok(Page { path, url, charset, domain, kind })
    };
    lines.map(page).collect()
}

/// The bytes of a page.
///
/// # Errors
/// If they cannot be read.
pub fn bytes(gold: &Path, page: &Page) -> Result<Vec<u8>, String> {
    let path = gold.join(&page.path).join("page.html");
    std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The facts of a page.
///
/// # Errors
/// If they cannot be read, or a line is wrong. All wrong lines are named.
pub fn facts(gold: &Path, page: &Page, ontology: &Ontology) -> Result<Vec<GoldFact>, String> {
    let path = gold.join(&page.path).join("facts.tsv");
    parse(&read(&path)?, ontology).map_err(|complaints| {
        let named = complaints.iter().map(|(line, what)| format!("{}:{line}: {what}", path.display()));
        named.collect::<Vec<_>>().join("\n")
    })
}

fn read(path: &PathBuf) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// A fact that a page states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldFact {
    /// Whether it must be found; else it may.
    pub counts: bool,
    /// The line as it was written, without its first column; turned round if its slot is an inverse.
    pub line: String,
    pub(super) subject: Thing,
    pub(super) predicate: Predicate,
    pub(super) object: End,
}

/// Something with a proper name, and the slot that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The slot.
    pub slot: SlotId,
    /// What it is.
    pub class: ClassId,
    /// The names that will do.
    pub names: Vec<String>,
}

/// What facts lead to and has a proper name.
pub fn named(facts: &[GoldFact]) -> Vec<Named> {
    let of_fact = |fact: &GoldFact| {
        let (Predicate::Slot(slot), End::Thing(thing)) = (fact.predicate, &fact.object) else { return None };
        super::is_proper(fact.line.split('\t').nth(2)?).then_some(())?;
        Some(Named { slot, class: thing.class, names: thing.names.clone()? })
    };
    facts.iter().filter_map(of_fact).collect()
}

/// What a page is about by its facts: the names of the first thing that nothing else holds (none if any will do), and its classes.
pub fn about(facts: &[GoldFact]) -> Option<(Vec<String>, Vec<ClassId>)> {
    let kind = |fact: &GoldFact| match (fact.predicate, &fact.object) {
        (Predicate::Type, End::Class(class)) => Some(*class),
        _ => None,
    };
    let typed = || facts.iter().filter(|fact| kind(fact).is_some());
    let first = typed().find(|fact| fact.counts).or_else(|| typed().next())?;
    let must = typed().filter(|fact| fact.counts && fact.subject.names == first.subject.names).filter_map(kind);
    let classes = std::iter::once(first.subject.class).chain(must).collect();
    Some((first.subject.names.clone().unwrap_or_default(), classes))
}

/// A slot, or the kind of a thing, which is no slot but counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predicate {
    Type,
    Slot(SlotId),
}

/// A class, and the names that will do; none is any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) class: ClassId,
    pub(super) names: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Thing(Thing),
    /// Literals of which one will do.
    Literal(Vec<String>),
    Class(ClassId),
}

/// Reads the lines of `facts.tsv`.
pub(super) fn parse(text: &str, ontology: &Ontology) -> Result<Vec<GoldFact>, Vec<(usize, String)>> {
    let (mut facts, mut complaints) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match fact(line, ontology) {
            Ok(fact) => facts.push(fact),
            Err(complaint) => complaints.push((number + 1, complaint)),
        }
    }
    if complaints.is_empty() { Ok(facts) } else { Err(complaints) }
}

fn fact(line: &str, ontology: &Ontology) -> Result<GoldFact, String> {
    let mut parts: Vec<_> = line.split('\t').map(str::trim).collect();
    // What is said from the other end is turned round, as in answers.
    if let [_, subject, slot, object] = parts.as_mut_slice()
        && let Some(other) = ontology.slot(slot).and_then(|slot| ontology.slot_at(slot).turned())
    {
        *slot = ontology.slot_at(other).name();
        std::mem::swap(subject, object);
    }
    let [counts, subject, slot, object] = parts.as_slice() else {
        return Err("not four parts with tabs between them".to_owned());
    };
    let counts = match *counts {
        "c" => true,
        "w" => false,
        other => return Err(format!("{other:?} is neither c nor w")),
    };
    let class = |name: &str| ontology.class(name).ok_or_else(|| format!("{name} is no class of the ontology"));
    let thing = |text: &str| {
        let (name, names) = text.split_once(':').ok_or_else(|| format!("{text:?} is not Class:name"))?;
        let names: Vec<_> = names.split('|').map(same_name).collect();
        let any = names.iter().any(|name| name == "*");
        Ok::<_, String>(Thing { class: class(name)?, names: (!any).then_some(names) })
    };
    let (predicate, object) = if *slot == "type" {
        (Predicate::Type, End::Class(class(object)?))
    } else {
        let slot = ontology.slot(slot).ok_or_else(|| format!("{slot} is no slot of the ontology"))?;
        let entry = ontology.slot_at(slot);
        let object = if entry.holds_values() {
            let literals: Vec<_> = object.split('|').map(|one| one.trim().to_owned()).collect();
            let has_form = |text: &&String| entry.datatypes().iter().any(|datatype| has_form(*datatype, text));
            if let Some(wrong) = literals.iter().find(|text| !has_form(text)) {
                return Err(format!("{wrong:?} is not written as {} is", entry.name()));
            }
            End::Literal(literals)
        } else {
            End::Thing(thing(object)?)
        };
        (Predicate::Slot(slot), object)
    };
    let (line, subject) = (parts[1..].join("\t"), thing(subject)?);
    check_ends(ontology, &subject, predicate, &object)?;
    Ok(GoldFact { counts, line, subject, predicate, object })
}

/// What the ontology forbids no parser can find. (Something below the class of the gold may fit where the class itself does
/// not.)
fn check_ends(ontology: &Ontology, subject: &Thing, predicate: Predicate, object: &End) -> Result<(), String> {
    let Predicate::Slot(slot) = predicate else { return Ok(()) };
    let name = |class: ClassId| ontology.class_at(class).name();
    let below = |class: ClassId| ontology.classes().filter(move |one| ontology.is_a(*one, class));
    if !below(subject.class).any(|class| ontology.fits_domain(slot, &[class])) {
        return Err(format!("{} cannot stand at {}", ontology.slot_at(slot).name(), name(subject.class)));
    }
    match object {
        End::Thing(thing) if !below(thing.class).any(|class| ontology.fits_range(slot, &[class])) => {
            Err(format!("{} cannot hold {}", ontology.slot_at(slot).name(), name(thing.class)))
        }
        _ => Ok(()),
    }
}

/// Articles that are no part of a name.
const ARTICLES: &[&str] = &["der ", "die ", "das ", "the ", "a ", "an "];

/// The form in which names are compared.
pub(super) fn same_name(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let is_quotation = |one: &char| "\"'`´„“”‚‘’«»‹›".contains(*one);
    let dashes = |one: char| if matches!(one, '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { one };
    let text: String = name.nfc().flat_map(char::to_lowercase).filter(|one| !is_quotation(one)).map(dashes).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = ARTICLES.iter().find_map(|article| text.strip_prefix(article)).map(str::to_owned);
    bare.unwrap_or(text)
}
