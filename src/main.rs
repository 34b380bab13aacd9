//! The program: see the library for what it does.

use std::process::ExitCode;

use clap::Parser as _;
use stepback::cli::{Arguments, run};

fn main() -> ExitCode {
    run(&Arguments::parse())
}
