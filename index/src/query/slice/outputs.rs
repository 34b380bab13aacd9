//! All that a step gives a value, each with what it is made of.

use std::sync::Arc;

use stepback_machine::{AccessKind, RegisterId, RegisterView};
use stepback_parsers::{Source, Step};

use crate::answers::error::QueryError;
use crate::query::slice::flow::{Outcome, StepFlow};
use crate::query::slice::frontier::Want;
use crate::query::slice::pieces::{Piece, blocks_of};
use crate::read::homes::Homes;
use crate::read::slots::EventKind;

/// Something that a step gave a value.
pub(super) struct Output {
    pub piece: Piece,
    pub slot: u64,
    /// What it is made of.
    pub outcome: Outcome,
}

/// Outputs that are wider than this are taken as a whole.
const BYTES_APART: u16 = 64;

impl<S: Source> StepFlow<'_, S> {
    /// The outputs of the step. What it copies is taken byte by byte: a part of it may be followed.
    pub fn outputs(&self, step: Step) -> Result<Vec<Output>, QueryError> {
        let mut outputs = Vec::new();
        for (piece, slot) in self.written(step) {
            let whole = self.output(piece.clone(), slot)?;
            if !whole.is_copied() || !self.is_told_apart() {
                outputs.push(whole);
                continue;
            }
            for part in bytes_of(&piece) {
                outputs.push(self.output(part, slot)?);
            }
        }
        Ok(outputs)
    }

    fn output(&self, piece: Piece, slot: u64) -> Result<Output, QueryError> {
        let want = Want { thread: self.thread(), piece: piece.clone(), slot, wanted_by: Vec::new(), doubt: None };
        let mut outcome = Outcome::default();
        self.take(want, &mut outcome)?;
        Ok(Output { piece, slot, outcome })
    }

    /// What the step wrote, and in which slot that shows.
    fn written(&self, step: Step) -> Vec<(Piece, u64)> {
        let mut written: Vec<(Piece, u64)> = Vec::new();
        let mut add = |piece: Piece, slot: u64| {
            if !written.iter().any(|(known, at)| *at == slot && known.is_same(&piece)) {
                written.push((piece, slot));
            }
        };
        for event in &self.events {
            match &event.kind {
                // A status that is written by what sets no flags (an exception, a return) gives all of them.
                EventKind::Register { view, .. } if view.register == RegisterId::PSR => {
                    let set = self.text.as_ref().map(|text| text.instruction_set);
                    let bits = set.map_or(0, |set| set.flag_bits());
                    let by_result = set.zip(self.done()).map_or(0, |(set, done)| done.flags_written(set));
                    if by_result == 0 && bits != 0 {
                        add(Piece::Flags(bits), event.slot);
                    }
                }
                EventKind::Register { home: Some(home), .. } => {
                    add(register(*home), event.slot);
                }
                EventKind::Access { kind: AccessKind::Write, address, size_bytes, .. } => {
                    let blocks = blocks_of(*address, u64::from(*size_bytes));
                    blocks.for_each(|(granule, mask)| add(Piece::Memory { granule, mask }, event.slot));
                }
                _ => {}
            }
        }
        let own = step.0.saturating_add(1);
        if let (Some(instruction), Some(text)) = (self.done(), &self.text) {
            let flags = instruction.flags_written(text.instruction_set);
            if flags != 0 {
                add(Piece::Flags(flags), own);
            }
            if self.index.has_operands_alone() {
                let views = instruction.registers.iter().flat_map(|known| &known.writes);
                let home = |view: &RegisterView| RegisterView { register: text.mode.home(view.register), ..*view };
                views.filter(|view| view.register != RegisterId::PSR).for_each(|view| add(register(home(view)), own));
            }
        }
        written
    }
}

impl Output {
    fn is_copied(&self) -> bool {
        self.outcome.inputs.iter().any(|(_, edge)| *edge == crate::answers::slice::Edge::Copy)
    }
}

fn register(home: RegisterView) -> Piece {
    Piece::Register { view: home, homes: Arc::new(Homes::only(home)) }
}

/// The bytes of a piece, one by one.
fn bytes_of(piece: &Piece) -> Vec<Piece> {
    match piece {
        Piece::Register { view, homes } if view.size_bytes <= BYTES_APART => {
            let part = |offset| RegisterView { offset, size_bytes: 1, ..*view };
            let offsets = view.offset..view.offset + view.size_bytes;
            offsets.map(|offset| Piece::Register { view: part(offset), homes: homes.clone() }).collect()
        }
        Piece::Memory { granule, mask } => {
            let places = (0..64u32).filter(|place| mask >> place & 1 == 1);
            places.map(|place| Piece::Memory { granule: *granule, mask: 1 << place }).collect()
        }
        whole => vec![whole.clone()],
    }
}
