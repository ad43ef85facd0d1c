use super::Pdf;
use crate::testing::{check, summarize};
use gatherer_pipeline::{Draft, Kind, Leaf, Summarizer};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use url::Url;

const TEX: &[u8] = include_bytes!("fixtures/tex.pdf");
const ENCRYPTED: &[u8] = include_bytes!("fixtures/encrypted.pdf");
const PASSWORD: &[u8] = include_bytes!("fixtures/password.pdf");
const GHOSTSCRIPT: &[u8] = include_bytes!("fixtures/ghostscript.pdf");

fn read(body: &[u8]) -> Draft {
    summarize("Pdf", "a.pdf", body).expect("a PDF")
}

/// A document of as many pages as there are contents, with one font.
fn document(contents: &[&str], catalog: Dictionary) -> Vec<u8> {
    let mut document = Document::with_version("1.4");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let resources = dictionary! { "Font" => dictionary! { "F" => font } };
    let mut kids: Vec<Object> = Vec::new();
    for content in contents {
        let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
        kids.push(
            document.add_object(dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content }).into(),
        );
    }
    let count = i64::try_from(kids.len()).expect("few pages");
    let pages = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources };
    document.objects.insert(tree, pages.into());
    let mut root = dictionary! { "Type" => "Catalog", "Pages" => tree };
    root.extend(&catalog);
    let root = document.add_object(root);
    document.trailer.set("Root", root);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("memory");
    bytes
}

fn check_text(content: &str, expected: &str) {
    assert_eq!(read(&document(&[content], Dictionary::new())).text(), expected, "{content}");
}

