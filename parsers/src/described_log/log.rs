//! A text log whose lines the user describes ([`DescribedLog`]).

use std::sync::Arc;

use stepback_machine::{Address, Encoding, InstructionSet, Registers};
use xxhash_rust::xxh3::xxh3_64;

use crate::events::TextKind;
use crate::problem::LogFault;
use crate::template::{DigitOrder, LineGroup, LineLayout, LineParts, LineTemplate};
use crate::text::digits::{decimal, hex};
use crate::text::words::{bytes_in_order, little_endian};
use crate::text_log::{
    ChunkStart, LogFormat, LogHead, LoggedAccess, LoggedRegister, LoggedStep, branch_of,
    whole_register,
};

/// Maximum number of items of a line that a pattern matches. A search may read the whole rest of the
/// line, so this bounds the time for a line.
const ITEMS: usize = 4096;
/// Maximum bytes of a value.
const VALUE_BYTES: usize = 64;

/// A text log with a description.
pub(crate) struct DescribedLog {
    template: Arc<LineTemplate>,
    set: InstructionSet,
    /// True if calls and returns are decoded from the encodings, because the log shows no link
    /// register.
    decodes_branches: bool,
}

/// A line, with the pattern that matches it and its groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescribedLine<'a> {
    line: &'a [u8],
    matched: Option<(usize, LineParts<'a>)>,
}

/// A value in a log.
enum LoggedValue<'v> {
    /// Its bytes, least significant first or at the lowest address first.
    Known(&'v [u8]),
    /// Digits such as `xx`, `??` or `--`.
    Unknown,
    /// No number, or one that is too large.
    Unreadable,
}

impl LogFormat for DescribedLog {
    type Line<'a> = DescribedLine<'a>;
    type ChunkState = ();

    const NAME: &'static str = "described";
    const AT_START: () = ();
    const UNKNOWN: () = ();

    fn of_head(head: &LogHead<'_>) -> Self {
        let template = head.options.template.clone().unwrap_or_default();
        let stated = head.options.instruction_set.or(template.instruction_set);
        let set = stated.unwrap_or_default();
        Self {
            set,
            decodes_branches: set.alignment() == 1 || !template.has_registers(),
            template,
        }
    }

    fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    fn time_unit(&self) -> Option<&str> {
        self.template.time_unit.as_deref()
    }

    fn leaves_values_out(&self) -> bool {
        self.template.has_registers() && self.template.leaves_values_out()
    }

    fn options(&self) -> String {
        format!("layout={:016x}", xxh3_64(self.template.source.as_bytes()))
    }

    fn read<'a>(&self, line: &'a [u8]) -> DescribedLine<'a> {
        DescribedLine {
            line,
            matched: self.template.read(line),
        }
    }

    fn chunk_start(&self, line: &DescribedLine<'_>, _state: &mut ()) -> ChunkStart {
        let pc = line.matched.as_ref().and_then(|(number, parts)| {
            let layout = self.template.line(*number)?;
            Some((layout, parts.get(LineGroup::Pc)?))
        });
        match pc {
            Some((layout, text)) if number_of(layout, LineGroup::Pc, text).is_some() => {
                ChunkStart::Yes
            }
            Some(_) => ChunkStart::Apart,
            None => ChunkStart::No,
        }
    }

    fn add(&self, line: &DescribedLine<'_>, step: &mut LoggedStep) {
        let matched = line
            .matched
            .as_ref()
            .and_then(|(number, parts)| Some((self.template.line(*number)?, parts)));
        let Some((layout, parts)) = matched else {
            if !line.line.trim_ascii().is_empty() {
                step.foreign_line(line.line);
            }
            return;
        };
        step.scatter_values();
        let mut reader = PartReader {
            log: self,
            line: line.line,
            step,
        };
        reader.begin_step(layout, parts);
        reader.effect(layout, parts);
        let text = parts.get(LineGroup::Items).unwrap_or(line.line);
        let mut items = Vec::new();
        for item in &layout.items {
            let mut all = item.all_parts(text);
            items.extend(all.by_ref().take(ITEMS).map(|parts| (item, parts)));
            if all.next().is_some() {
                reader.step.fault(0, LogFault::TooManyEffects(ITEMS));
            }
        }
        // An instruction may read what it wrote before.
        items.sort_by_key(|(_, parts)| parts.start);
        for (item, parts) in items {
            reader.effect(item, &parts);
        }
    }
}

/// Reads the parts of a line into a step.
struct PartReader<'r> {
    log: &'r DescribedLog,
    line: &'r [u8],
    step: &'r mut LoggedStep,
}

