//! Finds the traced locations that the inputs of a step come from.
//!
//! A step uses the traced value if its own backward slice would name the definition of the value.
//! All steps that touch a location with the value are visited, so up to the next of them it holds
//! the value. If that does not decide (other threads, several locations, names that may mean
//! several registers, external changes), the reaching definition is looked up, as in a backward
//! slice.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use stepback_machine::RegisterView;
use stepback_machine::banks::ExecutionState;
use stepback_parsers::{Position, Step};

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{Edge, EdgeKinds, SliceCell};
use crate::answers::step_record::Doubt;
use crate::index::homes::Homes;
use crate::query::slice::definers::{
    DefinitionLimit, DefinitionQuery, FoundDefinitions, ReachingDefinitions,
};
use crate::query::slice::fates::KillAnalysis;
use crate::query::slice::flow::{StepContribution, StepFlow, StepInput};
use crate::query::slice::frontier::{SliceWorklist, TracedDefinition};
use crate::query::slice::live::{DefinitionSite, LiveLocation};
use crate::query::slice::outputs::StepOutput;
use crate::query::slice::pieces::{StatePiece, blocks_of};
use crate::read::views::ViewReader;

/// Size in bytes up to which a memory input is looked up again each time.
const WORD: usize = 8;

/// Origin of an input in the traced value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputOrigin {
    /// Step that defined it; none for the cell of the query.
    pub from: Option<Step>,
    /// Reason why the value may have another origin.
    pub doubt: Option<Doubt>,
}

/// Looks up the inputs of a step among the traced locations.
pub(super) struct InputOriginReader<'w, 'a> {
    pub flow: &'w StepFlow<'a>,
    pub step: Step,
    pub lives: &'w [LiveLocation],
    fates: &'w KillAnalysis<'w, 'a>,
    /// State that resolves register names; none until it is needed.
    state: Option<Option<ExecutionState>>,
    edges: EdgeKinds,
    /// Inputs looked up already: many outputs have equal inputs.
    known: HashMap<StepInput, Vec<InputOrigin>, RandomState>,
    /// Inputs with a single traced location as their source, which is thus the source of each part
    /// of them.
    whole: Vec<(StepInput, InputOrigin)>,
}

impl<'w, 'a> InputOriginReader<'w, 'a> {
    pub fn new(
        flow: &'w StepFlow<'a>,
        step: Step,
        lives: &'w [LiveLocation],
        fates: &'w KillAnalysis<'w, 'a>,
        edges: EdgeKinds,
    ) -> Self {
        Self {
            flow,
            step,
            lives,
            fates,
            state: None,
            edges,
            known: HashMap::default(),
            whole: Vec::new(),
        }
    }

    /// Returns the state that resolves the step's register names.
    fn state(&mut self) -> Result<Option<ExecutionState>, QueryError> {
        match self.state {
            Some(state) => Ok(state),
            None => Ok(*self.state.insert(self.flow.state()?)),
        }
    }

    /// Returns the origins of an output's inputs, with the kinds of edge.
    pub fn of(
        &mut self,
        output: &StepOutput,
        cancel: &Cancel,
    ) -> Result<Vec<(InputOrigin, Edge)>, QueryError> {
        let mut found = Vec::new();
        for (taken, edge) in &output.outcome.inputs {
            found.extend(
                self.reached(taken, cancel)?
                    .into_iter()
                    .map(|reached| (reached, *edge)),
            );
        }
        Ok(found)
    }

    /// Returns true if every byte of an output is a copy of a byte of one location. Only inputs
    /// already passed to [`Self::reached`] count.
    pub fn has_all_of(&self, output: &StepOutput) -> bool {
        let [(taken, Edge::Copy)] = output.outcome.inputs.as_slice() else {
            return false;
        };
        let is_as_long = taken
            .len_bytes()
            .is_some_and(|len| output.piece.len_bytes() == Some(len));
        is_as_long
            && output.outcome.ends.is_empty()
            && self.whole.iter().any(|(whole, _)| whole.includes(taken))
    }

