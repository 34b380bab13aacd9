//! Calls from the records of a trace.

use stepback_index::answer::{Call, CallId, FrameEntry};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_machine::InstructionSet;
use stepback_machine::flow::RecordedBranch;
use stepback_parsers::{Gap, GapReason, MarkerKind, Step};

use crate::support::records::{Record, Records, What};

const X86: InstructionSet = InstructionSet::X86_64;
const A64: InstructionSet = InstructionSet::A64;
const SIGNAL: MarkerKind = MarkerKind::KERNEL_EVENT;
const SIGNAL_RETURN: MarkerKind = MarkerKind::KERNEL_TRANSFER;

fn step(pc: u64) -> Record {
    Record::step(0, pc, 4, RecordedBranch::None)
}

fn jump(pc: u64) -> Record {
    Record::step(0, pc, 4, RecordedBranch::IndirectJump)
}

fn marker(kind: MarkerKind, value: u64) -> Record {
    Record::marker(0, kind, value)
}

/// Returns a call that writes its return address to the stack.
fn call(pc: u64, stack: u64) -> [Record; 2] {
    [
        Record::step(0, pc, 4, RecordedBranch::Call),
        Record::write(0, stack),
    ]
}

/// Returns a return that reads its address from the stack.
fn back(pc: u64, stack: u64) -> [Record; 2] {
    [
        Record::step(0, pc, 4, RecordedBranch::Return),
        Record::read(0, stack),
    ]
}

/// Returns a call that does not use the stack.
fn link(pc: u64) -> Record {
    Record::step(0, pc, 4, RecordedBranch::Call)
}

fn ret(pc: u64) -> Record {
    Record::step(0, pc, 4, RecordedBranch::Return)
}

fn shown(call: &Call) -> String {
    let number = |step: Option<Step>| step.map_or("-".into(), |step| step.0.to_string());
    let kind = if call.entered == FrameEntry::Exception {
        "!"
    } else {
        ""
    };
    let (from, entry, exit) = (
        number(call.call_step),
        number(call.entry_step),
        number(call.exit_step),
    );
    format!(
        "{}{kind}{:x} {from}..{entry}..{exit} {:?}",
        " ".repeat(call.depth as usize - 1),
        call.function.0,
        call.left
    )
}

/// Checks the frames except the root, formatted as `function call..entry..exit left`, with `!`
/// before interrupting ones.
#[track_caller]
fn check(set: InstructionSet, records: &[&[Record]], expected: &[&str]) {
    let source = Records::new(records.concat(), set);
    for segment_bytes in [16, 48, 1 << 20] {
        let index = index_in_memory(
            source.clone(),
            &BuildOptions {
                segment_bytes,
                threads: 1,
            },
        )
        .unwrap();
        let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let frames: Vec<_> = frames
            .filter(|frame| frame.entered != FrameEntry::Root)
            .map(|frame| shown(&frame))
            .collect();
        assert_eq!(frames, expected, "segments of {segment_bytes} bytes");
    }
}

/// Checks all frames, formatted as `entered function call..entry..exit left`.
#[track_caller]
fn check_all(set: InstructionSet, records: &[&[Record]], expected: &[&str]) {
    let source = Records::new(records.concat(), set);
    let number = |step: Option<Step>| step.map_or("-".into(), |step| step.0.to_string());
    for segment_bytes in [16, 48, 1 << 20] {
        let index = index_in_memory(
            source.clone(),
            &BuildOptions {
                segment_bytes,
                threads: 1,
            },
        )
        .unwrap();
        let frames = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let shown = frames.map(|frame| {
            let (from, entry, exit) = (
                number(frame.call_step),
                number(frame.entry_step),
                number(frame.exit_step),
            );
            let (indent, function) = (" ".repeat(frame.depth as usize), frame.function.0);
            format!(
                "{indent}{:?} {function:x} {from}..{entry}..{exit} {:?}",
                frame.entered, frame.left
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            expected,
            "segments of {segment_bytes} bytes"
        );
    }
}

#[test]
fn a_trace_that_begins_inside_calls_has_their_callers() {
    let expected = &[
        "Root 3000 -..0..1 Return",
        "Root 2008 1..2..2 Return",
        "Root 1005 2..3..- Open",
        " Call 3000 3..4..5 Return",
    ];
    let trace: &[&[Record]] = &[
        &[step(0x3000)],
        &back(0x3004, 0x70),
        &back(0x2008, 0x80),
        &call(0x1005, 0x80),
        &[step(0x3000)],
        &back(0x3004, 0x80),
        &[step(0x1009)],
    ];
    check_all(X86, trace, expected);
    let trace = [
        step(0x3000),
        ret(0x3004),
        ret(0x2008),
        link(0x1005),
        step(0x3000),
        ret(0x3004),
        step(0x1009),
    ];
    check_all(A64, &[&trace], expected);
}

#[test]
fn a_jump_by_a_return_from_below_an_own_call_reveals_no_caller() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &[step(0x2000)],
        &back(0x2004, 0x80),
        &back(0x1004, 0x80),
        &[step(0x5000)],
    ];
    check_all(
        X86,
        trace,
        &["Root 1000 -..0..- Open", " Call 2000 0..1..2 Return"],
    );
}

