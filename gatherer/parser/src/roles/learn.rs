//! Learns what speaks for which part, from pages whose names and their parts are known.
//!
//! For each name that a page may have, the parts compete for a share of one, "none" among them (a multinomial logistic model with
//! small weights preferred). Nothing is left to chance: the same pages give the same weights.

use super::{COLUMNS, LIKELY, Role, TENTHS, apart, likeliest, shares, tenths};
use crate::domain::Domain;
use crate::keys::key;
use gatherer_abstracts::ontology::{ClassId, Ontology};
use gatherer_abstracts::score::gold::Named;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

/// How often all names are looked at.
const ROUNDS: usize = 12;
/// How far one name moves a weight at first.
const STEP: f32 = 0.1;
/// What large weights cost.
const MODEST: f32 = 0.002;
/// A smaller pull moves nothing.
const NEGLIGIBLE: f32 = 1e-3;
/// A smaller weight is none.
const LEAST: f32 = 0.2;
/// A sign is learnt if so many pages have it, a part if it is seen so often.
const SIGN_SEEN: usize = 2;
const ROLE_SEEN: usize = 6;

/// Something that may be a name, and what stands around it.
#[derive(Debug)]
pub struct Example {
    /// Its words.
    pub(crate) name: Range<usize>,
    /// What spellings of the name have in common.
    pub(crate) key: String,
    pub(crate) signs: Vec<String>,
}

/// The names of a page, and the parts that they play by its facts.
#[derive(Debug)]
pub struct Lesson {
    examples: Vec<Example>,
    /// For each example the parts that are right, and by which fact; none if it is no name.
    right: Vec<Vec<(Role, usize)>>,
}

impl Lesson {
    pub(crate) fn new(examples: Vec<Example>, named: &[Named], domain: &Domain) -> Self {
        let mut parts: HashMap<String, Vec<(Role, usize)>> = HashMap::new();
        for (number, Named { slot, class, names }) in named.iter().enumerate() {
            let (slot, class) = (*slot, *class);
            let role = Role { slot, class: general(class, domain) };
            names.iter().for_each(|name| parts.entry(key(name)).or_default().push((role, number)));
        }
        let right = examples.iter().map(|example| parts.get(&example.key).cloned().unwrap_or_default()).collect();
        Self { examples, right }
    }
}

/// What was learnt: for each sign its weights, first for none, then for each part.
#[derive(Debug)]
pub struct Learnt {
    roles: Vec<Role>,
    signs: BTreeMap<String, usize>,
    weights: Vec<f32>,
}

/// How names of pages that nothing was learnt from fared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Names with a part.
    pub wanted: usize,
    /// Those that were given it.
    pub right: usize,
    /// Names that were given another part, or have none.
    pub wrong: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.wanted += other.wanted;
        self.right += other.right;
        self.wrong += other.wrong;
    }
}

impl Learnt {
    /// The weights with which these lessons go best.
    pub fn new(lessons: &[&Lesson]) -> Self {
        let right = lessons.iter().flat_map(|lesson| lesson.right.iter().flatten());
        let roles = frequent(right.map(|(role, _)| *role));
        let all = || lessons.iter().flat_map(|lesson| lesson.examples.iter().zip(&lesson.right));
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for lesson in lessons {
            // What only one page has tells of that page.
            let own: HashSet<&str> =
                lesson.examples.iter().flat_map(|example| &example.signs).map(String::as_str).collect();
            own.into_iter().for_each(|sign| *counts.entry(sign).or_default() += 1);
        }
        let mut kept: Vec<_> = counts.iter().filter(|(_, count)| **count >= SIGN_SEEN).map(|(sign, _)| *sign).collect();
        kept.sort_unstable();
        let signs: BTreeMap<String, usize> =
            kept.into_iter().enumerate().map(|(number, sign)| (sign.to_owned(), number)).collect();
        let columns = roles.len() + 1;
        let mut learnt = Self { weights: vec![0.0; signs.len() * columns], roles, signs };
        let rows: Vec<(Vec<usize>, usize)> =
            all().filter_map(|(example, right)| Some((learnt.places(example), learnt.column(right)?))).collect();
        learnt.train(&rows);
        learnt.weights.iter_mut().for_each(|weight| *weight = f32::from(tenths(*weight)) / TENTHS);
        learnt.weights.iter_mut().filter(|weight| weight.abs() < LEAST).for_each(|weight| *weight = 0.0);
        learnt
    }

