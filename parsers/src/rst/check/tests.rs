//! For each rule a trace that breaks it, derived from a trace that breaks none.

use std::collections::BTreeSet;

use stepback_machine::Endian;

use super::rules;
use super::whole::RecordChecker;
use crate::finding::{Findings, RuleFindings, Severity};
use crate::rst::fields::*;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RstVersion};
use crate::rst::stream::FilePart;

const NOP: u32 = 0x0100_0000;
/// `b` to four words ahead.
const BRANCH: u32 = 0x1080_0004;
/// `b,a` to four words ahead, which annuls its delay slot.
const BRANCH_ANNULLING: u32 = 0x3080_0004;
const LOAD: u32 = 0xc400_6000;
const TRAP_CALL: u32 = 0x91d0_206d;
const RETRY: u32 = 0x83f0_0000;
const WRITE_LEVEL: u32 = 0x8f90_2001;
/// Start addresses of the program and the handler, and the address of the data.
const START: u64 = 0x10_0000;
const HANDLER: u64 = 0xf000_0000;
const DATA: u64 = 0x20_0000;
/// Physical minus virtual addresses.
const OFFSET: u64 = 0x2000_0000;

/// Positions of records in [`sound`], from 0.
const TEXTS: usize = 3;
const TLB: usize = 6;
const PREG: usize = 7;
const FIRST: usize = 9;
const BRANCH_AT: usize = 10;
const LOAD_AT: usize = 13;
const TRAP: usize = 14;
const TRAPPED: usize = 15;
const END_PREG: usize = 19;
const END: usize = 20;
const EXIT: usize = 23;

type Trace = Vec<RawRecord>;

fn form() -> RecordEncoding {
    RecordEncoding {
        endian: Endian::Big,
        version: RstVersion::NEWEST,
    }
}

fn record(kind: u8) -> RawRecord {
    RawRecord::empty(kind, form())
}

fn text(kind: u8, text: &str) -> RawRecord {
    let mut bytes = [0; RECORD_BYTES];
    bytes[0] = kind;
    bytes[1..=text.len()].copy_from_slice(text.as_bytes());
    RawRecord::new(&bytes, form())
}

fn headed(text: &str) -> RawRecord {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..4].copy_from_slice(&[kind::HEADER, 2, 13, b'%']);
    bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
    RawRecord::new(&bytes, form())
}

fn instruction(pc: u64, word: u32) -> RawRecord {
    record(kind::INSTRUCTION)
        .with(instr::PC_VA, pc)
        .with(instr::INSTR, word.into())
}

fn to(instruction: RawRecord, ea: u64) -> RawRecord {
    instruction.with(instr::EA_VALID, 1).with(instr::EA_VA, ea)
}

fn registers(registers: [(u8, u8, u64); 2]) -> RawRecord {
    let [first, second] = registers;
    let record = record(kind::REGISTERS).with(regval::POST_INSTR, 1);
    let record = record
        .with(regval::REGTYPE0, first.0.into())
        .with(regval::REGTYPE1, second.0.into());
    let record = record
        .with(regval::REGID0, first.1.into())
        .with(regval::REGID1, second.1.into());
    record
        .with(regval::REG0, first.2)
        .with(regval::REG1, second.2)
}

fn difference(pc: u64) -> RawRecord {
    record(kind::DIFFERENCE).with(pavadiff::PC_PA_VA, pc)
}

fn translated(pc: u64, data: u64) -> RawRecord {
    difference(pc)
        .with(pavadiff::EA_VALID, 1)
        .with(pavadiff::EA_PA_VA, data)
}

fn memory(size: u64) -> RawRecord {
    record(kind::MEMORY)
        .with(memval64::ADDRIS_VA, 1)
        .with(memval64::SIZE, size)
        .with(memval64::ADDR, DATA)
}

fn delimiter(kind: u8, id: u64) -> RawRecord {
    record(kind).with(left_delimiter::ID, id)
}

