//! Data dependences: the inputs that flow into each result of an instruction.
//!
//! Loads, stores and moves copy each byte separately. Computations read all bytes of the views that
//! they name, and each byte of the result depends on all of them.
//! ```
//! use stepback_machine::{Address, Encoding, InstructionSet, Registers, decode};
//! use stepback_machine::semantics::{InstructionInput, ValueOrigin};
//!
//! let encoding = Encoding::new(&[0xe0, 0x03, 0x01, 0xaa]).unwrap(); // mov x0, x1
//! let mov = decode(encoding, Address(0x8000), InstructionSet::A64);
//! let x1 = Registers::view("x1", InstructionSet::A64).unwrap();
//! let origins = mov.origins_of_value(&mov.meaning.writes[0].value, 0..4);
//! let low = stepback_machine::RegisterView { size_bytes: 4, ..x1 };
//! assert_eq!(origins, [ValueOrigin { input: InstructionInput::Register(low), is_copy: true }]);
//! ```

use std::ops::Range;

use crate::expression::{Expression, Operation};
use crate::instruction::Instruction;
use crate::meaning::{AccessKind, MemoryOperand};
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// An input of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionInput {
    /// Bytes of a register before the instruction.
    Register(RegisterView),
    /// Bytes of the value that a memory operand loads, least significant first.
    Loaded {
        /// Index of the operand in [`crate::semantics::Meaning::memory`].
        operand: usize,
        /// First byte.
        first: u16,
        /// Number of bytes; none for all from `first` on.
        len_bytes: Option<u16>,
    },
    /// Everything that it loads, if the accesses are not modelled.
    AllLoaded,
}

/// Origin of a part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueOrigin {
    /// The input.
    pub input: InstructionInput,
    /// True if the bytes are copied unchanged: a move, a load, a store.
    pub is_copy: bool,
}

impl Instruction {
    /// Returns the inputs of some bytes of a value that the instruction writes or stores.
    pub fn origins_of_value(&self, value: &Expression, bytes: Range<u16>) -> Vec<ValueOrigin> {
        match value {
            Expression::Unknown => self.origins_of_result(None),
            Expression::Constant(_) => Vec::new(),
            Expression::Register(view) => copied_register(*view, &bytes).into_iter().collect(),
            Expression::Loaded(operand) => self.copied_load(*operand, bytes).into_iter().collect(),
            Expression::Extended {
                value,
                bits,
                is_signed,
            } if bits % 8 == 0 => match value.as_ref() {
                Expression::Loaded(operand) => {
                    // Bytes above the kept bits are zero or copies of the sign bit.
                    let size_bytes = u16::from(*bits) / 8;
                    let sign = if *is_signed {
                        size_bytes.saturating_sub(1)
                    } else {
                        u16::MAX
                    };
                    let bytes = bytes.start.min(sign)..bytes.end.min(size_bytes);
                    self.copied_load(*operand, bytes).into_iter().collect()
                }
                _ => self.computed(value),
            },
            value => inserted(value, &bytes).unwrap_or_else(|| self.computed(value)),
        }
    }

    /// Returns the inputs of a result that is not modelled: all reads except address registers.
    /// `result` is the written register: an updated base register depends on itself.
    pub fn origins_of_result(&self, result: Option<RegisterId>) -> Vec<ValueOrigin> {
        let mut views = self.meaning.data_reads.clone();
        let bases = self
            .meaning
            .memory
            .iter()
            .flat_map(MemoryOperand::address_registers);
        views.extend(bases.filter(|view| Some(view.register) == result));
        views.retain(|view| view.register != RegisterId::PSR);
        views.sort_unstable();
        views.dedup();
        let registers = views.into_iter().map(|view| ValueOrigin {
            input: InstructionInput::Register(view),
            is_copy: false,
        });
        let loads = self.all_loads().map(|input| ValueOrigin {
            input,
            is_copy: false,
        });
        registers.chain(loads).collect()
    }

