//! Forward slice from a cell, row by row.

use std::collections::VecDeque;

use stepback_machine::flow::{BranchTarget, FlowKind};
use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{Instruction, RegisterId};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, Cell, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceUse,
};
use crate::index::Index;
use crate::query::access::NearestAccess;
use crate::query::slice::accesses::StepEvents;
use crate::query::slice::control::DependentStep;
use crate::query::slice::definers::ReachingDefinitions;
use crate::query::slice::fates::KillAnalysis;
use crate::query::slice::flow::{FlowExtent, StepFlow};
use crate::query::slice::givers::InputOriginReader;
use crate::query::slice::live::{DefinitionSite, LiveLocation, LiveSet};
use crate::query::slice::pieces::{StatePiece, blocks_of, grow_view, joined};
use crate::query::slice::queries::SliceQuery;
use crate::query::slice::region::ControlRegions;
use crate::query::slice::touches::{LateLoads, NextTouches, WatchedBytes};
use crate::query::slice::walk::{check_length, sorted};
use crate::read::slots::SlotReader;
use crate::read::walked_uses::WalkedUses;

/// Iterates over the steps that a value flows to: the oldest first, each step once. Cost: each step
/// that touches a live location is read, and the next touch of each of its outputs is looked up.
/// Memory: the live locations at one time.
pub struct ForwardSliceWalk<'a> {
    index: &'a Index,
    edges: EdgeKinds,
    live: LiveSet,
    late: LateLoads,
    /// Finds the next uses of registers.
    uses: WalkedUses<'a>,
    /// Regions that are control dependent on steps that used the value.
    regions: ControlRegions<'a>,
    /// Rows that were found already.
    ready: VecDeque<SliceRow>,
    /// The query, until a row is returned: without any row, the value is overwritten unread.
    unread: Option<SliceQuery>,
}

/// A piece, and the slot of its write.
struct OutputPiece {
    piece: StatePiece,
    slot: u64,
}

/// Effect of a step on the traced value.
struct ReachedStep {
    row: SliceStep,
    /// Locations with the value afterwards.
    pieces: Vec<OutputPiece>,
    /// True if the value decides where control goes.
    decides: bool,
}

impl<'a> ForwardSliceWalk<'a> {
    pub(super) fn new(
        index: &'a Index,
        question: &SliceQuery,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        SlotReader(index).check_position(question.at)?;
        // Flags that are the cell of the query are traced in any case.
        let is_flags = matches!(question.cell, Cell::Register { view, .. } if view.register == RegisterId::PSR);
        let edges = EdgeKinds {
            flags: question.edges.flags || is_flags,
            ..question.edges
        };
        let (live, late, ready) = Default::default();
        let uses = WalkedUses::new(index);
        let mut walk = Self {
            index,
            edges,
            live,
            late,
            uses,
            regions: ControlRegions::new(index),
            ready,
            unread: None,
        };
        let memory_thread = SlotReader(index).memory_thread(seen_by, question.at)?;
        for (thread, piece) in walk.requested(question, memory_thread)? {
            for live in (ReachingDefinitions { index }).given(thread, piece, question.at, cancel)? {
                let block = walk.block_of(&live);
                walk.unread = Some(*question);
                for copy in walk.copies_of(&live, question.at)? {
                    walk.follow(copy, question.at.0.saturating_add(1), cancel)?;
                }
                walk.follow(
                    LiveLocation { block, ..live },
                    question.at.0.saturating_add(1),
                    cancel,
                )?;
            }
        }
        Ok(walk)
    }

    /// Returns the next row; none when the value is overwritten everywhere, or the trace ends.
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SliceRow>, QueryError> {
        loop {
            cancel.check()?;
            if let Some(row) = self.ready.pop_front() {
                self.unread = None;
                return Ok(Some(row));
            }
            match self
                .live
                .next_slot()
                .into_iter()
                .chain(self.regions.next_slot())
                .min()
            {
                Some(slot) => {
                    let lives = self.live.take_at(slot);
                    self.go_into(slot, lives, cancel)?;
                }
                None => {
                    self.ready
                        .extend(self.regions.take_unknown().into_iter().map(SliceRow::End));
                    let unread = self.unread.take().filter(|_| self.ready.is_empty());
                    if let Some(question) = unread {
                        self.ready
                            .extend(self.overwritten(&question, cancel)?.map(SliceRow::End));
                    }
                    return Ok(self.ready.pop_front());
                }
            }
        }
    }

