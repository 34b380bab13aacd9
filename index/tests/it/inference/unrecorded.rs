//! Memory that changes without a record, or with one of uncertain order.

use std::ops::Range;

use stepback_index::answer::{Program, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory, with_images};
use stepback_index::query::{MemoryAt, RegisterViewsAt};
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, InstructionSet, Registers};
use stepback_parsers::{MarkerKind, Position};

use crate::support::records::{Record, Records, What};

const STACK: u64 = 0x7000_0000;

fn access(thread: u16, kind: AccessKind, address: u64) -> Record {
    Record {
        thread,
        what: What::Access {
            kind,
            address,
            size_bytes: 8,
        },
    }
}

/// Returns `mov qword ptr [rsp + offset], 5` with its record.
fn store(thread: u16, offset: u32) -> [Record; 2] {
    let bytes = [
        &[0x48, 0xc7, 0x84, 0x24][..],
        &offset.to_le_bytes(),
        &[5, 0, 0, 0],
    ]
    .concat();
    let step = Record::instruction(thread, 0x1000, &bytes, RecordedBranch::None);
    [
        step,
        access(thread, AccessKind::Write, STACK + u64::from(offset)),
    ]
}

/// Returns `mov rbx, [rsp + offset]` with its record, and a following step.
fn load(thread: u16, pc: u64, offset: u32) -> [Record; 3] {
    let bytes = [&[0x48, 0x8b, 0x9c, 0x24][..], &offset.to_le_bytes()].concat();
    let step = Record::instruction(thread, pc, &bytes, RecordedBranch::None);
    let behind = Record::instruction(thread, pc + 8, &[0x90], RecordedBranch::None);
    [
        step,
        access(thread, AccessKind::Read, STACK + u64::from(offset)),
        behind,
    ]
}

fn step(thread: u16, pc: u64, bytes: &[u8]) -> [Record; 1] {
    [Record::instruction(thread, pc, bytes, RecordedBranch::None)]
}

fn marker(thread: u16, kind: MarkerKind, value: u64) -> [Record; 1] {
    [Record::marker(thread, kind, value)]
}

/// Compares `rbx` of thread 0, and memory at an offset of the stack, at a position.
#[track_caller]
fn check(records: &[&[Record]], at: u64, offset: u32, expected: Option<u8>) {
    let index = index_in_memory(
        Records::new(records.concat(), InstructionSet::X86_64),
        &BuildOptions::default(),
    )
    .unwrap();
    let (position, cancel) = (Position(at), Cancel::default());
    let views = vec![(
        "bl".to_owned(),
        Registers::view("bl", InstructionSet::X86_64).unwrap(),
    )];
    let states = RegisterViewsAt {
        position,
        thread: ThreadId(0),
        views,
    }
    .run(&index, &cancel)
    .unwrap();
    assert_eq!(states[0].value.0, [expected], "bl");
    let question = MemoryAt {
        position,
        address: Address(STACK + u64::from(offset)),
        len_bytes: 1,
    };
    let byte = question.run(&index, &cancel).unwrap()[0].value;
    // With several threads, a trace that does not record system calls allows no inference about
    // memory.
    assert!(
        byte.is_none() || byte == expected,
        "memory is {byte:02x?}, not {expected:02x?}"
    );
}

/// `xsavec [rsp + 0x40]`, which recorders omit.
const XSAVEC: &[u8] = &[0x0f, 0xc7, 0x64, 0x24, 0x40];

#[test]
fn a_saved_state_ends_what_was_known_of_the_stack_as_far_as_it_reaches() {
    let trace = |offset: u32, mask: u8| {
        let mask = step(0, 0x100c, &[0xb8, mask, 0, 0, 0]); // mov eax, mask
        (
            store(0, offset),
            mask,
            step(0, 0x1011, XSAVEC),
            load(0, 0x1016, offset),
        )
    };
    let known = |offset: u32, mask: u8, expected: Option<u8>| {
        let (store, mask, save, load) = trace(offset, mask);
        check(&[&store, &mask, &save, &load], 4, offset, expected);
    };
    known(0x100, 7, None);
    known(0x37f, 7, None);
    known(0x400, 7, Some(5));
    known(0x20, 7, Some(5));
    // With the AVX-512 registers.
    known(0x400, 0xee, None);
    known(0xb00, 0xee, Some(5));
}

