//! The cause of a divergence: the steps with different values on which the deciding branch depends,
//! in both traces ([`Cause`]).
//!
//! The backward slices of what the branch reads are taken in both traces. Of their steps only those
//! count whose values differ: equal ones cannot have decided it. The oldest of these is the first
//! that behaved differently, and what differs in it is the cause.

use std::collections::BTreeMap;

use stepback_index::answer::{Cell, Direction, EdgeKinds, FrameEntry, SliceCell, SliceRow};
use stepback_index::query::SliceQuery;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, InstructionSet, RegisterView, Registers};
use stepback_parsers::{Position, Step};

use crate::align::side::Side;
use crate::cause_origin::{CauseOrigin, ForeignWrite, MemoryEnd, OldestSteps, SliceSources};
use crate::cause_unrecorded::UnrecordedInput;
use crate::divergence::TraceSide;
use crate::region::{Alignment, Region, RegionKind, StepPair};
use crate::values::block::EffectBlock;
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace, StepDifference};
use crate::values::pass::ValuePass;

/// Maximum number of steps of a slice that are examined.
const SLICE_STEPS: usize = 4096;
/// Maximum number of arguments of a system call.
const SYSTEM_CALL_ARGUMENTS: usize = 6;
/// Maximum number of slices, each from the oldest differing step of the one before.
const ROUNDS: usize = 64;

/// The steps that led to a divergence, in both traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Steps with different values, newest first.
    pub chain: Vec<StepDifference>,
    /// Difference in the oldest of them.
    pub origin: CauseOrigin,
    /// False if earlier steps may differ: the search was ended by its limits.
    pub is_complete: bool,
}

/// The matched steps of two threads.
#[derive(Clone, Copy)]
pub(crate) struct MatchedSteps<'s> {
    pub alignment: &'s Alignment,
    /// Steps of the first trace whose differences do not count, in order.
    pub ignored: &'s [u64],
    /// Steps of the first trace with differences that rules forgive, in order.
    pub forgiven: &'s [u64],
}

/// The slice of a decision in one trace.
#[derive(Default)]
struct DecisionSlice {
    /// Steps of the thread.
    steps: Vec<Step>,
    /// Memory that other threads wrote.
    foreign: Vec<ForeignWrite>,
    ends: Vec<MemoryEnd>,
    is_complete: bool,
}

/// Finds the cause of a decision. `None` if the traces record no difference on which it depends.
pub(crate) fn cause_of_decision(
    pass: &mut ValuePass<'_, '_>,
    matched: MatchedSteps<'_>,
    decision: StepPair,
) -> Result<Option<Cause>, QueryError> {
    let mut search = CauseSearch::new(pass, matched);
    search.add(decision)?;
    search.walk(decision)?;
    // That the decision was another one is no cause of it.
    let is_condition = |cell: &CellDifference| cell.kind == DifferenceKind::Condition;
    let oldest = search.found.first_key_value();
    let is_decision = oldest.is_some_and(|(number, found)| {
        *number == decision.a && found.cells.iter().all(is_condition)
    });
    if search.found.is_empty() && (search.initial.is_some() || search.is_forgiven) {
        let steps = StepDifference {
            steps: decision,
            cells: Vec::new(),
        };
        search.found.insert(decision.a, steps);
    } else if is_decision && search.initial.is_none() {
        return Ok(None);
    }
    search.cause()
}

/// Finds the cause of a first difference that decides nothing.
pub(crate) fn cause_of_difference(
    pass: &mut ValuePass<'_, '_>,
    matched: MatchedSteps<'_>,
    first: &StepDifference,
) -> Result<Option<Cause>, QueryError> {
    let mut search = CauseSearch::new(pass, matched);
    search.found.insert(first.steps.a, first.clone());
    search.walk(first.steps)?;
    search.cause()
}

/// Returns the side that takes an exception right after a decision: the first step after it is the
/// first of a handler.
pub(crate) fn exception_after(
    pass: &mut ValuePass<'_, '_>,
    decision: StepPair,
) -> Result<Option<TraceSide>, QueryError> {
    if takes_exception(pass.a, decision.a + 1)? {
        return Ok(Some(TraceSide::A));
    }
    let is_in_b = takes_exception(pass.b, decision.b + 1)?;
    Ok(is_in_b.then_some(TraceSide::B))
}

