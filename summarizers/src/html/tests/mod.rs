//! Small pages and what is found on them.

mod hard;
mod markup;
mod metas;
mod references;
mod structured;
mod texts;

use super::*;
use gatherer_pipeline::Kind;
use url::Url;

/// Every page of the tests lives here.
const PAGE: &str = "http://example.org/dir/page.html";

fn summarize(body: &[u8], content_type: Option<&str>) -> Draft {
    let url = Url::parse(PAGE).expect("a URL");
    let leaf = Leaf { content_type, ..Leaf::new(&url, &Kind::HTML, body) };
    Html.summarize(&leaf).expect("never refuses")
}

fn draft(html: &str) -> Draft {
    summarize(html.as_bytes(), Some("text/html; charset=utf-8"))
}

/// The named attributes have these values; an empty value stands for none.
fn check(html: &str, expected: &[(&str, &str)]) {
    crate::testing::check(&draft(html), expected);
}

/// The text of the page is this.
fn check_text(html: &str, expected: &str) {
    check(html, &[("text", expected)]);
}

/// The references are these, URL and text, in this order and no others.
fn check_references(html: &str, expected: &[(&str, &str)]) {
    let draft = draft(html);
    let found: Vec<_> = draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect();
    assert_eq!(found, expected, "references of {html}");
}

/// These of the references are for the record only.
fn check_unfollowed(html: &str, expected: &[&str]) {
    let draft = draft(html);
    let unfollowed = draft.references().iter().filter(|found| !found.follow);
    assert_eq!(unfollowed.map(|found| found.url.as_str()).collect::<Vec<_>>(), expected, "not to follow in {html}");
}

/// The page wants to be known under this URL, and complains so.
fn check_canonical(html: &str, expected: Option<&str>, complaints: &[&str]) {
    let draft = draft(html);
    assert_eq!(draft.canonical().map(Url::as_str), expected, "canonical URL of {html}");
    assert_eq!(draft.complaints(), complaints, "complaints of {html}");
}
