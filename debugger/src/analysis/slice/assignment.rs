//! Assignments of slice rows: expressions over the rows that they take in.

use stepback_index::answer::{SliceCell, ThreadId};
use stepback_machine::semantics::{Expression, MemoryOperand, Operation, ScaledRegister};
use stepback_machine::{AccessKind, Address, RegisterId, RegisterView};

use super::formula::{Formula, LoadShape, MemoryLeaf, RegisterLeaf};
use super::narrow::{as_in_c, cut};
use super::reading::SliceReading;
use super::row::{ReadRow, RowId, SliceRowRole};
use crate::analysis::slice::formula::{NamedOperand, NamedOperation, as_written};
use crate::analysis::slice::row::{bits_of, effect_on};

/// A cell and the value that a row assigns to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The target: a register as wide as the instruction writes it, or memory.
    pub cell: SliceCell,
    /// Address computation of a memory target.
    pub place: Option<MemoryLeaf>,
    /// The value; `None` if the instruction's effect is not described.
    pub value: Option<Formula>,
}

/// Maximum number of copies to follow. Beyond it the last copy is named.
const LOOKED_THROUGH: u32 = 64;

impl SliceReading {
    /// Returns the assignments of a row. Cost: the size of its expressions.
    pub fn assignments(&self, id: RowId) -> Vec<Assignment> {
        let Some(row) = self.row(id) else {
            return Vec::new();
        };
        let mut assignments: Vec<Assignment> = Vec::new();
        for defined in &row.slice.defines {
            let cell = shown_cell(row, defined.cell);
            let is_stated = assignments.iter().any(|known| is_within(cell, known.cell));
            if is_stated {
                continue;
            }
            assignments.retain(|known| !is_within(known.cell, cell));
            let value = self.value(id, defined.cell, LOOKED_THROUGH);
            let bits = size_of(defined.cell).saturating_mul(8);
            let stated = match (cell, row.instruction()) {
                (SliceCell::Register { view, .. }, Some(instruction)) => bits_of(instruction, view),
                _ => bits,
            };
            // Writing the lower half of a register clears the upper half.
            let wanted = if stated <= 32 { bits.min(32) } else { bits };
            let value = value.map(|value| {
                if bits <= 64 {
                    as_in_c(value, wanted)
                } else {
                    value
                }
            });
            assignments.push(Assignment {
                cell,
                place: self.place(id, cell),
                value,
            });
        }
        assignments
    }

    /// Returns the target address of a store.
    fn place(&self, id: RowId, cell: SliceCell) -> Option<MemoryLeaf> {
        let SliceCell::Memory { address, len_bytes } = cell else {
            return None;
        };
        let row = self.row(id)?;
        let size_bytes = u16::try_from(len_bytes).ok()?;
        let operand = stored_by(row, address).map(|(operand, _)| operand);
        let place = match operand {
            Some(operand) => MemoryLeaf {
                address: Some(address),
                size_bytes,
                ..self.loaded(id, operand)
            },
            None => MemoryLeaf {
                address: Some(address),
                size_bytes,
                ..MemoryLeaf::of(id)
            },
        };
        match as_in_c(Formula::Loaded(place), 64) {
            Formula::Loaded(place) => Some(place),
            _ => None,
        }
    }

    /// Returns the value that a row assigns to a cell, before simplification.
    fn value(&self, id: RowId, cell: SliceCell, depth: u32) -> Option<Formula> {
        let row = self.row(id)?;
        let instruction = row.instruction()?;
        match cell {
            SliceCell::Register { view, .. } => match effect_on(instruction, view) {
                Some(effect) if effect.value != Expression::Unknown => {
                    let skipped = if effect.view.register == view.register {
                        view.offset - effect.view.offset
                    } else {
                        0
                    };
                    Some(shifted_down(
                        self.formula(id, &effect.value, depth),
                        skipped,
                    ))
                }
                _ => self.named(id, view, depth),
            },
            SliceCell::Memory { address, .. } => {
                let (operand, skipped) = stored_by(row, address)?;
                let known = instruction.meaning.memory.get(operand)?;
                let value = Some(&known.value).filter(|value| **value != Expression::Unknown)?;
                Some(shifted_down(self.formula(id, value, depth), skipped))
            }
            SliceCell::Flags { .. } => None,
        }
    }

    fn formula(&self, id: RowId, value: &Expression, depth: u32) -> Formula {
        match value {
            Expression::Unknown => Formula::Word("?".into()),
            Expression::Constant(number) => Formula::Number(*number),
            Expression::Register(view) => self.register(id, *view, depth),
            Expression::Loaded(operand) => self.memory(id, *operand, depth),
            Expression::Binary(operation, left, right) => {
                let (left, right) = (
                    self.formula(id, left, depth),
                    self.formula(id, right, depth),
                );
                Formula::Binary(*operation, Box::new(left), Box::new(right))
            }
            Expression::Extended {
                value,
                bits,
                is_signed,
            } => Formula::Cast {
                value: Box::new(self.formula(id, value, depth)),
                bits: u16::from(*bits),
                is_signed: *is_signed,
            },
        }
    }

