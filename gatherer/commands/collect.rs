//! `gatherer collect`.

use super::{form::FormWriter, say};
use crate::arguments::CollectWish;
use anyhow::{Result, bail};
use gatherer_collect::{Collected, Collector, Wish};
use gatherer_soif::Wrapper;
use std::io::{self, BufWriter};
use std::process::ExitCode;
use std::time::Duration;

/// Longest silence of the other side.
const PATIENCE: Duration = Duration::from_mins(2);
/// Where gatherers have always listened.
const DEFAULT_PORT: u16 = 8500;

pub(crate) fn collect(wish: &CollectWish) -> Result<ExitCode> {
    let mut session = Collector::connect(&address(&wish.gatherer), PATIENCE)?;
    let mut writer = FormWriter::begin(wish.form, BufWriter::new(io::stdout().lock()))?;
    if wish.info {
        let Some(object) = session.info()? else { bail!("{} says nothing about itself", wish.gatherer) };
        writer.object(&object)?;
        writer.end()?;
        session.quit()?;
        return Ok(ExitCode::SUCCESS);
    }
    let asked = Wish { since: wish.since, compression: !wish.plain, deletions: wish.deletions };
    let tally = session.update(asked, |item| {
        let written = match item {
            Collected::Update(object) => writer.object(&object),
            Collected::Refresh(object) => writer.change(Wrapper::Refresh, &object),
            Collected::Delete(object) => writer.change(Wrapper::Delete, &object),
        };
        written.map_err(into_io)
    })?;
    writer.end()?;
    session.quit()?;
    say(&format!(
        "{} objects, {} refreshed, {} deleted, {} damaged",
        tally.updated, tally.refreshed, tally.deleted, tally.damaged
    ));
    Ok(if tally.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn address(gatherer: &str) -> String {
    let has_port = gatherer.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let is_bare_v6 = gatherer.parse::<std::net::Ipv6Addr>().is_ok();
    match (has_port, is_bare_v6) {
        (_, true) => format!("[{gatherer}]:{DEFAULT_PORT}"),
        (true, false) => gatherer.to_owned(),
        (false, false) => format!("{gatherer}:{DEFAULT_PORT}"),
    }
}

/// Keeps a closed pipe recognizable as such.
fn into_io(error: anyhow::Error) -> io::Error {
    error.downcast::<io::Error>().unwrap_or_else(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_may_be_left_out() {
        for (given, expected) in [
            ("example.org", "example.org:8500"),
            ("example.org:99", "example.org:99"),
            ("::1", "[::1]:8500"),
            ("[::1]:99", "[::1]:99"),
        ] {
            assert_eq!(address(given), expected);
        }
    }
}