    /// Ends the walk; returns the live locations as the ends of their chains.
    pub fn into_rest(mut self) -> Vec<SliceRow> {
        let mut rows: Vec<SliceRow> = self
            .ready
            .drain(..)
            .filter(|row| matches!(row, SliceRow::End(_)))
            .collect();
        while let Some(slot) = self.live.next_slot() {
            rows.extend(
                self.live
                    .take_at(slot)
                    .iter()
                    .flat_map(|live| live.ends(SliceEndKind::Limit)),
            );
        }
        let ends = self
            .regions
            .what_is_left()
            .into_iter()
            .chain(self.regions.take_unknown());
        rows.extend(ends.map(SliceRow::End));
        rows
    }

    /// Returns the end of a value that is overwritten before it is read; none for untraced kinds of
    /// cell.
    fn overwritten(
        &self,
        question: &SliceQuery,
        cancel: &Cancel,
    ) -> Result<Option<SliceEnd>, QueryError> {
        let writer = NearestAccess::next(question.cell, AccessKinds::Writes, question.at)
            .hit(self.index, cancel)?;
        let cell = match question.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                SliceCell::Flags {
                    thread,
                    bits: self.index.instruction_set(thread).flag_bits(),
                }
            }
            Cell::Register { thread, view } => SliceCell::Register { thread, view },
            Cell::Memory { address, len_bytes } => SliceCell::Memory { address, len_bytes },
            Cell::Physical { .. } => return Ok(None),
        };
        Ok(Some(SliceEnd {
            end: SliceEndKind::Overwritten {
                by: writer.map(|hit| hit.record.step),
            },
            cell,
            wanted_by: vec![SliceUse {
                step: None,
                edge: Edge::Data,
            }],
            doubt: None,
        }))
    }

    fn requested(
        &self,
        question: &SliceQuery,
        memory_thread: ThreadId,
    ) -> Result<Vec<(ThreadId, StatePiece)>, QueryError> {
        Ok(match question.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                let bits = self.index.instruction_set(thread).flag_bits();
                Some((thread, StatePiece::Flags(bits)))
                    .into_iter()
                    .filter(|_| bits != 0)
                    .collect()
            }
            Cell::Register { thread, view } => {
                let definers = ReachingDefinitions { index: self.index };
                vec![(thread, definers.register(thread, view, question.at, None)?)]
            }
            Cell::Memory { address, len_bytes } => {
                check_length(len_bytes)?;
                let blocks = blocks_of(address, len_bytes);
                blocks
                    .map(|(granule, mask)| (memory_thread, StatePiece::Memory { granule, mask }))
                    .collect()
            }
            Cell::Physical { .. } => {
                let format = self.index.contents.traits.format.clone();
                return Err(QueryError::NotRecorded {
                    format,
                    what: "what flows through physical memory",
                });
            }
        })
    }

    /// Returns further locations with a register's value at a position: an exception in the step
    /// that wrote it may have stored it in its frame.
    fn copies_of(
        &self,
        live: &LiveLocation,
        at: Position,
    ) -> Result<Vec<LiveLocation>, QueryError> {
        let has_frames = self
            .index
            .instruction_set(live.thread)
            .exception_frame()
            .is_some();
        let DefinitionSite::Step { step, slot } = live.giver else {
            return Ok(Vec::new());
        };
        if slot != at.0 || !has_frames {
            return Ok(Vec::new());
        }
        let events = StepEvents::about(std::iter::empty());
        let flow = StepFlow::within(
            self.index,
            step,
            FlowExtent::Slots(vec![slot]),
            self.edges,
            events,
        )?;
        let copies = flow.copies_in_frame(&live.piece, slot)?;
        Ok(copies
            .into_iter()
            .map(|piece| LiveLocation {
                piece,
                ..live.clone()
            })
            .collect())
    }

    /// Returns the number of steps after new flags that an `it` may have made dependent on them.
    fn block_of(&self, live: &LiveLocation) -> u8 {
        match live.piece {
            StatePiece::Flags(_) => self.index.instruction_set(live.thread).longest_block(),
            _ => 0,
        }
    }

    /// Adds a location, to wait for the next slot from `first` on that touches it.
    fn follow(
        &mut self,
        live: LiveLocation,
        first: u64,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let mut touches = NextTouches {
            index: self.index,
            edges: self.edges,
            uses: &mut self.uses,
        };
        let touched = touches.of(live.thread, &live.piece, first, cancel)?;
        let earlier = match (&live.piece, touched) {
            (StatePiece::Memory { granule, mask }, Some(touched)) => {
                let watched = WatchedBytes {
                    granule: *granule,
                    mask: *mask,
                    first,
                };
                self.late.first_step(self.index, watched, touched)?
            }
            (StatePiece::Flags(_), _) if live.block > 0 => {
                let next = SlotReader(self.index)
                    .next_step_of(live.thread, Position(first.saturating_sub(1)))?;
                next.map(|step| step.0.saturating_add(1))
            }
            _ => None,
        };
        match touched.into_iter().chain(earlier).min() {
            Some(slot) => self.live.add(slot, live),
            None => self.ready.extend(live.ends(SliceEndKind::Kept)),
        }
        Ok(())
    }

    /// Visits the step of a slot: finds its outputs, and applies the slot to all live locations.
    fn go_into(
        &mut self,
        slot: u64,
        lives: Vec<LiveLocation>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let Some(step) = Position(slot).last_step() else {
            return Ok(());
        };
        self.late.forget_before(slot);
        let events = StepEvents::about(lives.iter().map(|live| &live.piece));
        let flow = StepFlow::within(self.index, step, FlowExtent::Whole, self.edges, events)?;
        let thread = flow.thread();
        let decider = self.regions.decider_of(
            DependentStep {
                thread,
                step,
                text: flow.text.as_ref(),
            },
            cancel,
        )?;
        let fates = KillAnalysis::new(&flow, step, self.edges);
        let givers = InputOriginReader::new(&flow, step, &lives, &fates, self.edges);
        let reach = self.reach(givers, decider, cancel)?;
        let block = match flow.done().map(|done| done.meaning.condition) {
            Some(ExecutionCondition::Block(count)) => Some(count),
            _ => None,
        };
        let mut left = Vec::new();
        for mut live in lives {
            if live.thread == thread {
                live.block = block
                    .filter(|_| matches!(live.piece, StatePiece::Flags(_)))
                    .unwrap_or(live.block.saturating_sub(1));
            }
            let fate = fates.of(live)?;
            left.extend(fate.left);
            self.ready.extend(fate.ends);
        }
        if let Some(ReachedStep {
            row,
            pieces,
            decides,
        }) = reach
        {
            self.ready.push_back(SliceRow::Step(row));
            if decides {
                self.ready
                    .extend(self.regions.add(thread, step, cancel)?.map(SliceRow::End));
            }
            for OutputPiece { piece, slot: shown } in pieces {
                let giver = DefinitionSite::Step { step, slot: shown };
                let live = LiveLocation {
                    thread,
                    piece,
                    from: Some(step),
                    giver,
                    block: 0,
                };
                let live = LiveLocation {
                    block: self.block_of(&live),
                    ..live
                };
                if shown == slot {
                    let fate = fates.of(live)?;
                    left.extend(fate.left);
                    self.ready.extend(fate.ends);
                } else {
                    self.live.add(shown, live);
                }
            }
        }
        left.into_iter()
            .try_for_each(|live| self.follow(live, slot.saturating_add(1), cancel))
    }

    /// Finds the effect of a step on the traced value; `decider` decided that it runs.
    fn reach(
        &self,
        mut givers: InputOriginReader<'_, 'a>,
        decider: Option<Step>,
        cancel: &Cancel,
    ) -> Result<Option<ReachedStep>, QueryError> {
        let (flow, step) = (givers.flow, givers.step);
        let outputs = flow.outputs(step)?;
        let (mut wanted_by, mut doubt) = (Vec::new(), None);
        let (mut defines, mut pieces): (Vec<SliceDefinition>, Vec<OutputPiece>) =
            Default::default();
        let is_silent = outputs.is_empty();
        for output in outputs {
            cancel.check()?;
            // Most steps that touch a live location do not use it: only others are examined byte by
            // byte.
            let is_followed = decider.is_some() || !givers.of(&output, cancel)?.is_empty();
            let copied = match is_followed && decider.is_none() && !givers.has_all_of(&output) {
                true => givers.copied_parts(&output, cancel)?,
                false => None,
            };
            let parts = match copied {
                Some(parts) => parts,
                None if givers.has_all_of(&output) => vec![output],
                None if is_followed => flow.parts_of_output(output)?,
                None => Vec::new(),
            };
            for part in parts {
                let found = givers.of(&part, cancel)?;
                if found.is_empty() && decider.is_none() {
                    continue;
                }
                doubt = doubt.or_else(|| found.iter().find_map(|(reached, _)| reached.doubt));
                wanted_by.extend(found.iter().map(|(reached, edge)| SliceUse {
                    step: reached.from,
                    edge: *edge,
                }));
                defines.extend(part.outcome.defines);
                pieces.push(OutputPiece {
                    piece: part.piece,
                    slot: part.slot,
                });
            }
        }
        let is_reading = flow
            .done()
            .is_some_and(|done| is_silent || done.control.flow != FlowKind::Next);
        let mut decides = false;
        // A comparison whose flags are not shown, or a branch: it reads the value and defines none.
        if is_reading && (wanted_by.is_empty() || self.edges.control) {
            let (is_open, leads) = (wanted_by.is_empty(), flow.done().is_some_and(leads));
            for (taken, edge) in flow.decided_by() {
                let reached = givers.reached(&taken, cancel)?;
                decides |= self.edges.control && leads && !reached.is_empty();
                let taken_in = reached.iter().filter(|_| is_open);
                wanted_by.extend(taken_in.map(|reached| SliceUse {
                    step: reached.from,
                    edge,
                }));
                doubt = doubt.or_else(|| reached.iter().find_map(|reached| reached.doubt));
            }
        }
        wanted_by.extend(decider.map(|decider| SliceUse {
            step: Some(decider),
            edge: Edge::Control,
        }));
        if wanted_by.is_empty() {
            return Ok(None);
        }
        // A region that it decides is inside the one that was decided about it.
        decides &= decider.is_none();
        let (defines, pieces) = (joined_cells(defines), joined(pieces, grow_piece));
        let row = SliceStep {
            step,
            thread: flow.thread(),
            defines,
            wanted_by: sorted(wanted_by),
            doubt,
            detail: None,
        };
        Ok(Some(ReachedStep {
            row,
            pieces,
            decides,
        }))
    }
}

