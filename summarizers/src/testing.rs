//! What the tests of all kinds share.

use gatherer_pipeline::{Draft, Kind, Leaf, Refusal};
use url::Url;

/// What the summarizer of this kind says of these bytes, under `http://example.org/dir/` and the name.
pub(crate) fn summarize(kind: &str, name: &str, body: &[u8]) -> Result<Draft, Refusal> {
    let url = Url::parse("http://example.org/dir/").and_then(|base| base.join(name)).expect("a URL");
    let kind = Kind::new(kind.to_owned());
    let leaf = Leaf::new(&url, &kind, body);
    crate::own(&kind).expect("a summarizer for this kind").summarize(&leaf)
}

/// The draft has these values; an empty value stands for none, and the name `text` for the text.
#[track_caller]
pub(crate) fn check(draft: &Draft, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        let found = if *name == "text" { draft.text() } else { draft.get(name).unwrap_or_default() };
        assert_eq!(found, *value, "{name} of {draft:#?}");
    }
}
