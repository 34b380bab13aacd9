//! Findings of `check`: one damaged trace for each rule of DynamoRIO's invariant checker, and none
//! in valid traces.

use std::sync::Arc;

use stepback_generator::drmemtrace::{
    Architecture, Container, Sample, SampleFile, TraceRecipe, TraceWriter, file_type, kind, marker,
};
use stepback_parsers::check::{Findings, RuleFindings};
use stepback_parsers::drmemtrace::Drmemtrace;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::{Flow, Source as _, TraceFile};

/// Returns the violated rules, with the messages of their first places.
fn found_in(files: Vec<SampleFile>) -> Vec<(&'static str, String)> {
    let files = files
        .into_iter()
        .map(|file| TraceFile {
            name: file.name,
            data: Arc::new(file.bytes),
        })
        .collect();
    let trace = Drmemtrace::open(files, CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    let mut findings = Findings::new(10);
    trace
        .check_records(&mut findings, &mut |_| Flow::Continue)
        .unwrap();
    let of_rule = |rule: &RuleFindings| {
        rule.first
            .iter()
            .map(|finding| (finding.rule.id, finding.message.clone()))
            .collect::<Vec<_>>()
    };
    findings.into_rules().iter().flat_map(of_rule).collect()
}

const START: u64 = 13_400_000_000_000_000;
const CODE: u64 = 0x40_1000;
const NOP: &[u8] = &[0x90];
const CALL_KERNEL: &[u8] = &[0x0f, 0x05];
const RETURN: &[u8] = &[0xc3];
const LOAD: &[u8] = &[0x48, 0x8b, 0x03];
const STORE: &[u8] = &[0x48, 0x89, 0x03];

fn writer_of(version: u64, more: u64) -> TraceWriter {
    let file_type = file_type::ENCODINGS | file_type::SYSTEM_CALLS | file_type::BLOCKING | more;
    let mut writer = TraceWriter::new(TraceRecipe {
        version,
        file_type,
        ..TraceRecipe::default()
    });
    writer.time(START, 0);
    writer
}

fn writer() -> TraceWriter {
    writer_of(7, 0)
}

fn file(writer: TraceWriter) -> Vec<SampleFile> {
    let records = writer.finish();
    vec![SampleFile {
        name: "a.100.0.trace".to_owned(),
        bytes: records.pack(Container::Plain),
        truth: records.truth,
    }]
}

/// Checks that a trace breaks a rule once, with these words, and no other rule.
#[track_caller]
fn check(writer: TraceWriter, rule: &str, words: &str) {
    let found = found_in(file(writer));
    assert!(
        matches!(&found[..], [(id, message)] if *id == rule && message.contains(words)),
        "{found:?}"
    );
}

#[track_caller]
fn check_sound(writer: TraceWriter) {
    assert_eq!(found_in(file(writer)), []);
}

/// Writes a system call at an address as version 6 and later do, without the records that follow.
fn call_kernel(writer: &mut TraceWriter, pc: u64, number: u64) {
    writer.instruction(pc, CALL_KERNEL);
    writer.time(START + 5, 0);
    writer.marker(marker::SYSTEM_CALL, number);
}

#[test]
fn sound_traces_break_no_rule() {
    for version in 2..=7 {
        for architecture in Architecture::ALL {
            let found = found_in(Sample::Plain(version, architecture).files(Container::Zip));
            assert_eq!(found, [], "{version} {architecture:?}");
        }
    }
    for sample in [
        Sample::Threads,
        Sample::Windows,
        Sample::Kernel,
        Sample::Rseq,
        Sample::CoreSharded,
        Sample::Regdeps,
    ] {
        assert_eq!(found_in(sample.files(Container::Zip)), [], "{sample:?}");
    }
}

#[test]
fn an_instruction_has_the_accesses_that_its_encoding_says() {
    let mut sound = writer();
    sound.instruction(CODE, LOAD);
    sound.read(0x1000, 8);
    sound.instruction(CODE + 3, STORE);
    sound.write(0x1000, 8);
    check_sound(sound);
    let mut missing = writer();
    missing.instruction(CODE, LOAD);
    missing.instruction(CODE + 3, NOP);
    check(
        missing,
        "D-ACCESS",
        "no loads of the instruction at 0x401000",
    );
    let mut many = writer();
    many.instruction(CODE, STORE);
    many.write(0x1000, 8);
    many.write(0x1008, 8);
    check(
        many,
        "D-ACCESS",
        "too many stores of the instruction at 0x401000",
    );
    let mut sizeless = writer();
    sizeless.instruction(CODE, LOAD);
    sizeless.read(0x1000, 0);
    check(sizeless, "D-SIZE", "0 bytes");
}

#[test]
fn a_branch_leads_where_it_says() {
    let mut elsewhere = writer();
    elsewhere.branch(kind::RETURN, CODE, RETURN, Some(CODE + 0x100));
    elsewhere.read(0x7000, 8);
    elsewhere.instruction(CODE + 0x200, NOP);
    check(
        elsewhere,
        "D-FLOW",
        "the thread is at 0x401200, where 0x401000 does not lead",
    );
    let mut untold = writer();
    untold.branch(kind::RETURN, CODE, RETURN, None);
    untold.read(0x7000, 8);
    untold.instruction(CODE + 0x200, NOP);
    check(untold, "D-BRANCH", "does not say where it goes");
    let mut old = writer();
    old.branch(kind::CONDITIONAL_JUMP, CODE, &[0x74, 0x02], None);
    old.instruction(CODE + 2, NOP);
    check(old, "D-BRANCH", "whether it was taken");
    let mut late = writer();
    late.branch(kind::JUMP, CODE, &[0xeb, 0x00], None);
    late.time(START + 1, 0);
    late.instruction(CODE + 2, NOP);
    check(late, "D-BRANCH", "a time comes between");
    let mut lost = writer();
    call_kernel(&mut lost, CODE, 39);
    lost.instruction(CODE + 0x100, NOP);
    check(lost, "D-FLOW", "0x401100, where 0x401000 does not lead");
}

#[test]
fn a_system_call_is_told_whole() {
    let mut sound = writer();
    call_kernel(&mut sound, CODE, 39);
    sound.marker(marker::MAYBE_BLOCKING, 0);
    sound.time(START + 9, 0);
    sound.instruction(CODE + 2, NOP);
    check_sound(sound);
    let mut untold = writer();
    untold.instruction(CODE, CALL_KERNEL);
    untold.instruction(CODE + 2, NOP);
    check(untold, "D-SYSCALL", "no record names");
    let mut alone = writer();
    alone.instruction(CODE, NOP);
    alone.time(START + 5, 0);
    alone.marker(marker::SYSTEM_CALL, 39);
    alone.instruction(CODE + 1, NOP);
    check(alone, "D-SYSCALL", "none that asks the kernel");
    let mut timeless = writer();
    timeless.instruction(CODE, CALL_KERNEL);
    timeless.marker(marker::SYSTEM_CALL, 39);
    timeless.instruction(CODE + 2, NOP);
    check(timeless, "D-SYSCALL", "no time and CPU");
    let mut blocking = writer();
    blocking.instruction(CODE, NOP);
    blocking.marker(marker::MAYBE_BLOCKING, 0);
    check(blocking, "D-BLOCKING", "no system call");
}

#[test]
fn a_signal_comes_where_the_thread_was_and_returns_there() {
    let signal = |interrupted: u64, returns: u64| {
        let mut writer = writer();
        writer.instruction(CODE, NOP);
        writer.marker(marker::KERNEL_EVENT, interrupted);
        writer.marker(marker::SIGNAL, 11);
        writer.time(START + 3, 0);
        call_kernel(&mut writer, CODE + 0x800, 15);
        writer.marker(marker::KERNEL_TRANSFER, CODE + 0x802);
        writer.time(START + 7, 0);
        writer.instruction(returns, NOP);
        writer
    };
    check_sound(signal(CODE + 1, CODE + 1));
    check(
        signal(CODE + 1, CODE + 9),
        "D-RETURN",
        "returns to 0x401009, the thread was at 0x401001",
    );
    check(
        signal(CODE + 0x50, CODE + 0x50),
        "D-EVENT",
        "the thread was at 0x401050",
    );
    let mut nowhere = writer();
    nowhere.instruction(CODE, NOP);
    nowhere.marker(marker::KERNEL_EVENT, 0);
    nowhere.instruction(CODE + 0x800, NOP);
    check(nowhere, "D-EVENT", "does not say where");
}

#[test]
fn the_kernel_s_part_of_a_system_call_is_whole() {
    const KERNEL: u64 = 0xffff_ffff_8100_0000;
    let part = |begin: u64, end: u64, leaves: u16| {
        let mut writer = writer_of(7, file_type::KERNEL);
        call_kernel(&mut writer, CODE, 39);
        writer.marker(marker::SYSTEM_CALL_START, begin);
        writer.instruction(KERNEL, NOP);
        match leaves {
            kind::INDIRECT_JUMP => {
                writer.branch(leaves, KERNEL + 1, &[0x48, 0x0f, 0x07], Some(CODE + 2))
            }
            _ => writer.instruction(KERNEL + 1, NOP),
        }
        writer.marker(marker::SYSTEM_CALL_END, end);
        writer.time(START + 9, 0);
        writer.instruction(CODE + 2, NOP);
        writer
    };
    check_sound(part(39, 39, kind::INDIRECT_JUMP));
    check(
        part(40, 39, kind::INDIRECT_JUMP),
        "D-KERNEL",
        "another system call than the one before",
    );
    check(
        part(39, 40, kind::INDIRECT_JUMP),
        "D-KERNEL",
        "the end is of another system call",
    );
    check(
        part(39, 39, kind::INSTRUCTION),
        "D-KERNEL",
        "does not end with an indirect branch",
    );
    let mut missing = writer_of(7, file_type::KERNEL);
    call_kernel(&mut missing, CODE, 39);
    missing.instruction(CODE + 2, NOP);
    check(missing, "D-KERNEL", "part of a system call is missing");
    let mut unannounced = writer();
    call_kernel(&mut unannounced, CODE, 39);
    unannounced.marker(marker::SYSTEM_CALL_START, 39);
    unannounced.branch(
        kind::INDIRECT_JUMP,
        KERNEL,
        &[0x48, 0x0f, 0x07],
        Some(CODE + 2),
    );
    unannounced.marker(marker::SYSTEM_CALL_END, 39);
    unannounced.instruction(CODE + 2, NOP);
    check(unannounced, "D-KERNEL", "file type names no kernel's part");
    let mut ends = writer();
    ends.instruction(CODE, NOP);
    ends.marker(35, 1);
    assert!(
        found_in(file(ends))
            .iter()
            .any(|(id, words)| *id == "D-SWITCH" && words.contains("without a beginning"))
    );
}

#[test]
fn markers_are_where_they_belong() {
    let mut split = writer();
    split.marker(15, 0x5123);
    split.instruction(CODE, NOP);
    split.marker(15, 0x5123);
    split.marker(18, 4096);
    check(split, "D-PHYSICAL", "no virtual address");
    let mut other = writer();
    other.marker(15, 0x5123);
    other.marker(17, 0x7fff_0456);
    other.instruction(CODE, NOP);
    check(other, "D-PHYSICAL", "not at one place in a page");
    let mut raw = writer();
    raw.instruction(CODE, NOP);
    raw.marker(45, 0x1000);
    check(raw, "D-RAW", "raw");
    let mut hardware = writer();
    hardware.instruction(CODE, NOP);
    hardware.marker(43, CODE + 1);
    check(hardware, "D-HARDWARE", "whole system");
    let mut vector = writer();
    vector.marker(36, 32);
    vector.instruction(CODE, NOP);
    check(vector, "D-VECTOR", "no vectors");
    let mut counts = writer();
    counts.instruction(CODE, NOP);
    counts.marker(11, 9);
    counts.marker(11, 8);
    check(counts, "D-COUNT", "8 instructions, after 9");
    let mut endpoint = writer();
    endpoint.instruction(CODE, NOP);
    endpoint.marker(marker::FILTER_ENDPOINT, 0);
    check(endpoint, "D-FILTER", "the file type names none");
    let mut function = writer();
    function.instruction(CODE, LOAD);
    function.marker(4, 7);
    function.read(0x1000, 8);
    let found = found_in(file(function));
    assert!(
        found
            .iter()
            .any(|(_, words)| words.contains("between an instruction and its access")),
        "{found:?}"
    );
}

#[test]
fn a_restartable_sequence_ends_as_it_may() {
    let mut left = writer();
    left.marker(marker::RSEQ_ENTRY, CODE + 8);
    left.instruction(CODE, NOP);
    left.instruction(CODE + 0x100, NOP);
    check(left, "D-RSEQ", "left without a branch");
    let mut done = writer();
    done.marker(marker::RSEQ_ENTRY, CODE + 2);
    done.instruction(CODE, NOP);
    done.instruction(CODE + 1, NOP);
    done.marker(marker::RSEQ_ABORT, CODE + 0x40);
    done.marker(marker::KERNEL_EVENT, CODE + 0x40);
    done.instruction(CODE + 0x40, NOP);
    check(
        done,
        "D-RSEQ",
        "the last instruction of a restartable sequence is there",
    );
    let mut apart = writer();
    apart.instruction(CODE, NOP);
    apart.marker(marker::RSEQ_ABORT, CODE + 0x40);
    apart.marker(marker::PAGE_SIZE, 4096);
    check(apart, "D-RSEQ", "no kernel event");
}

#[test]
fn a_thread_has_a_header_instructions_and_an_end() {
    let mut open = writer();
    open.instruction(CODE, NOP);
    let records = open.stop();
    let name = "a.100.0.trace".to_owned();
    let file_of = SampleFile {
        name,
        bytes: records.pack(Container::Plain),
        truth: records.truth,
    };
    assert_eq!(
        found_in(vec![file_of]),
        [("D-EXIT", "thread 100 does not end".to_owned())]
    );
    check(writer(), "D-EMPTY", "no instruction");
    let mut both = writer_of(7, file_type::KERNEL | 0x4_0000);
    both.instruction(CODE, NOP);
    check(both, "D-TYPE", "a whole system");
    let mut calls = TraceWriter::new(TraceRecipe {
        file_type: file_type::ENCODINGS,
        ..TraceRecipe::default()
    });
    calls.time(START, 0);
    call_kernel(&mut calls, CODE, 39);
    calls.instruction(CODE + 2, NOP);
    check(calls, "D-CONTENT", "there are system calls");
    let filtered = file_type::INSTRUCTIONS_FILTERED | file_type::DATA_FILTERED;
    let mut uncounted = writer_of(7, filtered);
    uncounted.instruction(CODE, NOP);
    check(uncounted, "D-COUNT", "no record counts its instructions");
}

#[test]
fn synthetic_instructions_come_without_what_is_real() {
    let recipe = TraceRecipe {
        file_type: file_type::ENCODINGS | file_type::REGDEPS | 0x40,
        ..TraceRecipe::default()
    };
    let mut signal = TraceWriter::new(recipe);
    signal.marker(marker::TIMESTAMP, START);
    signal.fetch(kind::INSTRUCTION, CODE, 3);
    signal.marker(marker::SIGNAL, 11);
    let found = found_in(file(signal));
    assert!(
        found
            .iter()
            .any(|(_, words)| words.contains("a signal number is recorded")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|(_, words)| words.contains("a real architecture as well")),
        "{found:?}"
    );
}
