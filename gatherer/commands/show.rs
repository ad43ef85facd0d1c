//! `gatherer show` and `gatherer export`.

use super::{form::FormWriter, print};
use crate::arguments::{ExportWish, ShowWish};
use anyhow::{Result, bail};
use gatherer_engine::{Engine, look_into_store};
use gatherer_pipeline::SystemClock;
use std::io::BufWriter;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn show(wish: &ShowWish) -> Result<ExitCode> {
    let settings = wish.source.settings()?;
    let store = Arc::new(look_into_store(&settings)?);
    let engine = Engine::on(settings.clone(), Arc::clone(&store), Arc::new(SystemClock))?;
    let url = engine.one_form(&wish.url)?;
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
    let mut writer = FormWriter::begin(wish.form, BufWriter::new(std::io::stdout().lock()))?;
    for record in store.view().records() {
        writer.object(&record?.object())?;
    }
    writer.end()?;
    Ok(ExitCode::SUCCESS)
}
