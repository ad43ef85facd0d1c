//! Containers and their members; records under other URLs.

use super::*;
use crate::{Reading, Within};
use gatherer_pipeline::Md5;

/// A container with these members, each with its name as its content or with its reason.
fn inside(bench: &Bench, names: &[&str], reading: Reading) -> Opened {
    let member = |name: &&str| {
        let mut url = url("/a.tar");
        url.set_fragment(Some(name));
        let outcome = Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 1".into() };
        let candidate = Candidate::start(url.clone(), "root");
        Within { url, outcome, record: Some((record(&candidate, name, bench.now), None)) }
    };
    Opened { members: names.iter().map(member).collect(), reading }
}

fn lost(name: &str) -> Opened {
    let mut url = url("/a.tar");
    url.set_fragment(Some(name));
    let outcome = Outcome::Left(Departure::Packed { reason: "encrypted".into() });
    Opened { members: vec![Within { url, outcome, record: None }], reading: Reading::Partial }
}

fn records(bench: &Bench) -> Vec<String> {
    let view = bench.store.view();
    let urls = view.records().map(|record| record.expect("a record").head.url);
    urls.map(|url| url.as_str().trim_start_matches("http://example.org").to_owned()).collect()
}

fn bench_with(names: &[&str]) -> Bench {
    let mut bench = Bench::new();
    let opened = inside(&bench, names, Reading::Whole);
    bench.visit_and_open("/a.tar", Ok("container"), Some(opened), None);
    bench.fold();
    bench
}

#[test]
fn members_have_records_beside_their_container() {
    let bench = bench_with(&["x", "y/z"]);
    assert_eq!(records(&bench), ["/a.tar#x", "/a.tar#y/z", "/a.tar"]);
    let entry = bench.store.entry(&url("/a.tar")).expect("the ledger").expect("an entry");
    assert_eq!(bench.store.members(&entry).expect("the ledger").len(), 2);
    let due =
        bench.store.due(UnixTime(u64::MAX - 1), UnixTime(u64::MAX - 1), &mut Vec::new(), 9).expect("the timetable");
    assert_eq!(due.len(), 1, "members are not visited");
}

#[test]
fn an_unchanged_container_renews_its_members() {
    let mut bench = bench_with(&["x"]);
    bench.visit("/a.tar", same());
    bench.fold();
    let view = bench.store.view();
    let updated: Vec<_> = view.records().map(|record| record.expect("a record").head.updated).collect();
    assert_eq!(updated, [bench.now; 2]);
}

#[test]
fn only_a_container_read_to_its_end_loses_a_member() {
    let mut bench = bench_with(&["x", "y"]);
    let opened = inside(&bench, &["x"], Reading::Partial);
    bench.visit_and_open("/a.tar", Ok("cut"), Some(opened), None);
    bench.fold();
    assert_eq!(records(&bench).len(), 3);
    let opened = inside(&bench, &["x"], Reading::Whole);
    bench.visit_and_open("/a.tar", Ok("whole"), Some(opened), None);
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar#x", "/a.tar"]);
}

#[test]
fn a_member_that_cannot_be_unpacked_keeps_its_record() {
    let mut bench = bench_with(&["x"]);
    bench.visit_and_open("/a.tar", Ok("encrypted"), Some(lost("x")), None);
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar#x", "/a.tar"]);
}

#[test]
fn members_go_with_their_container() {
    let mut bench = bench_with(&["x"]);
    bench.visit("/a.tar", Err(Departure::TooSlow { seconds: 1 }));
    bench.fold();
    assert_eq!(records(&bench).len(), 2, "that proves nothing");
    bench.visit("/a.tar", missing());
    bench.fold();
    assert_eq!(records(&bench), [""; 0]);
}

