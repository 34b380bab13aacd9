//! Reaching definitions: the last writers of a piece of state, or the reason why there is none.

use std::sync::Arc;

use stepback_machine::banks::ExecutionState;
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{SliceEnd, SliceEndKind, SliceUse};
use crate::answers::step_record::Doubt;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::query::slice::beside::OtherThreadWrites;
use crate::query::slice::flow::StepInput;
use crate::query::slice::frontier::{SliceWorklist, TracedDefinition};
use crate::query::slice::pieces::{StatePiece, blocks_of_bytes};
use crate::read::doubts;
use crate::read::operands::OperandReader;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotReader, ThreadSlot};
use crate::read::untraced;
use crate::read::views::ViewReader;
use crate::read::write_lists::WriteLists;

/// Limit of the search for definitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefinitionLimit<'u> {
    /// Last slot with writes that count.
    pub slot: u64,
    /// Last slot with loads that may show changed memory: that of the load which uses the value.
    pub shown: u64,
    /// Writes of other threads in the slot of the using step, instead of all of that slot.
    pub beside: Option<&'u OtherThreadWrites>,
}

impl DefinitionLimit<'_> {
    /// Creates the limit for a position: everything that shows there counts.
    pub fn at(slot: u64) -> Self {
        Self {
            slot,
            shown: slot,
            beside: None,
        }
    }
}

/// Finds reaching definitions.
pub(super) struct ReachingDefinitions<'a> {
    pub index: &'a Index,
}

/// Request for the definitions of a piece, with its uses.
#[derive(Clone, Debug)]
pub(super) struct DefinitionQuery {
    pub thread: ThreadId,
    pub piece: StatePiece,
    pub wanted_by: Vec<SliceUse>,
    /// Doubt that the definition found is the right one.
    pub doubt: Option<Doubt>,
}

impl DefinitionQuery {
    /// Returns the request for the part that a step did not write after all, with the last slot in
    /// which that part may have been written.
    pub fn remaining_query(want: TracedDefinition) -> Option<(Self, u64)> {
        let TracedDefinition {
            thread,
            piece,
            slot,
            wanted_by,
            doubt,
        } = want;
        // An event since then that may have changed a register may also have done so since an
        // earlier step.
        let doubt = doubt.filter(|doubt| {
            matches!(
                doubt,
                Doubt::KernelEvent { .. } | Doubt::Gap { .. } | Doubt::Filtered
            )
        });
        Some((
            Self {
                thread,
                piece,
                wanted_by,
                doubt,
            },
            slot.checked_sub(1)?,
        ))
    }
}

/// Definitions found for some requests.
pub(super) struct FoundDefinitions<'f> {
    pub frontier: &'f mut SliceWorklist,
    pub ends: &'f mut Vec<SliceEnd>,
}

impl FoundDefinitions<'_> {
    pub fn end(&mut self, wish: &DefinitionQuery, piece: &StatePiece, end: SliceEndKind) {
        for cell in piece.cells(wish.thread) {
            self.ends.push(SliceEnd {
                end,
                cell,
                wanted_by: wish.wanted_by.clone(),
                doubt: wish.doubt,
            });
        }
    }
}

