//! Any bytes as something nested, of the kind that `FUZZ_KIND` names or the last byte chooses; what comes out keeps
#![no_main]

#[path = "../targets/unnest.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
