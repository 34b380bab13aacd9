//! `stepback vcd` around changes of mode.

use std::fs;

use crate::support::Sandbox;
use crate::waveform::Waveform;

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
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", INTERRUPT);
    sandbox.run(&[&["vcd", &trace, "--no-date"][..], options].concat()).succeeds();
    Waveform::read(&fs::read_to_string(format!("{trace}.vcd")).unwrap())
}

#[test]
fn the_registers_of_a_mode_are_shown_from_the_step_on_that_enters_it() {
    let wave = waveform(&[]);
    let values = |name: &str| [0, 1000, 2000, 3000, 4000].map(|time| wave.number_at(&format!("CPU.{name}"), time));
    assert_eq!(values("r13"), [Some(0x1000), Some(0x2000), None, None, Some(0x1000)]);
    assert_eq!(values("r14"), [Some(0x10), Some(0x100c), None, None, Some(0x10)]);
    assert_eq!(values("r8"), [Some(1), Some(1), Some(2), Some(2), Some(1)]);
}

#[test]
fn a_window_of_the_trace_goes_on_with_the_banks_that_it_found() {
    let wave = waveform(&["--from", "2"]);
    let values = |name: &str| [2000, 3000, 4000].map(|time| wave.number_at(&format!("CPU.{name}"), time));
    assert_eq!(values("r13"), [None, None, Some(0x1000)]);
    assert_eq!(values("r8"), [Some(2), Some(2), Some(1)]);
}