#[test]
fn a_window_begins_without_the_frames_of_the_one_before() {
    let expected = [
        "Root 1000 -..0..1 Gap",
        " Call 2000 0..1..1 Gap",
        "Gap 5000 1..2..3 Return",
        "Root 6000 3..4..- Open",
        " Call 7000 4..5..6 Return",
    ];
    let (off, lost) = (gap(GapReason::Off, None), gap(GapReason::Lost, None));
    for gap in [
        marker(MarkerKind::WINDOW, 1),
        marker(MarkerKind::FILTER_ENDPOINT, 0),
        off,
        lost,
    ] {
        let trace: &[&[Record]] = &[
            &[marker(MarkerKind::WINDOW, 0)],
            &call(0x1000, 0x80),
            &[
                step(0x2000),
                marker(MarkerKind::WINDOW, 0),
                gap,
                step(0x5000),
            ],
            &back(0x5004, 0x900),
            &call(0x6000, 0x900),
            &[step(0x7000)],
            &back(0x7004, 0x900),
            &[step(0x6004)],
        ];
        check_all(X86, trace, &expected);
    }
    let trace = [link(0x1000), marker(MarkerKind::WINDOW, 7), step(0x5000)];
    check_all(
        A64,
        &[&trace],
        &["Root 1000 -..0..0 Gap", "Gap 5000 0..1..- Open"],
    );
}

fn gap(reason: GapReason, instructions: Option<u64>) -> Record {
    let gap = Gap {
        reason,
        instructions,
    }
    .marker();
    marker(gap.kind, gap.value)
}

#[test]
fn a_call_before_lost_records_is_not_one_of_what_follows_them() {
    let trace = [
        link(0x1000),
        step(0x2000),
        link(0x2004),
        gap(GapReason::Lost, None),
        step(0x1010),
    ];
    let expected = [
        "Root 1000 -..0..2 Gap",
        " Call 2000 0..1..2 Gap",
        "Gap 1010 2..3..- Open",
    ];
    check_all(A64, &[&trace], &expected);
    // The instruction in the call's delay slot is missing.
    let trace = [
        link(0x1000),
        gap(GapReason::Lost, Some(1)),
        step(0x2000),
        ret(0x2004),
        step(0x1004),
    ];
    check(A64, &[&trace], &["2000 0..1..2 Return"]);
}

fn sp(value: u64) -> Record {
    Record {
        thread: 0,
        what: What::StackPointer(Some(value)),
    }
}

