use super::*;
use crate::testing::{check, summarize};

const MAILED: &[u8] = include_bytes!("fixtures/corn.patch");
const RCS: &[u8] = include_bytes!("fixtures/corn.c,v");
const SCCS: &[u8] = include_bytes!("fixtures/s.row.txt");

fn read(kind: &str, body: &[u8]) -> Draft {
    summarize(kind, "a", body).expect("can be read")
}

#[test]
fn a_mailed_patch_tells_who_why_and_what() {
    let draft = read("Patch", MAILED);
    check(
        &draft,
        &[
            ("Title", "Replace the second row and say so in a subject that is long enough to be folded by the mailer"),
            ("Author", "Ann Roe <ann@example.org>"),
            ("Created", "2024-05-01T12:00:00Z"),
            ("Description", "The old row was eaten."),
            ("Files", "ear.txt\nfield.txt\ngone.txt"),
            ("Hunks", "3"),
            ("Insertions", "3"),
            ("Deletions", "3"),
        ],
    );
    assert!(draft.text().contains("++ more"));
}

#[test]
fn all_forms_of_diff_count_the_same() {
    let counts = [("Insertions", "2"), ("Deletions", "2")];
    let context = read("Patch", include_bytes!("fixtures/context.diff"));
    check(&context, &[counts[0], counts[1], ("Files", "field.txt\nold.txt"), ("Hunks", "1"), ("Title", "")]);
    let normal = read("Patch", include_bytes!("fixtures/normal.diff"));
    check(&normal, &[counts[0], counts[1], ("Files", ""), ("Hunks", "2")]);
    let plain = read("Patch", include_bytes!("fixtures/plain.diff"));
    check(&plain, &[("Files", "ear.txt\nfield.txt\ngone.txt"), ("Insertions", "3"), ("Deletions", "3")]);
    let words = read("Patch", b"This mends it.\n\n--- x.c.orig\t1994\n+++ x.c\t1994\n@@ -1 +1 @@\n-a\n+b\n");
    check(&words, &[("Description", "This mends it."), ("Files", "x.c"), ("Insertions", "1")]);
}

#[test]
fn what_changes_nothing_is_complained_of() {
    for body in ["", "words", "@@ -1,99999999999999999999 +1 @@\n", "From ü"] {
        assert_eq!(read("Patch", body.as_bytes()).complaints(), ["no change was found in the patch"], "{body:?}");
    }
}

#[test]
fn an_rcs_file_tells_its_history_and_its_newest_text() {
    check(
        &read("RCS", RCS),
        &[
            ("Revision", "1.2"),
            ("Author", "bob\nann"),
            ("Created", "1994-05-01T12:00:00Z"),
            ("Modified", "2001-02-03T04:05:06Z"),
            ("Description", "Grows corn."),
            ("Symbols", "ripe:1.2"),
            ("text", "1.2: Second row.\none\n2 @ once\n\n1.1: first"),
        ],
    );
}

#[test]
fn an_sccs_file_tells_its_history_and_its_newest_text() {
    check(
        &read("SCCS", SCCS),
        &[
            ("Revision", "1.2"),
            ("Author", "ann"),
            ("Created", "1994-05-01T12:00:00"),
            ("Modified", "1994-05-01T12:00:00"),
            ("text", "1.2: Second row.\n1.1: first\none\n2"),
        ],
    );
}

#[test]
fn what_is_neither_is_refused_and_what_is_cut_is_read() {
    for kind in ["RCS", "SCCS"] {
        assert!(summarize(kind, "a", b"int main;").is_err());
        assert!(summarize(kind, "a", b"").is_err());
    }
    for (kind, body) in [("RCS", RCS), ("SCCS", SCCS), ("Patch", MAILED)] {
        let read = (0..body.len()).filter(|cut| summarize(kind, "a", &body[..*cut]).is_ok()).count();
        assert!(read + 10 > body.len(), "{kind}");
    }
    for piece in
        ["@", "@@", "head 1;", "date x;", "\u{1}d D ", "\u{1}", "--- ", "diff --git a b\n", "*** \n", "1a2\n", "ü"]
    {
        let many = piece.repeat(20_000);
        for (kind, start) in [
            ("Patch", ""),
            ("Patch", "@@ -1,5 +1,5 @@\n"),
            ("Patch", "***************\n"),
            ("RCS", "head 1.1;"),
            ("SCCS", "\u{1}h1\n"),
        ] {
            assert!(summarize(kind, "a", format!("{start}{many}").as_bytes()).is_ok());
        }
    }
}