fn takes_exception(side: &mut Side<'_>, number: u64) -> Result<bool, QueryError> {
    let position = side.position(number)?;
    let calls = side.index.plain_calls();
    let call = calls.innermost_at(side.thread, position);
    let call = call.and_then(|id| calls.get(id));
    Ok(call
        .is_some_and(|call| call.entered == FrameEntry::Exception && call.entered_at() == position))
}

struct CauseSearch<'s, 'a, 'p> {
    pass: &'s mut ValuePass<'a, 'p>,
    matched: MatchedSteps<'s>,
    /// Differing steps by their numbers in the first trace.
    found: BTreeMap<u64, StepDifference>,
    sources: SliceSources,
    /// A step of the last slices has differences that rules ignore.
    is_forgiven: bool,
    /// Register that a step of the last round reads, with a value from before the first step, which
    /// differs or is not recorded.
    initial: Option<CellDifference>,
    is_complete: bool,
}

impl<'s, 'a, 'p> CauseSearch<'s, 'a, 'p> {
    fn new(pass: &'s mut ValuePass<'a, 'p>, matched: MatchedSteps<'s>) -> Self {
        Self {
            pass,
            matched,
            found: BTreeMap::new(),
            sources: SliceSources::default(),
            is_forgiven: false,
            initial: None,
            is_complete: true,
        }
    }

    /// Goes back from a step. A slice holds all that a value depends on, so each round begins at the
    /// oldest step that differs, with only what differs there.
    ///
    /// If no recorded difference is left, the only value that the step reads and that is not
    /// recorded is followed. If the step reads others, too, which are recorded and equal, the steps
    /// on that way count once something on it is found to differ.
    fn walk(&mut self, from: StepPair) -> Result<(), QueryError> {
        let mut from = from;
        let mut supposed: Vec<StepDifference> = Vec::new();
        for _ in 0..ROUNDS {
            if let Some(oldest) = self.round(from)? {
                self.keep(&mut supposed);
                from = oldest;
                continue;
            }
            let difference = supposed.last().or(self.found.get(&from.a)).cloned();
            let difference = difference.as_ref();
            let origin = match difference {
                Some(found) => OldestSteps::read(self.pass, found)?.origin(found, &self.sources),
                None => CauseOrigin::Unknown,
            };
            let found = match has_other_reason(&origin) {
                true => None,
                false => UnrecordedInput::find(self.pass, self.matched, from, difference)?,
            };
            let Some(found) = found else {
                if origin.is_of_memory() {
                    self.keep(&mut supposed);
                }
                return Ok(());
            };
            let Some(setters) = found.setters.filter(|setters| setters.a < from.a) else {
                self.keep(&mut supposed);
                let is_register = found.input.kind == DifferenceKind::Register;
                self.initial = Some(found.input).filter(|_| is_register);
                return Ok(());
            };
            let is_certain = supposed.is_empty() && found.is_only;
            supposed.push(StepDifference {
                steps: setters,
                cells: vec![found.input],
            });
            if is_certain {
                self.keep(&mut supposed);
            }
            from = setters;
        }
        self.is_complete = false;
        Ok(())
    }

    fn keep(&mut self, supposed: &mut Vec<StepDifference>) {
        for step in supposed.drain(..) {
            self.found.entry(step.steps.a).or_insert(step);
        }
    }

    fn cause(self) -> Result<Option<Cause>, QueryError> {
        let chain: Vec<StepDifference> = self.found.into_values().rev().collect();
        let Some(oldest) = chain.last() else {
            return Ok(None);
        };
        let found = OldestSteps::read(self.pass, oldest)?.origin(oldest, &self.sources);
        let origin = match (found, self.initial) {
            (CauseOrigin::Result | CauseOrigin::Unknown, None) if self.is_forgiven => {
                CauseOrigin::Forgiven
            }
            (CauseOrigin::Result | CauseOrigin::UnrecordedResult, None) if !self.is_complete => {
                CauseOrigin::Unknown
            }
            (_, Some(register)) => CauseOrigin::InitialRegister(register),
            (origin, None) => origin,
        };
        Ok(Some(Cause {
            chain,
            origin,
            is_complete: self.is_complete,
        }))
    }

