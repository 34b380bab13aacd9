//! Control flow after an instruction (V9, 6.3.4 and appendix A; UltraSPARC Architecture 2007,
//! 6.3.5), targets of direct branches, and names of traps (The SPARC Architecture Manual, Version
//! 9, table 14; UltraSPARC Architecture 2007, table 12-4).

use crate::control::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};
use crate::sparc::windows::general;
use crate::sparc::word::SparcWord;

/// Returns the control transfer of a word at an address. `bn,a` is a jump over the next
/// instruction.
pub fn control(word: SparcWord, pc: u64) -> ControlFlowEffect {
    let to = |flow, target, delay| ControlFlowEffect {
        flow,
        target,
        delay,
    };
    match (word.format(), word.kind()) {
        (0, _) => branch(word, pc),
        (1, _) => to(
            FlowKind::Call,
            BranchTarget::Address(call_target(word, pc)),
            DelaySlotRule::Slot,
        ),
        (2, 0x38) => to(jump_flow(word), jump_target(word), DelaySlotRule::Slot),
        (2, 0x39) => to(FlowKind::Return, BranchTarget::Unsaid, DelaySlotRule::Slot),
        (2, 0x3a) if word.field(25, 4) != NEVER => {
            to(FlowKind::Trap, BranchTarget::Unsaid, DelaySlotRule::None)
        }
        (2, 0x3e) => to(
            FlowKind::ExceptionReturn,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ),
        _ => ControlFlowEffect::default(),
    }
}

/// Constant conditions.
const NEVER: u32 = 0;
const ALWAYS: u32 = 8;

fn branch(word: SparcWord, pc: u64) -> ControlFlowEffect {
    let Some(target) = branch_target(word, pc) else {
        return ControlFlowEffect::default();
    };
    let jump = |target, delay| ControlFlowEffect {
        flow: FlowKind::Branch,
        target: BranchTarget::Address(target),
        delay,
    };
    let is_annulling = word.flag(29);
    if word.branch_kind() == 3 {
        return match (word.flag(28), is_annulling) {
            (true, _) => jump(target, DelaySlotRule::None),
            (false, true) => jump(target, DelaySlotRule::UnlessNotTaken),
            (false, false) => jump(target, DelaySlotRule::Slot),
        };
    }
    match (word.field(25, 4), is_annulling) {
        (NEVER, true) => jump(pc.wrapping_add(8), DelaySlotRule::Annulled),
        (NEVER, false) => ControlFlowEffect::default(),
        (ALWAYS, true) => jump(target, DelaySlotRule::Annulled),
        (ALWAYS, false) | (_, false) => jump(target, DelaySlotRule::Slot),
        (_, true) => jump(target, DelaySlotRule::UnlessNotTaken),
    }
}

/// Classifies a jump. A return goes to the instruction after the call's delay slot, or one word
/// further if an `unimp` word there announces a returned structure.
fn jump_flow(word: SparcWord) -> FlowKind {
    let is_after_call = word.has_number() && matches!(word.number(), 8 | 12);
    match (word.destination(), word.first()) {
        (0, 15 | 31) if is_after_call => FlowKind::Return,
        (0, _) => FlowKind::Branch,
        _ => FlowKind::Call,
    }
}

fn jump_target(word: SparcWord) -> BranchTarget {
    match (word.is_second_zero(), word.first()) {
        (true, 0) => BranchTarget::Address(0),
        (true, first) => BranchTarget::Register(general(first)),
        (false, 0) if word.has_number() => BranchTarget::Address(word.number().cast_unsigned()),
        (false, 0) => BranchTarget::Register(general(word.second())),
        (false, _) => BranchTarget::Unsaid,
    }
}

/// Returns the target of a `call`.
pub fn call_target(word: SparcWord, pc: u64) -> u64 {
    pc.wrapping_add_signed(word.signed(0, 30) << 2)
}

/// Returns the target of a branch; none for other words.
pub fn branch_target(word: SparcWord, pc: u64) -> Option<u64> {
    let words = match word.branch_kind() {
        1 | 5 => word.signed(0, 19),
        2 | 6 => word.signed(0, 22),
        3 if word.flag(28) => word.signed(19, 2) << 8 | i64::from(word.field(5, 8)),
        3 => word.signed(20, 2) << 14 | i64::from(word.field(0, 14)),
        _ => return None,
    };
    Some(pc.wrapping_add_signed(words << 2))
}

