//! Plain names of banked registers, on small traces written by hand: a plain name means the bank in
//! use.

use std::sync::Arc;

use stepback_index::answer::{AccessKinds, Cell, CellAccess, Effect, RegisterDifference, ThreadId};
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::oracle::{Oracle, Replay};
use stepback_index::query::{
    DifferenceBetween, NearestAccess, RegisterViewsAt, RegistersAt, Steps,
};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_parsers::{Position, Step, Tarmac};

/// Builds a trace with a line for each step: its mode, then its writes.
fn trace(set: &str, steps: &[&str]) -> String {
    let mut text = String::new();
    for (line, time) in steps.iter().zip(1..) {
        let mut words = line.split_whitespace();
        let mode = words.next().unwrap();
        text += &format!(
            "{time} clk IT ({time}) {:08x} d503201f {set} {mode} : x\n",
            0x1000 + 4 * time
        );
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            let digits = if set == "O" { 16 } else { 8 };
            text += &format!("{time} clk R {name} {value:0>digits$}\n");
        }
    }
    text
}

/// Returns the index of a trace, and the oracle.
fn both(text: &str) -> (Index, Oracle) {
    let tarmac =
        Arc::new(Tarmac::open(Box::new(text.to_owned().into_bytes()), Default::default()).unwrap());
    let oracle = Oracle::of(tarmac.as_ref()).unwrap();
    let options = BuildOptions {
        segment_bytes: 100,
        ..BuildOptions::default()
    };
    (index_in_memory(tarmac, &options).unwrap(), oracle)
}

/// Checks a register at each position from 1 on: its value (`-`: unknown) and the step that wrote
/// it last (`-`: none).
#[track_caller]
fn check_text(text: &str, name: &str, expected: &[&str]) {
    for segment_bytes in [1, 100, 1 << 20] {
        let tarmac = Arc::new(
            Tarmac::open(Box::new(text.to_owned().into_bytes()), Default::default()).unwrap(),
        );
        let oracle = Oracle::of(tarmac.as_ref()).unwrap();
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        let index = index_in_memory(tarmac, &options).unwrap();
        let (cancel, thread) = (Cancel::default(), ThreadId(0));
        let view = NameReader(&index).register_view(name, thread).unwrap();
        let mut found = Vec::new();
        for position in (1..=index.step_count()).map(Position) {
            let file = RegistersAt {
                position,
                thread: Some(thread),
            };
            let answer = file.run(&index, &cancel).unwrap();
            assert_eq!(Some(&answer), file.replay(&oracle).as_ref());
            let views = vec![(name.to_owned(), view)];
            let state = RegisterViewsAt {
                position,
                thread,
                views,
            }
            .run(&index, &cancel)
            .unwrap()
            .remove(0);
            assert_eq!(answer.state(name), Some(&state), "{name} at {position:?}");
            let cell = Cell::Register { thread, view };
            let last = NearestAccess::last(cell, AccessKinds::Writes, position);
            let answer = last.run(&index, &cancel).unwrap();
            assert_eq!(Some(&answer), last.replay(&oracle).as_ref());
            let writer = match answer {
                Some(CellAccess::Step(hit)) => {
                    assert_eq!(
                        state.written_at,
                        Some(hit.position),
                        "{name} at {position:?}"
                    );
                    assert!(
                        hit.doubt.is_none() || state.value.is_unknown(),
                        "{name} at {position:?}"
                    );
                    Some(hit.record.step)
                }
                Some(CellAccess::Initial(_)) | None => None,
            };
            assert_eq!(state.written_by, writer, "{name} at {position:?}");
            let value = state
                .value
                .to_u64()
                .map_or("-".to_owned(), |value| format!("{value:x}"));
            found.push(format!(
                "{value}@{}",
                writer.map_or("-".to_owned(), |step| step.0.to_string())
            ));
        }
        assert_eq!(found, expected, "segments of {segment_bytes} bytes");
    }
}

#[track_caller]
fn check(set: &str, steps: &[&str], name: &str, expected: &[&str]) {
    check_text(&trace(set, steps), name, expected);
}

