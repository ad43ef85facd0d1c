//! The same as a program that stays: `schemas/summarizer/since-0.1/messages.md`.

use gatherer_sdk::{Draft, Trouble};
use serde_json::{Value, json};
use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some((number, message, body)) = receive(&mut input)? {
        let answer = if let Some(document) = message.get("summarize") {
            let url = document["url"].as_str().unwrap_or_default();
            html_again::draft(url, &body).map_or_else(trouble, written)
        } else {
            let about = json!({ "name": "html-again", "version": "1.0.0", "kinds": ["HTML"], "options": [] });
            json!({ "hello": { "protocol": "gatherer-plugin", "version": "0.1", "description": about } })
        };
        send(&mut output, number, &answer)?;
    }
    Ok(())
}

fn receive(input: &mut impl Read) -> io::Result<Option<(u32, Value, Vec<u8>)>> {
    let mut lengths = [[0; 4]; 3];
    if input.read_exact(lengths.as_flattened_mut()).is_err() {
        return Ok(None);
    }
    let [head, body, number] = lengths.map(u32::from_be_bytes);
    let mut read = |length| {
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        input.read_exact(&mut bytes).map(|()| bytes)
    };
    Ok(Some((number, serde_json::from_slice(&read(head)?)?, read(body)?)))
}

fn send(output: &mut impl Write, number: u32, message: &Value) -> io::Result<()> {
    let head = serde_json::to_vec(message)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    let start = [length, 0, number].map(u32::to_be_bytes);
    output.write_all(&[start.as_flattened(), &head].concat())?;
    output.flush()
}

fn written(draft: Draft) -> Value {
    let attributes = draft.attributes.iter().map(|one| json!({ "name": one.name, "value": one.text() }));
    let references =
        draft.references.iter().map(|one| json!({ "url": one.url, "text": one.text, "follow": one.follow }));
    json!({ "draft": {
        "attributes": attributes.collect::<Vec<_>>(),
        "text": draft.text,
        "references": references.collect::<Vec<_>>(),
        "canonical": draft.canonical,
        "complaints": draft.complaints,
    } })
}

fn trouble(trouble: Trouble) -> Value {
    json!({ "refused": trouble.to_string() })
}
