//! The two texts that travel inside the program: the complete config and the one to start from.

use crate::value::quoted;

/// `config/gatherer.toml`: every key, its default, and one line why. The only place of defaults.
pub const DEFAULTS: &str = include_str!("../../../config/gatherer.toml");

/// The short config that `gatherer init` writes. Without a contact it loads with one complaint, which asks for it.
pub fn starter(name: &str, contact: &str, start_urls: &[&str], schedule: Option<&str>) -> String {
    let (name, contact) = (quoted(name), quoted(contact));
    let urls = if start_urls.is_empty() { &["https://www.example.org/"] } else { start_urls };
    let (first, others) = urls.split_first().unwrap_or((&"", &[]));
    let times = match schedule {
        Some(schedule) => format!(
            "# When `gatherer serve` visits its documents; `gatherer run` asks no schedule.\nschedule = {}",
            quoted(schedule)
        ),
        None => "# Time between two visits of one document, until its changes tell better (refresh-range).\nrefresh-rate = \"7d\"".to_owned(),
    };
    let plain_times = times.lines().last().unwrap_or_default();
    let other =
        |url: &&str| format!("\n[[root-node]]\nurl = {}\nurl-max = 500\ndelay = \"1s\"\n{plain_times}\n", quoted(url));
    let others: String = others.iter().map(other).collect();
    let start_url = quoted(first);
    format!(
        r#"# A gatherer's config, with what a newcomer needs. All other keys, their defaults and why they are there, stand
# in config/gatherer.toml of the gatherer's sources; `gatherer config` prints what is in force.
# Next: `gatherer check`, then `gatherer run`, then `gatherer serve`.

[gatherer]
# What brokers see as the name of this collection.
name = {name}
# A mail address or a web page: webmasters must be able to reach you. Nothing starts without it.
contact = {contact}
# Where everything is kept that the gatherer knows; relative to this file.
data-directory = "data"

# Where gathering starts. Write as many [[root-node]] as you like.
[[root-node]]
url = {start_url}
# Most URLs known under this root node. Begin small: the report tells what was left out.
url-max = 500
# Pause between two requests to one host.
delay = "1s"
{times}
# Which paths are wanted, first match decides. Not said: everything but images, sound, fonts and the like.
# url-filter = ['deny ^/private/', 'allow .']
{others}"#
    )
}
