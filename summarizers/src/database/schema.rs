//! The schema of a database: names of its tables, and of their columns by a light reading of the SQL.

use super::sqlite::Entry;
use gatherer_pipeline::Draft;

/// Most columns of a database that are told.
const COLUMNS: usize = 10_000;

/// Words that begin a constraint of a table instead of a column.
const CONSTRAINTS: &[&str] = &["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// Writes names and columns; the SQL is the text.
pub(super) fn write(entries: &[Entry], draft: &mut Draft) {
    // What the database keeps for itself says nothing of what is in it.
    let own: Vec<_> = entries.iter().filter(|entry| !entry.name.starts_with("sqlite_")).collect();
    for (attribute, sort) in [("Tables", "table"), ("Views", "view"), ("Indexes", "index"), ("Triggers", "trigger")] {
        let names: Vec<_> = own.iter().filter(|entry| entry.sort == sort).map(|entry| entry.name.as_str()).collect();
        draft.add(attribute, &names.join("\n"));
    }
    let mut columns = Vec::new();
    for table in own.iter().filter(|entry| entry.sort == "table") {
        columns.extend(self::columns(&table.sql).into_iter().map(|column| format!("{}.{column}", table.name)));
        if columns.len() > COLUMNS {
            draft.complain(format!("more than {COLUMNS} columns"));
            break;
        }
    }
    columns.truncate(COLUMNS);
    draft.add("Columns", &columns.join("\n"));
    let mut text = String::new();
    for sql in own.iter().map(|entry| entry.sql.trim()).filter(|sql| !sql.is_empty()) {
        if text.len() + sql.len() > Draft::VALUE_LIMIT {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
            break;
        }
        text.push_str(sql);
        text.push_str(";\n");
    }
    draft.set_text(&text);
}

/// The names of the columns in a `CREATE TABLE`: the first word after the bracket and after each comma in it.
pub(super) fn columns(sql: &str) -> Vec<String> {
    let mut columns = Vec::new();
    let (mut depth, mut expects) = (0_usize, false);
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = token(rest, first);
        let (piece, after) = rest.split_at(length);
        rest = after;
        match first {
            '(' => {
                depth += 1;
                expects = depth == 1;
            }
            ')' if depth <= 1 => break,
            ')' => depth -= 1,
            ',' => expects = depth == 1,
            _ if first.is_whitespace() || piece.starts_with("--") || piece.starts_with("/*") => {}
            _ if expects && columns.len() < COLUMNS => {
                expects = false;
                if !CONSTRAINTS.iter().any(|word| piece.eq_ignore_ascii_case(word)) {
                    columns.push(piece.trim_matches(['"', '`', '\'', '[', ']']).to_owned());
                }
            }
            _ => {}
        }
    }
    columns
}

/// How long the piece of SQL is that begins here.
fn token(rest: &str, first: char) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |found| from + found + end.len());
    match first {
        '"' | '`' | '\'' => until(&first.to_string(), 1),
        '[' => until("]", 1),
        '-' if rest.starts_with("--") => until("\n", 2),
        '/' if rest.starts_with("/*") => until("*/", 2),
        _ if first.is_alphanumeric() || first == '_' => {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len())
        }
        other => other.len_utf8(),
    }
}
