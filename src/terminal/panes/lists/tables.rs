//! Lists about memory: accesses, the heap, the busiest pages, regions, the words of the stack.

use std::sync::Arc;

use stepback_index::{AccessKinds, Cancel, Heap};
use stepback_parsers::Position;

use super::list::{Listed, Marked, answered};
use super::table::Source;
use crate::action::{Action, CellName, PanelKind};
use crate::analysis::heap::{has_heap, heap};
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
use crate::terminal::pane::Cx;
use crate::worker::Slot;

/// The accesses of some memory or a register, all values that it took, all executions of code.
#[derive(Default)]
pub struct Accesses {
    question: Option<AccessQuestion>,
    listed: Stream<AccessQuestion, Table>,
    arrangement: Arrangement,
}

impl Accesses {
    fn list(&mut self, listed: Of, kinds: AccessKinds, cx: &Cx<'_>) {
        let at = cx.desk.windows.active().position;
        self.question =
            Some(AccessQuestion { listed, kinds, thread: None, at, from: Position(0), arrangement: self.arrangement });
    }
}

impl Source for Accesses {
    fn kind(&self) -> PanelKind {
        PanelKind::Accesses
    }

    fn title(&self) -> String {
        match &self.question {
            Some(question) => format!("{}: {}", say!("table-accesses"), question.listed.text()),
            None => say!("table-accesses").to_owned(),
        }
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let Some(question) = &self.question else {
            let title = say!("table-no-register-memory-or-code").to_owned();
            return Err(Listed::Nothing(title, say!("list-how-to-list-accesses").to_owned()));
        };
        let answer = self.listed.poll(question, cx.worker(), |question| {
            let (question, session) = (question.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel, publish: &mut dyn FnMut(Arc<Table>)| {
                access_table(&session, &question, cancel, publish)
            }
        });
        answered(&answer)
    }

    fn advice(&self) -> &'static str {
        say!("table-ask-for-more-bytes-for")
    }

    fn spare(&self) -> &'static [&'static str] {
        &["Caller", "Bytes", "Address", "Code"]
    }

    /// The last row before the position.
    fn marked(&self, table: &Table, cx: &Cx<'_>) -> Option<Marked> {
        if table.is_grouped() {
            return None;
        }
        let at = cx.desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position <= at);
        let place = table.rows.partition_point(is_before);
        let is_growing = self.listed.is_under_way() && place == table.rows.len();
        (!is_growing).then_some(Marked { key: (at.0, 0), place: place.saturating_sub(1) })
    }

    /// The list is about the cell that it was asked for, not about what else a row touches.
    fn cell(&self, _: &TableRow) -> Option<CellName> {
        match &self.question.as_ref()?.listed {
            Of::Cell(text) => cell_name(text).ok(),
            Of::Code(_) => None,
        }
    }

    fn take(&mut self, action: &Action, cx: &Cx<'_>) -> bool {
        match action {
            Action::ListAccesses(address, len_bytes, thread) => {
                self.list(Of::Cell(format!("{address}:{len_bytes}")), AccessKinds::All, cx);
                self.question.iter_mut().for_each(|question| question.thread.clone_from(thread));
            }
            Action::ListValues(cell) => self.list(Of::Cell(argument_text(cell)), AccessKinds::Writes, cx),
            Action::ListExecutions(code) => self.list(Of::Code(code.clone()), AccessKinds::All, cx),
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
pub struct Memory {
    kind: PanelKind,
    /// All blocks, asked once a trace.
    heap: Slot<(), Arc<Heap>>,
    /// What is accessed, of so many steps.
    runs: Slot<u64, Arc<Runs>>,
    answer: Slot<Question, Arc<Table>>,
}

/// What a list is asked for with.
#[derive(Clone, PartialEq)]
enum Question {
    Heap(Arc<Heap>, Position),
    Heat,
    /// Of so many steps.
    Tasks(u64),
    Regions(Option<Arc<Heap>>, Arc<Runs>, Position),
    StackMemory(Position),
}

impl Memory {
    /// A list of a kind.
    pub fn of(kind: PanelKind) -> Self {
        let (heap, runs, answer) = Default::default();
        Self { kind, heap, runs, answer }
    }

    fn question(&mut self, cx: &Cx<'_>) -> Result<Question, Listed> {
        let at = cx.desk.windows.active().position;
        let has_heap = has_heap(cx.desk.session.companions.functions.as_ref());
        match self.kind {
            PanelKind::Heat => Ok(Question::Heat),
            PanelKind::Tasks => Ok(Question::Tasks(cx.desk.session.index.step_count())),
            PanelKind::StackMemory => Ok(Question::StackMemory(at)),
            PanelKind::Heap if !has_heap => Err(Listed::Nothing(
                say!("table-the-trace-does-not-tell").to_owned(),
                say!("table-record-it-again-with-record").to_owned(),
            )),
            PanelKind::Heap => Ok(Question::Heap(self.heap(cx)?, at)),
            _ => {
                let heap = if has_heap { Some(self.heap(cx)?) } else { None };
                Ok(Question::Regions(heap, self.runs(cx)?, at))
            }
        }
    }

    fn heap(&mut self, cx: &Cx<'_>) -> Result<Arc<Heap>, Listed> {
        answered(&self.heap.poll_long(&(), cx.worker(), |()| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(Arc::new(heap(&session.index, session.companions.functions.as_ref(), cancel)?))
        }))
    }

    /// What the trace accesses, the same at all positions.
    fn runs(&mut self, cx: &Cx<'_>) -> Result<Arc<Runs>, Listed> {
        answered(&self.runs.poll_long(&cx.desk.session.index.step_count(), cx.worker(), |_| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(Arc::new(accessed_runs(&session, cancel)?))
        }))
    }
}

