//! Differences between two positions.

use std::collections::BTreeSet;

use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::answers::difference::{Difference, MemoryDifference, RegisterDifference};
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::memory::bytes_of;
use crate::oracle::record::{Oracle, Replay};
use crate::query::difference::DifferenceBetween;

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
    fn memory_difference(&self, asked: &DifferenceBetween) -> Vec<MemoryDifference> {
        let (first, last) = (asked.from.min(asked.to), asked.from.max(asked.to));
        let difference = |address: u64| {
            let [from, to] =
                [asked.from, asked.to].map(|position| self.byte_at(address, position).value);
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