/// A trace that keeps all rules: a branch, a load, and a trap with a handler that returns.
fn sound() -> Trace {
    let taken = |record: RawRecord| record.with(instr::BT, 1);
    vec![
        headed("RST Header v2.13"),
        record(kind::TRACE_INFO)
            .with(trace_info::RTYPE2, 2)
            .with(trace_info::LEVEL, 1),
        record(kind::TRACE_INFO)
            .with(trace_info_3::RTYPE2, 3)
            .with(trace_info_3::TOTAL_NUM_CPUS, 1),
        text(kind::TEXT, "mmutype=x uTLB=64"),
        text(kind::TEXT, "cputype=x"),
        text(kind::TEXT, "nwins=8"),
        record(kind::TLB).with(tlb::TTE_TAG, START),
        record(kind::PREG),
        difference(OFFSET),
        instruction(START, NOP),
        taken(to(instruction(START + 4, BRANCH_ANNULLING), START + 20)),
        instruction(START + 8, NOP).with(instr::AN, 1),
        translated(OFFSET, OFFSET),
        to(instruction(START + 20, LOAD), DATA),
        record(kind::TRAP)
            .with(trap::TTYPE, 0x16d)
            .with(trap::PC, START + 24)
            .with(trap::SYSCALL, 4),
        taken(to(instruction(START + 24, TRAP_CALL), HANDLER)).with(instr::TR, 1),
        registers([(3, 7, 1), (3, 3, 0x16d)]),
        difference(0),
        instruction(HANDLER, NOP),
        record(kind::PREG)
            .with(preg::TRAPLEVEL, 1)
            .with(preg::TRAPTYPE, 0x6d),
        taken(to(instruction(HANDLER + 4, RETRY), START + 28)),
        registers([(3, 7, 0), (3, 3, 0)]),
        registers([(3, 0, 0), (3, 1, 0)]),
        record(kind::TRAP_EXIT),
        difference(OFFSET),
        instruction(START + 28, NOP),
        instruction(START + 32, NOP),
    ]
}

/// The sound trace, modified by `change`.
fn sound_but(change: impl FnOnce(&mut Trace)) -> Trace {
    let mut trace = sound();
    change(&mut trace);
    trace
}

/// The sound trace with a field of a record changed.
fn with(at: usize, field: crate::rst::raw_record::RecordField, number: u64) -> Trace {
    sound_but(|trace| trace[at] = trace[at].with(field, number))
}

fn without(at: usize) -> Trace {
    sound_but(|trace| {
        trace.remove(at);
    })
}

/// The sound trace with records appended.
fn and(records: impl IntoIterator<Item = RawRecord>) -> Trace {
    sound_but(|trace| trace.extend(records))
}

/// The sound trace with records before the second instruction.
fn between(records: impl IntoIterator<Item = RawRecord>) -> Trace {
    sound_but(|trace| drop(trace.splice(BRANCH_AT..BRANCH_AT, records)))
}

/// A trace converted to another version.
fn of_version(minor: u8, trace: Trace) -> Trace {
    let form = RecordEncoding {
        version: RstVersion { major: 2, minor },
        ..form()
    };
    trace
        .iter()
        .map(|record| RawRecord::new(&record.bytes(), form))
        .collect()
}

fn found(trace: &[RawRecord]) -> Vec<RuleFindings> {
    let mut checker = RecordChecker::new(Findings::new(8));
    let mut part = FilePart::Head;
    for (number, record) in (1..).zip(trace) {
        checker.record(number, part, record);
        part = FilePart::Rest;
    }
    let is_of_system = checker.is_of_system();
    let found = checker.finish();
    let mut findings = found.findings;
    if is_of_system {
        findings.absorb(found.of_systems);
    }
    findings.into_rules()
}

fn messages(trace: &[RawRecord]) -> Vec<String> {
    found(trace)
        .into_iter()
        .flat_map(|broken| broken.first)
        .map(|finding| finding.message)
        .collect()
}

fn names(trace: &[RawRecord]) -> Vec<&'static str> {
    found(trace).iter().map(|broken| broken.rule.id).collect()
}

