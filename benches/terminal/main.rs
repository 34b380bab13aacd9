//! Cost of the browser in a terminal from key to bytes: `cargo bench --bench terminal`.
//!
//! The program runs in a separate terminal, as for a user, on a new trace. The bench counts the CPU
//! time of all its threads and every byte sent to the terminal. `cargo bench --bench terminal --
//! TRACE` uses another trace than the one of ten million steps.

#![expect(clippy::print_stdout, reason = "a report")]

#[cfg(target_os = "linux")]
mod session;

fn main() -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        // `cargo test --benches` runs this too.
        println!("nothing is measured without optimisation");
        return Ok(());
    }
    measure()
}

#[cfg(target_os = "linux")]
fn measure() -> anyhow::Result<()> {
    use std::path::{Path, PathBuf};

    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let given = arguments.find(|argument| argument.as_path() != Path::new("--bench"));
    let trace = match given {
        Some(path) => path,
        None => stepback_benches::long_trace(Path::new(env!("CARGO_TARGET_TMPDIR")))?.path,
    };
    session::measure(&trace)
}

#[cfg(not(target_os = "linux"))]
fn measure() -> anyhow::Result<()> {
    println!("this system does not tell what another process costs");
    Ok(())
}
