//! Lines for RVLS: effects first, then `rv commit`, which ends the step. They state no opcode.

use stepback_machine::AccessKind;

use crate::commit_log::commit::{add_exception, set_hart, write_digits};
use crate::commit_log::registers::RiscvRegisters;
use crate::text::digits::hex;
use crate::text::words::{Words, little_endian};
use crate::text_log::{AheadText, LoggedAccess, LoggedRegister, LoggedStep};

/// Kinds of registers in `rv rf w`.
const GENERAL: u64 = 0;
const FLOAT: u64 = 1;
const CONTROL: u64 = 4;

/// Adds a line of a step.
pub(super) fn add(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut words = Words::new(line);
    words.word();
    let kind = words.word().unwrap_or_default();
    let detail = match kind {
        b"rf" | b"load" | b"store" => words.word().unwrap_or_default(),
        _ => b"",
    };
    let hart = words.decimal().unwrap_or_default();
    set_hart(step, hart);
    match (kind, detail) {
        (b"commit", _) => {
            if let Some(pc) = words.word().and_then(hex) {
                step.announce(registers.set.highest_address() & pc, registers.set);
            }
        }
        (b"trap", _) => {
            let is_interrupt = words.decimal() == Some(1);
            let cause = words.decimal().unwrap_or_default();
            let word = if is_interrupt {
                "interrupt"
            } else {
                "exception"
            };
            add_exception(step, registers, format!("{word} {cause}").as_bytes());
        }
        (b"rf", b"w") => register(&mut words, registers, step),
        (b"load", b"exe") => access(AccessKind::Read, &mut words, step),
        (b"store", b"com") => access(AccessKind::Write, &mut words, step),
        _ => {}
    }
}

fn register(words: &mut Words<'_>, registers: &RiscvRegisters, step: &mut LoggedStep) {
    let (Some(kind), Some(number), Some(digits)) = (words.decimal(), words.decimal(), words.word())
    else {
        return;
    };
    // Number 32 means that RVLS must not compare the register.
    let view = match kind {
        GENERAL => registers.general(number),
        FLOAT => registers.float(number),
        _ => None,
    };
    match view {
        Some(view) => write_digits(step, LoggedRegister::View(view), digits),
        None if kind == CONTROL => {
            let name = registers.control_name(number);
            write_digits(step, registers.named(&name), digits);
        }
        None => {}
    }
}

/// Adds `ID SIZE ADDRESS VALUE`. A load may be listed twice; the last time counts.
fn access(kind: AccessKind, words: &mut Words<'_>, step: &mut LoggedStep) {
    words.word();
    let (Some(size), Some(address), Some(digits)) = (
        words.decimal().filter(|size| (1..=8).contains(size)),
        words.word().and_then(hex),
        words.word(),
    ) else {
        return;
    };
    let mut bytes = [0; 8];
    let access = LoggedAccess {
        kind,
        address,
        size_bytes: size as u16,
        bytes: little_endian(digits, &mut bytes).is_some().then_some(bytes),
    };
    step.replace_access(access);
}

/// Returns true if the line `rv new HART ISA …` describes a hart with registers of 32 bits; none for
/// other lines.
pub(super) fn is_narrow(line: &[u8]) -> Option<bool> {
    let mut words = Words::new(line);
    let is_new = words.word() == Some(b"rv") && words.word() == Some(b"new");
    let isa = words.nth_word(1).filter(|_| is_new)?;
    Some(isa.to_ascii_lowercase().starts_with(b"rv32"))
}

/// Sets the length of a step's instruction by the next one of its hart, because the log states no
/// encodings.
pub(super) fn complete(step: &mut LoggedStep, ahead: AheadText<'_>) {
    let next = ahead.lines().find_map(|line| {
        let mut words = Words::new(line);
        let is_commit = words.word() == Some(b"rv") && words.word() == Some(b"commit");
        let hart = words.decimal().filter(|_| is_commit)?;
        let is_own = step.thread == format!("hart{hart}").as_bytes();
        words.word().and_then(hex).filter(|_| is_own)
    });
    let address = step.set.highest_address();
    let distance = next.map(|next| (next & address).wrapping_sub(step.pc));
    if let Some(distance @ (2 | 4)) = distance {
        step.length_bytes = distance as u8;
    }
}