#[test]
fn what_another_thread_stores_at_the_same_time_ends_what_was_known() {
    let time = |thread: u16, time: u64| marker(thread, MarkerKind::TIMESTAMP, time);
    let own = [&store(0, 8)[..], &load(0, 0x100c, 8)].concat();
    let nop = step(0, 0x1015, &[0x90]);
    // Its step is later in the trace, but begins before the first thread's steps were over.
    let during = [
        &time(0, 10)[..],
        &own,
        &time(1, 20),
        &store(1, 8),
        &time(1, 25),
        &time(0, 30),
        &nop,
    ]
    .concat();
    check(&[&during], 2, 8, None);
    let nops: Vec<Record> = (0..300)
        .flat_map(|number| step(0, 0x1015 + number, &[0x90]))
        .collect();
    let after = [
        &time(0, 10)[..],
        &own,
        &nops,
        &time(0, 15),
        &time(1, 20),
        &store(1, 8),
    ]
    .concat();
    check(&[&after], 2, 8, Some(5));
    // Its step is earlier in the trace, and may have completed later.
    let longer = [
        &time(1, 5)[..],
        &store(1, 8),
        &time(0, 10),
        &own,
        &time(1, 25),
        &time(0, 30),
        &nop,
    ]
    .concat();
    check(&[&longer], 3, 8, None);
    // Elsewhere.
    let elsewhere = [
        &time(0, 10)[..],
        &own,
        &time(1, 20),
        &store(1, 0x800),
        &time(0, 30),
        &nop,
    ]
    .concat();
    check(&[&elsewhere], 2, 8, Some(5));
}

#[test]
fn what_the_kernel_reads_for_another_thread_ends_what_was_known() {
    let read = |address: u64| {
        let address = u32::try_from(address).unwrap().to_le_bytes();
        let pointer = step(1, 0x2000, &[&[0xbe][..], &address].concat()); // mov esi, address
        let length = step(1, 0x2005, &[0xba, 0x10, 0, 0, 0]); // mov edx, 16
        let call = step(1, 0x200a, &[0x0f, 0x05]);
        [
            &pointer[..],
            &length,
            &call,
            &marker(1, MarkerKind::SYSTEM_CALL, 0),
        ]
        .concat()
    };
    let around = |inner: &[Record]| [&store(0, 8)[..], inner, &load(0, 0x100c, 8)].concat();
    check(&[&around(&read(STACK))], 5, 8, None);
    check(&[&around(&read(STACK + 0x1000))], 5, 8, Some(5));
    // The destination is unknown.
    let call = [
        &step(1, 0x200a, &[0x0f, 0x05])[..],
        &marker(1, MarkerKind::SYSTEM_CALL, 0),
    ]
    .concat();
    check(&[&around(&call)], 3, 8, None);
    // It writes nothing.
    let call = [
        &step(1, 0x200a, &[0x0f, 0x05])[..],
        &marker(1, MarkerKind::SYSTEM_CALL, 3),
    ]
    .concat();
    check(&[&around(&call)], 3, 8, Some(5));
}

/// Builds consecutive steps from 0x1000 on, each with its further records.
fn code(steps: &[(&[u8], &[Record])]) -> Vec<Record> {
    let (mut pc, mut records) = (0x1000, Vec::new());
    for (bytes, more) in steps {
        records.extend(step(0, pc, bytes));
        records.extend_from_slice(more);
        pc += bytes.len() as u64;
    }
    records
}

/// Returns a byte of memory at a position.
fn byte_at(records: &[Record], at: u64, address: u64) -> Option<u8> {
    let trace = Records::new(records.to_vec(), InstructionSet::X86_64);
    let index = index_in_memory(trace, &BuildOptions::default()).unwrap();
    let question = MemoryAt {
        position: Position(at),
        address: Address(address),
        len_bytes: 1,
    };
    question.run(&index, &Cancel::default()).unwrap()[0].value
}

