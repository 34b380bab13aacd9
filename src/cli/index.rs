//! `stepback index`: builds the index, or reports that it is up to date.

use std::time::{Duration, Instant};

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::info::IndexJson;
use super::question::Question;
use super::report::Report;
use super::text::{counted, size_text};
use crate::cli::question::{Command, TraceArguments};

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct IndexBuildJson {
    trace: String,
    steps: u64,
    trace_bytes: u64,
    index: IndexJson,
    /// True if the index already existed.
    fresh: bool,
    seconds: f64,
}

#[derive(Debug, Args)]
pub struct IndexArguments {
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<IndexBuildJson>()
}

impl Command for IndexArguments {
    fn run(&self) -> Result<()> {
        let began = Instant::now();
        Question::new(&self.common)
            .about_index()
            .ask(|report| answer(began.elapsed(), report))
    }
}

/// Prints one line. `took` is the time spent on opening the trace.
fn answer(took: Duration, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let info = session.index.info();
    let seconds = took.as_secs_f64();
    if report.is_json {
        let trace = session.path.display().to_string();
        let (index, fresh) = (IndexJson::new(report), !session.is_built_now);
        return report.json(&IndexBuildJson {
            trace,
            steps: info.steps,
            trace_bytes: session.trace_bytes(),
            index,
            fresh,
            seconds,
        });
    }
    let name = session
        .path
        .file_name()
        .unwrap_or(session.path.as_os_str())
        .display();
    // A percentage of a packed size would mean nothing.
    let share = match session.index.source().kept_bytes() {
        Some(kept_bytes) => {
            let all = info.index_bytes + kept_bytes;
            format!(
                "with the records {:.1} bytes a step",
                all as f64 / info.steps.max(1) as f64
            )
        }
        None => format!(
            "{:.1} %",
            100.0 * info.index_bytes as f64 / info.trace_bytes.max(1) as f64
        ),
    };
    let how = if session.is_built_now {
        format!("in {seconds:.2} s")
    } else {
        "is up to date".to_owned()
    };
    let (steps, trace) = (
        counted(info.steps, "step"),
        size_text(session.trace_bytes()),
    );
    report.text(&format!(
        "{name}: {steps}, {trace}, index {} ({share}) {how}\n",
        size_text(info.index_bytes)
    ))
}
