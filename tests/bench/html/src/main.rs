//! The same as a program that stays: `schemas/summarizer/since-0.1/messages.md`.

use gatherer_sdk::{Draft, Trouble};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Read, Write};

/// What the gatherer says to a summarizer.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Question {
    Hello {},
    Summarize { url: String },
}

/// What it hears.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum Answer<'a> {
    Hello { protocol: &'a str, version: &'a str, description: Description<'a> },
    Draft(Written<'a>),
    Refused(String),
}

#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    version: &'a str,
    kinds: [&'a str; 1],
    options: [&'a str; 0],
}

#[derive(Serialize)]
struct Written<'a> {
    attributes: Vec<Attribute<'a>>,
    text: &'a Option<String>,
    references: Vec<Reference<'a>>,
    canonical: &'a Option<String>,
    complaints: &'a [String],
}

#[derive(Serialize)]
struct Attribute<'a> {
    name: &'a str,
    value: Cow<'a, str>,
}

#[derive(Serialize)]
struct Reference<'a> {
    url: &'a str,
    text: &'a str,
    follow: bool,
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some((number, question, body)) = receive(&mut input)? {
        match question {
            Question::Hello {} => send(&mut output, number, &hello())?,
            Question::Summarize { url } => match html_again::draft(&url, &body) {
                Ok(draft) => send(&mut output, number, &Answer::Draft(written(&draft)))?,
                Err(Trouble::Refused(why) | Trouble::Failed(why)) => send(&mut output, number, &Answer::Refused(why))?,
            },
        }
    }
    Ok(())
}

fn hello() -> Answer<'static> {
    let description = Description { name: "html-again", version: "1.0.0", kinds: ["HTML"], options: [] };
    Answer::Hello { protocol: "gatherer-plugin", version: "0.1", description }
}

fn receive(input: &mut impl Read) -> io::Result<Option<(u32, Question, Vec<u8>)>> {
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

fn send(output: &mut impl Write, number: u32, answer: &Answer<'_>) -> io::Result<()> {
    let head = serde_json::to_vec(answer)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    let start = [length, 0, number].map(u32::to_be_bytes);
    output.write_all(&[start.as_flattened(), &head].concat())?;
    output.flush()
}

fn written(draft: &Draft) -> Written<'_> {
    let attributes = draft.attributes.iter().map(|one| Attribute { name: &one.name, value: one.text() });
    let references =
        draft.references.iter().map(|one| Reference { url: &one.url, text: &one.text, follow: one.follow });
    Written {
        attributes: attributes.collect(),
        text: &draft.text,
        references: references.collect(),
        canonical: &draft.canonical,
        complaints: &draft.complaints,
    }
}
