//! Frames of small traces written by hand: exceptions, banks, tail calls, in each instruction set.

use std::fmt::Write as _;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::{Call, CallId, FrameEntry, Program};
use stepback_index::build::{BuildOptions, index_in_memory, with_images};
use stepback_index::oracle::Oracle;
use stepback_index::query::tail_calls;
use stepback_parsers::{Format, Step, Tarmac};

/// Builds a trace from short lines: `ADDRESS OPCODE [NAME=VALUE …]` is a step and its writes; other
/// lines are copied.
fn trace(set: &str, mode: &str, lines: &str) -> String {
    let mut text = String::new();
    for (line, time) in lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .zip(1..)
    {
        let mut words = line.split_whitespace();
        let (Some(pc), Some(opcode)) = (words.next(), words.next()) else {
            panic!("{line}")
        };
        let Some(pc) = u64::from_str_radix(pc, 16).ok().filter(|_| pc.len() == 4) else {
            writeln!(text, "{time} clk {line}").unwrap();
            continue;
        };
        writeln!(
            text,
            "{time} clk IT ({time}) {pc:08x} {opcode} {set} {mode} : x"
        )
        .unwrap();
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            let digits = if set == "O" { 16 } else { 8 };
            writeln!(text, "{time} clk R {name} {value:0>digits$}").unwrap();
        }
    }
    text
}

/// Formats a call as `call 1000: 3..4..7 Return by Link`, indented by the depth below the root:
/// call step, first and last step inside.
fn shown(call: &Call) -> String {
    let number = |step: Option<Step>| step.map_or("-".to_owned(), |step| step.0.to_string());
    let indent = "  ".repeat(call.depth.saturating_sub(1) as usize);
    let (entered, function) = (
        format!("{:?}", call.entered).to_lowercase(),
        call.function.0,
    );
    let (from, entry, exit) = (
        number(call.call_step),
        number(call.entry_step),
        number(call.exit_step),
    );
    format!(
        "{indent}{entered} {function:x}: {from}..{entry}..{exit} {:?} by {:?}",
        call.left, call.evidence
    )
}

#[track_caller]
fn check_with(program: &Program, text: &str, expected: &[&str]) {
    for segment_bytes in [1, 100, 1 << 20] {
        let tarmac = Arc::new(
            Tarmac::open(Box::new(text.to_owned().into_bytes()), Default::default()).unwrap(),
        );
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        let mut index = with_images(
            index_in_memory(tarmac, &options).unwrap(),
            program.clone(),
            &Cancel::default(),
        );
        index
            .find_tail_calls(tail_calls, &Cancel::default())
            .unwrap();
        let calls = (0..index.calls().len()).filter_map(|id| index.calls().get(CallId(id)));
        let found: Vec<_> = calls
            .filter(|call| call.entered != FrameEntry::Root)
            .map(|call| shown(&call))
            .collect();
        assert_eq!(found, expected, "segments of {segment_bytes} bytes");
    }
}

/// Checks all frames, including those that nothing called.
#[track_caller]
fn check_all(text: &str, expected: &[&str]) {
    for segment_bytes in [1, 100, 1 << 20] {
        let text = text.to_owned().into_bytes();
        let source = Format::of_input(&text)
            .unwrap()
            .open_text(Box::new(text), Default::default())
            .unwrap();
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        let oracle = Oracle::of(source.as_ref()).unwrap();
        let index = index_in_memory(source, &options).unwrap();
        let calls: Vec<_> = (0..index.calls().len())
            .filter_map(|id| index.calls().get(CallId(id)))
            .collect();
        assert_eq!(
            calls,
            oracle.calls().calls,
            "segments of {segment_bytes} bytes"
        );
        let found: Vec<_> = calls
            .iter()
            .map(|call| format!("{}{}", call.depth, shown(call).trim_start()))
            .collect();
        assert_eq!(found, expected, "segments of {segment_bytes} bytes");
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_with(&Program::default(), text, expected);
}

#[test]
fn an_interrupt_of_a64_is_a_frame_and_loses_no_call_outside_it() {
    // The handler's stack is above the interrupted one.
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         1004 94000400 X30=1008
         2004 d503201f SP_EL1=7fe0
         2008 d503201f
         f280 d503201f SP_EL1=9000
         f284 94000010 X30=f288
         f2c4 d65f03c0
         f288 d69f03e0 SP_EL1=7fe0
         200c d503201f SP_EL1=8000 X30=1008
         2010 d65f03c0
         1008 d503201f",
    );
    let expected = [
        "call 2004: 1..2..9 Return by Link",
        "  exception f280: 3..4..7 Return by Jump",
        "    call f2c4: 5..6..6 Return by Link",
    ];
    check(&text, &expected);
    let text = text.replace(
        "5 clk IT",
        "5 clk E 0000f280 00000000 CoreEvent_IRQ\n5 clk IT",
    );
    check(
        &text,
        &expected.map(|line| {
            if line.contains("exc") {
                "  exception f280: 3..4..7 Return by Words"
            } else {
                line
            }
        }),
    );
}

#[test]
fn a_handler_on_a_bank_gives_back_the_stack_pointer_that_it_found() {
    // Nothing writes SP_EL0 again after the system call, but the function returns with it.
    let text = trace(
        "O",
        "EL0t",
        "1000 d503201f SP_EL0=8000
         1004 94000400 X30=1008
         2004 d4000001
         f400 d503201f SP_EL0=9000
         f404 d69f03e0
         2008 d65f03c0
         1008 d503201f",
    );
    check(
        &text,
        &[
            "call 2004: 1..2..5 Return by Link",
            "  exception f400: 2..3..4 Return by Jump",
        ],
    );
}

