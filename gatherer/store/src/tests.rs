//! The store as its users see it: visits in, views out.

mod members;
mod owners;
mod packing;
mod queues;
mod upkeep;
mod values;

use crate::*;
use gatherer_pipeline::ledger::{Fate, Outcome};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{
    Admission, Candidate, Departure, Draft, Fetched, Kind, Known, Prepared, Recognized, Summary, Times, Unchanged,
    UnixTime, Validators,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;
use tempfile::TempDir;
use url::Url;

const TIMES: Times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::from_secs(1_000), range: 1 };
const PATIENCE: Patience = Patience { retry: Duration::ZERO, gone_count: 1, gone_apart: Duration::ZERO };
const TERMS: Terms = Terms { urls: 100, hosts: 10, rank: 0, now: false, again: false };
const SMALL: Memory = Memory { block_cache: 1 << 20, write_buffers: 4 << 20 };

/// A store in a directory of its own, with a clock that moves by one second a visit.
struct Bench {
    // Closed before its directory is removed: fields are dropped in this order.
    store: Store,
    directory: TempDir,
    run: Run,
    now: UnixTime,
    patience: Patience,
}

fn url(path: &str) -> Url {
    Url::parse("http://example.org/").and_then(|base| base.join(path)).expect("a URL")
}

impl Bench {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), SMALL).expect("a store");
        let (run, _) = store.begin_run(UnixTime(1)).expect("a run");
        Self { directory, store, run, now: UnixTime(1), patience: PATIENCE }
    }

    /// Closes the store without a word, as a killed process does, and opens it again.
    fn die_and_reopen(self) -> Self {
        let Self { directory, store, now, patience, .. } = self;
        drop(store);
        let store = Store::open(directory.path(), SMALL).expect("the store opens again");
        let (run, _) = store.begin_run(now).expect("a run");
        Self { store, directory, run, now, patience }
    }

    fn offer(&self, path: &str) -> Offer {
        let candidate = Candidate::start(url(path), "root");
        let offers = self.store.offer(&self.run, vec![(candidate, TERMS)], self.now, &PATIENCE).expect("an offer");
        offers.into_iter().next().expect("one answer")
    }

    fn next(&self) -> Option<Work> {
        self.store.next_of("example.org", &[]).expect("the queue")
    }

    /// A whole visit of a path that ends like this; a new run each time, so that everything is due.
    fn visit(&mut self, path: &str, content: Result<&str, Departure>) {
        self.visit_and_open(path, content, None, None);
    }

    /// The same, with what was inside, and with the path that a rule gave its record.
    fn visit_and_open(
        &mut self,
        path: &str,
        content: Result<&str, Departure>,
        opened: Option<Opened>,
        record_path: Option<&str>,
    ) {
        self.now = UnixTime(self.now.0 + 1);
        self.store.end_run().expect("an end");
        (self.run, _) = self.store.begin_run(self.now).expect("a run");
        let mut offer = self.offer(path);
        if let Offer::NotDue(at) = offer {
            self.now = at;
            offer = self.offer(path);
        }
        assert!(matches!(offer, Offer::New | Offer::Known), "{path}: {offer:?}");
        let work = self.next().expect("work");
        let candidate = &work.candidate;
        let (outcome, record) = match content {
            Ok(content) => (
                Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 1".into() },
                Some(made_of(candidate, &url(record_path.unwrap_or(path)), content, self.now)),
            ),
            Err(departure) => (Outcome::Left(departure), None),
        };
        let fate = Fate { at: self.now, run: self.run.number, outcome };
        let record = record.map(|record| (record, None));
        let visit = Visit { record, opened, ..Visit::new(candidate, fate, TIMES) };
        self.store.finish(&self.run, &work.ticket, visit, &self.patience).expect("a finish");
    }

    fn fold(&self) {
        while !self.store.fold_chunk(2, self.now).expect("a fold").is_empty() {}
        let deletions = self.store.deletions().expect("deletions");
        self.store.delete(&deletions, false, self.now).expect("a deletion");
    }

    fn contents(&self) -> BTreeMap<String, String> {
        self.store.view().records().map(|record| content(&record.expect("a record"))).collect()
    }
}

