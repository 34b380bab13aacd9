//! Registers in the order of the target description, with their contents at a position.

use std::ops::Range;

use stepback_debugger::analysis::step_places::step_record;
use stepback_index::answer::{RegisterState, StepRecord, ThreadId};
use stepback_index::query::{NearestStepOf, RegisterViewsAt};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::target_description::{
    RegisterContent, TargetDescription, TargetRegister, TargetRegisterKind,
};
use stepback_machine::{Address, Endian, RegisterId, RegisterView};
use stepback_parsers::{DelaySlot, Position};

/// Maximum number of described registers that only the trace names.
const RECORDED_REGISTERS: usize = 512;

/// A thread at a position, whose registers a client reads.
#[derive(Clone, Copy, Debug)]
pub struct RegisterMoment {
    pub thread: ThreadId,
    pub position: Position,
    /// Position at which the program counter is read: the same, or an earlier one if it is unknown
    /// there.
    pub counter_at: Position,
}

/// The registers that a client sees.
#[derive(Clone, Debug)]
pub struct RegisterLayout {
    pub description: TargetDescription,
    /// Registers outside the standard features that the trace names.
    pub recorded: Vec<TargetRegister>,
    endian: Endian,
}

impl RegisterLayout {
    /// Creates the layout for a trace. None if GDB does not know the instruction set.
    pub fn of_trace(index: &Index) -> Option<Self> {
        let traits = index.source().traits();
        let named = named_registers(index);
        let status = index.source().is_m_profile().then_some("xpsr");
        let names = named.iter().map(|(name, _)| name.as_str()).chain(status);
        let names: Vec<&str> = names.collect();
        let description = traits.instruction_set.target_description(&names)?;
        let is_described = |name: &str| {
            let mut registers = description.features.iter().flat_map(|one| &one.registers);
            registers.any(|register| register.name == name)
        };
        let is_plain = |name: &str| {
            let mut letters = name.bytes();
            letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
        };
        let recorded = named
            .iter()
            .filter(|(name, view)| {
                is_plain(name) && !is_described(name) && matches!(view.size_bytes, 1 | 2 | 4 | 8)
            })
            .take(RECORDED_REGISTERS)
            .map(|(name, view)| TargetRegister {
                name: name.clone(),
                kind: TargetRegisterKind::Integer(view.size_bytes),
                content: RegisterContent::Traced(name.clone()),
            })
            .collect();
        Some(Self {
            description,
            recorded,
            endian: traits.endian,
        })
    }

    /// Reads the contents of all registers of a thread, in the byte order of the processor. A
    /// register with an unknown byte is unavailable as a whole, as clients know no other form.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn read(
        &self,
        index: &Index,
        moment: RegisterMoment,
        cancel: &Cancel,
    ) -> Result<Vec<Option<u8>>, QueryError> {
        let RegisterMoment {
            thread,
            position,
            counter_at,
        } = moment;
        let (mut views, mut counters) = (Vec::new(), Vec::new());
        for register in self.registers() {
            if let RegisterContent::Traced(name) = &register.content {
                let view = NameReader(index).register_view_at(name, thread, position)?;
                let named = view.map(|view| (register.name.clone(), view));
                let is_counter = |view: RegisterView| view.register == RegisterId::PC;
                match counter_at != position && view.is_some_and(is_counter) {
                    true => counters.extend(named),
                    false => views.extend(named),
                }
            }
        }
        let states = |position, views: Vec<_>| {
            let question = RegisterViewsAt {
                position,
                thread,
                views,
            };
            question.run(index, cancel)
        };
        let counters = match counters.is_empty() {
            true => Vec::new(),
            false => states(counter_at, counters)?,
        };
        let states = states(position, views)?;
        let mut states = states.iter().peekable();
        let mut bytes = Vec::new();
        for register in self.registers() {
            // The states are in the order of the registers, without those that have no view.
            let state = states
                .next_if(|state| state.name == register.name)
                .or_else(|| counters.iter().find(|state| state.name == register.name));
            let known = match &register.content {
                RegisterContent::Zero => Some(Vec::new()),
                RegisterContent::Traced(_) => state.and_then(known_bytes),
                RegisterContent::NextCounter => {
                    let next = next_counter(index, thread, counter_at, cancel)?;
                    next.map(|next| next.0.to_le_bytes().to_vec())
                }
            };
            bytes.extend(self.padded(known, register));
        }
        Ok(bytes)
    }

    /// Returns the place of a register among the bytes that [`Self::read`] returns, by its number.
    pub fn place(&self, number: u64) -> Option<Range<usize>> {
        let sizes = self
            .registers()
            .map(|one| usize::from(one.kind.size_bytes()));
        let mut start = 0;
        for (place, size) in (0u64..).zip(sizes) {
            if place == number {
                return Some(start..start + size);
            }
            start += size;
        }
        None
    }

    fn registers(&self) -> impl Iterator<Item = &TargetRegister> {
        let described = self.description.features.iter();
        described
            .flat_map(|feature| &feature.registers)
            .chain(&self.recorded)
    }

    /// Returns the bytes in the processor's order, extended by zeros; all unavailable if unknown.
    fn padded(&self, known: Option<Vec<u8>>, register: &TargetRegister) -> Vec<Option<u8>> {
        let size = usize::from(register.kind.size_bytes());
        let mut bytes = match known {
            Some(known) => {
                let mut bytes: Vec<_> = known.into_iter().map(Some).collect();
                bytes.resize(size, Some(0));
                bytes
            }
            None => vec![None; size],
        };
        if self.endian == Endian::Big {
            bytes.reverse();
        }
        bytes
    }
}

fn known_bytes(state: &RegisterState) -> Option<Vec<u8>> {
    state.value.0.iter().copied().collect()
}

/// Returns the address of the instruction after the next one of a thread. A step in a delay slot is
/// followed by the target of the branch, any other step by its neighbour.
fn next_counter(
    index: &Index,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<Address>, QueryError> {
    let step_from = |position: Position| -> Result<Option<StepRecord>, QueryError> {
        let step = NearestStepOf::next(thread, position).run(index, cancel)?;
        let record = step.map(|step| step_record(step, index, cancel));
        Ok(record.transpose()?.flatten())
    };
    let Some(next) = step_from(position)? else {
        return Ok(None);
    };
    let neighbour = next.pc.0.checked_add(u64::from(next.length_bytes));
    Ok(match next.delay_slot {
        DelaySlot::None => neighbour.map(Address),
        DelaySlot::Executed | DelaySlot::Annulled => {
            step_from(next.step.after())?.map(|after| after.pc)
        }
    })
}

/// Returns the registers that only the trace names, of all threads.
fn named_registers(index: &Index) -> Vec<(String, RegisterView)> {
    let threads = (0..).map(ThreadId).take(index.threads().len());
    let mut named: Vec<_> = threads
        .flat_map(|thread| NameReader(index).named_registers(thread))
        .collect();
    named.sort_unstable();
    named.dedup_by(|one, other| one.0 == other.0);
    named
}