#[test]
fn a_system_call_that_simply_goes_on_is_no_frame() {
    check(
        &trace("O", "EL0t", "1000 d4000001\n1004 d45e0000\n1008 d503201f"),
        &[],
    );
    check(
        &trace("T", "thread", "1000 beab\n1002 df00\n1004 bf00"),
        &[],
    );
}

#[test]
fn a_gap_in_the_trace_is_no_exception() {
    check(
        &trace("O", "EL1h_s", "1000 d503201f\n2004 d503201f\n1004 d503201f"),
        &[],
    );
}

#[test]
fn a_supervisor_call_of_a32_is_an_exception_and_no_call() {
    let text = trace(
        "A",
        "svc",
        "8000 e1a00000 r13=4000
         8004 ef000000 r14=8008
         0008 ea000040
         0110 e1a00000
         0114 e1b0f00e
         8008 e1a00000",
    );
    check(&text, &["exception 8: 1..2..4 Return by Jump"]);
}

#[test]
fn an_interrupt_of_a32_returns_with_subs() {
    let text = trace(
        "A",
        "irq",
        "8000 e1a00000 r13=4000
         8004 e1a00000 r14=800c
         0018 ea000040
         0120 e1a00000 r13=6000
         0124 e25ef004 r13=4000
         8008 e1a00000",
    );
    check(&text, &["exception 18: 1..2..4 Return by Jump"]);
}

#[test]
fn an_interrupt_of_the_m_profile_returns_by_the_link_register() {
    let text = trace(
        "T",
        "thread",
        "8000 bf00 MSP=4000
         8002 f000f80c LR=8007
         8020 bf00
         8022 bf00 MSP=3fe0 LR=fffffff9
         9000 b500 MSP=3fd8
         9002 f000f80d LR=9007
         9020 4770
         9006 bf00
         9008 bd00 MSP=4000 LR=8007
         8024 4770
         8006 bf00",
    );
    let expected = [
        "call 8020: 1..2..9 Return by Link",
        "  exception 9000: 3..4..8 Return by Jump",
        "    call 9020: 5..6..6 Return by Link",
    ];
    check(&text, &expected);
}

#[test]
fn an_exception_between_a_call_and_its_first_step_keeps_both() {
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         1004 94000400 X30=1008
         E 0000f280 00000000 CoreEvent_IRQ
         f280 d503201f
         f284 d69f03e0
         2004 d65f03c0
         1008 d503201f",
    );
    check(
        &text,
        &[
            "call 2004: 1..4..4 Return by Link",
            "  exception f280: 1..2..3 Return by Words",
        ],
    );
}

#[test]
fn words_that_tell_of_no_exception_make_no_frame() {
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d61f0000\nE HALTED 0\nE 00001000 CoreEvent_ModeChange\n2000 d503201f",
    );
    check(&text, &[]);
}

#[test]
fn nested_exceptions_end_with_the_outer_one_that_is_returned_from() {
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         f280 d503201f
         f284 d503201f
         f200 d503201f
         f204 d69f03e0
         1004 d503201f",
    );
    check(
        &text,
        &[
            "exception f280: 0..1..4 Return by Jump",
            "  exception f200: 2..3..4 Skipped by Jump",
        ],
    );
}

#[test]
fn coroutines_have_stacks_of_their_own() {
    // The other stack is above the first, so its stack pointer ends no call of the first one.
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         1004 94000400 X30=1008
         2004 a9bf7bfd SP_EL1=7fe0
         2008 9400043e X30=200c
         3100 910003e0
         3104 9100003f SP_EL1=90000
         3108 f94007fe X30=4000
         310c d65f03c0
         4000 a9bf7bfd SP_EL1=8ffe0
         4004 97fffc3f X30=4008
         3100 910003e0
         3104 9100003f SP_EL1=7fe0
         3108 f94007fe X30=200c
         310c d65f03c0
         200c a8c27bfd SP_EL1=8000 X30=1008
         2010 9400043c X30=2014
         3100 910003e0
         3104 9100003f SP_EL1=8ffe0
         3108 f94007fe X30=4008
         310c d65f03c0
         4008 d503201f",
    );
    let expected = [
        "call 2004: 1..2..- Open by Link",
        "  call 3100: 3..4..13 Return by Link",
        "  call 3100: 15..16..- Open by Link",
        "switch 4000: 7..8..- Open by Stack",
        "call 3100: 9..10..19 Return by Link",
    ];
    check(&text, &expected);
}

#[test]
fn tasks_that_an_operating_system_turns_to_have_stacks_of_their_own() {
    // The handler of a timer returns to a task that was not running before; the next one returns to
    // the first task.
    let text = trace(
        "T",
        "thread",
        "8000 bf00 MSP=4000
         8002 f000f80c LR=8007
         8020 bf00 MSP=3fe0
         8022 bf00 MSP=3fc0 LR=fffffff9
         9000 bf00
         9002 4685 MSP=a000
         9004 4770 LR=0
         b000 bf00
         b002 f000f80d LR=b007
         b020 bf00 MSP=9fe0
         b022 bf00 MSP=9fc0 LR=fffffff9
         9000 bf00
         9002 4685 MSP=3fe0
         9004 4770 LR=8007
         8024 bf00 MSP=4000
         8026 4770
         8006 bf00",
    );
    let expected = [
        "call 8020: 1..2..15 Return by Link",
        "  exception 9000: 3..4..6 Return by Jump",
        "switch b000: 6..7..- Open by Stack",
        "call b020: 8..9..- Open by Link",
        "  exception 9000: 10..11..13 Return by Jump",
    ];
    check(&text, &expected);
}

