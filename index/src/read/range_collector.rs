//! Collects what the steps of a thread read before they wrote it, and what they wrote.

use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::semantics::RegisterUse;
use stepback_machine::{AccessKind, Address, Mode, RegisterId, RegisterView, decode};
use stepback_parsers::{EventSink, MemoryAccess, Position, RegisterWrite, StepEvent, ThreadNumber};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::difference::{MemoryInput, MemoryOutput, RangeEffects, RegisterEffect};
use crate::index::Index;
use crate::read::byte_set::ByteSet;
use crate::read::encodings::encoding_of;
use crate::read::slots::ParserNames;
use crate::store::granules::{BlockSpan, GRANULE_BITS, granules_of, runs_of};

/// Follows the steps of a thread. Memory: about 350 bytes for each block of 64 bytes, up to `limit`
/// blocks, and more for blocks with bytes used in many separate runs.
pub(crate) struct RangeCollector<'a> {
    index: &'a Index,
    thread: ThreadId,
    names: ParserNames,
    slot: u64,
    registers: HashMap<RegisterId, RegisterUsage>,
    blocks: HashMap<u64, BlockUsage>,
    limit: usize,
    /// Writes of the current step: the next step sees them.
    written_registers: Vec<RegisterWritten>,
    written_memory: Vec<MemoryWritten>,
    effects: RangeEffects,
}

/// Reads and writes of a register.
#[derive(Clone, Copy, Debug)]
struct RegisterUsage {
    /// Identity of the register.
    cell: RegisterId,
    /// Name used by the step that used it first.
    plain: RegisterId,
    read: ByteSet,
    written: ByteSet,
    /// Slots of the first read that counts, and of the last write.
    first_read: u64,
    last_write: u64,
}

/// Reads and writes of a block of memory, a bit per byte.
#[derive(Debug, Default)]
struct BlockUsage {
    read: u64,
    /// Read bytes with a known value.
    known: u64,
    written: u64,
    values: Option<Box<[u8; 64]>>,
    /// Runs of bytes that were read, each with the slot of the first read.
    first_reads: Vec<BytesAt>,
    /// Runs of bytes that were written, each with the slot of the last write.
    last_writes: Vec<BytesAt>,
}

/// A run of bytes of a block, a bit each, and a slot.
#[derive(Clone, Copy, Debug)]
struct BytesAt {
    bytes: u64,
    slot: u64,
}

/// Adds bytes to runs. Runs that meet are merged, with the slot that `choose` selects.
fn add_bytes(
    runs: &mut Vec<BytesAt>,
    BytesAt { bytes, slot }: BytesAt,
    choose: fn(u64, u64) -> u64,
) {
    for BlockSpan { first, len } in runs_of(bytes) {
        let mut new = BytesAt {
            bytes: (u64::MAX >> (64 - len)) << first,
            slot,
        };
        let near = new.bytes | new.bytes << 1 | new.bytes >> 1;
        runs.retain(|known| {
            let is_apart = known.bytes & near == 0;
            if !is_apart {
                new = BytesAt {
                    bytes: new.bytes | known.bytes,
                    slot: choose(new.slot, known.slot),
                };
            }
            is_apart
        });
        runs.push(new);
    }
}

/// Returns the slot of a byte.
fn slot_of(byte: usize, known: &[BytesAt]) -> Position {
    let found = known.iter().find(|known| known.bytes >> byte & 1 != 0);
    Position(found.map_or(0, |found| found.slot))
}

/// Memory that a step wrote.
#[derive(Clone, Copy, Debug)]
struct MemoryWritten {
    range: MemoryRange,
    slot: u64,
}

/// A register that a step wrote.
#[derive(Clone, Copy, Debug)]
struct RegisterWritten {
    cell: RegisterId,
    view: RegisterView,
    slot: u64,
}

/// Number of writes at which those of a step are applied early: later reads of the step then count
/// as reads of its own writes.
const WRITES: usize = 1 << 16;

impl<'a> RangeCollector<'a> {
    /// Creates an empty collector.
    pub fn new(index: &'a Index, thread: ThreadId, limit: usize) -> Self {
        let effects = RangeEffects {
            thread,
            ..RangeEffects::default()
        };
        Self {
            index,
            thread,
            names: ParserNames::default(),
            slot: 0,
            registers: HashMap::default(),
            blocks: HashMap::default(),
            limit,
            written_registers: Vec::new(),
            written_memory: Vec::new(),
            effects,
        }
    }

    /// Begins a run of the parser at the step of a slot: the parser assigns new numbers.
    pub fn begin_run(&mut self, first: u64) {
        self.names.clear();
        self.slot = first.saturating_sub(1);
    }

