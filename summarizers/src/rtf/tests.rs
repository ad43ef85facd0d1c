//! A document of `LibreOffice`, and the traps of the format.

use super::*;
use crate::testing::summarize;
use std::time::{Duration, Instant};

const CORN: &[u8] = include_bytes!("fixtures/corn.rtf");

fn draft(body: &[u8]) -> Draft {
    summarize("RTF", "a.rtf", body).expect("a document")
}

fn references(draft: &Draft) -> Vec<(&str, &str)> {
    draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect()
}

#[track_caller]
fn check(body: &str, expected: &str) {
    assert_eq!(draft(body.as_bytes()).text(), expected, "{body}");
}

#[test]
fn a_document_of_libreoffice_is_read() {
    let draft = draft(CORN);
    crate::testing::check(
        &draft,
        &[
            ("Title", "Corn & maize"),
            ("Author", "Ann Ähre"),
            ("Modified-By", "Bob"),
            ("Subject", "Crops"),
            ("Keywords", "corn\nmaize"),
            ("Description", "On growing corn"),
            ("Created", "2024-05-01T12:00:00"),
            ("Modified", "2024-05-02T08:30:00"),
            ("Generator", "LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2"),
            ("Headings", "Growing\nHarvest"),
            (
                "text",
                "Growing\nCorn grows in the fields of the Süden. Not in winter.\nHarvest\nIn autumn When exactly? .\n\
                 Field Tons\nNorth 12\nEnd.",
            ),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/fields", "the fields")]);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn charsets_are_told_by_page_and_font() {
    check("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8}", "При");
    check("{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset0 B;}}\\'cf{\\f1\\'e4}\\'f0}", "Пäр");
    // The second byte of a character may be a letter.
    check("{\\rtf1\\ansicpg932 \\'83A\\'83\\'4a}", "アカ");
    check("{\\rtf1\\mac \\'8a}", "ä");
    check("{\\rtf1\\ansicpg99 \\'e4\\'zz}", "äzz");
}

#[test]
fn unicode_stands_before_what_stands_for_it() {
    check("{\\rtf1 \\u228?b\\u-10179?\\u-8704?c}", "äb😀c");
    check("{\\rtf1\\uc2 \\u228 xyz{\\uc0\\u229 a}\\u228\\'41\\'42d}", "äzåaäd");
    check("{\\rtf1 \\u99999999999 ?x\\u-10179?}", "x");
}

#[test]
fn symbols_and_breaks_are_read() {
    check("{\\rtf1 a\\~b\\_c\\-d\\{\\}\\\\\\emdash\\tab e\\\nf\\par\r\n\r\ng}", "a b-cd{}\\— e\nf\ng");
    check("{\\rtf1 a\\cell b\\cell\\row c}", "a b\nc");
}

#[test]
fn what_nobody_reads_is_passed_over() {
    check("{\\rtf1{\\stylesheet x}{\\*\\unknown{y}}{\\pict 0102}{\\header h}a{\\v hidden}{\\deleted gone}b}", "ab");
    check("{\\rtf1 a{\\pict\\bin5 {{}}}}b}", "ab");
    check("{\\rtf1{\\upr{\\title ansi}{\\*\\ud{\\title uni}}}x}", "x");
    let body =
        b"{\\rtf1{\\info{\\upr{\\title ansi}{\\*\\ud{\\title uni}}}{\\nofpages3}{\\creatim\\yr2024\\mo13\\dy1}}x}";
    crate::testing::check(&draft(body), &[("Title", "uni"), ("Pages", "3"), ("Created", "")]);
}

#[test]
fn fields_are_references() {
    let body = b"{\\rtf1{\\field{\\*\\fldinst{HYPERLINK \"http://example.com/a\"}}{\\fldrslt{\\ul here}}}\
        {\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}{\\field{\\*\\fldinst HYPERLINK \\\\l \"x\"}{\\fldrslt y}}}";
    assert_eq!(references(&draft(body)), [("http://example.com/a", "here")]);
}

#[test]
fn any_cut_is_read_as_far_as_it_goes() {
    for cut in (0..CORN.len()).step_by(3) {
        let _ = summarize("RTF", "a", &CORN[..cut]);
        let mut damaged = CORN.to_vec();
        damaged[cut] = b'}';
        let _ = summarize("RTF", "a", &damaged);
    }
    let cut = draft(&CORN[..CORN.len() - 300]);
    crate::testing::check(&cut, &[("Title", "Corn & maize"), ("Headings", "Growing\nHarvest")]);
    assert_eq!(cut.complaints(), ["the document breaks off"]);
}

#[test]
fn what_is_no_rtf_is_refused() {
    for body in [&b""[..], b"text", b"{\\rt", b"PK\x03\x04"] {
        assert!(summarize("RTF", "a", body).is_err());
    }
    check("\u{feff}\n{\\rtf1 late}", "late");
}

#[test]
fn depth_and_length_are_survived() {
    let start = Instant::now();
    let deep = ["{\\rtf1 a", &"{".repeat(300_000), "b", &"}".repeat(300_000), "c}"].concat();
    check(&deep, "abc");
    assert_eq!(draft(&b"{\\rtf1 ".repeat(100_000)).text(), "");
    let long = format!("{{\\rtf1 {}", "\\u228?\\'e4 ".repeat(200_000));
    assert!(draft(long.as_bytes()).text().len() <= Draft::VALUE_LIMIT);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
