//! Replays of [`DifferenceBetween`] and [`EffectsWithin`]: what differs between two positions, and
//! the bytes that a range of steps reads before it writes them, or writes. Every byte is examined
//! separately.

use std::collections::{BTreeMap, BTreeSet};

use stepback_machine::{Address, RegisterId, RegisterView, decode};
use stepback_parsers::{Position, Step, WrittenName};

use crate::answers::cell::MemoryRange;
use crate::answers::difference::{
    Difference, MemoryDifference, MemoryInput, MemoryOutput, RangeEffects, RegisterDifference,
    RegisterEffect,
};
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::memory::bytes_of;
use crate::oracle::record::{Oracle, Replay};
use crate::query::difference::DifferenceBetween;
use crate::query::effects_within::EffectsWithin;

impl Replay for DifferenceBetween {
    /// Returns memory in runs of one byte each.
    fn replay(&self, oracle: &Oracle) -> Option<Difference> {
        oracle.check(self.from.max(self.to))?;
        let thread = self.thread.unwrap_or_else(|| oracle.thread_at(self.to));
        oracle.thread_names.get(usize::from(thread.0))?;
        let set = oracle.set_at(thread, self.to);
        let file = |position| oracle.register_file(thread, position, set);
        let (from, to) = (file(self.from), file(self.to));
        let later = if self.to >= self.from { &to } else { &from };
        let pairs = from
            .registers
            .iter()
            .zip(&to.registers)
            .zip(&later.registers);
        let registers =
            pairs
                .filter(|((from, to), _)| from.value != to.value)
                .map(|((from, to), later)| RegisterDifference {
                    name: from.name.clone(),
                    view: from.view,
                    from: from.value.clone(),
                    to: to.value.clone(),
                    last_write: later.written_by,
                });
        let (registers, memory) = (registers.collect(), oracle.memory_difference(self));
        Some(Difference {
            registers,
            memory,
            blocks_not_inferred: 0,
        })
    }
}

impl Oracle {
    fn memory_difference(&self, requested: &DifferenceBetween) -> Vec<MemoryDifference> {
        let (first, last) = (
            requested.from.min(requested.to),
            requested.from.max(requested.to),
        );
        let difference = |address: u64| {
            let [from, to] = [requested.from, requested.to]
                .map(|position| self.byte_at(address, position).value);
            (from != to).then(|| MemoryDifference {
                address: Address(address),
                from: vec![from],
                to: vec![to],
                last_write: self.changer_of_byte(address, last),
            })
        };
        self.changed_between(first, last)
            .into_iter()
            .filter_map(difference)
            .collect()
    }

    /// Returns the bytes that the trace shows to have changed between two positions.
    fn changed_between(&self, from: Position, to: Position) -> BTreeSet<u64> {
        let memory = self.all_bytes();
        let events = self
            .events_until(to)
            .iter()
            .filter(|event| event.slot > from.0);
        events
            .flat_map(|event| {
                touched(event, &memory)
                    .into_iter()
                    .filter(|address| is_change(event, *address))
            })
            .collect()
    }

    /// Returns the step that changed a byte last.
    fn changer_of_byte(&self, address: u64, until: Position) -> Option<Step> {
        let memory = BTreeSet::from([address]);
        let changes = |event: &&OracleEvent| {
            touched(event, &memory).contains(&address) && is_change(event, address)
        };
        self.events_until(until).iter().rev().find(changes)?.owner
    }

    /// Returns all bytes that may ever change.
    fn all_bytes(&self) -> BTreeSet<u64> {
        let accessed = self
            .events
            .iter()
            .flat_map(bytes_of)
            .map(|(address, _)| address);
        accessed
            .chain(self.fetches.keys().copied())
            .chain(self.loaded_and_written_by_host())
            .collect()
    }

    /// Returns the bytes of images that the host overwrote.
    fn loaded_and_written_by_host(&self) -> impl Iterator<Item = u64> {
        self.events.iter().flat_map(|event| {
            let OracleEventKind::HostWrite { first, last, .. } = event.kind else {
                return Vec::new();
            };
            let loaded = |from: u64| {
                self.program
                    .next_granule(from)
                    .filter(|block| *block <= last / 64)
            };
            let blocks = std::iter::successors(loaded(first / 64), |block| loaded(block + 1));
            let bytes = blocks.flat_map(|block| (0..64).map(move |place| block * 64 + place));
            bytes
                .filter(|address| (first..=last).contains(address))
                .collect()
        })
    }
}

