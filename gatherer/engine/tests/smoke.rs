//! The fuzz targets of `summarizers/fuzz`, without a fuzzer: small seeds, changed by chance from a fixed seed, so that any
//! compiler can run them and the same change gives the same result. `SMOKE_ROUNDS` and `SMOKE_SEED` make it longer and
//! other; `summarizers/fuzz/long-run` searches for real.
//!
//! Values of the store are tried in the room `store`.

#[path = "../../../summarizers/fuzz/targets/abstracts.rs"]
mod abstracts;
#[path = "../../../summarizers/fuzz/targets/cf_import.rs"]
mod cf_import;
#[path = "../../../summarizers/fuzz/targets/charset.rs"]
mod charset;
#[path = "../../../summarizers/fuzz/targets/commands.rs"]
mod commands;
#[path = "../../../summarizers/fuzz/targets/config.rs"]
mod config;
#[path = "../../../summarizers/fuzz/targets/html_table.rs"]
mod html_table;
#[path = "../../../summarizers/fuzz/targets/parser_answers.rs"]
mod parser_answers;
#[path = "../../../summarizers/fuzz/targets/recognize.rs"]
mod recognize;
#[path = "../../../summarizers/fuzz/targets/rules.rs"]
mod rules;
#[path = "../../../summarizers/fuzz/targets/sitemap_robots.rs"]
mod sitemap_robots;
#[path = "../../../summarizers/fuzz/targets/soif.rs"]
mod soif;
#[path = "../../../summarizers/fuzz/targets/summarize_kind.rs"]
mod summarize_kind;
#[path = "../../../summarizers/fuzz/targets/unnest.rs"]
mod unnest;
#[path = "../../../summarizers/fuzz/targets/urls.rs"]
mod urls;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Changed inputs of each target, unless `SMOKE_ROUNDS` says otherwise.
const ROUNDS: u64 = 2_000;
/// Longest input: what is wrong with long ones is mostly wrong with short ones.
const LONGEST: usize = 4_096;
/// What often means something to somebody.
const WORDS: &[&[u8]] = &[
    b"<",
    b">",
    b"</",
    b"&#x",
    b"&amp;",
    b"]]>",
    b"<!--",
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"\n",
    b"\r\n",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b"\\",
    b"%00",
    b"://",
    b"?",
    b"#",
    b"@",
    b"18446744073709551616",
    b"-1",
    b"{99999}:\t",
    b"1e999",
    b"\xef\xbb\xbf",
    "\u{202e}\u{fffd}".as_bytes(),
    b"PK\x05\x06",
    b"\x1f\x8b",
];

#[test]
fn abstracts_hold() {
    smoke("abstracts", &["schemas/abstract/examples"], abstracts::run);
}

#[test]
fn answers_of_parsers_hold() {
    smoke("parser_answers", &["schemas/abstract/examples"], parser_answers::run);
}

#[test]
fn charsets_hold() {
    smoke("charset", &[], charset::run);
}

#[test]
fn commands_of_brokers_hold() {
    smoke("commands", &[], commands::run);
}

#[test]
fn configs_of_harvest_hold() {
    smoke("cf_import", &["tests/harvest"], cf_import::run);
}

#[test]
fn configs_hold() {
    smoke("config", &[], config::run);
}

#[test]
fn html_by_tables_holds() {
    smoke("html_table", &[], html_table::run);
}

#[test]
fn recognizers_hold() {
    smoke("recognize", &[], recognize::run);
}

#[test]
fn rules_hold() {
    smoke("rules", &[], rules::run);
}

#[test]
fn sitemaps_and_robots_rules_hold() {
    smoke("sitemap_robots", &[], sitemap_robots::run);
}

#[test]
fn soif_holds() {
    smoke("soif", &[], soif::run);
}

#[test]
fn summarizers_hold() {
    smoke("summarize_kind", &[], summarize_kind::run);
}

#[test]
fn what_is_nested_holds() {
    smoke("unnest", &[], unnest::run);
}

#[test]
fn forms_of_urls_hold() {
    smoke("urls", &[], urls::run);
}

/// Runs a target over its seeds, and over what becomes of them.
fn smoke(target: &str, further: &[&str], run: fn(&[u8])) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = [format!("summarizers/fuzz/seeds/{target}")];
    let folders = own.iter().map(String::as_str).chain(further.iter().copied()).map(|folder| top.join(folder));
    let seeds: Vec<_> = folders.flat_map(|folder| files(&folder)).collect();
    assert!(!seeds.is_empty(), "{target} has no seeds");
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (rounds, seed) = (number("SMOKE_ROUNDS", ROUNDS), number("SMOKE_SEED", 1994));
    let mut chance = fastrand::Rng::with_seed(seed);
    for body in &seeds {
        held(target, body, run);
        (0..=255).for_each(|last| held(target, &[body.as_slice(), &[last]].concat(), run));
    }
    for _ in 0..rounds {
        let mut input = chance.choice(&seeds).expect("there are seeds").clone();
        for _ in 0..chance.usize(1..8) {
            change(&mut input, &seeds, &mut chance);
        }
        input.truncate(LONGEST);
        held(target, &input, run);
    }
}

/// What a target fails over is shown so that it can become a test.
fn held(target: &str, input: &[u8], run: fn(&[u8])) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(input))) {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        panic!("{target} fails over b\"{}\": {}", input.escape_ascii(), said.unwrap_or("it panics"));
    }
}

/// One change, of the kinds that have found most elsewhere.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], chance: &mut fastrand::Rng) {
    let place = chance.usize(0..=input.len());
    let end = (place + chance.usize(0..32)).min(input.len());
    match chance.u8(0..8) {
        0 if place < input.len() => input[place] ^= 1 << chance.u8(0..8),
        1 if place < input.len() => input[place] = chance.u8(..),
        2 => drop(input.drain(place..end)),
        3 => {
            let part = input[place..end].to_vec();
            let times = chance.usize(1..40);
            input.splice(place..place, part.repeat(times));
        }
        4 => input.truncate(place),
        5 => {
            let other = chance.choice(seeds).expect("there are seeds");
            let from = chance.usize(0..=other.len());
            input.splice(place..end, other[from..].iter().copied());
        }
        _ => {
            let word = chance.choice(WORDS).expect("there are words");
            input.splice(place..place, word.iter().copied());
        }
    }
}

/// The small files of a folder, in the same order everywhere.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.iter().map(read).filter(|body| body.len() <= 2 * LONGEST).collect()
}
