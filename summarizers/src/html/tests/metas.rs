//! META elements and charsets.

use super::*;

#[test]
fn keywords_make_harvests_list() {
    check(
        "<meta name=KEYWORDS content='maize, Corn,corn , '><meta name=keywords content=apple>",
        &[("Keywords", "apple\nCorn\nmaize")],
    );
}

#[test]
fn metas_stand_under_their_own_names() {
    check(
        "<meta name=description content='A &quot;corn&quot;\n page'><meta name=AUTHOR content=Ann>
         <meta property=og:title content=Corn><meta name=DC.creator content=Ann><meta name=robots content=noindex>
         <META NAME='viewport' CONTENT=x><meta name=a content=''><meta name='' content=x><meta content=x><meta name=y>",
        &[
            ("Description", "A \"corn\" page"),
            ("Author", "Ann"),
            ("og:title", "Corn"),
            ("DC.creator", "Ann"),
            ("robots", "noindex"),
            ("viewport", ""),
            ("a", ""),
            ("y", ""),
        ],
    );
    let draft = draft("<meta name=author content=Ann>");
    assert!(draft.attributes().contains(&("Author".to_owned(), "Ann".to_owned())));
}

#[test]
fn several_values_are_several_lines_and_each_stands_once() {
    check("<meta name=a content=1><meta name=A content=2><meta name=a content=1>", &[("a", "1\n2")]);
}

#[test]
fn ill_formed_names_are_left_out() {
    let page = "<meta name='two words' content=x><meta name='a{b' content=x><meta name='ü' content=x>";
    let told = draft(page);
    assert!(told.attributes().iter().all(|(name, _)| name.starts_with("Charset")), "{told:?}");
    let complaint = |name: &str| format!("{name:?} cannot be the name of an attribute");
    assert_eq!(told.complaints(), ["two words", "a{b", "ü"].map(complaint));

    let endless = draft(&format!("<meta name='{}' content=x>", "w".repeat(1 << 20)));
    assert_eq!(endless.complaints(), [complaint(&"w".repeat(100))]);
}

#[test]
fn a_page_cannot_speak_in_the_gatherers_name() {
    check(
        "<meta name=md5 content=x><meta name=Full-Text content=x><meta name=url-references content=x>b",
        &[("MD5", ""), ("text", "b"), ("URL-References", "")],
    );
    check("<meta name=title content=m><title>t</title>", &[("Title", "t")]);
    check("<meta name=title content=m>", &[("Title", "m")]);
    check("<html lang=de><meta http-equiv=content-language content=en>", &[("Language", "de")]);
    check("<html><meta http-equiv=content-language content=en>", &[("Language", "en")]);
}

#[test]
fn charsets_by_header_page_and_detection() {
    let check = |body: &[u8], header: Option<&str>, charset: &str| {
        let draft = summarize(body, header);
        assert_eq!((Some(draft.text()), draft.get("Charset")), (Some("Grüße aus dem Süden"), Some(charset)));
        assert_eq!(draft.complaints(), [""; 0]);
    };
    let latin = b"Gr\xFC\xDFe aus dem S\xFCden";
    check(latin, Some("text/html; charset=iso-8859-1"), "windows-1252");
    check(&[b"<meta charset=iso-8859-1>".as_slice(), latin].concat(), Some("text/html"), "windows-1252");
    check(latin, None, "windows-1252");
    check("Grüße aus dem Süden".as_bytes(), None, "UTF-8");
    let wide: Vec<u8> = "\u{feff}<p>Grüße aus dem Süden".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(&wide, Some("text/html; charset=iso-8859-1"), "UTF-16BE");
    let wide: Vec<u8> = "\u{feff}<p>Grüße aus dem Süden".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&wide, None, "UTF-16LE");
}

#[test]
fn a_false_charset_is_complained_of() {
    let draft = summarize(b"Gr\xFC\xDFe aus dem S\xFCden", Some("text/html; charset=utf-8"));
    assert_eq!(Some(draft.text()), Some("Grüße aus dem Süden"));
    assert_eq!(draft.complaints(), ["declared as UTF-8 but is not; taken as windows-1252"]);
}
