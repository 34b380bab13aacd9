//! Fast path for the forms of nearly all lines of real traces, which are read without a lexer.
//!
//! Every function returns `None` if the line has another form; then [`crate::tarmac::slow`] reads
//! it. Nothing is pushed before that is decided.

use stepback_machine::banks::SecurityState;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Address, Endian, InstructionSet, Mode, RegisterView};

use crate::events::{
    DelaySlot, EventSink, MemoryAccess, RegisterWrite, StepEvent, StepOrigin, TextEvent, TextKind,
    ThreadNumber, WrittenName,
};
use crate::tarmac::diagram_line::{Diagram, OpenDiagram};
use crate::tarmac::fused::{INDENT, may_hold_record};
use crate::tarmac::quick_header::{BytePrefix, QuickHeader};
use crate::tarmac::register_name::{KnownRegister, RegisterTable, ValueKind};
use crate::tarmac::run::{ChunkContext, LineThread, RegisterValuePart, TarmacRun};
use crate::text::digits::{digit_count, hex_8, load_8, load_16, lower, position_8};
use crate::text::lexer::is_word_byte;
use crate::text::window::PADDING;

/// Text from the start of a line on, long enough for all fields with a fixed position. The fixed
/// length saves nearly all bounds checks.
pub(super) type LineBlock = [u8; PADDING];

/// A line whose header was read. Offsets are relative to its start.
#[derive(Clone, Copy, Debug)]
struct QuickLine<'a> {
    block: &'a LineBlock,
    text: &'a [u8],
    start: usize,
    type_at: usize,
    /// Timestamp on the line.
    time: Option<u64>,
    thread: ThreadNumber,
    limit: usize,
}

/// Text between encoding and disassembly of the last instruction, and its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuickState {
    /// Text up to the colon.
    word: BytePrefix,
    set: InstructionSet,
    mode: Mode,
}

impl Default for QuickState {
    fn default() -> Self {
        Self {
            word: BytePrefix::default(),
            set: InstructionSet::A64,
            mode: Mode::Other,
        }
    }
}

