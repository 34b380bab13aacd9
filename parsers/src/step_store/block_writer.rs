//! Block encoder (see `block.rs` for the format).

use stepback_machine::{AccessKind, Mode, RegisterView};

use crate::events::TextKind;
use crate::marker::MarkerKind;
use crate::problem::ProblemKind;
use crate::step_store::block::{
    BlockHead, HAS_TARGET, HINT, HINT_ELSEWHERE, IS_INLINE, IS_NEXT, IS_USUAL, MARKER, MARKER_RUN,
    MODE, NOTE, NOTES, PROBLEM, READ, READ_ELSEWHERE, RECORDS, REGISTER, SIZED_MARKER, STEP,
    STEP_TIME, THREAD, TIME, UNKNOWN_REGISTER, VALUED_READ, VALUED_WRITE, WRITE, WRITE_ELSEWHERE,
    checksum,
};
use crate::step_store::code::{Code, EffectShape, ShapeAccess, number_of_branch, number_of_view};
use crate::step_store::numbers::{AddressPredictor, NumberWriter, ValuePredictor, number_of_mode};
use crate::step_store::record::{StoredAccess, StoredHint, StoredMarker, StoredRegister};

/// Encodes blocks, one after the other, into one buffer.
#[derive(Debug, Default)]
pub struct BlockWriter {
    out: NumberWriter,
    /// Number of the current block.
    number: u64,
    base_time: u64,
    code: u32,
    addresses: AddressPredictor,
    values: ValuePredictor,
}

/// Step to be encoded.
#[derive(Clone, Copy, Debug)]
pub struct WrittenStep<'a> {
    /// Index in the code table; `None` if the table has no room for the code.
    pub number: Option<u32>,
    /// Code of the step.
    pub code: &'a Code,
    /// Values for the effects of the code's shape; `None` if the step's effects differ from it.
    pub usual: Option<ShapeValues<'a>>,
    /// Target of the step.
    pub target: Option<u64>,
}

/// Values that differ between two executions of an instruction with equal effects.
#[derive(Clone, Copy, Debug)]
pub struct ShapeValues<'a> {
    /// Addresses of the accesses.
    pub addresses: &'a [u64],
    /// Values of the accesses, by index; unused for accesses without a value.
    pub loaded: &'a [u64],
    /// Values of the register writes.
    pub registers: &'a [u128],
}

impl BlockWriter {
    /// Creates an encoder whose first block has this number.
    pub fn from_block(number: u64) -> Self {
        Self {
            number,
            ..Self::default()
        }
    }

    /// Begins a block.
    pub fn begin(&mut self, head: BlockHead) {
        self.out.bytes.clear();
        self.out.bytes.extend_from_slice(&[0; 4]);
        self.out.number(head.records_before);
        self.out.number(head.base_time);
        self.out.number(u64::from(head.code));
        head.addresses.save(&mut self.out);
        (self.base_time, self.code, self.addresses) = (head.base_time, head.code, head.addresses);
        self.values = ValuePredictor::default();
    }

    /// Ends the block and returns its bytes.
    pub fn end(&mut self) -> &[u8] {
        let checksum = checksum(self.out.bytes.get(4..).unwrap_or_default(), self.number);
        self.number += 1;
        if let Some(place) = self.out.bytes.first_chunk_mut() {
            *place = checksum.to_le_bytes();
        }
        &self.out.bytes
    }

    /// Returns the length of the block until now, in bytes.
    pub fn len(&self) -> usize {
        self.out.bytes.len()
    }

    /// Returns the state that the head of the next block needs.
    pub fn state(&self) -> (u32, AddressPredictor) {
        (self.code, self.addresses)
    }

    /// Sets the thread of the following records, and the latest timestamp of that thread.
    pub fn thread(&mut self, thread: u16, time: Option<u64>) {
        self.out.byte(THREAD);
        self.out.number(u64::from(thread));
        self.out.byte(u8::from(time.is_some()));
        if let Some(time) = time {
            self.out.difference(time, self.base_time);
        }
    }

    /// Begins a step.
    #[inline(always)]
    pub fn step(&mut self, step: &WrittenStep<'_>) {
        let next = self.code.wrapping_add(1);
        let is_next = step.number == Some(next);
        let tag = STEP
            | (IS_NEXT * u8::from(is_next))
            | (IS_USUAL * u8::from(step.usual.is_some()))
            | (HAS_TARGET * u8::from(step.target.is_some()))
            | (IS_INLINE * u8::from(step.number.is_none()));
        self.out.byte(tag);
        match step.number {
            Some(number) => {
                if !is_next {
                    self.out.difference(u64::from(number), u64::from(next));
                }
                self.code = number;
            }
            None => self.inline(step.code),
        }
        if let Some(target) = step.target {
            self.out.difference(target, step.code.pc);
        }
        if let Some(usual) = step.usual {
            self.usual(&step.code.shape, usual);
        }
    }

    #[inline(always)]
    fn usual(&mut self, shape: &EffectShape, usual: ShapeValues<'_>) {
        if shape.has_values() {
            self.usual_values(shape, usual);
        } else {
            usual
                .addresses
                .iter()
                .for_each(|address| self.addresses.write(*address, &mut self.out));
        }
    }

