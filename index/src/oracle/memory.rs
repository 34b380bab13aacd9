//! Memory at a position, byte by byte: all accesses up to there are applied in order, and a byte
//! that none of them shows comes from the program images or from the encodings of executed
//! instructions. Pages of the images that an executed instruction contradicts are not used.

use std::collections::HashMap;

use stepback_machine::Address;
use stepback_parsers::{Position, Step, StepOrigin};

use crate::answers::program::Program;
use crate::answers::value::{ByteState, ValueSource};
use crate::oracle::event::{OracleEvent, OracleEventKind};
use crate::oracle::record::{Oracle, Replay};
use crate::query::memory::{MemoryAt, NextAccessedBlock, NextTouchedBlock};

impl Replay for MemoryAt {
    fn replay(&self, oracle: &Oracle) -> Option<Vec<ByteState>> {
        oracle.check(self.position)?;
        let addresses = (0..self.len_bytes).map_while(|place| self.address.0.checked_add(place));
        Some(
            addresses
                .map(|address| oracle.byte_at(address, self.position))
                .collect(),
        )
    }
}

impl Replay for NextAccessedBlock {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Address>> {
        let from = self.from.0 / 64;
        let addresses = oracle
            .events
            .iter()
            .flat_map(bytes_of)
            .map(|(address, _)| address / 64);
        let addresses = addresses.chain(oracle.fetches.keys().map(|address| address / 64));
        let block = addresses
            .filter(|block| *block >= from)
            .chain(oracle.program.next_granule(from))
            .min();
        Some(block.map(|block| Address(block * 64)))
    }
}

impl Replay for NextTouchedBlock {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Address>> {
        let addresses = oracle
            .events
            .iter()
            .flat_map(bytes_of)
            .map(|(address, _)| address / 64);
        let block = addresses.filter(|block| *block >= self.from.0 / 64).min();
        Some(block.map(|block| Address(block * 64)))
    }
}

/// Returns the bytes that an event accessed.
pub(super) fn bytes_of(event: &OracleEvent) -> impl Iterator<Item = (u64, Option<u8>)> + '_ {
    let access = if let OracleEventKind::Access(access) = &event.kind {
        Some(access)
    } else {
        None
    };
    access.into_iter().flat_map(|access| access.each_byte())
}

impl Oracle {
    pub(super) fn byte_at(&self, address: u64, position: Position) -> ByteState {
        let mut state = ByteState::default();
        let mut stated_in = None;
        for event in self.events_until(position) {
            follow(&mut state, event, address);
            if is_evidence(event, address) {
                stated_in = Some(event.slot);
            }
        }
        // In its slot, the fetch of a step precedes all accesses.
        let fetch = self
            .last_fetch(address, position)
            .filter(|(slot, _)| stated_in.is_none_or(|stated_in| stated_in < *slot));
        if let Some((slot, byte)) = fetch.filter(|(_, byte)| state.value != Some(*byte)) {
            state = ByteState {
                value: Some(byte),
                source: ValueSource::Inferred,
                seen_at: Some(Position(slot)),
            };
        }
        if state.value.is_some() {
            state
        } else {
            self.inferred_byte(address, position)
        }
    }

    /// Returns the byte that the next access after a position shows, if it is a load.
    fn inferred_byte(&self, address: u64, position: Position) -> ByteState {
        let may_write = |event: &&OracleEvent| {
            let is_anywhere = matches!(event.kind, OracleEventKind::HostWriteAnywhere);
            is_anywhere || is_evidence(event, address)
        };
        let stated_in = self
            .events_after(position)
            .iter()
            .find(may_write)
            .map(|event| event.slot);
        let fetch = self
            .next_fetch(address, position)
            .filter(|(slot, _)| stated_in.is_none_or(|stated_in| stated_in >= *slot));
        if let Some((slot, byte)) = fetch {
            return ByteState {
                value: Some(byte),
                source: ValueSource::Inferred,
                seen_at: Some(Position(slot)),
            };
        }
        for event in self.events_after(position) {
            if event.is_host_write_of(address)
                || matches!(event.kind, OracleEventKind::HostWriteAnywhere)
            {
                break;
            }
            let OracleEventKind::Access(access) = &event.kind else {
                continue;
            };
            let Some((_, value)) = access.each_byte().find(|(touched, _)| *touched == address)
            else {
                continue;
            };
            if !access.is_read() {
                break;
            }
            if value.is_some() {
                return ByteState {
                    value,
                    source: ValueSource::Inferred,
                    seen_at: Some(Position(event.slot)),
                };
            }
        }
        self.byte_of_image(address, position)
    }

    /// Returns the loaded byte, if the host cannot have overwritten it.
    pub(super) fn loaded_byte(&self, address: u64, position: Position) -> Option<u8> {
        let is_open =
            |event: &OracleEvent| matches!(event.kind, OracleEventKind::HostWriteAnywhere);
        let byte = if self.events_until(position).iter().any(is_open) {
            Program::constant_byte
        } else {
            Program::byte
        };
        byte(&self.program, Address(address))
    }

