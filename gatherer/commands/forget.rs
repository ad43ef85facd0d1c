//! `gatherer forget`.

use super::control::{Order, order};
use super::store::s;
use super::{print, say};
use crate::arguments::ForgetWish;
use anyhow::{Result, bail};
use gatherer_engine::{Engine, look_into_store, open_store};
use gatherer_pipeline::{Clock, SystemClock};
use gatherer_store::{Forgetting, Forgotten, Store};
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use url::{Host, Url};

pub(crate) fn forget(wish: &ForgetWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    // A look is enough to ask back, and does not need the store for itself.
    let store = Arc::new(look_into_store(&settings)?);
    let (what, name) = match (&wish.url, &wish.site, &wish.root) {
        (Some(url), _, _) => {
            let engine = Engine::on(settings.clone(), Arc::clone(&store), Arc::new(SystemClock))?;
            ("url", engine.one_form(url)?.to_string())
        }
        (None, Some(site), _) => ("site", site.to_string()),
        (None, None, root) => ("root", root.clone().unwrap_or_default()),
    };
    let Some(forgetting) = read(what, &name) else { bail!("nothing to forget is named") };
    let found = store.forgettable(&forgetting)?;
    drop(store);
    let shown = shown(what, &name);
    if found.is_empty() {
        bail!(
            "nothing is known of {shown}\n`gatherer store stats` lists sites, `gatherer explain URL` says what is known of a URL"
        );
    }
    if !wish.yes && !is_sure(&shown, &found)? {
        say("nothing was forgotten");
        return Ok(ExitCode::FAILURE);
    }
    // Whoever is serving from this store does it.
    let said = match order(&settings, &Order::Forget { what: what.to_owned(), name: name.clone() })? {
        Some(said) => said,
        None => obey(&open_store(&settings)?, what, &name).map_err(anyhow::Error::msg)?,
    };
    print(&said.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Forgets, and says what.
pub(super) fn obey(store: &Store, what: &str, name: &str) -> Result<Vec<String>, String> {
    let Some(forgetting) = read(what, name) else { return Err(format!("there is no {what} {name:?}")) };
    let forgotten = store.forget(&forgetting, SystemClock.now()).map_err(|error| error.to_string())?;
    Ok(vec![
        format!("forgot {}: {}", shown(what, name), words(&forgotten)),
        "brokers hear of the deletions at their next visit; the next run may find it again, if it is still in scope"
            .to_owned(),
    ])
}

fn read(what: &str, name: &str) -> Option<Forgetting> {
    match what {
        "url" => Url::parse(name).ok().map(Forgetting::Url),
        "site" => Host::parse(name).ok().map(Forgetting::Site),
        "root" => Some(Forgetting::Root(name.to_owned())),
        _ => None,
    }
}

fn shown(what: &str, name: &str) -> String {
    match what {
        "site" => format!("the site {name}"),
        "root" => format!("the root node {name}"),
        _ => name.to_owned(),
    }
}

fn words(found: &Forgotten) -> String {
    let Forgotten { urls, records, queued, bodies } = found;
    format!(
        "{urls} URL{}, {records} record{}, {queued} queued, {bodies} bod{}",
        s(*urls),
        s(*records),
        if *bodies == 1 { "y" } else { "ies" }
    )
}

/// Asks back, where there is somebody to ask.
fn is_sure(name: &str, found: &Forgotten) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("this would forget {name}: {}\n`--yes` does it without asking back", words(found));
    }
    write!(std::io::stderr(), "forget {name}: {}? [y/N] ", words(found))?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
