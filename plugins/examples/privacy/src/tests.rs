use super::*;
use gatherer_sdk::testing::{self, Sample};

fn corrected(keep: Option<&str>, attributes: &[(&str, &str)]) -> Vec<(String, String)> {
    let sample = Sample::new("http://example.org/", "Text", "");
    let sample = keep.into_iter().fold(sample, |sample, keep| sample.option("keep", keep));
    let Ok(Correction::Keep(attributes)) = sample.correct::<Privacy>(attributes) else { panic!("it keeps") };
    attributes.into_iter().map(|attribute| (attribute.name.clone(), attribute.text().into_owned())).collect()
}

#[track_caller]
fn check(keep: Option<&str>, value: &str, expected: &str) {
    assert_eq!(corrected(keep, &[("Author", value)]), [("Author".to_owned(), expected.to_owned())]);
}

#[test]
fn addresses_and_numbers_are_removed() {
    check(None, "Ann <ann@example.org>, Tel. 030 1234567", "Ann <[removed]>, Tel. [removed]");
    check(None, "nothing private", "nothing private");
}

#[test]
fn some_domains_stay() {
    let value = "ann@example.org ben@sub.example.org cara@example.net";
    check(Some("Example.ORG, other.example"), value, "ann@example.org ben@sub.example.org [removed]");
    check(Some("@example.org"), value, "ann@example.org ben@sub.example.org [removed]");
    check(Some(""), value, "[removed] [removed] [removed]");
}

#[test]
fn what_is_no_text_stays() {
    assert_eq!(cleaned(b"\xff a@b.example\xfe", &[]), b"\xff [removed]\xfe");
}

/// The sample as the gatherer's own summarizer reads it.
#[test]
fn samples_give_what_is_expected() {
    let attributes = [
        ("Title", "Who to ask at the bakery"),
        ("Author", "Ann Example <ann@bakery.example>"),
        ("Description", "Call +49 30 1234567 or write to orders@bakery.example before 2024-05-01."),
    ];
    let after = corrected(None, &attributes).into_iter().map(|(name, value)| format!("{name}: {value}\n"));
    assert_eq!(after.collect::<Vec<_>>().concat(), include_str!("../samples/contact.html.expected"));
}

#[test]
fn the_manifest_agrees() {
    testing::manifest::<Privacy>(include_str!("../plugin.toml"));
}

/// Values made to take long. The test would not end if one did.
#[test]
fn bad_values_take_no_longer_than_good_ones() {
    for piece in ["@", "a@", "a", "a.", "0", "0 ", "+", "(", "+1", "1.1.", "tel ", "tel 1 ", "aaaa@bbbb.", "--"] {
        let value = piece.repeat((1 << 20) / piece.len());
        drop(corrected(None, &[("Text", &value)]));
    }
}
