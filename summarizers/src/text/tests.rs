use super::dates::date;
use crate::testing;
use gatherer_pipeline::Draft;

fn summarize(body: &[u8]) -> Draft {
    testing::summarize("Text", "a.txt", body).expect("never refuses")
}

#[track_caller]
fn check(body: &str, expected: &[(&str, &str)]) {
    testing::check(&summarize(body.as_bytes()), expected);
}

#[test]
fn the_title_is_the_first_line_with_words() {
    check("\n  \n  Corn \t and maize \nmore", &[("Title", "Corn and maize")]);
    check("======\n= Corn =\n======", &[("Title", "Corn")]);
    check("# Corn\n", &[("Title", "Corn")]);
    check("#+AUTHOR: Ann\n#+TITLE: Corn\n* One", &[("Title", "Corn")]);
    check("From: ann@example.org\nSubject: Corn FAQ\n\nText", &[("Title", "Corn FAQ")]);
    check(&"ü".repeat(900), &[("Title", &"ü".repeat(200))]);
    check("", &[("Title", ""), ("Charset", "UTF-8")]);
}

#[test]
fn the_text_keeps_its_lines() {
    assert_eq!(summarize(b"a\r\n  b\n\nc\n").text(), "a\n  b\n\nc");
    assert_eq!(summarize(b"a\rb\rc").text(), "a\nb\nc");
}

#[test]
fn other_charsets_are_read() {
    let draft = summarize(b"\xFF\xFEg\0r\0\xFC\0n\0");
    assert_eq!((draft.get("Title"), draft.get("Charset")), (Some("grün"), Some("UTF-16LE")));
    let draft = summarize(b"Gr\xFC\xDFe aus dem S\xFCden");
    assert_eq!(draft.get("Title"), Some("Grüße aus dem Süden"));
}

#[test]
fn bare_urls_are_references() {
    let draft = summarize(b"See http://example.com/x. And (https://example.net/).");
    let urls: Vec<_> = draft.references().iter().map(|reference| reference.url.as_str()).collect();
    assert_eq!(urls, ["http://example.com/x", "https://example.net/"]);
}

#[test]
fn what_was_struck_twice_is_read_once() {
    let body = "N\u{8}NA\u{8}AM\u{8}ME\u{8}E _\u{8}l_\u{8}s x\u{8}_ \u{1b}[1mbold\u{1b}[0m\n\u{8}a\u{8}\n\u{8}";
    check(body, &[("text", "NAME ls x bold\na"), ("Title", "NAME ls x bold")]);
}

#[test]
fn underlined_lines_are_headings() {
    check("Corn\n====\n\ntext\n\nFields\n------\nx\nnot this\n---\n", &[("Headings", "Corn\nFields")]);
    check("*****\nPart\n*****\nWHAT\n\n# no\n", &[("Headings", "Part")]);
}

#[test]
fn a_readme_has_headings_in_capitals_and_a_faq_has_questions() {
    let draft =
        testing::summarize("README", "README", b"# Corn #\n\nINSTALLATION\n\nRun it.\nNOT THIS\n").expect("text");
    testing::check(&draft, &[("Headings", "Corn\nINSTALLATION")]);
    let faq = b"1.1) What is corn?\nA plant.\n\n2. It grows\n   3. Why?\n";
    let draft = testing::summarize("FAQ", "corn-faq", faq).expect("text");
    testing::check(&draft, &[("Headings", "1.1) What is corn?\n3. Why?")]);
}

#[test]
fn dates_are_read_as_far_as_they_go() {
    for (text, expected) in [
        ("1 May 2024", Some("2024-05-01")),
        ("May 1st, 2024", Some("2024-05-01")),
        ("Wed May  1 12:10:00 2024", Some("2024-05-01")),
        ("September 1994", Some("1994-09")),
        ("2024-05-01", Some("2024-05-01")),
        ("$Mdocdate: July 2 2023 $", Some("2023-07-02")),
        ("2024", Some("2024")),
        ("05/06/2024", Some("2024")),
        ("today", None),
        ("", None),
    ] {
        assert_eq!(date(text).as_deref(), expected, "{text}");
    }
}
