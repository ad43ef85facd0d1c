//! Words in all their forms, and what is wrong with a lexicon.

use super::*;
use crate::domain::Domain;
use crate::layout::Page;
use crate::tokens::Tokens;
use std::sync::LazyLock;

static LANGUAGES: LazyLock<Languages> = LazyLock::new(Languages::shipped);
static DOMAIN: LazyLock<Domain> =
    LazyLock::new(|| Domain::load("tourism", &LANGUAGES).unwrap_or_else(|error| panic!("{error}")));

/// Class and lemma of what is found at the first word.
fn found(text: &str, tongue: Tongue) -> Option<(&'static str, String)> {
    let page = Page::plain(text);
    let tokens = Tokens::read(&page, &LANGUAGES, tongue);
    let lexicon = DOMAIN.lexicon(tongue);
    let hit = lexicon.find(&tokens.all, LANGUAGES.of(tongue), tongue)?;
    match lexicon.entries[hit.entry].concept {
        Concept::Thing(class) => Some((DOMAIN.ontology.class_at(class).name(), hit.lemma)),
        _ => None,
    }
}

#[test]
fn words_are_found_in_all_their_forms() {
    let check = |text: &str, expected: Option<(&'static str, &str)>| {
        let expected = expected.map(|(class, lemma)| (class, lemma.to_owned()));
        assert_eq!(found(text, Tongue::German), expected, "{text}");
    };
    check("Zimmern", Some(("Zimmer", "zimmer")));
    check("Parkplätze", Some(("Parkmoeglichkeit", "parkplatz")));
    check("Komfortzimmer", Some(("Zimmer", "komfortzimmer")));
    check("Nichtraucherdoppelzimmern", Some(("Doppelzimmer", "nichtraucherdoppelzimmer")));
    check("Fruehstueck", Some(("Fruehstueck", "frühstück")));
    check("regionaler Küche", Some(("Kuechenstil", "regional")));
    check("Zeitraum", None);
    check("Umkreis", None);
    // Small it is no noun.
    check("bar", Some(("Barzahlung", "bar")));
}

#[test]
fn phrases_come_before_words() {
    let check = |text: &str, class: &'static str, lemma: &str| {
        assert_eq!(found(text, Tongue::English), Some((class, lemma.to_owned())), "{text}");
    };
    check("double rooms", "Doppelzimmer", "double room");
    check("tea and coffee making facilities", "Wasserkocher", "tea and coffee making facilities");
    check("farmers' markets", "Markt", "farmers' market");
    check("Italian cuisine", "Kuechenstil", "italian");
}

#[test]
fn truncated_words_borrow_their_end() {
    let lexicon = DOMAIN.lexicon(Tongue::German);
    let check = |part: &str, whole: &str, expected: &str| {
        assert_eq!(lexicon.truncated(part, whole).map(|hit| hit.lemma).as_deref(), Some(expected), "{part} {whole}");
    };
    check("geschäfts-", "messehotel", "geschäftshotel");
    check("einzel-", "doppelzimmer", "einzelzimmer");
    check("ein-", "zweibettzimmer", "einbettzimmer");
}

#[test]
fn faults_of_a_lexicon_are_named() {
    let text = "Hotel\tHotel\nHotel\tPension\nSauna\nGarten\tNichts\nBad\tBad\tseltsam\n";
    let (lexicon, complaints) = Lexicon::read(text, Tongue::German, &LANGUAGES, &DOMAIN.ontology);
    assert_eq!(lexicon.entries.len(), 1);
    let all = complaints.join("\n");
    for part in ["line 2: Hotel stands in line 1", "line 3: Sauna has no concept", "no class Nichts", "no flag seltsam"]
    {
        assert!(all.contains(part), "{part} is not in {all}");
    }
}
