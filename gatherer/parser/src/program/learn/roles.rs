//! Learns which part a name plays, from the facts of gold pages.

use super::super::{engine, say};
use super::{parts, rows};
use gatherer_abstracts::score::blind;
use gatherer_abstracts::score::gold::{self, Named};
use gatherer_parser::engine::{Document, Engine};
use gatherer_parser::roles::learn::{Learnt, Lesson, Tally};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(domain: &str, folders: &[PathBuf], write: Option<&Path>) -> Result<ExitCode, String> {
    let engine = engine(domain, None)?;
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
    for (own, others) in parts(lessons) {
        let learnt = Learnt::new(&others);
        own.into_iter().for_each(|lesson| all += learnt.tried(lesson));
    }
    all
}

/// The pages of a folder: those whose names stand in `names.tsv`, or gold pages.
fn read(engine: &Engine, folder: &Path) -> Result<Vec<Lesson>, String> {
    if folder.join("names.tsv").exists() { read_named(engine, folder) } else { read_gold(engine, folder) }
}

/// The gold pages that are of this domain and were scored: the others must not be seen before their turn.
fn read_gold(engine: &Engine, folder: &Path) -> Result<Vec<Lesson>, String> {
    let seen: Vec<_> = blind::rows(&folder.join("blind.tsv"))?.into_iter().map(|row| row.page).collect();
    let lesson = |page: gold::Page| {
        let facts = gold::facts(folder, &page, &engine.domain().ontology)?;
        let path = folder.join(&page.path).join("page.html");
        lesson(engine, &path, &page.url, &page.charset, &gold::named(&facts))
    };
    let own = |page: &gold::Page| page.domain == engine.domain().name && seen.contains(&page.path);
    gold::pages(folder)?.into_iter().filter(own).map(lesson).collect()
}

/// `names.tsv` has file, slot and `Class:Name|other name`; the URLs of the files stand in `labels.tsv`.
fn read_named(engine: &Engine, folder: &Path) -> Result<Vec<Lesson>, String> {
    let ontology = &engine.domain().ontology;
    let mut pages: BTreeMap<String, Vec<Named>> = BTreeMap::new();
    for (place, [file, slot, name]) in rows(&folder.join("names.tsv"))? {
        let wrong = |what: &str| format!("{place}: there is no {what} in the ontology");
        let (class, names) =
            name.split_once(':').ok_or_else(|| format!("{place}: {name:?} is no class with a name"))?;
        let named = Named {
            slot: ontology.slot(&slot).ok_or_else(|| wrong(&format!("slot {slot}")))?,
            class: ontology.class(class).ok_or_else(|| wrong(&format!("class {class}")))?,
            names: names.split('|').map(|name| name.trim().to_owned()).collect(),
        };
        pages.entry(file).or_default().push(named);
    }
    let urls: BTreeMap<String, String> =
        rows(&folder.join("labels.tsv"))?.into_iter().map(|(_, [file, url])| (file, url)).collect();
    let lesson = |(file, named): (String, Vec<Named>)| {
        let url = urls.get(&file).ok_or_else(|| format!("{file} has names but no label in {}", folder.display()))?;
        lesson(engine, &folder.join(&file), url, "utf-8", &named)
    };
    pages.into_iter().map(lesson).collect()
}

fn lesson(engine: &Engine, path: &Path, url: &str, charset: &str, named: &[Named]) -> Result<Lesson, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let document = Document { url, kind: "text/html", charset: Some(charset), language: None, bytes: &bytes };
    engine.role_lesson(&document, named).map_err(|refused| format!("{}: {refused}", path.display()))
}
