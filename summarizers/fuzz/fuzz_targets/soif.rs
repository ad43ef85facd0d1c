//! Any bytes as a stream of objects and as bare attributes; what was read can be written and read again.
#![no_main]

#[path = "../targets/soif.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
