//! Stores looked at, copied, put back, mended, and forgotten in part.

use super::*;
use crate::disk::Family;
use crate::keys;
use std::path::{Path, PathBuf};
use url::Host;

fn quiet(_: &'static str, _: u64) {}

pub(super) fn check(bench: &Bench) -> Inspection {
    check_at(bench.directory.path())
}

fn check_at(path: &Path) -> Inspection {
    Store::check(path, SMALL, &mut quiet).expect("a look")
}

/// A few records, one of them deleted, one queued, and something inside of another.
fn busy() -> Bench {
    let mut bench = Bench::new();
    for path in ["/a", "/b", "/c", "/gone"] {
        bench.visit(path, Ok(path));
    }
    bench.fold();
    bench.visit("/a", same());
    bench.visit("/gone", missing());
    bench.fold();
    assert_eq!(bench.offer("/waiting"), Offer::New);
    bench
}

fn told(inspection: &Inspection) -> String {
    inspection.findings.iter().map(|finding| format!("{}: {}\n", finding.part, finding.what)).collect()
}

#[test]
fn a_good_store_is_good_while_it_is_open() {
    let bench = busy();
    let seen = check(&bench);
    assert!(seen.is_good(), "{}", told(&seen));
    assert_eq!((seen.records, seen.urls, seen.queued, seen.changes), (3, 5, 1, 5));
    let left = std::fs::read_dir(bench.directory.path()).expect("a directory").flatten();
    let held = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("held-")).count();
    assert_eq!(held, 0, "nothing is left behind");
}

#[test]
fn what_a_killed_look_left_behind_goes_with_the_next() {
    let bench = busy();
    let left = bench.directory.path().join("held-1-0");
    std::fs::create_dir(&left).expect("a directory");
    std::fs::write(left.join("in-use"), "").expect("a file");
    check(&bench);
    assert!(!left.exists());
}

type Harm = Box<dyn Fn(&Bench, &mut crate::disk::Batch<'_>)>;

fn key(path: &str) -> Vec<u8> {
    keys::url_key(&url(path))
}

fn entry(bench: &Bench) -> gatherer_pipeline::ledger::Entry {
    bench.store.entry(&url("/a")).expect("a ledger").expect("an entry")
}

/// What can go wrong with records and their changes: the part that says so, what it says, and how it comes about.
fn harms_of_records() -> Vec<(&'static str, &'static str, Harm)> {
    let head = || keys::half(&key("/a"), keys::HEAD);
    vec![
        ("production", "no attributes", {
            Box::new(|bench, batch| {
                let head = bench.store.view().head(&url("/a")).expect("production").expect("a record");
                batch.delete(Family::Attributes, &head.body.to_be_bytes());
            })
        }),
        ("attributes", "and heads of", Box::new(move |_, batch| batch.delete(Family::Production, &head()))),
        ("production", "a value in production is empty", {
            Box::new(move |_, batch| batch.mark(Family::Production, &head()))
        }),
        ("production", "no entry in the ledger", Box::new(|_, batch| batch.delete(Family::Fates, &key("/a")))),
        ("production", "not in the change log", {
            Box::new(|_, batch| batch.delete(Family::Changes, &2_u64.to_be_bytes()))
        }),
        ("production", "index of digests", {
            Box::new(|bench, batch| {
                let md5 = entry(bench).md5.expect("a digest");
                batch.delete(Family::Digest, &keys::alias(&md5.0, &key("/a")));
            })
        }),
        ("digest", "does not have", {
            Box::new(|_, batch| batch.mark(Family::Digest, &keys::alias(&[7; 16], &key("/b"))))
        }),
        ("changes", "how things stand", {
            Box::new(|bench, batch| {
                let change = bench.store.view().changes_after(0).next().expect("one").expect("a change");
                batch.put(Family::Changes, &9_u64.to_be_bytes(), &Change { number: 9, ..change });
                batch.put(Family::Meta, crate::fold::LOG_END, &(9_u64, bench.now));
            })
        }),
    ]
}

/// The same of ledger, queue, timetables and the rest.
fn harms_of_the_rest() -> Vec<(&'static str, &'static str, Harm)> {
    let waiting = || key("/waiting");
    vec![
        ("fates", "timetable of visits", {
            Box::new(|bench, batch| batch.delete(Family::Due, &keys::moment(entry(bench).visit_by(), &key("/a"))))
        }),
        ("fates", "an end that is not noted", {
            Box::new(|bench, batch| {
                batch.delete(Family::Expiry, &keys::moment(entry(bench).expires.expect("an end"), &key("/a")));
            })
        }),
        ("due", "a time is kept", {
            Box::new(|_, batch| batch.mark(Family::Due, &keys::moment(UnixTime(77), &key("/b"))))
        }),
        ("fates", "stands in no queue", {
            Box::new(|bench, batch| batch.delete(Family::Frontier, &bench.next().expect("work").ticket))
        }),
        ("frontier", "does not know it", Box::new(move |_, batch| batch.delete(Family::Fates, &waiting()))),
        ("meta", "is said to hold", {
            Box::new(|_, batch| {
                batch.put(Family::Meta, b"root\0root", &Holding { urls: 99, records: 3, ..Holding::default() });
            })
        }),
        ("bodies", "which the ledger does not know", {
            Box::new(|_, batch| batch.put(Family::Bodies, &key("/nobody"), &7_u8))
        }),
    ]
}

/// Every part is taken away or twisted once, and each time the look says which and whose.
#[test]
fn whatever_does_not_fit_is_found_and_mended() {
    for (part, what, harm) in harms_of_records().into_iter().chain(harms_of_the_rest()) {
        let bench = busy();
        let mut batch = bench.store.disk.batch();
        harm(&bench, &mut batch);
        batch.commit().expect("a write");
        let bench = bench.die_and_reopen();
        let seen = check(&bench);
        let all = told(&seen);
        let is_found = seen.findings.iter().any(|finding| finding.part == part && finding.what.contains(what));
        assert!(is_found, "{part}: {what}:\n{all}");
        assert!(seen.findings.iter().all(|finding| finding.next.contains("gatherer store")), "{all}");
        bench.store.mend(bench.now, &mut quiet).expect("a mending");
        let seen = check(&bench);
        assert!(seen.is_good(), "after {part}: {what}:\n{}", told(&seen));
        assert!(bench.contents().contains_key("/b"), "nothing else is lost");
    }
}

/// Damage in the middle of a table file, as a failing disk makes it.
fn damage(path: &Path) -> PathBuf {
    let tables = std::fs::read_dir(path).expect("a directory").flatten().map(|entry| entry.path());
    let tables = tables.filter(|path| path.extension().is_some_and(|ending| ending == "sst"));
    let largest = tables.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).expect("a table");
    let mut bytes = std::fs::read(&largest).expect("a table");
    bytes[10..40].fill(0xaa);
    std::fs::write(&largest, bytes).expect("damage");
    largest
}