    /// Returns a register that a row reads, replaced by its producer's expression if the producer
    /// has no line.
    fn register(&self, id: RowId, view: RegisterView, depth: u32) -> Formula {
        let Some(row) = self.row(id) else {
            return Formula::Word("?".into());
        };
        let thread = row.slice.thread;
        let leaf = |bits, source| {
            Formula::Register(RegisterLeaf {
                thread,
                view,
                bits,
                source,
            })
        };
        let whole_bits = view.size_bytes.saturating_mul(8);
        let Some((source, producer)) = self.producer(row, view) else {
            return leaf(whole_bits, None);
        };
        let cell = SliceCell::Register { thread, view };
        let deeper = depth.checked_sub(1);
        match (producer.role, deeper) {
            (SliceRowRole::Folded(_) | SliceRowRole::Copied(_), Some(depth)) => {
                match self.value(source, cell, depth) {
                    Some(value) => cut(value, whole_bits),
                    None => leaf(whole_bits, Some(source)),
                }
            }
            _ => {
                let view = as_written(producer, view);
                let bits = view.size_bytes.saturating_mul(8);
                let bits = producer
                    .instruction()
                    .map_or(bits, |known| bits_of(known, view));
                Formula::Register(RegisterLeaf {
                    thread,
                    view,
                    bits,
                    source: Some(source),
                })
            }
        }
    }

    /// Returns the row that produced a register that `row` reads.
    fn producer(&self, row: &ReadRow, view: RegisterView) -> Option<(RowId, &ReadRow)> {
        let thread = row.slice.thread;
        row.inputs.iter().find_map(|id| {
            let input = self.row(*id)?;
            let gives = |cell: SliceCell| match cell {
                SliceCell::Register {
                    thread: of,
                    view: known,
                } => of == thread && known.overlaps(view),
                _ => false,
            };
            input
                .slice
                .defines
                .iter()
                .any(|defined| gives(defined.cell))
                .then_some((*id, input))
        })
    }

    /// Returns the value that a row loads, replaced by the stored expression if the store has no
    /// line.
    fn memory(&self, id: RowId, operand: usize, depth: u32) -> Formula {
        let loaded = self.loaded(id, operand);
        let is_passed_on = self
            .row(id)
            .is_some_and(|row| matches!(row.role, SliceRowRole::Copied(_)));
        let (Some(address), Some(depth), true) =
            (loaded.address, depth.checked_sub(1), is_passed_on)
        else {
            return Formula::Loaded(loaded);
        };
        let wanted = SliceCell::Memory {
            address,
            len_bytes: u64::from(loaded.size_bytes),
        };
        let stored = self
            .row(id)
            .into_iter()
            .flat_map(|row| &row.inputs)
            .find_map(|source| {
                let input = self
                    .row(*source)
                    .filter(|input| matches!(input.role, SliceRowRole::Copied(_)))?;
                let is_whole = input
                    .slice
                    .defines
                    .iter()
                    .any(|defined| is_within(wanted, defined.cell));
                if is_whole {
                    self.value(*source, wanted, depth)
                } else {
                    None
                }
            });
        match stored {
            Some(value) => cut(value, loaded.size_bytes.saturating_mul(8)),
            None => Formula::Loaded(loaded),
        }
    }

    /// Describes a memory operand of a row.
    fn loaded(&self, id: RowId, operand: usize) -> MemoryLeaf {
        let row = self.row(id);
        let address = row.and_then(|row| row.operand_address(operand));
        let known = row.and_then(|row| row.instruction()?.meaning.memory.get(operand));
        let size_bytes = known.and_then(|known| known.size_bytes).unwrap_or(0);
        let shape = match known {
            Some(MemoryOperand { index: Some(_), .. }) => LoadShape::Indexed,
            Some(MemoryOperand {
                base: Some(base), ..
            }) if base.register == RegisterId::SP => LoadShape::Stack,
            _ => LoadShape::Plain,
        };
        let made = known.map(|known| {
            Box::new(cut(
                self.address(id, known),
                8 * u16::from(known.address_bytes),
            ))
        });
        let index = known.and_then(|known| known.index);
        let address_bits = known.map_or(64, |known| 8 * u16::from(known.address_bytes));
        let scaled = index.filter(|index| index.scale > 0);
        let scaled = scaled.map(|index| Box::new(cut(self.scaled(id, index), address_bits)));
        MemoryLeaf {
            address,
            size_bytes,
            made,
            shape,
            by: id,
            index,
            scaled,
            start: None,
        }
    }

