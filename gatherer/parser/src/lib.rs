//! Reads pages.
pub mod language;
pub mod layout;
pub mod literals;
pub mod tokens;
