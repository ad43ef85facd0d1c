//! How much memory a large frontier takes, and how fast it fills and drains.
//!
//! `cargo bench -p gatherer-store --bench frontier -- --urls 10000000 --hosts 20000`
//!
//! A bad case on purpose: all root nodes want all hosts, and hosts come by in turn, so that what follows in time never
//! lies together on disk. Ends with exit code 1 if the process ever had more memory than `--limit-mb` allows.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{Candidate, Departure, Fate, Outcome, Times, UnixTime};
use gatherer_store::{Memory, Offer, Run, Store, StoreError, Terms, Visit, Work};
use std::collections::VecDeque;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{fs, io};
use url::Url;

const ROOTS: u32 = 4;
/// Candidates offered, and hosts asked for, in one call; the engine's number.
const BATCH: usize = 500;
/// Hosts that the engine has in memory at once.
const HOSTS_MOST: usize = 50_000;

const NOW: UnixTime = UnixTime(1_000_000_000);
const DAY: Duration = Duration::from_hours(24);
const TIMES: Times = Times { refresh_rate: DAY, time_to_live: Duration::from_hours(4 * 24), range: 1 };
const PATIENCE: Patience = Patience { retry: DAY, gone_count: 3, gone_apart: DAY };

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let wish = Wish::read()?;
    // Beside what was built: the place for temporary files may itself be memory.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let store = Store::open(directory.path(), Memory::default())?;
    let (run, _) = store.begin_run(NOW)?;
    println!("{} URLs of {} hosts under {ROOTS} root nodes", wish.urls, wish.hosts);
    let queued = fill(&store, &run, &wish)?;
    let visited = drain(&store, &run, &wish)?;
    store.end_run()?;
    if (queued, visited) != (wish.urls, wish.urls) {
        println!("INCOMPLETE: {queued} queued and {visited} visited of {}", wish.urls);
        return Ok(ExitCode::FAILURE);
    }
    let (peak, limit) = (megabytes("VmHWM")?, u64::from(wish.limit_mb));
    println!("peak {peak} MB of {limit} MB allowed");
    Ok(if peak <= limit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line says.
struct Wish {
    urls: u32,
    hosts: u32,
    limit_mb: u32,
}

impl Wish {
    fn read() -> Result<Self, String> {
        let mut wish = Self { urls: 1_000_000, hosts: 20_000, limit_mb: 400 };
        // Cargo says `--bench` to every benchmark.
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let number = match word.as_str() {
                "--urls" => &mut wish.urls,
                "--hosts" => &mut wish.hosts,
                "--limit-mb" => &mut wish.limit_mb,
                _ => return Err(format!("there is no argument {word}")),
            };
            let said = words.next().and_then(|said| said.parse::<u32>().ok()).filter(|said| *said > 0);
            *number = said.ok_or_else(|| format!("{word} needs a number above 0"))?;
        }
        Ok(wish)
    }
}

/// Offers everything; says how much of it was queued.
fn fill(store: &Store, run: &Run, wish: &Wish) -> Result<u32, Box<dyn Error>> {
    let mut progress = Progress::new("queued", wish.urls);
    let mut numbers = 0..wish.urls;
    loop {
        let batch: Vec<_> = numbers.by_ref().take(BATCH).map(|number| candidate(number, wish.hosts)).collect();
        if batch.is_empty() {
            return Ok(progress.done);
        }
        let offers = store.offer(run, batch, NOW, &PATIENCE)?;
        progress.add(offers.iter().map(|offer| u32::from(*offer == Offer::New)).sum())?;
    }
}

fn candidate(number: u32, hosts: u32) -> (Candidate, Terms) {
    let (host, page) = (number % hosts, number / hosts);
    let home = Url::parse(&format!("https://host-{host:05}.example.org/")).expect("a generated URL is one");
    let path = format!("section-{}/document-{page:06}.html", page % 20);
    let url = home.join(&path).expect("a generated path is one");
    let candidate = Candidate::start(home, format!("root node {}", page % ROOTS)).child(url);
    (candidate, Terms { urls: u64::MAX, hosts: u64::MAX, rank: page % 5, now: false, again: false })
}

/// Visits everything, one host after the other; says how much that was.
fn drain(store: &Store, run: &Run, wish: &Wish) -> Result<u32, Box<dyn Error>> {
    let mut progress = Progress::new("visited", wish.urls);
    loop {
        let mut hosts = waiting_hosts(store)?;
        if hosts.is_empty() {
            return Ok(progress.done);
        }
        while let Some(host) = hosts.pop_front() {
            let Some(work) = store.next_of(&host, &[])? else { continue };
            visit(store, run, &work)?;
            progress.add(1)?;
            hosts.push_back(host);
        }
    }
}

fn waiting_hosts(store: &Store) -> Result<VecDeque<String>, StoreError> {
    let mut hosts: VecDeque<String> = VecDeque::new();
    while hosts.len() < HOSTS_MOST {
        let more = store.waiting_hosts(hosts.back().map(String::as_str), BATCH)?;
        if more.is_empty() {
            break;
        }
        hosts.extend(more);
    }
    Ok(hosts)
}

/// The cheapest visit there is: nobody is there, so nothing but the frontier and the ledger is at work.
fn visit(store: &Store, run: &Run, work: &Work) -> Result<(), StoreError> {
    let outcome = Outcome::Left(Departure::Missing { status: 404 });
    let visit = Visit::new(&work.candidate, Fate { at: NOW, run: run.number, outcome }, TIMES);
    store.finish(run, &work.ticket, visit, &PATIENCE)?;
    Ok(())
}

/// Prints a line at each tenth of the way.
struct Progress {
    doing: &'static str,
    all: u32,
    done: u32,
    since: Instant,
}

impl Progress {
    fn new(doing: &'static str, all: u32) -> Self {
        Self { doing, all, done: 0, since: Instant::now() }
    }

    fn add(&mut self, more: u32) -> io::Result<()> {
        let tenths = |done: u32| u64::from(done) * 10 / u64::from(self.all);
        let done = self.done + more;
        if tenths(done) > tenths(self.done) {
            let seconds = self.since.elapsed().as_secs_f64();
            let (resident, peak) = (megabytes("VmRSS")?, megabytes("VmHWM")?);
            println!(
                "{:7} {done:>9} URLs in {seconds:>7.1} s, {:>6.0}/s, resident {resident:>4} MB, peak {peak:>4} MB",
                self.doing,
                f64::from(done) / seconds,
            );
        }
        self.done = done;
        Ok(())
    }
}

/// This process's memory: `VmRSS` is what it has, `VmHWM` the most it ever had.
fn megabytes(name: &str) -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let bytes = kibibytes.ok_or_else(|| io::Error::other(format!("the kernel does not say {name}")))? * 1_024;
    Ok(bytes.div_ceil(1_000_000))
}
