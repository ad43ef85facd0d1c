//! Death, power cuts and full disks at every write of a story, one after the other and one upon the other.
//!
//! A child process tells the story and dies where it is told to; the next one, or the test itself, goes on from there. After
//! each death the broker that has followed the store has exactly what the store has, and at the end of the story the store is
//! the one of an undisturbed telling. A chapter more in `story.rs` is a store operation more in all of these tests.
//!
//! CI takes a sample. `GATHERER_TEST_DEATHS=10000` takes every write, and goes on with deaths upon deaths up to that number.

mod broker;
mod story;

use broker::Broker;
use gatherer_store::{Memory, Store};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use story::Story;
use tempfile::TempDir;

const SMALL: Memory = Memory { block_cache: 1 << 20, write_buffers: 4 << 20 };
/// Where a child finds its store.
const PLACE: &str = "GATHERER_TEST_PLACE";
/// In CI, one write in so many.
const SAMPLE: usize = 29;
const SEED: u64 = 0x2545_f491_4f6c_dd1d;

/// A directory in memory, where there is one: these tests are about order, not about disks.
fn place() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a directory")
}

fn deaths() -> Option<usize> {
    std::env::var("GATHERER_TEST_DEATHS").ok().and_then(|deaths| deaths.parse().ok())
}

/// Opens the store with its broker, who has missed nothing; goes on with the story; gives what the store is then.
fn go_on(place: &Path, story: Story) -> String {
    let store = Store::open(&place.join("store"), SMALL).unwrap_or_else(|error| panic!("the store opens: {error}"));
    let mut broker = Broker::at(place);
    broker.follow(&store);
    story.tell(&store, &mut broker);
    story::all_of(&store)
}

/// The child's part; there is nothing to do for it in a test run.
#[test]
fn child() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let seed = std::env::var("GATHERER_SEED").expect("a seed").parse().expect("a number");
    go_on(Path::new(&place), Story { seed });
}

/// Lets a child go on with the story until it comes to its order. Says whether it came to the end.
#[expect(clippy::disallowed_methods, reason = "it is this very program that has to die")]
fn child_under(order: &str, place: &Path, story: Story) -> bool {
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "child", "--nocapture"])
        .env(PLACE, place)
        .env("GATHERER_SEED", story.seed.to_string())
        .env("GATHERER_STORE_FAULT", order)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("a child");
    let said = String::from_utf8_lossy(&child.stderr);
    // Who is killed says nothing, and who cannot write says so.
    let is_in_order = child.status.code().is_none() || said.contains("check the disk") || child.status.success();
    assert!(is_in_order, "{order}, GATHERER_SEED={}: {said}", story.seed);
    child.status.success()
}

fn look_at(place: &Path, order: &str) {
    let seen = Store::check(&place.join("store"), SMALL, &mut |_, _| {}).expect("a store");
    // A power cut leaves half a record in the log of writes, which nobody has waited for.
    let findings = seen.findings.iter().filter(|finding| finding.part != "log of writes" || !order.starts_with("cut"));
    let findings: Vec<_> = findings.collect();
    assert!(findings.is_empty(), "{order}: {findings:?}");
}

/// Names the first line that is different.
fn compare(found: &str, undisturbed: &str, occasion: &str) {
    let lines = found.lines().zip(undisturbed.lines()).find(|(found, undisturbed)| found != undisturbed);
    assert_eq!(
        lines,
        None,
        "after {occasion}, in a store that is as long as before: {}",
        found.len() == undisturbed.len()
    );
    assert_eq!(found.len(), undisturbed.len(), "after {occasion}");
}

/// One disaster at each write in turn.
fn at_each_write(deed: &str) {
    let story = Story { seed: SEED };
    let undisturbed = go_on(place().path(), story);
    let step = if deaths().is_some() { 1 } else { SAMPLE };
    let mut count = 0;
    for number in (1..).step_by(step) {
        let (place, order) = (place(), format!("{deed}:{number}"));
        if child_under(&order, place.path(), story) {
            assert!(number > 100, "a story of {number} writes is none");
            break;
        }
        count += 1;
        if number > 1 {
            look_at(place.path(), &order);
        }
        compare(&go_on(place.path(), story), &undisturbed, &order);
    }
    let _ = writeln!(std::io::stderr(), "{deed}: {count} disasters");
}

#[test]
fn death_before_a_write_loses_nothing() {
    at_each_write("kill");
}

#[test]
fn death_behind_a_write_loses_nothing() {
    at_each_write("killed");
}

#[test]
fn a_power_cut_loses_nothing_that_brokers_know() {
    at_each_write("cut");
}

#[test]
fn a_full_disk_loses_nothing() {
    at_each_write("fail");
}

/// Deaths upon deaths: stories of which no process sees more than a few writes.
#[test]
fn deaths_upon_deaths_lose_nothing() {
    let wanted = deaths().unwrap_or(12);
    let mut count = 0;
    for seed in 1.. {
        let story = Story { seed };
        let undisturbed = go_on(place().path(), story);
        let place = place();
        let mut dice = dice_of(seed);
        loop {
            let deed = ["kill", "killed", "cut"][dice(3)];
            let order = format!("{deed}:{}", 1 + dice(40));
            if child_under(&order, place.path(), story) {
                break;
            }
            count += 1;
            if count % 20 == 0 {
                look_at(place.path(), &order);
            }
            if count == wanted {
                break;
            }
        }
        compare(&go_on(place.path(), story), &undisturbed, &format!("seed {seed}"));
        if count >= wanted {
            break;
        }
    }
    assert_eq!(count, wanted);
    let _ = writeln!(std::io::stderr(), "{count} deaths upon deaths");
}

/// Numbers below a limit, the same for the same seed.
fn dice_of(seed: u64) -> impl FnMut(u64) -> usize {
    let mut state = seed;
    move |limit| {
        state += 1;
        usize::try_from(story::mix(&[SEED, state]) % limit).unwrap_or(0)
    }
}
