//! Conversion of packed RST to plain RST.

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use stepback_parsers::Format;
use stepback_parsers::rst::{PlainCopy, write_plain};

use super::misspelt::Misspelt;
use super::new_file::NewFile;
use super::progress::{say, watched};
use super::report::{OutputError, STANDARD_OUTPUT};
use super::text::counted;
use super::trace_arguments::TraceArguments;
use stepback_debugger::session::{TraceFiles, is_same_file};

/// Maximum number of problems reported one by one.
const TOLD: usize = 10;

/// Summary of the conversion.
#[derive(Serialize)]
struct CopiedJson {
    to: &'static str,
    records: u64,
    problems: Vec<String>,
}

/// Writes the records of a trace as a plain file.
pub fn convert_to_rst(common: &TraceArguments, target: Option<&Path>) -> Result<()> {
    let TraceArguments {
        trace,
        options,
        report,
    } = common;
    let found = TraceFiles::of(&options.to_open_options(trace))?
        .filter(|files| files.format == Format::Rst);
    let Some(files) = found else {
        let why = format!("only RST traces can be written as RST: {trace:?}");
        return Err(Misspelt(why).into());
    };
    let unreadable =
        |error: io::Error| anyhow!("the trace could not be converted ({error}): {trace:?}");
    let opened = files.open()?;
    let copy = watched("converting", report, |progress| {
        let mut tell = |records: u64| progress.steps.store(records, Ordering::Relaxed);
        match target {
            Some(target) => {
                if files.files.iter().any(|file| is_same_file(file, target)) {
                    bail!("the result would overwrite the trace: {target:?}");
                }
                let mut out = NewFile::create(target)?;
                let copy = write_plain(opened, &mut out, &mut tell).map_err(unreadable)?;
                out.finish()
                    .map_err(|error| OutputError::new(error, format!("{target:?}")))?;
                Ok(copy)
            }
            None if io::stdout().is_terminal() => {
                bail!("the records are no text: name a file with -o")
            }
            None => {
                let mut out = io::stdout().lock();
                let copy = write_plain(opened, &mut out, &mut tell);
                let told =
                    |error| anyhow::Error::new(OutputError::new(error, STANDARD_OUTPUT.to_owned()));
                let is_reader_gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
                let copy = copy.map_err(|error| {
                    if is_reader_gone(&error) {
                        told(error)
                    } else {
                        unreadable(error)
                    }
                })?;
                out.flush().map_err(told)?;
                Ok(copy)
            }
        }
    })?;
    if files.is_changed() {
        bail!("the trace changed while it was read: {trace:?}");
    }
    if !report.quiet {
        tell_problems(&copy, trace);
    }
    if report.json {
        print_json(copy)
    } else {
        Ok(())
    }
}

fn tell_problems(copy: &PlainCopy, trace: &Path) {
    for problem in copy.problems.iter().take(TOLD) {
        say(&format!("note: {}: {trace:?}", problem.message));
    }
    if copy.problems.len() > TOLD {
        say(&format!(
            "note: {} in the trace: {trace:?}",
            counted(copy.problems.len() as u64, "problem")
        ));
    }
}

fn print_json(copy: PlainCopy) -> Result<()> {
    let problems = copy
        .problems
        .into_iter()
        .map(|problem| problem.message)
        .collect();
    let json = CopiedJson {
        to: "rst",
        records: copy.records,
        problems,
    };
    let written = writeln!(io::stdout(), "{}", serde_json::to_string(&json)?);
    Ok(written.map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?)
}
