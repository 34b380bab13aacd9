//! The text that unidbg's `traceCode` prints: an instruction a line, with the registers that it
//! reads and writes ([`Unidbg`]).
//!
//! Written registers are shown only if the next instruction is the one after it in memory, so
//! nothing follows from their absence. The link register of a call follows from its address.

use stepback_machine::semantics::RegisterUse;
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, RegisterId, RegisterView, Registers, decode,
};

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::text::digits::decimal;
use crate::text::words::{Words, bytes_in_order, little_endian};
use crate::text_log::{
    ChunkStart, LogFormat, LogHead, LoggedAccess, LoggedRegister, LoggedStep, whole_register,
};

/// A log of unidbg.
pub(crate) struct Unidbg {
    set: InstructionSet,
}

/// A line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnidbgLine<'a> {
    /// An instruction.
    Step(UnidbgStep<'a>),
    /// A line of something else.
    Other(&'a [u8]),
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnidbgStep<'a> {
    /// Milliseconds since midnight.
    time: Option<u64>,
    pc: u64,
    bytes: &'a [u8],
    text: &'a [u8],
    /// Everything after the text.
    items: &'a [u8],
}

/// Returns whether a line certainly belongs to a log of unidbg.
pub(crate) fn is_unidbg_line(line: &[u8]) -> bool {
    UnidbgStep::of(line).is_some()
}

impl<'a> UnidbgStep<'a> {
    /// Splits `[15:11:48 070][lib.so 0x1ed98] [ff8302d1] 0x4001ed98: "sub sp, sp, #0xa0" …`.
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut words = Words::new(line);
        if !words.take(b"[") {
            return None;
        }
        let first = words.until(b']')?;
        let time = milliseconds(first);
        words.skip_blanks();
        if time.is_some() {
            if !words.take(b"[") {
                return None;
            }
            words.until(b']')?;
            words.skip_blanks();
        }
        if !words.take(b"[") {
            return None;
        }
        let bytes = words.until(b']')?.trim_ascii();
        words.skip_blanks();
        let pc = words.prefixed()?;
        if !words.take(b": \"") {
            return None;
        }
        let text = words.until(b'"')?;
        Some(Self {
            time,
            pc,
            bytes,
            text,
            items: words.rest(),
        })
    }
}

/// Returns the milliseconds of `HH:MM:SS mmm`.
fn milliseconds(text: &[u8]) -> Option<u64> {
    let mut words = Words::new(text);
    let hours = words.decimal()?;
    let minutes = words.take(b":").then(|| words.decimal()).flatten()?;
    let seconds = words.take(b":").then(|| words.decimal()).flatten()?;
    let rest = words.decimal()?;
    let total = hours.checked_mul(60)?.checked_add(minutes)?;
    total
        .checked_mul(60)?
        .checked_add(seconds)?
        .checked_mul(1000)?
        .checked_add(rest)
}

impl Unidbg {
    fn step(&self, line: &UnidbgStep<'_>, step: &mut LoggedStep) {
        step.announce(line.pc, self.set);
        step.thread.extend_from_slice(b"cpu0");
        step.time = line.time;
        step.encoding = bytes_in_order(line.bytes).and_then(|bytes| Encoding::new(&bytes));
        step.length_bytes = step
            .encoding
            .map_or(4, |encoding| encoding.bytes().len() as u8);
        if self.is_narrow(line, step) {
            step.set = InstructionSet::T32;
        }
        step.text.extend_from_slice(line.text);
        // Numbers have no leading zeros.
        step.scatter_values();
        let (reads, writes) = match memchr::memmem::find(line.items, b" =>") {
            Some(at) => (line.items.get(..at), line.items.get(at + 3..)),
            None => (Some(line.items), None),
        };
        self.accesses(reads.unwrap_or_default(), step);
        for (name, digits) in registers(writes.unwrap_or_default()) {
            self.write(name, digits, step);
        }
        if let Some(writes) = writes {
            self.flags(writes, step);
        }
        let is_call = matches!(mnemonic(line.text), b"bl" | b"blr" | b"blx");
        let link = Registers::view("lr", step.set).filter(|_| is_call);
        if writes.is_none() {
            step.forget_destinations(link.map(|view| view.register));
        }
        if let Some(view) = link {
            let after = line.pc.wrapping_add(u64::from(step.length_bytes));
            let after = step.set.marked_address(after);
            step.write(LoggedRegister::View(view), Some(&after.to_le_bytes()));
        }
    }

    /// Returns whether an instruction of AArch32 is one of Thumb. An instruction of four bytes is the
    /// one whose mnemonic the disassembler finds.
    fn is_narrow(&self, line: &UnidbgStep<'_>, step: &LoggedStep) -> bool {
        let Some(narrow) = self.set.narrow_set() else {
            return false;
        };
        let is_like_text = |set: InstructionSet| {
            let encoding = step.encoding?;
            let text = decode(encoding, Address(line.pc), set).text.clone();
            Some(mnemonic(text.as_bytes()) == mnemonic(line.text))
        };
        step.length_bytes == 2
            || !line.pc.is_multiple_of(4)
            || is_like_text(self.set) != Some(true) && is_like_text(narrow) == Some(true)
    }

    fn write(&self, name: &[u8], digits: &[u8], step: &mut LoggedStep) {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let frame_pointer = || Registers::view("x29", self.set).filter(|_| name == "fp");
        let Some(view) = Registers::view(&name, self.set).or_else(frame_pointer) else {
            return;
        };
        let mut bytes = [0; 16];
        let value = little_endian(digits, &mut bytes);
        if value.is_none() {
            let found = digits.get(..digits.len().min(40)).unwrap_or_default();
            step.fault(
                0,
                LogFault::Value(String::from_utf8_lossy(found).into_owned()),
            );
        }
        step.write(LoggedRegister::View(whole_register(view, self.set)), value);
    }