impl PartReader<'_> {
    fn begin_step(&mut self, layout: &LineLayout, parts: &LineParts<'_>) {
        let Some(text) = parts.get(LineGroup::Pc) else {
            return;
        };
        if let Some(thread) = parts.get(LineGroup::Thread).filter(|name| !name.is_empty()) {
            if thread.iter().all(u8::is_ascii_digit) {
                self.step.thread.extend_from_slice(b"cpu");
            }
            self.step.thread.extend_from_slice(thread);
        }
        let Some(pc) = self.number(layout, LineGroup::Pc, text) else {
            // Its effects come after the step before, which did not cause them.
            self.step.hides_values = true;
            return;
        };
        let set = match parts.get(LineGroup::Thumb) {
            Some(mark) if !mark.is_empty() => InstructionSet::T32,
            _ => self.log.set,
        };
        self.step.announce(pc, set);
        self.step.is_executed = layout.is_executed;
        if let Some(text) = parts.get(LineGroup::Time) {
            self.step.time = self.number(layout, LineGroup::Time, text);
        }
        if let Some(text) = parts.get(LineGroup::Text) {
            self.step.text.extend_from_slice(text.trim_ascii());
        }
        let Some(digits) = parts.get(LineGroup::Opcode) else {
            return;
        };
        match self.log.encoding(set, &digits_of(digits)) {
            Some(encoding) => {
                self.step.encoding = Some(encoding);
                self.step.length_bytes = encoding.bytes().len() as u8;
                if let Some(narrow) = set.narrow_set().filter(|_| encoding.bytes().len() == 2) {
                    self.step.set = narrow;
                }
                if self.log.decodes_branches {
                    self.step.branch = branch_of(encoding, Address(pc), self.step.set);
                }
            }
            None if is_unknown(without_prefix(digits)) => {}
            None => self.unreadable(digits),
        }
    }

    /// Adds the register write, the access and the notes of a line or an item.
    fn effect(&mut self, layout: &LineLayout, parts: &LineParts<'_>) {
        if let Some(name) = parts.get(LineGroup::Register) {
            self.register(layout, parts, name);
        }
        if let Some(text) = parts.get(LineGroup::Address)
            && let Some(address) = self.number(layout, LineGroup::Address, text)
        {
            self.access(layout, parts, address);
        }
        for (group, kind) in [
            (LineGroup::Exception, TextKind::Exception),
            (LineGroup::Note, TextKind::Note),
        ] {
            if let Some(text) = parts.get(group) {
                self.step.note(kind, text.trim_ascii());
            }
        }
    }

    fn register(&mut self, layout: &LineLayout, parts: &LineParts<'_>, name: &[u8]) {
        let prefix = &layout.register_prefix;
        let name = format!("{prefix}{}", String::from_utf8_lossy(name.trim_ascii()));
        let name = name.to_ascii_lowercase();
        let set = self.log.set;
        let view = Registers::view(&name, set).or_else(|| {
            // `r05` is `r5`.
            let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let number: u32 = name.get(letters.len()..)?.parse().ok()?;
            Registers::view(&format!("{letters}{number}"), set)
        });
        let size_bytes = view.map_or(set.word_bytes(), |view| view.size_bytes);
        let register = match view {
            Some(view) => LoggedRegister::View(whole_register(view, set)),
            None => LoggedRegister::Named {
                name: name.as_bytes(),
                size_bytes,
            },
        };
        let mut bytes = [0; VALUE_BYTES];
        let Some(text) = parts.get(LineGroup::Value) else {
            self.step.write(register, None);
            return;
        };
        match value_of(layout, text, DigitOrder::Number, &mut bytes) {
            LoggedValue::Known(value) => {
                let length =
                    value.len() - value.iter().rev().take_while(|byte| **byte == 0).count();
                if length > usize::from(size_bytes) {
                    let fault = LogFault::ValueSize {
                        register: name.clone(),
                        found: length,
                        expected: size_bytes,
                    };
                    self.step.fault(self.column(text), fault);
                    self.step.write(register, None);
                } else {
                    self.step.write(register, Some(value));
                }
            }
            LoggedValue::Unknown => self.step.write(register, None),
            LoggedValue::Unreadable => {
                self.unreadable(text);
                self.step.write(register, None);
            }
        }
    }

    fn access(&mut self, layout: &LineLayout, parts: &LineParts<'_>, address: u64) {
        let stated = match parts.get(LineGroup::Size) {
            Some(text) => match self.number(layout, LineGroup::Size, text) {
                Some(size) if (1..=VALUE_BYTES as u64).contains(&size) => Some(size as usize),
                Some(_) => return self.unreadable(text),
                None => return,
            },
            None => layout.size.map(usize::from),
        };
        let mut bytes = [0; VALUE_BYTES];
        let order = self.log.template.value_order;
        let text = parts.get(LineGroup::Value);
        let digits = text.map_or(0, |text| digits_of(text).len());
        let value = match text.map(|text| (text, value_of(layout, text, order, &mut bytes))) {
            Some((_, LoggedValue::Known(value))) => Some(value.len()),
            Some((text, LoggedValue::Unreadable)) => {
                self.unreadable(text);
                None
            }
            Some((_, LoggedValue::Unknown)) | None => None,
        };
        let Some(size) = stated
            .or(value)
            .or((digits > 0).then_some(digits.div_ceil(2)))
        else {
            let fault = LogFault::Expected {
                expected: "the size of the access",
                found: String::new(),
            };
            self.step.fault(0, fault);
            return;
        };
        let size = size.clamp(1, VALUE_BYTES);
        // A number may lack zeros in front, but a dump shows all its bytes.
        let is_short = value.is_some_and(|length| length != size) && order == DigitOrder::Memory;
        if let Some(text) = text.filter(|_| is_short) {
            self.unreadable(text);
        }
        let value = value.filter(|_| !is_short);
        // Digits beyond the size are those of a whole register.
        match (value, bytes.get(..size)) {
            (Some(_), Some(bytes)) => self.step.access_bytes(layout.access, address, bytes),
            _ => self.step.access(LoggedAccess {
                kind: layout.access,
                address,
                size_bytes: size as u16,
                bytes: None,
            }),
        }
    }

    /// Parses a number and reports it if it is none.
    fn number(&mut self, layout: &LineLayout, group: LineGroup, text: &[u8]) -> Option<u64> {
        let number = number_of(layout, group, text);
        if number.is_none() {
            self.unreadable(text);
        }
        number
    }

    fn unreadable(&mut self, text: &[u8]) {
        let found = text.get(..text.len().min(40)).unwrap_or_default();
        let fault = LogFault::Item(String::from_utf8_lossy(found).into_owned());
        self.step.fault(self.column(text), fault);
    }

    /// Returns the offset of a part in its line.
    fn column(&self, part: &[u8]) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize)
    }
}

