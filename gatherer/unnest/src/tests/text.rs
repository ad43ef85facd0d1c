//! What is nested in text: mail, XML and feeds.

use super::{fixture, opened};
use crate::{Hint, Trouble};
use gatherer_pipeline::{Kind, UnixTime};

#[test]
fn a_mailbox_gives_its_messages() {
    let opened = opened("Mail", "mailbox", &fixture("mailbox"));
    assert_eq!(opened.result, Ok(()));
    assert_eq!(opened.names(), ["one_two@example.org", "message-2", "one_two@example.org (2)"]);
    let first = opened.body("one_two@example.org");
    assert!(first.starts_with("From: Anna <anna@example.org>\n"), "{first}");
    assert!(
        first.ends_with("\nFrom the harbour it is a short walk.\nFrom here on the text was quoted.\n>From twice.\n"),
        "{first}"
    );
    assert_eq!(opened.members[0].modified, Some(UnixTime(1_714_979_290)));
    assert_eq!(opened.members[1].modified, None);
    assert_eq!(opened.members[0].hint, Hint::Kind(Kind::new("Mail")));
    assert!(opened.members.iter().all(|member| member.complaint.is_none()));
}

#[test]
fn a_message_appended_later_renames_no_other() {
    let mut body = fixture("mailbox");
    let before = opened("Mail", "mailbox", &body);
    body.extend(b"\nFrom carl@example.org Mon May  6 10:00:00 2024\nMessage-ID: <new@example.org>\n\nNew.\n");
    let after = opened("Mail", "mailbox", &body);
    assert_eq!(after.names()[..3], before.names()[..]);
    assert_eq!(after.names()[3], "new@example.org");
    assert_eq!(after.members[0].body, before.members[0].body);
}

#[test]
fn a_message_gives_its_attachments_but_not_itself() {
    let opened = opened("Mail", "message.eml", &fixture("message.eml"));
    assert_eq!(opened.result, Ok(()));
    assert_eq!(opened.names(), ["Häfen.png", "notes.txt", "part-5"]);
    let picture: Vec<u8> = b"\x89PNG\r\n\x1a\n".iter().copied().chain(0..60).collect();
    assert_eq!(
        (&opened.members[0].body, &opened.members[0].hint),
        (&picture, &Hint::MediaType("image/png".to_owned()))
    );
    assert_eq!(opened.members[1].body, b"Gr\xfc\xdfe an alle");
    assert_eq!(opened.members[1].hint, Hint::MediaType("text/plain; charset=iso-8859-1".to_owned()));
    assert_eq!(opened.members[1].complaint.as_deref(), Some("its name was \"../notes.txt\""));
    let nested = &opened.members[2];
    assert_eq!(nested.hint, Hint::MediaType("message/rfc822".to_owned()));
    assert_eq!(super::opened("Mail", "part-5", &nested.body).body("deep.txt"), "deep");
}

#[test]
fn digests_and_single_attachments_are_known() {
    let digest =
        b"Content-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: a\n\nb\n--x\n\nSubject: c\n\nd\n--x--\n";
    let digest = opened("Mail", "x", digest);
    assert_eq!(digest.body("part-1"), "Subject: a\n\nb");
    assert_eq!(digest.members[1].hint, Hint::MediaType("message/rfc822".to_owned()));
    let single = opened(
        "Mail",
        "x",
        b"Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nJVBERg==\n",
    );
    assert_eq!(single.body("a.pdf"), "%PDF");
}

#[test]
fn xml_is_split_at_the_outermost_elements_of_the_rule() {
    let body = br#"<?xml version="1.0" encoding="ISO-8859-1"?>
<list xmlns="urn:list" xmlns:x='urn:"x"' xml:lang="de"><head>H</head>
<record id="a/1"><record>inner</record>Gr"#;
    let body = [
        body.as_slice(),
        b"\xfc\xdfe</record>",
        br#"<part xmlns:x="urn:y"><x:item/></part><record xml:id="z" id="b"/></list>"#,
    ]
    .concat();
    let opened = opened("XML", "list.xml", &body);
    assert_eq!(opened.result, Ok(()));
    assert_eq!(opened.names(), ["a_1", "item-2", "z"]);
    let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let declared = r#"xml:lang="de" xmlns:x='urn:"x"' xmlns="urn:list""#;
    let first = format!("{start}<record {declared} id=\"a/1\"><record>inner</record>Grüße</record>\n");
    assert_eq!(opened.body("a_1"), first);
    assert_eq!(
        opened.body("item-2"),
        format!("{start}<x:item xmlns:x=\"urn:y\" xml:lang=\"de\" xmlns=\"urn:list\"/>\n")
    );
    assert_eq!(opened.members[2].hint, Hint::Kind(Kind::XML));
}

#[test]
fn cut_xml_gives_what_was_whole() {
    let cut = opened("XML", "x", b"<list><record>a</record><record>b</rec");
    assert_eq!((cut.names(), cut.result.is_err()), (vec!["record-1"], true));
    let mixed = opened("XML", "x", b"<list><record>a</list>");
    assert!(mixed.members.is_empty() && matches!(mixed.result, Err(Trouble::Damaged(_))));
}

#[test]
fn entities_are_never_resolved() {
    let body = b"<!DOCTYPE l [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><l><record>&e;</record></l>";
    let opened = opened("XML", "x", body);
    assert!(opened.body("record-1").contains("<record>&e;</record>"));
    assert!(opened.members[0].complaint.is_some());
}

#[test]
fn wide_xml_is_split_too() {
    let wide: Vec<u8> = "\u{feff}<l><record>ä</record></l>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(opened("XML", "x", &wide).body("record-1").contains("<record>ä</record>"));
}

#[test]
fn entries_of_a_feed_become_pages() {
    let body = br#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><id>f</id>
<entry><id>https://example.org/2024/one</id><title>One &amp; only</title><author><name>Anna "A"</name></author>
<published>2024-05-06T07:08:10Z</published><link href="https://example.org/one"/>
<content type="html">&lt;p&gt;Text&lt;/p&gt;</content></entry>
<entry><title>Two</title><link href="https://example.org/two"/><summary>less &lt; more</summary></entry>
<entry><title>Three</title></entry></feed>"#;
    let opened = opened("Feed", "feed.atom", body);
    assert_eq!(opened.result, Ok(()));
    assert_eq!(opened.names(), ["example.org/2024/one", "example.org/two", "entry-3"]);
    let one = opened.body("example.org/2024/one");
    for part in [
        "<title>One &amp; only</title>",
        "<meta name=\"author\" content=\"Anna &quot;A&quot;\">",
        "<time datetime=\"2024-05-06T07:08:10+00:00\">",
        "<div><p>Text</p></div>",
        "<link rel=\"canonical\" href=\"https://example.org/one\">",
    ] {
        assert!(one.contains(part), "{part} is missing in {one}");
    }
    assert!(opened.body("example.org/two").contains("<p>less &lt; more</p>"));
    assert_eq!(opened.members[0].modified, Some(UnixTime(1_714_979_290)));
    assert_eq!(opened.members[0].hint, Hint::Kind(Kind::HTML));
}
