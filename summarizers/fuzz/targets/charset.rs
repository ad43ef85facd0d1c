//! Any bytes in any charset: the first line is what the server claims.

use gatherer_summarizers::charset::{Hint, decode};
use url::Url;

pub(crate) fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (line, body) = (parts.next().unwrap_or_default(), parts.next().unwrap_or(bytes));
    let line = String::from_utf8_lossy(line);
    let url = Url::parse(&format!("http://example.{line}/")).or_else(|_| Url::parse("http://example.org/"));
    let url = url.expect("a URL");
    for content_type in [None, Some(format!("text/html; charset={line}")), Some(line.into_owned())] {
        for hint in [Hint::html(&url), Hint::text(&url)] {
            let decoded = decode(body, content_type.as_deref(), hint);
            // A byte of one charset takes at most three in UTF-8, and so does the mark of a bad one.
            assert!(decoded.text.len() <= 3 * body.len() + 3, "{} bytes of {}", decoded.text.len(), body.len());
        }
    }
}
