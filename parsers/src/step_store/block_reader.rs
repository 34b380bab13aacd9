//! Decoder of blocks (see `block.rs` for the format). It passes the records of a block, or of the
//! blocks of a frame, to a [`BlockVisitor`], which can stop it.

use std::ops::{ControlFlow, Range};

use stepback_machine::{AccessKind, Encoding, InstructionSet, Mode, RegisterView};

use crate::events::TextKind;
use crate::marker::{Marker, MarkerKind};
use crate::step_store::block::{
    BlockBytes, BlockDamage, HAS_TARGET, HINT, HINT_ELSEWHERE, IS_INLINE, IS_NEXT, IS_USUAL, ITEMS,
    MARKER, MARKER_RUN, MODE, NOTE, NOTES, PROBLEM, READ, READ_ELSEWHERE, RECORDS, REGISTER,
    SIZED_MARKER, STEP, STEP_TIME, THREAD, TIME, UNKNOWN_REGISTER, VALUED_READ, VALUED_WRITE,
    WRITE, WRITE_ELSEWHERE, open,
};
use crate::step_store::code::{
    Code, Codes, EffectShape, ShapeAccess, ShapeRegister, branch_of_number, view_of_number,
};
use crate::step_store::frame::{BLOCKS, Frame};
use crate::step_store::numbers::{
    AddressPredictor, NumberReader, PADDING, ValuePredictor, mode_of_number,
};
use crate::step_store::record::{
    StepStatus, StoredAccess, StoredHint, StoredMarker, StoredRegister,
};

/// Receives the records of a block.
pub trait BlockVisitor {
    /// Sets the thread of the following records, and the latest timestamp of that thread.
    fn thread(&mut self, thread: u16, time: Option<u64>);
    /// Begins the next item.
    fn step(&mut self, code: &Code, target: Option<u64>);
    /// Receives an access by the thread's last step, or by the instruction at its `pc`, which is no
    /// step.
    fn access(&mut self, access: StoredAccess);
    /// Receives a run of equal markers.
    fn marker(&mut self, marker: StoredMarker);
    /// Receives a prefetch or flush by the thread's last step, or by the instruction at its `pc`,
    /// which is no step.
    fn hint(&mut self, hint: StoredHint);
    /// Reports a part of the trace that could not be read.
    fn problem(&mut self, message: String);
    /// Receives an access by the thread's last step with the value that it moved, at most 8 bytes
    /// as a number.
    fn valued_access(&mut self, access: StoredAccess, _value: u64) {
        self.access(access);
    }
    /// Receives the new value of a register.
    fn register(&mut self, _register: StoredRegister) {}
    /// Sets the time of the following records, in formats without timestamp markers.
    fn time(&mut self, _time: u64) {}
    /// Sets the mode that gives plain register names their meaning; a change of thread resets it to
    /// [`Mode::Other`].
    fn mode(&mut self, _mode: Mode) {}
    /// Receives text from the trace.
    fn note(&mut self, _kind: TextKind, _text: String) {}
    /// Sets the number of trace records of the item, including the one of its step. Only for
    /// formats that number all their records.
    fn records(&mut self, _count: u64) {}
    /// Returns true when the rest of the block is not needed. Called before each step.
    fn is_done(&self) -> bool {
        false
    }
}

/// Decodes a block until the visitor is done. `codes` are the codes that the block refers to by
/// number.
pub fn read_block<V: BlockVisitor>(
    block: BlockBytes<'_>,
    codes: &Codes,
    visitor: &mut V,
) -> Result<(), BlockDamage> {
    let (head, reader) = open(block)?;
    let mut run = BlockReader {
        reader,
        base_time: head.base_time,
        code: head.code,
        addresses: head.addresses,
        values: ValuePredictor::default(),
        codes,
    };
    while !run.reader.is_at_end() {
        let op = run.reader.byte();
        if op & STEP == 0 {
            run.other(op, visitor)?;
        } else if visitor.is_done() {
            return Ok(());
        } else {
            run.step(op, visitor)?;
        }
    }
    if run.reader.is_sound() {
        Ok(())
    } else {
        Err(BlockDamage)
    }
}

