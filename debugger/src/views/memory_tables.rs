//! Lists about memory: accesses, the heap, the busiest pages, regions, the words of the stack.

use std::sync::Arc;

use stepback_index::{AccessKinds, Cancel, Heap};
use stepback_parsers::Position;

use super::table_view::{TableSource, TableView, Work};
use super::view::{Gesture, Marked, Status};
use crate::action::{Action, CellName, PanelKind, ViewAction};
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
    /// Without a question; how accesses are arranged is saved.
    pub fn arranged(arrangement: Arrangement) -> Self {
        Self {
            arrangement,
            ..Self::default()
        }
    }

    /// How accesses are arranged.
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Which accesses are listed.
    pub fn question(&self) -> Option<&AccessQuestion> {
        self.question.as_ref()
    }

    /// The cell whose accesses are listed.
    pub fn listed_cell(&self) -> Option<CellName> {
        match &self.question.as_ref()?.listed {
            Of::Cell(text) => cell_name(text).ok(),
            Of::Code(_) => None,
        }
    }

    /// Lists other accesses.
    fn ask(&mut self, question: AccessQuestion) {
        self.arrangement = question.arrangement;
        self.question = Some(question);
    }

    /// Question about all accesses of something by all threads.
    pub fn question_about(&self, listed: Of, kinds: AccessKinds, desk: &Desk) -> AccessQuestion {
        let (at, from) = (desk.windows.active().position, Position(0));
        AccessQuestion {
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
    pub fn ask(&mut self, question: AccessQuestion) {
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

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let Some(question) = &self.question else {
            let title = say!("table-no-register-memory-or-code").to_owned();
            return Err(Status::empty(
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
        Status::of_answer(&answer)
    }

    fn work(&self) -> Work {
        if self.listed.is_under_way() {
            Work::Growing
        } else {
            Work::Done
        }
    }

    fn advice(&self) -> &'static str {
        say!("table-ask-for-more-bytes-for")
    }

    fn spare(&self) -> &'static [&'static str] {
        &["Caller", "Bytes", "Address", "Code"]
    }

    fn has_position(&self) -> bool {
        true
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
        (!is_growing).then_some(Marked {
            key: (at.0, 0),
            row: place.saturating_sub(1),
        })
    }

    /// The list is about the cell that it was asked for, not about what else a row touches.
    fn cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        self.listed_cell()
    }

    fn take(&mut self, action: &Action, desk: &Desk) -> bool {
        match action {
            Action::View(ViewAction::ListAccesses(address, len_bytes, thread)) => {
                let listed = Of::Cell(format!("{address}:{len_bytes}"));
                let question = self.question_about(listed, AccessKinds::All, desk);
                self.ask(AccessQuestion {
                    thread: thread.clone(),
                    ..question
                });
            }
            Action::View(ViewAction::ListValues(cell)) => {
                self.ask(self.question_about(
                    Of::Cell(argument_text(cell)),
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

/// A list that is as at a position, or the same at all of them.
pub struct MemoryTable {
    kind: PanelKind,
    /// All blocks, asked once a trace.
    heap: Slot<(), Arc<Heap>>,
    /// Accessed ranges, by the number of indexed steps.
    runs: Slot<u64, Arc<Runs>>,
    answer: Slot<MemoryQuestion, Arc<Table>>,
}

/// Parameters of a list.
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
        Self {
            kind,
            heap,
            runs,
            answer,
        }
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
                let heap = if has_heap {
                    Some(self.heap(desk)?)
                } else {
                    None
                };
                Ok(MemoryQuestion::Regions(heap, self.runs(desk)?, at))
            }
        }
    }

    fn heap(&mut self, desk: &Desk) -> Result<Arc<Heap>, Status> {
        Status::of_answer(&self.heap.poll_long(&(), &desk.worker, |()| {
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

    /// Ranges that the trace accesses, the same at all positions.
    fn runs(&mut self, desk: &Desk) -> Result<Arc<Runs>, Status> {
        Status::of_answer(&self.runs.poll_long(
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

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let question = self.question(desk)?;
        Status::of_answer(&self.answer.poll_long(&question, &desk.worker, |question| {
            let (question, session) = (question.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                Ok(Arc::new(match &question {
                    MemoryQuestion::Heap(heap, at) => heap_table(&session, heap, *at, cancel)?,
                    MemoryQuestion::Heat => heat_table(&session, cancel)?,
                    MemoryQuestion::Tasks(_) => task_table(&session, cancel)?,
                    MemoryQuestion::Regions(heap, runs, at) => regions_table(
                        &session,
                        Found {
                            heap: heap.as_deref(),
                            runs,
                        },
                        *at,
                        cancel,
                    )?,
                    MemoryQuestion::StackMemory(at) => stack_memory(&session, *at, cancel)?,
                }))
            }
        }))
    }

    fn work(&self) -> Work {
        match Work::of_slot(&self.answer) {
            Work::Done if self.heap.is_waiting() || self.runs.is_waiting() => Work::Waiting,
            work => work,
        }
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

    /// Rows about memory lead there, those about tasks to a step.
    fn entered(&self) -> Gesture {
        if self.kind == PanelKind::Tasks {
            Gesture::Go
        } else {
            Gesture::GoOn
        }
    }

    /// A click on a word of the stack only moves the cursor.
    fn clicked(&self) -> Option<Gesture> {
        (self.kind != PanelKind::StackMemory).then_some(Gesture::Go)
    }

    fn double_clicked(&self) -> Gesture {
        if self.kind == PanelKind::StackMemory {
            Gesture::Go
        } else {
            Gesture::GoOn
        }
    }

    fn travel_label(&self) -> &'static str {
        match self.kind {
            PanelKind::StackMemory => say!("table-travel-to-its-write"),
            _ => say!("table-travel-there"),
        }
    }

    /// Of a region it is where that begins: all that it holds is no value.
    fn row_cell(&self, row: &TableRow, table: &Table) -> Option<CellName> {
        let len_bytes = if self.kind == PanelKind::Regions {
            1
        } else {
            table.bytes_of(row)
        };
        Some(CellName::Memory(row.address?.to_string(), len_bytes))
    }

    /// The blocks, regions and words stand for memory: what happened at a position is what they travel to.
    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        self.kind != PanelKind::Heat && row.position == Some(desk.windows.active().position)
    }

    fn forget(&mut self) {
        *self = Self::of(self.kind);
    }
}