    /// Keeps two matched steps if they differ. Returns whether they do.
    fn add(&mut self, pair: StepPair) -> Result<bool, QueryError> {
        let is_among = |steps: &[u64]| steps.binary_search(&pair.a).is_ok();
        self.is_forgiven |= is_among(self.matched.forgiven);
        if is_among(self.matched.ignored) {
            return Ok(false);
        }
        let one = Region {
            kind: RegionKind::Same,
            a: pair.a..pair.a + 1,
            b: pair.b..pair.b + 1,
        };
        let difference = self.pass.region(&one, |_| {})?.first;
        let differs = difference.is_some();
        self.found.extend(difference.map(|found| (pair.a, found)));
        Ok(differs)
    }

    /// Adds the differing steps on which a step depends, first by data and then also by addresses.
    /// Returns the oldest of them; `None` if there are none before it.
    fn round(&mut self, from: StepPair) -> Result<Option<StepPair>, QueryError> {
        // The last round decides both.
        (self.is_forgiven, self.is_complete) = (false, true);
        for addresses in [false, true] {
            let edges = EdgeKinds {
                addresses,
                flags: true,
                control: false,
                listed: false,
            };
            let mut pairs = BTreeMap::new();
            let wanted = self
                .found
                .get(&from.a)
                .map(differing_reads)
                .unwrap_or_default();
            let cells = wanted_cells(self.pass.a, from.a, &wanted, self.pass.cancel)?;
            let in_a = slice(self.pass.a, from.a, &cells, edges, self.pass.cancel)?;
            for step in &in_a.steps {
                let a = self.pass.a.number_of(*step)?;
                pairs.extend(self.matched.alignment.partner(a).map(|b| (a, b)));
            }
            let mut cells = wanted_cells(self.pass.b, from.b, &[], self.pass.cancel)?;
            if !wanted.is_empty() {
                // Its memory may lie elsewhere, but it is what the step reads.
                cells.retain(|cell| matches!(cell, Cell::Memory { .. }));
            }
            let in_b = slice(self.pass.b, from.b, &cells, edges, self.pass.cancel)?;
            for step in &in_b.steps {
                let b = self.pass.b.number_of(*step)?;
                pairs.extend(self.matched.alignment.partner_in_a(b).map(|a| (a, b)));
            }
            self.is_complete &= in_a.is_complete;
            self.sources.ends.extend(in_a.ends);
            self.sources.foreign.extend(in_a.foreign);
            let mut oldest = None;
            for (a, b) in pairs.into_iter().rev().filter(|(a, _)| *a < from.a) {
                self.pass.cancel.check()?;
                let pair = StepPair { a, b };
                if self.found.contains_key(&a) || self.add(pair)? {
                    oldest = Some(pair);
                }
            }
            if oldest.is_some() {
                return Ok(oldest);
            }
        }
        Ok(None)
    }
}

/// Returns true if a difference comes from outside, or is the instruction itself: what the step
/// reads is no reason then.
fn has_other_reason(origin: &CauseOrigin) -> bool {
    match origin {
        CauseOrigin::Memory { end, .. } => end.is_some(),
        CauseOrigin::Instruction
        | CauseOrigin::OtherThread(_)
        | CauseOrigin::UnrecordedMemory
        | CauseOrigin::SystemCall
        | CauseOrigin::Forgiven => true,
        CauseOrigin::Result
        | CauseOrigin::UnrecordedResult
        | CauseOrigin::InitialRegister(_)
        | CauseOrigin::Unknown => false,
    }
}