    /// Returns the slot of the last step that was read.
    pub fn slot(&self) -> u64 {
        self.slot
    }

    fn is_own(&self, thread: ThreadNumber) -> bool {
        self.names.thread(thread) == self.thread
    }

    fn read_register(&mut self, cell: RegisterId, view: RegisterView) {
        let used = used_of(&mut self.registers, cell, view);
        let (before, found) = (used.read, bytes_of(view).without(used.written));
        used.read.add(found);
        if before == ByteSet::default() && used.read != before {
            used.first_read = self.slot;
        }
    }

    fn write_register(&mut self, cell: RegisterId, view: RegisterView) {
        self.written_registers.push(RegisterWritten {
            cell,
            view,
            slot: self.slot,
        });
        if self.written_registers.len() >= WRITES {
            self.end_step();
        }
    }

    fn read_memory(&mut self, access: &MemoryAccess) {
        let mut place = 0usize;
        for (granule, mask) in granules_of(access.address, u64::from(access.size_bytes)) {
            let Some(block) = block_of(&mut self.blocks, granule, self.limit) else {
                self.effects.left_out += 1;
                return;
            };
            let taken = mask & !block.written;
            add_bytes(
                &mut block.first_reads,
                BytesAt {
                    bytes: taken & !block.read,
                    slot: self.slot,
                },
                u64::min,
            );
            block.read |= taken;
            for byte in (0..64).filter(|byte| mask >> byte & 1 != 0) {
                let stated = access.bytes.and_then(|bytes| bytes.get(place).copied());
                place += 1;
                let is_new = taken & !block.known & 1 << byte != 0;
                if let Some(stated) = stated.filter(|_| is_new) {
                    block.known |= 1 << byte;
                    if let Some(value) = block
                        .values
                        .get_or_insert_with(|| Box::new([0; 64]))
                        .get_mut(byte)
                    {
                        *value = stated;
                    }
                }
            }
        }
    }

    fn write_memory(&mut self, range: MemoryRange) {
        self.written_memory.push(MemoryWritten {
            range,
            slot: self.slot,
        });
        if self.written_memory.len() >= WRITES {
            self.end_step();
        }
    }

    /// Applies the writes of the current step, so that later steps see them.
    fn end_step(&mut self) {
        for RegisterWritten { cell, view, slot } in self.written_registers.drain(..) {
            let used = used_of(&mut self.registers, cell, view);
            used.written.add(bytes_of(view));
            used.last_write = slot;
        }
        for MemoryWritten { range, slot } in self.written_memory.drain(..) {
            for (granule, bytes) in granules_of(range.address, range.len_bytes) {
                let Some(block) = block_of(&mut self.blocks, granule, self.limit) else {
                    self.effects.left_out += 1;
                    break;
                };
                block.written |= bytes;
                add_bytes(&mut block.last_writes, BytesAt { bytes, slot }, u64::max);
            }
        }
    }

    /// Returns the collected effects.
    pub fn finish(mut self) -> RangeEffects {
        self.end_step();
        let mut registers: Vec<RegisterUsage> = self.registers.into_values().collect();
        registers.sort_unstable_by_key(|used| used.plain);
        let effects = |of: fn(&RegisterUsage) -> (ByteSet, u64)| {
            let effects = |used: &RegisterUsage| {
                let (register, cell, (bytes, slot)) = (used.plain, used.cell, of(used));
                let view = move |run: Range<u16>| {
                    RegisterView::new(register, run.start, run.end - run.start)
                };
                bytes.runs().map(move |run| RegisterEffect {
                    view: view(run),
                    at: Position(slot),
                    cell,
                })
            };
            let mut effects: Vec<RegisterEffect> = registers.iter().flat_map(effects).collect();
            effects.sort_unstable();
            effects
        };
        let register_inputs = effects(|used| (used.read, used.first_read));
        let register_outputs = effects(|used| (used.written, used.last_write));
        let mut blocks: Vec<(u64, BlockUsage)> = self.blocks.into_iter().collect();
        blocks.sort_unstable_by_key(|(granule, _)| *granule);
        let (mut memory_inputs, mut memory_outputs) =
            (Vec::<MemoryInput>::new(), Vec::<MemoryOutput>::new());
        for (granule, block) in &blocks {
            for byte in 0..64usize {
                let address = Address((granule << GRANULE_BITS) + byte as u64);
                if block.read >> byte & 1 != 0 {
                    let stated = block
                        .values
                        .as_ref()
                        .and_then(|values| values.get(byte).copied());
                    let stated = stated.filter(|_| block.known >> byte & 1 != 0);
                    add_input(
                        &mut memory_inputs,
                        address,
                        stated,
                        slot_of(byte, &block.first_reads),
                    );
                }
                if block.written >> byte & 1 != 0 {
                    add_output(
                        &mut memory_outputs,
                        address,
                        slot_of(byte, &block.last_writes),
                    );
                }
            }
        }
        RangeEffects {
            register_inputs,
            register_outputs,
            memory_inputs,
            memory_outputs,
            ..self.effects
        }
    }