#[test]
fn sp_is_the_bank_of_the_exception_level() {
    check(
        "O",
        &[
            "EL1h_n SP_EL1=8000",
            "EL0t_n SP_EL0=4000",
            "EL0t_n",
            "EL1h_n",
            "EL1h_n SP_EL1=7ff0",
            "EL0t_n",
        ],
        "sp",
        &["8000@0", "4000@1", "4000@1", "8000@0", "7ff0@4", "4000@1"],
    );
    check(
        "O",
        &[
            "EL3h_s sp_el3=9000 sp_el1=8000",
            "EL1h_n",
            "EL1t_n",
            "EL3h_s SP_EL0=4000",
            "EL1t_n",
            "EL2h_n",
        ],
        "sp",
        &["9000@0", "8000@0", "-@-", "9000@0", "4000@3", "-@-"],
    );
}

#[test]
fn registers_of_a_mode_come_and_go_with_it() {
    let steps = [
        "svc r13_svc=8000 r14_svc=11 r13_irq=9000",
        "usr r13_usr=4000 r14_usr=22 r8_usr=1",
        "irq r14_irq=33",
        "fiq r8_fiq=2",
        "sys",
        "svc_s",
        "svc sp_svc=7ff0",
        "usr",
        "svc",
    ];
    check(
        "A",
        &steps,
        "sp",
        &[
            "8000@0", "4000@1", "9000@0", "-@-", "4000@1", "8000@0", "7ff0@6", "4000@1", "7ff0@6",
        ],
    );
    check(
        "A",
        &steps,
        "lr",
        &[
            "11@0", "22@1", "33@2", "-@-", "22@1", "11@0", "11@0", "22@1", "11@0",
        ],
    );
    check(
        "A",
        &steps,
        "r8",
        &[
            "-@-", "1@1", "1@1", "2@3", "1@1", "1@1", "1@1", "1@1", "1@1",
        ],
    );
}

#[test]
fn a_handler_of_m_profile_is_on_the_main_stack() {
    let steps = |control: &'static str| {
        [
            control,
            "thread PSP=4000",
            "handler",
            "handler MSP=7fe0",
            "thread",
            "thread PSP=3ff0",
        ]
    };
    let on_process = ["-@-", "4000@1", "8000@0", "7fe0@3", "4000@1", "3ff0@5"];
    check("T", &steps("thread MSP=8000 CONTROL=2"), "sp", &on_process);
    let on_main = ["8000@0", "8000@0", "8000@0", "7fe0@3", "7fe0@3", "7fe0@3"];
    check("T", &steps("thread MSP=8000 CONTROL=0"), "sp", &on_main);
    // Without CONTROL, thread mode may use either stack.
    let unsaid = ["-@0", "-@1", "8000@0", "7fe0@3", "-@3", "-@5"];
    check("T", &steps("thread MSP=8000"), "sp", &unsaid);
}

#[test]
fn the_only_stack_that_a_trace_of_m_profile_writes_is_the_one_in_use() {
    check(
        "T",
        &[
            "thread MSP=8000",
            "handler MSP=7fe0",
            "thread",
            "thread MSP=7fd0",
        ],
        "sp",
        &["8000@0", "7fe0@1", "7fe0@1", "7fd0@3"],
    );
}

#[test]
fn what_thread_mode_writes_under_the_plain_name_is_the_stack_that_control_chooses() {
    let steps = [
        "thread MSP=8000 PSP=20002000 CONTROL=2",
        "thread r13=20001ff8",
        "handler",
        "handler r13=7ff0",
        "thread",
    ];
    check(
        "T",
        &steps,
        "sp",
        &["20002000@0", "20001ff8@1", "8000@0", "7ff0@3", "20001ff8@1"],
    );
    check(
        "T",
        &steps,
        "msp",
        &["8000@0", "8000@0", "8000@0", "7ff0@3", "7ff0@3"],
    );
    check(
        "T",
        &steps,
        "psp",
        &[
            "20002000@0",
            "20001ff8@1",
            "20001ff8@1",
            "20001ff8@1",
            "20001ff8@1",
        ],
    );
}

