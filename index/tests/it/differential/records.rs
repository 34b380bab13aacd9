//! Compares the index of record traces with the oracle: random traces, random queries.

use std::sync::Arc;

use proptest::prelude::*;
use stepback_index::answer::{
    AccessKinds, CallId, Cell, CellAccess, MarkerCount, MemoryRange, RegisterFile, ThreadId,
};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::oracle::{Oracle, Replay as _};
use stepback_index::query::{
    AccessesOf, FindMarkers, LastMarkers, NearestAccess, NextMarker, PageHeat, PositionOfLine,
    RegistersAt,
};
use stepback_index::read::MarkerReader;
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Encoding, InstructionSet, Mode};
use stepback_parsers::{DelaySlot, Gap, GapReason, Line, MarkerKind, Position, Source, StepOrigin};

use crate::support::compare::{Comparison, Things, index_of};
use crate::support::dice::Dice;
use crate::support::records::{ITEM, Record, Records, What};

/// The queries of [`Comparison::ask_of_kind`] that do not read the text.
const KINDS: [u64; 10] = [2, 4, 6, 8, 9, 12, 17, 18, 21, 23];

/// Moves, additions, system registers, and invalid encodings.
const A64: [&[u8]; 6] = [
    &[0xe0, 0x03, 0x01, 0xaa],
    &[0x20, 0x00, 0x02, 0x8b],
    &[0x1f, 0x20, 0x03, 0xd5],
    &[0x40, 0xd0, 0x3b, 0xd5],
    &[0xe1, 0x07, 0x40, 0xf9],
    &[0, 0, 0, 0],
];
const X86: [&[u8]; 8] = [
    &[0x90],
    &[0x31, 0xc0],
    &[0x48, 0x89, 0xd8],
    &[0x48, 0x8d, 0x41, 0x08],
    &[0x55],
    &[0xb1, 0x07],
    &[0x0f, 0xa2],
    &[0x06],
];

/// Difference between the addresses of two stacks of a thread.
const OTHER_STACK: u64 = 0x1_0000;

/// A thread of a random trace.
#[derive(Clone, Debug)]
struct RandomThread {
    pc: u64,
    sp: u64,
    /// Return addresses and their stack locations.
    calls: Vec<(u64, u64)>,
    /// Addresses to which control returned.
    points: Vec<u64>,
}

/// Writes a random trace: few addresses, so that they collide; mostly calls that return.
struct Writer<'a> {
    dice: &'a mut Dice,
    set: InstructionSet,
    time: u64,
    records: Vec<Record>,
}

impl Writer<'_> {
    fn step(&mut self, number: u16, thread: &mut RandomThread) {
        if self.dice.one_in(30) {
            thread.sp ^= OTHER_STACK;
        }
        const BRANCHES: [RecordedBranch; 14] = [
            RecordedBranch::None,
            RecordedBranch::None,
            RecordedBranch::None,
            RecordedBranch::None,
            RecordedBranch::Jump,
            RecordedBranch::IndirectJump,
            RecordedBranch::IndirectJump,
            RecordedBranch::Conditional(Some(true)),
            RecordedBranch::Call,
            RecordedBranch::Call,
            RecordedBranch::IndirectCall,
            RecordedBranch::Return,
            RecordedBranch::Return,
            RecordedBranch::Return,
        ];
        let branch = self.dice.pick(&BRANCHES).unwrap();
        let codes: &[&[u8]] = if self.set == InstructionSet::A64 {
            &A64
        } else {
            &X86
        };
        let encoding = Encoding::new(self.dice.pick(codes).unwrap()).unwrap();
        self.time += self.dice.below(3);
        let time = Some(self.time).filter(|_| !self.dice.one_in(9));
        let slots = [
            DelaySlot::None,
            DelaySlot::None,
            DelaySlot::Executed,
            DelaySlot::Annulled,
        ];
        let origins = [
            StepOrigin::Recorded,
            StepOrigin::Recorded,
            StepOrigin::Inferred,
        ];
        let (delay_slot, origin) = (
            self.dice.pick(&slots).unwrap(),
            self.dice.pick(&origins).unwrap(),
        );
        let (pc, mode) = (thread.pc, Mode::default());
        let what = What::Step {
            pc,
            encoding,
            branch,
            time,
            delay_slot,
            origin,
            mode,
        };
        self.records.push(Record {
            thread: number,
            what,
        });
        let after = thread.pc + encoding.bytes().len() as u64;
        thread.pc = match branch {
            RecordedBranch::None if !self.dice.one_in(20) => after,
            RecordedBranch::Call | RecordedBranch::IndirectCall => {
                thread.sp -= 8 * self.dice.below(3);
                self.records.push(Record::write(number, thread.sp));
                thread.calls.push((after, thread.sp));
                if self.dice.one_in(9) {
                    after
                } else {
                    self.anywhere()
                }
            }
            RecordedBranch::Return => self.return_from(number, thread),
            RecordedBranch::IndirectJump if self.dice.one_in(2) => {
                let jumped = self.dice.below(thread.calls.len() as u64) as usize;
                if self.dice.one_in(2) {
                    thread.calls.truncate(jumped);
                    thread.sp = thread.calls.last().map_or(0x8000, |(_, sp)| *sp);
                }
                self.dice.pick(&thread.points).unwrap_or(after)
            }
            _ => self.anywhere(),
        };
    }

    fn return_from(&mut self, number: u16, thread: &mut RandomThread) -> u64 {
        while self.dice.one_in(6) {
            thread.calls.pop();
        }
        let (target, slot) = thread.calls.pop().unwrap_or((0x1010, 0x8000));
        let slot = if self.dice.one_in(12) { slot + 8 } else { slot };
        thread.sp = slot + 8;
        if !self.dice.one_in(20) {
            self.records.push(Record::read(number, slot));
        }
        thread.points.push(target);
        if self.dice.one_in(12) {
            self.anywhere()
        } else {
            target
        }
    }

    fn anywhere(&mut self) -> u64 {
        0x1000 + 2 * self.dice.below(24)
    }

    fn marker(&mut self, number: u16, thread: &mut RandomThread) {
        const KINDS: [u16; 24] = [
            0, 0, 0, 1, 1, 1, 2, 3, 13, 25, 27, 28, 33, 33, 34, 35, 43, 43, 43, 44, 44, 44, 0xfe00,
            0xfe01,
        ];
        let kind = MarkerKind(self.dice.pick(&KINDS).unwrap());
        self.records.push(Record::marker(number, kind, thread.pc));
        if self.dice.one_in(2) {
            thread.pc = self.anywhere();
        }
    }
}

