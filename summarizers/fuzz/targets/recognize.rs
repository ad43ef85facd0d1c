//! Any bytes to the recognizers: the first line is the last part of the URL and the media type, the rest is the content.

use gatherer_recognize::{Recognizer, alternatives};
use std::sync::LazyLock;
use url::Url;

static RECOGNIZER: LazyLock<Recognizer> = LazyLock::new(|| Recognizer::new(Vec::new()).expect("the built-in tables"));

pub(crate) fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (line, body) = (parts.next().unwrap_or_default(), parts.next().unwrap_or(bytes));
    let line = String::from_utf8_lossy(line);
    let url = Url::parse("http://example.org/dir/").expect("a URL");
    let url = url.join(&line).unwrap_or(url);
    for content_type in [None, Some(line.as_ref())] {
        let once = RECOGNIZER.votes(&url, content_type, body);
        assert_eq!(once, RECOGNIZER.votes(&url, content_type, body), "the same bytes are of the same kind");
        let (kind, votes) = once;
        assert!(!alternatives(&kind, &votes).contains(&kind), "{kind} instead of {kind}");
    }
}