impl DescribedLog {
    fn encoding(&self, set: InstructionSet, digits: &[u8]) -> Option<Encoding> {
        let usual = match set.alignment() {
            1 => DigitOrder::Memory,
            _ => DigitOrder::Number,
        };
        let bytes = match self.template.opcode_order.unwrap_or(usual) {
            DigitOrder::Memory => bytes_in_order(digits)?,
            DigitOrder::Number => {
                let opcode = hex(digits)?;
                // Zeros in front may be missing.
                let length_bytes = digits.len().div_ceil(4) as u8 * 2;
                let narrow = set.narrow_set().filter(|_| length_bytes == 2);
                let known = u32::try_from(opcode)
                    .ok()
                    .and_then(|opcode| narrow.unwrap_or(set).encoding_of(opcode, length_bytes));
                if known.is_some() {
                    return known;
                }
                opcode.to_le_bytes().to_vec()
            }
        };
        let length = set.instruction_length(&bytes)?.min(bytes.len());
        Encoding::new(bytes.get(..length)?)
    }
}

/// Parses a number; none if it is none, or if it does not fit in 64 bits.
fn number_of(layout: &LineLayout, group: LineGroup, text: &[u8]) -> Option<u64> {
    let is_usually_decimal = matches!(group, LineGroup::Time | LineGroup::Size);
    let digits = without_prefix(text);
    let is_prefixed = digits.len() < text.trim_ascii().len();
    match is_prefixed || !(is_usually_decimal || layout.is_decimal(group)) {
        true => hex(digits),
        false => decimal(digits),
    }
}

/// Returns digits without blanks around them and without `0x`.
fn without_prefix(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    text.strip_prefix(b"0x")
        .or(text.strip_prefix(b"0X"))
        .unwrap_or(text)
}

/// Returns the digits of a number, which blanks and `_` may divide.
fn digits_of(text: &[u8]) -> Vec<u8> {
    without_prefix(text)
        .iter()
        .copied()
        .filter(|digit| !matches!(digit, b'_' | b' '))
        .collect()
}

/// Returns true for digits that stand for an unknown value.
fn is_unknown(digits: &[u8]) -> bool {
    let is_unknown = |digit: &u8| matches!(digit, b'x' | b'X' | b'?' | b'-');
    !digits.is_empty() && digits.iter().all(is_unknown)
}

/// Parses a value.
fn value_of<'v>(
    layout: &LineLayout,
    text: &[u8],
    order: DigitOrder,
    bytes: &'v mut [u8; VALUE_BYTES],
) -> LoggedValue<'v> {
    let digits = digits_of(text);
    if is_unknown(&digits) {
        return LoggedValue::Unknown;
    }
    let is_prefixed = without_prefix(text).len() < text.trim_ascii().len();
    let length = if layout.is_decimal(LineGroup::Value) && !is_prefixed {
        decimal(&digits).map(|number| {
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            8
        })
    } else if order == DigitOrder::Memory {
        bytes_in_order(&digits).and_then(|found| {
            bytes.get_mut(..found.len())?.copy_from_slice(&found);
            Some(found.len())
        })
    } else if digits.is_empty() {
        None
    } else {
        little_endian(&digits, bytes).map(<[u8]>::len)
    };
    match length.and_then(|length| bytes.get(..length)) {
        Some(value) => LoggedValue::Known(value),
        None => LoggedValue::Unreadable,
    }
}
