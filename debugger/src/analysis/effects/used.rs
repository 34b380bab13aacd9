//! Inputs of steps with their values, and outputs with the values at the end.

use stepback_index::answer::{
    ByteState, MemoryInput, MemoryOutput, MemoryRange, RangeEffects, RegisterEffect, Value,
    ValueSource,
};
use stepback_index::query::{
    EFFECT_BLOCKS, EffectsWithin, MemoryOf, MemoryRangesAt, RegisterViewsAt,
};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, RegisterView};
use stepback_parsers::Position;

use super::scope::EffectScope;

/// Maximum number of memory runs listed per kind; the others are counted.
pub const LISTED: usize = 10_000;
/// Maximum number of bytes of a run that are listed with values.
pub const VALUE_BYTES: usize = 64;

/// Inputs and outputs of some steps.
#[derive(Clone, Debug)]
pub struct Effects {
    pub scope: EffectScope,
    /// Number of steps of the thread.
    pub steps: u64,
    /// Registers and memory that were read before they were written, with the values read.
    /// Registers first, memory by address.
    pub inputs: Vec<UsedCell>,
    /// Registers and memory that were written, with the values at the end.
    pub outputs: Vec<UsedCell>,
    /// Number of input memory runs that are not listed.
    pub more_inputs: u64,
    /// Number of output memory runs that are not listed.
    pub more_outputs: u64,
    /// Number of steps whose registers are unknown.
    pub undecoded: u64,
    /// Number of memory accesses left out because too much memory was used.
    pub left_out: u64,
}

/// A cell that was read or written.
#[derive(Clone, Debug)]
pub struct UsedCell {
    pub used: UsedValue,
    /// Provenance of the value; the most doubtful one among its bytes.
    pub source: ValueSource,
    /// Position after the first step that read the cell, or the last one that wrote it.
    pub at: Option<Position>,
}

/// A register or a run of memory.
#[derive(Clone, Debug)]
pub enum UsedValue {
    /// Bytes of a register.
    Register {
        /// Display name.
        name: String,
        /// Value of the register.
        value: Value,
    },
    /// A run of memory.
    Memory {
        /// Address of the first byte.
        address: Address,
        /// Length in bytes.
        len_bytes: u64,
        /// Values of the first [`VALUE_BYTES`], by address.
        bytes: Vec<Option<u8>>,
    },
}

/// Returns the inputs and outputs of some steps. Cost: that of [`EffectsWithin`], plus one read of
/// all listed values.
///
/// # Errors
/// See [`QueryError`].
pub fn effects_of(
    index: &Index,
    scope: EffectScope,
    cancel: &Cancel,
) -> Result<Effects, QueryError> {
    let reader = EffectReader {
        index,
        scope,
        cancel,
    };
    reader.effects(&range_effects(index, scope, cancel)?)
}

/// Returns the inputs and outputs without values.
pub(super) fn range_effects(
    index: &Index,
    scope: EffectScope,
    cancel: &Cancel,
) -> Result<RangeEffects, QueryError> {
    let EffectScope {
        thread, from, to, ..
    } = scope;
    EffectsWithin {
        thread,
        from,
        to,
        blocks: EFFECT_BLOCKS,
    }
    .run(index, cancel)
}

/// Lookup of the values.
struct EffectReader<'a> {
    index: &'a Index,
    scope: EffectScope,
    cancel: &'a Cancel,
}

