//! Steps, accesses and calls as Python objects.

use anyhow::Result;
use pyo3::{Bound, IntoPyObject, PyAny, PyClassInitializer, PyErr, PyResult, Python};
use pyo3::{pyclass, pymethods};
use stepback_debugger::analysis::exceptions::trap_of;
use stepback_debugger::model::step_rows::{not_executed, step_remarks};
use stepback_debugger::session::Session;
use stepback_index::answer::{
    Access as IndexAccess, AccessTarget, Call as IndexCall, CallId, Effect as IndexEffect,
    Hit as IndexHit, HostOperation, StepRecord, Value,
};
use stepback_index::{Cancel, Index};
use stepback_parsers::Line;
use stepback_parsers::drmemtrace::marker_name;

use crate::slice_rows::{SliceEnd, SliceStep};
use crate::value::{hex, number};

/// A row of an iterator.
pub enum Row {
    Step(Step),
    Hit(Hit, Step),
    Initial(Initial),
    Call(Call),
    SliceStep(SliceStep, Step),
    SliceEnd(SliceEnd),
    /// Position from which a value is visible, and the value.
    Value(u64, Value),
}

impl<'py> IntoPyObject<'py> for Row {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Step(step) => Bound::new(py, step)?.into_any(),
            Self::Hit(hit, step) => {
                let whole = PyClassInitializer::from(step).add_subclass(hit);
                Bound::new(py, whole)?.into_any()
            }
            Self::Initial(initial) => Bound::new(py, initial)?.into_any(),
            Self::Call(call) => Bound::new(py, call)?.into_any(),
            Self::SliceStep(part, step) => {
                let whole = PyClassInitializer::from(step).add_subclass(part);
                Bound::new(py, whole)?.into_any()
            }
            Self::SliceEnd(end) => Bound::new(py, end)?.into_any(),
            Self::Value(position, value) => (position, number(&value, py)?)
                .into_pyobject(py)?
                .into_any(),
        })
    }
}

impl Row {
    /// Converts a hit.
    pub fn of_hit(hit: &IndexHit, index: &Index) -> Self {
        let part = Hit {
            position: hit.position.0,
            access: hit.access.as_ref().map(Access::new),
            doubt: hit.doubt.map(|doubt| doubt.word()),
        };
        Self::Hit(part, Step::new(&hit.record, index))
    }
}

/// A step: an instruction that the trace shows as reached.
#[pyclass(frozen, subclass, get_all, module = "stepback")]
pub struct Step {
    /// Number of the step, from 0.
    step: u64,
    /// Line of the trace file, from 1. None in formats without lines.
    line: Option<u64>,
    /// Time in the unit of the trace. None if the trace has no times.
    time: Option<u64>,
    /// Name of the thread that executed it.
    thread: String,
    /// Address of the instruction.
    pc: u64,
    /// False if its condition failed, or if the branch before it annulled it.
    executed: bool,
    /// Unusual circumstances, in formats that record them.
    remarks: Vec<&'static str>,
    /// Disassembly.
    text: String,
    /// Effects in trace order: RegisterWrite, Access, Marker, ExceptionEntry or Note.
    effects: Vec<Effect>,
    /// Number of further effects that are left out.
    more_effects: u64,
}

impl Step {
    /// Converts a step with its effects.
    pub fn new(record: &StepRecord, index: &Index) -> Self {
        let is_other = |remark: &&str| *remark != not_executed();
        let more = record.effects.iter().map(|effect| match effect {
            IndexEffect::More(count) => *count,
            _ => 0,
        });
        Self {
            step: record.step.0,
            line: record.line.map(|line| line.0),
            time: record.time,
            thread: index.thread_name(record.thread).to_owned(),
            pc: record.pc.0,
            executed: record.is_executed,
            remarks: step_remarks(record).filter(is_other).collect(),
            text: record.text.clone(),
            effects: record.effects.iter().filter_map(Effect::new).collect(),
            more_effects: more.sum(),
        }
    }

    /// Returns the number of the step.
    pub fn number(&self) -> u64 {
        self.step
    }
}

#[pymethods]
impl Step {
    fn __repr__(&self) -> String {
        let Self { step, pc, text, .. } = self;
        format!("<stepback.Step {step}: {pc:#x} {text}>")
    }
}

