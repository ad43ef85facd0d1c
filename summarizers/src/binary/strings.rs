//! The words that stand in the bytes of a program.

use std::collections::HashSet;

/// Fewest characters of a string.
const LEAST: usize = 6;
/// Most characters of one, and most bytes of all.
const MOST: usize = 1_000;
const LIMIT: usize = 64 << 10;

/// Runs of printable characters that look like words, each once, one a line.
pub(super) fn strings(body: &[u8]) -> String {
    let mut text = String::new();
    let mut known = HashSet::new();
    for run in body.split(|byte| !matches!(byte, b' '..=b'~' | b'\t')) {
        let run = run[..run.len().min(MOST)].trim_ascii();
        if run.len() < LEAST || !has_words(run) || !known.insert(run) {
            continue;
        }
        if text.len() + run.len() >= LIMIT {
            break;
        }
        // What is printable is ASCII.
        text.extend(run.iter().map(|byte| char::from(*byte)));
        text.push('\n');
    }
    text
}

/// Whether most of it are letters and digits, and some letters stand together: machine code is printable too.
fn has_words(run: &[u8]) -> bool {
    let letters = run.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count();
    letters * 3 >= run.len() * 2 && run.windows(4).any(|four| four.iter().all(u8::is_ascii_alphabetic))
}
