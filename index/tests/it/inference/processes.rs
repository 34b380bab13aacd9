//! Several processes in one trace: each has separate memory at the same address.

use stepback_index::answer::{
    AccessKinds, Cell, CellAccess, Direction, EdgeKinds, MemoryRange, SliceRow, ThreadId,
};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{
    Accesses, AccessesOf, MemoryAt, MemoryOf, NearestAccess, PageHeat, SliceQuery,
};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, InstructionSet, Registers};
use stepback_parsers::Position;

use crate::support::records::{Record, Records};

const AT: Address = Address(0x60_90a0);

/// Builds a trace of threads 0 and 1 of one process, and thread 100 of another. Each stores a
/// different number.
fn records() -> Index {
    let step =
        |thread, pc, bytes: &[u8]| Record::instruction(thread, pc, bytes, RecordedBranch::None);
    // mov eax, NUMBER; mov [0x6090a0], rax
    let store = |thread, number| {
        let store = step(
            thread,
            0x1005,
            &[0x48, 0x89, 0x04, 0x25, 0xa0, 0x90, 0x60, 0],
        );
        [
            step(thread, 0x1000, &[0xb8, number, 0, 0, 0]),
            store,
            Record::write(thread, AT.0),
        ]
    };
    // mov rbx, [0x6090a0]
    let load = |thread| {
        [
            step(
                thread,
                0x100d,
                &[0x48, 0x8b, 0x1c, 0x25, 0xa0, 0x90, 0x60, 0],
            ),
            Record::read(thread, AT.0),
        ]
    };
    let all = [
        &store(0, 42)[..],
        &store(100, 7),
        &load(0),
        &load(100),
        &load(1),
    ]
    .concat();
    index_in_memory(
        Records::new(all, InstructionSet::X86_64),
        &BuildOptions::default(),
    )
    .unwrap()
}

#[test]
fn each_process_has_memory_of_its_own() {
    let (index, cancel) = (records(), Cancel::default());
    let thread = |name: &str| index.thread_by_name(name).unwrap();
    let (cell, kinds) = (
        Cell::Memory {
            address: AT,
            len_bytes: 8,
        },
        AccessKinds::All,
    );
    let steps_of = |seen_by: ThreadId, before: u64| {
        let question = Accesses {
            nearest: NearestAccess::last(cell, AccessKinds::Writes, Position(before)),
            thread: None,
            skip: 0,
            limit: 9,
        };
        let last = MemoryOf {
            thread: Some(seen_by),
            question,
        }
        .run(&index, &cancel)
        .unwrap();
        let accesses = last.into_iter().flat_map(|last| last.accesses);
        let step = |accessed| match accessed {
            CellAccess::Step(hit) => hit.record.step.0,
            CellAccess::Initial(line) => panic!("{line:?}"),
        };
        accesses.map(step).collect::<Vec<_>>()
    };
    assert_eq!(
        [
            steps_of(thread("0"), 7),
            steps_of(thread("1"), 7),
            steps_of(thread("100"), 7)
        ],
        [[1], [1], [3]]
    );
    assert_eq!(steps_of(thread("100"), 3), [0; 0], "before its own store");
    let next = |seen_by, from| {
        let question = Accesses {
            nearest: NearestAccess::next(cell, kinds, Position(from)),
            thread: None,
            skip: 0,
            limit: 9,
        };
        let next = MemoryOf {
            thread: Some(seen_by),
            question,
        }
        .run(&index, &cancel)
        .unwrap();
        let hits = next.into_iter().flat_map(|next| next.accesses);
        hits.filter_map(CellAccess::into_hit)
            .map(|hit| hit.record.step.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [
            next(thread("0"), 2),
            next(thread("100"), 2),
            next(thread("1"), 5)
        ],
        [[4], [3], [6]]
    );
    let range = MemoryRange {
        address: AT,
        len_bytes: 8,
    };
    let question = AccessesOf {
        range,
        kinds,
        thread: None,
        from: Position(0),
        skip: 0,
        limit: 9,
    };
    let all = |seen_by| {
        let hits = MemoryOf {
            thread: Some(seen_by),
            question,
        }
        .run(&index, &cancel)
        .unwrap();
        hits.iter().map(|hit| hit.record.step.0).collect::<Vec<_>>()
    };
    assert_eq!(all(thread("1")), [1, 4, 6]);
    assert_eq!(all(thread("100")), [3, 5]);
    let byte = |seen_by, position| {
        let question = MemoryAt {
            position: Position(position),
            address: AT,
            len_bytes: 1,
        };
        let bytes = MemoryOf {
            thread: Some(seen_by),
            question,
        }
        .run(&index, &cancel)
        .unwrap();
        bytes.first().and_then(|byte| byte.value)
    };
    assert_ne!(
        byte(thread("0"), 4),
        Some(7),
        "what the other process stored"
    );
    assert_ne!(
        byte(thread("100"), 4),
        Some(42),
        "what the other process stored"
    );
    let question = PageHeat {
        from: Position(0),
        to: index.end(),
        buckets: 1,
    };
    let heat = MemoryOf {
        thread: Some(thread("100")),
        question,
    }
    .run(&index, &cancel)
    .unwrap();
    assert_eq!(
        heat.pages
            .iter()
            .map(|page| (page.reads[0], page.writes[0]))
            .collect::<Vec<_>>(),
        [(1, 1)]
    );
    assert_eq!(index.process_threads(), [thread("0"), thread("100")]);
}

#[test]
fn a_slice_stays_in_its_process() {
    let (index, cancel) = (records(), Cancel::default());
    let view = Registers::view("rbx", InstructionSet::X86_64).unwrap();
    let slice = |name: &str| {
        let cell = Cell::Register {
            thread: index.thread_by_name(name).unwrap(),
            view,
        };
        let question = SliceQuery {
            direction: Direction::Back,
            cell,
            at: index.end(),
            edges: EdgeKinds::default(),
            limit: 99,
        };
        let rows = question.run(&index, &cancel).unwrap();
        let step = |row: SliceRow| match row {
            SliceRow::Step(step) => Some(step.step.0),
            SliceRow::End(_) => None,
        };
        rows.into_iter().filter_map(step).collect::<Vec<_>>()
    };
    assert_eq!(slice("0"), [4, 1, 0]);
    assert_eq!(slice("1"), [6, 1, 0]);
    assert_eq!(slice("100"), [5, 3, 2]);
}
