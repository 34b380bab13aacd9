//! Tests of the memory lists: accesses, heap, busiest pages, regions, stack words.

use stepback_debugger::action::Direction;

use super::*;
use crate::pane::{CursorDirection, PaneCommand};

fn accesses() -> PaneStage<ListPane<TableView<AccessTable>>> {
    PaneStage::at(1233, ListPane::new(TableView::new(AccessTable::default())))
}

fn memory(kind: PanelKind) -> PaneStage<ListPane<TableView<MemoryTable>>> {
    PaneStage::at(1233, ListPane::new(TableView::new(MemoryTable::of(kind))))
}

#[test]
fn accesses_are_listed_with_the_cursor_at_the_last_one() {
    assert_eq!(
        accesses().draw(60, 5),
        r#"  No register, memory or code selected
  Select a register or memory, then run the command
  "Accesses" (:), or "All executions…" for code."#
    );
    let list = Action::View(ViewAction::ListAccesses("0x80020018".to_owned(), 8, None));
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
    let list = Action::View(ViewAction::ListValues(CellName::Register("x2".to_owned())));
    assert_eq!(
        accesses().take(&list).draw(60, 6),
        r" 237 writes of x2
    Step         Before    Value             Instruction
   1,200  write  1         5                 sub    w2, w0, …
   1,210  write  5         31                sub    w2, w0, …
   1,221  write  31        7                 sub    w2, w0, …
*  1,231  write  7         34                sub    w2, w0, …"
    );
    let list = Action::View(ViewAction::ListExecutions("0x80000494".to_owned()));
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
    let list = Action::View(ViewAction::ListValues(CellName::Register("x2".to_owned())));
    let grouped = || {
        accesses()
            .take(&list)
            .take(&Action::View(ViewAction::GroupAccesses))
    };
    assert_eq!(
        grouped().draw(80, 5),
        r" 237 writes of x2 in 14 call stacks
   Count  First   Last         Value             Call stack
*▸   108    137    544                           80000588 ← 80000764 ← 80000898 …
 ▸    36    875  1,426                           80000328 ← 80000390 ← 80000764 …
 ▸    28  1,470  1,583                           800004d4 ← 80000764 ← 80000898 …"
    );
    let opened = || {
        grouped().press(&[
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Move(CursorDirection::Right),
        ])
    };
    assert_eq!(
        opened().draw(80, 6),
        r" 237 writes of x2 in 14 call stacks
   Count  First   Last         Value             Call stack
 ▸   108    137    544                           80000588 ← 80000764 ← 80000898 …
*▾    36    875  1,426                           80000328 ← 80000390 ← 80000764 …
            875         write  5                 8000032c  sub    w2, w0, #0x30
            885         write  32                8000032c  sub    w2, w0, #0x30"
    );
    let requested = opened()
        .press(&[
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Access(Direction::Back),
        ])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        "[Do(Travel(Travel(WindowId(1), Position(876))))]"
    );
    let closed = opened().press(&[
        PaneCommand::Move(CursorDirection::Down),
        PaneCommand::Move(CursorDirection::Left),
    ]);
    let mut closed = closed.press(&[PaneCommand::Move(CursorDirection::Left)]);
    assert_eq!(
        closed.draw(80, 5).lines().nth(3),
        Some("*▸    36    875  1,426                           80000328 ← 80000390 ← 80000764 …")
    );
    let listed = grouped()
        .take(&Action::View(ViewAction::GroupAccesses))
        .draw(60, 5);
    assert!(
        listed.starts_with(" 237 writes of x2\n    Step"),
        "{listed}"
    );
}

#[test]
fn return_travels_to_an_access() {
    let list = Action::View(ViewAction::ListExecutions("0x80000494".to_owned()));
    let requested = accesses()
        .take(&list)
        .press(&[
            PaneCommand::Move(CursorDirection::Up),
            PaneCommand::Access(Direction::Back),
        ])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        "[Do(Travel(Travel(WindowId(1), Position(1119))))]"
    );
}

#[test]
fn memory_is_told_as_a_whole() {
    assert_eq!(
        memory(PanelKind::Heap).draw(80, 6),
        r"  This trace has no heap events
  This format does not record calls of heap functions."
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
*  8ffff5e0  +0x0     8ffff620          x29    80000390         747
   8ffff5e8  +0x8     800007f8          x30    80000390         747
   8ffff5f0  +0x10    0                 x19    80000390         749
   8ffff5f8  +0x18    84020000          x20    80000390         749
   8ffff600  +0x20    0                 x21    80000390         750
   8ffff608  +0x28    80020010          x22    80000390         750
   8ffff610  +0x30    840200a0          x23    80000390         864
   8ffff618  +0x38    unknown
   8ffff620  +0x40    8ffff660          x29    80000764          85
   8ffff628  +0x48    800009dc          x30    80000764          85
   8ffff630  +0x50    3                 x19    80000764          87
   8ffff638  +0x58    8ffff6c8          x20    80000764          87
   8ffff640  +0x60    1                 x21    80000764          88
   8ffff648  +0x68    0                 x22    80000764          88"
    );
    assert_eq!(
        memory(PanelKind::StackMemory).draw(40, 8),
        r" 44 words above the stack pointer 8ffff5…
   Address   From sp  Value
*  8ffff5e0  +0x0     8ffff620
   8ffff5e8  +0x8     800007f8
   8ffff5f0  +0x10    0
   8ffff5f8  +0x18    84020000
   8ffff600  +0x20    0
   8ffff608  +0x28    80020010"
    );
}

#[test]
fn the_lists_survive_all_sizes() {
    accesses()
        .take(&Action::View(ViewAction::ListAccesses(
            "0x80020010".to_owned(),
            64,
            None,
        )))
        .drum();
    let list = Action::View(ViewAction::ListValues(CellName::Register("x2".to_owned())));
    accesses()
        .take(&list)
        .take(&Action::View(ViewAction::GroupAccesses))
        .drum();
    [
        PanelKind::Heap,
        PanelKind::Heat,
        PanelKind::Tasks,
        PanelKind::Regions,
        PanelKind::StackMemory,
    ]
    .into_iter()
    .for_each(|kind| memory(kind).drum());
}
