//! Compares two calls of a function: their inputs, their outputs and their paths.

use std::ops::Range;

use stepback_index::answer::{MemoryInput, MemoryRange, RangeEffects, RegisterEffect};
use stepback_index::query::{MemoryAt, MemoryOf, RegisterViewsAt};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, RegisterView};
use stepback_parsers::Position;

use super::differences::{Differences, DifferingCell, LISTED, ValueMatch};
use super::own_names::WindowNames;
use super::own_path::FramePath;
use super::scope::EffectScope;
use super::used::range_effects;
use crate::analysis::effects::own_path::{DivergenceFinder, PathDivergence};

/// Bytes compared at once; also the maximum length of a run of differing bytes.
const CHUNK: u64 = 64;
/// Bytes below and above the stack pointer at entry that count as the call's own stack.
const STACK_BELOW: u64 = 1 << 16;
const STACK_ABOVE: u64 = 1 << 12;

/// The differences between two calls.
#[derive(Clone, Debug, Default)]
pub struct CallComparison {
    /// Arguments, registers and memory that one call read before it wrote them, and that are not
    /// known to be equal at entry. Registers are those that the function itself names.
    pub inputs: Differences,
    /// Cells that one call wrote and that are not known to be equal at the ends.
    pub outputs: Differences,
    /// Positions where the paths diverge and meet again.
    pub partings: Vec<PathDivergence>,
    /// Number of steps that both calls have in common, without those of callees.
    pub alike: u64,
    /// True if differences are missing: more than are listed, or untracked memory.
    pub is_cut: bool,
}

/// Compares two calls of a function.
///
/// Cost: a pass over the steps of both, and another over those outside their callees.
///
/// # Errors
/// See [`QueryError`].
pub fn compare_calls(
    index: &Index,
    one: EffectScope,
    other: EffectScope,
    cancel: &Cancel,
) -> Result<CallComparison, QueryError> {
    let names = WindowNames::alike(
        WindowNames::of(one, index, cancel)?,
        WindowNames::of(other, index, cancel)?,
    );
    let (one_side, other_side) = (
        ComparedCall::of(one, names.0, index, cancel)?,
        ComparedCall::of(other, names.1, index, cancel)?,
    );
    let sides = CallComparer {
        index,
        cancel,
        one: one_side,
        other: other_side,
    };
    let mut inputs = sides.registers(sides.input_views(), |scope| scope.from)?;
    sides.add_memory_inputs(&mut inputs)?;
    let mut outputs = sides.registers(sides.output_views(), |scope| scope.to)?;
    sides.add_memory_outputs(&mut outputs)?;
    let mut comparison = CallComparison {
        inputs,
        outputs,
        ..CallComparison::default()
    };
    let paths = one.call.zip(other.call).and_then(|(one, other)| {
        Some((
            FramePath::of(one, index, cancel)?,
            FramePath::of(other, index, cancel)?,
        ))
    });
    if let Some((one, other)) = paths {
        let mut partings = DivergenceFinder::new(one, other);
        while comparison.partings.len() < LISTED
            && let Some(parting) = partings.next_parting()?
        {
            comparison.partings.push(parting);
        }
        comparison.alike = partings.alike;
    }
    let left_out = sides.one.sets.left_out + sides.other.sets.left_out;
    let CallComparison {
        inputs,
        outputs,
        partings,
        ..
    } = &comparison;
    comparison.is_cut = left_out > 0 || inputs.is_cut || outputs.is_cut || partings.len() >= LISTED;
    Ok(comparison)
}

/// One of the two calls.
struct ComparedCall {
    scope: EffectScope,
    names: WindowNames,
    sets: RangeEffects,
    /// Stack pointer at entry.
    stack: Option<u64>,
}

impl ComparedCall {
    fn of(
        scope: EffectScope,
        names: WindowNames,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let set = index.instruction_set(scope.thread);
        let view = NameReader(index).view_in("sp", set);
        let views = view
            .map(|view| ("sp".to_owned(), view))
            .into_iter()
            .collect();
        let states = RegisterViewsAt {
            position: scope.from,
            thread: scope.thread,
            views,
        }
        .run(index, cancel)?;
        let stack = states.first().and_then(|state| state.value.to_u64());
        Ok(Self {
            scope,
            names,
            sets: range_effects(index, scope, cancel)?,
            stack,
        })
    }

