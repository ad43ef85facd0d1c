//! `gatherer init`.

use super::print;
use crate::arguments::InitWish;
use anyhow::{Context, Result, bail};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

pub(crate) fn init(wish: &InitWish) -> Result<ExitCode> {
    let path = wish.directory.join("gatherer.toml");
    let shown = path.display();
    std::fs::create_dir_all(&wish.directory).with_context(|| format!("cannot make {}", wish.directory.display()))?;
    let url = wish.url.as_ref().map_or("https://www.example.org/", |url| url.as_str());
    let text = gatherer_settings::starter("My gatherer", wish.contact.as_deref().unwrap_or_default(), url);
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{shown} is there already\nit is left as it is; remove it first if you want a new one")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    }
    print(&format!("wrote {shown}"))?;
    if wish.contact.is_none() {
        print("next: fill in `contact` and `url` there, then `gatherer check`")?;
    } else {
        print("next: `gatherer check`, then `gatherer run`")?;
    }
    Ok(ExitCode::SUCCESS)
}
