//! What a gatherer does with its store: a few runs over a made-up web that is another one in each of them.
//!
//! Everything follows from the seed and the number of the run, so a run that was cut short goes on as it would have gone.

use crate::broker::Broker;
use gatherer_pipeline::ledger::{Fate, Outcome};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{
    Admission, Candidate, Departure, Draft, Fetched, Kind, Known, Md5, Prepared, Recognized, Summary, Times, Unchanged,
    UnixTime, Validators,
};
use gatherer_store::{Forgetting, Opened, Reading, Record, Run, Store, StoreError, Terms, Visit, Within, Work};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;
use url::Url;

const RUNS: u64 = 6;
const PAGES: u64 = 5;
const HOSTS: [&str; 2] = ["a.example.org", "b.example.org"];
const TIMES: Times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::from_secs(1_500), range: 1 };
const PATIENCE: Patience = Patience { retry: Duration::ZERO, gone_count: 2, gone_apart: Duration::ZERO };
const TERMS: Terms = Terms { urls: 100, hosts: 10, rank: 0, now: true, again: false };

/// A number out of others, without any order to it.
pub(crate) fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0xcbf2_9ce4_8422_2325, |state, number| {
        let state = (state ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^ (state >> 29)
    })
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Story {
    pub(crate) seed: u64,
}

impl Story {
    /// Tells it from where it was left to its end. Who cannot write says why, and ends.
    pub(crate) fn tell(self, store: &Store, broker: &mut Broker) {
        if let Err(error) = self.runs(store, broker) {
            panic!("{error}");
        }
    }

    fn runs(self, store: &Store, broker: &mut Broker) -> Result<(), StoreError> {
        loop {
            let done: u64 = store.reports(None, 1)?.first().map_or(0, |report| report.run);
            if done == RUNS && store.open_run()?.is_none() {
                return Ok(());
            }
            if done == 3 && store.open_run()?.is_none() && store.entry(&forgotten())?.is_some() {
                store.forget(&Forgetting::Url(forgotten()), UnixTime(1_003_500))?;
                broker.follow(store);
            }
            let (run, _) = store.begin_run(UnixTime(0))?;
            self.run(store, broker, &run)?;
        }
    }

    fn run(self, store: &Store, broker: &mut Broker, run: &Run) -> Result<(), StoreError> {
        let now = UnixTime(1_000_000 + run.number * 1_000);
        chapters_before(store, run, now)?;
        let starts = HOSTS.iter().flat_map(|host| (0..PAGES).map(move |page| url(host, &page.to_string())));
        for start in starts {
            store.offer(run, vec![(Candidate::start(start, "root"), TERMS)], now, &PATIENCE)?;
        }
        let mut visits = 0;
        for host in HOSTS {
            while let Some(work) = store.next_of(host, &[])? {
                self.visit(store, run, &work, now)?;
                visits += 1;
                if visits % 3 == 0 {
                    store.fold_chunk(2, now)?;
                    broker.follow(store);
                }
            }
        }
        while !store.fold_chunk(2, now)?.is_empty() {
            broker.follow(store);
        }
        store.expire(run, now, &PATIENCE)?;
        store.delete(&store.deletions()?, false, now)?;
        broker.follow(store);
        if run.number == 4 {
            store.put_off(&url(HOSTS[1], "2"), UnixTime(now.0 + 10))?;
        }
        let report = gatherer_pipeline::report::Report { run: run.number, visited: 1, ..Default::default() };
        store.keep_report(&report)?;
        store.end_run()
    }

