//! Lines for RVLS: effects first, then `rv commit`, which ends the step. They state no opcode.

use stepback_machine::{AccessKind, RegisterId};

use crate::commit_log::access::first_bytes;
use crate::commit_log::commit::{HART, add_exception, set_hart, unexpected, write_digits};
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
    let Some(hart) = words.decimal() else {
        return unexpected(step, &words, "the number of a hart");
    };
    set_hart(step, hart);
    match (kind, detail) {
        (b"commit", _) => match words.word().and_then(hex) {
            Some(pc) => step.announce(registers.set.highest_address() & pc, registers.set),
            None => unexpected(step, &words, "an address"),
        },
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
    let (Some(kind), Some(number)) = (words.decimal(), words.decimal()) else {
        return unexpected(step, words, "a register");
    };
    let digits = words.word().unwrap_or_default();
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
    let (Some(size), Some(address)) = (
        words.decimal().filter(|size| (1..=8).contains(size)),
        words.word().and_then(hex),
    ) else {
        return unexpected(step, words, "a size and an address");
    };
    let digits = words.word().unwrap_or_default();
    let mut bytes = [0; 8];
    let access = LoggedAccess {
        kind,
        address,
        size_bytes: size as u16,
        bytes: little_endian(digits, &mut bytes).is_some().then_some(bytes),
    };
    step.replace_access(access);
}

/// Extensions of a hart, from the line `rv new HART ISA …`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RvlsIsa {
    /// True for registers of 32 bits.
    pub is_narrow: bool,
    /// Length of the shortest instructions.
    pub shortest_bytes: u8,
}

impl RvlsIsa {
    /// Reads a line; none for other lines.
    pub fn of(line: &[u8]) -> Option<Self> {
        let mut words = Words::new(line);
        let is_new = words.word() == Some(b"rv") && words.word() == Some(b"new");
        let isa = words.nth_word(1).filter(|_| is_new)?.to_ascii_lowercase();
        // Multi-letter extensions begin with z, s or x.
        let letters = isa
            .get(4..)?
            .split(|byte| matches!(byte, b'_' | b'z' | b's' | b'x'));
        let has_compressed = letters.take(1).any(|letters| letters.contains(&b'c'))
            || memchr::memmem::find(&isa, b"zca").is_some();
        Some(Self {
            is_narrow: isa.starts_with(b"rv32"),
            shortest_bytes: if has_compressed { 2 } else { 4 },
        })
    }
}

/// Sets the length of a step's instruction by its return address and by the next instruction of its
/// hart, because the log states no encodings. An instruction without effects that leads four bytes
/// on may be a compressed branch.
pub(super) fn complete(step: &mut LoggedStep, shortest_bytes: u8, ahead: AheadText<'_>) {
    let next = ahead.lines().find_map(|line| {
        let mut words = Words::new(line);
        let is_commit = words.word() == Some(b"rv") && words.word() == Some(b"commit");
        let hart = words.decimal().filter(|_| is_commit)?;
        let is_own = step.is_thread(HART, hart);
        words.word().and_then(hex).filter(|_| is_own)
    });
    let address = step.set.highest_address();
    let distance = |to: u64| (to & address).wrapping_sub(step.pc);
    let saved = [1, 5]
        .into_iter()
        .filter_map(|link| step.written(RegisterId(link)))
        .map(|value| distance(u64::from_le_bytes(first_bytes(value))))
        .find(|distance| matches!(distance, 2 | 4));
    let next = next.map(distance).filter(|distance| {
        *distance == 2 || *distance == 4 && (shortest_bytes == 4 || step.has_data_effects())
    });
    if let Some(length) = saved.or(next) {
        step.length_bytes = length as u8;
    }
}
