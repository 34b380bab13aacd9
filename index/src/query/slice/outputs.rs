//! Outputs of a step, each with its inputs.

use std::sync::Arc;

use foldhash::HashSet;
use stepback_machine::{AccessKind, Address, Instruction, RegisterId, RegisterView};
use stepback_parsers::Step;

use crate::answers::error::QueryError;
use crate::answers::slice::{Edge, SliceEndKind, UnknownInput};
use crate::index::homes::Homes;
use crate::query::slice::accesses::SlotAddress;
use crate::query::slice::definers::{ReachingDefinitions, status_view};
use crate::query::slice::flow::{StepContribution, StepFlow};
use crate::query::slice::frontier::TracedDefinition;
use crate::query::slice::pieces::{StatePiece, blocks_of, parts_of};
use crate::read::banks::{OpenWrites, stated};
use crate::read::slots::{SlotEvent, SlotEventKind};
use crate::store::granules::GRANULE_BITS;

/// A piece that a step defined.
pub(super) struct StepOutput {
    pub piece: StatePiece,
    pub slot: u64,
    /// Inputs of the piece.
    pub outcome: StepContribution,
}

/// Maximum width in bytes of outputs that are examined byte by byte.
const BYTES_APART: u16 = 64;

/// Pieces that a step wrote, each once with the slot of the write.
#[derive(Default)]
struct StepWrites {
    pieces: Vec<(StatePiece, u64)>,
    /// Block, bytes and slot of written memory: a step may have thousands.
    memory: HashSet<(u64, u64, u64)>,
}

impl StepWrites {
    fn add(&mut self, piece: StatePiece, slot: u64) {
        let is_new = match piece {
            StatePiece::Memory { granule, mask } => self.memory.insert((granule, mask, slot)),
            _ => !self
                .pieces
                .iter()
                .any(|(known, at)| *at == slot && known.is_same(&piece)),
        };
        if is_new {
            self.pieces.push((piece, slot));
        }
    }
}

/// Part of an instruction's stores that a byte belongs to: bytes of one part have equal origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoredPart {
    /// Number of the stored operand, if the instruction has one for the byte.
    operand: Option<usize>,
    /// Part of an exception frame.
    frame: Option<u64>,
}

