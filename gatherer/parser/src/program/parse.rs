//! One document, from a file or from standard input.

use super::{DocumentArguments, complain, say};
use gatherer_abstracts::model::{Told, list};
use gatherer_parser::engine::{Answer, Document, Engine, Refused};
use std::io::Read as _;
use std::process::ExitCode;

/// Exit codes of a parser that is started for each document; see `schemas/abstract/protocol.md`, 7.4.
const EMPTY: u8 = 2;
const UNSUPPORTED: u8 = 3;
const BAD: u8 = 4;

fn read(engine: &Engine, arguments: &DocumentArguments) -> Result<Result<Answer, Refused>, String> {
    let bytes = if let Some(path) = &arguments.file {
        std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
    } else {
        let mut bytes = Vec::new();
        let limit = gatherer_parser::engine::MAX_BYTES as u64 + 1;
        std::io::stdin()
            .lock()
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("cannot read standard input: {error}"))?;
        bytes
    };
    let document = Document {
        url: &arguments.url,
        kind: &arguments.kind,
        charset: arguments.charset.as_deref(),
        language: Some(&arguments.lang),
        bytes: &bytes,
    };
    Ok(engine.parse(&document))
}

pub(super) fn parse(engine: &Engine, arguments: &DocumentArguments) -> Result<ExitCode, String> {
    if arguments.want != "abstract" {
        complain(&format!("{} is not given: only abstract", arguments.want));
        return Ok(ExitCode::from(UNSUPPORTED));
    }
    let answer = match read(engine, arguments)? {
        Ok(answer) => answer,
        Err(refused) => {
            complain(&refused.to_string());
            return Ok(ExitCode::from(match refused {
                Refused::Type(_) | Refused::Language => UNSUPPORTED,
                _ => BAD,
            }));
        }
    };
    let ontology = &engine.domain().ontology;
    let result = &answer.result;
    say(&match arguments.form.as_str() {
        "xml" => result.to_xml(),
        "json" => format!("{:#}", result.to_json()),
        "turtle" => result.to_turtle(ontology, Told::default()),
        "json-ld" => format!("{:#}", result.to_json_ld(ontology, Told::default())),
        "list" => list::write(Some(&result.meta.url), &list::tuples(result, ontology)),
        other => return Err(format!("there is no form {other}: xml, json, turtle, json-ld, list")),
    });
    Ok(if result.instances.is_empty() { ExitCode::from(EMPTY) } else { ExitCode::SUCCESS })
}

pub(super) fn coverage(engine: &Engine, arguments: &DocumentArguments) -> Result<ExitCode, String> {
    let answer = match read(engine, arguments)? {
        Ok(answer) => answer,
        Err(refused) => {
            complain(&refused.to_string());
            return Ok(ExitCode::from(BAD));
        }
    };
    let coverage = answer.result.meta.coverage.unwrap_or_default();
    say(&format!("words      {} of {} known", coverage.known_words, coverage.words));
    say(&format!("sentences  {} of {} without a fact", coverage.empty_sentences, coverage.sentences));
    say(&format!("instances  {}", coverage.concepts));
    for (title, rows) in [("concepts", &answer.report.concepts), ("unknown words", &answer.report.unknown)] {
        say(&format!("\n{title}"));
        rows.iter().take(60).for_each(|(word, count)| say(&format!("{count:6}  {word}")));
    }
    say("\nsentences without a fact");
    answer.report.barren.iter().take(100).for_each(|sentence| say(&format!("  {sentence}")));
    Ok(ExitCode::SUCCESS)
}
