//! `gatherer recognize` and `gatherer summarize`: one document at a time, nothing stored.

use super::{form::FormWriter, print, runtime, say};
use crate::arguments::{RecognizeWish, SummarizeWish};
use anyhow::{Context, Result, bail};
use gatherer_engine::{Desk, fetch_one};
use gatherer_pipeline::{Fetched, SystemClock};
use gatherer_settings::{Overrides, Settings};
use gatherer_soif::Object;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use url::Url;

/// How documents of others begin.
const REMOTE: [&str; 4] = ["http:", "https:", "ftp:", "ftps:"];

pub(crate) fn recognize(wish: &RecognizeWish) -> Result<ExitCode> {
    let settings = settings(wish.config.as_deref())?;
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
    let settings = settings(wish.config.as_deref())?;
    if wish.config.is_none() && REMOTE.iter().any(|scheme| wish.document.starts_with(scheme)) {
        bail!("fetching from a site needs your contact\nname a config file with --config; `gatherer init` writes one");
    }
    let url = match Url::parse(&wish.document) {
        Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp" | "ftps" | "file") => url,
        _ => file_url(Path::new(&wish.document))?,
    };
    let fetched = fetch(&settings, &url).with_context(|| format!("cannot fetch {}", wish.document))?;
    let (summary, votes) = Desk::new(&settings)?.summarize(fetched).with_context(|| format!("no record of {url}"))?;
    votes.iter().for_each(|vote| say(vote));
    let mut object = Object::new(summary.template(), summary.url().as_str());
    for attribute in summary.attributes() {
        object.set(&*attribute.name, attribute.value.as_bytes());
    }
    let mut writer = FormWriter::begin(wish.form, std::io::stdout().lock())?;
    writer.object(&object)?;
    writer.end()?;
    Ok(ExitCode::SUCCESS)
}

/// The operator's settings, or the defaults under a name that goes out with no request but one asked for by hand.
fn settings(config: Option<&Path>) -> Result<Settings> {
    if let Some(path) = config {
        return super::settings(path, &Overrides::default());
    }
    let text = "[gatherer]\ncontact = \"nobody@localhost.localdomain\"\n[[root-node]]\nurl = \"http://localhost/\"\n";
    Ok(Settings::from_text(text, "the defaults", Path::new("."), &Overrides::default())?)
}

fn file_url(path: &Path) -> Result<Url> {
    let real = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
    Url::from_file_path(&real).ok().with_context(|| format!("{} has no URL", real.display()))
}

fn fetch(settings: &Settings, url: &Url) -> Result<Fetched> {
    Ok(runtime()?.block_on(fetch_one(settings, url, Arc::new(SystemClock)))?)
}
