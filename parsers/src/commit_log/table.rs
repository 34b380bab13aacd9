//! Rows of the tables of Ibex and CV32E40P cores.

use stepback_machine::{AccessKind, RegisterId};

use crate::commit_log::commit::{add_exception, set_encoding, set_hart, write_digits};
use crate::commit_log::registers::RiscvRegisters;
use crate::events::TextKind;
use crate::problem::LogFault;
use crate::text::digits::{decimal, hex, is_hex};
use crate::text::words::{Words, little_endian};
use crate::text_log::{AheadText, LoggedAccess, LoggedRegister, LoggedStep};

/// Adds a row of Ibex: time, cycle, address, opcode, text and items between tabs. The text
/// contains tabs too, so the items are taken from the last column.
pub(super) fn add_ibex(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut columns = line.splitn(5, |byte| *byte == b'\t');
    let mut column = || columns.next().unwrap_or_default();
    let (time, _cycle, pc, opcode, rest) = (column(), column(), column(), column(), column());
    let items_at = memchr::memrchr(b'\t', rest).unwrap_or(rest.len());
    let text = rest.get(..items_at).unwrap_or_default().trim_ascii();
    let items = Words::starting_at(line, line.len() - rest.len() + items_at);
    let [time, pc, opcode] = [time, pc, opcode].map(<[u8]>::trim_ascii);
    begin(step, registers, &RowHead { time, pc, opcode });
    let (trapped, after_interrupt) = (text.strip_prefix(b"-->"), text.strip_prefix(b"==>"));
    let text = trapped.or(after_interrupt).unwrap_or(text);
    step.text.extend(
        text.trim_ascii()
            .iter()
            .map(|byte| if *byte == b'\t' { b' ' } else { *byte }),
    );
    step.is_executed = trapped.is_none();
    // The interrupt came before the instruction.
    if after_interrupt.is_some() {
        add_exception(step, registers, b"interrupt");
    }
    RowItems::default().add(items, registers, step);
    if trapped.is_some() {
        add_exception(step, registers, b"exception");
    }
}

/// Adds a row of CV32E40P: time, unit, cycle, address, opcode, context, text and items between
/// blanks. The opcode is the expanded one.
pub(super) fn add_cv32(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut words = Words::new(line);
    let time = words.word().unwrap_or_default();
    let cycle = words.word().unwrap_or_default();
    if decimal(cycle).is_none() {
        words.word();
    }
    let pc = words.word().unwrap_or_default();
    let opcode = words.word().unwrap_or_default();
    begin(step, registers, &RowHead { time, pc, opcode });
    // The context has three columns and is usually blank.
    let rest = words.rest();
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let (context, rest) = rest.split_at_checked(3).unwrap_or((rest, b""));
    if !context.trim_ascii().is_empty() {
        let note = [b"context ", context.trim_ascii()].concat();
        step.note(TextKind::Note, &note);
    }
    let items_at = items_start(rest);
    let text = rest.get(..items_at).unwrap_or_default();
    let items = Words::starting_at(line, line.len() - rest.len() + items_at);
    let words = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    for word in words {
        if !step.text.is_empty() {
            step.text.push(b' ');
        }
        step.text.extend_from_slice(word);
    }
    RowItems::default().add(items, registers, step);
}

/// Returns the length of the text before the items of a row.
fn items_start(rest: &[u8]) -> usize {
    let mut words = Words::new(rest);
    loop {
        words.skip_blanks();
        let at = words.at();
        match words.word() {
            Some(word) if item(word).is_some() => return at,
            Some(_) => {}
            None => return rest.len(),
        }
    }
}

/// Sets the length of a row's instruction, whose opcode is the expanded one, by the next row.
pub(super) fn complete_cv32(step: &mut LoggedStep, ahead: AheadText<'_>) {
    let next = ahead.lines().find_map(|line| {
        let mut words = Words::new(line);
        decimal(words.word()?)?;
        if decimal(words.word()?).is_none() {
            words.word()?;
        }
        words.word().filter(|pc| pc.len() == 8).and_then(hex)
    });
    // A jump that saves its return address states its length by it.
    let saved = step
        .encoding
        .filter(
            |encoding| matches!(encoding.bytes(), [low, ..] if matches!(low & 0x7f, 0x67 | 0x6f)),
        )
        .and_then(|_| {
            [1, 5]
                .into_iter()
                .find_map(|link| step.written(RegisterId(link)))
        })
        .and_then(|value| value.first_chunk().copied())
        .map(|value| u64::from(u32::from_le_bytes(value)));
    if saved.or(next) == Some(step.pc.wrapping_add(2)) {
        step.length_bytes = 2;
    }
}

/// First columns of a row.
#[derive(Clone, Copy, Debug)]
struct RowHead<'a> {
    time: &'a [u8],
    pc: &'a [u8],
    opcode: &'a [u8],
}

