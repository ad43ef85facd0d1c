use crate::testing::{check, summarize};
use gatherer_pipeline::{Kind, Leaf, Summarizer};
use url::Url;

const CROPS: &[u8] = include_bytes!("fixtures/crops.csv");
const EXCEL: &[u8] = include_bytes!("fixtures/semicolons.csv");

fn told(body: &[u8], expected: &[(&str, &str)]) {
    check(&summarize("CSV", "a.csv", body).expect("never refuses"), expected);
}

#[test]
fn a_table_tells_its_columns_and_their_types() {
    told(
        CROPS,
        &[
            ("Columns", "id\nname\nsown\nyield\nremark"),
            ("Column-Types", "integer\ntext\ndate\nnumber\ntext"),
            ("Rows", "4"),
            ("Format", "comma"),
            ("Charset", "UTF-8"),
        ],
    );
    let draft = summarize("CSV", "a.csv", CROPS).expect("never refuses");
    assert!(
        draft.text().starts_with("id\tname\tsown\tyield\tremark\n1\tMais, süß\t2024-05-01\t9.5"),
        "{}",
        draft.text()
    );
    assert_eq!(draft.complaints(), [] as [&str; 0]);
}

#[test]
fn other_delimiters_and_decimal_commas_are_known() {
    told(
        EXCEL,
        &[("Format", "semicolon"), ("Columns", "Sorte\nErtrag"), ("Column-Types", "text\nnumber"), ("Rows", "3")],
    );
    told(b"a\tb c\n1\t2\n", &[("Format", "tab"), ("Columns", "a\nb c"), ("Column-Types", "integer\ninteger")]);
    told(b"a|b\nx|1.5.2024 10:00\n", &[("Format", "pipe"), ("Column-Types", "text\ndate")]);
    told(b"sep=;\r\na;b,c,d\r\n1;2\r\n", &[("Format", "semicolon"), ("Columns", "a\nb,c,d"), ("Rows", "1")]);
    told(b"'a,b','c'\n'1','2'\n", &[("Columns", "a,b\nc"), ("Rows", "1")]);
}

#[test]
fn a_stray_quote_does_not_swallow_the_rows_behind_it() {
    told(b"size\tname\n\"5 inch\tx\n7\ty\n8\tz\n9\tw\n", &[("Rows", "4"), ("Column-Types", "text\ntext")]);
}

#[test]
fn a_first_row_of_values_is_no_header() {
    told(b"1,2\n3,4\n", &[("Columns", ""), ("Rows", "2"), ("Column-Types", "integer\ninteger")]);
    told(b"corn,yes\nmaize,yes\n", &[("Columns", ""), ("Rows", "2")]);
    told(b"a,a\nb,c\n", &[("Columns", ""), ("Rows", "2")]);
    told(b",name\n1,x\n", &[("Columns", "-\nname"), ("Rows", "1")]);
}

#[test]
fn captions_and_ragged_rows_are_survived() {
    let draft = summarize("CSV", "a.csv", b"Yields of 2024\na,b,c\n1,2,3\n1,2\n4,5,6\n").expect("never refuses");
    check(
        &draft,
        &[("Columns", "a\nb\nc"), ("Rows", "3"), ("text", "Yields of 2024\na\tb\tc\n1\t2\t3\n1\t2\n4\t5\t6")],
    );
    assert_eq!(draft.complaints(), ["1 rows have more or fewer than 3 fields"]);
}

#[test]
fn a_cut_table_loses_its_last_row_and_every_prefix_is_read() {
    let (url, kind) = (Url::parse("http://example.org/a.csv").expect("a URL"), Kind::new("CSV"));
    for end in 0..CROPS.len() {
        let body = &CROPS[..end];
        let leaf = Leaf { cut: true, ..Leaf::new(&url, &kind, body) };
        let draft = super::Table.summarize(&leaf).expect("never refuses");
        assert!(draft.complaints().iter().any(|complaint| complaint == "the table breaks off"));
    }
}

#[test]
fn what_is_no_table_gives_little() {
    told(b"", &[("Rows", "0"), ("Columns", ""), ("text", "")]);
    told(b"\0\xFF\"", &[("Rows", "0"), ("Format", "comma")]);
    told(&b"\"".repeat(100_000), &[("Format", "comma")]);
    let wide = summarize("CSV", "a.csv", &b"1,".repeat(300_000)).expect("never refuses");
    assert_eq!(wide.get("Column-Types").map(|types| types.lines().count()), Some(super::COLUMNS));
    let long = summarize("CSV", "a.csv", &b"a,b\n".repeat(100_000)).expect("never refuses");
    assert!(long.text().len() <= super::TEXT_LIMIT + 4);
    check(&long, &[("Rows", "100000")]);
}
