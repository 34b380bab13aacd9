//! Kill sets of a forward slice: the traced locations that survive a slot, and the ends of those
//! that do not.

use std::cell::OnceCell;

use stepback_machine::{AccessKind, RegisterId};
use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::slice::{EdgeKinds, SliceEndKind, SliceRow};
use crate::query::slice::definers::{ReachingDefinitions, status_view};
use crate::query::slice::flow::{StepContribution, StepFlow};
use crate::query::slice::frontier::TracedDefinition;
use crate::query::slice::live::LiveLocation;
use crate::query::slice::pieces::{StatePiece, blocks_of, parts_of};
use crate::read::contradictions::Contradictions;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::store::granules::bytes_between;

/// Applies the events of a slot, in order, to traced locations.
pub(super) struct KillAnalysis<'w, 'a> {
    /// Step of the slot.
    flow: &'w StepFlow<'a>,
    step: Step,
    slot: u64,
    edges: EdgeKinds,
    /// Events of all threads.
    events: Vec<SlotEvent>,
    /// Loads that contradict known memory; computed on first use.
    contradictions: OnceCell<Contradictions>,
}

/// Surviving locations, and the ends of the others.
#[derive(Debug, Default)]
pub(super) struct KillResult {
    pub left: Vec<LiveLocation>,
    pub ends: Vec<SliceRow>,
}

/// Cause of the loss of traced memory bytes.
#[derive(Clone, Copy)]
enum KillCause {
    /// A store of a thread.
    Stored(ThreadId),
    /// A change that a load of a thread showed.
    Seen(ThreadId),
}

impl<'w, 'a> KillAnalysis<'w, 'a> {
    pub fn new(flow: &'w StepFlow<'a>, step: Step, edges: EdgeKinds) -> Self {
        let slot = step.0.saturating_add(1);
        let own = flow.events.iter().filter(|event| event.slot == slot);
        let mut events: Vec<SlotEvent> = own.chain(&flow.others).cloned().collect();
        events.sort_by_key(|event| event.place_in_slot);
        Self {
            flow,
            step,
            slot,
            edges,
            events,
            contradictions: OnceCell::new(),
        }
    }

    /// Returns true if a load of the slot contradicts the known bytes of a block.
    pub fn has_changes(&self, granule: u64) -> Result<bool, QueryError> {
        let contradictions = self.contradictions()?;
        Ok(self
            .events
            .iter()
            .any(|event| contradictions.bytes(event, granule) != 0))
    }

    fn contradictions(&self) -> Result<&Contradictions, QueryError> {
        if let Some(known) = self.contradictions.get() {
            return Ok(known);
        }
        let found = Contradictions::of(self.flow.index, &self.events)?;
        Ok(self.contradictions.get_or_init(|| found))
    }

    /// Applies the slot to one location.
    pub fn of(&self, live: LiveLocation) -> Result<KillResult, QueryError> {
        match live.piece {
            StatePiece::Memory { granule, mask } => self.of_memory(live, granule, mask),
            StatePiece::Register { .. } | StatePiece::Flags(_) => self.of_state(live),
            StatePiece::Decision => Ok(KillResult::default()),
        }
    }

