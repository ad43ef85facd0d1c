//! Learns what tells what a page is about, from pages whose answer is known.

pub(super) mod roles;

use super::say;
use gatherer_abstracts::score::{blind, gold};
use gatherer_parser::about::Families;
use gatherer_parser::about::learn::{Label, Lesson, learn, written};
use gatherer_parser::domain::Domain;
use gatherer_parser::engine::{Document, Engine};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Into so many parts pages are put; each part is judged by what was learnt from the others.
const PARTS: usize = 10;

/// What was right once must stay so: gold pages count so many times.
const GOLD: f64 = 4.0;

/// And to say something of a page of another trade is worse than to lose one.
const FOREIGN: f64 = 8.0;

struct Known {
    name: String,
    lesson: Lesson,
}

pub(super) fn run(domain: &str, folders: &[PathBuf], write: Option<&Path>) -> Result<ExitCode, String> {
    let mut domains = Domain::shipped();
    domains.retain(|shipped| shipped != domain);
    domains.insert(0, domain.to_owned());
    let engines = domains.iter().map(|domain| super::engine(domain, None)).collect::<Result<Vec<_>, _>>()?;
    let families = Families::joined(engines.iter().map(Engine::families));
    let school = School { engines, families };
    let mut pages = Vec::new();
    for folder in folders {
        pages.extend(school.read(folder)?);
    }
    match write {
        None => try_unseen(&school.families, &pages),
        Some(path) => {
            let weights = learn(&pages.iter().map(|page| &page.lesson).collect::<Vec<_>>(), &school.families);
            let seen = pages.iter().filter(|page| page.lesson.best(&weights).1).count();
            std::fs::write(path, written(&weights, &school.families))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            say(&format!("{seen} of {} pages are right that were learnt from; {}", pages.len(), path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says how many pages are right that nothing was learnt from, and names the others.
fn try_unseen(families: &Families, pages: &[Known]) {
    let mut right = 0;
    for (own, others) in parts(pages) {
        let weights = learn(&others.iter().map(|page| &page.lesson).collect::<Vec<_>>(), families);
        for page in own {
            let (answer, is_right) = page.lesson.best(&weights);
            right += usize::from(is_right);
            if !is_right {
                say(&format!("{}: {answer}", page.name));
            }
        }
    }
    let offered = pages.iter().filter(|page| page.lesson.has_right()).count();
    say(&format!("{right} of {} pages are right unseen; {offered} could be", pages.len()));
}

/// Each part of the pages, and all others.
fn parts<T>(pages: &[T]) -> impl Iterator<Item = (Vec<&T>, Vec<&T>)> {
    (0..PARTS).map(|part| {
        let (own, others): (Vec<_>, Vec<_>) = pages.iter().enumerate().partition(|(number, _)| number % PARTS == part);
        let bare = |pages: Vec<(usize, _)>| pages.into_iter().map(|(_, page)| page).collect();
        (bare(own), bare(others))
    })
}

/// The lines of a file with at least so many parts, each with its place.
fn rows<const N: usize>(path: &Path) -> Result<Vec<(String, [String; N])>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let row = |(number, line): (usize, &str)| {
        let place = format!("{}:{}", path.display(), number + 1);
        let parts: Vec<_> = line.split('\t').take(N).map(|part| part.trim().to_owned()).collect();
        let parts = parts.try_into().map_err(|_| format!("{place}: not {N} parts with tabs between them"))?;
        Ok((place, parts))
    };
    lines.map(row).collect()
}

/// The parser of the domain whose pages have labels, and those of all others that come with the program.
struct School {
    engines: Vec<Engine>,
    families: Families,
}

impl School {
    /// The pages of a folder: those that `labels.tsv` names, or gold pages.
    fn read(&self, folder: &Path) -> Result<Vec<Known>, String> {
        let labels = folder.join("labels.tsv");
        if !labels.exists() {
            return self.read_gold(folder);
        }
        let page = |(place, [file, url, kind, answer]): (String, [String; 4])| {
            let label = match kind.as_str() {
                "foreign" => Label::Nothing,
                "listing" => Label::Several,
                _ => one(&answer).ok_or_else(|| format!("{place}: {answer:?} is no class with a name"))?,
            };
            self.known(&self.engines[0].domain().name, &folder.join(file), &url, "utf-8", &label)
        };
        rows(&labels)?.into_iter().map(page).collect()
    }

    fn read_gold(&self, folder: &Path) -> Result<Vec<Known>, String> {
        let page = |page: gold::Page| {
            let ontology = &self.engine(&page.domain)?.domain().ontology;
            let label = match (page.kind.as_str(), gold::about(&gold::facts(folder, &page, ontology)?)) {
                ("listing", _) => Label::Several,
                ("foreign", _) | (_, None) => Label::Nothing,
                (_, Some((names, classes))) => {
                    let classes = classes.iter().map(|class| ontology.class_at(*class).name().to_owned()).collect();
                    Label::One { names, classes }
                }
            };
            let path = folder.join(&page.path).join("page.html");
            let mut known = self.known(&page.domain, &path, &page.url, &page.charset, &label)?;
            known.lesson.weigh(if matches!(label, Label::Nothing) { FOREIGN } else { GOLD });
            Ok(known)
        };
        // The others must not be seen before their turn.
        let seen: Vec<_> = blind::rows(&folder.join("blind.tsv"))?.into_iter().map(|row| row.page).collect();
        gold::pages(folder)?.into_iter().filter(|page| seen.contains(&page.path)).map(page).collect()
    }

    fn known(&self, domain: &str, path: &Path, url: &str, charset: &str, label: &Label) -> Result<Known, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let document = Document { url, kind: "text/html", charset: Some(charset), language: None, bytes: &bytes };
        let lesson = self.engine(domain)?.lesson(&document, &self.families, label);
        let lesson = lesson.map_err(|refused| format!("{}: {refused}", path.display()))?;
        Ok(Known { name: format!("{} ({label})", path.display()), lesson })
    }

    fn engine(&self, domain: &str) -> Result<&Engine, String> {
        let engine = self.engines.iter().find(|engine| engine.domain().name == domain);
        engine.ok_or_else(|| format!("no domain {domain} comes with the program"))
    }
}

/// `Hotel,Restaurant:Zum Hirschen|Hirschen`
fn one(answer: &str) -> Option<Label> {
    let (classes, names) = answer.split_once(':')?;
    let names = names.split('|').map(str::trim).filter(|name| *name != "*").map(str::to_owned).collect();
    Some(Label::One { names, classes: classes.split(',').map(|class| class.trim().to_owned()).collect() })
}
