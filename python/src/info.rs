//! A summary of a trace, with the names that `stepback info --json` uses.

use anyhow::Result;
use pyo3::types::{PyDict, PyDictMethods as _};
use pyo3::{Bound, PyResult, Python};
use stepback_debugger::model::threads::{ThreadRow, threads_of};
use stepback_debugger::session::Session;
use stepback_index::Cancel;
use stepback_index::answer::ThreadId;

/// Data read for the summary.
pub struct TraceSummary {
    threads: Vec<ThreadSummary>,
    times: Option<(u64, u64)>,
}

struct ThreadSummary {
    row: ThreadRow,
    times: [Option<u64>; 2],
}

impl TraceSummary {
    /// Examines the threads of a trace.
    ///
    /// # Errors
    /// The trace could not be read, or it was cancelled.
    pub fn read(session: &Session, cancel: &Cancel) -> Result<Self> {
        let threads = threads_of(session, cancel)?;
        let times = threads.time_range(&session.index);
        let summary = |row: ThreadRow| {
            Ok(ThreadSummary {
                times: row.known_times(&session.index, cancel)?,
                row,
            })
        };
        Ok(Self {
            threads: threads
                .rows
                .into_iter()
                .map(summary)
                .collect::<Result<_>>()?,
            times,
        })
    }

    /// Returns the summary as a dictionary.
    pub fn to_dict<'py>(&self, session: &Session, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (index, info) = (&session.index, session.index.info());
        let set = index.instruction_set(ThreadId(0));
        let threads = self.threads.iter().map(|thread| thread.to_dict(py));
        let (first, last) = self.times.unzip();
        let time = PyDict::new(py);
        time.set_item("unit", &info.time_unit)?;
        time.set_item("first", first)?;
        time.set_item("last", last)?;
        let file = PyDict::new(py);
        file.set_item(
            "path",
            session
                .index_path
                .as_ref()
                .map(|path| path.display().to_string()),
        )?;
        file.set_item("bytes", info.index_bytes)?;
        file.set_item("complete", index.is_whole())?;
        let dict = PyDict::new(py);
        dict.set_item("trace", session.path.display().to_string())?;
        dict.set_item("format", &info.format)?;
        dict.set_item("arch", set.names().word)?;
        dict.set_item("endian", if info.is_big_endian { "big" } else { "little" })?;
        dict.set_item("steps", info.steps)?;
        dict.set_item("calls", index.call_count())?;
        dict.set_item("lines", index.source().is_text().then_some(info.lines))?;
        dict.set_item("threads", threads.collect::<PyResult<Vec<_>>>()?)?;
        dict.set_item("time", time)?;
        dict.set_item("trace_bytes", session.trace_bytes())?;
        dict.set_item("external_changes", info.external_changes)?;
        dict.set_item("warnings", info.warning_count)?;
        dict.set_item("index", file)?;
        Ok(dict)
    }
}

impl ThreadSummary {
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Self { row, times } = self;
        let (first, last) = row.life.unzip();
        let dict = PyDict::new(py);
        dict.set_item("id", &row.name)?;
        dict.set_item("steps", row.steps)?;
        dict.set_item("process", &row.process)?;
        dict.set_item("first_step", first.map(|step| step.0))?;
        dict.set_item("last_step", last.map(|step| step.0))?;
        dict.set_item("first_time", times[0])?;
        dict.set_item("last_time", times[1])?;
        dict.set_item("cpus", &row.cores)?;
        dict.set_item("end", row.ending.word())?;
        dict.set_item("idle", row.is_idle)?;
        Ok(dict)
    }
}
