//! Lists about memory: accesses, the heap, the busiest pages, regions, the words of the stack.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::{AccessKinds, Heap};
use stepback_parsers::{Format, Position};

use super::table_view::{TableSource, TableView, TableWork};
use super::view::{CursorRow, RowGesture, ViewStatus};
use crate::action::{Action, CellName, PanelKind, ViewAction};
use crate::analysis::heap::{has_heap, heap};
use crate::analysis::tasks::has_os_threads;
use crate::desk::{AnswerStream, Desk};
use crate::keymap::cell_name;
use crate::messages::say;
use crate::model::access_table::{
    AccessGrouping, AccessSubject as Of, AccessTableQuery, access_table,
};
use crate::model::heap_table::heap_table;
use crate::model::memory::{MemoryRuns, accessed_runs};
use crate::model::regions::{heat_table, regions_table};
use crate::model::stack_memory::stack_memory;
use crate::model::table::{Table, TableRow};
use crate::model::task_table::task_table;
use crate::worker::Slot;

/// The accesses to a memory range or a register, all its values, or all executions of code.
#[derive(Default)]
pub struct AccessTable {
    question: Option<AccessTableQuery>,
    listed: AnswerStream<AccessTableQuery, Table>,
    arrangement: AccessGrouping,
}

impl AccessTable {
    /// Creates a table without a query. The arrangement of accesses is saved.
    pub fn arranged(arrangement: AccessGrouping) -> Self {
        Self {
            arrangement,
            ..Self::default()
        }
    }

    pub fn arrangement(&self) -> AccessGrouping {
        self.arrangement
    }

    /// Returns the query of the listed accesses.
    pub fn question(&self) -> Option<&AccessTableQuery> {
        self.question.as_ref()
    }

    /// Returns the cell whose accesses are listed.
    pub fn listed_cell(&self) -> Option<CellName> {
        match &self.question.as_ref()?.listed {
            Of::Cell(text) => cell_name(text).ok(),
            Of::Code(_) => None,
        }
    }

    /// Lists other accesses.
    fn ask(&mut self, question: AccessTableQuery) {
        self.arrangement = question.arrangement;
        self.question = Some(question);
    }

    /// Creates a query for all accesses to something by all threads.
    pub fn question_about(&self, listed: Of, kinds: AccessKinds, desk: &Desk) -> AccessTableQuery {
        let (at, from) = (desk.windows.active().position, Position(0));
        AccessTableQuery {
            listed,
            kinds,
            thread: None,
            at,
            from,
            arrangement: self.arrangement,
        }
    }
}

impl TableView<AccessTable> {
    /// Lists other accesses, from the first.
    pub fn ask(&mut self, question: AccessTableQuery) {
        if question.arrangement != self.source().arrangement {
            self.leave_order();
        }
        self.close_groups();
        self.source_mut().ask(question);
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

    fn tab_title(&self) -> String {
        say!("table-accesses").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let Some(question) = &self.question else {
            let title = say!("table-no-register-memory-or-code").to_owned();
            return Err(ViewStatus::empty(
                title,
                say!("list-how-to-list-accesses").to_owned(),
            ));
        };
        let answer = self.listed.poll(question, &desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel, publish: &mut dyn FnMut(Arc<Table>)| {
                access_table(&session, &question, cancel, publish)
            }
        });
        ViewStatus::of_answer(&answer)
    }

    fn work(&self) -> TableWork {
        if self.listed.is_under_way() {
            TableWork::Growing
        } else {
            TableWork::Done
        }
    }

    fn advice(&self, _: &Desk) -> String {
        say!("table-ask-for-more-bytes-for").to_owned()
    }

