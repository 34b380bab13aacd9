//! Inference after the last step of a thread. The values follow from the instructions (Intel SDM,
//! Arm ARM).

use std::sync::Arc;

use stepback_index::answer::ThreadId;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{RegisterViewsAt, UnfinishedSteps};
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{InstructionSet, Registers};
use stepback_parsers::{GapReason, MarkerKind, Position, Step};

use crate::support::records::{Record, Records};

const UNKNOWN: &str = "????????????????";
const FORTY_TWO: &str = "000000000000002a";
const FIVE: &str = "0000000000000005";

/// Returns an x86-64 instruction.
fn step(thread: u16, pc: u64, bytes: &[u8]) -> Record {
    Record::instruction(thread, pc, bytes, RecordedBranch::None)
}

/// `mov eax, 42; nop; mov ebx, 5`
fn three(thread: u16) -> Vec<Record> {
    vec![
        step(thread, 0x1000, &[0xb8, 0x2a, 0, 0, 0]),
        step(thread, 0x1005, &[0x90]),
        step(thread, 0x1006, &[0xbb, 5, 0, 0, 0]),
    ]
}

fn nops(thread: u16, count: u64) -> Vec<Record> {
    (0..count)
        .map(|number| step(thread, 0x9000 + number, &[0x90]))
        .collect()
}

#[track_caller]
fn check_source(
    source: Arc<Records>,
    set: InstructionSet,
    [at, thread]: [u64; 2],
    expected: &[(&str, &str)],
) {
    let index = index_in_memory(source, &BuildOptions::default()).unwrap();
    let views = expected
        .iter()
        .map(|(name, _)| ((*name).to_owned(), Registers::view(name, set).unwrap()))
        .collect();
    let question = RegisterViewsAt {
        position: Position(at),
        thread: ThreadId(thread as u16),
        views,
    };
    let states = question.run(&index, &Cancel::default()).unwrap();
    let found: Vec<_> = states
        .iter()
        .map(|state| (state.name.clone(), state.value.hex()))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    assert_eq!(found, expected, "thread {thread} at {at}");
}

#[track_caller]
fn check(records: &[Record], at: [u64; 2], expected: &[(&str, &str)]) {
    check_source(
        Records::new(records.to_vec(), InstructionSet::X86_64),
        InstructionSet::X86_64,
        at,
        expected,
    );
    check_source(
        Records::recorded(records.to_vec(), InstructionSet::X86_64, true),
        InstructionSet::X86_64,
        at,
        expected,
    );
}

#[track_caller]
fn check_by_block(
    records: &[Record],
    at: u64,
    unfinished: Option<[u64; 2]>,
    expected: &[(&str, &str)],
) {
    let source = || Records::recorded(records.to_vec(), InstructionSet::X86_64, true);
    check_source(source(), InstructionSet::X86_64, [at, 0], expected);
    let index = index_in_memory(source(), &BuildOptions::default()).unwrap();
    let question = UnfinishedSteps {
        position: Position(at),
        thread: ThreadId(0),
    };
    let found = question.run(&index, &Cancel::default()).unwrap();
    assert_eq!(
        found,
        unfinished.map(|[first, end]| Step(first)..Step(end)),
        "unfinished at {at}"
    );
}

#[test]
fn the_last_step_of_a_thread_leaves_what_it_means() {
    check(
        &three(0),
        [3, 0],
        &[("rax", FORTY_TWO), ("rbx", FIVE), ("rcx", UNKNOWN)],
    );
}

#[test]
fn threads_that_ended_earlier_keep_their_registers() {
    for others in [1, 300, 5000] {
        let records = [three(0), nops(1, others)].concat();
        for at in [3, 3 + others / 2, 3 + others] {
            check(&records, [at, 0], &[("rax", FORTY_TWO), ("rbx", FIVE)]);
        }
    }
}

