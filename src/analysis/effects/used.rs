//! What steps took in, with the values that it had, and what they left behind, with the values at the end.

use stepback_index::{
    AccessKinds, Accessed, Cancel, Cell, EFFECT_BLOCKS, EffectsWithin, LastAccesses, MemoryAt, MemoryOf, NameReader,
    NextAccesses, Query as _, QueryError, RangeEffects, RegisterEffect, RegisterViewsAt, Value, ValueSource,
};
use stepback_machine::{Address, RegisterView};
use stepback_parsers::Position;

use super::scope::Scope;
use crate::analysis::trace_index::TraceIndex;

/// So many runs of memory are listed of each kind; the others are counted.
pub const LISTED: usize = 10_000;
/// So many bytes of a run have their values.
pub const VALUE_BYTES: usize = 64;

/// What steps took in and left behind.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Which steps.
    pub scope: Scope,
    /// How many the thread did.
    pub steps: u64,
    /// Registers and memory that were read before they were written, with what they held: registers first, memory by address.
    pub inputs: Vec<UsedCell>,
    /// Those that were written, with what they hold at the end.
    pub outputs: Vec<UsedCell>,
    /// Runs of memory that are not among them.
    pub more_inputs: u64,
    /// The same of what was written.
    pub more_outputs: u64,
    /// Steps of which nobody knows the registers.
    pub undecoded: u64,
    /// Accesses of memory that are not told of: there was too much of it.
    pub left_out: u64,
}

/// Something that was read or written.
#[derive(Clone, Debug)]
pub struct UsedCell {
    /// What.
    pub used: Used,
    /// What the value is known from: the doubtful source where its bytes have several.
    pub source: ValueSource,
    /// The position after the first step that read it, or the last that wrote it.
    pub at: Option<Position>,
}

/// A register or a run of memory.
#[derive(Clone, Debug)]
pub enum Used {
    /// Bytes of a register.
    Register {
        /// Under the name that is shown.
        name: String,
        /// What it held.
        value: Value,
    },
    /// Memory.
    Memory {
        /// The first byte.
        address: Address,
        /// How many.
        len_bytes: u64,
        /// What the first [`VALUE_BYTES`] held, by address.
        bytes: Vec<Option<u8>>,
    },
}

/// What some steps took in and left behind. Cost: that of [`EffectsWithin`], and a few lookups for each that is listed.
///
/// # Errors
/// See [`QueryError`].
pub fn effects_of(index: &TraceIndex, scope: Scope, cancel: &Cancel) -> Result<Effects, QueryError> {
    let reader = Reader { index, scope, cancel };
    reader.effects(&range_effects(index, scope, cancel)?)
}

/// The same as plain sets.
pub(super) fn range_effects(index: &TraceIndex, scope: Scope, cancel: &Cancel) -> Result<RangeEffects, QueryError> {
    let Scope { thread, from, to, .. } = scope;
    EffectsWithin { thread, from, to, blocks: EFFECT_BLOCKS }.run(index, cancel)
}

/// Looks up values.
struct Reader<'a> {
    index: &'a TraceIndex,
    scope: Scope,
    cancel: &'a Cancel,
}

impl Reader<'_> {
    fn effects(&self, sets: &RangeEffects) -> Result<Effects, QueryError> {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for effect in &sets.register_inputs {
            // Nothing has written it up to its first read.
            inputs.push(self.register(effect, Position(effect.at.0.saturating_sub(1)))?);
        }
        for effect in &sets.register_outputs {
            let has_windows = self.index.instruction_set(self.scope.thread).has_windows();
            outputs.push(self.register(effect, if has_windows { effect.at } else { self.scope.to })?);
        }
        for input in sets.memory_inputs.iter().take(LISTED) {
            let told = input.bytes.get(..VALUE_BYTES.min(input.bytes.len())).unwrap_or_default();
            inputs.push(self.memory_input(input.address, input.bytes.len() as u64, told.to_vec())?);
        }
        for output in sets.memory_outputs.iter().take(LISTED) {
            outputs.push(self.memory_output(output.address, output.len_bytes)?);
        }
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

    fn register(&self, effect: &RegisterEffect, position: Position) -> Result<UsedCell, QueryError> {
        let thread = self.scope.thread;
        let name = NameReader(self.index).register_name(effect.view, self.index.instruction_set(thread));
        // A name means another cell where windows turned since.
        let views = vec![(name.clone(), RegisterView { register: effect.cell, ..effect.view })];
        let state = RegisterViewsAt { position, thread, views }.run(self.index, self.cancel)?.pop();
        let (value, source) = state.map(|state| (state.value, state.source)).unwrap_or_default();
        Ok(UsedCell { used: Used::Register { name, value }, source, at: Some(effect.at) })
    }

    /// What the reads do not tell, as in a trace without values, is what memory held before the first step.
    fn memory_input(
        &self,
        address: Address,
        len_bytes: u64,
        mut bytes: Vec<Option<u8>>,
    ) -> Result<UsedCell, QueryError> {
        let mut source = ValueSource::Recorded;
        if bytes.iter().any(Option::is_none) {
            let question = MemoryAt { position: self.scope.from, address, len_bytes: bytes.len() as u64 };
            let thread = Some(self.scope.thread);
            let states = MemoryOf { thread, question }.run(self.index, self.cancel)?;
            for (byte, state) in bytes.iter_mut().zip(states).filter(|(byte, _)| byte.is_none()) {
                (*byte, source) = (state.value, source.max(state.source));
            }
        }
        let cell = Cell::Memory { address, len_bytes };
        let (kinds, thread, from) = (AccessKinds::Reads, Some(self.scope.thread), self.scope.from);
        let next = NextAccesses { cell, kinds, thread, from, skip: 0, limit: 1 }.run(self.index, self.cancel)?;
        let at = next.first().map(|hit| hit.position);
        Ok(UsedCell { used: Used::Memory { address, len_bytes, bytes }, source, at })
    }

    fn memory_output(&self, address: Address, len_bytes: u64) -> Result<UsedCell, QueryError> {
        let shown = len_bytes.min(VALUE_BYTES as u64);
        let question = MemoryAt { position: self.scope.to, address, len_bytes: shown };
        let states = MemoryOf { thread: Some(self.scope.thread), question }.run(self.index, self.cancel)?;
        let source = states.iter().map(|state| state.source).max().unwrap_or_default();
        let bytes = states.into_iter().map(|state| state.value).collect();
        let cell = Cell::Memory { address, len_bytes };
        let (kinds, thread, before) = (AccessKinds::Writes, Some(self.scope.thread), self.scope.to);
        let last = LastAccesses { cell, kinds, thread, before, skip: 0, limit: 1 }.run(self.index, self.cancel)?;
        let at = last.and_then(|last| match last.accesses.into_iter().next()? {
            Accessed::Step(hit) => Some(hit.position),
            Accessed::Initial(_) => None,
        });
        Ok(UsedCell { used: Used::Memory { address, len_bytes, bytes }, source, at })
    }
}
