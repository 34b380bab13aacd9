//! Backward slice from a cell, row by row.

use std::collections::VecDeque;

use stepback_machine::RegisterId;
use stepback_parsers::{Position, Step};

use crate::answers::cell::{Cell, MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{
    Edge, EdgeKinds, SliceEnd, SliceEndKind, SliceRow, SliceStep, SliceUse,
};
use crate::index::Index;
use crate::query::slice::control::{ControlDependenceReader, ControllingStep, DependentStep};
use crate::query::slice::definers::{
    DefinitionLimit, DefinitionQuery, FoundDefinitions, ReachingDefinitions,
};
use crate::query::slice::flow::{StepContribution, StepFlow, StepInput};
use crate::query::slice::frontier::{SliceWorklist, TracedDefinition};
use crate::query::slice::pieces::{StatePiece, blocks_of};
use crate::query::slice::queries::SliceQuery;
use crate::query::slice::region::{UndecidedSteps, control_of};
use crate::read::slots::SlotReader;

/// Maximum length in bytes of the memory of a slice query.
const SLICE_BYTES: u64 = 1 << 16;

/// Iterates over the rows of a backward slice: the newest step first, each step once. Cost: the
/// text of each step returned, and a lookup for each of its inputs. Memory: the worklist.
pub struct BackwardSliceWalk<'a> {
    index: &'a Index,
    edges: EdgeKinds,
    frontier: SliceWorklist,
    control: ControlDependenceReader<'a>,
    /// Steps without a known controlling step, reported last.
    undecided: UndecidedSteps,
    /// Rows that were found already.
    ready: VecDeque<SliceRow>,
}

impl<'a> BackwardSliceWalk<'a> {
    pub(super) fn new(
        index: &'a Index,
        question: &SliceQuery,
        seen_by: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        SlotReader(index).check_position(question.at)?;
        let mut walk = Self {
            index,
            edges: question.edges,
            frontier: SliceWorklist::default(),
            control: ControlDependenceReader::new(index),
            undecided: UndecidedSteps::default(),
            ready: VecDeque::new(),
        };
        let requested = vec![SliceUse {
            step: None,
            edge: Edge::Data,
        }];
        let slot = question.at.0;
        if let Cell::Register { thread, view } = question.cell
            && view.register == RegisterId::PC
        {
            walk.trace_last_step(thread, slot, requested.clone())?;
            return Ok(walk);
        }
        if let Cell::Physical { address, len_bytes } = question.cell {
            check_length(len_bytes)?;
            walk.find_physical(
                MemoryRange { address, len_bytes },
                question.at,
                &requested,
                cancel,
            )?;
            return Ok(walk);
        }
        let memory_thread = SlotReader(index).memory_thread(seen_by, question.at)?;
        for wish in walk.wishes(question, memory_thread, &requested)? {
            walk.find(wish, DefinitionLimit::at(slot), cancel)?;
        }
        Ok(walk)
    }

    /// Returns the next row; none when all chains have ended.
    pub fn next(&mut self, cancel: &Cancel) -> Result<Option<SliceRow>, QueryError> {
        loop {
            cancel.check()?;
            if let Some(row) = self.ready.pop_front() {
                return Ok(Some(row));
            }
            match self.frontier.take_newest() {
                Some((step, wants)) => self.go_into(step, wants, cancel)?,
                None => {
                    self.ready.extend(
                        self.undecided
                            .take(self.index)
                            .into_iter()
                            .map(SliceRow::End),
                    );
                    return Ok(self.ready.pop_front());
                }
            }
        }
    }

    /// Ends the walk; returns the rest of the worklist as the ends of its chains.
    pub fn into_rest(mut self) -> Vec<SliceRow> {
        let mut rows: Vec<SliceRow> = self
            .ready
            .drain(..)
            .filter(|row| matches!(row, SliceRow::End(_)))
            .collect();
        while let Some((_, wants)) = self.frontier.take_newest() {
            for want in wants {
                let cells = match want.piece {
                    StatePiece::Decision => vec![control_of(self.index, want.thread)],
                    piece => piece.cells(want.thread),
                };
                let wanted_by = sorted(want.wanted_by);
                let end = |cell| SliceEnd {
                    end: SliceEndKind::Limit,
                    cell,
                    wanted_by: wanted_by.clone(),
                    doubt: None,
                };
                rows.extend(cells.into_iter().map(end).map(SliceRow::End));
            }
        }
        rows.extend(
            self.undecided
                .take(self.index)
                .into_iter()
                .map(SliceRow::End),
        );
        rows
    }

