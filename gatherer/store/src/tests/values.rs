//! Values as a damaged disk gives them back: an error that says so, and never a panic.

use super::*;
use crate::disk::Family;
use gatherer_pipeline::Entry;
use proptest::test_runner::TestRunner;

/// What every kind of value has been in a store that has seen something.
fn values() -> (Bench, Vec<Vec<u8>>) {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("corn"));
    bench.visit("/b", Ok("maize"));
    bench.visit("/c", missing());
    bench.fold();
    bench.visit("/a", Ok("more corn"));
    bench.offer("/d");
    let pairs = |family| bench.store.disk.scan(family, b"", b"").map(|pair| pair.expect("a whole store").1.into_vec());
    let values: Vec<_> = Family::ALL.into_iter().flat_map(pairs).collect();
    assert!(values.len() > 10, "{} values", values.len());
    (bench, values)
}

#[test]
fn damaged_values_are_told() {
    let (bench, values) = values();
    let config = ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() };
    let one = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    let damaged = TestRunner::new(config).run(&one, |(value, place, byte, deed)| {
        let mut value = value.get(&values).clone();
        let place = place.index(value.len().max(1));
        match deed {
            0 if place < value.len() => value[place] = byte,
            1 => value.truncate(place),
            2 => value.insert(place, byte),
            // The longest length that there is, behind what was well.
            _ => drop(value.splice(place..place, [0xff; 9])),
        }
        let disk = &bench.store.disk;
        let damaged = |error: Option<StoreError>| error.is_none_or(|error| error.to_string().contains("damaged"));
        prop_assert!(damaged(disk.decode::<Head>(Family::Working, &value).err()));
        prop_assert!(damaged(disk.decode::<Head>(Family::Production, &value).err()));
        prop_assert!(damaged(disk.unpacked::<Body>(&value).err()));
        prop_assert!(damaged(disk.decode::<Entry>(Family::Fates, &value).err()));
        prop_assert!(damaged(disk.decode::<Change>(Family::Changes, &value).err()));
        prop_assert!(damaged(disk.decode::<RobotsCopy>(Family::Meta, &value).err()));
        prop_assert!(damaged(disk.decode::<Candidate>(Family::Frontier, &value).err()));
        Ok(())
    });
    damaged.expect("every damage is told");
}