fn program(functions: &[std::ops::Range<u64>]) -> Program {
    let mut program = Program::default();
    functions
        .iter()
        .for_each(|function| program.add_function(function.clone()));
    program
}

#[test]
fn a_jump_to_another_function_is_a_tail_call() {
    let functions = program(&[
        0x1000..0x1100,
        0x2000..0x2040,
        0x2040..0x2080,
        0x3000..0x3000,
    ]);
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         1004 940003ff X30=1008
         2000 d503201f
         2004 1400000f
         2040 17ffffff
         2040 35007e00
         3000 d65f03c0
         1008 d503201f",
    );
    let expected = [
        "call 2000: 1..2..3 Tail by Link",
        "tail 2040: 3..4..5 Tail by Branch",
        "tail 3000: 5..6..6 Return by Branch",
    ];
    check_with(&functions, &text, &expected);
    check(&text, &["call 2000: 1..2..6 Return by Link"]);
}

#[test]
fn jumps_inside_a_function_to_its_middle_and_to_the_next_instruction_are_no_tail_calls() {
    let functions = program(&[0x1000..0x1008, 0x1008..0x1040, 0x2000..0x2040]);
    let text = trace(
        "T",
        "thread",
        "1002 e000\n1006 e7ff\n1008 bf00\n100a e7fd\n1008 4718\n2004 4718\n2000 bf00",
    );
    check_with(&functions, &text, &[]);
}

#[test]
fn what_begins_a_trace_may_leave_by_a_tail_call_too() {
    let functions = program(&[0x1000..0x1010, 0x2000..0x2040]);
    let text = trace(
        "A",
        "svc",
        "1000 e59ff010\n2000 e1a00000\n2004 eb00000d r14=2008\n2040 e12fff1e\n2008 e1a00000",
    );
    check_with(
        &functions,
        &text,
        &[
            "tail 2000: 0..1..- Open by Branch",
            "call 2040: 2..3..3 Return by Link",
        ],
    );
}

#[test]
fn a_jump_that_an_interrupt_kept_from_its_target_is_no_tail_call() {
    let functions = program(&[0x1800..0x1900, 0x2000..0x2020, 0x4000..0x4020]);
    // The idle loop waits for an interrupt that the trace does not record; its handler is a
    // function too.
    let text = trace(
        "O",
        "EL1h_n",
        "1800 d503201f SP_EL1=8000
         1804 940001ff X30=1808
         2000 d503201f
         2004 14000000
         2004 14000000
         4000 d503201f
         4004 d69f03e0
         2004 14000000
         2008 d65f03c0
         1808 d503201f",
    );
    check_with(&functions, &text, &["call 2000: 1..2..8 Return by Link"]);
}

#[test]
fn an_exception_after_a_jump_through_a_register_is_no_tail_call() {
    let functions = program(&[0x1000..0x1100, 0x2000..0x2040, 0x3000..0x3040]);
    let text = trace(
        "T",
        "thread",
        "1000 bf00 r13=8000
         1002 f000fffd r14=1007
         2000 4718 r13=7fe0 r14=fffffff9
         3000 bf00
         3002 4770 r13=8000 r14=1007
         2002 4770
         1006 bf00",
    );
    let expected = [
        "call 2000: 1..2..5 Return by Link",
        "  exception 3000: 2..3..4 Return by Jump",
    ];
    check_with(&functions, &text, &expected);
}

#[test]
fn a_jump_whose_condition_failed_is_no_tail_call_and_another_time_it_is() {
    let functions = program(&[0x1000..0x1100, 0x2000..0x2040, 0x3000..0x3040]);
    let visit = |first: &str| {
        format!(
            "1004 eb0003fd r14=1008
             2000 e1a00000
             {first}
             3000 e1a00000
             3004 e12fff1e
             1008 e1a00000\n"
        )
    };
    // The code between a failed jump and the other function is lost.
    let lines = "1000 e1a00000 r13=8000\n".to_owned()
        + &visit("2004 112fff13")
        + &visit("IS 2004")
        + &visit("2004 112fff13");
    let text = trace("A", "svc", &lines).replace("IS 2004", "IS (9) 00002004 112fff13 A svc : x");
    let expected = [
        "call 2000: 1..2..3 Tail by Link",
        "tail 3000: 3..4..5 Return by Branch",
        "call 2000: 7..8..11 Return by Link",
        "call 2000: 13..14..15 Tail by Link",
        "tail 3000: 15..16..17 Return by Branch",
    ];
    check_with(&functions, &text, &expected);
}

#[test]
fn a_jump_to_a_part_of_the_same_function_that_lies_elsewhere_is_no_tail_call() {
    let mut functions = program(&[0x1800..0x1900, 0x2000..0x2020, 0x4000..0x4020]);
    functions.add_part(0x3000..0x3010, 0x2000);
    let text = |cold: &str| {
        let lines = "1800 d503201f SP_EL1=8000\n1804 940001ff X30=1808\n2000 d503201f\n2004 54007fe1\n3000 d503201f\n";
        trace("O", "EL1h_n", &(lines.to_owned() + cold))
    };
    let back = text("3004 17fffc01\n2008 d503201f\n200c d65f03c0\n1808 d503201f");
    check_with(&functions, &back, &["call 2000: 1..2..7 Return by Link"]);
    let to_start = text("3004 17fffbff\n2000 d503201f\n200c d65f03c0\n1808 d503201f");
    check_with(
        &functions,
        &to_start,
        &["call 2000: 1..2..7 Return by Link"],
    );
    let elsewhere = text("3004 140003ff\n4000 d65f03c0\n1808 d503201f");
    check_with(
        &functions,
        &elsewhere,
        &[
            "call 2000: 1..2..5 Tail by Link",
            "tail 4000: 5..6..6 Return by Branch",
        ],
    );
}

