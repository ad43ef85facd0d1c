//! One document, from a file or from standard input.

use super::{DocumentArguments, complain, say};
use gatherer_abstracts::model::{Told, list};
use gatherer_parser::about::Reason;
use gatherer_parser::engine::{Answer, Document, Engine, Refused};
use std::io::Read as _;
use std::process::ExitCode;

/// Exit codes of a parser that is started for each document; see `schemas/abstract/protocol.md`, 7.4.
const EMPTY: u8 = 2;
const UNSUPPORTED: u8 = 3;
const BAD: u8 = 4;

/// So many answers are told, with so many of what speaks for each, and none that weighs less.
const REASONS: usize = 5;
const SIGNS: usize = 8;
const LEAST_WEIGHT: f32 = 0.1;

fn bytes(arguments: &DocumentArguments) -> Result<Vec<u8>, String> {
    Ok(if let Some(path) = &arguments.file {
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
    })
}

fn document<'a>(arguments: &'a DocumentArguments, bytes: &'a [u8]) -> Document<'a> {
    Document {
        url: &arguments.url,
        kind: &arguments.kind,
        charset: arguments.charset.as_deref(),
        language: Some(&arguments.lang),
        bytes,
    }
}

fn read(engine: &Engine, arguments: &DocumentArguments) -> Result<Result<Answer, Refused>, String> {
    Ok(engine.parse(&document(arguments, &bytes(arguments)?)))
}

/// Says what a document may be about, and why.
pub(super) fn why(engine: &Engine, arguments: &DocumentArguments) -> Result<ExitCode, String> {
    let bytes = bytes(arguments)?;
    let reasons = engine.reasons(&document(arguments, &bytes), REASONS).map_err(|refused| refused.to_string())?;
    for Reason { answer, share, signs } in reasons {
        let signs: Vec<_> = signs.iter().filter(|(_, weight)| weight.abs() >= LEAST_WEIGHT).collect();
        let (strong, weak) = (signs.iter().take(SIGNS), signs.iter().skip(SIGNS).rev().take(SIGNS / 2).rev());
        let told: Vec<_> = strong.chain(weak).map(|(sign, weight)| format!("{sign} {weight:+.2}")).collect();
        let answer = match answer.as_str() {
            "-" => "nothing of this domain",
            "several" => "several things",
            one => one,
        };
        say(&format!("{:3.0} %  {answer}\n       {}", share * 100.0, told.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
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
