use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

fn read(body: &str) -> Draft {
    summarize("Bibliographic", "a.bib", body.as_bytes()).expect("never refuses")
}

fn urls(draft: &Draft) -> Vec<&str> {
    draft.references().iter().map(|reference| reference.url.as_str()).collect()
}

const BIBTEX: &str = r#"% Corn
@comment{nothing}
@string{land = "Land " # {Journal}}
@preamble{"\newcommand{\x}{y}"}
@Article{roe94,
  author = {Roe, Ann and Bob {D\"oe}},
  title = "{Growing} Corn -- a {\'E}tude",
  journal = land # " of Corn",
  year = 1994, month = may,
  keywords = {maize, field},
  doi = {10.1000/corn_1},
}
@book(doe, editor={Doe}, title={Broken
@misc{fine, title = {Fine}, url = "http://example.com/~doe", year = {2001}, crossref = {fine}}
@misc{loose, title = {A {\} brace}, note
"#;

#[test]
fn a_broken_entry_does_not_lose_the_others() {
    let draft = read(BIBTEX);
    check(
        &draft,
        &[
            ("Format", "BibTeX"),
            ("Entries", "3"),
            ("Titles", "Growing Corn – a Étude\nFine"),
            ("Author", "Ann Roe\nBob Döe\nDoe"),
            ("Years", "1994\n2001"),
            ("Keywords", "maize\nfield"),
            ("text", "Ann Roe, Bob Döe (1994). Growing Corn – a Étude. Land Journal of Corn\nDoe\n(2001). Fine"),
        ],
    );
    assert_eq!(urls(&draft), ["https://doi.org/10.1000/corn_1", "http://example.com/~doe"]);
    assert_eq!(draft.complaints(), ["2 entries of the bibliography are broken"]);
}

#[test]
fn ris_and_refer_are_read() {
    let ris = "TY  - JOUR\nAU  - Roe, Ann\nAU  - Doe, B.\nTI  - Corn\nPY  - 1994/05/01\nJO  - Land\n\
        UR  - http://example.com/\nKW  - maize\nER  - \n";
    let draft = read(ris);
    check(
        &draft,
        &[
            ("Format", "RIS"),
            ("Title", "Corn"),
            ("Author", "Ann Roe\nB. Doe"),
            ("Created", "1994"),
            ("Keywords", "maize"),
            ("text", "Ann Roe, B. Doe (1994). Corn. Land"),
        ],
    );
    assert_eq!(urls(&draft), ["http://example.com/"]);
    let refer = "%A Ann Roe\n%T Growing\nCorn\n%D May 1994\n\n%0 Book\n%T Maize\n%I Land Press\n%R 10.1/x\n";
    check(
        &read(refer),
        &[
            ("Format", "Refer"),
            ("Titles", "Growing Corn\nMaize"),
            ("text", "Ann Roe (1994). Growing Corn\nMaize. Land Press"),
        ],
    );
}

#[test]
fn what_is_empty_is_complained_of() {
    for body in ["", "words", "@", "@article", "@article{a}"] {
        assert_eq!(read(body).get("Entries"), Some("0"), "{body}");
        let complaint = "no entry was found in the bibliography".to_owned();
        assert!(read(body).complaints().contains(&complaint), "{body}");
    }
}

#[test]
fn every_prefix_is_read_and_no_soup_hurts() {
    for cut in 0..BIBTEX.len() {
        read(&BIBTEX[..cut]);
    }
    for piece in [
        "@a{",
        "{",
        "@string{a=a#a}\n",
        "@a{b,c=\"",
        "\n@",
        "@a{b,title={x}}\n",
        "%A ",
        "TY  - ",
        "@a{b,crossref={b}}",
        "#",
        "ü",
        "\\",
    ] {
        read(&piece.repeat(5_000));
        read(&format!("@a{{b,title={}", piece.repeat(5_000)));
        read(&format!("TY  - x\nTI  - {}", piece.repeat(50)));
    }
}

#[test]
fn abbreviations_do_not_grow_by_themselves() {
    let doubled: String = (1..60).map(|number| format!("@string{{a{number}=a{0}#a{0}}}\n", number - 1)).collect();
    let body = format!("@string{{a0={{xxxxxxxxxx}}}}\n{doubled}@misc{{k, title=a59}}");
    assert!(read(&body).get("Title").is_some_and(|title| title.len() < 1_000));
}