/// DDI 0487: RET returns to the address in X30, ERET to ELR.
#[test]
fn a_trace_that_begins_inside_calls_has_their_callers() {
    let text = trace(
        "O",
        "EL1h_s",
        "2000 d503201f
         2004 d65f03c0
         1004 d65f03c0
         0800 94000200 X30=804
         1000 d65f03c0
         0804 d503201f",
    );
    let expected = [
        "0root 2000: -..0..1 Return by Start",
        "0root 1004: 1..2..2 Return by Caller",
        "0root 800: 2..3..- Open by Caller",
        "1call 1000: 3..4..4 Return by Link",
    ];
    check_all(&text, &expected);
    // POP {r4,pc}, BX lr, BL.
    let text = trace(
        "T",
        "svc",
        "2000 bf00 r13=3ff8
         2002 bd10 r13=4000
         1004 4770
         0800 f000fbfe r14=805
         1000 4770
         0804 bf00",
    );
    check_all(&text, &expected);
}

#[test]
fn a_return_reveals_no_caller_where_calls_are_not_recorded_or_the_stack_says_otherwise() {
    // Without registers the return address of a call is unknown.
    let text = trace(
        "O",
        "EL1h_s",
        "1000 94000400\n2000 d65f03c0\n1004 d65f03c0\n3000 d503201f",
    );
    check_all(&text, &["0root 1000: -..0..- Open by Start"]);
    // The stack pointer is lower than before, so the frame still exists.
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000\n1008 d10043ff SP_EL1=7ff0\n100c d65f03c0\n3000 d503201f",
    );
    check_all(&text, &["0root 1000: -..0..- Open by Start"]);
}

#[test]
fn a_trace_that_begins_in_a_handler_leaves_it() {
    let text = trace(
        "O",
        "EL1h_s",
        "f280 d503201f SP_EL1=9000\nf284 d69f03e0\n2004 d65f03c0\n1008 d503201f",
    );
    let expected = [
        "0root f280: -..0..1 Return by Start",
        "0root 2004: 1..2..2 Return by Caller",
        "0root 1008: 2..3..- Open by Caller",
    ];
    check_all(&text, &expected);
}

/// DDI 0553, B3.19 and B3.21: a task's registers are stored below PSP, which the handler replaces.
#[test]
fn tasks_that_wait_at_one_address_are_distinguished_by_their_stack_pointers() {
    let line = "E 00009000 0000000e CoreEvent_EXCEPTION";
    let wait = "b000 df00 PSP=TOP LR=fffffffd cpsr=0100000e";
    let tasks = |psp: &str, next: &str| {
        let handler = "9000 bf00\n9002 f3828809 PSP=NEXT\n9004 4770 LR=0 PSP=LATER cpsr=01000000";
        let later = format!("{:x}", u64::from_str_radix(next, 16).unwrap() + 0x20);
        let wait = wait.replace("TOP", psp);
        format!(
            "{wait}\n{line}\n{}\n",
            handler.replace("NEXT", next).replace("LATER", &later)
        )
    };
    let start = "a000 bf00 PSP=2000\na002 f000fffd LR=a007\n";
    let lines = [
        start,
        &tasks("1fe0", "3000"),
        &tasks("3000", "1fe0"),
        "b002 4770\na006 bf00",
    ]
    .concat();
    let mut text = trace("T", "thread", &lines);
    // The handler runs in handler mode.
    for pc in ["00009000", "00009002", "00009004"] {
        for opcode in ["bf00", "f3828809", "4770"] {
            text = text.replace(
                &format!("{pc} {opcode} T thread"),
                &format!("{pc} {opcode} T handler"),
            );
        }
    }
    let expected = [
        "0root a000: -..0..- Open by Start",
        "1call b000: 1..2..10 Return by Link",
        "2exception 9000: 2..3..5 Return by Words",
        "0switch b000: 5..6..- Open by Stack",
        "1exception 9000: 6..7..9 Return by Words",
    ];
    check_all(&text, &expected);
}

/// DDI 0487, ERET: a kernel replaces SP_EL0 and returns to another task, although both were
/// interrupted at one address.
#[test]
fn a_kernel_that_exchanges_the_stack_pointer_of_its_tasks_switches_tasks() {
    let text = trace(
        "O",
        "EL0t",
        "1000 d503201f SP_EL0=8000
         1004 94000400 X30=1008
         2004 d4000001
         f400 d503201f SP_EL1=f000
         f404 d5184100 SP_EL0=6000
         f408 d69f03e0
         2008 d503201f
         200c d4000001
         f400 d503201f
         f404 d5184100 SP_EL0=8000
         f408 d69f03e0
         2008 d65f03c0
         1008 d503201f",
    );
    let text = text.lines().map(|line| {
        let is_kernel = line.contains("0000f40");
        if is_kernel {
            line.replace("EL0t", "EL1h")
        } else {
            line.to_owned()
        }
    });
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1call 2004: 1..2..11 Return by Link",
        "2exception f400: 2..3..5 Return by Jump",
        "0switch 2008: 5..6..- Open by Stack",
        "1exception f400: 7..8..10 Return by Jump",
    ];
    check_all(&text.collect::<Vec<_>>().join("\n"), &expected);
}