    /// Returns the loaded byte, if nothing up to a position wrote it or showed its value.
    fn byte_of_image(&self, address: u64, position: Position) -> ByteState {
        let value = self.loaded_byte(address, position);
        if value.is_none()
            || self
                .events_until(position)
                .iter()
                .any(|event| is_evidence(event, address))
        {
            return ByteState::default();
        }
        ByteState {
            value,
            source: ValueSource::Inferred,
            seen_at: None,
        }
    }
}

/// Returns true if an event shows the value of a byte, or that the byte changed.
pub(super) fn is_evidence(event: &OracleEvent, address: u64) -> bool {
    if event.is_host_write_of(address) {
        return true;
    }
    let OracleEventKind::Access(access) = &event.kind else {
        return false;
    };
    access
        .each_byte()
        .any(|(touched, value)| touched == address && (!access.is_read() || value.is_some()))
}

/// Updates the state of a byte by an event.
pub(super) fn follow(state: &mut ByteState, event: &OracleEvent, address: u64) {
    if event.is_host_write_of(address) {
        *state = ByteState::default();
    }
    let OracleEventKind::Access(access) = &event.kind else {
        return;
    };
    let first = address.wrapping_sub(access.address.0);
    if first >= u64::from(access.size_bytes) {
        return;
    }
    let Some((_, value)) = access.each_byte().find(|(touched, _)| *touched == address) else {
        return;
    };
    let seen_at = Some(Position(event.slot));
    let is_contradicted = access.is_read() && state.value.is_some() && state.value != value;
    let was_external = access.is_read() && state.source == ValueSource::External;
    match value {
        None if access.is_read() => {}
        None => *state = ByteState::default(),
        Some(_) if is_contradicted || was_external => {
            *state = ByteState {
                value,
                source: ValueSource::External,
                seen_at,
            };
        }
        Some(_) => {
            *state = ByteState {
                value,
                source: ValueSource::Recorded,
                seen_at,
            }
        }
    }
}

/// Page size in bytes: the program images are trusted or discarded by page.
const PAGE: u64 = 4096;

impl Oracle {
    /// Returns the instruction bytes of the step of a slot with their addresses.
    pub(super) fn fetched_in(&self, slot: u64) -> Vec<(u64, u8)> {
        let stated = slot.checked_sub(1).and_then(|step| self.step(Step(step)));
        let stated = stated.filter(|stated| stated.origin == StepOrigin::Recorded);
        let Some((stated, encoding)) = stated.and_then(|stated| Some((stated, stated.encoding?)))
        else {
            return Vec::new();
        };
        let bytes = self.program.in_memory(stated.instruction_set, encoding);
        (0..)
            .zip(bytes.bytes())
            .map(|(offset, byte)| (stated.pc.0.wrapping_add(offset), *byte))
            .collect()
    }

    /// Returns for each address the slots of the steps that fetched it, in order, with the values.
    pub(super) fn find_fetches(&self) -> HashMap<u64, Vec<(u64, u8)>> {
        let mut fetches: HashMap<u64, Vec<(u64, u8)>> = HashMap::new();
        if !self.has_one_memory {
            return fetches;
        }
        for slot in 1..=self.step_count() {
            for (address, byte) in self.fetched_in(slot) {
                fetches.entry(address).or_default().push((slot, byte));
            }
        }
        fetches
    }

    /// Returns the last slot up to a position whose step fetched a byte, with its value.
    pub(super) fn last_fetch(&self, address: u64, position: Position) -> Option<(u64, u8)> {
        self.fetches
            .get(&address)?
            .iter()
            .rfind(|(slot, _)| *slot <= position.0)
            .copied()
    }

    /// Returns the first slot after a position whose step fetches a byte, with its value.
    pub(super) fn next_fetch(&self, address: u64, position: Position) -> Option<(u64, u8)> {
        self.fetches
            .get(&address)?
            .iter()
            .find(|(slot, _)| *slot > position.0)
            .copied()
    }

    /// Discards program pages where a step fetched a byte that differs from the image, unless an
    /// earlier event explains the difference.
    pub(super) fn forget_contradicted_pages(&mut self) {
        let mut pages = Vec::new();
        for slot in 1..=self.step_count() {
            let fetched = self.fetched_in(slot);
            let before = self.events_until(Position(slot - 1));
            let is_contradicted = |(address, byte): &(u64, u8)| {
                let loaded = self.program.byte(Address(*address));
                loaded.is_some_and(|loaded| loaded != *byte)
                    && !before.iter().any(|event| is_evidence(event, *address))
            };
            if fetched.iter().any(is_contradicted) {
                pages.extend(fetched.iter().map(|(address, _)| address / PAGE));
            }
        }
        for page in pages {
            self.program
                .forget(Address(page * PAGE), Address(page * PAGE + (PAGE - 1)));
        }
    }
}