#[test]
fn a_record_under_another_url_is_renewed_and_deleted_there() {
    let mut bench = Bench::new();
    bench.visit_and_open("/a", Ok("one"), None, Some("/public/a"));
    bench.fold();
    assert_eq!(records(&bench), ["/public/a"]);
    bench.visit("/a", same());
    bench.fold();
    let head = bench.store.view().head(&url("/public/a")).expect("the store").expect("a record");
    assert_eq!(head.updated, bench.now);
    bench.visit_and_open("/a", Ok("two"), None, Some("/elsewhere/a"));
    bench.fold();
    assert_eq!(records(&bench), ["/elsewhere/a"], "the rule has changed");
    bench.visit("/a", Err(Departure::RuledOut { rule: "x".into() }));
    bench.fold();
    assert_eq!(records(&bench), [""; 0]);
}

#[test]
fn bodies_are_kept_until_their_record_goes() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    let entry = bench.store.entry(&url("/a")).expect("the ledger").expect("an entry");
    let other = Md5::of(b"another release");
    let found =
        bench.store.made_otherwise(|entry| entry.made_with == Some(other), &mut Vec::new(), 9).expect("the ledger");
    assert_eq!(found, [entry]);
    assert_eq!(bench.store.body(&url("/a")).expect("the store"), None, "nobody wanted it kept");
}

#[test]
fn a_container_that_is_something_else_for_once_loses_nobody() {
    const PATIENT: Patience = Patience { retry: Duration::ZERO, gone_count: 3, gone_apart: Duration::ZERO };
    let mut bench = bench_with(&["x"]);
    bench.patience = PATIENT;
    let page = || Some(Opened { members: vec![], reading: Reading::None });
    bench.visit_and_open("/a.tar", Ok("under maintenance"), page(), None);
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar#x", "/a.tar"]);
    bench.visit("/a.tar", same());
    bench.fold();
    assert_eq!(records(&bench).len(), 2, "not often enough");
    bench.visit("/a.tar", same());
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar"], "it stays a page");
}

#[test]
fn a_member_that_cannot_be_had_lives_no_longer_than_its_time() {
    let mut bench = bench_with(&["x"]);
    bench.visit_and_open("/a.tar", Ok("encrypted"), Some(lost("x")), None);
    bench.now = UnixTime(bench.now.0 + 2_000);
    bench.visit("/a.tar", same());
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar"]);
}

#[test]
fn of_two_under_one_name_the_good_one_counts() {
    let mut bench = Bench::new();
    let mut opened = inside(&bench, &["x"], Reading::Whole);
    opened.members.insert(0, lost("x").members.remove(0));
    bench.visit_and_open("/a.tar", Ok("container"), Some(opened), None);
    bench.fold();
    assert_eq!(records(&bench), ["/a.tar#x", "/a.tar"]);
}

#[test]
fn nobody_deletes_the_record_of_another() {
    let mut bench = Bench::new();
    bench.visit_and_open("/b", Ok("old"), None, Some("/public"));
    bench.visit_and_open("/a", Ok("one"), None, Some("/public"));
    bench.fold();
    bench.visit("/b", missing());
    bench.fold();
    assert_eq!(records(&bench), ["/public"], "it is the record of /a by now");
    bench.visit("/public", missing());
    bench.fold();
    assert_eq!(records(&bench), ["/public"], "a resource of that very URL was never there");
}

#[test]
fn made_anew_is_no_news() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    bench.visit("/a", Err(Departure::TooSlow { seconds: 1 }));
    let before = bench.store.entry(&url("/a")).expect("the ledger").expect("an entry");
    let candidate = before.candidate();
    let outcome = Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 2".into() };
    let fate = Fate { at: before.last_success().expect("a visit"), run: bench.run.number, outcome };
    let record = Some((record(&candidate, "one", bench.now), None));
    let visit = Visit { record, is_remake: true, ..Visit::new(&candidate, fate, TIMES) };
    bench.store.finish(&bench.run, &[], visit, &PATIENCE).expect("a finish");
    let after = bench.store.entry(&url("/a")).expect("the ledger").expect("an entry");
    assert_eq!((after.state, after.due, after.interval), (before.state, before.due, before.interval));
    assert_eq!(after.expires, before.expires);
}
