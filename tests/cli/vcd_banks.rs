//! `stepback vcd` across changes of mode.

use std::fs;

use crate::cli::support::Sandbox;
use crate::cli::waveform::Waveform;

/// An interrupt in `svc` mode.
const INTERRUPT: &str = "\
1 clk IT (1) 00001000 e1a00000 A svc_s : NOP
1 clk R r13_svc 00001000
1 clk R r13_irq 00002000
1 clk R r14_svc 00000010
1 clk R r8 00000001
1 clk R r8_fiq 00000002
1 clk R cpsr 000001d3
2 clk IT (2) 00001004 e1a00000 A svc_s : NOP
2 clk R r14_irq 0000100c
2 clk R cpsr 000001d2
3 clk IT (3) 00000018 e25ef004 A irq_s : SUBS pc,lr,#4
3 clk R cpsr 000001d1
4 clk IT (4) 00001008 e1a00000 A fiq_s : NOP
5 clk IT (5) 0000100c e1a00000 A svc_s : NOP
";

fn waveform(options: &[&str]) -> Waveform {
    waveform_of(INTERRUPT, options)
}

fn waveform_of(text: &str, options: &[&str]) -> Waveform {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", text);
    sandbox
        .run(&[&["vcd", &trace, "--no-date"][..], options].concat())
        .succeeds();
    Waveform::read(&fs::read_to_string(format!("{trace}.vcd")).unwrap())
}

#[test]
fn the_registers_of_a_mode_are_shown_from_the_step_on_that_enters_it() {
    let wave = waveform(&[]);
    let values = |name: &str| {
        [0, 1000, 2000, 3000, 4000].map(|time| wave.number_at(&format!("CPU.{name}"), time))
    };
    assert_eq!(
        values("r13"),
        [Some(0x1000), Some(0x2000), None, None, Some(0x1000)]
    );
    assert_eq!(
        values("r14"),
        [Some(0x10), Some(0x100c), None, None, Some(0x10)]
    );
    assert_eq!(values("r8"), [Some(1), Some(1), Some(2), Some(2), Some(1)]);
}

#[test]
fn a_window_of_the_trace_goes_on_with_the_banks_that_it_found() {
    let wave = waveform(&["--from", "2"]);
    let values =
        |name: &str| [2000, 3000, 4000].map(|time| wave.number_at(&format!("CPU.{name}"), time));
    assert_eq!(values("r13"), [None, None, Some(0x1000)]);
    assert_eq!(values("r8"), [Some(2), Some(2), Some(1)]);
}

#[test]
fn a_late_line_under_the_plain_name_is_one_of_its_own_threads_mode() {
    let wave = waveform_of(
        "1 clk cpu0 IT (1) 00001000 e1a00000 A svc_s : NOP\n\
         1 clk cpu0 R r13_irq 00005000\n\
         1 clk cpu0 R r8 00000001\n\
         1 clk cpu0 R cpsr 000001d3\n\
         2 clk cpu0 IT (2) 00001004 e1a00000 A svc_s : MOV sp,r0\n\
         3 clk cpu1 IT (1) 00001000 e1a00000 A usr : NOP\n\
         3 clk cpu0 R r13 00002000\n\
         4 clk cpu0 IT (3) 00000018 e1a00000 A irq_s : NOP\n\
         5 clk cpu0 IT (4) 0000001c e1a00000 A fiq_s : NOP\n\
         6 clk cpu1 IT (2) 00001004 e1a00000 A usr : NOP\n\
         6 clk cpu0 R r8 00000002\n\
         7 clk cpu0 IT (5) 00001008 e1a00000 A svc_s : NOP\n",
        &[],
    );
    let values = |name: &str| {
        [2000, 3000, 4000, 5000, 6000].map(|time| wave.number_at(&format!("cpu0.{name}"), time))
    };
    assert_eq!(
        values("r13"),
        [Some(0x2000), Some(0x5000), None, None, Some(0x2000)]
    );
    assert_eq!(values("r8"), [Some(1), Some(1), None, Some(2), Some(1)]);
}

#[test]
fn the_stack_of_thread_mode_is_the_one_that_control_chooses() {
    let trace = |control: &str| {
        format!(
            "1 clk IT (1) 00001000 bf00 T thread : NOP\n\
             1 clk R MSP 00008000\n\
             1 clk R PSP 20002000\n\
             {control}\
             2 clk IT (2) 00001002 bf00 T thread : NOP\n\
             2 clk R r13 20001ff8\n\
             3 clk IT (3) 00002000 bf00 T handler : NOP\n\
             4 clk IT (4) 00001004 bf00 T thread : NOP\n"
        )
    };
    let values = |control: &str, options: &[&str]| {
        let wave = waveform_of(&trace(control), options);
        [0, 1000, 2000, 3000].map(|time| wave.number_at("CPU.r13", time))
    };
    let chosen = values("1 clk R CONTROL 00000002\n", &[]);
    assert_eq!(
        chosen,
        [
            Some(0x2000_2000),
            Some(0x2000_1ff8),
            Some(0x8000),
            Some(0x2000_1ff8)
        ]
    );
    // Without CONTROL it may be either stack pointer.
    assert_eq!(
        values("", &[]),
        [None, Some(0x2000_1ff8), None, Some(0x2000_1ff8)]
    );
}

/// A processor that drops from AArch64 to AArch32 and returns.
const STATES: &str = "\
1 clk IT (1) 00001000 d503201f O EL1h_s : NOP
1 clk R X0 1111111122222222
1 clk R X20 0000000000000020
2 clk IT (2) 00001004 d69f03e0 O EL1h_s : ERET
3 clk IT (3) 00002000 e3a00005 A usr_s : MOV r0,#5
3 clk R r0 00000005
4 clk IT (4) 00002004 e1a00000 A usr_s : NOP
5 clk IT (5) 00001008 d503201f O EL1h_s : NOP
5 clk R X1 0000000000000001
";

#[test]
fn signals_are_those_of_all_states_that_the_range_sees_and_unknown_where_their_name_does_not_exist()
{
    let wave = waveform_of(STATES, &[]);
    let values = |name: &str| {
        [0, 1000, 2000, 3000, 4000].map(|time| wave.number_at(&format!("CPU.{name}"), time))
    };
    assert_eq!(
        values("x20"),
        [Some(0x20), Some(0x20), None, None, Some(0x20)]
    );
    assert_eq!(values("r0"), [None, None, Some(5), Some(5), None]);
    assert_eq!(
        values("x0")[..3],
        [
            Some(0x1111_1111_2222_2222),
            Some(0x1111_1111_2222_2222),
            None
        ]
    );
    assert_eq!(
        values("PC"),
        [
            Some(0x1000),
            Some(0x1004),
            Some(0x2000),
            Some(0x2004),
            Some(0x1008)
        ]
    );
}

#[test]
fn a_range_within_one_state_declares_that_states_signals_alone() {
    let names = |options: &[&str]| {
        let wave = waveform_of(STATES, options);
        ["x0", "r0"].map(|name| wave.declares(&format!("CPU.{name}")))
    };
    assert_eq!(names(&[]), [true, true]);
    assert_eq!(names(&["--to", "1"]), [true, false]);
    assert_eq!(names(&["--from", "2", "--to", "4"]), [false, true]);
    assert_eq!(names(&["--from", "3", "--to", "3"]), [false, true]);
}
