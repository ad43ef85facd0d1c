//! `gatherer forget`.

use super::control::{Order, order};
use super::store::s;
use super::{print, say};
use crate::arguments::ForgetWish;
use anyhow::{Result, bail};
use gatherer_engine::{Engine, Explanation, look_into_store, open_store};
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
    let others = "what is still in scope is found again by the next runs; to keep it away, take it out of the config";
    let (what, name, after) = match (&wish.url, &wish.site, &wish.root) {
        (Some(url), _, _) => {
            let engine = Engine::on(settings.clone(), Arc::clone(&store), Arc::new(SystemClock))?;
            let explained = engine.explain(url)?;
            ("url", explained.url.to_string(), after(&explained))
        }
        (None, Some(site), _) => ("site", site.to_string(), others.to_owned()),
        (None, None, root) => ("root", root.clone().unwrap_or_default(), others.to_owned()),
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
    print(&after)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a URL comes back, and what keeps it away.
fn after(explained: &Explanation) -> String {
    let Some(root) = explained.scope.iter().find(|root| root.verdict.is_ok()) else {
        return "no root node has it in scope: it stays away".to_owned();
    };
    let (root, url) = (&root.root, &explained.url);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let how = match explained.entry.as_ref().and_then(|entry| entry.found_on.as_ref()) {
        Some(page) => format!("comes back when {page}, which leads to it, is visited next"),
        None => "comes back with the next run, for the config names it".to_owned(),
    };
    let rule = format!("'deny ^{}$'", escaped(path));
    format!(
        "{root} has it in scope: it {how}; to keep it away, put {rule} at the front of its url-filter (that alone deletes it, too)"
    )
}

/// A path as a pattern that matches nothing else.
fn escaped(path: &str) -> String {
    let escape = |character: char| match character {
        '.' | '?' | '+' | '*' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\\' => format!("\\{character}"),
        other => other.to_string(),
    };
    path.chars().map(escape).collect()
}

/// Forgets, and says what.
pub(super) fn obey(store: &Store, what: &str, name: &str) -> Result<Vec<String>, String> {
    let Some(forgetting) = read(what, name) else { return Err(format!("there is no {what} {name:?}")) };
    let forgotten = store.forget(&forgetting, SystemClock.now()).map_err(|error| error.to_string())?;
    Ok(vec![
        format!("forgot {}: {}", shown(what, name), words(&forgotten)),
        "brokers hear of the deletions at their next visit".to_owned(),
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
