//! `gatherer reload`.

use super::control::{Order, order};
use super::print;
use crate::arguments::Source;
use anyhow::{Result, bail};
use std::process::ExitCode;

pub(crate) fn reload(source: &Source) -> Result<ExitCode> {
    // Whoever serves reads it himself; this one only has to know where, and is the first to complain.
    let settings = source.settings()?;
    let Some(told) = order(&settings, &Order::Reload)? else {
        let place = settings.identity.data_directory.display();
        bail!("no gatherer is serving from {place}\n`gatherer serve` starts one, with the config as it is now");
    };
    print(&told.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
