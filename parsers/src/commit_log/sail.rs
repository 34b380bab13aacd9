//! Lines of the Sail model: a main line for each step, then a line for each effect.

use stepback_machine::AccessKind;

use crate::commit_log::commit::{add_exception, set_encoding, set_hart, unexpected, write_digits};
use crate::commit_log::registers::{RiscvRegisters, VALUE_BYTES};
use crate::events::TextKind;
use crate::text::digits::hex;
use crate::text::words::{Words, little_endian};
use crate::text_log::{LoggedAccess, LoggedRegister, LoggedStep};

/// Adds `[0] [M]: 0x… (0x…) auipc t0, 0x0`.
pub(super) fn add_step(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut words = Words::new(line);
    if words.until(b':').is_none() {
        return;
    }
    words.skip_blanks();
    let Some(pc) = words.prefixed() else { return };
    set_hart(step, 0);
    step.announce(pc, registers.set);
    words.skip_blanks();
    words.take(b"(");
    words
        .prefixed_digits()
        .into_iter()
        .for_each(|digits| set_encoding(step, digits));
    words.take(b")");
    words.skip_blanks();
    step.text.extend_from_slice(words.rest().trim_ascii_end());
}

/// Adds a line after it.
pub(super) fn add_effect(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let is_trap = line.starts_with(b"trapping ");
    if is_trap || line.starts_with(b"handling ") {
        let is_exception = is_trap || line.starts_with(b"handling exc");
        let is_second = is_exception && !step.is_executed;
        step.is_executed &= !is_exception;
        if is_second {
            step.note(TextKind::Note, line.trim_ascii_end());
        } else {
            add_exception(step, registers, line.trim_ascii_end());
        }
        return;
    }
    let mut words = Words::new(line);
    let kind = match line {
        _ if words.take(b"mem[R,") => Some(AccessKind::Read),
        _ if words.take(b"mem[W,") => Some(AccessKind::Write),
        _ => None,
    };
    if let Some(kind) = kind {
        if !access(kind, &mut words, step) {
            unexpected(step, &words, "an address and a value");
        }
        return;
    }
    let Some(at) = memchr::memmem::find(line, b" <-") else {
        return;
    };
    let name = line.get(..at).unwrap_or_default();
    let mut value = Words::starting_at(line, at + 3);
    value.skip_blanks();
    let digits = value.prefixed_digits().unwrap_or_default();
    match name.strip_prefix(b"CSR ") {
        Some(rest) => {
            let word = Words::new(rest).word().unwrap_or_default();
            let name = String::from_utf8_lossy(word).to_ascii_lowercase();
            write_digits(step, registers.named(&name), digits);
        }
        None if RiscvRegisters::is_zero(name) => {}
        None => {
            let size_bytes = match digits {
                [] => VALUE_BYTES as u16,
                digits => digits.len().div_ceil(2) as u16,
            };
            if let Some(view) = registers.vector_named(name, size_bytes) {
                write_digits(step, LoggedRegister::View(view), digits);
            } else {
                let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                write_digits(step, registers.named(&name), digits);
            }
        }
    }
}

/// Reads `0xADDRESS] -> 0xVALUE`; the digits tell the size.
fn access(kind: AccessKind, words: &mut Words<'_>, step: &mut LoggedStep) -> bool {
    let address = words.prefixed_digits().and_then(hex);
    if !words.take(b"]") {
        return false;
    }
    words.skip_blanks();
    let has_arrow = words.take(b"->") || words.take(b"<-");
    words.skip_blanks();
    let Some(address) = address.filter(|_| has_arrow) else {
        return false;
    };
    let mut bytes = [0; 8];
    let digits = words.prefixed_digits();
    let length = digits.and_then(|digits| Some(little_endian(digits, &mut bytes)?.len() as u16));
    let decoded = step
        .encoding
        .and_then(|encoding| step.set.data_access(&encoding))
        .unwrap_or_default();
    let size_bytes = match kind {
        AccessKind::Read => decoded.load_bytes,
        AccessKind::Write => decoded.store_bytes,
    };
    step.access(LoggedAccess {
        kind,
        address,
        size_bytes: length.unwrap_or(size_bytes.into()),
        bytes: length.map(|_| bytes),
    });
    length.is_some()
}
