//! Assignment of accessed bytes to the operands of the instruction.

use stepback_machine::{AccessKind, Endian, Instruction, MemoryOperand};
use stepback_parsers::Step;

use crate::answers::step_record::LATE_STEPS;
use crate::oracle::event::OracleEventKind;
use crate::oracle::record::Oracle;

/// A byte that a step accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessedByte {
    /// Index of its record among all events.
    pub event: usize,
    pub address: u64,
    /// Number of its operand and index of the byte in its value, least significant first. `None` if
    /// the records do not match the operands.
    pub operand: Option<(usize, u16)>,
}

impl Oracle {
    /// Returns the bytes that a step loaded or stored, in the order of their records.
    pub(super) fn accessed_bytes(
        &self,
        step: Step,
        kind: AccessKind,
        instruction: &Instruction,
    ) -> Vec<AccessedByte> {
        let last = step.after().0.saturating_add(LATE_STEPS);
        let mut bytes = Vec::new();
        let exception = self
            .step(step)
            .and_then(|told| self.exception_of(step, told, Some(instruction)));
        let is_frame = |event: usize| {
            exception
                .as_ref()
                .is_some_and(|exception| exception.is_access(event))
        };
        for (event, of_step) in self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.owner == Some(step))
        {
            if let OracleEventKind::Access(access) = &of_step.kind
                && access.kind == kind
                && of_step.slot <= last
                && !is_frame(event)
            {
                bytes.extend(access.each_byte().map(|(address, _)| AccessedByte {
                    event,
                    address,
                    operand: None,
                }));
            }
        }
        let endian = if self.is_big_endian {
            Endian::Big
        } else {
            Endian::Little
        };
        let described: Option<Vec<_>> = instruction
            .meaning
            .memory
            .iter()
            .zip(0..)
            .filter(|(operand, _)| operand.kind == kind)
            .map(|(operand, number)| numbered(operand, number, endian))
            .collect();
        let described = described
            .map(|operands| operands.concat())
            .filter(|all| all.len() == bytes.len());
        for (byte, operand) in bytes.iter_mut().zip(described.into_iter().flatten()) {
            byte.operand = Some(operand);
        }
        bytes
    }
}

/// Returns the bytes of an operand in address order.
fn numbered(operand: &MemoryOperand, number: usize, endian: Endian) -> Option<Vec<(usize, u16)>> {
    let mut bytes: Vec<_> = (0..operand.size_bytes?)
        .map(|byte| (number, byte))
        .collect();
    if endian == Endian::Big {
        bytes.reverse();
    }
    Some(bytes)
}
