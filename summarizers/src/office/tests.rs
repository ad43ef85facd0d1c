//! Documents of `LibreOffice` in the formats of Microsoft, and some made to hurt.

use super::weight::{is_light, is_shallow};
use super::*;
use crate::testing::{check, summarize};
use flate2::read::GzDecoder;
use gatherer_pipeline::Kind;
use std::io::{Cursor, Read, Write};
use std::time::{Duration, Instant};
use url::Url;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const DOCX: &[u8] = include_bytes!("fixtures/corn.docx");
const DOC: &[u8] = include_bytes!("fixtures/corn.doc");
const XLSX: &[u8] = include_bytes!("fixtures/yields.xlsx");
const XLS: &[u8] = include_bytes!("fixtures/yields.xls");
const PPTX: &[u8] = include_bytes!("fixtures/talk.pptx");
const LOCKED: [&[u8]; 3] = [
    include_bytes!("fixtures/locked.docx"),
    include_bytes!("fixtures/locked.doc"),
    include_bytes!("fixtures/locked.xls"),
];

fn ppt() -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(&include_bytes!("fixtures/talk.ppt.gz")[..]).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

fn draft(body: &[u8]) -> Draft {
    summarize("MSWord", "a.doc", body).expect("a document")
}

fn references(draft: &Draft) -> Vec<(&str, &str)> {
    draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect()
}

/// A package of these parts, packed.
fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a new entry");
        zip.write_all(content.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    package(&[("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>"))])
}