/// Returns `bl` at a position.
fn bl_at(records: &[Record], at: u64) -> Option<u8> {
    let trace = Records::new(records.to_vec(), InstructionSet::X86_64);
    let index = index_in_memory(trace, &BuildOptions::default()).unwrap();
    let views = vec![(
        "bl".to_owned(),
        Registers::view("bl", InstructionSet::X86_64).unwrap(),
    )];
    let question = RegisterViewsAt {
        position: Position(at),
        thread: ThreadId(0),
        views,
    };
    question.run(&index, &Cancel::default()).unwrap()[0].value.0[0]
}

const SYSCALL: &[u8] = &[0x0f, 0x05];
const NOP: &[u8] = &[0x90];

#[test]
fn memory_that_may_be_found_at_another_address_is_known_only_while_it_is_accessed() {
    const HERE: u64 = 0x5000_0000;
    const THERE: u64 = 0x5000_4000;
    let with_flags = |flags: u8| {
        code(&[
            (&[0x41, 0xba, flags, 0, 0, 0], &[]), // 0 mov r10d, flags
            (&[0xbe, 0, 0x10, 0, 0], &[]),        // 1 mov esi, 0x1000
            (SYSCALL, &marker(0, MarkerKind::SYSTEM_CALL, 9)), // 2 mmap
            (&[0x48, 0x89, 0xc5], &[]),           // 3 mov rbp, rax
            (SYSCALL, &marker(0, MarkerKind::SYSTEM_CALL, 9)), // 4 mmap
            (
                &[0x48, 0xc7, 0x45, 0, 5, 0, 0, 0],
                &[Record::write(0, HERE)],
            ), // 5 mov qword ptr [rbp], 5
            (&[0x48, 0xc7, 0, 6, 0, 0, 0], &[Record::write(0, THERE)]), // 6 mov qword ptr [rax], 6
            (NOP, &[]),
            (
                &[0x48, 0xc7, 0x45, 16, 7, 0, 0, 0],
                &[Record::write(0, HERE + 0x2000)],
            ), // 8 elsewhere
            (NOP, &[]),
        ])
    };
    const SHARED: u8 = 1;
    const PRIVATE: u8 = 0x22;
    let bytes = |flags: u8| {
        [(6, HERE), (7, HERE), (7, THERE), (8, THERE)]
            .map(|(at, address)| byte_at(&with_flags(flags), at, address))
    };
    assert_eq!(bytes(PRIVATE), [Some(5), Some(5), Some(6), Some(6)]);
    assert_eq!(bytes(SHARED), [Some(5), None, Some(6), None]);
}

#[test]
fn a_stack_that_others_see_is_not_followed() {
    let trace = |flags: u8| {
        let stack = u32::try_from(STACK).unwrap().to_le_bytes();
        code(&[
            (&[&[0xbf][..], &stack].concat(), &[]), // 0 mov edi, STACK
            (&[0xbe, 0, 0x10, 0, 0], &[]),          // 1 mov esi, 0x1000
            (&[0x41, 0xba, flags, 0, 0, 0], &[]),   // 2 mov r10d, flags
            (SYSCALL, &marker(0, MarkerKind::SYSTEM_CALL, 9)), // 3 mmap
            (
                &[0x48, 0xc7, 0x44, 0x24, 8, 5, 0, 0, 0],
                &[Record::write(0, STACK + 8)],
            ), // 4 mov qword ptr [rsp + 8], 5
            (&[0x48, 0x8b, 0x5c, 0x24, 8], &[Record::read(0, STACK + 8)]), // 5 mov rbx, [rsp + 8]
            (NOP, &[]),
        ])
    };
    const FIXED: u8 = 0x10;
    assert_eq!(
        [2, 1, 3, 0].map(|kind| bl_at(&trace(FIXED | kind), 6)),
        [Some(5), None, None, None]
    );
}