/// Returns true if an event that touches a byte changed it.
fn is_change(event: &OracleEvent, address: u64) -> bool {
    match &event.kind {
        OracleEventKind::Access(access) => {
            !access.is_read() || access.contradicting.contains(&address)
        }
        _ => true,
    }
}

/// Returns the bytes of a set that an event touches.
fn touched(event: &OracleEvent, memory: &BTreeSet<u64>) -> Vec<u64> {
    match event.kind {
        OracleEventKind::HostWrite { first, last, .. } => {
            memory.range(first..=last).copied().collect()
        }
        _ => bytes_of(event).map(|(address, _)| address).collect(),
    }
}

/// Collected effects.
#[derive(Default)]
struct EffectState {
    registers: Vec<RegisterBytes>,
    read: BTreeMap<u64, ReadByte>,
    /// Slot of the last write of each byte.
    written: BTreeMap<u64, u64>,
    /// Reported blocks.
    blocks: BTreeSet<u64>,
    left_out: u64,
}

/// A memory byte that was read before it was written.
#[derive(Clone, Copy)]
struct ReadByte {
    value: Option<u8>,
    /// Slot of the first read.
    first: u64,
}

/// Used bytes of a register.
struct RegisterBytes {
    cell: PhysicalRegister,
    plain: RegisterId,
    read: BTreeSet<u16>,
    written: BTreeSet<u16>,
    first_read: Option<u64>,
    last_write: u64,
}

impl Replay for EffectsWithin {
    fn replay(&self, oracle: &Oracle) -> Option<RangeEffects> {
        if self.to.0 > oracle.step_count() || usize::from(self.thread.0) >= oracle.threads().len() {
            return None;
        }
        let slots = self.from.0.saturating_add(1)..=self.to.0;
        let own = |event: &&OracleEvent| event.thread == self.thread && slots.contains(&event.slot);
        let events: Vec<&OracleEvent> = oracle.events.iter().filter(own).collect();
        let (mut used, mut steps, mut undecoded) = (EffectState::default(), 0, 0);
        // Events before the first step of the thread belong to no step; then each step begins a
        // part.
        for part in events.chunk_by(|_, next| !matches!(next.kind, OracleEventKind::Step)) {
            let step = part
                .first()
                .filter(|event| matches!(event.kind, OracleEventKind::Step));
            let slot = part.first().map_or(0, |event| event.slot);
            let stated =
                step.and_then(|step| oracle.steps.get(usize::try_from(step.slot - 1).ok()?));
            let instruction = stated.and_then(|stated| {
                Some(
                    (*decode(
                        oracle.encoding_of(stated)?,
                        stated.pc,
                        stated.instruction_set,
                    ))
                    .clone(),
                )
            });
            let registers = instruction.and_then(|instruction| instruction.registers);
            steps += u64::from(stated.is_some());
            undecoded += u64::from(stated.is_some() && registers.is_none());
            let operands = stated
                .zip(registers)
                .filter(|(stated, _)| stated.is_executed);
            if let Some((stated, registers)) = &operands {
                for view in &registers.reads {
                    let meant = PhysicalRegister::of_write(view.register, None, stated.mode);
                    used.read_register(slot, cell(meant, view.register), *view);
                }
            }
            part.iter()
                .for_each(|event| used.read_memory(event, self.blocks));
            if let Some((stated, registers)) = &operands {
                for view in &registers.writes {
                    let meant = PhysicalRegister::of_write(view.register, None, stated.mode);
                    used.write_register(slot, cell(meant, view.register), *view);
                }
            }
            part.iter().for_each(|event| used.write(event, self.blocks));
        }
        Some(RangeEffects {
            thread: self.thread,
            steps,
            undecoded,
            ..used.effects()
        })
    }
}

/// Returns the identity of a register: the cell of a windowed register, otherwise the name.
fn cell(meant: PhysicalRegister, register: RegisterId) -> PhysicalRegister {
    if matches!(meant, PhysicalRegister::Cell(_)) {
        meant
    } else {
        PhysicalRegister::Single(register)
    }
}

impl EffectState {
    fn register(&mut self, cell: PhysicalRegister, plain: RegisterId) -> &mut RegisterBytes {
        let place = self
            .registers
            .iter()
            .position(|known| known.cell == cell)
            .unwrap_or(self.registers.len());
        if place == self.registers.len() {
            let (read, written, first_read, last_write) = Default::default();
            self.registers.push(RegisterBytes {
                cell,
                plain,
                read,
                written,
                first_read,
                last_write,
            });
        }
        &mut self.registers[place]
    }