/// Returns the instruction set of a random trace.
fn set_of(seed: u64) -> InstructionSet {
    if seed.is_multiple_of(3) {
        InstructionSet::A64
    } else {
        InstructionSet::X86_64
    }
}

fn random_records(dice: &mut Dice, count: u64) -> Vec<Record> {
    let set = set_of(dice.0);
    let mut writer = Writer {
        dice,
        set,
        time: 1000,
        records: Vec::new(),
    };
    let start = RandomThread {
        pc: 0x1000,
        sp: 0x8000,
        calls: Vec::new(),
        points: vec![0x1008],
    };
    let mut threads = [start.clone(), start.clone(), start];
    let mut number = 0;
    while (writer.records.len() as u64) < count {
        if writer.dice.one_in(12) {
            number = writer.dice.below(3) as u16;
        }
        let thread = &mut threads[usize::from(number)];
        match writer.dice.below(12) {
            0 => writer.marker(number, thread),
            _ => {
                writer.step(number, thread);
                let address = 0x7f00 + 8 * writer.dice.below(12);
                match writer.dice.below(4) {
                    0 => writer.records.push(Record::read(number, address)),
                    1 => writer.records.push(Record::write(number, address)),
                    _ => {}
                }
            }
        }
    }
    writer.records
}

fn check(records: Vec<Record>, segment_sizes: &[u64], questions: u64, seed: u64) {
    let source: Arc<dyn Source> = Records::new(records, set_of(seed));
    let oracle = Oracle::of(source.as_ref()).unwrap();
    let things = Things::of(&oracle);
    for (number, segment_bytes) in segment_sizes.iter().enumerate() {
        let index = index_of(&source, *segment_bytes, 1 + number % 3);
        let name = format!("seed {seed}, segments of {segment_bytes}");
        let comparison = Comparison {
            index,
            oracle: &oracle,
            things: &things,
            name,
        };
        comparison.whole();
        let mut dice = Dice(seed);
        for _ in 0..questions {
            comparison.ask_of_kind(dice.pick(&KINDS).unwrap(), &mut dice);
            comparison.agree(PositionOfLine(Line(dice.below(oracle.line_count() + 3))));
            ask_markers(&comparison, &mut dice);
            ask_memory(&comparison, &mut dice);
            ask_writers(&comparison, &mut dice);
        }
    }
}

