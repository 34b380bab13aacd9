//! Measures the index against its goals and prints one table per trace: `cargo bench --bench
//! goals`.
//!
//! Builds run in separate processes, so that their CPU time and memory are not mixed with others.
//! `cargo bench --bench goals -- NAME` measures only the traces whose names contain NAME.

#![expect(clippy::print_stdout, reason = "a report")]

mod builds;
mod compare;
mod questions;
mod sample;
mod whole;

use std::path::Path;

use anyhow::Result;
use stepback_benches::traces;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [first, trace, index, threads] = arguments.as_slice()
        && first == builds::CHILD
    {
        return builds::run_child(Path::new(trace), Path::new(index), threads.parse()?);
    }
    if cfg!(debug_assertions) {
        // `cargo test --benches` runs this too.
        println!("nothing is measured without optimisation");
        return Ok(());
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for trace in traces(directory)? {
        if arguments.iter().all(|wanted| trace.name.contains(wanted)) {
            let index = directory.join(format!("{}.sbi", trace.name));
            if let Ok(wanted) = std::env::var("STEPBACK_BENCH_QUESTIONS") {
                // This trace is so large that building its index five times would take too long.
                builds::run_child(&trace.path, &index, 2)?;
                match compare::NAME.contains(&wanted) {
                    true => compare::report(&trace, &index)?,
                    false => questions::report(&trace, &index, &wanted)?,
                }
                continue;
            }
            builds::report(&trace, &index)?;
            questions::report(&trace, &index, "")?;
            whole::report(&trace, &index)?;
            compare::report(&trace, &index)?;
        }
    }
    Ok(())
}
