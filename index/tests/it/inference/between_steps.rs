//! Inference across events between two steps that are not instructions.

use stepback_index::answer::ThreadId;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::RegisterViewsAt;
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{InstructionSet, Registers};
use stepback_parsers::{GapReason, MarkerKind, Position};

use crate::support::records::{Record, Records};

/// `mov eax, 0x1234567`
const EAX: &[u8] = &[0xb8, 0x67, 0x45, 0x23, 0x01];
const SYSCALL: &[u8] = &[0x0f, 0x05];
/// The number of `close` as a traced function.
const CLOSE: u64 = (1 << 32) + 3;

fn nop(thread: u16, pc: u64) -> Record {
    Record::step(thread, pc, 1, RecordedBranch::None)
}

fn step(thread: u16, pc: u64, bytes: &[u8]) -> Record {
    branch(thread, pc, bytes, RecordedBranch::None)
}

fn branch(thread: u16, pc: u64, bytes: &[u8], branch: RecordedBranch) -> Record {
    Record::instruction(thread, pc, bytes, branch)
}

fn marker(kind: MarkerKind, value: u64) -> Record {
    Record::marker(0, kind, value)
}

/// Compares the inferred value of a register of thread 0 at a position.
#[track_caller]
fn check_set(records: &[Record], set: InstructionSet, at: u64, name: &str, expected: &str) {
    let index = index_in_memory(
        Records::new(records.to_vec(), set),
        &BuildOptions::default(),
    )
    .unwrap();
    let views = vec![(name.to_owned(), Registers::view(name, set).unwrap())];
    let question = RegisterViewsAt {
        position: Position(at),
        thread: ThreadId(0),
        views,
    };
    let states = question.run(&index, &Cancel::default()).unwrap();
    assert_eq!(states[0].value.hex(), expected, "{name} at {at}");
}

#[track_caller]
fn check(records: &[Record], at: u64, name: &str, expected: &str) {
    check_set(records, InstructionSet::X86_64, at, name, expected);
}

const UNKNOWN: &str = "????????????????";

#[test]
fn what_a_system_call_returns_is_not_what_the_handler_of_a_signal_finds() {
    let records = [
        step(0, 0x1000, SYSCALL),
        marker(MarkerKind::FUNCTION, CLOSE),
        marker(MarkerKind::RETURN_VALUE, 77),
        marker(MarkerKind::KERNEL_EVENT, 0x1002),
        nop(0, 0x5000),
        nop(0, 0x5001),
    ];
    check(&records, 1, "rax", UNKNOWN);
    check(&records, 2, "rax", UNKNOWN);
}

#[test]
fn what_comes_later_does_not_show_yet() {
    let records = [
        step(0, 0x1000, SYSCALL),
        nop(1, 0x9000),
        nop(1, 0x9001),
        marker(MarkerKind::FUNCTION, CLOSE),
        marker(MarkerKind::RETURN_VALUE, 77),
        nop(0, 0x1002),
        nop(0, 0x1003),
    ];
    check(&records, 2, "rax", UNKNOWN);
    check(&records, 3, "rax", "000000000000004d");
    check(&records, 4, "rax", "000000000000004d");
}

#[test]
fn before_a_signal_registers_are_what_the_last_step_left() {
    let records = [
        step(0, 0x1000, EAX),
        nop(1, 0x9000),
        marker(MarkerKind::KERNEL_EVENT, 0x1005),
        nop(1, 0x9001),
        nop(0, 0x5000),
        nop(0, 0x5001),
    ];
    check(&records, 1, "rax", "0000000001234567");
    check(&records, 2, "rax", UNKNOWN);
    check(&records, 4, "rax", UNKNOWN);
}

#[test]
fn results_of_system_calls_that_may_say_whether_they_succeeded_are_not_values() {
    let result = |value, failed: Option<u64>| {
        let mut records = vec![
            step(0, 0x1000, SYSCALL),
            marker(MarkerKind::FUNCTION, CLOSE),
        ];
        records.push(marker(MarkerKind::RETURN_VALUE, value));
        records.extend(failed.map(|error| marker(MarkerKind::SYSTEM_CALL_FAILED, error)));
        records.extend([nop(0, 0x1002), nop(0, 0x1003)]);
        records
    };
    check(&result(1, None), 1, "rax", UNKNOWN);
    check(&result(0, Some(9)), 1, "rax", UNKNOWN);
    check(&result(9, Some(9)), 1, "rax", UNKNOWN);
    check(
        &result(9_u64.wrapping_neg(), Some(9)),
        1,
        "rax",
        "fffffffffffffff7",
    );
    check(&result(9, None), 1, "rax", "0000000000000009");
}

