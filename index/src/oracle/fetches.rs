//! Memory contents shown by instruction fetches.

use std::collections::HashMap;

use stepback_machine::Address;
use stepback_parsers::{Position, Step, StepOrigin};

use crate::oracle::memory::is_evidence;
use crate::oracle::record::Oracle;

/// Page size in bytes: the program images are trusted or discarded by page.
const PAGE: u64 = 4096;

impl Oracle {
    /// Returns the instruction bytes of the step of a slot with their addresses.
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