#[test]
fn what_thread_mode_writes_under_the_plain_name_without_control_is_no_known_stack() {
    let steps = [
        "thread MSP=8000 PSP=20002000",
        "thread r13=20001ff8",
        "thread",
        "handler",
        "handler r13=7ff0",
        "thread",
    ];
    check(
        "T",
        &steps,
        "sp",
        &["-@0", "20001ff8@1", "20001ff8@1", "-@1", "7ff0@4", "-@4"],
    );
    check(
        "T",
        &steps,
        "psp",
        &["20002000@0", "-@1", "-@1", "-@1", "-@1", "-@1"],
    );
}

/// Builds an M-profile trace with a line for each step: its encoding, its mode, then its writes.
fn m_profile(steps: &[&str]) -> String {
    let with_encoding = |(line, time): (&&str, u64)| {
        let (encoding, rest) = line.split_once(' ').unwrap();
        let step = trace("T", &[rest]).replacen("d503201f", encoding, 1);
        step.replacen(
            "(1) 00001004",
            &format!("({time}) {:08x}", 0x1000 + 4 * time),
            1,
        )
        .replace("1 clk", &format!("{time} clk"))
    };
    steps.iter().zip(1..).map(with_encoding).collect()
}

/// An exception return sets CONTROL.SPSEL (DDI 0403, B1.5.8, ExceptionReturn). The stack it
/// unstacks from stays in use. MSR of a stack pointer does not change that; a later write of
/// CONTROL does.
#[test]
fn an_exception_return_chooses_the_stack_of_thread_mode() {
    let steps = [
        "bf00 thread MSP=8000 PSP=4000 CONTROL=0",
        "f3828809 handler PSP=5000",
        "4770 handler PSP=5020",
        "bf00 thread",
        "f3828809 thread PSP=5040",
        "bf00 thread",
        "bf00 handler",
        "4770 handler MSP=8000",
        "bf00 thread",
        "bf00 thread CONTROL=2",
        "bf00 thread",
    ];
    let expected = [
        "8000@0", "8000@0", "8000@0", "5020@2", "5040@4", "5040@4", "8000@0", "8000@7", "8000@7",
        "5040@4", "5040@4",
    ];
    check_text(&m_profile(&steps), "sp", &expected);
}

/// A push in thread mode moves the stack pointer in use, and a plain name afterwards means that
/// one.
#[test]
fn a_push_shows_the_stack_of_thread_mode() {
    let steps = [
        "bf00 thread MSP=8000 PSP=4000",
        "b510 thread PSP=3ff8",
        "b082 thread r13=3ff0",
        "bf00 handler",
        "bf00 thread",
    ];
    check_text(
        &m_profile(&steps),
        "sp",
        &["-@0", "3ff8@1", "3ff0@2", "8000@0", "3ff0@2"],
    );
}

/// DDI 0553, B3.8: each security state has MSP and PSP, and its CONTROL chooses one in thread mode.
#[test]
fn each_security_state_has_stack_pointers_of_its_own() {
    let first = "thread_s MSP_S=1000 PSP_S=2000 MSP_NS=3000 PSP_NS=4000 CONTROL_S=2 CONTROL_NS=0";
    let steps = [
        first,
        "thread_s",
        "handler_s",
        "thread_ns",
        "handler_ns",
        "handler_ns MSP_NS=2ff8",
        "thrd_s",
        "hndl_ns",
    ];
    let sp = [
        "2000@0", "2000@0", "1000@0", "3000@0", "3000@0", "2ff8@5", "2000@0", "2ff8@5",
    ];
    check("T", &steps, "sp", &sp);
    check("T", &steps, "msp_s", &["1000@0"; 8]);
    check("T", &steps, "psp_ns", &["4000@0"; 8]);
    let main = [
        "3000@0", "3000@0", "3000@0", "3000@0", "3000@0", "2ff8@5", "2ff8@5", "2ff8@5",
    ];
    check("T", &steps, "msp_ns", &main);
}

