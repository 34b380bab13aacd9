//! The walk from a cell on to where its value goes, row by row.

use std::collections::VecDeque;

use stepback_machine::{Condition, RegisterId, RegisterView};
use stepback_parsers::{Source, Step};

use crate::answers::cancel::Cancel;
use crate::answers::cell::Cell;
use crate::answers::error::QueryError;
use crate::answers::slice::{Defined, Edge, EdgeKinds, End, SliceEnd, SliceRow, SliceStep, WantedBy};
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::slice::definers::Definers;
use crate::query::slice::flow::{StepFlow, Taken};
use crate::query::slice::influence::Influence;
use crate::query::slice::live::{Live, LiveSet, Overwritten, Reached};
use crate::query::slice::outputs::Output;
use crate::query::slice::pieces::{Piece, blocks_of};
use crate::query::slice::step_events::StepEvents;
use crate::query::slice::touches::NextTouches;
use crate::query::slice::walk::{check_length, sorted};
use crate::read::slots::SlotReader;

/// Hands out the steps to which a value goes: the oldest first, each step once. Cost: each step that touches what holds the
/// value is read, and for each of its outputs the next touch is looked for. Memory: what holds the value at one time.
pub struct OnwardWalk<'a, S> {
    index: &'a Index<S>,
    edges: EdgeKinds,
    live: LiveSet,
    /// Rows that are found already.
    ready: VecDeque<SliceRow>,
}

impl<'a, S: Source> OnwardWalk<'a, S> {
    pub(super) fn new(index: &'a Index<S>, question: &Influence, cancel: &Cancel) -> Result<Self, QueryError> {
        SlotReader(index).check_position(question.at)?;
        // Flags that are the question itself are followed in any case.
        let is_flags = matches!(question.cell, Cell::Register { view, .. } if view.register == RegisterId::PSR);
        let edges = EdgeKinds { flags: question.edges.flags || is_flags, ..question.edges };
        let mut walk = Self { index, edges, live: LiveSet::default(), ready: VecDeque::new() };
        for (thread, piece) in walk.asked(question)? {
            let live = Live { thread, piece, from: None, block: 0 };
            walk.follow(live, question.at.0.saturating_add(1), cancel)?;
        }
        Ok(walk)
    }

    /// The next row; none when the value is overwritten everywhere, or the trace ends.
    ///
    /// # Errors
    /// See [`QueryError`]; a walk that was cancelled has to be begun again.
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SliceRow>, QueryError> {
        loop {
            cancel.check()?;
            if let Some(row) = self.ready.pop_front() {
                return Ok(Some(row));
            }
            let Some((slot, live)) = self.live.take_oldest() else { return Ok(None) };
            self.go_into(slot, live, cancel)?;
        }
    }

    /// What is still followed, as the ends of its chains; the walk is over then.
    pub fn what_is_left(mut self) -> Vec<SliceRow> {
        let mut rows: Vec<SliceRow> = self.ready.drain(..).filter(|row| matches!(row, SliceRow::End(_))).collect();
        while let Some((_, live)) = self.live.take_oldest() {
            rows.extend(live.iter().flat_map(|live| ends_of(live, End::Limit)));
        }
        rows
    }

