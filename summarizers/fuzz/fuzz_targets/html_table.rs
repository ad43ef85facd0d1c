//! Any page by any table: the table ends at an empty line; a table that cannot be read is Harvest's own.
#![no_main]

#[path = "../targets/html_table.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
