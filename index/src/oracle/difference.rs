//! What differs between two positions.

use std::collections::BTreeMap;

use stepback_parsers::{Address, Position, Step};

use super::event::{Event, EventKind};
use super::{Oracle, Replay};
use crate::{ByteState, Difference, DifferenceBetween, MemoryDifference, RegisterDifference, RegistersAt};

impl Replay for DifferenceBetween {
    /// Runs of memory are of one byte each.
    fn replay(&self, oracle: &Oracle) -> Option<Difference> {
        oracle.check(self.from.max(self.to))?;
        let thread = Some(self.thread.unwrap_or_else(|| oracle.thread_at(self.to)));
        let file = |position| RegistersAt { position, thread }.replay(oracle);
        let (from, to) = (file(self.from)?, file(self.to)?);
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
        let changed = pairs.filter(|(((_, from), (_, to)), _)| from.state.value != to.state.value);
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

    /// All bytes that the trace ever touches, as they are at a position.
    fn memory_at(&self, position: Position) -> BTreeMap<u64, Attributed> {
        let mut memory: BTreeMap<u64, Attributed> = BTreeMap::new();
        for (event, address) in self.touches(&self.events) {
            let byte = memory.entry(address).or_default();
            if event.slot <= position.0 {
                let EventKind::Access(access) = &event.kind else { continue };
                super::memory::follow(&mut byte.state, event, address);
                if !access.is_read() || access.contradicting.contains(&address) {
                    byte.writer = event.owner;
                }
            }
        }
        let told: std::collections::HashSet<u64> = self
            .touches(self.events_until(position))
            .filter(|(event, address)| super::memory::is_evidence(event, *address))
            .map(|(_, address)| address)
            .collect();
        self.infer(&mut memory, position);
        for (address, byte) in memory.iter_mut().filter(|(address, _)| !told.contains(address)) {
            byte.state.value = byte.state.value.or(self.program.byte(Address(*address)));
        }
        memory
    }

    fn infer(&self, memory: &mut BTreeMap<u64, Attributed>, position: Position) {
        let mut decided = std::collections::HashSet::new();
        for (event, address) in self.touches(self.events_after(position)) {
            let EventKind::Access(access) = &event.kind else { continue };
            let value = access.each_byte().find(|(touched, _)| *touched == address).and_then(|(_, value)| value);
            let is_evidence = !access.is_read() || value.is_some();
            let Some(byte) = memory.get_mut(&address).filter(|_| is_evidence && decided.insert(address)) else {
                continue;
            };
            if byte.state.value.is_none() && access.is_read() {
                byte.state.value = value;
            }
        }
    }

    fn touches<'a>(&self, events: &'a [Event]) -> impl Iterator<Item = (&'a Event, u64)> {
        events.iter().flat_map(|event| {
            let access = if let EventKind::Access(access) = &event.kind { Some(access) } else { None };
            access.into_iter().flat_map(move |access| access.each_byte().map(move |(address, _)| (event, address)))
        })
    }
}