    /// Adds the flags `nzcv: N=0, Z=1, C=1, V=0` that an instruction of A64 writes. They are unknown
    /// if the line does not show them.
    fn flags(&self, items: &[u8], step: &mut LoggedStep) {
        let Some(encoding) = step.encoding.filter(|_| step.set.word_bytes() == 8) else {
            return;
        };
        let bit = |name: &[u8], place: u8| {
            let at = memchr::memmem::find(items, name)?;
            match items.get(at + name.len())? {
                b'0' => Some(0),
                b'1' => Some(1u8 << place),
                _ => None,
            }
        };
        let flags = [
            bit(b" N=", 7),
            bit(b" Z=", 6),
            bit(b" C=", 5),
            bit(b" V=", 4),
        ];
        let flags: Option<u8> = flags.into_iter().sum();
        let instruction = decode(encoding, Address(step.pc), step.set);
        if flags.is_some()
            || instruction
                .registers
                .as_ref()
                .is_none_or(RegisterUse::is_flags_written)
        {
            let view = RegisterView::new(RegisterId::PSR, 3, 1);
            let value = flags.map(|flags| [flags]);
            step.write(
                LoggedRegister::View(view),
                value.as_ref().map(<[u8; 1]>::as_slice),
            );
        }
    }

    /// Adds `(r 0xADDRESS SIZE)` or `(w 0xADDRESS SIZE)`.
    fn accesses(&self, items: &[u8], step: &mut LoggedStep) {
        let mut words = Words::new(items);
        words.skip_blanks();
        if !words.take(b"(") {
            return;
        }
        let kind = match words.word() {
            Some(b"r") => AccessKind::Read,
            Some(b"w") => AccessKind::Write,
            _ => return,
        };
        words.skip_blanks();
        let (Some(address), Some(size)) = (words.prefixed(), words.decimal()) else {
            return;
        };
        step.access(LoggedAccess {
            kind,
            address,
            size_bytes: size.clamp(1, 64) as u16,
            bytes: None,
        });
    }
}

/// Returns the mnemonic of an instruction, without the suffix of its width.
fn mnemonic(text: &[u8]) -> &[u8] {
    let word = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    let narrow = word.strip_suffix(b".w").or(word.strip_suffix(b".n"));
    narrow.unwrap_or(word)
}

/// Iterates over `NAME=0xVALUE`. Flags are written differently and are left out.
fn registers(items: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    items
        .split(|byte| matches!(byte, b' ' | b','))
        .filter_map(|word| {
            let at = memchr::memmem::find(word, b"=0x")?;
            Some((word.get(..at)?, word.get(at + 3..)?))
        })
}

impl LogFormat for Unidbg {
    type Line<'a> = UnidbgLine<'a>;
    type ChunkState = ();

    const NAME: &'static str = "unidbg";
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let steps = || head.lines().filter_map(UnidbgStep::of).take(1000);
        let is_wide = steps().any(|step| {
            step.text
                .split(|byte| !byte.is_ascii_alphanumeric())
                .skip(1)
                .any(|word| {
                    matches!(word, [b'x' | b'w', rest @ ..] if decimal(rest).is_some() || rest == b"zr")
                })
        });
        let likely = if is_wide || steps().next().is_none() {
            InstructionSet::A64
        } else {
            InstructionSet::A32
        };
        Self {
            set: head.options.instruction_set.unwrap_or(likely),
        }
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn time_unit(&self) -> Option<&str> {
        Some("ms")
    }

    fn options(&self) -> String {
        "log=unidbg".to_owned()
    }

    fn read<'a>(&self, line: &'a [u8]) -> UnidbgLine<'a> {
        UnidbgStep::of(line).map_or(UnidbgLine::Other(line), UnidbgLine::Step)
    }

    fn chunk_start(&self, line: &UnidbgLine<'_>, _state: &mut ()) -> ChunkStart {
        match line {
            UnidbgLine::Step(_) => ChunkStart::Yes,
            UnidbgLine::Other(_) => ChunkStart::No,
        }
    }

    fn add(&self, line: &UnidbgLine<'_>, step: &mut LoggedStep) {
        match line {
            UnidbgLine::Step(found) => self.step(found, step),
            UnidbgLine::Other(line) if line.trim_ascii().is_empty() => {}
            UnidbgLine::Other(line)
                if line.starts_with(b"###") || line.starts_with(b"JNIEnv->") =>
            {
                step.note(TextKind::Note, line);
            }
            UnidbgLine::Other(line) => step.foreign_line(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_time_or_none() {
        let line = b"[15:11:48 070][libjnicalculator.so 0x1ed98] [ff8302d1] 0x4001ed98: \"sub sp, sp, #0xa0\" sp=0xbffff700 => sp=0xbffff660";
        let step = UnidbgStep::of(line).unwrap();
        assert_eq!((step.time, step.pc), (Some(54_708_070), 0x4001_ed98));
        assert_eq!(
            (step.bytes, step.text),
            (&b"ff8302d1"[..], &b"sub sp, sp, #0xa0"[..])
        );
        let found: Vec<_> = registers(step.items).collect();
        assert_eq!(found.len(), 2);
        assert!(is_unidbg_line(
            b"[lib.so 0x01234] [ffc300d1] 0x12001234: \"sub sp, sp, #0x30\" sp=0x0"
        ));
        assert!(!is_unidbg_line(b"[section]"));
    }
}
