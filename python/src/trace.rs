//! A trace ([`Trace`]) and the functions that open one.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use pyo3::exceptions::PyValueError;
use pyo3::types::PyDict;
use pyo3::{Bound, PyResult, Python, pyclass, pyfunction, pymethods};
use stepback_debugger::analysis::step_blocks::StepBlocks;
use stepback_debugger::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use stepback_debugger::place::PositionName;
use stepback_debugger::session::{OpenOptions, Session, demo_path, open as open_session};
use stepback_index::Cancel;
use stepback_index::answer::{AccessKinds, Direction, EdgeKinds, ThreadId};
use stepback_index::query::SliceQuery;
use stepback_index::read::SlotReader;

use crate::arguments::{CellArgument, ImageArgument, PositionArgument, cell_at, thread_named};
use crate::error::{opening_error, query_error};
use crate::info::TraceSummary;
use crate::row_iterator::{RowSender, Rows};
use crate::rows::{Call, Initial, Row, Step};
use crate::slice_rows::slice_row;
use crate::state::State;
use crate::table::{TABLES, Table};
use crate::worker::answered;

/// Opens a trace. The first time, an index is built next to it.
///
/// image is a program image for symbols, or a list of them, each ELF or ELF@OFFSET. index is the
/// path of the index. threads is the number of cores that build it, 0 for all.
///
/// >>> import stepback
/// >>> stepback.open("missing.tarmac")
/// Traceback (most recent call last):
/// ...
/// FileNotFoundError: missing.tarmac: the file does not exist
#[pyfunction]
#[pyo3(signature = (path, *, image = None, index = None, threads = 0))]
pub fn open(
    path: PathBuf,
    image: Option<ImageArgument>,
    index: Option<PathBuf>,
    threads: usize,
    py: Python<'_>,
) -> PyResult<Trace> {
    let images = image.map(ImageArgument::into_specs).transpose();
    let images = images.map_err(|error| PyValueError::new_err(format!("{error:#}")))?;
    let options = OpenOptions {
        images: images.unwrap_or_default(),
        index,
        threads,
        ..OpenOptions::new(path)
    };
    Trace::open(py, || Ok(options))
}

/// Opens the trace that comes with Stepback: a small program whose buffer overflows.
///
/// >>> import stepback
/// >>> stepback.open_demo().info()["format"]
/// 'Tarmac'
#[pyfunction]
pub fn open_demo(py: Python<'_>) -> PyResult<Trace> {
    Trace::open(py, || Ok(OpenOptions::new(demo_path()?)))
}

/// A recorded CPU instruction trace.
#[pyclass(frozen, module = "stepback")]
pub struct Trace {
    session: Arc<Session>,
}