/// Returns the memory in which a step found other values.
fn differing_reads(difference: &StepDifference) -> Vec<Cell> {
    let reads = difference.cells.iter().filter_map(|cell| match cell.place {
        DifferingPlace::Memory { address, len_bytes } if cell.kind == DifferenceKind::Read => {
            Some(Cell::Memory { address, len_bytes })
        }
        _ => None,
    });
    let has_addresses = difference.cells.iter().any(|cell| {
        matches!(
            cell.kind,
            DifferenceKind::ReadAddress | DifferenceKind::WriteAddress
        )
    });
    match has_addresses {
        true => Vec::new(),
        false => reads.collect(),
    }
}

/// Returns what a step reads: some cells if they are known, else everything.
fn wanted_cells(
    side: &mut Side<'_>,
    number: u64,
    known: &[Cell],
    cancel: &Cancel,
) -> Result<Vec<Cell>, QueryError> {
    if !known.is_empty() {
        return Ok(known.to_vec());
    }
    let at = side.position(number)?;
    cells_read(side, at, cancel)
}

/// Returns the slice of some cells before a step.
fn slice(
    side: &mut Side<'_>,
    number: u64,
    cells: &[Cell],
    edges: EdgeKinds,
    cancel: &Cancel,
) -> Result<DecisionSlice, QueryError> {
    let at = side.position(number)?;
    let mut found = DecisionSlice {
        is_complete: true,
        ..DecisionSlice::default()
    };
    for cell in cells {
        let query = SliceQuery {
            cell: *cell,
            at,
            direction: Direction::Back,
            edges,
            limit: SLICE_STEPS,
        };
        let mut walk = query.walk(side.index, Some(side.thread), cancel)?;
        while let Some(row) = walk.next(cancel)? {
            found.take(side, row);
        }
        found.is_complete &= walk.into_rest().is_empty();
    }
    Ok(found)
}

impl DecisionSlice {
    fn take(&mut self, side: &Side<'_>, row: SliceRow) {
        match row {
            SliceRow::Step(step) if step.thread == side.thread => self.steps.push(step.step),
            SliceRow::Step(step) => {
                let memory = step
                    .defines
                    .iter()
                    .filter_map(|defined| match defined.cell {
                        SliceCell::Memory { address, len_bytes } => Some((address, len_bytes)),
                        _ => None,
                    });
                let thread = side.index.thread_name(step.thread);
                self.foreign
                    .extend(memory.map(|(address, len_bytes)| ForeignWrite {
                        address,
                        len_bytes,
                        thread: thread.to_owned(),
                        step: step.step,
                    }));
            }
            SliceRow::End(end) => {
                if let SliceCell::Memory { address, len_bytes } = end.cell {
                    self.ends.push(MemoryEnd {
                        address,
                        len_bytes,
                        end: end.end,
                    });
                }
            }
        }
    }
}

/// Returns the registers and the memory that a step reads.
fn cells_read(side: &Side<'_>, at: Position, cancel: &Cancel) -> Result<Vec<Cell>, QueryError> {
    let range = at..at.next_step().after();
    let block = EffectBlock::read_plain(side.index, side.thread, range, cancel)?;
    let Some(step) = block.steps().first() else {
        return Ok(Vec::new());
    };
    let registers = step
        .instruction()
        .and_then(|decoded| decoded.registers.clone());
    let registers = registers.into_iter().flat_map(|registers| registers.reads);
    let arguments = step.is_trap().then(|| system_call_registers(step.set));
    let registers = registers.chain(arguments.into_iter().flatten());
    let registers = registers.map(|view| Cell::Register {
        thread: side.thread,
        view,
    });
    let memory = block.accesses(step).iter();
    let memory = memory.filter(|access| access.kind == stepback_machine::AccessKind::Read);
    let memory = memory.map(|access| Cell::Memory {
        address: Address(access.address),
        len_bytes: u64::from(access.size_bytes),
    });
    Ok(registers.chain(memory).collect())
}

/// Returns the registers with the number and the arguments of a system call.
fn system_call_registers(set: InstructionSet) -> impl Iterator<Item = RegisterView> {
    let abi = set.abi();
    let arguments = abi.arguments.iter().copied().take(SYSTEM_CALL_ARGUMENTS);
    let names = abi.system_calls.number.into_iter().chain(arguments);
    names.filter_map(move |name| Registers::view(name, set))
}