impl<S: EventSink + ?Sized> TarmacRun<'_, S> {
    /// Reads the line at `start` of the text (which is padded with newlines) if it has a known
    /// form. Returns the start of the next line.
    #[inline(always)]
    pub fn quick_line(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let block = text.get(start..)?.first_chunk()?;
        let QuickHeader { type_at, stamp } = self.quick_headers.read(block)?;
        let word = load_8(block, type_at).to_le_bytes();
        let thread = match (stamp, self.before.thread) {
            (Some(stamp), _) => stamp.thread,
            (None, LineThread::Known(thread)) => thread,
            _ => return None,
        };
        let line = QuickLine {
            block,
            text,
            start,
            type_at,
            time: stamp.map(|stamp| stamp.time),
            thread,
            limit: self.limits.line,
        };
        // Lines with a new time may belong to the instruction after them, unless they are
        // instructions themselves.
        let offset = self.base + start as u64;
        let is_old = line
            .time
            .is_none_or(|time| !self.before.clock.is_new(time, offset, self.limits));
        let (next, open) = match word {
            [b'R', b' ', ..] if is_old => (self.quick_register(line)?, None),
            [b'I', b'T' | b'S', b' ', b'(', ..] if line.time.is_some() => {
                (self.quick_it(line, word)?, None)
            }
            [b'M', b'R' | b'W', b'1' | b'2' | b'4' | b'8', b' ', ..] if is_old => {
                (self.quick_memory(line, word)?, None)
            }
            [b'E', b'S', b' ', ..] if line.time.is_some() => (self.quick_es(line)?, None),
            [b'L', b'D', b' ', ..] if is_old => self.quick_diagram(line, AccessKind::Read)?,
            [b'S', b'T', b' ', ..] if is_old => self.quick_diagram(line, AccessKind::Write)?,
            [b'B', b'R', b' ', ..] if is_old => (self.quick_branch(line)?, None),
            _ => return None,
        };
        self.before.clock.note(line.time, offset);
        self.before.thread = LineThread::Known(line.thread);
        self.before.open = open;
        self.line += 1;
        Some(next)
    }

    /// Reads `IT (n) address[:physical] opcode state mode : text`.
    #[inline(always)]
    fn quick_it(&mut self, line: QuickLine<'_>, word: [u8; 8]) -> Option<usize> {
        let number_at = line.type_at + 4;
        let mut number_end = number_at + digit_count(load_8(line.block, number_at));
        if number_end == number_at + 8 {
            number_end += digit_count(load_8(line.block, number_end));
        }
        if number_end == number_at || line.bytes(number_end)? != *b") " {
            return None;
        }
        let (address, at) = line.address(number_end + 2)?;
        let at = line.physical(at)?;
        if line.byte(at) != b' ' {
            return None;
        }
        let (opcode, at) = line.opcode(at + 1)?;
        if line.byte(at) != b' ' {
            return None;
        }
        let is_executed = word[1] == b'T';
        self.quick_step(
            line,
            QuickInstruction {
                address,
                opcode,
                state_at: at + 1,
                is_es: false,
                is_executed,
            },
        )
    }

    /// Reads `ES (address:opcode) state mode: text`.
    #[inline(always)]
    fn quick_es(&mut self, line: QuickLine<'_>) -> Option<usize> {
        let at = line.skip_spaces(line.type_at + 2);
        if line.byte(at) != b'(' {
            return None;
        }
        let (address, at) = line.address(at + 1)?;
        if line.byte(at) != b':' {
            return None;
        }
        let (opcode, at) = line.opcode(at + 1)?;
        if line.bytes(at)? != *b") " {
            return None;
        }
        self.quick_step(
            line,
            QuickInstruction {
                address,
                opcode,
                state_at: at + 2,
                is_es: true,
                is_executed: true,
            },
        )
    }

    /// Reads `state mode : text` and pushes the step.
    #[inline(always)]
    fn quick_step(&mut self, line: QuickLine<'_>, place: QuickInstruction) -> Option<usize> {
        let after = place.state_at + self.quick_state(line, place.state_at)?;
        let QuickState { set, mode, .. } = self.quick_state;
        let (pc, length_bytes) = (
            set.code_address(place.address),
            set.length_of(place.opcode.digits / 2),
        );
        let mut text_at = line.skip_spaces(after);
        if text_at - after >= INDENT.len() {
            return None;
        }
        let is_failed = place.is_es
            && line.bytes(text_at)? == *b"CCFAIL"
            && !is_word_byte(line.byte(text_at + 6));
        if is_failed {
            text_at = line.skip_spaces(text_at + 6);
        }
        let (text, next) = line.rest(text_at)?;
        if text.first().is_some_and(|byte| *byte < b' ') || may_hold_record(text) {
            return None;
        }
        if self.is_recalled {
            self.name_recalled();
        }
        self.chunk = ChunkContext {
            set,
            thread: Some(line.thread),
            mode,
        };
        let at = self.place(line.start);
        self.sink.begin_step(&StepEvent {
            thread: line.thread,
            place: at,
            chunk_offset: at.offset,
            time: line.time,
            pc: Address(pc),
            instruction_set: set,
            opcode: place.opcode.value,
            bytes: &[],
            branch: RecordedBranch::Unsaid,
            length_bytes,
            is_executed: place.is_executed && !is_failed,
            delay_slot: DelaySlot::None,
            origin: StepOrigin::Recorded,
            mode,
            text,
        });
        Some(next)
    }

    /// Reads `state mode :`, which is nearly always that of the instruction before. Returns its
    /// length.
    #[inline(always)]
    fn quick_state(&mut self, line: QuickLine<'_>, at: usize) -> Option<usize> {
        let bytes = load_16(line.block, at);
        if !self.quick_state.word.is_at_start_of(bytes) {
            self.quick_state = line.state(at, bytes)?;
        }
        Some(self.quick_state.word.length())
    }

    /// Reads `R name value`.
    #[inline(always)]
    fn quick_register(&mut self, line: QuickLine<'_>) -> Option<usize> {
        let name_at = line.type_at + 2;
        let letters = load_8(line.block, name_at);
        let length = position_8(letters, b' ');
        // A key is padded with zeros, so a name that contains a NUL would equal a shorter name.
        if length == 0 || position_8(letters, 0) < length || line.byte(name_at + length) != b' ' {
            return None;
        }
        let key = lower(letters & u64::MAX >> (64 - 8 * length))?;
        let known = RegisterTable::of(self.chunk.set).find(key)?;
        let mut bytes = [0; 16];
        let (size, next) = line.register_value(name_at + length + 1, *known, &mut bytes)?;
        let bytes = bytes.get(..size)?;
        let part = RegisterValuePart {
            offset: 0,
            bytes,
            is_known: true,
        };
        let place = self.place(line.start);
        let (thread, mode) = (line.thread, self.mode_of(line.thread));
        let write = RegisterWrite {
            thread,
            view: known.view,
            bytes: None,
            name: WrittenName::Own,
            mode,
            place,
        };
        if known.bank.is_none() {
            self.quick_write(write, part);
            return Some(next);
        }
        let name = key.to_le_bytes();
        let number = self.names.registers.find(name.get(..length)?);
        if known.is_state_banked && mode.security() != SecurityState::Undivided {
            return None;
        }
        let names = known.names_in(mode);
        // A new name is rare, and may exceed the limit.
        let register =
            stepback_machine::RegisterId(stepback_machine::RegisterId::FIRST_NAMED.0 + number?);
        if let Some(name) = names.plain {
            self.write(RegisterWrite { name, ..write }, part);
        }
        let name = names.bank.unwrap_or_default();
        self.write(
            RegisterWrite {
                view: RegisterView::new(register, 0, 0),
                name,
                ..write
            },
            part,
        );
        Some(next)
    }

    /// Reads `MR8 address[:physical] value`.
    #[inline(always)]
    fn quick_memory(&mut self, line: QuickLine<'_>, word: [u8; 8]) -> Option<usize> {
        let kind = if word[1] == b'R' {
            AccessKind::Read
        } else {
            AccessKind::Write
        };
        let size_bytes = word[2] & 15;
        let (address, at) = line.address(line.type_at + 4)?;
        let at = line.physical(at)?;
        if line.byte(at) != b' ' {
            return None;
        }
        let (value, at) = line.number(at + 1, size_bytes)?;
        let next = line.end(at)?;
        address.checked_add(u64::from(size_bytes) - 1)?;
        let bytes = match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => (value << (64 - 8 * size_bytes)).to_be_bytes(),
        };
        let place = self.place(line.start);
        let access = MemoryAccess {
            thread: line.thread,
            kind,
            address: Address(address),
            tag: 0,
            size_bytes,
            bytes: Some(bytes),
            place,
        };
        self.access(access);
        Some(next)
    }

    /// Reads `LD address word word word word`.
    #[inline(always)]
    fn quick_diagram(
        &mut self,
        line: QuickLine<'_>,
        kind: AccessKind,
    ) -> Option<(usize, Option<OpenDiagram>)> {
        let address_at = line.type_at + 3;
        let (address, at) = line.address(address_at)?;
        let words = line.block.get(at..)?.first_chunk::<37>()?;
        let diagram = Diagram::of_words(address, words)?;
        // The time of a second record may be joined to the last word.
        let (text, next) = line.rest(at + 35)?;
        if may_hold_record(text) {
            return None;
        }
        self.accesses(kind, &diagram, line.thread, self.place(line.start));
        Some((next, Some(OpenDiagram::at_column(kind, address_at))))
    }

    /// Reads `BR (address) state`, which is a note.
    #[inline(always)]
    fn quick_branch(&mut self, line: QuickLine<'_>) -> Option<usize> {
        let (text, next) = line.rest(line.type_at)?;
        if may_hold_record(text) {
            return None;
        }
        let event = TextEvent {
            thread: line.thread,
            kind: TextKind::Note,
            text,
            place: self.place(line.start),
        };
        self.sink.text(&event);
        Some(next)
    }
}

