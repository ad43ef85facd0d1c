//! `gatherer check` and `gatherer config`.

use super::{print, say};
use crate::arguments::Source;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) fn check(source: &Source) -> Result<ExitCode> {
    let settings = source.settings_to_visit()?;
    let shelf = gatherer_engine::shelf(&settings);
    let wrong: Vec<_> = shelf.out().iter().filter(|out| out.is_wrong).collect();
    if !wrong.is_empty() {
        for out in &wrong {
            say(&format!("plugin {} cannot be used: {}", out.name, out.reason));
        }
        return Ok(ExitCode::from(crate::WRONG_SETTINGS));
    }
    let nodes = settings.root_nodes.len();
    print(&format!(
        "{}: no complaints, {nodes} root node{}",
        source.config.display(),
        if nodes == 1 { "" } else { "s" }
    ))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn config(source: &Source) -> Result<ExitCode> {
    for setting in source.settings()?.report() {
        print(&setting.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
