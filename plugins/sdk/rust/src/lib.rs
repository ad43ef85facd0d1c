//! For authors of gatherer plugins: what every plugin has to do, done once.
//!
//! A plugin is a type that says who it is ([`Plugin`]) and plays one role: [`Summarizer`], [`Recognizer`],
//! [`Enumerator`] or [`PostSummarizer`]. [`export!`] makes it a plugin in the form that it is compiled to: a
//! WebAssembly component for `wasm32`, a dynamic library for everything else. The source is the same for both. [`program`] makes
//! a program that stays of it.
//!
//! ```
//! use gatherer_sdk::{Call, Draft, Plugin, Setting, Summarizer, Trouble, export};
//!
//! struct Headlines;
//!
//! impl Plugin for Headlines {
//!     const NAME: &str = "headlines";
//!     const VERSION: &str = "1.0.0";
//!     const KINDS: &[&str] = &["Text"];
//!     const OPTIONS: &[Setting] = &[Setting::new("mark", "what a headline begins with").default("#")];
//! }
//!
//! impl Summarizer for Headlines {
//!     fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
//!         let text = str::from_utf8(call.content).map_err(|_| Trouble::refused("it is no UTF-8"))?;
//!         let mark = call.option("mark").unwrap_or("#");
//!         let mut draft = Draft::new();
//!         for headline in text.lines().filter_map(|line| line.strip_prefix(mark)) {
//!             draft.attribute("Headings", headline.trim());
//!         }
//!         draft.text(text);
//!         Ok(draft)
//!     }
//! }
//!
//! export!(summarizer: Headlines);
//! # fn main() {
//! # let draft = gatherer_sdk::testing::summarize::<Headlines>("http://example.org/", "Text", "# One\ntext\n# Two");
//! # assert_eq!(draft.unwrap().value("Headings").as_deref(), Some("One\nTwo"));
//! # }
//! ```
//!
//! The crate of a plugin has a `plugin.toml`, and beside it a `Cargo.toml` with
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//!
//! [dependencies]
//! gatherer-sdk = { path = "../sdk/rust" }
//!
//! [profile.release]
//! opt-level = "s"
//! lto = true
//! strip = true
//! ```
//!
//! `cargo build --release` makes a dynamic library of it, `build-wasm.sh NAME` from the folder of this crate a
//! component, with whatever Rust there is. The contract behind all this, with the meaning of each field, is
//! `wit/plugin.wit`.
//!
//! A component imports only what it calls: [`Call::log`] takes `log`, [`Call::body`] and [`Call::read`] take `body`,
//! [`Call::time_left`] takes `deadline`. Each has to be among the `grants` of the manifest, and granted by the
//! operator; otherwise nothing is heard, nothing is read, and nobody knows the time.
//!
//! A panic costs one document its summary. A dynamic library hands its message to the gatherer as the reason; a
//! component traps, and hands the message to `log` before that if [`Plugin::PANICS_TO_LOG`] is set.
//!
//! What this crate is not for: it reads no manifest, keeps no limits and knows no kind of document.

#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub mod c_abi;
mod call;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod component;
mod document;
mod draft;
#[cfg(not(target_arch = "wasm32"))]
mod panics;
mod plugin;
#[cfg(unix)]
pub mod program;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;

pub use call::{Call, Level, RootCall, SummaryCall};
pub use document::{Document, Pair, RootNode, Vote};
pub use draft::{Attribute, Child, Correction, Draft, Guess, Reference};
pub use plugin::{Enumerator, Plugin, PostSummarizer, Recognizer, Setting, Summarizer, Trouble};

/// Makes a type the plugin of this crate: `export!(summarizer: Recipes);`. A crate has one plugin in one role.
///
/// The roles are `summarizer`, `recognizer`, `enumerator` and `post_summarizer`; the type plays the role by its trait.
#[macro_export]
macro_rules! export {
    (summarizer: $plugin:ty) => {
        $crate::__export!(summarizer, $plugin);
    };
    (recognizer: $plugin:ty) => {
        $crate::__export!(recognizer, $plugin);
    };
    (enumerator: $plugin:ty) => {
        $crate::__export!(enumerator, $plugin);
    };
    (post_summarizer: $plugin:ty) => {
        $crate::__export!(post_summarizer, $plugin);
    };
}
