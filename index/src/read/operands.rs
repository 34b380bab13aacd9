//! Last and next uses of registers in traces that record no registers, by the operands of the
//! instructions.
//!
//! The steps nearby are decoded one by one. Beyond them a table of all addresses lists the
//! instructions that use the register at all, and the visit lists give their slots: a register that
//! nothing uses costs a lookup.
//!
//! Such an answer has a [`Doubt`](crate::answer::Doubt): an instruction that cannot be decoded may
//! do anything.

use std::ops::{ControlFlow, Range};

use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{
    AccessKind, Address, Encoding, Instruction, InstructionSet, Mode, RegisterId, RegisterView,
    decode,
};
use stepback_parsers::{Flow, Position};

use crate::answers::cell::{AccessKinds, Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::{Access, AccessTarget, Doubt};
use crate::answers::value::Value;
use crate::index::Index;
use crate::index::operand_table::OperandKinds;
use crate::read::encodings::encoding_of;
use crate::read::far_uses::FarUses;
use crate::read::names::NameReader;
use crate::read::slots::SlotReader;

/// Number of steps of the thread that are decoded before the table is used.
pub(crate) const NEARBY: u64 = 2048;
/// Number of steps read at once, at first.
pub(crate) const BLOCK: u64 = 32;

/// A step that uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperandUse {
    /// Slot of its effects.
    pub slot: u64,
    /// Doubt that it uses the register.
    pub doubt: Option<Doubt>,
}

/// A step with the data for decoding it.
pub(crate) struct OperandStep {
    pub slot: u64,
    pub mode: Mode,
    pc: Address,
    set: InstructionSet,
    encoding: Option<Encoding>,
    is_executed: bool,
}

/// Returns true if an instruction uses a byte of a view; none if its registers are unknown. On a
/// processor with windows the view is a cell, which `mode` names.
fn is_used(
    instruction: &Instruction,
    mode: Mode,
    view: RegisterView,
    kinds: OperandKinds,
) -> Option<bool> {
    let cell = |known: &RegisterView| match mode.has_windows() {
        true => RegisterView {
            register: mode.home(known.register),
            ..*known
        },
        false => *known,
    };
    Some(
        kinds
            .uses(instruction)?
            .any(|known| cell(known).overlaps(view)),
    )
}

/// Returns the doubt about a step's use of a view, by its encoding; none if it does not use it.
pub(crate) fn use_of(
    step: &OperandStep,
    view: RegisterView,
    kinds: OperandKinds,
) -> Option<Option<Doubt>> {
    let instruction = step
        .encoding
        .map(|encoding| decode(encoding, step.pc, step.set));
    use_by(step, instruction.as_deref(), view, kinds)
}

/// Returns the doubt about a decoded step's use of a view; none if it does not use it.
fn use_by(
    step: &OperandStep,
    instruction: Option<&Instruction>,
    view: RegisterView,
    kinds: OperandKinds,
) -> Option<Option<Doubt>> {
    let Some(instruction) = instruction else {
        return Some(Some(Doubt::Undecoded));
    };
    if !step.is_executed {
        return None;
    }
    let Some(is_used) = is_used(instruction, step.mode, view, kinds) else {
        return Some(Some(Doubt::Undecoded));
    };
    let is_conditional = instruction.meaning.condition == ExecutionCondition::Conditional;
    is_used.then_some(is_conditional.then_some(Doubt::Conditional))
}

/// Finds the steps whose operands name registers.
pub(crate) struct OperandReader<'a> {
    pub index: &'a Index,
    /// Thread of the steps.
    pub thread: ThreadId,
    /// Kinds of use.
    pub kinds: OperandKinds,
}