    /// Returns the origins of an input.
    pub fn reached(
        &mut self,
        taken: &StepInput,
        cancel: &Cancel,
    ) -> Result<Vec<InputOrigin>, QueryError> {
        if let Some(reached) = self.known.get(taken) {
            return Ok(reached.clone());
        }
        if let Some((_, holder)) = self.whole.iter().find(|(whole, _)| whole.includes(taken)) {
            return Ok(vec![*holder]);
        }
        let state = if matches!(taken, StepInput::Register(_)) {
            self.state()?
        } else {
            None
        };
        let mut reached = Vec::new();
        // A step may use thousands of bytes for each of its outputs.
        let mut is_kept = matches!(taken, StepInput::Memory(addresses) if addresses.len() > WORD);
        let definers = ReachingDefinitions {
            index: self.flow.index,
        };
        let pieces = definers.pieces_of(taken, state, self.flow.thread(), self.step)?;
        let is_one = pieces.len() == 1;
        for piece in pieces {
            let holder = match self.unchanged_location(&piece)? {
                Some(live) => {
                    reached.extend(live.map(|live| InputOrigin {
                        from: live.from,
                        doubt: None,
                    }));
                    live.filter(|live| live.has_bytes_of(&piece))
                        .and(reached.last().copied())
                }
                None => {
                    is_kept = true;
                    self.look_up(piece, &mut reached, cancel)?
                }
            };
            let holder = holder.filter(|_| is_one && reached.len() == 1);
            self.whole
                .extend(holder.map(|holder| (taken.clone(), holder)));
        }
        if is_kept {
            self.known.insert(taken.clone(), reached.clone());
        }
        Ok(reached)
    }