/// Traps with individual numbers.
const NAMES: [(u16, &str); 44] = [
    (0x01, "power on reset"),
    (0x02, "watchdog reset"),
    (0x03, "externally initiated reset"),
    (0x04, "software initiated reset"),
    (0x05, "RED state exception"),
    (0x08, "instruction access exception"),
    (0x09, "instruction access MMU miss"),
    (0x0a, "instruction access error"),
    (0x10, "illegal instruction"),
    (0x11, "privileged opcode"),
    (0x12, "unimplemented LDD"),
    (0x13, "unimplemented STD"),
    (0x20, "floating-point disabled"),
    (0x21, "floating-point exception IEEE 754"),
    (0x22, "floating-point exception other"),
    (0x23, "tag overflow"),
    (0x24, "clean window"),
    (0x28, "division by zero"),
    (0x29, "internal processor error"),
    (0x30, "data access exception"),
    (0x31, "data access MMU miss"),
    (0x32, "data access error"),
    (0x33, "data access protection"),
    (0x34, "memory address not aligned"),
    (0x35, "LDDF memory address not aligned"),
    (0x36, "STDF memory address not aligned"),
    (0x37, "privileged action"),
    (0x38, "LDQF memory address not aligned"),
    (0x39, "STQF memory address not aligned"),
    (0x40, "asynchronous data error"),
    (0x5e, "hyperprivileged stick match"),
    (0x60, "interrupt vector"),
    (0x61, "physical address watchpoint"),
    (0x62, "virtual address watchpoint"),
    (0x63, "corrected error"),
    (0x64, "fast instruction access MMU miss"),
    (0x68, "fast data access MMU miss"),
    (0x6c, "fast data access protection"),
    (0x70, "fast ECC error"),
    (0x74, "control transfer instruction"),
    (0x76, "breakpoint"),
    (0x7c, "CPU mondo"),
    (0x7d, "device mondo"),
    (0x7e, "resumable error"),
];

