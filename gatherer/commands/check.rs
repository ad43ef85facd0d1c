//! `gatherer check` and `gatherer config`.

use super::{print, say};
use crate::arguments::{ConfigWish, Source};
use anyhow::Result;
use gatherer_settings::{Complaints, ParserPlace, Settings};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn check(source: &Source) -> Result<ExitCode> {
    let settings = source.settings_to_visit()?;
    let shelf = gatherer_engine::shelf(&settings);
    let wrong = shelf.out().iter().filter(|out| out.is_wrong);
    let mut complaints: Vec<_> =
        wrong.map(|out| format!("plugin {} cannot be used: {}", out.name, out.reason)).collect();
    for node in &settings.root_nodes {
        let Some(enumerator) = &node.enumerator else { continue };
        let asked = shelf.enumerator(&enumerator.plugin).and_then(|plugin| plugin.accepts(&enumerator.options));
        complaints.extend(asked.err().map(|why| format!("root node {}: {why}", node.name)));
    }
    complaints.extend(programs_not_found(&settings).map(|complaints| complaints.to_string()));
    complaints.extend(gatherer_engine::Doors::check(&settings).err().map(|failure| failure.to_string()));
    if !complaints.is_empty() {
        complaints.iter().for_each(|complaint| say(complaint));
        return Ok(ExitCode::from(crate::WRONG_SETTINGS));
    }
    let nodes = settings.root_nodes.len();
    print(&format!(
        "{}: no complaints, {nodes} root node{}",
        source.config().display(),
        if nodes == 1 { "" } else { "s" }
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Programs that are named without a slash and are in no directory of PATH.
fn programs_not_found(settings: &Settings) -> Option<Complaints> {
    let parsers = settings.parsers.iter().filter_map(|parser| match &parser.place {
        ParserPlace::Worker(program, _) | ParserPlace::Command(program, _) => {
            Some(("parser", &parser.name, program, parser.program_at.as_ref()))
        }
        _ => None,
    });
    let programs = settings.programs.iter().map(|text| ("summarizer", &text.name, &text.program, Some(&text.place)));
    let missing = parsers.chain(programs).filter(|(_, _, program, _)| !is_found(program));
    let complaints = missing.map(|(what, name, program, place)| {
        let message = format!("{what} {name}: there is no {} in any directory of PATH", program.display());
        match place {
            Some(place) => Settings::complain(place, message),
            None => Settings::complain_at_large(message),
        }
    });
    complaints.reduce(Complaints::and)
}

/// Whether a program without a slash in its name is found as a shell finds it. Others were looked for before.
fn is_found(program: &Path) -> bool {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    program.components().count() > 1 || std::env::split_paths(&directories).any(|one| one.join(program).is_file())
}

pub(crate) fn config(wish: &ConfigWish) -> Result<ExitCode> {
    if wish.schema {
        print(&serde_json::to_string_pretty(&gatherer_settings::schema())?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for setting in wish.source.settings()?.report() {
        print(&setting.to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
