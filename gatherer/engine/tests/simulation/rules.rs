//! What must hold whatever happens, one function each.

use crate::world::{Request, World};
use gatherer_engine::{Report, RunOptions};
use gatherer_pipeline::life::Event;
use gatherer_pipeline::{Entry, Outcome};
use gatherer_store::{ChangeKind, Store};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// What the config says (`World::config`).
const GONE_COUNT: usize = 2;
const GONE_APART: Duration = Duration::from_hours(1);
const TIME_TO_LIVE: Duration = Duration::from_hours(5 * 24);
/// A long run visits nothing twice within this time.
const AGAIN: Duration = Duration::from_mins(10);

/// A broker's copy.
#[derive(Default)]
struct Copy {
    identity: u64,
    cursor: u64,
    records: BTreeMap<Url, String>,
}

pub(crate) struct Rules {
    world: Arc<World>,
    broker: RefCell<Copy>,
    /// How much of the world's log was looked at.
    judged: usize,
    /// How often each thing has happened, for whoever wonders whether it does.
    pub(crate) tally: RefCell<Tally>,
}

pub(crate) type Tally = BTreeMap<&'static str, u64>;

impl Rules {
    pub(crate) fn new(world: Arc<World>) -> Self {
        Self { world, broker: RefCell::default(), judged: 0, tally: RefCell::default() }
    }

    /// Brokers have exactly what the store has, by following its changes; and no record goes without its rule.
    pub(crate) fn follow(&self, store: &Store) {
        let mut broker = self.broker.borrow_mut();
        if broker.identity != store.identity() {
            *broker = Copy { identity: store.identity(), ..Copy::default() };
        }
        let view = store.view();
        for change in view.changes_after(broker.cursor) {
            let change = change.expect("a change");
            assert!(change.number > broker.cursor, "changes come in order: {change:?}");
            broker.cursor = change.number;
            if let Some(record) = view.record(&change.url).expect("a store") {
                broker.records.insert(change.url, title(&record));
            } else {
                assert_eq!(change.kind, ChangeKind::Delete, "{} is not there, and nobody says so", change.url);
                if broker.records.remove(&change.url).is_some() {
                    self.count(no_deletion_without_its_rule(store.entry(&change.url).expect("a store"), &change.url));
                }
            }
        }
        let records = view.records().map(|record| record.expect("a record"));
        let production: BTreeMap<_, _> = records.map(|record| (record.head.url.clone(), title(&record))).collect();
        assert_eq!(broker.records, production, "a broker's copy is what the store has");
    }

    pub(crate) fn count(&self, what: &'static str) {
        *self.tally.borrow_mut().entry(what).or_default() += 1;
    }

    /// After each run that came to its end, or was asked to.
    pub(crate) fn run_ended(&mut self, store: &Store, options: &RunOptions, report: &Report) {
        self.follow(store);
        self.pauses_are_kept();
        self.nothing_is_visited_twice(options);
        self.count("runs");
        report.set_aside.iter().for_each(|_| self.count("hosts set aside"));
        if report.interrupted {
            self.count("interruptions");
            self.world.interrupted();
        } else {
            self.nothing_is_left_out(store, options, report);
        }
        self.judged = self.world.log().len();
    }

    /// Between the end of an answer and the next request to its host lies its pause, whoever asks.
    fn pauses_are_kept(&self) {
        let log = self.world.log();
        let mut last: HashMap<&str, &Request> = HashMap::new();
        for request in log.iter() {
            let name = request.url.host_str().unwrap_or_default();
            let host = self.world.hosts.iter().find(|host| host.name == name).expect("a host of this world");
            if let Some(before) = last.insert(name, request) {
                let ended = before.ended.unwrap_or_else(|| panic!("two at once: {before:?} {request:?}"));
                let pause = request.began.checked_duration_since(ended);
                let pause = pause.unwrap_or_else(|| panic!("two at once: {before:?} {request:?}"));
                // Rules are asked for before anybody knows what they ask for.
                let own = host.crawl_delay.filter(|_| !request.is_for_rules()).unwrap_or_default();
                let wanted = host.delay.max(own);
                assert!(pause >= wanted, "after {pause:?} instead of {wanted:?}: {before:?} {request:?}");
            }
        }
    }