    /// The program counter is defined by the last step of the thread.
    fn trace_last_step(
        &mut self,
        thread: ThreadId,
        slot: u64,
        wanted_by: Vec<SliceUse>,
    ) -> Result<(), QueryError> {
        if let Some(step) = SlotReader(self.index).owner(thread, slot)? {
            let (piece, slot) = (StatePiece::Decision, step.0.saturating_add(1));
            self.frontier.add(
                step,
                TracedDefinition {
                    thread,
                    piece,
                    slot,
                    wanted_by,
                    doubt: None,
                },
            );
        }
        Ok(())
    }

    /// Returns the requests for the cell of a query.
    fn wishes(
        &self,
        question: &SliceQuery,
        memory_thread: ThreadId,
        requested: &[SliceUse],
    ) -> Result<Vec<DefinitionQuery>, QueryError> {
        let wish = |thread, piece| DefinitionQuery {
            thread,
            piece,
            wanted_by: requested.to_vec(),
            doubt: None,
        };
        Ok(match question.cell {
            Cell::Register { thread, view } if view.register == RegisterId::PSR => {
                let bits = self.index.instruction_set(thread).flag_bits();
                vec![wish(thread, StatePiece::Flags(bits))]
                    .into_iter()
                    .filter(|_| bits != 0)
                    .collect()
            }
            Cell::Register { thread, view } => {
                vec![wish(
                    thread,
                    self.definers().register(thread, view, question.at, None)?,
                )]
            }
            Cell::Memory { address, len_bytes } => {
                check_length(len_bytes)?;
                let blocks = blocks_of(address, len_bytes);
                blocks
                    .map(|(granule, mask)| {
                        wish(memory_thread, StatePiece::Memory { granule, mask })
                    })
                    .collect()
            }
            // Already searched through the virtual pages mapped there.
            Cell::Physical { .. } => Vec::new(),
        })
    }