    fn address(&self, id: RowId, operand: &MemoryOperand) -> Formula {
        let add = |left: Formula, right: Formula| match left {
            Formula::Number(0) => right,
            left => Formula::Binary(Operation::Add, Box::new(left), Box::new(right)),
        };
        let fixed = [operand.segment, operand.base]
            .into_iter()
            .flatten()
            .map(|view| self.register(id, view, 1));
        let mut sum = fixed.fold(Formula::Number(0), add);
        if let Some(index) = operand.index {
            let scaled = self.scaled(id, index);
            sum = match index.scale < 0 {
                true => Formula::Binary(Operation::Subtract, Box::new(sum), Box::new(scaled)),
                false => add(sum, scaled),
            };
        }
        match operand.displacement {
            0 => sum,
            displacement => add(sum, Formula::Number(displacement.cast_unsigned())),
        }
    }

    /// Returns an index times the absolute value of its scale.
    fn scaled(&self, id: RowId, index: ScaledRegister) -> Formula {
        let mut value = self.register(id, index.view, 1);
        if index.is_signed {
            let bits = index.view.size_bytes.saturating_mul(8);
            value = Formula::Cast {
                value: Box::new(value),
                bits,
                is_signed: true,
            };
        }
        match index.scale.unsigned_abs() {
            1 => value,
            scale => Formula::Binary(
                Operation::Multiply,
                Box::new(Formula::Number(scale)),
                Box::new(value),
            ),
        }
    }

    /// Returns an operation without a C operator as a call: mnemonic and operands.
    fn named(&self, id: RowId, view: RegisterView, depth: u32) -> Option<Formula> {
        let row = self.row(id)?;
        let call = NamedOperation::of(row, view)?;
        let operands = call.operands.iter().map(|operand| match operand {
            NamedOperand::Register(view) => self.register(id, *view, depth),
            NamedOperand::Number(number) => Formula::Number(*number),
            NamedOperand::Word(word) => Formula::Word(word.clone()),
        });
        let operands = operands.collect();
        Some(Formula::Named {
            name: call.name,
            operands,
            bits: view.size_bytes.saturating_mul(8),
        })
    }
}

/// Returns the part of a register that a line names: as wide as the instruction writes it, even if
/// less is traced.
fn shown_cell(row: &ReadRow, cell: SliceCell) -> SliceCell {
    let SliceCell::Register { thread, view } = cell else {
        return cell;
    };
    let Some(effect) = row.instruction().and_then(|known| effect_on(known, view)) else {
        return cell;
    };
    if view.offset == 0 && view.size_bytes < 4 && effect.view.size_bytes >= 4 {
        return SliceCell::Register {
            thread,
            view: RegisterView {
                size_bytes: 4,
                ..view
            },
        };
    }
    SliceCell::Register {
        thread,
        view: as_written(row, view),
    }
}

/// Returns the operand that stores at an address, and the number of its value's bytes below that
/// address.
fn stored_by(row: &ReadRow, address: Address) -> Option<(usize, u16)> {
    let memory = &row.instruction()?.meaning.memory;
    memory
        .iter()
        .enumerate()
        .filter(|(_, known)| known.kind == AccessKind::Write)
        .find_map(|(operand, known)| {
            let first = row.operand_address(operand)?;
            let skipped = u16::try_from(address.0.checked_sub(first.0)?).ok()?;
            (skipped < known.size_bytes?).then_some((operand, skipped))
        })
}

fn shifted_down(value: Formula, skipped_bytes: u16) -> Formula {
    match skipped_bytes {
        0 => value,
        bytes => {
            let places = Box::new(Formula::Number(8 * u64::from(bytes)));
            Formula::Binary(Operation::ShiftRight, Box::new(value), places)
        }
    }
}

/// Returns true if a cell is part of another.
fn is_within(part: SliceCell, whole: SliceCell) -> bool {
    match (part, whole) {
        (
            SliceCell::Register { thread, view },
            SliceCell::Register {
                thread: of,
                view: known,
            },
        ) => {
            let same: (ThreadId, RegisterId) = (of, known.register);
            same == (thread, view.register)
                && known.offset <= view.offset
                && view.offset.saturating_add(view.size_bytes)
                    <= known.offset.saturating_add(known.size_bytes)
        }
        (
            SliceCell::Memory { address, len_bytes },
            SliceCell::Memory {
                address: known,
                len_bytes: known_bytes,
            },
        ) => {
            let first = address.0.checked_sub(known.0);
            first.is_some_and(|first| first.saturating_add(len_bytes) <= known_bytes)
        }
        _ => part == whole,
    }
}

fn size_of(cell: SliceCell) -> u16 {
    match cell {
        SliceCell::Register { view, .. } => view.size_bytes,
        SliceCell::Memory { len_bytes, .. } => u16::try_from(len_bytes).unwrap_or(u16::MAX),
        SliceCell::Flags { .. } => 8,
    }
}