struct BlockReader<'a> {
    reader: NumberReader<'a>,
    base_time: u64,
    code: u32,
    addresses: AddressPredictor,
    values: ValuePredictor,
    codes: &'a Codes,
}

impl BlockReader<'_> {
    #[inline(always)]
    fn step<V: BlockVisitor>(&mut self, op: u8, visitor: &mut V) -> Result<(), BlockDamage> {
        let inline;
        let codes = self.codes;
        let code = if op & IS_INLINE == 0 {
            let next = self.code.wrapping_add(1);
            self.code = if op & IS_NEXT != 0 {
                next
            } else {
                self.reader.difference(u64::from(next)) as u32
            };
            codes.get(self.code).ok_or(BlockDamage)?
        } else {
            inline = self.inline()?;
            &inline
        };
        let target = (op & HAS_TARGET != 0).then(|| self.reader.difference(code.pc));
        visitor.step(code, target);
        if op & IS_USUAL != 0 {
            self.usual(&code.shape, visitor);
        }
        Ok(())
    }

    #[inline(always)]
    fn usual<V: BlockVisitor>(&mut self, shape: &EffectShape, visitor: &mut V) {
        if shape.has_values() {
            self.usual_values(shape, visitor);
        } else {
            for ShapeAccess {
                kind, size_bytes, ..
            } in shape.accesses()
            {
                let address = self.addresses.read(&mut self.reader);
                visitor.access(StoredAccess {
                    kind,
                    size_bytes,
                    address,
                    pc: None,
                });
            }
        }
        if shape.records > 0 {
            visitor.records(u64::from(shape.records));
        }
    }

    fn usual_values<V: BlockVisitor>(&mut self, shape: &EffectShape, visitor: &mut V) {
        for ShapeAccess {
            kind,
            size_bytes,
            has_value,
        } in shape.accesses()
        {
            let address = self.addresses.read(&mut self.reader);
            let access = StoredAccess {
                kind,
                size_bytes,
                address,
                pc: None,
            };
            if has_value {
                visitor.valued_access(access, self.values.read_memory(&mut self.reader));
            } else {
                visitor.access(access);
            }
        }
        for ShapeRegister { view, has_value } in shape.registers() {
            let value = has_value.then(|| self.value(view));
            visitor.register(StoredRegister { view, value });
        }
    }

    #[inline(always)]
    fn value(&mut self, view: RegisterView) -> u128 {
        let low = self.values.read_register(view.register.0, &mut self.reader);
        let high = if view.size_bytes > 8 {
            self.reader.number()
        } else {
            0
        };
        u128::from(high) << 64 | u128::from(low)
    }

    fn inline(&mut self) -> Result<Code, BlockDamage> {
        let (pc, branch, set) = (self.reader.number(), self.reader.byte(), self.reader.byte());
        let length_bytes = self.reader.number() as u16;
        let count = self.reader.byte();
        let bytes: Vec<u8> = (0..count).map(|_| self.reader.byte()).collect();
        let branch = branch_of_number(branch).ok_or(BlockDamage)?;
        let set = InstructionSet::of_number(set).ok_or(BlockDamage)?;
        let reached = StepStatus::of_number(self.reader.byte()).ok_or(BlockDamage)?;
        Ok(Code {
            pc,
            encoding: Encoding::new(&bytes),
            branch,
            set,
            length_bytes,
            reached,
            shape: EffectShape::UNSET,
        })
    }

    fn other<V: BlockVisitor>(&mut self, op: u8, visitor: &mut V) -> Result<(), BlockDamage> {
        match op {
            THREAD => {
                let thread = self.reader.number() as u16;
                let has_time = self.reader.byte() != 0;
                visitor.thread(
                    thread,
                    has_time.then(|| self.reader.difference(self.base_time)),
                );
            }
            READ | WRITE | READ_ELSEWHERE | WRITE_ELSEWHERE => {
                let size_bytes = self.reader.number() as u16;
                let address = self.addresses.read(&mut self.reader);
                let pc = (op >= READ_ELSEWHERE).then(|| self.reader.number());
                let is_write = matches!(op, WRITE | WRITE_ELSEWHERE);
                let kind = if is_write {
                    AccessKind::Write
                } else {
                    AccessKind::Read
                };
                visitor.access(StoredAccess {
                    kind,
                    size_bytes,
                    address,
                    pc,
                });
            }
            MARKER | SIZED_MARKER | MARKER_RUN => {
                let marker = Marker {
                    kind: MarkerKind(self.reader.number() as u16),
                    value: self.reader.number(),
                };
                let more = if op == MARKER {
                    0
                } else {
                    self.reader.number()
                };
                let (size_bytes, count) = if op == MARKER_RUN {
                    (0, more)
                } else {
                    (more, 1)
                };
                visitor.marker(StoredMarker {
                    marker,
                    size_bytes,
                    count,
                });
            }
            TIME => {
                let value = self.reader.difference(self.base_time);
                let marker = Marker {
                    kind: MarkerKind::TIMESTAMP,
                    value,
                };
                visitor.marker(StoredMarker {
                    marker,
                    size_bytes: 0,
                    count: 1,
                });
            }
            HINT | HINT_ELSEWHERE => {
                let marker = Marker {
                    kind: MarkerKind(self.reader.number() as u16),
                    value: self.reader.number(),
                };
                let size_bytes = self.reader.number();
                let pc = (op == HINT_ELSEWHERE).then(|| self.reader.number());
                visitor.hint(StoredHint {
                    marker,
                    size_bytes,
                    pc,
                });
            }
            PROBLEM => visitor.problem(self.reader.text()),
            VALUED_READ | VALUED_WRITE => {
                let size_bytes = self.reader.number() as u16;
                let address = self.addresses.read(&mut self.reader);
                let kind = if op == VALUED_WRITE {
                    AccessKind::Write
                } else {
                    AccessKind::Read
                };
                let value = self.values.read_memory(&mut self.reader);
                visitor.valued_access(
                    StoredAccess {
                        kind,
                        size_bytes,
                        address,
                        pc: None,
                    },
                    value,
                );
            }
            REGISTER | UNKNOWN_REGISTER => {
                let view = view_of_number(self.reader.number() as u32);
                let value = (op == REGISTER).then(|| self.value(view));
                visitor.register(StoredRegister { view, value });
            }
            MODE => visitor.mode(mode_of_number(self.reader.number()).ok_or(BlockDamage)?),
            NOTE => {
                let kind = *NOTES
                    .get(usize::from(self.reader.byte()))
                    .ok_or(BlockDamage)?;
                visitor.note(kind, self.reader.text());
            }
            RECORDS => visitor.records(self.reader.number()),
            STEP_TIME => visitor.time(self.reader.difference(self.base_time)),
            _ => return Err(BlockDamage),
        }
        Ok(())
    }
}

