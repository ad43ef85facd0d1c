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
    let urls: Vec<_> = wish.urls.iter().map(url::Url::as_str).collect();
    let contact = wish.contact.as_deref().unwrap_or_default();
    let text = gatherer_settings::starter("My gatherer", contact, &urls, wish.schedule.as_deref());
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{shown} is there already\nit is left as it is; remove it first if you want a new one")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    }
    print(&format!("wrote {shown}"))?;
    let place = wish.directory.display().to_string();
    let go = if place == "." { String::new() } else { format!("cd {place} && ") };
    let first = match (wish.contact.is_none(), wish.urls.is_empty()) {
        (true, true) => "fill in `contact` and `url` there, then ",
        (true, false) => "fill in `contact` there, then ",
        (false, true) => "fill in `url` there, then ",
        (false, false) => "",
    };
    let deed = if wish.schedule.is_some() { "serve" } else { "run" };
    print(&format!("next: {first}{go}gatherer check && gatherer {deed}"))?;
    Ok(ExitCode::SUCCESS)
}
