//! Data flow through M-profile exceptions: registers pass through the frame that the processor
//! stores and loads implicitly. The offsets of the words follow DDI 0553, B3.19 ("Exception entry,
//! context stacking").

use std::fmt::Write as _;

use stepback_index::answer::{SliceEndKind, UnknownInput};

use super::slice_cases::{check_case, check_onward, check_source};
use super::slices::check_text;
use crate::support::dice::Dice;

/// The text of a trace. Each step has lines that belong to it.
#[derive(Default)]
struct Trace {
    text: String,
    time: u64,
}

impl Trace {
    fn step(&mut self, opcode: &str, mode: &str) -> &mut Self {
        self.time += 1;
        let (time, pc) = (self.time, 0x1000 + 4 * self.time);
        writeln!(
            self.text,
            "{time} clk IT ({time}) {pc:08x} {opcode} T {mode} : x"
        )
        .unwrap();
        self
    }

    fn line(&mut self, line: &str) -> &mut Self {
        writeln!(self.text, "{} clk {line}", self.time).unwrap();
        self
    }

    /// Adds accesses of consecutive words of memory.
    fn words(&mut self, kind: &str, address: u64, values: &[u32]) -> &mut Self {
        for (place, value) in (address..).step_by(4).zip(values) {
            self.line(&format!("{kind} {place:08x} {value:08x}"));
        }
        self
    }

    fn registers(&mut self, registers: &[(&str, u32)]) -> &mut Self {
        for (name, value) in registers {
            self.line(&format!("R {name} {value:08x}"));
        }
        self
    }
}

const R0_IS_5: &str = "2005";
const R1_IS_7: &str = "2107";
const R0_IS_99: &str = "2063";
const BX_LR: &str = "4770";
const PUSH_R4_LR: &str = "b510";
const POP_R4_PC: &str = "bd10";
const R2_IS_R0_PLUS_R1: &str = "1842";
const NOP: &str = "bf00";

/// `r0` to `r3`, `r12`, `lr`, the return address and xPSR.
const BASIC: [u32; 8] = [5, 7, 2, 3, 12, 0x99, 0x100c, 0x0100_0000];
const RESTORED: [(&str, u32); 6] = [
    ("r0", 5),
    ("r1", 7),
    ("r2", 2),
    ("r3", 3),
    ("r12", 12),
    ("r14", 0x99),
];

/// Adds a step that is interrupted, with the stored frame.
fn interrupted(frame: u64, trace: &mut Trace) {
    trace
        .line("E 0000100c 0000000f CoreEvent_EXCEPTION")
        .words("MW4", frame, &BASIC);
    trace.registers(&[
        ("MSP", frame as u32),
        ("r14", 0xffff_fff9),
        ("cpsr", 0x0100_000f),
    ]);
}

fn returned(frame: u64, trace: &mut Trace) {
    trace.words("MR4", frame, &BASIC).registers(&RESTORED);
    trace.registers(&[("MSP", frame as u32 + 0x20), ("cpsr", 0x0100_0000)]);
}

/// Builds a trace: `r0` and `r1` are set, an interrupt comes, its handler changes `r0` and saves
/// registers, and `r2` is computed.
fn interrupt() -> String {
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000), ("r3", 3), ("r4", 4)]);
    trace.step(R0_IS_5, "thread").registers(&[("r0", 5)]);
    interrupted(
        0x2000_0fe0,
        trace.step(R1_IS_7, "thread").registers(&[("r1", 7)]),
    );
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    trace
        .step(PUSH_R4_LR, "handler")
        .words("MW4", 0x2000_0fd8, &[4, 0xffff_fff9])
        .registers(&[("MSP", 0x2000_0fd8)]);
    trace
        .step(POP_R4_PC, "handler")
        .words("MR4", 0x2000_0fd8, &[4, 0xffff_fff9])
        .registers(&[("r4", 4)]);
    returned(0x2000_0fe0, &mut trace);
    trace
        .step(R2_IS_R0_PLUS_R1, "thread")
        .registers(&[("r2", 12)]);
    trace.step("18ca", "thread").registers(&[("r2", 10)]);
    trace.text
}

