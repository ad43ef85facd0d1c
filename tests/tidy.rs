//! The shape of the tree, held by tests: what the README's map promises, as far as a machine can look at it.
//!
//! Each rule is a table and a test over it. A test that fails names every place at once and says what to do there;
//! where a rule has exceptions they stand in its table, with their reasons. Nothing here needs a network.

mod licences;
mod rooms;
mod security;
mod shape;
mod sizes;

use std::path::{Path, PathBuf};
use std::process::Command;
use toml::Table;

/// An exception from a rule: a file, and why it may be different.
type Exception = (&'static str, &'static str);

/// Fails with all complaints at once.
#[track_caller]
fn expect_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "the tree is untidy:\n  {}\n", complaints.join("\n  "));
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
}

fn read_toml(path: &str) -> Table {
    read(path).parse().unwrap_or_else(|error| panic!("{path} is no TOML: {error}"))
}

/// What a command prints, run at the top of the tree.
#[expect(clippy::disallowed_methods, reason = "the tree is known to git and cargo, and to nobody else")]
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(top()).output();
    let output = output.unwrap_or_else(|error| panic!("cannot start {program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {} failed: {said}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("names and metadata are UTF-8")
}

/// Every file of the repository. What only lies in this working copy is its owner's business.
fn files() -> Vec<String> {
    let listed = printed("git", &["ls-files", "-z"]);
    let mut files: Vec<_> = listed.split_terminator('\0').map(str::to_owned).collect();
    // A conflict lists a file more than once, and a file that was just deleted is still listed.
    files.dedup();
    files.retain(|path| on_disk(path).is_file());
    files
}

fn rust_files() -> Vec<String> {
    let is_rust = |path: &String| Path::new(path).extension().is_some_and(|extension| extension == "rs");
    files().into_iter().filter(is_rust).collect()
}

fn on_disk(path: &str) -> PathBuf {
    top().join(path)
}

/// These tests name what they forbid.
fn is_our_own(path: &str) -> bool {
    path.starts_with("tests/tidy")
}

/// The strings of an array in a table.
fn strings(table: &Table, key: &str) -> Vec<String> {
    let array = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    array.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}
