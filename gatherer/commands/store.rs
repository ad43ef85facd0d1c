//! `gatherer store`.

use super::print;
use crate::arguments::{StoreDeed, StoreWish};
use anyhow::Result;
use gatherer_engine::open_store;
use gatherer_store::Store;
use std::process::ExitCode;

pub(crate) fn store(wish: &StoreWish) -> Result<ExitCode> {
    let StoreDeed::Repair(source) = &wish.deed;
    let settings = source.settings()?;
    let path = &settings.identity.data_directory;
    Store::repair(path)?;
    let records = open_store(&settings)?.view().records().flatten().count();
    print(&format!("{}: repaired as far as possible, {records} records can be read", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