/// DDI 0553, C2.4: BLXNS stores the return address on the Secure stack and sets LR to FNC_RETURN.
/// SG begins the functions that the Non-secure state may call, and BXNS returns from them.
#[test]
fn calls_between_the_security_states_return_by_their_addresses() {
    let lines = "1000 bf00 MSP=4000
         1002 47a4 MSP=3ff8 LR=feffffff
         8000 b580 MSP_NS=6ff8
         8002 f000f805 LR=8007
         8010 e97fe97f LR=8006
         8014 bf00
         8016 4774
         8006 bd80 MSP_NS=7000 MSP=4000
         1004 bf00
         1006 47a4 MSP=3ff8 LR=fefffffe
         8100 4770 MSP=4000
         1008 bf00";
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1call 8000: 1..2..7 Return by Link",
        "2call 8010: 3..4..6 Return by Link",
        "1call 8100: 9..10..10 Return by Link",
    ];
    check_all(&trace("T", "thread", lines), &expected);
}

/// DDI 0403, B1.5.12: at a tail-chain the first handler ends and the next one begins; the registers
/// stay on the stack.
#[test]
fn a_tail_chained_handler_takes_the_place_of_the_one_before() {
    let lines = "1000 2005 MSP=20001000
         1002 bf00
         E 00001004 0000000f CoreEvent_EXCEPTION
         R MSP 20000fe0
         R r14 fffffff9
         2000 b510 MSP=20000fd8
         2002 f000f805 LR=2007
         2010 4770
         2006 bd10 MSP=20000fe0
         E 00001004 00000010 CoreEvent_EXCEPTION
         R r14 fffffff9
         2100 bf00
         2102 4770 LR=77 MSP=20001000
         1004 bf00";
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1exception 2000: 1..2..5 Return by Words",
        "2call 2010: 3..4..4 Return by Link",
        "1exception 2100: 5..6..7 Return by Words",
    ];
    check_all(&trace("T", "thread", lines), &expected);
    // Repeated for a trace that reports no exceptions.
    let lines: Vec<_> = lines
        .lines()
        .filter(|line| !line.contains("CoreEvent"))
        .collect();
    check_all(
        &trace("T", "thread", &lines.join("\n")),
        &expected
            .map(|line| line.replace("Words", "Jump"))
            .each_ref()
            .map(String::as_str),
    );
}

/// DDI 0403, B1.5.12, late arrival: the frame is stored for one exception, but a second one is
/// handled first.
#[test]
fn a_handler_that_arrives_late_runs_before_the_one_it_overtakes() {
    let lines = "1000 2005 MSP=20000fe0 LR=fffffff9
         E 00001002 0000000f CoreEvent_EXCEPTION
         E 00001002 00000010 CoreEvent_EXCEPTION
         2100 4770 LR=fffffff9
         E 00001002 0000000f CoreEvent_EXCEPTION
         2000 4770 LR=fffffff9
         E 00001002 00000011 CoreEvent_EXCEPTION
         2200 4770 LR=77 MSP=20001000
         1002 bf00";
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1exception 2100: 0..1..1 Return by Words",
        "1exception 2000: 1..2..2 Return by Words",
        "1exception 2200: 2..3..3 Return by Words",
    ];
    check_all(&trace("T", "thread", lines), &expected);
}

/// EXC_RETURN identifies the destination of a handler: one that returns to a handler (fffffff1) was
/// taken inside it.
#[test]
fn an_exception_after_a_jump_inside_a_handler_is_nested_in_it() {
    let lines = "1000 2005 MSP=20000fe0 LR=fffffff9
         E 00001002 0000000f CoreEvent_EXCEPTION
         2000 4718 MSP=20000fc0 LR=fffffff1
         E 00002010 00000010 CoreEvent_EXCEPTION
         2100 4770 LR=fffffff1
         E 00002010 00000011 CoreEvent_EXCEPTION
         2200 4770 MSP=20000fe0 LR=fffffff9
         2010 4770 LR=77 MSP=20001000
         1002 bf00";
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1exception 2000: 0..1..4 Return by Words",
        "2exception 2100: 1..2..2 Return by Words",
        "2exception 2200: 2..3..3 Return by Words",
    ];
    check_all(&trace("T", "thread", lines), &expected);
}

/// DDI 0487, D1.4: EL1t uses SP_EL0. A trace may begin with the values of all banks, in any order.
#[test]
fn the_first_stack_pointer_is_the_bank_that_the_mode_uses() {
    for (mode, used, other) in [("EL1t", "SP_EL0", "SP_EL1"), ("EL1h", "SP_EL1", "SP_EL0")] {
        let steps = format!(
            "1000 94000400 X30=1004
             2000 a9bf7bfd {used}=1fff0
             2004 a8c17bfd {used}=20000
             2008 d65f03c0
             1004 d503201f"
        );
        let [used, other] = [
            format!("R {used} {:016x}", 0x20000),
            format!("R {other} {:016x}", 0x10000),
        ];
        for banks in [format!("{used}\n{other}"), format!("{other}\n{used}")] {
            let text = trace("O", mode, &format!("{banks}\n{steps}"));
            check_all(
                &text,
                &[
                    "0root 1000: -..0..- Open by Start",
                    "1call 2000: 0..1..3 Return by Link",
                ],
            );
        }
    }
}