/// Fields of an instruction up to its state.
#[derive(Clone, Copy, Debug)]
struct QuickInstruction {
    address: u64,
    opcode: OpcodeField,
    state_at: usize,
    is_es: bool,
    is_executed: bool,
}

/// Encoding as written.
#[derive(Clone, Copy, Debug)]
struct OpcodeField {
    value: u32,
    /// Number of digits: 4 or 8.
    digits: u8,
}

/// Four ASCII zeros in the low half. Four digits shifted into the high half complete an eight-digit
/// number.
const FOUR_ZEROS: u64 = 0x3030_3030;
const EIGHT_ZEROS: u64 = FOUR_ZEROS << 32 | FOUR_ZEROS;

impl<'a> QuickLine<'a> {
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.block.get(at).copied().unwrap_or(b'\n')
    }

    #[inline(always)]
    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.block
            .get(at..at.checked_add(N)?)?
            .first_chunk()
            .copied()
    }

    #[inline(always)]
    fn skip_spaces(&self, start: usize) -> usize {
        let mut at = start;
        while self.byte(at) == b' ' {
            at += 1;
        }
        at
    }

    fn word_end(&self, start: usize) -> usize {
        let mut at = start;
        while is_word_byte(self.byte(at)) {
            at += 1;
        }
        at
    }

    /// Reads an address of 8 or 16 digits, and returns its end.
    #[inline(always)]
    fn address(&self, at: usize) -> Option<(u64, usize)> {
        let is_end = |at: usize| matches!(self.byte(at), b' ' | b':');
        let high = u64::from(hex_8(load_8(self.block, at))?);
        if is_end(at + 8) {
            return Some((high, at + 8));
        }
        let low = u64::from(hex_8(load_8(self.block, at + 8))?);
        is_end(at + 16).then_some((high << 32 | low, at + 16))
    }

    /// Skips `:physical` after an address of at least eight digits, if present. Returns the offset
    /// after it.
    #[inline(always)]
    fn physical(&self, at: usize) -> Option<usize> {
        if self.byte(at) != b':' {
            return Some(at);
        }
        // Fast Models writes twelve digits, mostly those of the address.
        let (high, low) = (load_8(self.block, at + 1), load_8(self.block, at + 5));
        let is_high = high as u32 == FOUR_ZEROS as u32 || hex_8(high).is_some();
        let is_low = low == load_8(self.block, at - 8) || hex_8(low).is_some();
        if is_high && is_low && self.byte(at + 13) == b' ' {
            return Some(at + 13);
        }
        let end = self.word_end(at + 1);
        (end > at + 1).then_some(end)
    }

    /// Reads `state mode :`, whose first bytes are `bytes`.
    #[cold]
    fn state(&self, at: usize, bytes: u128) -> Option<QuickState> {
        let set = match self.bytes(at)? {
            [b'O', b' '] => InstructionSet::A64,
            [b'A', b' '] => InstructionSet::A32,
            [b'T', b' '] => InstructionSet::T32,
            _ => return None,
        };
        let mode_end = self.word_end(at + 2);
        let colon_at = self.skip_spaces(mode_end);
        if mode_end == at + 2 || self.byte(colon_at) != b':' {
            return None;
        }
        let mode = Mode::of(self.block.get(at + 2..mode_end)?);
        let word = BytePrefix::new(bytes, colon_at + 1 - at);
        (word.length() > 0).then_some(QuickState { word, set, mode })
    }

    #[inline(always)]
    fn opcode(&self, at: usize) -> Option<(OpcodeField, usize)> {
        let bytes = load_8(self.block, at);
        if let Some(value) = hex_8(bytes) {
            return (!is_word_byte(self.byte(at + 8)))
                .then_some((OpcodeField { value, digits: 8 }, at + 8));
        }
        let value = hex_8(bytes << 32 | FOUR_ZEROS)?;
        (!is_word_byte(self.byte(at + 4))).then_some((OpcodeField { value, digits: 4 }, at + 4))
    }

    /// Reads a number of exactly `2 * size_bytes` digits (1, 2, 4 or 8 bytes), and returns its end.
    #[inline(always)]
    fn number(&self, at: usize, size_bytes: u8) -> Option<(u64, usize)> {
        let bytes = load_8(self.block, at);
        match size_bytes {
            8 => {
                // The upper half of a value is mostly zero, unless it is an address.
                let high = if bytes == EIGHT_ZEROS {
                    0
                } else {
                    u64::from(hex_8(bytes)?)
                };
                let at = at + 8 + usize::from(self.byte(at + 8) == b'_');
                let low = u64::from(hex_8(load_8(self.block, at))?);
                Some((high << 32 | low, at + 8))
            }
            4 => Some((hex_8(bytes)?.into(), at + 8)),
            2 => Some((hex_8(bytes << 32 | FOUR_ZEROS)?.into(), at + 4)),
            _ => Some((
                hex_8(bytes << 48 | FOUR_ZEROS << 16 | FOUR_ZEROS)?.into(),
                at + 2,
            )),
        }
    }

    /// Reads the value of a register, little-endian, if the line ends after it. Returns its size
    /// and the start of the next line.
    #[inline(always)]
    fn register_value(
        &self,
        at: usize,
        known: KnownRegister,
        bytes: &mut [u8; 16],
    ) -> Option<(usize, usize)> {
        let (low, high) = bytes.split_at_mut(8);
        match known.view.size_bytes {
            4 => {
                let (value, at) = self.number(at, 4)?;
                low.copy_from_slice(&value.to_le_bytes());
                let size = match known.kind {
                    ValueKind::Extended => 8,
                    ValueKind::Scalar => 16,
                    _ => 4,
                };
                Some((size, self.end(at)?))
            }
            8 => {
                let (value, at) = self.number(at, 8)?;
                low.copy_from_slice(&value.to_le_bytes());
                Some((
                    if known.kind == ValueKind::Scalar {
                        16
                    } else {
                        8
                    },
                    self.end(at)?,
                ))
            }
            16 => {
                let (upper, at) = self.number(at, 8)?;
                let at = at + usize::from(self.byte(at) == b'_');
                let (lower, at) = self.number(at, 8)?;
                high.copy_from_slice(&upper.to_le_bytes());
                low.copy_from_slice(&lower.to_le_bytes());
                Some((16, self.end(at)?))
            }
            _ => None,
        }
    }

    /// Returns the start of the next line if this one ends here.
    #[inline(always)]
    fn end(&self, at: usize) -> Option<usize> {
        match self.bytes(at)? {
            [b'\n', _] => Some(self.start + at + 1),
            [b'\r', b'\n'] => Some(self.start + at + 2),
            _ => None,
        }
    }

    /// Returns the rest of the line and the start of the next one.
    #[inline(always)]
    fn rest(&self, at: usize) -> Option<(&'a [u8], usize)> {
        let rest = self.text.get(self.start + at..)?;
        let length = memchr::memchr(b'\n', rest)?;
        let text = crate::text::window::without_return(rest.get(..length)?);
        (at + length <= self.limit).then_some((text, self.start + at + length + 1))
    }
}