/// The stack pointer from before a gap is no longer the thread's.
#[test]
fn a_jump_after_a_gap_leaves_no_call_by_the_stack_pointer_before_it() {
    let left = |written: &[Record]| {
        let trace: &[&[Record]] = &[
            &[sp(0x9000), step(0x1000), gap(GapReason::Off, None)],
            written,
            &[link(0x2000), step(0x3000), sp(0x7f00), link(0x3004)],
            &[step(0x4000), jump(0x4004), sp(0x8000), step(0x2100)],
        ];
        trace.concat()
    };
    let unknown = left(&[]);
    check_all(
        A64,
        &[&unknown],
        &[
            "Root 1000 -..0..0 Gap",
            "Gap 2000 0..1..- Open",
            " Call 3000 1..2..- Open",
            "  Call 4000 3..4..5 Longjmp",
        ],
    );
    let known = left(&[sp(0x8000)]);
    check_all(
        A64,
        &[&known],
        &[
            "Root 1000 -..0..0 Gap",
            "Gap 2000 0..1..- Open",
            " Call 3000 1..2..5 Longjmp",
            "  Call 4000 3..4..5 Longjmp",
        ],
    );
}

fn interrupt(from: u64) -> Record {
    marker(MarkerKind::HARDWARE_EVENT, from)
}

fn resume(to: u64) -> Record {
    marker(MarkerKind::HARDWARE_RETURN, to)
}