fn ask_memory(comparison: &Comparison<'_>, dice: &mut Dice) {
    let steps = comparison.index.step_count();
    let (from, to) = (
        Position(dice.below(steps + 1)),
        Position(dice.below(steps + 2)),
    );
    comparison.agree(PageHeat {
        from,
        to,
        buckets: dice.below(5) as usize,
    });
    let range = MemoryRange {
        address: Address(0x7ef0 + dice.below(0x120)),
        len_bytes: dice.below(90),
    };
    let kinds = dice
        .pick(&[AccessKinds::Reads, AccessKinds::Writes, AccessKinds::All])
        .unwrap();
    let thread = Some(ThreadId(dice.below(3) as u16)).filter(|_| dice.one_in(2));
    comparison.agree(AccessesOf {
        range,
        kinds,
        thread,
        from,
        skip: dice.below(3) as usize,
        limit: dice.below(9) as usize,
    });
}

/// Queries the writers of registers; only the index infers their values.
fn ask_writers(comparison: &Comparison<'_>, dice: &mut Dice) {
    let position = Position(dice.below(comparison.index.step_count() + 1));
    let question = RegistersAt {
        position,
        thread: Some(ThreadId(0)),
    };
    let (Ok(found), Some(expected)) = (
        question.run(&comparison.index, &Cancel::default()),
        question.replay(comparison.oracle),
    ) else {
        panic!("{}: {question:?}", comparison.name);
    };
    let writers = |file: &RegisterFile| -> Vec<_> {
        let states = file.registers.iter();
        states
            .map(|state| (state.name.clone(), state.written_at, state.written_by))
            .collect()
    };
    assert_eq!(
        writers(&found),
        writers(&expected),
        "{}: {question:?}",
        comparison.name
    );
}

fn ask_markers(comparison: &Comparison<'_>, dice: &mut Dice) {
    let kinds: Vec<_> = (0..dice.below(3))
        .map(|_| MarkerKind(dice.pick(&[0, 1, 2, 3, 33, 99]).unwrap()))
        .collect();
    let thread = Some(ThreadId(dice.below(4) as u16)).filter(|_| dice.one_in(2));
    let steps = comparison.index.step_count();
    let position = |dice: &mut Dice| Position(dice.below(steps + 2));
    let (from, to, limit) = (position(dice), position(dice), dice.below(20) as usize);
    comparison.agree(FindMarkers {
        kinds: kinds.clone(),
        thread,
        from,
        to,
        limit,
    });
    comparison.agree(FindMarkers {
        kinds: kinds.clone(),
        thread,
        from,
        to: Position(u64::MAX),
        limit: usize::MAX,
    });
    comparison.agree(NextMarker {
        kinds: kinds.clone(),
        from,
    });
    comparison.agree(LastMarkers {
        kinds,
        thread,
        at: position(dice),
    });
}