#[test]
fn a_thread_that_waits_for_long_keeps_its_registers() {
    let records = [
        three(0),
        nops(1, 5000),
        vec![step(0, 0x100b, &[0x89, 0xc1])],
        nops(1, 10),
    ]
    .concat();
    check(&records, [2000, 0], &[("rax", FORTY_TWO), ("rbx", FIVE)]);
    check(&records, [5004, 0], &[("rax", FORTY_TWO)]);
    // It resumes at another address than it stopped at.
    let records = [
        three(0),
        nops(1, 5000),
        vec![step(0, 0x2000, &[0x90])],
        nops(1, 10),
    ]
    .concat();
    check(&records, [2000, 0], &[("rax", UNKNOWN), ("rbx", UNKNOWN)]);
    // A signal arrives while it waits.
    let signal = Record::marker(0, MarkerKind::KERNEL_EVENT, 0x100b);
    let records = [
        three(0),
        nops(1, 2500),
        vec![signal],
        nops(1, 2500),
        nops(0, 1),
    ]
    .concat();
    check(&records, [2000, 0], &[("rax", FORTY_TWO), ("rbx", FIVE)]);
    check(&records, [4000, 0], &[("rax", UNKNOWN), ("rbx", UNKNOWN)]);
    // A later access reveals the value of a register: mov rdx, [rsi]
    let load = [
        step(0, 0x100b, &[0x48, 0x8b, 0x16]),
        Record::read(0, 0x7000),
    ];
    let records = [three(0), nops(1, 5000), load.to_vec(), nops(1, 10)].concat();
    check(
        &records,
        [2000, 0],
        &[("rsi", "0000000000007000"), ("rdx", UNKNOWN)],
    );
}

#[test]
fn other_architectures_end_likewise() {
    // A64: mov x0, #42; nop; mov w1, #5
    let codes = [0xd280_0540_u32, 0xd503_201f, 0x5280_00a1];
    let steps = |codes: &[u32]| -> Vec<Record> {
        let all = codes.iter().zip(0..);
        all.map(|(code, place)| step(0, 0x1000 + 4 * place, &code.to_le_bytes()))
            .collect()
    };
    let source = Records::new(steps(&codes), InstructionSet::A64);
    check_source(
        source,
        InstructionSet::A64,
        [3, 0],
        &[("x0", FORTY_TWO), ("x1", FIVE), ("x2", UNKNOWN)],
    );
    // The last step branches: bl 0x2000
    let source = Records::new(steps(&[0xd280_0540, 0x9400_03ff]), InstructionSet::A64);
    check_source(
        source,
        InstructionSet::A64,
        [2, 0],
        &[("x0", FORTY_TWO), ("x30", "0000000000001008")],
    );
    // RV64: li a0, 42; nop; li a1, 5
    let source = Records::new(
        steps(&[0x02a0_0513, 0x13, 0x0050_0593]),
        InstructionSet::Riscv64,
    );
    check_source(
        source,
        InstructionSet::Riscv64,
        [3, 0],
        &[("a0", FORTY_TWO), ("a1", FIVE)],
    );
}

#[test]
fn a_signal_that_no_handler_follows_finds_what_the_last_step_left() {
    let with = |markers: &[(MarkerKind, u64)]| {
        let markers = markers
            .iter()
            .map(|(kind, value)| Record::marker(0, *kind, *value));
        three(0).into_iter().chain(markers).collect::<Vec<_>>()
    };
    let known = [("rax", FORTY_TWO), ("rbx", FIVE)];
    check(&with(&[(MarkerKind::KERNEL_EVENT, 0x100b)]), [3, 0], &known);
    // The interrupted instruction may not have been completed.
    check(
        &with(&[(MarkerKind::KERNEL_EVENT, 0x1006)]),
        [3, 0],
        &[("rax", FORTY_TWO), ("rbx", UNKNOWN)],
    );
    // mov rbx, [rcx] was begun: 48 8b 19
    let begun = (MarkerKind::UNCOMPLETED, 0x19_8b48);
    check(
        &with(&[begun]),
        [3, 0],
        &[("rax", FORTY_TWO), ("rbx", UNKNOWN)],
    );
    check(
        &with(&[begun, (MarkerKind::KERNEL_EVENT, 0x100b)]),
        [3, 0],
        &[("rax", FORTY_TWO), ("rbx", UNKNOWN)],
    );
    // rep movsb was begun: f3 a4
    let copied = [
        ("rax", FORTY_TWO),
        ("rbx", FIVE),
        ("rcx", UNKNOWN),
        ("rsi", UNKNOWN),
        ("rdi", UNKNOWN),
    ];
    check(&with(&[(MarkerKind::UNCOMPLETED, 0xa4f3)]), [3, 0], &copied);
    for kind in [
        GapReason::Off.kind(),
        GapReason::Lost.kind(),
        MarkerKind::WINDOW,
    ] {
        check(&with(&[(kind, 1)]), [3, 0], &known);
    }
    // Registers left by a handler are discarded.
    check(
        &with(&[(MarkerKind::KERNEL_TRANSFER, 0x100b)]),
        [3, 0],
        &[("rax", UNKNOWN), ("rbx", UNKNOWN)],
    );
    check(
        &with(&[(GapReason::Contradiction.kind(), 0)]),
        [3, 0],
        &[("rax", UNKNOWN), ("rbx", UNKNOWN)],
    );
}

