//! The promises themselves. The fuzz targets hold the summarizers to them as well.

use gatherer_pipeline::{Draft, Kind, Leaf, Refusal};
use url::Url;

/// Schemes that lead to no leaf.
const NO_LEAF: &[&str] = &["about", "blob", "callto", "data", "javascript", "mailto", "sms", "tel", "vbscript"];

/// What a summarizer is given.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) content_type: Option<&'a str>,
    pub(crate) cut: bool,
}

/// What the summarizer of the kind says of the bytes.
///
/// # Panics
/// If it breaks a promise.
pub(crate) fn keeps_its_promises(given: Given<'_>) -> Result<Draft, Refusal> {
    let Given { kind, name, .. } = given;
    let once = summarize(given);
    assert_eq!(once, summarize(given), "{kind} of {name}: the same bytes give the same draft");
    let never_refuses = ["HTML", "Text", "Unknown"].contains(&kind);
    assert!(once.is_ok() || !never_refuses, "{kind} of {name}: only what has a grammar may refuse");
    once.inspect(|draft| look(draft, &format!("{kind} of {name}")))
}

fn summarize(given: Given<'_>) -> Result<Draft, Refusal> {
    let Given { kind, name, body, content_type, cut } = given;
    let url = Url::parse("http://example.org/dir/").and_then(|base| base.join(name)).expect("a URL");
    let kind = Kind::new(kind.to_owned());
    let leaf = Leaf { content_type, cut, ..Leaf::new(&url, &kind, body) };
    gatherer_summarizers::of(&kind).summarize(&leaf)
}

fn look(draft: &Draft, what: &str) {
    for url in draft.references().iter().map(|reference| &reference.url).chain(draft.canonical()) {
        assert_eq!(url.fragment(), None, "{what}: {url} has a fragment");
        assert!(url.scheme().len() > 1 && !NO_LEAF.contains(&url.scheme()), "{what}: {url} leads to no leaf");
    }
    let ill_formed = draft.complaints().iter().find(|complaint| complaint.contains("is not well formed"));
    assert_eq!(ill_formed, None, "{what}");
    let values = draft.attributes().iter().map(|(_, value)| value.as_str());
    let references = draft.references().iter().map(|reference| reference.text.as_str());
    for text in values.chain(references).chain([draft.text()]) {
        let stray = text.chars().find(|character| character.is_control() && !matches!(character, '\n' | '\t'));
        assert_eq!(stray, None, "{what}: {text:?}");
    }
}
