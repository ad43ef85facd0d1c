//! Texts that are told by how all their lines look: settings and tables.

use super::{Finding, TEXT};
use gatherer_pipeline::Kind;

/// YAML, TOML, or settings in sections (`Configuration`).
pub(super) fn settings(head: &str) -> Option<Finding> {
    let found = |kind: &str, because: &str| Some(Finding::new(Kind::new(kind), because).at_least(TEXT));
    if Yaml::fits(head) {
        return found("YAML", "nested keys and values");
    }
    match Sections::read(head)? {
        Sections { headings: 0, .. } => None,
        Sections { keys, typed, marked, foreign: false, .. } if keys > 0 && typed == keys && marked > 0 => {
            found("TOML", "sections of keys with typed values")
        }
        Sections { keys, .. } if keys > 1 => found("Configuration", "sections of keys and values"),
        _ => None,
    }
}

/// What the lines read so far have of YAML.
#[derive(Default)]
struct Yaml {
    marked: bool,
    keys: usize,
    nested: usize,
    items: usize,
    /// Lines that go on with a value.
    further: usize,
    /// The indentation of the key whose value is a block of text.
    block: Option<usize>,
    indent: usize,
}

impl Yaml {
    /// Whether every line fits, and they are more than a list of `Name: value`, which many plain texts have.
    fn fits(head: &str) -> bool {
        let mut yaml = Self::default();
        let all = head.lines().all(|line| yaml.take(line.trim_end()));
        let structured = yaml.marked || yaml.nested > 0 || yaml.items > 0;
        all && structured && yaml.keys > usize::from(!yaml.marked) && yaml.further * 2 <= yaml.keys + yaml.items
    }

    /// Takes one more line, if it fits.
    fn take(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if text.starts_with('\t') {
            return false;
        }
        if text.is_empty() || self.block.is_some_and(|block| indent > block) {
            return true;
        }
        self.block = None;
        if text.starts_with('#') || (indent == 0 && (text == "..." || text.starts_with("%YAML"))) {
            return true;
        }
        if indent == 0 && (text == "---" || text.starts_with("--- ")) {
            // Behind a second mark may stand a text of which the first part is only the preface.
            self.marked = self.keys == 0;
            return true;
        }
        let value = text.trim_start_matches("- ").trim_start();
        let item = value.len() < text.len() || text == "-";
        let fits = match key(value) {
            Some(behind) => self.take_key(indent, behind),
            None if item => true,
            None => self.go_on(indent),
        };
        self.items += usize::from(item && self.keys > 0);
        self.indent = if fits { indent } else { self.indent };
        fits
    }

    fn take_key(&mut self, indent: usize, behind: &str) -> bool {
        self.keys += 1;
        self.nested += usize::from(indent > 0 && self.keys > 1);
        let is_block = behind.starts_with(['|', '>']) && behind.len() <= 3;
        self.block = is_block.then_some(indent);
        true
    }

    fn go_on(&mut self, indent: usize) -> bool {
        self.further += 1;
        indent > self.indent || (self.further > 1 && indent == self.indent && indent > 0)
    }
}

/// What stands behind the key of a line, if it has one: a word or a string, a colon, and a space or nothing.
fn key(text: &str) -> Option<&str> {
    let (key, behind) = text.split_once(':')?;
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$' | '@' | '<' | '*' | '&' | '+');
    let quoted =
        key.len() > 1 && (key.starts_with('"') && key.ends_with('"') || key.starts_with('\'') && key.ends_with('\''));
    let sound = quoted || (!key.is_empty() && key.len() < 60 && key.chars().all(word));
    (sound && (behind.is_empty() || behind.starts_with(' '))).then(|| behind.trim_start())
}

/// What a text of sections has.
#[derive(Default)]
struct Sections {
    headings: usize,
    keys: usize,
    /// Keys whose values are of TOML's types.
    typed: usize,
    /// Among them strings, lists and tables, which other settings do not mark.
    marked: usize,
    /// Comments that TOML does not have.
    foreign: bool,
    /// What ends a value of several lines, while one is open.
    open: Option<&'static str>,
}

