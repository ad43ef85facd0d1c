//! Rules: from the operator's text to what they do.

use crate::condition::Condition;
use crate::instruction::{Instruction, Step};
use crate::parse::parse;
use crate::programs::Programs;
use gatherer_pipeline::{Departure, Summary};
use thiserror::Error;

/// One rule as the operator wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleSource {
    /// Its name, for provenance, complaints and the ledger.
    pub name: String,
    /// The condition; empty for every resource.
    pub when: String,
    /// What it does where the condition holds, in this order.
    pub instructions: Vec<Instruction>,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RuleError {
    /// Which rule, counted from 0.
    pub index: usize,
    /// What is wrong; for a condition also where, in characters from 1.
    pub message: String,
    /// The byte in `when`; 0 if the complaint is about an instruction.
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
    steps: Vec<Step>,
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

    /// Applies every rule whose condition holds, in order. What a program did not do well stands under `Complaints`,
    /// with the rule and the program; the attribute keeps its value then.
    ///
    /// # Errors
    /// [`Departure::RuledOut`] as soon as a rule deletes.
    pub fn apply(&self, mut summary: Summary, programs: &dyn Programs) -> Result<Summary, Departure> {
        for rule in &self.0 {
            if !rule.when.holds(&summary) {
                continue;
            }
            for step in &rule.steps {
                if matches!(step, Step::Delete) {
                    return Err(Departure::RuledOut { rule: rule.name.clone() });
                }
                if let Err(problem) = step.change(&mut summary, &rule.by, programs) {
                    summary.complain(&format!("{}: {problem}", rule.by), &rule.by);
                }
            }
        }
        Ok(summary)
    }
}

/// A rule, or nothing and its errors added to the others.
fn compile(index: usize, source: RuleSource, errors: &mut Vec<RuleError>) -> Option<Rule> {
    let known = errors.len();
    let when = parse(&source.when).map_err(|mistake| {
        errors.push(RuleError { index, message: mistake.message, at: mistake.at });
    });
    let mut steps = Vec::with_capacity(source.instructions.len());
    for instruction in &source.instructions {
        match instruction.compile() {
            Ok(step) => steps.push(step),
            Err(problems) => errors.extend(problems.into_iter().map(|message| RuleError { index, message, at: 0 })),
        }
    }
    if errors.len() > known {
        return None;
    }
    Some(Rule { by: format!("rule {}", source.name), name: source.name, when: when.ok()?, steps })
}

#[cfg(test)]
pub(crate) mod tests;