#[test]
fn an_interrupt_that_returns_to_what_another_one_left_switches_tasks() {
    let trace: &[&[Record]] = &[
        &[step(0x1000)],
        &call(0x1004, 0xff0),
        &[step(0x2000), interrupt(0x2004), step(0x8000)],
        &back(0x8004, 0x9ff0),
        &[resume(0x5000), step(0x5000)],
        &call(0x5004, 0xeff0),
        &[step(0x6000), interrupt(0x6004), step(0x8000)],
        &back(0x8004, 0xaff0),
        &[resume(0x2004)],
        &back(0x2004, 0xff0),
        &[
            step(0x1008),
            interrupt(0x100c),
            step(0x8000),
            resume(0x6004),
        ],
        &back(0x6004, 0xeff0),
        &[step(0x5008)],
    ];
    let expected = [
        "Root 1000 -..0..- Open",
        " Call 2000 1..2..10 Return",
        "  Exception 8000 2..3..4 Return",
        " Exception 8000 11..12..12 Return",
        "Switch 5000 4..5..- Open",
        " Call 6000 6..7..13 Return",
        "  Exception 8000 7..8..9 Return",
    ];
    check_all(X86, trace, &expected);
    let index =
        index_in_memory(Records::new(trace.concat(), X86), &BuildOptions::default()).unwrap();
    let stacks = index.calls().stacks();
    let used: Vec<_> = stacks
        .iter()
        .map(|stack| {
            stack
                .used
                .iter()
                .map(|part| part.start.0)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(used, [vec![0, 10], vec![5, 13]]);
}

#[test]
fn an_interrupt_that_returns_close_by_or_inside_another_handler_switches_no_task() {
    // The handler skipped the interrupted instruction.
    let trace = [
        link(0x1000),
        step(0x2000),
        interrupt(0x2004),
        step(0x8000),
        resume(0x2008),
        ret(0x2008),
        step(0x1004),
    ];
    check(
        A64,
        &[&trace],
        &["2000 0..1..3 Return", " !8000 1..2..2 Return"],
    );
    // The handler of a fault in a handler returns to code that repairs the damage.
    let trace = [
        &[
            step(0x1000),
            interrupt(0x1004),
            step(0x8000),
            interrupt(0x8004),
            step(0x9000),
        ][..],
        &[resume(0xa000), step(0xa000), resume(0x1004), step(0x1004)],
    ];
    check(
        A64,
        &trace,
        &["!8000 0..1..3 Return", " !9000 1..2..2 Return"],
    );
    // The return address is unknown.
    let trace = [
        step(0x1000),
        interrupt(0x1004),
        step(0x8000),
        resume(0),
        step(0x5000),
    ];
    check(A64, &[&trace], &["!8000 0..1..1 Return"]);
}

/// Returns an encoded call of 0x2000 at 0x1000: CALL rel32 and BL.
fn encoded_calls() -> [(InstructionSet, Record); 2] {
    let record = |bytes: &[u8]| Record::instruction(0, 0x1000, bytes, RecordedBranch::Call);
    [
        (X86, record(&[0xe8, 0xfb, 0x0f, 0, 0])),
        (A64, record(&0x9400_0400u32.to_le_bytes())),
    ]
}

#[test]
fn a_call_as_the_last_step_of_a_thread_is_one() {
    for (set, call) in encoded_calls() {
        check(set, &[&[call]], &["2000 0..-..- Open"]);
        check(
            set,
            &[&[call, marker(MarkerKind::THREAD_EXIT, 0)]],
            &["2000 0..-..- Open"],
        );
        check(set, &[&[call, step(0x2000)]], &["2000 0..1..- Open"]);
    }
    let next = Record::instruction(0, 0x1000, &[0xe8, 0, 0, 0, 0], RecordedBranch::Call);
    check(X86, &[&[next]], &[]);
    // The target of an indirect call is unknown.
    check(A64, &[&[link(0x1000)]], &[]);
}

#[test]
fn a_call_that_faults_where_it_went_is_one() {
    let fault = marker(SIGNAL, 0x2000);
    let called = &call(0x1000, 0x80);
    check(X86, &[called, &[fault]], &["2000 0..-..- Open"]);
    check(A64, &[&[link(0x1000), fault]], &["2000 0..-..- Open"]);
    // The handler is called inside, at any address.
    for handler in [0x500, 0x5000] {
        let expected = [
            "2000 0..-..- Open".to_owned(),
            format!(" !{handler:x} 0..1..- Open"),
        ];
        check(
            X86,
            &[called, &[fault, step(handler)]],
            &expected.each_ref().map(String::as_str),
        );
    }
    // The call itself faulted.
    check(X86, &[called, &[marker(SIGNAL, 0x1000)]], &[]);
}

#[test]
fn a_trace_that_begins_in_a_handler_leaves_it() {
    let expected = [
        "Root 9000 -..0..1 Return",
        " Call 9100 0..1..1 Skipped",
        "Root 1000 1..2..- Open",
    ];
    for end in [
        SIGNAL_RETURN,
        MarkerKind::SYSTEM_CALL_END,
        MarkerKind::HARDWARE_RETURN,
    ] {
        check_all(
            A64,
            &[&[
                link(0x9000),
                step(0x9100),
                marker(end, 0),
                step(0x1000),
                step(0x1004),
            ]],
            &expected,
        );
    }
}

#[test]
fn a_call_returns_to_the_address_after_it() {
    check(
        X86,
        &[
            &call(0x1000, 0x80),
            &[step(0x2000)],
            &back(0x2004, 0x80),
            &[step(0x1004)],
        ],
        &["2000 0..1..2 Return"],
    );
    check(
        A64,
        &[&[link(0x1000), step(0x2000), ret(0x2004), step(0x1004)]],
        &["2000 0..1..2 Return"],
    );
}

#[test]
fn a_call_of_the_next_instruction_asks_for_its_address_alone() {
    check(
        X86,
        &[&call(0x1000, 0x80), &[step(0x1004), step(0x1008)]],
        &[],
    );
}

#[test]
fn recursion_returns_level_by_level() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &call(0x2000, 0x70),
        &call(0x2000, 0x60),
        &back(0x2000, 0x60),
        &back(0x2004, 0x70),
        &back(0x2004, 0x80),
        &[step(0x1004)],
    ];
    check(
        X86,
        trace,
        &[
            "2000 0..1..5 Return",
            " 2000 1..2..4 Return",
            "  2000 2..3..3 Return",
        ],
    );
}

#[test]
fn a_return_further_out_skips_frames() {
    let trace = &[
        link(0x1000),
        link(0x2000),
        step(0x3000),
        ret(0x3004),
        step(0x1004),
    ];
    check(
        A64,
        &[trace],
        &["2000 0..1..3 Return", " 3000 1..2..3 Skipped"],
    );
}

#[test]
fn returns_of_a_thread_that_is_traced_from_its_middle_end_no_later_call() {
    let trace: &[&[Record]] = &[
        &back(0x2000, 0x80),
        &[step(0x1004)],
        &back(0x1008, 0x90),
        &call(0x500, 0x90),
        &[step(0x1000)],
    ];
    check(X86, trace, &["1000 3..4..- Open"]);
}

