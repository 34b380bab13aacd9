//! Lines of whisper, as text and as comma-separated values.

use stepback_machine::{AccessKind, InstructionSet, Registers};

use crate::commit_log::commit::{add_exception, set_encoding, set_hart, write_digits};
use crate::commit_log::registers::{RiscvRegisters, VALUE_BYTES};
use crate::problem::LogFault;
use crate::text::digits::{decimal, hex};
use crate::text::words::{Words, little_endian};
use crate::text_log::{LoggedAccess, LoggedRegister, LoggedStep};

/// Adds `#N HART MODE PC OPCODE R ADDR VALUE TEXT [0xEA] (exception)  +`. A step has a line for each
/// changed resource.
pub(super) fn add(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut words = Words::new(line);
    words.word();
    let hart = words.decimal().unwrap_or_default();
    words.word();
    let (Some(pc), Some(opcode)) = (words.word().and_then(hex), words.word()) else {
        return;
    };
    let is_first = !step.is_announced();
    if is_first {
        set_hart(step, hart);
        step.announce(pc, registers.set);
        set_encoding(step, opcode);
    }
    let resource = ChangedResource {
        kind: words.word().unwrap_or_default(),
        name: words.word().unwrap_or_default(),
        value: words.word().unwrap_or_default(),
    };
    add_resource(&resource, registers, step);
    words.skip_blanks();
    let tail = RowTail::of(words.rest());
    if is_first {
        step.text.extend_from_slice(tail.text);
        if let Some(trap) = tail.trap {
            step.is_executed = false;
            add_exception(step, registers, trap);
        }
    }
    if !tail.has_more
        && let Some(address) = tail.address.filter(|_| step.is_executed)
    {
        add_load(address, step);
    }
}

/// Everything after the value of a line.
#[derive(Debug, Default)]
struct RowTail<'a> {
    text: &'a [u8],
    address: Option<u64>,
    trap: Option<&'a [u8]>,
    has_more: bool,
}

impl<'a> RowTail<'a> {
    fn of(rest: &'a [u8]) -> Self {
        let mut tail = Self::default();
        let mut rest = rest.trim_ascii_end();
        if let Some(before) = rest.strip_suffix(b"  +") {
            (tail.has_more, rest) = (true, before.trim_ascii_end());
        }
        for (end, text) in [
            (&b"(exception)"[..], &b"exception"[..]),
            (b"(interrupted)", b"interrupt"),
        ] {
            if let Some(before) = rest.strip_suffix(end) {
                (tail.trap, rest) = (Some(text), before.trim_ascii_end());
            }
        }
        if rest.ends_with(b"]")
            && let Some(at) = memchr::memmem::rfind(rest, b" [0x")
        {
            let mut words = Words::new(rest.get(at + 2..).unwrap_or_default());
            tail.address = words.prefixed();
            rest = rest.get(..at).unwrap_or_default();
        }
        tail.text = rest.trim_ascii();
        tail
    }
}

/// A register or memory that a step changed.
#[derive(Clone, Copy, Debug)]
struct ChangedResource<'a> {
    /// `r`, `f`, `v`, `c` or `m`.
    kind: &'a [u8],
    /// Number or address.
    name: &'a [u8],
    value: &'a [u8],
}

fn add_resource(resource: &ChangedResource<'_>, registers: &RiscvRegisters, step: &mut LoggedStep) {
    let ChangedResource { kind, name, value } = *resource;
    let Some(number) = hex(name) else { return };
    let view = match kind {
        b"r" => registers.general(number),
        b"f" => registers.float(number),
        b"v" if value.is_empty() => registers.vector(number, VALUE_BYTES as u16),
        b"v" => registers.vector(number, (value.len() / 2) as u16),
        _ => None,
    };
    match (kind, view) {
        (_, Some(view)) => write_digits(step, LoggedRegister::View(view), value),
        (b"c", None) => {
            let name = registers.control_name(number);
            write_digits(step, registers.named(&name), value);
        }
        (b"m", None) => add_store(number, value, step),
        _ => {}
    }
}

/// Adds a store, whose value has the digits of a whole register.
fn add_store(address: u64, digits: &[u8], step: &mut LoggedStep) {
    let mut bytes = [0; 8];
    let length = little_endian(digits, &mut bytes).map(<[u8]>::len);
    if length.is_none() {
        let found = digits.get(..digits.len().min(40)).unwrap_or_default();
        let found = String::from_utf8_lossy(found).into_owned();
        step.fault(0, LogFault::Value(found));
    }
    let size = step
        .encoding
        .and_then(|encoding| step.set.data_access(&encoding))
        .map(|access| usize::from(access.store_bytes))
        .filter(|size| *size > 0);
    step.access(LoggedAccess {
        kind: AccessKind::Write,
        address,
        size_bytes: size.or(length).unwrap_or(1) as u16,
        bytes: length.map(|_| bytes),
    });
}

