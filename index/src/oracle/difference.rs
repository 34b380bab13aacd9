//! What differs between two positions.

use std::collections::{BTreeMap, HashSet};

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::byte_state::ByteState;
use crate::answers::difference::{Difference, MemoryDifference, RegisterDifference};
use crate::oracle::event::{Event, EventKind};
use crate::oracle::memory::bytes_of;
use crate::oracle::record::{Oracle, Replay};
use crate::query::difference::DifferenceBetween;

impl Replay for DifferenceBetween {
    /// Runs of memory are of one byte each.
    fn replay(&self, oracle: &Oracle) -> Option<Difference> {
        oracle.check(self.from.max(self.to))?;
        let thread = self.thread.unwrap_or_else(|| oracle.thread_at(self.to));
        oracle.thread_names.get(usize::from(thread.0))?;
        let set = oracle.set_at(thread, self.to);
        let file = |position| oracle.register_file(thread, position, set);
        let (from, to) = (file(self.from), file(self.to));
        let later = if self.to >= self.from { &to } else { &from };
        let pairs = from.registers.iter().zip(&to.registers).zip(&later.registers);
        let registers =
            pairs.filter(|((from, to), _)| from.value != to.value).map(|((from, to), later)| RegisterDifference {
                name: from.name.clone(),
                view: from.view,
                from: from.value.clone(),
                to: to.value.clone(),
                last_write: later.written_by,
            });
        Some(Difference { registers: registers.collect(), memory: oracle.memory_difference(self) })
    }
}

/// A byte at a position, and who is to thank for it.
#[derive(Clone, Copy, Debug, Default)]
struct Attributed {
    state: ByteState,
    writer: Option<Step>,
}

impl Oracle {
    fn memory_difference(&self, asked: &DifferenceBetween) -> Vec<MemoryDifference> {
        let (from, to) = (self.memory_at(asked.from), self.memory_at(asked.to));
        let later = if asked.to >= asked.from { &to } else { &from };
        let pairs = from.iter().zip(&to).zip(later.values());
        let shown = self.changed_between(asked.from.min(asked.to), asked.from.max(asked.to));
        let changed = pairs
            .filter(|(((address, from), (_, to)), _)| from.state.value != to.state.value && shown.contains(address));
        let difference =
            |(((address, from), (_, to)), later): (((&u64, &Attributed), (_, &Attributed)), &Attributed)| {
                MemoryDifference {
                    address: Address(*address),
                    from: vec![from.state.value],
                    to: vec![to.state.value],
                    last_write: later.writer,
                }
            };
        changed.map(difference).collect()
    }

    /// The bytes that the trace shows to have changed between two positions.
    fn changed_between(&self, from: Position, to: Position) -> HashSet<u64> {
        let memory = self.all_bytes();
        let events = self.events_until(to).iter().filter(|event| event.slot > from.0);
        events
            .flat_map(|event| touched(event, &memory).into_iter().filter(|address| is_change(event, *address)))
            .collect()
    }

    /// All bytes that may ever change.
    fn all_bytes(&self) -> BTreeMap<u64, Attributed> {
        let mut memory: BTreeMap<u64, Attributed> = BTreeMap::new();
        memory.extend(self.events.iter().flat_map(bytes_of).map(|(address, _)| (address, Attributed::default())));
        memory.extend(self.loaded_and_written_by_host().map(|address| (address, Attributed::default())));
        memory
    }

    /// All bytes that may ever change, as they are at a position.
    fn memory_at(&self, position: Position) -> BTreeMap<u64, Attributed> {
        let mut memory = self.all_bytes();
        let mut told = HashSet::new();
        for event in self.events_until(position) {
            for address in touched(event, &memory) {
                let Some(byte) = memory.get_mut(&address) else { continue };
                crate::oracle::memory::follow(&mut byte.state, event, address);
                byte.writer = if is_change(event, address) { event.owner } else { byte.writer };
                told.extend(crate::oracle::memory::is_evidence(event, address).then_some(address));
            }
        }
        self.infer(&mut memory, position);
        for (address, byte) in memory.iter_mut().filter(|(address, _)| !told.contains(address)) {
            byte.state.value = byte.state.value.or_else(|| self.loaded_byte(*address, position));
        }
        memory
    }

    fn infer(&self, memory: &mut BTreeMap<u64, Attributed>, position: Position) {
        let mut decided = HashSet::new();
        for event in self.events_after(position) {
            if matches!(event.kind, EventKind::HostWriteAnywhere) {
                return;
            }
            for address in touched(event, memory) {
                if !crate::oracle::memory::is_evidence(event, address) || !decided.insert(address) {
                    continue;
                }
                let Some(byte) = memory.get_mut(&address).filter(|byte| byte.state.value.is_none()) else { continue };
                if let EventKind::Access(access) = &event.kind
                    && access.is_read()
                {
                    byte.state.value = bytes_of(event).find(|(touched, _)| *touched == address).and_then(|byte| byte.1);
                }
            }
        }
    }

    /// The bytes of images that the host wrote over.
    fn loaded_and_written_by_host(&self) -> impl Iterator<Item = u64> {
        self.events.iter().flat_map(|event| {
            let EventKind::HostWrite { first, last, .. } = event.kind else { return Vec::new() };
            let loaded = |from: u64| self.program.next_granule(from).filter(|block| *block <= last / 64);
            let blocks = std::iter::successors(loaded(first / 64), |block| loaded(block + 1));
            let bytes = blocks.flat_map(|block| (0..64).map(move |place| block * 64 + place));
            bytes.filter(|address| (first..=last).contains(address)).collect()
        })
    }
}

/// Whether an event that touches a byte changed it.
fn is_change(event: &Event, address: u64) -> bool {
    match &event.kind {
        EventKind::Access(access) => !access.is_read() || access.contradicting.contains(&address),
        _ => true,
    }
}

/// Those of some bytes that an event touches.
fn touched(event: &Event, memory: &BTreeMap<u64, Attributed>) -> Vec<u64> {
    match event.kind {
        EventKind::HostWrite { first, last, .. } => memory.range(first..=last).map(|(address, _)| *address).collect(),
        _ => bytes_of(event).map(|(address, _)| address).collect(),
    }
}
