//! Pages made to hurt.

use super::*;

/// Enough for a slow machine without optimisation, far too little for anything quadratic.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);

fn check_fast(html: &str) -> Draft {
    let start = std::time::Instant::now();
    let draft = draft(html);
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
    draft
}

#[test]
fn deep_nesting_is_read_in_linear_time() {
    let html = format!("{}deep{}<a href=x>y</a>", "<div>".repeat(100_000), "</div>".repeat(100_000));
    let draft = check_fast(&html);
    assert_eq!((Some(draft.text()), draft.complaints()), (Some("deep\ny"), [].as_slice()));
    assert_eq!(draft.references().len(), 1);
}

#[test]
fn unclosed_tags_cost_no_more() {
    let draft = check_fast(&"<a href=x><b><p><i>y".repeat(50_000));
    assert_eq!(draft.references().len(), 1);
    assert!(Some(draft.text()).is_some_and(|text| text.len() == 99_999));
    check_fast(&format!("{}{}", "<p><b>".repeat(50_000), "</i></b>".repeat(50_000)));
    check_fast(&"<svg><math>".repeat(50_000));
    check_fast(&"<noscript><noframes>".repeat(50_000));
    check_fast(&"<template>".repeat(50_000));
}

#[test]
fn a_million_open_elements_are_no_trouble() {
    for tag in ["p", "div", "b", "h1", "td", "a href=x", "nav", "span hidden", "span itemscope itemprop=name"] {
        let draft = check_fast(&format!("<title>t</title><a href=x>y</a>{}", format!("<{tag}>z ").repeat(200_000)));
        assert_eq!((draft.get("Title"), draft.references().len()), (Some("t"), 1), "{tag}");
        assert!(draft.text().len() > 399_000, "{tag}");
    }
}

#[test]
fn what_was_found_is_kept_when_the_parser_gives_up() {
    let draft = check_fast(&format!("<title>t</title><a href=x>y</a><i title='{}", "z".repeat(40 << 20)));
    assert_eq!((draft.get("Title"), draft.references().len(), draft.text()), (Some("t"), 1, "y"));
    assert_eq!(draft.complaints(), ["page read in part: a tag without an end is too long"]);
}

#[test]
fn huge_attributes_are_survived() {
    let huge = "x".repeat(1 << 20);
    let draft = check_fast(&format!(
        "<p class='{huge}'>a<a href='{huge}'>b</a><img src='data:{huge}'><img src='{huge}' alt=c>
         <meta name=m content='{huge}'><a href=d title='{huge}'></a>"
    ));
    assert_eq!(Some(draft.text()), Some("ab"));
    assert_eq!(draft.get("m").map(str::len), Some(1 << 20));
    assert_eq!(draft.references().len(), 1);
    assert_eq!(draft.references()[0].text.len(), 1_000);
    assert_eq!(
        draft.complaints(),
        ["1 images longer than 16384 bytes left out", "1 references longer than 16384 bytes left out"]
    );
    check_fast(&format!("<p {}>a", "x=y ".repeat(200_000)));
    check_fast(&format!("<link rel=canonical href='{huge}'><link rel='{}' href=a>", "x ".repeat(500_000)));
    check_fast(&format!("<img srcset='{}'><img srcset='{huge}'>", "a 2x,".repeat(200_000)));
    check_fast(&format!("<img srcset='{}'><img srcset='a {}'>", ",".repeat(1 << 20), "(".repeat(1 << 20)));
    check_fast(&format!("<p title='{huge}"));
    check_fast(&format!("<!-- {huge}"));
}

#[test]
fn floods_of_references_are_dammed() {
    use std::fmt::Write;
    let mut html = String::new();
    for number in 0..120_000 {
        write!(html, "<a href={number}>x</a>").expect("writes to memory");
    }
    let draft = check_fast(&html);
    assert_eq!(draft.references().len(), Draft::REFERENCE_LIMIT);
    assert_eq!(draft.complaints(), ["more than 100000 references", "more than 50000 references"]);
}

#[test]
fn entities_in_floods_are_survived() {
    check_fast(&"&amp".repeat(250_000));
    check_fast(&"&".repeat(1_000_000));
    check_fast(&"&CounterClockwiseContourIntegra".repeat(30_000));
    check_fast(&format!("<a href='{}'>", "&not".repeat(4_000)));
}

#[test]
fn nothing_gives_nothing() {
    let draft = draft("");
    assert!(draft.attributes().iter().all(|(name, _)| name.starts_with("Charset")), "{draft:?}");
    assert!(draft.references().is_empty() && draft.complaints().is_empty());
}
