//! What a parser answers.
#![no_main]

#[path = "../targets/abstracts.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
