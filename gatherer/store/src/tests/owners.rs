//! Records that change hands: from one root node to another, from a source that goes, from a ledger that was lost.

use super::upkeep::check;
use super::*;
use crate::disk::Family;
use crate::{Adopted, Hearing, keys};
use gatherer_pipeline::Role;

impl Bench {
    fn visit_for(&mut self, root: &str, content: Result<&str, Departure>) {
        self.now = UnixTime(self.now.0 + 1_000);
        let candidate = Candidate::start(url("/a"), root);
        let (outcome, record) = match content {
            Ok(content) => (
                Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 1".into() },
                Some((record(&candidate, content, self.now), None)),
            ),
            Err(departure) => (Outcome::Left(departure), None),
        };
        let fate = Fate { at: self.now, run: self.run.number, outcome };
        let visit = Visit { record, ..Visit::new(&candidate, fate, TIMES) };
        self.store.finish(&self.run, &[], visit, &self.patience).expect("a finish");
        self.fold();
    }

    fn hearing<'a>(&'a self, source: &'a str) -> Hearing<'a> {
        Hearing { source, now: self.now, run: 1, patience: &PATIENCE }
    }

    fn collect(&self, path: &str) {
        let made = record(&Candidate::collected(url(path), "elsewhere"), path, self.now);
        self.store.adopt(self.hearing("elsewhere"), vec![Adopted::Record(Box::new(made))], None).expect("an adoption");
    }

    fn last_change(&self) -> (ChangeKind, String, Vec<String>) {
        let change = self.store.view().changes_after(0).last().expect("a change").expect("a change");
        (change.kind, change.root, change.former_roots)
    }
}

#[test]
fn every_change_names_all_root_nodes_it_was_told_under() {
    let mut bench = Bench::new();
    bench.visit_for("public", Ok("one"));
    bench.visit_for("private", Ok("two"));
    let expected = |kind| (kind, "private".to_owned(), vec!["public".to_owned()]);
    assert_eq!(bench.last_change(), expected(ChangeKind::Update));
    bench.visit_for("private", Ok("three"));
    assert_eq!(bench.last_change(), expected(ChangeKind::Update), "who has not asked in between must hear of it");
    bench.visit_for("private", missing());
    assert_eq!(bench.last_change(), expected(ChangeKind::Delete));
    bench.visit_for("private", Ok("four"));
    assert_eq!(bench.last_change(), expected(ChangeKind::Update), "a trace of something deleted knows it, too");
    bench.visit_for("public", same());
    assert_eq!(bench.last_change(), (ChangeKind::Update, "public".to_owned(), vec!["private".to_owned()]));
    assert!(check(&bench).is_good());
}

#[test]
fn what_came_from_a_source_is_found_until_the_last_of_it_is_put_down() {
    let bench = Bench::new();
    bench.store.begin_source("elsewhere").expect("a note");
    bench.collect("/folded");
    bench.fold();
    bench.collect("/pending");
    let bench = bench.die_and_reopen();
    assert_eq!(bench.store.sources().expect("a list"), ["elsewhere"], "although it was never heard to its end");
    let reason = Departure::RootGone { root: "elsewhere".into() };
    let dropped = bench.store.drop_collected(bench.hearing("elsewhere"), &reason, &|_| true);
    assert_eq!(dropped.expect("an end"), 2);
    bench.store.forget_source("elsewhere").expect("an end");
    bench.fold();
    assert!(bench.contents().is_empty());
}

#[test]
fn a_repair_makes_of_records_what_they_were() {
    let mut bench = Bench::new();
    let mut member = url("/a.tar");
    member.set_fragment(Some("x"));
    let made = record(&Candidate::start(member.clone(), "root"), "x", bench.now);
    let outcome = Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "test 1".into() };
    let within = crate::Within { url: member.clone(), outcome, record: Some((made, None)) };
    let opened = Opened { members: vec![within], reading: crate::Reading::Whole };
    bench.visit_and_open("/a.tar", Ok("container"), Some(opened), None);
    bench.store.begin_source("elsewhere").expect("a note");
    bench.collect("/collected");
    bench.fold();
    let mut batch = bench.store.disk.batch();
    let lost = [url("/a.tar"), member.clone(), url("/collected")];
    lost.iter().for_each(|url| batch.delete(Family::Fates, &keys::url_key(url)));
    batch.commit().expect("a harm");
    let mended = bench.store.mend(bench.now, &mut |_, _| ()).expect("a repair");
    assert_eq!((mended.records, mended.adopted), (3, 3));
    let entry = |url: &Url| bench.store.entry(url).expect("a ledger").expect("an entry");
    let roles = lost.each_ref().map(|url| entry(url).role);
    assert_eq!(roles, [Role::Page, Role::Member, Role::Collected]);
    assert_eq!(bench.store.members(&entry(&lost[0])).expect("a ledger").len(), 1, "its next visit counts them");
    assert!(check(&bench).is_good());
}

#[test]
fn a_moment_without_an_entry_is_dropped() {
    let bench = Bench::new();
    let mut batch = bench.store.disk.batch();
    batch.mark(Family::Due, &keys::moment(UnixTime(1), &keys::url_key(&url("/gone"))));
    batch.commit().expect("a harm");
    assert_eq!(bench.store.next_due().expect("a timetable"), Some(UnixTime(1)));
    let due = bench.store.due(UnixTime(9), UnixTime(9), &mut Vec::new(), 9).expect("a timetable");
    assert!(due.is_empty());
    assert_eq!(bench.store.next_due().expect("a timetable"), None, "it would begin a run again and again");
}

#[test]
fn of_many_that_a_rule_gives_one_url_only_one_has_moved() {
    let mut bench = Bench::new();
    for path in ["/1", "/2"] {
        bench.visit(path, Ok(path));
    }
    bench.fold();
    for path in ["/1", "/2"] {
        bench.visit_and_open(path, Ok(path), None, Some("/one"));
    }
    while !bench.store.fold_chunk(9, bench.now).expect("a fold").is_empty() {}
    let deletions = bench.store.deletions().expect("deletions");
    let moved = deletions.iter().map(|one| bench.store.stands_elsewhere(one).expect("a look"));
    assert_eq!(moved.collect::<Vec<_>>(), [false, true], "the first of them is lost: the brake counts it");
}
