//! The program: see the library for what it does.

use std::process::ExitCode;

use anyhow::Result;
use stepback::cli::{Shown, WindowArguments, parse, run};
#[cfg(feature = "window")]
use stepback::desk::TraceChoice;
#[cfg(feature = "window")]
use stepback::window::{Outcome, WindowOptions, run as run_window, settings_path};

fn main() -> ExitCode {
    run(&parse(), open_window)
}

#[cfg(feature = "window")]
fn open_window(arguments: &WindowArguments) -> Result<Shown> {
    let (trace, at) = arguments.trace_and_place();
    let of_path = || trace.as_deref().map(|path| TraceChoice::of(arguments.options.to_open_options(path)));
    let outcome = run_window(WindowOptions {
        trace: if arguments.demo { Some(TraceChoice::Demo) } else { of_path() },
        at,
        script: arguments.run.clone(),
        screenshot: arguments.screenshot.clone(),
        size: arguments.size,
        quit: arguments.quit,
        shows_parts: true,
        settings_file: settings_path(),
    })?;
    Ok(match outcome {
        Outcome::Done => Shown::Done,
        Outcome::NoWindow(why) => Shown::NoWindow(why),
    })
}

#[cfg(not(feature = "window"))]
fn open_window(_: &WindowArguments) -> Result<Shown> {
    Ok(Shown::NoWindow("this program was built without a window".to_owned()))
}