    fn definers(&self) -> ReachingDefinitions<'a> {
        ReachingDefinitions { index: self.index }
    }

    fn find(
        &mut self,
        wish: DefinitionQuery,
        until: DefinitionLimit<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let (definers, mut ends) = (self.definers(), Vec::new());
        let mut finds = FoundDefinitions {
            frontier: &mut self.frontier,
            ends: &mut ends,
        };
        definers.find(wish, until, &mut finds, cancel)?;
        self.ready.extend(ends.into_iter().map(SliceRow::End));
        Ok(())
    }

    fn find_physical(
        &mut self,
        range: MemoryRange,
        at: Position,
        requested: &[SliceUse],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let (definers, mut ends) = (self.definers(), Vec::new());
        let mut finds = FoundDefinitions {
            frontier: &mut self.frontier,
            ends: &mut ends,
        };
        definers.of_physical(range, at, requested, &mut finds, cancel)?;
        self.ready.extend(ends.into_iter().map(SliceRow::End));
        Ok(())
    }

    /// Visits a step: finds its contribution to the traced definitions, and the definitions of its
    /// inputs.
    fn go_into(
        &mut self,
        step: Step,
        wants: Vec<TracedDefinition>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let (mut flow, mut wants) = (StepFlow::of(self.index, step, &wants, self.edges)?, wants);
        let (mut outcome, mut wanted_by, mut doubt) =
            (StepContribution::default(), Vec::new(), None);
        loop {
            for want in wants {
                let (known, by, why) = (outcome.defines.len(), want.wanted_by.clone(), want.doubt);
                let piece = want.piece.clone();
                flow.take(want, &mut outcome)?;
                if outcome.defines.len() > known || matches!(piece, StatePiece::Decision) {
                    wanted_by.extend(by);
                    doubt = doubt.or(why);
                }
            }
            self.find_remaining(std::mem::take(&mut outcome.rests), cancel)?;
            // The later writes of a step may leave parts that it wrote earlier.
            let Some(more) = self.frontier.take(step) else {
                break;
            };
            flow = StepFlow::of(self.index, step, &more, self.edges)?;
            wants = more;
        }
        if outcome.defines.is_empty() && !outcome.decides {
            return Ok(());
        }
        doubt = doubt.or(outcome.doubt);
        let StepContribution {
            mut defines,
            inputs,
            ends,
            ..
        } = outcome;
        defines.sort_by_key(|defined| defined.cell);
        defines.dedup();
        let thread = flow.thread();
        let wanted_by = sorted(wanted_by);
        self.ready.push_back(SliceRow::Step(SliceStep {
            step,
            thread,
            defines,
            wanted_by,
            doubt,
            detail: flow.detail(),
        }));
        let by_this = |edge| {
            vec![SliceUse {
                step: Some(step),
                edge,
            }]
        };
        let ends = ends.into_iter().map(|(end, cell)| SliceEnd {
            end,
            cell,
            wanted_by: by_this(Edge::Data),
            doubt: None,
        });
        self.ready.extend(ends.map(SliceRow::End));
        if self.edges.control {
            self.trace_controlling_step(
                DependentStep {
                    thread,
                    step,
                    text: flow.text.as_ref(),
                },
                cancel,
            )?;
        }
        let until = DefinitionLimit {
            slot: step.0,
            shown: step.0.saturating_add(1),
            beside: flow.beside.as_ref(),
        };
        let has_registers = inputs
            .iter()
            .any(|(taken, _)| matches!(taken, StepInput::Register(_)));
        let state = if has_registers { flow.state()? } else { None };
        for (taken, edge) in inputs {
            for piece in self.definers().pieces_of(&taken, state, thread, step)? {
                self.find(
                    DefinitionQuery {
                        thread,
                        piece,
                        wanted_by: by_this(edge),
                        doubt: None,
                    },
                    until,
                    cancel,
                )?;
            }
        }
        Ok(())
    }

    /// Adds the controlling step of a step to the worklist.
    fn trace_controlling_step(
        &mut self,
        ran: DependentStep<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let DependentStep { thread, step, .. } = ran;
        let by_this = SliceUse {
            step: Some(step),
            edge: Edge::Control,
        };
        match self.control.decider_of(ran, cancel)? {
            ControllingStep::Step(decider) => {
                let (piece, slot, wanted_by) = (
                    StatePiece::Decision,
                    decider.0.saturating_add(1),
                    vec![by_this],
                );
                self.frontier.add(
                    decider,
                    TracedDefinition {
                        thread,
                        piece,
                        slot,
                        wanted_by,
                        doubt: None,
                    },
                );
            }
            ControllingStep::Nothing(end) => {
                self.ready.extend(
                    self.undecided
                        .add(self.index, thread, end, by_this)
                        .map(SliceRow::End),
                );
            }
        }
        Ok(())
    }

    /// Searches earlier for the parts that a step did not write after all.
    fn find_remaining(
        &mut self,
        rests: Vec<TracedDefinition>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        for (wish, slot) in rests
            .into_iter()
            .filter_map(DefinitionQuery::remaining_query)
        {
            self.find(wish, DefinitionLimit::at(slot), cancel)?;
        }
        Ok(())
    }
}

/// Each byte is a separate chain.
pub(super) fn check_length(requested: u64) -> Result<(), QueryError> {
    if requested > SLICE_BYTES {
        Err(QueryError::TooLong {
            requested,
            limit: SLICE_BYTES,
        })
    } else {
        Ok(())
    }
}

/// Sorts uses and removes duplicates.
pub(super) fn sorted(mut wanted_by: Vec<SliceUse>) -> Vec<SliceUse> {
    wanted_by.sort_unstable();
    wanted_by.dedup();
    wanted_by
}
