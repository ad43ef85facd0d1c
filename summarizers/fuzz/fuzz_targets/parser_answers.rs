//! Any bytes as the historic list of a parser, which becomes an abstract.
#![no_main]

#[path = "../targets/parser_answers.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
