//! The origin of a value as Python objects.

use anyhow::Result;
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::model::slice::{cell_words, end_words, use_words, wanting_steps};
use stepback_index::answer::{
    Direction, SliceEnd as IndexEnd, SliceRow, SliceStep as IndexStep, Value,
};
use stepback_index::query::DefinedValues;
use stepback_index::{Cancel, Index, Query as _};

use crate::rows::{Row, Step};
use crate::value::{hex, number};

/// A step that contributes to a value.
#[pyclass(frozen, extends = Step, get_all, module = "stepback")]
pub struct SliceStep {
    /// Cells that the step defined: Definition.
    defines: Vec<Definition>,
    /// Why the value depends on it: "copy", "data", "address", "flags", "control".
    why: Vec<&'static str>,
    /// Steps that use the result. Empty if only the question itself does.
    wanted_by: Vec<u64>,
    /// Reason why the value may come from elsewhere, as in Hit.
    doubt: Option<&'static str>,
}

#[pymethods]
impl SliceStep {
    fn __repr__(this: pyo3::PyRef<'_, Self>) -> String {
        let defines = this.defines.iter().map(Definition::text);
        let defines = defines.collect::<Vec<_>>().join(", ");
        let step = this.as_super().number();
        format!("<stepback.SliceStep {step}: {defines}>")
    }
}

/// A cell that a step defined.
#[pyclass(frozen, module = "stepback")]
#[derive(Clone)]
pub struct Definition {
    /// The cell.
    #[pyo3(get)]
    cell: String,
    value: Value,
    /// True if a part of the value is inferred.
    #[pyo3(get)]
    inferred: bool,
}

impl Definition {
    fn text(&self) -> String {
        let value = hex(&self.value);
        format!("{} = {}", self.cell, value.as_deref().unwrap_or("unknown"))
    }
}

#[pymethods]
impl Definition {
    /// The value. None if a part of it is unknown.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        number(&self.value, py)
    }

    /// The value in its full width, with ?? for each unknown byte. None if all are unknown.
    #[getter]
    fn hex(&self) -> Option<String> {
        hex(&self.value)
    }

    fn __repr__(&self) -> String {
        format!("<stepback.Definition {}>", self.text())
    }
}

/// The end of a chain.
#[pyclass(frozen, get_all, module = "stepback")]
pub struct SliceEnd {
    /// "constant", "initial", "image", "external", "system", "unknown", "kept", "overwritten" or
    /// "limit".
    end: &'static str,
    /// Cell at the end.
    cell: String,
    /// Steps that use the cell. Empty if only the question itself does.
    wanted_by: Vec<u64>,
    /// The reason in words.
    detail: String,
}

impl SliceEnd {
    fn new(end: &IndexEnd, direction: Direction, index: &Index) -> Self {
        Self {
            end: end.end.word(),
            cell: cell_words(end.cell, index),
            wanted_by: wanting_steps(&end.wanted_by),
            detail: end_words(end, direction, index),
        }
    }
}

#[pymethods]
impl SliceEnd {
    fn __repr__(&self) -> String {
        format!("<stepback.SliceEnd {}: {}>", self.cell, self.detail)
    }
}

/// Converts a row of a slice. None for a step that the trace does not show.
pub fn slice_row(
    row: &SliceRow,
    direction: Direction,
    index: &Index,
    cancel: &Cancel,
) -> Result<Option<Row>> {
    match row {
        SliceRow::Step(step) => slice_step(step, index, cancel),
        SliceRow::End(end) => Ok(Some(Row::SliceEnd(SliceEnd::new(end, direction, index)))),
    }
}

fn slice_step(row: &IndexStep, index: &Index, cancel: &Cancel) -> Result<Option<Row>> {
    let Some(record) = step_record(row.step, index, cancel)? else {
        return Ok(None);
    };
    let endian = index.source().traits().endian;
    let defines = DefinedValues(row).run(index, cancel)?;
    let defines = defines.iter().map(|defined| Definition {
        cell: cell_words(defined.cell, index),
        value: defined.number(endian),
        inferred: defined.is_inferred,
    });
    let part = SliceStep {
        defines: defines.collect(),
        why: use_words(&row.wanted_by),
        wanted_by: wanting_steps(&row.wanted_by),
        doubt: row.doubt.map(|doubt| doubt.word()),
    };
    Ok(Some(Row::SliceStep(part, Step::new(&record, index))))
}
