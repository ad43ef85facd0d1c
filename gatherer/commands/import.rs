//! `gatherer import`.

use super::{print, say, store::s};
use crate::arguments::ImportWish;
use anyhow::{Context, Result, bail};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// Bytes of a configuration; what is larger is something else.
const LARGEST: u64 = 16 << 20;

pub(crate) fn import(wish: &ImportWish) -> Result<ExitCode> {
    let shown = wish.file.display();
    let mut bytes = Vec::new();
    let file = File::open(&wish.file).with_context(|| format!("cannot read {shown}"))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > LARGEST {
        bail!("{shown} is larger than 16 MiB, so it is no gatherer's configuration");
    }
    // Of Harvest's time are ISO 8859-1 and no UTF-8.
    let latin = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| latin(error.as_bytes()));
    let directory = wish.file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let made = gatherer_settings::import(&text, directory, wish.contact.as_deref());
    match &wish.output {
        Some(path) => write_new(path, &made.toml)?,
        None => print(made.toml.trim_end())?,
    }
    for remark in &made.remarks {
        match remark.line {
            0 => say(&remark.text),
            line => say(&format!("{shown}:{line}: {}", remark.text)),
        }
    }
    let count = made.remarks.len() as u64;
    say(&format!("{count} remark{}; next: `gatherer check`", s(count)));
    Ok(ExitCode::SUCCESS)
}

fn write_new(path: &Path, text: &str) -> Result<()> {
    let shown = path.display();
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{shown} is there already\nit is left as it is; remove it first if you want a new one")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    }
    print(&format!("wrote {shown}"))
}
