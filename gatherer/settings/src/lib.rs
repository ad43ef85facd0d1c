//! From the operator's config to settings that need no further look.
//!
//! Three layers lie over one another: [`DEFAULTS`] (`config/gatherer.toml`, complete), the operator's file, and the
//! command line ([`Overrides`]). What comes out is checked: durations, sizes, patterns and URLs are what they say,
//! paths are resolved, and each room gets its own part. What does not come out is told in [`Complaints`], all at once
//! and each with its line.
//!
//! Not here: what a rule's condition means. It stays text with its place ([`RuleText`]), and who compiles it complains
//! through [`Settings::complain`] in the same form.
//!
//! ```
//! use gatherer_settings::{Overrides, Settings, starter};
//! use std::path::Path;
//!
//! let config = starter("Docs", "me@example.org", &["https://www.example.org/docs/"], None);
//! let settings = Settings::from_text(&config, "gatherer.toml", Path::new("/srv/docs"), &Overrides::default())?;
//! assert_eq!(settings.identity.data_directory, Path::new("/srv/docs/data"));
//! assert_eq!(settings.root_nodes[0].name, "www.example.org/docs");
//!
//! let complaints = Settings::from_text("[run]\nworkres = 4", "gatherer.toml", Path::new("."), &Overrides::default())
//!     .expect_err("no contact, no root node, and a slip");
//! assert_eq!(complaints.len(), 3);
//! assert!(complaints.to_string().contains("did you mean `workers`?"));
//! # Ok::<(), gatherer_settings::Complaints>(())
//! ```

mod complaint;
mod documents;
mod former;
mod import;
mod layers;
mod parsers;
mod parts;
mod plugins;
mod ports;
mod reading;
mod root_node;
mod rules;
mod scheduling;
mod schema;
mod section;
mod settings;
mod shape;
mod starter;
mod value;
mod visitor;

#[cfg(test)]
mod tests;

pub use complaint::{Complaints, Place};
pub use documents::{KindFiles, KindWeights, Opening, Selecting, Summarizing, TextPart, WordWeights, Wording};
pub use import::{Import, Remark, import};
pub use layers::{NotAnOverride, Origin, Override, Overrides, Setting};
pub use parsers::{Abstracting, ParserPlace, ParserText};
pub use parts::{Fetching, Identity, Running, Storing};
pub use plugins::{Plugging, PluginText};
pub use ports::{Brokering, Listening, Web};
pub use reading::closest;
pub use rules::{CommandText, KindRule, ProgramText, QuickSumText, RuleFile, RuleText, Voter};
pub use scheduling::Scheduling;
pub use schema::schema;
pub use settings::Settings;
pub use starter::{DEFAULTS, starter};
pub use value::with_scheme;
