//! Lists about memory: accesses, the heap, the busiest pages, regions, the words of the stack.

use std::sync::Arc;

use stepback_index::{AccessKinds, Cancel, Heap};
use stepback_parsers::Position;

use super::table_view::TableSource;
use super::view::{Marked, Status};
use crate::action::{Action, CellName, PanelKind};
use crate::analysis::heap::{has_heap, heap};
use crate::desk::Desk;
use crate::desk::Stream;
use crate::keymap::{argument_text, cell_name};
use crate::messages::say;
use crate::model::access_table::{AccessQuestion, Arrangement, Listed as Of, access_table};
use crate::model::heap_table::heap_table;
use crate::model::heat_table::heat_table;
use crate::model::memory::{Runs, accessed_runs};
use crate::model::regions::{Found, regions_table};
use crate::model::stack_memory::stack_memory;
use crate::model::table::{Table, TableRow};
use crate::model::task_table::task_table;
use crate::worker::Slot;

/// The accesses of some memory or a register, all values that it took, all executions of code.
#[derive(Default)]
pub struct AccessTable {
    question: Option<AccessQuestion>,
    listed: Stream<AccessQuestion, Table>,
    arrangement: Arrangement,
}

impl AccessTable {
    fn list(&mut self, listed: Of, kinds: AccessKinds, desk: &Desk) {
        let at = desk.windows.active().position;
        self.question =
            Some(AccessQuestion { listed, kinds, thread: None, at, from: Position(0), arrangement: self.arrangement });
    }
}

impl TableSource for AccessTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Accesses
    }

    fn title(&self) -> String {
        match &self.question {
            Some(question) => format!("{}: {}", say!("table-accesses"), question.listed.text()),
            None => say!("table-accesses").to_owned(),
        }
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let Some(question) = &self.question else {
            let title = say!("table-no-register-memory-or-code").to_owned();
            return Err(Status::empty(title, say!("list-how-to-list-accesses").to_owned()));
        };
        let answer = self.listed.poll(question, &desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel, publish: &mut dyn FnMut(Arc<Table>)| {
                access_table(&session, &question, cancel, publish)
            }
        });
        Status::of_answer(&answer)
    }

    fn advice(&self) -> &'static str {
        say!("table-ask-for-more-bytes-for")
    }

    fn spare(&self) -> &'static [&'static str] {
        &["Caller", "Bytes", "Address", "Code"]
    }

    /// The last row before the position.
    fn marked(&self, table: &Table, desk: &Desk) -> Option<Marked> {
        if table.is_grouped() {
            return None;
        }
        let at = desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position <= at);
        let place = table.rows.partition_point(is_before);
        let is_growing = self.listed.is_under_way() && place == table.rows.len();
        (!is_growing).then_some(Marked { key: (at.0, 0), row: place.saturating_sub(1) })
    }

    /// The list is about the cell that it was asked for, not about what else a row touches.
    fn cell(&self, _: &TableRow) -> Option<CellName> {
        match &self.question.as_ref()?.listed {
            Of::Cell(text) => cell_name(text).ok(),
            Of::Code(_) => None,
        }
    }

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        match action {
            Action::ListAccesses(address, len_bytes, thread) => {
                self.list(Of::Cell(format!("{address}:{len_bytes}")), AccessKinds::All, desk);
                self.question.iter_mut().for_each(|question| question.thread.clone_from(thread));
            }
            Action::ListValues(cell) => self.list(Of::Cell(argument_text(cell)), AccessKinds::Writes, desk),
            Action::ListExecutions(code) => self.list(Of::Code(code.clone()), AccessKinds::All, desk),
            Action::GroupAccesses => {
                self.arrangement = self.arrangement.other();
                self.question.iter_mut().for_each(|question| question.arrangement = self.arrangement);
            }
            _ => return false,
        }
        true
    }

    fn forget(&mut self) {
        *self = Self { arrangement: self.arrangement, ..Self::default() };
    }
}

/// A list that is as at a position, or the same at all of them.
pub struct MemoryTable {
    kind: PanelKind,
    /// All blocks, asked once a trace.
    heap: Slot<(), Arc<Heap>>,
    /// What is accessed, of so many steps.
    runs: Slot<u64, Arc<Runs>>,
    answer: Slot<MemoryQuestion, Arc<Table>>,
}

