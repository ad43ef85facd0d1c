//! What part a name plays: who leads the house, who sings, which town is near. Rules know the common ways to say so; for all
//! others, what stands around a name speaks for each part by weights that were learnt from gold pages ([`learn`]).
//!
//! The weights are those of a domain, because parts are slots of its ontology: `roles.tsv` in its folder.

pub mod learn;

use gatherer_abstracts::ontology::{ClassId, Ontology, SlotId};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// A part that a name may play: the slot that leads to it, and what bears the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    pub(crate) slot: SlotId,
    pub(crate) class: ClassId,
}

impl Role {
    /// As files have it: `hat_Inhaber:Person`.
    fn written(self, ontology: &Ontology) -> String {
        format!("{}:{}", ontology.slot_at(self.slot).name(), ontology.class_at(self.class).name())
    }

    fn read(text: &str, ontology: &Ontology) -> Option<Self> {
        let (slot, class) = text.split_once(':')?;
        Some(Self { slot: ontology.slot(slot)?, class: ontology.class(class)? })
    }
}

/// The likeliest first, and none that stands over another.
pub(crate) fn apart<T>(mut all: Vec<(Range<usize>, f32, T)>) -> Vec<(Range<usize>, f32, T)> {
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut taken: Vec<(Range<usize>, f32, T)> = Vec::new();
    for one in all {
        if !taken.iter().any(|other| meet(&one.0, &other.0)) {
            taken.push(one);
        }
    }
    taken
}

/// Whether two ranges have something in common.
pub(crate) fn meet(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && one.end > other.start
}

/// Signs that stand around a name. Each is a short text such as `before=by`, of which only the hash is kept, and while
/// learning the text as well.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    pub(crate) hashes: Vec<u64>,
    pub(crate) texts: Option<Vec<String>>,
}

impl Signs {
    pub(crate) fn clear(&mut self) {
        self.hashes.clear();
        self.texts.iter_mut().for_each(Vec::clear);
    }

    /// A sign of this kind, made of these words.
    pub(crate) fn put(&mut self, kind: &str, words: &[&str]) {
        let mut hash = Fnv::new();
        hash.write(kind);
        for (place, word) in words.iter().enumerate() {
            hash.write(if place == 0 { "=" } else { " " });
            hash.write(word);
        }
        self.hashes.push(hash.0);
        if let Some(texts) = &mut self.texts {
            let join = if words.is_empty() { "" } else { "=" };
            texts.push(format!("{kind}{join}{}", words.join(" ")));
        }
    }
}

/// The share that none and each part have, by what speaks for each.
fn shares(mut worths: Vec<f32>) -> Vec<f32> {
    let most = worths.iter().copied().fold(f32::MIN, f32::max);
    worths.iter_mut().for_each(|worth| *worth = (*worth - most).exp());
    let sum: f32 = worths.iter().sum();
    worths.iter_mut().for_each(|worth| *worth /= sum);
    worths
}

/// The part with most of the shares.
fn likeliest(shares: &[f32], roles: &[Role]) -> Option<(f32, Role)> {
    let most = |best: (f32, Role), (share, role): (f32, Role)| if share > best.0 { (share, role) } else { best };
    shares.iter().copied().skip(1).zip(roles.iter().copied()).reduce(most)
}

/// Room for none and the parts.
pub(crate) const COLUMNS: usize = 64;

/// Hashes that need no further one.
#[derive(Debug, Clone, Copy, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Weights are whole tenths.
const TENTHS: f32 = 10.0;

#[expect(clippy::cast_possible_truncation, reason = "larger weights are as good as the largest")]
fn tenths(weight: f32) -> i8 {
    (weight * TENTHS).round().clamp(f32::from(i8::MIN), f32::from(i8::MAX)) as i8
}

/// A hash of which the parts of a text may be written one after the other.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn write(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A part is taken if it is at least so likely.
pub(crate) const LIKELY: f32 = 0.3;

/// What each sign is worth for each part, and for none.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    pub(crate) roles: Vec<Role>,
    /// First for none, then for each part, in tenths. Some fifty rows are looked at for each name: they are added up at once.
    rows: HashMap<u64, [i8; COLUMNS], BuildHasherDefault<Hashed>>,
}