/// Adds values of the stack pointer, mostly those of the calls around.
fn with_stack_pointers(dice: &mut Dice, records: Vec<Record>) -> Vec<Record> {
    let mut slots = [0x8000; 3];
    let mut all = Vec::new();
    for record in records {
        if let What::Access { address, .. } = record.what {
            slots[usize::from(record.thread)] = address;
        }
        all.push(record);
        let near = slots[usize::from(record.thread)] + 8 * dice.below(4);
        let value = match dice.below(24) {
            0 => None,
            1 => Some(near ^ OTHER_STACK),
            2..9 => Some(near),
            9..11 => Some(0x7f00 + 8 * dice.below(48)),
            _ => continue,
        };
        all.push(Record {
            thread: record.thread,
            what: What::StackPointer(value),
        });
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_stack_pointers_give_the_calls_of_the_oracle(count in 0u64..400, seed: u64) {
        let records = random_records(&mut Dice(seed), count);
        let records = with_stack_pointers(&mut Dice(seed), records);
        let source: Arc<dyn Source> = Records::new(records, set_of(seed));
        let expected = Oracle::of(source.as_ref()).unwrap().calls().calls;
        for (number, segment_bytes) in [ITEM, 5 * ITEM, 40 * ITEM, 1 << 20].into_iter().enumerate() {
            let index = index_of(&source, segment_bytes, 1 + number % 3);
            let found = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
            assert_eq!(
                found.collect::<Vec<_>>(),
                expected,
                "seed {seed}, segments of {segment_bytes} bytes"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_records_give_the_answers_of_the_oracle(count in 0u64..200, seed: u64) {
        check(random_records(&mut Dice(seed), count), &[16, 80, 500, 1 << 30], 20, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn many_random_records_give_the_answers_of_the_oracle(count in 2000u64..6000, seed: u64) {
        check(random_records(&mut Dice(seed), count), &[1000, 9000, 1 << 30], 60, seed);
    }
}

#[test]
fn markers_are_counted_by_thread_and_kind() {
    let step = |thread, pc| Record::step(thread, pc, 4, RecordedBranch::None);
    let idle = |thread| Record::marker(thread, MarkerKind::CORE_IDLE, 0);
    let records = vec![
        idle(0),
        idle(0),
        step(0, 0x1000),
        idle(0),
        step(7, 0x2000),
        idle(7),
        idle(7),
        step(0, 0x1004),
    ];
    let source: Arc<dyn Source> = Records::new(records, InstructionSet::A64);
    for segment_bytes in [16, 1 << 20] {
        let options = BuildOptions {
            segment_bytes,
            threads: 1,
        };
        let index = index_in_memory(source.clone(), &options).unwrap();
        let count = |thread, count| MarkerCount {
            thread: ThreadId(thread),
            kind: MarkerKind::CORE_IDLE,
            count,
        };
        assert_eq!(
            MarkerReader(&index).marker_counts().collect::<Vec<_>>(),
            [count(0, 3), count(1, 2)]
        );
        let whole = FindMarkers {
            kinds: vec![],
            thread: None,
            from: Position(0),
            to: index.end(),
            limit: 99,
        };
        let hits = whole.run(&index, &Cancel::default()).unwrap();
        assert_eq!(
            hits.iter().map(|hit| hit.position.0).collect::<Vec<_>>(),
            [0, 0, 1, 2, 2]
        );
    }
}

/// Each thread waits in a system call after its turn. These queries took minutes when each examined
/// every marker kind of every thread once per thread.
#[test]
fn what_thousands_of_threads_wait_for_costs_a_look_at_each() {
    const THREADS: u16 = 4000;
    const FUTEX: u64 = 202;
    let mut records = Vec::new();
    for turn in 0..3 {
        for thread in 0..THREADS {
            records.push(Record::step(thread, 0x1000, 2, RecordedBranch::None));
            records.push(Record::write(thread, 0x7f00 + 8 * u64::from(thread % 16)));
            for kind in [
                MarkerKind::TIMESTAMP,
                MarkerKind::CPU,
                MarkerKind::SYSTEM_CALL,
            ] {
                records.push(Record::marker(
                    thread,
                    kind,
                    if kind == MarkerKind::SYSTEM_CALL {
                        FUTEX
                    } else {
                        turn
                    },
                ));
            }
        }
    }
    let source: Arc<dyn Source> = Records::new(records, InstructionSet::X86_64);
    for segment_bytes in [3000, 1 << 30] {
        let index = index_of(&source, segment_bytes, 1);
        let cell = Cell::Memory {
            address: Address(0x7f08),
            len_bytes: 8,
        };
        for before in (1..=index.end().0).step_by(400).map(Position) {
            let last = NearestAccess::last(cell, AccessKinds::Writes, before)
                .run(&index, &Cancel::default())
                .unwrap();
            let Some(CellAccess::Step(hit)) = last else {
                continue;
            };
            assert_eq!(hit.record.step.0 % 16, 1, "before {before:?}");
        }
        let kinds = vec![MarkerKind::SYSTEM_CALL];
        let (mut from, mut found) = (Position(0), 0);
        while from <= index.end() {
            let page = FindMarkers {
                kinds: kinds.clone(),
                thread: None,
                from,
                to: index.end(),
                limit: 100,
            };
            let hits = page.run(&index, &Cancel::default()).unwrap();
            found += hits.len() as u64;
            from = hits
                .last()
                .map_or(Position(u64::MAX), |hit| Position(hit.position.0 + 1));
        }
        assert_eq!(found, index.step_count());
    }
}

/// The first step after the gap begins the outermost known frame, whatever led to it.
#[test]
fn interrupts_between_a_gap_and_the_next_step_begin_no_frame() {
    let step = |pc| Record::step(0, pc, 4, RecordedBranch::None);
    let gap = Gap {
        reason: GapReason::Off,
        instructions: None,
    };
    let records = vec![
        step(0x1000),
        Record::marker(0, gap.marker().kind, 0),
        Record::marker(0, MarkerKind::KERNEL_EVENT, 0x1008),
        Record::marker(0, MarkerKind::CONTEXT_SWITCH_START, 0),
        step(0x2000),
        step(0x2004),
    ];
    let source: Arc<dyn Source> = Records::new(records, InstructionSet::A64);
    for segment_bytes in [16, 80, 1 << 20] {
        let index = index_of(&source, segment_bytes, 1);
        let functions: Vec<_> = (0..index.calls().len())
            .map(|id| index.calls().get(CallId(id)).unwrap())
            .map(|call| (call.function.0, call.depth))
            .collect();
        assert_eq!(functions, [(0x1000, 0), (0x2000, 0)]);
    }
}
