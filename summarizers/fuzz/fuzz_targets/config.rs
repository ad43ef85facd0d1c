//! Any text as the operator's config: complaints, all at once, and never more than a line can hold.
#![no_main]

#[path = "../targets/config.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