/// Visit of a range of blocks.
pub struct BlockVisit<'a, V, G> {
    /// Blocks to visit, by number.
    pub blocks: Range<u64>,
    /// Buffer that is reused.
    pub buffer: &'a mut Vec<u8>,
    /// Visitor that receives the records.
    pub visitor: &'a mut V,
    /// Called after each block with the items up to its end; false ends the visit.
    pub goes_on: G,
}

/// Error: this block does not contain the bytes that were written.
#[derive(Clone, Copy, Debug)]
pub struct DamagedBlock(pub u64);

impl<V: BlockVisitor, G: FnMut(&mut V, u64) -> bool> BlockVisit<'_, V, G> {
    /// Visits the wanted blocks of a frame.
    pub fn frame(
        &mut self,
        number: u64,
        frame: Frame<'_>,
        codes: &Codes,
    ) -> Result<ControlFlow<()>, DamagedBlock> {
        let mut contents = frame.blocks();
        for number in number * BLOCKS..self.blocks.end.min((number + 1) * BLOCKS) {
            let content = contents.next().ok_or(DamagedBlock(number))?;
            if number < self.blocks.start {
                continue;
            }
            let block = padded(number, content, self.buffer);
            read_block(block, codes, self.visitor).map_err(|BlockDamage| DamagedBlock(number))?;
            if !(self.goes_on)(self.visitor, (number + 1) * ITEMS) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Copies a block and appends the zeros that its reader needs.
pub fn padded<'a>(number: u64, content: &[u8], out: &'a mut Vec<u8>) -> BlockBytes<'a> {
    out.clear();
    out.extend_from_slice(content);
    out.extend_from_slice(&[0; PADDING]);
    BlockBytes {
        number,
        padded: out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step_store::block::{BlockHead, head};
    use crate::step_store::block_writer::{BlockWriter, WrittenStep};
    use crate::step_store::numbers::PADDING;

    /// Visitor that stops after `wanted` steps.
    #[derive(Default)]
    struct Few {
        wanted: u32,
        steps: u32,
        accesses: u32,
    }

    impl BlockVisitor for Few {
        fn thread(&mut self, _thread: u16, _time: Option<u64>) {}
        fn step(&mut self, _code: &Code, _target: Option<u64>) {
            self.steps += 1;
        }
        fn access(&mut self, _access: StoredAccess) {
            self.accesses += 1;
        }
        fn marker(&mut self, _marker: StoredMarker) {}
        fn hint(&mut self, _hint: StoredHint) {}
        fn problem(&mut self, _message: String) {}
        fn is_done(&self) -> bool {
            self.steps == self.wanted
        }
    }

    #[test]
    fn a_block_is_read_up_to_the_step_after_the_wanted_ones() {
        let code = Code {
            pc: 0x1000,
            encoding: None,
            branch: stepback_machine::flow::RecordedBranch::None,
            set: InstructionSet::X86_64,
            length_bytes: 1,
            reached: StepStatus::PLAINLY,
            shape: EffectShape::UNSET,
        };
        let mut writer = BlockWriter::default();
        writer.begin(BlockHead::default());
        for address in 0..9 {
            writer.step(&WrittenStep {
                number: None,
                code: &code,
                usual: None,
                target: None,
            });
            writer.access(StoredAccess {
                kind: AccessKind::Read,
                size_bytes: 1,
                address,
                pc: None,
            });
        }
        let block = [writer.end(), &[0; PADDING]].concat();
        for wanted in [0, 1, 5, 9, 20] {
            let mut few = Few {
                wanted,
                ..Few::default()
            };
            read_block(
                BlockBytes {
                    number: 0,
                    padded: &block,
                },
                &Codes::default(),
                &mut few,
            )
            .unwrap();
            assert_eq!((few.steps, few.accesses), (wanted.min(9), wanted.min(9)));
        }
    }

    #[test]
    fn a_block_in_the_place_of_another_is_damage() {
        let mut writer = BlockWriter::default();
        let begin = BlockHead {
            records_before: 7,
            base_time: 9,
            code: 0,
            addresses: AddressPredictor::default(),
        };
        let mut block = || {
            writer.begin(begin);
            [writer.end(), &[0; PADDING]].concat()
        };
        let blocks = [block(), block()];
        let is_whole = |number: usize, place: u64| {
            head(BlockBytes {
                number: place,
                padded: &blocks[number],
            })
            .is_ok()
        };
        assert_eq!(
            [
                is_whole(0, 0),
                is_whole(1, 1),
                is_whole(0, 1),
                is_whole(1, 0)
            ],
            [true, true, false, false]
        );
    }
}
