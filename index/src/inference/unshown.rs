//! Stores of a step that have no record.

use crate::answers::register_file::Fact;
use crate::inference::engine::Engine;
use crate::inference::here::CurrentStep;
use stepback_machine::AccessKind;
use stepback_machine::semantics::{MemoryOperand, StoreExtent};

/// A store that extends beyond its records, or has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnrecordedStore {
    /// Slot of the step.
    pub slot: u64,
    /// First address; `None` if it may be anywhere.
    pub address: Option<u64>,
    pub size_bytes: u64,
}

impl UnrecordedStore {
    /// Returns true if the store may have changed this byte.
    pub fn reaches(&self, address: u64) -> bool {
        self.address
            .is_none_or(|first| address.wrapping_sub(first) < self.size_bytes)
    }
}

impl Engine<'_> {
    /// Discards the memory that a step stores into without a record.
    pub fn forget_unshown(&mut self, here: CurrentStep<'_>) {
        let accesses = self.run.accesses(here.step);
        let meaning = &here.instruction.meaning;
        let is_recorded = accesses
            .iter()
            .any(|access| access.kind == AccessKind::Write);
        if !meaning.is_memory_known && accesses.is_empty() {
            return self.memory.clear();
        }
        if meaning.extent.is_none() && is_recorded {
            return;
        }
        for (operand, address) in meaning.memory.iter().zip(here.addresses) {
            if operand.kind != AccessKind::Write {
                continue;
            }
            let lowest = accesses
                .iter()
                .filter(|access| access.kind == AccessKind::Write)
                .map(|access| access.address);
            let address = address
                .or(lowest.min())
                .or_else(|| self.stated_address(operand, here));
            let extent = meaning
                .extent
                .map(|extent| self.longest_bytes(&extent, here));
            let size_bytes = extent.or(operand.size_bytes.map(u64::from));
            match address.zip(size_bytes) {
                Some((address, size_bytes)) => self.memory.forget(address, size_bytes),
                None => self.memory.clear(),
            }
            let (slot, size_bytes) = (here.step.slot, size_bytes.unwrap_or(u64::MAX));
            self.unshown.push(UnrecordedStore {
                slot,
                address: address.filter(|_| size_bytes < u64::MAX),
                size_bytes,
            });
        }
    }

    /// Returns the address of an operand, from the facts known until now.
    fn stated_address(&mut self, operand: &MemoryOperand, here: CurrentStep<'_>) -> Option<u64> {
        if operand.segment.is_some() {
            return None;
        }
        let term = self.address_term(operand, Fact::Address(here.step.step()));
        self.symbols.stated(term)
    }

    fn longest_bytes(&mut self, extent: &StoreExtent, here: CurrentStep<'_>) -> u64 {
        let fact = Fact::Constant(here.step.step());
        let chosen = extent
            .chosen_by
            .map(|view| self.registers.read(view, &mut self.symbols, fact));
        extent.longest_bytes(chosen.and_then(|chosen| self.symbols.stated(chosen)))
    }
}