    fn asked(&self, question: &Influence) -> Result<Vec<(ThreadId, Piece)>, QueryError> {
        Ok(match question.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                let bits = self.index.instruction_set(thread).flag_bits();
                Some((thread, Piece::Flags(bits))).into_iter().filter(|_| bits != 0).collect()
            }
            Cell::Register { thread, view } => {
                let definers = Definers { index: self.index };
                vec![(thread, definers.register(thread, view, question.at, None)?)]
            }
            Cell::Memory { address, len_bytes } => {
                check_length(len_bytes)?;
                let blocks = blocks_of(address, len_bytes);
                blocks.map(|(granule, mask)| (ThreadId(0), Piece::Memory { granule, mask })).collect()
            }
            Cell::Physical { .. } => {
                let format = self.index.contents.traits.format.clone();
                return Err(QueryError::NotRecorded { format, what: "what flows through physical memory" });
            }
        })
    }

    /// Waits for who touches a piece from a slot on.
    fn follow(&mut self, live: Live, first: u64, cancel: &Cancel) -> Result<(), QueryError> {
        let touches = NextTouches { index: self.index };
        match touches.of(live.thread, &live.piece, first, cancel)? {
            Some(slot) => self.live.add(slot, live),
            None => self.ready.extend(ends_of(&live, End::Kept)),
        }
        Ok(())
    }

    /// Goes into what the steps of a slot do with pieces that hold the value.
    fn go_into(&mut self, slot: u64, live: Vec<Live>, cancel: &Cancel) -> Result<(), QueryError> {
        let mut live = live;
        let threads = self.threads_in(slot)?;
        for thread in threads.iter().copied() {
            let Some(step) = SlotReader(self.index).owner(thread, slot)? else { continue };
            let flow = StepFlow::in_slots(
                self.index,
                step,
                vec![slot],
                self.edges,
                StepEvents::about(live.iter().map(|live| &live.piece)),
            )?;
            let outputs: Vec<Output> = flow.outputs(step)?.into_iter().filter(|output| output.slot == slot).collect();
            let (row, reached) = reach(&flow, step, &live, &outputs);
            let is_block = flow.done().map(|done| done.meaning.condition);
            self.ready.extend(ends_unknown(&live, &outputs, thread));
            live = live.into_iter().flat_map(|live| overwritten(live, &flow, &outputs)).collect();
            if let Some(Condition::Block(count)) = is_block {
                let flags =
                    live.iter_mut().filter(|live| matches!(live.piece, Piece::Flags(_)) && live.thread == thread);
                flags.for_each(|live| live.block = count + 1);
            }
            self.ready.extend(row.map(SliceRow::Step));
            for piece in reached {
                self.follow(Live { thread, piece, from: Some(step), block: 0 }, slot.saturating_add(1), cancel)?;
            }
        }
        for mut one in live {
            // The steps of its thread count.
            one.block = one.block.saturating_sub(u8::from(threads.contains(&one.thread)));
            if one.block > 0 && slot < self.index.step_count() {
                self.live.add(slot.saturating_add(1), one);
            } else {
                self.follow(one, slot.saturating_add(1), cancel)?;
            }
        }
        Ok(())
    }

    /// The threads that did something in a slot, in order.
    fn threads_in(&self, slot: u64) -> Result<Vec<ThreadId>, QueryError> {
        if self.index.threads().len() == 1 {
            return Ok(vec![ThreadId(0)]);
        }
        let mut threads = Vec::new();
        SlotReader(self.index).each_event(slot..slot.saturating_add(1), |event| {
            if event.slot == slot && !threads.contains(&event.thread) {
                threads.push(event.thread);
            }
            Ok(())
        })?;
        Ok(threads)
    }
}

/// What a step makes of what is followed: its row, and the pieces that hold it then.
fn reach<S: Source>(
    flow: &StepFlow<'_, S>,
    step: Step,
    live: &[Live],
    outputs: &[Output],
) -> (Option<SliceStep>, Vec<Piece>) {
    let thread = flow.thread();
    let home = |view: RegisterView| match &flow.text {
        Some(text) => RegisterView { register: text.mode.home(view.register), ..view },
        None => view,
    };
    let taking = |taken: &Taken| live.iter().filter(|live| live.is_taken(taken, thread, home)).collect::<Vec<_>>();
    let mut reached: Vec<Reached> = Vec::new();
    let (mut defines, mut pieces): (Vec<Defined>, Vec<Piece>) = (Vec::new(), Vec::new());
    for output in outputs {
        let inputs = output.outcome.inputs.iter();
        let found: Vec<Reached> = inputs
            .flat_map(|(taken, edge)| taking(taken).into_iter().map(|live| Reached { from: live.from, edge: *edge }))
            .collect();
        if !found.is_empty() {
            reached.extend(found);
            defines.extend(output.outcome.defines.iter().cloned());
            pieces.push(output.piece.clone());
        }
    }
    // A comparison, or a branch: it reads the value and gives none.
    if reached.is_empty() && outputs.is_empty() {
        let inputs = flow.decided_by();
        reached.extend(
            inputs.iter().flat_map(|(taken, edge)| {
                taking(taken).into_iter().map(|live| Reached { from: live.from, edge: *edge })
            }),
        );
    }
    if reached.is_empty() {
        return (None, Vec::new());
    }
    defines.sort_by_key(|defined| defined.cell);
    defines.dedup();
    let wanted_by = reached.iter().map(|reached| WantedBy { step: reached.from, edge: reached.edge }).collect();
    let (defines, wanted_by) = (joined(defines), sorted(wanted_by));
    let doubt = outputs.iter().find_map(|output| output.outcome.doubt);
    (Some(SliceStep { step, thread, defines, wanted_by, doubt }), joined_pieces(pieces))
}

