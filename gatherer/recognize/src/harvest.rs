//! The tables in which operators of Harvest wrote their own kinds: `byurl.cf`, `byname.cf`, `bycontent.cf`.

use crate::{OperatorRule, Voter};
use regex::Regex;

/// The number of a line, counted from one, and what is wrong with it.
pub type Complaint = (usize, String);

/// Reads a table of Harvest into rules: on each line a kind, white space and a pattern; `#` begins a comment.
///
/// `byurl.cf` is for [`Voter::Url`], `byname.cf` for [`Voter::Name`], `bycontent.cf` for [`Voter::Content`]. The
/// patterns of the last saw what the program `file` printed of a document. Here they see the document itself, its
/// first 4 KiB as text: who wrote `^PostScript` there writes `^%!PS` now.
///
/// # Errors
/// Every line that is no rule, and why. POSIX patterns are read as they are; what the regex crate does not have
/// (references back, `*` with nothing before it) is among the complaints.
///
/// ```
/// use gatherer_recognize::{Voter, read_harvest_table};
///
/// let rules = read_harvest_table(Voter::Url, "# ours\nHomeHTML\t^http:.*/$\n").expect("one rule");
/// assert_eq!((rules[0].kind.as_str(), rules[0].pattern.as_str()), ("HomeHTML", "^http:.*/$"));
///
/// let complaints = read_harvest_table(Voter::Name, "Abstract").expect_err("no pattern");
/// assert_eq!(complaints, [(1, "no pattern behind the kind Abstract".to_owned())]);
/// ```
pub fn read_harvest_table(voter: Voter, text: &str) -> Result<Vec<OperatorRule>, Vec<Complaint>> {
    let (mut rules, mut complaints) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match read_line(voter, line) {
            Ok(rule) => rules.push(rule),
            Err(reason) => complaints.push((number + 1, reason)),
        }
    }
    if complaints.is_empty() { Ok(rules) } else { Err(complaints) }
}

fn read_line(voter: Voter, line: &str) -> Result<OperatorRule, String> {
    let Some((kind, pattern)) = line.split_once(char::is_whitespace) else {
        return Err(format!("no pattern behind the kind {line}"));
    };
    let pattern = pattern.trim_start();
    let pattern =
        Regex::new(pattern).map_err(|error| format!("cannot read the pattern {pattern}: {}", reason(&error)))?;
    let rule = OperatorRule { voter, pattern, kind: kind.to_owned() };
    if rule.names_a_kind() { Ok(rule) } else { Err(format!("{kind:?} is no kind; a kind is one word")) }
}

/// The last line of what the regex crate says, which is the reason; the others draw the pattern.
fn reason(error: &regex::Error) -> String {
    let said = error.to_string();
    let last = said.lines().next_back().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
