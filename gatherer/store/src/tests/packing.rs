//! Records packed with dictionaries.

use super::upkeep::check;
use super::*;
use crate::disk::Family;
use crate::packing::is_dictionary;

/// Enough for a dictionary, and some more.
const PAGES: u32 = 95;

/// A text of 17 kB that has words with others in common, and no two of them in the same order.
fn text(page: u32) -> String {
    let mut number = page.wrapping_mul(2_654_435_761) | 1;
    let mut word = || {
        number ^= number << 13;
        number ^= number >> 17;
        number ^= number << 5;
        format!("corn-{} ", number % 1_000)
    };
    (0..2_000).map(|_| word()).collect()
}

/// All of one run, which is sooner done than a run for each.
fn with_many() -> Bench {
    let bench = Bench::new();
    for page in 0..PAGES {
        assert_eq!(bench.offer(&format!("/{page}")), Offer::New);
        let work = bench.next().expect("work");
        let outcome = Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 1".into() };
        let fate = Fate { at: bench.now, run: bench.run.number, outcome };
        let made = (record(&work.candidate, &text(page), bench.now), None);
        let visit = Visit { record: Some(made), ..Visit::new(&work.candidate, fate, TIMES) };
        bench.store.finish(&bench.run, &work.ticket, visit, &PATIENCE).expect("a finish");
    }
    bench.fold();
    bench
}

fn dictionaries(bench: &Bench) -> Vec<Vec<u8>> {
    let pairs = bench.store.disk.sweep(Family::Attributes).map(|pair| pair.expect("a whole store"));
    pairs.filter(|(_, value)| is_dictionary(value)).map(|(key, _)| key.into_vec()).collect()
}

fn is_whole(bench: &Bench) {
    let contents = bench.contents();
    assert_eq!(contents.len(), PAGES as usize);
    for page in 0..PAGES {
        assert_eq!(contents[&format!("/{page}")].trim_end(), text(page).trim_end(), "page {page}");
    }
    let view = bench.store.view();
    let mut walk = view.walk(&Range::all());
    let mut count = 0;
    while let Some(record) = walk.step().expect("a record") {
        assert!(record.object().text("Body").is_some());
        count += 1;
    }
    assert_eq!(count, PAGES);
}

#[test]
fn many_records_share_a_dictionary_and_the_next_process_goes_on_with_it() {
    let mut bench = with_many();
    assert_eq!(dictionaries(&bench).len(), 1, "one is enough for what is alike");
    is_whole(&bench);
    let size = |bench: &Bench, page: u32| {
        let head = bench.store.view().head(&url(&format!("/{page}"))).expect("a look").expect("a record");
        let value = bench.store.disk.value(Family::Attributes, &head.body.to_be_bytes());
        value.expect("a look").expect("a value").len()
    };
    let (before, after) = (size(&bench, 0), size(&bench, PAGES - 1));
    assert!(after < before, "{before} bytes without one, {after} with it");
    bench = bench.die_and_reopen();
    bench.visit("/0", Ok(&text(PAGES)));
    bench.fold();
    assert!(size(&bench, 0) < before);
    bench.visit("/0", Ok(&text(0)));
    bench.fold();
    is_whole(&bench);
    assert!(check(&bench).is_good());
}

#[test]
fn a_repair_keeps_dictionaries() {
    let bench = with_many();
    let before = dictionaries(&bench);
    bench.store.mend(bench.now, &mut |_, _| ()).expect("a repair");
    assert_eq!(dictionaries(&bench), before);
    is_whole(&bench);
}

#[test]
fn a_lost_dictionary_has_a_copy_and_without_it_is_told() {
    let bench = with_many().die_and_reopen();
    let keys = dictionaries(&bench);
    let mut batch = bench.store.disk.batch();
    keys.iter().for_each(|key| batch.delete(Family::Attributes, key));
    batch.commit().expect("a harm");
    let bench = bench.die_and_reopen();
    is_whole(&bench);
    assert!(!check(&bench).is_good(), "one copy is left");
    let bench = bench.die_and_reopen();
    bench.store.mend(bench.now, &mut |_, _| ()).expect("a repair");
    assert!(check(&bench).is_good());
    let bench = bench.die_and_reopen();
    let mut batch = bench.store.disk.batch();
    keys.iter().for_each(|key| batch.delete(Family::Meta, &[b"dictionary", &key[..]].concat()));
    batch.commit().expect("a harm");
    assert!(!check(&bench).is_good(), "one copy is left again");
    let mut batch = bench.store.disk.batch();
    keys.iter().for_each(|key| batch.delete(Family::Attributes, key));
    batch.commit().expect("a harm");
    let bench = bench.die_and_reopen();
    let told = bench.store.view().records().find_map(Result::err).expect("an error").to_string();
    assert!(told.contains("damaged"), "{told}");
    assert!(!check(&bench).is_good());
}
