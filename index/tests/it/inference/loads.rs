//! Inference of loads: a register receives the bytes in memory, regardless of the register that
//! addresses them. The values follow from the instructions (Intel SDM volume 2: PUSH, MOV, MOVZX;
//! volume 1, 1.3.1: bytes are stored lowest first).

use stepback_index::answer::ThreadId;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{MemoryAt, RegisterViewsAt};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, InstructionSet, Registers};
use stepback_parsers::{MarkerKind, Position};

use crate::support::records::{Record, Records, What};

const STACK: u64 = 0x7fff_0000;
const HEAP: u64 = 0x5000_0000;
/// `mov eax, 0x1234567`
const EAX: &[u8] = &[0xb8, 0x67, 0x45, 0x23, 0x01];
const NOP: &[u8] = &[0x90];

fn access(kind: AccessKind, address: u64, size_bytes: u8) -> Option<Record> {
    Some(Record {
        thread: 0,
        what: What::Access {
            kind,
            address,
            size_bytes,
        },
    })
}

fn read(address: u64, size_bytes: u8) -> Option<Record> {
    access(AccessKind::Read, address, size_bytes)
}

fn write(address: u64, size_bytes: u8) -> Option<Record> {
    access(AccessKind::Write, address, size_bytes)
}

/// Builds steps from 0x1000 on, each with its access, and two that do nothing.
fn code(steps: &[(&[u8], Option<Record>)]) -> Vec<Record> {
    let (mut pc, mut records) = (0x1000, Vec::new());
    for (bytes, access) in steps.iter().chain(&[(NOP, None), (NOP, None)]) {
        records.push(Record::instruction(0, pc, bytes, RecordedBranch::None));
        records.extend(*access);
        pc += bytes.len() as u64;
    }
    records
}

fn index_of(records: Vec<Record>) -> Index {
    index_in_memory(
        Records::new(records, InstructionSet::X86_64),
        &BuildOptions::default(),
    )
    .unwrap()
}

fn register(index: &Index, at: u64, name: &str) -> String {
    let views = vec![(
        name.to_owned(),
        Registers::view(name, InstructionSet::X86_64).unwrap(),
    )];
    let question = RegisterViewsAt {
        position: Position(at),
        thread: ThreadId(0),
        views,
    };
    question.run(index, &Cancel::default()).unwrap()[0]
        .value
        .hex()
}

/// Returns bytes of memory, lowest address first.
fn memory(index: &Index, at: u64, address: u64, len_bytes: u64) -> Vec<Option<u8>> {
    let question = MemoryAt {
        position: Position(at),
        address: Address(address),
        len_bytes,
    };
    question
        .run(index, &Cancel::default())
        .unwrap()
        .iter()
        .map(|byte| byte.value)
        .collect()
}

/// Compares a register after the last step but two.
#[track_caller]
fn check(steps: &[(&[u8], Option<Record>)], name: &str, expected: &str) {
    assert_eq!(
        register(&index_of(code(steps)), steps.len() as u64, name),
        expected,
        "{name}"
    );
}

/// `mov rdi, rsp`
const COPY: &[u8] = &[0x48, 0x89, 0xe7];
/// `push rax`
const PUSH: &[u8] = &[0x50];

#[test]
fn a_pushed_value_is_loaded_through_a_copy_of_the_stack_pointer() {
    let steps = |load: &'static [u8], offset: u64, size_bytes: u8| {
        [
            (EAX, None),
            (PUSH, write(STACK + 8, 8)),
            (PUSH, write(STACK, 8)),
            (COPY, None),
            (load, read(STACK + offset, size_bytes)),
        ]
    };
    // mov rbx, [rdi + 8]
    check(
        &steps(&[0x48, 0x8b, 0x5f, 8], 8, 8),
        "rbx",
        "0000000001234567",
    );
    // mov ebx, [rdi + 8]
    check(&steps(&[0x8b, 0x5f, 8], 8, 4), "rbx", "0000000001234567");
    // movzx ebx, byte ptr [rdi + 9]
    check(
        &steps(&[0x0f, 0xb6, 0x5f, 9], 9, 1),
        "rbx",
        "0000000000000045",
    );
    // movzx ebx, word ptr [rdi + 0xa]
    check(
        &steps(&[0x0f, 0xb7, 0x5f, 0xa], 0xa, 2),
        "rbx",
        "0000000000000123",
    );
    // mov rbx, [rdi + 2]: the ends of both
    check(
        &steps(&[0x48, 0x8b, 0x5f, 2], 2, 8),
        "rbx",
        "4567000000000123",
    );
}

#[test]
fn what_several_stores_left_is_loaded_at_once() {
    let steps = [
        (COPY, None),
        (&[0xc7, 0x07, 1, 0, 0, 0][..], write(STACK, 4)), // mov dword ptr [rdi], 1
        (&[0xc7, 0x47, 4, 2, 0, 0, 0], write(STACK + 4, 4)), // mov dword ptr [rdi + 4], 2
        (&[0xc6, 0x47, 1, 3], write(STACK + 1, 1)),       // mov byte ptr [rdi + 1], 3
        (&[0x48, 0x8b, 0x1f], read(STACK, 8)),            // mov rbx, [rdi]
    ];
    check(&steps, "rbx", "0000000200000301");
    // Nothing stored the upper half: mov rbx, [rdi + 4]
    let steps = [
        steps[0],
        steps[2],
        (&[0x48, 0x8b, 0x5f, 4], read(STACK + 4, 8)),
    ];
    check(&steps, "rbx", "????????00000002");
    // If the whole is an address, the rest is known from then on: mov rbx, [rdi + 4]; mov ecx, [rbx
    // + 8]; mov edx, [rdi + 8]
    let steps = [
        steps[0],
        steps[1],
        steps[2],
        (&[0x8b, 0x4b, 8], read(0x5_0000_000a, 4)),
        (&[0x8b, 0x57, 8], read(STACK + 8, 4)),
    ];
    check(&steps, "rbx", "0000000500000002");
    check(&steps, "rdx", "0000000000000005");
}

