//! Licences and advisories of everything we build on.
//!
//! This is the advisory check that works without a database: nothing is fetched, so it holds in every clone and
//! says the same today and tomorrow. It knows what stands in its tables and no more; whoever has the network also
//! asks `cargo audit` before a release, and writes what that finds into [`REFUSED`].

use super::{Exception, expect_none, printed, read_toml, top};
use serde_json::Value;
use std::collections::BTreeSet;

/// Licences that let anybody do with the program what our own licence lets them do.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates under another licence, and why that does no harm.
const OTHER_LICENCES: &[Exception] = &[
    // MIT without its one condition. It comes with jsonschema, for tests only.
    ("borrow-or-share", "MIT-0: asks for nothing"),
    // MPL-2.0 asks for the source of changed files only, and we change none. All four come with lol_html.
    ("cssparser", "MPL-2.0, used unchanged: reads selectors for lol_html"),
    ("cssparser-macros", "MPL-2.0, used unchanged: part of cssparser"),
    ("dtoa-short", "MPL-2.0, used unchanged: part of cssparser"),
    // The terms of bzip2 itself: BSD in all but name.
    ("libbz2-rs-sys", "bzip2-1.0.6: asks for credit, as BSD does"),
    ("selectors", "MPL-2.0, used unchanged: matches selectors for lol_html"),
];

/// Crates that must not come in by any way, on any platform, and why. Advisories by their numbers at rustsec.org.
const REFUSED: &[(&str, &str)] = &[
    ("adler", "RUSTSEC-2025-0056, unmaintained: adler2 goes on"),
    ("ansi_term", "RUSTSEC-2021-0139, unmaintained"),
    ("async-std", "RUSTSEC-2025-0052, unmaintained: one async runtime is enough, and it is tokio"),
    ("atty", "RUSTSEC-2024-0375 and RUSTSEC-2021-0145: std::io::IsTerminal does it"),
    ("backoff", "RUSTSEC-2025-0012, unmaintained"),
    ("bincode", "RUSTSEC-2025-0141, unmaintained: postcard does it"),
    ("derivative", "RUSTSEC-2024-0388, unmaintained"),
    ("dotenv", "RUSTSEC-2021-0141, unmaintained"),
    ("encoding", "RUSTSEC-2021-0153, unmaintained: encoding_rs does it"),
    ("failure", "RUSTSEC-2020-0036 and RUSTSEC-2019-0036: thiserror does it"),
    ("fxhash", "RUSTSEC-2025-0057, unmaintained"),
    ("instant", "RUSTSEC-2024-0384, unmaintained"),
    ("json", "RUSTSEC-2022-0081, unmaintained: serde_json does it"),
    ("kuchiki", "RUSTSEC-2023-0019, unmaintained"),
    ("mach", "RUSTSEC-2020-0168, unmaintained"),
    ("memmap", "RUSTSEC-2020-0077, unmaintained"),
    ("native-tls", "rustls only: one TLS, the same on every machine"),
    ("net2", "RUSTSEC-2020-0016, unmaintained: socket2 does it"),
    ("number_prefix", "RUSTSEC-2025-0119, unmaintained"),
    ("openssl", "rustls only: one TLS, the same on every machine"),
    ("openssl-sys", "rustls only: one TLS, the same on every machine"),
    ("proc-macro-error", "RUSTSEC-2024-0370, unmaintained"),
    ("rust-crypto", "RUSTSEC-2016-0005 and RUSTSEC-2022-0011, unmaintained"),
    ("rustc-serialize", "RUSTSEC-2025-0025 and RUSTSEC-2022-0004: serde does it"),
    ("rustls-pemfile", "RUSTSEC-2025-0134, unmaintained: rustls-pki-types does it"),
    ("serde_cbor", "RUSTSEC-2021-0127, unmaintained"),
    ("serde_yaml", "given up by its author: our settings are TOML"),
    ("serde_yml", "RUSTSEC-2025-0068, unsound and unmaintained: our settings are TOML"),
    ("tempdir", "RUSTSEC-2018-0017, unmaintained: tempfile does it"),
    ("term_size", "RUSTSEC-2020-0163, unmaintained"),
    ("trust-dns-proto", "RUSTSEC-2025-0017, goes on as hickory-proto"),
    ("yaml-rust", "RUSTSEC-2024-0320, unmaintained: our settings are TOML"),
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn every_licence_is_allowed() {
    let mut complaints = Vec::new();
    let mut excused = BTreeSet::new();
    for package in built() {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        if is_allowed(licence) {
            continue;
        }
        if OTHER_LICENCES.iter().any(|(crate_name, _)| *crate_name == name) {
            excused.insert(name.to_owned());
        } else {
            complaints.push(format!("{name} is under {licence:?}: do without it, or excuse it in OTHER_LICENCES"));
        }
    }
    for (name, _) in OTHER_LICENCES.iter().filter(|(name, _)| !excused.contains(*name)) {
        complaints.push(format!("{name} needs no excuse any more: take it out of OTHER_LICENCES"));
    }
    expect_none(&complaints);
}

#[test]
fn refused_crates_are_not_in() {
    let mut complaints = Vec::new();
    for (name, _) in locked() {
        if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            complaints.push(format!("{name} is refused ({reason}): `cargo tree -i {name}` says who brings it in"));
        }
    }
    expect_none(&complaints);
}