/// DDI 0403, B1.4.1: CONTROL.SPSEL chooses between MSP and PSP; the mode of a line does not show
/// it.
#[test]
fn the_first_stack_pointer_of_thread_mode_is_the_one_that_was_named_last() {
    let steps = "1000 f000f87e LR=1005
         1100 b510 PSP=20001ff8
         1102 bd10 PSP=20002000
         1004 bf00";
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1call 1100: 0..1..2 Return by Link",
    ];
    let banks = "R MSP 20001000\nR PSP 20002000";
    check_all(
        &trace(
            "T",
            "thread",
            &format!("R CONTROL 00000002\n{banks}\n{steps}"),
        ),
        &expected,
    );
}

/// The usual task switch of FreeRTOS: SysTick pends PendSV, which is chained to it and exchanges
/// PSP.
#[test]
fn a_chained_handler_switches_tasks() {
    let line = "E 00001000 0000000e CoreEvent_EXCEPTION";
    let switch = |from: &str, psp: &str, later: &str| {
        format!(
            "{line}\nR PSP {from}\nR r14 fffffffd\nR cpsr 0100000f
             3000 b510 MSP=20000ff8
             3002 bd10 MSP=20001000
             {line}\nR r14 fffffffd\nR cpsr 0100000e
             4000 f3828809 PSP={psp}
             4004 4770 LR=0 PSP={later} cpsr=01000000\n"
        )
    };
    let start = "1000 bf00 MSP=20001000 PSP=20002000 CONTROL=2 cpsr=01000000
         1002 f000f805 LR=1007
         1010 b510 PSP=20001ff8\n";
    let lines = [
        start,
        &switch("20001fd8", "20002fe0", "20003000"),
        "1100 bf00\n",
        &switch("20002fe0", "20001fd8", "20001ff8"),
        "1012 bd10 PSP=20002000\n1006 bf00",
    ];
    let text = trace("T", "thread", &lines.concat());
    let is_handler = |line: &str| [" 00003", " 00004"].iter().any(|pc| line.contains(pc));
    let text = text.lines().map(|line| {
        let is_handlers = line.contains("IT") && is_handler(line);
        if is_handlers {
            line.replace("thread", "handler")
        } else {
            line.to_owned()
        }
    });
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1call 1010: 1..2..12 Return by Link",
        "2exception 3000: 2..3..4 Return by Words",
        "2exception 4000: 4..5..6 Return by Words",
        "0switch 1100: 6..7..- Open by Stack",
        "1exception 3000: 7..8..9 Return by Words",
        "1exception 4000: 9..10..11 Return by Words",
    ];
    check_all(&text.collect::<Vec<_>>().join("\n"), &expected);
}

/// DDI 0487, ERET: an exception may be taken before the code to which a handler returns executes.
#[test]
fn an_exception_right_after_a_return_is_not_inside_the_handler() {
    let text = trace(
        "O",
        "EL1h_s",
        "1000 d503201f SP_EL1=8000
         1004 94000400 X30=1008
         2004 d503201f
         E 0000f280 00000000 CoreEvent_IRQ
         f280 d503201f
         f284 d69f03e0
         E 0000f280 00000000 CoreEvent_IRQ
         f280 d69f03e0
         E 0000f300 00000000 CoreEvent_FIQ
         f300 d503201f
         f304 d69f03e0
         2008 d65f03c0
         1008 d503201f",
    );
    let expected = [
        "0root 1000: -..0..- Open by Start",
        "1call 2004: 1..2..8 Return by Link",
        "2exception f280: 2..3..4 Return by Words",
        "2exception f280: 4..5..5 Return by Words",
        "2exception f300: 5..6..7 Return by Words",
    ];
    check_all(&text, &expected);
}

/// Tenet text of calls on x86-64: 1000 calls 2000, which calls 3000.
const CALLS_X86: &str = "rsp=0x8000,rip=0x1000
rsp=0x7ff8,rip=0x2000,mw=0x7ff8:0510000000000000
rsp=0x7fe0,rip=0x2004
rsp=0x7fd8,rip=0x3000,mw=0x7fd8:0920000000000000
";

#[test]
fn a_jump_with_a_higher_stack_pointer_leaves_calls_without_opcodes() {
    let to_outermost = "rsp=0x8000,rip=0x3003\nrip=0x1050\nrax=0x1,rip=0x1053\nrip=0x1054\n";
    check_all(
        &format!("{CALLS_X86}{to_outermost}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..4 Longjmp by Record",
            "2call 3000: 2..3..4 Longjmp by Record",
        ],
    );
    // The body of the function at 2000.
    let to_caller = "rsp=0x7fe0,rip=0x3003\nrip=0x2050\nrax=0x1,rip=0x2053\nrip=0x2054\n";
    check_all(
        &format!("{CALLS_X86}{to_caller}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..- Open by Record",
            "2call 3000: 2..3..4 Longjmp by Record",
        ],
    );
}

#[test]
fn a_jump_at_the_end_of_a_function_leaves_no_call_for_the_function_that_it_enters() {
    let tail_call = "rsp=0x7fe0,rip=0x2009,mr=0x7fd8:0920000000000000
rsp=0x7ff8,rip=0x200d\nrip=0x4000\nrax=0x1,rip=0x4003\nrsp=0x8000,rip=0x1005,mr=0x7ff8:0510000000000000
rip=0x1006\n";
    check_all(
        &format!("{CALLS_X86}{tail_call}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..7 Return by Record",
            "2call 3000: 2..3..3 Return by Record",
        ],
    );
}

