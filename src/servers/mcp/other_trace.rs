//! The trace to compare with, if the command line names one ([`OtherTrace`]).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Map, Value as Json};
use stepback_debugger::session::{self, OpenOptions, SecondTrace};
use stepback_index::Cancel;
use stepback_index::build::BuildProgress;

use super::failure::{ErrorKind, ToolError};
use crate::cli::compare::{SecondRequest, compared};
use crate::cli::compare_json::CompareJson;
use crate::cli::compare_json_threads::ComparePage;
use crate::cli::compared_traces::ComparedTraces;
use crate::cli::report::Report;

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
            session::open(options, &BuildProgress::default(), &Cancel::default())
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
