use super::*;
use gatherer_pipeline::Facts;

fn base() -> Url {
    Url::parse("http://example.org/a/b.html").expect("a URL")
}

#[test]
fn a_draft_goes_there_and_back() {
    let mut draft = Taken::new();
    draft.add("Title", "Corn");
    draft.weigh("Title", 3.0);
    draft.set_text("Grows.");
    draft.refer(base(), "itself");
    draft.refer_only(base(), "again");
    draft.set_canonical(base());
    draft.contain(pipeline::Child {
        name: "a.bin".to_owned(),
        kind: Some(Kind::TEXT),
        media_type: None,
        modified: Some(UnixTime(7)),
        content: vec![0xff, 0],
    });
    draft.complain("cut");
    let written = serde_json::to_string(&Draft::of(&mut draft.clone())).expect("JSON");
    let read: Draft = serde_json::from_str(&written).expect("a draft");
    assert_eq!(read.take(&base()), draft);
}

#[test]
fn what_is_not_well_formed_is_complained_of() {
    let written = r#"{"attributes": [{"name": "A", "value": {"base64": "Yf8="}, "language": "de", "later": 1}],
        "references": [{"url": "c.html"}, {"url": "http://["}], "later": {}}"#;
    let draft = serde_json::from_str::<Draft>(written).expect("a draft").take(&base());
    assert_eq!(
        draft.attributes(),
        [("A".to_owned(), "a\u{fffd}".to_owned()), ("Attribute-Languages".to_owned(), "A de".to_owned())]
    );
    assert_eq!(draft.references().len(), 1);
    assert_eq!(draft.references()[0].url.as_str(), "http://example.org/a/c.html");
    assert_eq!(draft.complaints(), ["A is not UTF-8", "the reference http://[ is no URL (invalid IPv6 address)"]);
}

#[test]
fn a_document_says_what_is_known() {
    let (url, votes) =
        (base(), [pipeline::Vote { voter: "name".to_owned(), kind: Kind::HTML, because: "x".to_owned() }]);
    let facts = Facts { etag: Some("\"1\""), modified: Some(UnixTime(5)), ..Facts::default() };
    let leaf = Leaf {
        url: &url,
        kind: &Kind::HTML,
        votes: &votes,
        content_type: Some("text/html; Charset=\"ISO-8859-1\""),
        body: b"x",
        cut: true,
        facts,
    };
    let document = Document::new(&leaf, &[]);
    assert_eq!(
        (document.charset.as_deref(), document.size, document.cut, document.modified),
        (Some("iso-8859-1"), 1, true, Some(5))
    );
    let names: Vec<_> = document.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(names, ["content-type", "etag"]);
    let marked = Leaf { body: b"\xef\xbb\xbfx", ..leaf };
    assert_eq!(Document::new(&marked, &[]).charset.as_deref(), Some("utf-8"));
}