    /// Returns the location with bytes of a piece if it is known without a look-up: a traced
    /// location is unchanged up to the slot that touches it next. The outer `None` requires a
    /// look-up.
    fn unchanged_location(
        &self,
        piece: &StatePiece,
    ) -> Result<Option<Option<&'w LiveLocation>>, QueryError> {
        let (index, thread) = (self.flow.index, self.flow.thread());
        let mut holders = self.lives.iter().filter(|live| live.meets(piece, thread));
        let Some(live) = holders.next() else {
            return Ok(Some(None));
        };
        let DefinitionSite::Step { slot: given, .. } = live.giver else {
            return Ok(None);
        };
        let is_earlier = given <= self.step.0;
        let is_known = is_earlier
            && holders.next().is_none()
            && match (piece, &live.piece) {
                (
                    StatePiece::Register { view, homes },
                    StatePiece::Register { homes: others, .. },
                ) => {
                    let whole = RegisterView::new(view.register, 0, u16::MAX);
                    let definers = ReachingDefinitions { index };
                    let is_stated =
                        !index.has_operands_alone() && !definers.is_left_out(thread, whole);
                    is_stated && self.is_only_candidate(given, homes, others)?
                }
                (StatePiece::Memory { granule, .. }, StatePiece::Memory { .. }) => {
                    let is_alone = index.threads().len() == 1 && index.contents.markers.is_empty();
                    let by_host = || index.host_regions.at(self.step.0.saturating_add(1));
                    is_alone && by_host().is_none() && !self.fates.has_changes(*granule)?
                }
                _ => false,
            };
        Ok(is_known.then_some(Some(live)))
    }

    /// Returns true if the traced register is certainly one of the candidates, and no other
    /// candidate was written since.
    fn is_only_candidate(
        &self,
        given: u64,
        meant: &Homes,
        written: &Homes,
    ) -> Result<bool, QueryError> {
        let (Some(register), reader) = (written.only_list(), ViewReader(self.flow.index)) else {
            return Ok(false);
        };
        let mut is_found = false;
        for list in meant.lists() {
            let is_it = list.register == register;
            is_found |= is_it && meant.is_sure(list);
            let last = if is_it {
                None
            } else {
                reader.last_register_slot(self.flow.thread(), list, self.step.0)?
            };
            if last.is_some_and(|last| last >= given) {
                return Ok(false);
            }
        }
        Ok(is_found)
    }

    /// Adds the origins of a piece. Returns the origin of the whole piece if there is one and no
    /// writer had to be read.
    fn look_up(
        &self,
        piece: StatePiece,
        reached: &mut Vec<InputOrigin>,
        cancel: &Cancel,
    ) -> Result<Option<InputOrigin>, QueryError> {
        let mut holder = None;
        let requested = piece.clone();
        let (index, thread) = (self.flow.index, self.flow.thread());
        let own = DefinitionLimit {
            slot: self.step.0,
            shown: self.step.0.saturating_add(1),
            beside: self.flow.beside.as_ref(),
        };
        let mut open = vec![(
            DefinitionQuery {
                thread,
                piece,
                wanted_by: Vec::new(),
                doubt: None,
            },
            own,
        )];
        while let Some((wish, until)) = open.pop() {
            if !self
                .lives
                .iter()
                .any(|live| live.meets(&wish.piece, wish.thread))
            {
                continue;
            }
            let (mut frontier, mut ends) = (SliceWorklist::default(), Vec::new());
            let mut finds = FoundDefinitions {
                frontier: &mut frontier,
                ends: &mut ends,
            };
            ReachingDefinitions { index }.find(wish.clone(), until, &mut finds, cancel)?;
            for end in ends {
                let hit = self
                    .lives
                    .iter()
                    .filter(|live| live.giver == DefinitionSite::Nobody(end.end));
                let hit =
                    hit.filter(|live| live.meets(&wish.piece, wish.thread) && live.has(end.cell));
                reached.extend(hit.map(|live| InputOrigin {
                    from: live.from,
                    doubt: None,
                }));
            }
            while let Some((step, wants)) = frontier.take_newest() {
                for want in wants {
                    if let Some(found) = self.definition_origin(step, &want)? {
                        holder = Some(found).filter(|_| want.piece.is_same(&requested));
                        reached.push(found);
                    } else {
                        open.extend(self.take(step, want, reached)?.into_iter().filter_map(rest));
                    }
                }
            }
        }
        Ok(holder)
    }

    /// Returns the origin of the whole piece of a definition.
    fn definition_origin(
        &self,
        step: Step,
        want: &TracedDefinition,
    ) -> Result<Option<InputOrigin>, QueryError> {
        let giver = DefinitionSite::Step {
            step,
            slot: want.slot,
        };
        let is_holder = |live: &&LiveLocation| {
            live.giver == giver
                && live.meets(&want.piece, want.thread)
                && live.has_bytes_of(&want.piece)
        };
        let holder = self.lives.iter().find(is_holder);
        let is_sure = holder.is_some() && self.is_one_register(want)?;
        Ok(holder.filter(|_| is_sure).map(|live| InputOrigin {
            from: live.from,
            doubt: want.doubt,
        }))
    }

    /// Returns true if the slot of a definition writes exactly one of the candidate registers, and
    /// that one is certainly meant.
    fn is_one_register(&self, want: &TracedDefinition) -> Result<bool, QueryError> {
        let StatePiece::Register { homes, .. } = &want.piece else {
            return Ok(true);
        };
        // Without recorded registers the lists are empty.
        if self.flow.index.has_operands_alone() {
            return Ok(homes.lists().nth(1).is_none());
        }
        let (reader, mut is_found) = (ViewReader(self.flow.index), false);
        for list in homes.lists() {
            if reader.last_register_slot(want.thread, list, want.slot)? == Some(want.slot) {
                if is_found || !homes.is_sure(list) {
                    return Ok(false);
                }
                is_found = true;
            }
        }
        Ok(is_found)
    }

    /// Adds the origins among the traced parts of a definition; returns the parts that the step did
    /// not write after all.
    fn take(
        &self,
        step: Step,
        want: TracedDefinition,
        reached: &mut Vec<InputOrigin>,
    ) -> Result<Vec<TracedDefinition>, QueryError> {
        let giver = DefinitionSite::Step {
            step,
            slot: want.slot,
        };
        let is_meant =
            |live: &&LiveLocation| live.giver == giver && live.meets(&want.piece, want.thread);
        if !self
            .lives
            .iter()
            .any(|live| live.meets(&want.piece, want.thread))
        {
            return Ok(Vec::new());
        }
        let writer = StepFlow::of(
            self.flow.index,
            step,
            std::slice::from_ref(&want),
            self.edges,
        )?;
        let mut outcome = StepContribution::default();
        writer.take(want.clone(), &mut outcome)?;
        let doubt = want.doubt.or(outcome.doubt);
        let hit: Vec<&LiveLocation> = match &want.piece {
            StatePiece::Register { view, homes } => {
                let written = writer.written_bytes(*view, homes, want.slot)?;
                let is_hit = |live: &&LiveLocation| {
                    let mut bytes = (view.offset..)
                        .zip(&written)
                        .filter_map(|(offset, byte)| Some((offset, (*byte)?)));
                    bytes.any(|(offset, byte)| live.has_byte(offset, byte.home))
                };
                self.lives.iter().filter(is_meant).filter(is_hit).collect()
            }
            _ => {
                let is_hit = |live: &&LiveLocation| {
                    outcome.defines.iter().any(|defined| live.has(defined.cell))
                };
                self.lives.iter().filter(is_meant).filter(is_hit).collect()
            }
        };
        reached.extend(hit.into_iter().map(|live| InputOrigin {
            from: live.from,
            doubt,
        }));
        Ok(outcome.rests)
    }
}