#[test]
fn registers_go_through_the_frame_of_an_interrupt() {
    let text = interrupt();
    check_case(&text, "r0", 0, &[4, 1, 0]);
    check_case(&text, "r4", 0, &[4, 3]);
    check_case(&text, "r2", 0, &[6, 4, 1]);
    check_source(&text, "r3", &[4, 1]);
    check_source(&text, "r14", &[4, 1]);
    check_source(&text, "psr", &[4, 1]);
    assert!(!check_onward(&text, "r3", 0, &[1, 4, 6]).is_empty());
}

#[test]
fn a_tail_chained_exception_leaves_the_frame_alone() {
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000)]);
    trace.step(R0_IS_5, "thread").registers(&[("r0", 5)]);
    interrupted(
        0x2000_0fe0,
        trace.step(R1_IS_7, "thread").registers(&[("r1", 7)]),
    );
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    trace
        .step(BX_LR, "handler")
        .line("E 0000100c 00000010 CoreEvent_EXCEPTION");
    trace.registers(&[("r14", 0xffff_fff9), ("cpsr", 0x0100_0010)]);
    trace.step(R1_IS_7, "handler").registers(&[("r1", 7)]);
    returned(0x2000_0fe0, trace.step(BX_LR, "handler"));
    trace
        .step(R2_IS_R0_PLUS_R1, "thread")
        .registers(&[("r2", 12)]);
    check_case(&trace.text, "r2", 0, &[6, 5, 1, 0]);
}

/// The handler returns, and the next exception comes before the thread continues: the frame is
/// loaded and stored again.
#[test]
fn a_frame_may_be_loaded_and_stored_by_one_step() {
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000)]);
    trace.step(R0_IS_5, "thread").registers(&[("r0", 5)]);
    interrupted(0x2000_0fe0, trace.step(NOP, "thread"));
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    trace.step(BX_LR, "handler");
    returned(0x2000_0fe0, &mut trace);
    interrupted(0x2000_0fe0, &mut trace);
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    returned(0x2000_0fe0, trace.step(BX_LR, "handler"));
    check_case(&trace.text, "r0", 0, &[5, 3, 1, 0]);
}

/// An interrupted handler has EXC_RETURN in `lr`, which is stored, and loaded when the inner
/// handler returns.
#[test]
fn a_nested_handler_gives_back_the_link_register_that_it_found() {
    let mut frame = BASIC;
    (frame[5], frame[7]) = (0xffff_fff9, 0x0100_000f);
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000)]);
    interrupted(
        0x2000_0fe0,
        trace.step(R0_IS_5, "thread").registers(&[("r0", 5)]),
    );
    trace
        .step(NOP, "handler")
        .line("E 0000100c 00000011 CoreEvent_EXCEPTION")
        .words("MW4", 0x2000_0fc0, &frame);
    trace.registers(&[
        ("MSP", 0x2000_0fc0),
        ("r14", 0xffff_fff1),
        ("cpsr", 0x0100_0011),
    ]);
    // MOV lr,#99 and MVN lr,#14
    trace
        .step("f04f0e63", "handler")
        .registers(&[("r14", 0x63)]);
    trace
        .step("f06f0e0e", "handler")
        .registers(&[("r14", 0xffff_fff1)]);
    trace
        .step(BX_LR, "handler")
        .words("MR4", 0x2000_0fc0, &frame)
        .registers(&RESTORED[..5]);
    trace.registers(&[
        ("r14", 0xffff_fff9),
        ("MSP", 0x2000_0fe0),
        ("cpsr", 0x0100_000f),
    ]);
    // MOV r1,lr
    trace
        .step("4671", "handler")
        .registers(&[("r1", 0xffff_fff9)]);
    check_case(&trace.text, "r1", 0, &[5, 4, 1, 0]);
    assert_eq!(
        check_source(&trace.text, "r14", &[4, 1, 0]),
        [SliceEndKind::Constant]
    );
}

