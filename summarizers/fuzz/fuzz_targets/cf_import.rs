//! Any text as a Harvest gatherer's configuration.
#![no_main]

#[path = "../targets/cf_import.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
