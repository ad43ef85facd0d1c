//! The plain form: one URL a line.

use super::{Entry, Findings};
use crate::URL_LIMIT;
use std::io::{self, BufRead, Read};
use url::Url;

/// Most bytes of a line that are looked at; what is longer is no URL of ours.
const LINE_LIMIT: u64 = 2 * URL_LIMIT as u64;

/// Reads all lines. Only absolute URLs count: any word would make a relative one.
pub(super) fn read(input: &mut impl BufRead, findings: &mut Findings<'_>) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.take(LINE_LIMIT).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
        }
        let entry = Entry { url: String::from_utf8_lossy(&line).trim().to_owned(), ..Entry::default() };
        if !entry.url.is_empty() && !entry.url.starts_with('#') && !findings.take(&entry, Url::parse(&entry.url).ok()) {
            return Ok(());
        }
    }
}
