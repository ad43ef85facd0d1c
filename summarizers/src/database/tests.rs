use super::schema;
use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const FIELDS: &[u8] = include_bytes!("fixtures/fields.sqlite");
const WIDE: &[u8] = include_bytes!("fixtures/wide.sqlite");
const MANY: &[u8] = include_bytes!("fixtures/many.sqlite");
const DBASE: &[u8] = include_bytes!("fixtures/crops.dbf");

fn read(body: &[u8]) -> Draft {
    summarize("Database", "a.db", body).expect("a database")
}

#[test]
fn a_schema_tells_tables_views_and_columns() {
    let draft = read(FIELDS);
    check(
        &draft,
        &[
            ("Format", "SQLite 3"),
            ("Tables", "field"),
            ("Views", "large"),
            ("Indexes", "by_crop"),
            ("Columns", "field.id\nfield.owner name\nfield.size\nfield.crop"),
            ("User-Version", "7"),
            ("Page-Size", "1024"),
            ("Text-Encoding", "UTF-8"),
        ],
    );
    assert!(draft.text().starts_with("CREATE TABLE field (id INTEGER"), "{}", draft.text());
    assert_eq!(draft.complaints(), [] as [&str; 0]);
}

#[test]
fn wide_letters_are_read() {
    check(&read(WIDE), &[("Tables", "Äcker"), ("Columns", "Äcker.größe\nÄcker.ort"), ("Text-Encoding", "UTF-16LE")]);
}

#[test]
fn a_schema_may_take_many_pages_and_overflow_one() {
    let draft = read(MANY);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
    assert_eq!(draft.get("Tables").map(|tables| tables.lines().count()), Some(11));
    assert!(draft.get("Columns").is_some_and(|columns| columns.ends_with("large.column_99")));
}

#[test]
fn damage_costs_only_what_is_damaged() {
    for end in (0..MANY.len()).step_by(7).chain(16..120) {
        let _ = summarize("Database", "a.db", &MANY[..end]);
    }
    // Every byte of the first pages wrong in turn: circles, wild places, wild sizes.
    for place in (16..120).chain((512..1_200).step_by(3)) {
        for value in [0, 1, 5, 13, 0xFF] {
            let mut body = MANY.to_vec();
            body[place] = value;
            read(&body);
        }
    }
    assert_eq!(read(&MANY[..600]).complaints(), ["not all of the schema can be read"]);
}

#[test]
fn columns_are_found_in_odd_sql() {
    assert_eq!(
        schema::columns("CREATE TABLE a(b, `c d` INT, /* x, y */ e DEFAULT ',', PRIMARY KEY (b, e))"),
        ["b", "c d", "e"]
    );
    assert_eq!(schema::columns("CREATE VIRTUAL TABLE a USING fts5(title, body)"), ["title", "body"]);
    assert_eq!(schema::columns("CREATE TABLE a AS SELECT 1"), [] as [&str; 0]);
    assert_eq!(schema::columns("(\"ä"), ["ä"]);
    assert_eq!(schema::columns(&"(".repeat(100_000)), [] as [&str; 0]);
}

#[test]
fn a_dbase_table_tells_its_columns() {
    check(&read(DBASE), &[("Format", "dBase"), ("Columns", "NAME\nYIELD\nSOWN"), ("Rows", "1")]);
}

#[test]
fn other_databases_are_named_and_chance_is_refused() {
    check(&read(b"\0\x01\0\0Standard Jet DB\0"), &[("Format", "Microsoft Access (Jet)")]);
    for body in [b"".as_slice(), b"SQLite", b"no database at all", &[0xFF; 4096]] {
        assert!(summarize("Database", "a.db", body).is_err());
    }
}