#[test]
fn a_jump_onto_another_stack_leaves_no_call() {
    let other = "rsp=0x20000,rip=0x3003\nrip=0x1050\nrax=0x1,rip=0x1053\nrip=0x1054\n";
    check_all(
        &format!("{CALLS_X86}{other}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..- Open by Record",
            "2call 3000: 2..3..- Open by Record",
        ],
    );
}

#[test]
fn a_jump_to_the_caller_leaves_a_call_that_began_with_its_stack_pointer() {
    let text = "x0=0x0,x30=0x0,sp=0x8000,pc=0x1000
x30=0x1004,pc=0x2000
sp=0x7fe0,pc=0x2004
x30=0x2008,pc=0x3000
sp=0x8000,pc=0x3004
pc=0x1050
x0=0x1,pc=0x1054
x0=0x2,pc=0x1058
";
    check_all(
        text,
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..4 Longjmp by Record",
            "2call 3000: 2..3..4 Longjmp by Record",
        ],
    );
}

/// T32: `pop {r4, pc}` returns twice, which a log without opcodes shows as jumps.
#[test]
fn a_jump_to_a_return_address_with_the_stack_pointer_of_the_call_returns() {
    let pop = "r0=0x0,lr=0x0,sp=0x8000,pc=0x1000
lr=0x1005,pc=0x2000
sp=0x7ff8,pc=0x2002
lr=0x2007,pc=0x3000
sp=0x7ff0,pc=0x3002
lr=0x3007,pc=0x4000
r0=0x1,pc=0x4002
pc=0x3006
r0=0x2,pc=0x3008
sp=0x7ff8,pc=0x2006
r0=0x3,pc=0x2008
sp=0x8000,pc=0x1004
r0=0x4,pc=0x1006
r0=0x5,pc=0x1020
r0=0x6,pc=0x1022
";
    check_all(
        pop,
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..10 Return by Record",
            "2call 3000: 2..3..8 Return by Record",
            "3call 4000: 4..5..6 Return by Record",
        ],
    );
    // x86: `pop rcx; jmp rcx`.
    let jump = "rcx=0x2009,rsp=0x7fe0,rip=0x3001,mr=0x7fd8:0920000000000000
rip=0x2009
rax=0x1,rip=0x200c
rsp=0x7ff8,rip=0x2010
rsp=0x8000,rip=0x1005,mr=0x7ff8:0510000000000000
rip=0x1006
";
    check_all(
        &format!("{CALLS_X86}{jump}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..7 Return by Record",
            "2call 3000: 2..3..4 Return by Record",
        ],
    );
}

/// `retaa` returns to the address that the link register has without its signature. The innermost
/// function writes no stack pointer.
#[test]
fn a_return_to_a_signed_address_returns() {
    check_all(
        "x0=0x0,x30=0x0,sp=0x8000,pc=0x1000
x30=0x1004,pc=0x2000
x30=0x55000000001004,pc=0x2004
sp=0x7fe0,pc=0x2008
x30=0x200c,pc=0x3000
x30=0x5500000000200c,pc=0x3004
sp=0x7fd0,pc=0x3008
x30=0x300c,pc=0x4000
x30=0x3a00000000300c,pc=0x4004
pc=0x300c
sp=0x7fe0,x30=0x5500000000200c,pc=0x3010
pc=0x200c
x0=0x3,pc=0x2010
sp=0x8000,x30=0x55000000001004,pc=0x2014
pc=0x1004
x0=0x4,pc=0x1008
",
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..13 Return by Record",
            "2call 3000: 3..4..10 Return by Record",
            "3call 4000: 6..7..8 Return by Record",
        ],
    );
}

#[test]
fn a_jump_that_raises_the_stack_pointer_itself_leaves_calls() {
    let root = "rsp=0x8000,rip=0x1050\nrax=0x2,rip=0x1053\n";
    let left = [
        "0root 1000: -..0..- Open by Start",
        "1call 2000: 0..1..4 Longjmp by Record",
        "2call 3000: 2..3..4 Longjmp by Record",
    ];
    let body =
        "rsp=0x7ff0,rip=0x1056\nrsp=0x8000,rip=0x105a\nrax=0x2,rip=0x1010\nrax=0x4,rip=0x1013\n";
    check_all(
        &format!("{CALLS_X86}rax=0x1,rip=0x3003\n{root}{body}"),
        &left,
    );
    let call = "rsp=0x7ff8,rip=0x4000,mw=0x7ff8:5610000000000000
rax=0x2,rip=0x4003\nrsp=0x8000,rip=0x1056,mr=0x7ff8:5610000000000000\nrax=0x4,rip=0x1059\n";
    let all = [&left[..], &["1call 4000: 6..7..8 Return by Record"]].concat();
    check_all(
        &format!("{CALLS_X86}rax=0x1,rip=0x3003\n{root}{call}"),
        &all,
    );
    // A log without reads of memory.
    let (call, _) = call.split_once(",mr").unwrap();
    check_all(
        &format!("{CALLS_X86}rax=0x1,rip=0x3003\n{root}{call}\nrax=0x4,rip=0x1059\n"),
        &all,
    );
}

/// The landing pad sets the stack pointer, and its call writes where the frames were.
#[test]
fn a_call_whose_return_address_replaces_those_of_others_shows_them_to_be_over() {
    let lines = "rsp=0x7fc0,rip=0x3003
rip=0x1050
rsp=0x8000,rip=0x1053
rsp=0x7ff8,rip=0x4000,mw=0x7ff8:5610000000000000
rax=0x2,rip=0x4003
rsp=0x8000,rip=0x1056,mr=0x7ff8:5610000000000000
rax=0x4,rip=0x1059
";
    check_all(
        &format!("{CALLS_X86}{lines}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..4 Longjmp by Record",
            "2call 3000: 2..3..4 Longjmp by Record",
            "1call 4000: 6..7..8 Return by Record",
        ],
    );
}

