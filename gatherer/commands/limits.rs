//! What the system must allow before a gatherer begins: better told at once than found out in the middle of a run.

use super::say;
use anyhow::{Result, bail};
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::signal::unix::{SignalKind, signal};

/// Files at once, below which nobody can gather: the store's tables, connections, pipes of children.
const FEWEST_FILES: u64 = 128;
/// Files that a run may want.
const FILES: u64 = 2_048;
/// Threads at once beside one for each processor: the store's, and those that summarize.
const FEWEST_THREADS: usize = 32;
/// What a thread of the store takes of the address space.
const STACK: usize = 8 << 20;

/// Asks the system for what a gatherer with so many clients may need.
///
/// # Errors
/// When it gets less than the least.
pub(super) fn expect_enough(clients: usize) -> Result<()> {
    outlive_large_files()?;
    let granted = more_files(2 * clients as u64 + FILES);
    if granted < FEWEST_FILES {
        bail!(
            "this system lets us open {granted} files at once, and a gatherer needs {FEWEST_FILES} at least\n\
             raise the limit: `ulimit -n 4096` in a shell, `LimitNOFILE=4096` in a systemd unit"
        );
    }
    if clients > 0 && granted < 2 * clients as u64 + FILES {
        let wanted = 2 * clients as u64 + FILES;
        say(&format!("note: this system lets us open {granted} files at once; {clients} clients may need {wanted}"));
    }
    enough_threads()
}

/// A file that may not grow further is an error with a name then, and no silent end.
fn outlive_large_files() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _inside = runtime.enter();
    // The handler stays when this is dropped.
    drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
    Ok(())
}

/// Systems are stingy with descriptors until asked. Gives what they grant.
fn more_files(wanted: u64) -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let possible = maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let Some(current) = current.filter(|current| *current < possible) else { return current.unwrap_or(u64::MAX) };
    match setrlimit(Resource::Nofile, Rlimit { current: Some(possible), maximum }) {
        Ok(()) => possible,
        Err(_) => current,
    }
}

/// Starts threads to see whether they can be had: the libraries that need them later would end the process without a word.
fn enough_threads() -> Result<()> {
    let wanted = FEWEST_THREADS + thread::available_parallelism().map_or(1, usize::from);
    let door = Arc::new(Mutex::new(()));
    let shut = door.lock();
    let start = |_| {
        let door = Arc::clone(&door);
        thread::Builder::new().stack_size(STACK).spawn(move || drop(door.lock()))
    };
    let mut started = Vec::new();
    let failed = (0..wanted).map(start).find_map(|thread| thread.map(|thread| started.push(thread)).err());
    drop(shut);
    let count = started.len();
    for thread in started {
        // They do nothing that could go wrong.
        let _ = thread.join();
    }
    let Some(error) = failed else { return Ok(()) };
    bail!(
        "this system lets us start {count} threads, and a gatherer needs {wanted}: {error}\n\
         raise the limit: `ulimit -u 4096` in a shell, `TasksMax=4096` in a systemd unit"
    );
}
