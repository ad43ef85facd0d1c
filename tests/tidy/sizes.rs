//! Sizes: a long file or function hides what it does.

use super::{Exception, expect_none, read, rust_files};

/// No file is longer, whatever its reason.
const FILE_MOST: usize = 800;
/// A longer file needs a reason.
const FILE_LOOK: usize = 500;
const FUNCTION_MOST: usize = 60;

/// Files of more than 500 lines, and why they are better off in one piece.
const LONG_FILES: &[Exception] = &[];

#[test]
fn files_are_of_a_size_to_read() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        let lines = read(&path).lines().count();
        let has_reason = LONG_FILES.iter().any(|(long, _)| *long == path);
        if lines > FILE_MOST {
            complaints.push(format!("{path} has {lines} lines: split it, {FILE_MOST} is the most"));
        } else if lines > FILE_LOOK && !has_reason {
            complaints.push(format!("{path} has {lines} lines: split it, or give its reason in LONG_FILES"));
        } else if lines <= FILE_LOOK && has_reason {
            complaints.push(format!("{path} has only {lines} lines: take it out of LONG_FILES"));
        }
    }
    expect_none(&complaints);
}

#[test]
fn functions_are_of_a_size_to_read() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        for Function { name, line, length } in functions(&read(&path)) {
            if length > FUNCTION_MOST {
                complaints.push(format!(
                    "{path}:{line}: {name} has {length} lines: {FUNCTION_MOST} is the most, let a part of it have a name"
                ));
            }
        }
    }
    expect_none(&complaints);
}

#[derive(Debug, PartialEq)]
struct Function {
    name: String,
    line: usize,
    length: usize,
}

/// All functions of a file as rustfmt leaves it: the end stands under the beginning.
fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<_> = text.lines().collect();
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let is_end = |line: &&str| {
            let (before, rest) = line.split_at_checked(indent).unwrap_or_default();
            before.trim().is_empty() && (rest.starts_with('}') || (rest.starts_with(')') && rest.ends_with(';')))
        };
        let to_end = || lines[place + 1..].iter().position(is_end).map_or(lines.len() - place, |more| more + 2);
        let length = if line.ends_with(['}', ';']) { 1 } else { to_end() };
        found.push(Function { name: name.to_owned(), line: place + 1, length });
    }
    found
}

/// The name, if a function begins in this line.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| word.starts_with("pub") || matches!(word, "const" | "async" | "unsafe" | "extern");
    let qualified = before.split_whitespace().all(|word| is_qualifier(word) || word.starts_with('"'));
    qualified.then(|| after.split(['(', '<']).next().unwrap_or_default())
}

#[test]
fn lengths_are_counted_from_brace_to_brace() {
    let check = |text: &str, expected: &[(&str, usize)]| {
        let found: Vec<_> = functions(text).into_iter().map(|function| (function.name, function.length)).collect();
        let expected: Vec<_> = expected.iter().map(|(name, length)| ((*name).to_owned(), *length)).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("fn a() {}\nfn b() -> u8 { 1 }\n", &[("a", 1), ("b", 1)]);
    check("pub(crate) async fn a<T>(t: T) {\n    if t {\n    }\n}\nstruct B;\n", &[("a", 4)]);
    check("trait A {\n    fn a(&self);\n    fn b(\n        &self,\n    ) -> u8;\n}\n", &[("a", 1), ("b", 3)]);
    check(
        "impl A {\n    fn a(\n        b: B,\n    ) -> u8\n    where\n        B: C,\n    {\n        1\n    }\n}\n",
        &[("a", 8)],
    );
    check("// the fn of it\nlet a = x.fn_b();\n", &[]);
}
