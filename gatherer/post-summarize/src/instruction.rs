//! What a rule does where its condition holds: as written, and ready to be done.

use crate::programs::{Command, Programs, filter, filter_url, pass};
use crate::rewrite::{Rewrite, new_url};
use crate::template::{Template, is_well_formed};
use gatherer_pipeline::Summary;
use std::time::Duration;

/// Attributes that say which data a record was made from; a rule that changed them would make it lie.
const FIXED: [&str; 2] = ["URL", "MD5"];

/// One thing that a rule does, as the operator wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instruction {
    /// Sets an attribute. `{Name}` in the value stands for that attribute, and an empty value removes it.
    Set {
        /// Its name.
        attribute: String,
        /// Its value.
        value: String,
    },
    /// Gives the value of one attribute to a program, which prints the new one. That of `URL` moves the record.
    Filter {
        /// Its name.
        attribute: String,
        /// The program.
        command: Command,
    },
    /// Gives several attributes to a program, which prints attributes to be set.
    Pass {
        /// Their names; those that are not there are left out.
        attributes: Vec<String>,
        /// The program.
        command: Command,
    },
    /// Puts the record under another URL: the first match of a regex in its URL is replaced.
    Rewrite {
        /// The regex.
        pattern: String,
        /// What comes into the place of the match; `$1` and `${name}` are groups of the regex, `$$` is a dollar sign.
        with: String,
    },
    /// Changes the SOIF template type.
    Template(String),
    /// Removes an attribute.
    Remove(String),
    /// Life of the record after the last successful visit.
    TimeToLive(Duration),
    /// Earliest time between two visits.
    RefreshRate(Duration),
    /// The resource gets no record, and nothing further is done.
    Delete,
}

impl Instruction {
    /// The program that it needs, for who knows where programs are.
    pub fn command_mut(&mut self) -> Option<&mut Command> {
        match self {
            Self::Filter { command, .. } | Self::Pass { command, .. } => Some(command),
            _ => None,
        }
    }

    /// Ready to be done, or everything that is wrong with it.
    pub(crate) fn compile(&self) -> Result<Step, Vec<String>> {
        let mut problems = Vec::new();
        let step = match self.clone() {
            Self::Set { attribute, value } => {
                problems.extend(name_problem("set", &attribute));
                let template = Template::parse(&value);
                template
                    .map_err(|problem| problems.push(format!("value of {attribute}: {problem}")))
                    .map(|value| Step::Set { attribute, value })
            }
            Self::Filter { attribute, command } => {
                let is_url = attribute.eq_ignore_ascii_case("url");
                problems.extend(if is_url { None } else { name_problem("filter", &attribute) });
                Ok(if is_url { Step::FilterUrl(command) } else { Step::Filter { attribute, command } })
            }
            Self::Pass { attributes, command } => {
                problems.extend(attributes.iter().filter_map(|name| moving_problem("pass", name)));
                Ok(Step::Pass { attributes, command })
            }
            Self::Rewrite { pattern, with } => {
                Rewrite::parse(&pattern, with).map_err(|problem| problems.push(problem)).map(Step::Rewrite)
            }
            Self::Template(template) => {
                let bad = || format!("{template:?} is no template type; expected one word of letters, digits, - and _");
                problems.extend((!Summary::is_template(&template)).then(bad));
                Ok(Step::Template(template))
            }
            Self::Remove(attribute) => {
                problems.extend(name_problem("remove", &attribute));
                Ok(Step::Remove(attribute))
            }
            Self::TimeToLive(span) => Ok(Step::TimeToLive(span)),
            Self::RefreshRate(span) => Ok(Step::RefreshRate(span)),
            Self::Delete => Ok(Step::Delete),
        };
        match step {
            Ok(step) if problems.is_empty() => Ok(step),
            _ => Err(problems),
        }
    }
}

/// An instruction without mistakes.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Set { attribute: String, value: Template },
    Filter { attribute: String, command: Command },
    FilterUrl(Command),
    Pass { attributes: Vec<String>, command: Command },
    Rewrite(Rewrite),
    Template(String),
    Remove(String),
    TimeToLive(Duration),
    RefreshRate(Duration),
    Delete,
}

impl Step {
    /// Changes the summary; a problem leaves it as it is, or as far as it came. [`Self::Delete`] is its caller's.
    pub(crate) fn change(&self, summary: &mut Summary, by: &str, programs: &dyn Programs) -> Result<(), String> {
        match self {
            Self::Set { attribute, value } => {
                let value = value.fill(summary);
                summary.set(attribute, &value, by);
            }
            Self::Filter { attribute, command } => filter(summary, attribute, command, by, programs)?,
            Self::FilterUrl(command) => filter_url(summary, command, programs)?,
            Self::Pass { attributes, command } => pass(summary, attributes, command, by, programs)?,
            Self::Rewrite(rewrite) => {
                if let Some(url) = rewrite.of(summary.url().as_str()) {
                    summary.set_url(new_url(&url)?);
                }
            }
            Self::Template(template) => summary.set_template(template),
            Self::Remove(attribute) => summary.remove(attribute),
            Self::TimeToLive(span) => summary.times.time_to_live = *span,
            Self::RefreshRate(span) => summary.times.refresh_rate = *span,
            Self::Delete => {}
        }
        Ok(())
    }
}

/// Whether a rule, or a program of one, may change this attribute.
pub(crate) fn is_changeable(name: &str) -> bool {
    name_problem("set", name).is_none()
}

fn name_problem(verb: &str, name: &str) -> Option<String> {
    if FIXED.iter().any(|fixed| fixed.eq_ignore_ascii_case(name)) {
        let is_set_url = verb == "set" && name.eq_ignore_ascii_case("url");
        let hint = if is_set_url { "; to rewrite it, give a pattern or a program" } else { "" };
        return Some(format!("a rule cannot {verb} {name}{hint}"));
    }
    moving_problem(verb, name)
}

fn moving_problem(verb: &str, name: &str) -> Option<String> {
    if Summary::MOVING.iter().any(|moving| moving.eq_ignore_ascii_case(name)) {
        return Some(format!("a rule cannot {verb} {name}; it can change `time-to-live` and `refresh-rate`"));
    }
    (!is_well_formed(name)).then(|| format!("attribute name {name:?} is not well formed"))
}
