//! What data are like: keys, records, values and texts, collected while they are read.

use crate::fold::{Folded, Gap};
use gatherer_pipeline::Draft;
use std::collections::{HashMap, HashSet};

/// Deeper levels are not told apart.
const DEPTH: usize = 200;
/// Keys within keys that are told, and that are kept for well-known files.
const TOLD: usize = 3;
const KEPT: usize = 4;
/// Most keys that are told, and that are kept.
const TOLD_KEYS: usize = 500;
const KEPT_KEYS: usize = 5_000;
/// Most values under one key, and most bytes of one.
const VALUES: usize = 200;
const VALUE_LIMIT: usize = 10_000;
/// Most lists of records that are told apart.
const LISTS: usize = 50;
/// A longer word is no text but data in disguise.
const WORD_LIMIT: usize = 200;
/// Longest key.
const KEY_LIMIT: usize = 200;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Text,
    Number,
    /// True, false or nothing.
    Word,
}

/// A map or a list that is open.
#[derive(Default)]
struct Open {
    is_list: bool,
    /// How many entries it has so far.
    entries: usize,
    /// Where its path ends, and how many keys the path has.
    path: usize,
    keys: usize,
    /// Which list of records it is, or a record of.
    records: Option<usize>,
    /// It holds the coordinates of a map.
    places: bool,
}

/// A list whose entries are maps.
#[derive(Default)]
struct Records {
    count: usize,
    columns: Vec<String>,
    known: HashSet<String>,
}

/// A key with its path.
struct Key {
    path: String,
    parent: usize,
    depth: usize,
}

/// A cell of a notebook.
#[derive(Default)]
struct Cell {
    sort: String,
    source: String,
}

/// Everything that is collected.
#[derive(Default)]
pub(super) struct Shape {
    open: Vec<Open>,
    beyond: usize,
    /// The keys that lead to where the reader is, parted by full stops.
    path: String,
    keys: Vec<Key>,
    known_keys: HashSet<String>,
    values: HashMap<String, Vec<String>>,
    records: Vec<(String, Records)>,
    roots: usize,
    root: Option<&'static str>,
    text: String,
    is_full: bool,
    cell: Cell,
    pub(super) notebook: String,
    pub(super) headings: Vec<String>,
    /// West, south, east and north.
    pub(super) bounds: Option<[f64; 4]>,
    position: [Option<f64>; 2],
}

impl Shape {
    /// A map or a list begins.
    pub(super) fn open(&mut self, is_list: bool) {
        if self.open.len() >= DEPTH {
            self.beyond += 1;
            return;
        }
        self.enter(if is_list { "list" } else { "map" });
        let mut open = Open { is_list, path: self.path.len(), ..Open::default() };
        if let Some(parent) = self.open.last() {
            open.keys = parent.keys + usize::from(!parent.is_list);
            open.places = is_list && (parent.places || self.path.ends_with("coordinates"));
            open.records = if is_list || !parent.is_list { None } else { parent.records };
        }
        if is_list && self.open.len() < 3 && open.keys <= TOLD {
            open.records = self.list_of_records();
        }
        if !is_list && let Some((_, records)) = open.records.and_then(|place| self.records.get_mut(place)) {
            records.count += 1;
        }
        self.position = [None; 2];
        self.open.push(open);
    }

    /// The place of the list here; lists under the same path are one.
    fn list_of_records(&mut self) -> Option<usize> {
        let known = self.records.iter().position(|(path, _)| *path == self.path);
        if known.is_none() && self.records.len() < LISTS {
            self.records.push((self.path.clone(), Records::default()));
            return Some(self.records.len() - 1);
        }
        known
    }

    /// The innermost map or list ends. Says whether there was one.
    pub(super) fn close(&mut self) -> bool {
        if self.beyond > 0 {
            self.beyond -= 1;
            return true;
        }
        let Some(closed) = self.open.pop() else { return false };
        self.path.truncate(closed.path);
        if !closed.is_list && self.path == "cells" {
            self.end_cell();
        }
        self.leave_key();
        true
    }

    /// A key of the innermost map.
    pub(super) fn key(&mut self, key: &str) {
        if self.beyond > 0 {
            return;
        }
        self.leave_key();
        let Some(open) = self.open.last() else { return };
        let (parent, depth) = (open.path, open.keys + 1);
        if let Some((_, records)) = open.records.and_then(|place| self.records.get_mut(place))
            && records.columns.len() < TOLD_KEYS
            && !records.known.contains(key)
        {
            records.known.insert(key.to_owned());
            records.columns.push(Folded::line(key, KEY_LIMIT));
        }
        // Deeper than anybody asks, the path stays as it is: nothing is looked up there.
        let is_kept = depth <= KEPT && key.len() <= KEY_LIMIT;
        self.path.truncate(parent);
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(if is_kept { key } else { "…" });
        if is_kept && self.keys.len() < KEPT_KEYS && self.known_keys.insert(self.path.clone()) {
            self.keys.push(Key { path: self.path.clone(), parent, depth });
        }
    }

    /// Steps back from a key to its map.
    fn leave_key(&mut self) {
        if let Some(open) = self.open.last() {
            self.path.truncate(open.path);
        } else {
            self.path.clear();
        }
    }

    /// A value that is neither a map nor a list.
    pub(super) fn value(&mut self, value: &str, sort: Sort) {
        if self.beyond == 0 {
            self.enter(match sort {
                Sort::Text => "text",
                Sort::Number => "number",
                Sort::Word => "word",
            });
            self.place(value, sort);
            self.keep(value);
        }
        if sort == Sort::Text {
            self.tell(value);
        }
        if self.beyond == 0 {
            self.leave_key();
        }
    }