/// What a list is asked for with.
#[derive(Clone, PartialEq)]
enum MemoryQuestion {
    Heap(Arc<Heap>, Position),
    Heat,
    /// Of so many steps.
    Tasks(u64),
    Regions(Option<Arc<Heap>>, Arc<Runs>, Position),
    StackMemory(Position),
}

impl MemoryTable {
    /// A list of a kind.
    pub fn of(kind: PanelKind) -> Self {
        let (heap, runs, answer) = Default::default();
        Self { kind, heap, runs, answer }
    }

    fn question(&mut self, desk: &Desk) -> Result<MemoryQuestion, Status> {
        let at = desk.windows.active().position;
        let has_heap = has_heap(desk.session.companions.functions.as_ref());
        match self.kind {
            PanelKind::Heat => Ok(MemoryQuestion::Heat),
            PanelKind::Tasks => Ok(MemoryQuestion::Tasks(desk.session.index.step_count())),
            PanelKind::StackMemory => Ok(MemoryQuestion::StackMemory(at)),
            PanelKind::Heap if !has_heap => Err(Status::empty(
                say!("table-the-trace-does-not-tell").to_owned(),
                say!("table-record-it-again-with-record").to_owned(),
            )),
            PanelKind::Heap => Ok(MemoryQuestion::Heap(self.heap(desk)?, at)),
            _ => {
                let heap = if has_heap { Some(self.heap(desk)?) } else { None };
                Ok(MemoryQuestion::Regions(heap, self.runs(desk)?, at))
            }
        }
    }

    fn heap(&mut self, desk: &Desk) -> Result<Arc<Heap>, Status> {
        Status::of_answer(&self.heap.poll_long(&(), &desk.worker, |()| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| Ok(Arc::new(heap(&session.index, session.companions.functions.as_ref(), cancel)?))
        }))
    }

    /// What the trace accesses, the same at all positions.
    fn runs(&mut self, desk: &Desk) -> Result<Arc<Runs>, Status> {
        Status::of_answer(&self.runs.poll_long(&desk.session.index.step_count(), &desk.worker, |_| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| Ok(Arc::new(accessed_runs(&session, cancel)?))
        }))
    }
}

impl TableSource for MemoryTable {
    fn kind(&self) -> PanelKind {
        self.kind
    }

    fn title(&self) -> String {
        match self.kind {
            PanelKind::Heap => say!("table-heap"),
            PanelKind::Heat => say!("table-heat"),
            PanelKind::Tasks => say!("table-tasks"),
            PanelKind::StackMemory => say!("table-stack-memory"),
            _ => say!("table-regions"),
        }
        .to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let question = self.question(desk)?;
        Status::of_answer(&self.answer.poll_long(&question, &desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                Ok(Arc::new(match &question {
                    MemoryQuestion::Heap(heap, at) => heap_table(&session, heap, *at, cancel)?,
                    MemoryQuestion::Heat => heat_table(&session, cancel)?,
                    MemoryQuestion::Tasks(_) => task_table(&session, cancel)?,
                    MemoryQuestion::Regions(heap, runs, at) => {
                        regions_table(&session, Found { heap: heap.as_deref(), runs }, *at, cancel)?
                    }
                    MemoryQuestion::StackMemory(at) => stack_memory(&session, *at, cancel)?,
                }))
            }
        }))
    }

    fn advice(&self) -> &'static str {
        match self.kind {
            PanelKind::Heap => say!("table-no-function-that-allocates-returns"),
            PanelKind::Heat => say!("table-the-trace-has-no-loads"),
            PanelKind::Tasks => say!("table-the-trace-has-no-steps"),
            PanelKind::StackMemory => say!("table-go-to-a-position-where"),
            _ => say!("table-the-trace-has-no-loads-and"),
        }
    }

    /// The blocks, regions and words stand for memory: what happened at a position is what they travel to.
    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        self.kind != PanelKind::Heat && row.position == Some(desk.windows.active().position)
    }

    fn forget(&mut self) {
        *self = Self::of(self.kind);
    }
}