/// On a transition from the Secure to the Non-secure state, `r4` to `r11` are stored as well, below
/// a signature.
#[test]
fn the_additional_context_holds_the_other_registers() {
    let mut frame = vec![0xfefa_125b, 0, 4, 0x55, 6, 7, 8, 9, 10, 11];
    frame.extend(BASIC);
    let mut trace = Trace::default();
    trace.registers(&[("MSP_S", 0x2000_1000)]);
    trace.step("2555", "thread_s").registers(&[("r5", 0x55)]);
    trace
        .step(NOP, "thread_s")
        .line("E 0000100c 0000000f CoreEvent_EXCEPTION")
        .words("MW4", 0x2000_0fb8, &frame);
    trace.registers(&[
        ("MSP_S", 0x2000_0fb8),
        ("r5", 0),
        ("r14", 0xffff_fff9),
        ("cpsr", 0x0100_000f),
    ]);
    trace.step("2566", "handler_ns").registers(&[("r5", 0x66)]);
    trace
        .step(BX_LR, "handler_ns")
        .words("MR4", 0x2000_0fb8, &frame)
        .registers(&[("r5", 0x55), ("r0", 5)]);
    trace.registers(&[("MSP_S", 0x2000_1000), ("cpsr", 0x0100_0000)]);
    trace.step(NOP, "thread_s");
    check_case(&trace.text, "r5", 0, &[3, 1, 0]);
    check_case(&trace.text, "msp_s", 0, &[3, 1]);
}

#[test]
fn the_extended_frame_holds_registers_of_floating_point() {
    let mut frame = BASIC.to_vec();
    frame.extend([
        0x3f80_0000,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        0,
        0,
    ]);
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000)]);
    // VMOV.F32 s0,#1.0
    trace
        .step("eeb70a00", "thread")
        .registers(&[("s0", 0x3f80_0000)]);
    trace
        .step(NOP, "thread")
        .line("E 0000100c 0000000f CoreEvent_EXCEPTION")
        .words("MW4", 0x2000_0f98, &frame);
    trace.registers(&[
        ("MSP", 0x2000_0f98),
        ("r14", 0xffff_ffe9),
        ("cpsr", 0x0100_000f),
    ]);
    // VMOV.F32 s0,#2.0
    trace
        .step("eeb00a00", "handler")
        .registers(&[("s0", 0x4000_0000)]);
    trace
        .step(BX_LR, "handler")
        .words("MR4", 0x2000_0f98, &frame)
        .registers(&[("r0", 5), ("s0", 0x3f80_0000)]);
    trace.registers(&[("MSP", 0x2000_1000), ("cpsr", 0x0100_0000)]);
    check_case(&trace.text, "s0", 0, &[3, 1, 0]);
}

/// Lazy stacking: the first floating-point instruction of the handler stores the context before it
/// executes.
#[test]
fn what_is_stored_late_is_what_the_registers_held_before() {
    let mut context = vec![0x3f80_0000];
    context.extend([0; 16]);
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_1000)]);
    trace
        .step("eeb70a00", "thread")
        .registers(&[("s0", 0x3f80_0000)]);
    interrupted(0x2000_0f98, trace.step(NOP, "thread"));
    trace
        .step("eeb00a00", "handler")
        .words("MW4", 0x2000_0fb8, &context)
        .registers(&[("s0", 0x4000_0000)]);
    trace
        .step(BX_LR, "handler")
        .words("MR4", 0x2000_0f98, &BASIC)
        .words("MR4", 0x2000_0fb8, &context);
    trace.registers(&[
        ("r0", 5),
        ("s0", 0x3f80_0000),
        ("MSP", 0x2000_1000),
        ("cpsr", 0x0100_0000),
    ]);
    check_source(&trace.text, "s0", &[3, 2, 0]);
}

/// The frame begins at the new stack pointer, and `r2` is its third word. Only the line of the stack
/// pointer shows the exception.
#[test]
fn a_moved_stack_pointer_of_any_name_shows_where_registers_are_stored() {
    for name in ["MSP", "PSP", "r13"] {
        let mut trace = Trace::default();
        trace.registers(&[(name, 0x2000_1000), ("r2", 0x55)]);
        trace
            .step(NOP, "thread")
            .words("MW4", 0x2000_0fe8, &[0x55])
            .registers(&[(name, 0x2000_0fe0)]);
        check_onward(&trace.text, "r2", 0, &[0]);
    }
}

/// A trace without the processor's implicit accesses does not show the origin of a restored
/// register, which is not `lr`. In a trace that begins in a handler, its return loads registers
/// from a frame that no step stored.
#[test]
fn a_frame_that_was_stored_before_the_trace_is_where_registers_come_from() {
    let mut trace = Trace::default();
    trace.registers(&[("MSP", 0x2000_0fe0), ("r14", 0xffff_fff9)]);
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    returned(0x2000_0fe0, trace.step(BX_LR, "handler"));
    trace
        .step(R2_IS_R0_PLUS_R1, "thread")
        .registers(&[("r2", 12)]);
    let ends = check_source(&trace.text, "r0", &[1]);
    assert_eq!(ends, [SliceEndKind::Initial { line: None }]);
    check_case(&trace.text, "r0", 0, &[1]);
    check_case(&trace.text, "r2", 0, &[2, 1]);
    check_case(&trace.text, "r14", 0, &[1]);
}

