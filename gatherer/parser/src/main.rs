//! The program: reads arguments, hands documents to the engine, prints what comes out.

mod program;

use clap::Parser as _;
use program::{Arguments, run};
use std::process::ExitCode;

/// Pages are made of many small pieces: the system's own allocator takes a tenth more time for them.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(problem) => {
            program::complain(&problem);
            ExitCode::from(5)
        }
    }
}