    /// Returns the views of the registers that the function names itself.
    fn views(&self, effects: &[RegisterEffect]) -> Vec<RegisterView> {
        effects
            .iter()
            .filter_map(|effect| self.names.view_of(effect))
            .collect()
    }

    fn is_stack(&self, address: u64) -> bool {
        self.stack.is_some_and(|stack| {
            let lowest = stack.saturating_sub(STACK_BELOW);
            (lowest..stack.saturating_add(STACK_ABOVE)).contains(&address)
        })
    }
}

/// The two calls being compared.
struct CallComparer<'a> {
    index: &'a Index,
    cancel: &'a Cancel,
    one: ComparedCall,
    other: ComparedCall,
}

/// A range of memory, as the first call addresses it.
type MemoryInterval = Range<u64>;

impl CallComparer<'_> {
    /// Returns the registers that were read, and those of the arguments.
    fn input_views(&self) -> Vec<RegisterView> {
        let set = self.index.instruction_set(self.one.scope.thread);
        let arguments = set
            .abi()
            .arguments
            .iter()
            .filter_map(|name| NameReader(self.index).view_in(name, set));
        let arguments = arguments
            .filter_map(|view| self.one.names.view_of_argument(view))
            .collect();
        let of = |side: &ComparedCall| side.views(&side.sets.register_inputs);
        merged([of(&self.one), of(&self.other), arguments].concat())
    }

    fn output_views(&self) -> Vec<RegisterView> {
        let of = |side: &ComparedCall| side.views(&side.sets.register_outputs);
        merged([of(&self.one), of(&self.other)].concat())
    }

    fn registers(
        &self,
        views: Vec<RegisterView>,
        at: impl Fn(&EffectScope) -> Position,
    ) -> Result<Differences, QueryError> {
        let set = self.index.instruction_set(self.one.scope.thread);
        let names = views
            .iter()
            .map(|view| NameReader(self.index).register_name(*view, set));
        let names: Vec<String> = names.collect();
        let states = |side: &ComparedCall| {
            let (position, thread) = (at(&side.scope), side.scope.thread);
            let views = names
                .iter()
                .cloned()
                .zip(views.iter().map(|view| side.names.cell_of(*view)))
                .collect();
            RegisterViewsAt {
                position,
                thread,
                views,
            }
            .run(self.index, self.cancel)
        };
        let mut found = Differences::default();
        for (one, other) in states(&self.one)?.into_iter().zip(states(&self.other)?) {
            let likeness = ValueMatch::of_values(&one.value, &other.value);
            found.add(
                likeness,
                DifferingCell::Register {
                    name: one.name,
                    one: one.value,
                    other: other.value,
                },
            );
        }
        Ok(found)
    }

    /// Returns the distance from the first call's stack to the second call's.
    fn shift(&self) -> u64 {
        self.one
            .stack
            .zip(self.other.stack)
            .map_or(0, |(one, other)| other.wrapping_sub(one))
    }

    /// Converts an address of the first call to the corresponding one of the second.
    fn in_other(&self, address: u64) -> u64 {
        if self.one.is_stack(address) {
            address.wrapping_add(self.shift())
        } else {
            address
        }
    }

    fn in_one(&self, address: u64) -> u64 {
        if self.other.is_stack(address) {
            address.wrapping_sub(self.shift())
        } else {
            address
        }
    }

    /// Returns the merged ranges that either call used, as the first call addresses them.
    fn stretches(&self, of: impl Fn(&RangeEffects) -> Vec<MemoryRange>) -> Vec<MemoryInterval> {
        let stretch = |first: u64, len: u64| first..first.saturating_add(len);
        let one = of(&self.one.sets)
            .into_iter()
            .map(|range| stretch(range.address.0, range.len_bytes));
        let other = of(&self.other.sets).into_iter();
        let other = other.map(|range| stretch(self.in_one(range.address.0), range.len_bytes));
        let mut all: Vec<MemoryInterval> = one.chain(other).collect();
        all.sort_unstable_by_key(|stretch| (stretch.start, stretch.end));
        let mut merged: Vec<MemoryInterval> = Vec::new();
        for next in all {
            match merged.last_mut().filter(|last| next.start <= last.end) {
                Some(last) => last.end = last.end.max(next.end),
                None => merged.push(next),
            }
        }
        merged
    }

    fn add_memory_inputs(&self, inputs: &mut Differences) -> Result<(), QueryError> {
        let ranges = |sets: &RangeEffects| {
            let range = |input: &MemoryInput| MemoryRange {
                address: input.address,
                len_bytes: input.bytes.len() as u64,
            };
            sets.memory_inputs.iter().map(range).collect()
        };
        let found = |side: &ComparedCall, address: u64, len: u64| self.found(side, address, len);
        self.add_differing(self.stretches(ranges), found, inputs)
    }

    fn add_memory_outputs(&self, outputs: &mut Differences) -> Result<(), QueryError> {
        let ranges = |sets: &RangeEffects| {
            sets.memory_outputs
                .iter()
                .map(|output| output.range)
                .collect()
        };
        let found = |side: &ComparedCall, address: u64, len: u64| {
            self.held(
                side,
                side.scope.to,
                MemoryRange {
                    address: Address(address),
                    len_bytes: len,
                },
            )
        };
        self.add_differing(self.stretches(ranges), found, outputs)
    }

    /// Returns the bytes that a call read first; for bytes that it did not read, those at its
    /// entry.
    fn found(
        &self,
        side: &ComparedCall,
        address: u64,
        len: u64,
    ) -> Result<Vec<Option<u8>>, QueryError> {
        let mut bytes = self.held(
            side,
            side.scope.from,
            MemoryRange {
                address: Address(address),
                len_bytes: len,
            },
        )?;
        for (place, byte) in (0u64..).zip(&mut bytes) {
            let stated = stated_in(&side.sets.memory_inputs, address.wrapping_add(place));
            *byte = stated.or(*byte);
        }
        Ok(bytes)
    }

    fn held(
        &self,
        side: &ComparedCall,
        position: Position,
        range: MemoryRange,
    ) -> Result<Vec<Option<u8>>, QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let question = MemoryAt {
            position,
            address,
            len_bytes,
        };
        let states = MemoryOf {
            thread: Some(side.scope.thread),
            question,
        }
        .run(self.index, self.cancel)?;
        Ok(states.into_iter().map(|state| state.value).collect())
    }

    /// Adds runs of bytes that differ or are known on one side only, until the list of differences
    /// is full.
    fn add_differing(
        &self,
        stretches: Vec<MemoryInterval>,
        bytes: impl Fn(&ComparedCall, u64, u64) -> Result<Vec<Option<u8>>, QueryError>,
        found: &mut Differences,
    ) -> Result<(), QueryError> {
        for stretch in stretches {
            let mut address = stretch.start;
            while address < stretch.end {
                if found.is_full() {
                    found.is_cut = true;
                    return Ok(());
                }
                let (len, other_address) =
                    ((stretch.end - address).min(CHUNK), self.in_other(address));
                let (one, other) = (
                    bytes(&self.one, address, len)?,
                    bytes(&self.other, other_address, len)?,
                );
                let pairs: Vec<_> = one.into_iter().zip(other).collect();
                let likeness =
                    |(one, other): &(Option<u8>, Option<u8>)| ValueMatch::of(*one, *other);
                let mut place = 0;
                for run in pairs.chunk_by(|one, next| likeness(one) == likeness(next)) {
                    let at = |base: u64| Address(base.wrapping_add(place));
                    let (one, other) = run.iter().copied().unzip();
                    let cell = DifferingCell::Memory {
                        address: at(address),
                        other_address: at(other_address),
                        one,
                        other,
                    };
                    found.add(run.first().map_or(ValueMatch::Same, likeness), cell);
                    place += run.len() as u64;
                }
                address = address.saturating_add(len);
            }
        }
        Ok(())
    }
}

/// Returns the byte that the first read of an address found.
fn stated_in(inputs: &[MemoryInput], address: u64) -> Option<u8> {
    let after = inputs.partition_point(|input| input.address.0 <= address);
    let input = inputs.get(after.checked_sub(1)?)?;
    input
        .bytes
        .get(usize::try_from(address - input.address.0).ok()?)
        .copied()
        .flatten()
}

/// Merges adjacent and overlapping views of a register.
fn merged(mut views: Vec<RegisterView>) -> Vec<RegisterView> {
    views.sort_unstable();
    let mut merged: Vec<RegisterView> = Vec::new();
    for next in views {
        let last = merged.last_mut().filter(|last| {
            last.register == next.register
                && next.offset <= last.offset.saturating_add(last.size_bytes)
        });
        match last {
            Some(last) => {
                let end = (last.offset + last.size_bytes)
                    .max(next.offset.saturating_add(next.size_bytes));
                last.size_bytes = end - last.offset;
            }
            None => merged.push(next),
        }
    }
    merged
}
