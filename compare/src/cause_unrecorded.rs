//! Values that a step reads and the traces do not record ([`UnrecordedInput`]). If all others are
//! recorded and equal, the one left is what differs.

use stepback_index::answer::{Cell, Direction, EdgeKinds, SliceRow, ThreadId, Value};
use stepback_index::query::{RegisterViewsAt, SliceQuery};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, Instruction, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use crate::align::side::Side;
use crate::cause::MatchedSteps;
use crate::region::StepPair;
use crate::values::block::{AccessEffect, EffectBlock};
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace, StepDifference};
use crate::values::pass::ValuePass;
use crate::values::step::{BlockStep, differ};

/// A value that a step reads and that explains its difference.
pub(crate) struct UnrecordedInput {
    /// Register or memory, with the value in each trace.
    pub input: CellDifference,
    /// Steps that set it; `None` if it has its value from before the first step.
    pub setters: Option<StepPair>,
    /// The step reads nothing else but constants.
    pub is_only: bool,
}

impl UnrecordedInput {
    /// Finds the value that two matched steps read and that the traces do not both record, or that
    /// differs before the first steps. `None` if there is none, or if there are several.
    /// `difference` is what differs in the steps; none for a branch that decides differently.
    pub fn find(
        pass: &mut ValuePass<'_, '_>,
        matched: MatchedSteps<'_>,
        steps: StepPair,
        difference: Option<&StepDifference>,
    ) -> Result<Option<Self>, QueryError> {
        let places = [
            StepPlace::of(pass.a, steps.a, pass.cancel)?,
            StepPlace::of(pass.b, steps.b, pass.cancel)?,
        ];
        let [in_a, in_b] = places.each_ref().map(StepPlace::block);
        let (in_a, in_b) = (in_a?, in_b?);
        let (Some(one), Some(other)) = (in_a.steps().first(), in_b.steps().first()) else {
            return Ok(None);
        };
        let differs = difference.is_some() || one.is_branch();
        let Some(instruction) = one.instruction().filter(|_| differs) else {
            return Ok(None);
        };
        let (mut found, mut inputs) = (Vec::new(), 0);
        for view in registers_read(&instruction, in_a.accesses(one), difference) {
            let cells = places.each_ref().map(|place| place.register(view));
            let Some(setters) = setters(pass, matched, &places, cells)? else {
                return Ok(None);
            };
            let [a, b] = places.each_ref().map(|place| place.value(view));
            let (a, b) = (a?, b?);
            let is_known = !a.is_unknown() && !b.is_unknown();
            let is_constant = match setters {
                Some(pair) if !is_known => is_constant(pass, pair)?,
                _ => false,
            };
            inputs += usize::from(!is_constant);
            // Equal values are no reason; other ones that steps set were compared.
            if !is_constant && (!is_known || setters.is_none() && differ(&a, &b)) {
                let name = NameReader(pass.a.index).whole_name(view, one.set);
                let input = CellDifference {
                    kind: DifferenceKind::Register,
                    place: DifferingPlace::Register { name, view },
                    a,
                    b,
                };
                found.push((input, setters));
            }
        }
        let reads = [(&in_a, one), (&in_b, other)];
        let reads = reads.map(|(block, step)| BlockStep { block, step }.unrecorded_read());
        if let [Some(a), Some(b)] = reads {
            let cells = [a, b].map(|read| Cell::Memory {
                address: Address(read.address),
                len_bytes: u64::from(read.size_bytes),
            });
            let Some(setters) = setters(pass, matched, &places, cells)? else {
                return Ok(None);
            };
            let input = CellDifference {
                kind: DifferenceKind::Write,
                place: DifferingPlace::Memory {
                    address: Address(a.address),
                    len_bytes: u64::from(a.size_bytes),
                },
                a: Value(vec![None; usize::from(a.size_bytes)]),
                b: Value(vec![None; usize::from(b.size_bytes)]),
            };
            inputs += 1;
            found.push((input, setters));
        }
        let only = found.pop().filter(|_| found.is_empty());
        Ok(only.map(|(input, setters)| Self {
            input,
            setters,
            is_only: inputs == 1,
        }))
    }
}

