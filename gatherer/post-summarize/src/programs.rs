//! Instructions that need a program. Others start it; here its input is made and its answer judged.
//!
//! A program that cannot be run, or answers with something unusable, changes nothing: the error goes to the caller.

use crate::instruction::is_changeable;
use crate::rewrite::new_url;
use gatherer_pipeline::{Draft, Summary};
use std::path::PathBuf;
use url::Url;

/// A program and its arguments. No shell looks at them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program; in a rule file of Harvest the very word that stands there.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// Who runs the programs that rules name. `url` is that of the resource, for the program's environment.
pub trait Programs {
    /// Gives a program `input` on standard input; the answer is what it prints.
    ///
    /// # Errors
    /// Why there is no answer, as in "it did not end within 30 s".
    fn run(&self, command: &Command, input: &[u8], url: &Url) -> Result<Vec<u8>, String>;

    /// Gives a program attributes on standard input, in SOIF, and takes those that it prints.
    ///
    /// # Errors
    /// Why there is no answer. One that can be read only in part is none.
    fn pass(&self, command: &Command, attributes: &Attributes, url: &Url) -> Result<Vec<(String, String)>, String>;
}

/// Names and values.
pub type Attributes = [(String, String)];

/// The value of one attribute through a program. One that is not there stays away, and an empty answer removes it.
pub(crate) fn filter(
    summary: &mut Summary,
    attribute: &str,
    command: &Command,
    by: &str,
    programs: &dyn Programs,
) -> Result<(), String> {
    let Some(value) = summary.get(attribute) else { return Ok(()) };
    let answer = run(command, value, summary, programs)?;
    // A draft makes foreign text fit for records.
    let mut draft = Draft::new();
    draft.add(attribute, &answer);
    summary.set(attribute, draft.get(attribute).unwrap_or_default(), by);
    judge(command, draft.complaints())
}

/// The URL of the record through a program.
pub(crate) fn filter_url(summary: &mut Summary, command: &Command, programs: &dyn Programs) -> Result<(), String> {
    let answer = run(command, summary.url().as_str(), summary, programs)?;
    summary.set_url(new_url(&answer).map_err(|problem| named(command, &problem))?);
    Ok(())
}

/// Attributes through a program. What it gives back is set, and removed where its value is empty; the rest stays.
pub(crate) fn pass(
    summary: &mut Summary,
    attributes: &[String],
    command: &Command,
    by: &str,
    programs: &dyn Programs,
) -> Result<(), String> {
    let given: Vec<_> =
        attributes.iter().filter_map(|name| Some((name.clone(), summary.get(name)?.to_owned()))).collect();
    let answer = programs.pass(command, &given, summary.origin()).map_err(|problem| named(command, &problem))?;
    let mut draft = Draft::new();
    answer.iter().for_each(|(name, value)| draft.add(name, value));
    let mut problems = draft.complaints().to_vec();
    let blank = answer.iter().filter(|(name, value)| value.trim().is_empty() && draft.get(name).is_none());
    let changes = draft.attributes().iter().map(|(name, value)| (name, value.as_str()));
    for (name, value) in changes.chain(blank.map(|(name, _)| (name, ""))) {
        if is_changeable(name) {
            summary.set(name, value, by);
        } else if summary.get(name).unwrap_or_default() != value {
            // What comes back as it was given is no attempt to change it.
            problems.push(format!("it cannot set {name}"));
        }
    }
    judge(command, &problems)
}

/// The answer to a text, as text.
fn run(command: &Command, input: &str, summary: &Summary, programs: &dyn Programs) -> Result<String, String> {
    let answer = programs.run(command, input.as_bytes(), summary.origin());
    let text = answer.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it printed what is not UTF-8".to_owned()));
    text.map_err(|problem| named(command, &problem))
}

fn judge(command: &Command, problems: &[String]) -> Result<(), String> {
    if problems.is_empty() { Ok(()) } else { Err(named(command, &problems.join("; "))) }
}

fn named(command: &Command, problem: &str) -> String {
    format!("{}: {problem}", command.program.display())
}

#[cfg(test)]
pub(crate) mod tests;