impl<'a> OperandReader<'a> {
    /// Returns, for each view, the last step of a thread up to a slot that uses it. The program
    /// counter has none.
    pub(crate) fn last_uses(
        &self,
        views: &[RegisterView],
        last: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Option<OperandUse>>, QueryError> {
        let views = &self.cells(views, Position(last))?[..];
        let mut found = vec![None; views.len()];
        let mut open: Vec<_> = (0..views.len())
            .filter(|place| views[*place].register != RegisterId::PC)
            .collect();
        let (mut last, mut left, mut block) = (last, NEARBY, BLOCK);
        // Most steps use none of the registers that are still open.
        let mut open_bits = bits_of(open.iter().map(|place| &views[*place]));
        while !open.is_empty() && left > 0 {
            cancel.check()?;
            let Some(newest) = SlotReader(self.index)
                .owner(self.thread, last)?
                .map(|step| step.after().0)
            else {
                return Ok(found);
            };
            let first = newest.saturating_sub(block - 1).max(1);
            for step in self.steps_of(first..newest + 1)?.iter().rev() {
                let instruction = step
                    .encoding
                    .map(|encoding| decode(encoding, step.pc, step.set));
                let registers = instruction
                    .as_ref()
                    .and_then(|instruction| instruction.registers.as_ref());
                let used = registers.map_or(u128::MAX, |known| {
                    bits_of(known.reads.iter().chain(&known.writes))
                });
                if used & open_bits == 0 {
                    continue;
                }
                open.retain(|place| {
                    let used = use_by(step, instruction.as_deref(), views[*place], self.kinds);
                    found[*place] = used.map(|doubt| OperandUse {
                        slot: step.slot,
                        doubt,
                    });
                    used.is_none()
                });
                open_bits = bits_of(open.iter().map(|place| &views[*place]));
            }
            (last, left, block) = (first - 1, left.saturating_sub(block), 2 * block);
        }
        for place in open {
            found[place] = FarUses::new(self, views[place], Direction::Back).next(last, cancel)?;
        }
        Ok(found)
    }

    /// Returns the first step of a thread in some slots that uses a view.
    pub(crate) fn next_use(
        &self,
        view: RegisterView,
        slots: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Option<OperandUse>, QueryError> {
        if view.register == RegisterId::PC {
            return Ok(None);
        }
        let view = self.cell(view, slots.start)?;
        let first = match self.nearby(view, slots.clone(), NEARBY, cancel)? {
            ControlFlow::Break(found) => return Ok(found),
            ControlFlow::Continue(first) => first,
        };
        let found = FarUses::new(self, view, Direction::Forward).next(first, cancel)?;
        Ok(found.filter(|used| used.slot < slots.end))
    }

    /// Decodes about `count` of the thread's next steps one by one, up to the first that uses a
    /// view. Continues with the slot after them if there is none.
    pub(crate) fn nearby(
        &self,
        view: RegisterView,
        slots: Range<u64>,
        count: u64,
        cancel: &Cancel,
    ) -> Result<ControlFlow<Option<OperandUse>, u64>, QueryError> {
        let (mut first, mut left, mut block) = (slots.start.max(1), count, BLOCK);
        while left > 0 && first < slots.end {
            cancel.check()?;
            let from = Position(first - 1);
            let Some(nearest) = SlotReader(self.index)
                .next_step_of(self.thread, from)?
                .map(|step| step.after().0)
            else {
                return Ok(ControlFlow::Break(None));
            };
            let after = nearest
                .saturating_add(block)
                .min(self.index.step_count() + 1)
                .min(slots.end.max(nearest));
            for step in self.steps_of(nearest..after)? {
                if let Some(doubt) = use_of(&step, view, self.kinds) {
                    return Ok(ControlFlow::Break(Some(OperandUse {
                        slot: step.slot,
                        doubt,
                    })));
                }
            }
            (first, left, block) = (after, left.saturating_sub(block), 2 * block);
        }
        Ok(if first < slots.end {
            ControlFlow::Continue(first)
        } else {
            ControlFlow::Break(None)
        })
    }

    /// Returns the window cell that a view names from a slot on; the view itself on processors
    /// without windows.
    pub(crate) fn cell(&self, view: RegisterView, first: u64) -> Result<RegisterView, QueryError> {
        Ok(self
            .cells(&[view], Position(first.saturating_sub(1)))?
            .pop()
            .unwrap_or(view))
    }

    /// Resolves views at a position on a processor with windows to cells, which have other names in
    /// other windows.
    pub(crate) fn cells(
        &self,
        views: &[RegisterView],
        at: Position,
    ) -> Result<Vec<RegisterView>, QueryError> {
        if !self.index.instruction_set(self.thread).has_windows() {
            return Ok(views.to_vec());
        }
        let reader = SlotReader(self.index);
        let next = reader
            .next_step_of(self.thread, at)?
            .map(|step| step.after().0);
        let slot = match next {
            Some(slot) => Some(slot),
            None => reader.owner(self.thread, at.0)?.map(|step| step.after().0),
        };
        let step = slot
            .map(|slot| self.steps_of(slot..slot + 1))
            .transpose()?
            .and_then(|mut steps| steps.pop());
        let mode = step.map_or(Mode::Other, |step| step.mode);
        Ok(views
            .iter()
            .map(|view| RegisterView {
                register: mode.home(view.register),
                ..*view
            })
            .collect())
    }

    /// Returns the steps of the thread in some slots.
    pub(crate) fn steps_of(&self, slots: Range<u64>) -> Result<Vec<OperandStep>, QueryError> {
        let mut steps = Vec::new();
        SlotReader(self.index).each_step(slots, |here, step| {
            if here.thread == self.thread {
                steps.push(OperandStep {
                    slot: here.slot,
                    mode: step.mode,
                    pc: step.pc,
                    set: step.instruction_set,
                    encoding: encoding_of(self.index, step),
                    is_executed: step.is_executed,
                });
            }
            Flow::Continue
        })?;
        Ok(steps)
    }

    /// Returns the kind of use of a cell by the step of a slot: a write, unless it only reads it.
    pub(crate) fn kind_of_use(
        &self,
        slot: u64,
        cell: RegisterView,
        kinds: AccessKinds,
    ) -> Result<AccessKind, QueryError> {
        let step = self.steps_of(slot..slot + 1)?.pop();
        let is_written =
            step.is_none_or(|step| use_of(&step, cell, AccessKinds::Writes.into()).is_some());
        let is_read = kinds == AccessKinds::Reads || kinds == AccessKinds::All && !is_written;
        Ok(if is_read {
            AccessKind::Read
        } else {
            AccessKind::Write
        })
    }

    /// Returns the access of a register by a step's operands.
    pub(crate) fn access(&self, view: RegisterView, kind: AccessKind) -> Access {
        Access {
            kind,
            target: AccessTarget::Register(
                NameReader(self.index).register_name(view, self.index.instruction_set(self.thread)),
            ),
            value: Value(vec![None; usize::from(view.size_bytes)]),
            is_inferred: false,
            is_decoded: false,
            is_external: false,
            host_operation: None,
        }
    }
}

/// Returns a bit for each register; those with high numbers set all bits.
fn bits_of<'a>(views: impl Iterator<Item = &'a RegisterView>) -> u128 {
    let bit = |view: &RegisterView| {
        1u128
            .checked_shl(u32::from(view.register.0))
            .unwrap_or(u128::MAX)
    };
    views.map(bit).fold(0, |all, bit| all | bit)
}