impl Source for Memory {
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

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let question = self.question(cx)?;
        answered(&self.answer.poll_long(&question, cx.worker(), |question| {
            let (question, session) = (question.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                Ok(Arc::new(match &question {
                    Question::Heap(heap, at) => heap_table(&session, heap, *at, cancel)?,
                    Question::Heat => heat_table(&session, cancel)?,
                    Question::Tasks(_) => task_table(&session, cancel)?,
                    Question::Regions(heap, runs, at) => {
                        regions_table(&session, Found { heap: heap.as_deref(), runs }, *at, cancel)?
                    }
                    Question::StackMemory(at) => stack_memory(&session, *at, cancel)?,
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
    fn is_here(&self, row: &TableRow, cx: &Cx<'_>) -> bool {
        self.kind != PanelKind::Heat && row.position == Some(cx.desk.windows.active().position)
    }

    fn forget(&mut self) {
        *self = Self::of(self.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::terminal::command::{Command, Toward};

    fn accesses() -> Stage<ListPane<Tabled<Accesses>>> {
        Stage::at(1233, ListPane::new(Tabled::new(Accesses::default())))
    }

    fn memory(kind: PanelKind) -> Stage<ListPane<Tabled<Memory>>> {
        Stage::at(1233, ListPane::new(Tabled::new(Memory::of(kind))))
    }

    #[test]
    fn accesses_are_listed_with_the_cursor_at_the_last_one() {
        assert_eq!(
            accesses().draw(60, 5),
            r#"  No register, memory or code is chosen
  Choose a cell in a pane of registers or memory, and give
  the command "Accesses" (:); or "All executions…" of code."#
        );
        let list = Action::ListAccesses("0x80020018".to_owned(), 8, None);
        assert_eq!(
            accesses().take(&list).draw(80, 10),
            r" 10 accesses of 8 bytes at 80020018
    Step         Before            Value             Instruction
     727  write  unknown           ????????00000000  str    w19, [x0, #8]
*    728  write  ????????00000000  0                 str    wzr, [x0, #0xc]
   1,441  write  0                 e5                strb   w0, [x19]
   1,444  write  e5                84e5              strb   w0, [x19, #1]
   1,447  write  84e5              8684e5            strb   w0, [x19, #2]
   1,453  write  8684e5            8684e5            strb   wzr, [x19]
   1,571  read                     8684e5            ldrb   w1, [x2, #1]!
   1,575  read                     8684e5            ldrb   w1, [x2, #1]!"
        );
        let list = Action::ListValues(CellName::Register("x2".to_owned()));
        assert_eq!(
            accesses().take(&list).draw(60, 6),
            r" 237 writes of x2
    Step         Before    Value             Instruction
   1,200  write  1         5                 sub    w2, w0, …
   1,210  write  5         31                sub    w2, w0, …
   1,221  write  31        7                 sub    w2, w0, …
*  1,231  write  7         34                sub    w2, w0, …"
        );
        let list = Action::ListExecutions("0x80000494".to_owned());
        assert_eq!(
            accesses().take(&list).draw(80, 6),
            r" 9 executions of 0x80000494
    Step  Operands  Effects        Code      Caller    Instruction
     988  w0=8      x0 ← ffffff88  80000494  80000764  orr    w0, w0, #0xffffff80
   1,053  w0=18     x0 ← ffffff98  80000494  80000764  orr    w0, w0, #0xffffff80
   1,118  w0=1e     x0 ← ffffff9e  80000494  80000764  orr    w0, w0, #0xffffff80
*  1,183  w0=c      x0 ← ffffff8c  80000494  80000764  orr    w0, w0, #0xffffff80"
        );
    }

    #[test]
    fn accesses_by_call_stacks_are_opened_and_travelled_to() {
        let list = Action::ListValues(CellName::Register("x2".to_owned()));
        let grouped = || accesses().take(&list).take(&Action::GroupAccesses);
        assert_eq!(
            grouped().draw(80, 5),
            r" 237 writes of x2 in 14 call stacks
   Count  First   Last         Value             Call stack
*▸   108    137    544                           80000588 ← 80000764 ← 80000898 …
 ▸    36    875  1,426                           80000328 ← 80000390 ← 80000764 …
 ▸    28  1,470  1,583                           800004d4 ← 80000764 ← 80000898 …"
        );
        let opened = || grouped().press(&[Command::Move(Toward::Down), Command::Move(Toward::Right)]);
        assert_eq!(
            opened().draw(80, 6),
            r" 237 writes of x2 in 14 call stacks
   Count  First   Last         Value             Call stack
 ▸   108    137    544                           80000588 ← 80000764 ← 80000898 …
*▾    36    875  1,426                           80000328 ← 80000390 ← 80000764 …
            875         write  5                 8000032c  sub    w2, w0, #0x30
            885         write  32                8000032c  sub    w2, w0, #0x30"
        );
        let asked = opened().press(&[Command::Move(Toward::Down), Command::Access(Way::Back)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), "[Do(Travel(WindowId(1), 876))]");
        let closed = opened().press(&[Command::Move(Toward::Down), Command::Move(Toward::Left)]);
        let mut closed = closed.press(&[Command::Move(Toward::Left)]);
        assert_eq!(
            closed.draw(80, 5).lines().nth(3),
            Some("*▸    36    875  1,426                           80000328 ← 80000390 ← 80000764 …")
        );
        let listed = grouped().take(&Action::GroupAccesses).draw(60, 5);
        assert!(listed.starts_with(" 237 writes of x2\n    Step"), "{listed}");
    }

    #[test]
    fn return_travels_to_an_access() {
        let list = Action::ListExecutions("0x80000494".to_owned());
        let asked = accesses().take(&list).press(&[Command::Move(Toward::Up), Command::Access(Way::Back)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), "[Do(Travel(WindowId(1), 1119))]");
    }

    #[test]
    fn memory_is_told_as_a_whole() {
        assert_eq!(
            memory(PanelKind::Heap).draw(80, 6),
            r"  The trace does not tell of the heap
  Record it again with -record_heap, and keep the file funclist.log beside the
  trace."
        );
        assert_eq!(
            memory(PanelKind::Heat).draw(80, 8),
            r" 5 pages of 4 KiB
   Page      Reads  Writes  Share       Symbol
*  84020000    100      59  ██████━━━
   8ffff000     40      53  ██━━━
   80020000     29      32  █━━
   80000000     44       0  ██
   8001f000     19      18  █━"
        );
        assert_eq!(
            memory(PanelKind::Regions).draw(80, 8),
            r" 4 regions, 704 bytes accessed
   First     Last          Bytes   Accessed  Kind
*  80000a80  80000abf   64 bytes   64 bytes  unknown
   8001ffc0  8002003f  128 bytes  128 bytes  unknown
   84020000  840200bf  192 bytes  128 bytes  unknown
   8ffff5c0  8ffff83f  640 bytes  384 bytes  stack"
        );
        assert_eq!(
            memory(PanelKind::Tasks).draw(80, 3),
            r"   Task  First function  Runs  First step  Last step  Steps   Time  Calls
*▸    0  80000000           1           0      1,762  1,763  1,763     72"
        );
        assert_eq!(
            memory(PanelKind::StackMemory).draw(80, 16),
            r" 44 words above the stack pointer 8ffff5e0
   Address   From sp  Value             Saved  Frame     Written by
*  8ffff5e0  +0       8ffff620          x29    80000390         747
   8ffff5e8  +8       800007f8          x30    80000390         747
   8ffff5f0  +10      0                 x19    80000390         749
   8ffff5f8  +18      84020000          x20    80000390         749
   8ffff600  +20      0                 x21    80000390         750
   8ffff608  +28      80020010          x22    80000390         750
   8ffff610  +30      840200a0          x23    80000390         864
   8ffff618  +38      unknown
   8ffff620  +40      8ffff660          x29    80000764          85
   8ffff628  +48      800009dc          x30    80000764          85
   8ffff630  +50      3                 x19    80000764          87
   8ffff638  +58      8ffff6c8          x20    80000764          87
   8ffff640  +60      1                 x21    80000764          88
   8ffff648  +68      0                 x22    80000764          88"
        );
        assert_eq!(
            memory(PanelKind::StackMemory).draw(40, 8),
            r" 44 words above the stack pointer 8ffff5…
   Address   From sp  Value
*  8ffff5e0  +0       8ffff620
   8ffff5e8  +8       800007f8
   8ffff5f0  +10      0
   8ffff5f8  +18      84020000
   8ffff600  +20      0
   8ffff608  +28      80020010"
        );
    }

    #[test]
    fn the_lists_survive_all_sizes() {
        accesses().take(&Action::ListAccesses("0x80020010".to_owned(), 64, None)).drum();
        let list = Action::ListValues(CellName::Register("x2".to_owned()));
        accesses().take(&list).take(&Action::GroupAccesses).drum();
        [PanelKind::Heap, PanelKind::Heat, PanelKind::Tasks, PanelKind::Regions, PanelKind::StackMemory]
            .into_iter()
            .for_each(|kind| memory(kind).drum());
    }
}