impl Sections {
    /// Nothing if a line is neither section, setting nor comment.
    fn read(head: &str) -> Option<Self> {
        let mut found = Self::default();
        head.lines().all(|line| found.take(line.trim())).then_some(found)
    }

    /// Takes one more line, if it fits.
    fn take(&mut self, text: &str) -> bool {
        if let Some(end) = self.open {
            self.open = self.open.filter(|_| !text.contains(end));
            return true;
        }
        if text.is_empty() || text.starts_with('#') {
            return true;
        }
        if text.starts_with(';') {
            self.foreign = true;
            return true;
        }
        if text.starts_with('[') {
            let name = text.split(" #").next().unwrap_or_default().trim_end();
            self.headings += 1;
            return name.len() > 2 && name.ends_with(']') && !name.contains("](");
        }
        text.split_once('=').is_some_and(|(key, value)| self.set(key.trim_end(), value.trim_start()))
    }

    fn set(&mut self, key: &str, value: &str) -> bool {
        let in_key = |c: char| c.is_alphanumeric() || " _-.\"'[]@/".contains(c);
        let marked = value.starts_with(['"', '\'', '[', '{']);
        let plain = value.starts_with(['+', '-']) || value.starts_with(|c: char| c.is_ascii_digit());
        self.keys += 1;
        self.marked += usize::from(marked);
        self.typed += usize::from(marked || plain || matches!(value, "true" | "false"));
        self.open = ending(value);
        !key.is_empty() && key.len() <= 80 && key.chars().all(in_key)
    }
}

/// What ends a value of TOML that goes on in further lines.
fn ending(value: &str) -> Option<&'static str> {
    let strings = [r#"""""#, "'''"].into_iter().find(|quotes| value.starts_with(*quotes));
    match strings {
        Some(quotes) if !value[quotes.len()..].contains(quotes) => Some(quotes),
        None if value.starts_with('[') && !value.contains(']') => Some("]"),
        _ => None,
    }
}

/// A table: every row has the same columns.
pub(super) fn table(head: &str) -> Option<Finding> {
    let first = head.lines().next()?;
    let delimiters = [('\t', "tabs"), (';', "semicolons"), (',', "commas"), ('|', "bars")];
    let (_, name) = delimiters.into_iter().find(|(mark, _)| first.contains(*mark) && is_table(head, *mark))?;
    Some(Finding::new(Kind::new("CSV"), format!("rows with as many columns between {name}")).at_least(TEXT))
}

/// Whether it has three rows or more, all with as many columns, and does not read like sentences or code.
fn is_table(head: &str, delimiter: char) -> bool {
    let (mut rows, mut columns, mut fields) = (0, 0, 1);
    let (mut spaced, mut wordy, mut quoted, mut ended) = (0, 0, false, false);
    for line in head.lines() {
        if line.is_empty() && !quoted {
            ended = true;
            continue;
        }
        if ended || (!quoted && delimiter != ',' && line.starts_with(delimiter)) {
            return false;
        }
        let mut before = ' ';
        for c in line.chars() {
            quoted ^= c == '"';
            fields += usize::from(c == delimiter && !quoted);
            spaced += usize::from(before == delimiter && c == ' ');
            before = c;
        }
        if quoted {
            continue;
        }
        wordy += usize::from(line.split_whitespace().count() > 8 * fields);
        let alone = fields == 2 && line.ends_with(delimiter);
        if fields < 2 || alone || (rows > 0 && fields != columns) {
            return false;
        }
        (rows, columns, fields) = (rows + 1, fields, 1);
    }
    // Sentences have a space behind each comma, and more words than a table's cells.
    rows > 2 && spaced * 2 < rows * (columns - 1) && wordy * 4 < rows
}
