//! What an operator sees: complaints, origins, and the two files that travel inside.

use crate::{Complaints, Overrides, Settings};
use std::path::Path;

mod complaints;
mod defaults;
mod import;
mod origins;
mod rules;
mod visitor;

const CONTACT: &str = "\n[gatherer]\ncontact = 'me@example.org'\n";
const ROOT_NODE: &str = "\n[[root-node]]\nurl = 'http://example.org/'\n";

fn load_under(config: &str, overrides: &Overrides) -> Result<Settings, Complaints> {
    Settings::from_text(config, "gatherer.toml", Path::new("/etc/gatherer"), overrides)
}

fn load(config: &str) -> Result<Settings, Complaints> {
    load_under(config, &Overrides::default())
}

/// A config with what it cannot do without, put below, so that `part` keeps its lines.
fn completed(part: &str) -> String {
    let contact = if part.contains("[gatherer]") { "" } else { CONTACT };
    let root_node = if part.contains("[[root-node]]") { "" } else { ROOT_NODE };
    format!("{part}\n{contact}{root_node}")
}
