//! Harvest's own rule files, as they are.
//!
//! ```text
//! # Comments and blank lines may stand anywhere.
//! type == 'HTML' && url ~ /users/
//!     time-to-live = "86400"
//!     title | cleanup.pl -x
//!     city,state ! cleanup-address.pl
//! type == 'SOIFStream'
//!     delete()
//! ```
//!
//! A condition begins in column 1, its instructions below are indented; Harvest wanted a tab there, spaces do as well.
//! Values are taken as they stand: braces are no placeholders. `time-to-live` and `refresh-rate` are seconds.

use crate::instruction::Instruction;
use crate::parse::parse;
use crate::rules::RuleSource;
use crate::template::is_well_formed;
use crate::words::command;
use std::time::Duration;
use thiserror::Error;

const EXPECTED: &str = "expected `attribute = \"value\"`, `attribute | program`, `attributes ! program` or `delete()`";

/// What is wrong with a line of a rule file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// Reads a rule file. Rules are named by the lines of their conditions, as in `line 3`; programs are the very words of
/// the file. What comes out compiles.
///
/// # Errors
/// Everything that is wrong, in the order of the file. No line is passed over.
pub fn read_harvest(text: &str) -> Result<Vec<RuleSource>, Vec<FileError>> {
    let mut reader = Reader::default();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if line.starts_with(char::is_whitespace) {
            reader.instruction(index + 1, content);
        } else {
            reader.condition(index + 1, content);
        }
    }
    reader.close();
    reader.errors.sort_by_key(|error| error.line);
    if reader.errors.is_empty() { Ok(reader.rules) } else { Err(reader.errors) }
}

#[derive(Default)]
struct Reader {
    rules: Vec<RuleSource>,
    errors: Vec<FileError>,
    /// The line of a condition that no instruction has followed yet.
    bare: Option<usize>,
}

impl Reader {
    fn condition(&mut self, line: usize, when: &str) {
        self.close();
        self.bare = Some(line);
        if let Err(mistake) = parse(when) {
            let hint = if instruction(when).is_ok() { "; an instruction must be indented" } else { "" };
            self.complain(line, format!("{}{hint}", mistake.message));
        }
        self.rules.push(RuleSource { name: format!("line {line}"), when: when.to_owned(), instructions: Vec::new() });
    }

    fn instruction(&mut self, line: usize, text: &str) {
        self.bare = None;
        let read = instruction(text).map_err(|problem| vec![problem]);
        let checked = read.and_then(|instruction| instruction.compile().map(|_| instruction));
        match (checked, self.rules.last_mut()) {
            (_, None) => self.complain(line, "expected a condition in column 1 before any instruction".to_owned()),
            (Ok(instruction), Some(rule)) => rule.instructions.push(instruction),
            (Err(problems), _) => problems.into_iter().for_each(|problem| self.complain(line, problem)),
        }
    }

    /// The rule before is complete.
    fn close(&mut self) {
        if let Some(line) = self.bare.take() {
            self.complain(line, "expected an indented instruction below this condition".to_owned());
        }
    }

    fn complain(&mut self, line: usize, message: String) {
        self.errors.push(FileError { line, message });
    }
}

fn instruction(text: &str) -> Result<Instruction, String> {
    if is_delete(text) {
        return Ok(Instruction::Delete);
    }
    let Some((names, behind)) = text.find(['=', '|', '!']).map(|at| text.split_at(at)) else {
        return Err(EXPECTED.to_owned());
    };
    let (operator, behind) = behind.split_at(1);
    let attributes = names.split(',').map(str::trim).map(name).collect::<Result<Vec<_>, _>>()?;
    if behind.starts_with(['=', '~', '|']) {
        return Err(format!("{EXPECTED}; a condition begins in column 1"));
    }
    match (operator, &attributes[..]) {
        ("!", _) => Ok(Instruction::Pass { attributes, command: command(behind)? }),
        ("|", [attribute]) => Ok(Instruction::Filter { attribute: attribute.clone(), command: command(behind)? }),
        ("=", [attribute]) => set(attribute, value(behind.trim())?),
        _ => Err(format!("expected one attribute before {operator}; several go before !")),
    }
}

fn is_delete(text: &str) -> bool {
    let brackets = text.strip_prefix("delete").map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
    brackets.is_some_and(|rest| rest.trim() == ")")
}

fn name(name: &str) -> Result<String, String> {
    if is_well_formed(name) { Ok(name.to_owned()) } else { Err(format!("{name:?} is no attribute name; {EXPECTED}")) }
}

/// A text in single or double quotes, taken as it stands.
fn value(text: &str) -> Result<&str, String> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
        return Err("expected a value in quotes after =".to_owned());
    };
    match text[1..].split_once(quote) {
        Some((value, "")) => Ok(value),
        Some(_) => Err(format!("expected nothing after the closing {quote}")),
        None => Err(format!("no closing {quote} for the value")),
    }
}

fn set(attribute: &str, value: &str) -> Result<Instruction, String> {
    match attribute.to_ascii_lowercase().as_str() {
        "time-to-live" => seconds(value).map(Instruction::TimeToLive),
        "refresh-rate" => seconds(value).map(Instruction::RefreshRate),
        _ => Ok(Instruction::Set { attribute: attribute.to_owned(), value: value.replace('{', "{{") }),
    }
}

/// So many as fit in 32 bits are more than a century.
fn seconds(value: &str) -> Result<Duration, String> {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = value.parse::<u32>().ok().filter(|_| is_number);
    seconds
        .map(|seconds| Duration::from_secs(seconds.into()))
        .ok_or_else(|| format!("expected seconds, such as \"86400\", up to {}", u32::MAX))
}

#[cfg(test)]
mod tests;
