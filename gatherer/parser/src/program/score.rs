//! Scores the parser on gold pages.

use super::say;
use gatherer_abstracts::check::Document as Checked;
use gatherer_abstracts::score::kept::Kept;
use gatherer_abstracts::score::{PageScore, Report, blind, gold, page};
use gatherer_parser::engine::{Document, Engine};
use gatherer_parser::layout::decode;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

/// What is to be scored.
pub(super) struct Wanted<'a> {
    pub(super) gold: &'a Path,
    pub(super) pages: &'a [String],
    pub(super) blind: Option<usize>,
    pub(super) date: &'a str,
    pub(super) annotator: Option<&'a str>,
    pub(super) keep: bool,
    pub(super) mistakes: bool,
}

pub(super) fn score(wanted: &Wanted<'_>) -> Result<ExitCode, String> {
    let table = wanted.gold.join("blind.tsv");
    let seen: Vec<_> = blind::rows(&table)?.into_iter().map(|row| row.page).collect();
    let mut pages = gold::pages(wanted.gold)?;
    if let Some(count) = wanted.blind {
        pages.retain(|page| !seen.contains(&page.path));
        pages.truncate(count);
    } else if !wanted.pages.is_empty() {
        pages.retain(|page| wanted.pages.contains(&page.path));
    } else if !seen.is_empty() {
        // The others must not be seen before their turn.
        pages.retain(|page| seen.contains(&page.path));
    }
    let mut engines: HashMap<String, Engine> = HashMap::new();
    let mut report = Report::default();
    for one in pages {
        if !engines.contains_key(&one.domain) {
            let engine = super::engine(&one.domain, wanted.annotator)?;
            engines.insert(one.domain.clone(), engine);
        }
        let engine = &engines[&one.domain];
        let score = score_page(engine, wanted.gold, &one)?;
        if wanted.blind.is_some() {
            let mark = gatherer_abstracts::model::ParserMark {
                name: gatherer_parser::engine::NAME.to_owned(),
                version: gatherer_parser::engine::VERSION.to_owned(),
                fingerprint: engine.fingerprint().to_owned(),
            };
            blind::append(&table, wanted.date, &mark, &score)?;
        }
        if wanted.mistakes {
            say(&format!(
                "\n{}  precision {:.3}  recall {:.3}  F1 {:.3}",
                one.path,
                score.strict.precision(),
                score.strict.recall(),
                score.strict.f1()
            ));
            score.mistakes.iter().for_each(|(mistake, what)| say(&format!("  {}: {what}", mistake.name())));
            score.unfound.iter().for_each(|what| say(&format!("  nowhere: {what}")));
        }
        report.pages.push(score);
    }
    say(&report.to_string());
    if wanted.keep {
        return keep(&wanted.gold.join("kept.tsv"), &report);
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes down what is missed and wrong now, if no page has become worse.
fn keep(table: &Path, report: &Report) -> Result<ExitCode, String> {
    let mut kept = Kept::read(table)?;
    let changes: Vec<_> = report.pages.iter().map(|score| kept.compare(score)).collect();
    let worse: Vec<_> = changes.iter().flat_map(|change| &change.worse).map(String::as_str).collect();
    if !worse.is_empty() {
        return Err(format!("nothing was written, for something was lost:\n{}", worse.join("\n")));
    }
    report.pages.iter().for_each(|score| kept.put(score));
    std::fs::write(table, kept.text()).map_err(|error| format!("cannot write {}: {error}", table.display()))?;
    let better = changes.iter().map(|change| change.better.len()).sum::<usize>();
    say(&format!("{better} lines are better; written to {}", table.display()));
    Ok(ExitCode::SUCCESS)
}

fn score_page(engine: &Engine, folder: &Path, one: &gold::Page) -> Result<PageScore, String> {
    let ontology = &engine.domain().ontology;
    let facts = gold::facts(folder, one, ontology)?;
    let bytes = gold::bytes(folder, one)?;
    let document =
        Document { url: &one.url, kind: "text/html", charset: Some(&one.charset), language: None, bytes: &bytes };
    // A page that is refused gives nothing.
    let answer = engine.parse(&document).map_or_else(|_| empty(), |answer| answer.result);
    let source = decode(&bytes, Some(&one.charset));
    Ok(page(one, &facts, &answer, ontology, &Checked::new(&source.text, true)))
}

fn empty() -> gatherer_abstracts::model::Abstract {
    gatherer_abstracts::model::Abstract {
        lang: "und".to_owned(),
        offsets: None,
        meta: gatherer_abstracts::model::Meta::default(),
        instances: Vec::new(),
    }
}