#[test]
fn damage_is_found_with_its_file() {
    let Bench { directory, store, .. } = busy();
    store.end_run().expect("everything is in tables");
    drop(store);
    let table = damage(directory.path());
    let seen = check_at(directory.path());
    let name = table.file_name().expect("a name").to_string_lossy();
    assert!(told(&seen).contains(&*name), "{name}: {}", told(&seen));
    assert!(told(&seen).contains(&*directory.path().to_string_lossy()) && !told(&seen).contains("held-"));
    assert!(seen.findings[0].next.contains("restore a backup"), "{:?}", seen.findings);
}

#[test]
fn a_backup_is_a_store_and_the_next_one_costs_only_what_is_new() {
    let mut bench = busy();
    bench.store.end_run().expect("everything is in tables");
    let folder = tempfile::tempdir().expect("a folder");
    let back_up = |bench: &Bench, name: &str| {
        back_up(bench.directory.path(), (folder.path(), name), 2, SMALL, &mut quiet).expect("a backup")
    };
    let first = back_up(&bench, "1");
    assert!(first.inspection.is_good() && first.copied == first.bytes, "{first:?}");
    bench.visit("/d", Ok("new"));
    bench.fold();
    let second = back_up(&bench, "2");
    assert!(second.inspection.is_good(), "{}", told(&second.inspection));
    assert!(second.copied < second.bytes, "{second:?}");
    assert_eq!((first.inspection.records, second.inspection.records), (3, 4));
    let third = back_up(&bench, "3");
    assert_eq!(third.removed, [first.path]);
    assert_eq!(backups(folder.path()), [second.path, third.path]);
}

#[test]
fn a_damaged_backup_is_called_so_and_older_ones_stay() {
    let Bench { directory, store, .. } = busy();
    store.end_run().expect("everything is in tables");
    drop(store);
    let folder = tempfile::tempdir().expect("a folder");
    let back_up = |name| back_up(directory.path(), (folder.path(), name), 1, SMALL, &mut quiet).expect("a copy");
    let good = back_up("1");
    damage(directory.path());
    let bad = back_up("2");
    assert!(!bad.inspection.is_good() && bad.path.ends_with("2.damaged") && bad.removed.is_empty(), "{bad:?}");
    assert_eq!(backups(folder.path()), [good.path]);
}