#[test]
fn a_text_document_is_read() {
    let draft = draft(DOCX);
    check(
        &draft,
        &[
            ("Format", "DOCX"),
            ("Title", "Corn & maize"),
            ("Author", "Ann Ähre"),
            ("Modified-By", "Bob"),
            ("Subject", "Crops"),
            ("Description", "On growing corn"),
            // So written by LibreOffice.
            ("Keywords", "corn maize"),
            ("Language", "en-US"),
            ("Created", "2024-05-01T12:00:00Z"),
            ("Modified", "2024-05-02T08:30:00Z"),
            ("Generator", "LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2"),
            ("Headings", "Growing\nHarvest"),
            (
                "text",
                "Growing\nCorn grows in the fields of the Süden.\nHarvest\nIn autumn.\nField Tons\nNorth 12\nEnd.\n\
                 Not in winter.\nWhen exactly?",
            ),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/fields", "the fields")]);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn a_text_document_of_old_is_read() {
    let draft = draft(DOC);
    check(
        &draft,
        &[
            ("Format", "DOC"),
            ("Title", "Corn & maize"),
            ("Author", "Ann Ähre"),
            ("Subject", "Crops"),
            ("Keywords", "corn\nmaize"),
            ("Description", "On growing corn"),
            ("Created", "2024-05-01T12:00:00Z"),
            ("Modified", "2024-05-02T08:30:00Z"),
            ("Headings", "Growing\nHarvest"),
            (
                "text",
                "Growing\nCorn grows in the fields of the Süden.\nHarvest\nIn autumn.\nField Tons\nNorth 12\nEnd.\n\
                 Not in winter.",
            ),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/fields", "")]);
}

#[test]
fn spreadsheets_are_read() {
    let expected = [
        ("Title", "Yields of corn"),
        ("Author", "Ann Ähre"),
        ("Sheets", "Fields\nPrices"),
        ("Columns", "Field\nTons\nDay\nMonth\nPrice"),
        ("Created", "2024-05-01T12:00:00Z"),
    ];
    let text = "Field Tons Day\nNördlich 12.5 2024-09-30\nNear the river\nCorn exchange\nMonth Price\nMay 200";
    let old = "Field Tons Day\nNördlich Near the river 12.5 2024-09-30\nCorn exchange\nMonth Price\nMay 200";
    for (body, format, text) in [(XLSX, "XLSX", text), (XLS, "XLS", old)] {
        let draft = draft(body);
        check(&draft, &expected);
        check(&draft, &[("Format", format), ("text", text)]);
        assert_eq!(references(&draft), [("http://example.com/north", "Nördlich")]);
    }
}

#[test]
fn slides_are_read() {
    let expected = [
        ("Title", "A talk on corn"),
        ("Author", "Ann Ähre"),
        ("Slides", "2"),
        ("Headings", "Corn is old\nCorn is grün"),
    ];
    let text = "Corn is old\nSee its history\nSpeak slowly\nCorn is grün";
    for (body, format) in [(PPTX, "PPTX"), (&ppt(), "PPT")] {
        let draft = draft(body);
        check(&draft, &expected);
        check(&draft, &[("Format", format), ("text", text)]);
        assert_eq!(references(&draft), [("http://example.com/history", "its history")]);
    }
}

#[test]
fn what_is_encrypted_says_so() {
    for body in LOCKED {
        check(&draft(body), &[("Encrypted", "yes"), ("text", "")]);
    }
    // Of the old ones, the title can be read.
    check(&draft(LOCKED[1]), &[("Title", "A secret"), ("Format", "DOC")]);
    check(&draft(LOCKED[2]), &[("Title", "A secret"), ("Format", "XLS")]);
}

#[test]
fn any_cut_is_survived_and_much_of_the_text_read() {
    for body in [DOCX, DOC, XLSX, XLS, PPTX, LOCKED[0]] {
        for cut in (0..body.len()).step_by(197).chain(body.len() - 30..body.len()) {
            let _ = summarize("MSWord", "a", &body[..cut]);
        }
    }
    let ppt = ppt();
    for cut in (0..ppt.len()).step_by(29_973) {
        let _ = summarize("MSPowerpoint", "a", &ppt[..cut]);
    }
    // The directory is at the end of the archive.
    let cut = draft(&DOCX[..DOCX.len() - 100]);
    check(&cut, &[("Title", "Corn & maize"), ("Headings", "Growing\nHarvest")]);
    assert!(cut.text().ends_with("End.\nNot in winter.\nWhen exactly?"), "{}", cut.text());
    assert_eq!(cut.complaints(), ["the directory of the archive is lost"]);
}

#[test]
fn a_cut_body_is_complained_of() {
    let (url, kind) = (Url::parse("http://example.org/a.docx").expect("a URL"), Kind::new("MSWord"));
    let body = &DOCX[..DOCX.len() / 2];
    let leaf = Leaf { cut: true, ..Leaf::new(&url, &kind, body) };
    let draft = Office.summarize(&leaf).expect("some of it");
    assert!(draft.complaints().contains(&"the document was cut and is read in part".to_owned()));
}

#[test]
fn damaged_bytes_are_survived() {
    let ppt = ppt();
    for body in [DOCX, DOC, XLSX, XLS, PPTX, LOCKED[1], &ppt[..ppt.len().min(60_000)]] {
        for place in (0..body.len()).step_by(499) {
            let mut damaged = body.to_vec();
            damaged[place] ^= 0xFF;
            let _ = summarize("MSWord", "a", &damaged);
        }
    }
}

#[test]
fn what_is_no_document_is_refused() {
    for body in [&b""[..], b"PK\x03\x04", b"plain text", &[0xFF; 600], b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"] {
        assert!(summarize("MSWord", "a", body).is_err(), "{body:?}");
    }
    assert!(summarize("MSWord", "a", &package(&[("readme.txt", "hello")])).is_err());
    assert!(summarize("MSExcel", "a", &[&b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"[..], &[0; 2_000]].concat()).is_err());
}

#[test]
fn other_formats_under_the_name_are_read_as_what_they_are() {
    check(&draft(b"{\\rtf1 Corn}"), &[("text", "Corn")]);
    check(&draft(b"\n<html><title>Corn</title>"), &[("Title", "Corn")]);
}

#[test]
fn a_document_without_properties_is_called_by_its_first_heading() {
    let styles = "<w:styles><w:style w:styleId='1'><w:name w:val='heading 1'/></w:style>\
        <w:style w:styleId='mine'><w:basedOn w:val='1'/></w:style></w:styles>";
    let rels = "<Relationships><Relationship Id='a' Type='x/styles' Target='styles.xml'/></Relationships>";
    let body = "<w:document><w:p><w:pPr><w:pStyle w:val='mine'/></w:pPr><w:r><w:t>Corn &amp; &bomb;maize</w:t></w:r>\
        </w:p><w:p><w:r><w:t>It</w:t><w:tab/><w:t>grows</w:t><w:delText>not</w:delText></w:r></w:p></w:document>";
    let parts = [("word/document.xml", body), ("word/styles.xml", styles), ("word/_rels/document.xml.rels", rels)];
    check(&draft(&package(&parts)), &[("Title", "Corn & maize"), ("text", "Corn & maize\nIt grows")]);
}

#[test]
fn deep_nesting_is_read_in_one_go() {
    let start = Instant::now();
    let deep = format!("{}<w:p><w:r><w:t>in</w:t></w:r></w:p>", "<w:tbl><w:tr><w:tc>".repeat(100_000));
    check(&draft(&docx(&deep)), &[("text", "in")]);
    let fields = "<w:fldChar w:fldCharType='begin'/><w:hyperlink>".repeat(100_000);
    check(&draft(&docx(&fields)), &[("text", "")]);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_bomb_is_cut() {
    let start = Instant::now();
    let bomb = format!("<w:document><w:p><w:r><w:t>{}", "a ".repeat(8 << 20));
    let draft = draft(&package(&[("word/document.xml", &bomb)]));
    assert!(draft.complaints().iter().any(|complaint| complaint.contains("cut at")), "{:?}", draft.complaints());
    assert!(draft.text().len() <= Draft::VALUE_LIMIT);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_string_shared_by_many_cells_is_not_copied_without_end() {
    let start = Instant::now();
    let workbook = "<workbook><sheets><sheet name='S' r:id='a'/></sheets></workbook>";
    let rels = "<R><Relationship Id='a' Type='x/worksheet' Target='sheet.xml'/>\
        <Relationship Id='b' Type='x/sharedStrings' Target='strings.xml'/></R>";
    let strings = format!("<sst><si><t>{}</t></si></sst>", "long ".repeat(100_000));
    let sheet = format!("<worksheet><row>{}", "<c r='XFD1048576' t='s'><v>0</v></c>".repeat(100_000));
    let parts = [
        ("xl/workbook.xml", workbook),
        ("xl/_rels/workbook.xml.rels", rels),
        ("xl/strings.xml", &strings),
        ("xl/sheet.xml", &sheet),
    ];
    let draft = draft(&package(&parts));
    check(&draft, &[("Sheets", "S")]);
    assert!(draft.text().len() <= Draft::VALUE_LIMIT && draft.complaints().len() == 1, "{:?}", draft.complaints());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn an_archive_full_of_false_ends_is_given_up_soon() {
    let start = Instant::now();
    assert!(summarize("MSWord", "a", &b"PK\x05\x06".repeat(200_000)).is_err());
    assert!(summarize("MSWord", "a", &b"PK\x03\x04".repeat(200_000)).is_err());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn old_records_are_weighed() {
    let record = |kind: u16, content: &[u8]| {
        let size = u16::try_from(content.len()).expect("a short record");
        [&kind.to_le_bytes()[..], &size.to_le_bytes(), content].concat()
    };
    assert!(is_light(&record(0x203, &[0; 14])) && is_light(b"") && is_light(&[3, 2]));
    // The last cell of a row in each of its rows.
    let last: Vec<u8> =
        (0..60_u16).flat_map(|row| record(0x203, &[&row.to_le_bytes()[..], &[0xFF; 2], &[0; 10]].concat())).collect();
    assert!(!is_light(&last));
    let area = [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF];
    assert!(!is_light(&record(0x1B8, &area)), "a reference of all cells");
    assert!(!is_light(&record(0x85, &[0; 8]).repeat(2)), "one sheet twice");
    assert!(is_shallow(&ppt()) && is_shallow(b""));
    assert!(!is_shallow(&[0x0F, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F].repeat(200)));
}
