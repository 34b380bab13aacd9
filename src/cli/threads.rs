//! `stepback threads`: the activity of each thread and how it ended.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::command::Command;
use super::json::Time;
use super::question::Question;
use super::report::Report;
use super::text::printable;
use super::trace_arguments::TraceArguments;
use stepback_debugger::analysis::fatal_ending::ThreadEnding;
use stepback_debugger::model::threads::{ThreadRow, threads_of};

/// A thread, also used by `info`.
#[derive(Serialize)]
pub struct ThreadJson {
    id: String,
    steps: u64,
    process: Option<String>,
    first_step: Option<u64>,
    last_step: Option<u64>,
    first_time: Option<Time>,
    last_time: Option<Time>,
    cpus: Vec<u64>,
    /// `ended`, `exit`, `exit_group`, `with_process`, `killed`. None if the trace records no end.
    end: Option<&'static str>,
    /// True for a core that has nothing to run.
    idle: bool,
}

impl ThreadJson {
    /// Converts a row of the table.
    pub fn new(row: &ThreadRow) -> Self {
        let (first, last) = row.life.unzip();
        let (first_time, last_time) = row.times.unzip();
        Self {
            id: row.name.clone(),
            steps: row.steps,
            process: row.process.clone(),
            first_step: first.map(|step| step.0),
            last_step: last.map(|step| step.0),
            first_time: first_time.map(Time),
            last_time: last_time.map(Time),
            cpus: row.cores.clone(),
            end: ending_word(row.ending),
            idle: row.is_idle,
        }
    }
}

fn ending_word(ending: ThreadEnding) -> Option<&'static str> {
    match ending {
        ThreadEnding::Open => None,
        ThreadEnding::Ended => Some("ended"),
        ThreadEnding::Exit => Some("exit"),
        ThreadEnding::ExitGroup => Some("exit_group"),
        ThreadEnding::WithProcess => Some("with_process"),
        ThreadEnding::Killed => Some("killed"),
    }
}

#[derive(Debug, Args)]
pub struct ThreadsArguments {
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for ThreadsArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(answer)
    }
}

/// Prints one thread per line, in order of appearance.
fn answer(report: &mut Report<'_>) -> Result<()> {
    for row in threads_of(report.session, &report.cancel)?.rows {
        match report.is_json {
            true => report.json(&ThreadJson::new(&row))?,
            false => report.text(&format!("{}\n", printable(&row.line())))?,
        }
    }
    Ok(())
}