#[test]
fn what_was_put_back_is_another_store_to_brokers() {
    let mut bench = busy();
    let folder = tempfile::tempdir().expect("a folder");
    back_up(bench.directory.path(), (folder.path(), "1"), 9, SMALL, &mut quiet).expect("a backup");
    bench.visit("/b", missing());
    bench.visit("/later", Ok("later"));
    bench.fold();
    let (identity, seen) = (bench.store.identity(), bench.now);
    let Bench { directory, store, .. } = bench;
    drop(store);
    let place = directory.path();
    let again = |force| restore((folder.path(), place), force, UnixTime(9_000), SMALL, &mut quiet);
    let refused = again(false).expect_err("it is not empty").to_string();
    assert!(refused.contains("not empty") && refused.contains("--force"), "{refused}");
    let restored = again(true).expect("a restored store");
    let kept = restored.kept.expect("the store before");
    assert!(kept.join("CURRENT").exists());
    std::fs::remove_dir_all(kept).expect("no longer wanted");

    let store = Store::open(place, SMALL).expect("a store");
    assert_ne!(store.identity(), identity);
    let view = store.view();
    // Who has seen everything up to now, by time, hears of everything again, of the deletion too.
    let start = view.number_before(UnixTime(seen.0 + 1)).expect("a number");
    let paths: Vec<_> =
        view.changes_after(start).map(|change| change.expect("a change").url.path().to_owned()).collect();
    assert_eq!(paths, ["/a", "/b", "/c", "/a", "/gone"]);
    drop(view);
    drop(store);
    assert!(check_at(place).is_good(), "{}", told(&check_at(place)));
}

#[test]
fn nothing_is_put_back_from_nowhere_or_from_damage() {
    let Bench { directory, store, .. } = busy();
    store.end_run().expect("everything is in tables");
    drop(store);
    let empty = tempfile::tempdir().expect("a folder");
    let place = empty.path().join("data");
    let put_back =
        |from: &Path| restore((from, &place), false, UnixTime(1), SMALL, &mut quiet).map(|restored| restored.from);
    let none = put_back(empty.path()).expect_err("no backup").to_string();
    assert!(none.contains("there is no backup in"), "{none}");
    damage(directory.path());
    let damaged = put_back(directory.path()).expect_err("damage").to_string();
    assert!(damaged.contains("is damaged") && damaged.contains("take an older one"), "{damaged}");
    assert!(!place.exists());
}

#[test]
fn a_url_is_forgotten_with_all_that_belongs_to_it() {
    let bench = busy();
    let what = Forgetting::Url(url("/a"));
    let would = bench.store.forgettable(&what).expect("a look");
    assert_eq!((would.urls, would.records), (1, 1));
    assert_eq!(bench.store.forget(&what, bench.now).expect("an end"), would);
    assert!(bench.store.entry(&url("/a")).expect("a ledger").is_none());
    let last = bench.store.view().changes_after(0).last().expect("a change").expect("a change");
    assert_eq!((last.kind, last.url), (ChangeKind::Delete, url("/a")));
    assert!(check(&bench).is_good(), "{}", told(&check(&bench)));
    assert_eq!(bench.offer("/a"), Offer::New, "it may be met again");
    assert!(bench.store.forgettable(&Forgetting::Url(url("/nothing"))).expect("a look").is_empty());
}

#[test]
fn a_site_or_a_root_node_is_forgotten_whole() {
    let elsewhere = Candidate::start(Url::parse("http://example.org.evil/x").expect("a URL"), "root");
    let other = Candidate::start(url("/other"), "other");
    for (what, left) in
        [(Forgetting::Site(Host::Domain("example.org".into())), 1), (Forgetting::Root("root".into()), 1)]
    {
        let mut bench = busy();
        bench.visit("/pending", Ok("not yet folded"));
        bench
            .store
            .offer(&bench.run, vec![(elsewhere.clone(), TERMS), (other.clone(), TERMS)], bench.now, &PATIENCE)
            .expect("offers");
        let forgotten = bench.store.forget(&what, bench.now).expect("an end");
        assert!(forgotten.urls >= 6 && forgotten.records == 3 && forgotten.queued >= 1, "{what:?}: {forgotten:?}");
        bench.fold();
        assert!(bench.contents().is_empty(), "{what:?}: nothing comes back by the fold");
        let seen = check(&bench);
        assert!(seen.is_good(), "{what:?}: {}", told(&seen));
        assert_eq!((seen.urls, seen.queued), (left, left), "{what:?}");
    }
}

#[test]
fn what_a_store_holds_is_measured() {
    let bench = busy();
    bench.store.end_run().expect("everything is in tables");
    let seen = Store::statistics(bench.directory.path(), SMALL, &mut quiet).expect("numbers");
    assert_eq!((seen.records, seen.urls, seen.queued, seen.bodies), (3, 5, 1, 0));
    assert_eq!(seen.sites.len(), 1);
    assert_eq!((&*seen.sites[0].name, seen.sites[0].records), ("example.org", 3));
    assert_eq!((&*seen.kinds[0].name, seen.kinds[0].records), ("Text", 3));
    let production = seen.parts.iter().find(|part| part.name == "production").expect("a part");
    assert!(production.bytes > 0 && seen.bytes >= production.bytes, "{seen:?}");
    let (before, after) = bench.store.compact(&mut quiet).expect("a compaction");
    assert!(before > 0 && after > 0);
    assert!(check(&bench).is_good());
}