/// A function at 2000 resumes a coroutine on a lower stack twice. Between both, the coroutine's call
/// of 5000 waits.
#[test]
fn a_call_of_a_coroutine_that_waits_is_not_over() {
    let text = "x0=0x0,x30=0x0,sp=0x20000,pc=0x1000
x30=0x1004,pc=0x2000
sp=0x1ffe0,pc=0x2004
x0=0x1,pc=0x2008
sp=0xffe0,pc=0x200c
x0=0x2,pc=0x4000
x30=0x4004,pc=0x5000
sp=0xffc0,pc=0x5004
sp=0x1ffe0,pc=0x5008
x0=0x2,pc=0x2010
x0=0x3,pc=0x2014
sp=0xffc0,pc=0x2018
x0=0x3,pc=0x500c
sp=0xffe0,x30=0x4004,pc=0x5010
pc=0x4004
x0=0x9,pc=0x4008
sp=0x1ffe0,pc=0x400c
x0=0x9,pc=0x2020
x30=0x1004,sp=0x20000,pc=0x2024
pc=0x1004
x0=0x7,pc=0x1008
";
    check_all(
        text,
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..18 Return by Record",
            "2call 5000: 5..6..13 Return by Record",
        ],
    );
    // The function calls 6000 meanwhile, and a longjmp leaves both calls in that.
    let meanwhile = "x0=0x3,pc=0x2014
x30=0x2018,pc=0x6000
sp=0x1ffc0,pc=0x6004
x30=0x6008,pc=0x7000
sp=0x1ffe0,pc=0x7004
x0=0x1,pc=0x2400
x0=0x4,pc=0x2404
";
    let (before, after) = text.split_once("x0=0x3,pc=0x2014\n").unwrap();
    let after = after.replace("pc=0x2018", "pc=0x2408");
    check_all(
        &format!("{before}{meanwhile}{after}"),
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..24 Return by Record",
            "2call 5000: 5..6..19 Return by Record",
            "3call 6000: 10..11..14 Longjmp by Record",
            "4call 7000: 12..13..14 Longjmp by Record",
        ],
    );
}

/// The function at 2000 has an array of 64 KiB, and one of 32 KiB as the stack of a handler.
#[test]
fn calls_around_a_large_frame_are_over_only_where_control_leaves_them() {
    let calls = "x0=0x0,x30=0x0,sp=0x40000,pc=0x1000
x30=0x1004,pc=0x2000
sp=0x30000,pc=0x2004
x30=0x2008,pc=0x3000
sp=0x2ffe0,pc=0x3004
x30=0x3008,pc=0x4000
";
    let caught = |sp: &str, pc: &str| {
        format!("{calls}sp={sp},pc=0x4004\nx0=0x1,pc={pc}000\nx0=0x2,pc={pc}004\n")
    };
    let calls_of = |exits: [&str; 3]| {
        let [first, second, third] = exits;
        [
            "0root 1000: -..0..- Open by Start".to_owned(),
            format!("1call 2000: 0..1..{first} by Record"),
            format!("2call 3000: 2..3..{second} by Record"),
            format!("3call 4000: 4..5..{third} by Record"),
        ]
    };
    let check = |text: &str, exits| {
        check_all(text, &calls_of(exits).each_ref().map(String::as_str));
    };
    // In the function at 2000, and in its caller.
    check(
        &caught("0x30000", "0x9"),
        ["- Open", "6 Longjmp", "6 Longjmp"],
    );
    check(&caught("0x40000", "0x0"), ["6 Longjmp"; 3]);
    // The handler runs on the array.
    check(&caught("0x38000", "0x9"), ["- Open"; 3]);
}

/// A function that keeps its return address in another register, like those that LLVM's outliner
/// makes calls in, is the one that continues.
#[test]
fn a_jump_into_a_function_that_uses_no_stack_does_not_leave_it() {
    let text = "x0=0x0,x30=0x0,sp=0x8000,pc=0x1000
x30=0x1004,pc=0x2000
x15=0x1004,pc=0x2004
x30=0x2008,pc=0x3000
sp=0x7fe0,pc=0x3004
x30=0x3008,pc=0x4000
sp=0x8000,pc=0x4004
x0=0x1,pc=0x2010
x30=0x1004,pc=0x2014
pc=0x1004
x0=0x4,pc=0x1008
";
    check_all(
        text,
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..8 Return by Record",
            "2call 3000: 2..3..6 Longjmp by Record",
            "3call 4000: 4..5..6 Longjmp by Record",
        ],
    );
}

#[test]
fn a_call_that_leaves_the_link_register_unchanged_is_found_by_its_encoding() {
    // A log that lists changed registers only, of a loop: the second BL writes the same address.
    let text = trace(
        "O",
        "EL1h_s",
        "1000 94000400 SP_EL1=8000 X30=1004
        2000 d65f03c0
        1004 17ffffff
        1000 94000400
        2000 d65f03c0
        1004 d503201f",
    );
    check_all(
        &text,
        &[
            "0root 1000: -..0..- Open by Start",
            "1call 2000: 0..1..1 Return by Link",
            "1call 2000: 3..4..4 Return by Link",
        ],
    );
}