impl StepFlow<'_> {
    /// Returns the outputs of the step.
    pub fn outputs(&self, step: Step) -> Result<Vec<StepOutput>, QueryError> {
        let mut outputs = Vec::new();
        for (piece, slot) in self.written(step)? {
            for part in self.parts_by_producer(piece, slot)? {
                outputs.push(self.output(part, slot)?);
            }
        }
        Ok(outputs)
    }

    /// Splits an output for tracing: a copy byte by byte, since the traced value may be a part of
    /// it.
    pub fn parts_of_output(&self, output: StepOutput) -> Result<Vec<StepOutput>, QueryError> {
        if !output.is_copied() || !self.is_traced_by_byte() {
            return Ok(vec![output]);
        }
        bytes_of(&output.piece)
            .into_iter()
            .map(|byte| self.output(byte, output.slot))
            .collect()
    }

    fn output(&self, piece: StatePiece, slot: u64) -> Result<StepOutput, QueryError> {
        let want = TracedDefinition {
            thread: self.thread(),
            piece: piece.clone(),
            slot,
            wanted_by: Vec::new(),
            doubt: None,
        };
        let mut outcome = StepContribution::default();
        self.take(want, &mut outcome)?;
        Ok(StepOutput {
            piece,
            slot,
            outcome,
        })
    }

    /// Splits a piece by the results, or operands, of the instruction.
    fn parts_by_producer(
        &self,
        piece: StatePiece,
        slot: u64,
    ) -> Result<Vec<StatePiece>, QueryError> {
        match &piece {
            StatePiece::Register { view, homes } => {
                let written = self.written_bytes(*view, homes, slot)?;
                let by = |offset: u16| {
                    let place = usize::from(offset.saturating_sub(view.offset));
                    written.get(place).copied().flatten().map(|byte| byte.by)
                };
                let parts = parts_of(*view, by)
                    .into_iter()
                    .filter(|(_, by)| by.is_some());
                Ok(parts
                    .map(|(view, _)| StatePiece::Register {
                        view,
                        homes: homes.clone(),
                    })
                    .collect())
            }
            StatePiece::Memory { granule, mask } => {
                let mut parts: Vec<(StoredPart, u64)> = Vec::new();
                for place in (0..64u64).filter(|place| mask >> place & 1 == 1) {
                    let address = Address((granule << GRANULE_BITS) + place);
                    let (operand, frame) = (
                        self.stored_bytes(SlotAddress { slot, address })
                            .map(|byte| byte.operand),
                        self.frame_part(slot, address),
                    );
                    let part = StoredPart { operand, frame };
                    match parts.iter_mut().find(|(known, _)| *known == part) {
                        Some((_, mask)) => *mask |= 1 << place,
                        None => parts.push((part, 1 << place)),
                    }
                }
                Ok(parts
                    .into_iter()
                    .map(|(_, mask)| StatePiece::Memory {
                        granule: *granule,
                        mask,
                    })
                    .collect())
            }
            StatePiece::Flags(bits) => {
                // A flag that may be kept depends on its own old value only.
                let kept = bits & self.done().map_or(0, Instruction::flags_kept);
                let each = (0..64u32).map(|place| kept & 1 << place);
                let parts = each.chain([bits & !kept]).filter(|part| *part != 0);
                Ok(parts.map(StatePiece::Flags).collect())
            }
            StatePiece::Decision => Ok(vec![piece]),
        }
    }

    /// Returns the pieces that the step wrote, with the slots of the writes.
    fn written(&self, step: Step) -> Result<Vec<(StatePiece, u64)>, QueryError> {
        let mut written = StepWrites::default();
        for events in self.events.chunk_by(|one, next| one.slot == next.slot) {
            let slot = events.first().map_or(0, |event| event.slot);
            let mut open = OpenWrites::of_events(self.index, self.thread(), slot, events)?;
            for event in events {
                self.add_written(&stated(&mut open, event), &mut written)?;
            }
        }
        self.add_operands(step.0.saturating_add(1), &mut written);
        Ok(written.pieces)
    }

    fn add_written(&self, event: &SlotEvent, written: &mut StepWrites) -> Result<(), QueryError> {
        match &event.kind {
            SlotEventKind::Register { view, .. } if view.register == RegisterId::PSR => {
                let set = self.text.as_ref().map(|text| text.instruction_set);
                let all = set.map_or(0, |set| set.flag_bits());
                let by_result = set
                    .zip(self.done())
                    .map_or(0, |(set, done)| done.flags_written(set));
                // An instruction that sets no flags but writes the status (an exception, a return)
                // defines all of them.
                let bits = match by_result {
                    0 if self.takes_exception() => 0,
                    0 => all,
                    by_result => by_result,
                };
                let shown = bits & bits_shown(*view);
                if shown != 0 {
                    written.add(StatePiece::Flags(shown), event.slot);
                }
            }
            SlotEventKind::Register {
                home: Some(home), ..
            } => {
                let piece = (ReachingDefinitions { index: self.index }).written_register(
                    self.thread(),
                    *home,
                    event.slot,
                )?;
                written.add(piece, event.slot);
            }
            SlotEventKind::Access {
                kind: AccessKind::Write,
                address,
                size_bytes,
                ..
            } => {
                let blocks = blocks_of(*address, u64::from(*size_bytes));
                blocks.for_each(|(granule, mask)| {
                    written.add(StatePiece::Memory { granule, mask }, event.slot)
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds writes that only operands show: of all registers, or of status registers that the trace
    /// leaves out.
    fn add_operands(&self, own: u64, written: &mut StepWrites) {
        let (Some(instruction), Some(text)) = (self.done(), &self.text) else {
            return;
        };
        let (definers, is_alone) = (
            ReachingDefinitions { index: self.index },
            self.index.has_operands_alone(),
        );
        let is_stated = |view| is_alone || definers.is_left_out(self.thread(), view);
        let flags = instruction.flags_written(text.instruction_set);
        if flags != 0 && is_stated(status_view(flags)) {
            written.add(StatePiece::Flags(flags), own);
        }
        for view in instruction.registers.iter().flat_map(|known| &known.writes) {
            let home = RegisterView {
                register: text.mode.home(view.register),
                ..*view
            };
            let whole = RegisterView::new(view.register, 0, u16::MAX);
            if view.register != RegisterId::PSR && is_stated(whole) {
                written.add(
                    StatePiece::Register {
                        view: home,
                        homes: Arc::new(Homes::only(home)),
                    },
                    own,
                );
            }
        }
    }
}

impl StepOutput {
    /// Returns true for a copy, also if its load is not shown.
    fn is_copied(&self) -> bool {
        let is_missing =
            |end: &SliceEndKind| *end == SliceEndKind::Unknown(UnknownInput::LoadNotShown);
        let StepContribution { inputs, ends, .. } = &self.outcome;
        inputs.iter().any(|(_, edge)| *edge == Edge::Copy)
            || ends.iter().any(|(end, _)| is_missing(end))
    }
}

/// Returns the bits of the status register that a view covers.
fn bits_shown(view: RegisterView) -> u64 {
    let places = (0..8u64).filter(|place| {
        let place = u16::try_from(*place).unwrap_or(u16::MAX);
        place
            .checked_sub(view.offset)
            .is_some_and(|place| place < view.size_bytes)
    });
    places.fold(0, |bits, place| bits | 0xff << (8 * place))
}

/// Splits a piece into single bytes.
fn bytes_of(piece: &StatePiece) -> Vec<StatePiece> {
    match piece {
        StatePiece::Register { view, homes } if view.size_bytes <= BYTES_APART => {
            let part = |offset| RegisterView {
                offset,
                size_bytes: 1,
                ..*view
            };
            let offsets = view.offset..view.offset.saturating_add(view.size_bytes);
            offsets
                .map(|offset| StatePiece::Register {
                    view: part(offset),
                    homes: homes.clone(),
                })
                .collect()
        }
        StatePiece::Memory { granule, mask } => {
            let places = (0..64u32).filter(|place| mask >> place & 1 == 1);
            places
                .map(|place| StatePiece::Memory {
                    granule: *granule,
                    mask: 1 << place,
                })
                .collect()
        }
        whole => vec![whole.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look-up compares each with those before it: else this takes minutes.
    #[test]
    fn a_step_of_very_many_accesses_has_each_piece_once() {
        const BLOCKS: u64 = 1 << 17;
        let mut written = StepWrites::default();
        for slot in [1, 2, 1] {
            (0..BLOCKS)
                .for_each(|granule| written.add(StatePiece::Memory { granule, mask: 1 }, slot));
            written.add(StatePiece::Flags(1), slot);
        }
        assert_eq!(written.pieces.len() as u64, 2 * (BLOCKS + 1));
        let last = written
            .pieces
            .last()
            .map(|(piece, slot)| (piece.is_same(&StatePiece::Flags(1)), *slot));
        assert_eq!(last, Some((true, 2)));
    }
}
