//! Observed loads, stores and register writes of selected steps.

use crate::inference::engine::Engine;
use crate::inference::here::CurrentStep;
use crate::inference::symbols::Term;
use crate::inference::terms::{RegisterChange, is_exclusive};
use stepback_machine::semantics::Expression;
use stepback_machine::{AccessKind, Endian, RegisterView};

/// At most 8 bytes that a step accessed exactly once.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservedAccess {
    pub slot: u64,
    pub kind: AccessKind,
    pub address: u64,
    pub size_bytes: u8,
    /// The bytes as a number in the byte order of the trace.
    pub term: Term,
}

/// A register write of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservedRegister {
    pub slot: u64,
    pub view: RegisterView,
    pub term: Term,
}

impl Engine<'_> {
    /// Records the register writes of a step.
    pub fn observe_registers(&mut self, here: CurrentStep<'_>, changes: &[RegisterChange]) {
        let slot = here.step.slot;
        let given = changes.iter().map(|change| ObservedRegister {
            slot,
            view: change.view,
            term: change.term,
        });
        self.observed_registers.extend(given);
    }

    /// Records the loads and stores of a step. Memory and registers must still be in the state
    /// before it.
    pub fn observe(&mut self, here: CurrentStep<'_>) {
        for (number, operand) in here.instruction.meaning.memory.iter().enumerate() {
            let address = here.addresses.get(number).copied().flatten();
            let Some((address, size_bytes)) = address.zip(operand.size_bytes) else {
                continue;
            };
            let is_wide = size_bytes > 8;
            let is_stated = match operand.kind {
                AccessKind::Read => true,
                AccessKind::Write => operand.value != Expression::Unknown && !is_exclusive(here),
            };
            if !is_stated || is_wide && self.circumstances.endian == Endian::Big {
                continue;
            }
            for lane in 0..size_bytes.div_ceil(8) {
                let (address, size_bytes) = (
                    address.wrapping_add(8 * u64::from(lane)),
                    (size_bytes - 8 * lane).min(8) as u8,
                );
                let term = match operand.kind {
                    AccessKind::Read => self.loaded(number, lane, here).0,
                    AccessKind::Write if is_wide => self.lane_term(&operand.value, lane, here).0,
                    AccessKind::Write => self.term(&operand.value, 8 * size_bytes, here).0,
                };
                let (slot, kind, term) = (here.step.slot, operand.kind, term.cut(8 * size_bytes));
                let observed = ObservedAccess {
                    slot,
                    kind,
                    address,
                    size_bytes,
                    term,
                };
                if self.is_once(here, &observed) {
                    self.observed.push(observed);
                }
            }
        }
    }

    /// Returns true if the records of the step contain each of these bytes exactly once.
    fn is_once(&self, here: CurrentStep<'_>, observed: &ObservedAccess) -> bool {
        let ObservedAccess {
            kind,
            address,
            size_bytes,
            ..
        } = *observed;
        let accesses = self
            .run
            .accesses(here.step)
            .iter()
            .filter(|access| access.kind == kind);
        let times = |byte: u64| {
            let has = |access: u64, size: u8| byte.wrapping_sub(access) < u64::from(size);
            accesses
                .clone()
                .filter(|access| has(access.address, access.size_bytes))
                .count()
        };
        (0..u64::from(size_bytes)).all(|offset| times(address.wrapping_add(offset)) == 1)
    }
}