    fn spare(&self) -> &'static [&'static str] {
        &["head-caller", "head-bytes", "head-address", "head-code"]
    }

    fn has_position(&self) -> bool {
        true
    }

    /// Returns the last row before the position.
    fn marked(&self, table: &Table, desk: &Desk) -> Option<CursorRow> {
        if table.is_grouped() {
            return None;
        }
        let at = desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position <= at);
        let place = table.rows.partition_point(is_before);
        let is_growing = self.listed.is_under_way() && place == table.rows.len();
        (!is_growing).then_some(CursorRow {
            key: (at.0, 0),
            row: place.saturating_sub(1),
        })
    }

    /// The list is about the cell of its query, not about other cells that a row accesses.
    fn cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        self.listed_cell()
    }

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        match action {
            Action::View(ViewAction::ListAccesses(address, len_bytes, thread)) => {
                let listed = Of::Cell(format!("{address}:{len_bytes}"));
                let question = self.question_about(listed, AccessKinds::All, desk);
                self.ask(AccessTableQuery {
                    thread: thread.clone(),
                    ..question
                });
            }
            Action::View(ViewAction::ListValues(cell)) => {
                self.ask(self.question_about(
                    Of::Cell(cell.to_string()),
                    AccessKinds::Writes,
                    desk,
                ));
            }
            Action::View(ViewAction::ListExecutions(code)) => {
                self.ask(self.question_about(Of::Code(code.clone()), AccessKinds::All, desk));
            }
            Action::View(ViewAction::GroupAccesses) => {
                self.arrangement = self.arrangement.other();
                self.question
                    .iter_mut()
                    .for_each(|question| question.arrangement = self.arrangement);
            }
            _ => return false,
        }
        true
    }

    fn has_other_columns(&self, action: &Action) -> bool {
        matches!(action, Action::View(ViewAction::GroupAccesses))
    }

    fn forget(&mut self) {
        *self = Self::arranged(self.arrangement);
    }
}

/// A list as of a position, or one that is independent of the position.
pub struct MemoryTable {
    kind: PanelKind,
    /// All blocks, queried once per trace.
    heap: Slot<(), Arc<Heap>>,
    /// Accessed ranges, by the number of indexed steps.
    runs: Slot<u64, Arc<MemoryRuns>>,
    answer: Slot<MemoryTableQuery, Arc<Table>>,
}

/// Key of the query of a list.
#[derive(Clone, PartialEq)]
enum MemoryTableQuery {
    Heap(Arc<Heap>, Position),
    Heat,
    /// Number of indexed steps.
    Tasks(u64),
    Regions(Option<Arc<Heap>>, Arc<MemoryRuns>, Position),
    StackMemory(Position),
}

impl MemoryTable {
    /// Creates a list of a kind.
    pub fn of(kind: PanelKind) -> Self {
        let (heap, runs, answer) = Default::default();
        Self {
            kind,
            heap,
            runs,
            answer,
        }
    }

    /// Returns true for a list of tasks if the tasks are threads, which another panel lists.
    fn is_answered_by_threads(&self, desk: &Desk) -> bool {
        self.kind == PanelKind::Tasks && has_os_threads(&desk.session.index)
    }

    fn question(&mut self, desk: &Desk) -> Result<MemoryTableQuery, ViewStatus> {
        let at = desk.windows.active().position;
        let has_heap = has_heap(desk.session.companions.functions.as_ref());
        match self.kind {
            PanelKind::Heat => Ok(MemoryTableQuery::Heat),
            PanelKind::Tasks => Ok(MemoryTableQuery::Tasks(desk.session.index.step_count())),
            PanelKind::StackMemory => Ok(MemoryTableQuery::StackMemory(at)),
            PanelKind::Heap if !has_heap => Err(ViewStatus::empty(
                say!("table-the-trace-does-not-tell").to_owned(),
                match Format::named(&desk.session.index.source().traits().format) {
                    Some(Format::Drmemtrace) => say!("table-record-it-again-with-record"),
                    _ => say!("table-format-records-no-heap"),
                }
                .to_owned(),
            )),
            PanelKind::Heap => Ok(MemoryTableQuery::Heap(self.heap(desk)?, at)),
            _ => {
                let heap = if has_heap {
                    Some(self.heap(desk)?)
                } else {
                    None
                };
                Ok(MemoryTableQuery::Regions(heap, self.runs(desk)?, at))
            }
        }
    }