/// Traces that break one rule and no other.
fn broken() -> Vec<(&'static str, Trace)> {
    let next = START + 36;
    let branch = |at, word, ea| to(instruction(at, word), ea);
    vec![
        (
            "R-H01",
            sound_but(|trace| trace[0] = text(kind::TEXT, "no header")),
        ),
        ("R-H01", without(0)),
        ("R-H02", and([headed("RST Header v2.13")])),
        ("R-H03", sound_but(|trace| trace[0] = headed("RSF Header"))),
        ("R-H04", with(0, header::PERCENT, 0)),
        ("R-H05", with(1, trace_info::RTYPE2, 1)),
        ("R-H06", sound_but(|trace| trace.swap(2, TEXTS))),
        ("R-H07", with(2, trace_info_3::TOTAL_NUM_CPUS, 2)),
        ("R-H07", with(2, trace_info_3::DATE_CREATED, 1)),
        ("R-G01", with(FIRST, instr::NOTUSED, 1)),
        ("R-G01", with(TLB, tlb::UNUSED16, 1)),
        ("R-E03", and([record(200)])),
        ("R-E03", of_version(12, and([record(kind::TRAPPING)]))),
        (
            "R-S01",
            and([text(kind::TEXT_PART, "a"), record(kind::NULL)]),
        ),
        (
            "R-S01",
            and([text(kind::TEXT_PART, "a"), instruction(next, NOP)]),
        ),
        ("R-S02", and([text(kind::TEXT, "twenty-three letters ab")])),
        ("R-I01", without(TEXTS)),
        (
            "R-I01",
            sound_but(|trace| trace[TEXTS] = text(kind::TEXT, "mmutype=x")),
        ),
        ("R-I02", without(TEXTS + 1)),
        ("R-I03", without(TEXTS + 2)),
        (
            "R-I03",
            sound_but(|trace| trace[TEXTS + 2] = text(kind::TEXT, "nwins=many")),
        ),
        ("R-I04", without(PREG)),
        ("R-I05", without(TLB)),
        ("R-I06", without(PREG + 1)),
        (
            "R-A01",
            and([to(instruction(next, NOP).with(instr::AN, 1), DATA)]),
        ),
        ("R-A02", and([instruction(next, BRANCH).with(instr::BT, 1)])),
        ("R-A03", and([to(instruction(next, NOP), DATA)])),
        ("R-A04", and([instruction(next, NOP).with(instr::BT, 1)])),
        ("R-A05", and([instruction(next, LOAD)])),
        (
            "R-A06",
            and([
                missed(next),
                to(instruction(next, LOAD), DATA).with(instr::TR, 1),
            ]),
        ),
        (
            "R-A07",
            and([branch(next, BRANCH, next + 20).with(instr::BT, 1)]),
        ),
        ("R-A07", and([branch(next, 0x0280_0004, next + 16)])),
        (
            "R-A08",
            and([
                record(kind::PREG).with(preg::PSTATE, 8),
                to(instruction(next, LOAD), 1 << 32),
            ]),
        ),
        ("R-A09", with(BRANCH_AT + 1, instr::AN, 0)),
        ("R-A09", without(BRANCH_AT + 1)),
        ("R-P01", and([instruction(next + 4, NOP)])),
        (
            "R-P01",
            and([instruction(next, NOP), instruction(next + 8, NOP)]),
        ),
        (
            "R-V01",
            between([difference(OFFSET + 0x2000), record(kind::NULL)]),
        ),
        ("R-V01", without(EXIT + 1)),
        (
            "R-V02",
            and([translated(OFFSET, OFFSET), instruction(next, NOP)]),
        ),
        (
            "R-V03",
            and([difference(OFFSET + 1), instruction(next, NOP)]),
        ),
        (
            "R-V04",
            and([
                record(kind::PREG).with(preg::PRIM_D, 7),
                to(instruction(next, LOAD), DATA),
            ]),
        ),
        ("R-T01", with(TRAPPED, instr::TR, 0)),
        ("R-T02", with(TRAP, trap::PC, START + 64)),
        ("R-T02", with(TRAP, trap::IS_ASYNC, 1)),
        ("R-T03", and([instruction(next, NOP).with(instr::TR, 1)])),
        ("R-T04", with(TRAP, trap::TL, 2)),
        (
            "R-T04",
            and([
                record(kind::TRAP).with(trap::PC, next),
                record(kind::TRAP).with(trap::TL, 1),
            ]),
        ),
        (
            "R-T04",
            and([
                record(kind::TRAP)
                    .with(trap::PC, next)
                    .with(trap::TTYPE, 0x30)
                    .with(trap::SYSCALL, 1),
                to(instruction(next, LOAD), DATA).with(instr::TR, 1),
            ]),
        ),
        ("R-T05", without(END_PREG)),
        ("R-T05", with(END_PREG, preg::TRAPLEVEL, 2)),
        ("R-T05", with(END_PREG, preg::TRAPTYPE, 2)),
        ("R-T06", without(END + 1)),
        ("R-T07", without(EXIT)),
        (
            "R-T08",
            and([instruction(next, WRITE_LEVEL), record(kind::TRAP_EXIT)]),
        ),
        ("R-R01", and([registers([(1, 0, 5), (5, 0, 0)])])),
        ("R-R01", and([registers([(8, 0x20, 5), (5, 0, 0)])])),
        ("R-R02", and([registers([(1, 1, 5), (0, 0, 0)])])),
        ("R-M01", and([memory(9)])),
        ("R-M02", and([memory(8).with(memval64::IS_CONT_REC, 1)])),
        ("R-D01", and([delimiter(kind::LEFT_DELIMITER, 1)])),
        ("R-D01", and([delimiter(kind::RIGHT_DELIMITER, 1)])),
        (
            "R-C01",
            of_version(11, and([record(kind::PREG).with(preg::CPUID_LO, 64)])),
        ),
    ]
}

