//! The cues of slots, as words to look for.

use super::Rules;
use crate::language::Tongue;
use gatherer_abstracts::ontology::{ClassId, Ontology, SlotId};
use std::collections::{HashMap, HashSet};

/// Words that ask for the name of somebody, and of whom.
#[derive(Debug)]
pub(crate) struct AgentCue {
    pub(crate) words: Vec<String>,
    pub(crate) person: bool,
    pub(crate) organisation: bool,
}

/// Words that say which slot is meant.
#[derive(Debug)]
pub(crate) struct Cues {
    /// The words of the cues of each slot, in small letters, by language.
    of_slots: [HashMap<SlotId, Vec<Vec<String>>>; 2],
    /// English words that ask for the name of somebody, by the first of them.
    pub(crate) agents: HashMap<String, Vec<AgentCue>>,
    /// Words before names that say what somebody is: "Küchenchef".
    pub(crate) persons: HashSet<String>,
}

impl Cues {
    pub(super) fn new(ontology: &Ontology, rules: &Rules) -> Self {
        let of_slots = Tongue::ALL.map(|tongue| cue_words(ontology, tongue));
        let agents = agent_cues(ontology, rules, &of_slots[Tongue::English as usize]);
        let persons = person_words(ontology, rules, &of_slots);
        Self { of_slots, agents, persons }
    }

    /// The cues of a slot, each as its words in small letters.
    pub(crate) fn of(&self, slot: SlotId, tongue: Tongue) -> &[Vec<String>] {
        self.of_slots[tongue as usize].get(&slot).map_or(&[], Vec::as_slice)
    }
}

/// The words of the cues of each slot, in small letters.
fn cue_words(ontology: &Ontology, tongue: Tongue) -> HashMap<SlotId, Vec<Vec<String>>> {
    let words = |cue: &str| cue.replace('.', " .").split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let of_slot = |slot: SlotId| ontology.slot_at(slot).cues_in(tongue.code()).map(words).collect();
    ontology.slots().map(|slot| (slot, of_slot(slot))).collect()
}

/// The cues of one word of all slots that lead to people.
fn person_words(ontology: &Ontology, rules: &Rules, cues: &[HashMap<SlotId, Vec<Vec<String>>>]) -> HashSet<String> {
    let leads = |slot: &SlotId| rules.person.is_some_and(|person| ontology.fits_range(*slot, &[person]));
    let all = cues.iter().flat_map(|cues| ontology.slots().filter(leads).filter_map(|slot| cues.get(&slot))).flatten();
    all.filter(|words| words.len() == 1).map(|words| words[0].clone()).collect()
}

/// The cues of all slots that lead to people or organisations.
fn agent_cues(
    ontology: &Ontology,
    rules: &Rules,
    cues: &HashMap<SlotId, Vec<Vec<String>>>,
) -> HashMap<String, Vec<AgentCue>> {
    let mut all: HashMap<String, Vec<AgentCue>> = HashMap::new();
    let holds = |slot: SlotId, class: Option<ClassId>| class.is_some_and(|class| ontology.fits_range(slot, &[class]));
    for slot in ontology.slots() {
        let (person, organisation) = (holds(slot, rules.person), holds(slot, rules.organisation));
        if !person && !organisation {
            continue;
        }
        for words in cues.get(&slot).into_iter().flatten() {
            let Some(first) = words.first() else { continue };
            let of_first = all.entry(first.clone()).or_default();
            match of_first.iter_mut().find(|cue| cue.words == *words) {
                Some(cue) => (cue.person, cue.organisation) = (cue.person || person, cue.organisation || organisation),
                None => of_first.push(AgentCue { words: words.clone(), person, organisation }),
            }
        }
    }
    all
}
