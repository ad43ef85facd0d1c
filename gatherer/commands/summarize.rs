//! `gatherer recognize` and `gatherer summarize`: one document at a time, nothing stored. `gatherer resummarize`: all that
//! were kept.

use super::{form::FormWriter, print, runtime, say};
use crate::arguments::{Form, RecognizeWish, ResummarizeWish, SummarizeWish};
use anyhow::{Context, Result, bail};
use gatherer_engine::{ABSTRACT_ATTRIBUTE, Desk, Engine, Only, Resummarized, Summaries, fetch_one};
use gatherer_pipeline::{Fetched, Summary, SystemClock};
use gatherer_settings::{Overrides, Settings};
use gatherer_soif::Object;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use url::Url;

/// How documents of others begin.
const REMOTE: [&str; 4] = ["http:", "https:", "ftp:", "ftps:"];

pub(crate) fn recognize(wish: &RecognizeWish) -> Result<ExitCode> {
    let settings = settings(config_or_here(wish.config.as_deref()))?;
    let desk = Desk::new(&settings)?;
    let mut code = ExitCode::SUCCESS;
    for file in &wish.files {
        match file_url(file).and_then(|url| fetch(&settings, &url)) {
            Ok(fetched) => {
                let leaf = desk.recognize(fetched);
                let votes: Vec<_> = leaf.votes().iter().map(ToString::to_string).collect();
                print(&format!("{}\t{}\t{}", file.display(), leaf.kind(), votes.join(", ")))?;
            }
            Err(error) => {
                say(&format!("gatherer: {}: {}", file.display(), super::sentence(&error)));
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

pub(crate) fn summarize(wish: &SummarizeWish) -> Result<ExitCode> {
    let config = config_or_here(wish.config.as_deref());
    let settings = settings(config)?;
    if config.is_none() && REMOTE.iter().any(|scheme| wish.document.starts_with(scheme)) {
        bail!("fetching from a site needs your contact\nname a config file with --config; `gatherer init` writes one");
    }
    let url = document_url(&wish.document)?;
    let fetched = fetch(&settings, &url).with_context(|| format!("cannot fetch {}", wish.document))?;
    let made = Desk::new(&settings)?.summarize(fetched).with_context(|| format!("no record of {url}"))?;
    if let Some(form) = wish.abstract_form {
        let why = || made.summary.get("Complaints").unwrap_or("it says nothing that the ontology knows").to_owned();
        let Some(xml) = made.summary.get(ABSTRACT_ATTRIBUTE) else { bail!("there is no abstract of {url}: {}", why()) };
        super::abstracts::print_abstract(&settings, xml, form)?;
        return Ok(ExitCode::SUCCESS);
    }
    made.votes.iter().for_each(|vote| say(vote));
    show(&made, wish.form)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the records of a document and of all that is inside of it.
pub(super) fn show(made: &Summaries, form: Form) -> Result<()> {
    let mut writer = FormWriter::begin(form, std::io::stdout().lock())?;
    writer.object(&object(&made.summary))?;
    for (url, member) in &made.members {
        match member {
            Ok(summary) => writer.object(&object(summary))?,
            Err(departure) => say(&format!("{url}: {departure}")),
        }
    }
    writer.end()
}

fn object(summary: &Summary) -> Object {
    let mut object = Object::new(summary.template(), summary.url().as_str());
    for attribute in summary.attributes() {
        object.set(&*attribute.name, attribute.value.as_bytes());
    }
    object
}

pub(crate) fn resummarize(wish: &ResummarizeWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let keeps = settings.storing.keep_bodies;
    let only = if wish.only.is_some() { Only::Abstracts } else { Only::Changed };
    let engine = Engine::new(settings, Arc::new(SystemClock))?;
    let done = runtime()?.block_on(engine.resummarize(only))?;
    print(&format!("{} records made anew", done.made))?;
    if done == Resummarized::default() {
        print("all records were made as they would be made now")?;
    }
    if done.held > 0 {
        print(&format!("{} deletions are held back; `gatherer run --allow-deletions` lets them pass", done.held))?;
    }
    if done.left > 0 {
        print(&format!(
            "{} are wanted no more by selection, rules or the pages themselves; the next visit settles that",
            done.left
        ))?;
    }
    if done.waiting > 0 {
        let hint = if keeps { "" } else { " (store.keep-bodies keeps them)" };
        print(&format!("{} are made anew at their next visit: their bodies were not kept{hint}", done.waiting))?;
    }
    for (parser, lacking) in &done.lacking {
        let (count, why) = (lacking.records, &lacking.why);
        let records = if count == 1 { "record" } else { "records" };
        print(&format!("{count} {records} without an abstract by {parser}, and still due for it: {why}"))?;
    }
    Ok(if done.lacking.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The config that is named, else the one that lies where we are, as for every other command; here there need be none.
pub(super) fn config_or_here(named: Option<&Path>) -> Option<&Path> {
    named.or_else(|| Some(Path::new("gatherer.toml")).filter(|here| here.is_file()))
}

/// The operator's settings, or the defaults under a name that goes out with no request but one asked for by hand.
pub(super) fn settings(config: Option<&Path>) -> Result<Settings> {
    if let Some(path) = config {
        return super::settings(path, &Overrides::default());
    }
    Ok(super::with_worker(Settings::defaults()))
}

/// The URL of a document that is named by its URL or as a file.
pub(super) fn document_url(document: &str) -> Result<Url> {
    match Url::parse(document) {
        Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp" | "ftps" | "file") => Ok(url),
        _ => file_url(Path::new(document)),
    }
}

fn file_url(path: &Path) -> Result<Url> {
    let real = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
    Url::from_file_path(&real).ok().with_context(|| format!("{} has no URL", real.display()))
}

pub(super) fn fetch(settings: &Settings, url: &Url) -> Result<Fetched> {
    Ok(runtime()?.block_on(fetch_one(settings, url, Arc::new(SystemClock)))?)
}