#[test]
fn a_document_says_what_it_is() {
    let expected = [
        ("PDF-Version", "1.5"),
        ("Title", "Corn and maize"),
        ("Author", "Ann Example"),
        ("Description", "Of fields"),
        ("Keywords", "corn\nfield\nmaize"),
        ("Created", "2024-05-01T10:00:00Z"),
        ("Modified", "2024-05-02"),
        ("Language", "en"),
        ("Copyright", "Free to use"),
        ("Publisher", "Example Press"),
        ("Headings", "First part\nInner part\nSecond part"),
        ("Pages", "2"),
        ("Encrypted", ""),
    ];
    let draft = read(TEX);
    check(&draft, &expected);
    assert!(draft.get("Generator").is_some_and(|generator| generator.contains("pdfTeX")));
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn the_text_has_its_words_and_lines() {
    let text = read(TEX).text().to_owned();
    assert!(text.contains("efficient"), "{text}");
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "The quick (brown) fox, efficient offices; AVATAR. Naïve café and so on in short \
        documentation lines. here there Second page.";
    assert_eq!(folded, expected);
}

#[test]
fn references_are_absolute() {
    let draft = read(TEX);
    let urls: Vec<_> = draft.references().iter().map(|reference| reference.url.as_str()).collect();
    assert_eq!(urls, ["http://example.com/a", "http://example.org/dir/other.pdf"]);
}

#[test]
fn gaps_between_letters_may_be_spaces() {
    assert!(read(GHOSTSCRIPT).text().contains("corn − even if it is"), "{}", read(GHOSTSCRIPT).text());
}

#[test]
fn a_document_without_a_password_is_read_though_encrypted() {
    check(
        &read(ENCRYPTED),
        &[("Encrypted", "yes"), ("Pages", "1"), ("Attachments", "note.txt"), ("text", "Second page.")],
    );
}

#[test]
fn a_document_with_a_password_says_so() {
    let draft = read(PASSWORD);
    check(&draft, &[("Encrypted", "yes"), ("Pages", ""), ("text", "")]);
    assert_eq!(draft.complaints(), ["the document needs a password"]);
}

#[test]
fn text_is_put_together_by_its_places() {
    check_text("BT /F 10 Tf (Hel)Tj (lo)Tj 60 0 Td (world)Tj 0 -12 Td (again)Tj ET", "Hello world\nagain");
    check_text("BT /F 10 Tf [(Hel) 20 (lo) -300 (world)] TJ ET", "Hello world");
    check_text("BT /F 10 Tf 12 TL (a)Tj (b)' 1 2 (c)\" T* (d)Tj ET", "a\nb\nc\nd");
    check_text("q 2 0 0 2 0 0 cm BT /F 1 Tf 10 0 0 10 5 5 Tm (a)Tj 1 0 0 1 5 11 Tm (x)Tj ET Q", "a\nx");
    check_text("BT /F 10 Tf 1 0 0 1 5 5 Tm (bold)Tj 1 0 0 1 5.3 5 Tm (bold)Tj ET", "bold");
    check_text("BT /F 10 Tf /Span <</ActualText (read)>> BDC (sh)Tj (own)Tj EMC 0 -20 Td (x)Tj ET", "read\nx");
    check_text("BT /F 10 Tf (docu-)Tj 0 -12 Td (ment)Tj ET", "document");
    check_text("BT (no font)Tj /None 1 Tf (none)Tj 0 Tf () Tf ET Q Q EMC", "");
}

#[test]
fn forms_within_forms_end() {
    let mut document = Document::load_mem(&document(&["/X Do"], Dictionary::new())).expect("ours");
    let form = document.new_object_id();
    let page = document.page_iter().next().expect("one page");
    let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" };
    let resources = dictionary! { "XObject" => dictionary! { "X" => form }, "Font" => dictionary! { "F" => font } };
    document.get_dictionary_mut(page).expect("a page").set("Resources", resources.clone());
    let dictionary = dictionary! { "Subtype" => "Form", "Resources" => resources };
    let content = b"BT /F 1 Tf (deep)Tj ET /X Do /X Do".to_vec();
    document.objects.insert(form, Stream::new(dictionary, content).into());
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("memory");
    let draft = read(&bytes);
    assert!(draft.text().starts_with("deep"), "{draft:?}");
}

#[test]
fn a_bad_page_does_not_keep_the_others_back() {
    let draft = read(&document(&["BT /F 1 Tf (one)Tj ET ((((", "BT /F 1 Tf (two)Tj ET"], Dictionary::new()));
    assert!(draft.text().contains("two"), "{draft:?}");
}

#[test]
fn an_outline_that_bites_its_tail_ends() {
    let mut document = Document::load_mem(&document(&[], Dictionary::new())).expect("ours");
    let node = document.new_object_id();
    let (title, again) = (Object::string_literal("Again"), Object::Reference(node));
    let entry = dictionary! { "Title" => title, "First" => again.clone(), "Next" => again.clone() };
    document.objects.insert(node, entry.into());
    document.catalog_mut().expect("a catalog").set("Outlines", dictionary! { "First" => again });
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("memory");
    check(&read(&bytes), &[("Headings", "Again"), ("Pages", "0")]);
}

#[test]
fn ten_thousand_pages_are_read() {
    let pages = vec!["BT /F 1 Tf (x)Tj ET"; 10_000];
    let draft = read(&document(&pages, Dictionary::new()));
    check(&draft, &[("Pages", "10000")]);
    assert_eq!(draft.text().len(), 19_999);
}

#[test]
fn cuts_are_survived_and_often_read() {
    let url = Url::parse("http://example.org/a.pdf").expect("a URL");
    let kind = Kind::new("Pdf");
    let mut readable = 0;
    for fixture in [TEX, ENCRYPTED, PASSWORD] {
        for cut in (0..fixture.len()).step_by(397) {
            let body = &fixture[..cut];
            let leaf = Leaf { cut: true, ..Leaf::new(&url, &kind, body) };
            readable += usize::from(Pdf.summarize(&leaf).is_ok());
        }
    }
    assert!(readable > 20, "{readable}");
}

#[test]
fn a_damaged_table_of_contents_is_rebuilt() {
    let body = String::from_utf8_lossy(&document(&["BT /F 1 Tf (still)Tj ET"], Dictionary::new())).into_owned();
    let damaged = body.replace("startxref", "startxxxx").replace("xref", "yref");
    check(&read(damaged.as_bytes()), &[("text", "still"), ("Pages", "1")]);
}

#[test]
fn what_is_no_pdf_is_refused() {
    for body in [b"".as_slice(), b"%PDF-1.4", b"<html>", &[0xff; 1000]] {
        let refusal = summarize("Pdf", "a.pdf", body).expect_err("no PDF");
        assert!(refusal.to_string().starts_with("no PDF that can be read"), "{refusal}");
    }
}
