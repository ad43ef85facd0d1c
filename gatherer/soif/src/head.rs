//! The head of an attribute: `Name{5}:` and a tab.

use std::io::BufRead;

use crate::input::{Flaw, Input};
use crate::legal::{self, ends_name, excerpt};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) size: u64,
}

/// Reads a head at the first byte of its name; the value comes next then. It never reads past
/// the end of the line, so after a flaw the rest of the line is still there.
pub(crate) fn head<R: BufRead>(input: &mut Input<R>, most: usize) -> Result<Head, Flaw> {
    let raw = input.token("attribute name", most, ends_name)?;
    let name = raw.trim_end_matches(' ');
    input.expect(b'{', || format!("no size after {:?}", excerpt(name)))?;
    if let Some(template) = name.strip_prefix('@')
        && !input.peek()?.ok_or(Flaw::End)?.is_ascii_digit()
        && legal::template(template, most).is_ok()
    {
        return Err(Flaw::Unclosed(template.into()));
    }
    legal::name(name, most).map_err(|error| Flaw::Bad(error.to_string()))?;
    let size = size(input, name)?;
    input.expect(b':', || format!("no colon after the size of {:?}", excerpt(name)))?;
    input.expect(b'\t', || format!("no tab before the value of {:?}", excerpt(name)))?;
    Ok(Head { name: name.into(), size })
}

/// A decimal number, blanks around it allowed as `atoi` allows them, and the closing brace.
fn size<R: BufRead>(input: &mut Input<R>, name: &str) -> Result<u64, Flaw> {
    let problem = || format!("no decimal size of {:?}", excerpt(name));
    let mut size = None;
    input.skip_while(is_blank)?;
    while let Some(digit @ b'0'..=b'9') = input.peek()? {
        let next = size.unwrap_or(0_u64).checked_mul(10).and_then(|tens| tens.checked_add(u64::from(digit - b'0')));
        size = Some(next.ok_or_else(|| Flaw::Bad(problem()))?);
        input.pass(digit);
    }
    input.skip_while(is_blank)?;
    input.expect(b'}', problem)?;
    size.ok_or_else(|| Flaw::Bad(problem()))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head as `name/size`, or what is wrong.
    fn check(text: &str, expected: &str) {
        let read = head(&mut Input::new(text.as_bytes()), 20);
        let shown = read.map_or_else(|flaw| flaw.to_string(), |head| format!("{}/{}", head.name, head.size));
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn heads_are_read() {
        check("Title{5}:\t", "Title/5");
        check("Last Change{0}:\t", "Last Change/0");
        check("Title {5}:\t", "Title/5");
        check("T{ 5 }:\t", "T/5");
        check("T{007}:\t", "T/7");
        check("@id{1}:\t", "@id/1");
        check("T{18446744073709551615}:\t", "T/18446744073709551615");
    }

    #[test]
    fn flaws_are_named() {
        check("Title: x\n", "no size after \"Title: x\"");
        check("a}b{1}:\t", "no size after \"a\"");
        check("{5}:\t", "attribute name \"\" is empty");
        check("T{}:\t", "no decimal size of \"T\"");
        check("T{x}:\t", "no decimal size of \"T\"");
        check("T{-5}:\t", "no decimal size of \"T\"");
        check("T{5x}:\t", "no decimal size of \"T\"");
        check("T{18446744073709551616}:\t", "no decimal size of \"T\"");
        check("T{5}\t", "no colon after the size of \"T\"");
        check("T{5}: v", "no tab before the value of \"T\"");
        check("@FILE { http://", "no closing brace before the next header \"FILE\"");
        check("@{ http://", "no decimal size of \"@\"");
        check("@a b{ http://", "no decimal size of \"@a b\"");
        check("abcdefghijklmnopqrstuvwxyz{1}:\t", "attribute name over the limit of 20");
    }

    #[test]
    fn heads_do_not_end_with_the_stream() {
        let whole = "@T{5}:\t";
        for end in 0..whole.len() {
            check(&whole[..end], "ends too early");
        }
    }
}