    /// Words that stand between keys and values: comments.
    pub(super) fn tell(&mut self, text: &str) {
        let is_data =
            text.len() > WORD_LIMIT && !text[..text.floor_char_boundary(WORD_LIMIT)].contains(char::is_whitespace);
        if is_data || self.is_full {
            return;
        }
        let line = Folded::line(text, Draft::VALUE_LIMIT);
        if self.text.len() + line.len() + 1 > Draft::VALUE_LIMIT {
            self.is_full = true;
        } else if !line.is_empty() {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// Counts an entry of the innermost map or list, or another root.
    fn enter(&mut self, sort: &'static str) {
        if let Some(open) = self.open.last_mut() {
            open.entries += 1;
        } else {
            self.roots += 1;
            self.root.get_or_insert(sort);
        }
    }

    /// A longitude is the first number of a position, a latitude the second.
    fn place(&mut self, value: &str, sort: Sort) {
        let Some(open) = self.open.last().filter(|open| open.places && sort == Sort::Number) else { return };
        let Some(axis) = open.entries.checked_sub(1).filter(|axis| *axis < 2) else { return };
        self.position[axis] = value.parse().ok().filter(|number: &f64| number.is_finite());
        if axis == 1
            && let [Some(x), Some(y)] = self.position
        {
            let [west, south, east, north] = self.bounds.unwrap_or([x, y, x, y]);
            self.bounds = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
        }
    }

    fn keep(&mut self, value: &str) {
        match self.path.as_str() {
            "cells.cell_type" => value.clone_into(&mut self.cell.sort),
            "cells.source" => self.cell.source.push_str(value),
            _ => {}
        }
        let is_kept = self.open.last().is_some_and(|open| open.keys + usize::from(!open.is_list) <= KEPT);
        if !is_kept || self.path.is_empty() || value.len() > VALUE_LIMIT || self.values.len() >= KEPT_KEYS {
            return;
        }
        // The path of a list is the path of its values.
        let values = match self.values.get_mut(&self.path) {
            Some(values) => values,
            None => self.values.entry(self.path.clone()).or_default(),
        };
        if values.len() < VALUES {
            values.push(value.to_owned());
        }
    }

    /// Code and prose of a notebook in their order, the headings of the prose also by themselves.
    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        if self.notebook.len() + cell.source.len() > Draft::VALUE_LIMIT {
            return;
        }
        if cell.sort == "markdown" {
            let headings = cell.source.lines().filter(|line| line.starts_with('#'));
            self.headings.extend(headings.map(|line| line.trim_matches(['#', ' ']).to_owned()));
        }
        self.notebook.push_str(&cell.source);
        self.notebook.push_str("\n\n");
    }

    /// Whether nothing at all was read.
    pub(super) fn is_empty(&self) -> bool {
        self.roots == 0
    }

    /// Whether a map or a list is open.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The first value under a path.
    pub(super) fn first(&self, path: &str) -> &str {
        self.all(path).first().map_or("", String::as_str)
    }

    /// The values under a path.
    pub(super) fn all(&self, path: &str) -> &[String] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// Whether there is such a key.
    pub(super) fn has(&self, path: &str) -> bool {
        self.known_keys.contains(path)
    }

    /// The keys of the map under a path.
    pub(super) fn keys_of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        let within = self.keys.iter().filter(move |key| key.parent == path.len() && key.path.starts_with(path));
        within.filter_map(move |key| key.path.get(path.len() + 1..)).filter(move |_| !path.is_empty())
    }

    /// How many maps the list under a path has.
    pub(super) fn records_of(&self, path: &str) -> usize {
        self.records.iter().find(|(known, _)| known == path).map_or(0, |(_, records)| records.count)
    }

    /// Writes what every file of data has.
    pub(super) fn write(self, draft: &mut Draft) {
        let is_list_of_records = self.root == Some("list") && self.records_of("") > 0;
        draft.add(
            "Structure",
            match self.root {
                Some("map") if self.roots > 1 => "records",
                Some("list") if is_list_of_records => "list of records",
                other => other.unwrap_or_default(),
            },
        );
        let told: Vec<_> = self.keys.iter().filter(|key| key.depth <= TOLD).map(|key| key.path.as_str()).collect();
        if told.len() > TOLD_KEYS {
            draft.complain(format!("more than {TOLD_KEYS} keys"));
        }
        draft.add("Keys", &told[..told.len().min(TOLD_KEYS)].join("\n"));
        let largest =
            self.records.iter().max_by_key(|(path, records)| (path.is_empty() && records.count > 0, records.count));
        if self.roots > 1 {
            // Documents or lines, one a record; what they have in common are the first keys.
            draft.add("Records", &self.roots.to_string());
            let columns: Vec<_> = self.keys.iter().filter(|key| key.depth == 1).map(|key| key.path.as_str()).collect();
            draft.add("Columns", &columns[..columns.len().min(TOLD_KEYS)].join("\n"));
        } else if let Some((_, records)) = largest.filter(|(_, records)| records.count > 0) {
            draft.add("Records", &records.count.to_string());
            draft.add("Columns", &records.columns.join("\n"));
        }
        if self.is_full {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        if draft.text().is_empty() {
            draft.set_text(&self.text);
        }
    }
}

/// The first values, one a line, each once.
pub(super) fn lines<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut known = HashSet::new();
    let mut lines = Folded::new(Draft::VALUE_LIMIT);
    for value in values.into_iter().filter(|value| known.insert(*value)) {
        lines.gap(Gap::Line);
        lines.push(value);
    }
    lines.into_text()
}
