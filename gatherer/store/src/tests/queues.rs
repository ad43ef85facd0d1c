//! Queues, other addresses, and what is remembered of hosts.

use super::*;
use gatherer_pipeline::{Hint, HostState, Role};

fn offer(bench: &Bench, candidate: Candidate, terms: Terms) -> Offer {
    let offers = bench.store.offer(&bench.run, vec![(candidate, terms)], bench.now, &PATIENCE).expect("an offer");
    offers.into_iter().next().expect("one answer")
}

fn departed(departure: Departure, at: UnixTime, run: &Run) -> Fate {
    Fate { at, run: run.number, outcome: Outcome::Left(departure) }
}

fn finish(bench: &Bench, work: &Work, departure: Departure, found: Vec<(Candidate, Terms)>) -> Vec<Offer> {
    let fate = departed(departure, bench.now, &bench.run);
    let asked = vec![("example.org".into(), 99_000)];
    let visit = Visit { found, asked, ..Visit::new(&work.candidate, fate, TIMES) };
    bench.store.finish(&bench.run, &work.ticket, visit, &PATIENCE).expect("a finish")
}

fn next_paths(bench: &Bench, most: usize) -> String {
    let mut paths = String::new();
    for _ in 0..most {
        let Some(work) = bench.next() else { break };
        paths.push_str(work.candidate.url().path());
        finish(bench, &work, Departure::TooDeep { limit: 0 }, vec![]);
    }
    paths
}

#[test]
fn root_nodes_of_one_host_take_turns() {
    let bench = Bench::new();
    for (root, path, rank) in
        [("big", "/1", 0), ("big", "/2", 0), ("big", "/3", 0), ("small", "/a", 9), ("small", "/b", 8)]
    {
        offer(&bench, Candidate::start(url(path), root), Terms { rank, ..TERMS });
    }
    let paths = next_paths(&bench, 9);
    assert!(["/1/b/2/a/3", "/b/1/a/2/3"].contains(&paths.as_str()), "within a root node by rank: {paths}");
}

#[test]
fn what_is_in_hand_keeps_its_place_and_is_not_given_twice() {
    let bench = Bench::new();
    for path in ["/1", "/2", "/3"] {
        offer(&bench, Candidate::start(url(path), "root"), TERMS);
    }
    let first = bench.next().expect("work");
    let second = bench.store.next_of("example.org", std::slice::from_ref(&first.ticket)).expect("a store");
    assert_eq!(second.map(|work| work.candidate.url().path().to_owned()), Some("/2".to_owned()));
    assert_eq!(bench.next().map(|work| work.ticket), Some(first.ticket), "it was put off and comes first again");
}

#[test]
fn queues_are_found_again_by_another_process() {
    let bench = Bench::new();
    for host in ["a", "b", "c"] {
        let start = Url::parse(&format!("http://{host}/")).expect("a URL");
        offer(&bench, Candidate::start(start, "root"), Terms { hosts: 9, ..TERMS });
    }
    let bench = bench.die_and_reopen();
    let hosts = |after: Option<&str>, most| bench.store.waiting_hosts(after, most).expect("a store");
    assert_eq!(hosts(None, 2), ["a", "b"]);
    assert_eq!(hosts(Some("b"), 2), ["c"]);
    assert!(bench.store.next_of("b", &[]).expect("a store").is_some());
}

#[test]
fn a_run_may_leave_its_queue_to_the_next() {
    let mut bench = Bench::new();
    offer(&bench, Candidate::start(url("/a"), "root"), TERMS);
    bench.store.end_run().expect("an end");
    (bench.run, _) = bench.store.begin_run(bench.now).expect("a run");
    assert_eq!(bench.offer("/a"), Offer::InHand, "it is queued still");
    assert_eq!(next_paths(&bench, 9), "/a");
}

#[test]
fn what_a_run_before_has_queued_is_visited_once_only() {
    let mut bench = Bench::new();
    bench.offer("/a");
    bench.store.end_run().expect("an end");
    (bench.run, _) = bench.store.begin_run(bench.now).expect("a run");
    let work = bench.next().expect("what was left");
    finish(&bench, &work, Departure::Refused { status: 403 }, vec![]);
    bench.now = UnixTime(bench.now.0 + 1_000_000);
    assert_eq!(bench.offer("/a"), Offer::InHand, "due again by a clock that has jumped");
}

#[test]
fn a_long_run_comes_round_again_but_only_when_told() {
    let bench = Bench::new();
    offer(&bench, Candidate::start(url("/a"), "root"), TERMS);
    next_paths(&bench, 1);
    assert_eq!(bench.offer("/a"), Offer::InHand, "a reference does not lead to it twice");
    let due = |quiet| bench.store.due(UnixTime(quiet), UnixTime(u64::MAX), &mut Vec::new(), 9).expect("a store").len();
    assert_eq!([due(bench.now.0 - 1), due(bench.now.0)], [0, 1], "left alone for a while");
    assert_eq!(
        offer(&bench, Candidate::start(url("/a"), "root"), Terms { again: true, now: true, ..TERMS }),
        Offer::Known
    );
}