    fn read_register(&mut self, slot: u64, cell: PhysicalRegister, view: RegisterView) {
        let register = self.register(cell, view.register);
        for byte in view.offset..view.offset + view.size_bytes {
            if !register.written.contains(&byte) {
                register.first_read.get_or_insert(slot);
                register.read.insert(byte);
            }
        }
    }

    fn write_register(&mut self, slot: u64, cell: PhysicalRegister, view: RegisterView) {
        let register = self.register(cell, view.register);
        register
            .written
            .extend(view.offset..view.offset + view.size_bytes);
        register.last_write = slot;
    }

    /// Returns true if the block of a byte is reported, adding it while there is room.
    fn is_stated(&mut self, address: u64, limit: usize) -> bool {
        let block = address / 64;
        let has_room = self.blocks.contains(&block) || self.blocks.len() < limit;
        has_room.then(|| self.blocks.insert(block));
        has_room
    }

    fn read_memory(&mut self, event: &OracleEvent, limit: usize) {
        let OracleEventKind::Access(access) = &event.kind else {
            return;
        };
        for (address, value) in access.each_byte().filter(|_| access.is_read()) {
            if !self.is_stated(address, limit) {
                self.left_out += 1;
                return;
            }
            if !self.written.contains_key(&address) {
                let known = self.read.entry(address).or_insert(ReadByte {
                    value,
                    first: event.slot,
                });
                known.value = known.value.or(value);
            }
        }
    }

    fn write(&mut self, event: &OracleEvent, limit: usize) {
        let (first, last) = match &event.kind {
            OracleEventKind::Register(written) if written.view.register != RegisterId::PC => {
                if written.name != WrittenName::BankCopy {
                    self.write_register(
                        event.slot,
                        cell(written.stated, written.view.register),
                        written.view,
                    );
                }
                return;
            }
            OracleEventKind::Access(access) if !access.is_read() && access.size_bytes > 0 => (
                access.address.0,
                access.address.0 + (u64::from(access.size_bytes) - 1),
            ),
            OracleEventKind::HostWrite { first, last, .. } => (*first, *last),
            _ => return,
        };
        for address in first..=last {
            if !self.is_stated(address, limit) {
                self.left_out += 1;
                return;
            }
            self.written.insert(address, event.slot);
        }
    }

    fn effects(&self) -> RangeEffects {
        let effects = |of: fn(&RegisterBytes) -> (&BTreeSet<u16>, u64)| {
            let mut effects: Vec<RegisterEffect> = Vec::new();
            for register in &self.registers {
                let (bytes, slot) = of(register);
                let mut runs: Vec<RegisterView> = Vec::new();
                for byte in bytes {
                    match runs.last_mut() {
                        Some(last) if last.offset + last.size_bytes == *byte => {
                            last.size_bytes += 1
                        }
                        _ => runs.push(RegisterView::new(register.plain, *byte, 1)),
                    }
                }
                let cell = match register.cell {
                    PhysicalRegister::Cell(cell) => cell.register(),
                    _ => register.plain,
                };
                effects.extend(runs.into_iter().map(|view| RegisterEffect {
                    view,
                    at: Position(slot),
                    cell,
                }));
            }
            effects.sort_unstable();
            effects
        };
        let (mut memory_inputs, mut memory_outputs) =
            (Vec::<MemoryInput>::new(), Vec::<MemoryOutput>::new());
        for (address, ReadByte { value, first }) in &self.read {
            match memory_inputs.last_mut() {
                Some(last) if last.address.0 + last.bytes.len() as u64 == *address => {
                    last.bytes.push(*value);
                    last.at = last.at.min(Position(*first));
                }
                _ => {
                    let (address, bytes) = (Address(*address), vec![*value]);
                    memory_inputs.push(MemoryInput {
                        address,
                        bytes,
                        at: Position(*first),
                    });
                }
            }
        }
        for (address, slot) in &self.written {
            match memory_outputs.last_mut() {
                Some(last) if last.range.address.0 + last.range.len_bytes == *address => {
                    last.range.len_bytes += 1;
                    last.at = last.at.max(Position(*slot));
                }
                _ => {
                    let range = MemoryRange {
                        address: Address(*address),
                        len_bytes: 1,
                    };
                    memory_outputs.push(MemoryOutput {
                        range,
                        at: Position(*slot),
                    });
                }
            }
        }
        RangeEffects {
            register_inputs: effects(|register| (&register.read, register.first_read.unwrap_or(0))),
            register_outputs: effects(|register| (&register.written, register.last_write)),
            memory_inputs,
            memory_outputs,
            left_out: self.left_out,
            ..RangeEffects::default()
        }
    }
}
