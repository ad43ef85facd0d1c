use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;
use proptest::prelude::*;

const MESSAGE: &[u8] = include_bytes!("fixtures/message.eml");
const MAILBOX: &[u8] = include_bytes!("fixtures/box.mbox");

fn read(body: &[u8]) -> Draft {
    summarize("Mail", "a.eml", body).expect("a message")
}

#[test]
fn a_message_tells_its_header_text_and_attachments() {
    let draft = read(MESSAGE);
    check(
        &draft,
        &[
            ("Title", "Grüße vom Feld"),
            ("Author", "Ann Müller <ann@example.org>"),
            ("To", "Bob <bob@example.com>\nlist@example.net"),
            ("Cc", "Eve <eve@example.com>"),
            ("Created", "2024-05-01T10:00:00+02:00"),
            ("Message-Id", "1@example.org"),
            ("Message-References", "00@example.com\n0@example.com"),
            ("Keywords", "corn\nmaize"),
            ("List-Id", "Corn growers <corn.example.net>"),
            ("Organization", "Farm"),
            ("Generator", "Mutt/2.2"),
            ("Attachments", "Maïs.png"),
            ("Encrypted", ""),
            ("text", "Hallo Bob,\n\n> how is the corn?\nSee <http://example.com/corn#x> and https://example.net/."),
        ],
    );
    let urls: Vec<_> = draft.references().iter().map(|reference| reference.url.as_str()).collect();
    assert_eq!(urls, ["http://example.com/corn", "https://example.net/"]);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
}

#[test]
fn a_mailbox_tells_its_subjects_and_senders() {
    check(
        &read(MAILBOX),
        &[
            ("Format", "mailbox"),
            ("Messages", "3"),
            ("Author", "Ann Müller <ann@example.org>"),
            ("Created", "2024-04-30T10:00:00Z"),
            ("Modified", "2024-05-03T10:00:00-05:00"),
            ("text", "First\nSecond\nThird"),
        ],
    );
    let one = [b"From ann@example.org Wed May  1 10:00:00 2024\n".as_slice(), MESSAGE].concat();
    check(&read(&one), &[("Title", "Grüße vom Feld"), ("Messages", "")]);
}

#[test]
fn news_and_pages_in_mail_are_read() {
    let news = b"Path: a!b\nFrom: ann@example.org (Ann)\nNewsgroups: comp.corn,alt.maize\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\n\nHi\n";
    let draft = summarize("News", "1", news).expect("a message");
    check(&draft, &[("Newsgroups", "comp.corn\nalt.maize"), ("Title", "Grüße"), ("text", "Hi")]);
    let page = b"From: a@b.example\nContent-Type: text/html\n\n<p>One <b>two</b><script>x</script>";
    check(&read(page), &[("text", "One two")]);
}

#[test]
fn encryption_and_signatures_are_marked() {
    let sealed = b"From: a@b.example\nContent-Type: multipart/encrypted; boundary=x\n\n--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n";
    check(&read(sealed), &[("Encrypted", "yes"), ("Author", "a@b.example")]);
    check(
        &read(b"From: a@b.example\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx"),
        &[("Encrypted", "yes")],
    );
    check(
        &read(b"From: a@b.example\nContent-Type: application/x-pkcs7-mime; smime-type=signed-data\n\nx"),
        &[("Encrypted", ""), ("Signed", "yes")],
    );
    check(&read(b"From: a@b.example\n\n-----BEGIN PGP MESSAGE-----\nx"), &[("Encrypted", "yes")]);
}

#[test]
fn damaged_messages_are_survived() {
    for body in [MESSAGE, MAILBOX] {
        for end in 0..body.len() {
            let _ = summarize("Mail", "a", &body[..end]);
        }
    }
    assert!(summarize("Mail", "a", b"").is_err());
    assert!(summarize("Mail", "a", b"no header at all").is_err());
}

#[test]
fn messages_within_messages_do_not_exhaust_the_stack() {
    let nested = b"From: a@b.example\nContent-Type: message/rfc822\n\n".repeat(50_000);
    let draft = read(&nested);
    check(&draft, &[("Author", "a@b.example")]);
    assert_eq!(draft.complaints().len(), 1);
    read(&b"From: a@b.example\nContent-Type: message/rfc822\n\n".repeat(super::PARTS));
    let parts = b"From: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\n".repeat(super::PARTS);
    read(&parts);
}

proptest! {
    #[test]
    fn any_soup_is_survived(pieces in proptest::collection::vec(
        "(From |From: a@b\n|Subject: =\\?utf-8\\?[QB]\\?=C3=\\?=\n|Date: Wed, 99 May\n|Content-Type: (multipart/mixed; boundary=x|message/rfc822|text/html)\n|\
         Content-Transfer-Encoding: (base64|quoted-printable)\n|--x\n|--x--\n|\n|=\n|QUJD|http://|ü|>From )", 0..50)) {
        let soup = pieces.concat();
        prop_assert_eq!(summarize("Mail", "a", soup.as_bytes()), summarize("Mail", "a", soup.as_bytes()));
    }
}