impl EffectReader<'_> {
    fn effects(&self, sets: &RangeEffects) -> Result<Effects, QueryError> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for effect in &sets.register_inputs {
            // Nothing has written it before its first read.
            inputs.push(self.register(effect, Position(effect.at.0.saturating_sub(1)))?);
        }
        for effect in &sets.register_outputs {
            let has_windows = self.index.instruction_set(self.scope.thread).has_windows();
            outputs.push(self.register(
                effect,
                if has_windows {
                    effect.at
                } else {
                    self.scope.to
                },
            )?);
        }
        inputs.extend(self.memory_inputs(&sets.memory_inputs)?);
        outputs.extend(self.memory_outputs(&sets.memory_outputs)?);
        let more = |count: usize| count.saturating_sub(LISTED) as u64;
        Ok(Effects {
            scope: self.scope,
            steps: sets.steps,
            inputs,
            outputs,
            more_inputs: more(sets.memory_inputs.len()),
            more_outputs: more(sets.memory_outputs.len()),
            undecoded: sets.undecoded,
            left_out: sets.left_out,
        })
    }

    fn register(
        &self,
        effect: &RegisterEffect,
        position: Position,
    ) -> Result<UsedCell, QueryError> {
        let thread = self.scope.thread;
        let name =
            NameReader(self.index).register_name(effect.view, self.index.instruction_set(thread));
        // The name refers to another cell if windows have rotated since.
        let views = vec![(
            name.clone(),
            RegisterView {
                register: effect.cell,
                ..effect.view
            },
        )];
        let state = RegisterViewsAt {
            position,
            thread,
            views,
        }
        .run(self.index, self.cancel)?
        .pop();
        let (value, source) = state
            .map(|state| (state.value, state.source))
            .unwrap_or_default();
        Ok(UsedCell {
            used: UsedValue::Register { name, value },
            source,
            at: Some(effect.at),
        })
    }

    /// Fills in values that the reads do not record, as in a trace without values, from memory
    /// before the first step.
    fn memory_inputs(&self, inputs: &[MemoryInput]) -> Result<Vec<UsedCell>, QueryError> {
        let inputs = inputs.get(..LISTED.min(inputs.len())).unwrap_or_default();
        let shown = |input: &MemoryInput| {
            input
                .bytes
                .get(..VALUE_BYTES.min(input.bytes.len()))
                .unwrap_or_default()
                .to_vec()
        };
        let is_stated = |input: &&MemoryInput| shown(input).iter().all(Option::is_some);
        let open = inputs.iter().filter(|input| !is_stated(input));
        let open = open.map(|input| MemoryRange {
            address: input.address,
            len_bytes: shown(input).len() as u64,
        });
        let mut held = self.held(self.scope.from, open.collect())?.into_iter();
        let cell = |input: &MemoryInput| {
            let (mut bytes, mut source) = (shown(input), ValueSource::Recorded);
            let states = if is_stated(&input) {
                Vec::new()
            } else {
                held.next().unwrap_or_default()
            };
            for (byte, state) in bytes
                .iter_mut()
                .zip(states)
                .filter(|(byte, _)| byte.is_none())
            {
                (*byte, source) = (state.value, source.max(state.source));
            }
            let (address, len_bytes) = (input.address, input.bytes.len() as u64);
            UsedCell {
                used: UsedValue::Memory {
                    address,
                    len_bytes,
                    bytes,
                },
                source,
                at: Some(input.at),
            }
        };
        Ok(inputs.iter().map(cell).collect())
    }

    fn memory_outputs(&self, outputs: &[MemoryOutput]) -> Result<Vec<UsedCell>, QueryError> {
        let outputs = outputs.get(..LISTED.min(outputs.len())).unwrap_or_default();
        let shown = |output: &MemoryOutput| {
            let len_bytes = output.range.len_bytes.min(VALUE_BYTES as u64);
            MemoryRange {
                len_bytes,
                ..output.range
            }
        };
        let held = self.held(self.scope.to, outputs.iter().map(shown).collect())?;
        let cell = |(output, states): (&MemoryOutput, Vec<ByteState>)| {
            let source = states
                .iter()
                .map(|state| state.source)
                .max()
                .unwrap_or_default();
            let MemoryRange { address, len_bytes } = output.range;
            let bytes = states.into_iter().map(|state| state.value).collect();
            UsedCell {
                used: UsedValue::Memory {
                    address,
                    len_bytes,
                    bytes,
                },
                source,
                at: Some(output.at),
            }
        };
        Ok(outputs.iter().zip(held).map(cell).collect())
    }

    /// Returns the thread's memory at a position.
    fn held(
        &self,
        position: Position,
        ranges: Vec<MemoryRange>,
    ) -> Result<Vec<Vec<ByteState>>, QueryError> {
        let question = MemoryRangesAt { position, ranges };
        MemoryOf {
            thread: Some(self.scope.thread),
            question,
        }
        .run(self.index, self.cancel)
    }
}
