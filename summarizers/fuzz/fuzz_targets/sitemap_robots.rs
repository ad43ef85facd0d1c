//! Any bytes as what a site says of itself: its sitemap, its robots.txt, what its pages and headers say to robots.
#![no_main]

#[path = "../targets/sitemap_robots.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