    fn of_memory(
        &self,
        live: LiveLocation,
        granule: u64,
        mask: u64,
    ) -> Result<KillResult, QueryError> {
        let region = self.flow.index.host_regions.at(self.slot);
        // Host writes come before all accesses.
        let mut left = mask
            & !region.map_or(0, |region| {
                bytes_between(granule, region.first, region.last)
            });
        let mut lost: Vec<(KillCause, u64)> = Vec::new();
        for event in &self.events {
            let SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                ..
            } = event.kind
            else {
                continue;
            };
            let mut blocks = blocks_of(address, size_bytes.into());
            let Some((_, bytes)) = blocks.find(|(touched, _)| *touched == granule) else {
                continue;
            };
            match kind {
                AccessKind::Write
                    if live.is_defined_in(self.slot) && event.thread == live.thread =>
                {
                    left |= bytes & mask;
                    lost.iter_mut().for_each(|(_, lost)| *lost &= !bytes);
                }
                AccessKind::Write => {
                    lost.push((KillCause::Stored(event.thread), bytes & left));
                    left &= !bytes;
                }
                AccessKind::Read => {
                    let changed = self.contradictions()?.bytes(event, granule) & left;
                    lost.push((KillCause::Seen(event.thread), changed));
                    left &= !changed;
                }
            }
        }
        let mut ends = Vec::new();
        for (loss, mask) in lost.into_iter().filter(|(_, mask)| *mask != 0) {
            let piece = StatePiece::Memory { granule, mask };
            match loss {
                KillCause::Stored(thread) => {
                    if let Some(step) = SlotReader(self.flow.index).owner(thread, self.slot)? {
                        ends.extend(
                            self.unknown_ends(
                                &live,
                                &self.outcome(step, self.want(thread, piece))?,
                            ),
                        );
                    }
                }
                KillCause::Seen(thread) => {
                    let seen_by = SlotReader(self.flow.index).owner(thread, self.slot)?;
                    ends.extend(live.ends_of(&piece, SliceEndKind::External { seen_by }));
                }
            }
        }
        let left = Some(left)
            .filter(|left| *left != 0)
            .map(|mask| LiveLocation {
                piece: StatePiece::Memory { granule, mask },
                ..live
            });
        Ok(KillResult {
            left: left.into_iter().collect(),
            ends,
        })
    }

    /// Applies the slot to registers or flags: their thread's effects in the slot belong to its
    /// last step.
    fn of_state(&self, live: LiveLocation) -> Result<KillResult, QueryError> {
        if live.is_defined_in(self.slot) {
            return Ok(KillResult {
                left: vec![live],
                ends: Vec::new(),
            });
        }
        let Some(owner) = SlotReader(self.flow.index).owner(live.thread, self.slot)? else {
            return Ok(KillResult {
                left: self.survives_initial_lines(live),
                ends: Vec::new(),
            });
        };
        if !self.may_write(&live, owner) {
            return Ok(KillResult {
                left: vec![live],
                ends: Vec::new(),
            });
        }
        let mut outcome = self.outcome(owner, self.want(live.thread, live.piece.clone()))?;
        let rests = std::mem::take(&mut outcome.rests);
        let left = rests
            .into_iter()
            .map(|rest| LiveLocation {
                piece: rest.piece,
                ..live.clone()
            })
            .collect();
        Ok(KillResult {
            left,
            ends: self.unknown_ends(&live, &outcome),
        })
    }

    /// Returns true if a step may write a piece in the slot: by the recorded lines if the piece is
    /// recorded, else by its operands in its own slot.
    fn may_write(&self, live: &LiveLocation, owner: Step) -> bool {
        let (index, is_own) = (self.flow.index, owner == self.step);
        let view = match &live.piece {
            StatePiece::Flags(bits) => status_view(*bits),
            StatePiece::Register { view, .. } => *view,
            StatePiece::Memory { .. } | StatePiece::Decision => return false,
        };
        if index.has_operands_alone()
            || (ReachingDefinitions { index }).is_left_out(live.thread, view)
        {
            return is_own;
        }
        // Only the lines of a status register show which steps wrote it.
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        !is_status || self.events.iter().any(|event| {
            let is_it =
                |kind: &SlotEventKind| matches!(kind, SlotEventKind::Register { view: written, .. } if written.overlaps(view));
            event.thread == live.thread && is_it(&event.kind)
        })
    }

    /// Returns the parts of a location that lines before the first step of its thread do not
    /// overwrite.
    fn survives_initial_lines(&self, live: LiveLocation) -> Vec<LiveLocation> {
        let own = self
            .events
            .iter()
            .filter(|event| event.thread == live.thread);
        match &live.piece {
            StatePiece::Register { view, homes } => {
                let written: Vec<_> = own
                    .filter_map(SlotEvent::home)
                    .filter(|home| homes.written(*home).is_some())
                    .collect();
                let is_gone = |offset: u16| {
                    written.iter().any(|view| {
                        offset
                            .checked_sub(view.offset)
                            .is_some_and(|place| place < view.size_bytes)
                    })
                };
                let parts = parts_of(*view, is_gone)
                    .into_iter()
                    .filter(|(_, is_gone)| !is_gone);
                let piece = |view| StatePiece::Register {
                    view,
                    homes: homes.clone(),
                };
                parts
                    .map(|(view, _)| LiveLocation {
                        piece: piece(view),
                        ..live.clone()
                    })
                    .collect()
            }
            StatePiece::Flags(_) => {
                let is_status = |event: &SlotEvent| matches!(&event.kind, SlotEventKind::Register { view, .. } if view.register == RegisterId::PSR);
                let is_gone = own.into_iter().any(is_status);
                Some(live).filter(|_| !is_gone).into_iter().collect()
            }
            StatePiece::Memory { .. } | StatePiece::Decision => vec![live],
        }
    }

    fn want(&self, thread: ThreadId, piece: StatePiece) -> TracedDefinition {
        TracedDefinition {
            thread,
            piece,
            slot: self.slot,
            wanted_by: Vec::new(),
            doubt: None,
        }
    }

    /// Returns the contribution of a step to something that it wrote in the slot.
    fn outcome(&self, step: Step, want: TracedDefinition) -> Result<StepContribution, QueryError> {
        let mut outcome = StepContribution::default();
        if step == self.step {
            self.flow.take(want, &mut outcome)?;
            return Ok(outcome);
        }
        let flow = StepFlow::of(
            self.flow.index,
            step,
            std::slice::from_ref(&want),
            self.edges,
        )?;
        flow.take(want, &mut outcome)?;
        Ok(outcome)
    }

    /// Returns the ends of traced bytes overwritten by a value with unknown inputs.
    fn unknown_ends(&self, live: &LiveLocation, outcome: &StepContribution) -> Vec<SliceRow> {
        let unknown = outcome
            .ends
            .iter()
            .filter(|(end, _)| matches!(end, SliceEndKind::Unknown(_)));
        unknown
            .map(|(end, cell)| live.end_of(*cell, *end))
            .collect()
    }
}
