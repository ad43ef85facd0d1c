//! One line of a broker on the daemon port.
#![no_main]

#[path = "../targets/commands.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