#[test]
fn what_an_exception_return_loads_unseen_is_not_known() {
    let mut trace = Trace::default();
    trace.step(R0_IS_5, "thread").registers(&[("r0", 5)]);
    trace.step(NOP, "thread").registers(&[
        ("MSP", 0x2000_0fe0),
        ("r14", 0xffff_fff9),
        ("cpsr", 0x0100_000f),
    ]);
    trace.step(R0_IS_99, "handler").registers(&[("r0", 0x63)]);
    trace
        .step(BX_LR, "handler")
        .registers(&RESTORED)
        .registers(&[("MSP", 0x2000_1000), ("cpsr", 0x0100_0000)]);
    check_case(&trace.text, "r0", 0, &[3]);
    assert_eq!(
        check_source(&trace.text, "r0", &[3]),
        [SliceEndKind::Unknown(UnknownInput::LoadNotShown)]
    );
    assert_eq!(
        check_source(&trace.text, "r14", &[3]),
        [SliceEndKind::Unknown(UnknownInput::LoadNotShown)]
    );
}

/// Builds a random trace of interrupts. Any line may be missing.
fn random(dice: &mut Dice) -> String {
    let mut trace = Trace::default();
    let (mut frames, mut mode, mut sp) = (Vec::new(), "thread", 0x2000_1000u32);
    trace.registers(&[("MSP", sp)]);
    for _ in 0..12 + dice.below(20) {
        let opcode = dice
            .pick(&[
                R0_IS_5,
                R1_IS_7,
                R2_IS_R0_PLUS_R1,
                NOP,
                PUSH_R4_LR,
                BX_LR,
                POP_R4_PC,
                "2a00",
            ])
            .unwrap();
        trace.step(opcode, if dice.one_in(8) { "" } else { mode });
        let is_return = matches!(opcode, BX_LR | POP_R4_PC) && mode == "handler";
        match opcode {
            R0_IS_5 => _ = trace.registers(&[("r0", 5)]),
            R1_IS_7 => _ = trace.registers(&[("r1", 7)]),
            R2_IS_R0_PLUS_R1 => _ = trace.registers(&[("r2", 12)]),
            PUSH_R4_LR => {
                sp -= 8;
                let stack = dice.pick(&["MSP", "MSP", "PSP", "r13"]).unwrap();
                trace
                    .words("MW4", sp.into(), &[4, 0x99])
                    .registers(&[(stack, sp)]);
            }
            POP_R4_PC => {
                trace
                    .words("MR4", sp.into(), &[4, 0xffff_fff9])
                    .registers(&[("r4", 4)]);
                sp += 8;
            }
            "2a00" => _ = trace.registers(&[("cpsr", 0x6100_0000)]),
            _ => {}
        }
        if is_return && let Some(frame) = frames.pop() {
            some(&mut trace, dice, |trace| returned(frame, trace));
            (sp, mode) = (
                frame as u32 + 0x20,
                if frames.is_empty() {
                    "thread"
                } else {
                    "handler"
                },
            );
        }
        if dice.one_in(5) {
            let frame = u64::from(sp & !7) - 0x20;
            some(&mut trace, dice, |trace| interrupted(frame, trace));
            frames.push(frame);
            (sp, mode) = (frame as u32, "handler");
        }
    }
    trace.text
}

/// Keeps some of the added lines.
fn some(trace: &mut Trace, dice: &mut Dice, add: impl Fn(&mut Trace)) {
    let start = trace.text.len();
    add(trace);
    if dice.one_in(2) {
        let lines = trace.text.split_off(start);
        // Forward slices find an exception by the link register.
        for line in lines
            .lines()
            .filter(|line| line.contains("r14") || !dice.one_in(6))
        {
            writeln!(trace.text, "{line}").unwrap();
        }
    }
}

#[test]
fn random_interrupts_are_those_of_the_oracle() {
    for seed in 0..20 {
        check_text(&random(&mut Dice(seed)), &[1, 150, 1 << 30], 60, seed);
    }
}