/// Returns the name of a trap from its nine-bit type.
pub fn trap_name(trap_type: u16) -> String {
    let family = |name: &str, first: u16| format!("{name} {}", (trap_type - first) / 4 % 8);
    match trap_type {
        0x41..=0x4f => format!("interrupt level {}", trap_type - 0x40),
        0x80..=0x9f => family("window spill, normal", 0x80),
        0xa0..=0xbf => family("window spill, other", 0xa0),
        0xc0..=0xdf => family("window fill, normal", 0xc0),
        0xe0..=0xff => family("window fill, other", 0xe0),
        0x100..=0x17f => format!("trap instruction {:#x}", trap_type - 0x100),
        0x180..=0x1ff => format!("hypervisor trap instruction {:#x}", trap_type - 0x100),
        _ => {
            // Each fast miss occupies four numbers.
            let known = NAMES.iter().rev().find(|(first, name)| {
                let count = if name.starts_with("fast") && *first < 0x70 {
                    4
                } else {
                    1
                };
                (*first..*first + count).contains(&trap_type)
            });
            known.map_or_else(
                || format!("trap {trap_type:#x}"),
                |(_, name)| (*name).to_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RegisterId;

    #[track_caller]
    fn check(word: u32, flow: FlowKind, target: BranchTarget, delay: DelaySlotRule) {
        assert_eq!(
            control(SparcWord(word), 0x1000),
            ControlFlowEffect {
                flow,
                target,
                delay
            },
            "{word:08x}"
        );
    }

    #[test]
    fn branches_say_what_becomes_of_the_instruction_after_them() {
        let after = BranchTarget::Address(0x1010);
        check(0x1080_0004, FlowKind::Branch, after, DelaySlotRule::Slot); // b
        check(
            0x3080_0004,
            FlowKind::Branch,
            after,
            DelaySlotRule::Annulled,
        ); // b,a
        check(0x0280_0004, FlowKind::Branch, after, DelaySlotRule::Slot); // be
        check(
            0x2268_0004,
            FlowKind::Branch,
            after,
            DelaySlotRule::UnlessNotTaken,
        ); // be,a %xcc
        check(
            0x2480_3fff,
            FlowKind::Branch,
            BranchTarget::Address(0x1_0ffc),
            DelaySlotRule::UnlessNotTaken,
        ); // ble,a
        check(
            0x2080_0004,
            FlowKind::Branch,
            BranchTarget::Address(0x1008),
            DelaySlotRule::Annulled,
        ); // bn,a
        check(
            0x0080_0004,
            FlowKind::Next,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // bn
        check(0x02c2_4004, FlowKind::Branch, after, DelaySlotRule::Slot); // brz %o1
        check(
            0x22c2_4004,
            FlowKind::Branch,
            after,
            DelaySlotRule::UnlessNotTaken,
        ); // brz,a %o1
        check(
            0x02f2_7fff,
            FlowKind::Branch,
            BranchTarget::Address(0xffc),
            DelaySlotRule::Slot,
        ); // brz %o1, backwards
        check(
            0x13c0_0004,
            FlowKind::Next,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // coprocessor: not in version 9
        check(0x0348_0004, FlowKind::Branch, after, DelaySlotRule::Slot); // fbne
        check(
            0x3348_0004,
            FlowKind::Branch,
            after,
            DelaySlotRule::UnlessNotTaken,
        ); // fbe,a
        check(0x12c2_4085, FlowKind::Branch, after, DelaySlotRule::None); // cwbe
        check(
            0x0100_0000,
            FlowKind::Next,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // nop
    }

    #[test]
    fn calls_and_returns_are_told_by_their_registers() {
        check(
            0x4000_0004,
            FlowKind::Call,
            BranchTarget::Address(0x1010),
            DelaySlotRule::Slot,
        );
        check(
            0x7fff_ffff,
            FlowKind::Call,
            BranchTarget::Address(0xffc),
            DelaySlotRule::Slot,
        );
        check(
            0x81c3_e008,
            FlowKind::Return,
            BranchTarget::Unsaid,
            DelaySlotRule::Slot,
        ); // retl
        check(
            0x81c7_e008,
            FlowKind::Return,
            BranchTarget::Unsaid,
            DelaySlotRule::Slot,
        ); // ret
        check(
            0x81c7_e00c,
            FlowKind::Return,
            BranchTarget::Unsaid,
            DelaySlotRule::Slot,
        ); // jmp %i7 + 12
        check(
            0x81cf_e008,
            FlowKind::Return,
            BranchTarget::Unsaid,
            DelaySlotRule::Slot,
        ); // return %i7 + 8
        check(
            0x9fc4_4000,
            FlowKind::Call,
            BranchTarget::Register(RegisterId(17)),
            DelaySlotRule::Slot,
        ); // call %l1
        check(
            0x81c4_4000,
            FlowKind::Branch,
            BranchTarget::Register(RegisterId(17)),
            DelaySlotRule::Slot,
        ); // jmp %l1
        check(
            0x81c3_c000,
            FlowKind::Branch,
            BranchTarget::Register(RegisterId::LR),
            DelaySlotRule::Slot,
        ); // jmp %o7
        check(
            0x81c4_401a,
            FlowKind::Branch,
            BranchTarget::Unsaid,
            DelaySlotRule::Slot,
        ); // jmp %l1 + %i2
    }

    #[test]
    fn traps_and_their_ends_are_reported() {
        check(
            0x91d0_206d,
            FlowKind::Trap,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        );
        check(
            0x83d0_2005,
            FlowKind::Trap,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // te 5
        check(
            0x81d0_2005,
            FlowKind::Next,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // tn 5
        check(
            0x81f0_0000,
            FlowKind::ExceptionReturn,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // done
        check(
            0x83f0_0000,
            FlowKind::ExceptionReturn,
            BranchTarget::Unsaid,
            DelaySlotRule::None,
        ); // retry
    }
}

#[cfg(test)]
mod traps_tests {
    use super::*;

    #[test]
    fn traps_have_their_names() {
        let names = [0x24, 0x65, 0x80, 0x84, 0xc0, 0xfc, 0x16d, 0x4e, 0x77].map(trap_name);
        assert_eq!(
            names,
            [
                "clean window",
                "fast instruction access MMU miss",
                "window spill, normal 0",
                "window spill, normal 1",
                "window fill, normal 0",
                "window fill, other 7",
                "trap instruction 0x6d",
                "interrupt level 14",
                "trap 0x77",
            ]
        );
    }
}
