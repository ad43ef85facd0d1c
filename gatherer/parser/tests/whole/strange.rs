//! Bad input: always an answer, always soon.

use super::ENGINE;
use gatherer_parser::engine::{Answer, Document, MAX_BYTES, Refused};
use proptest::prelude::*;

fn parse(bytes: &[u8], kind: &str) -> Result<Answer, Refused> {
    ENGINE.parse(&Document { url: "http://a.example/", kind, bytes, ..Document::default() })
}

fn is_empty(bytes: &[u8]) -> bool {
    parse(bytes, "text/html").is_ok_and(|answer| answer.result.instances.is_empty())
}

#[test]
fn what_is_not_for_us_is_refused_with_its_reason() {
    assert_eq!(parse(b"%PDF", "application/pdf").err(), Some(Refused::Type("application/pdf".to_owned())));
    assert_eq!(parse(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 1], "text/html").err(), Some(Refused::NoText));
    assert_eq!(parse(&vec![b'a'; MAX_BYTES + 1], "text/plain").err(), Some(Refused::TooLong(MAX_BYTES + 1)));
    let french = "<p>Notre hôtel se trouve au centre du village, à deux pas de la plage. Les chambres sont confortables et \
                  disposent d'une salle de bains et d'une télévision. Le petit déjeuner est servi tous les jours. Nous vous \
                  souhaitons un agréable séjour parmi nous, avec toute la famille.</p>";
    assert_eq!(parse(french.as_bytes(), "text/html").err(), Some(Refused::Language));
}

#[test]
fn texts_without_sentences_give_nothing() {
    assert!(is_empty(b""));
    assert!(is_empty(b"<html><body></body></html>"));
    assert!(is_empty(b"<p>, . ; ! 1 2 3</p>"));
    assert!(is_empty("<title>Satzung</title><p>Der Vorstand trifft sich im Zimmer des Vorsitzenden.</p>".as_bytes()));
}

#[test]
fn long_pages_are_read_in_part() {
    let page =
        format!("<title>Hotel Anker</title><h1>Hotel Anker</h1>{}", "<p>Das Hotel hat Zimmer.</p>".repeat(40_000));
    let answer = parse(page.as_bytes(), "text/html").unwrap_or_else(|refused| panic!("{refused}"));
    assert!(answer.is_partial);
    assert!(!answer.result.instances.is_empty());
}

#[test]
fn deep_nesting_is_only_text() {
    let page = format!(
        "<title>Hotel Anker</title>{}<p>Das Hotel Anker hat 6 Zimmer.",
        "<div><b><table><tr><td>".repeat(50_000)
    );
    assert!(parse(page.as_bytes(), "text/html").is_ok());
}

#[test]
fn one_line_without_end_is_bounded() {
    for piece in ["Hotel, ", "12 km ", "0381 / ", "Mo-", "\"", "5 € "] {
        let page = format!(
            "<title>Hotel Anker</title><h1>Hotel Anker</h1><p>Das Haus ist ruhig und liegt an der See. {}",
            piece.repeat(20_000)
        );
        assert!(parse(page.as_bytes(), "text/html").is_ok(), "{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = parse(&bytes, "text/html");
        let _ = parse(&bytes, "text/plain");
    }

    #[test]
    fn no_soup_of_tags_and_words_makes_it_panic(
        pieces in proptest::collection::vec(prop::sample::select(PIECES), 0..80)
    ) {
        let page = pieces.concat();
        if let Ok(answer) = parse(page.as_bytes(), "text/html") {
            prop_assert_eq!(answer.result.meta.url, "http://a.example/");
        }
    }
}

/// What pages are made of, in no order.
const PIECES: &[&str] = &[
    "<h1>",
    "</h1>",
    "<p>",
    "<table>",
    "<tr>",
    "<td>",
    "<th>",
    "</table>",
    "<li>",
    "<dl><dt>",
    "<dd>",
    "<b>",
    "</b>",
    "<br>",
    "<title>",
    "</title>",
    "<pre>",
    "\n",
    "Hotel ",
    "Anker ",
    "Zum ",
    "Am Markt ",
    "Einzel- ",
    "und ",
    "Doppelzimmer ",
    "mit ",
    "Dusche",
    "/WC, ",
    "95,00 - 125,00 DM ",
    "ab 45 € ",
    "pro Person ",
    "Tel. 0381 / 12 88-0 ",
    "Fax -22 ",
    "18069 Rostock/Ost ",
    "YO21 3PR ",
    "Strandweg 7, ",
    "5 km vom Strand ",
    "Mo-Fr 9-18 Uhr ",
    "Montag Ruhetag ",
    "12. Mai 1999 ",
    "1. April bis 31. Oktober ",
    "Familie Krüger ",
    "Karin und Peter ",
    "„Kajüte“ ",
    "The ",
    "Castle ",
    "free ",
    "children ",
    "inkl. ",
    "Frühstück",
    ": ",
    ". ",
    ", ",
    "&amp;",
    "&#8364;",
    "ß",
    "\u{ad}",
    "(",
    ")",
    "****",
    "59 ",
    "nicht ",
    "Preise in Euro ",
    "Saison ",
    "Speisekarte ",
    "Öffnungszeiten ",
];
