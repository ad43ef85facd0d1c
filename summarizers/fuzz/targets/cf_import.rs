//! Any text as a Harvest gatherer's configuration: whatever it holds, TOML comes out, and every remark has something to say.

use gatherer_settings::import;
use std::path::Path;

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Files that it names are not there.
    let made = import(&text, Path::new("/nonexistent"), Some("me@example.org"));
    assert!(made.remarks.iter().all(|remark| !remark.text.is_empty()), "a remark without a word");
    if let Err(error) = made.toml.parse::<toml::Table>() {
        panic!("no TOML: {error}\n{}", made.toml);
    }
}
