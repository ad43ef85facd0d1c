//! Any text as the operator's rules: a condition, a file of Harvest's rules, a table of Harvest's kinds.
#![no_main]

#[path = "../targets/rules.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