/// A name without a suffix means the register of the security state of its line, or of the queried
/// position.
#[test]
fn names_without_a_suffix_mean_the_security_state_in_use() {
    let steps = [
        "handler_s MSP=1000 PSP=2000",
        "handler_ns msp=3000",
        "thread_ns CONTROL=2 PSP=4000",
        "thread_s r13_main=ff8",
    ];
    check("T", &steps, "sp", &["1000@0", "3000@1", "4000@2", "-@3"]);
    check(
        "T",
        &steps,
        "msp_s",
        &["1000@0", "1000@0", "1000@0", "ff8@3"],
    );
    check("T", &steps, "psp_s", &["2000@0"; 4]);
    let (index, _) = both(&trace("T", &steps));
    let msp = |at| {
        NameReader(&index)
            .register_view_at("MSP", ThreadId(0), Position(at))
            .unwrap()
    };
    let named = |name| NameReader(&index).register_view(name, ThreadId(0));
    assert_eq!([1, 2].map(msp), ["msp_s", "msp_ns"].map(named));
    assert!(named("control_ns").is_some() && named("control").is_none());
}

/// PSP as written by MSR in a handler is not the stack pointer in use.
#[test]
fn the_process_stack_pointer_is_not_that_of_a_handler() {
    let steps = [
        "thread r13_main=1000 r13_process=2000 CONTROL=2",
        "handler r13_process=3000",
        "thread",
        "handler SP_process=4000",
    ];
    check("T", &steps, "sp", &["2000@0", "1000@0", "3000@1", "1000@0"]);
}

/// The register names of gem5 in AArch32 (src/arch/arm/tracers/tarmac_record.cc): `fp` is `r11` in
/// every mode.
#[test]
fn the_frame_pointer_has_no_banks_but_that_of_fiq() {
    let steps = [
        "usr fp=1",
        "svc fp_svc=2",
        "sys fp_sys=3",
        "fiq fp_fiq=4",
        "hyp fp_hyp=5 lr_hyp=6",
        "svc sl=7 ip=8",
    ];
    check(
        "A",
        &steps,
        "r11",
        &["1@0", "2@1", "3@2", "4@3", "5@4", "5@4"],
    );
    check(
        "A",
        &steps,
        "r10",
        &["-@-", "-@-", "-@-", "-@-", "-@-", "7@5"],
    );
    check("A", &["svc W13=1000 W14=2000 W11=3000"], "sp", &["1000@0"]);
    check("A", &["svc W13=1000 W14=2000 W11=3000"], "lr", &["2000@0"]);
}

#[test]
fn control_of_two_security_states_chooses_where_both_agree() {
    let steps = [
        "thread MSP=8000 PSP=4000 CONTROL_S=2",
        "thread CONTROL_NS=0",
        "thread CONTROL_NS=3",
    ];
    check("T", &steps, "sp", &["4000@0", "-@0", "4000@0"]);
}

/// Builds steps of two threads, with lines of `cpu0` after a step of the other thread.
fn late(steps: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for ((mode, lines), time) in steps.iter().zip(1..) {
        let (cpu, mode) = mode.split_once(' ').unwrap();
        let pc = 0x1000 + 4 * time;
        text += &format!("{time} clk {cpu} IT ({time}) {pc:08x} e1a00000 A {mode} : MOV r0,r0\n");
        for (name, value) in lines
            .split_whitespace()
            .filter_map(|word| word.split_once('='))
        {
            text += &format!("{time} clk cpu0 R {name} {value:0>8}\n");
        }
    }
    text
}

#[test]
fn a_late_line_under_the_plain_name_is_one_of_its_own_threads_mode() {
    let text = late(&[
        ("cpu0 svc", "r13_irq=5000 cpsr=1d3"),
        ("cpu0 svc", ""),
        ("cpu1 usr", "r13=2000 r14=22"),
        ("cpu0 irq", ""),
        ("cpu0 svc", ""),
    ]);
    check_text(&text, "sp", &["-@-", "-@-", "2000@1", "5000@0", "2000@1"]);
    check_text(&text, "lr", &["-@-", "-@-", "22@1", "-@-", "22@1"]);
    check_text(
        &text,
        "r13_irq",
        &["5000@0", "5000@0", "5000@0", "5000@0", "5000@0"],
    );
}

#[test]
fn a_late_line_of_fiq_leaves_the_registers_of_other_modes_alone() {
    let text = late(&[
        ("cpu0 usr", "r8=1"),
        ("cpu0 fiq", "r9_fiq=3"),
        ("cpu1 svc", "r8=2"),
        ("cpu0 fiq", ""),
        ("cpu0 usr", ""),
        ("cpu1 fiq", "r8=4"),
        ("cpu0 fiq", ""),
    ]);
    check_text(
        &text,
        "r8",
        &["1@0", "-@-", "2@1", "2@1", "1@0", "4@4", "2@1"],
    );
}

