//! Reads German and English pages of one domain and says what they say: the reference parser.
mod addresses;
mod attach;
pub mod check;
pub mod chunks;
mod context;
pub mod domain;
pub mod engine;
mod focus;
pub mod language;
pub mod layout;
pub mod lexicon;
pub mod literals;
mod mentions;
mod morphology;
mod names;
pub mod serve;
mod syntax;
pub mod tokens;