impl Weights {
    /// Reads a list of parts, `role<TAB>1<TAB>hat_Inhaber:Person`, and behind it signs, `before=by<TAB>1 0.8<TAB>0 -0.2`; 0 is no part.
    pub(crate) fn read(text: &str, ontology: &Ontology) -> Result<Self, String> {
        let mut weights = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let wrong = |what: &str| format!("line {}: {what}", number + 1);
            let mut parts = line.split('\t');
            let sign = parts.next().unwrap_or_default();
            if sign == "role" {
                let role = parts.nth(1).and_then(|role| Role::read(role, ontology));
                weights.roles.push(role.ok_or_else(|| wrong(&format!("{line:?} is no part with slot and class")))?);
                if weights.roles.len() == COLUMNS {
                    return Err(wrong(&format!("there are more than {} parts", COLUMNS - 1)));
                }
                continue;
            }
            let mut row = [0_i8; COLUMNS];
            let count = weights.roles.len() + 1;
            for part in parts {
                let pair = part.split_once(' ').and_then(|(column, weight)| {
                    Some((row[..count].get_mut(column.parse::<usize>().ok()?)?, tenths(weight.parse().ok()?)))
                });
                let (place, weight) = pair.ok_or_else(|| wrong(&format!("{part:?} is no part with its weight")))?;
                *place = weight;
            }
            let mut hash = Fnv::new();
            hash.write(sign);
            weights.rows.insert(hash.0, row);
        }
        Ok(weights)
    }

    /// The part that a name most likely plays, and how likely that is.
    pub(crate) fn best(&self, signs: &Signs) -> Option<(f32, Role)> {
        let mut tenths = [0_i16; COLUMNS];
        for row in signs.hashes.iter().filter_map(|hash| self.rows.get(hash)) {
            tenths.iter_mut().zip(row).for_each(|(sum, weight)| *sum = sum.saturating_add(i16::from(*weight)));
        }
        likeliest(
            &shares(tenths[..=self.roles.len()].iter().map(|sum| f32::from(*sum) / TENTHS).collect()),
            &self.roles,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Document, Engine};

    const FILE: &str = "# learnt\nrole\t1\that_Inhaber:Person\nrole\t2\tliegt_nahe:Stadt\nbefore=by\t0 -1.0\t1 2.0\nbefore2=near to\t2 0.5";

    fn ontology() -> Engine {
        Engine::new("tourism").expect("it ships")
    }

    #[test]
    fn the_part_for_which_most_speaks_is_likeliest() {
        let engine = ontology();
        let weights = Weights::read(FILE, &engine.domain().ontology).expect("it is well-formed");
        let mut signs = Signs::default();
        signs.put("before", &["by"]);
        let (share, role) = weights.best(&signs).expect("there are parts");
        assert_eq!(role.written(&engine.domain().ontology), "hat_Inhaber:Person");
        assert!(share > 0.8, "{share}");
        signs.clear();
        signs.put("before2", &["near", "to"]);
        let (_, role) = weights.best(&signs).expect("there are parts");
        assert_eq!(role.written(&engine.domain().ontology), "liegt_nahe:Stadt");
    }

    #[test]
    fn damaged_weights_are_named() {
        let engine = ontology();
        let check = |text: &str, expected: &str| {
            let error = Weights::read(text, &engine.domain().ontology).expect_err("it is damaged");
            assert!(error.contains(expected), "{error}");
        };
        check("role\t1\that_Nichts:Person", "line 1: ");
        check("role\t1\that_Inhaber:Person\nbefore=by\t2 1.0", "line 2: \"2 1.0\" is no part");
        check("before=by\t0 much", "is no part with its weight");
    }

    #[test]
    fn the_likelier_of_two_that_meet_is_taken() {
        let taken = apart(vec![(0..2, 0.4, 'a'), (1..3, 0.9, 'b'), (3..4, 0.3, 'c')]);
        assert_eq!(taken.iter().map(|(_, _, one)| *one).collect::<String>(), "bc");
    }

    /// The links of a page as `slot name`, those that were learnt only.
    fn learnt(page: &str) -> Vec<String> {
        let document =
            Document { url: "http://a.example/", kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
        let xml = ontology().parse(&document).expect("it is read").result.to_xml();
        let link = |line: &str| {
            let slot = line.split("name=\"").nth(1)?.split('"').next()?;
            let quote = line.split("quote=\"").nth(1)?.split('"').next()?;
            line.contains("evidence=\"learnt\"").then(|| format!("{slot} {quote}"))
        };
        xml.lines().filter_map(link).collect()
    }

    #[test]
    fn names_that_no_rule_knows_get_their_parts() {
        let page = "<title>Tolland Mill</title><h1>Tolland Mill</h1><p>Tolland Mill was built in 1823. Tours are led by Morag \
            Tindall.</p><p>Open daily 10am to 5pm. Adults £4.</p>";
        assert_eq!(learnt(page), ["hat_Mitwirkende Morag Tindall"]);
    }
}
