//! The calls as JSON: every frame of all threads, in order of entry.

use anyhow::Result;
use serde::Serialize;
use stepback_index::Call;

use super::json::{entered_word, evidence_word, hex, left_word};
use super::report::Report;

/// A call.
#[derive(Serialize)]
struct CallJson<'a> {
    depth: u32,
    thread: &'a str,
    function: FunctionJson<'a>,
    call_step: Option<u64>,
    entry_step: Option<u64>,
    exit_step: Option<u64>,
    entered: &'static str,
    left: &'static str,
    evidence: &'static str,
}

/// The function that was called.
#[derive(Serialize)]
struct FunctionJson<'a> {
    address: String,
    /// As people read it, with the offset from its start.
    name: Option<String>,
    /// As the image has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<&'a str>,
    /// The source line of its start; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Option<String>>,
}

/// Prints the calls up to a depth, on request with source lines.
pub fn print(limit: u32, has_lines: bool, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let calls = session.index.calls();
    for call in calls.in_order(0..calls.len()).filter_map(|id| calls.get(id)).filter(|call| call.depth <= limit) {
        print_call(&call, has_lines, report)?;
    }
    Ok(())
}

fn print_call(call: &Call, has_lines: bool, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let function = session.images.code_at(call.function);
    report.json(&CallJson {
        depth: call.depth,
        thread: session.index.threads().get(usize::from(call.thread.0)).map_or("", |thread| &thread.name),
        function: FunctionJson {
            address: hex(call.function),
            name: function.map(|at| at.to_string()),
            symbol: function.map(|at| &*at.symbol.raw_name),
            source: has_lines.then(|| session.source_text(call.function)),
        },
        call_step: call.call_step.map(|step| step.0),
        entry_step: call.entry_step.map(|step| step.0),
        exit_step: call.exit_step.map(|step| step.0),
        entered: entered_word(call.entered),
        left: left_word(call.left),
        evidence: evidence_word(call.evidence),
    })
}
