//! Every kind of the table keeps the promises of all summarizers: with the fixtures whole, cut, damaged and under a
//! wrong kind, and with bytes that mean nothing.

use crate::promises::{Given, keeps_its_promises};
use flate2::read::GzDecoder;
use proptest::prelude::*;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

/// A document that a real program has made, and the kinds that its summarizer is for.
struct Fixture {
    name: String,
    body: Vec<u8>,
    kinds: &'static [&'static str],
}

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut fixtures: Vec<_> = gatherer_summarizers::list()
        .filter_map(|(summarizer, kinds)| Some((source.join(summarizer.split(' ').next()?).join("fixtures"), kinds)))
        .flat_map(|(folder, kinds)| folder.read_dir().into_iter().flatten().map(move |entry| (entry, kinds)))
        .map(|(entry, kinds)| fixture(&entry.expect("a folder that can be read").path(), kinds))
        .filter(|fixture| fixture.name != "make")
        .collect();
    fixtures.sort_by(|one, other| (one.kinds, &one.name).cmp(&(other.kinds, &other.name)));
    fixtures
});

fn fixture(path: &Path, kinds: &'static [&'static str]) -> Fixture {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let body = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Too large to lie there as it is, and mostly empty.
    let Some(unpacked) = name.strip_suffix(".gz").filter(|_| kinds.contains(&"MSPowerpoint")) else {
        return Fixture { name, body, kinds };
    };
    let mut whole = Vec::new();
    GzDecoder::new(body.as_slice()).read_to_end(&mut whole).expect("a packed fixture");
    Fixture { name: unpacked.to_owned(), body: whole, kinds }
}

/// All kinds, and one that nobody has made a summarizer for.
fn kinds() -> impl Iterator<Item = &'static str> {
    gatherer_summarizers::list().flat_map(|(_, kinds)| kinds.iter().copied()).chain(["Unknown"])
}

/// A summarizer that panics is named together with what it was given.
fn check(kind: &str, name: &str, body: &[u8], cut: bool) {
    let given = Given { kind, name, body, content_type: None, cut };
    let kept = catch_unwind(AssertUnwindSafe(|| keeps_its_promises(given).is_ok()));
    assert!(kept.is_ok(), "{kind} breaks a promise at {name} with {} bytes", body.len());
}

/// A few places between the beginning and the end, more of them near the beginning, where headers are.
fn places(length: usize) -> impl Iterator<Item = usize> {
    let near = [1, 5, 20, 60].into_iter().filter(move |place| *place < length);
    near.chain((1..=8).map(move |eighth| (length * eighth / 8).saturating_sub(1)))
}

#[test]
fn every_folder_of_fixtures_has_its_summarizer() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders =
        source.read_dir().expect("the source").flatten().filter(|entry| entry.path().join("fixtures").is_dir());
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let mut summarizers = gatherer_summarizers::list().map(|(summarizer, _)| summarizer.split(' ').next());
        assert!(summarizers.any(|summarizer| summarizer == Some(&name)), "nobody reads the fixtures in {name}");
    }
}

#[test]
fn nothing_is_survived() {
    kinds().for_each(|kind| check(kind, "empty", b"", false));
}

#[test]
fn whole_documents_are_survived() {
    for Fixture { name, body, kinds } in FIXTURES.iter() {
        kinds.iter().for_each(|kind| check(kind, name, body, false));
    }
}

#[test]
fn documents_of_another_kind_are_survived() {
    let all: Vec<_> = kinds().collect();
    for (place, Fixture { name, body, kinds }) in FIXTURES.iter().enumerate() {
        let others = all.iter().cycle().skip(place * 7).step_by(29).filter(|kind| !kinds.contains(kind));
        others.take(3).for_each(|kind| check(kind, name, body, false));
    }
}

#[test]
fn cut_documents_are_survived() {
    for Fixture { name, body, kinds } in FIXTURES.iter() {
        for place in places(body.len()) {
            kinds.iter().for_each(|kind| check(kind, name, &body[..place], true));
        }
    }
}

#[test]
fn damaged_documents_are_survived() {
    for Fixture { name, body, kinds } in FIXTURES.iter() {
        for (count, place) in places(body.len()).enumerate() {
            let mut damaged = body.clone();
            // Large numbers do most harm, so the highest bit is turned as often as the others together.
            damaged[place] ^= if count % 2 == 0 { 0x80 } else { 1 << (count / 2) };
            kinds.iter().for_each(|kind| check(kind, name, &damaged, false));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_bytes_are_survived(body in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        kinds().for_each(|kind| check(kind, "any", &body, false));
    }

    #[test]
    fn any_characters_are_survived(text in "[ -~\\n\\tüß\\u{0}\\u{85}\\u{feff}]{0,1000}") {
        kinds().for_each(|kind| check(kind, "any", text.as_bytes(), false));
    }

    #[test]
    fn any_bytes_behind_a_true_beginning_are_survived(
        length in 0..100usize,
        tail in proptest::collection::vec(any::<u8>(), 0..500)
    ) {
        for Fixture { name, body, kinds } in FIXTURES.iter() {
            let false_document = [&body[..length.min(body.len())], &tail].concat();
            kinds.iter().for_each(|kind| check(kind, name, &false_document, false));
        }
    }
}
