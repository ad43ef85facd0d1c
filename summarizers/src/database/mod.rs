//! `SQLite` databases and dBase tables; other databases by their names only.

mod dbase;
mod schema;
mod sqlite;
#[cfg(test)]
mod tests;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["Database", "GDBM"];

/// Tables, views and columns.
pub(crate) struct Database;

impl Summarizer for Database {
    fn name(&self) -> &'static str {
        concat!("database ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        if leaf.body.starts_with(sqlite::MAGIC) {
            sqlite::write(leaf.body, leaf.cut, &mut draft);
        } else if let Some(format) = other(leaf.body) {
            draft.add("Format", format);
        } else if !dbase::write(leaf.body, &mut draft) {
            // An encrypted SQLite database looks like chance, so it cannot be told from anything else.
            return Err(Refusal::Cannot("no form of database that is known".to_owned()));
        }
        Ok(draft)
    }
}

/// Databases that are only named, by the bytes at a place.
#[rustfmt::skip]
const OTHERS: &[(usize, &[u8], &str)] = &[
    (4, b"Standard Jet DB", "Microsoft Access (Jet)"),
    (4, b"Standard ACE DB", "Microsoft Access (ACE)"),
    (8, b"DUCK", "DuckDB"),
    (12, &[0x62, 0x31, 0x05, 0x00], "Berkeley DB (btree)"),
    (12, &[0x00, 0x05, 0x31, 0x62], "Berkeley DB (btree)"),
    (12, &[0x61, 0x15, 0x06, 0x00], "Berkeley DB (hash)"),
    (12, &[0x00, 0x06, 0x15, 0x61], "Berkeley DB (hash)"),
    (0, &[0xCE, 0x9A, 0x57, 0x13], "GDBM"),
    (0, &[0xCF, 0x9A, 0x57, 0x13], "GDBM"),
    (16, &[0xDE, 0xC0, 0xEF, 0xBE], "LMDB"),
    (0, b"** This file contains an SQLite 2.", "SQLite 2"),
];

fn other(body: &[u8]) -> Option<&'static str> {
    let is = |(place, mark, _): &&(usize, &[u8], &str)| body.get(*place..).is_some_and(|rest| rest.starts_with(mark));
    OTHERS.iter().find(is).map(|(_, _, format)| *format)
}
