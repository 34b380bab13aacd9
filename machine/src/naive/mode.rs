//! Processor mode of a status register, by a table.

use crate::mode::{Mode, SecurityState, ThreadStack};
use crate::set::InstructionSet;

/// Returns the mode in a complete status register, lowest byte first (DDI 0487, C5.2.19 and
/// G8.2.35; DDI 0553, XPSR).
pub fn told_mode(status: [u8; 4], set: InstructionSet) -> Option<Mode> {
    let [low, second, third, top] = status;
    if !set.has_states() {
        return None;
    }
    if set == InstructionSet::Sparc64 {
        let is_mode = low < second && (3..=32).contains(&second) && third < 8 && top == 0;
        return is_mode.then_some(Mode::Window {
            current: low,
            count: second,
            globals: third,
        });
    }
    if set == InstructionSet::T32 && top & 1 != 0 {
        let is_thread = low == 0 && second & 1 == 0;
        let none = SecurityState::Undivided;
        return Some(if is_thread {
            Mode::Thread(none, ThreadStack::Unsaid)
        } else {
            Mode::Handler(none)
        });
    }
    let level = |level, has_own_stack| {
        Some(Mode::Level {
            level,
            has_own_stack,
        })
    };
    match low & 0x1f {
        0b00000 if set == InstructionSet::A64 => level(0, false),
        0b00100 => level(1, false),
        0b00101 => level(1, true),
        0b01000 => level(2, false),
        0b01001 => level(2, true),
        0b01100 => level(3, false),
        0b01101 => level(3, true),
        0b10000 | 0b11111 => Some(Mode::Banked(*b"usr")),
        0b10001 => Some(Mode::Banked(*b"fiq")),
        0b10010 => Some(Mode::Banked(*b"irq")),
        0b10011 => Some(Mode::Banked(*b"svc")),
        0b10110 => Some(Mode::Banked(*b"mon")),
        0b10111 => Some(Mode::Banked(*b"abt")),
        0b11010 => Some(Mode::Banked(*b"hyp")),
        0b11011 => Some(Mode::Banked(*b"und")),
        _ => None,
    }
}

/// Returns the instruction set of the execution state that a mode belongs to.
pub fn set_of_mode(mode: Mode, before: InstructionSet) -> InstructionSet {
    match mode {
        Mode::Level { .. } => InstructionSet::A64,
        Mode::Window { .. } => InstructionSet::Sparc64,
        Mode::Banked(_) if before == InstructionSet::A64 => InstructionSet::A32,
        _ => before,
    }
}

/// Returns an Arm instruction set that represents all with this register width.
pub fn set_of_width(word_bytes: u16) -> InstructionSet {
    if word_bytes == 8 {
        InstructionSet::A64
    } else {
        InstructionSet::A32
    }
}