#[test]
fn a_late_status_register_is_the_mode_of_the_late_lines_after_it() {
    let text = late(&[
        ("cpu0 svc", "r13_svc=1000 r13_irq=5000"),
        ("cpu1 fiq", "r13=900 cpsr=1d2 r13=4ff0"),
        ("cpu0 irq", ""),
        ("cpu0 svc", ""),
    ]);
    check_text(&text, "sp", &["1000@0", "4ff0@0", "4ff0@0", "900@0"]);
}

#[test]
fn a_bank_that_was_never_written_is_unknown_until_it_is() {
    check(
        "O",
        &["EL1h_n SP_EL1=8000", "EL0t_n", "EL0t_n SP_EL0=4000"],
        "sp",
        &["8000@0", "-@-", "4000@2"],
    );
}

#[test]
fn a_bank_that_the_trace_names_nowhere_is_unknown_in_its_mode() {
    check(
        "O",
        &["EL1h_n SP_EL1=8000", "EL0t_n"],
        "sp",
        &["8000@0", "-@-"],
    );
    check(
        "A",
        &["usr r8=1", "fiq r8_fiq=2", "usr"],
        "r8",
        &["1@0", "2@1", "1@0"],
    );
}

#[test]
fn a_write_under_the_plain_name_is_one_of_the_bank_that_its_mode_uses() {
    let steps = [
        "svc r13_svc=8000",
        "usr r13_usr=4000",
        "usr r13=5000",
        "svc",
        "svc r13=7000",
        "usr",
        "svc",
    ];
    let expected = [
        "8000@0", "4000@1", "5000@2", "8000@0", "7000@4", "5000@2", "7000@4",
    ];
    check("A", &steps, "sp", &expected);
    let of_usr = [
        "-@-", "4000@1", "5000@2", "5000@2", "5000@2", "5000@2", "5000@2",
    ];
    check("A", &steps, "r13_usr", &of_usr);
}

#[test]
fn a_bank_written_before_it_is_in_use_is_the_plain_register_then() {
    check(
        "A",
        &["svc r13_usr=4000", "usr", "svc"],
        "sp",
        &["-@-", "4000@0", "-@-"],
    );
}

/// An interrupt in `svc` mode, whose handler saves `lr` and returns.
const INTERRUPT: &str = "\
1 clk IT (1) 00001000 e1a00000 A svc_s : NOP
1 clk R r13_svc 00001000
1 clk R r13_irq 00002000
1 clk R r14_svc 00000010
1 clk R cpsr 000001d3
2 clk IT (2) 00001004 e1a00000 A svc_s : NOP
2 clk E 00001008 irq 00000019 CoreEvent_ModeChange
2 clk R r14_irq 0000100c
2 clk R cpsr 000001d2
3 clk IT (3) 00000018 e1a00000 A irq_s : NOP
4 clk IT (4) 0000001c e25ef004 A irq_s : SUBS pc,lr,#4
4 clk R cpsr 000001d3
5 clk IT (5) 00001008 e1a00000 A svc_s : NOP
";

#[test]
fn the_bank_in_use_is_that_of_the_status_register_that_the_same_step_wrote() {
    check_text(
        INTERRUPT,
        "sp",
        &["1000@0", "2000@0", "2000@0", "1000@0", "1000@0"],
    );
    check_text(
        INTERRUPT,
        "lr",
        &["10@0", "100c@1", "100c@1", "10@0", "10@0"],
    );
}

#[test]
fn the_next_write_of_a_register_is_one_of_the_bank_in_use() {
    let (index, oracle) = both(&trace(
        "A",
        &[
            "svc r13_svc=8000",
            "svc r13_irq=9000 cpsr=1d2",
            "irq r13_irq=8ff0",
            "irq cpsr=1d3",
            "svc r13_svc=7ff0",
        ],
    ));
    let next = |from: u64| {
        let view = NameReader(&index).register_view("sp", ThreadId(0)).unwrap();
        let cell = Cell::Register {
            thread: ThreadId(0),
            view,
        };
        let next = NearestAccess::next(cell, AccessKinds::Writes, Position(from));
        let answer = next.run(&index, &Cancel::default()).unwrap();
        assert_eq!(Some(&answer), next.replay(&oracle).as_ref());
        let hit = answer.and_then(CellAccess::into_hit);
        hit.map(|hit| hit.record.step.0)
    };
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(next),
        [Some(0), Some(4), Some(2), None, Some(4), None]
    );
}

