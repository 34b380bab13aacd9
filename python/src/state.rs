//! Registers and memory at a position ([`State`]).

use std::sync::{Arc, OnceLock};

use anyhow::{Result, bail};
use pyo3::types::{PyDict, PyDictMethods as _};
use pyo3::{Bound, PyResult, Python, pyclass, pymethods};
use stepback_debugger::analysis::register_part::all_registers;
use stepback_debugger::model::so_far::SourceWords;
use stepback_debugger::session::Session;
use stepback_index::answer::{ByteState, Cell, RegisterFile, ThreadId};
use stepback_index::query::{MemoryAt, MemoryOf, PhysicalMemoryAt};
use stepback_index::{Cancel, Query as _};
use stepback_parsers::Position;

use crate::arguments::{CellArgument, cell_at};
use crate::error::query_error;
use crate::value::{hex, number};
use crate::worker::answered;

/// Maximum request; a larger one is probably a mistake.
const MEMORY_LIMIT_BYTES: u64 = 16 << 20;

/// Registers and memory at a position.
///
/// >>> import stepback
/// >>> state = stepback.open_demo().at(20345)
/// >>> hex(state.registers["x0"])
/// '0xffffffb6'
/// >>> state.memory(0x80020340, 8)
/// [146, 153, 229, 145, 135, 229, 130, 182]
#[pyclass(frozen, module = "stepback")]
pub struct State {
    session: Arc<Session>,
    position: Position,
    thread: ThreadId,
    registers: OnceLock<RegisterFile>,
}

impl State {
    /// Creates the state of a thread at a position. Nothing is read yet.
    pub fn new(session: Arc<Session>, position: Position, thread: ThreadId) -> Self {
        Self {
            session,
            position,
            thread,
            registers: OnceLock::new(),
        }
    }

    fn file(&self, py: Python<'_>) -> PyResult<&RegisterFile> {
        if let Some(known) = self.registers.get() {
            return Ok(known);
        }
        let (position, thread) = (self.position, Some(self.thread));
        let file = self.ask(py, move |session, cancel| {
            Ok(all_registers(&session.index, position, thread, cancel)?)
        })?;
        Ok(self.registers.get_or_init(|| file))
    }

    fn bytes(
        &self,
        address: &CellArgument,
        length: u64,
        py: Python<'_>,
    ) -> PyResult<Vec<ByteState>> {
        let text = match address {
            CellArgument::Text(text) if length == 1 => text.clone(),
            other => format!("{}:{length}", other.to_text()),
        };
        let (at, thread) = (self.position, self.thread);
        self.ask(py, move |session, cancel| {
            let cell = cell_at(&text, at, Some(thread), session, cancel)?;
            read_bytes(cell, at, thread, session, cancel)
        })
    }

    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Session, &Cancel) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let session = Arc::clone(&self.session);
        answered(
            py,
            move |cancel| work(&session, cancel),
            |error| query_error(&self.session, error),
        )
    }
}

fn read_bytes(
    cell: Cell,
    position: Position,
    thread: ThreadId,
    session: &Session,
    cancel: &Cancel,
) -> Result<Vec<ByteState>> {
    let (index, thread) = (&session.index, Some(thread));
    match cell {
        Cell::Memory { len_bytes, .. } | Cell::Physical { len_bytes, .. }
            if len_bytes > MEMORY_LIMIT_BYTES =>
        {
            bail!("at most {MEMORY_LIMIT_BYTES} bytes of memory can be requested at once")
        }
        Cell::Memory { address, len_bytes } => {
            let question = MemoryAt {
                position,
                address,
                len_bytes,
            };
            Ok(MemoryOf { thread, question }.run(index, cancel)?)
        }
        Cell::Physical { address, len_bytes } => {
            let question = PhysicalMemoryAt {
                position,
                address,
                len_bytes,
            };
            Ok(question.run(index, cancel)?)
        }
        Cell::Register { .. } => bail!("a register is no address: use the registers of this state"),
    }
}

#[pymethods]
impl State {
    /// The position, as a number.
    #[getter]
    fn position(&self) -> u64 {
        self.position.0
    }

    /// Name of the thread of the registers.
    #[getter]
    fn thread(&self) -> &str {
        self.session.index.thread_name(self.thread)
    }

    /// The registers by name: a number, or None if a part of the value is unknown.
    #[getter]
    fn registers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for register in &self.file(py)?.registers {
            dict.set_item(&register.name, number(&register.value, py)?)?;
        }
        Ok(dict)
    }

    /// The registers by name, as text in full width with ?? for each unknown byte. None if all
    /// bytes are unknown.
    #[getter]
    fn hex<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for register in &self.file(py)?.registers {
            dict.set_item(&register.name, hex(&register.value))?;
        }
        Ok(dict)
    }

    /// The source of each register's value: "recorded", "inferred", "external" or "unknown".
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for register in &self.file(py)?.registers {
            dict.set_item(&register.name, SourceWords::of(register.source).word)?;
        }
        Ok(dict)
    }

    /// Returns the bytes of memory from an address on: a list of numbers, None for an unknown byte.
    ///
    /// The address is a number or an expression such as "sp + 16".
    #[pyo3(signature = (address, length = 1))]
    fn memory(
        &self,
        address: CellArgument,
        length: u64,
        py: Python<'_>,
    ) -> PyResult<Vec<Option<u16>>> {
        let bytes = self.bytes(&address, length, py)?;
        // A list of u8 would become bytes.
        Ok(bytes.iter().map(|byte| byte.value.map(u16::from)).collect())
    }

    /// Returns the source of each byte of memory, a letter each: r recorded, i inferred,
    /// x external change, ? unknown.
    #[pyo3(signature = (address, length = 1))]
    fn memory_sources(
        &self,
        address: CellArgument,
        length: u64,
        py: Python<'_>,
    ) -> PyResult<String> {
        let bytes = self.bytes(&address, length, py)?;
        let letter = |byte: &ByteState| SourceWords::of(byte.source).letter;
        Ok(bytes.iter().map(letter).collect())
    }

    fn __repr__(&self) -> String {
        let Self { position, .. } = self;
        format!("<stepback.State of {} at {}>", self.thread(), position.0)
    }
}
