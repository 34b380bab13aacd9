//! Tables for other libraries ([`Table`]), through the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::Schema;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::types::PyCapsule;
use pyo3::{Bound, PyAny, PyResult, Python, pyclass, pymethods};
use stepback_debugger::columns::{
    AccessRow, CallRow, CodeRow, MarkerRow, RegisterWriteRow, RunRow, StepRow, TableRow, ThreadRow,
};
use stepback_debugger::session::Session;

use crate::batches::{MEANING, schema};
use crate::error::Error;
use crate::table_reader::TableReader;

/// A kind of table.
pub struct TableKind {
    pub name: &'static str,
    /// Meaning of a row.
    pub meaning: &'static str,
    pub schema: fn() -> Schema,
    pub origin: TableOrigin,
}

/// Source of the rows of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TableOrigin {
    /// The parts of the trace, in order.
    Parts,
    /// All parts of the trace together.
    Instructions,
    /// The call table.
    Calls,
    /// The facts about the whole trace.
    Facts,
}

impl TableKind {
    const fn of<R: TableRow>(origin: TableOrigin) -> Self {
        Self {
            name: R::TABLE,
            meaning: R::MEANING,
            schema: schema::<R>,
            origin,
        }
    }
}

/// The tables of a trace.
pub const TABLES: [&TableKind; 8] = [
    &TableKind::of::<StepRow>(TableOrigin::Parts),
    &TableKind::of::<RegisterWriteRow>(TableOrigin::Parts),
    &TableKind::of::<AccessRow>(TableOrigin::Parts),
    &TableKind::of::<CallRow>(TableOrigin::Calls),
    &TableKind::of::<CodeRow>(TableOrigin::Instructions),
    &TableKind::of::<MarkerRow>(TableOrigin::Parts),
    &TableKind::of::<ThreadRow>(TableOrigin::Facts),
    &TableKind::of::<RunRow>(TableOrigin::Facts),
];

/// A table of a trace, which polars, pyarrow, DuckDB and pandas read without a copy.
///
/// Each reader reads the trace again, in batches.
///
/// >>> import stepback
/// >>> calls = stepback.open_demo().table("calls")
/// >>> calls.columns[:2]
/// ['call', 'parent']
#[pyclass(frozen, module = "stepback")]
pub struct Table {
    session: Arc<Session>,
    kind: &'static TableKind,
}

impl Table {
    /// Creates a table of a trace.
    pub fn new(session: Arc<Session>, kind: &'static TableKind) -> Self {
        Self { session, kind }
    }
}

#[pymethods]
impl Table {
    /// Name of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Meaning of a row.
    #[getter]
    fn meaning(&self) -> &'static str {
        self.kind.meaning
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = (self.kind.schema)();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// Returns the meaning of a column.
    ///
    /// >>> import stepback
    /// >>> stepback.open_demo().table("steps").describe("depth")
    /// 'number of callers on the stack'
    fn describe(&self, column: &str) -> PyResult<String> {
        let schema = (self.kind.schema)();
        let field = schema.field_with_name(column);
        let field = field.map_err(|error| Error::new_err(error.to_string()))?;
        Ok(field.metadata().get(MEANING).cloned().unwrap_or_default())
    }

    /// Returns the columns for other libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from((self.kind.schema)());
        let schema = schema.map_err(|error| Error::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns the rows for other libraries. `requested_schema` is ignored.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        requested_schema: Option<Bound<'py, PyAny>>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader = TableReader::new(Arc::clone(&self.session), self.kind);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<stepback.Table {}>", self.kind.name)
    }
}