/// An effect of a step.
#[derive(Clone, IntoPyObject)]
enum Effect {
    Register(RegisterWrite),
    Access(Access),
    Marker(Marker),
    Exception(ExceptionEntry),
    Note(Note),
}

impl Effect {
    fn new(effect: &IndexEffect) -> Option<Self> {
        match effect {
            IndexEffect::Register { name, value, .. } => Some(Self::Register(RegisterWrite {
                register: name.clone(),
                value: value.clone(),
            })),
            IndexEffect::Access(access) => Some(Self::Access(Access::new(access))),
            IndexEffect::Marker(marker) => Some(Self::Marker(Marker {
                marker: marker_name(marker.kind).into_owned(),
                value: marker.value,
            })),
            IndexEffect::Exception(words) => Some(Self::Exception(ExceptionEntry {
                exception: words.clone(),
            })),
            IndexEffect::Note(text) => Some(Self::Note(Note { text: text.clone() })),
            IndexEffect::More(_) => None,
        }
    }
}

/// A write to a register.
#[pyclass(frozen, module = "stepback")]
#[derive(Clone)]
pub struct RegisterWrite {
    /// Name of the register.
    #[pyo3(get)]
    register: String,
    value: Value,
}

#[pymethods]
impl RegisterWrite {
    /// The new value. None if a part of it is unknown.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        number(&self.value, py)
    }

    /// The new value in its full width, with ?? for each unknown byte. None if all are unknown.
    #[getter]
    fn hex(&self) -> Option<String> {
        hex(&self.value)
    }

    fn __repr__(&self) -> String {
        let value = hex(&self.value);
        let value = value.as_deref().unwrap_or("unknown");
        format!("<stepback.RegisterWrite {} = {value}>", self.register)
    }
}

/// An access to a register or to memory.
#[pyclass(frozen, module = "stepback")]
#[derive(Clone)]
pub struct Access {
    /// "read" or "write".
    #[pyo3(get)]
    kind: &'static str,
    /// The cell: "x3", "0x80020010:4".
    #[pyo3(get)]
    cell: String,
    /// Lowest address. None for a register.
    #[pyo3(get)]
    address: Option<u64>,
    /// Number of bytes.
    #[pyo3(get)]
    size: u64,
    value: Value,
    /// True if the value is not recorded but follows from other steps.
    #[pyo3(get)]
    inferred: bool,
    /// True if the access comes from the decoded instruction, because the trace records no such
    /// accesses.
    #[pyo3(get)]
    decoded: bool,
    /// True if it is a read that contradicts the last value known before it.
    #[pyo3(get)]
    external: bool,
    /// Semihosting operation by which the host wrote the cell: "SYS_READ".
    #[pyo3(get)]
    host: Option<&'static str>,
}

impl Access {
    fn new(access: &IndexAccess) -> Self {
        let (address, size) = match access.target {
            AccessTarget::Register(_) => (None, access.value.0.len() as u64),
            AccessTarget::Memory {
                address,
                size_bytes,
            } => (Some(address.0), size_bytes),
        };
        Self {
            kind: access.kind.word(),
            cell: access.target.to_string(),
            address,
            size,
            value: access.value.clone(),
            inferred: access.is_inferred,
            decoded: access.is_decoded,
            external: access.is_external,
            host: access.host_operation.map(HostOperation::name),
        }
    }

    fn text(&self) -> String {
        let value = hex(&self.value);
        let value = value.as_deref().unwrap_or("unknown");
        format!("{} {} = {value}", self.kind, self.cell)
    }
}

#[pymethods]
impl Access {
    /// The value as a number. None if a part of it is unknown.
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
        format!("<stepback.Access {}>", self.text())
    }
}

/// A record of a binary format that is neither a step nor an access.
#[pyclass(frozen, get_all, module = "stepback")]
#[derive(Clone)]
pub struct Marker {
    /// Kind of marker, as the format names it.
    marker: String,
    /// An address, a number or a time.
    value: u64,
}

#[pymethods]
impl Marker {
    fn __repr__(&self) -> String {
        format!("<stepback.Marker {} = {:#x}>", self.marker, self.value)
    }
}

