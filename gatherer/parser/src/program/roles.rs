//! Learns which part a name plays, from the facts of gold pages.

use super::say;
use gatherer_abstracts::score::{blind, gold};
use gatherer_parser::engine::{Document, Engine};
use gatherer_parser::roles::learn::{Learnt, Lesson, Tally};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Into so many parts pages are put; each part is judged by what was learnt from the others.
const PARTS: usize = 8;

pub(super) fn run(domain: &str, folders: &[PathBuf], write: Option<&Path>) -> Result<ExitCode, String> {
    let engine = super::engine(domain, None)?;
    let mut lessons = Vec::new();
    for folder in folders {
        lessons.extend(read(&engine, folder)?);
    }
    let Some(path) = write else {
        say(&told(try_unseen(&lessons), "unseen"));
        return Ok(ExitCode::SUCCESS);
    };
    let learnt = Learnt::new(&lessons.iter().collect::<Vec<_>>());
    std::fs::write(path, learnt.written(&engine.domain().ontology))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let mut seen = Tally::default();
    lessons.iter().for_each(|lesson| seen += learnt.tried(lesson));
    say(&format!("{}; {}", told(seen, "that were learnt from"), path.display()));
    Ok(ExitCode::SUCCESS)
}

fn told(tally: Tally, which: &str) -> String {
    let Tally { wanted, right, wrong } = tally;
    format!("of {wanted} names {which} {right} have their part, and {wrong} have one that is not theirs")
}

fn try_unseen(lessons: &[Lesson]) -> Tally {
    let mut all = Tally::default();
    for part in 0..PARTS {
        let is_part = |number: usize| number % PARTS == part;
        let others = lessons.iter().enumerate().filter(|(number, _)| !is_part(*number)).map(|(_, lesson)| lesson);
        let learnt = Learnt::new(&others.collect::<Vec<_>>());
        let own = lessons.iter().enumerate().filter(|(number, _)| is_part(*number));
        own.for_each(|(_, lesson)| all += learnt.tried(lesson));
    }
    all
}

/// The gold pages of a folder that are of this domain and were scored: the others must not be seen before their turn.
fn read(engine: &Engine, folder: &Path) -> Result<Vec<Lesson>, String> {
    let seen: Vec<_> = blind::rows(&folder.join("blind.tsv"))?.into_iter().map(|row| row.page).collect();
    let lesson = |page: gold::Page| {
        let bytes = gold::bytes(folder, &page)?;
        let document = Document {
            url: &page.url,
            kind: "text/html",
            charset: Some(&page.charset),
            language: None,
            bytes: &bytes,
        };
        let facts = gold::facts(folder, &page, &engine.domain().ontology)?;
        engine.role_lesson(&document, &facts).map_err(|refused| format!("{}: {refused}", page.path))
    };
    let own = |page: &gold::Page| page.domain == engine.domain().name && seen.contains(&page.path);
    gold::pages(folder)?.into_iter().filter(own).map(lesson).collect()
}
