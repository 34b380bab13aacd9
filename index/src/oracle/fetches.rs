//! What the fetch of an instruction tells of memory.

use std::collections::HashMap;

use stepback_machine::Address;
use stepback_parsers::{Position, Step, StepOrigin};

use crate::oracle::memory::is_evidence;
use crate::oracle::record::Oracle;

/// Memory is believed or not by pages of so many bytes.
const PAGE: u64 = 4096;

impl Oracle {
    /// The bytes of the instruction of the step of a slot, each with its address.
    pub(super) fn fetched_in(&self, slot: u64) -> Vec<(u64, u8)> {
        let told = slot.checked_sub(1).and_then(|step| self.step(Step(step)));
        let told = told.filter(|told| told.origin == StepOrigin::Recorded);
        let Some((told, encoding)) = told.and_then(|told| Some((told, told.encoding?))) else {
            return Vec::new();
        };
        let bytes = self.program.in_memory(told.instruction_set, encoding);
        (0..)
            .zip(bytes.bytes())
            .map(|(offset, byte)| (told.pc.0.wrapping_add(offset), *byte))
            .collect()
    }

    /// For each address the slots whose steps fetched a byte from it, in order, and its value.
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

    /// The last slot up to a position whose step fetched a byte, and its value.
    pub(super) fn last_fetch(&self, address: u64, position: Position) -> Option<(u64, u8)> {
        self.fetches
            .get(&address)?
            .iter()
            .rfind(|(slot, _)| *slot <= position.0)
            .copied()
    }

    /// The first slot after a position whose step fetches a byte, and its value.
    pub(super) fn next_fetch(&self, address: u64, position: Position) -> Option<(u64, u8)> {
        self.fetches
            .get(&address)?
            .iter()
            .find(|(slot, _)| *slot > position.0)
            .copied()
    }

    /// Forgets the pages of the program where a step fetched a byte that the program has otherwise
    /// and that nothing before had told of.
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