#[test]
fn memory_that_the_kernel_writes_unasked_is_known_only_while_it_is_accessed() {
    const AREA: u64 = 0x5000_0000;
    let trace = |number: u64| {
        let area = u32::try_from(AREA).unwrap().to_le_bytes();
        code(&[
            (&[&[0xbf][..], &area].concat(), &[]), // 0 mov edi, AREA
            (&[0xbe, 32, 0, 0, 0], &[]),           // 1 mov esi, 32
            (SYSCALL, &marker(0, MarkerKind::SYSTEM_CALL, number)),
            (
                &[0x48, 0xc7, 0x47, 8, 5, 0, 0, 0],
                &[Record::write(0, AREA + 8)],
            ), // 3 mov qword ptr [rdi + 8], 5
            (
                &[0x48, 0xc7, 0x47, 64, 6, 0, 0, 0],
                &[Record::write(0, AREA + 64)],
            ), // 4 mov qword ptr [rdi + 64], 6
            (NOP, &[]),
            (NOP, &[]),
        ])
    };
    let bytes = |number: u64| {
        [(4, 8), (5, 8), (5, 64), (6, 64)]
            .map(|(at, offset)| byte_at(&trace(number), at, AREA + offset))
    };
    const CLOSE: u64 = 3;
    const RSEQ: u64 = 334;
    const IO_URING_SETUP: u64 = 425;
    assert_eq!(bytes(CLOSE), [Some(5), Some(5), Some(6), Some(6)]);
    assert_eq!(bytes(RSEQ), [Some(5), None, Some(6), Some(6)]);
    assert_eq!(bytes(IO_URING_SETUP), [Some(5), None, Some(6), None]);
}

#[test]
fn what_the_kernel_shows_every_program_is_known_only_while_it_is_read() {
    const CLOCK: u64 = 0x5000_0080;
    let load = [
        &[0x48, 0x8b, 0x1c, 0x25][..],
        &u32::try_from(CLOCK).unwrap().to_le_bytes(),
    ]
    .concat(); // mov rbx, [CLOCK]
    const SHOWN: u64 = 0x6000_0005;
    let records = code(&[
        (&load, &[Record::read(0, CLOCK)]),
        (&[0x48, 0x8b, 0x0b], &[Record::read(0, SHOWN)]), // mov rcx, [rbx]
        (NOP, &[]),
        (NOP, &[]),
        (NOP, &[]),
    ]);
    let byte_with = |pages: &Option<Range<u64>>, at: u64| {
        let trace = Records::new(records.clone(), InstructionSet::X86_64);
        let index = index_in_memory(trace, &BuildOptions::default()).unwrap();
        let mut program = Program::default();
        pages
            .iter()
            .for_each(|pages| program.add_kernel_pages(pages.clone()));
        let index = with_images(index, program, &Cancel::default());
        let question = MemoryAt {
            position: Position(at),
            address: Address(CLOCK),
            len_bytes: 1,
        };
        question.run(&index, &Cancel::default()).unwrap()[0].value
    };
    let bytes = |pages: Option<Range<u64>>| [1, 3, 5].map(|at| byte_with(&pages, at));
    assert_eq!(bytes(None), [Some(5); 3]);
    assert_eq!(bytes(Some(0x5000_0000..0x5000_1000)), [Some(5), None, None]);
    assert_eq!(bytes(Some(0x5000_1000..0x5000_2000)), [Some(5); 3]);
}

#[test]
fn the_number_of_the_core_may_change_at_any_time() {
    // The target of the thread's segment begins at this distance from the stack.
    let trace = |distance: u64| {
        code(&[
            // mov eax, fs:[0x10]
            (
                &[0x64, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0],
                &[Record {
                    thread: 0,
                    what: What::Access {
                        kind: AccessKind::Read,
                        address: STACK - distance + 0x10,
                        size_bytes: 4,
                    },
                }],
            ),
            (
                &[0x48, 0xc7, 0x44, 0x24, 0x18, 5, 0, 0, 0],
                &[Record::write(0, STACK + 0x18)],
            ), // mov qword ptr [rsp + 0x18], 5
            (
                &[0x48, 0x8b, 0x5c, 0x24, 0x18],
                &[Record::read(0, STACK + 0x18)],
            ), // mov rbx, [rsp + 0x18]
            (NOP, &[]),
        ])
    };
    // Memory within it is shared; memory elsewhere is known.
    assert_eq!(
        [0, 0x800, 0x1000, 0x8000].map(|distance| bl_at(&trace(distance), 3)),
        [None, None, Some(5), Some(5)]
    );
}