/// A data MMU miss at an address.
fn missed(pc: u64) -> RawRecord {
    record(kind::TRAP)
        .with(trap::TTYPE, 0x68)
        .with(trap::PC, pc)
}

#[test]
fn a_sound_trace_breaks_no_rule() {
    assert_eq!(names(&sound()), [""; 0]);
}

#[test]
fn each_rule_is_broken_by_a_trace_that_breaks_no_other() {
    let mut seen = BTreeSet::from(["R-F01"]);
    for (number, (rule, trace)) in broken().iter().enumerate() {
        assert_eq!(
            names(trace),
            [*rule],
            "trace {number}: {:?}",
            messages(trace)
        );
        seen.insert(rule);
    }
    assert_eq!(
        seen,
        rules::ALL.iter().map(|rule| rule.id).collect(),
        "every rule has a trace"
    );
}

#[test]
fn what_looks_like_it_breaks_no_rule() {
    let next = START + 36;
    let sound = [
        // A delay slot that is executed, and the target after it.
        and([
            to(instruction(next, BRANCH), next + 16).with(instr::BT, 1),
            instruction(next + 4, NOP),
            instruction(next + 16, NOP),
        ]),
        // A branch in the delay slot of another.
        and([
            to(instruction(next, BRANCH), next + 16).with(instr::BT, 1),
            to(instruction(next + 4, BRANCH), next + 20).with(instr::BT, 1),
            instruction(next + 16, NOP),
            instruction(next + 20, NOP),
        ]),
        // A conditional branch that is not taken annuls its slot; a trap that is not taken
        // continues.
        and([
            to(instruction(next, 0x2280_0004), next + 8),
            instruction(next + 4, NOP).with(instr::AN, 1),
            instruction(next + 8, 0x83d0_2005),
            instruction(next + 12, NOP),
        ]),
        // An instruction MMU miss has no separate instruction record; a data MMU miss has no
        // effective address.
        and([
            record(kind::TRAP)
                .with(trap::TTYPE, 0x64)
                .with(trap::PC, next),
            difference(0),
            instruction(HANDLER, NOP).with(instr::TR, 1),
        ]),
        and([missed(next), instruction(next, LOAD).with(instr::TR, 1)]),
        // An asynchronous trap begins with its handler.
        and([
            record(kind::TRAP)
                .with(trap::TTYPE, 0x4e)
                .with(trap::IS_ASYNC, 1)
                .with(trap::PC, next),
            difference(0),
            instruction(HANDLER, NOP).with(instr::TR, 1),
            instruction(HANDLER + 4, NOP),
        ]),
        // Another thread may be anywhere; a write of the trap level makes no trap; redundant
        // translations are allowed.
        and([record(kind::THREAD), instruction(next + 64, NOP)]),
        and([instruction(next, WRITE_LEVEL), instruction(next + 4, NOP)]),
        between([difference(OFFSET)]),
        // Accesses to other address spaces may have no address.
        and([
            instruction(next, 0xc480_6000),
            to(instruction(next + 4, 0xc480_6000), DATA),
        ]),
        // Texts of several parts, and continued values of memory.
        and([
            text(kind::TEXT_PART, "twenty-three letters ab"),
            text(kind::TEXT, "c"),
            record(kind::NULL),
        ]),
        and([memory(8), memory(8).with(memval64::IS_CONT_REC, 1)]),
        and([
            delimiter(kind::LEFT_DELIMITER, 1),
            delimiter(kind::RIGHT_DELIMITER, 1),
        ]),
        // Before version 2.12, processor numbers had six bits and were followed by an opcode
        // number.
        of_version(11, with(FIRST, instr::NOTUSED3, 5)),
        // With 32-bit addresses all addresses are below 2^32; a handler has wide ones.
        and([
            record(kind::PREG).with(preg::PSTATE, 8),
            to(instruction(next, LOAD), DATA),
        ]),
    ];
    for (number, trace) in sound.iter().enumerate() {
        assert_eq!(
            names(trace),
            [""; 0],
            "trace {number}: {:?}",
            messages(trace)
        );
    }
}

