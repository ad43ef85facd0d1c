//! Attributes without header and closing brace, as summarizer programs print them.

use std::fmt;

use crate::head::head;
use crate::input::{Flaw, Input};
use crate::{Attribute, Limits};

/// A program that prints none but bad lines is not complained about line by line for ever.
const MOST_COMPLAINTS: usize = 100;

/// Something that could not be read as an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Where the bad attribute starts, in bytes from 0.
    pub offset: u64,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.problem)
    }
}

/// Reads lines of `Name{n}:<TAB>value` without header and closing brace, the way summarizer
/// programs print them: all attributes that can be read, in order, and the first hundred
/// complaints about the rest. Values may be as long as the input; there are no more attributes
/// than [`Limits`] allows by default.
///
/// After something bad it goes on with the next line. A size beyond the end is bad as well: the
/// bytes that are there may belong to other attributes.
///
/// ```
/// let (attributes, complaints) = gatherer_soif::attributes(b"Title{4}:\tCorn\nType: HTML\n");
/// assert_eq!(attributes[0].text(), "Corn");
/// assert_eq!(complaints[0].to_string(), "at byte 15: no size after \"Type: HTML\"");
/// ```
pub fn attributes(bytes: &[u8]) -> (Vec<Attribute>, Vec<Complaint>) {
    let limits = Limits::default();
    let (mut found, mut complaints) = (Vec::new(), Vec::new());
    let mut input = Input::new(bytes);
    while let Ok(Some(_)) = input.skip_while(crate::legal::is_space) {
        let offset = input.offset();
        match attribute(&mut input, bytes.len() as u64, &limits) {
            Ok(_) if found.len() == limits.attributes => {
                let problem = format!("more than {} attributes", limits.attributes);
                complaints.push(Complaint { offset, problem });
                break;
            }
            Ok(attribute) => found.push(attribute),
            Err(flaw) => {
                if complaints.len() < MOST_COMPLAINTS {
                    complaints.push(Complaint { offset, problem: flaw.to_string() });
                }
                let _ = input.skip_line(); // memory does not fail
            }
        }
    }
    (found, complaints)
}

fn attribute(input: &mut Input<&[u8]>, end: u64, limits: &Limits) -> Result<Attribute, Flaw> {
    let head = head(input, limits.name)?;
    let there = end - input.offset();
    if head.size > there {
        return Err(Flaw::Bad(format!("{:?} has {there} of {} bytes", head.name, head.size)));
    }
    let mut value = Vec::new();
    let mut left = head.size;
    while left > 0 {
        input.copy(&mut left, &mut value)?;
    }
    Ok(Attribute { name: head.name, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes as `name=value`, then the complaints, separated by `|`.
    fn check(text: &str, expected: &str) {
        let (attributes, complaints) = attributes(text.as_bytes());
        let read = attributes.iter().map(|attribute| format!("{}={}", attribute.name, attribute.text()));
        let shown: Vec<_> = read.chain(complaints.iter().map(Complaint::to_string)).collect();
        assert_eq!(shown.join("|"), expected, "{text:?}");
    }

    #[test]
    fn good_output() {
        check("", "");
        check(" \n\n", "");
        check("A{1}:\tx\nB{3}:\ty\nz\n", "A=x|B=y\nz");
        check("A{1}:\txB{1}:\ty", "A=x|B=y");
        check("A{1}:\tx\r\nB{1}:\ty\r\n", "A=x|B=y");
        check("A{0}:\t\nA{1}:\tx", "A=|A=x");
        check("A{2}:\t}\n", "A=}\n");
    }

    #[test]
    fn the_rest_is_read_after_bad_lines() {
        check("Hello\nA{1}:\tx", "A=x|at byte 0: no size after \"Hello\"");
        check("A{1}: x\nB{1}:\ty", "B=y|at byte 0: no tab before the value of \"A\"");
        check("A{3}:\tHello\nB{1}:\ty", "A=Hel|B=y|at byte 9: no size after \"lo\"");
        check("A{99}:\tx\nB{1}:\ty", "B=y|at byte 0: \"A\" has 9 of 99 bytes");
        check("A{99999999999999999999}:\tx\nB{1}:\ty", "B=y|at byte 0: no decimal size of \"A\"");
        check("A{1", "at byte 0: ends too early");
    }

    #[test]
    fn whole_objects_are_complained_about() {
        check(
            "@FILE { u\nA{1}:\tx\n}\n",
            "A=x|at byte 0: no closing brace before the next header \"FILE\"|at byte 18: no size after \"\"",
        );
    }

    #[test]
    fn floods_end() {
        let (found, complaints) = attributes("x\n".repeat(1000).as_bytes());
        assert_eq!((found.len(), complaints.len()), (0, MOST_COMPLAINTS));
        let (found, complaints) = attributes("A{0}:\t".repeat(100_001).as_bytes());
        assert_eq!((found.len(), complaints.len()), (100_000, 1));
    }
}