fn content(record: &Record) -> (String, String) {
    (record.head.url.path().to_owned(), record.object().text("Body").unwrap_or_default().into_owned())
}

/// A record of a resource under the URL that a rule has given it.
fn made_of(candidate: &Candidate, at: &Url, content: &str, now: UnixTime) -> Record {
    let mut record = record(&candidate.at(at.clone()), content, now);
    record.head.origin = candidate.url().clone();
    record
}

fn record(candidate: &Candidate, content: &str, at: UnixTime) -> Record {
    let admission = Admission { scope: String::new(), robots: String::new() };
    let fetched = Fetched {
        prepared: Prepared::new(candidate.clone(), admission, Known::default()),
        content_type: None,
        body: content.as_bytes().to_vec(),
        cut_from: None,
        robots_tag: String::new(),
        canonical: None,
        validators: Validators::default(),
        modified: None,
        at,
        packed: None,
    };
    let mut draft = Draft::new();
    draft.add("Body", content);
    let leaf = Recognized::new(fetched, Kind::TEXT, vec![]);
    Record::new(&Summary::new(&leaf, &draft, "test 1", TIMES), candidate.url(), candidate.root())
}

fn same() -> Result<&'static str, Departure> {
    Err(Departure::Unchanged(Unchanged::EqualDigest))
}

fn missing() -> Result<&'static str, Departure> {
    Err(Departure::Missing { status: 404 })
}

#[test]
fn brokers_see_only_what_is_folded() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    assert!(bench.contents().is_empty());
    let before = bench.store.view();
    let chunk = bench.store.fold_chunk(10, bench.now).expect("a fold");
    assert_eq!(chunk, Folding { updated: 1, ..Folding::default() });
    assert_eq!(bench.contents(), BTreeMap::from([("/a".into(), "one".into())]));
    assert_eq!(before.records().count(), 0, "a view stays at its moment");
}

#[test]
fn a_record_goes_out_byte_for_byte() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("größe"));
    bench.fold();
    let record = bench.store.view().record(&url("/a")).expect("a store").expect("a record");
    let mut soif = Vec::new();
    record.write_soif(&mut soif);
    let expected = "@FILE { http://example.org/a\nUpdate-Time{1}:\t2\nTime-to-Live{4}:\t1000\nRefresh-Rate{1}:\t0\n\
                    Type{4}:\tText\nFile-Size{1}:\t7\nMD5{32}:\t73085f09e76c9da966c70bad8db17af9\n\
                    Last-Modification-Time{1}:\t0\nBody{7}:\tgröße\n}\n";
    let md5 = gatherer_pipeline::Md5::of("größe".as_bytes()).to_string();
    assert_eq!(String::from_utf8_lossy(&soif), expected.replace("73085f09e76c9da966c70bad8db17af9", &md5));
}

#[test]
fn a_visit_that_was_not_written_down_is_made_again() {
    let bench = Bench::new();
    assert_eq!(bench.offer("/a"), Offer::New);
    assert_eq!(bench.offer("/a"), Offer::InHand);
    assert!(bench.next().is_some());
    let number = bench.run.number;
    let bench = bench.die_and_reopen();
    assert_eq!(bench.run.number, number, "the run goes on");
    assert_eq!(bench.next().map(|work| work.candidate.url().clone()), Some(url("/a")));
}

#[test]
fn what_was_put_down_but_not_folded_survives() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    let bench = bench.die_and_reopen();
    bench.fold();
    assert_eq!(bench.contents().len(), 1);
}