    /// Takes the operands of a step.
    fn take_operands(&mut self, registers: &RegisterUse, mode: Mode) {
        for view in &registers.reads {
            self.read_register(cell_of(view.register, mode), *view);
        }
        for view in &registers.writes {
            self.write_register(cell_of(view.register, mode), *view);
        }
    }
}

/// Returns the identity of a register: its name, and on a processor with windows the cell of the
/// name. Banks of one name are one: those used by an exception within the range are not
/// distinguished.
fn cell_of(register: RegisterId, mode: Mode) -> RegisterId {
    if mode.has_windows() {
        mode.home(register)
    } else {
        register
    }
}

fn bytes_of(view: RegisterView) -> ByteSet {
    ByteSet::of(view.offset..view.offset.saturating_add(view.size_bytes))
}

fn used_of(
    registers: &mut HashMap<RegisterId, RegisterUsage>,
    cell: RegisterId,
    view: RegisterView,
) -> &mut RegisterUsage {
    let (read, written, first_read, last_write) = Default::default();
    registers.entry(cell).or_insert(RegisterUsage {
        cell,
        plain: view.register,
        read,
        written,
        first_read,
        last_write,
    })
}

/// Returns the block; none if it would exceed the limit.
fn block_of(
    blocks: &mut HashMap<u64, BlockUsage>,
    granule: u64,
    limit: usize,
) -> Option<&mut BlockUsage> {
    let has_room = blocks.len() < limit;
    match blocks.entry(granule) {
        std::collections::hash_map::Entry::Occupied(known) => Some(known.into_mut()),
        std::collections::hash_map::Entry::Vacant(free) => {
            has_room.then(|| free.insert(BlockUsage::default()))
        }
    }
}

fn add_input(inputs: &mut Vec<MemoryInput>, address: Address, value: Option<u8>, at: Position) {
    let after = |input: &MemoryInput| input.address.0.checked_add(input.bytes.len() as u64);
    match inputs
        .last_mut()
        .filter(|last| after(last) == Some(address.0))
    {
        Some(last) => {
            last.bytes.push(value);
            last.at = last.at.min(at);
        }
        None => inputs.push(MemoryInput {
            address,
            bytes: vec![value],
            at,
        }),
    }
}

fn add_output(outputs: &mut Vec<MemoryOutput>, address: Address, at: Position) {
    let after = |output: &MemoryOutput| output.range.address.0.checked_add(output.range.len_bytes);
    match outputs
        .last_mut()
        .filter(|last| after(last) == Some(address.0))
    {
        Some(last) => {
            last.range.len_bytes += 1;
            last.at = last.at.max(at);
        }
        None => outputs.push(MemoryOutput {
            range: MemoryRange {
                address,
                len_bytes: 1,
            },
            at,
        }),
    }
}

impl EventSink for RangeCollector<'_> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.names.add_thread(self.index, name);
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.names.add_register(self.index, name);
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.slot += 1;
        if !self.is_own(step.thread) {
            return;
        }
        self.end_step();
        self.effects.steps += 1;
        if let Some(region) = self.index.host_regions.at(self.slot) {
            let len_bytes = (region.last - region.first).saturating_add(1);
            self.write_memory(MemoryRange {
                address: Address(region.first),
                len_bytes,
            });
        }
        let instruction = encoding_of(self.index, step)
            .map(|encoding| decode(encoding, step.pc, step.instruction_set));
        match instruction
            .as_ref()
            .and_then(|instruction| instruction.registers.as_ref())
        {
            Some(registers) if step.is_executed => self.take_operands(registers, step.mode),
            Some(_) => {}
            None => self.effects.undecoded += 1,
        }
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if !self.is_own(write.thread) || write.view.register == RegisterId::PC {
            return;
        }
        let view = self.names.view(write.view);
        // The second of the two writes of a line that names a bank in use is a duplicate.
        if !write.is_bank_copy() {
            self.write_register(cell_of(view.register, write.mode), view);
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        if !self.is_own(access.thread) {
            return;
        }
        match access.kind {
            AccessKind::Read => self.read_memory(access),
            AccessKind::Write => {
                let (address, len_bytes) = (access.address, u64::from(access.size_bytes));
                self.write_memory(MemoryRange { address, len_bytes });
            }
        }
    }
}
