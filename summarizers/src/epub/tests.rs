//! Books of `LibreOffice` and pandoc, and some made by hand.

use super::*;
use crate::testing::{check, summarize};
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const CORN: &[u8] = include_bytes!("fixtures/corn.epub");
const BOOK: &[u8] = include_bytes!("fixtures/book.epub");
const CONTAINER: &str = "<container><rootfiles><rootfile full-path='o/b.opf'/></rootfiles></container>";
const OPF: &str = "<package><metadata><dc:title>T</dc:title><dc:description>&lt;p&gt;A &lt;b&gt;book</dc:description>\
    <dc:subject>a; b</dc:subject></metadata><manifest><item id='1' href='c%201.xhtml'/><item id='2' href='../d.html'/>\
    <item id='n' href='t.ncx' media-type='application/x-dtbncx+xml'/></manifest>\
    <spine toc='n'><itemref idref='1'/><itemref idref='2'/><itemref idref='none'/></spine></package>";
const NCX: &str = "<ncx><docTitle><text>x</text></docTitle><navMap><navPoint><navLabel><text>One</text></navLabel>\
    <navPoint><navLabel><text>Two</text></navLabel></navPoint></navPoint></navMap>\
    <pageList><pageTarget><navLabel><text>7</text></navLabel></pageTarget></pageList></ncx>";

fn draft(body: &[u8]) -> Draft {
    summarize("EPUB", "a.epub", body).expect("a book")
}

fn references(draft: &Draft) -> Vec<(&str, &str)> {
    draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect()
}

fn package(more: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let parts = [("META-INF/container.xml", CONTAINER), ("o/b.opf", OPF), ("o/t.ncx", NCX)];
    for (name, content) in parts.iter().chain(more) {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a new entry");
        zip.write_all(content.as_bytes()).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

#[test]
fn a_book_of_libreoffice_is_read() {
    let draft = draft(CORN);
    check(
        &draft,
        &[
            ("Title", "Corn & maize"),
            ("Author", "Ann Ähre"),
            ("Language", "en"),
            ("Modified", "2024-05-02T08:30:00Z"),
            ("Headings", "Growing"),
            ("ISBN", ""),
            (
                "text",
                "Growing\nCorn grows in the fields of the Süden.1\nHarvest\nIn autumn.\nField\nTons\nNorth\n12\nEnd.\n\n\
                 1Not in winter.",
            ),
        ],
    );
    assert_eq!(references(&draft), [("http://example.com/fields", "the fields")]);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn a_book_of_pandoc_is_read() {
    let draft = draft(BOOK);
    check(
        &draft,
        &[
            ("Title", "The book of corn"),
            ("Author", "Ann Ähre\nBob"),
            ("Publisher", "Field Press"),
            ("Published", "2024-05-01"),
            ("Modified", "2024-05-02T09:00:00Z"),
            ("Language", "en-GB"),
            ("Identifier", "978-3-16-148410-0"),
            ("ISBN", "9783161484100"),
            ("Keywords", "corn\nmaize"),
            ("Description", "All about corn"),
            ("Copyright", "© 2024 Field Press"),
            ("Headings", "Growing\nHarvest"),
        ],
    );
    assert!(draft.text().ends_with("Growing\nCorn grows in the fields, see below.\nHarvest\nIn autumn."), "{draft:?}");
    assert_eq!(references(&draft), [("http://example.com/fields", "the fields")]);
}

#[test]
fn the_old_table_of_contents_and_the_order_of_chapters_count() {
    let draft = draft(&package(&[("d.html", "<p>second"), ("o/c 1.xhtml", "<h1>first</h1>")]));
    let expected =
        [("Headings", "One\nTwo"), ("Description", "A book"), ("Keywords", "a\nb"), ("text", "first\nsecond")];
    check(&draft, &expected);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn hidden_fonts_hide_no_text_but_encrypted_chapters_are_left_out() {
    let data = |way: &str, part: &str| {
        format!(
            "<encryption><EncryptedData><EncryptionMethod Algorithm='{way}'/><CipherData>\
             <CipherReference URI='{part}'/></CipherData></EncryptedData></encryption>"
        )
    };
    let chapters = [("o/c 1.xhtml", "<p>first"), ("d.html", "<p>second")];
    let fonts = data("http://www.idpf.org/2008/embedding", "o/f.otf");
    let open = draft(&package(&[chapters[0], chapters[1], ("META-INF/encryption.xml", &fonts)]));
    check(&open, &[("Encrypted", ""), ("text", "first\nsecond")]);
    let locked = data("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "o/c%201.xhtml");
    let locked = draft(&package(&[chapters[0], chapters[1], ("META-INF/encryption.xml", &locked)]));
    check(&locked, &[("Encrypted", "yes"), ("Title", "T"), ("text", "second")]);
}

#[test]
fn a_missing_chapter_is_complained_of() {
    assert_eq!(draft(&package(&[("d.html", "<p>x")])).complaints(), ["o/c 1.xhtml is missing"]);
}

#[test]
fn any_cut_and_any_damage_is_survived() {
    for body in [CORN, BOOK] {
        for cut in (0..body.len()).step_by(17).chain(body.len() - 30..body.len()) {
            let _ = summarize("EPUB", "a", &body[..cut]);
            let mut damaged = body.to_vec();
            damaged[cut] ^= 0xFF;
            let _ = summarize("EPUB", "a", &damaged);
        }
    }
    let cut = draft(&BOOK[..BOOK.len() - 60]);
    check(&cut, &[("Title", "The book of corn"), ("Headings", "Growing\nHarvest")]);
    assert_eq!(cut.complaints(), ["the directory of the archive is lost"]);
}

#[test]
fn what_is_no_book_is_refused() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a.txt", SimpleFileOptions::default()).expect("a new entry");
    let other = zip.finish().expect("memory").into_inner();
    for body in [&b""[..], b"PK\x03\x04", b"text", &other] {
        assert!(summarize("EPUB", "a", body).is_err(), "{body:?}");
    }
}

#[test]
fn a_bomb_is_cut() {
    let start = Instant::now();
    let bomb = format!("<p>{}", "a ".repeat(6 << 20));
    let draft = draft(&package(&[("o/c 1.xhtml", &bomb), ("d.html", &bomb)]));
    assert!(draft.text().len() <= Draft::VALUE_LIMIT && !draft.complaints().is_empty());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
