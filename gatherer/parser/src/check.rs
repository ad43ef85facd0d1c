//! Faults of a domain that only show when it is looked at as a whole.

use crate::domain::Domain;
use crate::lexicon::Concept;
use gatherer_abstracts::ontology::ClassId;
use std::collections::BTreeSet;

/// What is wrong, and what may be.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Something cannot work as written.
    pub faults: Vec<String>,
    /// Something can never be found, or says nothing.
    pub hints: Vec<String>,
}

/// Looks at a domain: words without concept and words that stand twice (found while reading), classes that nothing leads
/// to, classes that no word stands for, slots that no word or form can fill. What is wrong with the ontology itself
/// (slots without domain, cycles) keeps it from being loaded.
pub fn findings(domain: &Domain) -> Findings {
    let mut findings = Findings { faults: domain.complaints.clone(), hints: Vec::new() };
    findings.hints.extend(domain.ontology.complaints().iter().map(ToString::to_string));
    let worded = worded(domain);
    for class in domain.ontology.classes() {
        let name = domain.ontology.class_at(class).name();
        if !is_reachable(domain, class) {
            findings.hints.push(format!("nothing leads to {name}: it is no focus and stands in no slot"));
        }
        let is_worded = worded.iter().any(|one| domain.ontology.is_a(*one, class));
        if !is_worded {
            findings.hints.push(format!("no word stands for {name}"));
        }
    }
    for slot in domain.ontology.slots() {
        let known = domain.ontology.slot_at(slot);
        if known.holds_values() && !is_fillable(domain, slot) {
            findings.hints.push(format!("no form and no word fills {}", known.name()));
        }
    }
    findings
}

/// The classes that words, places or forms stand for.
fn worded(domain: &Domain) -> BTreeSet<ClassId> {
    let words = domain.lexicons.iter().flat_map(|lexicon| &lexicon.entries).filter_map(|entry| match entry.concept {
        Concept::Thing(class) => Some(class),
        _ => None,
    });
    let rules = &domain.rules;
    let forms = [rules.money, rules.town, rules.district, rules.region, rules.person, rules.family];
    words.chain(forms.into_iter().flatten()).chain(domain.places.classes()).collect()
}

/// Whether a page may be about it, or some slot leads to it.
fn is_reachable(domain: &Domain, class: ClassId) -> bool {
    let ontology = &domain.ontology;
    let is_below = |other: &ClassId| ontology.is_a(class, *other) || ontology.is_a(*other, class);
    let in_slot =
        || ontology.slots().any(|slot| ontology.slot_at(slot).range().iter().any(|union| union.iter().any(is_below)));
    ontology.classes().any(|other| ontology.class_at(other).is_focus() && is_below(&other)) || in_slot()
}

fn is_fillable(domain: &Domain, slot: gatherer_abstracts::ontology::SlotId) -> bool {
    let by_form = domain.rules.literals.values().flatten().any(|one| one.slot == slot);
    let by_word = domain
        .lexicons
        .iter()
        .flat_map(|lexicon| &lexicon.entries)
        .any(|entry| matches!(&entry.concept, Concept::Value(one, _) if *one == slot));
    by_form || by_word || domain.ontology.slot_at(slot).is_key() || domain.rules.people == Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Languages;

    #[test]
    fn shipped_domains_have_no_faults() {
        let languages = Languages::shipped();
        for name in Domain::shipped() {
            let domain = Domain::load(&name, &languages).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(findings(&domain).faults, Vec::<String>::new(), "{name}");
        }
    }
}
