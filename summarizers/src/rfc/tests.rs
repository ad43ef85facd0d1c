use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

fn read(kind: &str, body: &str) -> Draft {
    summarize(kind, "rfc9999.txt", body.as_bytes()).expect("never refuses")
}

const RFC: &str = "


Internet Engineering Task Force (IETF)                           A. Roe
Request for Comments: 9999                                  Land College
Obsoletes: 2068,                                            B. C. Doe, Ed.
           2145
Category: Standards Track                                   1 April 2024
ISSN: 2070-1721


           The Corn Growing Protocol
                (CGP/1.0)

Abstract

   Corn grows.  It is
   tall.

   It is ripe.

Status of This Memo

   None.



Roe & Doe       Standards Track     [Page 1]
\u{c}
RFC 9999               Corn                   April 2024


   1.  Introduction  . . . . . . . . . . . .   2
     1.1.  Seeds and Such ..................... 3
   Appendix A.  Thanks .......... 4

1.  Introduction

   See http://example.com/corn for



Roe & Doe       Standards Track     [Page 2]
\u{c}
RFC 9999               Corn                   April 2024


   more.
";

#[test]
fn the_head_the_abstract_and_the_contents_are_read() {
    let draft = read("RFC", RFC);
    check(
        &draft,
        &[
            ("RFC", "9999"),
            ("Title", "The Corn Growing Protocol (CGP/1.0)"),
            ("Author", "A. Roe\nB. C. Doe, Ed."),
            ("Created", "2024-04-01"),
            ("Category", "Standards Track"),
            ("Obsoletes", "2068\n2145"),
            ("ISSN", "2070-1721"),
            ("Abstract", "Corn grows. It is tall.\nIt is ripe."),
            ("Headings", "1. Introduction\n1.1. Seeds and Such\nAppendix A. Thanks"),
        ],
    );
    assert_eq!(draft.references()[0].url.as_str(), "http://example.com/corn");
    assert!(!draft.text().contains("[Page") && !draft.text().contains("RFC 9999  "), "{}", draft.text());
    assert!(draft.text().contains("for\n\n   more."));
}

#[test]
fn old_ones_and_drafts_are_read() {
    let old = "Network Working Group                              J. Roe\n\
        Request for Comments: 99                       LAND\nFYI: 7\n\
        Updates: RFC 1, RFC 2                          March 1993\n\n\n        Corn\n\nABSTRACT\n\nIt grows\nup.\n\n\
        More.\n\n1. Seeds\n\nSmall.\n";
    check(
        &read("FYI", old),
        &[
            ("FYI", "7"),
            ("Title", "Corn"),
            ("Author", "J. Roe"),
            ("Created", "1993-03"),
            ("Updates", "RFC 1\nRFC 2"),
            ("Abstract", "It grows up."),
            ("Headings", "1. Seeds"),
        ],
    );
    let draft = "INTERNET-DRAFT                                 Ann Q. Roe\n\
        Intended status: Informational       May 1, 2024\n\
        Expires: November 2, 2024\n\n          Corn over TCP\n        draft-roe-corn-00\n\nText.\n";
    check(
        &read("Internet-Draft", draft),
        &[
            ("Title", "Corn over TCP"),
            ("Author", "Ann Q. Roe"),
            ("Created", "2024-05-01"),
            ("Expires", "November 2, 2024"),
            ("Category", "Informational"),
        ],
    );
}

#[test]
fn every_prefix_is_read_and_no_soup_hurts() {
    for cut in 0..RFC.len() {
        read("RFC", &RFC[..cut]);
    }
    for piece in ["\u{c}", " ", "[Page 1]\n", "abstract\n", ". ", "1. A .....1\n", "ü", "RFC: \n"] {
        read("RFC", &piece.repeat(20_000));
    }
}