#[test]
fn a_value_stored_elsewhere_is_loaded_as_memory_holds_it() {
    let steps = [
        (EAX, None),
        (&[0x48, 0x89, 0x07][..], write(HEAP, 8)), // mov [rdi], rax
        (&[0x48, 0x8b, 0x0f], read(HEAP, 8)),      // mov rcx, [rdi]
    ];
    let index = index_of(code(&steps));
    assert_eq!(register(&index, 3, "rcx"), "0000000001234567");
    assert_eq!(
        memory(&index, 3, HEAP, 4),
        [0x67, 0x45, 0x23, 0x01].map(Some)
    );
    // The kernel may have written it: read(0, rdi, …)
    let call = [
        (EAX, None),
        steps[1],
        (&[0x31, 0xc0], None),
        (&[0x0f, 0x05], None),
        steps[2],
    ];
    check(&call, "rcx", "????????????????");
}

#[test]
fn what_others_may_have_stored_is_not_loaded() {
    let other = |address: u64| {
        let step = Record::instruction(1, 0x9000, &[0x48, 0x89, 0x07], RecordedBranch::None);
        vec![
            step,
            Record {
                thread: 1,
                what: What::Access {
                    kind: AccessKind::Write,
                    address,
                    size_bytes: 8,
                },
            },
        ]
    };
    let own = |thread_one: Vec<Record>| {
        let steps = [
            (EAX, None),
            (&[0x48, 0x89, 0x07][..], write(HEAP, 8)),
            (&[0x48, 0x8b, 0x0f], read(HEAP, 8)),
        ];
        let records = code(&steps);
        let (before, after) = records.split_at(3);
        index_of([before, &thread_one, after].concat())
    };
    for address in [HEAP, HEAP + 0x1000] {
        // The system calls of the other thread are unknown.
        let index = own(other(address));
        assert_eq!(
            register(&index, 4, "rcx"),
            "????????????????",
            "{address:#x}"
        );
        assert_eq!(memory(&index, 4, HEAP, 1), [None], "{address:#x}");
    }
    let index = own(vec![Record::marker(0, MarkerKind::KERNEL_EVENT, 0x1008)]);
    assert_eq!(
        register(&index, 3, "rcx"),
        "????????????????",
        "behind a signal"
    );
}

/// Intel SDM, volume 2, REP and MOVS: each iteration moves both pointers, and the loop ends with a
/// counter of 0.
#[test]
fn a_repeated_move_leaves_its_pointers_after_the_last_byte() {
    let run = |addresses: &[u64], behind: u64| {
        let mut records = vec![Record::instruction(
            0,
            0x1000,
            &[0xf3, 0xa4],
            RecordedBranch::None,
        )];
        for address in addresses {
            records.extend(read(HEAP + address, 1));
            records.extend(write(STACK + address, 1));
        }
        records.extend([
            Record::instruction(0, behind, NOP, RecordedBranch::None),
            Record::instruction(0, behind + 1, NOP, RecordedBranch::None),
        ]);
        index_of(records)
    };
    let unknown = "????????????????";
    let names = ["rcx", "rsi", "rdi"];
    let known = |addresses: &[u64], behind: u64, at: u64| {
        names.map(|name| register(&run(addresses, behind), at, name))
    };
    assert_eq!(
        known(&[0, 1, 2], 0x1002, 1),
        ["0000000000000000", "0000000050000003", "000000007fff0003"]
    );
    assert_eq!(
        known(&[0, 1, 2], 0x1002, 0)[1..],
        ["0000000050000000", "000000007fff0000"]
    );
    // With the direction flag.
    assert_eq!(
        known(&[2, 1, 0], 0x1002, 1),
        ["0000000000000000", "000000004fffffff", "000000007ffeffff"]
    );
    // A single iteration does not show its direction.
    assert_eq!(
        known(&[0], 0x1002, 1),
        ["0000000000000000", unknown, unknown]
    );
    assert_eq!(
        known(&[], 0x1002, 1),
        ["0000000000000000", unknown, unknown]
    );
    // It was interrupted.
    assert_eq!(known(&[0, 1, 2], 0x5000, 1), [unknown; 3]);
}

/// Intel SDM, volume 1, 3.7.4: a segment override adds the base of GS to the pointer, which holds
/// only the offset.
#[test]
fn the_address_of_a_repeated_load_with_a_segment_is_not_the_pointer() {
    let mut records = vec![Record::instruction(
        0,
        0x1000,
        &[0x65, 0xf3, 0x48, 0xad],
        RecordedBranch::None,
    )];
    (0..2).for_each(|round| records.extend(read(HEAP + 8 * round, 8)));
    records.extend([
        Record::instruction(0, 0x1004, NOP, RecordedBranch::None),
        Record::instruction(0, 0x1005, NOP, RecordedBranch::None),
    ]);
    let index = index_of(records);
    assert_eq!(register(&index, 1, "rcx"), "0000000000000000");
    for at in [0, 1] {
        assert_eq!(register(&index, at, "rsi"), "????????????????", "at {at}");
    }
}