impl ReachingDefinitions<'_> {
    /// Resolves a register name before a step with a known state, or at a position.
    pub fn register(
        &self,
        thread: ThreadId,
        view: RegisterView,
        at: Position,
        state: Option<ExecutionState>,
    ) -> Result<StatePiece, QueryError> {
        let mut reader = RegisterReader::new(self.index, thread, at);
        let homes = match state {
            Some(state) if self.index.has_operands_alone() => Arc::new(Homes::only(RegisterView {
                register: state.mode.home(view.register),
                ..view
            })),
            None if self.index.has_operands_alone() => Arc::new(Homes::only(
                self.operands(thread)
                    .cells(&[view], at)?
                    .pop()
                    .unwrap_or(view),
            )),
            Some(state) => {
                reader.state = Some(Some(state));
                let find = || self.without_unwritten(thread, reader.homes(view)?);
                self.index.caches.homes.of((thread, view, state), find)?
            }
            None => Arc::new(reader.homes(view)?),
        };
        Ok(StatePiece::Register { view, homes })
    }

    /// Returns a register that a line wrote, with the names under which it may be overwritten.
    pub fn written_register(
        &self,
        thread: ThreadId,
        home: RegisterView,
        slot: u64,
    ) -> Result<StatePiece, QueryError> {
        let reader = RegisterReader::new(self.index, thread, Position(slot));
        let find = || self.without_unwritten(thread, reader.homes_of_written(home));
        Ok(StatePiece::Register {
            view: home,
            homes: self.index.caches.written_homes.of((thread, home), find)?,
        })
    }

    /// Removes the names that the trace never writes, unless it leaves the register out.
    fn without_unwritten(&self, thread: ThreadId, homes: Homes) -> Result<Homes, QueryError> {
        // An error would count as a register that is not left out, and be cached.
        untraced::untraced_registers(self.index, thread)?;
        let whole = |view: RegisterView| RegisterView::new(view.register, 0, u16::MAX);
        let is_left_out = homes
            .lists()
            .any(|view| self.is_left_out(thread, whole(view)));
        Ok(match is_left_out {
            true => homes,
            false => homes
                .without_unwritten(|view| ViewReader(self.index).is_written(thread, view.register)),
        })
    }

    /// Returns the pieces of an input, with names resolved before the step.
    pub fn pieces_of(
        &self,
        taken: &StepInput,
        state: Option<ExecutionState>,
        thread: ThreadId,
        step: Step,
    ) -> Result<Vec<StatePiece>, QueryError> {
        Ok(match taken {
            StepInput::Register(view) => {
                vec![self.register(thread, *view, Position(step.0), state)?]
            }
            StepInput::Home(view) => {
                let homes = RegisterReader::new(self.index, thread, Position(step.0))
                    .homes_of_written(*view);
                let named = homes
                    .lists()
                    .find(|home| home.register >= RegisterId::FIRST_NAMED);
                let register = named.map_or(self.index.plain_register(view.register), |home| {
                    home.register
                });
                vec![StatePiece::Register {
                    view: RegisterView { register, ..*view },
                    homes: Arc::new(homes),
                }]
            }
            StepInput::Flags(bits) => vec![StatePiece::Flags(*bits)],
            StepInput::Memory(addresses) => blocks_of_bytes(addresses),
        })
    }

    /// Adds the definitions that reach a piece.
    pub fn find(
        &self,
        wish: DefinitionQuery,
        until: DefinitionLimit<'_>,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        match wish.piece {
            StatePiece::Register { .. } => self.of_register(wish, until, finds, cancel),
            StatePiece::Flags(bits) => self.of_flags(wish, bits, until, finds, cancel),
            StatePiece::Memory { .. } => self.of_memory(wish, until, finds, cancel),
            // Control dependences are found by position, not by the last write.
            StatePiece::Decision => Ok(()),
        }
    }

    fn of_register(
        &self,
        wish: DefinitionQuery,
        until: DefinitionLimit<'_>,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let StatePiece::Register { view, homes } = wish.piece.clone() else {
            return Ok(());
        };
        let whole = RegisterView::new(view.register, 0, u16::MAX);
        if self.index.has_operands_alone() || self.is_left_out(wish.thread, whole) {
            let homes = homes.lists().map(|home| RegisterView {
                register: home.register,
                ..view
            });
            // Operands name no banks.
            let has_windows = self.index.instruction_set(wish.thread).has_windows();
            let cells: Vec<RegisterView> =
                homes.chain(Some(view).filter(|_| !has_windows)).collect();
            return self.of_operands(wish, &cells, until, finds, cancel);
        }
        let at = Position(until.slot);
        let homes = homes.of_bytes(view.offset, view.size_bytes);
        let mut lists = WriteLists::of(self.index, wish.thread, &homes, at)?;
        let clearing = RegisterReader::new(self.index, wish.thread, at).clearing(view);
        clearing.map_or(Ok(()), |low| lists.add_exactly(low))?;
        match lists.newest() {
            Some(slot) => self.written_in(wish, slot, finds, cancel),
            None => {
                let piece = wish.piece.clone();
                finds.end(&wish, &piece, SliceEndKind::Initial { line: None });
                Ok(())
            }
        }
    }

    /// Returns true for a register that the trace never writes though instructions do: many omit
    /// the flags or all floating-point registers, some the stack pointer. A read error counts as
    /// false; the reader of the answer reports it.
    pub fn is_left_out(&self, thread: ThreadId, view: RegisterView) -> bool {
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        if is_status {
            return ViewReader(self.index)
                .overlapping(thread, view)
                .next()
                .is_none();
        }
        if (RegisterId::V0..RegisterId::P0).contains(&view.register) {
            return untraced::leaves_vectors_out(self.index, thread).unwrap_or(false);
        }
        let plain = RegisterView {
            register: self.index.plain_register(view.register),
            ..view
        };
        untraced::untraced_registers(self.index, thread)
            .is_ok_and(|untraced| untraced.includes(plain))
    }

    /// Adds the definition of a piece that a slot of its thread writes.
    pub(super) fn written_in(
        &self,
        wish: DefinitionQuery,
        slot: u64,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let Some(step) = SlotReader(self.index).owner(wish.thread, slot)? else {
            let is_text = self.index.source().is_text();
            for (piece, stated) in self.initial_lines(&wish, slot)? {
                match (slot.checked_sub(1), stated) {
                    (Some(before), None) => {
                        self.find(
                            DefinitionQuery {
                                piece,
                                ..wish.clone()
                            },
                            DefinitionLimit::at(before),
                            finds,
                            cancel,
                        )?;
                    }
                    (_, stated) => {
                        let line = stated.map(|stated| stated.line).filter(|_| is_text);
                        let doubt = wish.doubt.or(stated.and_then(|stated| stated.doubt));
                        finds.end(
                            &DefinitionQuery {
                                doubt,
                                ..wish.clone()
                            },
                            &piece,
                            SliceEndKind::Initial { line },
                        );
                    }
                }
            }
            return Ok(());
        };
        let DefinitionQuery {
            thread,
            piece,
            wanted_by,
            doubt,
        } = wish;
        finds.frontier.add(
            step,
            TracedDefinition {
                thread,
                piece,
                slot,
                wanted_by,
                doubt,
            },
        );
        Ok(())
    }

    fn of_flags(
        &self,
        wish: DefinitionQuery,
        bits: u64,
        until: DefinitionLimit<'_>,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let view = status_view(bits);
        if self.index.has_operands_alone() || self.is_left_out(wish.thread, view) {
            return self.of_operands(wish, &[view], until, finds, cancel);
        }
        match ViewReader(self.index).last_register_slot(wish.thread, view, until.slot)? {
            Some(slot) => self.written_in(wish, slot, finds, cancel),
            None => {
                let piece = wish.piece.clone();
                finds.end(&wish, &piece, SliceEndKind::Initial { line: None });
                Ok(())
            }
        }
    }

    /// Finds definitions of registers that only the operands of instructions show, and no line or
    /// record.
    fn of_operands(
        &self,
        wish: DefinitionQuery,
        cells: &[RegisterView],
        until: DefinitionLimit<'_>,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let found = self
            .operands(wish.thread)
            .last_uses(cells, until.slot, cancel)?;
        match found.into_iter().flatten().max_by_key(|found| found.slot) {
            Some(found) => {
                let step = Step(found.slot.saturating_sub(1));
                let doubt = match found.doubt.or(wish.doubt) {
                    Some(doubt) => Some(doubt),
                    None => self.doubt_of_operands(wish.thread, found.slot, until, cancel)?,
                };
                let DefinitionQuery {
                    thread,
                    piece,
                    wanted_by,
                    ..
                } = wish;
                finds.frontier.add(
                    step,
                    TracedDefinition {
                        thread,
                        piece,
                        slot: found.slot,
                        wanted_by,
                        doubt,
                    },
                );
            }
            None => {
                let doubt = match wish.doubt {
                    Some(doubt) => Some(doubt),
                    None => self.doubt_of_operands(wish.thread, 0, until, cancel)?,
                };
                let piece = wish.piece.clone();
                finds.end(
                    &DefinitionQuery { doubt, ..wish },
                    &piece,
                    SliceEndKind::Initial { line: None },
                );
            }
        }
        Ok(())
    }

    /// Returns the reason why a register may have changed after the last step that names it.
    fn doubt_of_operands(
        &self,
        thread: ThreadId,
        slot: u64,
        until: DefinitionLimit<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        if self.index.contents.markers.is_empty() {
            return Ok(None);
        }
        let at = Position(until.slot);
        let doubt = doubts::register_doubt(self.index, ThreadSlot { thread, slot }, at, cancel)?;
        let is_filtered = doubts::is_filtered(self.index, at, cancel)?;
        Ok(doubt.or(is_filtered.then_some(Doubt::Filtered)))
    }

    fn operands(&self, thread: ThreadId) -> OperandReader<'_> {
        OperandReader {
            index: self.index,
            thread,
            kinds: AccessKinds::Writes.into(),
        }
    }
}

/// Returns the bytes of the status register that contain some flags.
pub(super) fn status_view(bits: u64) -> RegisterView {
    let first = bits.trailing_zeros() / 8;
    let last = 7 - (bits.leading_zeros() / 8).min(7);
    let (first, len) = (first.min(last), last.saturating_sub(first.min(last)) + 1);
    RegisterView::new(
        RegisterId::PSR,
        u16::try_from(first).unwrap_or(0),
        u16::try_from(len).unwrap_or(8),
    )
}