    fn train(&mut self, rows: &[(Vec<usize>, usize)]) {
        let columns = self.roles.len() + 1;
        let mut moved = vec![1.0_f32; self.weights.len()];
        for _ in 0..ROUNDS {
            for (places, right) in rows {
                let shares = self.shares(places);
                for (column, share) in shares.iter().enumerate() {
                    let pull = f32::from(u8::from(column == *right)) - share;
                    if pull.abs() < NEGLIGIBLE {
                        continue;
                    }
                    for place in places {
                        let at = place * columns + column;
                        let pull = pull - MODEST * self.weights[at];
                        moved[at] += pull * pull;
                        self.weights[at] += STEP * pull / moved[at].sqrt();
                    }
                }
            }
        }
    }

    fn shares(&self, places: &[usize]) -> Vec<f32> {
        let columns = self.roles.len() + 1;
        let mut worths = vec![0.0_f32; columns];
        for place in places {
            let row = &self.weights[place * columns..(place + 1) * columns];
            worths.iter_mut().zip(row).for_each(|(worth, weight)| *worth += weight);
        }
        shares(worths)
    }

    fn places(&self, example: &Example) -> Vec<usize> {
        example.signs.iter().filter_map(|sign| self.signs.get(sign).copied()).collect()
    }

    /// The column of what is right; nothing if it is a part that is too rare to be learnt.
    fn column(&self, right: &[(Role, usize)]) -> Option<usize> {
        let known = right.iter().find_map(|(role, _)| self.roles.iter().position(|one| one == role));
        if right.is_empty() { Some(0) } else { known.map(|place| place + 1) }
    }

    /// Tries it on a page.
    pub fn tried(&self, lesson: &Lesson) -> Tally {
        let mut found = Vec::new();
        for (number, example) in lesson.examples.iter().enumerate() {
            let best =
                likeliest(&self.shares(&self.places(example)), &self.roles).filter(|(share, _)| *share >= LIKELY);
            found.extend(best.map(|(likely, role)| (example.name.clone(), likely, (number, role))));
        }
        let taken = apart(found);
        let facts = |(_, _, (number, role)): &(Range<usize>, f32, (usize, Role))| {
            let of_role = lesson.right[*number].iter().filter(|(own, _)| own == role);
            of_role.map(|(_, fact)| *fact).collect::<Vec<_>>()
        };
        let right: HashSet<usize> = taken.iter().flat_map(facts).collect();
        let wanted: HashSet<usize> = lesson.right.iter().flatten().map(|(_, fact)| *fact).collect();
        let wrong = taken.iter().filter(|one| facts(one).is_empty()).count();
        Tally { wanted: wanted.len(), right: right.len(), wrong }
    }

    /// The weights as the file has them.
    pub fn written(&self, ontology: &Ontology) -> String {
        let columns = self.roles.len() + 1;
        let mut text = String::from(
            "# What speaks for the part that a name plays, and how much; 0 is none.\n# Learnt from tests/gold: gatherer-parser learn --help\n",
        );
        for (place, role) in self.roles.iter().enumerate() {
            let _ = writeln!(text, "role\t{}\t{}", place + 1, role.written(ontology));
        }
        for (sign, number) in &self.signs {
            let row = &self.weights[number * columns..(number + 1) * columns];
            let mut line = String::new();
            for (column, weight) in row.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                let _ = write!(line, "\t{column} {weight:.1}");
            }
            if !line.is_empty() {
                let _ = writeln!(text, "{sign}{line}");
            }
        }
        text
    }
}

/// Parts that are seen often enough, the most frequent first.
fn frequent(roles: impl Iterator<Item = Role>) -> Vec<Role> {
    let mut counts: Vec<(Role, usize)> = Vec::new();
    for role in roles {
        match counts.iter_mut().find(|(one, _)| *one == role) {
            Some((_, count)) => *count += 1,
            None => counts.push((role, 1)),
        }
    }
    counts.retain(|(_, count)| *count >= ROLE_SEEN);
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().map(|(role, _)| role).take(COLUMNS - 1).collect()
}

/// Clubs and bands are organisations; which of them a name is, it says itself.
fn general(class: ClassId, domain: &Domain) -> ClassId {
    let is_related = |other: &ClassId| domain.ontology.is_a(class, *other) || domain.ontology.is_a(*other, class);
    let is_person = |other: &ClassId| Some(*other) == domain.rules.person || Some(*other) == domain.rules.family;
    domain.rules.organisation.filter(|other| is_related(other) && !is_person(&class)).unwrap_or(class)
}