/// Returns the request for the remaining part of a definition, and its limit.
fn rest<'u>(want: TracedDefinition) -> Option<(DefinitionQuery, DefinitionLimit<'u>)> {
    let (wish, slot) = DefinitionQuery::remaining_query(want)?;
    Some((wish, DefinitionLimit::at(slot)))
}

impl ReachingDefinitions<'_> {
    /// Returns the parts of a query's piece as live locations with their definitions.
    pub fn given(
        &self,
        thread: ThreadId,
        piece: StatePiece,
        at: Position,
        cancel: &Cancel,
    ) -> Result<Vec<LiveLocation>, QueryError> {
        let homes = match &piece {
            StatePiece::Register { homes, .. } => Some(homes.clone()),
            _ => None,
        };
        let part = |cell, giver| {
            let pieces = pieces_of_cell(cell, homes.as_ref());
            pieces.into_iter().map(move |piece| LiveLocation {
                thread,
                piece,
                from: None,
                giver,
                block: 0,
            })
        };
        let mut lives = Vec::new();
        let mut open = vec![(
            DefinitionQuery {
                thread,
                piece,
                wanted_by: Vec::new(),
                doubt: None,
            },
            DefinitionLimit::at(at.0),
        )];
        while let Some((wish, until)) = open.pop() {
            cancel.check()?;
            let (mut frontier, mut ends) = (SliceWorklist::default(), Vec::new());
            self.find(
                wish,
                until,
                &mut FoundDefinitions {
                    frontier: &mut frontier,
                    ends: &mut ends,
                },
                cancel,
            )?;
            lives.extend(
                ends.into_iter()
                    .flat_map(|end| part(end.cell, DefinitionSite::Nobody(end.end))),
            );
            while let Some((step, wants)) = frontier.take_newest() {
                for want in wants {
                    let (slot, mut outcome) = (want.slot, StepContribution::default());
                    let writer = StepFlow::of(
                        self.index,
                        step,
                        std::slice::from_ref(&want),
                        EdgeKinds::default(),
                    )?;
                    writer.take(want, &mut outcome)?;
                    let giver = DefinitionSite::Step { step, slot };
                    lives.extend(
                        outcome
                            .defines
                            .into_iter()
                            .flat_map(|defined| part(defined.cell, giver)),
                    );
                    open.extend(outcome.rests.into_iter().filter_map(rest));
                }
            }
        }
        Ok(lives)
    }
}

/// Converts a cell to pieces; `homes` are the physical registers of its name.
fn pieces_of_cell(cell: SliceCell, homes: Option<&Arc<Homes>>) -> Vec<StatePiece> {
    match cell {
        SliceCell::Register { view, .. } => homes
            .map(|homes| StatePiece::Register {
                view,
                homes: homes.clone(),
            })
            .into_iter()
            .collect(),
        SliceCell::Flags { bits, .. } => vec![StatePiece::Flags(bits)],
        SliceCell::Memory { address, len_bytes } => blocks_of(address, len_bytes)
            .map(|(granule, mask)| StatePiece::Memory { granule, mask })
            .collect(),
    }
}
