//! Configuration by lines: INI, properties, and the directives of many servers.

use super::shape::{Shape, Sort};

/// Tells the shape what the lines hold. Comments become text; there is no line that cannot be read.
pub(super) fn read(text: &str, shape: &mut Shape) -> Option<String> {
    if text.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    shape.open(false);
    // Sections of INI files end where the next one begins, the others at their own end.
    let (mut blocks, mut section) = (0_usize, false);
    for line in text.lines().map(str::trim) {
        if let Some(comment) = comment(line) {
            shape.tell(comment);
        } else if let Some(name) = ini_section(line) {
            if section {
                shape.close();
            }
            section = true;
            enter(name, shape);
        } else if let Some(name) = block(line) {
            blocks += 1;
            enter(name, shape);
        } else if line.starts_with("</") || line == "}" || line == "};" {
            if blocks > 0 {
                blocks -= 1;
                shape.close();
            }
        } else if let Some((key, value)) = pair(line) {
            shape.key(key);
            shape.value(value, Sort::Text);
        } else {
            shape.tell(line);
        }
    }
    while shape.is_open() {
        shape.close();
    }
    None
}

fn enter(name: &str, shape: &mut Shape) {
    shape.key(name);
    shape.open(false);
}

fn comment(line: &str) -> Option<&str> {
    let words = line.trim_start_matches(['#', ';', '!', '/', '*']);
    let marked = ["#", ";", "!", "//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
    marked.then(|| words.trim_end_matches("*/").trim())
}

/// `[name]`
fn ini_section(line: &str) -> Option<&str> {
    line.strip_prefix('[')?
        .strip_suffix(']')
        .map(|name| name.trim_matches(['[', ']', ' ', '"']))
        .filter(|n| !n.is_empty())
}

/// `<Name value>` or `name value {`
fn block(line: &str) -> Option<&str> {
    let tag = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).filter(|name| !name.starts_with('/'));
    tag.or_else(|| line.strip_suffix('{')).map(str::trim).filter(|name| !name.is_empty())
}

/// `key = value`, `key: value`, or a directive and its words.
fn pair(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| c == '=' || c == ':' || c.is_whitespace())?;
    let (key, rest) = line.split_at(end);
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.$/\\".contains(c));
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches('=').trim();
    is_key.then(|| (key, value.trim_end_matches(';').trim_matches('"')))
}
