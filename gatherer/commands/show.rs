//! `gatherer show` and `gatherer export`.

use super::{form::FormWriter, print, say};
use crate::arguments::{ExportWish, ShowWish};
use anyhow::{Result, bail};
use gatherer_engine::{Engine, look_into_store};
use gatherer_pipeline::SystemClock;
use gatherer_settings::closest;
use gatherer_store::{Range, RawHead};
use std::collections::BTreeSet;
use std::io::BufWriter;
use std::process::ExitCode;
use std::sync::Arc;
use url::{Host, Url};

pub(crate) fn show(wish: &ShowWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let store = Arc::new(look_into_store(&settings)?);
    let engine = Engine::on(settings.clone(), Arc::clone(&store), Arc::new(SystemClock))?;
    let url = engine.one_form(&wish.url)?;
    let is_container = store.entry(&url)?.is_some_and(|entry| entry.members > 0);
    if let Some(member) = wish.url.fragment().filter(|_| is_container) {
        bail!("there is nothing called {member} in {url}\n`gatherer explain {url}` names what is");
    }
    // A rule may have given its record another URL.
    let url = store.entry(&url)?.map_or(url, |entry| entry.record_url().clone());
    let Some(record) = store.view().record(&url)? else {
        bail!("there is no record of {}\n`gatherer explain {}` says why", wish.url, wish.url);
    };
    if wish.provenance {
        for (name, by) in &record.body.provenance {
            print(&format!("{name}\t{by}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(form) = wish.abstract_form {
        super::abstracts::print_of(&settings, &record, form)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut writer = FormWriter::begin(wish.form, std::io::stdout().lock())?;
    writer.object(&record.object())?;
    writer.end()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn export(wish: &ExportWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let store = look_into_store(&settings)?;
    if let Some(root) = &wish.root {
        let holdings = store.holdings();
        let is_known = settings.root_nodes.iter().any(|node| node.name == *root);
        if !is_known && !holdings.iter().any(|(name, _)| name == root) {
            let names: Vec<_> = holdings.into_iter().map(|(name, _)| name).collect();
            bail!("there is no root node {root:?}\nthe store has {}", names.join(", "));
        }
    }
    let mut writer = FormWriter::begin(wish.form, BufWriter::new(std::io::stdout().lock()))?;
    let range = match &wish.site {
        Some(Host::Domain(domain)) => Range::site(&Host::Domain(domain.as_str())),
        Some(Host::Ipv4(address)) => Range::site(&Host::Ipv4(*address)),
        Some(Host::Ipv6(address)) => Range::site(&Host::Ipv6(*address)),
        None => Range::all(),
    };
    let view = store.view();
    let mut walk = view.walk(&range);
    let (mut found, mut kinds) = (0_u64, BTreeSet::new());
    while let Some(record) = walk.step()? {
        if is_wanted(wish, &record.head) {
            writer.object(&record.object())?;
            found += 1;
        } else if found == 0 && !kinds.contains(record.head.kind) {
            kinds.insert(record.head.kind.to_owned());
        }
    }
    writer.end()?;
    if found == 0 {
        say(&nothing_found(wish, &kinds));
    }
    Ok(ExitCode::SUCCESS)
}

/// Nothing is what was asked for, which may be a slip of the pen. `kinds` are those that there are.
fn nothing_found(wish: &ExportWish, kinds: &BTreeSet<String>) -> String {
    let known: Vec<_> = kinds.iter().map(String::as_str).collect();
    let site = wish.site.iter().map(|site| format!("of the site {site}"));
    let root = wish.root.iter().map(|root| format!("under the root node {root}"));
    let kind = wish.kind.iter().map(|kind| {
        let is_known = gatherer_engine::is_known_kind(kind) || known.iter().any(|one| one.eq_ignore_ascii_case(kind));
        let alike = closest(kind, &known).or_else(|| gatherer_engine::kind_like(kind)).filter(|_| !is_known);
        format!("of the kind {kind}{}", alike.map(|alike| format!(" (did you mean {alike}?)")).unwrap_or_default())
    });
    let asked: Vec<_> = site.chain(root).chain(kind).collect();
    let whose = if asked.is_empty() { String::new() } else { format!(" {}", asked.join(", ")) };
    format!("note: there is no record{whose}")
}

fn is_wanted(wish: &ExportWish, head: &RawHead<'_>) -> bool {
    let is_kind = wish.kind.is_empty() || wish.kind.iter().any(|kind| kind.eq_ignore_ascii_case(head.kind));
    let is_root = wish.root.as_ref().is_none_or(|root| root == head.root);
    is_kind && is_root && wish.site.as_ref().is_none_or(|site| is_at(head.url, site))
}

/// Whether a URL is of this host or one below it.
fn is_at(url: &str, site: &Host) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    match (url.host(), site) {
        (Some(Host::Domain(host)), Host::Domain(site)) => {
            host.strip_suffix(site.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        }
        (Some(host), site) => host.to_owned() == *site,
        (None, _) => false,
    }
}