/// Adds a load; its value is in the destination register.
fn add_load(address: u64, step: &mut LoggedStep) {
    let access = step
        .encoding
        .and_then(|encoding| step.set.data_access(&encoding))
        .unwrap_or_default();
    if access.load_bytes == 0 {
        return;
    }
    let bytes = access.destination.and_then(|view| {
        let mut bytes = [0; 8];
        let written = step.written(view.register)?;
        bytes
            .iter_mut()
            .zip(written)
            .for_each(|(to, from)| *to = *from);
        Some(bytes)
    });
    step.access(LoggedAccess {
        kind: AccessKind::Read,
        address,
        size_bytes: access.load_bytes.into(),
        bytes,
    });
}

/// Adds `pc, inst, modified regs, source operands, memory, inst info, privilege, trap,
/// disassembly, hartid`; lists are separated by semicolons.
pub(super) fn add_csv(line: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    let mut fields = line.split(|byte| *byte == b',');
    let mut field = || fields.next().unwrap_or_default();
    let (pc, opcode, written, _sources, memory) = (field(), field(), field(), field(), field());
    let (_info, _mode, trap, text, hart) = (field(), field(), field(), field(), field());
    set_hart(step, decimal(hart.trim_ascii()).unwrap_or_default());
    step.announce(hex(pc).unwrap_or_default(), registers.set);
    set_encoding(step, opcode);
    step.text.extend(
        text.iter()
            .map(|byte| if *byte == b';' { b',' } else { *byte }),
    );
    // Numbers have no leading zeros.
    step.scatter_values();
    if !trap.is_empty() {
        step.is_executed = false;
        add_exception(step, registers, &[b"exception ", trap].concat());
        return;
    }
    let items = written.split(|byte| *byte == b';');
    for item in items.filter(|item| !item.is_empty()) {
        let Some(at) = memchr::memchr(b'=', item) else {
            continue;
        };
        let (name, value) = item.split_at(at);
        csv_register(name, value.get(1..).unwrap_or_default(), registers, step);
    }
    for item in memory.split(|byte| *byte == b';') {
        csv_access(item, step);
    }
}

fn csv_register(name: &[u8], digits: &[u8], registers: &RiscvRegisters, step: &mut LoggedStep) {
    if RiscvRegisters::is_zero(name) || matches!(name, b"pc" | b"ff") {
        return;
    }
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let number = name
        .strip_prefix('c')
        .and_then(|digits| hex(digits.as_bytes()));
    let control = number.map(|number| registers.control_name(number));
    let is_known = Registers::view(&name, registers.set).is_some();
    let name = control.filter(|_| !is_known).unwrap_or(name);
    match registers.vector_named(name.as_bytes(), digits.len().div_ceil(2) as u16) {
        Some(view) => write_digits(step, LoggedRegister::View(view), digits),
        None => write_digits(step, registers.named(&name), digits),
    }
}

/// Adds `VA`, `VA:PA` or `VA=VALUE`; `m` marks a masked element.
fn csv_access(item: &[u8], step: &mut LoggedStep) {
    let (place, value) = match memchr::memchr(b'=', item) {
        Some(at) => (item.get(..at).unwrap_or_default(), item.get(at + 1..)),
        None => (item, None),
    };
    let address = place.split(|byte| *byte == b':').next().unwrap_or_default();
    if address.ends_with(b"m") {
        return;
    }
    let Some(address) = hex(address) else { return };
    match value {
        Some(digits) => add_store(address, digits, step),
        None => add_load(address, step),
    }
}

/// Iterates over the digits of the general registers that a row of comma-separated values writes.
fn written_digits(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let written = line.split(|byte| *byte == b',').nth(2).unwrap_or_default();
    written.split(|byte| *byte == b';').filter_map(|item| {
        let at = memchr::memchr(b'=', item)?;
        let name = std::str::from_utf8(item.get(..at)?).ok()?;
        let view = Registers::view(name, InstructionSet::Riscv64)?;
        InstructionSet::Riscv64.number_of(view.register)?;
        item.get(at + 1..)
    })
}

/// Returns whether a row writes a value that 32 bits cannot hold.
pub(super) fn has_wide_value(line: &[u8]) -> bool {
    written_digits(line).any(|digits| digits.len() > 8)
}

/// Returns whether a row writes a value that is most likely a small negative number of 32 bits.
/// Numbers have no leading zeros, so only these distinguish the widths.
pub(super) fn has_negative_word(line: &[u8]) -> bool {
    written_digits(line).any(|digits| digits.len() == 8 && digits.starts_with(b"ffff"))
}
