//! Documents of `LibreOffice`, and some made by hand.

use super::*;
use crate::testing::{check, summarize};
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const ODT: &[u8] = include_bytes!("fixtures/corn.odt");
const FODT: &[u8] = include_bytes!("fixtures/corn.fodt");
const ODS: &[u8] = include_bytes!("fixtures/yields.ods");
const ODP: &[u8] = include_bytes!("fixtures/talk.odp");
const LOCKED: &[u8] = include_bytes!("fixtures/locked.odt");

fn draft(body: &[u8]) -> Draft {
    summarize("OpenDocument", "a.odt", body).expect("a document")
}

fn references(draft: &Draft) -> Vec<(&str, &str)> {
    draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect()
}

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a new entry");
        zip.write_all(content.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

#[test]
fn a_text_document_is_read_packed_and_flat() {
    for body in [ODT, FODT] {
        let draft = draft(body);
        check(
            &draft,
            &[
                ("Format", "ODT"),
                ("Title", "Corn & maize"),
                ("Author", "Ann Ähre"),
                ("Modified-By", "Bob"),
                ("Subject", "Crops"),
                ("Description", "On growing corn"),
                ("Keywords", "corn\nmaize"),
                ("Created", "2024-05-01T12:00:00"),
                ("Modified", "2024-05-02T08:30:00"),
                ("Generator", "LibreOffice/7.4.7.2$Linux_X86_64 LibreOffice_project/40$Build-2"),
                ("Pages", "1"),
                ("Words", "20"),
                ("Headings", "Growing\nHarvest"),
                (
                    "text",
                    "Growing\nCorn grows in the fields of the Süden.\nNot in winter.\nHarvest\nIn autumn\nWhen exactly?\n\
                     .\nField Tons\nNorth 12\nEnd.",
                ),
            ],
        );
        assert_eq!(references(&draft), [("http://example.com/fields", "the fields")]);
        assert_eq!(draft.complaints(), [""; 0]);
    }
}

#[test]
fn a_spreadsheet_is_read() {
    let draft = draft(ODS);
    check(
        &draft,
        &[
            ("Format", "ODS"),
            ("Title", "Yields of corn"),
            ("Sheets", "Fields\nPrices"),
            ("Columns", "Field\nTons\nDay\nMonth\nPrice"),
            ("text", "Field Tons Day\nNear the river Nördlich 12.5 2024-09-30\nCorn exchange\nMonth Price\nMay 200"),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/north", "Nördlich")]);
}

#[test]
fn slides_are_read() {
    let draft = draft(ODP);
    check(
        &draft,
        &[
            ("Format", "ODP"),
            ("Title", "A talk on corn"),
            ("Slides", "2"),
            ("Headings", "Corn is old\nCorn is grün"),
            ("text", "Corn is old\nSee its history\nSpeak slowly\nCorn is grün"),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/history", "its history")]);
}

#[test]
fn what_is_encrypted_says_so() {
    let draft = draft(LOCKED);
    check(&draft, &[("Encrypted", "yes"), ("Format", "ODT"), ("text", "")]);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn openoffice_1_is_read() {
    let content = "<!DOCTYPE office:document-content PUBLIC 'x' 'office.dtd'><office:document-content \
        office:class='spreadsheet'><office:body><table:table table:name='Old'><table:table-row><table:table-cell \
        table:value-type='string'><text:p>Corn</text:p></table:table-cell></table:table-row></table:table>\
        </office:body></office:document-content>";
    let meta = "<office:document-meta><office:meta><meta:keywords><meta:keyword>corn</meta:keyword></meta:keywords>\
        <dc:creator>Bob</dc:creator></office:meta></office:document-meta>";
    let parts = [("mimetype", "application/vnd.sun.xml.calc"), ("content.xml", content), ("meta.xml", meta)];
    let expected = [("Format", "SXC"), ("Sheets", "Old"), ("Author", "Bob"), ("Keywords", "corn"), ("text", "Corn")];
    check(&draft(&package(&parts)), &expected);
}

#[test]
fn references_into_the_package_are_none() {
    let link = |href: &str| format!("<text:p><text:a xlink:href='{href}'>{href}</text:a></text:p>");
    let links: String = ["../a", "b", "http://example.com/c?d:e", "#f", "/g", "file:///h"].map(link).concat();
    let content = format!("<office:document-content><office:body>{links}</office:body></office:document-content>");
    let draft = draft(&package(&[("content.xml", &content)]));
    let urls: Vec<_> = references(&draft).into_iter().map(|(url, _)| url.to_owned()).collect();
    assert_eq!(urls, ["http://example.org/dir/a", "http://example.com/c?d:e", "http://example.org/g"]);
}

#[test]
fn deleted_text_is_not_read() {
    let content = "<office:document-content><office:body><office:text><text:tracked-changes><text:p>gone</text:p>\
        </text:tracked-changes><text:p>a<text:s text:c='5'/>b<text:line-break/>c</text:p></office:text></office:body>";
    let draft = draft(&package(&[("content.xml", content)]));
    check(&draft, &[("text", "a b\nc")]);
    assert_eq!(draft.complaints(), ["content.xml: breaks off"]);
}

#[test]
fn any_cut_and_any_damage_is_survived() {
    for body in [ODT, FODT, ODS, ODP, LOCKED] {
        for cut in (0..body.len()).step_by(397).chain(body.len() - 30..body.len()) {
            let _ = summarize("OpenDocument", "a", &body[..cut]);
            let mut damaged = body.to_vec();
            damaged[cut] ^= 0xFF;
            let _ = summarize("OpenDocument", "a", &damaged);
        }
    }
    // A flat file is read up to where it ends; the text comes last.
    let cut = draft(&FODT[..FODT.len() - 400]);
    check(&cut, &[("Title", "Corn & maize"), ("Headings", "Growing\nHarvest")]);
    assert_eq!(cut.complaints(), ["the document: breaks off"]);
    let cut = draft(&ODT[..ODT.len() - 700]);
    check(&cut, &[("Headings", "Growing\nHarvest")]);
}

#[test]
fn what_is_no_document_is_refused() {
    for body in [&b""[..], b"text", b"<html></html>", b"<", &[0xFF; 99], &package(&[("word/document.xml", "<a/>")])] {
        assert!(summarize("OpenDocument", "a", body).is_err(), "{body:?}");
    }
}

#[test]
fn bombs_and_depths_are_survived() {
    let start = Instant::now();
    let nested = "<table:table><table:table-row><table:table-cell><text:p><text:a>".repeat(100_000);
    let repeated = "<table:table-cell table:number-columns-repeated='99999999'><text:p>a</text:p></table:table-cell>";
    let entities = "<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]>";
    let content = format!("{entities}<office:document-content><office:body>&c;{repeated}{nested}");
    check(&draft(&package(&[("content.xml", &content)])), &[("text", "a")]);
    let bomb = format!("<office:document-content><office:body><text:p>{}", "a ".repeat(4 << 20));
    let draft = draft(&package(&[("content.xml", &bomb)]));
    assert!(draft.text().len() <= Draft::VALUE_LIMIT);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
