//! Any text as references on a page, under any rules of a root node about the form of URLs.
#![no_main]

#[path = "../targets/urls.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