impl Trace {
    fn open(
        py: Python<'_>,
        options: impl FnOnce() -> Result<OpenOptions> + Send + 'static,
    ) -> PyResult<Self> {
        let open = |cancel: &Cancel| open_session(&options()?, &Default::default(), cancel);
        let session = Arc::new(answered(py, open, opening_error)?);
        Ok(Self { session })
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

#[pymethods]
impl Trace {
    /// Path of the trace.
    #[getter]
    fn path(&self) -> PathBuf {
        self.session.path.clone()
    }

    /// Names of the threads, in order of appearance.
    #[getter]
    fn threads(&self) -> Vec<&str> {
        let threads = self.session.index.threads().iter();
        threads.map(|thread| &*thread.name).collect()
    }

    /// Sentences about how the trace was opened: an image that was found, a rebuilt index.
    #[getter]
    fn notices(&self) -> Vec<String> {
        let notices = self.session.notices.iter();
        notices.map(ToString::to_string).collect()
    }

    /// Returns a summary with the names of `stepback info --json`.
    ///
    /// >>> import stepback
    /// >>> info = stepback.open_demo().info()
    /// >>> info["arch"], info["endian"], info["steps"]
    /// ('aarch64', 'little', 44013)
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let summary = self.ask(py, TraceSummary::read)?;
        summary.to_dict(&self.session, py)
    }

    /// Returns the number of steps.
    fn __len__(&self) -> usize {
        usize::try_from(self.session.index.step_count()).unwrap_or(usize::MAX)
    }

    /// Returns the number of a position.
    ///
    /// >>> import stepback
    /// >>> stepback.open_demo().position("50%")
    /// 22006
    fn position(&self, position: PositionArgument, py: Python<'_>) -> PyResult<u64> {
        let place = position.to_name()?;
        let resolved = self.ask(py, move |session, cancel| place.resolve(session, cancel))?;
        Ok(resolved.0)
    }

    /// Returns an iterator over the steps from a position on, at most count.
    ///
    /// >>> import stepback
    /// >>> for step in stepback.open_demo().steps(20344, 1):
    /// ...     print(step.step, hex(step.pc), step.text, step.effects)
    /// 20344 0x800004a4 STRB     w0,[x19,#2] [<stepback.Access write 0x80020347:1 = 0xb6>]
    #[pyo3(signature = (first = PositionArgument::Number(0), count = None))]
    fn steps(&self, first: PositionArgument, count: Option<u64>) -> PyResult<Rows> {
        let place = first.to_name()?;
        Ok(Rows::read(&self.session, move |session, sender| {
            let cancel = sender.cancel();
            let mut blocks = StepBlocks::new(place.resolve(session, &cancel)?);
            let mut left = count.unwrap_or(u64::MAX);
            loop {
                let block = blocks.read(left, &session.index, &cancel)?;
                if block.is_empty() {
                    return Ok(());
                }
                left -= block.len() as u64;
                for record in &block {
                    sender.push(Row::Step(Step::new(record, &session.index)))?;
                }
            }
        }))
    }

    /// Returns the registers and memory at a position.
    ///
    /// Without a thread, the registers are those of the thread of the last step before it.
    #[pyo3(signature = (position, thread = None))]
    fn at(
        &self,
        position: PositionArgument,
        thread: Option<String>,
        py: Python<'_>,
    ) -> PyResult<State> {
        let place = position.to_name()?;
        let (position, thread) = self.ask(py, move |session, cancel| {
            let position = place.resolve(session, cancel)?;
            let thread = thread_named(thread.as_deref(), session)?;
            let of_position = || SlotReader(&session.index).thread_at(position);
            Ok((position, thread.map_or_else(of_position, Ok)?))
        })?;
        Ok(State::new(Arc::clone(&self.session), position, thread))
    }

    /// Returns the last write of a cell before a position: a Hit, or Initial if the trace states
    /// the value before the first step, or None.
    ///
    /// >>> import stepback
    /// >>> hit = stepback.open_demo().last_write("x2", "end")
    /// >>> hit.step, hex(hit.access.value)
    /// (44011, '0xb682e58791e59992')
    #[pyo3(signature = (cell, position = PositionArgument::Name("end".to_owned()), *, thread = None))]
    fn last_write(
        &self,
        cell: CellArgument,
        position: PositionArgument,
        thread: Option<String>,
        py: Python<'_>,
    ) -> PyResult<Option<Row>> {
        let search = AccessSearch {
            cell: cell.to_text(),
            place: position.to_name()?,
            thread,
            kinds: AccessKinds::Writes,
            direction: Direction::Back,
        };
        self.ask(py, move |session, cancel| {
            let mut walk = search.walk(1, session, cancel)?;
            Ok(row_of(&walk.next_hit()?, session))
        })
    }

    /// Returns an iterator over the accesses of a cell.
    ///
    /// kind is "all", "read" or "write". direction is "forward", from position (default: the
    /// start) on, or "back", before position (default: the end). Back, the last item may be an
    /// Initial: the trace states the value before the first step.
    ///
    /// >>> import stepback
    /// >>> next(stepback.open_demo().accesses((0x80020340, 8), kind="write"))
    /// <stepback.Hit at step 19688: write 0x80020340:8 = 0x00000000800002c0>
    #[pyo3(signature = (cell, *, kind = "all", position = None, direction = "forward", thread = None))]
    fn accesses(
        &self,
        cell: CellArgument,
        kind: &str,
        position: Option<PositionArgument>,
        direction: &str,
        thread: Option<String>,
    ) -> PyResult<Rows> {
        let direction = direction_named(direction)?;
        let search = AccessSearch {
            cell: cell.to_text(),
            place: place_or_start(position, direction)?,
            thread,
            kinds: kinds_named(kind)?,
            direction,
        };
        Ok(Rows::read(&self.session, move |session, sender| {
            search.each_hit(session, sender)
        }))
    }

    /// Returns an iterator over all writes of a cell: pairs of the position from which the write is
    /// visible and the written value, None if it is unknown.
    ///
    /// >>> import stepback
    /// >>> next(stepback.open_demo().values("0x80020340:8"))
    /// (19689, 2147484352)
    #[pyo3(signature = (cell, *, thread = None))]
    fn values(&self, cell: CellArgument, thread: Option<String>) -> PyResult<Rows> {
        let search = AccessSearch {
            cell: cell.to_text(),
            place: PositionName::Start,
            thread,
            kinds: AccessKinds::Writes,
            direction: Direction::Forward,
        };
        Ok(Rows::read(&self.session, move |session, sender| {
            search.each_value(session, sender)
        }))
    }

    /// Returns the origin of a value: a list of SliceStep, newest first, and SliceEnd.
    ///
    /// follow has any of "address", "flags" and "control". direction "forward" returns the uses of
    /// the value instead, oldest first. limit is the maximum number of steps.
    ///
    /// >>> import stepback
    /// >>> rows = stepback.open_demo().why("x2", "end", limit=2)
    /// >>> [row.step for row in rows if isinstance(row, stepback.SliceStep)]
    /// [44011, 20344]
    #[pyo3(signature = (cell, position = None, *, limit = None, follow = Vec::new(), direction = "back"))]
    fn why(
        &self,
        cell: CellArgument,
        position: Option<PositionArgument>,
        limit: Option<usize>,
        follow: Vec<String>,
        direction: &str,
        py: Python<'_>,
    ) -> PyResult<Vec<Row>> {
        let (cell, edges) = (cell.to_text(), edges_named(&follow)?);
        let direction = direction_named(direction)?;
        let place = place_or_start(position, direction)?;
        self.ask(py, move |session, cancel| {
            let at = place.resolve(session, cancel)?;
            let query = SliceQuery {
                cell: cell_at(&cell, at, None, session, cancel)?,
                at,
                direction,
                edges,
                limit: limit.unwrap_or(usize::MAX),
            };
            slice_rows(query, session, cancel)
        })
    }

    /// Returns an iterator over the calls of all threads, in order of entry.
    ///
    /// >>> import stepback
    /// >>> [call.name for call in stepback.open_demo().calls()][:3]
    /// ['_start', 'main', 'mini_atoi']
    fn calls(&self) -> Rows {
        Rows::read(&self.session, |session, sender| {
            let (calls, cancel) = (session.index.calls(), sender.cancel());
            for id in calls.in_order(0..calls.len()) {
                if let Some(call) = calls.get(id) {
                    cancel.check()?;
                    sender.push(Row::Call(Call::new(id, &call, session, &cancel)?))?;
                }
            }
            Ok(())
        })
    }

    /// Returns a table for other libraries: "steps", "register_writes", "accesses", "calls",
    /// "pcs", "markers", "threads" or "runs".
    fn table(&self, name: &str) -> PyResult<Table> {
        let kind = TABLES.iter().find(|kind| kind.name == name);
        let names = || TABLES.map(|kind| kind.name).join(", ");
        let kind = kind.ok_or_else(|| {
            PyValueError::new_err(format!("there is no table {name:?}, only {}", names()))
        })?;
        Ok(Table::new(Arc::clone(&self.session), kind))
    }

    fn __repr__(&self) -> String {
        let (path, steps) = (self.session.path.display(), self.session.index.step_count());
        format!("<stepback.Trace {path}: {steps} steps>")
    }
}

/// A search for accesses of a cell.
struct AccessSearch {
    cell: String,
    place: PositionName,
    thread: Option<String>,
    kinds: AccessKinds,
    direction: Direction,
}

impl AccessSearch {
    fn walk<'a>(
        &self,
        wanted: usize,
        session: &'a Session,
        cancel: &'a Cancel,
    ) -> Result<HitCursor<'a>> {
        let at = self.place.resolve(session, cancel)?;
        let thread: Option<ThreadId> = thread_named(self.thread.as_deref(), session)?;
        let cell = cell_at(&self.cell, at, thread, session, cancel)?;
        let subject = match self.direction {
            Direction::Forward => Subject::each_access(cell, self.kinds, &session.index),
            Direction::Back => Subject::Accesses(cell, self.kinds),
        };
        let query = HitQuery {
            subject,
            direction: self.direction,
        };
        Ok(HitCursor::new(query, at, wanted, &session.index, cancel).of_thread(thread))
    }

    fn each_hit(&self, session: &Session, sender: &mut RowSender) -> Result<()> {
        let cancel = sender.cancel();
        let mut walk = self.walk(usize::MAX, session, &cancel)?;
        while let Some(row) = row_of(&walk.next_hit()?, session) {
            sender.push(row)?;
        }
        Ok(())
    }

    fn each_value(&self, session: &Session, sender: &mut RowSender) -> Result<()> {
        let cancel = sender.cancel();
        let mut walk = self.walk(usize::MAX, session, &cancel)?;
        loop {
            match walk.next_hit()? {
                HitOutcome::Hit(hit) => {
                    let value = hit.access.map(|access| access.value).unwrap_or_default();
                    sender.push(Row::Value(hit.position.0, value))?;
                }
                HitOutcome::Initial(_) => {}
                HitOutcome::Nothing => return Ok(()),
            }
        }
    }
}

