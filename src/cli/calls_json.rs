//! Calls as JSON: every frame of all threads, in order of entry.

use anyhow::Result;
use serde::Serialize;
use stepback_index::Call;

use super::json::{TrapJson, entered_word, evidence_word, hex, left_word, thread_name};
use super::report::Report;
use stepback_debugger::analysis::exceptions::trap_of;

#[derive(Serialize)]
struct CallJson<'a> {
    depth: u32,
    thread: &'a str,
    function: FunctionJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<TrapJson>,
    call_step: Option<u64>,
    entry_step: Option<u64>,
    exit_step: Option<u64>,
    entered: &'static str,
    left: &'static str,
    evidence: &'static str,
}

/// The called function.
#[derive(Serialize)]
struct FunctionJson<'a> {
    address: String,
    /// Demangled name with the offset from the function's start.
    name: Option<String>,
    /// Name as spelled in the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<&'a str>,
    /// Source line of the function's start. Absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Option<String>>,
}

/// Prints calls as JSON.
#[derive(Clone, Copy, Debug)]
pub struct CallsPrinter {
    /// Deeper calls are left out.
    pub max_depth: u32,
    /// Adds source lines.
    pub has_lines: bool,
}

impl CallsPrinter {
    /// Prints the calls of all threads.
    pub fn print(self, report: &mut Report<'_>) -> Result<()> {
        let calls = report.session.index.calls();
        let all = calls
            .in_order(0..calls.len())
            .filter_map(|id| calls.get(id));
        for call in all.filter(|call| call.depth <= self.max_depth) {
            self.print_call(&call, report)?;
        }
        Ok(())
    }

    fn print_call(self, call: &Call, report: &mut Report<'_>) -> Result<()> {
        let session = report.session;
        let function = session.images.code_at(call.function);
        let trap = trap_of(&session.index, call, &report.cancel)?;
        let set = session.index.instruction_set(call.thread);
        report.json(&CallJson {
            depth: call.depth,
            thread: thread_name(call.thread, &session.index),
            function: FunctionJson {
                address: hex(call.function),
                name: function.map(|at| at.to_string()),
                symbol: function.map(|at| at.symbol.raw_name()),
                source: self.has_lines.then(|| session.source_text(call.function)),
            },
            trap: trap.map(|trap| TrapJson::new(trap, set)),
            call_step: call.call_step.map(|step| step.0),
            entry_step: call.entry_step.map(|step| step.0),
            exit_step: call.exit_step.map(|step| step.0),
            entered: entered_word(call.entered),
            left: left_word(call.left),
            evidence: evidence_word(call.evidence),
        })
    }
}
