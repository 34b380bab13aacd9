//! What flows into what an instruction writes: the dependences of its results, each by itself.
//!
//! Loads, stores and moves pass each byte on by itself. What computes reads all bytes of the views that it names,
//! and gives all bytes of its result.
//! ```
//! use stepback_machine::{Address, Encoding, Input, InstructionSet, Origin, Registers, decode};
//!
//! let encoding = Encoding::new(&[0xe0, 0x03, 0x01, 0xaa]).unwrap(); // mov x0, x1
//! let mov = decode(encoding, Address(0x8000), InstructionSet::A64);
//! let x1 = Registers::view("x1", InstructionSet::A64).unwrap();
//! let origins = mov.origins_of_value(&mov.meaning.writes[0].value, 0..4);
//! let low = stepback_machine::RegisterView { size_bytes: 4, ..x1 };
//! assert_eq!(origins, [Origin { input: Input::Register(low), is_copy: true }]);
//! ```

use std::ops::Range;

use crate::access_kind::AccessKind;
use crate::expression::{Expression, Operation};
use crate::instruction::Instruction;
use crate::meaning::MemoryOperand;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Something that an instruction takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstructionInput {
    /// What some bytes of a register held before it.
    Register(RegisterView),
    /// Bytes of the value that a memory operand loads, the least significant first.
    Loaded {
        /// The number of the operand in [`crate::Meaning::memory`].
        operand: usize,
        /// The first byte.
        first: u16,
        /// How many; none for all from there on.
        len_bytes: Option<u16>,
    },
    /// All that it loads, in a way that is not described.
    AllLoaded,
}

/// Where a part of a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueOrigin {
    /// From what.
    pub input: InstructionInput,
    /// True when the bytes are passed on as they are: a move, a load, a store.
    pub is_copy: bool,
}

impl Instruction {
    /// What flows into some bytes of a value that the instruction gives to a register or stores.
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
                    // The bytes above those that count are the sign of the highest, or zero.
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

    /// What flows into a result that is not described: all that the instruction reads but for what addresses are made of.
    /// A base register that moves is made of itself.
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

    /// What flows into bytes of which a trace shows a write that is not one of the instruction.
    /// A line may show a whole register of which the instruction writes a part: the rest keeps its value.
    pub fn origins_of_unwritten(&self, view: RegisterView) -> Vec<ValueOrigin> {
        if self.clears(view) {
            return Vec::new();
        }
        let writes = self.registers.iter().flat_map(|known| &known.writes);
        let mut same = writes
            .filter(|write| write.register == view.register)
            .peekable();
        // A write of these bytes that did not explain them is one of another bank.
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

    /// What flows into the result of a select, or into the flags of a conditional comparison, when the flags are these.
    /// Without them, or where nothing is chosen: all that may.
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

    /// The condition flags that decide about it, or flow into it; 0 when none does.
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

    /// The condition flags that it gives a value; 0 when none.
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

    /// Of the condition flags that it gives a value, those that may stay as they were.
    pub fn flags_kept(&self) -> u64 {
        self.meaning.flags.kept
    }

    /// What flows into the condition flags: all that the instruction computes with.
    pub fn origins_of_flags(&self) -> Vec<ValueOrigin> {
        let is_nothing = |value: &Expression| {
            matches!(value, Expression::Constant(_)) || is_difference_of_same(value)
        };
        let mut values = self.meaning.writes.iter().map(|effect| &effect.value);
        match values.next() {
            // `eor x0, x1, x1` and the like: what the register holds does not matter.
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

    /// A value of which every byte depends on all of what it is made of.
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

/// A register that is moved: what is behind its end is zero.
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

/// Of a register into which a constant of whole bytes is inserted (MOVK), what stays of some bytes: those on either side of it.
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
