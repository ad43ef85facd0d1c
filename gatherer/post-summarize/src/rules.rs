//! Rules: from the operator's text to what they do.

use crate::condition::Condition;
use crate::parse::parse;
use crate::template::{Template, is_well_formed};
use gatherer_pipeline::{Departure, Summary};
use std::time::Duration;
use thiserror::Error;

/// Attributes that say which data a record was made from; a rule that changed them would make it lie.
const FIXED: [&str; 2] = ["URL", "MD5"];

/// One rule as the operator wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSource {
    /// Its name, for provenance and the ledger.
    pub name: String,
    /// The condition; empty for every resource.
    pub when: String,
    /// Names and values of attributes to set, in order. `{Name}` in a value stands for that attribute.
    pub set: Vec<(String, String)>,
    /// Names of attributes to remove, after `set`.
    pub remove: Vec<String>,
    /// The resource gets no record.
    pub delete: bool,
    /// Life of the record after the last successful visit.
    pub time_to_live: Option<Duration>,
    /// Earliest time between two visits.
    pub refresh_rate: Option<Duration>,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RuleError {
    /// Which rule, counted from 0.
    pub index: usize,
    /// What is wrong; for a condition also where, in characters from 1.
    pub message: String,
    /// The byte in `when`; 0 if the complaint is about another part of the rule.
    pub at: usize,
}

/// All rules, in order, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    name: String,
    /// Who made the attributes that it sets: `rule NAME`.
    by: String,
    when: Condition,
    set: Vec<(String, Template)>,
    remove: Vec<String>,
    delete: bool,
    time_to_live: Option<Duration>,
    refresh_rate: Option<Duration>,
}

impl Rules {
    /// Reads all rules.
    ///
    /// # Errors
    /// Everything that is wrong with any of them: of each condition the first mistake, of the rest all.
    pub fn compile(sources: Vec<RuleSource>) -> Result<Self, Vec<RuleError>> {
        let mut errors = Vec::new();
        let compile = |(index, source)| compile(index, source, &mut errors);
        let rules = sources.into_iter().enumerate().filter_map(compile).collect();
        if errors.is_empty() { Ok(Self(rules)) } else { Err(errors) }
    }

    /// Applies every rule whose condition holds, in order.
    ///
    /// # Errors
    /// [`Departure::RuledOut`] as soon as a rule that deletes holds.
    pub fn apply(&self, mut summary: Summary) -> Result<Summary, Departure> {
        for rule in &self.0 {
            if !rule.when.holds(&summary) {
                continue;
            }
            if rule.delete {
                return Err(Departure::RuledOut { rule: rule.name.clone() });
            }
            rule.change(&mut summary);
        }
        Ok(summary)
    }
}

impl Rule {
    fn change(&self, summary: &mut Summary) {
        for (name, template) in &self.set {
            let value = template.fill(summary);
            summary.set(name, &value, &self.by);
        }
        for name in &self.remove {
            summary.remove(name);
        }
        let times = &mut summary.times;
        times.time_to_live = self.time_to_live.unwrap_or(times.time_to_live);
        times.refresh_rate = self.refresh_rate.unwrap_or(times.refresh_rate);
    }
}

/// A rule, or nothing and its errors added to the others.
fn compile(index: usize, source: RuleSource, errors: &mut Vec<RuleError>) -> Option<Rule> {
    let known = errors.len();
    let when = parse(&source.when).map_err(|mistake| {
        errors.push(RuleError { index, message: mistake.message, at: mistake.at });
    });
    let mut complain = |message| errors.push(RuleError { index, message, at: 0 });
    let mut set = Vec::with_capacity(source.set.len());
    for (name, value) in source.set {
        complaint("set", &name).into_iter().for_each(&mut complain);
        match Template::parse(&value) {
            Ok(template) => set.push((name, template)),
            Err(problem) => complain(format!("value of {name}: {problem}")),
        }
    }
    source.remove.iter().filter_map(|name| complaint("remove", name)).for_each(complain);
    if errors.len() > known {
        return None;
    }
    Some(Rule {
        by: format!("rule {}", source.name),
        name: source.name,
        when: when.ok()?,
        set,
        remove: source.remove,
        delete: source.delete,
        time_to_live: source.time_to_live,
        refresh_rate: source.refresh_rate,
    })
}

fn complaint(verb: &str, name: &str) -> Option<String> {
    if FIXED.iter().any(|fixed| fixed.eq_ignore_ascii_case(name)) {
        return Some(format!("a rule cannot {verb} {name}"));
    }
    if Summary::MOVING.iter().any(|moving| moving.eq_ignore_ascii_case(name)) {
        return Some(format!("a rule cannot {verb} {name}; its keys `time-to-live` and `refresh-rate` do that"));
    }
    (!is_well_formed(name)).then(|| format!("attribute name {name:?} is not well formed"))
}

#[cfg(test)]
pub(crate) mod tests;