#[test]
fn crates_come_from_the_registry_or_the_tree() {
    let mut complaints = Vec::new();
    for (name, source) in locked() {
        if source.as_deref().is_some_and(|source| source != CRATES_IO) {
            complaints.push(format!("{name} comes from {source:?}: only crates.io and the tree itself are sources"));
        }
    }
    for package in built().iter().filter(|package| package["source"].is_null()) {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        if !std::path::Path::new(manifest).starts_with(top()) {
            complaints.push(format!("{manifest} is outside the tree: nobody else has it"));
        }
    }
    expect_none(&complaints);
}

/// Every package that is built on this platform, as cargo describes it. Those of other platforms need not be here.
fn built() -> Vec<Value> {
    let cargo = env!("CARGO");
    let version = printed(cargo, &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host");
    let metadata = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let mut metadata: Value = serde_json::from_str(&printed(cargo, &metadata)).expect("cargo prints JSON");
    serde_json::from_value(metadata["packages"].take()).expect("cargo lists packages")
}

/// Name and source of every package that may ever be built, on whatever platform.
fn locked() -> Vec<(String, Option<String>)> {
    let lock = read_toml("Cargo.lock");
    let packages = lock.get("package").and_then(toml::Value::as_array).expect("Cargo.lock lists packages");
    let text = |package: &toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    packages.iter().map(|package| (text(package, "name").unwrap_or_default(), text(package, "source"))).collect()
}

/// Whether a licence expression (SPDX, or the older form with slashes) can be met from the list.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "\u{1f}");
    let words: Vec<_> = spaced.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
    let mut rest = words.as_slice();
    any_of(&mut rest) && rest.is_empty()
}

fn any_of(rest: &mut &[&str]) -> bool {
    let mut allowed = all_of(rest);
    while take(rest, "OR") {
        allowed |= all_of(rest);
    }
    allowed
}

fn all_of(rest: &mut &[&str]) -> bool {
    let mut allowed = one(rest);
    while take(rest, "AND") {
        allowed &= one(rest);
    }
    allowed
}

fn one(rest: &mut &[&str]) -> bool {
    if take(rest, "(") {
        let allowed = any_of(rest);
        return take(rest, ")") && allowed;
    }
    let Some((name, behind)) = rest.split_first() else { return false };
    *rest = behind;
    ALLOWED.contains(&name.replace('\u{1f}', " WITH ").as_str())
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let found = rest.first() == Some(&word);
    if found {
        *rest = &rest[1..];
    }
    found
}

#[test]
fn licence_expressions_are_read() {
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/GPL-3.0", true),
        ("Apache-2.0 / MIT", true),
        ("GPL-3.0-only OR Apache-2.0 WITH LLVM-exception", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0-only", false),
        ("(GPL-2.0 OR GPL-3.0) AND MIT", false),
        ("GPL-3.0 AND MIT OR ISC", true),
        ("Apache-2.0 WITH Some-exception", false),
        ("", false),
        ("(MIT", false),
        ("MIT ISC", false),
    ] {
        assert_eq!(is_allowed(expression), expected, "{expression:?}");
    }
}
