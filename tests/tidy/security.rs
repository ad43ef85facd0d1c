//! The table of promises is true as far as a machine can see: every test that it names is there.

use super::{expect_none, files, read, rust_files};

const TABLE: &str = "schemas/security.md";

#[test]
fn every_promise_has_its_test() {
    let table = read(TABLE);
    let rust: Vec<_> = rust_files().into_iter().filter(|path| path != "tests/tidy/security.rs").collect();
    let sources: String = rust.iter().map(|path| read(path)).collect();
    let mut complaints = Vec::new();
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ")).collect();
    for name in rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2)).filter(|name| is_test(name)) {
        let is_there = sources.contains(&format!("fn {name}(")) || sources.contains(&format!("\"{name}\""));
        if !is_there && !is_made(name, &sources) {
            complaints.push(format!("{TABLE} names the test {name}, which is nowhere: write it, or mend the table"));
        }
    }
    assert!(rows.len() > 30 && files().iter().any(|path| path == TABLE), "{} rows in {TABLE}", rows.len());
    expect_none(&complaints);
}

/// Names of tests are sentences.
fn is_test(name: &str) -> bool {
    name.split('_').count() > 1
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit())
}

/// Tests of plugins are made for each form: the name stands in the source with a place for it.
fn is_made(name: &str, sources: &str) -> bool {
    ["wasm", "dylib", "program", "once"].iter().any(|form| {
        let open = name.replacen(form, "{form}", 1);
        let (before, after) = open.split_once("{form}_").unwrap_or((&open, ""));
        sources.contains(&format!("\"{open}\""))
            || (sources.contains(&format!("\"{before}{{form}}_{{name}}\""))
                && sources.contains(&format!("\"{after}\"")))
    })
}