#[test]
fn a_refresh_does_not_hide_the_update_before_it() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    bench.visit("/a", same());
    bench.fold();
    bench.visit("/a", same());
    bench.fold();
    let view = bench.store.view();
    let kinds = |after| view.changes_after(after).map(|change| change.expect("a change").kind).collect::<Vec<_>>();
    assert_eq!(kinds(0), [ChangeKind::Update, ChangeKind::Refresh], "the older refresh is gone");
    assert_eq!(kinds(1), [ChangeKind::Refresh]);
    assert_eq!(view.record(&url("/a")).expect("a store").map(|record| record.head.updated), Some(UnixTime(4)));
}

#[test]
fn deletions_leave_a_trace_until_the_record_comes_back() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    bench.visit("/a", missing());
    assert_eq!(bench.contents().len(), 1, "not before the fold");
    bench.fold();
    assert!(bench.contents().is_empty());
    let kinds = |bench: &Bench| {
        bench.store.view().changes_after(0).map(|change| change.expect("a change").kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&bench), [ChangeKind::Delete]);
    assert_eq!((bench.store.holding("root").urls, bench.store.holding("root").records), (0, 0));
    bench.visit("/a", Ok("two"));
    bench.fold();
    assert_eq!(kinds(&bench), [ChangeKind::Update]);
    assert_eq!((bench.store.holding("root").urls, bench.store.holding("root").records), (1, 1));
}

#[test]
fn a_page_that_comes_back_before_the_fold_is_not_deleted() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    bench.visit("/a", missing());
    bench.visit("/a", Ok("one"));
    bench.fold();
    assert_eq!(bench.contents().len(), 1);
}

#[test]
fn changes_are_found_by_time() {
    let mut bench = Bench::new();
    for path in ["/a", "/b", "/c", "/d", "/e"] {
        bench.visit(path, Ok(path));
        bench.fold();
    }
    bench.visit("/b", Ok("new"));
    bench.fold();
    let view = bench.store.view();
    let since = |time| {
        let start = view.number_before(UnixTime(time)).expect("a number");
        view.changes_after(start).map(|change| change.expect("a change").url.path().to_owned()).collect::<String>()
    };
    assert_eq!([since(0), since(2), since(4), since(7), since(8)], ["/a/c/d/e/b", "/a/c/d/e/b", "/c/d/e/b", "/b", ""]);
}

#[test]
fn root_nodes_have_limits() {
    let bench = Bench::new();
    let offer = |url: &str, limits| {
        let candidate = Candidate::start(Url::parse(url).expect("a URL"), "root");
        let offers = bench.store.offer(&bench.run, vec![(candidate, limits)], bench.now, &PATIENCE);
        offers.expect("an offer").remove(0)
    };
    let limits = Terms { urls: 2, hosts: 1, rank: 0, now: false, again: false };
    assert_eq!(offer("http://a/1", limits), Offer::New);
    assert!(matches!(offer("http://b/1", limits), Offer::Full(Departure::Full { limit }) if limit == "host-max is 1"));
    assert_eq!(offer("http://a/2", limits), Offer::New);
    assert!(matches!(offer("http://a/3", limits), Offer::Full(Departure::Full { limit }) if limit == "url-max is 2"));
}

#[test]
fn a_record_that_cannot_be_renewed_expires_at_the_end_of_the_run_that_tried() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    bench.now = UnixTime(5_000);
    assert_eq!(bench.store.expire(&bench.run, UnixTime(100), &PATIENCE).expect("a store"), 0);
    bench.visit("/a", Err(Departure::ServerTrouble { status: 503, retry_after: None }));
    assert_eq!(bench.store.expire(&bench.run, bench.now, &PATIENCE).expect("a store"), 1);
    bench.fold();
    assert!(bench.contents().is_empty());
}