#[test]
fn a_sitemap_that_speaks_of_a_change_makes_due() {
    let mut bench = Bench::new();
    bench.visit("/a", Ok("one"));
    let far = Times { refresh_rate: Duration::from_secs(500), ..TIMES };
    bench.store.end_run().expect("an end");
    (bench.run, _) = bench.store.begin_run(bench.now).expect("a run");
    offer(&bench, Candidate::start(url("/a"), "root"), Terms { now: true, ..TERMS });
    let work = bench.next().expect("work");
    let fate = departed(Departure::Unchanged(Unchanged::NotModified), bench.now, &bench.run);
    bench.store.finish(&bench.run, &work.ticket, Visit::new(&work.candidate, fate, far), &PATIENCE).expect("a finish");
    bench.now = UnixTime(bench.now.0 + 100);
    bench.store.end_run().expect("an end");
    (bench.run, _) = bench.store.begin_run(bench.now).expect("a run");
    let map = Candidate::map(url("/sitemap.xml"), "root");
    let said = |at: u64| {
        let hint = Hint { modified: Some(UnixTime(at)), ..Hint::default() };
        offer(&bench, map.mapped(url("/a"), Role::Page, hint), TERMS)
    };
    assert!(matches!(said(bench.now.0 - 100), Offer::NotDue(_)), "before the last visit");
    assert!(matches!(said(bench.now.0 + 9), Offer::NotDue(_)), "nobody knows the future");
    assert_eq!(said(bench.now.0 - 50), Offer::Known, "after it");
}

#[test]
fn what_has_moved_for_good_hands_its_history_on() {
    let mut bench = Bench::new();
    bench.visit("/old", Ok("one"));
    let met = bench.now;
    bench.now = UnixTime(900);
    bench.store.end_run().expect("an end");
    (bench.run, _) = bench.store.begin_run(bench.now).expect("a run");
    bench.offer("/old");
    let work = bench.next().expect("work");
    let to = url("/new");
    let found = vec![(work.candidate.moved(to.clone()), TERMS)];
    finish(&bench, &work, Departure::Moved { to: to.to_string(), status: 301 }, found);
    let entry = bench.store.entry(&to).expect("a store").expect("an entry");
    assert_eq!(entry.met, UnixTime(met.0), "known since then");
    let aliases = bench.store.aliases(&to, 9).expect("a store");
    assert_eq!(aliases, [Alias { url: url("/old"), how: "moved here for good (301)".to_owned() }]);
    assert_eq!(next_paths(&bench, 9), "/new");
    bench.visit("/old", Ok("here again"));
    assert!(bench.store.aliases(&to, 9).expect("a store").is_empty());
}

#[test]
fn pauses_and_troubles_survive_the_process() {
    let bench = Bench::new();
    offer(&bench, Candidate::start(url("/a"), "root"), TERMS);
    next_paths(&bench, 1);
    let bench = bench.die_and_reopen();
    assert_eq!(bench.store.next_access("example.org").expect("a store"), Some(99_000));
    assert_eq!(bench.store.host_state("example.org").expect("a store"), HostState::default());
}

#[test]
fn a_port_has_a_queue_of_its_own() {
    let bench = Bench::new();
    let there = Url::parse("http://example.org:8080/x").expect("a URL");
    offer(&bench, Candidate::start(url("/a"), "root"), TERMS);
    offer(&bench, Candidate::start(there.clone(), "root"), TERMS);
    assert_eq!(bench.store.waiting_hosts(None, 9).expect("a store"), ["example.org", "example.org:8080"]);
    let work = bench.store.next_of("example.org:8080", &[]).expect("a store").expect("work");
    assert_eq!(work.candidate.url(), &there);
}

#[test]
fn who_is_not_wanted_keeps_his_place() {
    let bench = Bench::new();
    for (root, path) in [("one", "/1"), ("other", "/2"), ("one", "/3")] {
        offer(&bench, Candidate::start(url(path), root), TERMS);
    }
    let wanted = |root: &'static str| {
        let work = bench.store.next_wanted("example.org", &[], &|name| name == root).expect("a store");
        work.map(|work| work.candidate.url().path().to_owned())
    };
    assert_eq!((wanted("one"), wanted("other"), wanted("nobody")), (Some("/1".into()), Some("/2".into()), None));
    assert_eq!(next_paths(&bench, 9).len(), 6, "nobody has lost his place");
}
