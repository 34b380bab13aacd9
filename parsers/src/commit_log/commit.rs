//! Lines of the dialect with an opcode in parentheses: Spike, CVA6, Rocket, BOOM, Dromajo
//! ([`CommitReader`]).

use stepback_machine::{Encoding, InstructionSet, RegisterView};

use crate::commit_log::access::AccessItems;
use crate::commit_log::line::{Commit, CommitLine, Listing, is_same};
use crate::commit_log::registers::{RiscvRegisters, VALUE_BYTES};
use crate::events::TextKind;
use crate::problem::LogFault;
use crate::text::digits::{decimal, hex};
use crate::text::words::{Words, little_endian};
use crate::text_log::{LateRegister, LoggedRegister, LoggedStep};

/// Beginning of the names of threads.
pub(super) const HART: &str = "hart";

/// Control registers that a trap changes without any line of the log.
const CHANGED_BY_TRAPS: [&str; 8] = [
    "mepc", "mcause", "mtval", "mstatus", "sepc", "scause", "stval", "sstatus",
];

/// Reads lines of one width of registers.
#[derive(Clone, Copy)]
pub(super) struct CommitReader<'r> {
    pub registers: &'r RiscvRegisters,
    /// True if the log has commit lines, so that a listing alone is no executed step.
    pub has_commits: bool,
    /// True if the log has writes of control registers.
    pub has_controls: bool,
    /// True if traps have no lines.
    pub has_silent_traps: bool,
}

/// Returns the bytes of an instruction. Its length is in its low bits: the number of digits differs
/// between dialects.
fn encoding_of(digits: &[u8], set: InstructionSet) -> Option<Encoding> {
    let bytes = hex(digits)?.to_le_bytes();
    let length = set.instruction_length(&bytes)?;
    Encoding::new(bytes.get(..length)?)
}

/// Sets the encoding of a step and its length.
pub(super) fn set_encoding(step: &mut LoggedStep, digits: &[u8]) {
    step.encoding = encoding_of(digits, step.set);
    step.length_bytes = step
        .encoding
        .map_or(0, |encoding| encoding.bytes().len() as u8);
}