    fn usual_values(&mut self, shape: &EffectShape, usual: ShapeValues<'_>) {
        for ((access, address), loaded) in shape.accesses().zip(usual.addresses).zip(usual.loaded) {
            self.addresses.write(*address, &mut self.out);
            if access.has_value {
                self.values.write_memory(*loaded, &mut self.out);
            }
        }
        for (register, value) in shape.registers().zip(usual.registers) {
            if register.has_value {
                self.value(register.view, *value);
            }
        }
    }

    #[inline(always)]
    fn value(&mut self, view: RegisterView, value: u128) {
        self.values
            .write_register(view.register.0, value as u64, &mut self.out);
        if view.size_bytes > 8 {
            self.out.number((value >> 64) as u64);
        }
    }

    /// Adds a register write that is not in the shape of the step's code.
    pub fn register(&mut self, register: StoredRegister) {
        let StoredRegister { view, value } = register;
        self.out.byte(if value.is_some() {
            REGISTER
        } else {
            UNKNOWN_REGISTER
        });
        self.out.number(u64::from(number_of_view(view)));
        if let Some(value) = value {
            self.value(view, value);
        }
    }

    /// Adds an access with its value that is not in the shape of the step's code.
    pub fn valued_access(&mut self, access: ShapeAccess, address: u64, value: u64) {
        self.out.byte(if access.kind == AccessKind::Read {
            VALUED_READ
        } else {
            VALUED_WRITE
        });
        self.out.number(u64::from(access.size_bytes));
        self.addresses.write(address, &mut self.out);
        self.values.write_memory(value, &mut self.out);
    }

    /// Sets the mode that gives plain register names their meaning.
    pub fn mode(&mut self, mode: Mode) {
        self.out.byte(MODE);
        self.out.number(number_of_mode(mode));
    }

    /// Adds text from the trace.
    pub fn note(&mut self, kind: TextKind, text: &str) {
        self.out.byte(NOTE);
        self.out.byte(
            NOTES
                .iter()
                .position(|known| *known == kind)
                .unwrap_or_default() as u8,
        );
        self.out.text(text);
    }

    /// Sets the number of trace records of the item, including the one of its step.
    pub fn records(&mut self, count: u64) {
        self.out.byte(RECORDS);
        self.out.number(count);
    }

    fn inline(&mut self, code: &Code) {
        self.out.number(code.pc);
        self.out.byte(number_of_branch(code.branch));
        self.out.byte(code.set as u8);
        self.out.number(u64::from(code.length_bytes));
        let encoding = code.encoding.unwrap_or_default();
        self.out.byte(encoding.bytes().len() as u8);
        self.out.bytes.extend_from_slice(encoding.bytes());
        self.out.byte(code.reached.number());
    }

    /// Adds an access that is not in the shape of the step's code. Its `pc` is the address of an
    /// instruction that is no step.
    pub fn access(&mut self, access: StoredAccess) {
        let StoredAccess {
            kind,
            size_bytes,
            address,
            pc,
        } = access;
        self.out.byte(match (kind, pc) {
            (AccessKind::Read, None) => READ,
            (AccessKind::Write, None) => WRITE,
            (AccessKind::Read, Some(_)) => READ_ELSEWHERE,
            (AccessKind::Write, Some(_)) => WRITE_ELSEWHERE,
        });
        self.out.number(u64::from(size_bytes));
        self.addresses.write(address, &mut self.out);
        if let Some(pc) = pc {
            self.out.number(pc);
        }
    }

    /// Adds a prefetch or a flush. Its `pc` is the address of an instruction that is no step.
    pub fn hint(&mut self, hint: StoredHint) {
        let StoredHint {
            marker,
            size_bytes,
            pc,
        } = hint;
        self.out
            .byte(if pc.is_some() { HINT_ELSEWHERE } else { HINT });
        self.out.number(u64::from(marker.kind.0));
        self.out.number(marker.value);
        self.out.number(size_bytes);
        if let Some(pc) = pc {
            self.out.number(pc);
        }
    }

    /// Adds a run of equal markers.
    pub fn marker(&mut self, stored: StoredMarker) {
        let StoredMarker {
            marker,
            size_bytes,
            count,
        } = stored;
        if marker.kind == MarkerKind::TIMESTAMP && count == 1 {
            self.out.byte(TIME);
            self.out.difference(marker.value, self.base_time);
            return;
        }
        self.out.byte(match (size_bytes, count) {
            (0, 1) => MARKER,
            (_, 1) => SIZED_MARKER,
            _ => MARKER_RUN,
        });
        self.out.number(u64::from(marker.kind.0));
        self.out.number(marker.value);
        match (size_bytes, count) {
            (0, 1) => {}
            (size_bytes, 1) => self.out.number(size_bytes),
            _ => self.out.number(count),
        }
    }

    /// Sets the time of the following records; emits no event.
    #[inline]
    pub fn time(&mut self, time: u64) {
        self.out.byte(STEP_TIME);
        self.out.difference(time, self.base_time);
    }

    /// Adds a problem: a part of the trace that could not be read.
    pub fn problem(&mut self, problem: &ProblemKind) {
        self.out.byte(PROBLEM);
        self.out.text(&problem.to_string());
    }
}
