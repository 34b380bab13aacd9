//! Lines that state a thread's values before its first step.

use std::collections::HashMap;

use stepback_machine::{AccessKind, Address, RegisterId};
use stepback_parsers::{Line, Position};

use crate::answers::error::QueryError;
use crate::answers::step_record::Doubt;
use crate::index::homes::WriteCertainty;
use crate::query::slice::definers::{DefinitionQuery, ReachingDefinitions};
use crate::query::slice::pieces::{StatePiece, parts_of};
use crate::read::banks::OpenWrites;
use crate::read::lines;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEventKind, SlotReader};
use crate::store::granules::GRANULE_BITS;

/// A line that states a thread's value before its first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InitialLine {
    pub line: Line,
    /// Reason why it may be of another register.
    pub doubt: Option<Doubt>,
}

impl ReachingDefinitions<'_> {
    /// Returns the parts of a piece by the lines of a slot that state them; none for parts that no
    /// line states.
    pub(super) fn initial_lines(
        &self,
        wish: &DefinitionQuery,
        slot: u64,
    ) -> Result<Vec<(StatePiece, Option<InitialLine>)>, QueryError> {
        let is_text = self.index.source().is_text();
        let base = if slot == 0 || !is_text {
            0
        } else {
            lines::line_of_slot(self.index, slot)?
        };
        let homes = match &wish.piece {
            StatePiece::Register { homes, .. } => Some(homes),
            _ => None,
        };
        let mut open = match homes {
            Some(homes) => OpenWrites::of(self.index, wish.thread, homes, slot)?,
            None => None,
        };
        let clearing = match &wish.piece {
            StatePiece::Register { view, .. } => {
                RegisterReader::new(self.index, wish.thread, Position(slot)).clearing(*view)
            }
            _ => None,
        };
        // Keys are offsets in the register, or addresses.
        let mut lines: HashMap<u64, InitialLine> = HashMap::new();
        SlotReader(self.index).each_event(slot..slot.saturating_add(1), |mut event| {
            if event.slot != slot || event.thread != wish.thread {
                return Ok(());
            }
            if let Some(open) = &mut open {
                open.tell(&mut event);
            }
            let line = Line(base.wrapping_add(event.line_in_range).wrapping_add(1));
            let mut state = |first: u64, len: u64, doubt: Option<Doubt>| {
                lines.extend(
                    (0..len).map(|place| (first.wrapping_add(place), InitialLine { line, doubt })),
                );
            };
            match &event.kind {
                SlotEventKind::Register { view, .. } => {
                    if clearing == Some(*view) {
                        state(view.size_bytes.into(), u64::from(CLEARED), None);
                    }
                    let is_flags = matches!(wish.piece, StatePiece::Flags(_))
                        && view.register == RegisterId::PSR;
                    let meant = homes
                        .zip(event.home())
                        .and_then(|(homes, home)| homes.written(home));
                    if is_flags || meant.is_some() {
                        let is_doubtful = meant == Some(WriteCertainty::Doubtful);
                        state(
                            view.offset.into(),
                            view.size_bytes.into(),
                            is_doubtful.then_some(Doubt::Bank),
                        );
                    }
                }
                SlotEventKind::Access {
                    kind: AccessKind::Write,
                    address,
                    size_bytes,
                    ..
                } => {
                    if matches!(wish.piece, StatePiece::Memory { .. }) {
                        state(address.0, (*size_bytes).into(), None);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(parts_by_line(&wish.piece, &lines))
    }
}

/// Maximum number of bytes of a vector that are cleared.
const CLEARED: u16 = 256;

fn parts_by_line(
    piece: &StatePiece,
    lines: &HashMap<u64, InitialLine>,
) -> Vec<(StatePiece, Option<InitialLine>)> {
    let at = |place: u64| lines.get(&place).copied();
    let mut grouped: Vec<(Option<InitialLine>, u64)> = Vec::new();
    let mut add = |line: Option<InitialLine>, bits: u64| match grouped
        .iter_mut()
        .find(|(known, _)| *known == line)
    {
        Some((_, all)) => *all |= bits,
        None => grouped.push((line, bits)),
    };
    match piece {
        StatePiece::Register { view, homes } => {
            let parts = parts_of(*view, |offset| at(offset.into()));
            let piece = |view| StatePiece::Register {
                view,
                homes: homes.clone(),
            };
            parts
                .into_iter()
                .map(|(view, line)| (piece(view), line))
                .collect()
        }
        StatePiece::Flags(bits) => {
            let flags = (0..64u64).filter(|bit| bits >> bit & 1 == 1);
            flags.for_each(|bit| add(at(bit / 8), 1 << bit));
            grouped
                .into_iter()
                .map(|(line, bits)| (StatePiece::Flags(bits), line))
                .collect()
        }
        StatePiece::Memory { granule, mask } => {
            let address = |place: u64| Address((granule << GRANULE_BITS) + place);
            let places = (0..64u64).filter(|place| mask >> place & 1 == 1);
            places.for_each(|place| add(at(address(place).0), 1 << place));
            let piece = |mask| StatePiece::Memory {
                granule: *granule,
                mask,
            };
            grouped
                .into_iter()
                .map(|(line, mask)| (piece(mask), line))
                .collect()
        }
        StatePiece::Decision => Vec::new(),
    }
}