#[test]
fn a_store_not_visited_for_years_loses_nothing_before_it_has_tried() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    bench.store.end_run().expect("an end");
    let (run, _) = bench.store.begin_run(UnixTime(900_000)).expect("a run");
    assert_eq!(bench.store.expire(&run, UnixTime(900_000), &PATIENCE).expect("a store"), 0);
}

#[test]
fn a_second_opener_is_told_who_is_in_the_way() {
    let bench = Bench::new();
    let error = Store::open(bench.directory.path(), SMALL).err().expect("an error");
    assert!(matches!(&error, StoreError::InUse { path } if path == bench.directory.path()), "{error}");
    let reader = Store::open_for_reading(bench.directory.path(), SMALL).expect("a reader may look");
    assert_eq!(reader.view().records().count(), 0);
}

#[test]
fn damage_is_named_with_the_next_step() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.fold();
    let Bench { directory, store, .. } = bench;
    drop(store);
    std::fs::write(directory.path().join("CURRENT"), "MANIFEST-nonsense\n").expect("a write");
    let error = Store::open(directory.path(), SMALL).err().expect("an error").to_string();
    assert!(error.contains(&*directory.path().to_string_lossy()) && error.contains('\n'), "{error}");
    let absent = Store::open_for_reading(&directory.path().join("none"), SMALL).err().expect("an error");
    assert!(absent.to_string().contains("gatherer run"), "{absent}");
}

#[test]
fn a_store_of_the_future_is_refused() {
    let Bench { directory, store, .. } = Bench::new();
    let mut batch = store.disk.batch();
    batch.put(crate::disk::Family::Meta, b"format", &99_u32);
    batch.commit().expect("a write");
    drop(store);
    assert!(matches!(Store::open(directory.path(), SMALL), Err(StoreError::Newer { found: 99, .. })));
}

#[derive(Debug, Clone)]
enum Deed {
    Store(u8, u8),
    Same(u8),
    Lose(u8),
    Fold,
    Poll,
    Die,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0..6_u8, any::<u8>()).prop_map(|(page, content)| Deed::Store(page, content)),
        2 => (0..6_u8).prop_map(Deed::Same),
        2 => (0..6_u8).prop_map(Deed::Lose),
        3 => Just(Deed::Fold),
        2 => Just(Deed::Poll),
        1 => Just(Deed::Die),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A broker that follows the change log has, after each poll, exactly what production holds.
    #[test]
    fn a_broker_that_follows_changes_has_it_all(deeds in prop::collection::vec(deed(), 1..40)) {
        let mut bench = Bench::new();
        let (mut copy, mut cursor) = (BTreeMap::new(), 0);
        for deed in deeds {
            match deed {
                Deed::Store(page, text) => bench.visit(&format!("/{page}"), Ok(&format!("text {text}"))),
                Deed::Same(page) if bench.store.entry(&url(&format!("/{page}"))).expect("a store").is_some_and(|e| e.md5.is_some()) => {
                    bench.visit(&format!("/{page}"), same());
                }
                Deed::Lose(page) => bench.visit(&format!("/{page}"), missing()),
                Deed::Fold => bench.fold(),
                Deed::Die => bench = bench.die_and_reopen(),
                Deed::Poll => {
                    let view = bench.store.view();
                    for change in view.changes_after(cursor) {
                        let change = change.expect("a change");
                        cursor = change.number;
                        match view.record(&change.url).expect("a store") {
                            Some(record) => copy.extend([content(&record)]),
                            None => drop(copy.remove(change.url.path())),
                        }
                    }
                    prop_assert_eq!(&copy, &bench.contents());
                }
                Deed::Same(_) => {}
            }
        }
        // Whatever happened, all parts tell the same story; and they do when they have been made anew.
        let found = upkeep::check(&bench);
        prop_assert!(found.is_good(), "{:?}", found.findings);
        bench.store.mend(bench.now, &mut |_, _| {}).expect("a mending");
        let found = upkeep::check(&bench);
        prop_assert!(found.is_good(), "{:?}", found.findings);
    }
}
