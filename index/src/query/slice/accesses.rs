//! Bytes of memory that each operand of an instruction accesses: the recorded accesses of its step,
//! in order.
//!
//! A record may cover several adjacent operands (`ldp`), or be a part of one.

use std::cell::OnceCell;
use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::{AccessKind, Address, Endian, Instruction};

use crate::read::slots::{SlotEvent, SlotEventKind};

/// Accesses of one kind of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepAccesses {
    /// Addresses of all bytes, in the order of the records.
    bytes: Vec<Address>,
    /// Slot of each byte.
    slots: Vec<u64>,
    /// Last place of each address in each slot; computed on first use.
    places: OnceCell<HashMap<(u64, Address), usize>>,
    /// Bytes of each operand of this kind, in the order of the operands' numbers without gaps; none
    /// if the operands do not fit the accesses.
    operands: Option<Vec<OperandBytes>>,
}

/// Place of an operand's bytes among those of the step.
#[derive(Clone, Debug)]
struct OperandBytes {
    operand: usize,
    range: Range<usize>,
}

/// Bytes of an operand's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueBytes {
    pub operand: usize,
    /// Byte range; the least significant is 0.
    pub bytes: Range<u16>,
}

/// An address in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotAddress {
    pub slot: u64,
    pub address: Address,
}

/// Maximum number of accessed bytes of a step that are assigned to operands.
pub(super) const BYTES_TOLD_APART: usize = 4096;

impl StepAccesses {
    /// Collects the accesses of a step's events in the slots up to `last`.
    pub fn of<'e>(
        events: impl Iterator<Item = &'e SlotEvent>,
        instruction: &Instruction,
        kind: AccessKind,
        last: u64,
    ) -> Self {
        let (mut bytes, mut slots) = (Vec::new(), Vec::new());
        for event in events.filter(|event| event.slot <= last) {
            if let SlotEventKind::Access {
                kind: known,
                address,
                size_bytes,
                ..
            } = event.kind
                && known == kind
            {
                bytes.extend(
                    (0..u64::from(size_bytes))
                        .map(|offset| Address(address.0.wrapping_add(offset))),
                );
                slots.resize(bytes.len(), event.slot);
            }
        }
        let operands = operands_of(instruction, kind, bytes.len());
        Self {
            bytes,
            slots,
            places: OnceCell::new(),
            operands,
        }
    }

    /// Returns true if the bytes of each operand are known.
    pub fn are_operands_known(&self) -> bool {
        self.operands.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the addresses of some bytes of an operand's value; of all bytes of the step if
    /// operands are not distinguished.
    pub fn addresses(&self, operand: usize, value: Range<u16>, endian: Endian) -> &[Address] {
        let known = self
            .operands
            .iter()
            .flatten()
            .find(|known| known.operand == operand);
        let Some(known) = known else {
            return &self.bytes;
        };
        let value = usize::from(value.start)..usize::from(value.end).min(known.range.len());
        let places = match endian {
            Endian::Little => known.range.start + value.start..known.range.start + value.end,
            Endian::Big => {
                known.range.end.saturating_sub(value.end)
                    ..known.range.end.saturating_sub(value.start)
            }
        };
        self.bytes.get(places).unwrap_or_default()
    }

    pub fn all(&self) -> &[Address] {
        &self.bytes
    }

    /// Returns the operand and the byte of its value that the last access of an address in a slot
    /// accessed; none if unknown.
    pub fn value_byte(&self, at: SlotAddress, endian: Endian) -> Option<ValueBytes> {
        let SlotAddress { slot, address } = at;
        let operands = self.operands.as_ref()?;
        let place = *self.places().get(&(slot, address))?;
        let after = operands.partition_point(|known| known.range.end <= place);
        let known = operands
            .get(after)
            .filter(|known| known.range.contains(&place))?;
        let byte = match endian {
            Endian::Little => place - known.range.start,
            Endian::Big => known.range.end - 1 - place,
        };
        let byte = u16::try_from(byte).ok()?;
        Some(ValueBytes {
            operand: known.operand,
            bytes: byte..byte + 1,
        })
    }
}

impl StepAccesses {
    fn places(&self) -> &HashMap<(u64, Address), usize> {
        self.places.get_or_init(|| {
            let all = self.slots.iter().copied().zip(self.bytes.iter().copied());
            all.zip(0..).collect()
        })
    }
}

fn operands_of(
    instruction: &Instruction,
    kind: AccessKind,
    total: usize,
) -> Option<Vec<OperandBytes>> {
    if total > BYTES_TOLD_APART {
        return None;
    }
    let mut start = 0;
    let operands = instruction
        .meaning
        .memory
        .iter()
        .enumerate()
        .filter(|(_, known)| known.kind == kind);
    let placed = operands.map(|(operand, known)| {
        let range = start..start + usize::from(known.size_bytes?);
        start = range.end;
        Some(OperandBytes { operand, range })
    });
    let placed = placed.collect::<Option<Vec<_>>>()?;
    (start == total).then_some(placed)
}