    /// Returns the inputs of bytes for which the trace shows a write that the instruction does not
    /// make. The trace may print an entire register of which only a part is written: the rest keeps
    /// its value.
    pub fn origins_of_unwritten(&self, view: RegisterView) -> Vec<ValueOrigin> {
        if self.clears(view) {
            return Vec::new();
        }
        let writes = self.registers.iter().flat_map(|known| &known.writes);
        let mut same = writes
            .filter(|write| write.register == view.register)
            .peekable();
        // A write of these same bytes that was not explained belongs to another bank.
        let is_rest = view.register != RegisterId::PSR
            && same.peek().is_some()
            && !same.any(|write| write.overlaps(view));
        match is_rest {
            true => vec![ValueOrigin {
                input: InstructionInput::Register(view),
                is_copy: true,
            }],
            false => self.origins_of_result(None),
        }
    }

    /// Returns the inputs of a select, or of the flags of a conditional comparison, for given
    /// flags. Without flags, or if there is no selection, returns all possible inputs.
    pub fn origins_of_selection(
        &self,
        flags: Option<u64>,
        result: Option<RegisterId>,
    ) -> Vec<ValueOrigin> {
        let chosen = self
            .meaning
            .selection
            .as_ref()
            .zip(flags)
            .map(|(selection, flags)| match selection.test.holds(flags) {
                true => &selection.chosen,
                false => &selection.otherwise,
            });
        match chosen {
            None | Some(Expression::Unknown) => self.origins_of_result(result),
            Some(value) => self.computed(value),
        }
    }

    /// Returns the condition flags that decide the outcome or flow into a result; 0 if there are
    /// none.
    pub fn flags_read(&self, set: InstructionSet) -> u64 {
        let is_read = self
            .registers
            .as_ref()
            .is_some_and(|known| known.is_flags_read());
        if is_read {
            self.meaning.flags.read.unwrap_or(set.flag_bits())
        } else {
            0
        }
    }

    /// Returns the condition flags that it writes; 0 if there are none.
    pub fn flags_written(&self, set: InstructionSet) -> u64 {
        let is_written = self
            .registers
            .as_ref()
            .is_some_and(|known| known.is_flags_written());
        if is_written {
            self.meaning.flags.written.unwrap_or(set.flag_bits())
        } else {
            0
        }
    }

    /// Returns the written condition flags that may keep their values.
    pub fn flags_kept(&self) -> u64 {
        self.meaning.flags.kept
    }

    /// Returns the inputs of the condition flags: everything that the instruction computes with.
    pub fn origins_of_flags(&self) -> Vec<ValueOrigin> {
        let is_nothing = |value: &Expression| {
            matches!(value, Expression::Constant(_)) || is_difference_of_same(value)
        };
        let mut values = self.meaning.writes.iter().map(|effect| &effect.value);
        match values.next() {
            // In `eor x0, x1, x1` and the like, the register value does not matter.
            Some(only) if values.next().is_none() && is_nothing(only) => Vec::new(),
            _ => self.origins_of_result(None),
        }
    }