    fn visit(self, store: &Store, run: &Run, work: &Work, now: UnixTime) -> Result<(), StoreError> {
        let candidate = &work.candidate;
        let name = u64::from_be_bytes(Md5::of(candidate.url().as_str().as_bytes()).0[..8].try_into().expect("eight"));
        let lot = mix(&[self.seed, name, run.number]);
        let known = store.entry(candidate.url())?.and_then(|entry| entry.md5);
        let stored = Outcome::Stored { kind: "Text".into(), votes: vec![], summarizer: "story 1".into() };
        let mut visit = Visit::new(candidate, Fate { at: now, run: run.number, outcome: stored.clone() }, TIMES);
        visit.asked = vec![(candidate.url().host_str().unwrap_or_default().to_owned(), now.0 * 1_000)];
        let text = format!("text {}", mix(&[lot, 1]) % 3);
        match lot % 9 {
            0..4 if known == Some(Md5::of(text.as_bytes())) => {
                visit.fate.outcome = Outcome::Left(Departure::Unchanged(Unchanged::EqualDigest));
            }
            0..4 => {
                visit.record = Some((record(candidate, &text, now), None));
                let child =
                    candidate.child(candidate.url().join(&format!("found-{}", page_of(candidate))).expect("a URL"));
                visit.found = if candidate.depth() == 0 { vec![(child, TERMS)] } else { Vec::new() };
            }
            4 | 5 => {
                let inside = |name: &str| {
                    let mut member = candidate.url().clone();
                    member.set_fragment(Some(name));
                    let made = record(&candidate.at(member.clone()), &format!("{name} {text}"), now);
                    Within { url: member, outcome: stored.clone(), record: Some((made, None)) }
                };
                let members =
                    ["x", "y", "z"].iter().take(usize::try_from(lot % 4).unwrap_or(0)).map(|name| inside(name));
                visit.opened = Some(Opened { members: members.collect(), reading: Reading::Whole });
                visit.record = Some((record(candidate, &text, now), None));
            }
            6 | 7 => visit.fate.outcome = Outcome::Left(Departure::Missing { status: 404 }),
            _ => visit.fate.outcome = Outcome::Left(Departure::ServerTrouble { status: 503, retry_after: None }),
        }
        store.finish(run, &work.ticket, visit, &PATIENCE)?;
        Ok(())
    }
}

/// What is done now and then, before the visits.
fn chapters_before(store: &Store, run: &Run, now: UnixTime) -> Result<(), StoreError> {
    store.note_time(now)?;
    store.root_met("root", now)?;
    match run.number {
        2 => store.set_scope_mark("root", Md5::of(b"scope"))?,
        3 => store.keep_derived_node("root/one", "root", "http://c.example.org/")?,
        4 => store.set_no_ends_before(UnixTime(now.0 - 1))?,
        5 => store.set_private(&BTreeSet::from(["hidden".to_owned()]))?,
        _ => {}
    }
    Ok(())
}

/// Everything that must not depend on where somebody died: records, ledger, counts, queues. Not the numbers of changes, which
/// depend on how a fold was cut into chunks.
pub(crate) fn all_of(store: &Store) -> String {
    let mut text = String::new();
    for record in store.view().records() {
        let record = record.expect("a record");
        let mut soif = Vec::new();
        record.write_soif(&mut soif);
        let _ = write!(text, "{} {} {}", record.head.root, record.head.origin, String::from_utf8_lossy(&soif));
        let _ = writeln!(text, "{:?}", store.entry(&record.head.origin).expect("a store"));
    }
    for host in HOSTS {
        for page in (0..PAGES).map(|page| page.to_string()).chain((0..PAGES).map(|page| format!("found-{page}"))) {
            if let Some(entry) = store.entry(&url(host, &page)).expect("a store") {
                let _ = writeln!(text, "{entry:?}");
            }
        }
        let _ = writeln!(text, "{host}: {} queued", store.queued_at(host, 100).expect("a store"));
    }
    let _ = writeln!(text, "{:?}\n{:?}", store.holdings(), store.deletions().expect("a store"));
    text
}

/// What the operator has forgotten after the third run.
fn forgotten() -> Url {
    url(HOSTS[0], "1")
}

fn page_of(candidate: &Candidate) -> &str {
    candidate.url().path().trim_start_matches('/')
}

fn url(host: &str, page: &str) -> Url {
    Url::parse(&format!("http://{host}/{page}")).expect("a URL")
}

fn record(candidate: &Candidate, text: &str, at: UnixTime) -> Record {
    let admission = Admission { scope: String::new(), robots: String::new() };
    let fetched = Fetched {
        prepared: Prepared::new(candidate.clone(), admission, Known::default()),
        content_type: None,
        body: text.as_bytes().to_vec(),
        cut_from: None,
        robots_tag: String::new(),
        canonical: None,
        validators: Validators::default(),
        modified: None,
        at,
        packed: None,
    };
    let mut draft = Draft::new();
    draft.add("Body", text);
    let leaf = Recognized::new(fetched, Kind::TEXT, vec![]);
    Record::new(&Summary::new(&leaf, &draft, "story 1", TIMES), candidate.url(), candidate.root())
}
