//! Reads RIS, and the form of refer: one tag and its value a line.

use super::Entry;

/// All entries of a RIS file: `TY  - JOUR` begins one, `ER  - ` ends it.
pub(super) fn ris(text: &str, limit: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = Entry::default();
    for line in text.lines() {
        let Some((tag, value)) = line.split_once("  -").filter(|(tag, _)| tag.len() == 2) else { continue };
        let field = match tag {
            "TY" | "ER" => {
                finish(&mut entries, &mut entry, limit);
                continue;
            }
            "TI" | "T1" | "CT" => "title",
            "AU" | "A1" | "A2" | "ED" => "author",
            "PY" | "Y1" => "year",
            "JO" | "JF" | "T2" | "PB" => "container",
            "DO" => "doi",
            "UR" | "L1" | "L2" => "url",
            "KW" => "keywords",
            "ID" => "key",
            _ => continue,
        };
        entry.set(field, value.trim());
    }
    finish(&mut entries, &mut entry, limit);
    entries
}

/// All entries in the form of refer: `%A Ann Roe`; an empty line ends one. Lines without a tag go on with the last.
pub(super) fn refer(text: &str, limit: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = Entry::default();
    let mut field = "";
    for line in text.lines() {
        let tag = line.strip_prefix('%').and_then(|rest| rest.chars().next().filter(char::is_ascii_alphanumeric));
        match tag {
            None if line.trim().is_empty() => finish(&mut entries, &mut entry, limit),
            None => entry.go_on(field, line.trim()),
            Some(tag) => {
                field = match tag {
                    '0' => {
                        finish(&mut entries, &mut entry, limit);
                        ""
                    }
                    'T' => "title",
                    'A' | 'E' => "author",
                    'D' | '8' => "year",
                    'J' | 'B' | 'I' => "container",
                    'R' => "doi",
                    'U' => "url",
                    'K' => "keywords",
                    'F' => "key",
                    _ => "",
                };
                entry.set(field, line[2..].trim());
            }
        }
    }
    finish(&mut entries, &mut entry, limit);
    entries
}

fn finish(entries: &mut Vec<Entry>, entry: &mut Entry, limit: usize) {
    let entry = std::mem::take(entry);
    if !entry.is_empty() && entries.len() < limit {
        entries.push(entry);
    }
}