    fn all_loads(&self) -> impl Iterator<Item = InstructionInput> + use<'_> {
        let loads = self
            .meaning
            .memory
            .iter()
            .enumerate()
            .filter(|(_, known)| known.kind == AccessKind::Read);
        let described = loads.map(|(operand, _)| InstructionInput::Loaded {
            operand,
            first: 0,
            len_bytes: None,
        });
        described.chain((!self.meaning.is_memory_known).then_some(InstructionInput::AllLoaded))
    }

    /// Returns the inputs of a value of which every byte depends on all inputs.
    fn computed(&self, value: &Expression) -> Vec<ValueOrigin> {
        let mut inputs = Vec::new();
        collect(value, &mut inputs);
        inputs.sort_unstable_by_key(|input| match input {
            InstructionInput::Register(view) => (0, view.register.0, view.offset, view.size_bytes),
            InstructionInput::Loaded { operand, .. } => {
                (1, u16::try_from(*operand).unwrap_or(u16::MAX), 0, 0)
            }
            InstructionInput::AllLoaded => (2, 0, 0, 0),
        });
        inputs.dedup();
        inputs
            .into_iter()
            .map(|input| ValueOrigin {
                input,
                is_copy: false,
            })
            .collect()
    }

    fn copied_load(&self, operand: usize, bytes: Range<u16>) -> Option<ValueOrigin> {
        let size_bytes = self
            .meaning
            .memory
            .get(operand)
            .and_then(|known| known.size_bytes);
        let end = size_bytes.map_or(bytes.end, |size| bytes.end.min(size));
        let len_bytes = end.checked_sub(bytes.start).filter(|len| *len > 0)?;
        let input = InstructionInput::Loaded {
            operand,
            first: bytes.start,
            len_bytes: Some(len_bytes),
        };
        Some(ValueOrigin {
            input,
            is_copy: true,
        })
    }
}

/// Returns the source bytes of a copied register; bytes past its end are zero and have no source.
fn copied_register(view: RegisterView, bytes: &Range<u16>) -> Option<ValueOrigin> {
    let size_bytes = bytes
        .end
        .min(view.size_bytes)
        .checked_sub(bytes.start)
        .filter(|size| *size > 0)?;
    let view = RegisterView::new(view.register, view.offset + bytes.start, size_bytes);
    Some(ValueOrigin {
        input: InstructionInput::Register(view),
        is_copy: true,
    })
}

/// Returns the remaining bytes of a register into which a constant of whole bytes is inserted
/// (MOVK): those on either side of it.
fn inserted(value: &Expression, bytes: &Range<u16>) -> Option<Vec<ValueOrigin>> {
    let value = match value {
        Expression::Extended {
            value,
            bits: 32,
            is_signed: false,
        } => value.as_ref(),
        value => value,
    };
    let Expression::Binary(Operation::Or, kept, new) = value else {
        return None;
    };
    let (Expression::Binary(Operation::And, old, mask), Expression::Constant(_)) =
        (kept.as_ref(), new.as_ref())
    else {
        return None;
    };
    let (Expression::Register(view), Expression::Constant(mask)) = (old.as_ref(), mask.as_ref())
    else {
        return None;
    };
    let is_whole = mask
        .to_le_bytes()
        .iter()
        .all(|byte| matches!(byte, 0 | 0xff));
    let is_kept = |byte: &u16| mask.to_le_bytes().get(usize::from(*byte)) == Some(&0xff);
    if !is_whole {
        return None;
    }
    let mut kept: Vec<Range<u16>> = Vec::new();
    for byte in bytes.clone().filter(is_kept) {
        match kept.last_mut().filter(|run| run.end == byte) {
            Some(run) => run.end += 1,
            None => kept.push(byte..byte + 1),
        }
    }
    Some(
        kept.iter()
            .filter_map(|run| copied_register(*view, run))
            .collect(),
    )
}

fn is_difference_of_same(value: &Expression) -> bool {
    match value {
        Expression::Binary(Operation::Xor | Operation::Subtract, left, right) => left == right,
        Expression::Extended { value, .. } => is_difference_of_same(value),
        _ => false,
    }
}

fn collect(value: &Expression, inputs: &mut Vec<InstructionInput>) {
    match value {
        Expression::Unknown | Expression::Constant(_) => {}
        Expression::Register(view) => inputs.push(InstructionInput::Register(*view)),
        Expression::Loaded(operand) => inputs.push(InstructionInput::Loaded {
            operand: *operand,
            first: 0,
            len_bytes: None,
        }),
        value if is_difference_of_same(value) => {}
        Expression::Binary(_, left, right) => {
            collect(left, inputs);
            collect(right, inputs);
        }
        Expression::Extended { value, .. } => collect(value, inputs),
    }
}
