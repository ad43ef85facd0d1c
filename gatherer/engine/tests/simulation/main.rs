//! Years of a gatherer's life in a fraction of a second: the real engine and the real store, with a clock and a web that follow
//! from a seed, and with deaths, full disks, jumps of the clock and impatient operators in between.
//!
//! Nothing here waits: time is tokio's, stopped, and moves on by itself to the next moment that somebody sleeps for.
//!
//! What must never happen is in `rules.rs`, one function each; what may happen is in `world.rs` (the web) and in
//! [`Life::happen`] (everything else). A disaster more is an arm more there.
//!
//! CI takes forty seeds. `GATHERER_SEEDS=1000..6000` takes others, `GATHERER_SEED=4711` the one that a failure has named.

mod dice;
mod rules;
mod world;

use dice::Dice;
use gatherer_engine::{Engine, Report, RunOptions};
use gatherer_pipeline::{Clock, Failure, UnixTime};
use gatherer_settings::{Overrides, Settings};
use gatherer_store::{Memory, Store};
use rules::{Rules, Tally};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};
use world::World;

const SMALL: Memory = Memory { block_cache: 1 << 20, write_buffers: 4 << 20 };
/// When these lives begin.
const START: u64 = 1_794_830_400;
/// No run takes longer, whatever happens to it.
const LONGEST: Duration = Duration::from_hours(30);
const HOUR: Duration = Duration::from_hours(1);

/// A clock that goes with the simulated time, as wrong as it is told to be.
pub(crate) struct SimulatedClock {
    began: Instant,
    wrong_by: AtomicI64,
}

impl Clock for SimulatedClock {
    fn now(&self) -> UnixTime {
        UnixTime(self.now_millis() / 1_000)
    }

    fn now_millis(&self) -> u64 {
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        (START * 1_000 + elapsed).saturating_add_signed(self.wrong_by.load(Ordering::SeqCst))
    }
}

/// One gatherer from its first day to its last.
struct Life {
    place: TempDir,
    settings: Settings,
    clock: Arc<SimulatedClock>,
    world: Arc<World>,
    dice: Dice,
    rules: Rules,
}

impl Life {
    fn new(seed: u64) -> Self {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let place = place.expect("a directory");
        let mut dice = Dice::new(seed);
        // The engine throws dice of its own, for the length of rests.
        fastrand::seed(seed);
        let clock = Arc::new(SimulatedClock { began: Instant::now(), wrong_by: AtomicI64::new(0) });
        let world = Arc::new(World::new(seed, &mut dice, clock.clone()));
        let settings = Settings::from_text(&world.config(), "gatherer.toml", place.path(), &Overrides::default());
        let settings = settings.unwrap_or_else(|complaints| panic!("{complaints}"));
        Self { settings, clock, rules: Rules::new(world.clone()), world, dice, place }
    }

    /// A few processes after each other, then calm days on which everything must come right.
    async fn live(mut self) -> (String, Tally) {
        for _ in 0..2 + self.dice.below(4) {
            self.process(false).await;
            sleep(Duration::from_millis(self.dice.below(5_000))).await;
            if self.dice.chance(2) {
                sleep(HOUR * u32::try_from(self.dice.below(60)).unwrap_or(0)).await;
            }
        }
        self.world.calm_down();
        self.clock.wrong_by.store(0, Ordering::SeqCst);
        self.process(true).await;
        let mut tally = self.rules.tally.take();
        tally.insert("requests", self.world.log().len() as u64);
        (self.rules.trace(), tally)
    }

    /// Opens the store, runs now and then, and ends in order or not.
    async fn process(&mut self, is_calm: bool) {
        let store =
            Store::open(&self.place.path().join("data"), SMALL).unwrap_or_else(|error| panic!("it opens: {error}"));
        let store = Arc::new(store);
        self.world.attach(Some(store.clone()));
        self.rules.follow(&store);
        let engine = Engine::over(self.world.clone(), self.settings.clone(), store.clone(), self.clock.clone());
        let engine = engine.unwrap_or_else(|failure| panic!("it starts: {failure}"));
        if is_calm {
            self.calm_days(&engine, &store).await;
        } else {
            for _ in 0..=self.dice.below(3) {
                if !self.happen(&engine, &store).await {
                    break;
                }
                sleep(HOUR * u32::try_from(self.dice.below(30)).unwrap_or(0)).await;
            }
        }
        self.world.attach(None);
        drop(engine);
        end(store).await;
    }