/// Returns true if the target of an instruction depends on its inputs.
fn leads(instruction: &Instruction) -> bool {
    let is_fixed =
        matches!(instruction.control.target, BranchTarget::Address(_)) && !instruction.decides();
    matches!(instruction.control.flow, FlowKind::Branch | FlowKind::Call) && !is_fixed
}

/// Sorts cells and merges adjacent ones.
fn joined_cells(mut defines: Vec<SliceDefinition>) -> Vec<SliceDefinition> {
    defines.sort_by_key(|defined| defined.cell);
    defines.dedup();
    joined(defines, |last, next| {
        if let (
            SliceCell::Flags { thread, bits },
            SliceCell::Flags {
                thread: other,
                bits: more,
            },
        ) = (&mut last.cell, next.cell)
            && *thread == other
        {
            *bits |= more;
            let both = last.value.0.iter_mut().zip(&next.value.0);
            both.for_each(|(byte, more)| *byte = byte.zip(*more).map(|(byte, more)| byte | more));
            return true;
        }
        let is_grown = match (&mut last.cell, next.cell) {
            (
                SliceCell::Register { thread, view },
                SliceCell::Register {
                    thread: other,
                    view: more,
                },
            ) => *thread == other && grow_view(view, more),
            (
                SliceCell::Memory { address, len_bytes },
                SliceCell::Memory {
                    address: other,
                    len_bytes: more,
                },
            ) if address.0.checked_add(*len_bytes) == Some(other.0) => {
                *len_bytes = len_bytes.saturating_add(more);
                true
            }
            _ => false,
        };
        if is_grown {
            last.value.0.extend(next.value.0.iter().copied());
        }
        is_grown
    })
}

/// Merges a piece into the adjacent one before it, if both show in the same slot.
fn grow_piece(last: &mut OutputPiece, next: &OutputPiece) -> bool {
    match (&mut last.piece, &next.piece) {
        _ if last.slot != next.slot => false,
        (StatePiece::Register { view, .. }, StatePiece::Register { view: more, .. }) => {
            grow_view(view, *more)
        }
        (
            StatePiece::Memory { granule, mask },
            StatePiece::Memory {
                granule: other,
                mask: more,
            },
        ) if granule == other => {
            *mask |= more;
            true
        }
        (StatePiece::Flags(bits), StatePiece::Flags(more)) => {
            *bits |= more;
            true
        }
        _ => false,
    }
}
