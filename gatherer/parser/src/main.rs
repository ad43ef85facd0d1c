//! The program: reads arguments, hands documents to the engine, prints what comes out.

mod program;

use clap::Parser as _;
use program::{Arguments, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(problem) => {
            program::complain(&problem);
            ExitCode::from(5)
        }
    }
}
