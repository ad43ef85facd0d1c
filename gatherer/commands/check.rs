//! `gatherer check` and `gatherer config`.

use super::print;
use crate::arguments::Source;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) fn check(source: &Source) -> Result<ExitCode> {
    let settings = source.settings()?;
    let nodes = settings.root_nodes.len();
    print(&format!(
        "{}: no complaints, {nodes} root node{}",
        source.config.display(),
        if nodes == 1 { "" } else { "s" }
    ))?;
    if !settings.fetching.robots {
        print("note: robots rules are switched off (fetch.robots)")?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn config(source: &Source) -> Result<ExitCode> {
    for setting in source.settings()?.report() {
        print(&setting.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