fn begin(step: &mut LoggedStep, registers: &RiscvRegisters, head: &RowHead<'_>) {
    set_hart(step, 0);
    step.announce(hex(head.pc).unwrap_or_default(), registers.set);
    step.time = decimal(head.time);
    set_encoding(step, head.opcode);
}

/// An item of a row.
#[derive(Clone, Copy, Debug)]
struct RowItem<'a> {
    name: &'a [u8],
    is_write: bool,
    digits: &'a [u8],
}

/// Splits `x5=0x00001000`, `a0:00001000` or `PA:0x00001018`.
fn item(word: &[u8]) -> Option<RowItem<'_>> {
    let at = word.iter().position(|byte| matches!(byte, b'=' | b':'))?;
    let (name, value) = word.split_at(at);
    let is_write = value.first() == Some(&b'=');
    let digits = value.get(1..)?;
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let plain = digits.iter().position(|byte| *byte != b'?').unwrap_or(0);
    let is_value = digits.get(plain..).is_some_and(is_hex) && digits.len() >= 4;
    (is_value && !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric) || name == b"store")
        .then_some(RowItem {
            name,
            is_write,
            digits,
        })
}

/// Items of a row that belong together.
#[derive(Debug, Default)]
struct RowItems {
    address: Option<u64>,
    stored: Option<([u8; 8], u16)>,
    /// Number of bytes that `store` shows.
    store_bytes: Option<u16>,
    loaded: Option<[u8; 8]>,
}

impl RowItems {
    fn add(mut self, mut words: Words<'_>, registers: &RiscvRegisters, step: &mut LoggedStep) {
        let access = step
            .encoding
            .and_then(|encoding| step.set.data_access(&encoding))
            .unwrap_or_default();
        let source = step
            .encoding
            .and_then(|encoding| stored_register(encoding.bytes()));
        let mut is_damaged = false;
        while let Some(word) = words.word() {
            // CHERIoT adds `+0x…` after a value.
            let word = word.split(|byte| *byte == b'+').next().unwrap_or(word);
            let Some(item) = item(word) else {
                if word.starts_with(b"expand_insn") {
                    break;
                }
                let found = word.get(..word.len().min(40)).unwrap_or_default();
                let found = String::from_utf8_lossy(found).into_owned();
                step.fault(words.at() - word.len(), LogFault::Item(found));
                is_damaged = true;
                continue;
            };
            match item.name {
                b"PA" => self.address = hex(item.digits),
                b"load" => self.loaded = bytes_of(item.digits).map(|(bytes, _)| bytes),
                b"store" => {
                    self.stored = bytes_of(item.digits);
                    self.store_bytes = self.stored.map(|(_, length)| length);
                }
                name if item.is_write => {
                    if RiscvRegisters::is_zero(name) {
                        continue;
                    }
                    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                    let register = registers.named(&name);
                    if let (LoggedRegister::View(view), Some(destination)) =
                        (register, access.destination)
                        && view.register == destination.register
                    {
                        self.loaded = self
                            .loaded
                            .or(bytes_of(item.digits).map(|(bytes, _)| bytes));
                    }
                    if step.is_executed {
                        write_digits(step, register, item.digits);
                    }
                }
                name => {
                    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                    let view = stepback_machine::Registers::view(&name, registers.set);
                    let is_stored = source
                        .and_then(|number| registers.general(number))
                        .is_some_and(|source| {
                            view.map(|view| view.register) == Some(source.register)
                        });
                    if is_stored && self.stored.is_none() {
                        self.stored = bytes_of(item.digits);
                    }
                }
            }
        }
        if is_damaged && step.is_executed {
            step.forget_destinations(None);
        }
        let Some(address) = self.address.filter(|_| step.is_executed) else {
            return;
        };
        if access.load_bytes > 0 {
            step.access(LoggedAccess {
                kind: AccessKind::Read,
                address,
                size_bytes: access.load_bytes.into(),
                bytes: self.loaded,
            });
        }
        if access.store_bytes > 0 {
            let is_zero = source == Some(0);
            let value = self.stored.map(|(bytes, _)| bytes);
            step.access(LoggedAccess {
                kind: AccessKind::Write,
                address,
                // Some encodings have two meanings, of which the row shows one.
                size_bytes: self.store_bytes.unwrap_or(access.store_bytes.into()),
                bytes: value.or(is_zero.then_some([0; 8])),
            });
        }
    }
}

/// Returns the number of the register that a store writes to memory.
fn stored_register(bytes: &[u8]) -> Option<u64> {
    let opcode = u32::from_le_bytes(*bytes.first_chunk()?);
    matches!(opcode & 0x7f, 0x23).then_some(u64::from(opcode >> 20 & 31))
}

/// Returns a value in memory order and its length; unknown digits are dropped.
fn bytes_of(digits: &[u8]) -> Option<([u8; 8], u16)> {
    let known = digits.iter().position(|byte| *byte != b'?')?;
    let mut bytes = [0; 8];
    let length = little_endian(digits.get(known..)?, &mut bytes)?.len() as u16;
    Some((bytes, length))
}