    /// One run, and what may happen in it. False if the process is dead.
    async fn happen(&mut self, engine: &Arc<Engine>, store: &Arc<Store>) -> bool {
        let everything = self.dice.chance(4);
        let options = RunOptions { by_hand: everything || self.dice.chance(2), everything, ..RunOptions::default() };
        let moment = Duration::from_millis(self.dice.below(120_000));
        let ended = match self.dice.below(9) {
            // It dies.
            0 | 1 => timeout(moment, self.run(engine, &options, LONGEST)).await.ok(),
            // It is asked to end.
            2 => Some(self.run(engine, &options, moment).await),
            // The disk is full from some write on.
            3 => {
                store.order_fault(&format!("fail:{}", 1 + self.dice.below(60)));
                Some(self.run(engine, &options, LONGEST).await)
            }
            // The config is read anew before it.
            4 => {
                self.rules.count("reloads");
                let anew = engine.under(self.settings.clone()).unwrap_or_else(|failure| panic!("{failure}"));
                Some(self.run(&anew, &options, LONGEST).await)
            }
            // Somebody sets the clock.
            5 => {
                self.rules.count("jumps of the clock");
                let by = i64::try_from(self.dice.below(6 * 86_400_000)).unwrap_or(0) - 3 * 86_400_000;
                let clock = self.clock.clone();
                let setting = async {
                    sleep(moment).await;
                    clock.wrong_by.store(by, Ordering::SeqCst);
                };
                Some(tokio::join!(self.run(engine, &options, LONGEST), setting).0)
            }
            _ => Some(self.run(engine, &options, LONGEST).await),
        };
        store.order_fault("none");
        match ended {
            Some(Ok(report)) => {
                self.rules.run_ended(store, &options, &report);
                true
            }
            Some(Err(failure)) => {
                assert!(
                    failure.to_string().contains("check the disk"),
                    "it fails for a reason that it was given: {failure}"
                );
                self.rules.count("full disks");
                self.world.interrupted();
                false
            }
            None => {
                self.rules.count("deaths");
                self.world.interrupted();
                false
            }
        }
    }

    /// One run, with a broker who asks now and then; asked to end at `moment`.
    async fn run(&self, engine: &Arc<Engine>, options: &RunOptions, moment: Duration) -> Result<Report, Failure> {
        let run = engine.run(options.clone(), sleep(moment));
        let asking = async {
            let mut wait = Duration::from_secs(3);
            loop {
                sleep(wait).await;
                wait += wait / 2;
                self.rules.follow(engine.store());
            }
        };
        let run = timeout(LONGEST * 2, run);
        tokio::select! {
            ended = run => ended.unwrap_or_else(|_| panic!("a run that takes days hangs")),
            () = asking => unreachable!("a broker never ends"),
        }
    }

    /// Days without trouble, until all that was wrong has had its time to come right.
    async fn calm_days(&mut self, engine: &Arc<Engine>, store: &Arc<Store>) {
        for _ in 0..4 {
            sleep(HOUR * 40).await;
            let options = RunOptions { by_hand: true, everything: true, allow_deletions: true, roots: Vec::new() };
            let report = self.run(engine, &options, LONGEST).await.unwrap_or_else(|failure| panic!("{failure}"));
            self.rules.run_ended(store, &options, &report);
        }
        self.rules.all_is_right(store);
    }
}

/// Waits until nobody holds the store any more: a process is only dead when its last write is done.
async fn end(store: Arc<Store>) {
    let mut store = store;
    loop {
        store = match Arc::try_unwrap(store) {
            Ok(_) => return,
            Err(store) => store,
        };
        tokio::task::yield_now().await;
    }
}

/// A whole life; what happened in it, or what should not have.
fn live(seed: u64) -> Result<(String, Tally), String> {
    let life = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async { Life::new(seed).live().await })
    };
    catch_unwind(AssertUnwindSafe(life)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok();
    if let Some(seed) = number("GATHERER_SEED").and_then(|seed| seed.parse().ok()) {
        return seed..seed + 1;
    }
    let range = number("GATHERER_SEEDS").and_then(|range| {
        let (from, to) = range.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    range.unwrap_or(0..40)
}

/// All these lives, side by side; what was broken, and how often each thing has happened.
fn live_all(seeds: std::ops::Range<u64>) -> (Vec<String>, Tally) {
    let (next, end) = (AtomicU64::new(seeds.start), seeds.end);
    let (broken, tally) = (Mutex::new(Vec::new()), Mutex::new(Tally::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= end {
                return;
            }
            match live(seed) {
                Ok((_, happened)) => {
                    let mut tally = tally.lock().expect("nobody panics here");
                    happened.into_iter().for_each(|(what, count)| *tally.entry(what).or_default() += count);
                }
                Err(what) => broken.lock().expect("nor here").push(format!("GATHERER_SEED={seed}: {what}")),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    (broken.into_inner().expect("nor here"), tally.into_inner().expect("nor here"))
}

#[test]
fn every_life_keeps_the_rules() {
    let lives = seeds().count();
    let (broken, tally) = live_all(seeds());
    let _ = writeln!(std::io::stderr(), "{lives} lives: {tally:?}");
    assert!(broken.is_empty(), "{} of {lives} lives:\n{}", broken.len(), broken.join("\n"));
    // Rules about what never happens prove nothing.
    for what in
        ["deaths", "full disks", "interruptions", "jumps of the clock", "reloads", "deletions", "hosts set aside"]
    {
        assert!(lives < 40 || tally.contains_key(what), "no {what} in {lives} lives: {tally:?}");
    }
}

#[test]
fn a_seed_is_lived_again_the_same_way() {
    for seed in [3, 7, 11] {
        assert_eq!(live(seed), live(seed), "GATHERER_SEED={seed}");
    }
}
