//! Parts of an output that is a copy, byte by byte and in order: the source of a part of the input
//! is also that of the same part of the output.

use std::ops::Range;

use stepback_machine::{Address, Endian, RegisterView};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{Edge, SliceCell, SliceDefinition};
use crate::answers::value::Value;
use crate::query::slice::accesses::SlotAddress;
use crate::query::slice::flow::{StepContribution, StepFlow, StepInput};
use crate::query::slice::givers::InputOriginReader;
use crate::query::slice::live::LiveLocation;
use crate::query::slice::outputs::StepOutput;
use crate::query::slice::pieces::StatePiece;
use crate::store::granules::{GRANULE_BITS, runs_of};

/// Maximum length of an output that is split.
const BYTES: usize = 64;

impl InputOriginReader<'_, '_> {
    /// Returns the traced parts of a copy, each with one live location as its source; none if that
    /// is uncertain.
    pub fn copied_parts(
        &mut self,
        output: &StepOutput,
        cancel: &Cancel,
    ) -> Result<Option<Vec<StepOutput>>, QueryError> {
        let Some((taken, len)) = self.flow.copied_in_order(output) else {
            return Ok(None);
        };
        let holders = |place: usize| {
            self.lives
                .iter()
                .position(|live| live.may_have_byte(taken, place))
        };
        let places: Vec<(usize, Option<usize>)> =
            (0..len).map(|place| (place, holders(place))).collect();
        let same = places.chunk_by(|(_, one), (_, next)| one == next);
        let held = same.filter(|places| places.iter().all(|(_, holder)| holder.is_some()));
        let ranges = held.filter_map(|places| Some(places.first()?.0..places.last()?.0 + 1));
        let parts: Option<Vec<StepOutput>> = ranges.map(|range| output.part(range)).collect();
        let Some(parts) = parts else { return Ok(None) };
        for part in &parts {
            self.of(part, cancel)?;
            if !self.has_all_of(part) {
                return Ok(None);
            }
        }
        Ok(Some(parts))
    }
}

impl StepFlow<'_> {
    /// Returns the input and length of an output that is a copy of it, byte by byte and in order.
    fn copied_in_order<'o>(&self, output: &'o StepOutput) -> Option<(&'o StepInput, usize)> {
        let StepContribution {
            inputs,
            defines,
            ends,
            rests,
            ..
        } = &output.outcome;
        let ([(taken, Edge::Copy)], [defined]) = (inputs.as_slice(), defines.as_slice()) else {
            return None;
        };
        let len = output
            .piece
            .len_bytes()
            .filter(|len| *len <= BYTES && *len == defined.value.0.len())?;
        let is_whole = ends.is_empty() && rests.is_empty() && taken.len_bytes() == Some(len);
        // Copies in big-endian traces are split byte by byte elsewhere.
        let is_in_order = self.endian() == Endian::Little && self.is_traced_by_byte();
        let is_stored_so = match output.piece {
            StatePiece::Memory { granule, mask } => {
                self.is_stored_in_order(granule, mask, output.slot)
            }
            _ => true,
        };
        let is_known = !matches!(taken, StepInput::Memory(_)) || self.are_loads_assigned();
        (is_whole && is_in_order && is_stored_so && is_known).then_some((taken, len))
    }

    /// Returns true if some bytes of memory are contiguous, and so are those of the operand that
    /// was stored there.
    fn is_stored_in_order(&self, granule: u64, mask: u64, slot: u64) -> bool {
        let mut runs = runs_of(mask);
        let (Some(run), None) = (runs.next(), runs.next()) else {
            return false;
        };
        let byte = |place: u32| {
            let address = Address((granule << GRANULE_BITS) + u64::from(place));
            self.stored_bytes(SlotAddress { slot, address })
        };
        let Some(first) = byte(run.first) else {
            return false;
        };
        (1..run.len).all(|offset| {
            byte(run.first + offset).is_some_and(|byte| {
                byte.operand == first.operand
                    && u32::from(byte.bytes.start) == u32::from(first.bytes.start) + offset
            })
        })
    }
}

impl StepOutput {
    /// Returns some bytes of an output that is a copy in order.
    fn part(&self, places: Range<usize>) -> Option<Self> {
        let (taken, edge) = self.outcome.inputs.first()?;
        let defined = self.outcome.defines.first()?;
        let (first, len) = (
            u16::try_from(places.start).ok()?,
            u16::try_from(places.len()).ok()?,
        );
        let of_view = |view: RegisterView| {
            Some(RegisterView::new(
                view.register,
                view.offset.checked_add(first)?,
                len,
            ))
        };
        let piece = match &self.piece {
            StatePiece::Register { view, homes } => StatePiece::Register {
                view: of_view(*view)?,
                homes: homes.clone(),
            },
            StatePiece::Memory { granule, mask } => {
                let below =
                    |count: u32| u64::MAX.checked_shl(count).map_or(u64::MAX, |above| !above);
                let start = mask.trailing_zeros() + u32::from(first);
                StatePiece::Memory {
                    granule: *granule,
                    mask: mask & below(start + u32::from(len)) & !below(start),
                }
            }
            StatePiece::Flags(_) | StatePiece::Decision => return None,
        };
        let taken = match taken {
            StepInput::Register(view) => StepInput::Register(of_view(*view)?),
            StepInput::Home(view) => StepInput::Home(of_view(*view)?),
            StepInput::Memory(addresses) => {
                StepInput::Memory(addresses.get(places.clone())?.to_vec())
            }
            StepInput::Flags(_) => return None,
        };
        let cell = match defined.cell {
            SliceCell::Register { thread, view } => SliceCell::Register {
                thread,
                view: of_view(view)?,
            },
            SliceCell::Memory { address, .. } => SliceCell::Memory {
                address: Address(address.0.checked_add(first.into())?),
                len_bytes: len.into(),
            },
            SliceCell::Flags { .. } => return None,
        };
        let value = Value(defined.value.0.get(places)?.to_vec());
        let defines = vec![SliceDefinition {
            cell,
            value,
            is_inferred: defined.is_inferred,
        }];
        let outcome = StepContribution {
            defines,
            inputs: vec![(taken, *edge)],
            ..StepContribution::default()
        };
        Some(Self {
            piece,
            slot: self.slot,
            outcome,
        })
    }
}

impl LiveLocation {
    /// Returns true if it may have the byte at a place of an input.
    fn may_have_byte(&self, taken: &StepInput, place: usize) -> bool {
        match (&self.piece, taken) {
            (
                StatePiece::Register { view, .. },
                StepInput::Register(other) | StepInput::Home(other),
            ) => {
                let offset = usize::from(other.offset).saturating_add(place);
                (usize::from(view.offset)..usize::from(view.offset) + usize::from(view.size_bytes))
                    .contains(&offset)
            }
            (StatePiece::Memory { granule, mask }, StepInput::Memory(addresses)) => {
                addresses.get(place).is_some_and(|address| {
                    address.0 >> GRANULE_BITS == *granule
                        && mask >> (address.0 & ((1 << GRANULE_BITS) - 1)) & 1 == 1
                })
            }
            _ => false,
        }
    }
}
