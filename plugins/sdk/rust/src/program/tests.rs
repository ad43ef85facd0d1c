use super::*;
use crate::{Draft, Setting};

struct Lines;

impl Plugin for Lines {
    const NAME: &'static str = "lines";
    const VERSION: &'static str = "1.0.0";
    const KINDS: &'static [&'static str] = &["Text"];
    const OPTIONS: &'static [Setting] = &[Setting::new("mark", "says \"stop\"\n")];
}

/// A message as it travels.
fn message(number: u32, head: &[u8], body: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a short message");
    let start = [length(head), length(body), number].map(u32::to_be_bytes);
    [start.as_flattened(), head, body].concat()
}

/// What is answered to all of this.
fn talk(messages: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let input = messages.concat();
    let mut output = Vec::new();
    let answer = |question: &mut Question<'_>, line: &dyn Gatherer| {
        let document: Document = question.take()?;
        let made = panics::caught(|| {
            assert_ne!(question.body, b"panic");
            let (rest, left) = (line.read(4, 2), line.left());
            let mut draft = Draft::new();
            draft.attribute(&document.url, format!("{}{left:?}", String::from_utf8_lossy(&rest)));
            Ok(draft)
        });
        Some(answered(made, |draft, to| tagged(1, draft, to)))
    };
    converse_over::<Lines>(Ends { input: input.as_slice(), output: &mut output }, 1, &answer)?;
    Ok(output)
}

fn hello(features: &str) -> Vec<u8> {
    message(0, format!(r#"{{"hello":{{"features":[{features}]}}}}"#).as_bytes(), b"")
}

fn question(url: &str) -> Vec<u8> {
    let mut head = vec![1];
    Document { url: url.to_owned(), size: 6, ..Document::default() }.put(&mut head);
    head
}

#[test]
fn a_conversation_goes_as_the_contract_has_it() {
    let left = [&[6][..], &1_500_u64.to_be_bytes()].concat();
    let said = talk(&[
        hello(r#""log","packed""#),
        message(1, &question("U"), b"0123"),
        message(1, &[5], b"45"),
        message(1, &left, b""),
        message(2, &question("U"), b"panic"),
    ]);
    let greeting = concat!(
        r#"{"hello":{"protocol":"gatherer-plugin","version":"0.1","features":["packed"],"description":"#,
        r#"{"name":"lines","version":"1.0.0","kinds":["Text"],"options":[{"name":"mark","about":"says \"stop\"\u000a","default":null}]}}}"#
    );
    let read = [&[9][..], &4_u64.to_be_bytes(), &2_u64.to_be_bytes()].concat();
    let attribute = b"\0\0\0\x01\0\0\0\x01U\0\0\0\x0c45Some(1.5s)\0\0";
    let draft = [b"\x01", attribute.as_slice(), b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0"].concat();
    let expected =
        [message(0, greeting.as_bytes(), b""), message(1, &read, b""), message(1, &[10], b""), message(1, &draft, b"")];
    let (said, expected) = (said.expect("a conversation"), expected.concat());
    assert_eq!(String::from_utf8_lossy(&said[..expected.len()]), String::from_utf8_lossy(&expected));
    // Number, lengths, and what became of the panic.
    assert_eq!(said[expected.len() + 8..][..5], [0, 0, 0, 2, 7]);
}

#[test]
fn whoever_cannot_be_understood_is_told() {
    let told = |messages: &[Vec<u8>]| talk(messages).expect_err("no conversation").to_string();
    assert!(told(&[hello(r#""log""#)]).contains("does not offer packed"));
    assert!(told(&[hello(r#""packed""#), message(1, &[2], b"")]).contains("no question for this plugin"));
    assert!(told(&[hello(r#""packed""#), message(1, &[1, 0], b"")]).contains("cannot be read"));
    assert!(talk(&[]).is_ok_and(|said| said.is_empty()));
}
