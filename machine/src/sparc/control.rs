//! Where control goes behind an instruction (V9, 6.3.4 and appendix A; UltraSPARC Architecture 2007, 6.3.5).

use crate::control::{Control, Delay, Flow, Target};
use crate::sparc::target::{branch_target, call_target};
use crate::sparc::word::Word;
use crate::window::general;

/// What a word at an address does to control. `bn,a` is a jump over the instruction behind it.
pub fn control(word: Word, pc: u64) -> Control {
    let to = |flow, target, delay| Control {
        flow,
        target,
        delay,
    };
    match (word.format(), word.kind()) {
        (0, _) => branch(word, pc),
        (1, _) => to(
            Flow::Call,
            Target::Address(call_target(word, pc)),
            Delay::Slot,
        ),
        (2, 0x38) => to(jump_flow(word), jump_target(word), Delay::Slot),
        (2, 0x39) => to(Flow::Return, Target::Unsaid, Delay::Slot),
        (2, 0x3a) if word.field(25, 4) != NEVER => to(Flow::Trap, Target::Unsaid, Delay::None),
        (2, 0x3e) => to(Flow::ExceptionReturn, Target::Unsaid, Delay::None),
        _ => Control::default(),
    }
}

/// Conditions that decide nothing.
const NEVER: u32 = 0;
const ALWAYS: u32 = 8;

fn branch(word: Word, pc: u64) -> Control {
    let Some(target) = branch_target(word, pc) else {
        return Control::default();
    };
    let jump = |target, delay| Control {
        flow: Flow::Branch,
        target: Target::Address(target),
        delay,
    };
    let is_annulling = word.flag(29);
    if word.branch_kind() == 3 {
        return match (word.flag(28), is_annulling) {
            (true, _) => jump(target, Delay::None),
            (false, true) => jump(target, Delay::UnlessNotTaken),
            (false, false) => jump(target, Delay::Slot),
        };
    }
    match (word.field(25, 4), is_annulling) {
        (NEVER, true) => jump(pc.wrapping_add(8), Delay::Annulled),
        (NEVER, false) => Control::default(),
        (ALWAYS, true) => jump(target, Delay::Annulled),
        (ALWAYS, false) | (_, false) => jump(target, Delay::Slot),
        (_, true) => jump(target, Delay::UnlessNotTaken),
    }
}

/// A return goes to behind the call and its delay slot, or over the word behind them that tells of a structure.
fn jump_flow(word: Word) -> Flow {
    let is_behind_call = word.has_number() && matches!(word.number(), 8 | 12);
    match (word.destination(), word.first()) {
        (0, 15 | 31) if is_behind_call => Flow::Return,
        (0, _) => Flow::Branch,
        _ => Flow::Call,
    }
}

fn jump_target(word: Word) -> Target {
    match (word.is_second_zero(), word.first()) {
        (true, 0) => Target::Address(0),
        (true, first) => Target::Register(general(first)),
        (false, 0) if word.has_number() => Target::Address(word.number().cast_unsigned()),
        (false, 0) => Target::Register(general(word.second())),
        (false, _) => Target::Unsaid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RegisterId;

    #[track_caller]
    fn check(word: u32, flow: Flow, target: Target, delay: Delay) {
        assert_eq!(
            control(Word(word), 0x1000),
            Control {
                flow,
                target,
                delay
            },
            "{word:08x}"
        );
    }

    #[test]
    fn branches_say_what_becomes_of_the_instruction_behind_them() {
        let behind = Target::Address(0x1010);
        check(0x1080_0004, Flow::Branch, behind, Delay::Slot); // b
        check(0x3080_0004, Flow::Branch, behind, Delay::Annulled); // b,a
        check(0x0280_0004, Flow::Branch, behind, Delay::Slot); // be
        check(0x2268_0004, Flow::Branch, behind, Delay::UnlessNotTaken); // be,a %xcc
        check(
            0x2480_3fff,
            Flow::Branch,
            Target::Address(0x1_0ffc),
            Delay::UnlessNotTaken,
        ); // ble,a
        check(
            0x2080_0004,
            Flow::Branch,
            Target::Address(0x1008),
            Delay::Annulled,
        ); // bn,a
        check(0x0080_0004, Flow::Next, Target::Unsaid, Delay::None); // bn
        check(0x02c2_4004, Flow::Branch, behind, Delay::Slot); // brz %o1
        check(0x22c2_4004, Flow::Branch, behind, Delay::UnlessNotTaken); // brz,a %o1
        check(
            0x02f2_7fff,
            Flow::Branch,
            Target::Address(0xffc),
            Delay::Slot,
        ); // brz %o1, backwards
        check(0x13c0_0004, Flow::Next, Target::Unsaid, Delay::None); // of a coprocessor: version 9 has none
        check(0x0348_0004, Flow::Branch, behind, Delay::Slot); // fbne
        check(0x3348_0004, Flow::Branch, behind, Delay::UnlessNotTaken); // fbe,a
        check(0x12c2_4085, Flow::Branch, behind, Delay::None); // cwbe
        check(0x0100_0000, Flow::Next, Target::Unsaid, Delay::None); // nop
    }

    #[test]
    fn calls_and_returns_are_told_by_their_registers() {
        check(
            0x4000_0004,
            Flow::Call,
            Target::Address(0x1010),
            Delay::Slot,
        );
        check(0x7fff_ffff, Flow::Call, Target::Address(0xffc), Delay::Slot);
        check(0x81c3_e008, Flow::Return, Target::Unsaid, Delay::Slot); // retl
        check(0x81c7_e008, Flow::Return, Target::Unsaid, Delay::Slot); // ret
        check(0x81c7_e00c, Flow::Return, Target::Unsaid, Delay::Slot); // jmp %i7 + 12
        check(0x81cf_e008, Flow::Return, Target::Unsaid, Delay::Slot); // return %i7 + 8
        check(
            0x9fc4_4000,
            Flow::Call,
            Target::Register(RegisterId(17)),
            Delay::Slot,
        ); // call %l1
        check(
            0x81c4_4000,
            Flow::Branch,
            Target::Register(RegisterId(17)),
            Delay::Slot,
        ); // jmp %l1
        check(
            0x81c3_c000,
            Flow::Branch,
            Target::Register(RegisterId::LR),
            Delay::Slot,
        ); // jmp %o7
        check(0x81c4_401a, Flow::Branch, Target::Unsaid, Delay::Slot); // jmp %l1 + %i2
    }

    #[test]
    fn traps_and_their_ends_are_told() {
        check(0x91d0_206d, Flow::Trap, Target::Unsaid, Delay::None);
        check(0x83d0_2005, Flow::Trap, Target::Unsaid, Delay::None); // te 5
        check(0x81d0_2005, Flow::Next, Target::Unsaid, Delay::None); // tn 5
        check(
            0x81f0_0000,
            Flow::ExceptionReturn,
            Target::Unsaid,
            Delay::None,
        ); // done
        check(
            0x83f0_0000,
            Flow::ExceptionReturn,
            Target::Unsaid,
            Delay::None,
        ); // retry
    }
}
