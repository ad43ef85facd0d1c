//! Any bytes in any charset: the first line is what the server claims.
#![no_main]

#[path = "../targets/charset.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
