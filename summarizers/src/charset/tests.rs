use super::*;

fn url(host: &str) -> Url {
    Url::parse(&format!("http://{host}/")).expect("a URL")
}

fn check(body: &[u8], header: Option<&str>, expected: (&str, &str)) -> Vec<String> {
    let url = url("example.org");
    let decoded = decode(body, header, Hint::html(&url));
    assert_eq!((decoded.text.as_ref(), decoded.charset), expected);
    decoded.complaints
}

fn check_quiet(body: &[u8], header: Option<&str>, expected: (&str, &str)) {
    assert_eq!(check(body, header, expected), [""; 0]);
}

#[test]
fn the_byte_order_mark_wins_over_all() {
    check_quiet(b"\xEF\xBB\xBFgr\xC3\xBCn", Some("text/html; charset=iso-8859-1"), ("grün", "UTF-8"));
    check_quiet(b"\xFF\xFEa\0\xFC\0", Some("text/html; charset=utf-8"), ("aü", "UTF-16LE"));
    check_quiet(b"\xFE\xFF\0a\0\xFC", None, ("aü", "UTF-16BE"));
}

#[test]
fn the_header_wins_over_the_page() {
    let page = b"<meta charset=koi8-r>\xFC";
    check_quiet(page, Some("text/html;charset=ISO-8859-1"), ("<meta charset=koi8-r>ü", "windows-1252"));
    check_quiet(page, Some("text/html; Charset = \"latin1\" ; q=1"), ("<meta charset=koi8-r>ü", "windows-1252"));
    check_quiet(b"a\0\xFC\0", Some("text/plain; charset=utf-16le"), ("aü", "UTF-16LE"));
}

#[test]
fn the_page_declares_itself() {
    let cases: [&[u8]; 5] = [
        b"<meta charset=iso-8859-2>\xB1",
        b"<META CHARSET=' ISO-8859-2 '>\xB1",
        b"<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>\xB1",
        b"<!-- <meta charset=koi8-r> --><meta charset=iso-8859-2>\xB1",
        b"<?xml version='1.0' encoding='iso-8859-2'?>\xB1",
    ];
    for page in cases {
        let url = url("example.org");
        let decoded = decode(page, Some("text/html"), Hint::html(&url));
        assert_eq!(decoded.charset, "ISO-8859-2");
        assert!(decoded.text.ends_with('ą'));
    }
}

#[test]
fn plain_text_declares_nothing() {
    let url = url("example.org");
    let decoded = decode(b"<meta charset=iso-8859-2> r\xE9sum\xE9", None, Hint::text(&url));
    assert_eq!(decoded.charset, "windows-1252");
}

#[test]
fn a_declaration_beyond_the_prescan_is_too_late() {
    let mut page = vec![b' '; PRESCAN];
    page.extend(b"<meta charset=iso-8859-2>");
    assert_eq!(decode(&page, None, Hint { html: true, tld: None }).charset, "UTF-8");
}

#[test]
fn who_declares_utf16_in_ascii_is_utf8() {
    check_quiet("<meta charset=utf-16>ü".as_bytes(), None, ("<meta charset=utf-16>ü", "UTF-8"));
    let complaints = check("ü".as_bytes(), Some("text/html; charset=utf-16"), ("ü", "UTF-8"));
    assert_eq!(complaints, ["declared as UTF-16LE but is not"]);
}

#[test]
fn an_unknown_charset_is_passed_over_and_told() {
    let complaints = check("ü".as_bytes(), Some("text/html; charset=klingon"), ("ü", "UTF-8"));
    assert_eq!(complaints, ["unknown charset \"klingon\""]);
    let complaints = check(b"<meta charset=x-nonsense>", None, ("<meta charset=x-nonsense>", "UTF-8"));
    assert_eq!(complaints, ["unknown charset \"x-nonsense\""]);
}

#[test]
fn what_declares_nothing_is_detected() {
    check_quiet("Grüße aus dem Süden".as_bytes(), None, ("Grüße aus dem Süden", "UTF-8"));
    check_quiet(b"Gr\xFC\xDFe aus dem S\xFCden", None, ("Grüße aus dem Süden", "windows-1252"));
    check_quiet(b"Caf\xE9", None, ("Café", "windows-1252"));
    check_quiet(b"", None, ("", "UTF-8"));
}

#[test]
fn the_top_level_domain_tilts_the_detector() {
    let (_, greek, _) = (0, b"\xEA\xE1\xEB\xE7\xEC\xDD\xF1\xE1", 0);
    let url = url("example.gr");
    assert_eq!(decode(greek, None, Hint::text(&url)).text, "καλημέρα");
}

#[test]
fn false_utf8_is_detected_but_one_bad_byte_is_only_replaced() {
    let complaints = check(
        b"Gr\xFC\xDFe aus dem S\xFCden",
        Some("text/html; charset=utf-8"),
        ("Grüße aus dem Süden", "windows-1252"),
    );
    assert_eq!(complaints, ["declared as UTF-8 but is not; taken as windows-1252"]);
    let complaints = check(b"\xC3\xBC\xC3\xA4\xFF", Some("text/html; charset=utf-8"), ("üä\u{fffd}", "UTF-8"));
    assert_eq!(complaints, ["some bytes are not UTF-8"]);
}

#[test]
fn a_cut_within_a_character_stays_utf8() {
    let body = "Süden, ü".as_bytes();
    assert_eq!(decode(&body[..body.len() - 1], None, Hint::default()).charset, "UTF-8");
}

#[test]
fn odd_hosts_give_no_hint() {
    for odd in ["http://192.168.0.1/", "http://[::1]/", "gopher://EXAMPLE.%41b/", "file:///x", "mailto:a@b"] {
        let url = Url::parse(odd).expect("a URL");
        let _ = decode(b"\xFC\xE4", None, Hint::html(&url));
    }
    assert_eq!(Hint::text(&url("example.DE.")).tld, Some("de"));
}