/// Returns the matched steps that set a cell of each trace; the inner `None` if both have it from
/// before the first step. `None` if the steps are no partners.
fn setters(
    pass: &ValuePass<'_, '_>,
    matched: MatchedSteps<'_>,
    places: &[StepPlace<'_, '_>; 2],
    cells: [Cell; 2],
) -> Result<Option<Option<StepPair>>, QueryError> {
    let [in_a, in_b] = places;
    let [a, b] = cells;
    Ok(match (in_a.setter(a)?, in_b.setter(b)?) {
        (None, None) => Some(None),
        (Some(a), Some(b)) => {
            let pair = StepPair {
                a: pass.a.number_of(a)?,
                b: pass.b.number_of(b)?,
            };
            (matched.alignment.partner(pair.a) == Some(pair.b)).then_some(Some(pair))
        }
        _ => None,
    })
}

/// Returns true if two steps do the same and read nothing, by the instructions that both traces
/// record.
fn is_constant(pass: &mut ValuePass<'_, '_>, steps: StepPair) -> Result<bool, QueryError> {
    let are_recorded = [pass.a.index, pass.b.index]
        .iter()
        .all(|index| !index.executed_codes().is_empty());
    if !are_recorded {
        return Ok(false);
    }
    let [in_a, in_b] = pass.blocks(steps.a..steps.a + 1, steps.b..steps.b + 1)?;
    let (Some(one), Some(other)) = (in_a.steps().first(), in_b.steps().first()) else {
        return Ok(false);
    };
    let instruction = one.instruction().filter(|_| one.encoding == other.encoding);
    Ok(instruction.is_some_and(|instruction| {
        let registers = instruction.registers.as_ref();
        registers.is_some_and(|used| used.reads.is_empty()) && instruction.meaning.memory.is_empty()
    }))
}

/// Returns the registers that may have caused a difference.
fn registers_read(
    instruction: &Instruction,
    accesses: &[AccessEffect],
    difference: Option<&StepDifference>,
) -> Vec<RegisterView> {
    let reads = instruction.registers.iter().flat_map(|used| &used.reads);
    let data = &instruction.meaning.data_reads;
    let is_address = |cell: &CellDifference| {
        matches!(
            cell.kind,
            DifferenceKind::ReadAddress | DifferenceKind::WriteAddress
        )
    };
    let has_other_address = difference.is_some_and(|found| found.cells.iter().any(is_address));
    // Recorded addresses show whether the registers that form them differ.
    let mut found: Vec<RegisterView> = match (accesses.is_empty(), has_other_address) {
        (false, true) => reads.filter(|view| !data.contains(view)).copied().collect(),
        (false, false) => reads.filter(|view| data.contains(view)).copied().collect(),
        (true, _) => reads.copied().collect(),
    };
    found.retain(|view| view.register < RegisterId::FIRST_NAMED && view.register != RegisterId::PC);
    found.sort_unstable();
    found.dedup_by_key(|view| view.register);
    found
}

/// A step of one trace, whose inputs are looked up.
struct StepPlace<'a, 'c> {
    index: &'a Index,
    thread: ThreadId,
    at: Position,
    cancel: &'c Cancel,
}

impl<'a, 'c> StepPlace<'a, 'c> {
    fn of(side: &mut Side<'a>, number: u64, cancel: &'c Cancel) -> Result<Self, QueryError> {
        Ok(Self {
            index: side.index,
            thread: side.thread,
            at: side.position(number)?,
            cancel,
        })
    }

    /// Reads the step.
    fn block(&self) -> Result<EffectBlock, QueryError> {
        let range = self.at..self.at.next_step().after();
        EffectBlock::read_plain(self.index, self.thread, range, self.cancel)
    }

    fn register(&self, view: RegisterView) -> Cell {
        Cell::Register {
            thread: self.thread,
            view,
        }
    }

    /// Returns the last step before that sets a cell; `None` if the value was there before the
    /// first step.
    fn setter(&self, cell: Cell) -> Result<Option<Step>, QueryError> {
        let query = SliceQuery {
            cell,
            at: self.at,
            direction: Direction::Back,
            edges: EdgeKinds::default(),
            limit: 1,
        };
        let mut walk = query.walk(self.index, Some(self.thread), self.cancel)?;
        Ok(match walk.next(self.cancel)? {
            Some(SliceRow::Step(step)) => Some(step.step),
            Some(SliceRow::End(_)) | None => None,
        })
    }

    fn value(&self, view: RegisterView) -> Result<Value, QueryError> {
        let question = RegisterViewsAt {
            position: self.at,
            thread: self.thread,
            views: vec![(String::new(), view)],
        };
        let state = question.run(self.index, self.cancel)?.pop();
        Ok(state.map(|state| state.value).unwrap_or_default())
    }
}
