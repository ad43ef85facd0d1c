//! Any bytes to the summarizer of a kind: that of `FUZZ_KIND`, or the one that the last byte chooses.
#![no_main]

#[path = "../targets/summarize_kind.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