#[test]
fn a_difference_shows_the_register_that_a_name_meant_before_and_after() {
    let (index, oracle) = both(INTERRUPT);
    let difference = DifferenceBetween {
        from: Position(1),
        to: Position(2),
        thread: None,
    };
    let answer = difference.run(&index, &Cancel::default()).unwrap();
    assert_eq!(Some(&answer), difference.replay(&oracle).as_ref());
    let shown = |change: &RegisterDifference| {
        let [from, to] = [&change.from, &change.to].map(|value| {
            value
                .to_u64()
                .map_or("-".to_owned(), |it| format!("{it:x}"))
        });
        format!("{} {from} {to}", change.name)
    };
    let changes: Vec<_> = answer.registers.iter().map(shown).collect();
    assert_eq!(
        changes,
        [
            "sp 1000 2000",
            "lr 10 100c",
            "pc 1004 18",
            "psr 1d3 1d2",
            "r14_irq - 100c"
        ]
    );
}

#[test]
fn registers_of_fiq_are_the_plain_ones_while_it_lasts() {
    let steps = [
        "svc r8=1 r8_fiq=2 r12=5",
        "svc cpsr=1d1",
        "fiq",
        "fiq r8=3 r12_fiq=6",
        "fiq cpsr=1d3",
        "svc",
        "svc r8=4",
        "svc cpsr=1d1",
    ];
    check(
        "A",
        &steps,
        "r8",
        &["1@0", "2@0", "2@0", "3@3", "1@0", "1@0", "4@6", "3@3"],
    );
    check(
        "A",
        &steps,
        "r8_fiq",
        &["2@0", "2@0", "2@0", "3@3", "3@3", "3@3", "3@3", "3@3"],
    );
    check(
        "A",
        &steps,
        "r12",
        &["5@0", "-@-", "-@-", "6@3", "5@0", "5@0", "5@0", "6@3"],
    );
}

#[test]
fn before_the_first_step_its_mode_says_which_bank_is_meant() {
    let dump = "0 clk R r13_svc 00008000\n0 clk R r13_irq 00009000\n0 clk R r14_svc 00000011\n\
                0 clk R r14_abt 00000022\n1 clk IT (1) 00001000 e1a00000 A svc_s : NOP\n";
    let (index, oracle) = both(dump);
    for position in [Position(0), Position(1)] {
        let file = RegistersAt {
            position,
            thread: None,
        };
        let answer = file.run(&index, &Cancel::default()).unwrap();
        assert_eq!(Some(&answer), file.replay(&oracle).as_ref());
        let value = |name: &str| answer.state(name).unwrap().value.to_u64();
        assert_eq!(["sp", "lr"].map(value), [Some(0x8000), Some(0x11)]);
    }
}

#[test]
fn an_exception_to_a_handler_of_m_profile_is_on_the_main_stack_at_once() {
    check(
        "T",
        &[
            "thread MSP=8000 PSP=4000 cpsr=01000000 CONTROL=2",
            "thread PSP=3fe0 cpsr=0100000f",
            "handler MSP=7ff0",
            "handler cpsr=01000000",
        ],
        "sp",
        &["4000@0", "8000@0", "7ff0@2", "3fe0@1"],
    );
}

#[test]
fn a_level_change_in_the_step_that_tells_it() {
    check(
        "O",
        &[
            "EL0t SP_EL0=4000 SP_EL1=8000",
            "EL0t cpsr=3c5",
            "EL1h SP_EL1=7ff0",
            "EL1h cpsr=0",
            "EL0t",
        ],
        "sp",
        &["4000@0", "8000@0", "7ff0@2", "4000@0", "4000@0"],
    );
}