/// An exception that a step took.
#[pyclass(frozen, get_all, module = "stepback")]
#[derive(Clone)]
pub struct ExceptionEntry {
    /// The exception in the words of the trace.
    exception: String,
}

#[pymethods]
impl ExceptionEntry {
    fn __repr__(&self) -> String {
        format!("<stepback.ExceptionEntry {}>", self.exception)
    }
}

/// Any other text of the trace about a step.
#[pyclass(frozen, get_all, module = "stepback")]
#[derive(Clone)]
pub struct Note {
    /// Text of the trace.
    text: String,
}

#[pymethods]
impl Note {
    fn __repr__(&self) -> String {
        format!("<stepback.Note {}>", self.text)
    }
}

/// A step that matches a search. It has only the first few effects of the step.
#[pyclass(frozen, extends = Step, get_all, module = "stepback")]
pub struct Hit {
    /// First position at which the match is visible.
    position: u64,
    /// Access of the cell.
    access: Option<Access>,
    /// Reason why this may be the wrong answer: "syscall", "kernel", "gap", "undecoded",
    /// "conditional", "syscalls-unsaid", "filtered" or "bank".
    doubt: Option<&'static str>,
}

#[pymethods]
impl Hit {
    fn __repr__(this: pyo3::PyRef<'_, Self>) -> String {
        let access = this.access.as_ref();
        let access = access.map(|access| format!(": {}", access.text()));
        let step = this.as_super().number();
        format!(
            "<stepback.Hit at step {step}{}>",
            access.unwrap_or_default()
        )
    }
}

/// A value that the trace states before the first step of a thread: no step wrote it.
#[pyclass(frozen, get_all, module = "stepback")]
pub struct Initial {
    /// Line that states it. None in formats without lines.
    line: Option<u64>,
}

impl Initial {
    /// Converts the line of an initial state.
    pub fn new(line: Line, index: &Index) -> Self {
        Self {
            line: index.source().is_text().then_some(line.0),
        }
    }
}

#[pymethods]
impl Initial {
    fn __repr__(&self) -> String {
        let line = self.line.map(|line| format!(", in line {line}"));
        format!(
            "<stepback.Initial: stated before the first step{}>",
            line.unwrap_or_default()
        )
    }
}

/// A call.
#[pyclass(frozen, get_all, module = "stepback")]
pub struct Call {
    /// Number of the call, as in the table "calls".
    call: u64,
    /// Call that contains it. None for the first frame of a stack.
    parent: Option<u64>,
    /// Number of callers.
    depth: u32,
    /// Name of the thread.
    thread: String,
    /// Address of the called function.
    function: u64,
    /// Its name. None without symbols.
    name: Option<String>,
    /// Number of the trap that the call handles.
    trap: Option<u64>,
    /// The calling step. None for the first frame of a thread.
    call_step: Option<u64>,
    /// First step inside. None if the trace shows none.
    entry_step: Option<u64>,
    /// Last step inside, the return itself. None while the call is open.
    exit_step: Option<u64>,
    /// "root", "call", "tail", "exception", "switch" or "gap".
    entered: &'static str,
    /// "return", "longjmp", "skipped", "tail", "open" or "gap".
    left: &'static str,
    /// Evidence for the call.
    evidence: &'static str,
}

impl Call {
    /// Converts a call.
    pub fn new(id: CallId, call: &IndexCall, session: &Session, cancel: &Cancel) -> Result<Self> {
        let index = &session.index;
        let name = session.images.code_at(call.function);
        Ok(Self {
            call: id.0,
            parent: call.parent.map(|parent| parent.0),
            depth: call.depth,
            thread: index.thread_name(call.thread).to_owned(),
            function: call.function.0,
            name: name.map(|found| found.to_string()),
            trap: trap_of(index, call, cancel)?.map(|trap| trap.number),
            call_step: call.call_step.map(|step| step.0),
            entry_step: call.entry_step.map(|step| step.0),
            exit_step: call.exit_step.map(|step| step.0),
            entered: call.entered.word(),
            left: call.left.word(),
            evidence: call.evidence.word(),
        })
    }
}

#[pymethods]
impl Call {
    fn __repr__(&self) -> String {
        let address = || format!("{:#x}", self.function);
        let name = self.name.clone().unwrap_or_else(address);
        format!("<stepback.Call {}: {name}>", self.call)
    }
}