#[test]
fn of_a_block_that_may_have_faulted_only_what_ran_for_certain_is_known() {
    // mov rdx, [rcx]
    let load = |address| {
        [
            step(0, 0x1005, &[0x48, 0x8b, 0x11]),
            Record::read(0, address),
        ]
    };
    let five = step(0, 0x1008, &[0xbb, 5, 0, 0, 0]);
    let mut records = vec![three(0)[0]];
    records.extend(load(0));
    let expected = [
        ("rax", FORTY_TWO),
        ("rbx", UNKNOWN),
        ("rcx", "0000000000000000"),
        ("rdx", UNKNOWN),
    ];
    check_by_block(&records, 2, Some([1, 2]), &expected);
    records.push(five);
    check_by_block(&records, 3, Some([1, 3]), &expected);
    check_by_block(
        &records,
        2,
        None,
        &[("rax", FORTY_TWO), ("rcx", "0000000000000000")],
    );
    // Formats that record completed effects show that the step completed.
    let source = Records::new(records.clone(), InstructionSet::X86_64);
    check_source(
        source,
        InstructionSet::X86_64,
        [3, 0],
        &[("rax", FORTY_TWO), ("rbx", FIVE)],
    );
    // A later block shows that it completed: jmp +0
    let mut records = [vec![three(0)[0]], load(0x7000).to_vec()].concat();
    records.push(Record::instruction(
        0,
        0x1008,
        &[0xeb, 0],
        RecordedBranch::Jump,
    ));
    records.push(step(0, 0x100a, &[0xbb, 5, 0, 0, 0]));
    check_by_block(
        &records,
        4,
        None,
        &[
            ("rax", FORTY_TWO),
            ("rbx", FIVE),
            ("rcx", "0000000000007000"),
        ],
    );
    // So does an access to a page used before, unless the access is its first write.
    let mut records = [load(0x7000).to_vec(), vec![step(0, 0x1008, &[0xeb, 0])]].concat();
    records.extend([
        step(0, 0x100a, &[0x48, 0x8b, 0x11]),
        Record::read(0, 0x7008),
    ]);
    records.push(step(0, 0x100d, &[0xbb, 5, 0, 0, 0]));
    check_by_block(&records, 4, None, &[("rbx", FIVE)]);
    let place = records.len() - 3;
    records.splice(
        place..,
        [
            step(0, 0x100a, &[0x48, 0x89, 0x11]),
            Record::write(0, 0x7008),
        ],
    );
    records.push(step(0, 0x100d, &[0xbb, 5, 0, 0, 0]));
    check_by_block(&records, 4, Some([2, 4]), &[("rbx", UNKNOWN)]);
}

#[test]
fn a_division_or_an_undefined_instruction_may_have_been_the_last() {
    for fault in [&[0xf7, 0xf1][..], &[0x0f, 0x0b]] {
        let records = [
            three(0),
            vec![step(0, 0x100b, fault), step(0, 0x100d, &[0xb9, 5, 0, 0, 0])],
        ]
        .concat();
        let divided = if fault[0] == 0xf7 { UNKNOWN } else { FORTY_TWO };
        check_by_block(
            &records,
            5,
            Some([3, 5]),
            &[("rax", divided), ("rbx", FIVE), ("rcx", UNKNOWN)],
        );
    }
}

#[test]
fn what_the_program_addresses_itself_and_the_first_use_of_a_stack_are_mapped() {
    // mov [0x6090a0], rax; push rax
    let store = [
        step(0, 0x1005, &[0x48, 0x89, 0x04, 0x25, 0xa0, 0x90, 0x60, 0]),
        Record::write(0, 0x60_90a0),
    ];
    let push = |pc, address| [step(0, pc, &[0x50]), Record::write(0, address)];
    let five = |pc| step(0, pc, &[0xbb, 5, 0, 0, 0]);
    let records = [
        vec![three(0)[0]],
        store.to_vec(),
        push(0x100d, 0x7000_0ff8).to_vec(),
        vec![five(0x100e)],
    ]
    .concat();
    let expected = [
        ("rax", FORTY_TWO),
        ("rbx", FIVE),
        ("rsp", "0000000070000ff8"),
    ];
    check_by_block(&records, 4, None, &expected);
    // The stack may end below the page that was used.
    let records = [
        push(0x1000, 0x7000_1000).to_vec(),
        push(0x1001, 0x7000_0ff8).to_vec(),
        vec![five(0x1002)],
    ]
    .concat();
    check_by_block(&records, 3, Some([1, 3]), &[("rbx", UNKNOWN)]);
}
