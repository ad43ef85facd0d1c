//! Any bytes to the recognizers: the first line is the last part of the URL and the media type, the rest is the content.
#![no_main]

#[path = "../targets/recognize.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
