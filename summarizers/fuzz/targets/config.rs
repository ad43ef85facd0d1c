//! Any text as the operator's config: complaints, all at once, and never more than a line can hold.

use gatherer_settings::{Overrides, Settings};
use std::path::Path;

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = |text: &str| Settings::from_text(text, "any.toml", Path::new("."), &Overrides::default());
    match read(&text) {
        Ok(settings) => assert!(!settings.report().is_empty()),
        Err(complaints) => assert!(!complaints.to_string().is_empty(), "a refusal without a word"),
    }
}