/// Returns whether a line ends in all digits of a general register, a control register or an address.
pub(super) fn ends_in_whole_number(line: &[u8], set: InstructionSet) -> bool {
    let mut words = line
        .rsplit(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    let digits = words.next().and_then(|word| word.strip_prefix(b"0x"));
    let name = match words.next() {
        // `x 5` is `x5`.
        Some([b'0'..=b'9', ..]) => words.next().filter(|name| *name == b"x"),
        name => name,
    };
    matches!(name, Some([b'x' | b'c', ..] | b"mem"))
        && digits.is_some_and(|digits| digits.len() >= 2 * usize::from(set.word_bytes()))
}

/// Names the thread of a step after its hart.
pub(super) fn set_hart(step: &mut LoggedStep, hart: u64) {
    step.set_thread(HART, hart);
}

/// Reports a token that cannot be read.
pub(super) fn unexpected(step: &mut LoggedStep, words: &Words<'_>, expected: &'static str) {
    let rest = words.rest();
    let found = String::from_utf8_lossy(rest.get(..rest.len().min(40)).unwrap_or_default());
    step.fault(
        words.at(),
        LogFault::Expected {
            expected,
            found: found.into_owned(),
        },
    );
}

/// Adds an exception, and notes that it changed control registers.
pub(super) fn add_exception(step: &mut LoggedStep, registers: &RiscvRegisters, text: &[u8]) {
    step.note(TextKind::Exception, text);
    forget_trap_registers(step, registers);
}

/// Adds writes without values of the control registers that a trap changes.
pub(super) fn forget_trap_registers(step: &mut LoggedStep, registers: &RiscvRegisters) {
    for name in CHANGED_BY_TRAPS {
        step.write(registers.named(name), None);
    }
}

impl CommitReader<'_> {
    /// Adds a line to its step.
    pub fn add(self, line: &CommitLine<'_>, step: &mut LoggedStep) {
        match line {
            CommitLine::Listing(listing) => self.listing(listing, step),
            CommitLine::Commit(commit) => self.commit(commit, step),
            CommitLine::Trap {
                hart,
                pc,
                digits,
                text,
                is_step,
            } => {
                if *is_step && !step.is_announced() {
                    set_hart(step, 0);
                    step.announce(pc.unwrap_or_default(), self.registers.set);
                }
                if !step.is_announced() {
                    set_hart(step, hart.unwrap_or_default());
                }
                let is_own = pc.is_some_and(|pc| is_same(step.pc, pc, *digits));
                let is_interrupt = memchr::memmem::find(text, b"interrupt").is_some();
                if *is_step || is_own && !self.has_commits && !is_interrupt {
                    step.is_executed = false;
                }
                add_exception(step, self.registers, text);
            }
            CommitLine::TrapValue { hart, text } => {
                if !step.is_announced() {
                    set_hart(step, *hart);
                }
                step.note(TextKind::Note, text);
            }
            CommitLine::Damaged { hart, text } => self.damaged(*hart, text, step),
            CommitLine::Late(line) => self.late(line, step),
            CommitLine::Row(row) => self.cycle(row.line, step),
            _ => {}
        }
    }

    /// Adds `x 5 p 5 0x…`: a value of this step or of an earlier one, which looks ahead for it. At
    /// the beginning of a cut log its step is not there.
    fn late(self, line: &[u8], step: &mut LoggedStep) {
        let Some((register, digits)) = late_value(line) else {
            return;
        };
        if step.is_announced() {
            resolve(step, register, digits);
        } else if let Some(view) = self.late_view(register) {
            write_digits(step, LoggedRegister::View(view), digits);
        }
    }

    fn listing(self, listing: &Listing<'_>, step: &mut LoggedStep) {
        set_hart(step, listing.hart);
        step.announce(listing.pc, self.registers.set);
        step.is_executed = !self.has_commits;
        set_encoding(step, listing.opcode);
        if !listing.text.starts_with(b"DASM(") {
            step.text.extend_from_slice(listing.text);
        }
        if listing.is_interrupt {
            add_exception(step, self.registers, b"interrupt");
        }
    }

    fn commit(self, commit: &Commit<'_>, step: &mut LoggedStep) {
        if !step.is_announced() {
            step.announce(commit.pc, self.registers.set);
            set_hart(step, commit.hart.unwrap_or_default());
        }
        (step.pc, step.set) = (commit.pc, self.registers.set);
        step.is_executed = true;
        step.privilege = Some(commit.mode);
        set_encoding(step, commit.opcode);
        self.items(commit.items, step);
    }

    /// Reads register writes and accesses.
    fn items(self, mut words: Words<'_>, step: &mut LoggedStep) {
        let mut accesses = AccessItems::of(step);
        loop {
            words.skip_blanks();
            let before = words;
            let is_read = match words.rest() {
                [] => break,
                [b'x' | b'f' | b'v', b'0'..=b'9' | b' ', ..] => {
                    self.numbered(&mut words, &mut accesses, step)
                }
                [b'c', b'0'..=b'9', ..] => self.control(&mut words, step),
                [b'e', b'0'..=b'9', ..] => self.vector_state(&mut words, &mut accesses, step),
                [b'm', b'e', b'm', b' ', ..] => accesses.item(&mut words, step),
                [b'e', b'x', ..] => {
                    step.is_executed = false;
                    add_exception(step, self.registers, words.rest());
                    return;
                }
                _ => false,
            };
            if !is_read {
                unexpected(step, &before, "a register, a control register or mem");
                step.forget_destinations(None);
                break;
            }
        }
        accesses.finish(step);
    }

    /// Reads `x5  0x…`, `f 5 p37 0xXXXXXXXXXXXXXXXX` or `v8  0x…`.
    fn numbered(
        self,
        words: &mut Words<'_>,
        accesses: &mut AccessItems,
        step: &mut LoggedStep,
    ) -> bool {
        let Some(&letter) = words.rest().first() else {
            return false;
        };
        words.take(&[letter]);
        let Some(number) = words.decimal().filter(|number| *number < 32) else {
            return false;
        };
        words.skip_blanks();
        if words.take(b"p") && words.decimal().is_none() {
            return false;
        }
        words.skip_blanks();
        let Some(digits) = words.prefixed_digits() else {
            let is_open = words.take(b"0x") && words.rest().starts_with(b"X");
            match self.late_view((letter, number)) {
                Some(view) if is_open => step.write_late(view, (letter, number)),
                // The instruction wrote the register, but its value cannot be read.
                Some(view) => step.write(LoggedRegister::View(view), None),
                None => {}
            }
            return is_open && words.word().is_some();
        };
        let mut room = ValueRoom::default();
        let ends_word = matches!(words.rest(), [] | [b' ' | b'\t', ..]);
        let value = little_endian(digits, room.of(digits)).filter(|_| ends_word);
        let length = digits.len().div_ceil(2).min(VALUE_BYTES);
        let view = match letter {
            b'x' => self.registers.general(number),
            b'f' => self.registers.float(number).map(|view| RegisterView {
                size_bytes: view.size_bytes.min(length as u16),
                ..view
            }),
            _ => self.registers.vector(number, length as u16),
        };
        let Some(view) = view else { return true };
        match value {
            None => {
                let found = digits.get(..digits.len().min(40)).unwrap_or_default();
                let found = String::from_utf8_lossy(found).into_owned();
                step.fault(words.at(), LogFault::Value(found));
                step.write(LoggedRegister::View(view), None);
                words.word();
            }
            Some(value) => {
                accesses.note_written(view, value);
                check_width(step, words.at(), view, value.len());
                step.write(LoggedRegister::View(view), Some(value));
            }
        }
        true
    }

    /// Reads `e8 m4 l64`: the element size, the register group, and the vector length.
    fn vector_state(
        self,
        words: &mut Words<'_>,
        accesses: &mut AccessItems,
        step: &mut LoggedStep,
    ) -> bool {
        words.take(b"e");
        accesses.element_bits = words.decimal();
        if words.word().is_none() {
            return false;
        }
        words.skip_blanks();
        let length = words.take(b"l").then(|| words.decimal()).flatten();
        // Logs with control registers list `vl` where it is written.
        if let Some(length) = length.filter(|_| !self.has_controls) {
            step.write(self.registers.named("vl"), Some(&length.to_le_bytes()));
        }
        length.is_some()
    }

    /// Reads `c768_mstatus 0x…`.
    fn control(self, words: &mut Words<'_>, step: &mut LoggedStep) -> bool {
        let name = words.word().and_then(|word| {
            let at = memchr::memchr(b'_', word)?;
            std::str::from_utf8(word.get(at + 1..)?).ok()
        });
        words.skip_blanks();
        let Some(name) = name else { return false };
        let register = self.registers.named(name);
        let digits = words.prefixed_digits();
        match digits.filter(|_| matches!(words.rest(), [] | [b' ' | b'\t', ..])) {
            Some(digits) => write_digits(step, register, digits),
            None => step.write(register, None),
        }
        digits.is_some() && matches!(words.rest(), [] | [b' ' | b'\t', ..])
    }

    /// Adds a damaged line: writes without values of the registers that it names.
    fn damaged(self, hart: u64, text: &[u8], step: &mut LoggedStep) {
        if !step.is_announced() {
            set_hart(step, hart);
        }
        step.foreign_line(text);
        let mut words = Words::new(text);
        if words.until(b')').is_some() {
            // The encoding is that of the step, not of the damaged line.
            let encoding = step.encoding.take();
            step.hides_values = true;
            self.items(words, step);
            step.hides_values = false;
            step.encoding = encoding;
        }
    }

    /// Returns the register that a letter and a number name.
    fn late_view(self, register: LateRegister) -> Option<RegisterView> {
        let (letter, number) = register;
        match letter {
            b'f' => self.registers.float(number),
            b'v' => self.registers.vector(number, VALUE_BYTES as u16),
            _ => self.registers.general(number),
        }
    }

    /// Fills in values that later lines state.
    pub fn complete<'a>(self, step: &mut LoggedStep, lines: impl Iterator<Item = &'a [u8]>) {
        for line in lines {
            if !step.is_waiting() {
                return;
            }
            if let Some((register, digits)) = late_value(line) {
                resolve(step, register, digits);
            }
        }
    }

    /// Adds `C0: 1234 [1] pc=[…] W[r 5=…][1] R[r 1=…] R[r 2=…] inst=[…] DASM(…)`.
    fn cycle(self, line: &[u8], step: &mut LoggedStep) {
        let mut words = Words::new(line);
        words.take(b"C");
        set_hart(step, words.decimal().unwrap_or_default());
        words.take(b":");
        step.time = words.decimal();
        let field = |name: &[u8]| {
            let at = memchr::memmem::find(line, name)? + name.len();
            let rest = line.get(at..)?;
            rest.get(..memchr::memchr(b']', rest)?)
        };
        let Some(pc) = field(b"pc=[").and_then(hex) else {
            return;
        };
        step.announce(pc, self.registers.set);
        field(b"inst=[")
            .into_iter()
            .for_each(|digits| set_encoding(step, digits));
        let Some(written) = field(b" W[r") else {
            return;
        };
        let mut parts = written.split(|byte| *byte == b'=');
        let number = parts.next().map(<[u8]>::trim_ascii).and_then(decimal);
        let view = number.and_then(|number| self.registers.general(number));
        let is_valid = memchr::memmem::find(line, b"][1] R[").is_some();
        if let (Some(view), Some(digits)) = (view, parts.next()) {
            if is_valid {
                write_digits(step, LoggedRegister::View(view), digits);
            } else if let Some(encoding) = step.encoding
                && writes(self.registers, &encoding, number)
            {
                step.write(LoggedRegister::View(view), None);
            }
        }
    }
}