fn row_of(found: &HitOutcome, session: &Session) -> Option<Row> {
    let index = &session.index;
    match found {
        HitOutcome::Hit(hit) => Some(Row::of_hit(hit, index)),
        HitOutcome::Initial(line) => Some(Row::Initial(Initial::new(*line, index))),
        HitOutcome::Nothing => None,
    }
}

fn slice_rows(query: SliceQuery, session: &Session, cancel: &Cancel) -> Result<Vec<Row>> {
    let index = &session.index;
    let mut walk = query.walk(index, None, cancel)?;
    let mut rows = Vec::new();
    while let Some(row) = walk.next(cancel)? {
        rows.extend(slice_row(&row, query.direction, index, cancel)?);
    }
    for row in walk.into_rest() {
        rows.extend(slice_row(&row, query.direction, index, cancel)?);
    }
    Ok(rows)
}

/// Returns the position to search from. Without one, everything is searched.
fn place_or_start(
    position: Option<PositionArgument>,
    direction: Direction,
) -> PyResult<PositionName> {
    match (position, direction) {
        (Some(position), _) => position.to_name(),
        (None, Direction::Forward) => Ok(PositionName::Start),
        (None, Direction::Back) => Ok(PositionName::End),
    }
}

fn direction_named(name: &str) -> PyResult<Direction> {
    match name {
        "back" => Ok(Direction::Back),
        "forward" => Ok(Direction::Forward),
        _ => Err(PyValueError::new_err(format!(
            "direction is \"back\" or \"forward\", not {name:?}"
        ))),
    }
}

fn kinds_named(name: &str) -> PyResult<AccessKinds> {
    match name {
        "all" => Ok(AccessKinds::All),
        "read" => Ok(AccessKinds::Reads),
        "write" => Ok(AccessKinds::Writes),
        _ => Err(PyValueError::new_err(format!(
            "kind is \"all\", \"read\" or \"write\", not {name:?}"
        ))),
    }
}

fn edges_named(names: &[String]) -> PyResult<EdgeKinds> {
    let mut edges = EdgeKinds {
        listed: true,
        ..EdgeKinds::default()
    };
    for name in names {
        match name.as_str() {
            "address" => edges.addresses = true,
            "flags" => edges.flags = true,
            "control" => edges.control = true,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "follow has \"address\", \"flags\" or \"control\", not {name:?}"
                )));
            }
        }
    }
    Ok(edges)
}
