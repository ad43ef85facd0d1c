//! Foreign code: plugins that strangers wrote, in whatever form, run so that they cost one document at worst.
//!
//! A plugin is a folder with a `plugin.toml` ([`Manifest`]). [`Shelf`] finds them, judges them and loads them; a [`Plugin`]
//! is asked questions by its role. Behind it stands one of three forms: a WebAssembly component (`wasm`), a dynamic library
//! (`dylib`, in a worker by default), or a program, which is started for each document (`once`) or stays (`pool`). They all
//! say the same thing, which stands in `schemas/summarizer/` and in [`since_0_1`].
//!
//! What it is not for: it decides nothing about documents. Who is asked, in which order, and what becomes of an answer is the
//! engine's business.
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf, Summarizer};
//! use gatherer_plugin::{Limits, Plugin, Sandbox};
//! use url::Url;
//!
//! let arguments = ["-c", r#"printf 'Lines{1}:\t%s\n' "$(wc -l < "$1")""#, "lines"].map(str::to_owned).to_vec();
//! let (program, sandbox) = ("/bin/sh".into(), Sandbox::On);
//! let plugin = Plugin::program("lines 1.0", vec!["Text".to_owned()], program, arguments, Limits::USUAL, sandbox);
//! let url = Url::parse("http://example.org/a.txt")?;
//! let leaf = Leaf::new(&url, &Kind::TEXT, b"corn\nmaize\n");
//! assert_eq!(plugin.summarize(&leaf)?.get("Lines"), Some("2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builtin;
mod dylib;
mod form;
mod line;
mod manifest;
mod messages;
mod once;
mod packed;
mod plugin;
mod pool;
mod process;
mod sandbox;
mod shelf;
pub mod since_0_1;
mod suite;
mod wasm;
mod worker;

pub use builtin::{Apart, work};
pub use form::{Grants, Limits};
pub use manifest::{FILE, KindText, Made, Manifest, Manner, OptionText, Role, Voter};
pub use plugin::{Corrected, Deeds, Plugin, Shared, Start};
pub use process::{Call, Piped};
pub use sandbox::{Sandbox, in_force};
pub use shelf::{Out, Policy, Shelf, Wish};
pub use suite::{Finding, Samples};
pub use wasm::{NotAModule, World, encode};

use std::path::Path;

/// The worker's side of a library: loads it, and answers what comes in until there is no more.
///
/// # Errors
/// Why it cannot be loaded, or that the other side is gone.
pub fn work_with_library(path: &Path) -> Result<(), String> {
    let library = dylib::Library::load(path)?;
    worker::work(&library).map_err(|error| error.to_string())
}