/// Returns whether an instruction writes a general register, by its destination field.
fn writes(registers: &RiscvRegisters, encoding: &Encoding, number: Option<u64>) -> bool {
    let decoded = stepback_machine::decode(*encoding, stepback_machine::Address(0), registers.set);
    let view = number.and_then(|number| registers.general(number));
    view.is_some_and(|view| decoded.registers.is_some() && decoded.may_write(view))
}

/// Fills in the value of a register that a step left open.
fn resolve(step: &mut LoggedStep, register: LateRegister, digits: &[u8]) {
    let mut bytes = [0; VALUE_BYTES];
    if let Some(value) = little_endian(digits, &mut bytes) {
        step.resolve(register, value);
    }
}

/// Room for the bytes of a value. Only long ones need much.
#[derive(Default)]
struct ValueRoom {
    short: [u8; 8],
    long: Vec<u8>,
}

impl ValueRoom {
    fn of(&mut self, digits: &[u8]) -> &mut [u8] {
        match digits.len() {
            0..=16 => &mut self.short,
            _ => {
                self.long.resize(VALUE_BYTES, 0);
                &mut self.long
            }
        }
    }
}

/// Adds a register write by its digits; the value is unknown if they cannot be read.
pub(super) fn write_digits(step: &mut LoggedStep, register: LoggedRegister<'_>, digits: &[u8]) {
    let mut room = ValueRoom::default();
    let value = little_endian(digits, room.of(digits));
    if value.is_none() {
        let found = digits.get(..digits.len().min(40)).unwrap_or_default();
        step.fault(
            0,
            LogFault::Value(String::from_utf8_lossy(found).into_owned()),
        );
    }
    step.write(register, value);
}

/// Reports a value that is longer or shorter than its register.
fn check_width(step: &mut LoggedStep, column: usize, view: RegisterView, found: usize) {
    if usize::from(view.size_bytes) != found {
        let name = stepback_machine::Registers::name(view, step.set).unwrap_or("the register");
        step.fault(
            column,
            LogFault::ValueSize {
                register: name.to_owned(),
                found,
                expected: view.size_bytes,
            },
        );
    }
}

/// Splits `x 5 p 5 0x…` into the register and the digits.
fn late_value(line: &[u8]) -> Option<(LateRegister, &[u8])> {
    let letter = *line
        .first()
        .filter(|letter| matches!(letter, b'x' | b'f'))?;
    let mut words = Words::new(line);
    words.take(&[letter]);
    let number = words.decimal()?;
    words.skip_blanks();
    if !words.take(b"p") {
        return None;
    }
    words.decimal()?;
    words.skip_blanks();
    Some(((letter, number), words.prefixed_digits()?))
}