#[test]
fn arguments_are_where_their_function_has_them() {
    let arguments = |function| {
        let mut records = vec![
            step(0, 0x1000, SYSCALL),
            marker(MarkerKind::FUNCTION, function),
        ];
        records.extend((1..5).map(|number| marker(MarkerKind::ARGUMENT, number)));
        records.extend([nop(0, 0x1002), nop(0, 0x1003)]);
        records
    };
    check(&arguments(CLOSE), 1, "r10", "0000000000000004");
    check(&arguments(CLOSE), 1, "rcx", UNKNOWN);
    check(&arguments(7), 1, "r10", UNKNOWN);
    check(&arguments(7), 1, "rcx", "0000000000000004");
}

#[test]
fn nothing_from_before_a_gap_is_reported() {
    let mut records = vec![step(0, 0x1000, EAX)];
    records.extend((0..5000).map(|number| nop(0, 0x1005 + number)));
    check(&records, 5000, "rax", "0000000001234567");
    // `jmp` does not go to its target, so steps are missing.
    let after = 0x1005 + 5000;
    records.push(branch(0, after, &[0xeb, 0x10], RecordedBranch::Jump));
    let mut whole = records.clone();
    whole.extend((0..9).map(|number| nop(0, after + 0x12 + number)));
    check(&whole, 5005, "rax", "0000000001234567");
    records.extend((0..9).map(|number| nop(0, after + 0x13 + number)));
    check(&records, 5005, "rax", UNKNOWN);
}

#[test]
fn nothing_from_before_a_gap_that_the_trace_tells_of_is_reported() {
    let steps = |gap: Option<Record>| -> Vec<Record> {
        [step(0, 0x1000, EAX), nop(0, 0x1005)]
            .into_iter()
            .chain(gap)
            .chain([nop(0, 0x1006), nop(0, 0x1007)])
            .collect()
    };
    check(&steps(None), 3, "rax", "0000000001234567");
    for reason in GapReason::ALL {
        let gap = marker(reason.kind(), 7);
        check(&steps(Some(gap)), 2, "rax", UNKNOWN);
        check(&steps(Some(gap)), 3, "rax", UNKNOWN);
    }
}

#[test]
fn narrow_sources_leave_zeros_in_vector_registers() {
    let ending = |pc| [nop(0, pc), nop(0, pc + 1)];
    // mov rax, -1; movd xmm0, eax
    let mut records = vec![step(0, 0x1000, &[0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff])];
    records.push(step(0, 0x1007, &[0x66, 0x0f, 0x6e, 0xc0]));
    records.extend(ending(0x100b));
    check(&records, 2, "xmm0", "000000000000000000000000ffffffff");
    // mov x0, #-1; fmov d1, x0; fmov s2, w0; fmov s3, s1
    let codes = [
        0x9280_0000_u32,
        0x9e67_0001,
        0x1e27_0002,
        0x1e20_4023,
        0xd503_201f,
        0xd503_201f,
    ];
    let records: Vec<_> = codes
        .iter()
        .zip(0..)
        .map(|(code, place)| step(0, 0x1000 + 4 * place, &code.to_le_bytes()))
        .collect();
    let check = |name, expected| check_set(&records, InstructionSet::A64, 4, name, expected);
    check("d1", "ffffffffffffffff");
    check("q2", "000000000000000000000000ffffffff");
    check("q3", "000000000000000000000000ffffffff");
}

#[test]
fn the_tag_of_an_address_is_in_its_register() {
    let tagged = 0xab00_0000_0001_0000;
    // ldr x1, [x0]; ldr x2, [x3]
    let code = |pc, code: u32| step(0, pc, &code.to_le_bytes());
    let records = [
        code(0x1000, 0xf940_0001),
        Record::read(0, tagged),
        code(0x1004, 0xf940_0062),
        Record::read(0, 0x2_0000),
        code(0x1008, 0xd503_201f),
        code(0x100c, 0xd503_201f),
    ];
    let check = |name, expected| check_set(&records, InstructionSet::A64, 2, name, expected);
    check("x0", "ab00000000010000");
    check("x3", "0000000000020000");
}

#[test]
fn memory_that_others_may_write_is_not_followed() {
    // mov eax, 0x1234567; mov [rdi], rax; mov rcx, [rdi]; push rax; pop rdx
    let records = [
        step(0, 0x1000, EAX),
        step(0, 0x1005, &[0x48, 0x89, 0x07]),
        Record::write(0, 0x7000),
        step(0, 0x1008, &[0x48, 0x8b, 0x0f]),
        Record::read(0, 0x7000),
        step(0, 0x100b, &[0x50]),
        Record::write(0, 0x7fff_0000),
        step(0, 0x100c, &[0x5a]),
        Record::read(0, 0x7fff_0000),
        nop(0, 0x100d),
        nop(0, 0x100e),
    ];
    check(&records, 5, "rcx", "0000000001234567");
    // The system calls of the other thread are unknown: they may write any memory except the stack.
    let records = [&records[..1], &[nop(1, 0x9000)], &records[1..]].concat();
    check(&records, 6, "rcx", UNKNOWN);
    check(&records, 6, "rdx", "0000000001234567");
}