#[test]
fn traces_of_user_programs_alone_need_not_tell_of_the_system() {
    let user = |trace: Trace| -> Trace {
        let system = [
            kind::TLB,
            kind::TRAP,
            kind::PREG,
            kind::TEXT,
            kind::DIFFERENCE,
            kind::TRAP_EXIT,
        ];
        trace
            .into_iter()
            .take(BRANCH_AT + 2)
            .filter(|record| !system.contains(&record.kind()))
            .collect()
    };
    assert_eq!(names(&user(sound())), [""; 0]);
    let mut trapped = user(sound());
    trapped.push(instruction(START + 20, TRAP_CALL).with(instr::TR, 1));
    assert_eq!(names(&trapped), [""; 0], "its traps are not told");
    trapped.extend([instruction(HANDLER, NOP), instruction(HANDLER + 4, NOP)]);
    assert_eq!(
        names(&trapped),
        [""; 0],
        "the handler of a trap that is not told"
    );
    let mut entered = user(sound());
    entered.extend([
        instruction(HANDLER, NOP).with(instr::TR, 1),
        instruction(HANDLER + 4, NOP),
    ]);
    assert_eq!(
        names(&entered),
        [""; 0],
        "the first instruction of a handler says so"
    );
    let shade = record(kind::HARDWARE)
        .with(hwinfo::CATEGORY, 2)
        .with(hwinfo::INFOTYPE, 6);
    let by_shade = sound_but(|trace| trace[TEXTS] = shade);
    assert_eq!(names(&by_shade), [""; 0]);
}

#[test]
fn the_second_record_is_requested_since_version_2_06() {
    let severity = |trace: Trace| found(&trace)[0].first[0].severity;
    assert_eq!(severity(with(1, trace_info::RTYPE2, 1)), Severity::Error);
    assert_eq!(
        severity(of_version(5, with(1, trace_info::RTYPE2, 1))),
        Severity::Warning
    );
}

#[test]
fn little_endian_records_keep_the_rules_too() {
    let little = |records: Trace| -> Trace {
        let form = RecordEncoding {
            endian: Endian::Little,
            version: RstVersion::NEWEST,
        };
        let swapped = |record: &RawRecord| {
            let layout = crate::rst::raw_record::layout_of(record).unwrap();
            let numbers = layout.fields.iter().filter(|field| !field.is_text());
            let empty = match record.kind() {
                kind::TEXT | kind::HEADER => RawRecord::new(&record.bytes(), form),
                kind => RawRecord::empty(kind, form),
            };
            numbers.fold(empty, |swapped, field| {
                swapped.with(*field, record.get(*field))
            })
        };
        records.iter().map(swapped).collect()
    };
    assert_eq!(names(&little(sound())), [""; 0]);
    assert_eq!(names(&little(with(FIRST, instr::NOTUSED, 1))), ["R-G01"]);
    assert_eq!(
        names(&little(with(LOAD_AT, instr::EA_VALID, 0))),
        ["R-A05", "R-V02"]
    );
}

#[test]
fn processors_are_distinguished() {
    let second = |record: RawRecord| record.with(instr::CPUID_LO, 1);
    let trace = sound_but(|trace| {
        trace[2] = trace[2]
            .with(trace_info_3::MAX_CPU_ID, 1)
            .with(trace_info_3::TOTAL_NUM_CPUS, 2);
        trace.insert(FIRST, record(kind::PREG).with(preg::CPUID_LO, 1));
        trace.insert(FIRST + 1, difference(OFFSET).with(pavadiff::CPUID_LO, 1));
        trace.insert(FIRST + 2, second(instruction(START + 64, NOP)));
        trace.insert(FIRST + 4, second(instruction(START + 68, NOP)));
        trace.push(second(instruction(START + 72, NOP)));
    });
    assert_eq!(names(&trace), [""; 0], "{:?}", messages(&trace));
    let alone = sound_but(|trace| trace.push(second(instruction(START + 64, NOP))));
    assert_eq!(names(&alone), ["R-I04", "R-I06", "R-H07"]);
}