/// What is left of a piece behind a step.
fn overwritten<S: Source>(live: Live, flow: &StepFlow<'_, S>, outputs: &[Output]) -> Vec<Live> {
    let thread = flow.thread();
    let owner = live.thread;
    live.without(|piece| match piece {
        Piece::Register { homes, .. } => {
            let written = outputs.iter().filter_map(|output| match &output.piece {
                Piece::Register { view, .. } if thread == owner => Some(*view),
                _ => None,
            });
            let meant = written.filter(|view| homes.lists().any(|home| home.register == view.register));
            Overwritten::Bytes(meant.map(|view| view.offset..view.offset.saturating_add(view.size_bytes)).collect())
        }
        Piece::Decision => Overwritten::Mask(0),
        Piece::Flags(_) => Overwritten::Mask(outputs.iter().fold(0, |mask, output| match output.piece {
            Piece::Flags(bits) if thread == owner => mask | bits,
            _ => mask,
        })),
        Piece::Memory { granule, .. } => Overwritten::Mask(
            outputs.iter().fold(0, |mask, output| match output.piece {
                Piece::Memory { granule: other, mask: more } if other == *granule => mask | more,
                _ => mask,
            }) | host_mask(flow, *granule),
        ),
    })
}

/// The bytes of a block that the host wrote when the step asked it.
fn host_mask<S: Source>(flow: &StepFlow<'_, S>, granule: u64) -> u64 {
    let slot = flow.events.first().map(|event| event.slot);
    let region = slot.and_then(|slot| flow.index.host_regions.at(slot));
    region.map_or(0, |region| crate::store::granules::bytes_between(granule, region.first, region.last))
}

/// Where what is followed was overwritten by what is not known to be made of it or not.
fn ends_unknown(live: &[Live], outputs: &[Output], thread: ThreadId) -> Vec<SliceRow> {
    let mut ends = Vec::new();
    for (end, cell) in outputs.iter().flat_map(|output| &output.outcome.ends) {
        let hit = live.iter().filter(|live| live.is_in(*cell, thread));
        let mut wanted_by: Vec<WantedBy> = hit.map(|live| WantedBy { step: live.from, edge: Edge::Data }).collect();
        wanted_by.sort_unstable();
        wanted_by.dedup();
        if matches!(end, End::Unknown(_)) && !wanted_by.is_empty() {
            ends.push(SliceRow::End(SliceEnd { end: *end, cell: *cell, wanted_by }));
        }
    }
    ends
}

fn ends_of(live: &Live, end: End) -> Vec<SliceRow> {
    let wanted_by = vec![WantedBy { step: live.from, edge: Edge::Data }];
    let end = |cell| SliceRow::End(SliceEnd { end, cell, wanted_by: wanted_by.clone() });
    live.piece.cells(live.thread).into_iter().map(end).collect()
}

/// Cells that lie side by side as one.
fn joined(defines: Vec<Defined>) -> Vec<Defined> {
    use crate::answers::slice::SliceCell::{Memory, Register};
    let mut all: Vec<Defined> = Vec::new();
    for next in defines {
        let is_grown = match (all.last_mut(), next.cell) {
            (Some(Defined { cell: Register { thread, view }, value }), Register { thread: other, view: more })
                if *thread == other
                    && view.register == more.register
                    && view.offset + view.size_bytes == more.offset =>
            {
                view.size_bytes += more.size_bytes;
                value.0.extend(next.value.0.iter().copied());
                true
            }
            (
                Some(Defined { cell: Memory { address, len_bytes }, value }),
                Memory { address: other, len_bytes: more },
            ) if address.0.checked_add(*len_bytes) == Some(other.0) => {
                *len_bytes += more;
                value.0.extend(next.value.0.iter().copied());
                true
            }
            _ => false,
        };
        if !is_grown {
            all.push(next);
        }
    }
    all
}

/// The same of pieces, which come in order.
fn joined_pieces(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for next in pieces {
        let is_grown = match (all.last_mut(), &next) {
            (Some(Piece::Register { view, .. }), Piece::Register { view: more, .. })
                if view.register == more.register && view.offset + view.size_bytes == more.offset =>
            {
                view.size_bytes += more.size_bytes;
                true
            }
            (Some(Piece::Memory { granule, mask }), Piece::Memory { granule: other, mask: more })
                if granule == other =>
            {
                *mask |= more;
                true
            }
            _ => false,
        };
        if !is_grown {
            all.push(next);
        }
    }
    all
}