    /// A run visits nothing twice, unless it dies in between, or has gone on for long by its clock.
    fn nothing_is_visited_twice(&self, options: &RunOptions) {
        let log = self.world.log();
        let mut visited: HashMap<(u64, &Url), &Request> = HashMap::new();
        for request in log.iter().skip(self.judged).filter(|request| !request.is_for_rules() && !request.is_lost) {
            if let Some(before) = visited.insert((request.run, &request.url), request) {
                let is_long = !options.by_hand && request.by_clock.since(before.by_clock) >= AGAIN;
                assert!(is_long, "twice: {before:?} {request:?}");
            }
        }
    }

    /// What a run leaves in its queues is told with the reason; and when everything was wanted, everything known was visited.
    fn nothing_is_left_out(&self, store: &Store, options: &RunOptions, report: &Report) {
        let waiting = store.waiting_hosts(None, 100).expect("a store");
        let untold: Vec<_> = waiting.iter().filter(|host| !report.set_aside.contains_key(*host)).collect();
        assert!(untold.is_empty(), "{untold:?} are left out, and nobody says so: {report:?}");
        for (number, host) in self.world.hosts.iter().enumerate().filter(|_| options.everything) {
            for page in 0..host.pages {
                let url = self.world.url(number, page);
                let entry = store.entry(&url).expect("a store");
                let Some(entry) = entry.filter(|_| !report.set_aside.contains_key(&host.name)) else { continue };
                let is_visited = entry.fates.last().is_some_and(|fate| fate.run == report.run);
                assert!(is_visited || entry.state.name() == "expired", "{url} is left out: {entry:?} {report:?}");
            }
        }
    }

    /// After calm days: what is there has its record, what is gone has none, and nothing is waited for.
    pub(crate) fn all_is_right(&self, store: &Store) {
        let mut expected = BTreeMap::new();
        for (number, host) in self.world.hosts.iter().enumerate() {
            let mut reached = vec![0];
            let mut place = 0;
            while let Some(page) = reached.get(place).copied() {
                place += 1;
                if self.world.calm_text(number, page).is_some() {
                    let links = self.world.links(number, page);
                    reached.extend(links.into_iter().filter(|link| !reached.contains(link)).collect::<Vec<_>>());
                    reached.dedup();
                }
            }
            for page in 0..host.pages {
                let url = self.world.url(number, page);
                let is_known = reached.contains(&page) || store.entry(&url).expect("a store").is_some();
                let text = self.world.calm_text(number, page).filter(|_| is_known);
                expected.extend(text.map(|text| (url, text)));
            }
        }
        let found = &self.broker.borrow().records;
        for (url, text) in &expected {
            assert_eq!(found.get(url), Some(text), "{url}: {:?}", store.entry(url).expect("a store"));
        }
        let left = found.keys().find(|url| !expected.contains_key(url));
        assert_eq!(left, None, "should be gone: {:?}", left.map(|url| store.entry(url).expect("a store")));
    }

    /// Everything that was asked, when and with which answer: the same for the same seed.
    pub(crate) fn trace(&self) -> String {
        let log = self.world.log();
        let first = log.first().map(|request| request.began);
        let mut text = String::new();
        for request in log.iter() {
            let since = first.map(|first| request.began - first).unwrap_or_default();
            let _ = writeln!(text, "{since:?} {} run {} {}", request.url, request.run, request.status);
        }
        text
    }
}

fn title(record: &gatherer_store::Record) -> String {
    record.object().text("Title").unwrap_or_default().into_owned()
}

/// A record goes when its server has said often enough, and for long enough, that it is not there; or when nobody has brought it
/// for as long as it may live.
fn no_deletion_without_its_rule(entry: Option<Entry>, url: &Url) -> &'static str {
    let entry = entry.unwrap_or_else(|| panic!("{url} is deleted, and nobody knows why"));
    let last = entry.fates.last().unwrap_or_else(|| panic!("{url} is deleted without a visit"));
    let successes = entry.fates.iter().rev().find(|fate| fate.outcome.is_success());
    let success = successes.map(|fate| fate.at);
    let is_over = success.is_none_or(|success| last.at.since(success) >= TIME_TO_LIVE);
    if matches!(last.outcome, Outcome::Left(gatherer_pipeline::Departure::Expired)) {
        assert!(is_over, "{url} has not lived as long as it may: {entry:?}");
        return "lives ended";
    }
    let missing: Vec<_> = entry.fates.iter().rev().take_while(|fate| fate.outcome.event() == Event::Missing).collect();
    let apart = missing.last().map_or(Duration::ZERO, |first| last.at.since(first.at));
    assert!(missing.len() >= GONE_COUNT && apart >= GONE_APART, "{url} is deleted without its rule: {entry:?}");
    "deletions"
}
