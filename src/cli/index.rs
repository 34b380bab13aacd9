//! `stepback index`: builds the index, or says that it is fresh.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::info::IndexJson;
use super::report::Report;
use super::text::{counted, size_text};

/// The answer.
#[derive(Serialize)]
struct BuiltJson {
    trace: String,
    steps: u64,
    trace_bytes: u64,
    index: IndexJson,
    /// True when it was there already.
    fresh: bool,
    seconds: f64,
}

/// Prints one line; `took` is the time that opening took.
pub fn run(took: Duration, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let info = session.index.info();
    let seconds = took.as_secs_f64();
    if report.is_json {
        let trace = session.path.display().to_string();
        let (index, fresh) = (IndexJson::new(report), !session.is_built_now);
        return report.json(&BuiltJson {
            trace,
            steps: info.steps,
            trace_bytes: info.trace_bytes,
            index,
            fresh,
            seconds,
        });
    }
    let name = session.path.file_name().unwrap_or(session.path.as_os_str()).display();
    let share = 100.0 * info.index_bytes as f64 / info.trace_bytes.max(1) as f64;
    let how = if session.is_built_now { format!("in {seconds:.2} s") } else { "is fresh".to_owned() };
    let (steps, trace, index) = (counted(info.steps, "step"), size_text(info.trace_bytes), size_text(info.index_bytes));
    report.text(&format!("{name}: {steps}, {trace}, index {index} ({share:.1} %) {how}\n"))
}
