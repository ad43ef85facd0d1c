//! Mailboxes: messages one behind the other, each after a line that begins with `From `.
//!
//! A mailbox has no end mark: a cut one cannot be told from a whole one.

use crate::mime::{Headers, header_of};
use crate::names::flat;
use crate::outlet::{Found, Outlet};
use crate::{Hint, Trouble};
use gatherer_pipeline::Kind;

pub(crate) fn is_mailbox(body: &[u8]) -> bool {
    body.starts_with(b"From ")
}

pub(crate) fn open(body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let headers = Headers::default();
    let mut number = 0_u64;
    let mut begin = None;
    let mut place = 0;
    let mut after_blank = true;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        if after_blank && is_separator(line, place == 0) {
            if let Some(begin) = begin {
                number += 1;
                message(body.get(begin..place).unwrap_or_default(), number, &headers, outlet)?;
            }
            begin = Some(place + line.len());
        }
        after_blank = line.trim_ascii().is_empty();
        place += line.len();
    }
    let last = begin.and_then(|begin| body.get(begin..)).unwrap_or_default();
    message(last, number + 1, &headers, outlet)
}

/// A line that begins a message: `From`, somebody, and a date with a time. Without the time it is a line of text that
/// nobody quoted.
fn is_separator(line: &[u8], is_first: bool) -> bool {
    let is_time =
        |text: &[u8]| matches!(text, [a, b, b':', c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()));
    line.starts_with(b"From ") && (is_first || line.windows(5).any(is_time))
}

fn message(raw: &[u8], number: u64, headers: &Headers, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    // The blank line belongs to the separator that follows.
    let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
    let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
    let mut body = Vec::with_capacity(raw.len());
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        body.extend_from_slice(unquoted(line));
    }
    let seen = headers.read(header_of(&body).0);
    // A message appended later must not rename the others, so numbers are only for those without a name of their own.
    let name = match seen.message_id.map(|id| flat(&id)).filter(|id| !id.is_empty()) {
        Some(id) => id,
        None => format!("message-{number}"),
    };
    let hint = Hint::Kind(Kind::new("Mail"));
    outlet.give(Found { modified: seen.date, hint, ..Found::named(name) }, body)
}

/// A line that looked like a separator was written with `>` before it, and one of those with one more.
fn unquoted(line: &[u8]) -> &[u8] {
    let quotes = line.iter().take_while(|byte| **byte == b'>').count();
    let is_quoted = quotes > 0 && line.get(quotes..).is_some_and(|rest| rest.starts_with(b"From "));
    if is_quoted { line.get(1..).unwrap_or_default() } else { line }
}