    fn heap(&mut self, desk: &Desk) -> Result<Arc<Heap>, ViewStatus> {
        ViewStatus::of_answer(&self.heap.poll_long(&(), &desk.worker, |()| {
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| {
                Ok(Arc::new(heap(
                    &session.index,
                    session.companions.functions.as_ref(),
                    cancel,
                )?))
            }
        }))
    }

    /// Returns the ranges that the trace accesses, independent of the position.
    fn runs(&mut self, desk: &Desk) -> Result<Arc<MemoryRuns>, ViewStatus> {
        ViewStatus::of_answer(&self.runs.poll_long(
            &desk.session.index.step_count(),
            &desk.worker,
            |_| {
                let session = Arc::clone(&desk.session);
                move |cancel: &Cancel| Ok(Arc::new(accessed_runs(&session, cancel)?))
            },
        ))
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

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let question = self.question(desk)?;
        ViewStatus::of_answer(&self.answer.poll_long(&question, &desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                Ok(Arc::new(match &question {
                    MemoryTableQuery::Heap(heap, at) => heap_table(&session, heap, *at, cancel)?,
                    MemoryTableQuery::Heat => heat_table(&session, cancel)?,
                    MemoryTableQuery::Tasks(_) => task_table(&session, cancel)?,
                    MemoryTableQuery::Regions(heap, runs, at) => {
                        regions_table(&session, heap.as_deref(), runs, *at, cancel)?
                    }
                    MemoryTableQuery::StackMemory(at) => stack_memory(&session, *at, cancel)?,
                }))
            }
        }))
    }

    fn work(&self) -> TableWork {
        match TableWork::of_slot(&self.answer) {
            TableWork::Done if self.heap.is_waiting() || self.runs.is_waiting() => {
                TableWork::Waiting
            }
            work => work,
        }
    }

    fn nothing(&self, desk: &Desk) -> Option<String> {
        self.is_answered_by_threads(desk)
            .then(|| say!("tasks-os-threads").to_owned())
    }

    fn advice(&self, desk: &Desk) -> String {
        str::to_owned(match self.kind {
            _ if self.is_answered_by_threads(desk) => "",
            PanelKind::Heap => say!("table-no-function-that-allocates-returns"),
            PanelKind::Heat => say!("table-the-trace-has-no-loads"),
            PanelKind::Tasks => say!("table-the-trace-has-no-steps"),
            PanelKind::StackMemory => say!("table-go-to-a-position-where"),
            _ => say!("table-the-trace-has-no-loads-and"),
        })
    }

    /// Rows about memory go to the memory, those about tasks to a step.
    fn entered(&self) -> RowGesture {
        if self.kind == PanelKind::Tasks {
            RowGesture::Go
        } else {
            RowGesture::GoOn
        }
    }

    /// A click on a word of the stack only moves the cursor.
    fn clicked(&self) -> Option<RowGesture> {
        (self.kind != PanelKind::StackMemory).then_some(RowGesture::Go)
    }

    fn double_clicked(&self) -> RowGesture {
        if self.kind == PanelKind::StackMemory {
            RowGesture::Go
        } else {
            RowGesture::GoOn
        }
    }

    fn travel_label(&self) -> &'static str {
        match self.kind {
            PanelKind::StackMemory => say!("table-travel-to-its-write"),
            _ => say!("table-travel-there"),
        }
    }

    /// Returns the memory of a row. For a region this is its first byte, since its whole content is
    /// no value.
    fn row_cell(&self, row: &TableRow, table: &Table) -> Option<CellName> {
        let len_bytes = if self.kind == PanelKind::Regions {
            1
        } else {
            table.bytes_of(row)
        };
        Some(CellName::Memory(row.address?.to_string(), len_bytes))
    }

    /// Returns true if the position that a row travels to is the active window's. Pages of the heat
    /// list represent only memory.
    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        self.kind != PanelKind::Heat && row.position == Some(desk.windows.active().position)
    }

    fn forget(&mut self) {
        *self = Self::of(self.kind);
    }
}
