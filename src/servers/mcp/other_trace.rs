//! The trace to compare with, if the command line names one ([`OtherTrace`]).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Map, Value as Json};
use stepback_debugger::session::{self, OpenOptions, SecondTrace};
use stepback_index::build::BuildProgress;

use super::failure::{ErrorKind, ToolError};
use crate::cli::compare::{SecondRequest, compared};
use crate::cli::compare_json::CompareJson;
use crate::cli::compare_json_threads::ComparePage;
use crate::cli::compared_traces::ComparedTraces;
use crate::cli::report::Report;

/// Message and hint if the time of a call is over before the second trace is indexed.
const UNINDEXED: &str = "indexing the second trace took too long";
const INDEX_HINT: &str = "run `stepback index OTHER_TRACE` and call again";

/// A second trace and its comparison with the first, which is made at the first question.
#[derive(Default)]
pub struct OtherTrace {
    /// None if the command line names no second trace.
    pub options: Option<OpenOptions>,
    /// A file of differences that do not count.
    pub rules: Option<PathBuf>,
    comparison: Mutex<Option<Arc<Map<String, Json>>>>,
}

impl OtherTrace {
    /// Creates a trace that is not opened yet.
    pub fn new(options: Option<OpenOptions>, rules: Option<PathBuf>) -> Self {
        Self {
            options,
            rules,
            comparison: Mutex::default(),
        }
    }

    /// Returns the comparison as `stepback compare --json` prints it.
    ///
    /// # Errors
    /// There is no second trace, it cannot be opened, or the comparison fails.
    pub fn comparison(&self, report: &Report<'_>) -> Result<Arc<Map<String, Json>>> {
        let mut made = self
            .comparison
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(comparison) = &*made {
            return Ok(Arc::clone(comparison));
        }
        let Some(options) = &self.options else {
            let message = "the server was started without a second trace";
            return Err(ToolError::of_kind(ErrorKind::NoOtherTrace, message).into());
        };
        if !report.session.index.is_whole() {
            let message = "the trace is still being indexed; the whole is compared";
            return Err(ToolError::of_kind(ErrorKind::NotReady, message).into());
        }
        let open = |options: &OpenOptions| {
            let opened = session::open(options, &BuildProgress::default(), &report.cancel);
            opened.map_err(|error| match report.cancel.is_cancelled() {
                true => ToolError::new(ErrorKind::TooSlow, UNINDEXED, INDEX_HINT).into(),
                false => ToolError::of_kind(ErrorKind::NoOtherTrace, format!("{error:#}")).into(),
            })
        };
        let request = SecondRequest {
            options,
            known: None,
            rules: self.rules.as_deref(),
        };
        let SecondTrace {
            session: other,
            answer: (comparison, functions),
            ..
        } = compared(request, open, report.progress, report)?;
        let traces = ComparedTraces {
            a: report.session,
            b: &other,
            comparison: &comparison,
            functions: &functions,
        };
        let json =
            serde_json::to_value(CompareJson::new(&traces, ComparePage::default(), report)?)?;
        let json = Arc::new(json.as_object().cloned().unwrap_or_default());
        *made = Some(Arc::clone(&json));
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use stepback_debugger::session::IndexPolicy;
    use stepback_index::Cancel;

    use super::*;

    #[test]
    fn the_call_that_opens_the_second_trace_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.tarmac");
        let text = "1 clk IT (1) 00001000 e1a00000 A usr : NOP\n";
        std::fs::write(&path, text).unwrap();
        let options = OpenOptions {
            policy: IndexPolicy::InMemory,
            ..OpenOptions::new(path)
        };
        let progress = BuildProgress::default();
        let session = session::open(&options, &progress, &Cancel::default()).unwrap();
        let other = OtherTrace::new(Some(options), None);
        let comparison = |other: &OtherTrace, cancel: Cancel| {
            let report = Report::collected(&session, cancel, &progress, &|_| Ok(()));
            other.comparison(&report)
        };
        let cancel = Cancel::default();
        cancel.cancel();
        let error = ToolError::from(comparison(&other, cancel).unwrap_err());
        assert_eq!(error.kind, ErrorKind::TooSlow);
        assert_eq!(error.to_string(), UNINDEXED);
        // The next call may succeed.
        let same = comparison(&other, Cancel::default()).unwrap();
        assert_eq!(same.get("equal"), Some(&Json::Bool(true)));
        let missing = OpenOptions::new(folder.path().join("missing.tarmac"));
        let missing = OtherTrace::new(Some(missing), None);
        let error = comparison(&missing, Cancel::default()).unwrap_err();
        assert_eq!(ToolError::from(error).kind, ErrorKind::NoOtherTrace);
    }
}