/// Returns a trace that calls `setjmp`, which returns, then enters two nested functions.
fn after_setjmp() -> Vec<Record> {
    let calls = [
        call(0x1000, 0x80),
        back(0x2000, 0x80),
        call(0x1004, 0x80),
        call(0x3000, 0x70),
    ];
    calls.concat()
}

#[test]
fn a_jump_to_where_a_call_returned_before_leaves_what_was_called_since() {
    let jumped: &[&[Record]] = &[
        &after_setjmp(),
        &[jump(0x4000), step(0x1004)],
        &call(0x1008, 0x80),
        &[step(0x5000)],
    ];
    let setjmp = "2000 0..1..1 Return";
    check(
        X86,
        jumped,
        &[
            setjmp,
            "3000 2..3..4 Longjmp",
            " 4000 3..4..4 Longjmp",
            "5000 6..7..- Open",
        ],
    );
    // Only the end of the trace shows it.
    check(
        X86,
        &jumped[..2],
        &[setjmp, "3000 2..3..4 Longjmp", " 4000 3..4..4 Longjmp"],
    );
    let linked = [
        link(0x1000),
        ret(0x2000),
        link(0x1004),
        link(0x3000),
        jump(0x4000),
        step(0x1004),
    ];
    check(
        A64,
        &[&linked],
        &[setjmp, "3000 2..3..4 Longjmp", " 4000 3..4..4 Longjmp"],
    );
}

#[test]
fn a_jump_inside_a_function_that_called_itself_is_none_if_the_function_returns() {
    // The return address of the outer activation's call is a `case` of the inner activation's
    // `switch`.
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &call(0x2000, 0x70),
        &back(0x3000, 0x70),
        &[step(0x2004)],
        &call(0x2008, 0x70),
        &[jump(0x2000)],
        &back(0x2004, 0x70),
        &back(0x200c, 0x80),
        &[step(0x1004)],
    ];
    check(
        X86,
        trace,
        &[
            "2000 0..1..7 Return",
            " 3000 1..2..2 Return",
            " 2000 4..5..6 Return",
        ],
    );
}

#[test]
fn a_return_from_above_unwinds() {
    // Control goes to a landing pad of the function at 2000.
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &call(0x2000, 0x70),
        &call(0x3000, 0x60),
        &back(0x4000, 0x78),
        &back(0x2040, 0x80),
        &[step(0x1004)],
    ];
    check(
        X86,
        trace,
        &[
            "2000 0..1..4 Return",
            " 3000 1..2..3 Longjmp",
            "  4000 2..3..3 Longjmp",
        ],
    );
}

#[test]
fn a_retpoline_is_a_call_that_ends_where_it_goes_elsewhere() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &call(0x2000, 0x78),
        &back(0x2010, 0x78),
        &[step(0x3000)],
        &back(0x3004, 0x80),
        &[step(0x1004)],
    ];
    check(X86, trace, &["2000 0..1..4 Return", " 2010 1..2..2 Return"]);
}

#[test]
fn a_handler_of_a_signal_interrupts_a_step() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &[step(0x2000), marker(SIGNAL, 0x2004)],
        &call(0x5000, 0x20),
        &back(0x6000, 0x20),
        &[step(0x5004), marker(SIGNAL_RETURN, 0x5008), step(0x2004)],
        &back(0x2008, 0x80),
        &[step(0x1004)],
    ];
    check(
        X86,
        trace,
        &[
            "2000 0..1..6 Return",
            " !5000 1..2..4 Return",
            "  6000 2..3..3 Return",
        ],
    );
}

#[test]
fn a_call_that_a_signal_interrupts_goes_on_after_the_handler() {
    let signal = |pc| {
        [
            marker(SIGNAL, 0x2000),
            step(pc),
            marker(SIGNAL_RETURN, 0),
            step(0x2000),
        ]
    };
    check(
        X86,
        &[&call(0x1000, 0x80), &signal(0x5000)],
        &["2000 0..2..- Open", " !5000 0..1..1 Return"],
    );
    // A second signal comes before the first step of the first one's handler.
    let both: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &[
            marker(SIGNAL, 0x2000),
            marker(SIGNAL, 0x5000),
            step(0x6000),
            marker(SIGNAL_RETURN, 0),
        ],
        &[step(0x5000), marker(SIGNAL_RETURN, 0), step(0x2000)],
    ];
    check(
        X86,
        both,
        &[
            "2000 0..3..- Open",
            " !5000 0..2..2 Return",
            "  !6000 0..1..1 Return",
        ],
    );
}

