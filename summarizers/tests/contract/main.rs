//! What every built-in summarizer promises, whatever the bytes.

mod every_kind;
mod pages;
mod promises;