#[test]
fn hyp_has_a_stack_of_its_own_and_the_link_of_usr() {
    let steps = [
        "usr r13_usr=4000 r14_usr=11",
        "usr r13_hyp=a000 cpsr=1da",
        "hyp",
        "hyp r14_usr=22",
        "hyp cpsr=1d0",
    ];
    check(
        "A",
        &steps,
        "sp",
        &["4000@0", "a000@1", "a000@1", "a000@1", "4000@0"],
    );
    check("A", &steps, "lr", &["11@0", "11@0", "11@0", "22@3", "22@3"]);
}

#[test]
fn the_mode_of_another_thread_is_no_matter() {
    check_text(
        "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : x\n\
         1 clk cpu0 R SP_EL1 0000000000008000\n\
         2 clk cpu0 IT (2) 00001004 d503201f O EL0t_n : x\n\
         2 clk cpu0 R SP_EL0 0000000000004000\n\
         3 clk cpu1 IT (1) 00001000 d503201f O EL1h_n : x\n\
         3 clk cpu1 R SP_EL1 0000000000006000\n\
         4 clk cpu0 IT (3) 00001008 d503201f O EL1h_n : x\n",
        "sp",
        &["8000@0", "4000@1", "4000@1", "8000@0"],
    );
}

#[test]
fn a_half_known_value_of_a_bank_stays_half_known() {
    check_text(
        "1 clk IT (1) 00001000 d503201f O EL1h_n : x\n\
         1 clk R SP_EL1 --------00008000\n\
         2 clk IT (2) 00001004 d503201f O EL0t_n : x\n\
         2 clk R SP_EL0 0000000000004000\n\
         3 clk IT (3) 00001008 d503201f O EL1h_n : x\n",
        "sp",
        &["-@0", "4000@1", "-@0"],
    );
}

/// An AArch64 kernel that drops to an AArch32 program, which calls back.
const STATES: &str = "\
1 clk IT (1) 00001000 d69f03e0 O EL1h_n : ERET
1 clk R X13 0000000000004000
1 clk R X14 0000000000000011
1 clk R SP_EL1 0000000000008000
1 clk R cpsr 600001d0
2 clk IT (2) 00002000 e1a00000 A usr : NOP
2 clk R r14 00000022
2 clk R r13 00003ff0
3 clk IT (3) 00002004 ef000000 A usr : SVC #0
3 clk R cpsr 000003c5
4 clk IT (4) 00003000 d503201f O EL1h_n : NOP
";

#[test]
fn names_are_those_of_the_state_at_the_position() {
    let (index, oracle) = both(STATES);
    let thread = ThreadId(0);
    for position in (0..=4).map(Position) {
        let file = RegistersAt {
            position,
            thread: None,
        };
        let answer = file.run(&index, &Cancel::default()).unwrap();
        assert_eq!(Some(&answer), file.replay(&oracle).as_ref());
        let link = NameReader(&index)
            .register_view_at("r14", thread, position)
            .unwrap()
            .unwrap();
        let is_narrow = [1, 2].contains(&position.0);
        assert_eq!(
            answer
                .state(if is_narrow { "lr" } else { "x30" })
                .map(|state| state.view),
            Some(link)
        );
    }
    let shown = |position: u64| {
        let file = RegistersAt {
            position: Position(position),
            thread: None,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        file.registers
            .iter()
            .take(16)
            .map(|register| register.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for position in [0, 3, 4] {
        assert!(
            shown(position).starts_with("x0 x1 x2 x3"),
            "{position}: {}",
            shown(position)
        );
    }
    for position in [1, 2] {
        assert_eq!(
            shown(position),
            "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc",
            "{position}"
        );
    }
    let value = |name: &str, position: u64| {
        let file = RegistersAt {
            position: Position(position),
            thread: None,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        file.state(name).and_then(|state| state.value.to_u64())
    };
    assert_eq!((value("sp", 1), value("lr", 1)), (Some(0x4000), Some(0x11)));
    assert_eq!((value("sp", 2), value("lr", 2)), (Some(0x3ff0), Some(0x22)));
    assert_eq!((value("sp", 4), value("x30", 4)), (Some(0x8000), None));
    let record = Steps {
        first: Step(1),
        count: 1,
    }
    .run(&index, &Cancel::default())
    .unwrap()
    .remove(0);
    let written = record.effects.iter().filter_map(|effect| match effect {
        Effect::Register { name, .. } => Some(name.as_str()),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), ["lr", "sp"]);
}