#[test]
fn a_call_that_shows_others_to_be_over_is_not_inside_them_when_a_signal_interrupts_it() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &call(0x2000, 0x90),
        &[
            marker(SIGNAL, 0x3000),
            step(0x5000),
            marker(SIGNAL_RETURN, 0x5004),
            step(0x3000),
        ],
    ];
    check(
        X86,
        trace,
        &[
            "2000 0..1..1 Longjmp",
            "3000 1..3..- Open",
            " !5000 1..2..2 Return",
        ],
    );
}

#[test]
fn a_jump_out_of_a_handler_leaves_it() {
    let handler = [marker(SIGNAL, 0x4000), jump(0x6000), step(0x1004)];
    let left = [
        "2000 0..1..1 Return",
        "3000 2..3..4 Longjmp",
        " 4000 3..4..4 Longjmp",
    ];
    let linked = [
        link(0x1000),
        ret(0x2000),
        link(0x1004),
        link(0x3000),
        step(0x4000),
    ];
    check(
        A64,
        &[&linked, &handler],
        &[
            left[0],
            "3000 2..3..5 Longjmp",
            " 4000 3..4..5 Longjmp",
            "  !6000 4..5..5 Longjmp",
        ],
    );
    // Only the stack decides: a call of the handler is below the frames, and the next one is not.
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &[step(0x2000), marker(SIGNAL, 0x2004)],
        &call(0x5000, 0x20),
        &[jump(0x6000), step(0x1100)],
        &call(0x1104, 0x80),
        &[step(0x3000)],
    ];
    let expected = [
        "2000 0..1..3 Longjmp",
        " !5000 1..2..3 Longjmp",
        "  6000 2..3..3 Longjmp",
        "3000 5..6..- Open",
    ];
    check(X86, trace, &expected);
}

#[test]
fn the_abort_of_a_restartable_sequence_is_no_frame() {
    let trace = [
        step(0x1000),
        marker(MarkerKind::RSEQ_ENTRY, 0x1010),
        step(0x1004),
        marker(MarkerKind::RSEQ_ABORT, 0x1008),
        marker(SIGNAL, 0x1008),
        step(0x3000),
    ];
    check(X86, &[&trace], &[]);
}

#[test]
fn kernel_code_is_a_frame_of_its_system_call() {
    let (start, end) = (MarkerKind::SYSTEM_CALL_START, MarkerKind::SYSTEM_CALL_END);
    let trace: &[&[Record]] = &[
        &[step(0x1000), marker(start, 3)],
        &call(0xffff_0000, 0xffff_8000),
        &back(0xffff_1000, 0xffff_8000),
        &[
            jump(0xffff_0004),
            marker(end, 3),
            step(0x1004),
            marker(start, 4),
            marker(end, 4),
            step(0x1008),
        ],
    ];
    check(
        X86,
        trace,
        &["!ffff0000 0..1..3 Return", " ffff1000 1..2..2 Return"],
    );
}

#[test]
fn a_jump_out_of_a_handler_that_interrupted_another_one_leaves_both() {
    let trace: &[&[Record]] = &[
        &call(0x1000, 0x80),
        &[
            step(0x2000),
            marker(SIGNAL, 0x2004),
            step(0x5000),
            marker(SIGNAL, 0x5004),
        ],
        &call(0x6000, 0x40),
        &back(0x7000, 0x40),
        &[jump(0x6004), step(0x2010)],
        &back(0x2014, 0x80),
        &[step(0x1004)],
    ];
    let handlers = [" !5000 1..2..5 Longjmp", "  !6000 2..3..5 Longjmp"];
    check(
        X86,
        trace,
        &[
            "2000 0..1..7 Return",
            handlers[0],
            handlers[1],
            "   7000 3..4..4 Return",
        ],
    );
}
