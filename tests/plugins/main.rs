//! Plugins in all their forms, built from source as a stranger would build them, and run by the real program.
//!
//! What a machine cannot build is skipped, loudly and with the reason, and not counted as passed. On a machine that says it is
//! a test machine (`CI=true`), a C compiler for WebAssembly, both libraries and all programs must be there.

mod examples;
mod faulty;
mod kit;
mod sandbox;
#[path = "../program/stage.rs"]
#[expect(dead_code, reason = "these tests need a part of it")]
mod stage;
mod templates;

use kit::Kit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Why a test could not be made.
pub(crate) struct Skipped(pub(crate) String);

/// What a test does.
type Body = dyn Fn(&Kit) -> Result<(), Skipped> + Send + Sync;

/// A test: its name, whether it may be skipped on a test machine, and what it does.
pub(crate) struct Test {
    name: String,
    may_skip: bool,
    body: Box<Body>,
}

impl Test {
    pub(crate) fn new(
        name: impl Into<String>,
        may_skip: bool,
        body: impl Fn(&Kit) -> Result<(), Skipped> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), may_skip, body: Box::new(body) }
    }
}

#[expect(clippy::print_stdout, reason = "a test runner prints its results")]
fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let wanted: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let mut tests = examples::all();
    tests.extend(templates::all());
    tests.extend(faulty::all());
    tests.extend(sandbox::all());
    tests.retain(|test| wanted.is_empty() || wanted.iter().any(|word| test.name.contains(word.as_str())));
    if arguments.iter().any(|argument| argument == "--list") {
        tests.iter().for_each(|test| println!("{}: test", test.name));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", tests.len());
    let kit = Kit::lay_out();
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    let (passed, failed, skipped) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let next = AtomicUsize::new(0);
    let talk = Mutex::new(());
    let run = |test: &Test| {
        let ended = catch_unwind(AssertUnwindSafe(|| (test.body)(&kit)));
        let _one_at_a_time = talk.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, word) = match ended {
            Ok(Ok(())) => (&passed, "ok".to_owned()),
            Ok(Err(Skipped(why))) if strict && !test.may_skip => {
                (&failed, format!("FAILED: may not be skipped: {why}"))
            }
            Ok(Err(Skipped(why))) => (&skipped, format!("SKIPPED: {why}")),
            Err(_) => (&failed, "FAILED".to_owned()),
        };
        count.fetch_add(1, SeqCst);
        println!("test {} ... {word}", test.name);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, SeqCst)) {
                    run(test);
                }
            });
        }
    });
    let count = |count: &AtomicUsize| count.load(SeqCst);
    println!("\nplugins: {} passed, {} failed, {} skipped\n", count(&passed), count(&failed), count(&skipped));
    if count(&failed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
